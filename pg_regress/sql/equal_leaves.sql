-- Of leaves that are equal in the column's collation, that which rows hold cannot be divided in batches, and the others can.
CREATE SCHEMA alike;
SET search_path TO alike, public;
CREATE TABLE letters (child text, parent text);
INSERT INTO letters VALUES ('A', 'any'), ('B', 'any'), ('P', 'A'), ('p', 'B'), ('q', 'A'), ('r', 'B');
-- (equal_leaves_1.out is of a server without ICU)
SELECT count(*) > 0 AS icu FROM pg_collation WHERE collname = 'und-x-icu' \gset
\echo ICU: :icu
\if :icu
CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE written AS SELECT i AS id, (ARRAY['P', 'q', 'r'])[1 + i % 3] COLLATE either_case AS letter FROM generate_series(1, 90) i;
SELECT tds_anonymize('written', 'w', k_anonymity('{letter}', 3), masking => by_taxonomy('letter', 'letters'), changes => 'batched') ->> 'steps' AS steps;
INSERT INTO letters VALUES ('below', 'p');
DELETE FROM written WHERE id = 1;
SELECT release_refresh('w') -> 'lingering' AS lingering;
INSERT INTO letters VALUES ('beneath', 'P');
SELECT release_refresh('w');
SELECT release_drop('w');
-- A spelling that is no leaf has no place, and those that are equal to it keep theirs: what left is counted group by group.
CREATE TABLE spelled AS SELECT i AS id, (CASE WHEN i <= 20 THEN 'p' ELSE 'q' END) COLLATE either_case AS letter FROM generate_series(1, 40) i;
CREATE TABLE two (child text, parent text);
INSERT INTO two VALUES ('p', 'any'), ('q', 'any');
SELECT tds_anonymize('spelled', 'w', k_anonymity('{letter}', 5), masking => by_taxonomy('letter', 'two'), changes => 'batched') ->> 'steps' AS steps;
UPDATE spelled SET letter = upper(letter) WHERE id <= 3 OR id > 37;
SELECT o -> 'waiting' AS waiting, o -> 'lingering' AS lingering FROM release_refresh('w') o;
SELECT release_drop('w');
\endif
RESET search_path;
DROP SCHEMA alike CASCADE;
