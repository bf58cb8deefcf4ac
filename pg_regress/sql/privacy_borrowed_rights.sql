-- Threat: borrowed rights. A member or a superuser may make the next version of somebody else's release; it stays that one's,
-- every object of it, and nobody else may. The build runs with the caller's rights.
CREATE ROLE regress_bor_owner;
CREATE ROLE regress_bor_member IN ROLE regress_bor_owner;
CREATE ROLE regress_bor_other;
CREATE ROLE regress_bor_reader;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_bor_owner, regress_bor_other', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_drop, release_grant, release_revoke TO regress_bor_owner, regress_bor_other;
CREATE SCHEMA bor;
GRANT USAGE ON SCHEMA bor TO PUBLIC;
SET search_path TO bor, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
GRANT SELECT ON people TO PUBLIC;
CREATE VIEW whose AS SELECT pg_get_userbyid(owner) AS owner, string_agg(object, ', ' ORDER BY object) AS objects FROM (
    SELECT relnamespace::regnamespace || '.' || relname AS object, relowner AS owner FROM pg_class WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v')
    UNION ALL SELECT 'schema ' || nspname, nspowner FROM pg_namespace WHERE nspname IN ('r', 'r_private')) o GROUP BY 1;
SET ROLE regress_bor_owner;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SELECT release_grant('r', 'regress_bor_reader');
RESET ROLE;
SELECT * FROM whose ORDER BY 1;
-- a stranger
SET ROLE regress_bor_other;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]);
SELECT release_drop('r');
SELECT release_grant('r', 'regress_bor_other');
SELECT release_revoke('r', 'regress_bor_reader');
RESET ROLE;
-- a member
SET ROLE regress_bor_member;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
SELECT required, holds FROM release_verify('r');
RESET ROLE;
SELECT * FROM whose ORDER BY 1;
-- a superuser
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 7)]) ->> 'version' AS version;
SELECT * FROM whose ORDER BY 1;
-- what was granted goes on, and the owner can go on with it
SET ROLE regress_bor_reader;
SELECT count(*) FROM r.people;
SELECT DISTINCT version FROM r.cut;
SET ROLE regress_bor_owner;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 8)]) ->> 'version' AS version;
SELECT count(*) FROM r.people;
RESET ROLE;
SELECT * FROM whose ORDER BY 1;
-- the view was dropped by its owner: the next version's is the owner's again
SET ROLE regress_bor_owner;
DROP VIEW r.people;
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 9)]) ->> 'version' AS version;
SELECT * FROM whose ORDER BY 1;
-- a source that the owner may not read, but the caller may: the caller's rights count
CREATE TABLE private AS TABLE people;
SELECT tds_anonymize('private', 'r2', ARRAY[k_anonymity(ARRAY['city'], 5)]) ->> 'version' AS version;
ALTER SCHEMA r2 OWNER TO regress_bor_owner;
ALTER SCHEMA r2_private OWNER TO regress_bor_owner;
DO $$ DECLARE o record; BEGIN
  FOR o IN SELECT oid::regclass AS relation FROM pg_class WHERE relnamespace IN ('r2'::regnamespace, 'r2_private'::regnamespace) AND relkind IN ('r', 'p', 'v') LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO regress_bor_owner', o.relation);
  END LOOP;
END $$;
SET ROLE regress_bor_owner;
SELECT tds_anonymize('bor.private', 'r2', ARRAY[k_anonymity(ARRAY['city'], 5)]);
SELECT version FROM releases() WHERE release = 'r2';
-- a member in the schema of somebody who made a look-alike: a manifest that is not the schema owner's makes no release
RESET ROLE;
CREATE SCHEMA bait AUTHORIZATION regress_bor_owner; CREATE SCHEMA bait_private AUTHORIZATION regress_bor_owner;
GRANT ALL ON SCHEMA bait, bait_private TO regress_bor_other;
SET ROLE regress_bor_other;
CREATE TABLE bait_private.manifest (version int, created_at timestamptz, source text, parameters jsonb, rows bigint, achieved jsonb, extension_version text, current boolean, refreshed_at timestamptz, failed_at timestamptz, error text);
INSERT INTO bait_private.manifest VALUES (1, now(), 'bor.people', '{"view": "people"}', 1, '[]', '0', true);
RESET ROLE;
SELECT tds_anonymize('people', 'bait', ARRAY[k_anonymity(ARRAY['city'], 5)]);
SELECT release FROM releases() ORDER BY 1;
-- what an owner puts on the tables of the release does not run with the rights of who makes the next version
SET ROLE regress_bor_owner;
CREATE FUNCTION r.gain() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_bor_owner' THEN RAISE WARNING 'trigger runs as %', current_user; END IF; RETURN coalesce(NEW, OLD); END $$;
CREATE TRIGGER gain BEFORE INSERT ON r_private.cuts_v0 FOR EACH ROW EXECUTE FUNCTION r.gain();
CREATE TRIGGER gain BEFORE INSERT OR UPDATE ON r_private.manifest FOR EACH ROW EXECUTE FUNCTION r.gain();
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 30)]) IS NOT NULL AS made;
-- listing releases runs nobody's policies: a manifest that calls its owner's function on whoever reads it
SET ROLE regress_bor_other;
CREATE SCHEMA trap; CREATE SCHEMA trap_private;
CREATE TABLE trap_private.manifest (version int, created_at timestamptz, source text, parameters jsonb, rows bigint, achieved jsonb, extension_version text, current boolean, refreshed_at timestamptz, failed_at timestamptz, error text);
INSERT INTO trap_private.manifest VALUES (1, now(), 'bor.people', '{"view": "people"}', 1, '[]', '0', true);
CREATE FUNCTION trap.gain() RETURNS bool LANGUAGE plpgsql STABLE AS $$ BEGIN IF current_user <> 'regress_bor_other' THEN RAISE WARNING 'policy runs as %', current_user; END IF; RETURN true; END $$;
CREATE POLICY p ON trap_private.manifest USING (trap.gain());
ALTER TABLE trap_private.manifest ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA trap, trap_private TO PUBLIC;
GRANT SELECT ON trap_private.manifest TO PUBLIC;
SET ROLE regress_bor_owner;
SELECT count(*) FROM releases() WHERE release = 'r';
-- what has policies is no manifest
SELECT count(*) FROM releases() WHERE release = 'trap';
RESET ROLE;
SELECT release_verify('trap');
DROP SCHEMA trap, trap_private CASCADE;
DROP SCHEMA r, r_private, r2, r2_private, bait, bait_private, bor CASCADE;
DROP OWNED BY regress_bor_owner, regress_bor_member, regress_bor_other, regress_bor_reader;
DROP ROLE regress_bor_owner, regress_bor_member, regress_bor_other, regress_bor_reader;
