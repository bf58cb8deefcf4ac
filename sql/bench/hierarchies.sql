-- make bench-hierarchies: greedy k-member clustering of Adult (age, education_num, hours_per_week)
-- for k = 2, 4, ..., 20 along five kinds of hierarchies and without, and what each loses
-- (Campan, Cooper, Truta 2011, Figures 3 and 4).

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
\ir ../examples/hierarchies.sql

CREATE TEMP TABLE result (method text, k int, seconds float8, measure text, value float8);
DO $$
DECLARE
  method text;
  k int;
  masking masking[];
  summary jsonb;
BEGIN
  FOREACH method IN ARRAY ARRAY['free', 'iotf', 'otf', 'chu', 'predefined', 'han'] LOOP
    SELECT CASE WHEN method = 'free' THEN '{}'
                ELSE array_agg(by_taxonomy(a, (method || '_' || a)::regclass)) END
    INTO masking FROM unnest(ARRAY['age', 'education_num', 'hours_per_week']) a;
    FOR k IN SELECT generate_series(2, 20, 2) LOOP
      SET LOCAL client_min_messages = error;
      summary := kmember_anonymize('adult', 'bench_hierarchies', ARRAY['age', 'education_num', 'hours_per_week'],
                                   k, masking, endpoints => 'values');
      INSERT INTO result
      SELECT method, k, (summary #>> '{seconds,search}')::float8, m.measure, m.value
      FROM release_measures('bench_hierarchies') m
      WHERE m.measure IN ('ntil', 'nil_1', 'nil_inf', 'discernibility', 'avg');
      PERFORM release_drop('bench_hierarchies');
    END LOOP;
  END LOOP;
END $$;

\echo 'measure, by k (down) and method (across); best of the hierarchies marked'
SELECT measure, k, round(free::numeric, 4) AS free, round(iotf::numeric, 4) AS iotf, round(otf::numeric, 4) AS otf,
       round(chu::numeric, 4) AS chu, round(predefined::numeric, 4) AS predefined, round(han::numeric, 4) AS han,
       best AS best_hierarchy
FROM (SELECT measure, k,
             min(value) FILTER (WHERE method = 'free') AS free, min(value) FILTER (WHERE method = 'iotf') AS iotf,
             min(value) FILTER (WHERE method = 'otf') AS otf, min(value) FILTER (WHERE method = 'chu') AS chu,
             min(value) FILTER (WHERE method = 'predefined') AS predefined,
             min(value) FILTER (WHERE method = 'han') AS han,
             (array_agg(method ORDER BY value, method) FILTER (WHERE method <> 'free'))[1] AS best
      FROM result GROUP BY measure, k) r
ORDER BY array_position(ARRAY['ntil', 'nil_1', 'nil_inf', 'discernibility', 'avg'], measure), k;

\echo 'how often each hierarchy is best, of ten'
SELECT measure, count(*) FILTER (WHERE best = 'iotf') AS iotf, count(*) FILTER (WHERE best = 'otf') AS otf,
       count(*) FILTER (WHERE best = 'chu') AS chu, count(*) FILTER (WHERE best = 'predefined') AS predefined,
       count(*) FILTER (WHERE best = 'han') AS han
FROM (SELECT measure, k, (array_agg(method ORDER BY value, method))[1] AS best FROM result
      WHERE method <> 'free' GROUP BY measure, k) r GROUP BY measure ORDER BY measure;

\echo 'seconds of a clustering'
SELECT method, round(min(seconds)::numeric, 2) AS least, round(avg(seconds)::numeric, 2) AS mean,
       round(max(seconds)::numeric, 2) AS most FROM result GROUP BY method ORDER BY method;
