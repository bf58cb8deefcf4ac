-- Threat: differences. The cuts and counts of several versions, subtracted, tell about single rows: recipients see the
-- newest version's cut and rows only, the owner keeps the history of steps, taxonomy and manifest.
CREATE ROLE regress_diff_reader;
CREATE SCHEMA diff;
SET search_path TO diff, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SELECT release_grant('r', 'regress_diff_reader');
SET ROLE regress_diff_reader;
SELECT version, attribute, node, records FROM r.cut ORDER BY 2, 3;
RESET ROLE;
INSERT INTO people VALUES ('c0', 0);
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 10)]) ->> 'version' AS version;
SET ROLE regress_diff_reader;
SELECT version, attribute, node, records FROM r.cut ORDER BY 2, 3;
SELECT count(*) FROM r.people;
SELECT * FROM r_private.rows_v1;
SELECT * FROM r_private.rows_v2;
RESET ROLE;
SELECT relname FROM pg_class WHERE relnamespace IN ('r'::regnamespace, 'r_private'::regnamespace) AND relkind IN ('r', 'p', 'v') ORDER BY 1;
-- a call that fails leaves the newest version's cut as it is
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 42)]);
SET ROLE regress_diff_reader;
SELECT DISTINCT version FROM r.cut;
RESET ROLE;
SELECT (SELECT count(DISTINCT version) FROM r_private.steps) AS steps, (SELECT count(DISTINCT version) FROM r_private.taxonomy) AS taxonomy, (SELECT count(*) FROM r_private.manifest) AS manifest;
SELECT release_drop('r');
DROP SCHEMA diff CASCADE;
DROP ROLE regress_diff_reader;
