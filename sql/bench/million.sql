-- A million rows: Adult blown up as in TDS section 6.3 (each further row is a row of Adult with a
-- random number of columns set to random values of their domains), released with one quasi-identifier
-- of nine columns (k = 50) and with PDA's templates over seven (h = 90 %), beside CREATE TABLE AS
-- SELECT * of the same table in the same session; peak memory of the backend from /proc.
--
--   scripts/bench.sh sql/bench/million.sql

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
\ir blow_up.sql

\c
SET client_min_messages = error;
SELECT count(*) FROM million;
CREATE TEMP TABLE timing (what text, run int, seconds float8, phases jsonb);
DO $$
DECLARE
  started timestamptz;
  summary jsonb;
BEGIN
  FOR run IN 1..3 LOOP
    started := clock_timestamp();
    CREATE TABLE copy AS SELECT * FROM million;
    INSERT INTO timing VALUES ('CREATE TABLE AS', run, extract(epoch FROM clock_timestamp() - started));
    DROP TABLE copy;

    started := clock_timestamp();
    summary := tds_anonymize('million', 'bench_tds',
      ARRAY[k_anonymity(ARRAY['capital_gain', 'age', 'marital_status', 'education_num', 'relationship', 'hours_per_week',
                              'sex', 'education', 'occupation'], 50)], class => 'income',
      masking => ARRAY[by_taxonomy('education', 'tax_education'), by_taxonomy('marital_status', 'tax_marital_status'),
                       by_taxonomy('occupation', 'tax_occupation'), by_taxonomy('relationship', 'tax_relationship'),
                       by_taxonomy('sex', 'tax_sex')],
      keep => ARRAY['workclass', 'fnlwgt', 'race', 'capital_loss', 'native_country']);
    INSERT INTO timing VALUES ('tds_anonymize', run, extract(epoch FROM clock_timestamp() - started),
                               summary -> 'seconds' || jsonb_build_object('steps', summary -> 'steps'));

    started := clock_timestamp();
    summary := pda_anonymize('million', 'bench_pda',
      ARRAY[confidence_bound(ARRAY['workclass', 'education', 'occupation', 'relationship', 'race', 'sex', 'native_country'],
                             'marital_status', ARRAY['Married-AF-spouse', 'Married-spouse-absent', 'Widowed'], 0.9)],
      class => 'income', keep => ARRAY['age', 'fnlwgt', 'education_num', 'capital_gain', 'capital_loss', 'hours_per_week']);
    INSERT INTO timing VALUES ('pda_anonymize', run, extract(epoch FROM clock_timestamp() - started),
                               summary -> 'seconds' || jsonb_build_object('steps', summary -> 'steps'));
    PERFORM release_drop('bench_tds'), release_drop('bench_pda');
  END LOOP;
END $$;
SELECT what, run, round(seconds::numeric, 2) AS seconds,
       round((seconds / min(seconds) FILTER (WHERE what = 'CREATE TABLE AS') OVER (PARTITION BY run))::numeric, 2) AS ratio,
       phases ->> 'steps' AS steps, round((phases ->> 'scan')::numeric, 2) AS scan, round((phases ->> 'search')::numeric, 2) AS search,
       round((phases ->> 'materialize')::numeric, 2) AS materialize, round((phases ->> 'verify')::numeric, 2) AS verify
FROM timing ORDER BY run, what;

-- Of one call in a session of its own: what it held at most, shared buffers included.
\c
SET client_min_messages = error;
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int / 1024 AS mb_before;
SELECT count(*) FROM million;
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int / 1024 AS mb_after_reading;
SELECT tds_anonymize('million', 'bench_tds',
  ARRAY[k_anonymity(ARRAY['capital_gain', 'age', 'marital_status', 'education_num', 'relationship', 'hours_per_week', 'sex',
                          'education', 'occupation'], 50)], class => 'income',
  masking => ARRAY[by_taxonomy('education', 'tax_education')]) -> 'steps' AS steps;
SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int / 1024 AS mb_after_release;
SELECT release_drop('bench_tds') \g /dev/null
