-- What a refresh costs beside the first call, 1 % of the rows changed before: by replay, by a search, and by replay in batches, of
-- nine masked columns and all others kept; and in batches of the nine columns and the class alone. On Adult's 45,222 rows and on a
-- million (Adult blown up as in TDS section 6.3), CREATE TABLE AS SELECT * of the same table just before each. Aggregates through the
-- view of a release with two versions beside the same on the version's own table, with and without parallel workers. Medians of five.
--
--   scripts/bench.sh sql/bench/refresh.sql

\ir cases.sql

CREATE TEMP TABLE timing (rows text, what text, run int, seconds float8, phases jsonb);
-- Runs a statement that gives a summary, or nothing, and notes what it took.
CREATE PROCEDURE pg_temp.timed(rows text, run int, what text, statement text) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz := clock_timestamp();
  summary jsonb;
BEGIN
  IF statement LIKE 'SELECT%' THEN
    EXECUTE statement INTO summary;
  ELSE
    EXECUTE statement;
  END IF;
  INSERT INTO timing VALUES (rows, what, run, extract(epoch FROM clock_timestamp() - started), summary -> 'seconds');
  COMMIT;
END $$;
DO $$
DECLARE
  source text;
  changed text;
BEGIN
  FOREACH source IN ARRAY ARRAY['adult', 'million'] LOOP
    -- The same rows would make no version.
    changed := format('UPDATE %I SET age = 17 + (age - 16) %% 74 WHERE random() < 0.01', source);
    FOR run IN 1..5 LOOP
      CALL pg_temp.timed(source, run, 'CREATE TABLE AS', format('CREATE TABLE copy AS SELECT * FROM %I', source));
      DROP TABLE copy;
      CALL pg_temp.timed(source, run, 'first call', format('SELECT bench_release(''9 columns'', %L)', source));
      EXECUTE changed;
      CALL pg_temp.timed(source, run, 'refresh by replay', 'SELECT release_refresh(''bench'')');
      EXECUTE changed;
      CALL pg_temp.timed(source, run, 'refresh by a search', 'SELECT release_refresh(''bench'', mode => ''search'')');
      PERFORM release_alter('bench', changes => 'batched');
      EXECUTE changed;
      CALL pg_temp.timed(source, run, 'refresh in batches', 'SELECT release_refresh(''bench'')');
      CALL pg_temp.timed(source, run, 'rewind', 'SELECT release_rewind(''bench'', 3)');
      PERFORM release_drop('bench');
      PERFORM bench_release('9 columns', source, keeps => false);
      PERFORM release_alter('bench', changes => 'batched');
      COMMIT;
      EXECUTE changed;
      CALL pg_temp.timed(source, run, 'in batches, nothing kept', 'SELECT release_refresh(''bench'')');
      PERFORM release_drop('bench');
      COMMIT;
    END LOOP;
  END LOOP;
END $$;
\pset footer on
SELECT rows, t.what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t.seconds)::numeric, 3) AS seconds,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY t.seconds / c.seconds))::numeric, 2) AS by_ctas,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY t.seconds / f.seconds))::numeric, 2) AS by_first_call,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (t.phases ->> 'scan')::float8))::numeric, 3) AS scan,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (t.phases ->> 'search')::float8))::numeric, 3) AS search,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (t.phases ->> 'materialize')::float8))::numeric, 3) AS materialize,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY (t.phases ->> 'verify')::float8))::numeric, 3) AS verify
FROM timing t JOIN timing c USING (rows, run) JOIN timing f USING (rows, run)
WHERE c.what = 'CREATE TABLE AS' AND f.what = 'first call' GROUP BY rows, t.what ORDER BY rows, min(t.seconds);

SELECT bench_release('9 columns', 'million') \g /dev/null
SELECT release_refresh('bench', 'search') \g /dev/null
VACUUM ANALYZE;
CREATE TEMP TABLE reading (workers int, query text, run int, bare float8, view float8);
DO $$
DECLARE
  started timestamptz;
  queries text[] := ARRAY['SELECT count(*) FROM %s', 'SELECT income, count(*), avg(fnlwgt) FROM %s GROUP BY income',
                          'SELECT education, sex, count(*) FROM %s GROUP BY 1, 2', 'SELECT sum(fnlwgt) FROM %s WHERE sex = ''Male'' AND age LIKE ''[%%''',
                          'SELECT max(workclass || education || occupation) FROM %s'];
  query text;
  bare float8;
BEGIN
  FOREACH query IN ARRAY queries LOOP
    FOR workers IN 0..2 BY 2 LOOP
      PERFORM set_config('max_parallel_workers_per_gather', workers::text, true);
      FOR run IN 1..7 LOOP
        started := clock_timestamp();
        EXECUTE format(query, 'bench_private.rows_v2');
        bare := extract(epoch FROM clock_timestamp() - started);
        started := clock_timestamp();
        EXECUTE format(query, 'bench.million');
        INSERT INTO reading VALUES (workers, format(query, 'view'), run, bare, extract(epoch FROM clock_timestamp() - started));
      END LOOP;
    END LOOP;
  END LOOP;
END $$;
SELECT workers, query, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY bare)::numeric * 1000) AS bare_ms,
       round(percentile_cont(0.5) WITHIN GROUP (ORDER BY view)::numeric * 1000) AS view_ms,
       round((percentile_cont(0.5) WITHIN GROUP (ORDER BY view / bare))::numeric, 2) AS ratio
FROM reading GROUP BY 1, 2 ORDER BY 2, 1;
SELECT release_drop('bench') \g /dev/null
