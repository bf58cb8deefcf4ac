-- Threat: PUBLIC. Verbs that create or drop are not for everybody; releases are born without grants, whatever
-- ALTER DEFAULT PRIVILEGES says, in every version; release_grant gives the view and the cut and nothing else.
SET client_min_messages TO notice;
CREATE ROLE regress_pub_owner;
CREATE ROLE regress_pub_reader;
CREATE ROLE regress_pub_greedy;
CREATE ROLE "Regress ""odd"" role";
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_pub_owner', current_database()); END $$;
CREATE SCHEMA pub AUTHORIZATION regress_pub_owner;
SET search_path TO pub, public;
SELECT p.proname, p.prosecdef AS security_definer, has_function_privilege('regress_pub_reader', p.oid, 'EXECUTE') AS public_may
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' JOIN pg_extension e ON e.oid = d.refobjid
WHERE e.extname = 'pg_topdown' AND p.proname IN ('tds_anonymize', 'release_grant', 'release_revoke', 'release_drop', 'tds_steps', 'release_verify', 'releases',
  'k_anonymity', 'by_taxonomy', 'by_taxonomy_tree', 'by_intervals', 'by_suppression', 'taxonomy_from_levels', 'taxonomy_check') ORDER BY 1;
SET ROLE regress_pub_reader;
SELECT tds_anonymize('pg_am', 'r', ARRAY[k_anonymity(ARRAY['amtype'], 1)]);
SELECT release_drop('r');
RESET ROLE;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant, release_revoke, release_drop TO regress_pub_owner, regress_pub_reader;
-- EXECUTE alone is not enough: a release is a schema, and the source is read with the caller's rights
SET ROLE regress_pub_reader;
SELECT tds_anonymize('pg_catalog.pg_am', 'r', ARRAY[k_anonymity(ARRAY['amtype'], 1)]);
RESET ROLE;
CREATE TABLE secret (a text, b text);
INSERT INTO secret SELECT 'a', 'b' FROM generate_series(1, 9);
SET ROLE regress_pub_owner;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT tds_steps('secret', ARRAY[k_anonymity(ARRAY['a'], 2)]);
RESET ROLE;
-- columns that are not used need not be readable; those that are must be
GRANT SELECT (a) ON secret TO regress_pub_owner;
SET ROLE regress_pub_owner;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) ->> 'rows' AS rows;
SELECT release_drop('r');
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], keep => ARRAY['b']);
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)], class => 'b');
-- nor can a taxonomy be read through the back door
RESET ROLE;
CREATE TABLE secret_tax AS SELECT 'a' AS child, 'hidden' AS parent;
SET ROLE regress_pub_owner;
SELECT tds_steps('secret', ARRAY[k_anonymity(ARRAY['a'], 2)], masking => ARRAY[by_taxonomy('a', 'secret_tax')]);
SELECT * FROM taxonomy_check('secret_tax', 'secret', 'a');
SELECT * FROM taxonomy_from_levels('secret_tax');

-- born without grants
RESET ROLE;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_pub_owner GRANT ALL ON TABLES TO regress_pub_greedy, "Regress ""odd"" role" WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_pub_owner GRANT SELECT ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE regress_pub_owner GRANT ALL ON SCHEMAS TO regress_pub_greedy, PUBLIC, "Regress ""odd"" role";
ALTER DEFAULT PRIVILEGES FOR ROLE regress_pub_owner GRANT ALL ON SEQUENCES TO PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_pub_greedy;
CREATE VIEW who_reads AS
  SELECT relnamespace::regnamespace || '.' || relname AS object, coalesce((SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END || ' ' || a.privilege_type, ', ') FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner), 'nobody else') AS granted
  FROM pg_class c WHERE relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN ('r', 'r_private')) AND relkind IN ('r', 'p', 'v')
  UNION ALL
  SELECT 'schema ' || nspname, coalesce((SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_get_userbyid(a.grantee) END || ' ' || a.privilege_type, ', ') FROM aclexplode(nspacl) a WHERE a.grantee <> nspowner), 'nobody else')
  FROM pg_namespace WHERE nspname IN ('r', 'r_private');
GRANT SELECT ON who_reads TO PUBLIC;
SET ROLE regress_pub_owner;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]) ->> 'version' AS version;
SELECT * FROM who_reads ORDER BY 1;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 3)]) ->> 'version' AS version;
SELECT * FROM who_reads ORDER BY 1;
-- a member's or a superuser's version: their default privileges, too
RESET ROLE;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 4)]) ->> 'version' AS version;
SELECT * FROM who_reads ORDER BY 1;
-- granting: the view and the cut
SET ROLE regress_pub_owner;
SELECT release_grant('r', 'regress_pub_reader');
SELECT release_grant('r', 'Regress "odd" role');
SELECT * FROM who_reads ORDER BY 1;
-- further versions keep what was granted, and nothing more
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'version' AS version;
SELECT * FROM who_reads ORDER BY 1;
SET ROLE regress_pub_reader;
SELECT a, count(*) FROM r.secret GROUP BY 1;
SELECT version, attribute, node, records FROM r.cut;
SET ROLE regress_pub_owner;
SELECT release_revoke('r', 'regress_pub_reader');
SELECT release_revoke('r', 'Regress "odd" role');
SELECT * FROM who_reads ORDER BY 1;
-- everybody
SELECT release_grant('r', 'public');
SELECT * FROM who_reads ORDER BY 1;
SELECT release_revoke('r', 'public');
SELECT * FROM who_reads ORDER BY 1;
-- a view that its owner has dropped is made again: for nobody either, whatever was granted on the one before
SELECT release_grant('r', 'regress_pub_reader');
DROP VIEW r.secret, r.cut, r.about;
SELECT tds_anonymize('secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 5)]) ->> 'version' AS version;
SELECT * FROM who_reads ORDER BY 1;
SELECT release_revoke('r', 'regress_pub_reader');
-- a role whose name only looks like it is not everybody
RESET ROLE;
CREATE ROLE "PUBLIC";
SET ROLE regress_pub_owner;
SELECT release_grant('r', 'PUBLIC');
SET ROLE regress_pub_reader;
SELECT count(*) FROM r.secret;
SET ROLE regress_pub_owner;
SELECT release_revoke('r', 'PUBLIC');
RESET ROLE;
DROP ROLE "PUBLIC";
-- what the owner has was not given by release_grant, and is not taken back
SET ROLE regress_pub_owner;
SELECT release_grant('r', 'regress_pub_owner');
SELECT release_revoke('r', 'regress_pub_owner');
SELECT count(*) FROM r.secret;
-- roles that are not there; grantor that is not the owner
GRANT USAGE ON SCHEMA r TO regress_pub_owner;
GRANT ALL ON r.secret, r.cut TO regress_pub_owner;
SELECT release_grant('r', 'regress_nobody');
SELECT release_revoke('r', 'regress_nobody');
SELECT release_grant('r', NULL);
SELECT release_grant('nowhere', 'regress_pub_reader');
SELECT release_grant('pub', 'regress_pub_reader');
SELECT release_grant('r', 'regress_pub_reader');
SET ROLE regress_pub_reader;
SELECT release_grant('r', 'regress_pub_greedy');
SELECT release_revoke('r', 'regress_pub_reader');
SELECT release_drop('r');
RESET ROLE;
GRANT USAGE ON SCHEMA pub TO regress_pub_reader;
GRANT SELECT ON secret TO regress_pub_reader;
SET ROLE regress_pub_reader;
SELECT tds_anonymize('pub.secret', 'r', ARRAY[k_anonymity(ARRAY['a'], 2)]);
SELECT release, version FROM releases();
SET ROLE regress_pub_owner;
SELECT release, version FROM releases();
SELECT release_drop('r');
RESET ROLE;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM regress_pub_greedy;
DROP TABLE secret, secret_tax CASCADE;
DROP VIEW who_reads;
DROP OWNED BY regress_pub_owner, regress_pub_reader, regress_pub_greedy, "Regress ""odd"" role" CASCADE;
DROP ROLE regress_pub_owner, regress_pub_reader, regress_pub_greedy, "Regress ""odd"" role";
