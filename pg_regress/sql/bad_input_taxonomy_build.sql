-- taxonomy_build: what it cannot be asked for, each with its error, and what its columns may hold.
CREATE SCHEMA build;
SET search_path TO build, public;
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
SELECT taxonomy_build('other', 'b', 'otf');
SELECT taxonomy_build('other', 'p', 'han');
SELECT taxonomy_build('other', 'z', 'chu');
SELECT taxonomy_build('other', 'r', 'iotf');
SELECT taxonomy_build('other', 'e', 'iotf');
-- no place on a line
CREATE TABLE nowhere (f float8, f4 float4, n numeric, d date, ts timestamp, tz timestamptz);
INSERT INTO nowhere VALUES (1, 1, 1, '2020-01-01', '2020-01-01', '2020-01-01'), ('NaN', 'NaN', 'NaN', 'infinity', 'infinity', 'infinity');
SELECT taxonomy_build('nowhere', 'f', 'iotf');
SELECT taxonomy_build('nowhere', 'f4', 'otf');
SELECT taxonomy_build('nowhere', 'n', 'han');
SELECT taxonomy_build('nowhere', 'd', 'chu');
SELECT taxonomy_build('nowhere', 'ts', 'equal_width');
SELECT taxonomy_build('nowhere', 'tz', 'equal_frequency');
UPDATE nowhere SET f = 'Infinity', f4 = '-Infinity', n = '-Infinity', d = '-infinity', ts = '-infinity' WHERE f = 'NaN';
SELECT taxonomy_build('nowhere', 'f', 'breakpoints', '{"breakpoints": [[1]]}');
SELECT taxonomy_build('nowhere', 'f4', 'iotf');
SELECT taxonomy_build('nowhere', 'n', 'iotf');
SELECT taxonomy_build('nowhere', 'd', 'iotf');
SELECT taxonomy_build('nowhere', 'ts', 'iotf');
-- methods and options
SELECT taxonomy_build('six', 'v', 'magic');
SELECT taxonomy_build('six', 'v', 'IOTF');
SELECT taxonomy_build('six', 'v', '');
SELECT taxonomy_build('six', 'v', 'iotf', '{"colour": 1}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"Lower": 1}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"threshold": 4}');
SELECT taxonomy_build('six', 'v', 'chu', '{"fan_out": 4}');
SELECT taxonomy_build('six', 'v', 'han', '{"levels": 4}');
SELECT taxonomy_build('six', 'v', 'equal_width', '{"breakpoints": [[1]]}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[1]], "levels": 1}');
-- (what JSON is not, by its SQLSTATE alone)
SELECT taxonomy_build('six', 'v', 'iotf', '[]');
SELECT taxonomy_build('six', 'v', 'iotf', '[0, 99, null, null, null, null]');
SELECT taxonomy_build('six', 'v', 'iotf', '1');
SELECT taxonomy_build('six', 'v', 'iotf', 'null');
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": "4"}');
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": -1}');
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 1.5}');
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 99999999999999999999}');
SELECT taxonomy_build('six', 'v', 'equal_frequency', '{"fan_out": [2]}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [3, 4]}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": "3"}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[null]]}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"upper": true}');
SELECT taxonomy_build('six', 'v', 'han', '{"threshold": 0}');
SELECT taxonomy_build('six', 'v', 'han', '{"fan_out": 1}');
SELECT taxonomy_build('six', 'v', 'chu', '{"threshold": 1}');
SELECT taxonomy_build('six', 'v', 'equal_width', '{"levels": 0}');
SELECT taxonomy_build('six', 'v', 'equal_frequency', '{"fan_out": 0}');
-- very many levels: [1,8) 1 2 4 7 and [8,15], [1,4.5) 1 2 4, [1,2.75) 1 2, the root and six leaves; the widest fan-out: the root and its leaves
SELECT count(*) FROM taxonomy_build('six', 'v', 'equal_width', '{"levels": 4294967295, "fan_out": 2}');
SELECT count(*) FROM taxonomy_build('six', 'v', 'equal_frequency', '{"levels": 3, "fan_out": 4294967295}');
-- breakpoints
SELECT taxonomy_build('six', 'v', 'breakpoints');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": []}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[3, 5], [4]]}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [[3], [4]]}');
SELECT taxonomy_build('six', 'v', 'breakpoints', '{"breakpoints": [["three"]]}');
SELECT taxonomy_build('types', 'd', 'breakpoints', '{"breakpoints": [["infinity"]]}');
SELECT taxonomy_build('types', 'f8', 'breakpoints', '{"breakpoints": [["NaN"]]}');
-- the domain: not around the data, reversed, of another type, of no place
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 2}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"upper": 14}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 20, "upper": 0}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 5, "upper": 5}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": "low"}');
SELECT taxonomy_build('six', 'v', 'iotf', '{"lower": 0.5}');
SELECT taxonomy_build('types', 'f8', 'iotf', '{"upper": "Infinity"}');
SELECT taxonomy_build('types', 'd', 'iotf', '{"lower": "-infinity"}');
-- NULL arguments, unknown column, system column, wrong relation
SELECT taxonomy_build(NULL, 'v', 'iotf');
SELECT taxonomy_build('six', NULL, 'iotf');
SELECT taxonomy_build('six', 'v', NULL);
SELECT taxonomy_build('six', 'v', 'iotf', NULL);
SELECT taxonomy_build('six', 'w', 'iotf');
SELECT taxonomy_build('six', 'V', 'iotf');
SELECT taxonomy_build('six', 'ctid', 'iotf');
SELECT taxonomy_build('missing', 'v', 'iotf');
CREATE SEQUENCE a_sequence;
SELECT taxonomy_build('a_sequence', 'last_value', 'iotf');
SELECT taxonomy_build(4294967295::oid::regclass, 'v', 'iotf');
-- nothing there, NULLs only
CREATE TABLE empty (v int);
SELECT taxonomy_build('empty', 'v', 'iotf');
INSERT INTO empty VALUES (NULL), (NULL);
SELECT taxonomy_build('empty', 'v', 'han');
-- it reads with the caller's rights
CREATE ROLE regress_build;
GRANT USAGE ON SCHEMA build TO regress_build;
SET ROLE regress_build;
SELECT taxonomy_build('six', 'v', 'iotf');
RESET ROLE;
GRANT SELECT ON six TO regress_build;
SET ROLE regress_build;
SELECT count(*) FROM taxonomy_build('six', 'v', 'iotf');
RESET ROLE;

DO $$ BEGIN EXECUTE (SELECT string_agg(format('DROP SCHEMA %I CASCADE', nspname), ';') FROM pg_namespace WHERE nspname IN ('equal', 'by_tds', 'by_kmember', 'by_domain', 'by_date', 'build', 'equal_private', 'by_tds_private', 'by_kmember_private', 'by_domain_private', 'by_date_private')); END $$;
DROP ROLE regress_build;
