-- Rows go in by the table's multi-insert, frozen: of every type, wide and short, with and without NULL. The server's own check finds nothing.
-- Needs: EXISTS (SELECT FROM pg_available_extensions WHERE name = 'amcheck')
CREATE SCHEMA tup;
SET search_path TO tup, public;
CREATE EXTENSION amcheck SCHEMA tup;
CREATE DOMAIN short AS varchar(200) CHECK (length(VALUE) > 0);
CREATE TYPE pair AS (x int, y text);
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE wide AS SELECT i % 3 AS q, i % 2 = 0 AS b, i::smallint AS i2, CASE WHEN i % 3 > 0 THEN i END AS i4, i::bigint * 1000000007 AS i8, (i / 7.0)::float4 AS f4, i / 7.0::float8 AS f8, (i / 7.0)::numeric(20, 5) AS n,
    "left"(i::text, 1)::"char" AS c, ('n' || i)::name AS name, md5(i::text)::uuid AS uuid, make_interval(days => i) AS iv, '2020-01-01'::timestamptz + make_interval(mins => i) AS tz, point(i, -i) AS p, int4range(i, i + 9) AS r,
    repeat('a', i % 8 + 121) AS edge, repeat(md5(i::text), i * 37 % 400) AS packed, CASE WHEN i % 5 > 0 THEN (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, i % 7 * 60) j) END AS far,
    CASE i % 4 WHEN 0 THEN '' WHEN 1 THEN 'ä' END AS empty, ('d' || i)::short AS d, ROW(i, 'y')::pair AS pair, 'ok'::mood AS mood, ARRAY[i, NULL, i + 1] AS ints, jsonb_build_object('i', i) AS j, decode(md5(i::text), 'hex') AS bytes, B'101'::bit(3) AS bits
  FROM generate_series(1, 1600) i;
ALTER TABLE wide ALTER uuid SET NOT NULL;
SELECT array_agg(attname::text ORDER BY attnum) AS kept FROM pg_attribute WHERE attrelid = 'wide'::regclass AND attnum > 1 \gset
SELECT string_agg(format('w.%I::text', attname), ', ' ORDER BY attnum) AS texts FROM pg_attribute WHERE attrelid = 'wide'::regclass AND attnum > 1 \gset
SELECT tds_anonymize('wide', 'one', ARRAY[k_anonymity(ARRAY['q'], 5)], keep => :'kept') -> 'rows' AS rows;
SELECT * FROM verify_heapam('one_private.rows_v1');
SELECT count(*) FROM (SELECT :texts FROM wide w EXCEPT ALL SELECT :texts FROM one.wide w) d;
-- not wider than PostgreSQL's own tuples (the files are longer than what is in them from version 16 on)
CREATE TABLE copy AS SELECT w.* FROM one_private.rows_v1 w;
SELECT (SELECT max((ctid::text::point)[0]) FROM copy) = (SELECT max((ctid::text::point)[0]) FROM one_private.rows_v1) AS rows, pg_relation_size(o.reltoastrelid) = pg_relation_size(c.reltoastrelid) AS far
FROM pg_class o, pg_class c WHERE o.oid = 'one_private.rows_v1'::regclass AND c.oid = 'copy'::regclass;
-- rows that differ in nothing, and one row
CREATE TABLE same AS SELECT 1 AS a FROM generate_series(1, 2500);
SELECT tds_anonymize('same', 'three', ARRAY[k_anonymity(ARRAY['a'], 5)]) -> 'rows' AS rows;
SELECT a, count(*) FROM three.same GROUP BY 1;
CREATE TABLE single AS SELECT 1 AS a;
SELECT tds_anonymize('single', 'four', ARRAY[k_anonymity(ARRAY['a'], 1)]) -> 'rows' AS rows;
-- few values, but wide: no more rows go in together than fit (450 MB, if as many did as of others)
CREATE TABLE long AS SELECT n, repeat(chr(97 + n), 3000000) AS w FROM generate_series(0, 1) n;
CREATE TABLE broad AS SELECT i % 2 AS a, w FROM generate_series(1, 150) i JOIN long ON n = i % 2 ORDER BY i;
\c -
SET search_path TO tup, public;
SELECT tds_anonymize('broad', 'broad_r', ARRAY[k_anonymity(ARRAY['a'], 5)], keep => ARRAY['w']) -> 'rows' AS rows;
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int < 400 * 1024 AS held;
SELECT count(*) FROM broad_r.broad WHERE length(w) = 3000000;
SELECT release_drop('broad_r');
-- no thread stays behind
SELECT substring(pg_read_file('/proc/self/status') FROM 'Threads:\s*(\d+)') AS threads;
SELECT release_drop(r) FROM unnest('{one,three,four}'::name[]) r;
DROP SCHEMA tup CASCADE;
