-- Maskings of kept columns: rounded, top_coded and microaggregated, counted by hand and by plain SQL, through a release's whole life.
SET client_min_messages TO notice;
CREATE SCHEMA kept_maskings;
SET search_path TO kept_maskings, public;
SET timezone = 'UTC';
SET check_function_bodies = off;
CREATE TABLE people AS SELECT nr, CASE WHEN nr <= 6 THEN 'north' ELSE 'south' END AS city, pay, nr % 2 AS sex, 10 * nr AS weight
  FROM unnest('{10,20,30,40,50,1000,1,2,3,4,5,6}'::int[]) WITH ORDINALITY u (pay, nr);
\set city 'k_anonymity(ARRAY[''city''], 3)'

-- By hand: of each city the sorted pays, three at a time; (40 + 50 + 1000) / 3 = 363.33. Sums are those of the source but for the rounding of the mean.
SELECT tds_anonymize('people', 'r', :city, masking => microaggregated('pay', 3), keep => ARRAY['pay']) -> 'kept_at_risk' AS kept_at_risk;
SELECT city, pay, count(*) FROM r.people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS comment FROM pg_attribute a WHERE a.attrelid = 'r.people'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT release_report('r', 'recipient') LIKE '%Kept columns%each value is the mean of several rows%' AS reported, release_report('r') LIKE '%Columns released unchanged%' AS unchanged;
SELECT release_drop('r');
-- Six rows are one run of four or more: there are no two.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 6), masking => microaggregated('pay', 4), keep => ARRAY['pay']) -> 'kept_at_risk' AS kept_at_risk;
SELECT city, pay, count(*) FROM r.people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');
-- Rounded to 25: 10 and less is 0, 20 and 30 are 25, 40 and 50 are 50. Top-coded above 40: 50 and 1000 are two rows, which is too few.
SELECT tds_anonymize('people', 'r', :city, masking => rounded('pay', '25'), keep => ARRAY['pay']) -> 'kept_at_risk' AS kept_at_risk;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', :city, masking => top_coded('pay', '40'), keep => ARRAY['pay']);
SELECT tds_anonymize('people', 'r', :city, masking => top_coded('pay', '35'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- Above 30 lie three rows, above 40 two; nothing lies above 1000.
SELECT tds_anonymize('people', 'r', :city, masking => top_coded('pay'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', :city, masking => top_coded('pay', '1000'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT model, required, achieved, holds FROM release_verify('r') OFFSET 1;
SELECT release_drop('r');

-- Two columns share their runs: each by itself would have runs of its own.
CREATE TABLE pairs AS SELECT nr, 1 AS all_one, a, b FROM unnest('{1,2,9,8,2,1,8,9}'::int[], '{5,6,5,6,95,96,95,96}'::int[]) WITH ORDINALITY u (a, b, nr);
SELECT tds_anonymize('pairs', 'r', k_anonymity(ARRAY['all_one'], 2), masking => ARRAY[microaggregated('a', 2), microaggregated('b', 2)], keep => ARRAY['a', 'b']) -> 'kept_at_risk' AS kept_at_risk;
SELECT a, b, count(*) FROM r.pairs GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');
-- One asks for more rows than the other: both have them.
SELECT tds_anonymize('pairs', 'r', k_anonymity(ARRAY['all_one'], 4), masking => ARRAY[microaggregated('a', 2), microaggregated('b', 4)], keep => ARRAY['a', 'b']) -> 'kept_at_risk' AS kept_at_risk;
SELECT a, b, count(*) FROM r.pairs GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');

-- NULLs: three of them are enough; to one, two rows of the greatest values come, and a sum is less.
UPDATE people SET pay = NULL WHERE nr IN (1, 2, 3, 12);
SELECT tds_anonymize('people', 'r', :city, masking => microaggregated('pay', 3), keep => ARRAY['pay']) -> 'kept_at_risk' AS kept_at_risk;
SELECT city, pay, count(*) FROM r.people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
UPDATE people SET pay = nr WHERE pay IS NULL;
-- What is infinite or no number stays, where there is enough of it.
ALTER TABLE people ALTER pay TYPE float8;
UPDATE people SET pay = 'NaN' WHERE nr IN (1, 2, 3);
UPDATE people SET pay = 'infinity' WHERE nr IN (10, 11);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 3), masking => microaggregated('pay', 2), keep => ARRAY['pay']) -> 'version' AS version;
SELECT city, pay, count(*) FROM r.people GROUP BY 1, 2 ORDER BY 1, 2;
SELECT bool_and(holds) AS holds FROM release_verify('r');
SELECT release_drop('r');
-- Infinity of few rows is shown as the mean of the others, which is of enough; NaN lies nowhere: (1000 + 50 + 60) / 3.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 3), masking => top_coded('pay', '45'), keep => ARRAY['pay']);
UPDATE people SET pay = 60 WHERE nr = 11;
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 3), masking => top_coded('pay', '45'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r') OFFSET 1;
SELECT release_drop('r');
-- Of enough rows it stays, and the greatest number is no row's.
UPDATE people SET pay = 'infinity' WHERE nr IN (10, 11, 4, 5);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 3), masking => top_coded('pay'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r') OFFSET 1;
SELECT release_drop('r');
UPDATE people SET pay = 4 WHERE nr IN (4, 5);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 3), masking => rounded('pay', '0.4'), keep => ARRAY['pay']) -> 'version' AS version;
SELECT pay, count(*) FROM r.people GROUP BY 1 ORDER BY 1;
SELECT model, required, achieved, holds FROM release_verify('r') OFFSET 1;
SELECT release_drop('r');
DROP TABLE people;

-- All types, against plain SQL.
CREATE TABLE people AS
SELECT i AS nr, (i * 31) % 4 AS city, ((i * 7919) % 60 - 20)::int2 AS small, 1000 + (i * i) % 777 AS income, ((i * 31) % 5000)::int8 * 1000000007 AS large, round((i * 7 % 1013) / 7.0, 3) AS price,
  (((i * 7 % 1013) - 400) / 8.0)::numeric(8, 2) AS amount, ((i * 13 % 997) / 8.0)::float8 AS weight, ((i * 3 % 211) / 10.0)::float4 AS dose, date '1950-01-01' + (i * 37) % 20000 AS born,
  timestamp '1998-01-01' + (i * 101 % 5003) * interval '1.75 hours' AS seen, timestamptz '1999-12-25' + (i * 59 % 3001) * interval '301 seconds' AS called
FROM generate_series(1, 600) i;
\set all 'ARRAY[''nr'', ''small'', ''income'', ''large'', ''price'', ''amount'', ''weight'', ''dose'', ''born'', ''seen'', ''called'']'
\set four 'k_anonymity(ARRAY[''city''], 20)'
SELECT tds_anonymize('people', 'r', :four, keep => :all, masking => ARRAY[rounded('small', '7'), rounded('income', '100'), rounded('large', '5000000000'), rounded('price', '0.25'), rounded('amount', '2.5'),
  rounded('weight', '0.1'), rounded('dose', '1.5'), rounded('born', '3 months'), rounded('seen', '1 year'), rounded('called', '15 minutes')]) -> 'version' AS version;
SELECT count(*) AS rows, count(*) FILTER (WHERE r.small <> round(s.small / 7.0) * 7) AS small, count(*) FILTER (WHERE r.income <> round(s.income, -2)) AS income, count(*) FILTER (WHERE r.large <> round(s.large / 5e9) * 5e9) AS large,
  count(*) FILTER (WHERE r.price <> round(s.price * 4) / 4) AS price, count(*) FILTER (WHERE r.amount <> round(s.amount / 2.5) * 2.5) AS amount, count(*) FILTER (WHERE r.weight <> round(s.weight::numeric, 1)::float8) AS weight,
  count(*) FILTER (WHERE r.dose <> (round(s.dose::text::numeric / 1.5) * 1.5)::float4) AS dose, count(*) FILTER (WHERE r.born <> date_trunc('quarter', s.born)::date) AS born,
  count(*) FILTER (WHERE r.seen <> date_trunc('year', s.seen)) AS seen, count(*) FILTER (WHERE r.called <> date_bin('15 minutes', s.called, '2000-01-01')) AS called
FROM r.people r JOIN people s USING (nr);
SELECT count(*), bool_and(holds) AS holds, max(achieved) FILTER (WHERE required = 0) AS wrong FROM release_verify('r');
-- A value that somebody has changed is found.
SELECT 'r_private.rows_v' || version AS written FROM r.about \gset
CREATE FUNCTION found(change text) RETURNS TABLE (masking text, achieved float8) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE change;
  RETURN QUERY SELECT v.model::text::jsonb -> 'kept' ->> 'column', v.achieved FROM release_verify('r') v WHERE NOT v.holds;
  RAISE EXCEPTION USING MESSAGE = 'undone';
EXCEPTION WHEN raise_exception THEN
END $$;
SELECT c AS changed, (SELECT array_agg(f.masking || ' ' || f.achieved) FROM found(format('UPDATE %s SET %I = %s WHERE nr < 4', :'written', c, v)) f) AS found
FROM unnest(ARRAY['small', 'income', 'large', 'price', 'amount', 'weight', 'dose', 'born', 'born', 'seen', 'seen', 'called'], ARRAY['8', '1', '1', '0.3', '2.6', '0.15', '2', '''2000-01-02''', '''2000-02-01''', '''2000-01-01 01:00''', '''2000-02-01''', '''2000-01-01 00:14''']) u (c, v);
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', :four, keep => :all, masking => ARRAY[rounded('born', '7 days'), rounded('seen', '1 week'), rounded('called', '5 months'), rounded('price', '1e1')]) -> 'version' AS version;
SELECT count(*) FILTER (WHERE r.born <> date_bin('7 days', s.born, '2000-01-01')::date) AS born, count(*) FILTER (WHERE r.seen <> date_bin('7 days', s.seen, '2000-01-01')) AS seen, count(DISTINCT r.called) AS called, min(r.called),
  count(*) FILTER (WHERE r.price <> round(s.price, -1)) AS price FROM r.people r JOIN people s USING (nr);
SELECT bool_and(holds) AS holds FROM release_verify('r');
SELECT release_drop('r');

-- Means of runs: three rows at a time in order, the last run with what is left over. Of equal values none is in two runs, so only columns without them are counted so.
CREATE FUNCTION by_runs(attr text, m int) RETURNS TABLE (attribute text, runs bigint, differ bigint) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format('WITH o AS (SELECT s.nr, s.city, s.%1$I AS v, row_number() OVER w AS place, count(*) OVER (PARTITION BY s.city) AS n FROM people s WINDOW w AS (PARTITION BY s.city ORDER BY s.%1$I)),
      r AS (SELECT o.*, least((place - 1) / %2$s, n / %2$s - 1) AS run FROM o), m AS (SELECT r.city, r.run, avg(r.v) AS mean FROM r GROUP BY 1, 2)
    SELECT %1$L, (SELECT count(*) FROM m), count(*) FILTER (WHERE abs(k.%1$I - m.mean) > 0.0005) FROM r JOIN m USING (city, run) JOIN r.people k ON k.nr = r.nr', attr, m);
END $$;
SELECT tds_anonymize('people', 'r', :four, keep => :all, masking => microaggregated('price', 7)) -> 'version' AS version;
SELECT * FROM by_runs('price', 7);
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', :four, keep => :all, masking => ARRAY[microaggregated('small', 3), microaggregated('income', 3), microaggregated('large', 3), microaggregated('price', 3), microaggregated('amount', 3),
  microaggregated('weight', 3), microaggregated('dose', 3), microaggregated('born', 3), microaggregated('seen', 3), microaggregated('called', 3)]) -> 'version' AS version;
SELECT min(n) >= 3 AS three, max(n) <= 5 AS no_more FROM (SELECT count(*) AS n FROM r.people GROUP BY city, small, income, large, price, amount, weight, dose, born, seen, called) g;
CREATE FUNCTION apart(attr text, most float8, number text DEFAULT '%s') RETURNS TABLE (attribute text, within boolean) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format('SELECT %1$L, max(abs(r.mean - s.mean)) <= %2$s FROM (SELECT city, avg(%3$s) AS mean FROM r.people GROUP BY 1) r JOIN (SELECT city::text AS city, avg(%3$s) AS mean FROM people GROUP BY 1) s USING (city)',
    attr, most, format(number, quote_ident(attr)));
END $$;
SELECT a.* FROM unnest(ARRAY['small', 'income', 'large', 'price', 'amount', 'weight', 'dose'], ARRAY[0.5, 0.5, 0.5, 0.000005, 0.005, 0.000005, 0.0005]) u (c, most), apart(c, most) a;
SELECT * FROM apart('born', 0.5, $$%s - date '2000-01-01'$$) UNION ALL SELECT * FROM apart('seen', 0.000001, 'extract(epoch FROM %s)') UNION ALL SELECT * FROM apart('called', 0.000001, 'extract(epoch FROM %s)');
SELECT bool_and(holds) AS holds, count(*) FILTER (WHERE required = 3) AS columns, min(achieved) FILTER (WHERE required = 3) >= 3 AS three FROM release_verify('r');
SELECT 'r_private.rows_v' || version AS written FROM r.about \gset
SELECT c AS changed, (SELECT array_agg(f.masking || ' ' || f.achieved) FROM found(format('UPDATE %s SET %I = %s WHERE nr = 4', :'written', c, v)) f) AS found
FROM unnest(ARRAY['small', 'price', 'weight', 'born', 'called'], ARRAY['88', 'NULL', '''NaN''', '''2100-01-01''', '''infinity''']) u (c, v);
SELECT release_drop('r');

-- Every recoding; local groups and clusters are classes, too.
CREATE FUNCTION life() RETURNS TABLE (runs boolean, sums boolean, holds boolean) LANGUAGE sql AS $$
  SELECT (SELECT min(n) >= 5 FROM (SELECT count(*) AS n FROM r.people GROUP BY small, born, income, price) g),
         (SELECT max(abs(p.price)) < 0.001 FROM (SELECT sum(r.price - s.price) AS price FROM r.people r JOIN people s USING (nr) GROUP BY r.small, r.born) p),
         (SELECT bool_and(v.holds) FROM release_verify('r') v) $$;
\set micro 'ARRAY[microaggregated(''income'', 5), microaggregated(''price'', 5)]'
\set two 'ARRAY[''small'', ''born'']'
\set keep 'ARRAY[''nr'', ''income'', ''price'']'
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), recoding => 'local', keep => :keep, masking => :micro) -> 'version' AS version;
SELECT * FROM life();
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), recoding => 'clustered', keep => :keep, masking => :micro) -> 'version' AS version;
SELECT * FROM life();
SELECT release_drop('r');
SELECT kmember_anonymize('people', 'r', :two, 5, keep => :keep, masking => :micro) -> 'version' AS version;
SELECT * FROM life();
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT * FROM life();
SELECT release_drop('r');
-- Local recoding asks every model of all groups; global recoding bounds classes by those over all masked columns only.
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['small'], 5), k_anonymity(ARRAY['born'], 5)], recoding => 'local', keep => :keep, masking => :micro) -> 'version' AS version;
SELECT * FROM life();
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['small'], 5), k_anonymity(ARRAY['born'], 5)], keep => :keep, masking => :micro);
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 4), keep => :keep, masking => :micro);
SELECT tds_anonymize('people', 'r', l_diversity(:two, 'dose', 4.5), keep => :keep, masking => :micro) -> 'version' AS version;
SELECT * FROM life();
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 8), keep => :keep, masking => :micro, withhold => 0.1) -> 'withheld' > '0' AS withheld;
SELECT * FROM life();
SELECT release_drop('r');

-- Rows of which there are several are counted where they lie: the same means.
CREATE TABLE often AS SELECT i % 3 AS city, i % 20 AS pay, i % 5 AS age FROM generate_series(1, 2000) i;
\set often 'ARRAY[top_coded(''pay'', ''12''), microaggregated(''age'', 200)]'
SET pg_topdown.scan = 'counts';
SELECT tds_anonymize('often', 'counted', k_anonymity(ARRAY['city'], 400), keep => '{pay,age}', masking => :often) -> 'kept_at_risk' AS kept_at_risk;
SET pg_topdown.scan = 'rows';
SELECT tds_anonymize('often', 'each', k_anonymity(ARRAY['city'], 400), keep => '{pay,age}', masking => :often) -> 'kept_at_risk' AS kept_at_risk;
RESET pg_topdown.scan;
SELECT count(*) AS differ FROM (TABLE counted.often EXCEPT ALL TABLE each.often) d;
-- 13 to 19, their mean is 16; ages of 133 rows each, in two runs of each city.
SELECT count(DISTINCT pay) AS pays, count(*) FILTER (WHERE pay > 12) AS above, max(pay), count(DISTINCT age) AS ages FROM counted.often;
SELECT release_drop('counted'), release_drop('each');

-- The mean of a run of two values is a count.
CREATE TABLE flags AS SELECT i % 2 AS city, (i % 25 = 0)::int AS flag FROM generate_series(1, 200) i;
SELECT tds_anonymize('flags', 'flagged', k_anonymity(ARRAY['city'], 20), keep => '{flag}', masking => microaggregated('flag', 20)) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('flagged');

-- What kept columns tell is counted of what is shown. The warning names what helps; where risk is refused, that is a way out.
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), keep => ARRAY['income', 'price']) -> 'kept_at_risk' > '0.5' AS much;
SELECT release_drop('r');
SET pg_topdown.kept = 'refuse';
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), keep => ARRAY['income', 'price']);
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), keep => ARRAY['income', 'price'], masking => :micro) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
RESET pg_topdown.kept;

-- A release's life: over other rows, rewound, from there again.
SELECT tds_anonymize('people', 'r', k_anonymity(:two, 5), masking => :micro || ARRAY[top_coded('amount', '65'), rounded('seen', '1 month')], keep => ARRAY['nr', 'income', 'price', 'amount', 'seen']) -> 'version' AS version;
SELECT * FROM life();
DELETE FROM people WHERE nr % 7 = 0;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT * FROM life();
SELECT jsonb_array_length(parameters -> 'masking') AS maskings FROM r_private.manifest WHERE current;
CREATE TEMP TABLE before_it AS TABLE r.people;
SELECT release_rewind('r', 1) -> 'version' AS version;
SELECT count(*) AS differ FROM r.people r JOIN before_it b USING (nr) WHERE (r.income, r.price, r.amount, r.seen) IS DISTINCT FROM (b.income, b.price, b.amount, b.seen);
SELECT runs, holds FROM life();
SELECT release_refresh('r', 'search') -> 'version' AS version;
SELECT * FROM life();
-- Fewer than five rows above a bound, at a refresh.
DELETE FROM people WHERE amount > 65 AND nr NOT IN (SELECT nr FROM people WHERE amount > 65 ORDER BY amount LIMIT 2);
SELECT release_refresh(public.again('r'));
SELECT release_alter('r', masking => top_coded('amount'));
SELECT release_alter('r', masking => top_coded('amount', '50')) -> 'version' AS version;
SELECT release_alter('r', masking => top_coded('amount', '51'));
SELECT * FROM life();
-- More rows of each mean are no less than before, fewer are, and so is none.
SELECT release_alter('r', masking => ARRAY[microaggregated('income', 4), microaggregated('price', 5)]);
SELECT release_alter('r', unmask => ARRAY['price']);
SELECT release_alter('r', privacy => k_anonymity(:two, 6), masking => ARRAY[microaggregated('income', 6), microaggregated('price', 6)]) -> 'version' AS version;
SELECT * FROM life();
SELECT release_alter('r', unmask => ARRAY['price'], allow_weaker => true) -> 'version' AS version;
-- Another masking of a masked column: those of kept columns stay.
SELECT release_alter('r', masking => by_suppression('small'), max_steps => 2) -> 'version' > '1' AS altered;
SELECT model, holds FROM release_verify('r');
-- Other rows get what they hold.
CREATE TABLE others AS SELECT * FROM people WHERE nr < 50;
SELECT release_apply('r', 'others', 'kept_maskings.applied') > 0 AS rows;
SELECT count(*) FILTER (WHERE a.income <> o.income) AS income, count(*) FILTER (WHERE a.seen <> o.seen) AS seen FROM applied a JOIN others o USING (nr);
SELECT count(*) > 0 AS exported FROM release_export('r') e WHERE e LIKE 'COMMENT ON COLUMN%the mean of several rows%';
SELECT release_report('r') LIKE '%the mean of several rows%' AS reported;
SELECT release_drop('r');

-- What searches only takes them, and does the same.
SELECT count(*) AS differ FROM (SELECT * FROM tds_steps('people', k_anonymity(:two, 5), masking => :micro, keep => :keep) EXCEPT SELECT * FROM tds_steps('people', k_anonymity(:two, 5), keep => :keep)) d;
SELECT count(*) > 0 AS tried, bool_and(call LIKE '%masking => ARRAY[microaggregated(''income'', m => 5), top_coded(''price'')%') AS named FROM release_suggest('people', k_anonymity(:two, 5), masking => ARRAY[microaggregated('income', 5), top_coded('price')], keep => :keep);
SELECT count(*) > 0 AS tried FROM tds_tradeoff('people', ARRAY[5, 10], k_anonymity(:two, 5), masking => :micro, keep => :keep);

-- What cannot be.
\set k 'k_anonymity(ARRAY[''city''], 5)'
SELECT rounded(NULL, '1');
SELECT rounded('price', NULL);
SELECT top_coded(NULL);
SELECT microaggregated('price', NULL);
SELECT microaggregated('price', 1);
SELECT tds_anonymize('people', 'r', :k, masking => rounded('price', '1'));
SELECT tds_steps('people', :k, masking => rounded('price', '1'));
SELECT tds_anonymize('people', 'r', :k, masking => rounded('nothing', '1'), keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => rounded('city', '1'), keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => ARRAY[rounded('price', '1'), top_coded('price', '1')], keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => by_intervals('price'), keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => weighted(rounded('price', '1'), 2), keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => coarsest(rounded('price', '1'), 2), keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', :k, masking => rounded('price', '1'), class => 'price', keep => ARRAY['price']);
SELECT tds_anonymize('people', 'r', l_diversity(ARRAY['city'], 'price', 2), masking => rounded('price', '1'), keep => ARRAY['price']);
CREATE FUNCTION refused(by masking, attr text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  hint text;
BEGIN
  PERFORM tds_anonymize('people', 'r', k_anonymity(ARRAY['city'], 5), masking => by, keep => ARRAY[attr]);
  RETURN 'none';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN SQLSTATE || ': ' || message || coalesce(E'\n' || nullif(hint, ''), '');
END $$;
SELECT refused(rounded(c, s), c) FROM (VALUES ('price', '0'), ('price', '-1'), ('price', 'NaN'), ('price', 'ten'), ('income', '0.5'), ('amount', '0.005'), ('born', '10'), ('born', '1 month 1 day'), ('born', '12 hours'), ('born', '-1 day'), ('seen', '0')) u (c, s);
SELECT refused(top_coded(c, s), c) FROM (VALUES ('price', 'ten'), ('weight', 'NaN'), ('born', 'infinity'), ('income', '1.5')) u (c, s);
CREATE DOMAIN even AS int CHECK (value % 2 = 0);
ALTER TABLE people ADD note text DEFAULT 'x', ADD worth money DEFAULT 1, ADD span interval DEFAULT '1 day', ADD pairs even DEFAULT 2;
SELECT refused(by, c) FROM unnest('{note,worth,span,pairs}'::text[]) c, LATERAL (VALUES (rounded(c, '1')), (top_coded(c)), (microaggregated(c, 3))) u (by);
SELECT taxonomy_of(rounded('price', '1'), 'people');
SELECT tds_anonymize('people', 'r', ARRAY[:k, '{"kept": {"column": "price", "masking": {"top_coded": {"column_name": "price", "upper": null}}}}'::privacy_model]);
-- Beyond a type.
CREATE TABLE ends AS SELECT 1 AS one, 32767::int2 AS small, 999::numeric(3, 0) AS amount, date '4714-11-24 BC' AS born, timestamp '4714-11-24 BC' AS seen FROM generate_series(1, 5);
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => rounded('small', '1000'), keep => ARRAY['small']);
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => rounded('amount', '10'), keep => ARRAY['amount']);
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => rounded('born', '1 month'), keep => ARRAY['born']);
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => rounded('seen', '10 days'), keep => ARRAY['seen']);
-- Too few values, and none.
UPDATE ends SET small = NULL WHERE ctid > '(0,3)';
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => top_coded('small'), keep => ARRAY['small']);
UPDATE ends SET small = NULL;
SELECT tds_anonymize('ends', 'r', k_anonymity(ARRAY['one'], 5), masking => ARRAY[top_coded('small'), microaggregated('seen', 5)], keep => ARRAY['small', 'seen']) -> 'kept_at_risk' AS kept_at_risk;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT small, seen, count(*) FROM r.ends GROUP BY 1, 2;
SELECT release_drop('r');
DROP SCHEMA kept_maskings CASCADE;
