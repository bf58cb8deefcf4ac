-- show: columns that everybody groups by come first, and have one cut whatever the recoding, through a release's whole life.
CREATE SCHEMA shown;
SET search_path TO shown, public;
CREATE TABLE people AS
SELECT i AS nr, 18 + (i * 7919) % 60 AS age, (ARRAY['a', 'b', 'c', 'd', NULL])[1 + i * i % 5] AS town, (ARRAY['x', 'y'])[1 + i % 2] AS sex, nullif(1000 + i * i % 777, 1004) AS cost,
  CASE WHEN i % 7 = 0 THEN 'ill' WHEN i % 3 = 0 THEN 'so so' ELSE 'well' END AS health
FROM generate_series(1, 1200) i;
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('a', 'north'), ('b', 'north'), ('c', 'south'), ('d', 'south'), ('north', 'any'), ('south', 'any');
CREATE FUNCTION models(k int DEFAULT 5) RETURNS privacy_model[] LANGUAGE sql AS $$ SELECT ARRAY[k_anonymity(ARRAY['age', 'town', 'sex', 'cost'], k), l_diversity(ARRAY['age', 'cost'], 'health', 2)] $$;
SELECT tds_anonymize('people', 'r', models(), masking => by_taxonomy('town', 'towns'), recoding => 'local', split => 'valid', keep => ARRAY['health'], show => ARRAY['sex', 'age', 'town']) -> 'steps' > '10' AS many;

CREATE FUNCTION now() RETURNS TABLE (step int, attribute text, groups jsonb) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT step, attribute, groups::jsonb FROM r_private.steps WHERE version = (SELECT version FROM r_private.manifest WHERE current)'; END $$;

-- Whether what a column shows is one cut, no value within another, and its counts are those of the source.
CREATE FUNCTION overlaps(attr text) RETURNS bigint LANGUAGE sql AS $$
  WITH RECURSIVE tree AS MATERIALIZED (SELECT node, parent FROM r_private.taxonomy WHERE attribute = attr),
    shown AS MATERIALIZED (SELECT node FROM r.cut WHERE attribute = attr),
    above(node, over) AS (SELECT DISTINCT node, parent FROM shown JOIN tree USING (node) UNION SELECT a.node, t.parent FROM above a JOIN tree t ON t.node = a.over)
  SELECT count(*) FROM shown a JOIN above ON above.node = a.node JOIN shown b ON b.node = above.over $$;
CREATE VIEW life AS
SELECT overlaps('age') AS age, overlaps('town') AS town, overlaps('cost') > 0 AS cost,
  (SELECT count(*) FROM (SELECT sex, health, count(*) FROM people GROUP BY 1, 2 EXCEPT SELECT sex, health, count(*) FROM r.people GROUP BY 1, 2) d) AS sex,
  (SELECT count(*) FROM (SELECT t.parent, sex, count(*) FROM people p JOIN towns t ON child = town GROUP BY 1, 2
     EXCEPT SELECT coalesce(t.parent, r.town), sex, count(*) FROM r.people r LEFT JOIN towns t ON child = town AND t.parent <> 'any' GROUP BY 1, 2) d) AS by_town,
  (SELECT bool_and(holds) FROM release_verify('r')) AS holds;
SELECT * FROM life;
-- The steps of shown columns come first, and are of no group.
SELECT array_agg(DISTINCT attribute ORDER BY attribute) AS columns, max(step) = count(*) AS first FROM shown.now() WHERE groups IS NULL;
SELECT array_agg(DISTINCT attribute) AS columns FROM shown.now() WHERE groups IS NOT NULL;
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
SELECT * FROM life;
-- Other rows: a step that cannot be any more is left out for all groups.
DELETE FROM people WHERE age > 70 AND nr % 4 > 0;
INSERT INTO people SELECT 5000 + i, 17 + i % 70, (ARRAY['a', NULL])[1 + i % 2], 'y', 2000 + i, 'well' FROM generate_series(1, 40) i;
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
SELECT age, town, sex, holds FROM life;
SELECT release_refresh(public.again('r')) -> 'coarser' AS coarser;
-- NULLs come, and go.
INSERT INTO people SELECT 6000 + i, NULL, 'b', 'x', 1100, 'ill' FROM generate_series(1, 30) i;
SELECT release_refresh(public.again('r')) -> 'version' > '1' AS refreshed;
SELECT age, town, sex, holds FROM life;
SELECT count(*) FROM r.people WHERE age IS NULL;
DELETE FROM people WHERE age IS NULL;
SELECT release_refresh(public.again('r')) -> 'version' > '1' AS refreshed;
SELECT age, town, sex, holds FROM life;

-- Rewound to steps of groups and of shown columns, and refreshed from there.
SELECT release_refresh('r', 'search') -> 'version' > '1' AS searched;
CREATE FUNCTION rewound() RETURNS TABLE (at text, age bigint, town bigint, sex bigint, holds boolean) LANGUAGE plpgsql AS $$
DECLARE
  every int := (SELECT count(*) FROM shown.now());
  shown int := (SELECT count(*) FROM shown.now() WHERE groups IS NULL);
  went record;
BEGIN
  FOR went IN SELECT * FROM (VALUES ('before the end', every - 1), ('one group', shown + 1), ('shown', shown), ('one less', shown - 1), ('three', 3), ('none', 0)) w(at, step) LOOP
    PERFORM release_refresh('r', 'search');
    PERFORM release_rewind('r', went.step);
    RETURN QUERY SELECT went.at, l.age, l.town, l.sex, l.holds FROM life l;
    PERFORM release_refresh(public.again('r'));
    RETURN QUERY SELECT went.at || ', refreshed', l.age, l.town, l.sex, l.holds AND went.step = (SELECT count(*) FROM shown.now()) FROM life l;
  END LOOP;
END $$;
SELECT * FROM rewound();
-- With every other recoding, and shown no more.
SELECT (release_alter('r', recoding => 'clustered') ->> 'steps')::int > 0 AS altered;
SELECT age, town, sex, cost, holds FROM life;
SELECT (release_refresh(public.again('r')) ->> 'steps')::int > 0 AS refreshed;
SELECT age, town, sex, cost, holds FROM life;
SELECT (release_alter('r', recoding => 'global') ->> 'steps')::int > 0 AS altered;
SELECT age, town, sex, cost, holds FROM life;
SELECT array_agg(attribute ORDER BY step) AS columns FROM (SELECT attribute, min(step) AS step FROM shown.now() GROUP BY 1) s WHERE attribute = 'cost' OR step = 1;
SELECT (release_alter('r', recoding => 'local', show => '{}') ->> 'steps')::int > 0 AS altered;
SELECT age > 0 AS age, holds FROM life;
SELECT (release_alter('r', show => ARRAY['age', 'cost', 'sex']) ->> 'steps')::int > 0 AS altered;
SELECT release_alter('r', privacy => models(6)) -> 'version' > '1' AS altered;
SELECT parameters -> 'show' AS show FROM r_private.manifest WHERE current;
SELECT age, cost, holds FROM life;
-- A shown column that no model masks any more is dropped.
SELECT release_alter('r', privacy => k_anonymity(ARRAY['age', 'town', 'cost'], 20), keep => ARRAY['health', 'sex'], allow_weaker => true) -> 'version' > '1' AS altered;
SELECT parameters -> 'show' AS show FROM r_private.manifest WHERE current;
DROP VIEW life;
SELECT release_drop('r');
-- Why a shown column is no more specific.
SELECT tds_anonymize('people', 'r', k_anonymity(ARRAY['age', 'sex', 'cost'], 50), recoding => 'local', show => ARRAY['age']) -> 'version' AS version;
SELECT DISTINCT attribute, reason ~ 'show gives the column one cut' AS by_show FROM release_explain('r') WHERE attribute = 'age';
SELECT release_drop('r');
-- By disclosure, with a class, and with persons; what everybody groups by may be all there is.
SELECT (tds_anonymize('people', 'r', k_anonymity(ARRAY['town', 'age', 'cost'], 4), class => 'health', recoding => 'local', show => ARRAY['town']) ->> 'steps')::int > 0 AS made;
SELECT overlaps('age') > 0 AS age, (SELECT count(*) FROM (SELECT town, count(*) FROM people GROUP BY 1 EXCEPT SELECT town, count(*) FROM r.people GROUP BY 1) d) AS town,
  (SELECT bool_and(holds) FROM release_verify('r')) AS holds;
SELECT release_drop('r');
SELECT (tds_anonymize('people', 'r', k_anonymity(ARRAY['town', 'age', 'cost'], 4, person => 'nr'), recoding => 'clustered', masking => ARRAY[weighted(by_taxonomy('town', 'towns'), 2), by_intervals('age', '0', '100', step => '10')], show => ARRAY['town', 'age', 'cost']) ->> 'steps')::int > 0 AS made;
SELECT overlaps('age') AS age, overlaps('town') AS town, overlaps('cost') AS cost, (SELECT bool_and(holds) FROM release_verify('r')) AS holds;
SELECT release_drop('r');
-- The dry runs take it, too.
SELECT attribute FROM tds_steps('people', models(), show => ARRAY['sex']) LIMIT 1;
SELECT attribute FROM tds_steps('people', models(), show => ARRAY['sex'], recoding => 'local') LIMIT 1;
SELECT t.groups = s.groups AS groups FROM tds_tradeoff('people', ARRAY[5], models(), recoding => 'local', show => ARRAY['sex', 'age']) t,
  release_suggest('people', models(), show => ARRAY['sex', 'age']) s WHERE s.recoding = 'local' AND s.split = 'valid';
SELECT bool_and(call LIKE '%show => ARRAY[''sex'', ''age'']%') AS named FROM release_suggest('people', models(), show => ARRAY['sex', 'age']);

-- What cannot be.
SELECT tds_steps('people', models(), show => ARRAY['nr', 'health', 'age', 'age', 'no']);
SELECT tds_steps('people', models(), show => ARRAY['sex', NULL]);
SELECT tds_steps('people', models(), show => NULL);
SELECT tds_anonymize('people', 'r', models(), recoding => 'local', show => ARRAY['sex']) -> 'version' AS version;
SELECT release_apply('r', 'people', 'shown.applied');
SELECT kmember_anonymize('people', 'c', ARRAY['age', 'sex'], 5) -> 'version' AS version;
SELECT release_alter('c', show => ARRAY['sex']);
SELECT release_alter('r', show => ARRAY['health']);
SELECT release_drop('r'), release_drop('c');
DROP SCHEMA shown CASCADE;
