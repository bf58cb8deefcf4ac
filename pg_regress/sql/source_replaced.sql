-- Threat: changed under the call. The source is what was looked up, whatever becomes of its name and its columns before it is read: an
-- event trigger does it here, in the session of the call itself, where no lock is in its way.
CREATE SCHEMA rep;
SET search_path TO rep, public;
CREATE SCHEMA a;
CREATE TABLE a.people AS SELECT 'c' || i % 2 AS city, 'n' || i % 3 AS note FROM generate_series(1, 40) i;
CREATE TABLE todo (what text);
CREATE FUNCTION now_do() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE what text;
BEGIN
  DELETE FROM rep.todo RETURNING todo.what INTO what;
  IF what IS NOT NULL THEN EXECUTE what; END IF;
END $$;
CREATE EVENT TRIGGER regress_rep ON ddl_command_end WHEN TAG IN ('CREATE SCHEMA') EXECUTE FUNCTION now_do();
CREATE FUNCTION meanwhile(what text) RETURNS void LANGUAGE sql AS $$ DELETE FROM todo; INSERT INTO todo VALUES (what) $$;
CREATE FUNCTION call() RETURNS text LANGUAGE sql AS $$ SELECT tds_anonymize('a.people', 'r', ARRAY[k_anonymity(ARRAY['city'], 5)], keep => ARRAY['note']) ->> 'version' $$;
-- its schema is renamed, and another put in its place
SELECT meanwhile('ALTER SCHEMA a RENAME TO b; CREATE TABLE rep.other AS SELECT city, ''another'' AS note FROM b.people; CREATE SCHEMA a; ALTER TABLE rep.other RENAME TO people; ALTER TABLE rep.people SET SCHEMA a');
SELECT call();
SELECT count(*) FROM pg_namespace WHERE nspname IN ('b', 'b_private', 'r', 'r_private');
-- so is the table
SELECT meanwhile('ALTER TABLE a.people RENAME TO old; CREATE VIEW a.people AS SELECT city, ''another'' AS note FROM a.old');
SELECT call();
-- a column becomes one of another type: what is a number is no text
SELECT meanwhile('ALTER TABLE a.people ALTER note TYPE int USING 5');
SELECT call();
-- a column that is renamed, and another of its name
SELECT meanwhile('ALTER TABLE a.people RENAME note TO old_note; ALTER TABLE a.people ADD note bigint DEFAULT 7');
SELECT call();
-- nothing: the call goes on as ever
SELECT meanwhile('SELECT 1');
SELECT call();
SELECT DISTINCT note FROM r.people ORDER BY 1;
DROP EVENT TRIGGER regress_rep;
SELECT release_drop('r');
DROP SCHEMA rep, a CASCADE;
