-- What a call may take of the server is set by superusers, and by whom they let.
SET client_min_messages TO notice;
CREATE ROLE limits_user LOGIN;
CREATE ROLE limits_granted LOGIN;
GRANT SET ON PARAMETER pg_topdown.threads, pg_topdown.max_memory TO limits_granted;
CREATE TABLE limits_t AS SELECT i % 3 AS a FROM generate_series(1, 60) i;
GRANT SELECT ON limits_t TO PUBLIC;
\set as_user 'dbname=' :DBNAME ' user=limits_user'
\set as_granted 'dbname=' :DBNAME ' user=limits_granted'
\set as_root 'dbname=' :DBNAME ' user=' :USER
LOAD 'pg_topdown';
SELECT name, context FROM pg_settings WHERE name IN ('pg_topdown.threads', 'pg_topdown.max_memory') ORDER BY 1;
-- once the library is loaded
SET ROLE limits_user;
SET pg_topdown.threads = 64;
SET pg_topdown.max_memory = '2TB';
SELECT set_config('pg_topdown.max_memory', '64MB', true);
ALTER ROLE limits_user SET pg_topdown.threads = 64;
SET ROLE limits_granted;
SET pg_topdown.threads = 3;
SET pg_topdown.max_memory = '64MB';
SHOW pg_topdown.threads;
RESET ROLE;
-- before it is: of a session that set it, and of one that gave it as it connected
\c :as_user
SET pg_topdown.threads = 64;
SET pg_topdown.max_memory = '2TB';
SELECT count(*) FROM tds_steps('limits_t', k_anonymity('{a}', 5));
SHOW pg_topdown.threads;
SHOW pg_topdown.max_memory;
\setenv PGOPTIONS '-c pg_topdown.threads=64 -c pg_topdown.max_memory=2000GB'
\c :as_user
SELECT count(*) FROM tds_steps('limits_t', k_anonymity('{a}', 5));
SHOW pg_topdown.threads;
SHOW pg_topdown.max_memory;
\setenv PGOPTIONS '-c pg_topdown.threads=3 -c pg_topdown.max_memory=64MB'
\c :as_granted
SELECT count(*) FROM tds_steps('limits_t', k_anonymity('{a}', 5));
SHOW pg_topdown.threads;
SHOW pg_topdown.max_memory;
\setenv PGOPTIONS
\c :as_root
-- what an administrator gave a role
ALTER ROLE limits_user SET pg_topdown.threads = 4;
\c :as_user
SELECT count(*) FROM tds_steps('limits_t', k_anonymity('{a}', 5));
SHOW pg_topdown.threads;
\c :as_root
-- the HINT says who may
SET pg_topdown.max_memory = '1MB';
CREATE TABLE limits_many AS SELECT md5(i::text) AS a FROM generate_series(1, 40000) i;
DO $$
DECLARE hint text;
BEGIN
  PERFORM tds_steps('limits_many', k_anonymity('{a}', 5));
EXCEPTION WHEN program_limit_exceeded THEN
  GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
  RAISE WARNING '% %', SQLERRM, hint;
END $$;
DROP TABLE limits_t, limits_many;
DROP OWNED BY limits_granted;
DROP ROLE limits_user, limits_granted;
