-- One NULL, or a handful of rare rows, that keep a whole column at its top are told at the call, with the share to withhold.
SET client_min_messages TO notice;
CREATE SCHEMA few;
SET search_path TO few, public;
CREATE TABLE t AS SELECT i AS id, 20 + i % 40 AS age, 'c' || i % 3 AS city, date '1980-01-01' + i % 5 AS born, CASE WHEN i % 2 = 0 THEN 'a' ELSE 'b' END AS class FROM generate_series(1, 2700) i;
UPDATE t SET age = NULL WHERE id = 1;
INSERT INTO t SELECT 3000 + i, 30, 'rare', '1980-01-01', 'a' FROM generate_series(1, 7) i;

-- A NULL, rare values of a taxonomy; of a column that needs no withholding nothing is said.
SELECT tds_anonymize('t', 'r', k_anonymity('{age,city,born}', 10), masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}')) -> 'steps' AS steps;
-- The way out is one, and leads as far as it says.
SELECT release_alter('r', withhold => 0.001) -> 'withheld' AS withheld;
SELECT release_alter('r', withhold => 0.005) -> 'withheld' AS withheld;
SELECT attribute, count(*) > 1 AS refined FROM r.cut GROUP BY 1 ORDER BY 1;
-- Asked for as before it is not said again; release_explain says it.
SELECT tds_anonymize('t', 'again', k_anonymity('{city}', 10), masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}')) -> 'steps' AS steps;
SELECT release_refresh(public.again('again')) -> 'steps' AS steps;
SELECT reason FROM release_explain('again');
-- Values, and l-diversity.
SELECT tds_anonymize('t', 'd', ARRAY[l_diversity('{city}', 'class', 2)], masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}')) -> 'steps' AS steps;
-- Not where more than one in a hundred rows is to blame, where the search was stopped or the column may not be finer, where rows cannot be withheld, or for groups.
UPDATE t SET age = NULL WHERE id % 30 = 0;
SELECT tds_anonymize('t', 'many', k_anonymity('{age}', 100), max_steps => 100) -> 'steps' AS steps;
SELECT tds_anonymize('t', 'stopped', k_anonymity('{city}', 10), masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}'), max_steps => 0) -> 'steps' AS steps;
SELECT tds_anonymize('t', 'finest', k_anonymity('{city}', 10), masking => finest(by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}'), 0)) -> 'steps' AS steps;
SELECT tds_anonymize('t', 'persons', k_anonymity('{city}', 10, person => 'id'), masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}')) -> 'steps' AS steps;
SELECT tds_anonymize('t', 'local', k_anonymity('{city}', 10), masking => by_taxonomy_tree('city', '{"any": ["c0", "c1", "c2", "rare"]}'), recoding => 'local') -> 'steps' AS steps;
SELECT count(release_drop(release)) FROM releases() WHERE source = 'few.t';
DROP SCHEMA few CASCADE;
