-- coarsest and finest of intervals, whose depth is their splits, and of suppression, under which every value has depth 1.
CREATE SCHEMA depths;
SET search_path TO depths, public;
SET check_function_bodies = off;
CREATE TABLE people AS
SELECT 18 + (i * 7919) % 60 AS age, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS sex, 1000 + i * i % 777 AS cost, (ARRAY['a', 'b', 'c', 'd'])[1 + i * i % 4] AS town FROM generate_series(1, 1200) i;
CREATE FUNCTION depth_of(attr text) RETURNS TABLE (lowest int, highest int, nodes bigint) LANGUAGE sql AS $$
  SELECT min(depth), max(depth), count(*) FROM r_private.taxonomy WHERE attribute = attr AND in_cut AND node IS NOT NULL AND version = (SELECT version FROM r_private.manifest WHERE current) $$;
CREATE FUNCTION holds() RETURNS boolean LANGUAGE sql AS $$ SELECT bool_and(holds) FROM release_verify('r') $$;
\set q 'k_anonymity(ARRAY[\'age\', \'sex\', \'cost\'], 5)'

-- As specific as is asked, the first steps being the splits, whatever else could be refined.
SELECT step, attribute, array_length(children, 1) AS parts, privacy_loss, score, achieved FROM tds_steps('people', :q, masking => coarsest(by_intervals('age'), 2), max_steps => 3);
SELECT tds_anonymize('people', 'r', :q, masking => ARRAY[coarsest(by_intervals('age'), 2), finest(by_intervals('cost'), 1), coarsest(by_suppression('sex'), 1)]) -> 'version' AS version;
SELECT * FROM depth_of('age');
SELECT * FROM depth_of('cost');
SELECT node FROM r.cut WHERE attribute = 'sex' ORDER BY 1;
SELECT holds(), (SELECT count(*) FROM (SELECT sex, count(*) FROM people GROUP BY 1 EXCEPT SELECT sex, count(*) FROM r.people GROUP BY 1) d) AS sex;
SELECT DISTINCT reason FROM release_explain('r') WHERE attribute = 'cost' AND reason ~ 'finest';
-- Again, with a value that is new; and where the splits cannot hold any more.
INSERT INTO people SELECT 20 + i, 'w', 1100, 'a' FROM generate_series(1, 40) i;
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
SELECT lowest >= 2 AS age, holds(), (SELECT count(*) FROM r.cut WHERE attribute = 'sex') AS sex FROM depth_of('age');
SELECT (release_rewind('r', 3) ->> 'steps') AS steps, holds();
SELECT lowest = 2 AND highest = 2 AS age FROM depth_of('age');
SELECT release_rewind('r', 2);
DELETE FROM people WHERE age > 30 AND age < 75;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT lowest = 2 AS age, holds() FROM depth_of('age');
DELETE FROM people WHERE age >= 75 AND ctid NOT IN (SELECT ctid FROM people WHERE age >= 75 LIMIT 2);
SELECT release_refresh(public.again('r'));
SELECT version, holds() FROM r.about;
SELECT release_drop('r');
-- NULL is told apart; a column that cannot be split stays as it is.
CREATE TABLE more AS SELECT nullif(i % 50, 7) AS a, i % 40 AS b, 7 AS same, nullif(i % 3, 1)::text AS c FROM generate_series(1, 2000) i;
SELECT tds_anonymize('more', 'r', k_anonymity(ARRAY['a', 'b', 'same', 'c'], 4), masking => ARRAY[coarsest(by_intervals('a', step => '10'), 1), coarsest(by_intervals('same'), 3), coarsest(finest(by_suppression('c'), 1), 1)]) -> 'version' AS version;
SELECT lowest, highest > 1 AS deeper FROM depth_of('a');
SELECT attribute, node FROM r.cut WHERE attribute IN ('same', 'c') OR attribute = 'a' AND node IS NULL ORDER BY 1, 2;
UPDATE more SET a = 0 WHERE a IS NULL;
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT lowest, holds() FROM depth_of('a');
SELECT release_drop('r');
-- A group at a time: the splits are of all groups, and what follows of single ones.
CREATE TABLE local AS SELECT 18 + (i * 7919) % 60 AS age, (ARRAY['x', 'y', 'z'])[1 + i % 3] AS sex, 1000 + i * i % 777 AS cost FROM generate_series(1, 1200) i;
SELECT tds_anonymize('local', 'r', :q, recoding => 'local', masking => ARRAY[coarsest(by_intervals('age'), 2), finest(by_intervals('cost'), 2), finest(by_suppression('sex'), 0)]) -> 'version' AS version;
SELECT lowest, highest > 2 AS deeper, holds() FROM depth_of('age');
SELECT * FROM depth_of('sex');
SELECT highest FROM depth_of('cost');
SELECT max(step) AS first FROM r_private.steps WHERE groups IS NULL;
SELECT release_rewind('r', 3) -> 'steps' AS steps, holds();
SELECT lowest, highest FROM depth_of('age');
SELECT release_rewind('r', 2);
SELECT (release_refresh('r', 'search') ->> 'steps')::int > 10 AS many;
INSERT INTO local SELECT 18 + i, 'x', 1000 FROM generate_series(1, 60) i;
SELECT release_refresh(public.again('r')) -> 'version' > '2' AS refreshed;
SELECT lowest >= 2 AS deep, holds() FROM depth_of('age');
SELECT release_rewind('r', 40) -> 'steps' AS steps, holds();
SELECT release_refresh(public.again('r')) -> 'steps' AS steps, holds();
SELECT release_apply('r', 'local', 'depths.applied');
SELECT release_alter('r', recoding => 'clustered') -> 'version' > '5' AS clustered;
SELECT holds();
SELECT release_drop('r');
-- With rows withheld.
SELECT (tds_anonymize('local', 'r', :q, withhold => 0.02, masking => coarsest(by_intervals('age'), 3)) ->> 'withheld')::int <= 25 AS withheld;
SELECT lowest >= 3 AS deep, holds() FROM depth_of('age');
SELECT release_refresh(public.again('r')) -> 'version' AS version;
SELECT lowest >= 3 AS deep, holds() FROM depth_of('age');
SELECT release_drop('r');
-- What cannot be.
SELECT tds_steps('local', :q, masking => coarsest(by_intervals('age'), 12));
SELECT tds_steps('local', :q, masking => coarsest(by_suppression('cost'), 1));
SELECT coarsest(by_intervals('age'), -1);
SELECT finest(coarsest(by_intervals('age'), 3), 2);
DROP SCHEMA depths CASCADE;
