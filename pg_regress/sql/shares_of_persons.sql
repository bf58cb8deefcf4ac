-- Models of sensitive values that count persons in place of rows: against brute force on random tables, and through a release's life.
SET client_min_messages TO notice;
CREATE SCHEMA sharing;
SET search_path TO sharing, public;

-- A. What cannot be asked
SELECT l_diversity('{q}', 's', 2, person => 's');
SELECT l_diversity('{q}', 's', 2, person => 'q');
SELECT confidence_bound('{q}', 's', NULL, 0.5, person => '');
SELECT m, m::text::privacy_model::text = m::text AS same
FROM (VALUES (l_diversity('{q}', 's', 2, 'entropy', person => 'p')), (t_closeness('{q}', 's', 0.2, person => 'p')), (confidence_bound('{q}', 's', '{x}', 0.5, 'p')), (beta_likeness('{q}', 's', 1, 'p')),
             (lkc_privacy('{q}', 1, 2, 's', NULL, 0.5, 'p'))) v (m);

-- inferences are counted in rows
CREATE TABLE inferred AS SELECT 'a' AS q, 'x' AS s, 1 AS p;
SELECT * FROM privacy_inferences('inferred', confidence_bound('{q}', 's', NULL, 0.5, 'p'));

-- B. By hand. Group a: two persons, one with three rows of x, the other of y; by rows x has 3/4, by persons 1/2.
--    Group b: person 3 has x and y, person 4 has x: x is of both, y of one. All four persons: x of three, y of two.
CREATE TABLE small (q text, s text, p int);
INSERT INTO small VALUES ('a', 'x', 1), ('a', 'x', 1), ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 3), ('b', 'y', 3), ('b', 'x', 4);
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[
  confidence_bound('{q}', 's', '{x}', 0.8), confidence_bound('{q}', 's', '{x}', 0.8, 'p'), confidence_bound('{q}', 's', '{y}', 0.5, 'p'),
  l_diversity('{q}', 's', 2, 'entropy'), l_diversity('{q}', 's', 2, 'entropy', person => 'p'), l_diversity('{q}', 's', 2, 'distinct', person => 'p'), l_diversity('{q}', 's', 2, 'recursive', 2, 'p'),
  t_closeness('{q}', 's', 0.1, person => 'p'), t_closeness('{q}', 's', 0.1, 'ordered', 'p'), beta_likeness('{q}', 's', 0.3, 'p')])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;

--    The third person is in both groups: x is of one in two there, and of two in three of the whole table.
CREATE TABLE shared (q text, s text, p int);
INSERT INTO shared VALUES ('a', 'x', 1), ('a', 'y', 3), ('b', 'x', 2), ('b', 'y', 3);
SELECT required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('shared', ARRAY[confidence_bound('{q}', 's', '{x}', 0.6, 'p'), lkc_privacy('{q}', 1, 2, 's', '{x}', 0.6, 'p')]);

-- C. Brute force on random tables: persons with any number of rows, NULLs among persons and values.
CREATE FUNCTION brute(source regclass, kind text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE result float8;
BEGIN
  EXECUTE format($q$
    WITH groups AS (SELECT DISTINCT a, b FROM %1$s),
         sizes AS (SELECT g.a, g.b, count(DISTINCT t.p) + (count(*) FILTER (WHERE t.p IS NULL) > 0)::int AS persons
                   FROM groups g JOIN %1$s t ON (t.a, t.b) IS NOT DISTINCT FROM (g.a, g.b) GROUP BY g.a, g.b),
         vals AS (SELECT DISTINCT s FROM %1$s),
         held AS (SELECT z.a, z.b, z.persons, v.s, (SELECT count(*) FROM (SELECT DISTINCT t.p FROM %1$s t WHERE (t.a, t.b) IS NOT DISTINCT FROM (z.a, z.b) AND t.s IS NOT DISTINCT FROM v.s) d) AS m
                  FROM sizes z CROSS JOIN vals v),
         totals AS (SELECT v.s, (SELECT count(*) FROM (SELECT DISTINCT t.p FROM %1$s t WHERE t.s IS NOT DISTINCT FROM v.s) d) AS m,
                           (SELECT count(*) FROM (SELECT DISTINCT t.p FROM %1$s t) d) AS persons FROM vals v),
         shares AS (SELECT h.*, h.m::float8 / sum(h.m) OVER (PARTITION BY h.a, h.b) AS q, w.m::float8 / (SELECT sum(m) FROM totals) AS p, w.m::float8 / w.persons AS of_all
                    FROM held h JOIN totals w ON h.s IS NOT DISTINCT FROM w.s)
    SELECT CASE $1
      WHEN 'confidence' THEN (SELECT max(m::float8 / persons) FROM held)
      WHEN 'entropy' THEN (SELECT min(e) FROM (SELECT exp(-sum(q * ln(q)) FILTER (WHERE m > 0)) AS e FROM shares GROUP BY a, b) x)
      WHEN 'distinct' THEN (SELECT min(n) FROM (SELECT count(*) FILTER (WHERE m > 0) AS n FROM held GROUP BY a, b) x)
      WHEN 'equal' THEN (SELECT max(d) FROM (SELECT sum(abs(q - p)) / 2 AS d FROM shares GROUP BY a, b) x)
      WHEN 'likeness' THEN (SELECT max((m::float8 / persons - of_all) / of_all) FROM shares)
    END$q$, source) INTO result USING kind;
  RETURN result;
END $$;
DO $$
DECLARE differ int := 0; seen int := 0; kind text; model privacy_model; found float8; expected float8;
BEGIN
  FOR seed IN 1 .. 12 LOOP
    PERFORM setseed(seed / 100.0);
    EXECUTE 'DROP TABLE IF EXISTS random_rows';
    EXECUTE format('CREATE TABLE random_rows AS SELECT floor(random() * 3)::int AS a, CASE WHEN random() < 0.1 THEN NULL ELSE floor(random() * 2)::int END AS b,
      nullif(floor(random() * %s)::int, 3) AS p, nullif(floor(random() * random() * 5)::int, 4) AS s FROM generate_series(1, %s)', 4 + seed * 2, 15 + seed * 5);
    FOR kind, model IN VALUES ('confidence', confidence_bound('{a,b}', 's', NULL, 1, 'p')), ('entropy', l_diversity('{a,b}', 's', 1, 'entropy', person => 'p')), ('distinct', l_diversity('{a,b}', 's', 1, person => 'p')),
        ('equal', t_closeness('{a,b}', 's', 1, person => 'p')), ('likeness', beta_likeness('{a,b}', 's', 99, 'p')) LOOP
      SELECT achieved INTO found FROM privacy_check('random_rows', model);
      expected := brute('random_rows', kind);
      seen := seen + 1;
      IF abs(found - expected) > 1e-9 THEN
        differ := differ + 1;
        RAISE NOTICE '% of %: %, not %', kind, seed, found, expected;
      END IF;
    END LOOP;
  END LOOP;
  RAISE NOTICE '% measured, % differ', seen, differ;
END $$;
-- several models of one column, and of one sets of columns, are counted together
SELECT count(DISTINCT achieved) AS same FROM (SELECT achieved FROM privacy_check('random_rows', ARRAY[confidence_bound('{a,b}', 's', '{0}', 1, 'p'), confidence_bound('{a,b}', 's', '{0}', 0.99, 'p')])
  UNION ALL SELECT achieved FROM privacy_check('random_rows', confidence_bound('{a,b}', 's', '{0}', 1, 'p'))) x;

-- D. Through a release's life. By the search, in a release, and recounted from what its owner sees.
CREATE TABLE visits AS
SELECT i AS id, patient, patient * 7 % 80 AS age, (ARRAY['north', 'east', 'south', 'west'])[1 + (patient + (i % 5 = 0)::int) % 4] AS region,
       (ARRAY['flu', 'cold', 'cough', 'none'])[1 + (patient / 3 + (i % 4 = 0)::int) % 4] AS illness
FROM (SELECT i, CASE WHEN i % 3 = 0 THEN i / 30 ELSE i / 4 END AS patient FROM generate_series(1, 1200) i) visits;
CREATE FUNCTION tried(model privacy_model, name text, how text DEFAULT 'global') RETURNS text LANGUAGE plpgsql AS $$
DECLARE result jsonb; verdict text;
BEGIN
  result := tds_anonymize('visits', name, ARRAY[k_anonymity('{age,region}', 5), model], recoding => how);
  SELECT string_agg(format('%s: %s', round(v.required::numeric, 3), v.holds), ', ' ORDER BY v.required DESC) INTO verdict FROM release_verify(name) v;
  RETURN format('refined: %s; %s; %s', (result ->> 'steps')::int >= 1, verdict, (SELECT count(*) FROM information_schema.columns c WHERE c.table_schema = name AND c.table_name = 'visits' AND c.column_name ~ 'patient|hidden'));
END $$;
SELECT tried(confidence_bound('{age,region}', 'illness', NULL, 0.6, 'patient'), 'share1');
SELECT tried(l_diversity('{age,region}', 'illness', 2.5, 'entropy', person => 'patient'), 'share2');
SELECT tried(l_diversity('{age,region}', 'illness', 2, 'recursive', 2, 'patient'), 'share3');
SELECT tried(t_closeness('{age,region}', 'illness', 0.25, person => 'patient'), 'share4');
SELECT tried(beta_likeness('{age,region}', 'illness', 1, 'patient'), 'share5');
SELECT tried(lkc_privacy('{age,region}', 1, 5, 'illness', NULL, 0.6, 'patient'), 'share6');
-- one group at a time, where the model is over all masked columns; clusters may show the same
SELECT tried(confidence_bound('{age,region}', 'illness', NULL, 0.6, 'patient'), 'share7', 'local');
SELECT tried(t_closeness('{age,region}', 'illness', 0.25, person => 'patient'), 'share8', 'local');
SELECT tried(confidence_bound('{age}', 'illness', NULL, 0.6, 'patient'), 'share9', 'local');
SELECT tried(beta_likeness('{age,region}', 'illness', 1, 'patient'), 'share9', 'clustered');
SELECT tds_anonymize('visits', 'share9', beta_likeness('{age,region}', 'illness', 1, 'patient'), changes => 'batched');
SELECT tds_anonymize('visits', 'share9', l_diversity('{age,region}', 'illness', 2, person => 'patient'), withhold => 0.1);
-- replayed on other rows, altered, compared
DELETE FROM visits WHERE id % 7 = 2;
SELECT release, r ->> 'mode' AS mode, (SELECT bool_and(holds) FROM release_verify(release)) AS holds
FROM (VALUES ('share1'), ('share4'), ('share7')) v (release), LATERAL release_refresh(release::name) r;
SELECT count(*) > 0 AS parts FROM release_changes('share1');
SELECT release_alter('share1', privacy => ARRAY[k_anonymity('{age,region}', 5), confidence_bound('{age,region}', 'illness', NULL, 0.6)]);
SELECT jsonb_path_query_array(release_alter('share1', privacy => ARRAY[k_anonymity('{age,region}', 5), confidence_bound('{age,region}', 'illness', NULL, 0.5, 'patient')]) -> 'privacy', '$[*].holds') AS holds;
SELECT count(*) > 0 AS explained FROM release_explain('share1');
SELECT count(*) > 0 AS ways FROM release_suggest('visits', l_diversity('{age,region}', 'illness', 2, 'entropy', person => 'patient'));
SELECT release_drop(release) FROM releases();
DROP SCHEMA sharing CASCADE;
