-- Every type as a keep column and as the class: released unchanged, type and all.
CREATE SCHEMA types;
SET search_path TO types, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TYPE pair AS (x int, y text);
CREATE TYPE floats AS RANGE (subtype = float8);
CREATE DOMAIN shorter AS varchar(10) CHECK (VALUE <> 'no');
CREATE DOMAIN whole AS int CHECK (VALUE > -100);
CREATE TABLE t (q text, c_text text, c_coll text COLLATE "POSIX", c_varchar varchar(20), c_char char(6), c_one "char", c_name name, c_bool bool, c_mood mood, c_uuid uuid, c_inet inet,
                c_int2 int2, c_int4 int4, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric, c_fixed numeric(10,2),
                c_date date, c_ts timestamp(3), c_tz timestamptz, c_time time, c_timetz timetz, c_interval interval, c_domain shorter, c_whole whole,
                c_bytea bytea, c_json json, c_jsonb jsonb, c_ints int[], c_texts text[], c_pair pair, c_range int4range, c_floats floats, c_point point, c_bits bit(4), c_money money, c_big text);
INSERT INTO t SELECT 'q', v.* FROM (VALUES
  ('alpha', 'z', 'one two', 'ab', 'c'::"char", 'pg_name', true, 'happy'::mood, '00000000-0000-0000-0000-000000000001'::uuid, '10.0.0.1'::inet,
   '-32768'::int2, '-2147483648'::int4, '-9223372036854775808'::int8, 'NaN'::float4, '-0'::float8, 1.500, -0.10,
   '-infinity'::date, '-infinity'::timestamp, '-infinity'::timestamptz, '00:00'::time, '23:00+14'::timetz, '-1 year -2 mons +3 days -04:05:06.789'::interval, 'dom', 7,
   '\x00ff00'::bytea, '{"b": 1, "a":  2}'::json, '{"b": 1, "a": 2}'::jsonb, '{1,NULL,3}'::int[], '{"a,b",NULL,"{}"}'::text[], ROW(1, NULL)::pair, '[1,5)'::int4range, '(,1.5]'::floats, '(1,2)'::point, B'0101', '12.34'::money, repeat('a', 5000)),
  ('', NULL, '', '', '', '', false, 'sad', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '10.0.0.0/8',
   32767, 2147483647, 9223372036854775807, 'Infinity', '0', 1.5, 99999999.99,
   'infinity', 'infinity', 'infinity', '24:00', '00:00-12', '0', '', -99,
   '', '[]', '[]', '{}', '{}', NULL, 'empty', 'empty', '(NaN,Infinity)', B'1111', '-0.01', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 3000) i)),
  (NULL, '', 'x', 'abcdef', NULL, 'Name', NULL, 'ok', '12345678-9abc-def0-1234-56789abcdef0', '2001:db8::1/64',
   0, 0, 9007199254740993, '-Infinity', 1e-300, 12345678901234567890.12345678901234567890, NULL,
   '2020-02-29', '2020-02-29 23:59:59.999', '2020-02-29 23:59:59.999999+14', '23:59:59.999999', NULL, '1 mon', NULL, 0,
   decode(repeat('00ff', 10000), 'hex'), 'null', 'null', '{{1,2},{3,4}}', '[0:1]={x,y}', ROW(NULL, repeat('long', 3000))::pair, NULL, NULL, NULL, NULL, NULL, repeat(md5('x'), 100000))
  ) v, generate_series(1, 3);
ALTER TABLE t ALTER c_big SET STORAGE EXTERNAL;
UPDATE t SET c_big = c_big || 'x' WHERE c_big LIKE 'a%';
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 1 \gset

SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['q'], 9)], keep => :'columns') ->> 'rows' AS rows;
-- the columns are the source's
SELECT s.attname, format_type(s.atttypid, s.atttypmod) AS source, format_type(r.atttypid, r.atttypmod) AS release
FROM pg_attribute s FULL JOIN pg_attribute r ON r.attrelid = 'r.t'::regclass AND r.attname = s.attname
WHERE s.attrelid = 't'::regclass AND s.attnum > 1 AND (r.atttypid, r.atttypmod, r.attcollation) IS DISTINCT FROM (s.atttypid, s.atttypmod, s.attcollation);
SELECT count(*) FROM pg_attribute WHERE attrelid = 'r.t'::regclass AND attnum > 0;
-- the rows are the source's, byte by byte: json and point have no equality, so the texts are compared, then the values
SET extra_float_digits TO 1;
SELECT count(*) AS lost FROM (SELECT t::text FROM t EXCEPT ALL SELECT t::text FROM r.t) d;
SELECT count(*) AS added FROM (SELECT t::text FROM r.t EXCEPT ALL SELECT t::text FROM t) d;
CREATE TABLE written (LIKE t);
INSERT INTO written SELECT * FROM r.t;
SELECT count(*) FROM t JOIN written n ON t.c_uuid = n.c_uuid WHERE t.* *= n.*;
DROP TABLE written;
RESET extra_float_digits;
-- nothing points to the source's toast table
CREATE TABLE aside AS TABLE t;
DROP TABLE t CASCADE;
SELECT length(c_big), length(c_bytea), md5(c_big), length((c_pair).y) FROM r.t GROUP BY 1, 2, 3, 4 ORDER BY 1;
SELECT release_drop('r');
ALTER TABLE aside RENAME TO t;

-- each as the class: two releases of the same rows, the class as it was
CREATE FUNCTION as_class(c text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE differing bigint;
BEGIN
  PERFORM tds_anonymize('t', 'as_class', ARRAY[k_anonymity(ARRAY['c_int4'], 3)], class => c, masking => ARRAY[by_suppression('c_int4')]);
  EXECUTE format('SELECT count(*) FROM (SELECT %1$I::text FROM t EXCEPT ALL SELECT %1$I::text FROM as_class.t) d', c) INTO differing;
  EXECUTE 'SELECT count(*) FROM as_class_private.steps' INTO c;
  PERFORM release_drop('as_class');
  RETURN format('%s steps, %s values differ', c, differing);
END $$;
SELECT as_class(c), array_agg(c ORDER BY c) FROM unnest(:'columns'::text[]) c WHERE c <> 'c_int4' GROUP BY 1 ORDER BY 1;
DROP SCHEMA types CASCADE;
