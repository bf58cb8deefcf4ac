-- release_apply: other rows under a release's cut, a test set above all; a value without a place is released as the top.
CREATE SCHEMA apl;
SET search_path TO apl, public;
SET client_min_messages TO error;
CREATE TABLE people AS
SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE 20 + i % 50 END AS age, (ARRAY['baker', 'smith', 'nurse', 'doctor'])[1 + i % 4] AS job, (ARRAY['47906', '47901', '10115', '10117'])[1 + i % 4] AS code,
       'v' || i % 3 AS word, CASE WHEN (i % 50) > 25 THEN 'rich' ELSE 'poor' END AS class, i % 5 AS n
FROM generate_series(1, 400) i;
CREATE TABLE jobs (child text, parent text);
INSERT INTO jobs VALUES ('any', NULL), ('craft', 'any'), ('care', 'any'), ('baker', 'craft'), ('smith', 'craft'), ('nurse', 'care'), ('doctor', 'care');
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['age', 'job', 'code', 'word'], 3)], 'class', ARRAY[by_taxonomy('job', 'jobs'), by_intervals('age', '0', '100'), by_prefix('code')], keep => ARRAY['n']) ->> 'rows' AS rows;
-- the rows that were released become what was released
SELECT release_apply('rel', 'people', 'again');
(SELECT * FROM again EXCEPT ALL SELECT * FROM rel.people) UNION ALL (SELECT * FROM rel.people EXCEPT ALL SELECT * FROM again);
-- others: NULL, values that came between, values without a place
CREATE TABLE others (word text, code text, job text, age int, class text, more text);
INSERT INTO others VALUES ('v1', '47907', 'nurse', 22, 'rich', 'x'), ('v9', '99999', 'pilot', 1000, 'poor', 'x'), (NULL, NULL, NULL, NULL, NULL, NULL), ('v0', '101', 'craft', 99, 'poor', 'x');
SELECT release_apply('rel', 'others', 'apl."Test set"');
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = '"Test set"'::regclass AND attnum > 0 ORDER BY attnum;
-- every value is in the cut, or the top
SELECT o.word, t.word = ANY (SELECT node FROM rel.cut WHERE attribute = 'word') OR t.word = '*' AS word_has_place FROM others o, "Test set" t WHERE o.class IS NOT DISTINCT FROM t.class AND o.age IS NULL AND t.class IS NULL;
SELECT age, job, code, word FROM "Test set" WHERE class = 'poor' ORDER BY job, age;
SELECT count(*) FROM "Test set" t JOIN rel.cut c ON c.attribute = 'job' AND c.node = t.job;
-- ranges and bounds
SELECT tds_anonymize('people', 'rel_range', ARRAY[k_anonymity(ARRAY['age', 'job'], 5)], 'class', intervals => 'range') ->> 'rows' AS rows;
SELECT release_apply('rel_range', 'people', 'apl.ranges');
SELECT count(*) FROM (SELECT * FROM ranges EXCEPT ALL SELECT * FROM rel_range.people) x;
SELECT pg_typeof(age) FROM ranges LIMIT 1;
SELECT tds_anonymize('people', 'rel_bounds', ARRAY[k_anonymity(ARRAY['age', 'job'], 5)], 'class', intervals => 'bounds') ->> 'rows' AS rows;
SELECT release_apply('rel_bounds', 'people', 'apl.bounds');
SELECT count(*) FROM (SELECT * FROM bounds EXCEPT ALL SELECT * FROM rel_bounds.people) x;
-- nothing of it is published, and no rights are given
SELECT count(*) FROM information_schema.role_table_grants WHERE table_schema = 'apl' AND table_name = 'Test set' AND grantee <> current_user;
-- errors
SELECT release_apply('rel', 'others', 'apl.again');
SELECT release_apply('rel', 'others', 'a.b.c');
SELECT release_apply('rel', 'others', 'nowhere.t');
SELECT release_apply('rel', 'others', 'not a name');
SELECT release_apply('nothing', 'others', 't');
SELECT release_apply('rel', 'jobs', 't');
CREATE VIEW typed AS SELECT age::text, job, code, word FROM people;
SELECT release_apply('rel', 'typed', 't');
SELECT release_apply('rel', NULL, 't');
SELECT kmember_anonymize('people', 'rel_k', ARRAY['job'], 5) ->> 'rows' AS rows;
SELECT release_apply('rel_k', 'people', 't');
CREATE ROLE apl_other;
GRANT USAGE ON SCHEMA apl TO apl_other;
SET ROLE apl_other;
SELECT release_apply('rel', 'people', 'apl.t');
RESET ROLE;
GRANT EXECUTE ON FUNCTION release_apply TO apl_other;
SET ROLE apl_other;
SELECT release_apply('rel', 'people', 'apl.t');
RESET ROLE;
SELECT to_regclass('apl.t');
SELECT release_drop(r) FROM unnest('{rel,rel_range,rel_bounds,rel_k}'::name[]) r;
DROP SCHEMA apl CASCADE;
REVOKE EXECUTE ON FUNCTION release_apply FROM apl_other;
DROP ROLE apl_other;
