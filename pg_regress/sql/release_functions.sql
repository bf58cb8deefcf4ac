-- release_functions: by one call a role may make releases; who may call it; again; what others put into the extension is not given.
SET client_min_messages TO notice;
CREATE ROLE fun_maker;
CREATE ROLE fun_other;
CREATE ROLE fun_handing;
CREATE VIEW missing AS SELECT rolname, p.proname FROM pg_roles, pg_proc p JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND extname = 'pg_topdown' WHERE rolname LIKE 'fun%' AND NOT has_function_privilege(rolname, p.oid, 'EXECUTE');
GRANT SELECT ON missing TO PUBLIC;
SELECT count(*) > 10 AS missing FROM missing WHERE rolname = 'fun_maker';
SELECT release_functions('fun_maker');
SELECT count(*) AS missing FROM missing WHERE rolname = 'fun_maker';
-- again, and with the right on the database
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO fun_maker', current_database()); END $$;
SELECT release_functions('fun_maker');
CREATE TABLE fun_people AS SELECT i % 20 AS age FROM generate_series(1, 100) i;
GRANT SELECT ON fun_people TO fun_maker;
SET ROLE fun_maker;
SELECT tds_anonymize('fun_people', 'fun_r', k_anonymity(ARRAY['age'], 5)) ->> 'version' AS version;
SELECT release_refresh(public.again('fun_r')) ->> 'version' AS version;
SELECT release_drop('fun_r');
-- who may execute may not hand on; neither may others; nothing is given
SELECT release_functions('fun_other');
SET ROLE fun_other;
SELECT release_functions('fun_other');
RESET ROLE;
SELECT count(*) > 10 AS missing FROM missing WHERE rolname = 'fun_other';
-- who may hand on all may; who may only some gives none
GRANT EXECUTE ON FUNCTION tds_anonymize TO fun_handing WITH GRANT OPTION;
SET ROLE fun_handing;
SELECT release_functions('fun_other');
RESET ROLE;
DO $$ BEGIN EXECUTE (SELECT format('GRANT EXECUTE ON ROUTINE %s TO fun_handing WITH GRANT OPTION', string_agg(proname, ', ')) FROM missing WHERE rolname = 'fun_handing'); END $$;
SET ROLE fun_handing;
SELECT release_functions('fun_other');
RESET ROLE;
SELECT count(*) AS missing FROM missing WHERE rolname = 'fun_other';
-- what was taken from everybody is given, too; what somebody put into the extension is not
REVOKE EXECUTE ON FUNCTION privacy_columns FROM PUBLIC;
CREATE FUNCTION fun_secret() RETURNS int LANGUAGE sql AS 'SELECT 1';
REVOKE EXECUTE ON FUNCTION fun_secret FROM PUBLIC;
ALTER EXTENSION pg_topdown ADD FUNCTION fun_secret();
SELECT proname FROM missing WHERE rolname = 'fun_maker' ORDER BY 1;
SELECT release_functions('fun_maker');
SELECT proname FROM missing WHERE rolname = 'fun_maker' ORDER BY 1;
ALTER EXTENSION pg_topdown DROP FUNCTION fun_secret();
DROP FUNCTION fun_secret();
GRANT EXECUTE ON FUNCTION privacy_columns TO PUBLIC;
-- what cannot be
SELECT release_functions(NULL);
SELECT release_functions('fun_nobody');
SELECT release_functions('fun_nobody"; DROP TABLE fun_people; --');
-- everybody
BEGIN;
SELECT release_functions('public');
SELECT count(*) AS missing FROM missing;
ROLLBACK;
SELECT count(*) AS rows FROM fun_people;
DROP VIEW missing;
DROP TABLE fun_people;
DROP OWNED BY fun_maker, fun_other, fun_handing CASCADE;
DROP ROLE fun_maker, fun_other, fun_handing;
