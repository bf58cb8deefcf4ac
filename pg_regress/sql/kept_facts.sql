-- Kept columns whose values are on rows enough, and tell all the same: whose a row is, who somebody is, or several facts at once.
SET client_min_messages TO notice;
CREATE SCHEMA kept_facts;
SET search_path TO kept_facts, public;
SET pg_topdown.kept = 'refuse';

-- A hundred persons, sixty rows each: the same guess that privacy_columns() makes, whatever the key is called.
CREATE TABLE visits AS SELECT p AS pid, p AS patient_id, p % 90 AS household_id, 'N' || p AS last_name, 'M' || p AS maiden, 'k' || v % 3 AS kind FROM generate_series(1, 100) p, generate_series(1, 60) v;
SELECT column_name, role FROM privacy_columns('visits', 10) ORDER BY column_name;
SELECT tds_anonymize('visits', 'r', k_anonymity('{kind}', 10), keep => '{pid}') -> 'kept_at_risk' AS kept_at_risk;
SELECT count(DISTINCT pid) FROM r.visits;
SELECT release_drop('r');
SELECT tds_anonymize('visits', 'r', k_anonymity('{kind}', 10), keep => '{household_id,last_name,maiden,patient_id}') -> 'kept_at_risk' AS kept_at_risk;
-- A refresh says it again.
SELECT release_refresh(public.again('r')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
-- However many rows each person has.
CREATE TABLE beats AS SELECT p AS patient_id, p % 25 AS device_no, 'k' || v % 3 AS kind FROM generate_series(1, 30) p, generate_series(1, 300) v;
SELECT tds_anonymize('beats', 'r', k_anonymity('{kind}', 10), keep => '{patient_id,device_no}') -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
-- What is not a key is nobody's; and a key that is rounded is none any more.
CREATE TABLE quiet AS SELECT i % 50 AS age, 'w' || i % 4 AS ward, i / 20 AS visit_no, i / 1000 AS stays FROM generate_series(0, 1999) i;
SELECT tds_anonymize('quiet', 'r', k_anonymity('{ward}', 5), keep => '{age,stays}') -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
SELECT tds_anonymize('quiet', 'r', k_anonymity('{ward}', 5), keep => '{visit_no}') -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
SELECT tds_anonymize('quiet', 'r', k_anonymity('{ward}', 5), keep => '{visit_no}', masking => rounded('visit_no', '25')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');

-- Sentences and documents that are frequent.
CREATE TYPE address AS (street text, town text);
CREATE DOMAIN notes AS jsonb;
CREATE TABLE notes_of AS SELECT 20 + i % 5 AS age, (ARRAY['Sister of Anna Muster, ward 3, HIV positive, call 555-1234.', 'No findings.'])[1 + i / 5 % 2] AS phrase,
  jsonb_build_object('zip', 10000 + i % 4) AS doc, jsonb_build_object('zip', i % 4)::notes AS note, ARRAY[i % 4, i % 2] AS codes, ROW('S' || i % 2, 'T')::address AS home,
  to_tsvector('simple', 'a b c') AS words, '{"zip": 1}'::text AS raw, (ARRAY['flu', 'hiv'])[1 + i % 2] AS illness FROM generate_series(1, 4000) i;
SELECT tds_anonymize('notes_of', 'r', k_anonymity('{age}', 10), keep => '{phrase,doc,note,codes,home,words,raw,illness}') -> 'kept_at_risk' AS kept_at_risk;
SELECT release_refresh(public.again('r')) -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
-- The class and sensitive columns are released as they are, too.
SELECT tds_anonymize('notes_of', 'r', ARRAY[k_anonymity('{age}', 10), l_diversity('{age}', 'raw', 1)], 'phrase') -> 'kept_at_risk' AS kept_at_risk;
SELECT release_drop('r');
SELECT column_name, role, reason FROM privacy_columns('notes_of', 10) ORDER BY column_name;
-- As the HINTs have it.
SELECT doc ->> 'zip' AS zip, codes[1] AS first, (home).town, count(*) FROM notes_of GROUP BY 1, 2, 3 ORDER BY 1, 2;
DROP SCHEMA kept_facts CASCADE;
