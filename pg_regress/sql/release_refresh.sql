-- Refreshing a release: by performing its steps again, by a new search; what stops it; what it says; whose rights.
SET client_min_messages TO notice;
CREATE SCHEMA ref;
SET search_path TO ref, public;
CREATE TABLE people (city text, age int, edu text, income text, note text);
INSERT INTO people
SELECT (ARRAY['a', 'b', 'c'])[1 + i % 3], 20 + i % 40, (ARRAY['9th', '10th', 'Bachelor', 'Master'])[1 + i % 4], CASE WHEN i % 40 < 17 THEN 'low' ELSE 'high' END, 'n' || i % 2
FROM generate_series(0, 1199) i;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'), ('Bachelor', 'University'), ('Master', 'University');
SELECT result - 'seconds' AS result FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['city', 'age', 'edu'], 10)], class => 'income', keep => ARRAY['note'], score => 'tdr',
  masking => ARRAY[by_taxonomy('edu', 'tree'), by_intervals('age', '0', '120')]) result;
SELECT step, attribute, node, children, records, achieved FROM rel_private.steps ORDER BY step;
CREATE VIEW changed AS
WITH cuts AS (SELECT version, attribute, node, lower, upper, records FROM rel_private.cuts), newest AS (SELECT max(version) AS v FROM cuts)
SELECT CASE WHEN version = v THEN 'now' ELSE 'before' END AS at, attribute, node, records FROM cuts, newest
WHERE version IN (v, v - 1) AND NOT EXISTS (SELECT FROM cuts o WHERE o.version = CASE WHEN cuts.version = v THEN v - 1 ELSE v END
  AND (o.attribute, o.node, o.records) IS NOT DISTINCT FROM (cuts.attribute, cuts.node, cuts.records)) ORDER BY 2, 1 DESC, 3;

-- nothing has changed: the same steps with the same figures, whichever way
SELECT result - 'seconds' AS result FROM release_refresh(public.again('rel')) result;
SELECT * FROM changed;
SELECT count(*) AS differing FROM (SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved FROM rel_private.steps WHERE version = 1
  EXCEPT SELECT step, attribute, node, children, records, info_gain, privacy_loss, score, achieved FROM rel_private.steps WHERE version = 2) d;
SELECT result - 'seconds' AS result FROM release_refresh('rel', mode => 'search') result;
SELECT * FROM changed;

-- rows come and go where nothing becomes too few: other counts, the same cut
INSERT INTO people SELECT * FROM people WHERE age < 30;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT * FROM changed;
SELECT required, achieved, holds FROM release_verify('rel');

-- what was split at 37 stays split there, whatever is on both sides now: the end that was published is the end that is published
DELETE FROM people WHERE age BETWEEN 30 AND 44;
INSERT INTO people SELECT city, 30 + (i % 2) * 25, edu, income, note FROM people, generate_series(1, 2) i WHERE age = 25;
SELECT node, lower, upper FROM rel_private.cuts WHERE attribute = 'age' AND version = 4;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT node, lower, upper, records FROM rel.cut WHERE attribute = 'age';
SELECT p.age, count(*) = min(c.records) AS as_the_cut_says, count(*) FROM rel.people p JOIN rel.cut c ON c.attribute = 'age' AND c.node = p.age GROUP BY 1 ORDER BY 1;

-- rows that make a step invalid: it is left out, with what is beneath it; the column is named
TRUNCATE people;
INSERT INTO people
SELECT (ARRAY['a', 'b', 'c'])[1 + i % 3], 20 + i % 40, (ARRAY['9th', '10th', 'Bachelor', 'Master'])[1 + i % 4], CASE WHEN i % 40 < 17 THEN 'low' ELSE 'high' END, 'n' || i % 2
FROM generate_series(0, 1199) i;
SELECT result ->> 'version' AS version FROM release_refresh(public.again('rel')) result;
DELETE FROM people WHERE edu = 'Master' AND city = 'b';
INSERT INTO people VALUES ('b', 30, 'Master', 'low', 'n1');
SELECT result - 'seconds' AS result FROM release_refresh(public.again('rel')) result;
SELECT attribute, node, records FROM rel.cut;
SELECT parameters -> 'steps_dropped' AS dropped, parameters -> 'trace' AS trace FROM rel_private.manifest ORDER BY version DESC LIMIT 1;
-- and is back when the rows are: a replay never prunes the trace of the search
INSERT INTO people SELECT 'b', 20 + i % 40, 'Master', 'low', 'n1' FROM generate_series(0, 99) i;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT version, steps_kept, steps_dropped, round(certainty_loss::numeric, 4) AS certainty_loss, round(class_information::numeric, 4) AS class_information,
       (achieved #>> '{0,achieved}')::float8 AS smallest, rows, withheld FROM release_drift('rel') ORDER BY version;
SELECT abs((SELECT value FROM release_measures('rel') WHERE measure = 'normalized_certainty_penalty') - certainty_loss) < 1e-9 AS same FROM release_drift('rel') ORDER BY version DESC LIMIT 1;

-- values never seen: in * under suppression, an error under a taxonomy, named where they are released as they are
INSERT INTO people SELECT 'z', 20 + i % 40, '9th', 'low', 'n7' FROM generate_series(0, 99) i;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT node, records FROM rel.cut WHERE attribute = 'city';
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
-- NULL is such a value
BEGIN;
INSERT INTO people VALUES ('a', 30, '9th', 'low', NULL);
SELECT result -> 'new_values' AS new_values FROM release_refresh(public.again('rel')) result;
SELECT result -> 'new_values' AS new_values FROM release_refresh(public.again('rel')) result;
ROLLBACK;
INSERT INTO people VALUES ('a', 30, 'Doctorate', 'low', 'n1');
SELECT release_refresh(public.again('rel'));
SELECT release_refresh(public.again('rel'), unknown => 'withhold');
SELECT release_refresh(public.again('rel'), unknown => 'drop');
SELECT release_refresh('rel', mode => 'again');
SELECT release_refresh(public.again('nowhere'));
SELECT release_refresh(NULL);
SELECT max(version) FROM rel.cut;
INSERT INTO tree VALUES ('Doctorate', 'University');
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh('rel', mode => 'search') result;
-- NULLs where there were none: told from the rest first, if that may be
INSERT INTO people SELECT 'a', NULL, '9th', 'low', 'n1' FROM generate_series(0, 99) i;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT step, node, children FROM rel_private.steps WHERE version = (SELECT version FROM rel.about) AND attribute = 'age' ORDER BY step;
SELECT node, records FROM rel.cut WHERE attribute = 'age';
DELETE FROM people WHERE age IS NULL AND ctid <> (SELECT ctid FROM people WHERE age IS NULL LIMIT 1);
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT node, records FROM rel.cut WHERE attribute = 'age';
DELETE FROM people WHERE age IS NULL;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT node, records FROM rel.cut WHERE attribute = 'age';
SELECT required, achieved, holds FROM release_verify('rel');

-- a taxonomy whose nodes are called otherwise: what cannot be refined again is named
UPDATE tree SET parent = 'Everything' WHERE parent = 'Any';
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
UPDATE tree SET parent = 'Any' WHERE parent = 'Everything';
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
-- what the planner knew of a version that is no longer current is not for EXPLAIN to tell
SELECT tablename = 'rows_v' || (SELECT version FROM rel.about) AS current FROM pg_stats WHERE schemaname = 'rel_private' AND tablename ~ '^rows_v[1-9]' GROUP BY 1;

-- the source's columns: one that is new is ignored; one that is gone, renamed or of another type stops the refresh, by its name
ALTER TABLE people ADD secret text DEFAULT 'secret';
SELECT result ->> 'version' AS version FROM release_refresh(public.again('rel')) result;
SELECT count(*) FROM information_schema.columns WHERE table_schema IN ('rel', 'rel_private') AND column_name = 'secret';
ALTER TABLE people RENAME city TO town;
SELECT release_refresh(public.again('rel'));
ALTER TABLE people RENAME town TO city;
ALTER TABLE people ALTER age TYPE bigint;
SELECT release_refresh('rel', mode => 'search');
ALTER TABLE people ALTER age TYPE int;
ALTER TABLE people DROP note;
SELECT release_refresh(public.again('rel'));
ALTER TABLE people ADD note text DEFAULT 'n1';
SELECT result ->> 'version' AS version FROM release_refresh(public.again('rel')) result;
ALTER TABLE people RENAME TO folk;
SELECT release_refresh(public.again('rel'));
SELECT result - 'seconds' - 'privacy' - 'steps' AS result FROM release_alter('rel', source => 'folk') result;
SELECT release, source FROM releases();
SELECT result ->> 'version' AS version FROM release_refresh(public.again('rel')) result;

-- all releases at once; one that fails does not stop the others
SELECT tds_anonymize('folk', 'rel2', ARRAY[k_anonymity(ARRAY['city', 'age'], 20)], class => 'income') ->> 'version' AS version;
SELECT kmember_anonymize('folk', 'rel3', ARRAY['age', 'city'], 300) ->> 'version' AS version;
ALTER TABLE folk RENAME edu TO education;
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases();
SELECT release, version FROM releases() ORDER BY 1;
ALTER TABLE folk RENAME education TO edu;
-- intervals of texts that hold commas: those from x to zz,z and from x,zz to z are called alike; a step is known by where it split
CREATE TABLE commas AS SELECT name, class FROM (VALUES ('a', 'p', 30), ('x', 'q', 60), ('x,zz', 'p', 5), ('z', 'q', 10), ('zz', 'q', 10), ('zz,z', 'p', 100))
  AS v (name, class, rows), generate_series(1, rows);
SELECT result ->> 'steps' AS steps FROM tds_anonymize('commas', 'com', ARRAY[k_anonymity(ARRAY['name'], 1)], class => 'class', masking => ARRAY[by_intervals('name')]) result;
SELECT step, node, children FROM com_private.steps ORDER BY step;
SELECT node, lower, upper FROM com_private.taxonomy WHERE node = '[x,zz,z)';
CREATE TABLE before AS SELECT * FROM com.cut;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('com')) result;
SELECT attribute, node, lower, upper, records FROM com.cut EXCEPT SELECT attribute, node, lower, upper, records FROM before;
SELECT count(*) AS same FROM com.cut JOIN before USING (attribute, node, lower, upper, records);
SELECT result - 'seconds' - 'privacy' AS result FROM release_rewind('com', 2) result;
SELECT node, lower, upper, records FROM com.cut;
-- two intervals that are called alike and are both in the cut, of which one is refined further
CREATE TABLE alike AS SELECT name, class FROM (VALUES ('b', 'p', 300), ('b!,c', 'q', 300), ('b,b!', 'p', 300), ('c', 'q', 300), ('b ', 'p', 20), ('b ', 'r', 20), ('b,c', 'p', 30), ('b,c', 's', 10))
  AS v (name, class, rows), generate_series(1, rows);
SELECT result ->> 'steps' AS steps FROM tds_anonymize('alike', 'ali', ARRAY[k_anonymity(ARRAY['name'], 1)], class => 'class', masking => ARRAY[by_intervals('name', 'b', 'z')]) result;
SELECT step, node, children FROM ali_private.steps ORDER BY step;
SELECT result -> 'steps' AS steps, result -> 'coarser' AS coarser FROM release_refresh(public.again('ali')) result;
SELECT result -> 'steps' AS steps FROM release_rewind('ali', 4) result;
SELECT node, lower, upper, records FROM ali.cut;
-- the key of the versions by another name
ALTER TABLE com_private.rows_v0 RENAME COLUMN version TO number;
SELECT result -> 'steps' AS steps FROM release_refresh(public.again('com')) result;
SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'com_private.rows_v0'::regclass AND attnum > 0;
SELECT count(*) FROM com.commas;
DROP VIEW changed;
SELECT count(*) AS gone FROM releases() r, release_drop(r.release) d;
DROP SCHEMA ref CASCADE;
