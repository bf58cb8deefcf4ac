-- What the experiments have in common: releases of Adult and CRX beside their sources, and these as files that weka reads.
-- Included by scripts/experiments.sh, which has loaded the tables adult, crx and tax_<column>.

SET client_min_messages = error;

-- The quasi-identifiers: TDS's Top5, Top7 and Top9, age and the eight categorical columns, GA's eight columns.
CREATE TABLE qid (name text PRIMARY KEY, columns text[]);
INSERT INTO qid VALUES
  ('Top5', '{capital_gain,age,marital_status,education_num,relationship}'),
  ('Top7', '{capital_gain,age,marital_status,education_num,relationship,hours_per_week,sex}'),
  ('Top9', '{capital_gain,age,marital_status,education_num,relationship,hours_per_week,sex,education,occupation}'),
  ('nine', '{age,workclass,education,marital_status,occupation,relationship,race,sex,native_country}'),
  ('GA', '{age,workclass,education,marital_status,occupation,race,sex,native_country}');

-- The taxonomies of the columns that have one.
CREATE FUNCTION trees(columns text[]) RETURNS masking[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(by_taxonomy(c, tree)), '{}') FROM unnest(columns) c, to_regclass('tax_' || c) tree WHERE tree IS NOT NULL
$$;

-- The table `masked`: the source's rows with what a release shows of them, `*` in all its masked columns for those that it withholds.
-- The release keeps the column id.
CREATE FUNCTION mask(source regclass, release text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  shown text := (SELECT string_agg(format('coalesce(v.%1$I, ''*'') AS %1$I', c), ', ') FROM taxonomy_columns(release) c);
  others text := (SELECT string_agg(format('s.%I', attname), ', ' ORDER BY attnum) FROM pg_attribute
                  WHERE attrelid = source AND attnum > 0 AND NOT attisdropped AND attname NOT IN (SELECT taxonomy_columns(release)));
BEGIN
  DROP TABLE IF EXISTS masked;
  EXECUTE format('CREATE TABLE masked AS SELECT %s, %s FROM %s s LEFT JOIN %I.%I v USING (id)', others, shown, source, release, source::text);
END $$;

-- The masked columns of a release.
CREATE FUNCTION taxonomy_columns(release text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT unnest(masked) FROM %I.about', release);
END $$;

-- Some columns of a table and the class, which is last, as an ARFF file: numbers are numeric, all else is nominal.
CREATE FUNCTION arff(relation regclass, columns text[], class text, which text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  name text;
  declared text;
BEGIN
  RETURN NEXT '@relation ' || relation::text;
  FOREACH name IN ARRAY columns || class LOOP
    IF (SELECT atttypid IN ('int4'::regtype, 'float8'::regtype, 'numeric'::regtype) FROM pg_attribute WHERE attrelid = relation AND attname = name) AND name <> class THEN
      declared := 'numeric';
    ELSE
      EXECUTE format('SELECT ''{'' || string_agg(DISTINCT quote_literal(%I), '','') || ''}'' FROM %s', name, relation) INTO declared;
    END IF;
    RETURN NEXT format('@attribute %s %s', name, declared);
  END LOOP;
  RETURN NEXT '@data';
  RETURN QUERY EXECUTE format('SELECT concat_ws('','', %s) FROM %s WHERE %s ORDER BY id',
    (SELECT string_agg(CASE WHEN atttypid IN ('int4'::regtype, 'float8'::regtype, 'numeric'::regtype) AND attname <> class THEN format('%I::text', attname) ELSE format('quote_literal(%I)', attname) END, ', ' ORDER BY o)
     FROM unnest(columns || class) WITH ORDINALITY c (n, o) JOIN pg_attribute ON attrelid = relation AND attname = n), relation, which);
END $$;

-- All columns but those named, the class, id and test.
CREATE FUNCTION rest_of(relation regclass, without text[]) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = relation AND attnum > 0 AND NOT attisdropped AND attname <> ALL (without || '{id,test,income,class,fold}'::text[])
$$;

-- The mean over the test rows of -log2 of what the training rows of the same released values say of their class, with
-- (n1 + 2 p)/(n + 2), p the class's share in training.
CREATE FUNCTION log_loss(columns text[], class text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  loss float8;
  listed text := (SELECT string_agg(format('%I', c), ', ') FROM unnest(columns) c);
BEGIN
  EXECUTE format($q$
    WITH share AS (SELECT %2$I AS class, count(*)::float8 / sum(count(*)) OVER () AS p FROM masked WHERE NOT test GROUP BY %2$I),
      groups AS (SELECT %1$s, count(*) AS n FROM masked WHERE NOT test GROUP BY %1$s),
      classes AS (SELECT %1$s, %2$I, count(*) AS n1 FROM masked WHERE NOT test GROUP BY %1$s, %2$I)
    SELECT avg(-log(2, ((coalesce(c.n1, 0) + 2 * s.p) / (coalesce(g.n, 0) + 2))::numeric))
    FROM masked m JOIN share s ON s.class = m.%2$I LEFT JOIN groups g USING (%1$s) LEFT JOIN classes c USING (%1$s, %2$I) WHERE m.test$q$, listed, class) INTO loss;
  RETURN loss;
END $$;

-- The mean certainty loss of the source's rows, of which those that are withheld lose all: normalized_certainty_penalty is of those released.
CREATE FUNCTION certainty_loss(release text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  loss float8;
BEGIN
  EXECUTE format('SELECT (m.value * a.rows + a.withheld) / (a.rows + a.withheld) FROM release_measures(%L) m, %I.about a WHERE measure = ''normalized_certainty_penalty''', release, release) INTO loss;
  RETURN loss;
END $$;

-- The same of what the values span: an interval from its least to its greatest value by those of the column, a node by how many values occur
-- under it; what is withheld loses all.
CREATE FUNCTION closed_loss(columns text[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  name text;
  loss float8;
  sum float8 := 0;
BEGIN
  FOREACH name IN ARRAY columns LOOP
    EXECUTE format('SELECT sum(rows * CASE WHEN shown = ''*'' THEN 1 ELSE span / whole END) / sum(rows)
      FROM (SELECT m.%1$I AS shown, count(*) AS rows, %2$s::float8 AS span FROM masked m JOIN adult a USING (id) GROUP BY 1) g, (SELECT %2$s AS whole FROM adult a) w', name,
      CASE WHEN to_regclass('tax_' || name) IS NULL THEN format('(max(a.%1$I) - min(a.%1$I))', name) ELSE format('(count(DISTINCT a.%I) - 1)', name) END) INTO loss;
    sum := sum + loss;
  END LOOP;
  RETURN sum / cardinality(columns);
END $$;

-- Thirty random requirements of TDS section 6.1: 3 to 7 quasi-identifiers of the same number of columns, 2 to 9, of the fourteen; what comes twice is left out.
CREATE TABLE multi (number int, columns text[]);
SELECT setseed(0.5) \g /dev/null
DO $$
DECLARE
  length int;
BEGIN
  FOR number IN 1..30 LOOP
    length := 2 + floor(random() * 8);
    FOR member IN 1..3 + floor(random() * 5)::int LOOP
      INSERT INTO multi SELECT number, array_agg(c ORDER BY c) FROM (SELECT c FROM unnest(rest_of('adult', '{}')) c ORDER BY random() LIMIT length) drawn
      EXCEPT SELECT * FROM multi;
    END LOOP;
  END LOOP;
END $$;

-- Of a column's values the half that is least frequent, ties by value (PDA section 5).
CREATE FUNCTION rare_values(source regclass, name text) RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  rare text[];
BEGIN
  EXECUTE format('SELECT array_agg(v ORDER BY v COLLATE "C") FROM (SELECT %1$I AS v FROM %2$s GROUP BY 1 ORDER BY count(*), %1$I COLLATE "C"
                  LIMIT (SELECT count(DISTINCT %1$I) / 2 FROM %2$s)) r', name, source) INTO rare;
  RETURN rare;
END $$;

-- The templates <channel -> rare values, h> of some sensitive columns.
CREATE FUNCTION templates(source regclass, channel text[], sensitive text[], h float8) RETURNS privacy_model[] LANGUAGE sql STABLE AS $$
  SELECT array_agg(confidence_bound(channel, s, rare_values(source, s), h)) FROM unnest(sensitive) s
$$;
