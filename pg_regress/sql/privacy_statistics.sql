-- Threat: statistics. What everybody may read of any table, how many rows it has or had and how large it is, tells no recipient
-- how many values are suppressed or how many steps the search took.
CREATE ROLE regress_sta_owner;
CREATE ROLE regress_sta_reader;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_sta_owner', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, pda_anonymize, kmember_anonymize, release_grant, release_drop TO regress_sta_owner;
CREATE SCHEMA sta AUTHORIZATION regress_sta_owner;
SET SESSION AUTHORIZATION regress_sta_owner;
-- the same release twice; in the second one, more values lie behind the suppressed one and the intervals
CREATE TABLE sta.few AS SELECT 'v' || i % 5 AS v, i % 8 AS n, i % 8 / 4 AS class FROM generate_series(1, 400) i;
CREATE TABLE sta.much AS SELECT 'v' || i % 400 AS v, i % 8 AS n, i % 8 / 4 AS class FROM generate_series(1, 400) i;
SELECT tds_anonymize('sta.few', 'sta_few', ARRAY[k_anonymity(ARRAY['v', 'n'], 200)], 'class') -> 'steps' AS steps;
SELECT tds_anonymize('sta.much', 'sta_much', ARRAY[k_anonymity(ARRAY['v', 'n'], 200)], 'class') -> 'steps' AS steps;
SELECT (SELECT count(*) FROM sta_few_private.taxonomy) AS few, (SELECT count(*) FROM sta_much_private.taxonomy) > 400 AS much;
SELECT release_grant('sta_few', 'regress_sta_reader'), release_grant('sta_much', 'regress_sta_reader');
RESET SESSION AUTHORIZATION;
VACUUM ANALYZE sta_few_private.taxonomy_v0, sta_few_private.steps_v0, sta_few_private.cuts_v0, sta_few_private.manifest, sta_much_private.taxonomy_v0, sta_much_private.steps_v0, sta_much_private.cuts_v0, sta_much_private.manifest;
SELECT pg_stat_force_next_flush();
SET SESSION AUTHORIZATION regress_sta_reader;
-- the reader's look at the catalogs
CREATE TEMP VIEW seen AS
SELECT replace(n.nspname, '_private', '') AS release, regexp_replace(c.relname, 'few|much', 'source') AS relation, c.reltuples, s.n_live_tup, s.n_tup_ins
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
WHERE n.nspname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private') AND c.relkind IN ('r', 'p') AND c.relname !~ '_v1$';
SELECT relation, reltuples FROM seen WHERE release = 'sta_few' ORDER BY 1;
SELECT count(*) AS differing FROM (SELECT relation, reltuples, n_live_tup, n_tup_ins FROM seen WHERE release = 'sta_few'
  EXCEPT SELECT relation, reltuples, n_live_tup, n_tup_ins FROM seen WHERE release = 'sta_much') d;
-- nor do planner statistics, the estimates of a plan or a definition
SELECT DISTINCT tablename FROM pg_stats WHERE schemaname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private') ;
SELECT count(*) FROM sta_few_private.taxonomy;
EXPLAIN SELECT * FROM sta_much_private.taxonomy;
EXPLAIN SELECT * FROM sta_much_private.taxonomy_v0;
SELECT count(*) FROM sta_much_private.steps;
SELECT count(*) FROM pg_views WHERE schemaname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private') AND definition ~ 'v1[0-9]|400';
-- comments say the same of both, and hold no number
SELECT relname, obj_description(c.oid) FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('sta_few', 'sta_few_private')) AND obj_description(c.oid) IS NOT NULL ORDER BY 1;
SELECT replace(relname, 'few', 'much'), replace(obj_description(c.oid), 'few', 'much') FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('sta_few', 'sta_few_private'))
EXCEPT SELECT relname, obj_description(c.oid) FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('sta_much', 'sta_much_private'));
SELECT description FROM pg_description WHERE (classoid = 'pg_class'::regclass AND objoid IN (SELECT oid FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private')))
  OR classoid = 'pg_namespace'::regclass AND objoid IN (SELECT oid FROM pg_namespace WHERE nspname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private'))) AND description ~ '[0-9]';
-- more versions are more rows, the same for everybody
RESET SESSION AUTHORIZATION;
SET SESSION AUTHORIZATION regress_sta_owner;
SELECT tds_anonymize('sta.much', 'sta_much', ARRAY[k_anonymity(ARRAY['v', 'n'], 10)], 'class', allow_weaker => true) -> 'version' AS version;
SELECT (SELECT count(*) FROM sta_much_private.taxonomy_v0) AS taxonomy, (SELECT count(*) FROM sta_much_private.steps_v0) AS steps, (SELECT count(*) FROM sta_much_private.cuts_v0) AS cuts, (SELECT count(*) FROM sta_much_private.manifest) AS manifest;
-- what the planner knows of the table of all versions stays when a version goes: it knows their numbers alone
SELECT schemaname, tablename, attname FROM pg_stats WHERE schemaname IN ('sta_few', 'sta_much', 'sta_few_private', 'sta_much_private') AND tablename = 'rows_v0' ORDER BY 1, 2, 3;
-- the owner sees what there was
SELECT version, count(*) > 0 AS nodes FROM sta_much_private.taxonomy GROUP BY 1 ORDER BY 1;
SELECT version, attribute, step FROM sta_much_private.steps ORDER BY 1, 3 LIMIT 3;
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_sta_reader, regress_sta_owner CASCADE;
DROP ROLE regress_sta_owner, regress_sta_reader;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'sta\_%';
