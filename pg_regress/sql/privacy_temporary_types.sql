-- Threat: search_path. Temporary types are found before PostgreSQL's unless pg_temp is named, last: one called text must not be
-- what a statement of ours casts to. Every verb does what it does without them.
CREATE SCHEMA tt;
SET search_path TO tt, public;
CREATE TABLE people AS SELECT 'c' || i % 3 AS city, i % 4 AS age, CASE WHEN i % 4 < 2 THEN 'Y' ELSE 'N' END AS class FROM generate_series(1, 48) i;
CREATE TABLE tax AS SELECT DISTINCT city AS child, 'ANY' AS parent FROM people;
CREATE TYPE pg_temp.text AS ENUM ('mine');
CREATE TYPE pg_temp.name AS ENUM ('mine');
CREATE TYPE pg_temp.jsonb AS ENUM ('mine');
CREATE TYPE pg_temp.oid AS ENUM ('mine');
CREATE TYPE pg_temp.float8 AS ENUM ('mine');
CREATE TYPE pg_temp._text AS ENUM ('mine');
CREATE TYPE pg_temp.privacy_model AS ENUM ('mine');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 4), l_diversity(ARRAY['age'], 'class', 1), t_closeness(ARRAY['city'], 'class', 0.9, 'ordered')], 'class', ARRAY[by_taxonomy('city', 'tax')]) ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)], 'class', ARRAY[by_taxonomy('city', 'tax')], allow_weaker => true) ->> 'version' AS version;
SELECT required, achieved, holds FROM release_verify('r');
SELECT count(*) > 10 AS measures FROM release_measures('r');
SELECT attacker, highest_risk FROM release_risk('r');
SELECT release, version FROM releases();
SELECT achieved, holds FROM privacy_check('people', ARRAY[k_anonymity(ARRAY['city', 'age'], 4), confidence_bound(ARRAY['city'], 'class', ARRAY['Y'], 0.5)]);
SELECT channel, support, matches FROM privacy_inferences('people', confidence_bound(ARRAY['city'], 'class', ARRAY['Y'], 0.5), 0.4) ORDER BY channel;
SELECT count(*) > 0 AS steps FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['city', 'age'], 4)]);
SELECT * FROM taxonomy_check('tax', 'people', 'city');
SELECT count(*) AS nodes FROM taxonomy_build('people', 'age', 'iotf', '{}');
SELECT FROM kmember_anonymize('people', 'k', ARRAY['age'], 5);
SELECT FROM pda_anonymize('people', 'p', ARRAY[confidence_bound(ARRAY['city', 'age'], 'class', ARRAY['Y'], 0.9)], 'class');
CREATE ROLE regress_tt;
SELECT release_grant('r', 'regress_tt');
SELECT release_revoke('r', 'regress_tt');
-- the types of what was made
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid IN ('r.people'::regclass, 'r.cut'::regclass, 'r.about'::regclass) AND attnum > 0 ORDER BY attrelid::regclass::pg_catalog.text, attnum;
SELECT release_drop('r'), release_drop('k'), release_drop('p');
DROP ROLE regress_tt;
DISCARD TEMP;
DROP SCHEMA tt CASCADE;
