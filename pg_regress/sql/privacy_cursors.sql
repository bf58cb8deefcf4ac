-- A cursor that code below a source opens does not outlive the call: a COMMIT in a DO block would run the query of a pinned one with the
-- rights of who commits. Cursors of the caller stay.
CREATE SCHEMA cur;
GRANT USAGE ON SCHEMA cur TO PUBLIC;
CREATE ROLE regress_opens;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_opens', current_database()) \gexec
GRANT CREATE ON SCHEMA cur TO regress_opens;
SELECT release_functions('regress_opens');
SET ROLE regress_opens;
CREATE TABLE cur.people AS SELECT i % 60 AS age FROM generate_series(1, 3000) i;
CREATE FUNCTION cur.query() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'run as %', current_user; END $$;
CREATE FUNCTION cur.opens() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE c refcursor; named refcursor := 'left'; unnamed refcursor := '<unnamed>'; BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_cursors WHERE name = 'left') THEN
    OPEN c FOR SELECT cur.query(); OPEN named FOR SELECT cur.query(); OPEN unnamed FOR SELECT 1;
  END IF;
  RETURN true; END $$;
CREATE VIEW cur.seen AS SELECT age FROM cur.people WHERE cur.opens();
RESET ROLE;
BEGIN;
DECLARE mine CURSOR FOR SELECT 1;
SET ROLE regress_opens;
SELECT tds_anonymize('cur.seen', 'r', k_anonymity('{age}', 5)) -> 'version' AS version;
RESET ROLE;
SELECT name FROM pg_cursors WHERE name IN ('mine', 'left', '<unnamed>') OR statement ~ 'cur.query' ORDER BY name;
-- By whoever calls, and by what only reads.
SELECT count(*) > 0 AS told FROM release_query_error('r');
INSERT INTO cur.people SELECT 5 FROM generate_series(1, 100);
SELECT release_refresh('r') -> 'version' AS version;
SELECT count(*) FROM tds_steps('cur.seen', k_anonymity('{age}', 5), max_steps => 1);
SELECT name FROM pg_cursors WHERE name IN ('mine', 'left', '<unnamed>') OR statement ~ 'cur.query' ORDER BY name;
FETCH mine;
COMMIT;
CALL release_refresh_all();
CREATE FUNCTION cur.tried(what text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'mine'; kept int; BEGIN
  UPDATE cur.todo SET what = $1;
  OPEN c FOR SELECT 1;
  BEGIN
    PERFORM count(*) FROM public.release_query_error('r');
    RETURN 'done';
  EXCEPTION WHEN OTHERS THEN FETCH c INTO kept; CLOSE c; RETURN sqlstate || ', ' || kept; END;
END $$;
-- One that the caller loops over, with a call within.
DO $$ DECLARE c record; rows int := 0; BEGIN
  FOR c IN SELECT i FROM generate_series(1, 3) i LOOP
    PERFORM count(*) FROM release_query_error('r'); rows := rows + c.i; COMMIT;
  END LOOP;
  RAISE NOTICE '% of 6', rows; END $$;
-- The caller's cursors and prepared statements are not replaced: they stay, and what would replace them fails.
CREATE OR REPLACE FUNCTION cur.opens() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'mine'; row int; BEGIN
  EXECUTE (SELECT what FROM cur.todo); RETURN true; END $$;
CREATE FUNCTION cur.close() RETURNS void LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'mine'; BEGIN CLOSE c; OPEN c FOR SELECT cur.query(); END $$;
CREATE FUNCTION cur.fetch() RETURNS void LANGUAGE plpgsql AS $$ DECLARE c refcursor := 'mine'; row int; BEGIN FETCH c INTO row; END $$;
CREATE TABLE cur.todo AS SELECT ''::text AS what;
GRANT SELECT ON cur.todo TO PUBLIC;
PREPARE mine AS SELECT 2;
SELECT what, (SELECT outcome FROM cur.tried(what) outcome) FROM unnest(ARRAY['SELECT cur.close()', 'SELECT cur.fetch()', 'CLOSE mine', 'PREPARE other AS SELECT cur.query()',
  'DEALLOCATE mine', 'DEALLOCATE ALL', 'DISCARD PLANS']) what;
EXECUTE mine;
SELECT name FROM pg_prepared_statements;
PREPARE after AS SELECT 3;
DEALLOCATE ALL;
SELECT release_drop('r');
DROP SCHEMA cur CASCADE;
SELECT format('REVOKE CREATE ON DATABASE %I FROM regress_opens', current_database()) \gexec
DROP OWNED BY regress_opens;
DROP ROLE regress_opens;
