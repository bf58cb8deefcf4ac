-- Every type masked by suppression: all values are disclosed at k = 2, as the type's text form, and none at k = 5.
CREATE SCHEMA types;
SET search_path TO types, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN short AS varchar(10);
CREATE DOMAIN shorter AS short CHECK (VALUE <> 'no');
CREATE DOMAIN whole AS int CHECK (VALUE > -100);
CREATE TABLE t (c_text text, c_varchar varchar(20), c_char char(6), c_name name, c_bool bool, c_mood mood, c_uuid uuid, c_inet inet,
                c_int2 int2, c_int4 int4, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric, c_fixed numeric(10,2),
                c_date date, c_ts timestamp, c_tz timestamptz, c_time time, c_interval interval, c_domain shorter, c_whole whole, c_big text);
INSERT INTO t SELECT v.* FROM (VALUES
  ('alpha', 'one two', 'ab', 'pg_name', true, 'happy'::mood, '00000000-0000-0000-0000-000000000001'::uuid, '10.0.0.1'::inet,
   '-32768'::int2, '-2147483648'::int4, '-9223372036854775808'::int8, 'NaN'::float4, 'NaN'::float8, 'NaN'::numeric, -0.10,
   '-infinity'::date, '-infinity'::timestamp, '-infinity'::timestamptz, '00:00'::time, '-1 year -2 mons +3 days -04:05:06.789'::interval, 'dom', 7, repeat('a', 5000)),
  ('', '', '', '', false, 'sad', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '10.0.0.0/8',
   32767, 2147483647, 9223372036854775807, 'Infinity', 'Infinity', 12345678901234567890.12345678901234567890, 99999999.99,
   'infinity', 'infinity', 'infinity', '24:00', '0', '', -99, (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 3000) i)),
  ('β ünï', 'x', 'abcdef', 'Name', NULL, 'ok', '12345678-9abc-def0-1234-56789abcdef0', '2001:db8::1/64',
   0, 0, 9007199254740993, '-Infinity', 1e-300, 0, 0.00,
   '2020-02-29', '2020-02-29 23:59:59.999999', '2020-02-29 23:59:59.999999+14', '23:59:59.999999', '1 mon', 'x', 0, '')
  ) v, generate_series(1, 2);
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 \gset
SELECT pg_column_size(c_big) < octet_length(c_big) AS compressed, octet_length(c_big) FROM t GROUP BY 1, 2 ORDER BY 2;

SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 2) FROM unnest(:'columns'::text[]) c),
                     masking => ARRAY(SELECT by_suppression(c) FROM unnest(:'columns'::text[]) c)) ->> 'rows' AS rows;
-- text in each column, NULL as NULL
SELECT count(*) AS columns, count(*) FILTER (WHERE atttypid = 'text'::regtype) AS text FROM pg_attribute WHERE attrelid = 'r.t'::regclass AND attnum > 0;
SET DateStyle TO ISO;
SET TimeZone TO UTC;
SET IntervalStyle TO postgres;
\x
SELECT DISTINCT c_text, c_varchar, c_char, c_name, c_bool, c_mood, c_uuid, c_inet, c_int2, c_int4, c_int8, c_float4, c_float8, c_numeric, c_fixed,
       c_date, c_ts, c_tz, c_time, c_interval, c_domain, c_whole, length(c_big) AS big FROM r.t ORDER BY c_text;
\x
-- the same multiset as the source's own casts to text
SELECT count(*) AS differing FROM (
  SELECT c_text, c_varchar, c_char::text, c_name::text, c_bool::text, c_mood::text, c_uuid::text, c_inet::text, c_int2::text, c_int4::text, c_int8::text,
         c_float4::text, c_float8::text, c_numeric::text, c_fixed::text, c_date::text, c_ts::text, c_tz::text, c_time::text, c_interval::text, c_domain::text, c_whole::text, c_big
  FROM t EXCEPT ALL SELECT * FROM r.t) d;
SELECT attribute, count(*), count(*) FILTER (WHERE node IS NULL) AS nulls, sum(records) FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT bool_and(holds), min(achieved) FROM release_verify('r');
SELECT release_drop('r');

-- nothing can be disclosed
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 5) FROM unnest(:'columns'::text[]) c),
                     masking => ARRAY(SELECT by_suppression(c) FROM unnest(:'columns'::text[]) c)) ->> 'steps' AS steps;
SELECT DISTINCT * FROM r.t;
SELECT release_drop('r');
RESET ALL;
DROP SCHEMA types CASCADE;
