-- release_verify recounts with plain SQL what is published, for every model: redundant ones, too. privacy in the result says the same.
SET client_min_messages TO notice;
CREATE SCHEMA ver;
SET search_path TO ver, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, i % 3 AS job, i % 2 AS class FROM generate_series(1, 48) i;
-- <{city}, 5> is implied by <{city, age}, 6>, <{city, age}, 4> as well; <{city}, 13> is not
SELECT result -> 'privacy' AS privacy, result -> 'steps' AS steps
FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5), k_anonymity(ARRAY['city', 'age'], 6), k_anonymity(ARRAY['age', 'city'], 4), k_anonymity(ARRAY['city'], 13), k_anonymity(ARRAY['job', 'age'], 4)]) result;
SELECT model, required, achieved, holds, pg_typeof(model) FROM release_verify('r');
-- what a reader would count
SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY city, age) g;
SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY job, age) g;
SELECT DISTINCT array_length(achieved, 1) AS models FROM r_private.steps;
SELECT s.achieved FROM r_private.steps s ORDER BY step DESC LIMIT 1;
SELECT achieved FROM r_private.manifest;
-- a redundant model counts in the average loss of each step, and nowhere else
SELECT step, attribute, node, children, privacy_loss, achieved FROM r_private.steps ORDER BY step;
-- rows that were changed by hand are found out
UPDATE r_private.rows_v1 SET city = 'c9' WHERE ctid = (SELECT min(ctid) FROM r_private.rows_v1);
SELECT required, achieved, holds FROM release_verify('r');
UPDATE r_private.rows_v1 SET city = NULL WHERE city = 'c9';
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- bounds and ranges are grouped as published
SELECT result -> 'steps' AS steps FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'job'], 4)], intervals => 'range') result;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- release_assert: an error where a model does not hold, naming each that does not
SELECT FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6), k_anonymity(ARRAY['job'], 16), l_diversity(ARRAY['city'], 'class', 1)]);
SELECT release_assert('r');
UPDATE r_private.rows_v1 SET job = NULL, age = NULL WHERE ctid = (SELECT min(ctid) FROM r_private.rows_v1);
SELECT release_assert('r');
SELECT release_assert(NULL);
SELECT release_assert('nothing');
SELECT release_drop('r');
-- whoever may read the view: the same count, with rights of one's own; what needs a hidden column is left to the owner
CREATE ROLE regress_ver_reader;
CREATE ROLE regress_ver_stranger;
SELECT FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 6), confidence_bound(ARRAY['city'], 'age', NULL, 0.9), l_diversity(ARRAY['age'], 'city', 1)]);
SELECT count(*) FROM release_verify('r');
SELECT release_grant('r', 'regress_ver_reader');
GRANT USAGE ON SCHEMA r TO regress_ver_stranger;
SET SESSION AUTHORIZATION regress_ver_reader;
SELECT model, required, achieved, holds FROM release_verify('r');
SELECT release_assert('r');
SELECT count(*) FROM release_measures('r');
SELECT count(*) FROM release_risk('r');
BEGIN READ ONLY;
SELECT count(*) FROM release_verify('r');
COMMIT;
-- who may look into the schema, and not at the view; and who may not even look
SET SESSION AUTHORIZATION regress_ver_stranger;
SELECT count(*) FROM release_verify('r');
SELECT release_assert('r');
RESET SESSION AUTHORIZATION;
REVOKE ALL ON SCHEMA r FROM regress_ver_stranger;
GRANT SELECT ON r.people TO regress_ver_stranger;
SET SESSION AUTHORIZATION regress_ver_stranger;
SELECT count(*) FROM release_verify('r');
RESET SESSION AUTHORIZATION;
-- the view that a reader counts may be anything that its owner put there: it is run with nobody's rights but the reader's, as a SELECT is
UPDATE r_private.rows_v1 SET city = 'c9' WHERE ctid = (SELECT min(ctid) FROM r_private.rows_v1);
SET SESSION AUTHORIZATION regress_ver_reader;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_assert('r');
RESET SESSION AUTHORIZATION;
SELECT release_drop('r');
DROP ROLE regress_ver_reader, regress_ver_stranger;
DROP SCHEMA ver CASCADE;
