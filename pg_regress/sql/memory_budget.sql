-- The memory budget is for all that a call holds: eight columns that would fit one by one do not fit together.
SET client_min_messages TO notice;
CREATE SCHEMA budget;
SET search_path TO budget, public;
CREATE TABLE wide AS SELECT i * 79 % 4001 AS a, i * 83 % 4003 AS b, i * 37 % 3001 AS c, i % 4999 AS d, i % 997 AS e, i % 991 AS f, i % 983 AS g, i % 977 AS h FROM generate_series(1, 70000) i;
CREATE FUNCTION steps(columns text[]) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM tds_steps('wide', ARRAY[k_anonymity(columns, 2)], max_steps => 0) $$;
-- one by one 1.5 MB are enough, or less; together they take almost 3
SET pg_topdown.max_memory TO '2MB';
SELECT name, steps(ARRAY[name]) FROM unnest('{a,b,c,d,e,f,g,h}'::text[]) name;
SELECT steps('{a,b,c,d,e,f,g,h}');
SET pg_topdown.max_memory TO '4MB';
SELECT steps('{a,b,c,d,e,f,g,h}');
-- what one call held is free for the next: a budget is one call's
SELECT count(steps('{a,b,c,d,e,f,g,h}')) FROM generate_series(1, 3);
-- trees, clusters, hierarchies and measures are held too: each of these needs more than 2 MB, and less than 64
RESET pg_topdown.max_memory;
CREATE TABLE tree AS SELECT i::text AS child, CASE WHEN i < 100 THEN 'any' ELSE (i % 100)::text END AS parent FROM generate_series(0, 29999) i;
CREATE TABLE leaves AS SELECT (100 + i % 29900)::text AS v FROM generate_series(1, 30000) i;
SELECT tds_anonymize('wide', 'fine', ARRAY[k_anonymity('{a,b}', 1)], masking => ARRAY[by_suppression('a'), by_suppression('b')]) ->> 'version' AS version;
CREATE FUNCTION holds(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
  EXECUTE statement INTO n;
  RETURN 'enough for ' || (n > 0)::text;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE TABLE calls (i serial, statement text);
INSERT INTO calls (statement) VALUES
  ($$SELECT count(*) FROM tds_steps('leaves', ARRAY[k_anonymity('{v}', 2)], masking => ARRAY[by_taxonomy('v', 'tree')], max_steps => 1)$$),
  ($$SELECT 1 + count(*) FROM taxonomy_check('tree', 'leaves', 'v')$$),
  ($$SELECT count(*) FROM taxonomy_from_levels('levels')$$),
  ($$SELECT count(*) FROM taxonomy_build('numbers', 'n', 'iotf')$$),
  ($$SELECT count(*) FROM release_measures('fine')$$),
  ($$SELECT count(*) FROM release_risk('fine')$$);
CREATE TABLE numbers AS SELECT i * 7.5 AS n FROM generate_series(1, 30000) i;
CREATE TABLE levels AS SELECT child AS leaf, parent, 'any'::text AS root FROM tree WHERE parent <> 'any';
SET pg_topdown.max_memory TO '2MB';
SELECT i, split_part(statement, ' FROM ', 2) AS call, holds(statement) FROM calls ORDER BY i;
SET pg_topdown.max_memory TO '64MB';
SELECT i, holds(statement) FROM calls ORDER BY i;
RESET pg_topdown.max_memory;
-- that there is no room for its values does not make a model unreadable, wherever the budget is exceeded
CREATE TABLE few AS SELECT i % 3 AS a, i % 5 AS n FROM generate_series(1, 100) i;
CREATE FUNCTION with_budget(kb int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('pg_topdown.max_memory', kb || 'kB', false);
  RETURN holds($s$SELECT count(*) FROM tds_steps('few', confidence_bound('{a}', 'n', (SELECT array_agg(i::text) FROM generate_series(1, 60000) i), 0.5))$s$);
END $$;
SELECT DISTINCT with_budget(kb) FROM generate_series(1024, 2048, 128) kb;
RESET pg_topdown.max_memory;
-- a value that is stored, as it is read
CREATE TABLE stored AS SELECT by_taxonomy_tree('a', jsonb_build_object('any', (SELECT jsonb_agg(i::text) FROM generate_series(1, 60000) i))) AS tree;
SET pg_topdown.max_memory TO '2MB';
SELECT length(tree::text) FROM stored;
SELECT count(*) FROM tds_steps('few', k_anonymity('{a}', 5), masking => (SELECT ARRAY[tree] FROM stored));
RESET pg_topdown.max_memory;
SELECT length(tree::text) FROM stored;
-- the list of releases goes on where a manifest has long numbers
BEGIN;
UPDATE fine_private.manifest SET parameters = parameters || jsonb_build_object('x', (SELECT jsonb_agg(1e131000::numeric) FROM generate_series(1, 25)));
SET pg_topdown.max_memory TO '2MB';
SELECT release, version FROM releases() WHERE release = 'fine';
ROLLBACK;
-- There may be memory to search, and none to compare two versions: that is told, and is no error.
CREATE TABLE compared AS SELECT abs(hashint4(i)) % 1000 AS a, abs(hashint4(i + 9)) % 3000 AS b, abs(hashint4(i + 7)) % 4 AS class FROM generate_series(1, 100000) i;
SELECT tds_anonymize('compared', 'r', k_anonymity('{a,b}', 200), class => 'class', recoding => 'local') -> 'version' AS version;
SET pg_topdown.scan TO rows;
SET pg_topdown.max_memory TO '3700kB';
SELECT release_alter('r', score => 'info_gain') -> 'version' AS version;
RESET pg_topdown.max_memory;
RESET pg_topdown.scan;
SELECT release_drop('r');
SELECT release_drop('fine');
DROP SCHEMA budget CASCADE;
