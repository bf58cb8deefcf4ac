-- Threat: changed under the call. An event trigger may do anything to a table just made: a version is written into a table as it was
-- asked for, or there is no version.
CREATE SCHEMA made;
SET search_path TO made, public;
CREATE TABLE people AS SELECT 'c' || i % 2 AS city, i % 4 AS age FROM generate_series(1, 40) i;
CREATE TABLE todo (place text, what text);
CREATE FUNCTION now_do() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE made record; task record;
BEGIN
  FOR made IN SELECT object_identity AS name FROM pg_event_trigger_ddl_commands() WHERE command_tag = 'CREATE TABLE' LOOP
    FOR task IN DELETE FROM made.todo WHERE place = made.name RETURNING * LOOP EXECUTE task.what; END LOOP;
  END LOOP;
END $$;
CREATE EVENT TRIGGER regress_made ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION now_do();
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
-- what it does; what the call ends with; what is left
CREATE FUNCTION tried(place text, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE rows bigint;
BEGIN
  DELETE FROM made.todo;
  INSERT INTO made.todo VALUES (place, replace(what, '{}', place));
  BEGIN
    PERFORM tds_anonymize('made.people', 'r', ARRAY[k_anonymity(ARRAY['city', 'age'], 5)]);
    EXECUTE 'SELECT count(*) FROM r.people' INTO rows;
    RAISE EXCEPTION 'made with % rows', rows;
  EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm;
  END;
END $$;
SELECT place, what, tried(place, what) FROM (VALUES
  ('r_private.rows_v1', 'SELECT 1'),
  ('r_private.rows_v1', 'ALTER TABLE {} ADD more int'),
  ('r_private.rows_v1', 'ALTER TABLE {} DROP city'),
  ('r_private.rows_v1', 'ALTER TABLE {} ALTER city TYPE varchar'),
  ('r_private.rows_v1', 'ALTER TABLE {} RENAME city TO town'),
  ('r_private.rows_v1', 'ALTER TABLE {} ALTER city SET DEFAULT ''x'''),
  ('r_private.rows_v1', 'ALTER TABLE {} ADD CHECK (city <> ''c0'')'),
  ('r_private.rows_v1', 'ALTER TABLE {} ALTER city SET NOT NULL'),
  ('r_private.rows_v1', 'CREATE INDEX ON {} (city)'),
  ('r_private.rows_v1', 'CREATE TRIGGER t BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION made.nothing()'),
  ('r_private.rows_v1', 'CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING'),
  ('r_private.rows_v1', 'ALTER TABLE {} ENABLE ROW LEVEL SECURITY'),
  ('r_private.rows_v1', 'CREATE TABLE made.child () INHERITS ({})'),
  ('r_private.rows_v1', 'ALTER TABLE {} SET UNLOGGED'),
  ('r_private.rows_v1', 'ALTER TABLE {} RENAME TO elsewhere'),
  ('r_private.rows_v1', 'DROP TABLE {}'),
  ('r_private.rows_v1', 'INSERT INTO {} VALUES (1, 1, ''stranger'', ''1'')'),
  ('r_private.rows_v0', 'ALTER TABLE {} ADD more int'),
  ('r_private.rows_v0', 'ALTER TABLE {} ALTER city TYPE varchar'),
  ('r_private.rows_v0', 'ALTER TABLE {} ALTER city SET DEFAULT ''x'''),
  ('r_private.rows_v0', 'ALTER TABLE {} ALTER city SET NOT NULL'),
  ('r_private.rows_v0', 'ALTER TABLE {} ADD CHECK (city <> ''c0'')'),
  ('r_private.rows_v0', 'CREATE INDEX ON {} (city)'),
  ('r_private.rows_v0', 'CREATE TRIGGER t BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION made.nothing()'),
  ('r_private.rows_v0', 'CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING'),
  ('r_private.rows_v0', 'ALTER TABLE {} ENABLE ROW LEVEL SECURITY'),
  ('r_private.rows_v0', 'CREATE TABLE r.stranger PARTITION OF {} DEFAULT'),
  ('r_private.rows_v0', 'ALTER TABLE {} RENAME TO elsewhere'),
  ('r_private.rows_v0', 'DROP TABLE {}'),
  ('r_private.cuts_v0', 'ALTER TABLE {} ADD more int'),
  ('r_private.cuts_v0', 'CREATE RULE r AS ON INSERT TO {} DO INSTEAD NOTHING'),
  ('r_private.manifest', 'CREATE RULE r AS ON UPDATE TO {} DO INSTEAD NOTHING'),
  ('r_private.manifest', 'ALTER TABLE {} ALTER rows TYPE numeric'),
  ('r_private.taxonomy_v0', 'ALTER TABLE {} ENABLE ROW LEVEL SECURITY'),
  ('r_private.key_v0', 'CREATE TRIGGER t BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION made.nothing()'),
  ('r_private.key_v0', 'ALTER TABLE {} ADD more int'),
  ('r_private.steps_v0', 'CREATE TRIGGER t BEFORE INSERT ON {} FOR EACH ROW EXECUTE FUNCTION made.nothing()')) t (place, what);
SELECT count(*) FROM pg_namespace WHERE nspname IN ('r', 'r_private');
DROP EVENT TRIGGER regress_made;
DROP SCHEMA made CASCADE;
