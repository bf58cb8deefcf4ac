-- Steps and seconds of releases of Adult (45,222 rows, class income) for one quasi-identifier of 5,
-- 7, 9 and 14 columns and for five overlapping ones, k from 5 to 1000; every one is verified.
--
--   scripts/bench.sh sql/bench/adult.sql

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;

CREATE TEMP TABLE requirement (name text, qids text[]);
INSERT INTO requirement VALUES
  ('top 5', ARRAY['capital_gain age marital_status education_num relationship']),
  ('top 7', ARRAY['capital_gain age marital_status education_num relationship hours_per_week sex']),
  ('top 9', ARRAY['capital_gain age marital_status education_num relationship hours_per_week sex education occupation']),
  ('all 14', ARRAY['capital_gain age marital_status education_num relationship hours_per_week sex education occupation workclass native_country race capital_loss fnlwgt']),
  ('five overlapping', ARRAY['age sex race', 'age education_num hours_per_week', 'marital_status relationship sex occupation',
                             'workclass occupation native_country', 'capital_gain capital_loss age']);

CREATE TEMP TABLE result (name text, k int, steps int, smallest float8, holds boolean, search float8, total float8);
DO $$
DECLARE
  r requirement;
  k int;
  summary jsonb;
  columns text[];
  started timestamptz;
BEGIN
  FOR r IN SELECT * FROM requirement LOOP
    FOREACH k IN ARRAY ARRAY[5, 10, 20, 50, 100, 200, 500, 1000] LOOP
      SELECT array_agg(DISTINCT c) INTO columns FROM unnest(r.qids) q, string_to_table(q, ' ') c;
      started := clock_timestamp();
      summary := tds_anonymize('adult', 'bench_adult',
        (SELECT array_agg(k_anonymity(string_to_array(q, ' '), k)) FROM unnest(r.qids) q), class => 'income',
        masking => (SELECT array_agg(by_taxonomy(c, ('tax_' || c)::regclass)) FROM unnest(columns) c
                    WHERE to_regclass('tax_' || c) IS NOT NULL));
      INSERT INTO result
      SELECT r.name, k, (summary ->> 'steps')::int, min(v.achieved), bool_and(v.holds),
             (summary #>> '{seconds,search}')::float8, extract(epoch FROM clock_timestamp() - started)
      FROM release_verify('bench_adult') v;
      PERFORM release_drop('bench_adult');
    END LOOP;
  END LOOP;
END $$;

SELECT name, k, steps, smallest, holds, round((search * 1000)::numeric, 1) AS search_ms,
       round((total * 1000)::numeric) AS total_ms FROM result ORDER BY array_position(
  ARRAY['top 5', 'top 7', 'top 9', 'all 14', 'five overlapping'], name), k;
