-- LKC-privacy: what cannot be asked, counted by hand, in privacy_check, in a search and through a release's life.
CREATE SCHEMA knowing;
SET search_path TO knowing, public;

-- A. What cannot be asked
SELECT lkc_privacy('{a,b}', 0, 2);
SELECT lkc_privacy('{a,b}', 3, 2);
SELECT lkc_privacy('{a,b}', 1, 0);
SELECT lkc_privacy('{}', 1, 2);
SELECT lkc_privacy('{a,a}', 1, 2);
SELECT lkc_privacy('{a,b}', NULL, 2);
SELECT lkc_privacy('{a,b}', 1, 2, 'b');
SELECT lkc_privacy('{a,b}', 1, 2, 's', '{x,x}', 0.5);
SELECT lkc_privacy('{a,b}', 1, 2, 's', '{x}', 1.5);
SELECT lkc_privacy('{a,b}', 1, 2, max_confidence => 0.5);
SELECT lkc_privacy('{a,b}', 1, 2, sensitive_values => '{x}');
SELECT lkc_privacy('{a,b}', 1, 2, person => 'a');
SELECT lkc_privacy('{a,b}', 1, 2, 's', person => 'who');
-- 24 columns have 10,626 sets of four, 23 have 8,855
SELECT lkc_privacy(array_agg('c' || i), 4, 2) FROM generate_series(1, 24) i;
SELECT count(*) FROM (SELECT lkc_privacy(array_agg('c' || i), 4, 2) FROM generate_series(1, 23) i) m;
SELECT '{"lkc_privacy": {"quasi_identifier": ["a"], "l": 1, "k": 2, "max_confidence": 0.5}}'::privacy_model;
SELECT '{"confidence_bound": {"inference_channel": ["a"], "l": 2, "sensitive": "s", "max_confidence": 0.5}}'::privacy_model;
SELECT m, m::text::privacy_model::text = m::text AS same FROM (VALUES (lkc_privacy('{a,b}', 2, 5)), (lkc_privacy('{a,b,c}', 2, 5, 's', '{x}', 0.5))) v (m);

-- B. By hand. By one column: a 1 has 3 rows, 2 has 2; b x has 3, y 1, NULL 1; c t has 4, u 1. By two: (a, b) 1 x 2, 1 y 1, 2 x 1, 2 NULL 1; ...
CREATE TABLE small (a int, b text, c text, who int, s text);
INSERT INTO small VALUES (1, 'x', 't', 1, 'flu'), (1, 'x', 't', 1, 'flu'), (1, 'y', 't', 2, 'cold'), (2, 'x', 'u', 3, 'flu'), (2, NULL, 't', 3, 'cold');
SELECT model ->> 'l' AS l, required, achieved, holds, groups, violating_groups, violating_rows
FROM (SELECT value AS model, c.required, c.achieved, c.holds, c.groups, c.violating_groups, c.violating_rows
      FROM privacy_check('small', ARRAY[lkc_privacy('{a,c}', 1, 2), lkc_privacy('{a,b,c}', 1, 1), lkc_privacy('{a,b,c}', 2, 2), lkc_privacy('{a,b,c}', 3, 2),
                                        lkc_privacy('{a}', 1, 2, person => 'who')]) c, jsonb_each(c.model::text::jsonb)) checked;
-- the same as a k-anonymity by every set of columns
SELECT (SELECT min(achieved) FROM privacy_check('small', ARRAY[k_anonymity('{a,b}', 1), k_anonymity('{a,c}', 1), k_anonymity('{b,c}', 1)]))
     = (SELECT achieved FROM privacy_check('small', lkc_privacy('{a,b,c}', 2, 1))) AS same;
-- two lines: of groups and of a confidence. By a: 2/3 and 1/2 have flu; by c: 2/4 of t, 1/1 of u
SELECT model, required, round(achieved::numeric, 4) AS achieved, holds, groups FROM privacy_check('small', lkc_privacy('{a,c}', 1, 1, 'who', '{1}', 0.7));
SELECT model, required, round(achieved::numeric, 4) AS achieved, holds, violating_groups FROM privacy_check('small', lkc_privacy('{a,c}', 1, 1, 's', '{flu,cold}', 0.7));
-- what is known of all columns is a template of its own; others have no list of inferences
SELECT * FROM privacy_inferences('small', '{"confidence_bound": {"inference_channel": ["a", "c"], "l": 1, "sensitive": "s", "max_confidence": 0.5}}');
-- no rows
CREATE TABLE empty (a int, b int);
SELECT required, achieved, holds, groups FROM privacy_check('empty', lkc_privacy('{a,b}', 1, 2));
-- more than 31 columns: PostgreSQL's GROUPING takes no more at a time
-- nor 4,096 sets of columns; what is not counted together is added up
DO $$ BEGIN EXECUTE 'CREATE TABLE wide AS SELECT ' || (SELECT string_agg(format('i %% %s AS c%s', 2 + n % 3, n), ', ') FROM generate_series(1, 35) n) || ' FROM generate_series(1, 60) i'; END $$;
SELECT achieved, groups FROM privacy_check('wide', (SELECT lkc_privacy(array_agg('c' || n), 2, 2) FROM generate_series(1, 35) n));
-- by hand: columns of the same divisor are the same column, others are independent but for 2 and 4
WITH columns AS (SELECT n, 2 + n % 3 AS m FROM generate_series(1, 35) n)
SELECT sum(CASE WHEN p.m = q.m THEN p.m WHEN p.m + q.m = 6 THEN 4 ELSE p.m * q.m END) AS groups FROM columns p JOIN columns q ON p.n < q.n;

-- C. In a search: finer than by all columns, coarser than by one.
CREATE TABLE people AS
SELECT i AS id, i / 2 AS person, (i * 7 % 90) AS age, (ARRAY['north', 'east', 'south', 'west'])[1 + i * i % 4] AS region, 1000 + i * 13 % 40 AS code,
       date '1960-01-01' + i * 31 % 400 AS born, CASE WHEN i % 50 = 0 THEN 'rare' WHEN i % 7 < 3 THEN 'flu' ELSE 'cold' END AS disease
FROM generate_series(1, 1000) i;
SELECT l, count(*) AS steps FROM generate_series(1, 4) l, LATERAL tds_steps('people', lkc_privacy('{age,region,code,born}', l, 10)) GROUP BY l ORDER BY l;
-- all columns known is k-anonymity
SELECT count(*) FROM (SELECT step, node, children, privacy_loss, achieved FROM tds_steps('people', lkc_privacy('{age,region,code,born}', 4, 10))
               EXCEPT SELECT step, node, children, privacy_loss, achieved FROM tds_steps('people', k_anonymity('{age,region,code,born}', 10))) other;
SELECT k, steps, groups > 0 AS groups FROM tds_tradeoff('people', '{5,50}', lkc_privacy('{age,region,code,born}', 2, 10));

-- D. Through a release's life, recounted by hand: the smallest group by any two columns.
SELECT r ->> 'rows' AS rows, jsonb_path_query_array(r -> 'privacy', '$[*].required') AS required, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM tds_anonymize('people', 'known', lkc_privacy('{age,region,code,born}', 2, 10, 'disease', '{flu,rare}', 0.7), keep => '{disease}') r;
CREATE FUNCTION smallest(release text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE least bigint;
BEGIN
  EXECUTE format('SELECT min(n) FROM (SELECT count(*) AS n FROM %I.people GROUP BY GROUPING SETS ((age, region), (age, code), (age, born), (region, code), (region, born), (code, born))) g', release) INTO least;
  RETURN least;
END $$;
SELECT achieved, achieved = smallest('known') AS as_counted, holds FROM release_verify('known') WHERE required >= 1;
SELECT round(achieved::numeric, 3) AS achieved,
       achieved = (SELECT max(confidence) FROM (SELECT count(*) FILTER (WHERE disease = d)::float8 / count(*) AS confidence FROM known.people, (VALUES ('flu'), ('rare')) v (d)
                   GROUP BY d, GROUPING SETS ((age, region), (age, code), (age, born), (region, code), (region, born), (code, born))) g) AS as_counted, holds
FROM release_verify('known') WHERE required < 1;
-- groups by all columns together are not bounded
SELECT min(n) < 10 AS smaller_by_all FROM (SELECT count(*) AS n FROM known.people GROUP BY age, region, code, born) g;
DELETE FROM people WHERE id % 10 = 3;
SELECT r ->> 'mode' AS mode, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds FROM release_refresh('known') r;
SELECT bool_and(holds) AS holds, min(achieved) FILTER (WHERE required >= 1) = smallest('known') AS as_counted FROM release_verify('known');
SELECT reason ~ 'lkc_privacy\(any 2 of ' AS told FROM release_explain('known') WHERE reason ~ 'would break lkc' LIMIT 1;
SELECT count(*) > 0 AS changes, bool_and(holds) AS holds FROM release_changes('known') WHERE part = 'stayed';
SELECT jsonb_path_query_array(release_rewind('known', 2) -> 'privacy', '$[*].holds') AS holds;
-- more known is stricter, less is weaker; k-anonymity by all columns is as strict
SELECT release_alter('known', privacy => lkc_privacy('{age,region,code,born}', 1, 10));
SELECT jsonb_path_query_array(release_alter('known', privacy => lkc_privacy('{age,region,code,born}', 3, 12, 'disease', '{flu,rare}', 0.7)) -> 'privacy', '$[*].holds') AS holds;
SELECT jsonb_path_query_array(release_alter('known', privacy => ARRAY[k_anonymity('{age,region,code,born}', 12), confidence_bound('{age,region,code,born}', 'disease', NULL, 0.7)]) -> 'privacy', '$[*].holds') AS holds;

-- E. What implies it, and what it implies
SELECT jsonb_path_query_array(r -> 'privacy', '$[*].achieved') AS achieved
FROM tds_anonymize('people', 'implied', ARRAY[lkc_privacy('{age,region,code}', 2, 10), lkc_privacy('{age,region}', 1, 5), k_anonymity('{age,region,code}', 10)]) r;

-- F. Local and clustered recoding, persons, the floor, withheld rows, changes in batches, suggestions
SELECT how, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM (VALUES ('local'), ('clustered')) v (how), LATERAL tds_anonymize('people', how, lkc_privacy('{age,region,code,born}', 2, 5), recoding => how) r;
SELECT r ->> 'rows' AS rows, jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM tds_anonymize('people', 'persons', lkc_privacy('{age,region,code,born}', 2, 10, person => 'person')) r;
SELECT required, achieved >= 10 AS enough, holds FROM release_verify('persons');
SELECT tds_anonymize('people', 'withheld', lkc_privacy('{age,region}', 1, 5), withhold => 0.1);
SET pg_topdown.min_k = 4;
SELECT jsonb_path_query_array(r -> 'privacy', '$[*].model') AS models FROM tds_anonymize('people', 'floor', lkc_privacy('{age,region}', 1, 5)) r;
SELECT tds_anonymize('people', 'below', lkc_privacy('{age,region}', 1, 3));
RESET pg_topdown.min_k;
SELECT jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds FROM tds_anonymize('people', 'batched', lkc_privacy('{age,region,code}', 2, 10), changes => 'batched') r;
INSERT INTO people SELECT id + 5000, person + 5000, age, region, code, born, disease FROM people WHERE id % 3 = 0;
DELETE FROM people WHERE id % 4 = 1 AND id < 5000;
SELECT jsonb_path_query_array(release_refresh('batched') -> 'privacy', '$[*].holds') AS holds;
SELECT part, holds FROM release_changes('batched') ORDER BY part;
SELECT count(*) > 1 AS ways, bool_and(call ~ 'lkc_privacy') AS runnable FROM release_suggest('people', lkc_privacy('{age,region,code}', 2, 10));
-- the class's leaves, and means, which need classes by all columns
SELECT jsonb_path_query_array(r -> 'privacy', '$[*].holds') AS holds
FROM tds_anonymize('people', 'classed', lkc_privacy('{age,region,code,born}', 2, 10), class => 'disease', score => 'conditional') r;
SELECT tds_anonymize('people', 'means', lkc_privacy('{age,region}', 1, 5), means => '{age}');
-- the most general table may break it
SELECT tds_anonymize('people', 'none', lkc_privacy('{age,region}', 1, 5000));
-- several confidences beside one bound of the groups
SELECT jsonb_array_length(r -> 'privacy') AS models FROM tds_anonymize('people', 'two', ARRAY[lkc_privacy('{age,region}', 1, 5, 'disease', NULL, 0.9), lkc_privacy('{region,age}', 1, 5, 'code', NULL, 0.9)]) r;
SELECT count(*) AS models FROM privacy_check('people', ARRAY[lkc_privacy('{age,region}', 1, 5, 'disease', NULL, 0.9), lkc_privacy('{age,region}', 1, 5, 'code', NULL, 0.9)]);
DO $$ DECLARE c text; made jsonb; BEGIN
  SELECT call INTO c FROM release_suggest('people', ARRAY[lkc_privacy('{age,region}', 1, 5, 'disease', NULL, 0.9), lkc_privacy('{age,region}', 1, 5, 'code', NULL, 0.9)]) LIMIT 1;
  EXECUTE c INTO made; RAISE INFO '% models: %', jsonb_array_length(made -> 'privacy'), substring(c FROM 'ARRAY.lkc.*?., lkc[^)]*.'); PERFORM release_drop(made ->> 'release'); END $$;
SELECT tds_anonymize('people', 'twice', ARRAY[lkc_privacy('{age,region}', 1, 5, 'disease', NULL, 0.9), lkc_privacy('{age,region}', 1, 5, 'disease', NULL, 0.9)]);
-- the error names the argument
SELECT lkc_privacy('{age,region}', 1, 3, 'age');
SELECT release_drop(release) FROM releases();
DROP SCHEMA knowing CASCADE;
