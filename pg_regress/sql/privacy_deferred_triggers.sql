-- Threat: borrowed rights, later. A trigger that an owner has deferred would run at the end of the transaction, with the rights of
-- whoever made the next version: it is refused within a verb, and nothing is published.
CREATE ROLE regress_def_owner;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_def_owner', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_drop TO regress_def_owner;
CREATE SCHEMA def;
GRANT ALL ON SCHEMA def TO regress_def_owner;
SET search_path TO def, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
GRANT SELECT ON people TO regress_def_owner;
SET ROLE regress_def_owner;
CREATE TABLE ran_as (who text, place text);
CREATE FUNCTION gain() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO def.ran_as VALUES (current_user, TG_TABLE_NAME); RETURN NULL; END $$;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON r_private.manifest DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gain();
RESET ROLE;
-- a superuser
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
-- and where the end of the transaction is far
BEGIN;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
COMMIT;
-- the owner
SET ROLE regress_def_owner;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
RESET ROLE;
SELECT * FROM ran_as;
SELECT version FROM releases() WHERE release = 'r';
-- the same on the cuts, and on the manifest for the version that is no longer the current one
SET ROLE regress_def_owner;
DROP TRIGGER later ON r_private.manifest;
CREATE CONSTRAINT TRIGGER later AFTER UPDATE ON r_private.manifest DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gain();
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
SET ROLE regress_def_owner;
DROP TRIGGER later ON r_private.manifest;
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON r_private.cuts_v0 DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gain();
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
-- one that is not deferred runs at once, as the owner
SET ROLE regress_def_owner;
DROP TRIGGER later ON r_private.cuts_v0;
CREATE CONSTRAINT TRIGGER now AFTER INSERT ON r_private.manifest DEFERRABLE INITIALLY IMMEDIATE FOR EACH ROW EXECUTE FUNCTION gain();
RESET ROLE;
SELECT tds_anonymize('people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 6)]) ->> 'version' AS version;
SELECT * FROM ran_as;
-- a source whose function writes where a deferred trigger waits
SET ROLE regress_def_owner;
CREATE TABLE log (what text);
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON log DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION gain();
CREATE FUNCTION note(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO def.log VALUES ($1); RETURN $1; END $$;
CREATE VIEW noted AS SELECT city, note(age) AS age FROM people;
RESET ROLE;
SELECT tds_anonymize('noted', 'r2', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]) ->> 'version' AS version;
SELECT count(*) FROM log;
SELECT * FROM ran_as;
DROP SCHEMA r, r_private, def CASCADE;
DROP OWNED BY regress_def_owner;
DROP ROLE regress_def_owner;
