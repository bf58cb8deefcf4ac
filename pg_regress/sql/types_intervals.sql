-- Every ordered type masked by intervals: the type's own order, labels in its own text form; outer ends open unless given.
CREATE SCHEMA types;
SET search_path TO types, public;
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'elated');
CREATE DOMAIN age AS int CHECK (VALUE >= 0);
CREATE TABLE t (id int, class text, c_text text COLLATE "C", c_varchar varchar(20) COLLATE "C", c_char char(4) COLLATE "C", c_name name, c_bool bool, c_mood mood, c_uuid uuid, c_inet inet,
                c_int2 int2, c_int4 int4, c_int8 int8, c_float4 float4, c_float8 float8, c_numeric numeric(6,2),
                c_date date, c_ts timestamp, c_tz timestamptz, c_time time, c_interval interval, c_age age);
-- Four values each, in an order that is not the text's; the class changes between the second and the third.
INSERT INTO t SELECT i, CASE WHEN i < 2 THEN 'N' ELSE 'Y' END, chr(97 + i), chr(97 + i), chr(97 + i), chr(97 + i), i > 1, (enum_range(NULL::mood))[i + 1],
       lpad(i::text, 32, '0')::uuid, ('10.0.0.' || 8 + i)::inet, i + 8, i + 8, 9007199254740991 + i, i - 1.5, i * 1e300 - 1e300, i + 8.5,
       date '1999-12-30' + i, timestamp '1999-12-30 12:00' + i * interval '1 day', timestamptz '1999-12-30 12:00+00' + i * interval '1 day',
       time '09:30' + i * interval '1 hour', i * interval '20 days', i + 8
FROM generate_series(0, 3) i, generate_series(1, 3);
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 2 \gset

-- without bounds: both outer ends are open
SELECT attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss, achieved
FROM unnest(:'columns'::text[]) c,
     LATERAL tds_steps('t', ARRAY[k_anonymity(ARRAY[c], 3)], 'class', ARRAY[by_intervals(c)]) s ORDER BY 1;
-- what is masked by intervals when nothing is said: numbers, dates and times
SELECT c, (SELECT CASE WHEN node = '*' THEN 'suppression' ELSE 'intervals' END FROM tds_steps('t', ARRAY[k_anonymity(ARRAY[c], 3)], 'class', max_steps => 1)) AS by_default
FROM unnest(:'columns'::text[]) c ORDER BY 2, 1;
-- with bounds the ends are closed; without a class all values come apart
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 3) FROM unnest('{c_int2,c_int8,c_float8,c_numeric,c_date,c_ts,c_tz,c_time,c_interval,c_age,c_text,c_mood}'::text[]) c),
  masking => ARRAY[by_intervals('c_int2', '0', '99'), by_intervals('c_int8', '0', '9223372036854775807'), by_intervals('c_float8', '-Infinity', 'Infinity'),
    by_intervals('c_numeric', '0', '1000'), by_intervals('c_date', '1999-01-01', '2000-12-31'), by_intervals('c_ts', '1999-01-01', '2001-01-01 00:00'),
    by_intervals('c_tz', '1999-01-01 00:00+02', '2001-01-01'), by_intervals('c_time', '00:00', '24:00'), by_intervals('c_interval', '0', '1 year'),
    by_intervals('c_age', '0', '120'), by_intervals('c_text', 'a', 'z'), by_intervals('c_mood', 'sad', 'elated')]) ->> 'rows' AS rows;
SELECT attribute, node, lower, upper, records FROM r.cut ORDER BY attribute, records, lower COLLATE "C";
SELECT bool_and(holds), min(achieved) FROM release_verify('r');
SELECT attribute, count(*) FROM r_private.steps WHERE NOT (info_gain < 'Infinity' AND score < 'Infinity') GROUP BY 1;
SELECT release_drop('r');

-- NaN and the infinities have their places in the order
CREATE TABLE f (f4 float4, f8 float8, n numeric);
INSERT INTO f SELECT v::float4, v::float8, v::numeric FROM unnest(ARRAY['-Infinity', '-1.5', '0', '1e10', 'Infinity', 'NaN']) v, generate_series(1, 2);
SELECT tds_anonymize('f', 'r', ARRAY[k_anonymity(ARRAY['f4'], 2), k_anonymity(ARRAY['f8'], 2), k_anonymity(ARRAY['n'], 2)]) ->> 'rows' AS rows;
SELECT bool_and(holds), min(achieved) FROM release_verify('r');
SELECT attribute, sum(records) AS records, count(*) > 1 AS split, bool_and(records >= 2) AS k FROM r.cut GROUP BY 1 ORDER BY 1;
-- beside what is infinite an end is as round as any
SELECT attribute, node, records FROM r.cut ORDER BY 1, lower::float8 NULLS FIRST;
SELECT bool_and(isfinite) AS finite FROM (SELECT info_gain < 'Infinity' AND score < 'Infinity' AND privacy_loss < 'Infinity' AS isfinite FROM r_private.steps) s;
SELECT release_drop('r');
-- -0 and 0, 1.0 and 1.00 are the same value
CREATE TABLE z (f8 float8, n numeric, class text);
INSERT INTO z VALUES ('-0', 1.0, 'Y'), (0, 1.00, 'Y'), (1, 2, 'N'), (1, 2.0, 'N');
SELECT tds_anonymize('z', 'r', ARRAY[k_anonymity(ARRAY['f8'], 2), k_anonymity(ARRAY['n'], 2)], class => 'class') ->> 'steps' AS steps;
SELECT attribute, count(*), sum(records) FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT bool_and(holds), min(achieved) FROM release_verify('r');
SELECT release_drop('r');
-- and which of their texts the label shows does not depend on the order of the rows
CREATE TABLE z1 AS SELECT * FROM (VALUES (1.0, 'Y'), (2.0, 'N'), (2.00, 'N')) v (n, class);
CREATE TABLE z2 AS SELECT * FROM (VALUES (2.00, 'N'), (2.0, 'N'), (1.0, 'Y')) v (n, class);
SELECT z1.children = z2.children AS same FROM tds_steps('z1', ARRAY[k_anonymity(ARRAY['n'], 1)], 'class') z1, tds_steps('z2', ARRAY[k_anonymity(ARRAY['n'], 1)], 'class') z2;
-- NaN lies at no distance from anything: an interval of such a domain tells nothing by its width
CREATE TABLE nan_ends AS SELECT (ARRAY['NaN', '1', '2', '3', '4', '5', '6', '7', NULL])[1 + i % 9]::float8 AS x FROM generate_series(0, 89) i;
SELECT step, node, children, round(info_gain::numeric, 6) AS info_gain FROM tds_steps('nan_ends', ARRAY[k_anonymity(ARRAY['x'], 5)]);
CREATE TABLE nan_top AS SELECT x FROM nan_ends WHERE x IS NOT NULL;
SELECT tds_anonymize('nan_top', 'r_nan', ARRAY[k_anonymity(ARRAY['x'], 80)]) ->> 'steps' AS steps;
SELECT measure, value FROM release_measures('r_nan') WHERE measure IN ('ntil', 'normalized_certainty_penalty', 'non_uniform_entropy');
SELECT release_drop('r_nan');
DROP SCHEMA types CASCADE;
