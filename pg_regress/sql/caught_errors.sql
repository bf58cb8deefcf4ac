-- Errors of PostgreSQL's that are caught are rolled back first: nothing of theirs is left, in the session or in the transaction. A
-- cancelled statement is never caught.
SET client_min_messages TO notice;
CREATE SCHEMA caught;
SET search_path TO caught, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
-- a manifest whose models cannot be read
CREATE TABLE as_it_was AS SELECT parameters FROM r_private.manifest;
UPDATE r_private.manifest SET parameters = jsonb_set(parameters, '{privacy,0}', '"unclosed"');
SELECT * FROM release_verify('r');
DO $$ BEGIN PERFORM * FROM release_verify('r'); EXCEPTION WHEN OTHERS THEN RAISE WARNING 'caught %', sqlerrm; END $$;
UPDATE r_private.manifest SET parameters = (SELECT parameters FROM as_it_was);
-- bounds that cannot be read; they count as none
CREATE TABLE before AS SELECT * FROM release_measures('r');
UPDATE r_private.manifest SET parameters = jsonb_set(parameters, '{columns,1,upper}', '"1e99"');
BEGIN;
SELECT count(*) > 10 AS measures FROM release_measures('r');
SELECT count(*) > 10 AS measures FROM release_measures('r');
COMMIT;
SELECT a.measure FROM before a JOIN release_measures('r') b ON a.measure = b.measure AND a.value IS DISTINCT FROM b.value ORDER BY 1;
-- a value that cannot be read, after an input function has called somebody's: what that did is undone
CREATE TABLE done (what text);
CREATE FUNCTION slow_cmp(a int, b int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('caught.fail', true) = 'fail' THEN INSERT INTO caught.done VALUES ('done'); RAISE EXCEPTION 'not these'; END IF;
  IF current_setting('caught.fail', true) = 'sleep' THEN PERFORM pg_sleep(60); END IF;
  RETURN btint4cmp(a, b);
END $$;
CREATE OPERATOR CLASS slow_ops FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 slow_cmp(int, int);
CREATE TYPE span AS RANGE (subtype = int, subtype_opclass = slow_ops);
CREATE TABLE spans AS SELECT 'c' || i % 2 AS city, CASE WHEN i > 20 THEN 'empty'::span END AS span FROM generate_series(1, 40) i;
SET caught.fail TO 'fail';
SELECT tds_anonymize('spans', 'r2', ARRAY[confidence_bound(ARRAY['city'], 'span', ARRAY['[1,5)'], 0.9)]);
SELECT privacy_check('spans', ARRAY[confidence_bound(ARRAY['city'], 'span', ARRAY['[1,5)'], 0.9)]);
SELECT count(*) FROM done;
-- cancelled in there
SET caught.fail TO 'sleep';
SET statement_timeout TO '300ms';
SELECT privacy_check('spans', ARRAY[confidence_bound(ARRAY['city'], 'span', ARRAY['[1,5)'], 0.9)]);
RESET statement_timeout;
RESET caught.fail;
SELECT release_drop('r');
DROP SCHEMA caught CASCADE;
