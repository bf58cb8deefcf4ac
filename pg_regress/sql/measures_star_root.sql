-- A taxonomy may call its own root what suppressed values are called: over a column with NULLs, two nodes bear the label, and the
-- measures take each for what it is.
CREATE SCHEMA str;
SET search_path TO str, public;
CREATE TABLE t AS SELECT (ARRAY['a', 'b', 'c', 'd'])[1 + i % 4] AS v, i % 4 / 2 AS class FROM generate_series(1, 40) i;
CREATE TABLE with_nulls AS TABLE t;
INSERT INTO with_nulls SELECT NULL, 0 FROM generate_series(1, 10);
CREATE VIEW measured AS SELECT r.release, r.rows, m.measure, round(m.value::numeric, 4) AS value FROM releases() r, release_measures(r.release) m
  WHERE r.release LIKE 'str\_%' AND m.measure IN ('ntil', 'suppressed_cells', 'normalized_certainty_penalty', 'precision', 'non_uniform_entropy', 'nil_1', 'nil_inf');
-- the same trees under another name of the root; k decides how far it is refined: not at all, to the root, to its children
SELECT r, tds_anonymize(s::regclass, ('str_' || r)::name, ARRAY[k_anonymity(ARRAY['v'], k)], 'class', ARRAY[by_taxonomy_tree('v', jsonb_build_object(root, '{"x": ["a", "b"], "y": ["c", "d"]}'::jsonb))]) -> 'steps' AS steps
FROM (VALUES ('star_0', 'with_nulls', 50, '*'), ('any_0', 'with_nulls', 50, 'any'), ('star_1', 'with_nulls', 10, '*'), ('any_1', 'with_nulls', 10, 'any'), ('star_n', 't', 40, '*'), ('any_n', 't', 40, 'any'), ('star_m', 't', 20, '*'), ('any_m', 't', 20, 'any')) v (r, s, k, root);
SELECT tds_anonymize('with_nulls', 'str_star_s', ARRAY[k_anonymity(ARRAY['v'], 10)], 'class', ARRAY[by_taxonomy_tree('v', '{"*": {"x": ["a", "b"], "y": ["c", "d"]}}')], max_steps => 1) -> 'steps' AS steps;
SELECT tds_anonymize('with_nulls', 'str_any_s', ARRAY[k_anonymity(ARRAY['v'], 10)], 'class', ARRAY[by_taxonomy_tree('v', '{"any": {"x": ["a", "b"], "y": ["c", "d"]}}')], max_steps => 1) -> 'steps' AS steps;
SELECT node, records FROM str_star_s.cut ORDER BY 1;
SELECT node, records FROM str_any_s.cut ORDER BY 1;
-- no measure depends on what the root is called
SELECT count(*) AS compared FROM measured a JOIN measured s ON s.measure = a.measure AND s.release = replace(a.release::text, 'any', 'star')::name WHERE a.release LIKE 'str\_any%';
SELECT substr(a.release, 9) AS release, a.measure, a.value, s.value AS star FROM measured a JOIN measured s ON s.measure = a.measure AND s.release = replace(a.release::text, 'any', 'star')::name
WHERE a.release LIKE 'str\_any%' AND a.value <> s.value ORDER BY 1, 2;
SELECT release, measure, value FROM measured WHERE release IN ('str_any_0', 'str_any_s', 'str_any_m') ORDER BY 1, 2;
SELECT kmember_anonymize('with_nulls', 'str_k', ARRAY['v'], 5, ARRAY[by_taxonomy_tree('v', '{"*": {"x": ["a", "b"], "y": ["c", "d"]}}')]) -> 'rows' AS rows;
SELECT measure, value FROM measured WHERE release = 'str_k' ORDER BY 1;
DROP VIEW measured;
SELECT release_drop(release) IS NULL AS dropped, count(*) FROM releases() WHERE release LIKE 'str\_%' GROUP BY 1;
DROP SCHEMA str CASCADE;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'str%';
