-- Threat: rights that stay. release_revoke takes back whatever the release's owner gave on anything in it, also by hand, and says
-- what others gave and by what other way a role can still read.
SET client_min_messages TO notice;
CREATE ROLE regress_rev_owner;
CREATE ROLE regress_rev_reader;
CREATE ROLE regress_rev_other;
CREATE ROLE regress_rev_group;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_rev_owner', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant, release_revoke, release_drop TO regress_rev_owner;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
GRANT SELECT ON people TO regress_rev_owner;
CREATE VIEW rights AS SELECT c.relnamespace::regnamespace || '.' || c.relname AS object, pg_get_userbyid(a.grantee) AS grantee, pg_get_userbyid(a.grantor) AS grantor, string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) FILTER (WHERE a.privilege_type <> 'MAINTAIN') AS rights
  FROM pg_class c, (SELECT oid, relacl FROM pg_class UNION ALL SELECT attrelid, attacl FROM pg_attribute) l (oid, acl), aclexplode(l.acl) a
  WHERE c.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('rev', 'rev_private')) AND l.oid = c.oid AND a.grantee <> c.relowner GROUP BY 1, 2, 3
  UNION ALL SELECT 'schema ' || nspname, pg_get_userbyid(a.grantee), pg_get_userbyid(a.grantor), string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type) FROM pg_namespace n, aclexplode(nspacl) a WHERE nspname IN ('rev', 'rev_private') AND a.grantee <> n.nspowner GROUP BY 1, 2, 3;
GRANT SELECT ON rights TO PUBLIC;
SET SESSION AUTHORIZATION regress_rev_owner;
SELECT tds_anonymize('people', 'rev', ARRAY[k_anonymity(ARRAY['city', 'age'], 5), confidence_bound(ARRAY['age'], 'city', NULL, 1)]) -> 'version' AS version;
-- by hand, on everything, and on columns
SELECT release_grant('rev', 'regress_rev_reader');
GRANT ALL ON ALL TABLES IN SCHEMA rev, rev_private TO regress_rev_reader WITH GRANT OPTION;
GRANT ALL ON SCHEMA rev, rev_private TO regress_rev_reader;
GRANT SELECT (hidden_1), UPDATE (age) ON rev_private.rows_v1 TO regress_rev_reader;
-- nothing can be written through the views, whatever was granted
SET SESSION AUTHORIZATION regress_rev_reader;
INSERT INTO rev.people (age) VALUES ('1');
UPDATE rev.people SET age = '1';
DELETE FROM rev.people;
INSERT INTO rev.about (class) VALUES ('1');
UPDATE rev.about SET class = '1';
DELETE FROM rev.about;
INSERT INTO rev.cut (node) VALUES ('1');
UPDATE rev.cut SET node = '1';
DELETE FROM rev.cut;
SET SESSION AUTHORIZATION regress_rev_owner;
CREATE VIEW rev.own AS SELECT 1 AS one;
CREATE MATERIALIZED VIEW rev.stored AS SELECT 1 AS one;
GRANT SELECT ON rev.own, rev.stored TO regress_rev_reader;
SELECT * FROM rights ORDER BY 1, 2, 3;
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT * FROM rights ORDER BY 1, 2, 3;
-- what somebody was let grant, and granted
SELECT release_grant('rev', 'regress_rev_reader');
GRANT USAGE ON SCHEMA rev_private TO regress_rev_reader;
GRANT SELECT ON rev.people, rev_private.manifest TO regress_rev_reader WITH GRANT OPTION;
SET SESSION AUTHORIZATION regress_rev_reader;
GRANT SELECT ON rev.people, rev_private.manifest TO regress_rev_other;
RESET SESSION AUTHORIZATION;
GRANT USAGE ON SCHEMA rev TO regress_rev_other;
SET SESSION AUTHORIZATION regress_rev_owner;
SELECT release_revoke('rev', 'regress_rev_other');
SELECT * FROM rights ORDER BY 1, 2, 3;
-- what depends on it is not taken from others behind their backs
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT * FROM rights ORDER BY 1, 2, 3;
REVOKE SELECT ON rev.people, rev_private.manifest FROM regress_rev_reader CASCADE;
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT release_revoke('rev', 'regress_rev_other');
SELECT * FROM rights ORDER BY 1, 2, 3;
-- columns that somebody was let grant, and granted, to one and to everybody: what can be read by way of them, and what cannot be read
SELECT release_grant('rev', 'regress_rev_reader');
GRANT SELECT (age), UPDATE (city) ON rev.people TO regress_rev_reader WITH GRANT OPTION;
SET SESSION AUTHORIZATION regress_rev_reader;
GRANT SELECT (age) ON rev.people TO regress_rev_other, PUBLIC;
GRANT UPDATE (city) ON rev.people TO regress_rev_group;
SET SESSION AUTHORIZATION regress_rev_owner;
SELECT release_revoke('rev', 'regress_rev_other');
SELECT release_revoke('rev', 'regress_rev_group');
SELECT release_revoke('rev', 'public');
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT * FROM rights ORDER BY 1, 2, 3;
-- rights by way of a role, of everybody, and of being a superuser
SELECT release_grant('rev', 'regress_rev_group'), release_grant('rev', 'regress_rev_reader');
RESET SESSION AUTHORIZATION;
GRANT regress_rev_group TO regress_rev_reader;
SET SESSION AUTHORIZATION regress_rev_owner;
SELECT release_revoke('rev', 'regress_rev_reader');
RESET SESSION AUTHORIZATION;
REVOKE regress_rev_group FROM regress_rev_reader;
SET SESSION AUTHORIZATION regress_rev_owner;
SELECT release_revoke('rev', 'regress_rev_group');
SELECT release_grant('rev', 'public'), release_grant('rev', 'regress_rev_reader');
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT release_revoke('rev', 'public');
SELECT release_revoke('rev', 'postgres');
SELECT release_revoke('rev', 'regress_rev_owner');
SELECT * FROM rights ORDER BY 1, 2, 3;
SET SESSION AUTHORIZATION regress_rev_reader;
SELECT count(*) FROM rev.people;
RESET SESSION AUTHORIZATION;
-- by a superuser: what the owner gave
SELECT release_grant('rev', 'regress_rev_reader');
SELECT grantor FROM rights GROUP BY 1;
SELECT release_revoke('rev', 'regress_rev_reader');
SELECT * FROM rights ORDER BY 1, 2, 3;
-- names of nobody
SELECT release_revoke('rev', 'regress_rev_nobody');
SELECT release_revoke('rev', '');
DROP OWNED BY regress_rev_owner, regress_rev_reader, regress_rev_other, regress_rev_group CASCADE;
DROP VIEW rights;
DROP TABLE people;
DROP ROLE regress_rev_owner, regress_rev_reader, regress_rev_other, regress_rev_group;
