-- The source is read by a plan that may be parallel: rows come in any order and from several processes, and the release is the same.
CREATE SCHEMA par;
SET search_path TO par, public;
CREATE TABLE people AS SELECT 'c' || i % 23 AS city, i % 97 AS age, (i % 7) / 2.0 AS weight, CASE WHEN i % 97 < 30 THEN 'low' WHEN i % 23 < 4 THEN NULL ELSE 'high' END AS income
FROM generate_series(1, 50000) i;
UPDATE people SET city = NULL WHERE age = 13;
ALTER TABLE people SET (parallel_workers = 3);
ANALYZE people;
SET parallel_setup_cost TO 0;
SET parallel_tuple_cost TO 0;
SET min_parallel_table_scan_size TO 0;
SET max_parallel_workers_per_gather TO 3;
-- PostgreSQL would do it in parallel
CREATE FUNCTION plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'EXPLAIN (COSTS OFF) ' || query; END $$;
SELECT trim(plan) AS plan FROM plan('SELECT city, age, weight, income FROM par.people') plan WHERE plan ~ 'Gather|Parallel';
CREATE TABLE seen AS SELECT 'parallel' AS how, * FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['city', 'age'], 40), k_anonymity(ARRAY['weight', 'age'], 100)], 'income');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 40), k_anonymity(ARRAY['weight', 'age'], 100)], 'income') ->> 'rows' AS rows;
CREATE TABLE rows_parallel AS SELECT city, age, weight, income, count(*) FROM r.people GROUP BY 1, 2, 3, 4;
SELECT bool_and(holds) FROM release_verify('r');
SELECT release_drop('r');
SET max_parallel_workers_per_gather TO 0;
INSERT INTO seen SELECT 'serial', * FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['city', 'age'], 40), k_anonymity(ARRAY['weight', 'age'], 100)], 'income');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 40), k_anonymity(ARRAY['weight', 'age'], 100)], 'income') ->> 'rows' AS rows;
SELECT count(*) AS differing FROM (TABLE rows_parallel EXCEPT SELECT city, age, weight, income, count(*) FROM r.people GROUP BY 1, 2, 3, 4) d;
-- nor does the order of the rows in the table matter
CREATE TABLE shuffled AS SELECT * FROM people ORDER BY hashtext(people::text);
INSERT INTO seen SELECT 'shuffled', * FROM tds_steps('shuffled', ARRAY[k_anonymity(ARRAY['city', 'age'], 40), k_anonymity(ARRAY['weight', 'age'], 100)], 'income');
SELECT count(*) > 3 AS steps, bool_and(ways = 3) AS same_each_way FROM (SELECT count(*) AS ways FROM seen GROUP BY step, attribute, node, children, records, info_gain, privacy_loss, score, achieved) s;
SELECT release_drop('r');
-- cancelled in the middle of a parallel scan
RESET max_parallel_workers_per_gather;
SET max_parallel_workers_per_gather TO 3;
CREATE FUNCTION nap(int) RETURNS bool LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN PERFORM pg_sleep(0.001); RETURN $1 >= 0; END $$;
CREATE VIEW slow AS SELECT * FROM people WHERE nap(age);
SET statement_timeout TO '300ms';
SELECT count(*) FROM tds_steps('slow', ARRAY[k_anonymity(ARRAY['city', 'age'], 40)]);
SELECT tds_anonymize('slow', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 40)]);
RESET statement_timeout;
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');
DROP SCHEMA par CASCADE;
