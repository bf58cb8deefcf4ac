-- means: beside masked numbers, dates and times the mean of each class, through a release's whole life.
SET client_min_messages TO notice;
CREATE SCHEMA means;
SET search_path TO means, public;
SET timezone = 'UTC';
CREATE TABLE people AS
SELECT i AS nr, (18 + (i * 7919) % 60)::int2 AS age, 1000 + (i * i) % 777 AS income, ((i * 31) % 5000)::int8 * 1000000007 AS large, round((i * 7 % 1013) / 7.0, 1 + i % 3) AS price,
  ((i * 13 % 997) / 8.0)::float8 AS weight, ((i * 3 % 211) / 10.0)::float4 AS dose, date '1950-01-01' + (i * 37) % 20000 AS born, timestamp '2020-01-01' + (i * 101 % 5003) * interval '1.75 hours' AS seen,
  timestamptz '1999-12-25' + (i * 59 % 3001) * interval '301 seconds' AS called, time '06:00' + (i * 17 % 700) * interval '1 minute' AS hour, (ARRAY['a', 'b', 'c'])[1 + i % 3] AS town, i / 2 AS person
FROM generate_series(1, 600) i;
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('a', 'north'), ('b', 'north'), ('c', 'any'), ('north', 'any');
\set all 'ARRAY[''age'', ''income'', ''large'', ''price'', ''weight'', ''dose'', ''born'', ''seen'', ''called'', ''hour'']'

-- The mean of a column's values as plain SQL has it, and as the view shows it, by the classes of the masked columns.
CREATE FUNCTION mean(attr text, type text) RETURNS text LANGUAGE sql AS $$
  SELECT format(CASE
    WHEN type IN ('smallint', 'integer', 'bigint') THEN 'round(avg(s.%1$I), 2)'
    WHEN type = 'numeric' THEN 'round(avg(s.%1$I), (SELECT max(scale(%1$I)) FROM people) + 2)'
    WHEN type IN ('real', 'double precision') THEN 'round(avg(s.%1$I::text::numeric), 2 + (SELECT max(scale(%1$I::text::numeric)) FROM people))::float8'
    WHEN type = 'date' THEN 'date ''2000-01-01'' + round(avg(s.%1$I - date ''2000-01-01''))::int'
    WHEN type LIKE 'time without%%' THEN 'time ''00:00'' + round(avg(extract(epoch FROM s.%1$I)) * 1000000)::bigint * interval ''1 microsecond'''
    ELSE '''2000-01-01''::%2$s + round(avg(extract(epoch FROM s.%1$I - ''2000-01-01''::%2$s)) * 1000000)::bigint * interval ''1 microsecond''' END, attr, type) $$;
CREATE FUNCTION differ(release text) RETURNS TABLE (attr text, type text, classes bigint, with_mean bigint, differ bigint) LANGUAGE plpgsql AS $$
DECLARE
  mask text;
BEGIN
  EXECUTE format('SELECT string_agg(format(''r.%%I'', c), '', '') FROM %I.about, unnest(masked) c', release) INTO mask;
  FOR attr, type IN EXECUTE format('SELECT column_name, data_type FROM %I_private.manifest, jsonb_array_elements_text(parameters -> ''means'') m JOIN information_schema.columns ON column_name = m
                                      AND table_schema = ''means'' AND table_name = ''people'' WHERE current ORDER BY ordinal_position', release) LOOP
    EXECUTE format('SELECT count(*), count(g.shown), count(*) FILTER (WHERE g.least IS DISTINCT FROM g.shown OR g.shown IS DISTINCT FROM g.mean OR g.means NOT IN (0, g.n))
      FROM (SELECT min(r.%1$I) AS least, max(r.%1$I) AS shown, count(r.%1$I) AS means, count(*) AS n, CASE WHEN count(s.%2$I) = count(*) THEN %3$s END AS mean
            FROM %4$I.people r JOIN people s USING (nr) GROUP BY %5$s) g', attr || '_mean', attr, mean(attr, type), release, mask) INTO classes, with_mean, differ;
    RETURN NEXT;
  END LOOP;
END $$;
CREATE FUNCTION life(release text) RETURNS TABLE (means bigint, some_classes boolean, differ numeric, holds boolean) LANGUAGE sql AS $$
  SELECT count(*), bool_and(classes > 2), sum(differ), (SELECT bool_and(holds) FROM release_verify(release)) FROM differ(release) $$;

-- All types.
SELECT tds_anonymize('people', 'r', k_anonymity(:all, 20), keep => ARRAY['nr'], means => :all) -> 'steps' > '3' AS steps;
SELECT attr, type, classes > 2 AS some_classes, with_mean = classes AS all_have, differ FROM differ('r');
SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, col_description(a.attrelid, a.attnum) AS comment FROM pg_attribute a WHERE a.attrelid = 'r.people'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT model, required, achieved, holds FROM release_verify('r');
-- Averages over all rows, and by a masked column, are those of the source.
SELECT abs(avg(r.income_mean) - (SELECT avg(income) FROM people)) < 0.01 AS income, abs(avg(r.price_mean) - (SELECT avg(price) FROM people)) < 0.0001 AS price, abs(avg(r.weight_mean) - (SELECT avg(weight) FROM people)) < 1e-5 AS weight FROM r.people r;
SELECT count(*) > 1 AS some, max(abs(g.shown - g.is)) < 0.01 AS same FROM (SELECT avg(r.income_mean) AS shown, avg(s.income) AS is FROM r.people r JOIN people s USING (nr) GROUP BY r.age) g;
SELECT release_drop('r');

-- The mean of two values is a count of each: said where these are few.
CREATE TABLE flags AS SELECT i AS nr, i % 5 AS ward, (i % 37 = 0)::int AS flag FROM generate_series(1, 400) i;
SELECT tds_anonymize('flags', 'r', k_anonymity(ARRAY['ward', 'flag'], 40), masking => by_intervals('flag', '0', '1'), show => ARRAY['ward'], recoding => 'local', means => ARRAY['flag', 'ward']) -> 'version' AS version;
SELECT release_drop('r');

-- Where persons count, a value of many rows may be that of few of them, and most of a sum one's.
CREATE TABLE bills AS SELECT 1 AS a, i AS p, (i < 3)::int AS x FROM generate_series(1, 20) i UNION ALL SELECT 1, 1, 1 FROM generate_series(1, 10);
SELECT tds_anonymize('bills', 'r', k_anonymity('{a,x}', 5, person => 'p'), means => '{x}', masking => ARRAY[by_suppression('a'), finest(by_intervals('x'), 0)]) -> 'version' AS version;
SELECT release_drop('r');
-- 0 and 0.0 are one value, and 4 and 4.0 no two; means and counts of one column, and means of two versions, are told of.
CREATE TABLE scales AS SELECT i AS nr, i % 2 AS ward, (ARRAY['0', '0.0', '0', '0', '0', '0', '0', '1', '1'])[1 + i / 2 % 9]::numeric AS flag, (4 + i % 2 * 0.0)::numeric AS four FROM generate_series(1, 180) i;
UPDATE scales SET four = 4 WHERE nr % 3 = 0;
SELECT tds_anonymize('scales', 'r', k_anonymity(ARRAY['ward', 'flag', 'four'], 50), max_steps => 0, means => ARRAY['flag', 'four'], counts => true) -> 'version' AS version;
DELETE FROM scales WHERE nr = 1;
SELECT release_refresh('r') -> 'version' AS version;
SELECT release_drop('r');

-- Ways of masking and showing: disclosed values are their own mean.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'town'], 5), masking => ARRAY[by_suppression('age'), by_taxonomy('town', 'towns')], intervals => 'range', keep => ARRAY['nr'], means => ARRAY['income', 'age']) -> 'version' AS version;
SELECT * FROM life('r');
SELECT attname FROM pg_attribute WHERE attrelid = 'r.people'::regclass AND attnum > 0 ORDER BY attnum;
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born'], 5), masking => by_calendar('born'), intervals => 'bounds', keep => ARRAY['nr'], means => ARRAY['age', 'income', 'born']) -> 'version' AS version;
SELECT * FROM life('r');
SELECT bool_and(income_mean BETWEEN income_lo AND income_hi) AS between FROM r.people WHERE income_lo IS NOT NULL AND income_hi IS NOT NULL;
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born'], 5), intervals => 'padded', endpoints => 'values', keep => ARRAY['nr'], means => ARRAY['age', 'born']) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');

-- NULLs: where a class has one it has no mean.
UPDATE people SET income = NULL WHERE nr % 97 = 0;
UPDATE people SET weight = 'NaN' WHERE nr = 100;
UPDATE people SET born = 'infinity' WHERE nr = 200;
CREATE FUNCTION nulls(release text) RETURNS TABLE (without_mean bigint, rows_of_them bigint, wrong bigint) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY EXECUTE format('SELECT count(*) FILTER (WHERE g.m = 0), sum(g.n) FILTER (WHERE g.m = 0)::bigint, count(*) FILTER (WHERE (g.m = 0) <> (g.v < g.n) OR g.m NOT IN (0, g.n))
    FROM (SELECT count(income_mean) AS m, count(*) AS n, count(s.income) AS v FROM %I.people r JOIN people s USING (nr) GROUP BY r.age, r.income, r.weight, r.born) g', release);
END $$;
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'weight', 'born'], 10), recoding => 'local', split => 'valid', keep => ARRAY['nr'], means => ARRAY['age', 'income', 'weight', 'born']) -> 'version' AS version;
SELECT without_mean > 0 AS some, wrong FROM nulls('r');
SELECT count(*) > 10 AS some, count(DISTINCT weight_mean) > 10 AS weights, bool_or(weight_mean = 'NaN') AS nan, bool_or(born_mean = 'infinity') AS infinite,
  count(*) FILTER (WHERE r.weight_mean IS NULL) >= 10 AS without_weight, count(*) FILTER (WHERE r.born_mean IS NULL) >= 10 AS without_born FROM r.people r;
SELECT bool_and(holds) AS holds FROM release_verify('r');
SELECT release_drop('r');
UPDATE people SET income = 1000 + nr WHERE income IS NULL;
UPDATE people SET weight = 1, born = '1960-02-29' WHERE nr IN (100, 200);

-- Every recoding, rows withheld, persons.
\set three 'ARRAY[''age'', ''income'', ''born'']'
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born', 'town'], 8), masking => by_taxonomy('town', 'towns'), recoding => 'local', keep => ARRAY['nr'], means => :three) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'income'], 8), k_anonymity(ARRAY['born', 'town'], 4)], recoding => 'clustered', keep => ARRAY['nr'], means => :three) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');
-- Intervals of groups and of clusters may be shown alike.
CREATE TABLE few AS SELECT i AS nr, 20 + i % 12 AS a, 20 + i * i % 7 AS b, date '2000-01-01' + i % 9 AS d FROM generate_series(1, 900) i;
CREATE FUNCTION forms() RETURNS TABLE (form text, split boolean, wrong bigint, holds boolean) LANGUAGE plpgsql AS $$ BEGIN
  FOREACH form IN ARRAY '{label,padded,bounds,range}'::text[] LOOP
    PERFORM tds_anonymize('few', 'f', k_anonymity(ARRAY['a', 'b', 'd'], 5), recoding => 'clustered', intervals => form, keep => ARRAY['nr'], means => ARRAY['a', 'd']);
    RETURN QUERY EXECUTE 'SELECT $1, count(*) > 20, count(*) FILTER (WHERE g.least <> g.most OR g.most <> g.mean), (SELECT bool_and(v.holds) FROM release_verify(''f'') v)
      FROM (SELECT min(f.a_mean) AS least, max(f.a_mean) AS most, round(avg(s.a), 2) AS mean FROM f.few f JOIN few s USING (nr) GROUP BY f.a, f.b, f.d) g' USING form;
    PERFORM release_drop('f');
  END LOOP;
END $$;
SELECT * FROM forms();
SELECT kmember_anonymize('people', 'r', ARRAY['age', 'income', 'born', 'town'], 5, keep => ARRAY['nr'], endpoints => 'values', means => :three) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born', 'town'], 8), keep => ARRAY['nr'], withhold => 0.1, means => :three) -> 'withheld' > '0' AS withheld;
SELECT * FROM life('r');
SELECT release_refresh('r', 'search') -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born', 'town'], 8, 'person'), keep => ARRAY['nr'], means => :three) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');
SELECT tds_anonymize('people', 'r', l_diversity(ARRAY['age', 'income', 'born'], 'town', 1.5, 'entropy'), keep => ARRAY['nr'], means => :three) -> 'version' AS version;
SELECT * FROM life('r');
SELECT release_drop('r');

-- Without a kept column rows are read as combinations with counts: the same means.
SET pg_topdown.scan = 'counts';
SELECT tds_anonymize('people', 'counted', k_anonymity(ARRAY['age', 'income'], 8), means => ARRAY['age', 'income']) -> 'version' AS version;
SET pg_topdown.scan = 'rows';
SELECT tds_anonymize('people', 'each', k_anonymity(ARRAY['age', 'income'], 8), means => ARRAY['age', 'income']) -> 'version' AS version;
RESET pg_topdown.scan;
SELECT count(*) AS differ FROM (TABLE counted.people EXCEPT ALL TABLE each.people) d;
SELECT release_drop('counted'), release_drop('each');

-- Refreshed over other rows, rewound, refreshed from there, altered.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born', 'town'], 8), masking => by_taxonomy('town', 'towns'), split => 'valid', keep => ARRAY['nr'], means => :three) -> 'version' AS version;
DELETE FROM people WHERE nr % 5 = 0;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT * FROM life('r');
-- A rewound class has the mean of the means of its rows, and none if one of them has none.
CREATE FUNCTION back(release text, every int) RETURNS TABLE (step int, classes bigint, merged boolean, far_off bigint, holds boolean) LANGUAGE plpgsql AS $$
DECLARE
  last int;
  mask text;
  finest bigint;
BEGIN
  EXECUTE format('SELECT max(step) FROM %1$I_private.steps WHERE version = (SELECT version FROM %1$I_private.manifest WHERE current)', release) INTO last;
  EXECUTE format('SELECT string_agg(format(''r.%%I'', c), '', '') FROM %I.about, unnest(masked) c', release) INTO mask;
  EXECUTE format('SELECT count(DISTINCT (%s)) FROM %I.people r', mask, release) INTO finest;
  FOR step IN SELECT * FROM generate_series(last - 1, 0, -every) LOOP
    EXECUTE format('DROP TABLE IF EXISTS before_it; CREATE TEMP TABLE before_it AS TABLE %I.people', release);
    PERFORM release_rewind(release, step);
    EXECUTE format('SELECT count(*), count(*) < $1, count(*) FILTER (WHERE g.least <> g.most OR g.most IS DISTINCT FROM g.income OR g.means NOT IN (0, g.n) OR g.born IS DISTINCT FROM g.born_mean)
      FROM (SELECT min(r.income_mean) AS least, max(r.income_mean) AS most, count(r.income_mean) AS means, count(*) AS n, CASE WHEN count(b.income_mean) = count(*) THEN round(avg(b.income_mean), 2) END AS income,
                   max(r.born_mean) AS born_mean, date ''2000-01-01'' + round(avg(b.born_mean - date ''2000-01-01''))::int AS born
            FROM %1$I.people r JOIN before_it b USING (nr) GROUP BY %2$s) g', release, mask) USING finest INTO classes, merged, far_off;
    holds := (SELECT bool_and(v.holds) FROM release_verify(release) v);
    RETURN NEXT;
  END LOOP;
END $$;
SELECT count(*) > 2 AS some, bool_or(merged) AS merged, sum(far_off) AS wrong, bool_and(holds) AS holds, min(classes) FROM back('r', 2);
SELECT release_refresh(public.again('r')) -> 'version' > '1' AS refreshed;
SELECT count(*) AS means, sum(differ) AS differ FROM differ('r');
SELECT release_refresh('r', 'search') -> 'version' > '1' AS refreshed;
SELECT * FROM life('r');
SELECT release_alter('r', masking => by_suppression('town'), max_steps => 4) -> 'steps' AS steps;
SELECT * FROM life('r');
SELECT release_drop('r');
UPDATE people SET income = NULL WHERE nr % 50 = 1;
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'income', 'born', 'town'], 8), masking => ARRAY[by_taxonomy('town', 'towns'), by_intervals('income', '0', '2000')], recoding => 'local', split => 'valid', keep => ARRAY['nr'], means => :three) -> 'version' AS version;
SELECT count(*) FILTER (WHERE income_mean IS NULL) > count(*) FILTER (WHERE income IS NULL) AS more_without_mean, bool_or(income_mean IS NOT NULL) AS some FROM r.people;
SELECT count(*) > 2 AS some, bool_or(merged) AS merged, sum(far_off) AS wrong, bool_and(holds) AS holds, min(classes) FROM back('r', 6);
SELECT release_refresh('r', 'search') -> 'version' > '1' AS refreshed;
SELECT * FROM life('r');

-- Readers count them, too; a mean that somebody has changed is found: another one of a class, one beyond its interval.
DO $$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'means_reader') THEN CREATE ROLE means_reader; END IF; END $$;
SELECT release_grant('r', 'means_reader');
SET ROLE means_reader;
SELECT model ->> 'means' AS means, required, achieved, holds FROM (SELECT model::text::jsonb AS model, required, achieved, holds FROM release_verify('r')) v WHERE model ? 'means';
RESET ROLE;
REVOKE SELECT ON r.cut FROM means_reader;
SET ROLE means_reader;
SELECT count(*) FROM release_verify('r');
RESET ROLE;
SELECT 'r_private.' || quote_ident(max(c.relname)) AS written FROM pg_class c JOIN pg_inherits i ON i.inhrelid = c.oid WHERE c.relnamespace = 'r_private'::regnamespace AND c.relname = 'rows_v' || (SELECT version FROM r.about) \gset
BEGIN;
UPDATE :written SET income_mean = income_mean + 0.01 WHERE nr = 1;
SELECT model, achieved, holds FROM release_verify('r') WHERE NOT holds;
SELECT release_assert('r');
ROLLBACK;
BEGIN;
UPDATE :written SET income_mean = 5000;
SELECT model, achieved > 3 AND achieved = (SELECT count(DISTINCT (r.age, r.income, r.born, r.town)) FROM r.people r JOIN r.cut c ON c.attribute = 'income' AND c.node = r.income AND c.upper::int < 5000) AS all_below, holds FROM release_verify('r') WHERE NOT holds;
ROLLBACK;
BEGIN;
UPDATE :written SET born_mean = NULL WHERE nr = 1;
SELECT model, achieved, holds FROM release_verify('r') WHERE NOT holds;
ROLLBACK;
-- What is applied to other rows, reported and exported.
CREATE TABLE others AS SELECT *, 1 AS income_mean FROM people WHERE nr < 50;
SELECT release_apply('r', 'others', 'means.applied') > 0 AS rows;
SELECT attname FROM pg_attribute WHERE attrelid = 'applied'::regclass AND attnum > 0 ORDER BY attnum;
SELECT release_report('r') LIKE '%<td>income_mean%' AS as_kept;
SELECT count(*) FROM release_export('r') e WHERE e LIKE 'COMMENT ON COLUMN%_mean IS %';
SELECT jsonb_typeof(release_alter('r', max_steps => 3) -> 'kept_at_risk') AS kept_at_risk;

-- Altered: means come and go with the view's columns, and have to be allowed.
SELECT release_alter('r', means => ARRAY['age']);
DROP VIEW r.people;
SELECT release_alter('r', means => ARRAY['age']) -> 'version' > '1' AS altered;
SELECT attr, differ FROM differ('r');
DROP VIEW r.people;
SELECT release_alter('r', means => ARRAY['age', 'born']);
SELECT release_alter('r', means => ARRAY['age', 'born'], allow_weaker => true) -> 'version' > '1' AS altered;
SELECT attr, differ FROM differ('r');
SELECT parameters -> 'means' AS means FROM r_private.manifest WHERE current;
SELECT release_drop('r');

-- Numbers of any size: the sum of each class is exact.
CREATE TABLE odd AS SELECT i AS nr, i % 2 AS a, (ARRAY[1e300, -1e300, 3e-5])[1 + i % 3]::float8 AS f, ((ARRAY['12345678901234567890123456789.000000000000000001', '0.3', '-1e25'])[1 + i % 3])::numeric AS n, (1 / 3.0)::float8 AS third FROM generate_series(1, 30) i;
SELECT tds_anonymize('odd', 'r', k_anonymity(ARRAY['a', 'f', 'n', 'third'], 3), endpoints => 'values', means => ARRAY['f', 'n', 'third'], keep => ARRAY['nr']) -> 'version' AS version;
SELECT count(*) AS differ FROM (SELECT r.n_mean AS shown, round(sum(s.n) / count(*), 18) AS is FROM r.odd r JOIN odd s USING (nr) GROUP BY r.a, r.f, r.n, r.third, r.n_mean) g WHERE shown <> g.is;
SELECT DISTINCT third_mean, scale(n_mean) FROM r.odd;
SELECT bool_and(holds) FROM release_verify('r');
SELECT release_drop('r');
-- What is rounded to the second lies within an interval that is narrower.
CREATE TABLE moments AS SELECT timestamp '2020-01-01 10:00:00.25' AS at, time '23:59:59.75' AS hour FROM generate_series(1, 10) UNION ALL SELECT timestamp '2020-01-01 10:00:00.375', '23:59:59.5' FROM generate_series(1, 10);
SELECT tds_anonymize('moments', 'r', k_anonymity(ARRAY['at', 'hour'], 5), endpoints => 'values', means => ARRAY['at', 'hour']) -> 'steps' AS steps;
SELECT *, count(*) FROM r.moments GROUP BY 1, 2, 3, 4 ORDER BY 1;
SELECT bool_and(holds) FROM release_verify('r');
SELECT release_drop('r');

-- What cannot be.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), means => ARRAY['income']);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), means => ARRAY['age', 'age']);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'town'], 5), means => ARRAY['town', 'nobody']);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), means => ARRAY['age', NULL]);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 5), means => NULL);
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5), k_anonymity(ARRAY['income'], 5)], means => ARRAY['age']);
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age'], 1), means => ARRAY['age']);
SELECT tds_anonymize('people', 'r', t_closeness(ARRAY['age'], 'town', 0.5), means => ARRAY['age']);
SELECT kmember_anonymize('people', 'r', ARRAY['age'], 1, means => ARRAY['age']);
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age'], 5), '{"means": {"column": "age"}}'::privacy_model]);
SELECT * FROM privacy_check('people', '{"means": {"column": "age"}}'::privacy_model);
CREATE TABLE other AS SELECT i % 5 AS a, i::money AS m, i * interval '1 day' AS i, timetz '10:00+01' + i * interval '1 minute' AS t, 0 AS a_mean FROM generate_series(1, 50) i;
SELECT tds_anonymize('other', 'r', k_anonymity(ARRAY['a', 'm', 'i', 't'], 5), means => ARRAY['m', 'i', 't']);
SELECT tds_anonymize('other', 'r', k_anonymity(ARRAY['a'], 5), keep => ARRAY['a_mean'], means => ARRAY['a']);
SELECT pda_anonymize('people', 'r', confidence_bound(ARRAY['age'], 'town', NULL, 0.9), 'town') -> 'version' AS version;
SELECT release_alter('r', means => ARRAY['age']);
SELECT release_drop('r');
-- The floor bounds the classes.
SET pg_topdown.min_k = 5;
SELECT tds_anonymize('people', 'r', t_closeness(ARRAY['age', 'income'], 'town', 0.5), means => ARRAY['age'], keep => ARRAY['nr']) -> 'version' AS version;
SELECT attr, differ FROM differ('r');
SELECT release_drop('r');
RESET pg_topdown.min_k;
-- A class that has no mean tells nothing by it.
CREATE TABLE missing AS SELECT 'a' AS g, CASE WHEN i = 1 THEN 50 END AS v FROM generate_series(1, 12) i UNION ALL SELECT 'b', 40 + i FROM generate_series(1, 20) i;
SELECT tds_anonymize('missing', 'r', k_anonymity('{g,v}', 10), means => '{v}', masking => weighted(by_suppression('g'), 100)) -> 'version' AS version;
SELECT g, v, v_mean, count(*) FROM r.missing GROUP BY 1, 2, 3 ORDER BY 1;
SELECT release_drop('r');
DROP ROLE means_reader;
DROP SCHEMA means CASCADE;
