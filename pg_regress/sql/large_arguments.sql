-- What is large is looked at before it is read: arrays as arguments and in a release's tables, jsonb, texts of models, an error that is kept.
CREATE SCHEMA lar;
SET search_path TO lar, public;
CREATE TABLE people AS SELECT i % 50 AS a, 'b' || i % 7 AS b FROM generate_series(1, 2000) i;
SELECT count(*) FROM tds_steps('people', array_fill(NULL::privacy_model, ARRAY[100000000]));
SELECT tds_anonymize('people', 'r', k_anonymity('{a}', 5), masking => array_fill(NULL::masking, ARRAY[100000000]));
SELECT by_intervals('a', breakpoints => array_fill(NULL::text, ARRAY[1000, 1001]));
SELECT by_prefix('a', array_fill(NULL::int, ARRAY[1000001]));
SELECT count(*) FROM privacy_keys('people', array_fill(NULL::text, ARRAY[1000001]));
SELECT count(*) FROM release_risk('r', known => array_fill(NULL::text, ARRAY[1000001]));
SELECT confidence_bound('{a}', 'b', ARRAY[repeat('9', 70000000)], .5);
SELECT length(repeat('1', 70000000)::masking::text);
SELECT length(repeat('1', 70000000)::privacy_model::text);
SELECT by_taxonomy_tree('b', jsonb_build_object('any', repeat('1', 70000000)));
-- What an owner has put into the tables of a release costs nobody more than it may.
SELECT tds_anonymize('people', 'r', k_anonymity('{a,b}', 5)) -> 'version' AS version;
UPDATE r_private.manifest SET error = repeat('x', 100000), failed_at = now();
SELECT release, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release = 'r';
UPDATE r_private.manifest SET parameters = parameters || jsonb_build_object('junk', repeat('x', 70000000));
SELECT release, version, waiting, lingering FROM releases() WHERE release = 'r';
SELECT release_refresh('r');
UPDATE r_private.manifest SET parameters = parameters - 'junk';
SET pg_topdown.max_memory = '16MB';
UPDATE r_private.taxonomy_v0 SET nodes = array_fill(NULL::text, ARRAY[10000000]), parents = array_fill(NULL::text, ARRAY[10000000]);
SELECT release_refresh('r');
SELECT release_rewind('r', 1);
-- A view of any length in place of a table: it is read a row at a time.
ALTER TABLE r_private.taxonomy_v0 RENAME TO was;
CREATE VIEW r_private.taxonomy_v0 AS SELECT w.* FROM r_private.was w, generate_series(1, 30000) g, generate_series(1, 30000) h;
UPDATE r_private.was SET nodes = '{*}', parents = '{NULL}', lowers = '{NULL}', uppers = '{NULL}', depths = '{0}', in_cut = '{t}';
SET statement_timeout = '20s';
SELECT release_explain('r');
SELECT release_refresh('r');
SELECT coalesce(substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s*(\d+)')::int < 1000 * 1024, true) AS held;
DROP VIEW r_private.taxonomy_v0;
ALTER TABLE r_private.was RENAME TO taxonomy_v0;
RESET statement_timeout;
RESET pg_topdown.max_memory;
-- Few elements may be large, and a small number in a jsonb may have a hundred thousand digits.
UPDATE r_private.taxonomy_v0 SET nodes = array_fill(repeat('x', 5000000), ARRAY[10]) WHERE attribute = 'a';
SET pg_topdown.max_memory = '64MB';
SELECT count(*) FROM release_explain('r');
RESET pg_topdown.max_memory;
UPDATE r_private.manifest SET parameters = parameters || jsonb_build_object('junk', (SELECT jsonb_agg('1e131071'::numeric) FROM generate_series(1, 700)));
SELECT release, version FROM releases() WHERE release = 'r';
SELECT release_refresh('r');
SELECT by_taxonomy_tree('b', jsonb_build_object('any', (SELECT jsonb_agg('1e-16000'::numeric) FROM generate_series(1, 5000))));
SELECT by_taxonomy_tree('b', '{"any": [1e300, -1e-300, 0.1, 123456789012345678901234567890]}') IS NULL;
DROP SCHEMA r, r_private CASCADE;
-- Leaves times levels: a row at a time.
CREATE TABLE chain AS SELECT 'n' || i AS child, 'n' || i + 1 AS parent FROM generate_series(1, 5000) i
  UNION ALL SELECT 'v' || i, 'n1' FROM generate_series(1, 500) i;
SET pg_topdown.max_memory = '8MB';
SELECT array_length(levels, 1), levels[1], levels[5002] FROM taxonomy_to_levels('chain') LIMIT 2;
DROP SCHEMA lar CASCADE;
