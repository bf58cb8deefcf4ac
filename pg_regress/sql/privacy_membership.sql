-- Who is a member of a release's owner works on the release as far as membership conveys the owner's rights, as in PostgreSQL's own
-- ownership checks: without inheritance it does not, until SET ROLE.
CREATE SCHEMA mem;
SET search_path TO mem, public;
CREATE TABLE people AS SELECT i % 7 AS age, 'p' || i % 3 AS city FROM generate_series(1, 100) i;
CREATE ROLE regress_mem_owner;
CREATE ROLE regress_mem_heir INHERIT IN ROLE regress_mem_owner;
CREATE ROLE regress_mem_other NOINHERIT IN ROLE regress_mem_owner;
CREATE ROLE regress_mem_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_mem_owner', current_database()) \gexec
GRANT USAGE ON SCHEMA mem TO regress_mem_owner, regress_mem_other;
GRANT SELECT ON people TO regress_mem_owner;
GRANT EXECUTE ON FUNCTION tds_anonymize, release_grant, release_revoke, release_drop TO regress_mem_owner, regress_mem_heir, regress_mem_other, regress_mem_stranger;
SET ROLE regress_mem_owner;
SELECT tds_anonymize('people', 'mem_r', ARRAY[k_anonymity(ARRAY['age'], 5)]) ->> 'version' AS version;
RESET ROLE;
CREATE FUNCTION tried(role name, statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE shown text;
BEGIN
  EXECUTE format('SET LOCAL ROLE %I', role);
  BEGIN
    EXECUTE statement INTO shown;
    shown := coalesce(nullif(shown, ''), 'done');
  EXCEPTION WHEN OTHERS THEN shown := SQLSTATE || ' ' || SQLERRM;
  END;
  RESET ROLE;
  RETURN shown;
END $$;
SELECT r.role, s.what, tried(r.role, s.statement)
FROM (VALUES (1, 'regress_mem_stranger'), (2, 'regress_mem_other'), (3, 'regress_mem_heir')) r (i, role),
     (VALUES (1, 'verify', $$SELECT bool_and(holds) FROM release_verify('mem_r')$$), (2, 'measures', $$SELECT count(*) > 5 FROM release_measures('mem_r')$$),
             (3, 'grant', $$SELECT release_grant('mem_r', 'pg_monitor')$$), (4, 'revoke', $$SELECT release_revoke('mem_r', 'pg_monitor')$$),
             (5, 'drop', $$SELECT release_drop('mem_r')$$)) s (j, what, statement)
ORDER BY i, j;
SELECT count(*) AS releases FROM releases();
-- and with SET ROLE
SET ROLE regress_mem_owner;
SELECT tds_anonymize('mem.people', 'mem_r', ARRAY[k_anonymity(ARRAY['age'], 5)]) ->> 'version' AS version;
SET SESSION AUTHORIZATION regress_mem_other;
SELECT release_drop('mem_r');
SET ROLE regress_mem_owner;
SELECT release_drop('mem_r');
RESET SESSION AUTHORIZATION;
DROP OWNED BY regress_mem_owner, regress_mem_heir, regress_mem_other, regress_mem_stranger;
DROP ROLE regress_mem_owner, regress_mem_heir, regress_mem_other, regress_mem_stranger;
DROP SCHEMA mem CASCADE;
