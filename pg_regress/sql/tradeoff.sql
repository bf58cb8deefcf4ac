-- tds_tradeoff: the same search for several k over a source that is read once; each row is what a release would measure.
CREATE SCHEMA tradeoff;
SET search_path TO tradeoff, public;
CREATE TABLE people AS
SELECT 18 + i * i % 61 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, nullif((ARRAY['9th', '10th', 'Bachelor', 'Master', 'Doctorate'])[1 + i * 7 % 5], 'Master') AS education,
       (ARRAY['1010', '1020', '1030', '2010'])[1 + i % 3 * (i % 2)] AS postcode, date '2020-01-01' + i % 700 AS since, (ARRAY['flu', 'cold', NULL])[1 + (i * i + i / 7) % 3] AS illness, 'P' || i / 3 AS patient
FROM generate_series(1, 600) i;
CREATE TABLE tree (child text, parent text);
INSERT INTO tree VALUES ('School', 'Any'), ('University', 'Any'), ('9th', 'School'), ('10th', 'School'), ('Bachelor', 'University'), ('Graduate', 'University'), ('Master', 'Graduate'), ('Doctorate', 'Graduate');

SELECT k, steps, groups, smallest_group, round(certainty_loss::numeric, 6) AS certainty_loss, round(class_information::numeric, 6) AS class_information, withheld
FROM tds_tradeoff('people', ARRAY[3, 10, 50, 300], k_anonymity(ARRAY['age', 'sex', 'education', 'postcode'], 1), class => 'illness',
  masking => ARRAY[by_taxonomy('education', 'tree'), by_intervals('age', '0', '120'), by_prefix('postcode')]);

-- what a release with each k measures
CREATE TABLE compared (what text, k int, same boolean);
CREATE FUNCTION compare(what text, ks int[], privacy text, arguments text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  t record;
  r jsonb;
  m jsonb;
BEGIN
  FOR t IN EXECUTE format('SELECT * FROM tds_tradeoff(''people'', %L, %s, %s)', ks, replace(privacy, '$k', '7'), arguments) LOOP
    EXECUTE format('SELECT tds_anonymize(''people'', ''one'', %s, %s)', replace(privacy, '$k', t.k::text), arguments) INTO r;
    SELECT jsonb_object_agg(measure, value) INTO m FROM release_measures('one');
    INSERT INTO compared SELECT what, t.k, (t.steps, t.groups, t.smallest_group, t.withheld) = ((r -> 'steps')::int, (m -> 'groups')::numeric, (m -> 'smallest_group')::numeric, (r -> 'withheld')::int)
      AND abs(t.certainty_loss - (m -> 'normalized_certainty_penalty')::float8) < 1e-9
      AND d.class_information IS NOT DISTINCT FROM t.class_information FROM release_drift('one') d;
    PERFORM release_drop('one');
  END LOOP;
END $$;
SELECT compare('all kinds', ARRAY[300, 2, 25], 'k_anonymity(ARRAY[''age'', ''sex'', ''education'', ''postcode'', ''since''], $k)',
  'class => ''illness'', masking => ARRAY[by_taxonomy(''education'', ''tree''), by_intervals(''age'', ''0'', ''120''), by_prefix(''postcode'')]');
SELECT compare('general use', ARRAY[2, 40], 'ARRAY[k_anonymity(ARRAY[''age'', ''sex'', ''since''], $k), k_anonymity(ARRAY[''education'', ''postcode''], $k)]', 'endpoints => ''values'', max_steps => 9');
SELECT compare('persons', ARRAY[2, 20], 'k_anonymity(ARRAY[''age'', ''sex'', ''postcode''], $k, ''patient'')', 'score => ''conditional'', class => ''illness''');
SELECT compare('others', ARRAY[2, 20], 'ARRAY[k_anonymity(ARRAY[''age'', ''sex''], $k), l_diversity(ARRAY[''age'', ''postcode''], ''illness'', 2)]', 'score => ''tdr'', masking => coarsest(by_prefix(''postcode''), 1)');
CREATE TABLE built AS SELECT * FROM taxonomy_build('people', 'age', 'iotf');
SELECT compare('taxonomies of intervals', ARRAY[5, 60], 'k_anonymity(ARRAY[''age'', ''sex''], $k)', 'masking => by_taxonomy(''age'', ''built'')');
SELECT what, k, same FROM compared ORDER BY what, k;
-- models that ask the same with one k are one
SELECT k, groups FROM tds_tradeoff('people', ARRAY[5], ARRAY[k_anonymity(ARRAY['age', 'sex'], 2), k_anonymity(ARRAY['sex', 'age'], 3)]);

-- the source is read once: what it takes to read it is counted
CREATE SEQUENCE reads;
CREATE VIEW read AS SELECT p.* FROM people p, (SELECT nextval('reads')) once;
SELECT count(*) FROM tds_tradeoff('read', ARRAY[2, 5, 10, 20], k_anonymity(ARRAY['age', 'sex'], 1));
SELECT last_value FROM reads;

-- no rows: there is no k
CREATE TABLE nobody (LIKE people);
SELECT * FROM tds_tradeoff('nobody', ARRAY[2], k_anonymity(ARRAY['age'], 1), class => 'illness');

-- what cannot be
SELECT tds_tradeoff('people', NULL, k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', '{}', k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', ARRAY[5, NULL], k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', ARRAY[5, 0], k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', ARRAY[5, 9, 5], k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', ARRAY[5], l_diversity(ARRAY['age'], 'illness', 2));
SELECT tds_tradeoff('people', ARRAY[5, 601], k_anonymity(ARRAY['age'], 1));
SELECT tds_tradeoff('people', ARRAY[0], ARRAY[]::privacy_model[], class => 'nothing', withhold => 2, score => 'best');

DROP SCHEMA tradeoff CASCADE;
