-- The tables of old versions: pg_topdown.keep_versions of them are kept, the current one included; the others go when a later version is
-- committed, and never in the transaction in which they became old: then somebody may still be about to read them.
SET client_min_messages TO notice;
CREATE SCHEMA vk;
SET search_path TO vk, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE FUNCTION tables(release name) RETURNS text LANGUAGE sql AS $$
  SELECT string_agg(substring(relname FROM 'v[0-9]+$'), ' ' ORDER BY substring(relname FROM '[0-9]+$')::int) FROM pg_class WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = release || '_private') AND relname ~ '^rows_v[1-9]' $$;
CREATE FUNCTION again(release name DEFAULT 'r') RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN tds_anonymize('vk.people', release, ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version'; END $$;
-- one after the other
SELECT again();
SHOW pg_topdown.keep_versions;
SELECT again(), tables('r') AS meanwhile;
SELECT tables('r');
SELECT again();
SELECT tables('r');
SELECT again();
SELECT tables('r');
-- with one the version before stays all the same
SET pg_topdown.keep_versions TO 1;
SELECT again();
SELECT tables('r');
SELECT again();
SELECT tables('r');
-- more, and fewer again
SET pg_topdown.keep_versions TO 4;
SELECT again();
SELECT again();
SELECT again();
SELECT tables('r');
SELECT again();
SELECT tables('r');
SET pg_topdown.keep_versions TO 2;
SELECT tables('r');
SELECT again();
SELECT tables('r');
-- it is the setting of the call that counts, not that of the commit
BEGIN;
SET LOCAL pg_topdown.keep_versions TO 3;
SELECT again();
RESET pg_topdown.keep_versions;
COMMIT;
SELECT tables('r');
RESET pg_topdown.keep_versions;
SELECT again();
SELECT tables('r');
SET pg_topdown.keep_versions TO 0;
SET pg_topdown.keep_versions TO 10001;
-- several versions in one transaction: none of them goes with it
BEGIN;
SELECT again();
SELECT again();
SELECT again();
SELECT tables('r');
COMMIT;
SELECT tables('r');
SELECT again();
SELECT tables('r');
-- in one statement
SELECT again() FROM generate_series(1, 3);
SELECT tables('r');
SELECT again();
SELECT tables('r');
-- a version that is not committed takes none with it: by ROLLBACK, by an error, by ROLLBACK TO a savepoint, in a block that catches
BEGIN;
SELECT again();
SELECT again();
ROLLBACK;
SELECT tables('r');
BEGIN;
SELECT again();
SELECT 1 / 0;
COMMIT;
SELECT tables('r');
BEGIN;
SAVEPOINT s;
SELECT again();
ROLLBACK TO s;
COMMIT;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
DO $$ BEGIN PERFORM vk.again(); RAISE EXCEPTION 'undone'; EXCEPTION WHEN raise_exception THEN NULL; END $$;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
-- one that stays, and one that is rolled back after it; and the other way round
BEGIN;
SELECT again();
SAVEPOINT s;
SELECT again();
ROLLBACK TO s;
COMMIT;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
BEGIN;
SAVEPOINT s;
SELECT again();
ROLLBACK TO s;
SELECT again();
COMMIT;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
BEGIN;
SAVEPOINT s;
SELECT again();
RELEASE s;
COMMIT;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
-- a cursor open on an old version when it is committed, also one that stays open afterwards: it has its rows
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT count(*) OVER () FROM r.people;
DECLARE t CURSOR WITH HOLD FOR SELECT count(*) OVER () FROM r_private.rows_v23;
FETCH 1 FROM t;
COMMIT;
SELECT again();
SELECT again();
SELECT tables('r');
FETCH 1 FROM c;
FETCH 1 FROM t;
CLOSE ALL;
-- versions committed within one call of a procedure, in a loop over an old one as well
DO $$ BEGIN FOR i IN 1..4 LOOP PERFORM vk.again(); COMMIT; END LOOP; END $$;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
DO $$ DECLARE x record; n int := 0; BEGIN
  FOR x IN EXECUTE 'SELECT city FROM r_private.' || (SELECT relname FROM pg_class WHERE relnamespace = 'r_private'::regnamespace AND relname ~ '^rows_v[1-9]' ORDER BY relname LIMIT 1) LOOP
    n := n + 1;
    IF n <= 3 THEN PERFORM vk.again(); COMMIT; END IF;
  END LOOP;
  RAISE WARNING '% rows', n;
END $$;
SELECT tables('r'), (SELECT version FROM r.about) AS current;
-- two releases in one transaction
SELECT again('q'), again('q');
BEGIN;
SELECT again('q'), again('r');
COMMIT;
SELECT tables('q'), tables('r');
-- a release that is dropped in the transaction that made its version
BEGIN;
SELECT again('q');
SELECT release_drop('q');
COMMIT;
SELECT count(*) FROM pg_namespace WHERE nspname IN ('q', 'q_private');
-- what the owner has taken out, or put in under the name of a version that is gone, is no version
SELECT tables('r');
ALTER TABLE r_private.rows_v0 DETACH PARTITION r_private.rows_v33;
CREATE TABLE r_private.rows_v3 AS SELECT 'mine' AS whose;
SELECT again();
SELECT again();
SELECT tables('r');
SELECT count(*) FROM r_private.rows_v33;
SELECT * FROM r_private.rows_v3;
DROP TABLE r_private.rows_v3;
-- while a standby is away, of which only its slot is known, old versions stay until there are four to go together
SELECT slot_name FROM pg_create_physical_replication_slot('regress_vk_away');
SELECT again('s'), again('s'), again('s'), again('s');
SELECT again('s'), tables('s') AS meanwhile;
SELECT tables('s');
SELECT again('s'), tables('s') AS meanwhile;
SELECT tables('s');
SELECT again('s'), tables('s') AS meanwhile;
SELECT tables('s');
SELECT pg_drop_replication_slot('regress_vk_away');
SELECT again('s'), tables('s') AS meanwhile;
SELECT tables('s');
SELECT release_drop('s');
-- what the owner knows of versions stays, and the current one is whole
SELECT count(*) = max(version) AS all_versions, count(*) FILTER (WHERE current) AS current FROM r_private.manifest;
SELECT count(DISTINCT version) = max(version) AS all_versions FROM r_private.cuts;
SELECT achieved, holds FROM release_verify('r');
SELECT count(*) FROM r.people;
SELECT release_drop('r');
DROP SCHEMA vk CASCADE;
