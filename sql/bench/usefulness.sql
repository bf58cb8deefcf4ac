-- How much releases of Adult (45,222 rows, class income) still say, by score, split and the share that may be withheld: the mean certainty loss over four
-- quasi-identifiers and seven k, and the search's seconds. Trees are those in tables tax_<column>, or another prefix.
--
--   scripts/bench.sh sql/bench/usefulness.sql

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
\if :{?trees} \else \set trees tax \endif

CREATE TEMP TABLE requirement (name text, columns text[]);
INSERT INTO requirement VALUES
  ('top 5', '{capital_gain,age,marital_status,education_num,relationship}'),
  ('top 7', '{capital_gain,age,marital_status,education_num,relationship,hours_per_week,sex}'),
  ('top 9', '{capital_gain,age,marital_status,education_num,relationship,hours_per_week,sex,education,occupation}'),
  ('nine', '{age,workclass,education,marital_status,occupation,relationship,race,sex,native_country}');
CREATE TEMP TABLE variant (score text, split text, withhold float8);
INSERT INTO variant VALUES ('tds', 'optimal', 0), ('tds', 'valid', 0), ('conditional', 'optimal', 0), ('conditional', 'valid', 0),
  ('conditional', 'valid', 0.005), ('conditional', 'valid', 0.01);
CREATE TEMP TABLE result (score text, split text, withhold float8, name text, k int, steps int, certainty_loss float8, search float8);
SELECT set_config('bench.trees', :'trees', false) \gset

DO $$
DECLARE
  v variant;
  r requirement;
  k int;
  summary jsonb;
BEGIN
  FOR v IN SELECT * FROM variant LOOP
    FOR r IN SELECT * FROM requirement LOOP
      FOREACH k IN ARRAY ARRAY[10, 20, 50, 100, 200, 500, 1000] LOOP
        summary := tds_anonymize('adult', 'bench_adult', ARRAY[k_anonymity(r.columns, k)], class => 'income', score => v.score, split => v.split, withhold => v.withhold,
          masking => (SELECT array_agg(by_taxonomy(c, tree)) FROM unnest(r.columns) c, to_regclass(current_setting('bench.trees') || '_' || c) tree
                      WHERE tree IS NOT NULL));
        INSERT INTO result
        SELECT v.score, v.split, v.withhold, r.name, k, (summary ->> 'steps')::int, value, (summary #>> '{seconds,search}')::float8
        FROM release_measures('bench_adult') WHERE measure = 'normalized_certainty_penalty';
        PERFORM release_drop('bench_adult');
      END LOOP;
    END LOOP;
  END LOOP;
END $$;

SELECT score, split, withhold, coalesce(name, 'all') AS columns, round(avg(certainty_loss)::numeric, 4) AS certainty_loss,
       round(avg(steps), 1) AS steps, round(avg(search * 1000)::numeric, 1) AS search_ms
FROM result GROUP BY score, split, withhold, ROLLUP (name)
ORDER BY score = 'conditional', split = 'valid', withhold, array_position(ARRAY['top 5', 'top 7', 'top 9', 'nine'], name);
