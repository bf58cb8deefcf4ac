-- Threat: a name that is taken. A release knows its source, taxonomies and populations by name; whoever takes the name of one that is
-- dropped would have the next version read his view, and run its functions, with the rights of the release's owner.
CREATE ROLE regress_tak_steward;
CREATE ROLE regress_tak_clerk;
CREATE ROLE regress_tak_deputy IN ROLE regress_tak_clerk;
CREATE ROLE regress_tak_mallory;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_tak_steward', current_database()); END $$;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_refresh, release_alter, release_verify, release_risk, release_explain, release_query_error, release_report, release_rewind, release_export TO regress_tak_steward;
GRANT EXECUTE ON PROCEDURE release_refresh_all TO regress_tak_steward;
CREATE SCHEMA tak;
GRANT USAGE, CREATE ON SCHEMA tak TO PUBLIC;
SET search_path TO tak, public;
-- relations of a role, and what takes their names
CREATE FUNCTION mine() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'runs with the rights of %', current_user; RETURN 1; END $$;
GRANT EXECUTE ON FUNCTION mine TO PUBLIC;
CREATE PROCEDURE make(owner text, name text, is_trap boolean) LANGUAGE plpgsql AS $$
DECLARE
  what text := CASE name WHEN 'tree' THEN 'SELECT DISTINCT ''c'' || i AS child, ''any'' AS parent FROM generate_series(0, 3) i'
                         ELSE 'SELECT ''c'' || i % 4 AS city, 20 + i % 5 AS age, i % 3 AS class FROM generate_series(1, 200) i' END;
BEGIN
  IF EXISTS (SELECT FROM pg_class WHERE oid = to_regclass('tak.' || name) AND relkind = 'v') THEN EXECUTE format('DROP VIEW tak.%I', name);
  ELSE EXECUTE format('DROP TABLE IF EXISTS tak.%I', name); END IF;
  EXECUTE format('SET LOCAL ROLE %I', owner);
  IF is_trap THEN EXECUTE format('CREATE VIEW tak.%I AS SELECT q.* FROM (%s) q, (SELECT tak.mine() AS n) m WHERE m.n = 1', name, what);
  ELSE EXECUTE format('CREATE TABLE tak.%I AS %s', name, what); END IF;
  EXECUTE format('GRANT ALL ON tak.%I TO PUBLIC', name);
  RESET ROLE;
END $$;
CALL make('regress_tak_clerk', 'people', false);
CALL make('regress_tak_clerk', 'tree', false);
CALL make('regress_tak_clerk', 'register', false);
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT tds_anonymize('people', 'tak_r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5), k_map(ARRAY['city', 'age'], 5, 'register')], class => 'class',
                     masking => ARRAY[by_taxonomy('city', 'tree')]) ->> 'version' AS version;
SELECT parameters -> 'owners' AS owners FROM tak_r_private.manifest;
RESET SESSION AUTHORIZATION;
-- each of them is another's: nothing of it runs, whatever verb reads it
CREATE PROCEDURE try() LANGUAGE plpgsql AS $$
DECLARE call text; outcome text;
BEGIN
  SET LOCAL SESSION AUTHORIZATION regress_tak_steward;
  FOREACH call IN ARRAY ARRAY['release_refresh(''tak_r'')', 'release_refresh(''tak_r'', mode => ''search'')',
      'release_alter(''tak_r'', max_steps => 9)', 'release_query_error(''tak_r'')', 'release_explain(''tak_r'')', 'release_verify(''tak_r'')',
      'release_report(''tak_r'')'] LOOP
    BEGIN
      EXECUTE 'SELECT * FROM ' || call;
      outcome := 'done';
    EXCEPTION WHEN OTHERS THEN
      outcome := SQLSTATE;
    END;
    RAISE NOTICE '%: %', call, outcome;
  END LOOP;
  RESET SESSION AUTHORIZATION;
END $$;
SET client_min_messages TO notice;
CALL make('regress_tak_mallory', 'people', true);
CALL try();
CALL make('regress_tak_clerk', 'people', false);
CALL make('regress_tak_mallory', 'tree', true);
CALL try();
CALL make('regress_tak_clerk', 'tree', false);
CALL make('regress_tak_mallory', 'register', true);
CALL try();
CALL make('regress_tak_clerk', 'register', false);
-- roles that may stand for the one before: a member of it, the release's owner, a superuser; and its own, whatever it is now
CALL make('regress_tak_deputy', 'people', true);
CALL make('regress_tak_steward', 'tree', false);
CALL make(current_user, 'register', false);
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_refresh('tak_r', mode => 'search') ->> 'version' AS version;
SELECT parameters -> 'owners' AS owners FROM tak_r_private.manifest WHERE current;
-- who is named again is trusted from then on, and nobody else
RESET SESSION AUTHORIZATION;
CALL make('regress_tak_mallory', 'people', false);
CALL make('regress_tak_mallory', 'tree', false);
CALL make('regress_tak_mallory', 'register', false);
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_alter('tak_r', source => 'people');
SELECT release_alter('tak_r', source => 'people', masking => by_taxonomy('city', 'tree'));
SELECT release_alter('tak_r', source => 'people', masking => by_taxonomy('city', 'tree'),
                     privacy => ARRAY[k_anonymity(ARRAY['city', 'age'], 5), k_map(ARRAY['city', 'age'], 5, 'register')]) ->> 'version' AS version;
SELECT release_refresh('tak_r', mode => 'search') ->> 'version' AS version;
SELECT release_rewind('tak_r', 0) ->> 'version' AS version;
SELECT parameters -> 'owners' AS owners FROM tak_r_private.manifest ORDER BY version;
RESET SESSION AUTHORIZATION;
CALL make('regress_tak_clerk', 'people', false);
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_refresh('tak_r', mode => 'search');
-- by the list of all releases, too
CALL release_refresh_all();
SELECT failed_at IS NOT NULL AS failed, error FROM tak_r_private.manifest ORDER BY version DESC LIMIT 1;
-- a call that names its source itself
SELECT tds_anonymize('people', 'tak_r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5), k_map(ARRAY['city', 'age'], 5, 'register')], class => 'class',
                     masking => ARRAY[by_taxonomy('city', 'tree')]) ->> 'version' AS version;
SELECT release_refresh('tak_r', mode => 'search') ->> 'version' AS version;
-- a role that is renamed is another
RESET SESSION AUTHORIZATION;
ALTER ROLE regress_tak_clerk RENAME TO regress_tak_clerk2;
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_refresh('tak_r', mode => 'search');
RESET SESSION AUTHORIZATION;
-- who may create in the schema of a release makes what the release does not have there
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT tds_anonymize('people', 'tak_s', k_anonymity('{city,age}', 5)) ->> 'version' AS version;
GRANT USAGE, CREATE ON SCHEMA tak_s TO regress_tak_mallory;
SET SESSION AUTHORIZATION regress_tak_mallory;
CREATE VIEW tak_s.counts AS SELECT 'city'::text AS attribute, NULL::text AS within, tak.mine()::text AS node, NULL::text AS lower, NULL::text AS upper, 200::bigint AS records;
GRANT SELECT ON tak_s.counts TO PUBLIC;
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_report('tak_s') IS NOT NULL AS report, (SELECT count(*) > 0 FROM release_export('tak_s')) AS export, (SELECT bool_and(holds) FROM release_verify('tak_s')) AS holds;
SELECT release_alter('tak_s', counts => true, allow_weaker => true);
RESET SESSION AUTHORIZATION;
DROP VIEW tak_s.counts;
SET SESSION AUTHORIZATION regress_tak_steward;
SELECT release_alter('tak_s', counts => true, allow_weaker => true) ->> 'version' AS version;
SELECT count(*) > 0 AS counts FROM tak_s.counts;
RESET SESSION AUTHORIZATION;
SELECT release_drop('tak_s');
SELECT release_drop('tak_r');
SET client_min_messages TO warning;
DROP SCHEMA tak CASCADE;
DROP OWNED BY regress_tak_steward, regress_tak_clerk2, regress_tak_deputy, regress_tak_mallory;
DROP ROLE regress_tak_steward, regress_tak_deputy, regress_tak_clerk2, regress_tak_mallory;
