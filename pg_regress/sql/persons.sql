-- Groups of k persons, whatever their rows: counted by search, replay and recount; whose a row is stays hidden.
SET client_min_messages TO notice;
CREATE SCHEMA persons;
SET search_path TO persons, public;
-- 300 visits: of 50 patients some come often, one is unknown, and each lives in one place
CREATE TABLE visits WITH (autovacuum_enabled = false) AS
SELECT nullif('P' || p, 'P7') AS patient, 'D' || i % 3 AS doctor, 20 + p * 7 % 60 AS age, (ARRAY['F', 'M'])[1 + p % 2] AS sex,
       (ARRAY['Ashford', 'Barrow', 'Calne'])[1 + p % 3] AS town, (ARRAY['flu', 'cold', 'none'])[1 + (i + p) % 3] AS illness, i AS cost
FROM (SELECT i, floor(50 * ((i * 37 % 300) / 300.0) ^ 2)::int AS p FROM generate_series(1, 300) i) v;
SELECT count(*), count(DISTINCT patient), max(n) FROM visits, (SELECT count(*) AS n FROM visits GROUP BY patient) c;

-- the model
SELECT k_anonymity(ARRAY['age'], 3, person => 'patient'), k_anonymity(ARRAY['age'], 3, NULL), '{"k_anonymity": {"quasi_identifier": ["age"], "k": 2, "person": "patient"}}'::privacy_model;
-- as the table is: by rows and by persons, and the same in plain SQL
SELECT model, required, achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('visits', ARRAY[k_anonymity(ARRAY['age', 'sex', 'town'], 3), k_anonymity(ARRAY['age', 'sex', 'town'], 3, 'patient'), k_anonymity(ARRAY['town'], 3, 'doctor')]);
SELECT count(*) AS groups, min(persons), count(*) FILTER (WHERE persons < 3) AS below, sum(rows) FILTER (WHERE persons < 3) AS rows
FROM (SELECT count(*) AS rows, count(DISTINCT patient) + (count(*) > count(patient))::int AS persons FROM visits GROUP BY age, sex, town) g;

-- ten rows are not ten persons
SELECT tds_anonymize('visits', 'by_rows', k_anonymity(ARRAY['age', 'sex', 'town'], 10), class => 'illness') -> 'privacy' -> 0 -> 'achieved' AS rows;
SELECT tds_anonymize('visits', 'by_persons', k_anonymity(ARRAY['age', 'sex', 'town'], 10, person => 'patient'), class => 'illness', keep => ARRAY['cost']) -> 'privacy' AS privacy;
SELECT attribute, node, records FROM by_rows.cut;
SELECT attribute, node, records FROM by_persons.cut;
SELECT step, attribute, node, children, records, round(privacy_loss::numeric, 4) AS loss, achieved FROM by_persons_private.steps;
-- counted by hand: whose each row of the release is, by what nobody sees
SELECT min(n) FROM (SELECT count(DISTINCT v.patient) + bool_or(v.patient IS NULL)::int AS n
  FROM by_persons.visits r JOIN visits v USING (cost) GROUP BY r.age, r.sex, r.town) g;
SELECT * FROM release_verify('by_persons');

-- the view shows nobody, and the version's table a pseudonym drawn anew for every version; the unknown one has one, too
SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'by_persons_private' AND table_name = 'rows_v1' ORDER BY ordinal_position;
SELECT count(*) FILTER (WHERE hidden_1 IS NULL) AS nulls, count(DISTINCT hidden_1), min(hidden_1), max(hidden_1) FROM by_persons_private.rows_v1;
SELECT count(*) AS pairs, count(DISTINCT v.patient) AS patients, count(DISTINCT r.hidden_1) AS pseudonyms
FROM (SELECT DISTINCT hidden_1, cost FROM by_persons_private.rows_v1) r JOIN visits v USING (cost) WHERE v.patient IS NOT NULL;
SELECT release_refresh(public.again('by_persons')) ->> 'version' AS version;
SELECT count(*) > 0 AS drawn_anew FROM by_persons_private.rows_v1 a JOIN by_persons_private.rows_v2 b USING (cost) WHERE a.hidden_1 <> b.hidden_1;
SELECT bool_and(a.persons = b.persons) AS same_persons FROM (SELECT cost, count(*) OVER (PARTITION BY hidden_1) AS persons FROM by_persons_private.rows_v1) a JOIN (SELECT cost, count(*) OVER (PARTITION BY hidden_1) AS persons FROM by_persons_private.rows_v2) b USING (cost);
SELECT release_rewind('by_persons', 1) -> 'privacy' -> 0 -> 'achieved' AS achieved;
SELECT count(*) > 0 AS drawn_anew FROM by_persons_private.rows_v2 a JOIN by_persons_private.rows_v3 b USING (cost) WHERE a.hidden_1 <> b.hidden_1;
SELECT holds FROM release_verify('by_persons');

-- a recipient cannot recount it, and is told so; what is published says which column it was
CREATE ROLE persons_reader;
GRANT USAGE ON SCHEMA persons TO persons_reader;
SELECT release_grant('by_persons', 'persons_reader');
SET ROLE persons_reader;
SELECT * FROM release_verify('by_persons');
SELECT privacy FROM by_persons.about;
SELECT hidden_1 FROM by_persons_private.rows_v3;
RESET ROLE;

-- risk and the sizes of groups are those of persons, losses those of rows
SELECT * FROM release_risk('by_persons', 0.05);
SELECT attacker, round(avg(1.0 / persons), 12) AS average, max(1.0 / persons)::float8 AS highest FROM (VALUES ('prosecutor')) a (attacker),
  (SELECT count(*) AS rows, count(DISTINCT hidden_1) AS persons, age, sex, town FROM by_persons_private.rows_v3 GROUP BY age, sex, town) g, generate_series(1, g.rows) GROUP BY attacker;
SELECT m.measure, m.value, r.value AS of_rows FROM release_measures('by_persons') m, LATERAL (SELECT CASE m.measure WHEN 'smallest_group' THEN min(n) WHEN 'discernibility' THEN sum(n * n) WHEN 'average_class_size' THEN avg(n) WHEN 'avg' THEN avg(n) / 10 WHEN 'groups' THEN count(*) END::float8 AS value
  FROM (SELECT count(DISTINCT hidden_1) AS n FROM by_persons_private.rows_v3 GROUP BY age, sex, town) g) r WHERE r.value IS NOT NULL;

-- by two columns, beside rows, a template and a diversity; suppressed values are disclosed where as many persons are left
SELECT tds_anonymize('visits', 'mixed', ARRAY[k_anonymity(ARRAY['age', 'sex', 'town'], 5), k_anonymity(ARRAY['age', 'town'], 6, 'patient'), k_anonymity(ARRAY['age', 'town'], 2, 'doctor'),
  confidence_bound(ARRAY['age', 'town'], 'illness', ARRAY['flu'], 0.9), l_diversity(ARRAY['sex', 'town'], 'illness', 2)], masking => by_suppression('age')) -> 'privacy' AS privacy;
SELECT attribute, node, records FROM mixed.cut;
SELECT model, achieved, holds FROM release_verify('mixed');
-- k persons have k rows: the weaker is named
SELECT tds_anonymize('visits', 'implied', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5), k_anonymity(ARRAY['age', 'sex', 'town'], 5, 'patient')]) -> 'version' AS version;
SELECT tds_anonymize('visits', 'not_implied', ARRAY[k_anonymity(ARRAY['age', 'sex', 'town'], 5), k_anonymity(ARRAY['age', 'sex'], 5, 'patient')]) -> 'version' AS version;

-- what changes: persons that go leave steps out; rows instead of persons protect less, persons instead of rows do not
DELETE FROM visits WHERE patient IN (SELECT patient FROM visits WHERE sex = 'F' AND patient > 'P2');
SELECT (r ->> 'steps')::int < 9 AS fewer, r #> '{privacy,0,holds}' AS holds FROM release_refresh(public.again('implied')) r;
SELECT release_alter('implied', privacy => ARRAY[k_anonymity(ARRAY['age', 'sex', 'town'], 5)]);
SELECT release_alter('by_rows', privacy => k_anonymity(ARRAY['age', 'sex', 'town'], 10, 'patient')) -> 'privacy' -> 0 -> 'holds' AS holds;
SELECT column_name FROM information_schema.columns WHERE table_schema = 'by_rows_private' AND table_name = 'rows_v2' ORDER BY ordinal_position;
SELECT holds FROM release_verify('by_rows');
-- templates take it, too
SELECT pda_anonymize('visits', 'pda', ARRAY[confidence_bound(ARRAY['town', 'sex'], 'illness', NULL, 0.8), k_anonymity(ARRAY['town', 'sex'], 4, 'patient')], class => 'illness') -> 'privacy' -> 1 AS privacy;
-- equal values of any type are one person, and types without an order go by their text
CREATE TABLE odd AS SELECT i % 2 AS g, (ARRAY['1.0', '1.00', '2'])[1 + i % 3]::numeric AS num, format('{"a": %s}', i % 3)::json AS doc FROM generate_series(1, 12) i;
SELECT achieved FROM privacy_check('odd', ARRAY[k_anonymity(ARRAY['g'], 2, 'num'), k_anonymity(ARRAY['g'], 2, 'doc')]);
SELECT tds_anonymize('odd', 'odd_r', ARRAY[k_anonymity(ARRAY['g'], 2, 'num'), k_anonymity(ARRAY['g'], 3, 'doc')]) -> 'privacy' AS privacy;

-- what cannot be
SELECT k_anonymity(ARRAY['age', 'patient'], 3, 'patient');
SELECT tds_anonymize('visits', 'r', k_anonymity(ARRAY['age'], 3, 'nobody'));
SELECT privacy_check('visits', k_anonymity(ARRAY['age'], 3, 'nobody'));
SELECT tds_anonymize('visits', 'r', ARRAY[k_anonymity(ARRAY['age'], 3, 'patient'), k_anonymity(ARRAY['sex', 'patient'], 2)]);
SELECT tds_anonymize('visits', 'r', k_anonymity(ARRAY['age'], 3, 'patient'), class => 'patient', keep => ARRAY['patient']);
SELECT tds_anonymize('visits', 'r', ARRAY[k_anonymity(ARRAY['age'], 3, 'patient'), l_diversity(ARRAY['sex'], 'patient', 2)]);
SELECT tds_anonymize('visits', 'r', k_anonymity(ARRAY['age'], 51, 'patient'));
SELECT k_anonymity(ARRAY['age'], 3, '');
CREATE VIEW clash AS SELECT age, patient, 1 AS hidden_1 FROM visits;
SELECT tds_anonymize('clash', 'r', k_anonymity(ARRAY['age'], 3, 'patient'), keep => ARRAY['hidden_1']) ->> 'version' AS version;
SELECT parameters -> 'hidden' AS hidden FROM r_private.manifest;
SELECT release_drop('r');
SELECT kmember_anonymize('visits', 'clustered', ARRAY['age'], 5) -> 'version' AS version;
SELECT release_alter('clustered', privacy => k_anonymity(ARRAY['age'], 5, 'patient'));
SELECT nspname FROM pg_namespace WHERE nspname IN ('r', 'r_private');

SELECT release_drop(release) FROM unnest('{by_rows,by_persons,mixed,implied,not_implied,pda,odd_r,clustered}'::name[]) release;
DROP SCHEMA persons CASCADE;
DROP ROLE persons_reader;
