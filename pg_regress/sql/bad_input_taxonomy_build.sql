-- taxonomy_build: what it cannot be asked for, each with its error, and what its columns may hold.
CREATE SCHEMA build;
SET search_path TO build, public;
\set SHOW_CONTEXT never
CREATE TABLE six (v int);
INSERT INTO six VALUES (15), (2), (8), (1), (NULL), (7), (4), (NULL);

CREATE TABLE types (i2 smallint, i4 int, i8 bigint, num numeric, f4 float4, f8 float8, d date, ts timestamp, tz timestamptz, tm time, iv interval, money money, dom information_schema.cardinal_number);
INSERT INTO types SELECT x, x, x * 1000000000000000, x / 4.0, x / 8.0, x * 1e300, '2020-02-28'::date + x, '2020-02-28'::timestamp + x * '12 hours'::interval,
  '2020-02-28 00:00+00'::timestamptz + x * '1 microsecond'::interval, '10:00'::time + x * '1 minute'::interval, x * '36 hours'::interval, x, x
  FROM unnest(ARRAY[1, 2, 4, 7, 8, 15, NULL]) x;

\echo Bad input
CREATE TABLE other (t text, b boolean, p point, z timetz, r int4range, e regrole);
INSERT INTO other VALUES ('1', true, '(1,1)', '10:00+01', '[1,2)', 'pg_monitor');
SELECT taxonomy_build('other', 't', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('other', 'b', 'otf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('other', 'p', 'han');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('other', 'z', 'chu');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('other', 'r', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('other', 'e', 'iotf');
\echo :LAST_ERROR_SQLSTATE
-- no place on a line
CREATE TABLE nowhere (f float8, f4 float4, n numeric, d date, ts timestamp, tz timestamptz);
INSERT INTO nowhere VALUES (1, 1, 1, '2020-01-01', '2020-01-01', '2020-01-01'), ('NaN', 'NaN', 'NaN', 'infinity', 'infinity', 'infinity');
SELECT taxonomy_build('nowhere', 'f', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'f4', 'otf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'n', 'han');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'd', 'chu');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'ts', 'equal_width');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'tz', 'equal_frequency');
\echo :LAST_ERROR_SQLSTATE
UPDATE nowhere SET f = 'Infinity', f4 = '-Infinity', n = '-Infinity', d = '-infinity', ts = '-infinity' WHERE f = 'NaN';
SELECT taxonomy_build('nowhere', 'f', 'breakpoints', '{"breakpoints": [[1]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'f4', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'n', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'd', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('nowhere', 'ts', 'iotf');
\echo :LAST_ERROR_SQLSTATE
-- methods and options
SELECT taxonomy_build('six', 'v', 'magic');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'IOTF');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', '');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"colour": 1}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"Lower": 1}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"threshold": 4}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'chu', '{"fan_out": 4}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"levels": 4}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'equal_width', '{"breakpoints": [[1]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[1]], "levels": 1}');
\echo :LAST_ERROR_SQLSTATE
-- (what JSON is not, by its SQLSTATE alone)
SELECT taxonomy_build('six', 'v', 'iotf', '[]');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '[0, 99, null, null, null, null]');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '1');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', 'null');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": "4"}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": -1}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 1.5}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 99999999999999999999}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'equal_frequency', '{"fan_out": [2]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [3, 4]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": "3"}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[null]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"upper": true}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 0}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'han', '{"fan_out": 1}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'chu', '{"threshold": 1}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'equal_width', '{"levels": 0}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'equal_frequency', '{"fan_out": 0}');
\echo :LAST_ERROR_SQLSTATE
-- very many levels: [1,8) 1 2 4 7 and [8,15], [1,4.5) 1 2 4, [1,2.75) 1 2, the root and six leaves; the widest fan-out: the root and its leaves
SELECT count(*) FROM taxonomy_build('six', 'v', 'equal_width', '{"levels": 4294967295, "fan_out": 2}');
SELECT count(*) FROM taxonomy_build('six', 'v', 'equal_frequency', '{"levels": 3, "fan_out": 4294967295}');
-- breakpoints
SELECT taxonomy_build('six', 'v', 'breakpoints');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": []}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[3, 5], [4]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[3], [4]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [["three"]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('types', 'd', 'breakpoints', '{"breakpoints": [["infinity"]]}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('types', 'f8', 'breakpoints', '{"breakpoints": [["NaN"]]}');
\echo :LAST_ERROR_SQLSTATE
-- the domain: not around the data, reversed, of another type, of no place
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 2}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"upper": 14}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 20, "upper": 0}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 5, "upper": 5}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": "low"}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 0.5}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('types', 'f8', 'iotf', '{"upper": "Infinity"}');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('types', 'd', 'iotf', '{"lower": "-infinity"}');
\echo :LAST_ERROR_SQLSTATE
-- NULL arguments, unknown column, system column, wrong relation
SELECT taxonomy_build(NULL, 'v', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', NULL, 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'v', 'iotf', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'w', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'V', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('six', 'ctid', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build('missing', 'v', 'iotf');
\echo :LAST_ERROR_SQLSTATE
CREATE SEQUENCE a_sequence;
SELECT taxonomy_build('a_sequence', 'last_value', 'iotf');
\echo :LAST_ERROR_SQLSTATE
SELECT taxonomy_build(4294967295::oid::regclass, 'v', 'iotf');
\echo :LAST_ERROR_SQLSTATE
-- nothing there, NULLs only
CREATE TABLE empty (v int);
SELECT taxonomy_build('empty', 'v', 'iotf');
\echo :LAST_ERROR_SQLSTATE
INSERT INTO empty VALUES (NULL), (NULL);
SELECT taxonomy_build('empty', 'v', 'han');
\echo :LAST_ERROR_SQLSTATE
-- it reads with the caller's rights
CREATE ROLE regress_build;
GRANT USAGE ON SCHEMA build TO regress_build;
SET ROLE regress_build;
SELECT taxonomy_build('six', 'v', 'iotf');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT SELECT ON six TO regress_build;
SET ROLE regress_build;
SELECT count(*) FROM taxonomy_build('six', 'v', 'iotf');
RESET ROLE;

DO $$ BEGIN EXECUTE (SELECT string_agg(format('DROP SCHEMA %I CASCADE', nspname), ';') FROM pg_namespace WHERE nspname IN ('equal', 'by_tds', 'by_kmember', 'by_domain', 'by_date', 'build', 'equal_private', 'by_tds_private', 'by_kmember_private', 'by_domain_private', 'by_date_private')); END $$;
DROP ROLE regress_build;
