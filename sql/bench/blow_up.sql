-- Makes the table million of the table adult, as in TDS section 6.3: each further row is a row of Adult with a random number of columns
-- set to random values of their domains. Included by the benchmarks beside it.

SELECT setseed(0.42) \g /dev/null

DO $$
DECLARE
  names text[] := ARRAY(SELECT attname FROM pg_attribute WHERE attrelid = 'adult'::regclass AND attnum > 0
                        AND attname <> 'income' ORDER BY attnum);
  domains text := '';
  picked text := '';
  name text;
BEGIN
  FOREACH name IN ARRAY names LOOP
    domains := domains || format(', ARRAY(SELECT DISTINCT %1$I FROM adult) AS d_%1$s', name);
    picked := picked || format('CASE WHEN random() < share THEN d_%1$s[1 + floor(random() * cardinality(d_%1$s))::int] ELSE %1$I END, ', name);
  END LOOP;
  CREATE TABLE million AS SELECT * FROM adult;
  EXECUTE format('INSERT INTO million SELECT %s income FROM (SELECT a.*, (1 + floor(random() * 14)) / 14.0 AS share
                  FROM adult a, generate_series(1, 22) OFFSET 0) rows, (SELECT %s) domains LIMIT 1000000 - 45222',
                 picked, substr(domains, 3));
END $$;
VACUUM ANALYZE million;
