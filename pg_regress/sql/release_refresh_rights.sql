-- Threat: borrowed rights. A scheduler with more rights than a release's owner refreshes it: source, taxonomies, and whatever is in the
-- release run with the owner's rights, in a security-restricted operation; and the owner gets nothing that it may not read itself.
SET client_min_messages TO notice;
CREATE ROLE regress_rr_owner;
CREATE ROLE regress_rr_member IN ROLE regress_rr_owner;
CREATE ROLE regress_rr_reader;
CREATE ROLE regress_rr_stranger;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_rr_owner', current_database()); END $$;
GRANT EXECUTE ON ROUTINE tds_anonymize, release_refresh, release_refresh_all, release_rewind, release_alter, release_grant, release_drop TO regress_rr_owner, regress_rr_reader, regress_rr_stranger;
CREATE SCHEMA rr;
GRANT USAGE ON SCHEMA rr TO PUBLIC;
CREATE TABLE rr.people AS SELECT i % 10 AS age, 'c' || i % 2 AS city, 's' || i AS secret FROM generate_series(1, 200) i;
GRANT SELECT (age, city) ON rr.people TO regress_rr_owner;
CREATE TABLE rr.log (who text, super text);
GRANT INSERT ON rr.log TO PUBLIC;

SET SESSION AUTHORIZATION regress_rr_owner;
-- the owner's view calls the owner's function, which tells whose rights it runs with, and would take more
CREATE SCHEMA rr_own;
CREATE FUNCTION rr_own.f(int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN ALTER ROLE regress_rr_owner SUPERUSER; END IF;
  IF $1 = 0 THEN INSERT INTO rr.log VALUES (current_user, current_setting('is_superuser')); END IF;
  RETURN $1;
END $$;
CREATE VIEW rr_own.people AS SELECT rr_own.f(age) AS age, city FROM rr.people;
SELECT tds_anonymize('rr_own.people', 'rr_rel', ARRAY[k_anonymity(ARRAY['age', 'city'], 5)]) ->> 'version' AS version;
CREATE TABLE rr_own.tree AS SELECT 'any'::text AS parent, 'c' || i AS child FROM generate_series(0, 1) i;
SELECT tds_anonymize('rr.people', 'rr_rel2', ARRAY[k_anonymity(ARRAY['age', 'city'], 5)], masking => ARRAY[by_taxonomy('city', 'rr_own.tree')]) ->> 'version' AS version;
SELECT release_grant('rr_rel2', 'regress_rr_reader');
RESET SESSION AUTHORIZATION;
TRUNCATE rr.log;

-- refreshed, rewound, altered by a superuser: everything as the owner
SELECT release_refresh(public.again('rr_rel')) ->> 'version' AS version;
SELECT release_refresh('rr_rel', mode => 'search') ->> 'version' AS version;
SELECT release_alter('rr_rel', max_steps => 2) ->> 'version' AS version;
SELECT release_rewind('rr_rel', 1) ->> 'version' AS version;
SELECT count(public.again(nspname)) > 0 AS again FROM pg_namespace WHERE nspname LIKE 'rr%';
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release LIKE 'rr%';
SELECT DISTINCT * FROM rr.log;
SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_rr_owner';
SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace IN ('rr_rel'::regnamespace, 'rr_rel_private'::regnamespace, 'rr_rel2'::regnamespace, 'rr_rel2_private'::regnamespace);
SELECT session_user = current_user AS back;

-- what the owner may not read is not read for it, whoever calls
REVOKE SELECT ON rr.people FROM regress_rr_owner;
REVOKE SELECT (age, city) ON rr.people FROM regress_rr_owner;
SELECT release_refresh(public.again('rr_rel2'));
SELECT release_refresh(public.again('rr_rel'));
SELECT release_alter('rr_rel2', max_steps => 1);
SELECT count(public.again(nspname)) > 0 AS again FROM pg_namespace WHERE nspname LIKE 'rr%';
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release LIKE 'rr%';
GRANT SELECT (age, city) ON rr.people TO regress_rr_owner;
-- a source that became a view of more, or is hidden in part, is read as the owner would
ALTER TABLE rr.people ENABLE ROW LEVEL SECURITY;
SELECT release_refresh(public.again('rr_rel2'));
ALTER TABLE rr.people DISABLE ROW LEVEL SECURITY;
-- a trigger of the owner's on what is in the release
SET SESSION AUTHORIZATION regress_rr_owner;
CREATE FUNCTION rr_own.t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM rr_own.f(0); RETURN NEW; END $$;
CREATE TRIGGER t BEFORE INSERT ON rr_rel2_private.manifest FOR EACH ROW EXECUTE FUNCTION rr_own.t();
RESET SESSION AUTHORIZATION;
TRUNCATE rr.log;
SELECT release_refresh(public.again('rr_rel2')) ->> 'version' AS version;
SELECT DISTINCT * FROM rr.log;
DROP TRIGGER t ON rr_rel2_private.manifest;

-- an owner's function that says it was cancelled stops its own release and no other
SET SESSION AUTHORIZATION regress_rr_owner;
CREATE OR REPLACE FUNCTION rr_own.f(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'canceling statement due to user request' USING ERRCODE = '57014'; END $$;
RESET SESSION AUTHORIZATION;
SELECT count(public.again(nspname)) > 0 AS again FROM pg_namespace WHERE nspname LIKE 'rr%';
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases() WHERE release LIKE 'rr%';
SET SESSION AUTHORIZATION regress_rr_owner;
CREATE OR REPLACE FUNCTION rr_own.f(int) RETURNS int LANGUAGE sql AS $$ SELECT $1 $$;
-- a trigger that swallows the manifest's row: no version that nobody would see
CREATE FUNCTION rr_own.none() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER t BEFORE INSERT ON rr_rel2_private.manifest FOR EACH ROW EXECUTE FUNCTION rr_own.none();
RESET SESSION AUTHORIZATION;
SELECT release_refresh(public.again('rr_rel2'));
DROP TRIGGER t ON rr_rel2_private.manifest;
-- who may: the owner, its members, superusers
SET SESSION AUTHORIZATION regress_rr_member;
SELECT count(public.again(nspname)) > 0 AS again FROM pg_namespace WHERE nspname LIKE 'rr%';
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases();
SELECT release_rewind('rr_rel2', 0) ->> 'version' AS version;
SET SESSION AUTHORIZATION regress_rr_stranger;
SELECT count(public.again(nspname)) > 0 AS again FROM pg_namespace WHERE nspname LIKE 'rr%';
CALL release_refresh_all();
SELECT release, version, failed_at IS NOT NULL AS failed, error FROM releases();
SELECT release_refresh(public.again('rr_rel2'));
SELECT release_rewind('rr_rel2', 0);
SELECT release_alter('rr_rel2');
SELECT release_drift('rr_rel2');
SELECT release_verify('rr_rel2');
SELECT release_assert('rr_rel2');
SELECT release_export('rr_rel2');
-- a reader: what can be said from the view
SET SESSION AUTHORIZATION regress_rr_reader;
SELECT required, achieved, holds FROM release_verify('rr_rel2');
SELECT release_assert('rr_rel2');
SELECT count(*) > 5 AS exported FROM release_export('rr_rel2');
SELECT release_refresh(public.again('rr_rel2'));
SELECT release_drift('rr_rel2');
SELECT release_measures('rr_rel2');
SELECT release_verify('rr_rel');
RESET SESSION AUTHORIZATION;
-- rights on the schema alone, or on the cut alone, are not enough to look through us
GRANT USAGE ON SCHEMA rr_rel TO regress_rr_reader;
GRANT SELECT ON rr_rel.cut TO regress_rr_reader;
SET SESSION AUTHORIZATION regress_rr_reader;
SELECT release_verify('rr_rel');
SELECT release_export('rr_rel');
RESET SESSION AUTHORIZATION;
-- tampered with: release_assert is an error, for a reader as well
UPDATE rr_rel2_private.rows_v0 p SET age = 'lonely' FROM rr_rel2.about a WHERE p.version = a.version AND p.ctid = '(0,1)';
SET SESSION AUTHORIZATION regress_rr_reader;
SELECT release_assert('rr_rel2');
RESET SESSION AUTHORIZATION;
SELECT release_drop(r) FROM unnest(ARRAY['rr_rel', 'rr_rel2']) r;
DROP SCHEMA rr CASCADE;
DROP OWNED BY regress_rr_owner, regress_rr_member, regress_rr_reader, regress_rr_stranger CASCADE;
DROP ROLE regress_rr_owner, regress_rr_member, regress_rr_reader, regress_rr_stranger;
