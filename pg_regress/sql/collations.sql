-- What ICU's collations say: texts that differ and are equal, and an order that is not by bytes.
-- Needs: EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu')
CREATE SCHEMA writings;
SET search_path TO writings, public;
CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
-- Of leaves that are equal in the column's collation, that which rows hold cannot be divided in batches, and the others can.
CREATE TABLE letters (child text, parent text);
INSERT INTO letters VALUES ('A', 'any'), ('B', 'any'), ('P', 'A'), ('p', 'B'), ('q', 'A'), ('r', 'B');
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
-- What a row of a population matches is one value in several writings.
CREATE TABLE few_ci AS SELECT 'HIV'::text COLLATE either_case AS c, i % 2 AS n FROM generate_series(1, 20) i;
CREATE TABLE many_ci AS SELECT (ARRAY['hiv', 'HIV', 'Hiv'])[1 + i % 3]::text COLLATE either_case AS c, i % 2 AS n FROM generate_series(1, 24) i;
SELECT tds_anonymize('few_ci', 'all_ci', k_map('{c,n}', 10, 'many_ci'), masking => by_suppression('n')) #>> '{privacy,0,achieved}' AS achieved;
SELECT tds_anonymize('few_ci', 'local_ci', k_map('{c,n}', 10, 'many_ci'), masking => by_suppression('n'), recoding => 'local') #>> '{privacy,0,achieved}' AS achieved;
SELECT r, attacker, round(1 / nullif(highest_risk, 0)) AS matched FROM unnest('{all_ci,local_ci}'::text[]) r, release_risk(r, population => 'many_ci') ORDER BY 1, 2;
DELETE FROM many_ci WHERE ctid NOT IN (SELECT ctid FROM many_ci LIMIT 6);
SELECT release_rewind('all_ci', 0);

-- columns of show are refined for all rows first: nothing tells where another row belongs
SELECT tds_anonymize('few_ci', 'local_show', k_map('{c,n}', 4, 'few_ci'), recoding => 'local', show => '{c}');
SELECT tds_anonymize('few_ci', 'local_show', k_anonymity('{c,n}', 4), recoding => 'local', show => '{c}') ->> 'version' AS version;
SELECT * FROM release_risk('local_show', population => 'few_ci');
-- Texts that are equal and do not look alike are not counted as one by pg_topdown.scan.
CREATE TABLE texts AS SELECT 20 + i % 2 AS age, v AS text, v::char(3) COLLATE either_case AS padded
FROM (SELECT i, (ARRAY['abc', 'ABC', 'b', NULL])[1 + i / 2 % 4] COLLATE either_case AS v FROM generate_series(1, 400) i) t;
SET pg_topdown.scan TO counts;
SELECT c, tds_anonymize('texts', ('texts_' || c)::name, k_anonymity('{age}', 5), keep => ARRAY[c]) -> 'rows' AS rows FROM unnest('{text,padded}'::text[]) c;
RESET pg_topdown.scan;
SELECT text COLLATE "C", count(*) FROM texts_text.texts GROUP BY 1 ORDER BY 1;
SELECT padded COLLATE "C", count(*) FROM texts_padded.texts GROUP BY 1 ORDER BY 1;
-- Padded labels are in the order of the values.
CREATE TABLE numbers AS SELECT i % 120 AS age, (i % 50) / 8.0 - 3 AS share, date '1999-12-01' + i * 11 % 3000 AS since, nullif(i % 9, 4) AS code, i % 3 AS class FROM generate_series(1, 1200) i;
SELECT tds_anonymize('numbers', 'padded', ARRAY[k_anonymity('{age}', 40), k_anonymity('{share}', 40), k_anonymity('{since}', 40), k_anonymity('{code}', 40)], 'class', max_steps => 40, intervals => 'padded') ->> 'steps' AS steps;
CREATE TABLE placed AS SELECT *, row_number() OVER () AS n FROM padded.cut;
SELECT attribute, bool_and(i = n) AS by_icu FROM (
  SELECT attribute, rank() OVER (PARTITION BY attribute ORDER BY n) AS n, rank() OVER (PARTITION BY attribute ORDER BY node COLLATE "und-x-icu") AS i
  FROM placed WHERE node IS NOT NULL) s GROUP BY attribute ORDER BY attribute;
SELECT count(release_drop(release)) FROM releases();
RESET search_path;
DROP SCHEMA writings CASCADE;
