-- What a row of a population matches is one notion in the search, the recount and the measures: beside NULLs, under rules, and for
-- equal values that are printed otherwise.
CREATE SCHEMA matching;
SET search_path TO matching, public;

-- A. By hand, by each rule, all rows in `*`: 13 rows, of which one is NULL, of 39, of which three are.
CREATE TABLE register AS SELECT i AS id, CASE WHEN i % 13 > 0 THEN (date '2020-01-01' + i * 40) END AS day,
  CASE WHEN i % 13 > 0 THEN ('10.' || i % 4 || '.0.' || i)::inet END AS address, CASE WHEN i % 13 > 0 THEN (700 + i * 7 % 90)::text END AS zip FROM generate_series(1, 39) i;
CREATE TABLE few AS SELECT * FROM register WHERE id <= 13;
CREATE FUNCTION matched(masking masking, release text, k int, recoding text DEFAULT 'global') RETURNS TABLE (holds bool, achieved float8, journalist float8)
LANGUAGE plpgsql AS $$
DECLARE name text := (SELECT v ->> 'column_name' FROM jsonb_each(masking::text::jsonb) e (n, v));
BEGIN
  PERFORM tds_anonymize('few', release, k_map(ARRAY[name], k, 'register'), masking => masking, recoding => recoding);
  RETURN QUERY SELECT v.holds, v.achieved, r.highest_risk FROM release_verify(release) v, release_risk(release, population => 'register') r WHERE r.attacker = 'journalist';
END $$;
SELECT n, (SELECT f FROM matched(m, 'all_' || n, 39) f) FROM (VALUES (1, by_calendar('day')), (2, by_network('address')), (3, by_prefix('zip')), (4, by_suppression('zip')),
  (5, by_intervals('day'))) v (n, m);
SELECT count(*), count(DISTINCT zip) FROM all_3.few;
SELECT n, (SELECT f FROM matched(m, 'local_' || n, 39, 'local') f) FROM (VALUES (1, by_calendar('day')), (2, by_network('address')), (3, by_prefix('zip')), (4, by_suppression('zip')),
  (5, by_intervals('day'))) v (n, m);

-- B. Against brute force, refined as far as it goes: a row of the register matches what holds its value, NULLs match NULL or `*`.
CREATE TABLE people AS SELECT i AS id, CASE WHEN i % 17 > 0 THEN lpad((i * i % 700)::text, 3, '0') END AS zip FROM generate_series(1, 900) i;
CREATE TABLE sample AS SELECT zip FROM people WHERE id % 9 < 4;
CREATE FUNCTION by_hand(release text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE worst float8;
BEGIN
  EXECUTE format($q$
    WITH own AS (SELECT zip, count(*) AS f FROM %1$I.sample GROUP BY zip)
    SELECT max(1.0 / greatest(f, (SELECT count(*) FROM people p WHERE (o.zip IS NULL AND p.zip IS NULL)
      OR NOT EXISTS (SELECT FROM own n WHERE n.zip IS NULL) AND o.zip = '*'
      OR EXISTS (SELECT FROM own n WHERE n.zip IS NULL) AND o.zip = '*' AND p.zip IS NOT NULL
      OR p.zip LIKE replace(o.zip, '*', '_')))) FROM own o$q$, release) INTO worst;
  RETURN worst;
END $$;
SELECT k, tds_anonymize('sample', 'people_' || k, k_map('{zip}', k, 'people'), masking => by_prefix('zip')) ->> 'rows' AS rows FROM unnest(ARRAY[4, 12, 30, 80, 400, 900]) k;
SELECT k, (SELECT holds FROM release_verify('people_' || k)) AS holds, (SELECT highest_risk FROM release_risk('people_' || k, population => 'people') WHERE attacker = 'journalist') = by_hand('people_' || k) AS same,
  round(by_hand('people_' || k)::numeric, 4) AS risk FROM unnest(ARRAY[4, 12, 30, 80, 400, 900]) k;

-- C. Equal numbers that are printed otherwise are one value: in the register 2.00 is 2.0.
CREATE TABLE readings (v numeric);
INSERT INTO readings SELECT 2.0 FROM generate_series(1, 5) UNION ALL SELECT 3.5 FROM generate_series(1, 5) UNION ALL SELECT 9.9 FROM generate_series(1, 2) UNION ALL SELECT 8.8;
CREATE TABLE printed (v numeric);
INSERT INTO printed SELECT 2.00 FROM generate_series(1, 6) UNION ALL SELECT 2.0 FROM generate_series(1, 3) UNION ALL SELECT 3.5 FROM generate_series(1, 7) UNION ALL SELECT 9.900 FROM generate_series(1, 2)
  UNION ALL SELECT 8.8 UNION ALL SELECT 4 FROM generate_series(1, 20);
SELECT tds_anonymize('readings', 'numbers', k_map('{v}', 6, 'printed'), masking => by_suppression('v')) ->> 'rows' AS rows;
SELECT v, count(*) FROM numbers.readings GROUP BY v ORDER BY v;
SELECT achieved, holds FROM release_verify('numbers');
SELECT attacker, round(highest_risk::numeric, 4) AS highest, round(average_risk::numeric, 4) AS average FROM release_risk('numbers', population => 'printed') WHERE attacker IN ('journalist', 'marketer');
SELECT tds_anonymize('readings', 'numbers_local', k_map('{v}', 6, 'printed'), masking => by_suppression('v'), recoding => 'local') ->> 'rows' AS rows;
SELECT v, count(*) FROM numbers_local.readings GROUP BY v ORDER BY v;
SELECT achieved, holds FROM release_verify('numbers_local');
-- so they are in a taxonomy, for floats, and for rows that are shown as a release shows its own
CREATE TABLE numbers_above (child text, parent text);
INSERT INTO numbers_above VALUES ('2.0', 'few'), ('3.5', 'few'), ('4', 'many'), ('8.8', 'many'), ('9.9', 'many'), ('few', 'all'), ('many', 'all');
SELECT tds_anonymize('readings', 'numbers_tree', k_map('{v}', 6, 'printed'), masking => by_taxonomy('v', 'numbers_above')) ->> 'rows' AS rows;
SELECT v, count(*) FROM numbers_tree.readings GROUP BY v ORDER BY v;
SELECT achieved, holds FROM release_verify('numbers_tree');
CREATE TABLE zeros AS SELECT v::float8 AS v FROM (SELECT 0 UNION ALL SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 1) o (v);
CREATE TABLE both_zeros AS SELECT v FROM zeros UNION ALL SELECT '-0'::float8 FROM generate_series(1, 3) UNION ALL SELECT 1 FROM generate_series(1, 3);
SELECT tds_anonymize('zeros', 'zeros_shown', k_map('{v}', 5, 'both_zeros'), masking => by_suppression('v')) ->> 'rows' AS rows;
SELECT v, count(*) FROM zeros_shown.zeros GROUP BY v ORDER BY v;
SELECT achieved, holds FROM release_verify('zeros_shown');
SELECT release_apply('numbers', 'printed', 'applied') AS rows;
SELECT v, count(*) FROM applied GROUP BY v ORDER BY v;
-- a refresh goes on from there
INSERT INTO printed SELECT 3.50 FROM generate_series(1, 2);
SELECT release_refresh('numbers') ->> 'version' AS version;
SELECT achieved, holds FROM release_verify('numbers');


SELECT count(release_drop(name)) FROM (SELECT release AS name FROM releases() WHERE release ~ '^(all|local|people|numbers|zeros)') r;
DROP SCHEMA matching CASCADE;
