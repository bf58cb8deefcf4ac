-- Seconds of a call against rows and against k: nine columns of a table like adult (blown up as in TDS section 6.3), every phase, and CREATE TABLE AS
-- SELECT * of the same rows; medians of three. LARGE=1: up to ten million rows. scripts/plot.sh draws what this writes.
--
--   scripts/bench.sh sql/bench/curves.sql && scripts/plot.sh target/curves.csv docs

\ir cases.sql

CREATE PROCEDURE sized(n int) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE sized AS SELECT m.* FROM million m, generate_series(1, %s) LIMIT %s', 1 + (n - 1) / 1000000, n);
  COMMIT;
  CALL measure('rows ' || n, 'SELECT bench_release(''9 columns'', ''sized'')', 'sized', 3);
  DROP TABLE sized;
END $$;
SELECT format('CALL sized(%s)', n) FROM unnest(ARRAY[10000, 30000, 100000, 300000, 1000000] || CASE WHEN :large = 1 THEN ARRAY[3000000, 10000000] ELSE '{}' END) n \gexec
SELECT format('CALL measure(%L, %L, runs => 3)', 'k ' || k, format('SELECT bench_release(''9 columns'', ''million'', %s)', k)) FROM unnest(ARRAY[2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000]) k \gexec
CREATE TABLE curve AS
SELECT split_part(m.what, ' ', 1) AS of, split_part(m.what, ' ', 2)::int AS x, p.what, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY p.seconds)::numeric, 4) AS seconds
FROM measured m, LATERAL (SELECT 'CREATE TABLE AS', m.base UNION ALL SELECT 'whole call', m.seconds UNION ALL SELECT key, value::float8 FROM jsonb_each_text(m.phases)) p (what, seconds)
GROUP BY 1, 2, 3;
SELECT * FROM curve ORDER BY of DESC, what, x;
\copy (SELECT * FROM curve ORDER BY of, what, x) TO target/curves.csv (FORMAT csv, HEADER)
