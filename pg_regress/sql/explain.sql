-- release_explain: why each node of the cut was not refined further; what it says of models is counted again with plain SQL.
SET client_min_messages TO notice;
CREATE SCHEMA explaining;
SET search_path TO explaining, public;

CREATE TABLE t (id int, age int, city text, code text, sex text, income text);
INSERT INTO t SELECT i, 18 + i * 7 % 50, CASE WHEN i <= 3 THEN 'Hamlet' WHEN i % 2 = 0 THEN 'Rome' ELSE 'Oslo' END,
  CASE WHEN i % 5 = 0 THEN 'a' WHEN i % 9 = 0 THEN 'b' WHEN i % 31 = 0 THEN 'c' ELSE 'd' END, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END,
  CASE WHEN i * 7 % 50 > 20 AND i % 5 < 3 OR i % 2 = 0 THEN 'high' ELSE 'low' END FROM generate_series(1, 400) i;
\set trees 'by_taxonomy_tree(''city'', ''{"any": [{"Italy": ["Rome"]}, {"North": ["Oslo", "Hamlet"]}]}''), by_taxonomy_tree(''sex'', ''{"ANY": ["F", "M"]}'')'

-- What a refinement would make of the rows: the smallest group, the groups below k and all, the rows in those below k. The parts are those of
-- the source: below or above the point, the value or another, or (where children are leaves) each value.
CREATE FUNCTION recount(k int, attribute text, node text, reason text, OUT achieved float8, OUT said text) LANGUAGE plpgsql AS $$
DECLARE part text := CASE WHEN reason ~ '^split at' THEN format('s.%I >= %L::int', attribute, substring(reason, '^split at (\S+)'))
  WHEN reason ~ 'disclosed it' THEN format('s.%I = %L', attribute, substring(reason, '^with "(.*?)"')) ELSE format('s.%I', attribute) END;
BEGIN
  EXECUTE format('SELECT min(n), format(''%%s row%%s short in %%s of %%s group%%s, %%s row%%s'', %1$s - min(n), CASE WHEN min(n) < %1$s - 1 THEN ''s'' END, count(*) FILTER (WHERE n < %1$s), count(*),
      CASE WHEN count(*) > 1 THEN ''s'' END, sum(n) FILTER (WHERE n < %1$s), CASE WHEN sum(n) FILTER (WHERE n < %1$s) > 1 THEN ''s'' END)
    FROM (SELECT count(*) AS n FROM rel.t v JOIN t s USING (id) WHERE v.%2$I::text = %3$L GROUP BY v.age, v.city, v.code, v.sex, %4$s) g', k, attribute, node, part)
  INTO achieved, said;
END $$;
CREATE FUNCTION wrong(k int) RETURNS TABLE (breaks bigint, wrong bigint) BEGIN ATOMIC
  SELECT count(*), count(*) FILTER (WHERE r.achieved IS DISTINCT FROM e.achieved OR e.required <> k OR e.reason NOT LIKE '%' || r.said || '%')
  FROM release_explain('rel') e, recount(k, attribute, node, reason) r WHERE e.reason LIKE '%would break%';
END;
-- Every node of the cut a row, in the cut's order and words.
CREATE FUNCTION as_cut() RETURNS TABLE (nodes bigint, others bigint) LANGUAGE plpgsql AS $$ BEGIN
  RETURN QUERY SELECT count(*), count(*) FILTER (WHERE (a, n) IS DISTINCT FROM (attribute, node)) FROM
    (SELECT row_number() OVER () AS i, attribute, node FROM rel.cut) c FULL JOIN
    (SELECT row_number() OVER () AS i, attribute AS a, node AS n FROM release_explain('rel')) e USING (i);
END $$;

-- Leaves, one class, disclosed values, and what would break the model.
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code,sex}', 10), 'income', ARRAY[:trees], keep => '{id}') -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT * FROM wrong(10);
SELECT * FROM as_cut();
-- Nothing comes of it: no version, no table.
SELECT count(*) FROM rel_private.manifest;
-- Each figure of each node, for some k.
SELECT k, (SELECT w FROM (SELECT release_alter('rel', privacy => k_anonymity('{age,city,code,sex}', k), allow_weaker => true)) a, LATERAL wrong(k) w) FROM generate_series(2, 30, 4) k;
-- Nodes are called what the view shows.
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code}', 7), 'sex', by_suppression('city'), intervals => 'range') -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT * FROM as_cut();
SELECT release_drop('rel');

-- Stopped: by max_steps, by a rewind, and what a replay does not look for.
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city,code,sex}', 10), 'income', ARRAY[:trees], max_steps => 2) -> 'steps' AS steps;
SELECT * FROM release_explain('rel') WHERE reason LIKE '%every model%';
SELECT release_rewind('rel', 1) -> 'steps' AS steps;
SELECT attribute, node, reason FROM release_explain('rel') WHERE reason LIKE '%every model%';
SELECT release_refresh(public.again('rel')) -> 'steps' AS steps;
SELECT attribute, node, reason FROM release_explain('rel') WHERE reason LIKE '%every model%';
-- The source is another by now.
INSERT INTO t SELECT 400 + i, 30, 'Hamlet', 'a', 'F', 'low' FROM generate_series(1, 20) i;
SELECT attribute, node, reason FROM release_explain('rel') WHERE reason LIKE '%every model%';
ALTER TABLE t RENAME TO moved;
SELECT release_explain('rel');
ALTER TABLE moved RENAME TO t;
ALTER TABLE t RENAME code TO codes;
SELECT release_explain('rel');
ALTER TABLE t RENAME codes TO code;
DELETE FROM t WHERE id > 400;
SELECT release_drop('rel');

-- Few rows keep a column at its top: they may be withheld, and then it is refined. What is left of the share is told.
SELECT tds_anonymize('t', 'rel', k_anonymity('{city}', 4), 'income', by_taxonomy_tree('city', '{"any": ["Rome", "Oslo", "Hamlet"]}')) -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT release_alter('rel', withhold => 0.01) -> 'withheld' AS withheld;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');
SELECT tds_anonymize('t', 'rel', k_anonymity('{city,code}', 30), 'income', ARRAY[by_taxonomy_tree('city', '{"any": ["Rome", "Oslo", "Hamlet"]}'),
  by_taxonomy_tree('code', '{"any": ["a", "b", "c", "d"]}')], withhold => 0.01) -> 'withheld' AS withheld;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');
-- A value that no row shows, because all of its rows are withheld, is in no cut, and is not told of.
CREATE TABLE w AS SELECT i AS id, CASE WHEN i <= 20 THEN 'a' WHEN i <= 40 THEN 'b' ELSE 'c' END AS d FROM generate_series(1, 41) i;
SELECT tds_anonymize('w', 'rel', k_anonymity('{d}', 5), withhold => 0.05) -> 'withheld' AS withheld;
SELECT attribute, node FROM rel.cut;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');
-- A node of which every row is withheld is a node of the cut without a row.
SELECT tds_anonymize('w', 'rel', k_anonymity('{d}', 5), masking => by_taxonomy_tree('d', '{"any": ["a", "b", "c"]}'), withhold => 0.05) -> 'withheld' AS withheld;
SELECT c.attribute, c.node, c.records, e.reason FROM rel.cut c JOIN release_explain('rel') e USING (attribute, node);
SELECT release_drop('rel');

-- Other models: of several the one that breaks in most rows is told. Confidence, diversity, closeness, likeness, persons.
CREATE TABLE m AS SELECT i AS id, i % 4 AS a, i / 10 % 4 AS b, (ARRAY['flu', 'cold', 'gout'])[1 + i * i % 7 % 3] AS ill, i / 3 AS who, i % 2 AS class FROM generate_series(1, 120) i;
\set by 'ARRAY[by_taxonomy_tree(''a'', ''{"any": ["0", "1", "2", "3"]}''), by_taxonomy_tree(''b'', ''{"all": [{"low": ["0", "1"]}, {"high": ["2", "3"]}]}'')]'
SELECT tds_anonymize('m', 'rel', confidence_bound('{a,b}', 'ill', NULL, 0.6), 'class', :by) -> 'steps' AS steps;
SELECT attribute, node, reason, round(achieved::numeric, 6) AS achieved, required FROM release_explain('rel') WHERE required IS NOT NULL;
SELECT round(max(share), 6) AS confidence, count(*) FILTER (WHERE share > 0.6) AS broken, count(*) AS groups, sum(rows) FILTER (WHERE share > 0.6) AS rows FROM
  (SELECT max(n / rows) AS share, max(rows) AS rows FROM (SELECT a, b < 2 AS low, count(*)::numeric AS n, sum(count(*)) OVER (PARTITION BY a, b < 2) AS rows FROM m GROUP BY a, b < 2, ill) c GROUP BY a, low) g;
SELECT release_drop('rel');
SELECT tds_anonymize('m', 'rel', ARRAY[k_anonymity('{a,b}', 3), l_diversity('{a,b}', 'ill', 3), t_closeness('{a}', 'ill', 0.05), beta_likeness('{b}', 'ill', 0.1), l_diversity('{a}', 'ill', 2.5, 'entropy')], 'class', :by) -> 'steps' AS steps;
SELECT attribute, node, reason, round(achieved::numeric, 6) AS achieved, required FROM release_explain('rel');
SELECT release_drop('rel');
SELECT tds_anonymize('m', 'rel', k_anonymity('{a,b}', 11, 'who'), 'class', :by) -> 'steps' AS steps;
SELECT attribute, node, reason, achieved, required FROM release_explain('rel') WHERE required IS NOT NULL;
SELECT release_drop('rel');

-- What else keeps a node: finest, points, a gain that is chance, no class (where all is of use), NULLs.
SELECT tds_anonymize('t', 'rel', k_anonymity('{age,city}', 2), 'income', ARRAY[finest(by_taxonomy_tree('city', '{"any": [{"Italy": ["Rome"]}, {"North": ["Oslo", "Hamlet"]}]}'), 1), by_intervals('age', step => '40')]) -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');
CREATE TABLE chance AS SELECT CASE WHEN i % 7 > 0 THEN i % 3 END AS a, i % 2 AS class FROM generate_series(1, 84) i;
SELECT tds_anonymize('chance', 'rel', k_anonymity('{a}', 2), 'class', by_taxonomy_tree('a', '{"any": ["0", "1", "2"]}'), score => 'conditional') -> 'steps' AS steps;
SELECT attribute, node, left(reason, 75) AS reason, achieved < 0 AS below, required FROM release_explain('rel');
SELECT release_alter('rel', score => 'tds') -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');
SELECT tds_anonymize('chance', 'rel', k_anonymity('{a}', 2), split => 'valid') -> 'steps' AS steps;
SELECT * FROM release_explain('rel');
SELECT release_drop('rel');

-- Progressive disclosure; clusters have no cut that was refined.
SELECT pda_anonymize('m', 'rel', confidence_bound('{a,b}', 'ill', '{flu}', 0.35), 'class') -> 'steps' AS steps;
SELECT attribute, node, reason, round(achieved::numeric, 6) AS achieved, required FROM release_explain('rel') WHERE required IS NOT NULL;
SELECT release_drop('rel');
SELECT kmember_anonymize('m', 'rel', '{a,b}', 5) ->> 'rows' AS rows;
SELECT release_explain('rel');
SELECT release_drop('rel');

-- Whose release it is not, and whose source it is not any more.
SELECT release_explain('rel');
SELECT release_explain(NULL);
CREATE ROLE explaining_owner;
CREATE ROLE explaining_reader;
GRANT USAGE ON SCHEMA explaining TO explaining_owner;
GRANT SELECT ON t TO explaining_owner;
SELECT tds_anonymize('t', 'rel', k_anonymity('{sex}', 5), 'income') -> 'steps' AS steps;
SELECT release_grant('rel', 'explaining_reader');
SET ROLE explaining_reader;
SELECT release_explain('rel');
RESET ROLE;
SELECT release_drop('rel');
GRANT CREATE ON DATABASE :"DBNAME" TO explaining_owner;
GRANT EXECUTE ON FUNCTION tds_anonymize TO explaining_owner;
SET ROLE explaining_owner;
SELECT tds_anonymize('t', 'rel', k_anonymity('{sex}', 5), 'income') -> 'steps' AS steps;
SELECT attribute, node, reason FROM release_explain('rel');
RESET ROLE;
REVOKE SELECT ON t FROM explaining_owner;
GRANT SELECT (sex) ON t TO explaining_owner;
SELECT release_explain('rel');
REVOKE SELECT (sex) ON t FROM explaining_owner;
SELECT release_explain('rel');
SET ROLE explaining_owner;
SELECT release_explain('rel');
RESET ROLE;
SELECT release_drop('rel');
REVOKE ALL ON FUNCTION tds_anonymize FROM explaining_owner;
REVOKE CREATE ON DATABASE :"DBNAME" FROM explaining_owner;
DROP OWNED BY explaining_owner, explaining_reader;
DROP ROLE explaining_owner, explaining_reader;
DROP SCHEMA explaining CASCADE;
