-- Threat: settings escape. What a release's owner does in a view or a trigger while somebody else works on the release must not
-- outlive the call: no setting, role, temporary object, prepared statement, cursor, listener or deferred trigger.
SET client_min_messages TO notice;
CREATE ROLE regress_esc_mallory;
CREATE ROLE regress_esc_member IN ROLE regress_esc_mallory;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_esc_mallory', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant, release_revoke, release_drop TO regress_esc_mallory, regress_esc_member;
CREATE TABLE patients AS SELECT i % 60 AS age FROM generate_series(1, 300) i;
GRANT SELECT ON patients TO PUBLIC;

SET SESSION AUTHORIZATION regress_esc_mallory;
SELECT tds_anonymize('patients', 'esc', ARRAY[k_anonymity(ARRAY['age'], 5)]) -> 'version' AS version;
CREATE TABLE esc.todo (what text);
CREATE FUNCTION esc.act() RETURNS int LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  FOR t IN SELECT what FROM esc.todo LOOP
    EXECUTE t;
  END LOOP;
  RETURN 1;
END $$;
CREATE FUNCTION esc.act_on_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM esc.act(); RETURN NEW; END $$;
-- in the view, again after each version
CREATE FUNCTION esc.put() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  EXECUTE format('CREATE OR REPLACE VIEW esc.patients AS SELECT * FROM (%s) v WHERE esc.act() = 1', rtrim(pg_get_viewdef('esc.patients'), ';'));
END $$;
SELECT esc.put();
CREATE TRIGGER act BEFORE INSERT ON esc_private.manifest FOR EACH ROW EXECUTE FUNCTION esc.act_on_row();
CREATE TRIGGER act BEFORE INSERT ON esc_private.cuts_v0 FOR EACH ROW EXECUTE FUNCTION esc.act_on_row();
RESET SESSION AUTHORIZATION;

CREATE VIEW settings AS SELECT session_user, current_user, current_setting('role') AS role, current_setting('search_path') AS search_path, current_setting('application_name') AS application_name,
  current_setting('DateStyle') AS datestyle, current_setting('row_security') AS row_security, current_setting('work_mem') AS work_mem, current_setting('pg_topdown.allow_row_security') AS allow,
  current_setting('esc.own', true) AS own, (SELECT count(*) FROM pg_prepared_statements) AS prepared, (SELECT count(*) FROM pg_cursors WHERE is_holdable) AS cursors,
  (SELECT count(*) FROM pg_listening_channels()) AS listening, (SELECT count(*) FROM pg_class WHERE relname = 'esc_temporary') AS temporary;
GRANT SELECT ON settings TO PUBLIC;
SELECT * FROM settings \gx

-- what a setting may be changed by
INSERT INTO esc.todo VALUES
  ($$SELECT pg_catalog.set_config('search_path', 'esc, public', false)$$), ($$SELECT pg_catalog.set_config('application_name', 'mallory', false)$$),
  ($$SELECT pg_catalog.set_config('DateStyle', 'German', false)$$), ($$SELECT pg_catalog.set_config('work_mem', '64kB', true)$$),
  ($$SELECT pg_catalog.set_config('pg_topdown.allow_row_security', 'on', false)$$), ($$SET row_security TO off$$), ($$SET esc.own TO 'set'$$),
  ($$SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY$$);
SELECT achieved >= 5 AS achieved, holds FROM release_verify('esc');
SELECT * FROM settings \gx
SELECT count(*) > 0 AS measured FROM release_measures('esc');
SELECT * FROM settings \gx
SELECT count(*) FROM release_risk('esc');
SELECT * FROM settings \gx
SELECT tds_anonymize('patients', 'esc', ARRAY[k_anonymity(ARRAY['age'], 6)]) -> 'version' AS version;
SELECT * FROM settings \gx
SHOW default_transaction_read_only;
SELECT esc.put();
-- inside a transaction with settings of its own, and after an error that is caught
BEGIN;
SET LOCAL DateStyle TO 'SQL, DMY';
SELECT count(*) FROM release_verify('esc');
SHOW DateStyle;
SHOW search_path;
COMMIT;
SHOW DateStyle;
SHOW search_path;
INSERT INTO esc.todo VALUES ('SELECT 1 / 0');
DO $$ BEGIN PERFORM release_verify('esc'); EXCEPTION WHEN division_by_zero THEN RAISE WARNING 'divided by zero'; END $$;
SELECT * FROM settings \gx
SELECT count(*) FROM release_measures('esc');
SELECT * FROM settings \gx
-- a member
DELETE FROM esc.todo WHERE what = 'SELECT 1 / 0';
SET SESSION AUTHORIZATION regress_esc_member;
SELECT count(*) FROM release_verify('esc');
SELECT tds_anonymize('patients', 'esc', ARRAY[k_anonymity(ARRAY['age'], 7)]) -> 'version' AS version;
SELECT * FROM settings \gx
RESET SESSION AUTHORIZATION;

SELECT esc.put();
-- what else could outlive a call
CREATE FUNCTION outcome(what text, verb text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM esc.todo;
  INSERT INTO esc.todo VALUES ($1);
  EXECUTE $2;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN RETURN sqlstate;
END $$;
SELECT what, outcome(what, $$SELECT count(*) FROM release_verify('esc')$$) FROM unnest(ARRAY[
  'SET ROLE postgres', 'RESET ROLE', 'SET SESSION AUTHORIZATION DEFAULT', 'SET LOCAL ROLE regress_esc_member', $$SELECT pg_catalog.set_config('role', 'none', false)$$,
  'CREATE TEMP TABLE esc_temporary ()', 'PREPARE esc_prepared AS SELECT 1', 'DECLARE esc_cursor CURSOR WITH HOLD FOR SELECT 1', 'LISTEN esc', 'DISCARD ALL',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', 'ALTER ROLE regress_esc_mallory SUPERUSER', 'COMMIT', 'SET TRANSACTION READ ONLY']) AS what;
SELECT * FROM settings \gx
-- a trigger that would wait for the end of the transaction, which is the caller's
SET SESSION AUTHORIZATION regress_esc_mallory;
DELETE FROM esc.todo;
CREATE FUNCTION esc.gain() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN ALTER ROLE regress_esc_mallory SUPERUSER; END IF;
  RETURN NEW;
END $$;
CREATE CONSTRAINT TRIGGER gain AFTER INSERT ON esc_private.cuts_v0 DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION esc.gain();
RESET SESSION AUTHORIZATION;
SELECT tds_anonymize('patients', 'esc', ARRAY[k_anonymity(ARRAY['age'], 8)]) -> 'version' AS version;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_esc_mallory';
SELECT * FROM settings \gx
SELECT name, setting FROM pg_settings WHERE source = 'session' AND name IN ('search_path', 'work_mem', 'row_security', 'DateStyle', 'role', 'default_transaction_read_only');

DROP FUNCTION outcome;
DROP VIEW settings;
DROP OWNED BY regress_esc_mallory, regress_esc_member CASCADE;
DROP TABLE patients;
DROP ROLE regress_esc_mallory, regress_esc_member;
SELECT nspname FROM pg_namespace WHERE nspname IN ('esc', 'esc_private');
