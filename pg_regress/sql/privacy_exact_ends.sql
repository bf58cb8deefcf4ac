-- Threat: exact ends. An end of an interval that is a value of the data is one person's admission to the microsecond, one person's
-- salary to the cent. Rounded ends lie in the gap between neighbouring values, are the roundest there, and part the same rows.
SET client_min_messages TO notice;
CREATE SCHEMA ends;
SET search_path TO ends, public;
SET DateStyle TO ISO;
SET TimeZone TO 'UTC';
SET lc_monetary TO 'C';
-- one person's admission and salary
SELECT setseed(0.3);
CREATE TABLE stays AS SELECT i AS id, timestamp '2024-01-01' + random() * interval '300 days' AS admitted, (20000 + 90000 * random())::numeric(12, 2)::money AS salary,
  CASE WHEN random() < 0.5 THEN 'a' ELSE 'b' END AS ward FROM generate_series(1, 400) i;
SELECT tds_anonymize('stays', 'r', ARRAY[k_anonymity(ARRAY['admitted', 'salary'], 10)], keep => ARRAY['id']) ->> 'version' AS version;
SELECT count(*) > 3 AS split, bool_and(lower IS NULL OR lower ~ ':00:00$') AS whole_hours FROM r.cut WHERE attribute = 'admitted';
SELECT count(*) > 3 AS split, bool_and(lower IS NULL OR lower ~ '\.00$') AS whole_units FROM r.cut WHERE attribute = 'salary';
-- no end is a value of a row, below the cut neither
SELECT count(*) FROM r_private.taxonomy t JOIN stays s ON t.lower IN (s.admitted::text, s.salary::text) OR t.upper IN (s.admitted::text, s.salary::text);
-- what is asked for is shown, and warned of
SELECT tds_anonymize('stays', 'r', ARRAY[k_anonymity(ARRAY['admitted', 'salary'], 10)], keep => ARRAY['id'], endpoints => 'values') ->> 'version' AS version;
SELECT count(*) > 3 AS split, count(*) FILTER (WHERE lower IS NOT NULL AND NOT EXISTS (SELECT FROM stays WHERE admitted::text = lower)) AS not_in_the_data FROM r.cut WHERE attribute = 'admitted';
SELECT * FROM tds_steps('stays', ARRAY[k_anonymity(ARRAY['salary'], 20)], endpoints => 'exact');
SELECT release_drop('r');

-- How round a number is: its significant digits; zero has none.
CREATE FUNCTION digits(numeric) RETURNS int IMMUTABLE LANGUAGE sql AS $$ SELECT length(rtrim(ltrim(replace(trim_scale(abs($1))::text, '.', ''), '0'), '0')) $$;
-- The least digits that any number in (a, b] has, in units of the given size, by trying them all.
CREATE FUNCTION fewest(a numeric, b numeric, unit numeric) RETURNS int LANGUAGE sql AS $$ SELECT min(digits(n * unit)) FROM generate_series(floor(a / unit) + 1, floor(b / unit)) n $$;
-- How coarse a moment is: 1 year, 2 month, 3 day, 4 hour, 5 minute, 6 second, 7 less.
CREATE FUNCTION coarseness(t timestamp) RETURNS int IMMUTABLE LANGUAGE sql AS $$
  SELECT 1 + min(i) FROM unnest(ARRAY['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond']) WITH ORDINALITY u (unit, i0), LATERAL (SELECT i0 - 1 AS i) j WHERE date_trunc(unit, t) = t $$;
CREATE FUNCTION coarsest(a timestamp, b timestamp) RETURNS int LANGUAGE sql AS $$
  SELECT 1 + min(i) FROM unnest(ARRAY['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond']) WITH ORDINALITY u (unit, i0), LATERAL (SELECT i0 - 1 AS i) j WHERE date_trunc(unit, b) > a $$;

-- A column of random values, released twice: with values as ends and with rounded ones.
CREATE FUNCTION compare(type text, value text, OUT rows int, OUT splits int, OUT same_rows bool, OUT same_steps bool, OUT in_gap bool, OUT single_rows int, OUT within bool) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE data AS SELECT i AS id, (%s)::%s AS x FROM generate_series(1, 300) i', value, type);
  PERFORM tds_anonymize('data', 'v', ARRAY[k_anonymity('{x}', 4)], keep => '{id}', intervals => 'bounds', endpoints => 'values');
  PERFORM tds_anonymize('data', 'e', ARRAY[k_anonymity('{x}', 4)], keep => '{id}', intervals => 'bounds');
  SELECT count(*) INTO rows FROM data;
  SELECT count(*) - 1 INTO splits FROM e.cut;
  -- the same rows fall to the same side
  SELECT count(DISTINCT v.x) = count(DISTINCT (v.x, e.x)) AND count(DISTINCT e.x) = count(DISTINCT v.x) INTO same_rows FROM v.data v JOIN e.data e USING (id);
  -- by the same steps, at the same gain and loss
  SELECT count(*) = 0 INTO same_steps FROM v_private.steps a FULL JOIN e_private.steps b USING (version, step)
  WHERE (a.records, a.info_gain, a.privacy_loss, a.score, a.achieved) IS DISTINCT FROM (b.records, b.info_gain, b.privacy_loss, b.score, b.achieved);
  -- every end lies in (a, b], the neighbouring values
  EXECUTE 'CREATE TABLE gaps AS SELECT e.x_lo AS e, (SELECT max(d.x) FROM data d WHERE d.x < e.x_lo) AS a, min(d.x) AS b, count(*) FILTER (WHERE d.x = e.x_lo) AS there
           FROM e.data e JOIN data d USING (id) WHERE e.x_lo IS NOT NULL GROUP BY e.x_lo';
  EXECUTE 'SELECT bool_and(g.a < g.e AND g.e <= g.b AND g.b = v.b) FROM gaps g JOIN (SELECT row_number() OVER (ORDER BY x_lo) AS n, x_lo AS b FROM v.data GROUP BY x_lo) v
           ON v.n = (SELECT count(*) FROM gaps h WHERE h.e <= g.e)' INTO in_gap;
  EXECUTE 'SELECT count(*) FROM gaps WHERE there = 1' INTO single_rows;
  -- every value lies within its interval
  SELECT bool_and((e.x_lo IS NULL OR e.x_lo <= d.x) AND (e.x_hi IS NULL OR d.x < e.x_hi)) INTO within FROM e.data e JOIN data d USING (id);
  PERFORM release_drop('v'), release_drop('e');
  DROP TABLE data;
END $$;
SELECT setseed(0.5);
SELECT * FROM compare('int', '1000000 * (random() - 0.3)');
SELECT bool_and(digits(e) = fewest(a, b, 1)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('smallint', '60000 * (random() - 0.5)');
SELECT bool_and(digits(e) = fewest(a, b, 1)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('bigint', '(10::float8 ^ (18 * random()))');
DROP TABLE gaps;
SELECT * FROM compare('numeric', '(1000 * (random() - 0.5))::numeric(9, 2)');
SELECT bool_and(digits(e) = fewest(a, b, 0.01)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('numeric', 'random()::numeric * 10::numeric ^ (i % 10 - 5)');
DROP TABLE gaps;
SELECT * FROM compare('float8', '(random() - 0.5) * 10::float8 ^ (i % 6 - 3)');
DROP TABLE gaps;
SELECT * FROM compare('float4', '(random() - 0.5) * 1000');
DROP TABLE gaps;
SELECT * FROM compare('money', '(2000 + 9000 * random())::numeric(12, 2)');
SELECT bool_and(digits(e::numeric) = fewest(a::numeric, b::numeric, 0.01)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('date', 'date ''1900-01-01'' + (40000 * random())::int');
SELECT bool_and(coarseness(e) = coarsest(a, b)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('timestamp', 'timestamp ''2023-05-05'' + random() * interval ''500 days''');
SELECT bool_and(coarseness(e) = coarsest(a, b)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('timestamp', 'timestamp ''2023-05-05'' + random() * interval ''1 minute''');
SELECT bool_and(coarseness(e) = coarsest(a, b)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('timestamptz', 'timestamptz ''0044-03-15 BC'' + random() * interval ''2500 years''');
SELECT bool_and(coarseness(e::timestamp) = coarsest(a::timestamp, b::timestamp)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('time', 'time ''00:00'' + random() * interval ''23 hours''');
SELECT bool_and(coarseness('2000-01-01'::date + e) = coarsest('2000-01-01'::date + a, '2000-01-01'::date + b)) AS roundest FROM gaps; DROP TABLE gaps;
SELECT * FROM compare('timetz', '(time ''00:00'' + random() * interval ''23 hours'')::text || ''+0'' || i % 5');
DROP TABLE gaps;
SELECT * FROM compare('interval', 'random() * interval ''3 years'' - interval ''9 months''');
DROP TABLE gaps;
-- consecutive values leave no room: nothing else can be shown
SELECT * FROM compare('int', 'i / 10');
DROP TABLE gaps;
-- infinite values are nobody's: the end lies beyond the value before
CREATE TABLE far AS SELECT CASE WHEN i <= 15 THEN i::float8 ELSE 'Infinity' END AS f, CASE WHEN i <= 15 THEN date '2020-05-05' + i ELSE 'infinity' END AS d,
  CASE WHEN i <= 15 THEN i::numeric ELSE 'NaN' END AS n, i <= 15 AS c FROM generate_series(1, 30) i;
SELECT attribute, children FROM tds_steps('far', ARRAY[k_anonymity('{f}', 5), k_anonymity('{d}', 5), k_anonymity('{n}', 5)], 'c') ORDER BY 1;
UPDATE far SET f = -f WHERE NOT c;
SELECT attribute, children FROM tds_steps('far', ARRAY[k_anonymity('{f}', 5)], 'c') ORDER BY 1;
-- beyond the greatest value of a type only infinity is left
UPDATE far SET f = CASE WHEN c THEN 1.7976931348623157e308 ELSE 'Infinity' END, d = CASE WHEN c THEN date '5874897-12-31' ELSE 'infinity' END;
SELECT attribute, children FROM tds_steps('far', ARRAY[k_anonymity('{f}', 5), k_anonymity('{d}', 5)], 'c') ORDER BY 1;
SELECT * FROM compare('date', 'CASE i % 5 WHEN 0 THEN ''infinity'' WHEN 1 THEN ''-infinity'' ELSE (date ''2000-03-03'' + 9 * i)::text END');
DROP TABLE gaps;

-- ranges, labels and cut tell the same
CREATE TABLE people AS SELECT i AS id, 100 + (900 * random())::int AS n, (100 * random())::numeric(6, 3) AS f FROM generate_series(1, 200) i;
SELECT tds_anonymize('people', 'l', ARRAY[k_anonymity('{n,f}', 10)], keep => '{id}') ->> 'version' AS version;
SELECT tds_anonymize('people', 'g', ARRAY[k_anonymity('{n,f}', 10)], keep => '{id}', intervals => 'range') ->> 'version' AS version;
SELECT count(*) AS rows, count(*) FILTER (WHERE coalesce(lower(g.n)::text, '') <> split_part(translate(l.n, '[(', ''), ',', 1)
  OR coalesce(upper(g.f)::text, '') <> split_part(translate(l.f, '])', ''), ',', 2)) AS different FROM l.people l JOIN g.people g USING (id);
SELECT a.measure, a.value AS labels, b.value AS ranges FROM release_measures('l') a FULL JOIN release_measures('g') b USING (measure) WHERE NOT abs(a.value - b.value) < 1e-9;
SELECT release_drop('l'), release_drop('g');

-- clusters: each end moved outwards, short of the next value
SELECT kmember_anonymize('people', 'k', ARRAY['n', 'f'], 8, keep => ARRAY['id']) ->> 'version' AS version;
CREATE TABLE moved AS
SELECT k.n, split_part(translate(k.n, '[]', ''), ',', 1)::int AS lo, split_part(translate(k.n, '[]', ''), ',', 2)::int AS hi, min(p.n) AS least, max(p.n) AS greatest, count(DISTINCT p.n) AS distinct_values
FROM k.people k JOIN people p USING (id) WHERE k.n LIKE '[%' GROUP BY k.n;
SELECT count(*) > 5 AS clusters, bool_and(lo <= least AND greatest <= hi) AS outwards,
  bool_and(lo > coalesce((SELECT max(n) FROM people WHERE n < least), lo - 1) AND hi < coalesce((SELECT min(n) FROM people WHERE n > greatest), hi + 1)) AS short_of_the_next FROM moved;
SELECT bool_and(digits(lo) = fewest((SELECT max(n) FROM people WHERE n < least), least, 1)) FILTER (WHERE least > (SELECT min(n) FROM people)) AS roundest_below,
  bool_and(digits(hi) = fewest(greatest - 1, (SELECT min(n) - 1 FROM people WHERE n > greatest), 1)) FILTER (WHERE greatest < (SELECT max(n) FROM people)) AS roundest_above,
  bool_or(lo = (SELECT min(n) FROM people)) OR bool_or(hi = (SELECT max(n) FROM people)) AS extremes_shown FROM moved;
SELECT count(*) AS beyond FROM release_measures('k') WHERE measure LIKE 'n%' AND value NOT BETWEEN 0 AND 1;
-- a single value is itself; bounds given are not exceeded
CREATE TABLE few (a int);
INSERT INTO few VALUES (17), (17), (23), (29), (90), (90);
SELECT kmember_anonymize('few', 'k1', ARRAY['a'], 2) ->> 'version' AS version;
SELECT a, count(*) FROM k1.few GROUP BY a ORDER BY a;
SELECT kmember_anonymize('few', 'k1', ARRAY['a'], 6, ARRAY[by_intervals('a', '16', '99')]) ->> 'version' AS version;
SELECT a, count(*) FROM k1.few GROUP BY a ORDER BY a;
SELECT release_drop('k'), release_drop('k1');
-- near a type's limit the next value of one digit is none of the type's: the end is the roundest up to the limit, and no row's value
CREATE TABLE limits (t text, lowest text, highest text);
INSERT INTO limits VALUES ('int2', '-32001', '32001'), ('int4', '-2100000457', '2100000457'), ('int8', '-9200000000000000457', '9200000000000000457'),
  ('float4', '-3.3234e38', '3.3234e38'), ('float8', '-1.7523456e308', '1.7523456e308'), ('date', '4713-01-05 BC', '5874897-06-05'),
  ('timestamp', '4713-01-05 03:04:05 BC', '294276-06-05 03:04:05'), ('timestamptz', '4713-01-05 03:04:05+00 BC', '294276-06-05 03:04:05+00'),
  ('int2', '-32768', '32767'), ('int4', '-2147483647', '2147483646');
CREATE FUNCTION at_the_limit(t text, lowest text, highest text, OUT label text, OUT outwards boolean, OUT shown boolean) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE few_of (a %1$s); INSERT INTO few_of VALUES (%2$L), (%2$L), (%3$L), (%3$L)', t, lowest, highest);
  PERFORM kmember_anonymize('few_of', 'k2', ARRAY['a'], 4);
  SELECT a INTO label FROM k2.few_of LIMIT 1;
  EXECUTE format('SELECT lower::%1$s <= %2$L AND upper::%1$s >= %3$L, lower::%1$s = %2$L OR upper::%1$s = %3$L FROM k2.cut', t, lowest, highest) INTO outwards, shown;
  PERFORM release_drop('k2');
  DROP TABLE few_of;
END $$;
SELECT l.t, e.* FROM limits l, at_the_limit(t, lowest, highest) e ORDER BY l.t COLLATE "C", l.lowest COLLATE "C" DESC;
-- types that cannot be rounded say so
CREATE TABLE words AS SELECT chr(97 + i % 20) AS w FROM generate_series(1, 200) i;
SELECT tds_anonymize('words', 'w', ARRAY[k_anonymity('{w}', 20)], masking => ARRAY[by_intervals('w')]) ->> 'version' AS version;
SELECT release_drop('w');
DROP SCHEMA ends CASCADE;
