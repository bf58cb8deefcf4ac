-- intervals => 'bounds' and 'range': native types beside or instead of labels.
CREATE SCHEMA ivl;
SET search_path TO ivl, public;
SET DateStyle TO ISO;
SET TimeZone TO UTC;
SET IntervalStyle TO postgres;
CREATE DOMAIN age AS int CHECK (VALUE >= 0);
CREATE TABLE t (i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric(8,3), d date, ts timestamp, tz timestamptz, a age, s text, class text);
INSERT INTO t SELECT i, i, 9007199254740991 + i, i / 2.0, i / 4.0, i / 8.0, date '2020-02-27' + i, timestamp '2020-02-28 12:00' + i * interval '1 day',
       timestamptz '2020-02-28 12:00+00' + i * interval '1 day', i, 's' || i / 2, CASE WHEN i < 2 THEN 'N' ELSE 'Y' END
FROM generate_series(0, 3) i, generate_series(1, 3);
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum BETWEEN 1 AND 10 \gset

-- open ends
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 3) FROM unnest(:'columns'::text[]) c), 'class', intervals => 'range') ->> 'steps' AS steps;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'r.t'::regclass AND attnum > 0 ORDER BY attnum;
\x
SELECT *, count(*) FROM r.t GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ORDER BY class;
\x
SELECT bool_and(holds) AS holds, min(achieved) AS achieved FROM release_verify('r');
-- the cut shows what the view does
SELECT node, lower, upper, records FROM r.cut WHERE attribute IN ('i4', 'd') ORDER BY attribute, node;
SELECT release_drop('r');
-- closed ends, and ranges that are discrete are written in their canonical form
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3), k_anonymity(ARRAY['d'], 3), k_anonymity(ARRAY['f8'], 3), k_anonymity(ARRAY['tz'], 3), k_anonymity(ARRAY['s'], 3)], 'class', intervals => 'range',
  masking => ARRAY[by_intervals('i4', '0', '9'), by_intervals('d', '2020-01-01', '2020-12-31'), by_intervals('f8', '0', 'Infinity'), by_intervals('tz', upper => '2021-01-01')]) ->> 'steps' AS steps;
SELECT *, count(*) FROM r.t GROUP BY 1, 2, 3, 4, 5, 6 ORDER BY class;
SELECT release_drop('r');
-- the top is (,) even where bounds are given
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], intervals => 'range', masking => ARRAY[by_intervals('i4', '0', '9')], max_steps => 0) ->> 'steps' AS steps;
SELECT DISTINCT i4, pg_typeof(i4) FROM r.t;
SELECT release_drop('r');
-- NULL is NULL, and * over NULLs is (,)
INSERT INTO t (i4, class) VALUES (NULL, 'N'), (NULL, 'N'), (NULL, 'Y');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], 'class', intervals => 'range', masking => ARRAY[by_intervals('i4', '0', '9')]) ->> 'steps' AS steps;
SELECT node, children, records FROM r_private.steps ORDER BY step;
SELECT i4, i4 IS NULL AS is_null, count(*) FROM r.t GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
-- and so is the column's own top beside NULL
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], 'class', intervals => 'range', masking => ARRAY[by_intervals('i4', '0', '9')], max_steps => 1) ->> 'steps' AS steps;
SELECT i4, i4 IS NULL AS is_null, count(*) FROM r.t GROUP BY 1 ORDER BY 1;
SELECT node, lower, upper, records FROM r.cut;
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 4)], 'class', intervals => 'range', masking => ARRAY[by_intervals('i4', '0', '9')]) ->> 'steps' AS steps;
SELECT i4, i4 IS NULL AS is_null, count(*) FROM r.t GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], 'class', intervals => 'bounds', masking => ARRAY[by_intervals('i4', '0')]) ->> 'steps' AS steps;
SELECT i4, i4_lo, i4_hi, count(*) FROM r.t GROUP BY 1, 2, 3 ORDER BY 2 NULLS FIRST, 1;
SELECT release_drop('r');
DELETE FROM t WHERE i4 IS NULL;
-- the greatest values of their types, as bounds and as data
CREATE TABLE e AS SELECT v AS i4, v * 4294967296 AS i8, v AS class FROM unnest(ARRAY[-2147483648, 2147483647]) v, generate_series(1, 3);
SELECT tds_anonymize('e', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3), k_anonymity(ARRAY['i8'], 3)], 'class', intervals => 'range') ->> 'steps' AS steps;
SELECT i4, i8, count(*) FROM r.e GROUP BY 1, 2 ORDER BY 1;
SELECT release_drop('r');
-- what ends with the greatest value of its type is open above as a range
SELECT tds_anonymize('e', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], 'class', intervals => 'range', masking => ARRAY[by_intervals('i4', upper => '2147483647')]) ->> 'steps' AS steps;
SELECT i4, count(*) FROM r.e GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('e', 'r', ARRAY[k_anonymity(ARRAY['i4'], 3)], 'class', masking => ARRAY[by_intervals('i4', upper => '2147483647')]) ->> 'steps' AS steps;
SELECT i4, count(*) FROM r.e GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');

-- bounds: the label, and both ends in the column's own type
SELECT tds_anonymize('t', 'r', ARRAY(SELECT k_anonymity(ARRAY[c], 3) FROM unnest(:'columns'::text[]) c), 'class', intervals => 'bounds',
                     masking => ARRAY[by_intervals('i4', '0', '9'), by_intervals('tz', lower => '2020-01-01')]) ->> 'steps' AS steps;
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'r.t'::regclass AND attnum > 0 ORDER BY attnum;
SELECT i4, i4_lo, i4_hi, n, n_lo, n_hi, d, d_lo, d_hi, tz, tz_lo, tz_hi, class, count(*) FROM r.t GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 ORDER BY class;
SELECT release_drop('r');
-- types without a range: their bounds are no trouble
CREATE TABLE o AS SELECT time '10:00' + i * interval '1 hour' AS tm, i * interval '1 day' AS iv, i || 'x' AS s, i > 1 AS b FROM generate_series(0, 3) i, generate_series(1, 3);
SELECT tds_anonymize('o', 'r', ARRAY[k_anonymity(ARRAY['tm'], 6), k_anonymity(ARRAY['iv'], 6), k_anonymity(ARRAY['s'], 6), k_anonymity(ARRAY['b'], 6)],
                     masking => ARRAY[by_intervals('s', '0', '9'), by_intervals('b')], intervals => 'bounds') ->> 'steps' AS steps;
SELECT *, count(*) FROM r.o GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ORDER BY 1;
SELECT release_drop('r');
SELECT c, tds_anonymize('o', 'r', ARRAY[k_anonymity(ARRAY[c], 6)], masking => ARRAY[by_intervals(c)], intervals => 'range') FROM unnest(ARRAY['tm']) c;
SELECT c, tds_anonymize('o', 'r', ARRAY[k_anonymity(ARRAY[c], 6)], masking => ARRAY[by_intervals(c)], intervals => 'range') FROM unnest(ARRAY['iv']) c;
SELECT c, tds_anonymize('o', 'r', ARRAY[k_anonymity(ARRAY[c], 6)], masking => ARRAY[by_intervals(c)], intervals => 'range') FROM unnest(ARRAY['b']) c;
RESET ALL;
DROP SCHEMA ivl CASCADE;
