-- Threat: swallowed errors. An error that is caught without a subtransaction leaves behind whatever was half done: the user id of
-- a SECURITY DEFINER function, rows that break a key. Whoever makes a type's input function fail must gain nothing by it.
CREATE ROLE regress_swa_mallory;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_swa_mallory', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, kmember_anonymize, release_drop TO regress_swa_mallory;
CREATE SCHEMA swa;
GRANT USAGE ON SCHEMA swa TO PUBLIC;
-- somebody's function, which fails while it runs as a superuser
CREATE FUNCTION swa.refuse(text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN IF $1 = 'good' THEN RETURN true; END IF; RAISE EXCEPTION 'refused'; END $$;

SET SESSION AUTHORIZATION regress_swa_mallory;
CREATE SCHEMA swa_m; CREATE SCHEMA swa_m_private;
CREATE DOMAIN swa_m.d AS text CHECK (swa.refuse(VALUE));
CREATE FUNCTION swa_m.gain() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN ALTER ROLE regress_swa_mallory SUPERUSER; END IF;
  RETURN 'x';
END $$;
-- a forged manifest, whose columns are of a type of the attacker's
CREATE VIEW swa_m_private.cuts AS SELECT 1 AS version, swa_m.gain() AS node, NULL::text AS lower, NULL::text AS upper, 1::bigint AS records, 'a'::text AS attribute;
CREATE VIEW swa_m_private.taxonomy AS SELECT 1 AS version, 'a'::text AS attribute, swa_m.gain() AS node, NULL::text AS parent, '{bad}'::text AS lower, '{worse}'::text AS upper, 0 AS depth, true AS in_cut;
CREATE VIEW swa_m.t AS SELECT 'x'::text AS a;
CREATE TABLE swa_m_private.manifest (version int, created_at timestamptz, source text, parameters jsonb, rows bigint, achieved jsonb, extension_version text, current boolean, refreshed_at timestamptz, failed_at timestamptz, error text);
INSERT INTO swa_m_private.manifest VALUES (1, now(), 'swa_m.t', '{"format": 4, "verb": "tds_anonymize", "privacy": [{"k_anonymity": {"quasi_identifier": ["a"], "k": 1}}], "class": null, "masking": [], "keep": [], "score": "tds",
  "max_steps": null, "suppressed": "*", "intervals": "label", "split": "optimal", "withhold": 0, "endpoints": "rounded", "view": "t", "source_columns": [], "withheld": 0, "trace": 1, "steps_dropped": 0, "weaker": [],
  "columns":[{"name":"a","masked":"intervals","type":"swa_m.d[]","lower":"{bad}","upper":"{worse}","nulls":false,"non_uniform_entropy":0}]}', 1, '[]', '0', true);
SELECT measure FROM release_measures('swa_m') WHERE measure = 'groups';
SELECT session_user, current_user;
SELECT swa_m.gain();
SELECT count(*) FROM release_risk('swa_m');
SELECT session_user, current_user;
UPDATE swa_m_private.manifest SET parameters = jsonb_set(parameters, '{columns,0,masked}', '"taxonomy"');
SELECT measure FROM release_measures('swa_m') WHERE measure = 'groups';
SELECT session_user, current_user;
SELECT swa_m.gain();
-- as ranges: what is shown is known by its text, and nothing is read as a bound
UPDATE swa_m_private.manifest SET parameters = jsonb_set(jsonb_set(parameters, '{columns,0,masked}', '"intervals"'), '{intervals}', '"range"');
SELECT measure FROM release_measures('swa_m') WHERE measure = 'groups';
SELECT session_user, current_user;

-- the same without a manifest: a column of the type, and a taxonomy whose bounds make the CHECK fail
CREATE TABLE swa_m.people (a swa_m.d[]);
INSERT INTO swa_m.people SELECT '{good}' FROM generate_series(1, 20);
CREATE TABLE swa_m.tax (child text, parent text, lower text, upper text);
INSERT INTO swa_m.tax VALUES ('all', NULL, '{bad}', '{worse}'), ('{good}', 'all', '{bad}', '{bad}');
SELECT kmember_anonymize('swa_m.people', 'swa_r', ARRAY['a'], 5, ARRAY[by_taxonomy('a', 'swa_m.tax')]) -> 'rows' AS rows;
SELECT session_user, current_user;
SELECT swa_m.gain();
-- bounds and sensitive values: reading them would run the check
SELECT tds_anonymize('swa_m.people', 'swa_i', ARRAY[k_anonymity(ARRAY['a'], 5)], masking => ARRAY[by_intervals('a', '{bad}', '{worse}')]);
SELECT session_user, current_user;

-- without any SECURITY DEFINER function: a CHECK that breaks a key. What it wrote must go with its error.
CREATE TABLE swa_m.once (id int PRIMARY KEY);
INSERT INTO swa_m.once VALUES (1);
CREATE TABLE swa_m.child (id int REFERENCES swa_m.once);
CREATE FUNCTION swa_m.twice(text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF $1 = 'twice' THEN INSERT INTO swa_m.once VALUES (1); END IF;
  IF $1 = 'orphan' THEN INSERT INTO swa_m.child VALUES (2); END IF;
  RETURN true;
END $$;
CREATE DOMAIN swa_m.k AS text CHECK (swa_m.twice(VALUE));
UPDATE swa_m_private.manifest SET parameters = jsonb_set(jsonb_set(parameters, '{intervals}', '"label"'), '{columns}', '[{"name":"a","masked":"intervals","type":"swa_m.k[]","lower":"{twice}","upper":"{twice}","nulls":false,"non_uniform_entropy":0}]');
SELECT measure FROM release_measures('swa_m') WHERE measure = 'groups';
UPDATE swa_m_private.manifest SET parameters = jsonb_set(parameters, '{columns,0,lower}', '"{orphan}"');
SELECT measure FROM release_measures('swa_m') WHERE measure = 'groups';
CREATE TABLE swa_m.people2 (a swa_m.k[]);
INSERT INTO swa_m.people2 SELECT '{good}' FROM generate_series(1, 20);
TRUNCATE swa_m.tax;
INSERT INTO swa_m.tax VALUES ('all', NULL, '{twice}', '{orphan}'), ('{good}', 'all', '{orphan}', '{orphan}');
SELECT kmember_anonymize('swa_m.people2', 'swa_r2', ARRAY['a'], 5, ARRAY[by_taxonomy('a', 'swa_m.tax')]) -> 'rows' AS rows;
SET enable_indexscan TO off;
SET enable_bitmapscan TO off;
SET enable_indexonlyscan TO off;
SELECT id, count(*) FROM swa_m.once GROUP BY id;
SELECT count(*) AS orphans FROM swa_m.child;
RESET ALL;

-- errors that are caught for good: the call goes on as if nothing had been read, and holds nothing back
SELECT tds_anonymize('swa_m.people', 'swa_n', ARRAY[k_anonymity(ARRAY['a'], 5)]) -> 'rows' AS rows;
UPDATE swa_n_private.manifest SET parameters = parameters - 'view';
SELECT count(*) FROM release_verify('swa_n');
SELECT count(*) FROM release_measures('swa_n');
BEGIN;
SAVEPOINT s;
SELECT count(*) FROM release_verify('swa_n');
ROLLBACK TO s;
SELECT session_user, current_user;
COMMIT;

RESET SESSION AUTHORIZATION;
SELECT session_user, current_user, current_setting('role') AS role;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_swa_mallory';
DROP OWNED BY regress_swa_mallory CASCADE;
DROP SCHEMA swa CASCADE;
DROP ROLE regress_swa_mallory;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'swa%';
