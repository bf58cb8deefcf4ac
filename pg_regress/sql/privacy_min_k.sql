-- Threat: a release below the floor. A superuser sets pg_topdown.min_k, here for a database; whoever else makes a version of a release
-- keeps k-anonymity with that k at least, whatever they set, where, and when. The database is the attacker's own.
SET client_min_messages TO notice;
CREATE ROLE regress_mink_anna LOGIN;
CREATE DATABASE regress_mink OWNER regress_mink_anna TEMPLATE template0 ENCODING 'UTF8';
\set before :DBNAME
\set root :USER
\c regress_mink
CREATE FUNCTION public.again(release name) RETURNS name LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
  EXECUTE format('UPDATE %I_private.manifest SET parameters = parameters - ''fingerprint'' WHERE current', release);
  RETURN release;
EXCEPTION WHEN others THEN RETURN release;
END $$;
CREATE EXTENSION pg_topdown;
GRANT EXECUTE ON ROUTINE tds_anonymize, pda_anonymize, kmember_anonymize, release_refresh, release_alter, release_rewind, release_refresh_all TO regress_mink_anna;
SELECT name, setting, context, source FROM pg_settings WHERE name = 'pg_topdown.min_k';
CREATE FUNCTION version(release text) RETURNS int LANGUAGE sql AS $$ SELECT max(version) FROM releases() r WHERE r.release = $1 $$;
\c - regress_mink_anna
CREATE SCHEMA m;
CREATE TABLE m.t AS SELECT i / 4 AS a, i % 4 AS b, i % 3 AS s FROM generate_series(0, 23) i;
-- made before there is a floor
SELECT tds_anonymize('m.t', 'tds', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]) -> 'version' AS version;
SELECT kmember_anonymize('m.t', 'kmember', ARRAY['a', 'b'], 2) -> 'version' AS version;
SELECT pda_anonymize('m.t', 'pda', ARRAY[confidence_bound(ARRAY['a'], 's', NULL, 0.9)], class => 'b') -> 'version' AS version;

\c - :root
ALTER DATABASE regress_mink SET pg_topdown.min_k = 3;
\c - regress_mink_anna
-- new ones
SELECT tds_anonymize('m.t', 'new', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SHOW pg_topdown.min_k;
SELECT tds_anonymize('m.t', 'new', ARRAY[k_anonymity(ARRAY['a', 'b'], 3), k_anonymity(ARRAY['a'], 2), k_anonymity(ARRAY['b'], 1)]);
SELECT kmember_anonymize('m.t', 'new', ARRAY['a', 'b'], 2);
SELECT count(*) AS "no schema is left" FROM pg_namespace WHERE nspname IN ('new', 'new_private');
-- where no model bounds the groups by all masked columns together, one is added: over a column that does not matter, over sets of columns, of persons
SELECT tds_anonymize('m.t', 'diverse', ARRAY[l_diversity(ARRAY['a'], 's', 2)]) -> 'privacy' AS privacy;
SELECT pda_anonymize('m.t', 'templates', ARRAY[confidence_bound(ARRAY['a'], 's', NULL, 0.9)], class => 'b') -> 'privacy' AS privacy;
CREATE TABLE m.p AS SELECT i % 2 AS sex, i AS postcode, 20 + i % 50 AS age, i / 2 AS who, i / 3 AS family, CASE WHEN i % 3 = 0 THEN 'flu' ELSE 'none' END AS illness FROM generate_series(1, 500) i;
SELECT tds_anonymize('m.p', 'beside', ARRAY[k_anonymity(ARRAY['sex'], 20), confidence_bound(ARRAY['age', 'postcode'], 'illness', NULL, 1)]) -> 'privacy' -> 2 AS added;
SELECT tds_anonymize('m.p', 'sets', ARRAY[k_anonymity(ARRAY['sex', 'age'], 20), k_anonymity(ARRAY['age', 'postcode'], 3)]) -> 'privacy' -> 2 AS added;
SELECT tds_anonymize('m.p', 'persons', ARRAY[k_anonymity(ARRAY['sex', 'age'], 4, person => 'who'), k_anonymity(ARRAY['postcode'], 5)]) -> 'privacy' -> 2 AS added;
SELECT tds_anonymize('m.p', 'kinds', ARRAY[k_anonymity(ARRAY['sex', 'age'], 4, person => 'who'), k_anonymity(ARRAY['postcode'], 5, person => 'family')]) -> 'privacy' -> 2 AS added;
SELECT tds_anonymize('m.p', 'local', ARRAY[confidence_bound(ARRAY['age', 'postcode'], 'illness', NULL, 1)], recoding => 'local') -> 'privacy' -> 1 AS added;
SELECT min(n) >= 3 AS beside FROM (SELECT count(*) AS n FROM beside.p GROUP BY sex, age, postcode) g;
SELECT min(n) >= 3 AS sets FROM (SELECT count(*) AS n FROM sets.p GROUP BY sex, age, postcode) g;
SELECT min(n) >= 3 AS persons FROM (SELECT count(DISTINCT hidden_1) AS n FROM persons_private.rows_v1 GROUP BY sex, age, postcode) g;
SELECT min(n) >= 3 AS local FROM (SELECT count(*) AS n FROM local.p GROUP BY age, postcode) g;
-- it stands wherever the others do, and nothing is added twice, nor where one implies it
SELECT privacy FROM diverse.about;
SELECT * FROM release_verify('diverse');
SELECT achieved FROM diverse_private.steps;
SELECT release_refresh(public.again('diverse')) -> 'privacy' AS privacy;
SELECT release_alter('diverse', privacy => l_diversity(ARRAY['a'], 's', 3)) -> 'privacy' AS privacy;
SELECT release_rewind('diverse', 0) -> 'privacy' AS privacy;
SELECT jsonb_array_length(tds_anonymize('m.t', 'implied', ARRAY[k_anonymity(ARRAY['b', 'a'], 4), l_diversity(ARRAY['a'], 's', 2)]) -> 'privacy') AS models;
SELECT jsonb_array_length(kmember_anonymize('m.t', 'clusters', ARRAY['a', 'b'], 3) -> 'privacy') AS models;
-- it cannot hold
CREATE TABLE m.two AS SELECT * FROM m.t LIMIT 2;
SELECT tds_anonymize('m.two', 'few', ARRAY[confidence_bound(ARRAY['a'], 's', NULL, 1)]);
SELECT count(*) AS "no schema is left" FROM pg_namespace WHERE nspname IN ('few', 'few_private');
-- further versions of those that there are, by any verb; a rewind has no search to add it to
SELECT release_rewind('pda', 0);
SELECT tds_anonymize('m.t', 'tds', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SELECT release_refresh(public.again('tds'));
SELECT release_refresh('tds', mode => 'search');
SELECT release_refresh(public.again('kmember'));
SELECT release_refresh(public.again('pda')) -> 'privacy' AS privacy;
SELECT release_rewind('tds', 0);
SELECT release_rewind('pda', 0) -> 'privacy' AS privacy;
SELECT release_alter('tds', max_steps => 1);
SELECT release_alter('tds', privacy => ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SELECT count(public.again(release)) > 0 AS again FROM releases();
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() ORDER BY release COLLATE "C";
SELECT version('tds') AS tds, version('kmember') AS kmember, version('pda') AS pda;
-- what makes no version is not concerned
SELECT count(*) > 0 AS steps FROM tds_steps('m.t', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SELECT holds FROM privacy_check('m.t', ARRAY[k_anonymity(ARRAY['a', 'b'], 1)]);
SELECT holds FROM release_verify('tds');
-- what keeps it
SELECT tds_anonymize('m.t', 'new', ARRAY[k_anonymity(ARRAY['a', 'b'], 3), l_diversity(ARRAY['a'], 's', 2)]) -> 'version' AS version;
SELECT release_refresh(public.again('new')) -> 'version' AS version;
SELECT release_rewind('new', 0) -> 'version' AS version;
SELECT release_alter('tds', privacy => ARRAY[k_anonymity(ARRAY['a', 'b'], 4)]) -> 'version' AS version;
SELECT release_refresh(public.again('tds')) -> 'version' AS version;

-- The ways around, with the library loaded
SET pg_topdown.min_k = 1;
BEGIN;
SET LOCAL pg_topdown.min_k = 1;
ROLLBACK;
SELECT set_config('pg_topdown.min_k', '1', false);
RESET pg_topdown.min_k;
RESET ALL;
SHOW pg_topdown.min_k;
ALTER ROLE regress_mink_anna SET pg_topdown.min_k = 1;
ALTER DATABASE regress_mink SET pg_topdown.min_k = 1;
ALTER DATABASE regress_mink RESET pg_topdown.min_k;
ALTER DATABASE regress_mink RESET ALL;
CREATE FUNCTION m.lower() RETURNS jsonb LANGUAGE sql SET pg_topdown.min_k = 1 AS $$ SELECT release_refresh(public.again('kmember')) $$;
-- and before
\c - regress_mink_anna
ALTER ROLE regress_mink_anna SET pg_topdown.min_k = 1;
ALTER DATABASE regress_mink SET pg_topdown.min_k = 1;
ALTER DATABASE regress_mink RESET pg_topdown.min_k;
ALTER DATABASE regress_mink RESET ALL;
CREATE FUNCTION m.lower() RETURNS jsonb LANGUAGE sql SET pg_topdown.min_k = 1 AS $$ SELECT release_refresh(public.again('kmember')) $$;
\c - regress_mink_anna
SET pg_topdown.min_k = 1;
SELECT release_refresh(public.again('kmember'));
SHOW pg_topdown.min_k;
\c - regress_mink_anna
BEGIN;
SET LOCAL pg_topdown.min_k = 1;
SELECT release_refresh(public.again('kmember'));
ROLLBACK;
SELECT release_refresh(public.again('kmember'));
\c - regress_mink_anna
SELECT set_config('pg_topdown.min_k', '1', false) AS set, release_refresh(public.again('kmember'));
-- As they connect: the placeholder then hides what the database says, and the library knows of no floor. So there is no version.
\c "dbname=regress_mink user=regress_mink_anna options='-c pg_topdown.min_k=1'"
SELECT release_refresh(public.again('kmember'));
SHOW pg_topdown.min_k;
SELECT release_rewind('tds', 0);
SELECT tds_anonymize('m.t', 'lost', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
RESET ALL;
SELECT release_refresh(public.again('kmember'));
\c "dbname=regress_mink user=regress_mink_anna options='-c pg_topdown.min_k=many'"
SELECT release_refresh(public.again('kmember'));
\c "dbname=regress_mink user=regress_mink_anna options='-c pg_topdown.min_k=5'"
SET pg_topdown.min_k = 1;
SELECT release_refresh(public.again('kmember'));
SELECT version('tds') AS tds, version('kmember') AS kmember, version('pda') AS pda;

-- (psql goes on with the options of the connection before.)
\c "dbname=regress_mink user=regress_mink_anna options=''"
-- What runs within a call cannot, and where a superuser calls it is undone
CREATE VIEW m.v AS SELECT a, b, set_config('pg_topdown.min_k', '1', false) AS c FROM m.t;
SELECT tds_anonymize('m.v', 'seen', ARRAY[k_anonymity(ARRAY['a', 'c'], 3)]);
\c - :root
SELECT tds_anonymize('m.v', 'seen', ARRAY[k_anonymity(ARRAY['a', 'c'], 3)]) -> 'version' AS version;
SHOW pg_topdown.min_k;
SELECT release_refresh(public.again('seen')) -> 'version' AS version, release_refresh(public.again('kmember'));
-- A superuser may, for a session, and a call leaves it alone
SET pg_topdown.min_k = 5;
SELECT release_refresh(public.again('tds'));
SHOW pg_topdown.min_k;
SET pg_topdown.min_k = 1;
SELECT tds_anonymize('m.t', 'mine', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]) -> 'version' AS version;
SHOW pg_topdown.min_k;
\set options 'dbname=regress_mink options=\'-c pg_topdown.min_k=2\' user=' :root
\c :options
SELECT release_refresh(public.again('kmember')) -> 'version' AS version;
SELECT setting, source FROM pg_settings WHERE name = 'pg_topdown.min_k';

-- A floor that is raised makes a version, though the source is as it was
SET pg_topdown.min_k = 1;
SELECT tds_anonymize('m.t', 'raised', l_diversity('{a}', 'b', 2)) -> 'version' AS version;
SELECT release_refresh('raised') -> 'unchanged' AS unchanged;
SET pg_topdown.min_k = 5;
SELECT r -> 'unchanged' AS unchanged, r -> 'version' AS version, jsonb_array_length(r -> 'privacy') AS models FROM release_refresh('raised') r;

-- The way out of a model that the floor added, or holds up, is no smaller k
SET pg_topdown.min_k = 20;
CREATE TABLE m.tiny AS SELECT i % 3 AS a, 'x' AS c FROM generate_series(1, 10) i;
SELECT tds_anonymize('m.tiny', 'tiny', confidence_bound('{a}', 'c', '{x}', 1));
SELECT tds_anonymize('m.tiny', 'tiny', k_anonymity('{a}', 25));
RESET pg_topdown.min_k;

-- A floor that cannot be read is not none
\set options 'dbname=regress_mink options=\'\' user=' :root
\c :options
ALTER DATABASE regress_mink SET pg_topdown.min_k = 'ten';
\c - regress_mink_anna
SELECT release_refresh(public.again('kmember'));
-- nor can it be set below 1
\c - :root
ALTER DATABASE regress_mink RESET pg_topdown.min_k;
\c - :root
SELECT release_refresh(public.again('kmember')) -> 'version' AS version;
SET pg_topdown.min_k = 0;
ALTER DATABASE regress_mink SET pg_topdown.min_k = 'ten';

-- The prefix is ours: what is misspelt is an error, and is removed where it was set before
SET pg_topdown.min_kk = 3;
SET pg_topdown.progress = 'loud';
\c - regress_mink_anna
SET pg_topdown.typo = 3;
SET pg_topdown.max_memory = 'much';
SET pg_topdown.keep_versions = 0;
SET pg_topdown.progress = on;
SELECT count(*) > 0 AS steps FROM tds_steps('m.t', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)]);
SHOW pg_topdown.typo;
SELECT name, setting, source FROM pg_settings WHERE name LIKE 'pg\_topdown.%' AND name <> 'pg_topdown.min_k' ORDER BY name COLLATE "C";

\c :before :root
DROP DATABASE regress_mink;
DROP ROLE regress_mink_anna;
