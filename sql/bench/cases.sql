-- What benchmarks begin with: the table million; the releases that they make of a table like adult (k = 50 but where it is asked for; every column is
-- released, those that are not masked as they are) and a function that makes one; a procedure that measures. Included by the benchmarks beside it.

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
\ir blow_up.sql

CREATE TABLE bench_case (name text PRIMARY KEY, models text);
INSERT INTO bench_case VALUES
  ('9 columns', $$k_anonymity(ARRAY['capital_gain', 'age', 'marital_status', 'education_num', 'relationship', 'hours_per_week', 'sex', 'education', 'occupation'], %1$s)$$),
  ('14 columns', $$k_anonymity(ARRAY['age', 'workclass', 'fnlwgt', 'education', 'education_num', 'marital_status', 'occupation', 'relationship',
                                   'race', 'sex', 'capital_gain', 'capital_loss', 'hours_per_week', 'native_country'], %1$s)$$),
  ('five overlapping', $$k_anonymity(ARRAY['age', 'workclass', 'education', 'marital_status'], %1$s),
                         k_anonymity(ARRAY['education', 'marital_status', 'occupation', 'relationship'], %1$s),
                         k_anonymity(ARRAY['occupation', 'relationship', 'race', 'sex', 'age'], %1$s),
                         k_anonymity(ARRAY['race', 'sex', 'hours_per_week', 'native_country'], %1$s),
                         k_anonymity(ARRAY['capital_gain', 'hours_per_week', 'age', 'education_num'], %1$s)$$),
  ('PDA', $$confidence_bound(ARRAY['workclass', 'education', 'occupation', 'relationship', 'race', 'sex', 'native_country'], 'marital_status', NULL, 0.9)$$);

CREATE FUNCTION bench_release(name text, source regclass, k int DEFAULT 50, recoding text DEFAULT 'global',
                              keeps boolean DEFAULT true) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  models privacy_model[];
  columns text[];
  trees masking[];
  kept text[];
BEGIN
  EXECUTE (SELECT format('SELECT ARRAY[' || c.models || ']', k) FROM bench_case c WHERE c.name = bench_release.name) INTO models;
  SELECT array_agg(DISTINCT q) INTO columns FROM unnest(models) m,
    jsonb_array_elements_text(coalesce(m::text::jsonb #> '{k_anonymity,quasi_identifier}', m::text::jsonb #> '{confidence_bound,inference_channel}')) q;
  SELECT array_agg(attname::text ORDER BY attnum) INTO kept FROM pg_attribute
  WHERE attrelid = source AND attnum > 0 AND attname <> ALL (columns || '{income}' || CASE name WHEN 'PDA' THEN '{marital_status}' ELSE '{}' END::text[]);
  IF name = 'PDA' THEN
    RETURN pda_anonymize(source, 'bench', models, class => 'income', keep => coalesce(kept, '{}'));
  END IF;
  SELECT array_agg(by_taxonomy(q, ('tax_' || q)::regclass)) INTO trees FROM unnest(columns) q WHERE to_regclass('tax_' || q) IS NOT NULL;
  RETURN tds_anonymize(source, 'bench', models, class => 'income', masking => trees, keep => CASE WHEN keeps THEN coalesce(kept, '{}') ELSE '{}' END, recoding => recoding);
END $$;

CREATE TABLE measured (what text, run int, seconds float8, base float8, phases jsonb);

-- A statement's seconds, and CREATE TABLE AS of a table just before it.
CREATE PROCEDURE measure(what text, statement text, source text DEFAULT 'million', runs int DEFAULT 5) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz;
  copied float8;
  summary jsonb;
BEGIN
  FOR run IN 1..runs LOOP
    started := clock_timestamp();
    EXECUTE format('CREATE TABLE copy AS SELECT * FROM %I', source);
    copied := extract(epoch FROM clock_timestamp() - started);
    DROP TABLE copy;
    COMMIT;
    started := clock_timestamp();
    EXECUTE statement INTO summary;
    INSERT INTO measured VALUES (what, run, extract(epoch FROM clock_timestamp() - started), copied, summary -> 'seconds');
    COMMIT;
    IF to_regnamespace('bench') IS NOT NULL AND what !~ '^refresh' THEN
      PERFORM release_drop('bench');
    END IF;
    COMMIT;
  END LOOP;
END $$;
