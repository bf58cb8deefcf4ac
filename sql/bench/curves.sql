-- Seconds of a call against rows and against k: nine columns of a table like adult (blown up as in TDS section 6.3), every phase, and CREATE TABLE AS
-- SELECT * of the same rows; medians of three. With -v large=1 up to ten million rows. scripts/plot.sh draws what this writes.
--
--   scripts/bench.sh sql/bench/curves.sql && scripts/plot.sh target/curves.csv docs

\set QUIET on
\pset footer off
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pg_topdown;
\ir blow_up.sql
\ir cases.sql

CREATE TABLE curve (of text, x int, run int, what text, seconds float8);
CREATE PROCEDURE point(of text, x int, source text, k int) LANGUAGE plpgsql AS $$
DECLARE
  started timestamptz;
  summary jsonb;
BEGIN
  FOR run IN 1..3 LOOP
    started := clock_timestamp();
    EXECUTE format('CREATE TABLE copy AS SELECT * FROM %I', source);
    INSERT INTO curve VALUES (of, x, run, 'CREATE TABLE AS', extract(epoch FROM clock_timestamp() - started));
    DROP TABLE copy;
    COMMIT;
    started := clock_timestamp();
    summary := bench_release('9 columns', source::regclass, k);
    INSERT INTO curve VALUES (of, x, run, 'whole call', extract(epoch FROM clock_timestamp() - started));
    INSERT INTO curve SELECT of, x, run, key, value::float8 FROM jsonb_each_text(summary -> 'seconds');
    COMMIT;
    PERFORM release_drop('bench');
    COMMIT;
  END LOOP;
END $$;
CREATE PROCEDURE sized(n int) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE sized_%s AS SELECT m.* FROM million m, generate_series(1, %s) LIMIT %1$s', n, 1 + n / 1000001);
  COMMIT;
  CALL point('rows', n, 'sized_' || n, 50);
  EXECUTE format('DROP TABLE sized_%s', n);
END $$;
SELECT format('CALL sized(%s)', n) FROM unnest(ARRAY[10000, 30000, 100000, 300000, 1000000] || CASE WHEN :large = 1 THEN ARRAY[3000000, 10000000] ELSE '{}' END) n \gexec
SELECT format('CALL point(%L, %s, %L, %s)', 'k', k, 'million', k) FROM unnest(ARRAY[2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000]) k \gexec
SELECT of, x, what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 4) AS seconds FROM curve GROUP BY 1, 2, 3 ORDER BY 1 DESC, 3, 2;
\copy (SELECT of, x, what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 4) AS seconds FROM curve GROUP BY 1, 2, 3 ORDER BY 1, 3, 2) TO target/curves.csv (FORMAT csv, HEADER)
