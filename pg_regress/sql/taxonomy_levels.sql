-- taxonomy_to_levels and taxonomy_of: a taxonomy as a wide table, and the tree that a masking has over the values of a source.
CREATE SCHEMA levels;
SET search_path TO levels, public;
CREATE TABLE tax (child text, parent text);
INSERT INTO tax VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'), ('Bachelor', 'University'), ('Graduate', 'University'), ('Master', 'Graduate'), ('none', 'Any');
-- leaves from the left; a branch that lacks levels repeats its leaf
SELECT * FROM taxonomy_to_levels('tax');
CREATE TABLE wide AS SELECT levels[1] AS leaf, levels[2] AS level_1, levels[3] AS level_2, levels[4] AS root FROM taxonomy_to_levels('tax');
CREATE TABLE back AS SELECT * FROM taxonomy_from_levels('wide');
SELECT count(*) AS differing FROM ((TABLE back EXCEPT (TABLE tax UNION VALUES ('Any', NULL))) UNION ALL ((TABLE tax UNION VALUES ('Any', NULL)) EXCEPT TABLE back)) d;
-- the tree of a rule: what by_taxonomy makes the same of, and other tools read
CREATE TABLE people AS SELECT (47900 + i % 12 * 5)::text AS zip, '2020-02-27'::date + i % 5 AS day, '10.1.0.0'::inet + i % 3 AS ip, i % 9 AS n, (ARRAY['9th', 'Master'])[1 + i % 2] AS edu, i % 2 AS c FROM generate_series(1, 240) i;
INSERT INTO people (n) VALUES (1);
SELECT * FROM taxonomy_of(by_calendar('day', '{year,month,day}'), 'people');
SELECT * FROM taxonomy_of(weighted(by_network('ip', '{8,32}'), 2), 'people');
SELECT * FROM taxonomy_of(by_taxonomy('edu', 'tax'), 'people');
CREATE TABLE zips AS SELECT * FROM taxonomy_of(finest(by_prefix('zip'), 3), 'people');
SELECT * FROM taxonomy_check('zips', 'people', 'zip');
SELECT * FROM taxonomy_to_levels('zips') LIMIT 3;
SELECT count(*) AS differing FROM (SELECT step, attribute, node, children, records, info_gain, privacy_loss, achieved FROM tds_steps('people', k_anonymity(ARRAY['zip'], 5), class => 'c', masking => by_prefix('zip'))
  EXCEPT SELECT step, attribute, node, children, records, info_gain, privacy_loss, achieved FROM tds_steps('people', k_anonymity(ARRAY['zip'], 5), class => 'c', masking => by_taxonomy('zip', 'zips'))) d;
-- without values there is the top
CREATE TABLE nobody (zip text);
SELECT * FROM taxonomy_of(by_prefix('zip'), 'nobody');

-- what cannot be
SELECT * FROM taxonomy_to_levels('people');
SELECT * FROM taxonomy_to_levels(NULL);
SELECT * FROM taxonomy_to_levels(99999999);
INSERT INTO tax VALUES ('9th', 'University');
SELECT * FROM taxonomy_to_levels('tax');
SELECT * FROM taxonomy_of(by_suppression('zip'), 'people');
SELECT * FROM taxonomy_of(by_intervals('n'), 'people');
SELECT * FROM taxonomy_of(NULL, 'people');
SELECT * FROM taxonomy_of(by_prefix('zip'), NULL);
SELECT * FROM taxonomy_of(by_prefix('gone'), 'people');
SELECT * FROM taxonomy_of(by_calendar('zip'), 'people');
-- nodes that are called alike cannot be told apart by their labels
INSERT INTO people (zip) VALUES ('4790*');
SELECT * FROM taxonomy_of(by_prefix('zip'), 'people');
DROP SCHEMA levels CASCADE;
