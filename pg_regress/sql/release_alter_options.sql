-- release_alter changes what it is given, each by itself: whatever else the version before was made with stays as it was. Every key of
-- what the manifest keeps is compared, but for what only follows from the search, and the fingerprint, which has a key.
CREATE SCHEMA alo;
SET search_path TO alo, public;
CREATE TABLE people AS SELECT 'c' || i % 3 AS city, 20 + i % 40 AS age, CASE WHEN i % 11 > 0 THEN 'j' || i % 4 END AS job, CASE WHEN i % 7 = 0 THEN 'flu' ELSE 'none' END AS ill,
  (i % 40 > 20)::text AS class, 'n' || i % 2 AS note FROM generate_series(1, 1680) i;
CREATE TABLE folk AS TABLE people;
CREATE VIEW found AS SELECT ARRAY['class_information', 'columns', 'fingerprint', 'owners', 'scan', 'trace', 'withheld', 'withheld_by_class'] AS keys;
CREATE FUNCTION altered(release name, call text) RETURNS TABLE (key text, before jsonb, after jsonb) LANGUAGE plpgsql AS $$
DECLARE before jsonb; after jsonb;
BEGIN
  EXECUTE format('SELECT parameters || jsonb_build_object(''source'', source) FROM %I_private.manifest WHERE current', release) INTO before;
  EXECUTE format('SELECT release_alter(%L, %s)', release, call);
  EXECUTE format('SELECT parameters || jsonb_build_object(''source'', source) FROM %I_private.manifest WHERE current', release) INTO after;
  RETURN QUERY SELECT k, before -> k, after -> k FROM jsonb_object_keys(before || after) k WHERE before -> k IS DISTINCT FROM after -> k AND k <> ALL ((TABLE alo.found)::text[]) ORDER BY k;
END $$;
-- everything is asked for otherwise than by default
SELECT tds_anonymize('people', 'rel', ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 20), l_diversity(ARRAY['city', 'age', 'job'], 'ill', 2)], class => 'class', keep => ARRAY['note'], score => 'tdr',
  max_steps => 9, intervals => 'bounds', suppressed => '(any)', split => 'valid', withhold => 0.02, endpoints => 'values', view => 'shown',
  masking => ARRAY[by_intervals('age', '0', '100'), weighted(by_suppression('city'), 2), by_taxonomy_tree('job', '{"All": {"A": ["j0", "j1"], "B": ["j2", "j3"]}}')]) ->> 'version' AS version;
SELECT key, value FROM rel_private.manifest, jsonb_each(parameters) WHERE key <> ALL ((TABLE found)::text[]) ORDER BY key;
SELECT * FROM altered('rel', 'score => NULL');
SELECT * FROM altered('rel', $$score => 'info_gain'$$);
SELECT * FROM altered('rel', 'max_steps => 8');
SELECT * FROM altered('rel', 'withhold => 0.05');
SELECT * FROM altered('rel', $$endpoints => 'rounded'$$);
SELECT * FROM altered('rel', $$masking => ARRAY[by_intervals('age', '0', '120'), weighted(by_suppression('city'), 2), by_taxonomy_tree('job', '{"All": {"A": ["j0", "j1"], "B": ["j2", "j3"]}}')]$$);
SELECT * FROM altered('rel', $$privacy => ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 25), l_diversity(ARRAY['city', 'age', 'job'], 'ill', 2)]$$);
SELECT * FROM altered('rel', $$source => 'folk'$$);
SELECT * FROM altered('rel', $$split => 'median'$$);
SELECT * FROM altered('rel', $$class => ''$$);
SELECT * FROM altered('rel', $$class => 'class', split => 'valid'$$);
-- a class that is gone is released where keep names it
SELECT * FROM altered('rel', $$class => '', keep => '{note,class}'$$);
SELECT count(class) = count(*) AS shown, count(DISTINCT class) AS values FROM rel.shown;
SELECT * FROM altered('rel', $$class => 'class', keep => '{note}'$$);
SELECT * FROM altered('rel', $$keep => '{}'$$);
SELECT * FROM altered('rel', $$keep => '{note}'$$);
SELECT * FROM altered('rel', $$suppressed => '(some)'$$);
SELECT * FROM altered('rel', $$intervals => 'label'$$);
-- what cannot be
SELECT release_alter('rel', recoding => 'local');
SELECT release_alter('rel', split => 'worst', recoding => 'best', intervals => 'short', score => 'best');
SELECT release_alter('rel', class => 'no such', keep => '{nor such}');
-- what becomes weaker is said of that version alone
SELECT * FROM altered('rel', $$privacy => ARRAY[k_anonymity(ARRAY['city', 'age', 'job'], 24), l_diversity(ARRAY['city', 'age', 'job'], 'ill', 2)], allow_weaker => true$$);
SELECT * FROM altered('rel', 'max_steps => 9');
-- a column that is masked from now on is kept no more, and nothing else of what is kept is
SELECT tds_anonymize('people', 'kept', k_anonymity(ARRAY['city'], 20), keep => ARRAY['note', 'age', 'job']) ->> 'version' AS version;
SELECT * FROM altered('kept', $$privacy => ARRAY[k_anonymity(ARRAY['city', 'note'], 20)]$$);
-- local recoding, templates, clusters
SELECT tds_anonymize('people', 'local', k_anonymity(ARRAY['city', 'age'], 20), recoding => 'local', score => 'info_gain') ->> 'version' AS version;
SELECT * FROM altered('local', 'max_steps => 3');
SELECT * FROM altered('local', $$recoding => 'global'$$);
SELECT * FROM altered('local', $$recoding => 'clustered'$$);
SELECT pda_anonymize('people', 'templates', confidence_bound(ARRAY['city', 'job'], 'ill', NULL, 0.9), class => 'class', keep => ARRAY['note']) ->> 'version' AS version;
SELECT * FROM altered('templates', 'max_steps => 3');
SELECT kmember_anonymize('people', 'clusters', ARRAY['city', 'age'], 200, keep => ARRAY['note']) ->> 'version' AS version;
SELECT * FROM altered('clusters', $$privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 210)]$$);
SELECT * FROM altered('clusters', $$endpoints => 'values'$$);
SELECT * FROM altered('clusters', $$masking => ARRAY[by_intervals('age', '0', '100')]$$);
SELECT * FROM altered('clusters', $$source => 'folk'$$);
SELECT count(release_drop(release)) FROM releases() WHERE source IN ('alo.people', 'alo.folk');
DROP SCHEMA alo CASCADE;
