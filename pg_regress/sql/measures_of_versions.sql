-- A release's measures are its newest version's: taxonomies of earlier versions, of another shape, are kept but do not count.
CREATE SCHEMA mv;
SET search_path TO mv, public;
CREATE TABLE people AS SELECT 'c' || i % 4 AS city, i % 3 AS age FROM generate_series(1, 48) i;
CREATE TABLE flat AS SELECT 'c' || i AS child, 'ANY' AS parent FROM generate_series(0, 3) i;
-- six more leaves, and one level more
CREATE TABLE deep AS SELECT 'c' || i AS child, 'half ' || i / 5 AS parent FROM generate_series(0, 9) i UNION ALL SELECT 'half ' || i, 'ANY' FROM generate_series(0, 1) i;
CREATE VIEW differing AS
  SELECT coalesce(a.measure, b.measure) AS measure, a.value AS r, b.value AS fresh
  FROM release_measures('r') a FULL JOIN release_measures('fresh') b ON a.measure = b.measure WHERE (abs(a.value - b.value) < 1e-12) IS NOT TRUE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 4)], masking => ARRAY[by_taxonomy('city', 'deep')], max_steps => 1) ->> 'version' AS version;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 12)], masking => ARRAY[by_taxonomy('city', 'flat')]) ->> 'version' AS version;
SELECT tds_anonymize('people', 'fresh', ARRAY[k_anonymity(ARRAY['city', 'age'], 12)], masking => ARRAY[by_taxonomy('city', 'flat')]) ->> 'version' AS version;
SELECT DISTINCT version FROM r_private.taxonomy ORDER BY 1;
SELECT * FROM differing;
-- and the other way round: the tree of now has the level that the one before had not
SELECT release_drop('fresh');
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 12)], masking => ARRAY[by_taxonomy('city', 'deep')], max_steps => 1) ->> 'version' AS version;
SELECT tds_anonymize('people', 'fresh', ARRAY[k_anonymity(ARRAY['city', 'age'], 12)], masking => ARRAY[by_taxonomy('city', 'deep')], max_steps => 1) ->> 'version' AS version;
SELECT * FROM differing;
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('r') WHERE measure ~ 'ntil|precision|certainty' ORDER BY 1;
-- values of the class that are equal are one, however they are printed; also after a rewind
CREATE TABLE printed AS SELECT i % 20 AS a, (ARRAY['1.0', '1.00', '2.0', '2'])[i % 4 + 1]::numeric AS c FROM generate_series(1, 400) i;
SELECT tds_anonymize('printed', 'equal', k_anonymity('{a}', 5), 'c') ->> 'version', release_rewind('equal', 3) ->> 'version';
SELECT round(class_information::numeric, 6) FROM release_drift('equal') ORDER BY version;
SELECT round(class_information::numeric, 6) FROM tds_tradeoff('printed', '{5}', k_anonymity('{a}', 5), 'c')
UNION ALL SELECT round(class_information::numeric, 6) FROM tds_tradeoff('printed', '{5}', k_anonymity('{a}', 5), 'c', max_steps => 3);
SELECT release_drop('r'), release_drop('fresh'), release_drop('equal');
DROP SCHEMA mv CASCADE;
