-- l-diversity: what cannot be asked, the measure of each kind counted by hand, in privacy_check, in a search and in a release.
CREATE SCHEMA diversity;
SET search_path TO diversity, public;

-- A. What cannot be asked
SELECT l_diversity(ARRAY['q', 's'], 's', 2);
SELECT l_diversity(ARRAY['q'], 's', 0.99);
SELECT l_diversity(ARRAY['q'], 's', 0);
SELECT l_diversity(ARRAY['q'], 's', -3, 'entropy');
SELECT l_diversity(ARRAY['q'], 's', 'NaN');
SELECT l_diversity(ARRAY['q'], 's', 'Infinity', 'entropy');
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive');
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive', NULL);
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive', 0);
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive', -1);
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive', 'NaN');
SELECT l_diversity(ARRAY['q'], 's', 2, 'recursive', 'Infinity');
SELECT l_diversity(ARRAY['q'], 's', 2.5, 'recursive', 2);
SELECT l_diversity(ARRAY['q'], 's', 0, 'recursive', 2);
SELECT l_diversity(ARRAY['q'], 's', 2, c => 2);
SELECT l_diversity(ARRAY['q'], 's', 2, 'entropy', 2);
SELECT l_diversity(ARRAY['q'], 's', 2, 'Distinct');
SELECT l_diversity(ARRAY['q'], 's', 2, 'probabilistic');
SELECT l_diversity('{}', 's', 2);
SELECT l_diversity(ARRAY['q', 'q'], 's', 2);
SELECT l_diversity(NULL, 's', 2);
SELECT l_diversity(ARRAY['q', NULL], 's', 2);
SELECT l_diversity(ARRAY['q'], NULL, 2);
SELECT l_diversity(ARRAY['q'], 's', NULL);
SELECT l_diversity(ARRAY['q'], 's', 2, NULL);
SELECT '{"l_diversity": {"quasi_identifier": ["q"], "sensitive": "s", "l": 2, "kind": "recursive"}}'::privacy_model;
SELECT '{"l_diversity": {"quasi_identifier": ["q"], "sensitive": "s", "l": 2, "kind": "other"}}'::privacy_model;
-- a constructor gives what its text form gives back
SELECT m, m::text::privacy_model::text = m::text AS same
FROM unnest(ARRAY[l_diversity(ARRAY['q'], 's', 1), l_diversity(ARRAY['q', 'r'], 's', 2.5, 'entropy'), l_diversity(ARRAY['q'], 's', 3, 'recursive', 0.5)])
     WITH ORDINALITY u (m, i) ORDER BY i;

-- B. By hand.  q = a: x 2, y 1;  b: x 1, NULL 2, z 1;  NULL: y 1, z 1;  all 9: x 3, y 2, z 2, NULL 2.  NULL is a value.
--  distinct:      a 2, b 3, NULL 2: 2
--  entropy:       exp(H): a 3 / 2^(2/3) = 1.8899, b exp(1.5 ln 2) = 2.8284, NULL 2: 1.8899
--  recursive:     counts in falling order a 2 1, b 2 1 1, NULL 1 1; largest r1 / (r_l + ... + r_m)
--    l = 1: a 2/3, b 2/4, NULL 1/2: 0.6667      l = 2: a 2/1, b 2/2, NULL 1/1: 2      l = 3: a Infinity, b 2/1, NULL Infinity: Infinity
--  It has to be below c: 2 is not below 2.
CREATE TABLE small (q text, s text);
INSERT INTO small VALUES ('a', 'x'), ('a', 'x'), ('a', 'y'), ('b', 'x'), ('b', NULL), ('b', NULL), ('b', 'z'), (NULL, 'y'), (NULL, 'z');
SELECT i, required, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[
       l_diversity(ARRAY['q'], 's', 2), l_diversity(ARRAY['q'], 's', 3), l_diversity(ARRAY['q'], 's', 2.5), l_diversity(ARRAY['q'], 's', 1),
       l_diversity(ARRAY['q'], 's', 2, 'entropy'), l_diversity(ARRAY['q'], 's', 1.8, 'entropy'), l_diversity(ARRAY['q'], 's', 2.5, 'entropy')])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
SELECT i, required, round(achieved::text::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM privacy_check('small', ARRAY[
       l_diversity(ARRAY['q'], 's', 1, 'recursive', 0.6), l_diversity(ARRAY['q'], 's', 1, 'recursive', 0.7), l_diversity(ARRAY['q'], 's', 2, 'recursive', 2),
       l_diversity(ARRAY['q'], 's', 2, 'recursive', 2.01), l_diversity(ARRAY['q'], 's', 2, 'recursive', 1), l_diversity(ARRAY['q'], 's', 4, 'recursive', 1000)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;
SELECT required, achieved, holds, violating_groups, violating_rows FROM privacy_check('small', ARRAY[l_diversity(ARRAY['q'], 's', 3, 'recursive', 1000)]);
-- Equal counts have entropy ln l, whatever rounding makes of it.
CREATE TABLE even AS SELECT l, 's' || (i % l) AS s FROM generate_series(2, 12) l, generate_series(1, 7 * l) i;
DO $$ BEGIN
  FOR l IN 2 .. 12 LOOP EXECUTE format('CREATE VIEW even_%s AS SELECT * FROM diversity.even WHERE l = %1$s', l); END LOOP;
END $$;
SELECT count(*), bool_and(c.holds) AS holds, bool_and(abs(c.achieved - l) < 1e-9) AS close, bool_or(d.holds) AS more_holds
FROM generate_series(2, 12) l, LATERAL privacy_check(('even_' || l)::regclass, ARRAY[l_diversity(ARRAY['l'], 's', l, 'entropy')]) c,
     LATERAL privacy_check(('even_' || l)::regclass, ARRAY[l_diversity(ARRAY['l'], 's', l + 1e-6, 'entropy')]) d;
-- and in a search: all of l can be disclosed, the smallest being exactly 2-diverse
SELECT (array_agg(abs(achieved[1] - 2) < 1e-9 ORDER BY step DESC))[1] AS two, count(*) AS steps FROM tds_steps('even', ARRAY[l_diversity(ARRAY['l'], 's', 2, 'entropy')], masking => ARRAY[by_suppression('l')]);
CREATE VIEW seen AS SELECT coalesce(q, '*') AS q, s FROM small;
CREATE TABLE nothing (q text, s text);
SELECT relation, kind, achieved IS NULL AS no_groups, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows
FROM unnest(ARRAY['seen', 'nothing']) WITH ORDINALITY r (relation, i), unnest(ARRAY['distinct', 'entropy', 'recursive']) WITH ORDINALITY k (kind, j),
     LATERAL privacy_check(relation::regclass, ARRAY[l_diversity(ARRAY['q'], 's', 2, kind, CASE kind WHEN 'recursive' THEN 2 END)]) ORDER BY i DESC, j;
SELECT * FROM privacy_check('small', ARRAY[l_diversity(ARRAY['q'], 't', 2)]);
SELECT * FROM privacy_inferences('small', l_diversity(ARRAY['q'], 's', 2));
-- equal values are one value: 1.0 and 1.00
CREATE TABLE scaled (q text, s numeric);
INSERT INTO scaled VALUES ('a', 1.0), ('a', 1.00), ('a', 1), ('a', 2);
SELECT achieved FROM privacy_check('scaled', ARRAY[l_diversity(ARRAY['q'], 's', 2)]);
-- any type whose values can be told apart
CREATE TABLE odd (q text, j jsonb, x xid, b bytea, a int[]);
INSERT INTO odd VALUES ('a', '{"k": 1}', '1', '\x00', '{1}'), ('a', '{"k": 1}', '2', '\x00', '{2}'), ('a', '[]', '3', '\x01', '{2}');
SELECT i, achieved FROM privacy_check('odd', ARRAY[l_diversity(ARRAY['q'], 'j', 2), l_diversity(ARRAY['q'], 'x', 2), l_diversity(ARRAY['q'], 'b', 2),
                                                   l_diversity(ARRAY['q'], 'a', 2, 'recursive', 9)])
     WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) ORDER BY i;

-- C. In a search, by hand.
--   r = 1: x 2, y 2, z 2    2: x 3, y 3    3: x 4, y 1, z 1    4: x 3    all 21: x 12, y 6, z 3
--   class p / q:  1: 4/2    2: 0/6    3: 5/1    4: 0/3    all: 9/12, H = 0.9852
-- Gains at the start: 1: 0.0669, 2: 0.2917, 3: 0.2019, 4: 0.1281. Score is gain / (loss + 1).
CREATE TABLE case_file (r text, s text, class text);
INSERT INTO case_file SELECT r, s, class
FROM (VALUES ('1', 'x', 'p', 2), ('1', 'y', 'p', 2), ('1', 'z', 'q', 2), ('2', 'x', 'q', 3), ('2', 'y', 'q', 3),
             ('3', 'x', 'p', 4), ('3', 'y', 'q', 1), ('3', 'z', 'p', 1), ('4', 'x', 'q', 3)) t (r, s, class, n), generate_series(1, n);
-- distinct, 3 of 3 values: 4 has one value, never. 2 has two values, loss 1: score 0.1458; 3 has all and leaves all, score 0.2019, first.
--   Then 1 leaves {2,4} with x, y: loss 1, score 0.4693 / 2; 2 loses 1 as well, 0.2420 / 2. l = 2: 1 is second, and all of {2,4} is q. l = 3: neither.
-- entropy, exp(H(12,6,3)) = 2.6005: 1 is 3 but leaves x 10, y 4, z 1: 2.2329; 2 is 2; 3 is exp(H(4,1,1)) = 2.3811 and leaves 2.6382. l = 2.5: none.
--   l = 2.2: 3 (score 0.2019 / 1.2194 = 0.1656 against 0.0489 of 1), then 1 would leave x 6, y 3 = 1.8899, and 2 is 2.
-- recursive (c = 4, l = 2), 12/9 = 1.3333: 1 leaves 10/5 = 2; 2 is 3/3 and leaves 9/6 = 1.5; 3 is 4/2 = 2; 4 is Infinity. Scores 0.0402, 0.2500, 0.1211:
--   2 first; then 1 leaves 7/2 = 3.5, score 0.0090 / 3, 3 is 2, score 0.1163 / 1.5: 3 second; then 1 would leave 4 alone: Infinity. c = 1.5: none at all.
SELECT i, kind, l, c, step, children[1] AS disclosed, round(info_gain::numeric, 4) AS gain, round(privacy_loss::numeric, 4) AS loss,
       round(score::numeric, 4) AS score, round(achieved[1]::numeric, 4) AS achieved
FROM (VALUES (1, 'distinct', 2, NULL::float8), (2, 'distinct', 3, NULL), (3, 'entropy', 2.5, NULL), (4, 'entropy', 2.2, NULL), (5, 'recursive', 2, 4),
             (6, 'recursive', 2, 1.5)) v (i, kind, l, c)
     LEFT JOIN LATERAL tds_steps('case_file', ARRAY[l_diversity(ARRAY['r'], 's', l, kind, c)], 'class', score => 'tdr') ON true
ORDER BY i, step;
-- unsatisfiable: the whole table has 3 values, exp(H(12,6,3)) = 2.6005, 12/9 = 1.3333
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 's', 4)], 'class');
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 's', 2.7, 'entropy')], 'class');
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 's', 2, 'recursive', 1.25)], 'class');
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 's', 4, 'recursive', 1000)], 'class');
-- duplicates
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r', 'class'], 's', 2), l_diversity(ARRAY['class', 'r'], 's', 2, 'distinct')]);
-- unknown columns
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 'secret', 2)], 'class');
SELECT tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['rr'], 's', 2)], 'class');

-- D. A release. The same kind on a wider quasi-identifier with no weaker parameters makes one redundant; other kinds do not.
SELECT result -> 'steps' AS steps, jsonb_path_query_array(result, '$.privacy[*].holds') AS holds
FROM tds_anonymize('case_file', 'd', ARRAY[l_diversity(ARRAY['r'], 's', 2), l_diversity(ARRAY['r'], 's', 1.5), l_diversity(ARRAY['r'], 's', 1.5, 'entropy'),
  l_diversity(ARRAY['r'], 's', 2, 'recursive', 10), l_diversity(ARRAY['r'], 's', 1, 'recursive', 10)], 'class', score => 'tdr') result;
SELECT array_agg(column_name::text ORDER BY ordinal_position) AS columns FROM information_schema.columns WHERE table_schema = 'd' AND table_name = 'case_file';
SELECT i, v.required, v.holds, abs(v.achieved - s.achieved[i]) < 1e-9 AS as_in_steps, abs(v.achieved - h.achieved[i]) < 1e-9 AS as_by_hand
FROM release_verify('d') WITH ORDINALITY v (model, required, achieved, holds, i),
     (SELECT achieved FROM d_private.steps ORDER BY step DESC LIMIT 1) s,
     (SELECT ARRAY[min(n), min(n), exp(min(h)), max(top / rarer), max(top / everything)]::float8[] AS achieved
      FROM (SELECT count(*) AS n, -sum(m / t * ln(m / t)) AS h, max(m) AS top, nullif(sum(m) - max(m), 0) AS rarer, sum(m) AS everything
            FROM (SELECT r, count(*)::float8 AS m, sum(count(*)) OVER (PARTITION BY r)::float8 AS t FROM d.case_file GROUP BY r, s) c GROUP BY r) g) h
ORDER BY i;
SELECT release_drop('d');
-- Infinity in what is returned: a group with fewer than l values, allowed by no c, is refused; measured on the way it is Infinity.
SELECT required, achieved, holds, violating_groups, violating_rows FROM privacy_check('case_file', ARRAY[l_diversity(ARRAY['r'], 's', 3, 'recursive', 5)]);
SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public') ORDER BY 1;
DROP SCHEMA diversity CASCADE;
