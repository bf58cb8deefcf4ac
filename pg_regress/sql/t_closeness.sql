-- t-closeness: what cannot be asked, both distances counted by hand, in privacy_check, in a search and in a release.
SET client_min_messages TO notice;
CREATE SCHEMA closeness;
SET search_path TO closeness, public;

-- A. What cannot be asked
SELECT t_closeness(ARRAY['q', 's'], 's', 0.2);
SELECT t_closeness(ARRAY['q'], 's', -0.1);
SELECT t_closeness(ARRAY['q'], 's', 1.1);
SELECT t_closeness(ARRAY['q'], 's', 'NaN');
SELECT t_closeness(ARRAY['q'], 's', 'Infinity');
SELECT t_closeness(ARRAY['q'], 's', 0.2, 'Ordered');
SELECT t_closeness(ARRAY['q'], 's', 0.2, 'hierarchical');
SELECT t_closeness('{}', 's', 0.2);
SELECT t_closeness(ARRAY['q', 'r', 'q'], 's', 0.2);
SELECT t_closeness(NULL, 's', 0.2);
SELECT t_closeness(ARRAY['q', NULL], 's', 0.2);
SELECT t_closeness(ARRAY['q'], NULL, 0.2);
SELECT t_closeness(ARRAY['q'], 's', NULL);
SELECT t_closeness(ARRAY['q'], 's', 0.2, NULL);
SELECT '{"t_closeness": {"quasi_identifier": ["q"], "sensitive": "s", "t": 2}}'::privacy_model;
SELECT m, m::text::privacy_model::text = m::text AS same
FROM unnest(ARRAY[t_closeness(ARRAY['q'], 's', 0), t_closeness(ARRAY['q', 'r'], 's', 1, 'ordered')]) WITH ORDINALITY u (m, i) ORDER BY i;

-- B. By hand.  q = a: x 2, y 1;  b: x 1, NULL 2, z 1;  NULL: y 1, z 1;  all 9: x 3, y 2, z 2, NULL 2.  NULL is a value, last in order.
--  equal, half of the sum of |share in the group - share in all|, over x, y, z, NULL:
--    a    (3/9 + 1/9 + 2/9 + 2/9) / 2 = 4/9 = 0.4444
--    b    |1/4 - 3/9| + 2/9 + |1/4 - 2/9| + |1/2 - 2/9| = (3 + 8 + 1 + 10) / 36; half of it 11/36 = 0.3056
--    NULL (6/18 + 5/18 + 5/18 + 4/18) / 2 = 10/18 = 0.5556
--  ordered, the sum of the absolute cumulated differences by 4 - 1 = 3:
--    a    3/9, 4/9, 2/9, 0: 9/9 / 3 = 0.3333     b    -3/36, -11/36, -10/36, 0: 24/36 / 3 = 0.2222     NULL -6/18, -1/18, 4/18, 0: 11/18 / 3 = 0.2037
CREATE TABLE small (q text, s text);
INSERT INTO small VALUES ('a', 'x'), ('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', NULL), ('b', NULL), ('b', 'z'), (NULL, 'y'), (NULL, 'z');
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[
       t_closeness(ARRAY['q'], 's', 0.3), t_closeness(ARRAY['q'], 's', 0.4), t_closeness(ARRAY['q'], 's', 0.5), t_closeness(ARRAY['q'], 's', 0.6),
       t_closeness(ARRAY['q'], 's', 0.2, 'ordered'), t_closeness(ARRAY['q'], 's', 0.21, 'ordered'), t_closeness(ARRAY['q'], 's', 0.3, 'ordered'),
       t_closeness(ARRAY['q'], 's', 0.34, 'ordered')])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
-- Example 3 of the t-closeness paper: salaries 3k to 11k; {3k,4k,5k} is 0.375 and {6k,8k,11k} 0.167 from all nine. 'equal' sees only 6/9 in both.
CREATE TABLE salary (q int, s int);
INSERT INTO salary VALUES (1, 3000), (1, 4000), (1, 5000), (2, 6000), (2, 8000), (2, 11000), (3, 7000), (3, 9000), (3, 10000);
SELECT round(achieved::numeric, 3) AS achieved, violating_groups FROM privacy_check('salary', ARRAY[t_closeness(ARRAY['q'], 's', 0.3, 'ordered')]);
CREATE VIEW salary_2 AS SELECT CASE q WHEN 2 THEN 2 ELSE 1 END AS q, s FROM salary;
-- its other two together, by ranks: six of nine without ranks 4, 6, 9: sum |cumulated| = (1 + 2 + 3 + 1 + 2 + 0 + 1 + 2 + 0) / 18 = 12/18, by 8: 0.0833; {2} is 0.167
SELECT round(achieved::numeric, 3) AS achieved, holds FROM privacy_check('salary_2', ARRAY[t_closeness(ARRAY['q'], 's', 0.17, 'ordered'), t_closeness(ARRAY['q'], 's', 0.16, 'ordered')]);
SELECT round(achieved::numeric, 4) AS achieved, violating_groups FROM privacy_check('salary', ARRAY[t_closeness(ARRAY['q'], 's', 0.5)]);
-- one distinct value: 0; one group: 0; NULL alone: 0; t = 0 holds where every group is as the whole, whatever rounding makes of it
CREATE TABLE flat (q text, r text, s text, o int, n text);
INSERT INTO flat SELECT 'q' || i % 7, 'r', 's' || i / 7 % 3, 5, NULL FROM generate_series(0, 7 * 3 * 11 - 1) i;
SELECT i, abs(achieved) < 1e-9 AS nil, holds, groups, violating_groups
FROM privacy_check('flat', ARRAY[t_closeness(ARRAY['q'], 's', 0), t_closeness(ARRAY['q'], 's', 0, 'ordered'), t_closeness(ARRAY['r'], 's', 0),
       t_closeness(ARRAY['q'], 'o', 0), t_closeness(ARRAY['q'], 'o', 0, 'ordered'), t_closeness(ARRAY['q'], 'n', 0), t_closeness(ARRAY['q'], 'n', 0, 'ordered')])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
SELECT count(*) AS steps, bool_and(abs(achieved[1]) < 1e-9) AS nil
FROM tds_steps('flat', ARRAY[t_closeness(ARRAY['q'], 's', 0), t_closeness(ARRAY['q'], 's', 0, 'ordered')]);
CREATE VIEW seen AS SELECT coalesce(q, '*') AS q, s FROM small;
CREATE TABLE nothing (q text, s text);
SELECT relation, distance, achieved IS NULL AS no_groups, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM unnest(ARRAY['seen', 'nothing']) WITH ORDINALITY r (relation, i), unnest(ARRAY['equal', 'ordered']) WITH ORDINALITY k (distance, j),
     LATERAL privacy_check(relation::regclass, ARRAY[t_closeness(ARRAY['q'], 's', 0.4, distance)]) ORDER BY i, j;
SELECT * FROM privacy_check('small', ARRAY[t_closeness(ARRAY['q'], 't', 0.2)]);
SELECT * FROM privacy_inferences('small', t_closeness(ARRAY['q'], 's', 0.2));
-- The order is the type's: 9 before 10, sad before ok before happy, 1.0 = 1.00. All three are the same by rank: {1st} is 1/2 x (2/3 + 1/3) = 0.5.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE typed (q text, i int, m mood, n numeric, t text);
INSERT INTO typed VALUES ('a', 9, 'sad', 1.0, '9'), ('b', 10, 'ok', 2, '10'), ('c', 100, 'happy', 10, '100'), ('a', 9, 'sad', 1.00, '9'), ('b', 10, 'ok', 2.0, '10'),
                         ('c', 100, 'happy', 10, '100');
SELECT i, round(achieved::numeric, 4) AS achieved FROM privacy_check('typed', ARRAY[t_closeness(ARRAY['q'], 'i', 0.4, 'ordered'), t_closeness(ARRAY['q'], 'm', 0.4, 'ordered'),
       t_closeness(ARRAY['q'], 'n', 0.4, 'ordered'), t_closeness(ARRAY['q'], 'n', 0.4)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
-- As texts 10 < 100 < 9. a: 9 alone, the last: 0.5; c: 10 and 100, half each: |1/2 - 1/3|, |1 - 2/3|: (1/6 + 2/6) / 2 = 0.25
CREATE VIEW as_text AS SELECT q, t FROM typed WHERE q <> 'b' UNION ALL SELECT 'c', t FROM typed WHERE q = 'b';
SELECT round(achieved::numeric, 4) AS achieved, violating_groups FROM privacy_check('as_text', ARRAY[t_closeness(ARRAY['q'], 't', 0.3, 'ordered')]);

-- C. A type without order: 'ordered' cannot be asked, 'equal' can.
CREATE TABLE odd (q text, x xid, j json, p point, b jsonb);
INSERT INTO odd VALUES ('a', '1', '{"k": 1}', '(0,0)', '1'), ('a', '2', '[]', '(0,1)', '2'), ('b', '1', '{"k": 1}', '(0,0)', '1'), ('b', '1', '{"k": 1}', '(0,0)', '1');
SELECT tds_anonymize('odd', 'r', ARRAY[t_closeness(ARRAY['q'], 'x', 0.5, 'ordered')]);
SELECT tds_anonymize('odd', 'r', ARRAY[t_closeness(ARRAY['q'], 'j', 0.5, 'ordered')]);
SELECT tds_steps('odd', ARRAY[t_closeness(ARRAY['q'], 'p', 0.5, 'ordered')]);
SELECT * FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'x', 0.5, 'ordered')]);
SELECT * FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'j', 0.5, 'ordered')]);
SELECT * FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'p', 0.5, 'ordered')]);
-- equal: a 1/2 1/2, b 1 0, all 3/4 1/4: both 1/4
SELECT required, achieved, holds, groups FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'x', 0.3)]);
SELECT required, achieved, holds, groups FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'j', 0.3)]);
SELECT required, achieved, holds, groups FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'p', 0.3)]);
SELECT required, achieved, holds, groups FROM privacy_check('odd', ARRAY[t_closeness(ARRAY['q'], 'b', 0.3, 'ordered')]);
SELECT jsonb_path_query_array(tds_anonymize('odd', 'r_x', ARRAY[t_closeness(ARRAY['q'], 'x', 0.3)]), '$.privacy[*].achieved') AS achieved;
SELECT jsonb_path_query_array(tds_anonymize('odd', 'r_j', ARRAY[t_closeness(ARRAY['q'], 'j', 0.3)]), '$.privacy[*].achieved') AS achieved;
SELECT jsonb_path_query_array(tds_anonymize('odd', 'r_p', ARRAY[t_closeness(ARRAY['q'], 'p', 0.3)]), '$.privacy[*].achieved') AS achieved;
SELECT count(*) AS releases FROM releases();
SELECT release_drop(release) FROM releases();

-- D. In a search and a release.  r = 1: lo 3, mid 1    2: lo 1, mid 1, hi 2    3: mid 2, hi 2    all 12: lo 4, mid 4, hi 4
--  equal:   1 (5/12 + 1/12 + 4/12) / 2 = 5/12, leaves {2,3} lo 1, mid 3, hi 4 of 8: (5 + 1 + 4)/24 / 2 = 5/24;  2 1/6, leaves {1,3}: lo 3, mid 3, hi 2: 1/12;
--           3 1/3, leaves {1,2}: lo 4, mid 2, hi 2: 1/6.   t = 0.35: 2 or 3 can, not both (1 would be alone in *).
--  ordered, values lo < mid < hi: 1: (5/12 + 4/12) / 2 = 0.375;  2: (1/12 + 2/12) / 2 = 0.125;  3: (4/12 + 2/12) / 2 = 0.25.  t = 0.3: as above; t = 0.375: all.
--  class y / n: 1: 4/0    2: 2/2    3: 0/4.  Gains: 1 and 3: 1 - 8/12 H(2,6) = 0.4591, 2: 0. Losses, equal: 1 5/12, 2 1/6, 3 1/3. 3 before 1, then * is {1,2}.
CREATE TYPE income AS ENUM ('lo', 'mid', 'hi');
CREATE TABLE census (r text, s income, class text);
INSERT INTO census VALUES ('1', 'lo', 'y'), ('1', 'lo', 'y'), ('1', 'lo', 'y'), ('1', 'mid', 'y'), ('2', 'lo', 'y'), ('2', 'mid', 'y'), ('2', 'hi', 'n'), ('2', 'hi', 'n'),
                          ('3', 'mid', 'n'), ('3', 'mid', 'n'), ('3', 'hi', 'n'), ('3', 'hi', 'n');
SELECT i, distance, t, step, children[1] AS disclosed, round(info_gain::numeric, 4) AS gain, round(privacy_loss::numeric, 4) AS loss, round(achieved[1]::numeric, 4) AS achieved
FROM (VALUES (1, 'equal', 0.35), (2, 'equal', 0.1), (3, 'equal', 0.42), (4, 'ordered', 0.3), (5, 'ordered', 0.375)) v (i, distance, t)
     LEFT JOIN LATERAL tds_steps('census', ARRAY[t_closeness(ARRAY['r'], 's', t, distance)], 'class', score => 'tdr') ON true
ORDER BY i, step;
SELECT pda_anonymize('census', 'r', ARRAY[t_closeness(ARRAY['r'], 's', 0.3, 'ordered'), t_closeness(ARRAY['r'], 's', 0.4, 'ordered'),
                                          t_closeness(ARRAY['r'], 's', 0.4), k_anonymity(ARRAY['r'], 2)], 'class') - 'seconds' - 'privacy' AS result;
SELECT r, s, count(*) FROM r.census GROUP BY 1, 2 ORDER BY 1, 2;
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds FROM release_verify('r') WITH ORDINALITY v (model, required, achieved, holds, i) ORDER BY i;
SELECT i, round(achieved::numeric, 4) AS achieved, holds, groups FROM privacy_check('r.census', ARRAY[t_closeness(ARRAY['r'], 's', 0.3, 'ordered'), t_closeness(ARRAY['r'], 's', 0.3)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
SELECT array_agg(column_name::text || ' ' || udt_name ORDER BY ordinal_position) AS columns FROM information_schema.columns WHERE table_schema = 'r' AND table_name = 'census';
SELECT release_drop('r');
-- The whole table is 0 from itself: no t is unsatisfiable.
SELECT tds_anonymize('census', 'r', ARRAY[t_closeness(ARRAY['r'], 's', 0)], 'class') -> 'steps' AS steps;
SELECT release_drop('r');
SELECT tds_anonymize('census', 'r', ARRAY[t_closeness(ARRAY['r', 'class'], 's', 0.2), t_closeness(ARRAY['class', 'r'], 's', 0.2, 'equal')]);
SELECT tds_anonymize('census', 'r', ARRAY[t_closeness(ARRAY['r'], 'secret', 0.2)], 'class');
-- a sensitive column that is masked by another model keeps its order: by rank, not by label
SELECT jsonb_path_query_array(result, '$.privacy[*].holds') AS holds
FROM tds_anonymize('census', 'r', ARRAY[t_closeness(ARRAY['r'], 's', 0.3, 'ordered'), k_anonymity(ARRAY['s'], 5)], 'class') result;
SELECT array_agg(attname::text ORDER BY attnum) AS columns FROM pg_attribute WHERE attrelid = 'r_private.rows_v1'::regclass AND attnum > 0;
SELECT DISTINCT s FROM r.census;
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds FROM release_verify('r') WITH ORDINALITY v (model, required, achieved, holds, i) ORDER BY i;
SELECT release_drop('r');
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA closeness CASCADE;
