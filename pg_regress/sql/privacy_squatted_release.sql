-- Threat: squatted release. Somebody without rights on a source makes its release beforehand, so that the first real call fills it,
-- the values behind suppressed ones included. A release gets nothing that its owner could not read at the source.
SET client_min_messages TO notice;
CREATE ROLE regress_squ_mallory;
CREATE ROLE regress_squ_steward;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_squ_mallory', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, pda_anonymize, kmember_anonymize TO regress_squ_mallory, regress_squ_steward;
CREATE SCHEMA squ;
GRANT USAGE ON SCHEMA squ TO PUBLIC;
SET search_path TO squ, public;
CREATE TABLE patients AS SELECT 'z' || i % 50 AS zip, 20 + i % 60 AS age, 'h' || i % 2 AS illness, i AS secret FROM generate_series(1, 3000) i;
CREATE TABLE private_tax AS SELECT DISTINCT zip AS child, 'any' AS parent FROM patients;
GRANT SELECT ON patients, private_tax TO regress_squ_steward;
-- mallory's tables of the same names, columns and types, released in all the ways there are; then the manifests are forged
SET SESSION AUTHORIZATION regress_squ_mallory;
CREATE SCHEMA squ_m;
CREATE TABLE squ_m.patients (zip text, age int, illness text, secret int);
INSERT INTO squ_m.patients SELECT 'z' || i % 5, 20 + i % 6, 'h' || i % 2, i FROM generate_series(1, 300) i;
SELECT tds_anonymize('squ_m.patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5), confidence_bound(ARRAY['age'], 'zip', NULL, 1)]) ->> 'version' AS version;
SELECT kmember_anonymize('squ_m.patients', 'squ_k', ARRAY['zip'], 5) ->> 'version' AS version;
UPDATE squ_r_private.manifest SET source = 'squ.patients', version = 0;
UPDATE squ_k_private.manifest SET source = 'squ.patients', version = 0;
DELETE FROM squ_r_private.cuts_v0; DELETE FROM squ_k_private.cuts_v0;
DROP VIEW squ_r.patients, squ_k.patients;
DROP TABLE squ_r_private.rows_v1, squ_k_private.rows_v1;
-- an empty look-alike
CREATE SCHEMA squ_e; CREATE SCHEMA squ_e_private;
CREATE TABLE squ_e_private.manifest (LIKE squ_r_private.manifest);
INSERT INTO squ_e_private.manifest VALUES (0, now(), 'squ.patients', '{"view":"patients","privacy":[],"columns":[]}', 0, '[]', '0', true);
RESET SESSION AUTHORIZATION;

-- none of the columns
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5), confidence_bound(ARRAY['age'], 'zip', NULL, 1)]);
SELECT kmember_anonymize('patients', 'squ_k', ARRAY['zip'], 5);
SELECT pda_anonymize('patients', 'squ_r', ARRAY[confidence_bound(ARRAY['zip'], 'illness', NULL, 1)], NULL);
SELECT tds_anonymize('patients', 'squ_e', ARRAY[k_anonymity(ARRAY['zip'], 5)]);
-- somebody who is no member of mallory is refused for that
SET SESSION AUTHORIZATION regress_squ_steward;
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true);
RESET SESSION AUTHORIZATION;
-- some of the columns: masked, sensitive, class and kept ones are all read
GRANT SELECT (zip, age) ON patients TO regress_squ_mallory;
GRANT USAGE ON SCHEMA squ TO regress_squ_mallory;
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['illness'], 5)]);
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], class => 'illness', allow_weaker => true);
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], keep => ARRAY['secret', 'illness'], allow_weaker => true);
SELECT tds_anonymize('patients', 'squ_r', ARRAY[confidence_bound(ARRAY['zip'], 'illness', NULL, 1)]);
SELECT kmember_anonymize('patients', 'squ_k', ARRAY['zip'], 5, keep => ARRAY['illness']);
-- columns that mallory may read, in a schema that mallory may not look into
REVOKE USAGE ON SCHEMA squ FROM PUBLIC, regress_squ_mallory;
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true);
GRANT USAGE ON SCHEMA squ TO PUBLIC, regress_squ_mallory;
-- a taxonomy that mallory may not read
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], masking => ARRAY[by_taxonomy('zip', 'private_tax')], allow_weaker => true);
SELECT kmember_anonymize('patients', 'squ_k', ARRAY['zip'], 5, masking => ARRAY[by_taxonomy('zip', 'private_tax')]);
-- row-level security hides rows from mallory, not from the caller
ALTER TABLE patients ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON patients TO regress_squ_mallory USING (zip = 'z1');
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true);
SET pg_topdown.allow_row_security TO on;
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true) -> 'rows' AS rows;
SELECT count(*), count(DISTINCT zip) FROM squ_r.patients;
RESET pg_topdown.allow_row_security;
ALTER TABLE patients DISABLE ROW LEVEL SECURITY;
-- a view of the source that mallory may not read, below one that is mallory's
CREATE VIEW secrets AS SELECT zip, secret FROM patients;
SET SESSION AUTHORIZATION regress_squ_mallory;
CREATE TABLE squ_m.secrets (zip text, secret int);
INSERT INTO squ_m.secrets SELECT 'z', 1 FROM generate_series(1, 20);
SELECT tds_anonymize('squ_m.secrets', 'squ_v', ARRAY[k_anonymity(ARRAY['zip'], 5)]) -> 'version' AS version;
UPDATE squ_v_private.manifest SET source = 'squ.secrets';
DROP VIEW squ_v.secrets;
RESET SESSION AUTHORIZATION;
SELECT tds_anonymize('secrets', 'squ_v', ARRAY[k_anonymity(ARRAY['zip'], 5)]);
-- enough rights: the release is mallory's, and whoever calls is told so, each time
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true) -> 'rows' AS rows;
SELECT kmember_anonymize('patients', 'squ_k', ARRAY['zip'], 5) -> 'rows' AS rows;
-- but not the owner
SET SESSION AUTHORIZATION regress_squ_mallory;
SELECT tds_anonymize('squ.patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 6)], allow_weaker => true) -> 'rows' AS rows;
RESET SESSION AUTHORIZATION;
-- what mallory may no longer read stays as it was
REVOKE ALL ON patients FROM regress_squ_mallory;
REVOKE SELECT (zip, age) ON patients FROM regress_squ_mallory;
SELECT tds_anonymize('patients', 'squ_r', ARRAY[k_anonymity(ARRAY['zip'], 5)], allow_weaker => true);
-- a dropped column of the same number, and a source of the same name in another schema
SELECT source, version FROM releases() WHERE release LIKE 'squ%' ORDER BY 1, 2;
SELECT relname FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname LIKE 'squ\_%') AND relkind = 'r' AND relowner <> 'regress_squ_mallory'::regrole;
SELECT session_user, current_user;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_squ_mallory';
DROP OWNED BY regress_squ_mallory, regress_squ_steward CASCADE;
DROP SCHEMA squ CASCADE;
DROP ROLE regress_squ_mallory, regress_squ_steward;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'squ%';
