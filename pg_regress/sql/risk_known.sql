-- release_risk(known => ...): what an attacker risks who knows other columns than the masked ones, kept ones too.
CREATE SCHEMA known;
SET search_path TO known, public;
CREATE TABLE visits AS SELECT 20 + i % 40 AS age, (ARRAY['F', 'M'])[1 + i / 40 % 2] AS sex, i % 7 AS ward, CASE WHEN i % 50 = 0 THEN 9000 + i END AS bill, format('{"w": %s}', i % 3)::json AS doc, 'P' || i / 2 AS patient FROM generate_series(1, 400) i;
SELECT tds_anonymize('visits', 'r', k_anonymity(ARRAY['age', 'sex'], 20), keep => ARRAY['ward', 'bill', 'doc']) ->> 'version' AS version;
-- the masked columns, as before; then with kept ones, of which one singles out
SELECT * FROM release_risk('r');
SELECT * FROM release_risk('r', known => ARRAY['age', 'sex']);
SELECT * FROM release_risk('r', known => ARRAY['sex']);
SELECT * FROM release_risk('r', 0.05, ARRAY['age', 'sex', 'ward']);
SELECT * FROM release_risk('r', known => ARRAY['bill']);
SELECT * FROM release_risk('r', known => ARRAY['doc', 'bill', 'age']) WHERE attacker = 'prosecutor';
-- as plain SQL counts it
SELECT sum(n) FILTER (WHERE 1.0 / n > 0.05) / sum(n) AS records_at_risk, max(1.0 / n) AS highest_risk, count(*) / sum(n) AS average_risk FROM (SELECT count(*) AS n FROM r.visits GROUP BY age, sex, ward) g;
-- persons are counted where the release counts them
SELECT tds_anonymize('visits', 'p', k_anonymity(ARRAY['age', 'sex'], 20, 'patient'), keep => ARRAY['ward']) ->> 'version' AS version;
SELECT * FROM release_risk('p', known => ARRAY['ward', 'sex']) WHERE attacker = 'marketer';
SELECT sum(n / persons::float8) / sum(n) AS average_risk FROM (SELECT count(*) AS n, count(DISTINCT hidden_1) AS persons FROM p_private.rows_v1 GROUP BY ward, sex) g;
-- what cannot be known: nothing, what the view does not show, a column twice
SELECT release_risk('r', known => '{}');
SELECT release_risk('r', known => ARRAY['age', 'patient']);
SELECT release_risk('p', known => ARRAY['hidden_1']);
SELECT release_risk('p', known => ARRAY['version']);
SELECT release_risk('r', known => ARRAY['age', NULL]);
SELECT release_risk('r', known => ARRAY['age', 'sex', 'age']);
SELECT release_risk('r', 2, ARRAY['age']);
-- for the owner only, like all risks
CREATE ROLE known_reader;
GRANT USAGE ON SCHEMA known TO known_reader;
SELECT release_grant('r', 'known_reader');
SET ROLE known_reader;
SELECT release_risk('r', known => ARRAY['age']);
RESET ROLE;
-- by local recoding, of kept columns alone
CREATE TABLE few AS SELECT i % 20 AS age, (i % 3)::text AS zone, i % 5 AS kept FROM generate_series(1, 300) i;
SELECT tds_anonymize('few', 'known_l', k_anonymity('{age,zone}', 5), keep => '{kept}', recoding => 'local') ->> 'version' AS version;
SELECT attacker, round(1 / nullif(highest_risk, 0)) AS matched FROM release_risk('known_l', known => '{kept}', population => 'few') ORDER BY 1;
SELECT release_drop('known_l');
-- Equal values that are printed otherwise tell rows apart.
CREATE TABLE amounts AS SELECT 1 AS a, (CASE i WHEN 1 THEN '1.0' WHEN 2 THEN '1.00' ELSE '1' END)::numeric AS amount FROM generate_series(1, 40) i;
SELECT tds_anonymize('amounts', 'known_p', k_anonymity('{a}', 5), keep => '{amount}') -> 'kept_at_risk' AS kept_at_risk;
SELECT attacker, highest_risk FROM release_risk('known_p', known => '{a,amount}') ORDER BY 1;
SELECT release_drop('known_p');
SELECT count(release_drop(release)) FROM unnest('{r,p}'::name[]) release;
DROP SCHEMA known CASCADE;
DROP ROLE known_reader;
