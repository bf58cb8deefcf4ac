-- Models that are counted together are counted as each by itself: of the same columns, of few combinations and of many, by sensitive value, of columns
-- with NULL, with types that have no order, and on a relation without rows.
CREATE SCHEMA tog;
SET search_path TO tog, public;
CREATE TABLE few AS SELECT CASE WHEN i % 7 > 0 THEN 'c' || i % 3 END AS a, i % 4 AS b, CASE WHEN i % 11 > 0 THEN 's' || i % 5 END AS s, (i % 3)::numeric AS n, json_build_object('k', i % 2) AS j FROM generate_series(1, 900) i;
CREATE TABLE many AS SELECT 'c' || i % 40 AS a, hashint4(i) % 50 AS b, 's' || i % 61 AS s, (i % 7)::numeric AS n, json_build_object('k', i % 3) AS j FROM generate_series(1, 900) i;
CREATE TABLE no_rows AS SELECT * FROM few WHERE false;
CREATE FUNCTION models() RETURNS privacy_model[] LANGUAGE sql AS $$
  SELECT ARRAY[k_anonymity('{a}', 10), k_anonymity('{a,b}', 30), k_anonymity('{b,a}', 2), l_diversity('{a,b}', 's', 2), l_diversity('{a,b}', 's', 2.5, 'entropy'), l_diversity('{b}', 's', 3, 'recursive', 2),
               t_closeness('{a}', 's', 0.3), t_closeness('{b}', 'n', 0.2, 'ordered'), beta_likeness('{a}', 's', 1.5), l_diversity('{a,j}', 's', 1), k_anonymity('{j}', 3),
               confidence_bound('{a}', 's', ARRAY['s1'], 0.9), confidence_bound('{a}', 's', ARRAY['s2', NULL], 0.1), confidence_bound('{a}', 's', NULL, 0.25), confidence_bound('{a}', 's', ARRAY['nowhere'], 0),
               confidence_bound('{a}', 's', ARRAY[NULL]::text[], 0.05), confidence_bound('{b}', 'n', ARRAY['1.00', '0'], 0.34), confidence_bound('{b}', 'n', ARRAY['2'], 0.2), confidence_bound('{b}', 'j', ARRAY['{"k" : 1}'], 0.5),
               confidence_bound('{b,a}', 's', ARRAY['s1'], 0.2), confidence_bound('{b,a}', 's', ARRAY['s3'], 0.9)] $$;
CREATE FUNCTION alone(source regclass) RETURNS TABLE (i bigint, model text, required float8, achieved float8, holds boolean, groups bigint, violating_groups bigint, violating_rows bigint) LANGUAGE sql AS $$
  SELECT m.i, c.model::text, c.required, c.achieved, c.holds, c.groups, c.violating_groups, c.violating_rows FROM unnest(models()) WITH ORDINALITY m (model, i), privacy_check(source, ARRAY[m.model]) c $$;
CREATE FUNCTION together(source regclass) RETURNS TABLE (i bigint, model text, required float8, achieved float8, holds boolean, groups bigint, violating_groups bigint, violating_rows bigint) LANGUAGE sql AS $$
  SELECT c.i, c.model::text, c.required, c.achieved, c.holds, c.groups, c.violating_groups, c.violating_rows
  FROM privacy_check(source, models()) WITH ORDINALITY c (model, required, achieved, holds, groups, violating_groups, violating_rows, i) $$;
SELECT i, round(achieved::numeric, 4) AS achieved, holds, groups, violating_groups, violating_rows FROM together('few') ORDER BY i;
CREATE FUNCTION differ(source regclass) RETURNS SETOF record LANGUAGE sql AS $$ (SELECT * FROM alone(source) EXCEPT SELECT * FROM together(source)) UNION ALL (SELECT * FROM together(source) EXCEPT SELECT * FROM alone(source)) $$;
SELECT t, (SELECT count(*) FROM together(t)) AS models, (SELECT count(*) FROM together(t) WHERE NOT holds) AS broken,
  (SELECT count(*) FROM differ(t) AS d (i bigint, model text, required float8, achieved float8, holds boolean, groups bigint, violating_groups bigint, violating_rows bigint)) AS differ
FROM unnest('{few,many,no_rows}'::regclass[]) t;
DROP SCHEMA tog CASCADE;
