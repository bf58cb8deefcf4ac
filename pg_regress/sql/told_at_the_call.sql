-- What is said where it is decided: direct identifiers among what is released as it is, rows of fewer persons, templates without a bound on
-- the size of groups, a class that tells nothing.
SET client_min_messages TO notice;
CREATE SCHEMA told;
SET search_path TO told, public;
CREATE TABLE visits WITH (autovacuum_enabled = false) AS
SELECT i AS id, 'P' || i % 40 AS patient_id, 20 + i % 50 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, 'user' || i % 60 || '@mail.example' AS contact, '+49 (0)30 ' || 4470000 + i % 60 AS phone, i % 130 AS amount,
       date '2020-01-01' + i % 60 AS seen, to_char(date '2020-01-01' + i % 60, 'YYYY-MM-DD') AS day, '0' || 100 + i % 60 AS room, (ARRAY['flu', 'cold', 'none'])[1 + i % 3] AS illness, 'same' AS ward FROM generate_series(1, 200) i;

-- kept: nearly unique by more than half, e-mail and phone numbers; dates and short codes are none
SELECT tds_anonymize('visits', 'kept', k_anonymity(ARRAY['age', 'sex'], 5, 'patient_id'), keep => ARRAY['id', 'contact', 'phone', 'amount', 'seen', 'day', 'room', 'ward']) ->> 'version' AS version;
-- sensitive, and not masked
SELECT tds_anonymize('visits', 'sensitive', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5, 'patient_id'), l_diversity(ARRAY['age'], 'contact', 2), l_diversity(ARRAY['sex'], 'amount', 2), l_diversity(ARRAY['sex'], 'age', 2)]) ->> 'version' AS version;
-- sensitive and the class: said once
SELECT tds_anonymize('visits', 'both', ARRAY[k_anonymity(ARRAY['age', 'sex'], 5, 'patient_id'), l_diversity(ARRAY['age'], 'contact', 2)], class => 'contact') ->> 'version' AS version;
-- and again whenever it is made
SELECT release_refresh(public.again('sensitive')) ->> 'version' AS version;

-- rows of fewer persons: by what the planner knows of a column that is not read, and by what was read of one that is
SELECT tds_anonymize('visits', 'unknown', k_anonymity(ARRAY['age', 'sex'], 5)) ->> 'version' AS version;
ANALYZE visits;
SELECT tds_anonymize('visits', 'rows', k_anonymity(ARRAY['age', 'sex'], 5)) ->> 'version' AS version;
SELECT tds_anonymize('visits', 'read', k_anonymity(ARRAY['age', 'sex'], 7), keep => ARRAY['patient_id']) ->> 'version' AS version;
-- not again at a refresh, nor where persons are counted, nor where nobody is asked for groups
SELECT release_refresh(public.again('rows')) ->> 'version' AS version;
SELECT tds_anonymize('visits', 'persons', ARRAY[k_anonymity(ARRAY['sex'], 5), k_anonymity(ARRAY['age'], 5, 'patient_id')]) ->> 'version' AS version;
SELECT tds_anonymize('visits', 'diverse', l_diversity(ARRAY['age', 'sex'], 'illness', 2)) ->> 'version' AS version;
-- a column of one value a row, or of a few, is no key of persons with rows
CREATE TABLE one AS SELECT i AS person, 'type ' || i % 2 AS member_type, i % 40 AS age FROM generate_series(1, 400) i;
ANALYZE one;
SELECT tds_anonymize('one', 'one_r', k_anonymity(ARRAY['age'], 5)) ->> 'version' AS version;

-- what is released as it is and is one person's alone: a column of theirs, the class; not what several have, nor what is in one row
CREATE TABLE cards AS SELECT i % 100 AS person, 'card ' || i % 100 AS card, i % 100 * 7 AS points, i % 50 AS home, i % 200 AS visit, i % 190 AS bill, i % 40 AS age FROM generate_series(1, 400) i;
ANALYZE cards;
SELECT tds_anonymize('cards', 'cards_r', k_anonymity(ARRAY['age'], 5, 'person'), 'points', keep => ARRAY['card', 'home', 'visit', 'bill']) ->> 'version' AS version;
-- by persons of any kind, in whatever order the models name them
CREATE TABLE homes AS SELECT i % 100 AS patient, i % 100 / 4 AS household, 'street ' || i % 100 / 4 AS address, i % 40 AS age, i % 2 AS sex FROM generate_series(1, 400) i;
SELECT tds_anonymize('homes', 'homes_r', ARRAY[k_anonymity(ARRAY['age'], 5, 'patient'), k_anonymity(ARRAY['sex'], 5, 'household')], keep => ARRAY['address']) ->> 'version' AS version;

-- templates alone
SELECT pda_anonymize('visits', 'pda', confidence_bound(ARRAY['sex', 'ward'], 'illness', NULL, 0.9), class => 'illness') ->> 'version' AS version;
SELECT release_refresh(public.again('pda')) ->> 'version' AS version;
SELECT pda_anonymize('visits', 'pda_k', ARRAY[confidence_bound(ARRAY['sex', 'ward'], 'illness', NULL, 0.9), k_anonymity(ARRAY['sex', 'ward'], 5, 'patient_id')], class => 'illness') ->> 'version' AS version;
SELECT tds_anonymize('visits', 'close', t_closeness(ARRAY['sex'], 'illness', 0.5)) ->> 'version' AS version;
-- a class of one value
SELECT tds_anonymize('visits', 'classless', k_anonymity(ARRAY['age', 'sex'], 5, 'patient_id'), class => 'ward') ->> 'steps' AS steps;

-- local recoding of groups of two: by the largest k; not again at a refresh, but at the next call
SELECT tds_anonymize('visits', 'pairs', k_anonymity(ARRAY['age', 'sex'], 2, 'patient_id'), recoding => 'local') ->> 'version' AS version;
SELECT release_refresh(public.again('pairs')) ->> 'version' AS version;
SELECT release_refresh('pairs', 'search') ->> 'version' AS version;
SELECT tds_anonymize('visits', 'pairs', k_anonymity(ARRAY['age', 'sex'], 2, 'patient_id'), recoding => 'local', max_steps => 20) ->> 'version' AS version;
SELECT tds_anonymize('visits', 'unbounded', l_diversity(ARRAY['age', 'sex'], 'illness', 2), recoding => 'local') ->> 'version' AS version;
-- as many values are in as many rows; a bound over some of the columns bounds nothing by all of them
SELECT tds_anonymize('visits', 'unbounded', l_diversity(ARRAY['age', 'sex'], 'illness', 3), recoding => 'local') ->> 'version' AS version;
SELECT tds_anonymize('visits', 'apart', ARRAY[k_anonymity('{age}', 5), k_anonymity('{sex}', 5)], recoding => 'local') ->> 'version' AS version;
-- nor do clusters of two say less
CREATE TABLE clustered AS SELECT age, sex FROM visits LIMIT 60;
SELECT kmember_anonymize('clustered', 'clusters', '{age,sex}', 2) ->> 'version' AS version;
SELECT kmember_anonymize('clustered', 'clusters', '{age,sex}', 3) ->> 'version' AS version;
SELECT tds_anonymize('visits', 'triples', ARRAY[k_anonymity(ARRAY['sex'], 3, 'patient_id'), k_anonymity(ARRAY['age', 'sex'], 2, 'patient_id')], recoding => 'local') ->> 'version' AS version;
SELECT tds_anonymize('visits', 'one_cut', k_anonymity(ARRAY['age', 'sex'], 2, 'patient_id')) ->> 'version' AS version;

-- texts that look like dates or numbers, suppressed because nothing else was asked for, or compared as texts; not what was asked for, nor other types
CREATE TABLE texts AS SELECT to_char(date '2020-01-01' + i % 60, 'DD.MM.YYYY') AS day, (i % 40 * 2.5)::text AS price, date '2020-01-01' + i % 60 AS real_day, i % 40 AS number, 'x' || i % 40 AS other,
       CASE WHEN i % 50 = 0 THEN 'n/a' ELSE (i % 40 + 0.5)::text END AS nearly, CASE WHEN i % 4 = 0 THEN 'n/a ' || i % 12 ELSE (i % 40 + 0.5)::text END AS hardly FROM generate_series(1, 400) i;
SELECT tds_anonymize('texts', 'text_r', k_anonymity(ARRAY['day', 'price', 'real_day', 'number', 'other', 'nearly', 'hardly'], 5), max_steps => 1) ->> 'version' AS version;
SELECT tds_anonymize('texts', 'text_i', k_anonymity(ARRAY['price', 'number'], 5), masking => by_intervals('price'), max_steps => 1) ->> 'version' AS version;
SELECT tds_anonymize('texts', 'text_s', k_anonymity(ARRAY['day', 'number'], 5), masking => by_suppression('day'), max_steps => 1) ->> 'version' AS version;
SELECT pda_anonymize('texts', 'text_p', confidence_bound(ARRAY['real_day', 'number', 'day'], 'other', ARRAY['x1'], 0.9), 'other') ->> 'version' AS version;
SELECT release_refresh(public.again('text_r')) ->> 'version' AS version;

-- security labels as they are: of any provider, several that say the same, of columns that are still there
SELECT privacy_from_labels('visits', 5);
INSERT INTO pg_seclabel SELECT 'visits'::regclass, 'pg_class'::regclass, attnum, provider, label
FROM (VALUES ('sex', 'k_anonymity', 'QUASI IDENTIFIER'), ('age', 'anon', ' indirect identifier '), ('age', 'k_anonymity', 'QUASI IDENTIFIER'), ('phone', 'anon', 'MASKED WITH VALUE NULL'), ('illness', 'anon', 'SENSITIVE')) l (name, provider, label)
JOIN pg_attribute ON attrelid = 'visits'::regclass AND attname = name;
INSERT INTO pg_seclabel VALUES ('visits'::regclass, 'pg_class'::regclass, 0, 'anon', 'QUASI IDENTIFIER');
SELECT privacy_from_labels('visits', 5);
SELECT tds_anonymize('visits', 'labelled', privacy_from_labels('visits', 6)) -> 'privacy' -> 0 -> 'model' AS model;
SELECT privacy_from_labels('visits', 0);
SELECT privacy_from_labels('visits', NULL);
SELECT privacy_from_labels(NULL, 5);
SELECT privacy_from_labels('visits_sex', 5);
CREATE ROLE told_nobody;
GRANT USAGE ON SCHEMA told TO told_nobody;
SET ROLE told_nobody;
SELECT privacy_from_labels('visits', 5);
RESET ROLE;
DELETE FROM pg_seclabel WHERE objoid = 'visits'::regclass;

SELECT count(release_drop(release)) FROM unnest('{kept,sensitive,both,unknown,rows,read,persons,diverse,one_r,cards_r,homes_r,pda,pda_k,close,classless,pairs,unbounded,apart,clusters,triples,one_cut,labelled,text_r,text_i,text_s,text_p}'::name[]) release;
DROP SCHEMA told CASCADE;
DROP ROLE told_nobody;
