-- The risk of being found in a population: counted in a register, by sampling weights, or estimated from the sample.
CREATE SCHEMA risking;
SET search_path TO risking, public;

-- A. By hand. Towns a, b and c; of a one row is released, of b two, of c five. In the register a has 1, b 10, c 4 (fewer than the release).
CREATE TABLE few (town text, weight int, other text);
INSERT INTO few SELECT 'a', 3, 'x' UNION ALL SELECT 'b', 5, 'x' FROM generate_series(1, 2) UNION ALL SELECT 'c', 10, 'x' FROM generate_series(1, 5);
CREATE TABLE register AS SELECT 'a'::text AS town, 'x'::text AS other UNION ALL SELECT 'b', 'x' FROM generate_series(1, 10) UNION ALL SELECT 'c', 'x' FROM generate_series(1, 4)
                         UNION ALL SELECT 'd', 'x' FROM generate_series(1, 9);
SELECT r ->> 'rows' AS rows FROM tds_anonymize('few', 'towns', k_anonymity('{town}', 1), masking => by_suppression('town'), keep => '{weight,other}') r;
SELECT town, count(*) FROM towns.few GROUP BY town ORDER BY town;
SELECT attacker, records_at_risk, highest_risk, round(average_risk::numeric, 4) AS average_risk FROM release_risk('towns');
-- journalist: a 1/1, b 1/10, c 1/5 at least; marketer their mean; a is alone in both
SELECT attacker, records_at_risk, highest_risk, round(average_risk::numeric, 4) AS average_risk FROM release_risk('towns', population => 'register');
SELECT attacker, records_at_risk, highest_risk, round(average_risk::numeric, 4) AS average_risk FROM release_risk('towns', 0.05, '{town,other}', 'register');
INSERT INTO register VALUES ('a', 'y');
SELECT attacker, highest_risk FROM release_risk('towns', population => 'register') WHERE attacker IN ('journalist', 'unique');
SELECT attacker, highest_risk FROM release_risk('towns', known => '{town,other}', population => 'register') WHERE attacker IN ('journalist', 'unique');
-- weights: a 3, b 10, c 50
SELECT attacker, records_at_risk, round(highest_risk::numeric, 4) AS highest_risk, round(average_risk::numeric, 4) AS average_risk
FROM release_risk('towns', weight => 'weight') WHERE attacker IN ('journalist', 'marketer');
SELECT measure, value FROM release_measures('towns', weight => 'weight') WHERE measure IN ('population', 'smallest_matched', 'groups') ORDER BY measure;
-- a share of the population: each group is ten times as large
SELECT attacker, records_at_risk, highest_risk, round(average_risk::numeric, 4) AS average_risk FROM release_risk('towns', sampling_fraction => 0.1) WHERE attacker <> 'unique';
-- all of it: who is alone is alone
SELECT attacker, records_at_risk, highest_risk, average_risk FROM release_risk('towns', sampling_fraction => 1) WHERE attacker = 'unique';

-- B. Against brute force, through maskings and groups: the register as the release would show it.
CREATE TABLE people AS SELECT i AS id, 20 + i * i % 67 AS age, (ARRAY['north', 'east', 'south'])[1 + i * 5 % 3] AS region FROM generate_series(1, 3000) i;
CREATE TABLE sample AS SELECT age, region FROM people WHERE id % 11 = 3;
CREATE FUNCTION by_hand(release text) RETURNS TABLE (highest float8, average float8, alone float8) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH shown AS MATERIALIZED (SELECT (SELECT c.node FROM %1$I.cut c WHERE c.attribute = 'age' AND (c.lower IS NULL OR c.lower::int <= p.age) AND (c.upper IS NULL OR p.age < c.upper::int)) AS age,
                          COALESCE((SELECT c.node FROM %1$I.cut c WHERE c.attribute = 'region' AND c.node = p.region), '*') AS region FROM people p),
         own AS (SELECT age, region, count(*) AS f FROM %1$I.sample GROUP BY age, region),
         both_sides AS (SELECT o.f, (SELECT count(*) FROM shown s WHERE (s.age, s.region) = (o.age, o.region)) AS matched FROM own o)
    SELECT max(1.0 / greatest(f, matched))::float8, (sum(f::float8 / greatest(f, matched)) / sum(f))::float8, (sum(f) FILTER (WHERE f = 1 AND matched = 1) / sum(f))::float8 FROM both_sides$q$, release);
END $$;
SELECT r ->> 'rows' AS rows FROM tds_anonymize('sample', 'people_sampled', k_map('{age,region}', 4, 'people'), masking => by_suppression('region')) r;
SELECT abs(highest_risk - highest) < 1e-9 AND abs(average_risk - average) < 1e-9 AS same FROM release_risk('people_sampled', population => 'people'), by_hand('people_sampled') WHERE attacker = 'journalist';
SELECT highest_risk <= 0.25 AS kept FROM release_risk('people_sampled', population => 'people') WHERE attacker = 'journalist';
-- by local recoding each row of the register is in one group
SELECT r ->> 'rows' AS rows FROM tds_anonymize('sample', 'people_local', k_map('{age,region}', 4, 'people'), masking => by_suppression('region'), recoding => 'local') r;
SELECT (1 / highest_risk)::int = (SELECT achieved FROM release_verify('people_local')) AS as_verified FROM release_risk('people_local', population => 'people') WHERE attacker = 'journalist';
-- the page has them, of the population of the model or of a share of one
SELECT position('unique' in release_report('people_sampled')) > 0 AS counted, position('unique' in release_report('towns')) > 0 AS none,
       position('unique' in release_report('towns', sampling_fraction => 0.2)) > 0 AS estimated, position('unique' in release_report('people_sampled', 'recipient')) > 0 AS told;

-- a population beyond all numbers
SELECT attacker, highest_risk < 1e-9 AND average_risk < 1e-9 AS none FROM release_risk('people_sampled', sampling_fraction => 1e-310) WHERE attacker <> 'prosecutor';

-- C. What is estimated is near what is there: one in six of a population is alone.
CREATE TABLE many AS SELECT row_number() OVER () AS id, c AS code FROM generate_series(1, 6000) c, generate_series(1, greatest(1, 3000 / c)) n;
CREATE TABLE drawn AS SELECT code FROM many WHERE hashint8(id) % 20 = 0;
SELECT r ->> 'rows' AS rows FROM tds_anonymize('drawn', 'drawn_codes', k_anonymity('{code}', 1), masking => by_suppression('code'), keep => '{}') r;
SELECT abs(e.average_risk - c.average_risk) < 0.05 AS near, abs(e.highest_risk - c.records_at_risk / e.records_at_risk) < 0.12 AS near_chance
FROM release_risk('drawn_codes', sampling_fraction => 0.05) e, release_risk('drawn_codes', population => 'many') c WHERE e.attacker = 'unique' AND c.attacker = 'unique';

-- D. What cannot be asked
SELECT release_risk('towns', population => 'register', sampling_fraction => 0.1);
SELECT release_risk('towns', sampling_fraction => 0);
SELECT release_risk('towns', sampling_fraction => 1.5);
SELECT release_risk('towns', sampling_fraction => 'NaN');
SELECT release_risk('towns', weight => 'other');
SELECT release_risk('towns', weight => 'nowhere');
SELECT release_risk('towns', known => '{weight}', population => 'register');
SELECT release_report('towns', sampling_fraction => 2);
INSERT INTO few VALUES ('c', 0, 'x');
SELECT release_refresh('towns') ->> 'version' AS version;
SELECT release_risk('towns', weight => 'weight');
-- a person counts once, by the least of its weights
CREATE TABLE visits AS SELECT i / 5 AS person, i / 10 % 20 AS town, 10 + i % 2 AS weight FROM generate_series(0, 399) i;
SELECT tds_anonymize('visits', 'visited', k_anonymity('{town}', 2, person => 'person'), masking => by_suppression('town'), keep => '{weight}') ->> 'rows' AS rows;
SELECT attacker, highest_risk FROM release_risk('visited', weight => 'weight') WHERE attacker = 'journalist';
SELECT value FROM release_measures('visited', weight => 'weight') WHERE measure = 'population';
-- who is in several groups is one of the population
CREATE TABLE stays AS SELECT p AS person, g AS ward, w::float8 AS weight FROM generate_series(1, 20) p, (VALUES ('a', 10), ('b', 30)) v (g, w) UNION ALL VALUES (1, 'a', 70);
SELECT r ->> 'rows' AS rows FROM tds_anonymize('stays', 'stayed', k_anonymity('{ward}', 5, 'person'), masking => by_suppression('ward'), keep => '{weight}') r;
SELECT ward, count(*) FROM stayed.stays GROUP BY ward ORDER BY ward;
SELECT * FROM release_measures('stayed', weight => 'weight') WHERE measure IN ('population', 'smallest_matched') ORDER BY 1;
-- means are no weights
SELECT tds_anonymize('visits', 'means', k_anonymity('{town}', 20), means => '{town}') ->> 'version' AS version;
SELECT release_risk('means', weight => 'town_mean');
-- no row of a population is in one cluster
SELECT tds_anonymize('visits', 'clusters', k_anonymity('{town}', 5), recoding => 'clustered') ->> 'rows' AS rows;
SELECT release_risk('clusters', population => 'register');
-- calls that release_suggest prints run
CREATE FUNCTION runs(models privacy_model[]) RETURNS text LANGUAGE plpgsql AS $$ DECLARE c text; made jsonb; BEGIN
  SELECT call INTO c FROM release_suggest('few', models) LIMIT 1; EXECUTE c INTO made; PERFORM release_drop(made ->> 'release');
  RETURN regexp_replace(c, '^.*few'', ''[^'']*'', ', ''); END $$;
SELECT runs(ARRAY[lkc_privacy('{town,weight}', 1, 1, 'other', ARRAY['x'], 1)]);
SELECT runs(ARRAY[confidence_bound('{town,weight}', 'other', NULL, 1)]);
SELECT count(*) FROM (SELECT release_drop(release) FROM releases()) d;
DROP SCHEMA risking CASCADE;
