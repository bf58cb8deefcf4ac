-- release_measures and release_risk: by hand, of ranges as of labels, risks in plain SQL from the view; who may call; bad input. Measures
-- of random releases are recounted by measures.rs.
CREATE SCHEMA m;
SET search_path TO m, public;

\echo By hand
-- {0,1,2} and {10,11,13} of width 13, k = 3: IL = 3 * 2/13 + 3 * 3/13 = 15/13. NTIL = 15/13 / 6 = .192308, NIL1 = 5/13 / 2 = .192308, NILinf = 3/13 = .230769,
-- DM = 9 + 9, n/u = 3, AVG = 3/3. All three of a group may be any of its three values: log2(3/1) of log2(6/1) bits are lost: .613147
CREATE TABLE small (a int);
INSERT INTO small VALUES (0), (1), (2), (10), (11), (13);
SELECT FROM kmember_anonymize('small', 'hand', ARRAY['a'], 3, endpoints => 'values');
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('hand') WHERE measure !~ ':' ORDER BY measure;
-- two groups of 3: 1/3 is above 0.2, not above 1/3 itself; the marketer finds 2 of 6
SELECT attacker, records_at_risk, round(highest_risk::numeric, 6) AS highest, round(average_risk::numeric, 6) AS average FROM release_risk('hand') ORDER BY 1;
SELECT attacker, records_at_risk FROM release_risk('hand', 1 / 3::float8) ORDER BY 1;
SELECT attacker, records_at_risk FROM release_risk('hand', threshold => 0.33) ORDER BY 1;
-- sizes 3 and 2: with (0,1,6,9,10) and k = 2, [0,1] 2 and [6,10] 3: NTIL (2 * 1/10 + 3 * 4/10) / 5 = .28, NIL1 (.1 + .4)/2 = .25, NILinf .4, DM 4 + 9,
-- n/u 2.5, AVG 1.25; of the 5 rows 2 are in the pair: highest 1/2, average 2/5; above 0.4 are the pair's 2 of 5
TRUNCATE small;
INSERT INTO small VALUES (0), (1), (6), (9), (10);
SELECT FROM kmember_anonymize('small', 'hand', ARRAY['a'], 2, endpoints => 'values', allow_weaker => true);
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('hand') WHERE measure IN ('ntil', 'nil_1', 'nil_inf', 'discernibility', 'average_class_size', 'avg', 'groups', 'smallest_group') ORDER BY measure;
SELECT t AS threshold, attacker, round(records_at_risk::numeric, 6) AS at_risk, round(highest_risk::numeric, 6) AS highest, round(average_risk::numeric, 6) AS average
FROM unnest(ARRAY[0, 0.3, 0.4, 0.5, 1]) t, release_risk('hand', t) ORDER BY 1, 2;

\echo Of random people
CREATE FUNCTION numbers(rel text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(measure || ' ' || round(value::numeric, 4), ', ' ORDER BY measure) FROM release_measures(rel) $$;
-- Three attackers: a row's risk is 1 by its group's rows; the marketer's is groups by rows.
CREATE FUNCTION risks_differing(rel text, names text) RETURNS TABLE (threshold float8, attacker text, at_risk float8, highest float8, average float8) LANGUAGE plpgsql AS
$$
BEGIN
  RETURN QUERY EXECUTE format($q$
    WITH groups AS (SELECT count(*)::float8 AS n FROM %1$I.people GROUP BY %2$s), t (threshold) AS (SELECT unnest(ARRAY[0, 0.05, 0.1, 0.2, 1 / 3.0, 0.5, 1]::float8[])),
      own AS (SELECT threshold, coalesce(sum(n) FILTER (WHERE 1 / n > threshold), 0) / sum(n) AS at_risk, max(1 / n) AS highest, count(*) / sum(n) AS average FROM groups, t GROUP BY threshold),
      expected AS (SELECT threshold, a, at_risk, highest, average FROM own, unnest(ARRAY['prosecutor', 'journalist']) a
                   UNION ALL SELECT threshold, 'marketer', (average > threshold)::int, average, average FROM own),
      found AS (SELECT t.threshold, r.* FROM t, release_risk(%1$L, t.threshold) r)
    SELECT coalesce(f.threshold, e.threshold), f.attacker, f.records_at_risk, f.highest_risk, f.average_risk FROM found f FULL JOIN expected e ON e.threshold = f.threshold AND e.a = f.attacker
    WHERE (abs(f.records_at_risk - e.at_risk) < 1e-12 AND abs(f.highest_risk - e.highest) < 1e-12 AND abs(f.average_risk - e.average) < 1e-12) IS NOT TRUE
    $q$, rel, names);
END $$;

CREATE TABLE people (id int PRIMARY KEY, age int, hours numeric, city text, job text, edu int, income text);
SELECT setseed(0.125);
INSERT INTO people SELECT i, 17 + (70 * random() * random())::int, round((10 + 60 * random())::numeric, 1), 'c' || (8 * random() * random())::int, 'j' || (4 * random())::int, 1 + (15 * random())::int, NULL FROM generate_series(1, 150) i;
UPDATE people SET income = CASE WHEN age + edu * 3 + random() * 20 > 65 THEN 'high' ELSE 'low' END;
CREATE TABLE city_tree (child text, parent text);
INSERT INTO city_tree VALUES ('c0', 'N'), ('c1', 'N'), ('c2', 'N'), ('c3', 'W'), ('c4', 'W'), ('W', 'S'), ('c5', 'S'), ('c6', 'S'), ('N', 'all'), ('S', 'all'), ('c7', 'far'), ('c8', 'far'), ('far', 'all'), ('c9', 'all');
CREATE TABLE edu_tree AS SELECT * FROM taxonomy_build('people', 'edu', 'iotf', '{"lower": 0, "upper": 20}');
CREATE FUNCTION masks() RETURNS masking[] LANGUAGE sql AS $$ SELECT ARRAY[by_taxonomy('city', 'm.city_tree'), by_taxonomy('edu', 'm.edu_tree')] $$;
\set model 'k_anonymity(ARRAY[\'age\', \'city\', \'job\', \'edu\'], 4)'
SELECT result -> 'steps' <> '0' AS refined FROM tds_anonymize('people', 'tds', ARRAY[:model], class => 'income', masking => masks(), endpoints => 'values') result;
SELECT numbers('tds');
SELECT * FROM risks_differing('tds', 'age, city, job, edu');
-- nothing refined: all is lost
SELECT FROM tds_anonymize('people', 'top', ARRAY[:model], class => 'income', masking => masks(), max_steps => 0, endpoints => 'values');
SELECT numbers('top');
SELECT * FROM risks_differing('top', 'age, city, job, edu');
-- ranges: the same figures as labels, with a domain and without, refined and not
CREATE FUNCTION like_labels(models privacy_model[], masks masking[], steps int DEFAULT NULL) RETURNS TABLE (measure text, labels float8, ranges float8) LANGUAGE plpgsql AS
$$
BEGIN
  DROP SCHEMA IF EXISTS l, l_private, r, r_private CASCADE;
  PERFORM tds_anonymize('people', 'l', models, class => 'income', masking => masks, max_steps => steps, endpoints => 'values');
  PERFORM tds_anonymize('people', 'r', models, class => 'income', masking => masks, max_steps => steps, intervals => 'range', endpoints => 'values');
  RETURN QUERY SELECT coalesce(a.measure, b.measure), a.value, b.value FROM release_measures('l') a FULL JOIN release_measures('r') b ON a.measure = b.measure WHERE (abs(a.value - b.value) < 1e-9) IS NOT TRUE;
END $$;
SELECT * FROM like_labels(ARRAY[:model], masks());
SELECT * FROM like_labels(ARRAY[:model], masks(), 0);
SELECT * FROM like_labels(ARRAY[:model], masks() || by_intervals('age', '0', '120'));
SELECT * FROM like_labels(ARRAY[:model], masks() || by_intervals('age', '0', '120'), 0);
SELECT * FROM like_labels(ARRAY[k_anonymity(ARRAY['age', 'hours'], 5)], ARRAY[by_intervals('hours', '0', '99.9')]);
-- two models: avg is by the smaller k, classes are by all the masked columns
SELECT FROM tds_anonymize('people', 'two', ARRAY[k_anonymity(ARRAY['age', 'city'], 9), k_anonymity(ARRAY['job', 'edu'], 6), l_diversity(ARRAY['age'], 'income', 2)], masking => masks(), endpoints => 'values');
SELECT a.value = c.value / 6 AS by_smaller FROM release_measures('two') a, release_measures('two') c WHERE a.measure = 'avg' AND c.measure = 'average_class_size';
SELECT * FROM risks_differing('two', 'age, city, job, edu');
-- one value alone: nothing is lost
CREATE TABLE alike (id int, age int, city text);
INSERT INTO alike SELECT i, 30, 'c1' FROM generate_series(1, 10) i;
SELECT FROM tds_anonymize('alike', 'tds_alike', ARRAY[k_anonymity(ARRAY['age', 'city'], 2)], endpoints => 'values');
SELECT numbers('tds_alike');
SELECT FROM kmember_anonymize('alike', 'k_alike', ARRAY['age', 'city'], 2, endpoints => 'values');
SELECT numbers('k_alike');

\echo NULLs
CREATE TABLE people_all AS TABLE people;
UPDATE people SET age = NULL WHERE id % 8 = 0;
UPDATE people SET city = NULL WHERE id % 9 = 0;
UPDATE people SET job = NULL WHERE id % 10 = 0;
UPDATE people SET edu = NULL, income = NULL WHERE id % 7 = 0;
SELECT FROM tds_anonymize('people', 'nulls', ARRAY[:model], class => 'income', masking => masks(), endpoints => 'values');
SELECT numbers('nulls');
SELECT * FROM risks_differing('nulls', 'age, city, job, edu');
SELECT * FROM like_labels(ARRAY[:model], masks());
SELECT * FROM like_labels(ARRAY[:model], masks(), 0);
SELECT * FROM like_labels(ARRAY[k_anonymity(ARRAY['age', 'hours'], 5)], ARRAY[by_intervals('age', '0', '120')]);

\echo k-member
UPDATE people p SET (age, hours, city, job, edu, income) = (SELECT age, hours, city, job, edu, income FROM people_all a WHERE a.id = p.id);
SELECT FROM kmember_anonymize('people', 'k_trees', ARRAY['age', 'city', 'job', 'edu'], 4, masks(), endpoints => 'values');
SELECT numbers('k_trees');
SELECT * FROM risks_differing('k_trees', 'age, city, job, edu');
-- without hierarchies the loss is by the column's width, or by the domain's
SELECT FROM kmember_anonymize('people', 'k_free', ARRAY['age', 'edu', 'hours'], 5, endpoints => 'values');
SELECT numbers('k_free');
SELECT FROM kmember_anonymize('people', 'k_bounds', ARRAY['age', 'city', 'job', 'edu'], 4, masks() || by_intervals('age', '0', '120'), endpoints => 'values');
SELECT numbers('k_bounds');
-- the newest version counts
SELECT FROM kmember_anonymize('people', 'k_free', ARRAY['age', 'edu', 'hours'], 30, endpoints => 'values');
SELECT value >= 30 AS newest FROM release_measures('k_free') WHERE measure = 'smallest_group';
-- what hierarchies cost (Definition 8): free is never above the trees of the same rows and k here
SELECT FROM kmember_anonymize('people', 'k_edu_free', ARRAY['edu'], 3, endpoints => 'values');
SELECT FROM kmember_anonymize('people', 'k_edu_tree', ARRAY['edu'], 3, ARRAY[by_taxonomy('edu', 'edu_tree')], endpoints => 'values');
SELECT (SELECT value FROM release_measures('k_edu_free') WHERE measure = 'ntil') <= (SELECT value FROM release_measures('k_edu_tree') WHERE measure = 'ntil') AS free_is_best;

\echo PDA
SELECT FROM pda_anonymize('people', 'pda', ARRAY[confidence_bound(ARRAY['city', 'job'], 'income', ARRAY['high'], 0.7)], 'income', endpoints => 'values');
SELECT numbers('pda');
SELECT * FROM risks_differing('pda', 'city, job');

\echo Dates, and numbers beyond
-- 2020-01-01, -03, -05 and 2020-01-11 twice of ten days, k = 2: [01,03] 2, the 11s 2, then 05: 3 * 4/10 - 2 * 2/10 = .8 with the first, 3 * 6/10 = 1.8 with the 11s. NTIL 3 * 4/10 / 5 = .24
CREATE TABLE days (d date);
INSERT INTO days VALUES ('2020-01-01'), ('2020-01-03'), ('2020-01-05'), ('2020-01-11'), ('2020-01-11');
SELECT FROM kmember_anonymize('days', 'k_days', ARRAY['d'], 2, endpoints => 'values');
SELECT measure, round(value::numeric, 6) AS value FROM release_measures('k_days') WHERE measure IN ('ntil', 'nil_1', 'nil_inf') ORDER BY 1;
CREATE TABLE wide (f float8);
INSERT INTO wide VALUES (-1.7e308), (-1.6e308), (0), (1), (1.6e308), (1.7e308);
SELECT FROM kmember_anonymize('wide', 'k_wide', ARRAY['f'], 2, endpoints => 'values');
SELECT measure, value FROM release_measures('k_wide') WHERE measure IN ('ntil', 'nil_1', 'nil_inf', 'normalized_certainty_penalty', 'non_uniform_entropy') AND value NOT BETWEEN 0 AND 1;

\echo Who may call
CREATE ROLE regress_m_owner;
CREATE ROLE regress_m_member IN ROLE regress_m_owner;
CREATE ROLE regress_m_reader;
CREATE ROLE regress_m_super SUPERUSER;
GRANT USAGE ON SCHEMA m TO regress_m_owner, regress_m_reader;
GRANT SELECT ON people TO regress_m_owner;
GRANT CREATE ON DATABASE contrib_regression TO regress_m_owner;
GRANT EXECUTE ON FUNCTION kmember_anonymize, release_grant TO regress_m_owner;
SET ROLE regress_m_owner;
SELECT FROM kmember_anonymize('people', 'owned', ARRAY['age'], 5, endpoints => 'values');
SELECT release_grant('owned', 'regress_m_reader');
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_member;
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_super;
SELECT count(*) > 10 AS measures FROM release_measures('owned');
SELECT count(*) AS attackers FROM release_risk('owned');
RESET ROLE;
SET ROLE regress_m_reader;
SELECT count(*) FROM owned.people;
SELECT release_measures('owned');
SELECT release_risk('owned');
RESET ROLE;

\echo Bad input
SELECT release_risk('tds', -0.1);
SELECT release_risk('tds', 1.1);
SELECT release_risk('tds', 'NaN');
SELECT release_risk('tds', 'Infinity');
SELECT release_risk('tds', NULL);
SELECT release_risk(NULL);
SELECT release_risk('nowhere');
SELECT release_risk('m');
SELECT release_measures(NULL);
SELECT release_measures('nowhere');
SELECT release_measures('m');
SELECT release_measures('pg_catalog');

SELECT count(release_drop(release)) > 10 AS dropped FROM releases();
DROP SCHEMA m CASCADE;
REVOKE CREATE ON DATABASE contrib_regression FROM regress_m_owner;
DROP OWNED BY regress_m_owner, regress_m_reader;
DROP ROLE regress_m_owner, regress_m_member, regress_m_reader, regress_m_super;
