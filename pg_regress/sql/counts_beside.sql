-- counts: two columns of one fact would tell of few rows by the difference of their counts; one of them has none.
SET client_min_messages TO notice;
CREATE SCHEMA counts_beside;
SET search_path TO counts_beside, public;
-- An age says the year of birth and the decade. A size of shoes says nothing of it. Two rows are of one person.
CREATE TABLE people AS SELECT i AS nr, age, 2026 - age AS born, age / 10 AS decade, 36 + i % 8 AS shoe, i / 2 AS person, 'i' || i % 3 AS illness
FROM (SELECT i, 20 + i * 7 % 61 AS age FROM generate_series(0, 399) i) x;
CREATE FUNCTION counted(release text) RETURNS TABLE (attribute text, enough boolean) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format('SELECT attribute, min(records) >= 10 FROM %I.counts GROUP BY 1 ORDER BY 1', release);
END $$;

SELECT tds_anonymize('people', 'r', k_anonymity('{age,born}', 10), masking => ARRAY[by_intervals('age', '20', '81'), by_intervals('born', '1940', '2010')], counts => true) ->> 'version' AS version;
SELECT * FROM counted('r');
-- Each of them alone has counts that end at different ages: here the rows between two such ends, by subtraction.
SELECT tds_anonymize('people', 'by_age', k_anonymity('{age}', 10), masking => by_intervals('age', '20', '81'), keep => '{}', counts => true) ->> 'version' AS version;
SELECT tds_anonymize('people', 'by_birth', k_anonymity('{born}', 10), masking => by_intervals('born', '1940', '2010'), keep => '{}', counts => true) ->> 'version' AS version;
SELECT min(abs(a.below - b.below)) AS fewest FROM
  (SELECT sum(records) OVER (ORDER BY lower NULLS FIRST) AS below FROM by_age.counts) a,
  (SELECT sum(records) OVER (ORDER BY lower DESC NULLS FIRST) AS below FROM (SELECT records, lower FROM by_birth.counts) c) b WHERE a.below <> b.below;

-- So do the values of a column that is released as it is.
SELECT tds_anonymize('people', 'kept', k_anonymity('{age}', 10), masking => by_intervals('age', '20', '81'), keep => '{decade}', max_steps => 1, counts => true) ->> 'version' AS version;
SELECT * FROM counted('kept');
-- And those that are shown of a masked column. The first one has no counts because a template is about it.
SELECT tds_anonymize('people', 'shown', ARRAY[k_anonymity('{age,decade}', 10), confidence_bound('{decade}', 'illness', NULL, .9)], masking => ARRAY[by_intervals('age', '20', '81'), by_suppression('decade')], keep => '{}', counts => true) ->> 'version' AS version;
SELECT decade, count(*) FROM shown.people GROUP BY 1 ORDER BY 1;
SELECT * FROM counted('shown');

-- Columns that have nothing to do with each other have counts, by cells and by groups.
SELECT tds_anonymize('people', 'others', k_anonymity('{age,shoe}', 10), masking => by_intervals('age', '20', '81'), keep => '{}', counts => true) ->> 'version' AS version;
SELECT * FROM counted('others');
SELECT release_alter('others', recoding => 'local') ->> 'version' AS version;
SELECT * FROM counted('others');
-- By groups, too, columns of one fact tell of few.
SELECT tds_anonymize('people', 'locally', k_anonymity('{age,born}', 10), masking => ARRAY[by_intervals('age', '20', '81'), by_intervals('born', '1940', '2010')], recoding => 'local', counts => true) ->> 'version' AS version;
SELECT * FROM counted('locally');
SELECT tds_anonymize('people', 'clustered', k_anonymity('{age,born}', 10), recoding => 'clustered', counts => true) ->> 'version' AS version;
SELECT * FROM counted('clustered');
-- Rewinding brings none back, and another call does where nothing is told any more.
SELECT release_rewind('r', 0) ->> 'version' AS version;
SELECT * FROM counted('r');
UPDATE people SET born = 1946 + nr * 11 % 59;
SELECT release_refresh('r') ->> 'version' AS version;
SELECT * FROM counted('r');
-- What is shown of both columns together: below 40 x is of those below 30 alone, so that 3 of these are y. By x and y alone nobody could tell.
CREATE TABLE licences AS SELECT 20 + i % 10 AS age, 'x' AS licence FROM generate_series(1, 40) i UNION ALL SELECT 20 + i % 10, 'y' FROM generate_series(1, 3) i
  UNION ALL SELECT 30 + i % 10, 'y' FROM generate_series(1, 40) i UNION ALL SELECT 40 + i % 20, CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 90) i;
SELECT tds_anonymize('licences', 'cells', k_anonymity('{age,licence}', 10), masking => ARRAY[by_intervals('age', '20', '60', breakpoints => '{30,40,50}'), by_suppression('licence')], counts => true) ->> 'version' AS version;
SELECT age, licence, count(*) FROM cells.licences WHERE age = '[20,40)' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT * FROM counted('cells');
SELECT tds_anonymize('licences', 'groups', k_anonymity('{age}', 10), masking => by_intervals('age', '20', '60', breakpoints => '{30,40,50}'), keep => '{licence}', recoding => 'local', max_steps => 1, counts => true) ->> 'version' AS version;
SELECT * FROM counted('groups');
-- A value and NULL are two things.
CREATE TABLE flags AS SELECT age, NULLIF(licence, 'y') AS licence FROM licences;
SELECT tds_anonymize('flags', 'flagged', k_anonymity('{age}', 10), masking => by_intervals('age', '20', '60', breakpoints => '{30,40,50}'), keep => '{licence}', max_steps => 1, counts => true) ->> 'version' AS version;
SELECT * FROM counted('flagged');
-- By groups, what is shown of the column itself: 30 rows are of a00, a01 and a2, and 29 of them are shown as a0.
CREATE TABLE codes AS SELECT a FROM (VALUES ('a00', 11), ('a01', 18), ('a10', 12), ('a20', 1)) v (a, n), generate_series(1, n);
SELECT tds_anonymize('codes', 'coded', k_anonymity('{a}', 5), masking => by_taxonomy_tree('a', '{"Any":{"a0":["a00","a01"],"a1":["a10"],"a2":["a20"]}}'), recoding => 'local', max_steps => 1, counts => true) ->> 'version' AS version;
SELECT a, count(*) FROM coded.codes GROUP BY 1 ORDER BY 1;
SELECT attribute, node, records FROM coded.counts;
-- What has no count is shown, each value by itself: 3 rows are of n1 and b1.
CREATE TABLE wards AS SELECT a, b, CASE WHEN a = 'n1' OR i % 2 = 0 THEN 'flu' ELSE 'hiv' END AS s
FROM (VALUES ('a1', 'b1', 2), ('n1', 'b1', 3), ('n2', 'b1', 6), ('n2', 'b2', 20), ('a2', 'b2', 3), ('n1', 'b3', 20), ('a4', 'b3', 2)) v (a, b, n), generate_series(1, n) i;
SELECT tds_anonymize('wards', 'uncounted', ARRAY[k_anonymity('{b}', 5), l_diversity('{a}', 's', 1)], masking => ARRAY[weighted(by_suppression('b'), 1000), by_taxonomy_tree('a', '{"Any":{"X":["n1","n2"],"a1":[],"a2":[],"a4":[]}}')], max_steps => 4, counts => true) ->> 'version' AS version;
SELECT a, b, count(*) FROM uncounted.wards GROUP BY 1, 2 ORDER BY 1, 2;
SELECT attribute, node, records FROM uncounted.counts;
-- Enough rows, of which a model of a sensitive value does not hold: the value is not named.
CREATE TABLE ills AS SELECT 'c' || i AS code, (ARRAY['flu', 'cold', 'none'])[1 + j % 3] AS s FROM generate_series(1, 3) i, generate_series(1, 12) j
UNION ALL SELECT 'c7', 'hiv' FROM generate_series(1, 12) UNION ALL SELECT 'x' || i, (ARRAY['flu', 'cold', 'none'])[1 + i % 3] FROM generate_series(1, 15) i;
SELECT release, tds_anonymize('ills', release, ARRAY[k_anonymity('{code}', 5), model], counts => true, recoding => recoding) ->> 'version' AS version
FROM (VALUES ('ills_l', l_diversity('{code}', 's', 2), 'global'), ('ills_t', t_closeness('{code}', 's', 0.5), 'local'), ('ills_b', beta_likeness('{code}', 's', 3), 'clustered')) v (release, model, recoding);
SELECT (SELECT array_agg(c) FROM ills_l.counts c) AS l, (SELECT array_agg(c) FROM ills_t.counts c) AS t, (SELECT array_agg(c) FROM ills_b.counts c) AS b;
-- Enough rows, but of few persons.
CREATE TABLE visits AS SELECT v AS nr, CASE WHEN v < 100 THEN 'a' ELSE 'b' END AS ward, CASE WHEN v < 112 THEN 'x' ELSE 'y' END AS wing,
  CASE WHEN v BETWEEN 100 AND 111 THEN 100 + v % 3 ELSE v END AS person FROM generate_series(0, 199) v;
SELECT tds_anonymize('visits', 'rows', k_anonymity('{ward,wing}', 5), masking => ARRAY[by_suppression('ward'), by_suppression('wing')], keep => '{}', counts => true, max_steps => 0) ->> 'version' AS version;
SELECT attribute, node, records FROM rows.counts;
SELECT tds_anonymize('visits', 'persons', k_anonymity('{ward,wing}', 5, 'person'), masking => ARRAY[by_suppression('ward'), by_suppression('wing')], keep => '{}', counts => true, max_steps => 0) ->> 'version' AS version;
SELECT attribute, node, records FROM persons.counts;

SELECT release_drop(release) FROM releases();
DROP SCHEMA counts_beside CASCADE;
