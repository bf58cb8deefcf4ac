-- How far off answers are that a reader gets from a release: by queries whose answers can be counted by hand, by random ones, and told.
SET client_min_messages TO notice;
CREATE SCHEMA asked;
SET search_path TO asked, public;
-- Ten persons of 0 to 9 years, every other one F, who earn ten times their age.
CREATE TABLE people AS SELECT i AS age, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END AS sex, i * 10 AS pay FROM generate_series(0, 9) i;
\set ask 'SELECT columns, aggregate, with_counts, queries, round(median_error::numeric, 4) AS median, round(p90_error::numeric, 4) AS p90 FROM release_query_error'

-- Nothing is told of age and sex: ten rows are spread over ten ages and two sexes.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 10), keep => '{pay}') -> 'steps' AS steps;
SELECT age, sex, count(*) FROM r.people GROUP BY 1, 2;
-- 5 of 5 rows; 225 of 100, and 45 of 20 a row.
:ask('r', '[{"where": {"age": "[0,5)"}, "of": "pay"}]');
-- 2.5 of 3 rows.
:ask('r', '[{"where": {"age": "[0,4]", "sex": ["F"]}}]');
-- The same rows, however a range is written; all of them; one value.
:ask('r', '[{"where": {"age": "(-1,5)"}}, {"where": {"age": "(,4]"}}, {"where": {"age": "[\"0\", 5)"}}, {"where": {"age": "(,)"}}, {"where": {"age": "[7,7]"}}, {"where": {"sex": ["M", "F"]}}]');
-- Of an age that is masked and has no mean the middle is taken, 4.5: 22.5 of 20 by F (10 rows by halves), and of 25 by M.
:ask('r', '[{"where": {"sex": ["F"]}, "of": "age"}]');
:ask('r', '[{"where": {"sex": ["M"]}, "of": "age"}]');
-- The median, and what nine of ten do not exceed: 2 of 2 rows, 2.5 of 3, and 1.5 of 1.
:ask('r', '[{"where": {"age": "[3,3]"}}, {"where": {"age": "[0,4)", "sex": ["F"]}}, {"where": {"age": "[0,5)", "sex": ["F"]}}, {"where": {"age": "[1,4)", "sex": ["F"]}}]');
-- What the source has no row of is left out, and said.
:ask('r', '[{"where": {"age": "[20,30)"}}, {"where": {"age": "[0,5)"}}]');
SELECT release_drop('r');

-- By sex two classes; with means their ages, 4 and 5, are right whatever they are asked by.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 5), masking => coarsest(by_suppression('sex'), 1), means => '{age}', keep => '{pay}') -> 'steps' AS steps;
SELECT age, sex, age_mean, count(*) FROM r.people GROUP BY 1, 2, 3 ORDER BY 2;
:ask('r', '[{"where": {"sex": ["F"]}, "of": "age"}, {"where": {"sex": ["M"]}, "of": "age"}, {"where": {"sex": ["F"]}, "of": "pay"}]');
-- 2.5 F below 5, of 3 (0, 2, 4); they earn 100 of 60.
:ask('r', '[{"where": {"age": "[0,5)", "sex": ["F"]}, "of": "pay"}]');
SELECT release_drop('r');

-- Every way of masking, recoding and showing; what is released as it is leaves nothing off.
CREATE TABLE trees (child text, parent text);
INSERT INTO trees SELECT i::text, 'all' FROM generate_series(0, 9) i;
CREATE TABLE many AS SELECT i % 10 AS digit, (i * 7 % 100)::numeric / 4 AS price, date '2000-01-01' + i % 50 AS day, 'c' || i % 3 AS town, (i * i % 17)::float8 AS weight, i / 2 AS person FROM generate_series(1, 400) i;
SELECT tds_anonymize('many', 'r', k_anonymity(ARRAY['digit', 'town'], 1), masking => ARRAY[by_taxonomy('digit', 'trees'), coarsest(by_suppression('town'), 1)], keep => '{weight,price}') -> 'version' AS version;
SELECT columns, aggregate, sum(queries) > 30 AS queries, round(max(p90_error)::numeric, 9) AS p90 FROM release_query_error('r') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');
CREATE FUNCTION ways() RETURNS TABLE (recoding text, intervals text, medians text) LANGUAGE plpgsql AS $$
BEGIN
  FOR recoding, intervals IN SELECT r, i FROM unnest('{global,local,clustered}'::text[]) r, unnest('{label,padded,bounds,range}'::text[]) i LOOP
    PERFORM tds_anonymize('many', 'w', k_anonymity(ARRAY['digit', 'price', 'day', 'town'], 8, 'person'), masking => ARRAY[by_suppression('digit'), by_intervals('price', '0', '25'), by_intervals('day', '2000-01-01', '2000-03-01')],
      keep => '{weight}', means => '{price,day}', recoding => recoding, intervals => intervals, tell_error => true);
    SELECT string_agg(format('%s %s: %s (%s)', columns, aggregate, round(median_error::numeric, 3), queries), ', ' ORDER BY columns, aggregate) INTO medians FROM release_query_error('w')
      WHERE (SELECT query_error #>> ARRAY[aggregate, columns::text] FROM w.about)::numeric = round(median_error::numeric, 3);
    PERFORM release_drop('w');
    RETURN NEXT;
  END LOOP;
END $$;
-- The form changes nothing, and recipients are told the same.
SELECT recoding, count(DISTINCT medians) AS ways, min(medians) AS medians FROM ways() GROUP BY 1 ORDER BY 1;
-- Of one column the counts are those that release_suggest ranks by.
SELECT tds_anonymize('many', 'r', k_anonymity('{price}', 8)) -> 'version' AS version;
SELECT s.query_error = e.median_error AS same FROM release_suggest('many', k_anonymity('{price}', 8), max_withhold => 0) s, release_query_error('r') e
WHERE s.recoding = 'global' AND s.split = 'optimal' AND e.aggregate = 'count';
-- Other seeds ask otherwise, the same seed the same.
SELECT count(DISTINCT e.median_error) AS medians FROM unnest(ARRAY[1, 1, 2, -3]) seed, release_query_error('r', seed => seed, count => 50) e WHERE aggregate = 'count';
SELECT sum(queries) FROM release_query_error('r', count => 1);
SELECT release_drop('r');

-- Withheld rows are missing in the release, and the source counts them; recipients are told of the rows that are released.
CREATE TABLE few AS SELECT CASE WHEN i <= 4 THEN 99 ELSE i % 2 END AS n, i % 3 AS x FROM generate_series(1, 104) i;
SELECT tds_anonymize('few', 'r', k_anonymity('{n}', 10), masking => by_suppression('n'), withhold => 0.05, keep => '{x}', tell_error => true) -> 'withheld' AS withheld;
:ask('r', '[{"where": {"n": [99]}}, {"where": {"n": [0]}}, {"where": {"n": [0, 1, 99]}}]');
SELECT query_error FROM r.about;
-- Told anew by a refresh, not by a rewind, and no more once it is not to be; and of clusters.
UPDATE few SET x = n WHERE n < 99;
SELECT release_refresh('r') -> 'version' AS version;
SELECT query_error FROM r.about;
SELECT release_rewind('r', 0) -> 'version' AS version;
SELECT query_error, (SELECT parameters -> 'tell_error' FROM r_private.manifest WHERE current) AS tell_error FROM r.about;
SELECT release_alter('r', tell_error => false) -> 'version' AS version;
SELECT query_error, (SELECT parameters -> 'tell_error' FROM r_private.manifest WHERE current) AS tell_error FROM r.about;
SELECT release_alter('r', tell_error => true) -> 'version' AS version;
SELECT query_error, (SELECT parameters -> 'tell_error' FROM r_private.manifest WHERE current) AS tell_error FROM r.about;
SELECT release_alter('r', score => 'tdr') -> 'version' AS version;
SELECT query_error IS NOT NULL AS told FROM r.about;
SELECT release_drop('r');
SELECT kmember_anonymize('people', 'r', '{age,sex}', 5, keep => '{pay}', tell_error => true) -> 'version' AS version;
SELECT jsonb_object_keys(query_error) AS told FROM r.about ORDER BY 1;
-- The source is as it is now, and that is said.
INSERT INTO people VALUES (3, 'F', NULL);
SELECT count(*) > 0 AS some FROM release_query_error('r');
SELECT release_drop('r');
DELETE FROM people WHERE pay IS NULL;

-- Numbers that are missing or not finite are left out, in the source and in the release.
CREATE TABLE odd AS SELECT i % 4 AS n, CASE i % 3 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' ELSE i::numeric END AS amount, CASE WHEN i % 8 = 2 THEN 'Infinity' ELSE 1::float8 END AS ratio, now() AS at FROM generate_series(1, 40) i;
SELECT tds_anonymize('odd', 'r', k_anonymity('{n}', 5), keep => '{amount,ratio,at}') -> 'version' AS version;
:ask('r', '[{"where": {"n": "[0,2)"}, "of": "amount"}, {"where": {"n": "[2,2]"}, "of": "ratio"}]');
SELECT release_drop('r');

-- What cannot be asked.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex'], 5), keep => '{pay}') -> 'version' AS version;
CREATE FUNCTION fails(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text; detail text; hint text;
BEGIN
  EXECUTE statement;
  RETURN 'it works';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN format(E'%s: %s\n  %s\n  %s', SQLSTATE, message, detail, hint);
END $$;
\pset format unaligned
\pset tuples_only on
SELECT fails(format('SELECT * FROM release_query_error(''r'', %L)', q)) FROM unnest(ARRAY['1', '{}', '[]', '[1]', '[{}]', '[{"where": {}}]', '[{"where": []}]', '[{"where": {"age": "[1,2)"}, "from": 1}]',
  '[{"where": {"age": "1"}}]', '[{"where": {"age": "[1,2"}}]', '[{"where": {"age": "[a,2]"}}]', '[{"where": {"age": "(3,3)"}}]', '[{"where": {"age": "[5,3]"}}]', '[{"where": {"age": ["1"]}}]', '[{"where": {"age": null}}]',
  '[{"where": {"age": "[1,2)"}}, {"where": {"sex": "F"}}]', '[{"where": {"sex": []}}]', '[{"where": {"sex": [null]}}]', '[{"where": {"sex": ["X"]}}]', '[{"where": {"pay": "[1,2)"}}]', '[{"where": {"nothing": ["1"]}}]',
  '[{"where": {"age": "[1,2)"}, "of": "age"}]', '[{"where": {"age": "[1,2)"}, "of": "sex"}]', '[{"where": {"age": "[1,2)"}, "of": "nothing"}]']) q;
SELECT fails(format('SELECT * FROM release_query_error(''r'', %s)', a)) FROM unnest(ARRAY['count => 0', 'count => -1', 'count => 10001', 'count => NULL', 'seed => NULL']) a;
SELECT fails('SELECT * FROM release_query_error(NULL)');
SELECT fails('SELECT * FROM release_query_error(''none'')');
SELECT fails('SELECT tds_anonymize(''people'', ''x'', k_anonymity(ARRAY[''age''], 5), tell_error => NULL)');
-- Its owner only, who may still read the source; and no source that hides rows.
CREATE ROLE asked_other;
CREATE ROLE asked_owner;
GRANT USAGE ON SCHEMA asked TO asked_other, asked_owner;
GRANT SELECT ON people TO asked_other;
SELECT release_grant('r', 'asked_other');
SET ROLE asked_other;
SELECT fails('SELECT * FROM release_query_error(''r'')');
RESET ROLE;
SELECT format('GRANT CREATE ON DATABASE %I TO asked_owner', current_database()) \gexec
GRANT EXECUTE ON FUNCTION tds_anonymize TO asked_owner;
GRANT SELECT ON people TO asked_owner;
SET ROLE asked_owner;
SELECT tds_anonymize('people', 'own', k_anonymity(ARRAY['age', 'sex'], 5), keep => '{pay}') -> 'version' AS version;
SELECT count(*) > 3 AS some FROM release_query_error('own');
RESET ROLE;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
CREATE POLICY part ON people USING (age < 5);
SET ROLE asked_owner;
SELECT fails('SELECT * FROM release_query_error(''own'')');
RESET ROLE;
-- What waits is in the source, and what lingers is not: the source has not changed since.
CREATE TABLE comers AS SELECT i % 60 AS v, i % 2 AS s FROM generate_series(1, 6000) i;
SELECT tds_anonymize('comers', 'batched', k_anonymity('{v,s}', 10), changes => 'batched') -> 'version' AS version;
INSERT INTO comers VALUES (5, 1);
SELECT release_refresh('batched') -> 'waiting' AS waiting;
SELECT count(*) > 0 AS some FROM release_query_error('batched');
SELECT release_drop('batched');
-- Whoever calls, everything is read with the owner's rights.
SELECT fails('SELECT * FROM release_query_error(''own'')');
ALTER TABLE people DISABLE ROW LEVEL SECURITY;
REVOKE SELECT (pay) ON people FROM asked_owner;
REVOKE SELECT ON people FROM asked_owner;
GRANT SELECT (age, sex) ON people TO asked_owner;
SELECT fails('SELECT * FROM release_query_error(''own'')');
ALTER TABLE people RENAME TO gone;
SELECT fails('SELECT * FROM release_query_error(''own'')');
SELECT release_drop('own');
SELECT release_drop('r');
-- a source that has no rows any more: there is nothing to ask, by whichever masking
CREATE TABLE emptied AS SELECT ('10.0.0.' || i % 5)::inet AS ip, 'c' || i % 4 AS c, i % 9 AS n FROM generate_series(1, 100) i;
SELECT tds_anonymize('emptied', 'asked_e', k_anonymity('{ip,c,n}', 5), masking => ARRAY[by_network('ip'), by_taxonomy_tree('c', '{"all": ["c0", "c1", "c2", "c3"]}')]) ->> 'version' AS version;
TRUNCATE emptied;
SELECT count(*) FROM release_query_error('asked_e');
SELECT release_drop('asked_e');
SELECT format('REVOKE CREATE ON DATABASE %I FROM asked_owner', current_database()) \gexec
REVOKE EXECUTE ON FUNCTION tds_anonymize FROM asked_owner;
DROP SCHEMA asked CASCADE;
DROP ROLE asked_other, asked_owner;
