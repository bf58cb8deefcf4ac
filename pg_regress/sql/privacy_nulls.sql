-- Threat: NULL. It is a value of its own, grouped as one: never dropped, never matched to everything, in every kind of masking.
CREATE SCHEMA nulls;
SET search_path TO nulls, public;
CREATE TABLE t (s text, n int, x text, k text, class text);
INSERT INTO t SELECT v, CASE v WHEN 'a' THEN 1 WHEN 'b' THEN 5 END, v, CASE WHEN i % 2 = 0 THEN 'kept' END, c
FROM (VALUES ('a', 'Y'), ('b', 'N'), (NULL, 'N')) v (v, c), generate_series(1, 4) i;
UPDATE t SET class = NULL WHERE s = 'b';
-- suppression: NULL is one of the values that can be disclosed
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['s'], 4)], 'class', keep => ARRAY['k']) -> 'steps' AS steps;
SELECT step, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss, round(score::numeric, 4) AS score, achieved FROM r_private.steps ORDER BY step;
SELECT s, s IS NULL AS is_null, k, class, count(*) FROM r.t GROUP BY 1, 3, 4 ORDER BY 1, 3;
SELECT node, node IS NULL AS is_null, records FROM r.cut ORDER BY 1;
SELECT node, node IS NULL AS is_null, parent, depth, in_cut FROM r_private.taxonomy ORDER BY 1;
SELECT release_drop('r');
-- taxonomy and intervals: a top-most * over NULL and the column's own top
SELECT step, attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss, achieved
FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['x'], 4)], 'class', ARRAY[by_taxonomy_tree('x', '{"ANY": ["a", "b"]}')]) ORDER BY 1;
SELECT step, attribute, node, children, records, round(info_gain::numeric, 4) AS info_gain, privacy_loss, achieved
FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['n'], 4)], 'class') ORDER BY 1;
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['n', 'x'], 4)], 'class', ARRAY[by_taxonomy_tree('x', '{"ANY": ["a", "b"]}'), by_intervals('n', '0', '9')]) -> 'steps' AS steps;
SELECT n, x, class, count(*) FROM r.t GROUP BY 1, 2, 3 ORDER BY 2, 3;
SELECT attribute, node, records FROM r.cut ORDER BY 1, 2;
SELECT attribute, node, node IS NULL AS is_null, parent, lower, upper, depth, in_cut FROM r_private.taxonomy ORDER BY attribute, depth, node;
SELECT required, achieved, holds FROM release_verify('r');
SELECT release_drop('r');
-- too few NULLs: they stay under *, and what is not NULL with them
DELETE FROM t WHERE ctid IN (SELECT ctid FROM t WHERE x IS NULL ORDER BY ctid LIMIT 1);
SELECT tds_anonymize('t', 'r', ARRAY[k_anonymity(ARRAY['n'], 4), k_anonymity(ARRAY['x'], 4), k_anonymity(ARRAY['s'], 4)], 'class', ARRAY[by_taxonomy_tree('x', '{"ANY": ["a", "b"]}')]) -> 'steps' AS steps;
SELECT s, n, x, count(*) FROM r.t GROUP BY 1, 2, 3 ORDER BY 1;
SELECT required, achieved, holds FROM release_verify('r');
SELECT attribute, sum(records) FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
-- groups treat NULLs as equal, in every column at once
CREATE TABLE g AS SELECT NULLIF(i % 2, 0) AS a, NULLIF(i % 3, 0)::text AS b FROM generate_series(1, 36) i;
SELECT tds_anonymize('g', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 6)], masking => ARRAY[by_suppression('a')]) -> 'privacy' -> 0 -> 'achieved' AS achieved;
SELECT a, b, count(*) FROM r.g GROUP BY 1, 2 ORDER BY 1, 2;
SELECT release_drop('r');
-- nothing but NULL, in every kind of masking
CREATE TABLE only_nulls (a text, b int, c text, d date);
INSERT INTO only_nulls SELECT FROM generate_series(1, 6);
SELECT tds_anonymize('only_nulls', 'r', ARRAY[k_anonymity(ARRAY['a', 'b', 'c'], 6)], masking => ARRAY[by_taxonomy_tree('c', '{"ANY": ["x", "y"]}')], keep => ARRAY['d']) -> 'privacy' -> 0 -> 'achieved' AS achieved;
SELECT a IS NULL AS a, b IS NULL AS b, c IS NULL AS c, d IS NULL AS d, count(*) FROM r.only_nulls GROUP BY 1, 2, 3, 4;
SELECT attribute, sum(records) AS records FROM r.cut GROUP BY 1 ORDER BY 1;
SELECT release_drop('r');
SELECT tds_anonymize('only_nulls', 'r', ARRAY[k_anonymity(ARRAY['a', 'b', 'c'], 6)], 'd', ARRAY[by_taxonomy_tree('c', '{"ANY": ["x", "y"]}')]) -> 'steps' AS steps;
SELECT *, count(*) FROM r.only_nulls GROUP BY 1, 2, 3, 4;
SELECT release_drop('r');
-- a NULL class is a class
SELECT step, children, round(info_gain::numeric, 4) AS info_gain FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['s'], 3)], 'class') ORDER BY 1;
DROP SCHEMA nulls CASCADE;
