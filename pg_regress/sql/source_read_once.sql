-- Threat: two snapshots. What is counted and what is written is one and the same reading of the source: a view that counts how often
-- its rows are read says so, for every verb that publishes, and whatever is asked for.
CREATE SCHEMA once;
SET search_path TO once, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age, 'n' || i AS name, i % 3 AS illness FROM generate_series(1, 40) i;
CREATE SEQUENCE reads;
CREATE VIEW counted AS SELECT city, age, name, illness FROM people WHERE nextval('once.reads') > 0;
CREATE FUNCTION read_rows() RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('once.reads') - 1 + 0 * setval('once.reads', 1, false) $$;
SELECT tds_anonymize('counted', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 4), l_diversity(ARRAY['age'], 'illness', 2), t_closeness(ARRAY['city'], 'illness', 0.9), confidence_bound(ARRAY['age'], 'illness', NULL, 0.9)],
  'illness', keep => ARRAY['name'], intervals => 'bounds') ->> 'version' AS version;
SELECT read_rows();
SELECT tds_anonymize('counted', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 4)], masking => ARRAY[by_taxonomy_tree('city', '{"ANY": ["c0", "c1"]}')], intervals => 'range') ->> 'version' AS version;
SELECT read_rows();
SELECT tds_anonymize('counted', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)], intervals => 'range') ->> 'version' AS version;
SELECT read_rows();
SELECT pda_anonymize('counted', 'p', ARRAY[confidence_bound(ARRAY['city', 'age'], 'illness', NULL, 0.9)], 'illness') ->> 'version' AS version;
SELECT read_rows();
SELECT kmember_anonymize('counted', 'k', ARRAY['city', 'age'], 4, keep => ARRAY['name']) ->> 'version' AS version;
SELECT read_rows();
SELECT count(*) > 0 AS steps FROM tds_steps('counted', ARRAY[k_anonymity(ARRAY['city', 'age'], 4)]);
SELECT read_rows();
-- what is published reads it never
SELECT count(*) FROM r.counted;
SELECT count(*) FROM release_verify('r');
SELECT count(*) > 0 AS measures FROM release_measures('k');
SELECT read_rows();
SELECT release_drop('r'), release_drop('r2'), release_drop('p'), release_drop('k');
DROP SCHEMA once CASCADE;
