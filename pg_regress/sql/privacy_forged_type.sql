-- The extension is trusted: whoever may create in a database creates it, owns it, and may add types and functions of their own to it, by the
-- names of ours. These are never taken for ours. (Only a superuser makes base types and functions in C.)
SET client_min_messages TO notice;
CREATE ROLE regress_forger;
CREATE DATABASE regress_forged TEMPLATE template0 ENCODING 'UTF8';
GRANT CREATE ON DATABASE regress_forged TO regress_forger;
\set before :DBNAME
\c regress_forged
SET SESSION AUTHORIZATION regress_forger;
-- In schemas before and behind the extension's, in the order of their OIDs: no shell types, which are superusers'.
CREATE SCHEMA m1;
CREATE TYPE m1.privacy_model AS ENUM ('a', 'b');
CREATE TYPE m1.masking AS (a int8, b int8);
CREATE SCHEMA m2;
CREATE DOMAIN m2.privacy_model AS int8;
CREATE TYPE m2.masking AS RANGE (SUBTYPE = int4);
CREATE SCHEMA ext;
CREATE SCHEMA m3;
CREATE TABLE m3.privacy_model (a int);
CREATE DOMAIN m3.masking AS int4;
CREATE SCHEMA m5;
CREATE TYPE m5.privacy_model AS ENUM ('a', 'b');
CREATE DOMAIN m5.masking AS float8;
CREATE TYPE m5.shell;
CREATE EXTENSION pg_topdown SCHEMA ext;
SELECT extowner::regrole FROM pg_extension WHERE extname = 'pg_topdown';
ALTER EXTENSION pg_topdown ADD TYPE m1.privacy_model;
ALTER EXTENSION pg_topdown ADD TYPE m1.masking;
ALTER EXTENSION pg_topdown ADD DOMAIN m2.privacy_model;
ALTER EXTENSION pg_topdown ADD TYPE m2.masking;
ALTER EXTENSION pg_topdown ADD TABLE m3.privacy_model;
ALTER EXTENSION pg_topdown ADD DOMAIN m3.masking;
ALTER EXTENSION pg_topdown ADD TYPE m5.privacy_model;
ALTER EXTENSION pg_topdown ADD DOMAIN m5.masking;
-- and types over ours
CREATE SCHEMA m4;
CREATE DOMAIN m4.privacy_model AS ext.privacy_model;
CREATE DOMAIN m4.masking AS ext.masking[];
ALTER EXTENSION pg_topdown ADD DOMAIN m4.privacy_model;
ALTER EXTENSION pg_topdown ADD DOMAIN m4.masking;
CREATE TABLE m1.t AS SELECT i % 3 AS a, i % 4 AS b FROM generate_series(1, 60) i;
CREATE FUNCTION m1.ours() RETURNS TABLE (models bool, maskings bool, array_of_models text, array_of_maskings text) LANGUAGE sql AS $$
  SELECT pg_typeof(x) = 'ext.privacy_model[]'::regtype, pg_typeof(y) = 'ext.masking[]'::regtype, x::text, y::text
  FROM ext.privacy_models(ext.k_anonymity('{a}', 5)) x, ext.maskings(ext.by_suppression('a')) y $$;
SELECT * FROM m1.ours();
SELECT step, attribute FROM ext.tds_steps('m1.t', ext.k_anonymity('{a}', 5), masking => ext.by_suppression('a'));
SELECT model, achieved, holds FROM ext.privacy_check('m1.t', ARRAY[ext.k_anonymity('{a}', 5), ext.k_anonymity('{a,b}', 5)]);
SELECT achieved FROM ext.privacy_check('m1.t', ARRAY[ext.k_anonymity('{a}', 5)]::m4.privacy_model[]::ext.privacy_model[]);
SELECT model FROM ext.privacy_check('m1.t', ext.k_anonymity('{a}', 5)::m4.privacy_model);
SELECT attribute FROM ext.tds_steps('m1.t', ext.k_anonymity('{a}', 5), masking => ARRAY[ext.by_suppression('a')]::m4.masking);
-- Ours stay where they are: they are the superuser's.
ALTER EXTENSION pg_topdown DROP TYPE ext.privacy_model;
ALTER TYPE ext.privacy_model RENAME TO theirs;
ALTER FUNCTION ext.privacy_model_in(cstring) RENAME TO theirs;
CREATE OR REPLACE FUNCTION ext.maskings(ext.masking) RETURNS ext.masking[] LANGUAGE sql AS 'SELECT NULL::ext.masking[]';
CREATE TYPE m1.forged (INPUT = ext.privacy_model_in, OUTPUT = ext.privacy_model_out);
CREATE CAST (m1.privacy_model AS ext.privacy_model) WITHOUT FUNCTION;
CREATE FUNCTION m1.privacy_model_in(cstring) RETURNS int LANGUAGE c AS '$libdir/pg_topdown', 'privacy_model_in_wrapper';
-- Casts and operators of theirs are those of the type's owner alone: none is called for anybody.
CREATE FUNCTION m1.loud(m1.privacy_model) RETURNS ext.privacy_model LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'called'; RETURN ext.k_anonymity('{b}', 2); END $$;
CREATE CAST (m1.privacy_model AS ext.privacy_model) WITH FUNCTION m1.loud(m1.privacy_model) AS IMPLICIT;
ALTER EXTENSION pg_topdown ADD CAST (m1.privacy_model AS ext.privacy_model);
CREATE FUNCTION ext.same(ext.privacy_model, ext.privacy_model) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'called'; RETURN true; END $$;
CREATE OPERATOR ext.= (LEFTARG = ext.privacy_model, RIGHTARG = ext.privacy_model, FUNCTION = ext.same);
ALTER EXTENSION pg_topdown ADD OPERATOR ext.= (ext.privacy_model, ext.privacy_model);
ALTER EXTENSION pg_topdown ADD FUNCTION ext.same(ext.privacy_model, ext.privacy_model);
SELECT * FROM m1.ours();
SELECT achieved FROM ext.privacy_check('m1.t', 'a'::m1.privacy_model::ext.privacy_model);
-- Functions named like ours, and of texts like ours, are handed on to nobody.
CREATE FUNCTION ext.tds_anonymize(int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$tds_anonymize_wrapper$$;
SET check_function_bodies TO off;
CREATE FUNCTION ext.tds_anonymize(int) RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$tds_anonymize_wrapper$$;
RESET check_function_bodies;
ALTER EXTENSION pg_topdown ADD FUNCTION ext.tds_anonymize(int);
REVOKE EXECUTE ON FUNCTION ext.tds_anonymize(int) FROM PUBLIC;
RESET SESSION AUTHORIZATION;
CREATE ROLE regress_forged_maker;
SELECT ext.release_functions('regress_forged_maker');
SELECT p.pronargs, has_function_privilege('regress_forged_maker', p.oid, 'EXECUTE') AS may
FROM pg_proc p WHERE proname = 'tds_anonymize' ORDER BY pronargs;
-- Who wraps a verb of ours into a function with rights of his own makes releases of his own.
SET SESSION AUTHORIZATION regress_forger;
CREATE FUNCTION m1.wrapped() RETURNS jsonb LANGUAGE sql SECURITY DEFINER AS $$ SELECT ext.tds_anonymize('m1.t', 'wrapped', ext.k_anonymity('{a}', 5)) -> 'version' $$;
RESET SESSION AUTHORIZATION;
SELECT m1.wrapped();
SELECT ext.release_functions('regress_forger');
SELECT m1.wrapped();
SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'wrapped';
\c :before
DROP DATABASE regress_forged;
DROP ROLE regress_forger, regress_forged_maker;
