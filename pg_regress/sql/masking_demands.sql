-- weighted, coarsest, finest: what is asked of the search for a column. One model or masking stands for an array of it.
CREATE SCHEMA demands;
SET search_path TO demands, public;
CREATE TABLE people (city text, edu text, age int, zip text, income text);
INSERT INTO people
SELECT (ARRAY['a', 'b', 'c'])[1 + i % 3], (ARRAY['9th', '10th', 'Bachelor', 'Master'])[1 + i % 4], 20 + i % 40, (47900 + i % 20)::text, CASE WHEN i % 40 < 17 THEN 'low' ELSE 'high' END
FROM generate_series(0, 1199) i;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'), ('Bachelor', 'University'), ('Master', 'University');

-- casts: one model, one masking
SELECT step, attribute, node, children FROM tds_steps('people', privacy => k_anonymity(ARRAY['edu'], 10), class => 'income', masking => by_taxonomy('edu', 'tree'));
SELECT count(*) FROM privacy_check('people', k_anonymity(ARRAY['edu'], 10));
SELECT k_anonymity(ARRAY['edu'], 10)::privacy_model[], by_suppression('edu')::masking[], NULL::masking::masking[] IS NULL AS null_is_null;

-- the score, and it alone, counts a gain as often as the weight says
CREATE VIEW model AS SELECT k_anonymity(ARRAY['edu', 'age'], 10) AS k;
SELECT attribute, node, info_gain, score / nullif(info_gain, 0) AS times FROM tds_steps('people', (SELECT k FROM model), class => 'income', score => 'info_gain', max_steps => 4,
  masking => ARRAY[by_taxonomy('edu', 'tree'), by_intervals('age')]);
SELECT attribute, node, info_gain, score / nullif(info_gain, 0) AS times FROM tds_steps('people', (SELECT k FROM model), class => 'income', score => 'info_gain', max_steps => 4,
  masking => ARRAY[weighted(by_taxonomy('edu', 'tree'), 1000000), weighted(by_intervals('age'), 0.5)]);

-- depths: where the search starts, where it ends; step 0 is the coarsest cut that is allowed
SELECT attribute, node, children FROM tds_steps('people', k_anonymity(ARRAY['edu', 'zip'], 10), class => 'income',
  masking => ARRAY[coarsest(by_taxonomy('edu', 'tree'), 1), finest(coarsest(by_prefix('zip'), 2), 4)]);
SELECT result - 'seconds' - 'privacy' AS result FROM tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['edu', 'zip'], 10)], class => 'income',
  masking => ARRAY[coarsest(by_taxonomy('edu', 'tree'), 1), weighted(finest(coarsest(by_prefix('zip'), 2), 4), 2)]) result;
SELECT attribute, node, records FROM rel.cut;
SELECT release_rewind('rel', 0) -> 'steps' AS steps;
SELECT attribute, node, records FROM rel.cut;
SELECT required, achieved, holds FROM release_verify('rel');
SELECT release_refresh(public.again('rel')) -> 'steps' AS steps;
SELECT release_refresh('rel', mode => 'search') -> 'steps' AS steps;
SELECT attribute, node, records FROM rel.cut;
SELECT release_rewind('rel', 1) -> 'steps' AS steps;
SELECT attribute, node, records FROM rel.cut;
SELECT release_refresh(public.again('rel')) -> 'coarser' AS coarser;
SELECT attribute, node, records FROM rel.cut;
SELECT measure, round(value::numeric, 4) AS value FROM release_measures('rel') WHERE measure IN ('ntil', 'precision', 'groups');
-- NULLs that come are told apart where the top is not allowed, and stay in it where it is
INSERT INTO people SELECT city, NULL, age, NULL, income FROM people LIMIT 100;
SELECT result - 'seconds' - 'privacy' AS result FROM release_refresh(public.again('rel')) result;
SELECT attribute, node, records FROM rel.cut;
SELECT release_rewind('rel', 0) -> 'steps' AS steps;
SELECT attribute, node, records FROM rel.cut;
SELECT release_alter('rel', masking => ARRAY[finest(by_taxonomy('edu', 'tree'), 0), finest(by_prefix('zip'), 1)]) -> 'steps' AS steps;
SELECT step, attribute, node, children FROM rel_private.steps WHERE version = (SELECT version FROM rel.about) ORDER BY step;
SELECT attribute, node, records FROM rel.cut;
-- where even the coarsest cut that is allowed breaks a model
SELECT release_alter('rel', masking => ARRAY[by_taxonomy('edu', 'tree'), coarsest(by_prefix('zip'), 5)], privacy => ARRAY[k_anonymity(ARRAY['edu', 'zip'], 300)], allow_weaker => true);
INSERT INTO people VALUES ('a', '9th', 20, '5', 'low');
SELECT release_refresh(public.again('rel')) -> 'rows' AS rows;
SELECT release_alter('rel', masking => ARRAY[by_taxonomy('edu', 'tree'), coarsest(by_prefix('zip'), 1)]);
SELECT release_drop('rel');
-- nor is an interval that has to be split left whole where a replay cannot split it any more
CREATE TABLE aged AS SELECT i AS age FROM generate_series(1, 60) i;
SELECT tds_anonymize('aged', 'rel', k_anonymity('{age}', 10), masking => coarsest(by_intervals('age'), 1)) -> 'steps' AS steps;
DELETE FROM aged WHERE age BETWEEN 6 AND 30;
SELECT release_refresh('rel', 'replay');
SELECT min(n) FROM (SELECT count(*) AS n FROM rel.aged GROUP BY age) g;
SELECT release_drop('rel');
-- every depth at once: each column starts at its leaves, and the search has nothing to do
SELECT count(*) FROM tds_steps('people', k_anonymity(ARRAY['edu'], 1), masking => coarsest(by_taxonomy('edu', 'tree'), 9));
-- without a row there is nothing to divide
CREATE TABLE nobody (edu text, sick text);
SELECT count(*) FROM tds_steps('nobody', confidence_bound(ARRAY['edu'], 'sick', NULL, 0.5), masking => coarsest(by_taxonomy('edu', 'tree'), 1));

-- what cannot be
SELECT weighted(by_suppression('a'), 0);
SELECT weighted(by_suppression('a'), 'NaN');
SELECT weighted(by_suppression('a'), 'Infinity');
SELECT weighted(NULL, 1);
SELECT weighted(by_suppression('a'), NULL);
SELECT weighted(coarsest(weighted(by_prefix('a'), 2), 1), 2);
SELECT coarsest(by_suppression('a'), 1);
SELECT finest(weighted(by_intervals('a'), 2), 1);
SELECT coarsest(by_prefix('a'), -1);
SELECT coarsest(by_prefix('a'), NULL);
SELECT finest(finest(by_prefix('a'), 3), 3);
SELECT finest(coarsest(by_prefix('a'), 3), 2);
SELECT coarsest(finest(by_prefix('a'), 2), 3);
SELECT '{"coarsest":{"masking":{"by_suppression":{"column_name":"a"}},"depth":1}}'::masking;
SELECT weighted(finest(coarsest(by_prefix('a', '{1,3}'), 1), 1), 0.5);
SELECT kmember_anonymize('people', 'rel', ARRAY['edu', 'age'], 3, masking => weighted(by_taxonomy('edu', 'tree'), 2));
SELECT * FROM tds_steps('people', k_anonymity(ARRAY['edu'], 1), masking => ARRAY[by_taxonomy('edu', 'tree'), weighted(by_taxonomy('edu', 'tree'), 2)]);
SELECT count(*) AS left_behind FROM pg_namespace WHERE nspname IN ('rel', 'rel_private');
DROP SCHEMA demands CASCADE;
