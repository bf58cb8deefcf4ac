-- release_verify recounts with plain SQL what is published, for every model: redundant ones, too. privacy in the result says the same.
CREATE SCHEMA ver;
SET search_path TO ver, public;
\set SHOW_CONTEXT never
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, i % 3 AS job, i % 2 AS class FROM generate_series(1, 48) i;
-- <{city}, 5> is implied by <{city, age}, 6>, <{city, age}, 4> as well; <{city}, 13> is not
SELECT result -> 'privacy' AS privacy, result -> 'steps' AS steps
FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5), k_anonymity(ARRAY['city', 'age'], 6), k_anonymity(ARRAY['age', 'city'], 4), k_anonymity(ARRAY['city'], 13), k_anonymity(ARRAY['job', 'age'], 4)]) result;
SELECT model, required, achieved, holds, pg_typeof(model) FROM release_verify('r');
-- what a reader would count
SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY city, age) g;
SELECT min(n) FROM (SELECT count(*) AS n FROM r.people GROUP BY job, age) g;
SELECT DISTINCT array_length(achieved, 1) AS models FROM r.steps;
SELECT s.achieved FROM r.steps s ORDER BY step DESC LIMIT 1;
SELECT achieved FROM r.manifest;
-- a redundant model counts in the average loss of each step, and nowhere else
SELECT step, attribute, node, children, privacy_loss, achieved FROM r.steps ORDER BY step;
-- rows that were changed by hand are found out
UPDATE r.people_v1 SET city = 'c9' WHERE ctid = (SELECT min(ctid) FROM r.people_v1);
SELECT required, achieved, holds FROM release_verify('r');
UPDATE r.people_v1 SET city = NULL WHERE city = 'c9';
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- bounds and ranges are grouped as published
SELECT result -> 'steps' AS steps FROM tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['age', 'job'], 4)], intervals => 'range') result;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
SET client_min_messages TO warning;
DROP SCHEMA ver CASCADE;
