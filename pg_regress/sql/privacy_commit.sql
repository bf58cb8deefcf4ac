-- Threat: search_path and operator shadowing. What is looked up as a transaction commits, whether anything was built on an old version, is
-- looked up by nobody's search_path: an operator in front of PostgreSQL's is not called, and the version goes.
CREATE SCHEMA com;
CREATE SCHEMA hostile;
SET search_path TO com, public;
CREATE SEQUENCE hostile.calls;
CREATE FUNCTION hostile.eq(oid, oid) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_catalog.nextval('hostile.calls'); RETURN $1::pg_catalog.text OPERATOR(pg_catalog.=) $2::pg_catalog.text; END $$;
CREATE OPERATOR hostile.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = hostile.eq);
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SET search_path TO hostile, com, public, pg_catalog;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SET search_path TO com, public;
-- how often it was called; a sequence forgets nothing
SELECT is_called FROM hostile.calls;
SELECT relname FROM pg_class WHERE relnamespace = 'r_private'::regnamespace AND relname ~ '^rows_v[1-9]' ORDER BY 1;
SELECT release_drop('r');
DROP SCHEMA com, hostile CASCADE;
