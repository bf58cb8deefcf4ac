-- Threat: a release whose source calls the function that reads it, until the stack is full. The error ends every call on the way, however
-- deep it is met: afterwards rights and settings are the caller's, and the session goes on.
CREATE ROLE regress_vci_owner;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_vci_owner', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_refresh, release_alter, release_drop TO regress_vci_owner;
CREATE SCHEMA vci;
GRANT ALL ON SCHEMA vci TO regress_vci_owner;
SET ROLE regress_vci_owner;
CREATE TABLE vci.t AS SELECT 1 a FROM generate_series(1, 10);
CREATE VIEW vci.v AS SELECT a FROM vci.t;
SELECT tds_anonymize('vci.v', 'vci_r', k_anonymity('{a}', 1)) -> 'version' AS version;
RESET ROLE;
CREATE FUNCTION vci.outcome(call text, depth int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('max_stack_depth', depth || 'kB', false);
  BEGIN
    EXECUTE call;
    RETURN 'no error';
  EXCEPTION WHEN OTHERS THEN
    RETURN format('%s as %s, search_path %s', sqlstate, CASE WHEN current_user = session_user THEN 'the caller' ELSE current_user END, current_setting('search_path'));
  END;
END $$;
CREATE OR REPLACE VIEW vci.v AS SELECT a FROM vci.t WHERE (SELECT release_refresh('vci_r') IS NOT NULL);
SELECT vci.outcome('SELECT release_refresh(''vci_r'')', d) AS outcome, count(*) FROM generate_series(700, 1300, 150) d GROUP BY 1;
CREATE OR REPLACE VIEW vci.v AS SELECT a FROM vci.t WHERE (SELECT release_alter('vci_r', max_steps => 1) IS NOT NULL);
SELECT vci.outcome('SELECT release_alter(''vci_r'', max_steps => 1)', d) AS outcome, count(*) FROM generate_series(700, 1300, 150) d GROUP BY 1;
RESET max_stack_depth;
-- in no transaction of its own
SELECT pg_current_xact_id_if_assigned() IS NULL AS none;
SELECT release_drop('vci_r');
DROP SCHEMA vci CASCADE;
DROP OWNED BY regress_vci_owner;
DROP ROLE regress_vci_owner;
