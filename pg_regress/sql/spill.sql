-- What takes more than its share of pg_topdown.max_memory lies in temporary files: codes of the rows read, and rows on their
-- way into random order. The release is the same; the files count towards temp_file_limit, and an error on the way leaves nothing.
CREATE SCHEMA spilled;
SET search_path TO spilled, public;
CREATE TABLE people AS
SELECT i / 500 AS block, i % 500 AS number, 18 + (i * 31) % 60 AS age, CASE WHEN i % 97 > 0 THEN 'city ' || (i * 17) % 90 END AS city,
       CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' END AS region, 'disease ' || (i::bigint * i) % 11 AS disease,
       CASE WHEN (i * 31) % 60 + i % 20 > 50 THEN 'yes' ELSE 'no' END AS class, i % 300 AS ward
FROM generate_series(1, 40000) i;
CREATE FUNCTION make(name text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT tds_anonymize('people', name, ARRAY[k_anonymity(ARRAY['age', 'city', 'region'], 50), l_diversity(ARRAY['age', 'city'], 'disease', 3)],
                       class => 'class', keep => ARRAY['block', 'number', 'ward', 'disease'])
$$;
SELECT make('plain') ->> 'rows' AS rows;
-- Nothing of it is spilled while there is room.
SET temp_file_limit = 0;
SELECT make('roomy') ->> 'rows' AS rows, release_drop('roomy');
SET pg_topdown.max_memory = '2MB';
SELECT make('small') ->> 'rows' AS rows;
SELECT release_refresh(public.again('plain'));
RESET temp_file_limit;
-- The same as without files: cut, steps, rows.
SELECT make('small') ->> 'rows' AS rows;
CREATE FUNCTION differences(a text, b text) RETURNS TABLE (rows bigint, cuts bigint, steps bigint) LANGUAGE plpgsql AS $$
DECLARE
  pair text := '(SELECT count(*) FROM ((TABLE %1$s EXCEPT ALL TABLE %2$s) UNION ALL (TABLE %2$s EXCEPT ALL TABLE %1$s)) d)';
BEGIN
  EXECUTE format('SELECT ' || format(pair, a || '.people', b || '.people')) INTO rows;
  EXECUTE format('SELECT ' || format(pair, a || '.cut', b || '.cut')) INTO cuts;
  EXECUTE format('SELECT ' || format(pair, a || '.made', b || '.made')) INTO steps;
  RETURN NEXT;
END $$;
CREATE VIEW plain.made AS SELECT step, attribute, node, children, records, info_gain, score, achieved FROM plain_private.steps
WHERE version = (SELECT max(version) FROM plain_private.steps);
CREATE VIEW small.made AS SELECT step, attribute, node, children, records, info_gain, score, achieved FROM small_private.steps
WHERE version = (SELECT max(version) FROM small_private.steps);
SELECT * FROM differences('plain', 'small');
SELECT max(step) > 5 AS steps FROM small.made;
SELECT bool_and(holds) AS holds, count(*) FROM release_verify('small');
-- Refreshed, rewound and measured.
INSERT INTO people SELECT 100, i, 18 + i % 60, 'city ' || i % 90, 'north', 'disease 1', 'no', i % 300 FROM generate_series(1, 400) i;
SELECT release_refresh(public.again('small')) ->> 'rows' AS rows;
RESET pg_topdown.max_memory;
SELECT release_refresh(public.again('plain')) ->> 'rows' AS rows;
SELECT * FROM differences('plain', 'small');
SELECT release_rewind('plain', 3) ->> 'steps' AS steps;
SET pg_topdown.max_memory = '2MB';
SELECT release_rewind('small', 3) ->> 'steps' AS steps;
SELECT * FROM differences('plain', 'small');
-- In random order: hardly a row is where it was or beside what was beside it, and no part of the table is in one place.
SELECT count(*) < 30 AS places FROM (SELECT block, number, row_number() OVER (ORDER BY ctid) AS place FROM people) a
JOIN (SELECT block, number, row_number() OVER (ORDER BY ctid) AS place FROM small_private.rows_v3) b USING (block, number, place);
SELECT count(*) < 100 AS neighbours FROM (
  SELECT a.place - lag(a.place) OVER (ORDER BY b.ctid) AS step
  FROM (SELECT block, number, row_number() OVER (ORDER BY ctid) AS place FROM people) a JOIN small_private.rows_v3 b USING (block, number)) s WHERE step = 1;
SELECT abs(corr(a.place, b.place)) < 0.03 AS uncorrelated
FROM (SELECT block, number, row_number() OVER (ORDER BY ctid) AS place FROM people) a
JOIN (SELECT block, number, row_number() OVER (ORDER BY ctid) AS place FROM small_private.rows_v3) b USING (block, number);
SELECT min(n) > 2300 AND max(n) < 2800 AS spread FROM (
  SELECT count(*) AS n FROM (SELECT block, number, ntile(4) OVER (ORDER BY ctid) AS part FROM people) a
  JOIN (SELECT block, number, ntile(4) OVER (ORDER BY ctid) AS part FROM small_private.rows_v3) b USING (block, number) GROUP BY a.part, b.part) p;
-- A limit that is met on the way: while rows are read, and while they are thrown into heaps.
SET temp_file_limit = '200kB';
SELECT release_refresh(public.again('small'));
SET temp_file_limit = '600kB';
SELECT release_refresh(public.again('small'));
RESET temp_file_limit;
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql\_tmp' || pg_backend_pid() || '.%';
SELECT version FROM releases() WHERE release = 'small';
SELECT count(*) AS tables FROM pg_class WHERE relnamespace = 'small_private'::regnamespace AND relname LIKE 'rows\_v%';
-- Applied to the same rows, its cut gives the same once more.
SELECT release_apply('small', 'people', 'spilled.applied');
SELECT count(*) AS differences FROM (
  (SELECT age, city, region FROM applied EXCEPT ALL SELECT age, city, region FROM small.people) UNION ALL
  (SELECT age, city, region FROM small.people EXCEPT ALL SELECT age, city, region FROM applied)) d;
-- With counts of columns with and without NULLs.
CREATE TABLE longer AS SELECT age, city, region, disease FROM people, generate_series(1, 3);
CREATE FUNCTION count_nodes(name text) RETURNS jsonb LANGUAGE sql AS $$
  SELECT tds_anonymize('longer', name, k_anonymity(ARRAY['age', 'city', 'region', 'disease'], 20), keep => '{}', counts => true)
$$;
SELECT count_nodes('many') ->> 'rows' AS rows;
SET pg_topdown.max_memory = '1500kB';
SET temp_file_limit = 0;
SELECT count_nodes('few') ->> 'rows' AS rows;
RESET temp_file_limit;
SELECT count_nodes('few') ->> 'rows' AS rows;
SELECT count(*) AS differences FROM ((TABLE many.counts EXCEPT ALL TABLE few.counts) UNION ALL (TABLE few.counts EXCEPT ALL TABLE many.counts)) d;
SELECT attribute, count(*) FROM few.counts GROUP BY attribute ORDER BY attribute;
SELECT release_drop('many'), release_drop('few');
DROP VIEW plain.made, small.made;
SELECT release_drop('plain'), release_drop('small');
DROP SCHEMA spilled CASCADE;
