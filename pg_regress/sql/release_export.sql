-- A recipient's copy as plain SQL: run elsewhere it gives view, cut and about as tables, with their comments, whatever the names, the
-- types and the values.
CREATE SCHEMA exp;
SET search_path TO exp, public;
CREATE TYPE mood AS ENUM ('good', 'it''s "bad"');
CREATE DOMAIN code AS text CHECK (VALUE <> '');
CREATE COLLATION mine FROM "C";
CREATE TABLE "Odd; --" ("select" int, "a""b" text, mood mood, code code, js json, list text[], at timestamptz, num numeric(9, 2), raw bytea, c text COLLATE "C", t text, m text COLLATE mine, n name);
INSERT INTO "Odd; --" SELECT i % 5, 'x', CASE i % 2 WHEN 0 THEN 'good' ELSE 'it''s "bad"' END::mood, 'k', '{"a": [1, "\""]}', ARRAY['a,b', NULL, '{}', E'line\nfeed'], '2020-02-29 12:00+02',
  1.5, '\x00ff', E'back\\slash', CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN E'quote '' and \\ and\nline, ä€𝄞' ELSE '' END, 'm', 'n' FROM generate_series(1, 60) i;
SELECT tds_anonymize('"Odd; --"', 'The "copy"', ARRAY[k_anonymity(ARRAY['select', 'a"b'], 5)], keep => ARRAY['mood', 'code', 'js', 'list', 'at', 'num', 'raw', 'c', 't', 'm', 'n'], intervals => 'range') ->> 'version' AS version;
SELECT regexp_replace(line, '[0-9-]{10} [0-9:.+]{15,}', 'some time') AS line FROM (SELECT left(line, CASE WHEN line LIKE 'INSERT%Odd%' THEN 43 ELSE 330 END) AS line FROM release_export('The "copy"') line) l;
-- what it makes: the same rows (types that are not PostgreSQL's own as text), with another DateStyle and whatever else
CREATE TABLE before AS SELECT x::text AS row FROM (SELECT "select"::text, "a""b", mood::text, code::text, js::text, list, at, num, raw, c, t, m, n FROM "The ""copy"""."Odd; --") x;
CREATE TABLE cut_before AS TABLE "The ""copy""".cut;
CREATE TABLE about_before AS TABLE "The ""copy""".about;
CREATE TABLE statements AS SELECT row_number() OVER () AS n, line FROM release_export('The "copy"') line;
SELECT release_drop('The "copy"');
SET datestyle TO 'German, DMY';
SET standard_conforming_strings TO off;
SET escape_string_warning TO off;
DO $$ DECLARE line text; BEGIN FOR line IN SELECT s.line FROM exp.statements s WHERE s.line NOT IN ('BEGIN;', 'COMMIT;') ORDER BY n LOOP EXECUTE line; END LOOP; END $$;
RESET datestyle;
RESET standard_conforming_strings;
RESET escape_string_warning;
SELECT count(*) FROM ((TABLE before EXCEPT ALL SELECT x::text FROM (SELECT "select"::text, "a""b", mood, code, js::text, list, at, num, raw, c, t, m, n FROM "The ""copy"""."Odd; --") x)
  UNION ALL (SELECT x::text FROM (SELECT "select"::text, "a""b", mood, code, js::text, list, at, num, raw, c, t, m, n FROM "The ""copy"""."Odd; --") x EXCEPT ALL TABLE before)) differing;
SELECT count(*) FROM ((TABLE cut_before EXCEPT ALL TABLE "The ""copy""".cut) UNION ALL (TABLE "The ""copy""".cut EXCEPT ALL TABLE cut_before)) differing;
SELECT count(*) FROM ((TABLE about_before EXCEPT ALL TABLE "The ""copy""".about) UNION ALL (TABLE "The ""copy""".about EXCEPT ALL TABLE about_before)) differing;
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, nullif(a.attcollation, 0)::regcollation AS collation, col_description(attrelid, attnum) AS comment FROM pg_attribute a WHERE attrelid = '"The ""copy"""."Odd; --"'::regclass AND attnum > 0 ORDER BY attnum;
SELECT obj_description('"The ""copy"""'::regnamespace, 'pg_namespace') AS schema, obj_description('"The ""copy"""."Odd; --"'::regclass) AS view;
SELECT relname, relkind FROM pg_class WHERE relnamespace = '"The ""copy"""'::regnamespace AND relkind <> 'i' ORDER BY 1;
DROP SCHEMA "The ""copy""" CASCADE;
SELECT release_export('nowhere');
SELECT release_export(NULL);
DROP SCHEMA exp CASCADE;
