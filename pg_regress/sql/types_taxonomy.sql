-- Every type masked by a taxonomy: values are matched to leaves by their text form.
CREATE SCHEMA types;
SET search_path TO types, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN short AS varchar(10);
CREATE TABLE t (c_text text, c_varchar varchar(20), c_char char(6), c_name name, c_bool bool, c_mood mood, c_uuid uuid, c_inet inet,
                c_int2 int2, c_int4 int4, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric, c_date date, c_ts timestamp, c_tz timestamptz,
                c_time time, c_interval interval, c_domain short, c_big text);
INSERT INTO t SELECT v.* FROM (VALUES
  ('a', 'a b', 'ab', 'n1', true, 'happy'::mood, '00000000-0000-0000-0000-000000000001'::uuid, '10.0.0.1'::inet,
   -1::int2, 1::int4, 9223372036854775807::int8, 'NaN'::float4, 0.1::float8, 1.50::numeric, '2020-02-29'::date, '2020-02-29 12:00'::timestamp, '2020-02-29 12:00+00'::timestamptz,
   '12:00'::time, '1 day'::interval, 'x', repeat('a', 5000)),
  ('', '', '', '', false, 'sad', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '10.0.0.0/8',
   2, 2, -1, '-Infinity', 1e20, 0, 'infinity', '-infinity', 'infinity', '24:00', '-1 mons', 'y', repeat('b', 3000000))
  ) v, generate_series(1, 2);
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 \gset
SET DateStyle TO ISO;
SET TimeZone TO UTC;
SET IntervalStyle TO postgres;
-- one taxonomy a column, of the texts that casts give
\set ECHO none
SELECT format('CREATE TABLE tax_%1$s AS SELECT DISTINCT %1$s::text AS child, ''ANY'' AS parent FROM t', c) FROM unnest(:'columns'::text[]) c \gexec
\set ECHO all
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 2) FROM unnest(:'columns'::text[]) c),
                     masking => ARRAY(SELECT by_taxonomy(c, ('tax_' || c)::regclass) FROM unnest(:'columns'::text[]) c)) ->> 'steps' AS steps;
SELECT attribute, left(node, 40) AS node, records FROM r.cut ORDER BY 1, 2;
SELECT count(*) AS differing FROM (
  SELECT c_text, c_varchar, c_char::text, c_name::text, c_bool::text, c_mood::text, c_uuid::text, c_inet::text, c_int2::text, c_int4::text, c_int8::text,
         c_float4::text, c_float8::text, c_numeric::text, c_date::text, c_ts::text, c_tz::text, c_time::text, c_interval::text, c_domain::text, c_big
  FROM t EXCEPT ALL SELECT * FROM r.t) d;
SELECT release_drop('r');
-- what casts do not give, but types print, is found as well
CREATE TABLE tax_printed AS SELECT c, child, 'ANY' AS parent FROM (VALUES ('c_bool', 't'), ('c_bool', 'f'), ('c_inet', '10.0.0.1'), ('c_inet', '10.0.0.0/8'), ('c_char', 'ab    '), ('c_char', '      ')) v (c, child);
CREATE VIEW tax_bool AS SELECT child, parent FROM tax_printed WHERE c = 'c_bool';
CREATE VIEW tax_inet AS SELECT child, parent FROM tax_printed WHERE c = 'c_inet';
CREATE VIEW tax_char AS SELECT child, parent FROM tax_printed WHERE c = 'c_char';
SELECT c, s.children FROM unnest(ARRAY['bool', 'inet', 'char']) c, LATERAL tds_steps('t', ARRAY[k_anonymity(ARRAY['c_' || c], 2)], masking => ARRAY[by_taxonomy('c_' || c, ('tax_' || c)::regclass)]) s;
-- columns child and parent need not be text
CREATE TABLE tax_int (child int, parent int);
INSERT INTO tax_int VALUES (1, 0), (2, 0);
SELECT step, node, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['c_int4'], 2)], masking => ARRAY[by_taxonomy('c_int4', 'tax_int')]);
CREATE TABLE tax_enum AS SELECT unnest(enum_range(NULL::mood)) AS child, 'any mood'::varchar AS parent;
SELECT step, node, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['c_mood'], 2)], masking => ARRAY[by_taxonomy('c_mood', 'tax_enum')]);
-- numbers in a nested tree
SELECT step, node, children FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['c_int4'], 2)], masking => ARRAY[by_taxonomy_tree('c_int4', '{"0-9": [1, 2]}')]);
-- any relation with these columns: a view, a materialized view, a partitioned table
CREATE VIEW tax_view AS SELECT 'note' AS remark, parent, child FROM tax_int;
CREATE MATERIALIZED VIEW tax_mat AS SELECT * FROM tax_int;
CREATE TABLE tax_part (child text, parent text) PARTITION BY LIST (child);
CREATE TABLE tax_part1 PARTITION OF tax_part DEFAULT;
INSERT INTO tax_part SELECT * FROM tax_int;
SELECT tax, s.children FROM unnest(ARRAY['tax_view', 'tax_mat', 'tax_part']::regclass[]) tax,
     LATERAL tds_steps('t', ARRAY[k_anonymity(ARRAY['c_int4'], 2)], masking => ARRAY[by_taxonomy('c_int4', tax)]) s ORDER BY tax::text;
-- columns lower and upper are passed on to cut and taxonomy
CREATE TABLE tax_bounds (child text, parent text, lower int, upper int);
INSERT INTO tax_bounds VALUES ('all', NULL, 0, 9), ('1', 'all', 1, 1), ('2', 'all', 2, 2);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['c_int4'], 2)], masking => ARRAY[by_taxonomy('c_int4', 'tax_bounds')]) ->> 'steps' AS steps;
SELECT attribute, node, lower, upper, records FROM r.cut ORDER BY node;
SELECT attribute, node, parent, lower, upper, depth, in_cut FROM r_private.taxonomy ORDER BY depth, node;
SELECT release_drop('r');
RESET ALL;
DROP SCHEMA types CASCADE;
