-- release_suggest: each call runs as it stands and releases what its line says; the ways there are; what cannot be; the time of a statement.
CREATE SCHEMA suggest;
SET search_path TO suggest, public;
CREATE TABLE "My People" AS
SELECT i AS nr, 18 + (i * 7919) % 60 AS age, (ARRAY['a', 'b', 'c', NULL])[1 + i * i % 4] AS town, (1000 * i * i % 77777)::numeric / 100 AS cost, (47000 + i * i % 90)::text AS zip,
  date '2020-01-01' + i * i % 500 AS day, CASE WHEN i % 7 = 0 THEN 'ill' WHEN i % 3 = 0 THEN 'so so' ELSE 'well' END AS health, i / 3 AS person,
  ('10.0.' || i % 5 || '.' || i * i % 50)::inet AS host, (ARRAY['it''s', 'x "y"', 'z'])[1 + i % 3] AS kind
FROM generate_series(1, 600) i;
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('a', 'north'), ('b', 'north'), ('c', 'south'), ('north', 'any'), ('south', 'any');

-- What a call gives, by release_measures and the summary.
CREATE FUNCTION released(call text) RETURNS TABLE (lost float8, groups bigint, smallest bigint, kept text[]) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE call;
  RETURN QUERY SELECT m.value, n.groups, n.smallest, k.kept
  FROM release_measures('release_name') m,
    (SELECT count(*) AS groups, min(n) AS smallest FROM (SELECT count(*) AS n FROM release_name."My People" r GROUP BY (to_jsonb(r) - ARRAY['kind', 'health'])) g) n,
    (SELECT array_agg(attname::text ORDER BY attnum) AS kept FROM pg_attribute WHERE attrelid = 'release_name."My People"'::regclass AND attnum > 0 AND attname IN ('kind', 'health')) k
  WHERE m.measure = 'normalized_certainty_penalty';
  PERFORM release_drop('release_name');
END $$;
CREATE VIEW trying AS
SELECT * FROM release_suggest('"My People"',
  ARRAY[k_anonymity(ARRAY['age', 'town', 'cost', 'zip', 'day', 'host'], 5), l_diversity(ARRAY['age', 'town'], 'health', 2, 'recursive', 9)], class => 'health',
  masking => ARRAY[weighted(coarsest(by_taxonomy('town', 'towns'), 1), 2), finest(by_prefix('zip', ARRAY[3, 2]), 1), by_intervals('age', '0', '100', step => '5'),
    by_calendar('day', '{year,month}'), by_network('host'), by_intervals('cost', breakpoints => '{100,200,500}')], keep => ARRAY['kind']);
CREATE TABLE tried AS TABLE trying;
SELECT rank, recoding, score, split, withhold, smallest_group >= 5 AS holds, query_error BETWEEN 0 AND 10 AS measured, class_information BETWEEN 0 AND 1 AS informs, seconds >= 0 AS timed FROM tried;
SELECT rank, abs(t.certainty_loss - r.lost) < 1e-9 AS lost, t.groups = r.groups AS groups, t.smallest_group = r.smallest AS smallest, r.kept
FROM tried t, released(t.call) r;
SELECT count(*) > 1 AS ranked, bool_and(query_error >= before / 1.05 - 0.005) AS by_query_error FROM (SELECT query_error, lag(query_error) OVER (ORDER BY rank) AS before FROM tried) t;
SELECT call FROM tried WHERE recoding = 'local' AND split = 'valid';
-- Weights: those of the caller stay. What has others costs less by them. Each call tells the same.
SELECT count(*) FILTER (WHERE call ~ 'weight => 0.25') AS weighted, bool_and(call ~ 'weight => 2.0') AS given FROM tried;
SELECT recoding, count(*) FILTER (WHERE weighted) AS weighted, min(cost) FILTER (WHERE weighted) < min(cost) FILTER (WHERE NOT weighted) AS costs_less
FROM (SELECT recoding, call ~ 'weight' AS weighted, query_error * certainty_loss AS cost FROM release_suggest('"My People"', k_anonymity(ARRAY['age', 'cost', 'zip', 'day'], 5))) s
GROUP BY recoding ORDER BY recoding;
SELECT count(*) AS weighted FROM release_suggest('"My People"', k_anonymity(ARRAY['age', 'cost'], 5), masking => ARRAY[weighted(by_intervals('age'), 2), weighted(by_intervals('cost'), 1)])
WHERE call ~ '0.25';
SELECT count(*) AS others FROM (SELECT rank, query_error, call FROM trying EXCEPT SELECT rank, query_error, call FROM tried) t;

-- Rows withheld, a nested tree, a template, persons, t-closeness and beta-likeness; without a class.
CREATE TABLE others AS
SELECT 1 AS which, s.* FROM release_suggest('"My People"', k_anonymity(ARRAY['age', 'town', 'cost'], 5),
  masking => by_taxonomy_tree('town', '{"any": [{"it''s north": ["a", "b"]}, "c"]}')) s
UNION ALL SELECT 2, s.* FROM release_suggest('"My People"', confidence_bound(ARRAY['age', 'town'], 'health', ARRAY['ill', 'so so'], 0.9)) s
UNION ALL SELECT 3, s.* FROM release_suggest('"My People"', ARRAY[k_anonymity(ARRAY['age', 'town'], 3, person => 'person'), t_closeness(ARRAY['age', 'town'], 'health', 0.4), beta_likeness(ARRAY['age'], 'health', 3)]) s
UNION ALL SELECT 4, s.* FROM release_suggest('"My People"', ARRAY[k_anonymity(ARRAY['age', 'town'], 3), k_anonymity(ARRAY['cost'], 2)], max_withhold => 0) s;
SELECT which, count(*) AS ways, count(*) FILTER (WHERE withhold > 0) AS withholding, count(class_information) AS informing, bool_and(query_error IS NOT NULL) AS measured FROM others GROUP BY which ORDER BY which;
SELECT which, recoding, score, split, withhold, abs(t.certainty_loss - r.lost) < 1e-9 AS lost, r.groups = t.groups AS groups
FROM others t, released(t.call) r WHERE which <> 3 ORDER BY which, rank;
-- Of a confidence_bound over all sensitive values, too, the call can be run as it is.
SELECT count(*) > 0 AS ways, bool_and(r.groups > 0) AS made FROM (SELECT call FROM release_suggest('"My People"', confidence_bound(ARRAY['age', 'town'], 'health', NULL, 0.9)) ORDER BY rank LIMIT 2) s, released(s.call) r;
-- The floor under all releases takes part.
SET pg_topdown.min_k = 40;
SELECT min(smallest_group) >= 40 AS holds, bool_and(call ~ 'k => 45') AS asks FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 45));
SELECT min(smallest_group) >= 40 AS holds FROM release_suggest('"My People"', l_diversity(ARRAY['age', 'town'], 'health', 2));
RESET pg_topdown.min_k;

-- Nothing is written, and a query of one value has nothing to be off by.
SELECT count(*) FROM releases();
SELECT DISTINCT query_error, certainty_loss FROM release_suggest('(nothing)', '{}');
CREATE TABLE same AS SELECT 1 AS a, 2 AS b FROM generate_series(1, 10);
SELECT DISTINCT query_error, certainty_loss, groups FROM release_suggest('same', k_anonymity(ARRAY['a', 'b'], 2));

-- What cannot be.
SELECT * FROM release_suggest(NULL, k_anonymity(ARRAY['age'], 5));
SELECT * FROM release_suggest('"My People"', NULL);
SELECT * FROM release_suggest('"My People"', '{}');
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['agee'], 5), max_withhold => 2);
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 5), max_withhold => 'NaN');
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 5), max_withhold => NULL);
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 601));
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 5), keep => ARRAY['age']);
UPDATE "My People" SET town = '*' WHERE nr = 1;
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['town'], 5));

-- Whoever may not read a source is told nothing of it.
CREATE ROLE suggest_stranger;
GRANT USAGE ON SCHEMA suggest TO suggest_stranger;
SET ROLE suggest_stranger;
SELECT * FROM release_suggest('"My People"', k_anonymity(ARRAY['age'], 5));
RESET ROLE;
DROP OWNED BY suggest_stranger;
DROP ROLE suggest_stranger;

DROP SCHEMA suggest CASCADE;
