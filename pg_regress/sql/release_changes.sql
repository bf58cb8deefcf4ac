-- What two versions tell of the rows that came between them, left and stayed; recounted with plain SQL.
CREATE SCHEMA chg;
SET search_path TO chg, public;
\pset null '~'
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, (ARRAY['Ulm','Bonn','Kiel'])[1 + i % 3] AS town, i % 40 AS patient,
  (ARRAY['flu','cold','none','gout'])[1 + i * 11 % 4] AS illness, 'n' || i % 2 AS note FROM generate_series(1, 600) i;
CREATE FUNCTION changes(release text, a int DEFAULT NULL, b int DEFAULT NULL) RETURNS TABLE (part text, model text, required float8, achieved float8, holds boolean, groups bigint, violating_groups bigint, violating_rows bigint) LANGUAGE sql AS $$
  SELECT part, (SELECT k FROM jsonb_object_keys(model::text::jsonb) k), required, round(achieved::numeric, 4), holds, groups, violating_groups, violating_rows FROM release_changes(release, a, b) $$;
SELECT tds_anonymize('people', 'g', ARRAY[k_anonymity('{age,town}', 10), l_diversity('{age,town}', 'illness', 2), t_closeness('{age,town}', 'illness', 0.5), k_anonymity('{age}', 4, person => 'patient')],
  score => 'conditional', keep => '{note}') ->> 'version' AS version;
SELECT * FROM changes('g');
-- the same rows are no version, in whatever order they lie, and one that is dropped and comes again is none
UPDATE people SET id = id;
SELECT release_refresh('g') - 'rows' AS unchanged;
SELECT count(*) FROM g_private.manifest;
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release = 'g';
-- asked for, a search makes one
SELECT release_refresh('g', 'search') ->> 'version' AS version;
SELECT * FROM changes('g') WHERE model = 'k_anonymity';
-- some leave, some come
DELETE FROM people WHERE id % 50 = 0 OR id <= 5;
INSERT INTO people SELECT 1000 + i, 20 + i * 13 % 60, (ARRAY['Ulm','Bonn','Kiel'])[1 + i % 3], 100 + i, 'flu', 'n0' FROM generate_series(1, 14) i;
SELECT release_refresh('g') ->> 'version' AS version;
SELECT * FROM changes('g');
SELECT * FROM recounted('g', 'age, town', 10);
-- equal rows count as often as they are there
INSERT INTO people SELECT p.* FROM people p, generate_series(1, 3) WHERE id = 7;
DELETE FROM people WHERE id = 8;
SELECT release_refresh('g') ->> 'rows' AS rows;
SELECT * FROM changes('g') WHERE model = 'k_anonymity';
SELECT * FROM recounted('g', 'age, town', 10);
-- of any two versions that are there
SET pg_topdown.keep_versions = 10;
SELECT part, groups FROM changes('g', 3, 4) WHERE model = 'l_diversity';
SELECT release_refresh('g', 'search') ->> 'version' AS version;
SELECT part, groups FROM changes('g', 3, 5) WHERE model = 'l_diversity';
SELECT part, groups FROM changes('g', NULL, 4) WHERE model = 'l_diversity';
-- rewound: the same rows, shown coarser
SELECT release_rewind('g', 2) ->> 'version' AS version;
SELECT part, achieved, holds, groups FROM changes('g') WHERE model = 'k_anonymity';
SELECT release_refresh('g') -> 'unchanged' AS unchanged;
-- a taxonomy that changes is a change, and so is what may be read
CREATE TABLE towns (child text, parent text);
INSERT INTO towns VALUES ('Ulm', 'south'), ('Bonn', 'north'), ('Kiel', 'north'), ('north', 'any'), ('south', 'any');
SELECT tds_anonymize('people', 'x', k_anonymity('{town}', 10), masking => by_taxonomy('town', 'chg.towns'), keep => '{note}') ->> 'version' AS version;
SELECT release_refresh('x') -> 'unchanged' AS unchanged;
INSERT INTO towns VALUES ('Jena', 'south');
SELECT release_refresh('x') -> 'version' AS version;
DROP VIEW x.cut;
SELECT release_refresh('x') -> 'version' AS version;
-- rows by local and clustered recoding, counted rows, k-member
SELECT tds_anonymize('people', 'l', k_anonymity('{age,town}', 8), recoding => 'local', keep => '{note}') ->> 'version' AS version;
SET pg_topdown.scan = counts;
SELECT tds_anonymize('people', 'c', k_anonymity('{age,town}', 8), keep => '{note}') ->> 'version' AS version;
RESET pg_topdown.scan;
SELECT kmember_anonymize('people', 'm', '{age,town}', 8, keep => '{note}') ->> 'version' AS version;
DELETE FROM people WHERE id % 37 = 0;
INSERT INTO people SELECT 2000 + i, 30 + i * 13 % 40, (ARRAY['Ulm','Bonn','Kiel'])[1 + i % 3], 100 + i, 'flu', 'n0' FROM generate_series(1, 24) i;
SELECT release_refresh(r) ->> 'version' AS version FROM unnest('{l,c,m}'::text[]) r;
SELECT part, achieved, groups, violating_groups, violating_rows FROM changes('l');
SELECT * FROM recounted('l', 'age, town', 8);
SELECT part, achieved, groups, violating_groups, violating_rows FROM changes('c');
SELECT * FROM recounted('c', 'age, town', 8);
SELECT part, achieved, groups, violating_groups, violating_rows FROM changes('m');
-- clusters show equal rows otherwise: of these those stayed that are shown alike, and a refresh says the same
CREATE TABLE pairs AS SELECT p / 2 AS a, p % 2 AS b FROM unnest('{3,1,2,3,2,3,2,1,2,0,1,1,0,0,0,1,1,0,1,1,3,0,1,3,2,2,2,1,2,0}'::int[]) p;
SELECT kmember_anonymize('pairs', 'e', '{a,b}', 2) ->> 'version' AS version;
SELECT count(*) FROM (SELECT FROM e_private.rows_v1 GROUP BY row HAVING count(DISTINCT (a, b)) > 1) s;
DELETE FROM pairs WHERE ctid IN (SELECT ctid FROM pairs ORDER BY a, b LIMIT 5);
INSERT INTO pairs VALUES (0, 0), (0, 0), (1, 0);
SELECT release_refresh('e') ->> 'version' AS version;
SELECT part, achieved, groups, violating_groups, violating_rows FROM changes('e');
-- A column that was kept is masked by the later version, and a sensitive one counted: both are read by its models.
CREATE TABLE later AS SELECT i AS id, i % 5 AS age, 'z' || i % 4 AS zip, i % 3 AS ill FROM generate_series(1, 400) i;
SELECT tds_anonymize('later', 'x2', k_anonymity('{age}', 5), keep => '{zip,ill}') ->> 'version' AS version;
DELETE FROM later WHERE id % 17 = 3;
SELECT tds_anonymize('later', 'x2', k_anonymity('{age,zip}', 5), keep => '{ill}') ->> 'version' AS version;
SELECT part, required, achieved FROM changes('x2');
DELETE FROM later WHERE id % 17 = 4;
SELECT tds_anonymize('later', 'x2', l_diversity('{age,zip}', 'ill', 2), allow_weaker => true) ->> 'version' AS version;
SELECT part, required, achieved FROM changes('x2');
SELECT release_drop('x2');
-- what cannot be compared
CREATE FUNCTION fails(call text) RETURNS TABLE (state text, message text, detail text, hint text) LANGUAGE plpgsql AS $$ BEGIN
  EXECUTE call; EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT; RETURN NEXT; END $$;
SELECT release_changes(NULL);
SELECT release_changes('none');
SELECT release_changes('g', 3, 3);
SELECT release_changes('g', 3, 99);
SELECT release_changes('g', 0, 3);
SELECT release_changes('g', to_version => 1);
SELECT release_alter('x', keep => '{note}', privacy => ARRAY[k_anonymity('{town}', 9)], allow_weaker => true) ->> 'version' AS version;
SELECT part, required, achieved FROM changes('x');
ALTER TABLE people ALTER note TYPE varchar(9);
UPDATE x_private.manifest SET parameters = parameters - 'row' WHERE current;
SELECT release_changes('x');
UPDATE l_private.rows_v2 SET row = NULL WHERE ctid IN (SELECT ctid FROM l_private.rows_v2 LIMIT 1);
SELECT release_changes('l');
DROP SCHEMA chg, g, g_private, x, x_private, l, l_private, c, c_private, m, m_private, e, e_private CASCADE;
