-- Counts are of k rows, of k persons where these are counted, and of the rows that readers look for under their names: recounted
-- from what is published before anybody reads it, and here from the source.
CREATE SCHEMA counted;
SET search_path TO counted, public;
SET DateStyle = ISO;

-- One row holds something, 19 hold NULL: in no masking it has a count.
CREATE TABLE f1 AS SELECT CASE WHEN i > 1 THEN NULL ELSE '10.0.0.1'::inet END AS a, CASE WHEN i > 1 THEN NULL ELSE '471'::text END AS z, CASE WHEN i > 1 THEN NULL ELSE date '2020-01-01' END AS d,
  CASE WHEN i > 1 THEN NULL ELSE 7 END AS n, CASE WHEN i > 1 THEN NULL ELSE 'L' END AS t, CASE WHEN i > 1 THEN NULL ELSE 's' END AS s, i / 2 AS person FROM generate_series(1, 20) i;
SELECT tds_anonymize('f1', 'r', k_anonymity('{a,z,d,n,t,s}', 5), masking => ARRAY[by_network('a'), by_prefix('z'), by_calendar('d'), by_intervals('n'),
  by_taxonomy_tree('t', '{"T": ["L", "M"]}')], counts => true) -> 'version' AS version;
SELECT attribute, within, node, lower, upper, records FROM r.counts;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SELECT tds_anonymize('f1', 'r', k_anonymity('{n,t}', 5), masking => ARRAY[by_intervals('n'), by_taxonomy_tree('t', '{"T": ["L", "M"]}')], recoding => 'local', counts => true) -> 'version' AS version;
SELECT attribute, within, node, lower, upper, records FROM r.counts;
SELECT release_drop('r');
-- Sixteen rows of one person beside NULLs of many.
CREATE TABLE f2 AS SELECT CASE WHEN i > 16 THEN NULL ELSE i % 2 END AS n, CASE WHEN i > 16 THEN NULL ELSE 'v' || i % 3 END AS s, CASE WHEN i > 16 THEN i ELSE 0 END AS person, i % 3 AS illness FROM generate_series(1, 60) i;
SELECT tds_anonymize('f2', 'r', k_anonymity('{n,s}', 10, person => 'person'), counts => true) -> 'version' AS version;
SELECT attribute, within, node, records FROM r.counts;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- A model that counts persons and says nothing of how many: five, as of rows.
SELECT tds_anonymize('f2', 'r', l_diversity('{n,s}', 'illness', 2, person => 'person'), counts => true) -> 'version' AS version;
SELECT attribute, within, node, records FROM r.counts;
SELECT release_drop('r');
-- A floor of a superuser's holds for counts, too.
SET pg_topdown.min_k = 20;
SELECT tds_anonymize('f2', 'r', ARRAY[k_anonymity('{n,s}', 20), l_diversity('{n,s}', 'illness', 2)], counts => true) -> 'version' AS version;
SELECT attribute, within, node, records FROM r.counts;
SELECT release_drop('r');
RESET pg_topdown.min_k;

-- What is written otherwise than it is found is not published, and release_verify tells of what somebody changes later.
CREATE TABLE people AS SELECT CASE WHEN i % 11 > 0 THEN 20 + i % 40 END AS age, (ARRAY['a', 'b', 'c', 'd', 'e', 'f'])[1 + i % 6 * (i % 5) % 6] AS town, i / 2 AS person FROM generate_series(1, 200) i;
SELECT tds_anonymize('people', 'r', k_anonymity('{age,town}', 5, person => 'person'), counts => true) -> 'version' AS version;
SELECT model, achieved >= required AS enough, holds FROM release_verify('r');
CREATE ROLE counted_reader;
SELECT release_grant('r', 'counted_reader');
GRANT USAGE ON SCHEMA counted TO counted_reader;
SET ROLE counted_reader;
SELECT model, achieved >= required AS enough, holds FROM release_verify('r');
RESET ROLE;
CREATE FUNCTION other() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.records := CASE TG_ARGV[0]
    WHEN 'more' THEN ARRAY[NEW.records[1] + 1] || NEW.records[2:]
    WHEN 'few' THEN ARRAY[4, NEW.records[1] + NEW.records[2] - 4] || NEW.records[3:] END;
  RETURN NEW;
END $$;
CREATE TRIGGER other BEFORE INSERT ON r_private.column_counts_v0 FOR EACH ROW EXECUTE FUNCTION other('more');
SELECT release_refresh('r', mode => 'search');
DROP TRIGGER other ON r_private.column_counts_v0;
CREATE TRIGGER other BEFORE INSERT ON r_private.column_counts_v0 FOR EACH ROW EXECUTE FUNCTION other('few');
SELECT release_refresh('r', mode => 'search');
DROP TRIGGER other ON r_private.column_counts_v0;
CREATE TRIGGER other BEFORE INSERT ON r_private.cuts_v0 FOR EACH ROW EXECUTE FUNCTION other('more');
SELECT release_refresh('r', mode => 'search');
DROP TRIGGER other ON r_private.cuts_v0;
SELECT max(version) AS version FROM r_private.manifest;
UPDATE r_private.column_counts_v0 SET records[1] = records[1] + 1 WHERE attribute = 'age';
SELECT model, holds FROM release_verify('r');
UPDATE r_private.column_counts_v0 SET records[1] = 4, records[2] = records[2] + records[1] - 5 WHERE attribute = 'age';
SELECT model, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
REVOKE USAGE ON SCHEMA counted FROM counted_reader;
DROP ROLE counted_reader;
SELECT privacy_check('people', '{"counts": {"column": "age"}}'::privacy_model);
-- Means are of as many rows as a class has.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity('{age}', 5), k_anonymity('{town}', 5)], recoding => 'local', means => '{age}') -> 'version' AS version;
SELECT model, required, achieved, holds FROM release_verify('r') WHERE model::text LIKE '%means%';
SELECT release_drop('r');

-- Random tables, counted from the source as readers are told to: a value is counted by its own name, or by the nearest node above it
-- that has a count.
CREATE FUNCTION draw(seed int, place int, name text, below int) RETURNS int LANGUAGE sql IMMUTABLE AS
  $$ SELECT (('x' || substr(md5(seed || ':' || place || ':' || name), 1, 7))::bit(28)::int % below) $$;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree SELECT 'l' || i, 'm' || i / 3 FROM generate_series(0, 17) i UNION ALL SELECT 'm' || i, 'n' || i / 2 FROM generate_series(0, 5) i
  UNION ALL SELECT 'n' || i, 'any' FROM generate_series(0, 2) i;
-- The count of a row that holds a value and shows another, by its place; none, or several, are a fault.
CREATE FUNCTION looked_up(release text, attribute text, value text, shown text, by_group bool) RETURNS int[] LANGUAGE plpgsql AS $$
DECLARE found int[]; label text := value; above text; names text[]; c record;
BEGIN
  CREATE TEMP TABLE IF NOT EXISTS named (release text, attribute text, place int, within text, node text, lower text, upper text, name text);
  IF NOT EXISTS (SELECT FROM named n WHERE n.release = $1) THEN
    EXECUTE format('INSERT INTO named SELECT %L, c.attribute, c.place, c.within, c.node, c.lower, c.upper, n.name
      FROM (SELECT *, row_number() OVER () AS place FROM %I.counts) c, regexp_split_to_table(COALESCE(c.node, ''NULL''), '' or '') n(name)', release, release);
  END IF;
  -- An interval by its ends.
  SELECT array_agg(DISTINCT n.place) INTO found FROM named n WHERE n.release = $1 AND n.attribute = $2 AND (by_group OR n.within IS NOT DISTINCT FROM shown)
    AND $2 = 'age' AND value IS NOT NULL AND n.name NOT IN ('*', 'NULL') AND (n.lower IS NULL OR value::int >= n.lower::int)
    AND (n.upper IS NULL OR value::int < n.upper::int OR value::int = n.upper::int AND (n.name LIKE '%]' OR n.lower = n.upper));
  label := COALESCE(value, 'NULL');
  WHILE found IS NULL AND label IS NOT NULL LOOP
    SELECT array_agg(DISTINCT n.place) INTO found FROM named n WHERE n.release = $1 AND n.attribute = $2 AND (by_group OR n.within IS NOT DISTINCT FROM shown) AND n.name = label;
    EXECUTE format('SELECT t.parent FROM %I_private.taxonomy t WHERE t.attribute = %L AND t.node IS NOT DISTINCT FROM NULLIF(%L, ''NULL'') ORDER BY t.depth DESC LIMIT 1', release, attribute, label) INTO above;
    EXIT WHEN label = '*';
    label := COALESCE(above, '*');
  END LOOP;
  RETURN found;
END $$;
CREATE FUNCTION tried(seed int) RETURNS TABLE (counts bigint, fault text) LANGUAGE plpgsql AS $$
DECLARE k int := 2 + draw(seed, 0, 'k', 5); n int := 4 * k + draw(seed, 0, 'n', 120); way text := (ARRAY['global', 'local', 'clustered', 'kmember', 'withheld'])[1 + seed % 5];
  columns text[] := ARRAY['town', 'age', 'kind', 'born', 'zip']; used text[]; maskings masking[]; a text; by_group bool := way NOT IN ('global', 'withheld');
BEGIN
  DROP TABLE IF EXISTS source;
  CREATE TABLE source AS SELECT i AS nr, 'l' || draw(seed, i, 't', 6) * draw(seed, i, 'u', 4) AS town,
    CASE WHEN draw(seed, i, 'o', 12) >= seed % 3 THEN draw(seed, i, 'a', 6) * draw(seed, i, 'b', 6) END AS age,
    CASE WHEN draw(seed, i, 'p', 12) >= seed % 2 THEN 'k' || draw(seed, i, 'c', 4) * draw(seed, i, 'd', 4) END AS kind,
    date '2020-02-20' + draw(seed, i, 'e', 5) * draw(seed, i, 'f', 30) AS born,
    CASE WHEN draw(seed, i, 'q', 12) >= seed % 4 THEN (1000 + draw(seed, i, 'g', 5) * draw(seed, i, 'h', 5) * 37)::text END AS zip FROM generate_series(1, n) i;
  -- Two of the columns.
  used := ARRAY[columns[1 + seed % 5], columns[1 + (seed + 1 + seed / 5 % 4) % 5]];
  maskings := ARRAY[by_taxonomy('town', 'tree'), by_intervals('age'), by_suppression('kind'), by_calendar('born'), by_prefix('zip')];
  maskings := ARRAY[maskings[array_position(columns, used[1])], maskings[array_position(columns, used[2])]];
  IF way = 'kmember' THEN
    PERFORM kmember_anonymize('source', 'random', used, k, masking => maskings, keep => ARRAY['nr'], counts => true);
  ELSE
    PERFORM tds_anonymize('source', 'random', k_anonymity(used, k), masking => maskings, keep => ARRAY['nr'], counts => true,
      recoding => CASE WHEN way = 'withheld' THEN 'global' ELSE way END, withhold => CASE WHEN way = 'withheld' THEN 0.2 ELSE 0 END);
  END IF;
  FOREACH a IN ARRAY used LOOP
    RETURN QUERY EXECUTE format($q$
      WITH pairs AS (SELECT s.%1$I::text AS held, r.%1$I::text AS shown, count(*) AS n FROM random.source r JOIN counted.source s USING (nr) GROUP BY 1, 2),
      rows AS (SELECT counted.looked_up('random', %1$L, held, shown, %2$L) AS found, n FROM pairs),
      told AS (SELECT attribute, records, row_number() OVER () AS place FROM random.counts),
      recounted AS (SELECT found[1] AS place, sum(n) AS n, bool_or(found IS NULL OR cardinality(found) > 1) AS unclear FROM rows GROUP BY 1)
      SELECT count(t.place), string_agg(format('seed %5$s, %4$s, %1$s: told %%s, counted %%s', t.records, r.n), '; ') FILTER (WHERE (EXISTS (SELECT FROM told WHERE attribute = %1$L)) AND (t.records IS DISTINCT FROM r.n OR r.unclear OR t.records < %3$s))
      FROM (SELECT * FROM told WHERE attribute = %1$L) t FULL JOIN recounted r USING (place)$q$, a, by_group, k, way, seed);
  END LOOP;
  DROP TABLE IF EXISTS named;
  PERFORM release_drop('random');
END $$;
SET pg_topdown.kept = 'warn';
-- Not all columns have counts: few rows may be told of beside the other one.
SELECT count(*) FILTER (WHERE t.counts > 0) > 47 AS columns, sum(t.counts) > 150 AS many, string_agg(t.fault, E'\n') AS faults FROM generate_series(1, 30) seed, tried(seed) t;
DROP SCHEMA counted CASCADE;
