-- Errors at any point leave the previous version in place and nothing else behind: memory budget, cancelling, savepoints,
-- read-only transactions, data that cannot be released.
SET client_min_messages TO notice;
CREATE SCHEMA err;
SET search_path TO err, public;
CREATE VIEW left_behind AS
  SELECT nspname::text AS object FROM pg_namespace WHERE nspname !~ '^(pg_|err$)' AND nspname NOT IN ('information_schema', 'public')
  UNION ALL SELECT oid::regclass::text FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v')
  UNION ALL SELECT 'advisory lock' FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid();
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE TABLE big AS SELECT i AS n, 'text number ' || i AS s FROM generate_series(1, 100000) i;
CREATE TABLE tax AS SELECT * FROM (VALUES ('c0', 'ANY'), ('c1', 'ANY')) v (child, parent);

-- the memory budget
SET pg_topdown.max_memory TO '1MB';
DO $$
DECLARE message text; detail text; hint text;
BEGIN
  PERFORM tds_anonymize('big', 'r', ARRAY[k_anonymity(ARRAY['n', 's'], 2)]);
EXCEPTION WHEN program_limit_exceeded THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RAISE WARNING USING ERRCODE = sqlstate, MESSAGE = message, DETAIL = regexp_replace(detail, '^\d+', 'N'), HINT = hint;
END $$;
SELECT * FROM left_behind ORDER BY 1;
SELECT count(*) FROM tds_steps('big', ARRAY[k_anonymity(ARRAY['n', 's'], 2)]);
SELECT count(*) FROM taxonomy_check('tax', 'big', 's');
-- a small table fits, and the budget is given back after an error
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
RESET pg_topdown.max_memory;
-- (the words of these two are each version's own)
SET pg_topdown.max_memory TO '1kB';
SET pg_topdown.max_memory TO 'much';
SHOW pg_topdown.max_memory;
SHOW pg_topdown.allow_row_security;
SELECT * FROM left_behind ORDER BY 1;

-- cancelled: while reading, and while searching
CREATE VIEW slow AS SELECT city, age FROM people, LATERAL (SELECT pg_sleep(0.5) WHERE age >= 0) s;
SET statement_timeout TO '200ms';
SELECT tds_anonymize('slow', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
RESET statement_timeout;
SELECT * FROM left_behind ORDER BY 1;
CREATE TABLE hard AS SELECT (i * 7919::bigint) % 4001 AS a, (i * 104729::bigint) % 4003 AS b, (i * 1299709::bigint) % 3001 AS c, (i * 31) % 2 AS class FROM generate_series(1, 60000) i;
SET statement_timeout TO '25ms';
SELECT tds_anonymize('hard', 'r2', ARRAY[k_anonymity(ARRAY['a', 'b', 'c'], 2)], masking => ARRAY[by_suppression('a'), by_suppression('b'), by_suppression('c')]);
RESET statement_timeout;
SELECT * FROM left_behind ORDER BY 1;
SELECT version FROM releases();

-- in a transaction block: the error ends it, a savepoint keeps what was before
BEGIN;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
SAVEPOINT s;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 7)]) ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 41)]);
SELECT 1;
ROLLBACK TO s;
SELECT version FROM releases();
SELECT count(*) FROM r.people;
SHOW search_path;
COMMIT;
SELECT version FROM releases();
SELECT * FROM left_behind ORDER BY 1;
SELECT required, holds FROM release_verify('r');
BEGIN;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 8)]) ->> 'version' AS version;
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 8)]) ->> 'version' AS version;
ROLLBACK;
SELECT version FROM releases();
SELECT count(*), count(DISTINCT city) FROM r.people;
-- two releases in one transaction, and one that is dropped in it
BEGIN;
SELECT tds_anonymize('people', 'r2', ARRAY[k_anonymity(ARRAY['city'], 5)]) ->> 'version' AS version, tds_anonymize('people', 'r3', ARRAY[k_anonymity(ARRAY['age'], 5)]) ->> 'version' AS version3;
SELECT release_drop('r3');
COMMIT;
SELECT release, version FROM releases() ORDER BY 1;
SELECT release_drop('r2');
-- caught in a function
DO $$ BEGIN
  BEGIN PERFORM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 41)]); EXCEPTION WHEN OTHERS THEN RAISE WARNING 'caught %', sqlstate; END;
  BEGIN PERFORM tds_anonymize('people', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 41)]); EXCEPTION WHEN OTHERS THEN RAISE WARNING 'caught %', sqlstate; END;
  PERFORM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 9)]);
END $$;
SELECT release, version FROM releases() ORDER BY 1;
SELECT * FROM left_behind ORDER BY 1;

-- read-only: looking is possible, publishing is not
BEGIN READ ONLY;
SELECT count(*) > 0 AS steps FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
SELECT required, holds FROM release_verify('r');
SELECT release, version FROM releases();
SELECT count(*) FROM taxonomy_check('tax', 'people', 'city');
ROLLBACK;
BEGIN READ ONLY;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 10)]);
ROLLBACK;
BEGIN READ ONLY;
SELECT tds_anonymize('people', 'new', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
ROLLBACK;
BEGIN READ ONLY;
SELECT release_drop('r');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 10)]) ->> 'version' AS version;
COMMIT;
SELECT * FROM left_behind ORDER BY 1;

-- called from where rows come: once a row, each a version
SELECT k, tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], k)]) ->> 'version' AS version FROM generate_series(10, 12) k ORDER BY k;
SELECT * FROM left_behind ORDER BY 1;
SELECT release_drop('r');
DROP SCHEMA err CASCADE;
