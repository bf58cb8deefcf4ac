-- Labels that a release could not keep are refused before the search: no row of PostgreSQL's is larger than 1 GB, and the tree of a column is one.
CREATE SCHEMA longlabels;
SET search_path TO longlabels, public;
CREATE TABLE few AS SELECT 'v' || i % 1200 AS v, i % 3 AS n FROM generate_series(1, 2400) i;
-- 1,200 values below one label of a million characters, which the tree has beside each of them
CREATE TABLE long AS SELECT repeat('long', 250000) AS label;
CREATE TABLE tax AS SELECT 'v' || i AS child, label AS parent FROM generate_series(0, 1199) i, long;
SELECT release IS NOT NULL AS made FROM long, tds_anonymize('few', 'lo', k_anonymity(ARRAY['v', 'n'], 2),
  masking => by_taxonomy_tree('v', jsonb_build_object(label, (SELECT jsonb_agg('v' || i) FROM generate_series(0, 1199) i)))) release;
SELECT nspname FROM pg_namespace WHERE nspname IN ('lo', 'lo_private');
-- the same values below a short label, and a dry run, which keeps nothing
SELECT count(*) AS steps FROM tds_steps('few', k_anonymity(ARRAY['v', 'n'], 800), masking => by_taxonomy('v', 'tax'));
UPDATE tax SET parent = 'all';
SELECT release ->> 'rows' AS rows FROM tds_anonymize('few', 'lo', k_anonymity(ARRAY['v', 'n'], 2), masking => by_taxonomy('v', 'tax')) release;
-- steps that name a long label, each, are several rows
CREATE TABLE one AS SELECT 'v'::text AS child, repeat('long', 35000) AS parent;
CREATE TABLE often AS SELECT 'v' AS v, i AS n FROM generate_series(1, 2000) i;
SELECT release ->> 'steps' AS steps FROM tds_anonymize('often', 'of', k_anonymity(ARRAY['v', 'n'], 3), masking => finest(by_taxonomy('v', 'one'), 0), recoding => 'local') release;
SELECT count(*) > 1 AS several, sum(cardinality(steps)) AS steps FROM of_private.steps_v0;
SELECT release_refresh('of') ->> 'steps' AS steps;
SELECT release_drop('of');
-- long values are stored as any others, kept and masked
CREATE TABLE wide AS SELECT repeat(md5((i % 4)::text), 30000) AS v, repeat(md5((i % 3)::text), 30000) AS kept FROM generate_series(1, 12) i;
SELECT release ->> 'rows' AS rows FROM tds_anonymize('wide', 'wi', k_anonymity(ARRAY['v'], 3), keep => ARRAY['kept']) release;
SELECT count(*), min(length(v)), min(length(kept)), count(DISTINCT v), count(DISTINCT kept) FROM wi.wide;
SELECT release_drop('lo'), release_drop('wi');
-- a row of many columns by labels does not fit on a page; by shorter labels it does
DO $$ BEGIN EXECUTE format('CREATE TABLE broad AS SELECT %s FROM generate_series(1, 20) i', (SELECT string_agg('i % 2 AS c' || i, ', ') FROM generate_series(1, 600) i)); END $$;
SELECT tds_anonymize('broad', 'br', k_anonymity((SELECT array_agg('c' || i) FROM generate_series(1, 600) i), 2), suppressed => 'not to be shown', masking => (SELECT array_agg(by_suppression('c' || i)) FROM generate_series(1, 600) i), max_steps => 1);
SELECT nspname FROM pg_namespace WHERE nspname IN ('br', 'br_private');
SELECT tds_anonymize('broad', 'br', k_anonymity((SELECT array_agg('c' || i) FROM generate_series(1, 600) i), 2), masking => (SELECT array_agg(by_suppression('c' || i)) FROM generate_series(1, 600) i), max_steps => 1) ->> 'rows' AS rows;
SELECT release_drop('br');
-- neither does one of many wide columns that are kept, of two tables; nor has a table so many columns
CREATE FUNCTION pg_temp.wide(name text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE format('CREATE TABLE %s AS SELECT i AS %1$s_id, i %% 4 AS %1$s_q, %s FROM generate_series(1, 40) i', name, (SELECT string_agg(format('md5(i::text)::uuid AS %s_%s', name, g), ', ') FROM generate_series(1, 300) g));
END $$;
SELECT pg_temp.wide('one_'), pg_temp.wide('two_');
CREATE VIEW both_ AS SELECT * FROM one_ JOIN two_ ON one__id = two__id;
SELECT tds_anonymize('both_', 'bo', k_anonymity('{one__q}', 5), keep => (SELECT array_agg(attname::text) FROM pg_attribute WHERE attrelid = 'both_'::regclass AND attname ~ '__\d'));
SELECT tds_anonymize('broad', 'br', k_anonymity((SELECT array_agg('c' || i) FROM generate_series(1, 600) i), 2), intervals => 'bounds');
SELECT nspname FROM pg_namespace WHERE nspname IN ('bo', 'bo_private', 'br', 'br_private');
-- nor does one of many short texts that are kept; and where only the labels that a search finds make it too large, PostgreSQL's error has a HINT
DO $$ BEGIN
  EXECUTE format('CREATE VIEW texts AS SELECT i %% 4 AS q, %s FROM generate_series(1, 40) i', (SELECT string_agg('CASE WHEN i = 7 THEN repeat(''x'', 16) ELSE ''y'' END AS t' || g, ', ') FROM generate_series(1, 600) g));
  EXECUTE format('CREATE VIEW labelled AS SELECT %s FROM generate_series(1, 20) i', (SELECT string_agg('repeat(md5((i % 2)::text), 2) AS c' || g, ', ') FROM generate_series(1, 600) g));
END $$;
SELECT tds_anonymize('texts', 'te', k_anonymity('{q}', 5), keep => (SELECT array_agg('t' || g) FROM generate_series(1, 600) g));
SELECT tds_anonymize('texts', 'te', k_anonymity('{q}', 5), keep => (SELECT array_agg('t' || g) FROM generate_series(1, 440) g)) ->> 'rows' AS rows;
SELECT release_drop('te');
SELECT tds_anonymize('labelled', 'la', k_anonymity((SELECT array_agg('c' || g) FROM generate_series(1, 600) g), 2), masking => (SELECT array_agg(by_suppression('c' || g)) FROM generate_series(1, 600) g));
SELECT nspname FROM pg_namespace WHERE nspname IN ('te', 'te_private', 'la', 'la_private');
DROP SCHEMA longlabels CASCADE;
