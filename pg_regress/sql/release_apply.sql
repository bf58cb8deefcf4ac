-- release_apply: other rows under a release's cut, a test set above all; a value without a place is released as the top.
CREATE SCHEMA apl;
SET search_path TO apl, public;
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
-- under a rule, where NULL stands beside the column's own top: each as far below that as it was
CREATE TABLE codes AS SELECT CASE WHEN i % 4 > 0 THEN (ARRAY['47906', '47901', '10115', '10117'])[1 + i / 4 % 4] END AS code, 'k' || i % 2 AS kept FROM generate_series(1, 400) i;
SELECT tds_anonymize('codes', 'rel_null', ARRAY[k_anonymity(ARRAY['code'], 100)], masking => ARRAY[by_prefix('code')], keep => ARRAY['kept']) ->> 'rows' AS rows;
SELECT node, records FROM rel_null.cut;
SELECT release_apply('rel_null', 'codes', 'codes_again');
(TABLE codes_again EXCEPT ALL TABLE rel_null.codes) UNION ALL (TABLE rel_null.codes EXCEPT ALL TABLE codes_again);
-- where only what stands over NULL and the column's own top is released, NULL and what has no place are that; a domain ends with its bounds
CREATE TABLE jobless AS SELECT CASE WHEN i % 8 > 0 THEN (ARRAY['baker', 'smith', 'nurse', 'doctor'])[1 + i % 4] END AS job, i % 101 AS age, i AS id FROM generate_series(1, 808) i;
SELECT tds_anonymize('jobless', 'rel_top', ARRAY[k_anonymity(ARRAY['job'], 150), k_anonymity(ARRAY['age'], 8)], masking => ARRAY[by_taxonomy('job', 'jobs'), by_intervals('age', '0', '100')], keep => ARRAY['id']) ->> 'rows' AS rows;
SELECT node, records FROM rel_top.cut WHERE attribute = 'job';
CREATE TABLE edges AS SELECT * FROM (VALUES (1, 'smith', 0), (2, NULL, 100), (3, 'pilot', 101), (4, 'craft', -1), (5, 'nurse', NULL)) v (id, job, age);
SELECT release_apply('rel_top', 'edges', 'edges_applied');
SELECT id, job, age FROM edges_applied ORDER BY id;
-- ranges and bounds
SELECT tds_anonymize('people', 'rel_range', ARRAY[k_anonymity(ARRAY['age', 'job'], 5)], 'class', intervals => 'range') ->> 'rows' AS rows;
SELECT release_apply('rel_range', 'people', 'apl.ranges');
SELECT count(*) FROM (SELECT * FROM ranges EXCEPT ALL SELECT * FROM rel_range.people) x;
SELECT pg_typeof(age) FROM ranges LIMIT 1;
SELECT tds_anonymize('people', 'rel_bounds', ARRAY[k_anonymity(ARRAY['age', 'job'], 5)], 'class', intervals => 'bounds') ->> 'rows' AS rows;
SELECT release_apply('rel_bounds', 'people', 'apl.bounds');
SELECT count(*) FROM (SELECT * FROM bounds EXCEPT ALL SELECT * FROM rel_bounds.people) x;
-- a kept column that is called like an end of a suppressed one is copied
CREATE VIEW ends AS SELECT age, job, 'k' || n AS job_lo FROM people;
SELECT tds_anonymize('ends', 'rel_ends', ARRAY[k_anonymity(ARRAY['age', 'job'], 5)], intervals => 'bounds', keep => ARRAY['job_lo']) ->> 'rows' AS rows;
SELECT release_apply('rel_ends', 'ends', 'apl.ends_applied');
SELECT count(*) AS differ FROM (TABLE ends_applied EXCEPT ALL TABLE rel_ends.ends) x;
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
-- what is copied has to be of the view's type, too
CREATE VIEW copied AS SELECT age, job, code, word, n + 0.5 AS n FROM people;
SELECT release_apply('rel', 'copied', 't');
SELECT release_apply('rel', NULL, 't');
-- a domain is released as the type below, and copied so
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE of_domains AS SELECT (20 + i % 40)::positive AS age, (1 + i % 3)::positive AS kept FROM generate_series(1, 200) i;
SELECT tds_anonymize('of_domains', 'rel_d', k_anonymity('{age}', 5), keep => '{kept}') ->> 'version' AS version;
SELECT release_apply('rel_d', 'of_domains', 'd') AS rows;
SELECT count(*) AS differences FROM ((TABLE d EXCEPT ALL TABLE rel_d.of_domains) UNION ALL (TABLE rel_d.of_domains EXCEPT ALL TABLE d)) x;
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
-- What no model protects is nobody's but the owner's, and lies in no release.
ALTER DEFAULT PRIVILEGES IN SCHEMA apl GRANT SELECT ON TABLES TO PUBLIC;
SELECT release_apply('rel', 'people', 'apl.t') > 0 AS written;
SELECT has_table_privilege('apl_other', 'apl.t', 'SELECT') AS everybody_reads_it;
SELECT release_apply('rel', 'people', 'rel.t');
SELECT release_apply('rel', 'people', 'rel_k_private.t');
ALTER DEFAULT PRIVILEGES IN SCHEMA apl REVOKE SELECT ON TABLES FROM PUBLIC;
SELECT release_drop(r) FROM unnest('{rel,rel_null,rel_top,rel_range,rel_bounds,rel_ends,rel_k,rel_d}'::name[]) r;
DROP SCHEMA apl CASCADE;
REVOKE EXECUTE ON FUNCTION release_apply FROM apl_other;
DROP ROLE apl_other;
