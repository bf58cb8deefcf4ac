-- The project's targets for speed, each as a ratio within this run: a million rows (adult blown up as in TDS section 6.3) and what a call on them
-- costs beside CREATE TABLE AS SELECT * of the same table just before it, medians of five; searches that used to grow with the square;
-- with -v large=1 ten million rows, too. Beside each the target, and what the last recorded run measured (sql/bench/recorded.csv).
--
--   make bench [LARGE=1] [RECORD=1]

\ir cases.sql

CREATE TABLE this_machine AS SELECT :'machine' AS machine;

-- Four kinds of release.
SELECT format('CALL measure(%L, %L)', name, format('SELECT bench_release(%L, ''million'')', name)) FROM bench_case \gexec

-- A refresh by replay, of the source with one per cent new rows.
SELECT bench_release('9 columns', 'million') IS NOT NULL \g /dev/null
INSERT INTO million SELECT * FROM million LIMIT 10000;
CALL measure('refresh by replay', 'SELECT release_refresh(''bench'')');
SELECT release_drop('bench') \g /dev/null

-- Local recoding.
CALL measure('local recoding', $$SELECT bench_release('9 columns', 'million', recoding => 'local')$$);

-- A small table.
CREATE TABLE small AS SELECT * FROM adult LIMIT 30162;
VACUUM ANALYZE small;
CALL measure('30,162 rows', 'SELECT bench_release(''9 columns'', ''small'')', 'small');

-- A suppressed column of 100,000 values, nearly all of which can be disclosed.
CREATE TABLE many AS SELECT 'v' || (hashint8(i) & 2147483647) % 100000 AS code, i % 7 AS n, 'class ' || (hashint8(i * 7) & 1) AS class, 'class ' || (hashint8(i * 7) & 3) AS four FROM generate_series(1, 1000000) i;
VACUUM ANALYZE many;
CALL measure('100,000 suppressed values', $$SELECT tds_anonymize('many', 'bench', ARRAY[k_anonymity(ARRAY['code'], 5)], 'class', ARRAY[by_suppression('code')])$$, 'many', 1);
CALL measure('four classes', $$SELECT tds_anonymize('many', 'bench', ARRAY[k_anonymity(ARRAY['code'], 5)], 'four', ARRAY[by_suppression('code')])$$, 'many', 1);

-- Clusters of records that are nearly all different.
CREATE TABLE different AS SELECT a.age + i % 3 AS age, a.fnlwgt + i * 7 AS fnlwgt, a.hours_per_week, a.education, a.marital_status, a.occupation, a.sex
FROM adult a, generate_series(1, 23) i LIMIT 1000000;
VACUUM ANALYZE different;
CALL measure('k-member', $$SELECT kmember_anonymize('different', 'bench', ARRAY['age', 'fnlwgt', 'hours_per_week', 'education', 'marital_status', 'occupation', 'sex'], 10)$$,
             'different', 1);

-- Two hundred templates, and a sensitive column of 200,000 values.
CREATE TABLE ill AS SELECT m.age, m.sex, m.education, m.income, 'd' || (hashint8(n) & 2147483647) % 200 AS illness, 'p' || (hashint8(n * 3) & 2147483647) % 200000 AS code
FROM (SELECT *, row_number() OVER () AS n FROM million) m;
VACUUM ANALYZE ill;
CALL measure('200 templates', $$SELECT pda_anonymize('ill', 'bench', ARRAY(SELECT confidence_bound(ARRAY['age', 'sex', 'education'], 'illness', ARRAY['d' || i], 0.5) FROM generate_series(0, 199) i), 'income')$$, 'ill', 1);
CALL measure('200,000 sensitive values', $$SELECT tds_anonymize('ill', 'bench', ARRAY[k_anonymity(ARRAY['age', 'sex', 'education'], 50), l_diversity(ARRAY['age', 'sex', 'education'], 'code', 20)])$$, 'ill', 1);

-- The least pg_topdown.max_memory that the first case can do with, by global and by local recoding.
CREATE TABLE least (recoding text, bytes_a_row float8);
CREATE PROCEDURE measure_least(recoding text) LANGUAGE plpgsql AS $$
DECLARE
  low int := 1;
  high int := 512;
  middle int;
BEGIN
  WHILE high - low > 1 LOOP
    middle := (low + high) / 2;
    PERFORM set_config('pg_topdown.max_memory', middle || 'MB', true);
    BEGIN
      PERFORM bench_release('9 columns', 'million', recoding => recoding);
      PERFORM release_drop('bench');
      high := middle;
    EXCEPTION WHEN OUT_OF_MEMORY OR PROGRAM_LIMIT_EXCEEDED OR CONFIGURATION_LIMIT_EXCEEDED THEN
      low := middle;
    END;
  END LOOP;
  INSERT INTO least SELECT recoding, high * 1048576.0 / count(*) FROM million;
END $$;
CALL measure_least('global');
CALL measure_least('local');

\if :large
CREATE TABLE ten AS SELECT m.* FROM million m, generate_series(1, 10);
VACUUM ANALYZE ten;
CALL measure('ten millions', 'SELECT bench_release(''9 columns'', ''ten'')', 'ten', 3);
SET pg_topdown.max_memory = '256MB';
CALL measure('ten millions, 256 MB', 'SELECT bench_release(''9 columns'', ''ten'')', 'ten', 3);
RESET pg_topdown.max_memory;
\endif

CREATE TABLE result AS
WITH of AS (
  SELECT what, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS seconds, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds / base) AS ratio,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'scan')::float8) AS scan, percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'search')::float8) AS search,
         percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'materialize')::float8) AS materialize, percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'verify')::float8) AS verify
  FROM measured GROUP BY what)
SELECT n, what, value, target, unit FROM (
  SELECT 1 AS n, '9 columns' AS what, (SELECT ratio FROM of WHERE what = '9 columns') AS value, '<= 2.0' AS target, 'x CREATE TABLE AS' AS unit
  UNION ALL SELECT 2, '14 columns', (SELECT ratio FROM of WHERE what = '14 columns'), '<= 2.5', 'x CREATE TABLE AS'
  UNION ALL SELECT 3, 'five overlapping', (SELECT ratio FROM of WHERE what = 'five overlapping'), '<= 2.5', 'x CREATE TABLE AS'
  UNION ALL SELECT 4, 'PDA', (SELECT ratio FROM of WHERE what = 'PDA'), '<= 2.5', 'x CREATE TABLE AS'
  UNION ALL SELECT 5, 'the slowest search of these', (SELECT max(search) FROM of WHERE what IN (SELECT name FROM bench_case)), '<= 0.3', 's'
  UNION ALL SELECT 6, 'refresh by replay, 1 % new rows', (SELECT ratio FROM of WHERE what = 'refresh by replay'), '<= 1.9', 'x CREATE TABLE AS'
  UNION ALL SELECT 8, '30,162 rows', (SELECT seconds FROM of WHERE what = '30,162 rows'), '<= 0.10', 's'
  UNION ALL SELECT 9, 'search of 100,000 suppressed values', (SELECT search FROM of WHERE what = '100,000 suppressed values'), '<= 3', 's'
  UNION ALL SELECT 10, 'the same, four classes', (SELECT search FROM of WHERE what = 'four classes'), '', 's'
  UNION ALL SELECT 11, 'k-member of 1,000,000 rows', (SELECT seconds FROM of WHERE what = 'k-member'), '<= 120', 's'
  UNION ALL SELECT 12, '200 templates: recounting', (SELECT verify / scan FROM of WHERE what = '200 templates'), '<= 3', 'x the scan'
  UNION ALL SELECT 13, '200,000 sensitive values: recounting', (SELECT verify / scan FROM of WHERE what = '200,000 sensitive values'), '<= 3', 'x the scan'
  UNION ALL SELECT 14, 'the slower search of these two', (SELECT max(search) FROM of WHERE what ~ '^200'), '<= 5', 's'
  UNION ALL SELECT 15, 'own memory, 9 columns', (SELECT bytes_a_row FROM least WHERE recoding = 'global'), '<= 40', 'bytes a row'
  UNION ALL SELECT 16, 'ten millions against one', (SELECT a.seconds / b.seconds FROM of a, of b WHERE a.what = 'ten millions' AND b.what = '9 columns'), '<= 11', 'x'
  UNION ALL SELECT 17, 'ten millions within 256 MB', (SELECT a.seconds / b.seconds FROM of a, of b WHERE a.what = 'ten millions, 256 MB' AND b.what = 'ten millions'), '<= 2', 'x'
  UNION ALL SELECT 18, 'search by local recoding, 9 columns', (SELECT search FROM of WHERE what = 'local recoding'), '<= 1', 's'
  UNION ALL SELECT 20, 'local recoding, 9 columns', (SELECT ratio FROM of WHERE what = 'local recoding'), '<= 4.0', 'x CREATE TABLE AS'
  UNION ALL SELECT 19, 'own memory by local recoding, 9 columns', (SELECT l.bytes_a_row / g.bytes_a_row FROM least l, least g WHERE l.recoding = 'local' AND g.recoding = 'global'), '<= 1.1', 'x global'
) t WHERE value IS NOT NULL;

CREATE TABLE recorded (what text, value float8, unit text, date text, machine text);
\copy recorded FROM sql/bench/recorded.csv (FORMAT csv, HEADER)
\echo
SELECT r.what, round(r.value::numeric, 2) AS measured, r.target, r.unit, round(o.value::numeric, 2) AS recorded FROM result r LEFT JOIN recorded o USING (what) ORDER BY r.n;
SELECT DISTINCT 'recorded on ' || date || ', ' || machine AS recorded FROM recorded;
SELECT what, count(*) AS runs, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 2) AS seconds, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY base)::numeric, 2) AS ctas,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'scan')::float8)::numeric, 2) AS scan, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'search')::float8)::numeric, 2) AS search,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'materialize')::float8)::numeric, 2) AS materialize, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (phases ->> 'verify')::float8)::numeric, 2) AS verify
FROM measured GROUP BY what ORDER BY min(ctid);
\copy (SELECT what, round(value::numeric, 3) AS value, unit, current_date AS date, machine FROM result, this_machine ORDER BY n) TO target/bench.csv (FORMAT csv, HEADER)
