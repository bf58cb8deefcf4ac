-- Threat: event triggers. One that alters new tables, as auditing does, alters those of a release while they are made: an error or
-- a release, never memory of another shape, and never a release past a constraint, a rule or a policy.
CREATE SCHEMA ev;
SET search_path TO ev, public;
CREATE TABLE patients AS SELECT i % 20 AS age, 'c' || i % 3 AS city FROM generate_series(1, 300) i;
CREATE TABLE ev.todo (target text, what text);
CREATE TABLE ev.parent ();
CREATE FUNCTION ev.nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION ev.act() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT o.object_identity, t.what FROM pg_catalog.pg_event_trigger_ddl_commands() o JOIN ev.todo t ON o.object_identity ~ t.target WHERE o.command_tag IN ('CREATE TABLE', 'CREATE VIEW') LOOP
    EXECUTE pg_catalog.replace(r.what, '{table}', r.object_identity);
  END LOOP;
END $$;
CREATE EVENT TRIGGER regress_ev ON ddl_command_end WHEN TAG IN ('CREATE TABLE', 'CREATE VIEW') EXECUTE FUNCTION ev.act();
-- the plain case first, at the top level: a column more
INSERT INTO todo VALUES ('^evr_private\.', 'ALTER TABLE {table} ADD COLUMN audit_by text');
SELECT tds_anonymize('patients', 'evr', ARRAY[k_anonymity(ARRAY['age'], 5)]);
UPDATE todo SET target = '^evr_private\.rows_v';
SELECT tds_anonymize('patients', 'evr', ARRAY[k_anonymity(ARRAY['age'], 5)]);
SELECT kmember_anonymize('patients', 'evr', ARRAY['age'], 5, keep => ARRAY['city']);

CREATE FUNCTION outcome(target text, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE verified text;
BEGIN
  DELETE FROM ev.todo;
  INSERT INTO ev.todo VALUES ($1, $2);
  PERFORM public.tds_anonymize('ev.patients', 'evr', ARRAY[public.k_anonymity(ARRAY['age'], 5)], keep => ARRAY['city']);
  DELETE FROM ev.todo;
  SELECT string_agg(holds::text, ',') INTO verified FROM public.release_verify('evr');
  -- rolled back, so that the next one is a first version again
  RAISE EXCEPTION 'released, holds: %, rows: %, granted: %', verified, (SELECT count(*) FROM evr.patients), (SELECT count(*) FROM pg_class c, aclexplode(relacl) a WHERE relnamespace IN ('evr'::regnamespace, 'evr_private'::regnamespace) AND a.grantee <> relowner);
EXCEPTION
  WHEN raise_exception THEN RETURN sqlerrm;
  WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT target, what, outcome('^evr_private\.' || target, what) FROM unnest('{rows_v0,rows_v1,manifest,cuts_v0,taxonomy_v0,steps_v0,key_v0}'::text[]) target, unnest(ARRAY[
  'ALTER TABLE {table} ADD COLUMN more int DEFAULT 7',
  'ALTER TABLE {table} ADD COLUMN gone int; ALTER TABLE {table} DROP COLUMN gone',
  'ALTER TABLE {table} ADD COLUMN made int GENERATED ALWAYS AS (1) STORED',
  'CREATE INDEX ON {table} ((1))',
  'CREATE TRIGGER t BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION ev.nothing()',
  'CREATE TRIGGER t AFTER INSERT ON {table} FOR EACH STATEMENT EXECUTE FUNCTION ev.nothing()',
  'CREATE RULE r AS ON INSERT TO {table} DO INSTEAD NOTHING',
  'ALTER TABLE {table} ENABLE ROW LEVEL SECURITY',
  'ALTER TABLE {table} ADD CHECK (false) NOT VALID',
  'ALTER TABLE {table} INHERIT ev.parent',
  'CREATE TABLE ev.child () INHERITS ({table})',
  'ALTER TABLE {table} SET UNLOGGED',
  'ALTER TABLE {table} OWNER TO pg_read_all_data',
  'ALTER TABLE {table} RENAME TO renamed',
  'DROP TABLE {table}',
  'DROP TABLE {table}; CREATE MATERIALIZED VIEW {table} AS SELECT 1 AS one']) what
  -- what versions of PostgreSQL do otherwise to a partitioned table
  WHERE (target, what) <> ('rows_v0', 'ALTER TABLE {table} SET UNLOGGED') ORDER BY 1, 2;
-- columns that the table has: another type, another name, an own default, a constraint, gone
SELECT target, what, outcome('^evr_private\.' || target, what) FROM unnest('{rows_v0,rows_v1}'::text[]) target, unnest(ARRAY[
  'ALTER TABLE {table} ALTER age TYPE int USING 1', 'ALTER TABLE {table} RENAME age TO city2', 'ALTER TABLE {table} DROP COLUMN age', 'ALTER TABLE {table} DROP COLUMN age; ALTER TABLE {table} ADD COLUMN age text',
  'ALTER TABLE {table} ALTER city SET DEFAULT 1', 'ALTER TABLE {table} ALTER city SET NOT NULL', 'ALTER TABLE {table} ADD PRIMARY KEY (city)', 'ALTER TABLE {table} ADD FOREIGN KEY (city) REFERENCES {table} (city)',
  'INSERT INTO {table} VALUES (1, NULL, NULL)', 'INSERT INTO {table} VALUES (1, NULL, NULL); DELETE FROM {table}', 'GRANT SELECT ON {table} TO PUBLIC', 'ALTER TABLE {table} SET (fillfactor = 10)']) what
  WHERE (target, what) <> ('rows_v0', 'ALTER TABLE {table} SET (fillfactor = 10)') ORDER BY 1, 2;
SELECT what, outcome('^evr_private\.(manifest|cuts_v0)$', what) FROM unnest(ARRAY[
  'ALTER TABLE {table} ALTER version TYPE bigint', 'ALTER TABLE {table} ALTER version SET DEFAULT 1', 'INSERT INTO {table} (version) VALUES (5)', 'GRANT SELECT ON {table} TO PUBLIC']) what;
-- the views
SELECT target, what, outcome('^evr\.' || target || '$', what) FROM unnest('{patients,cut,about}'::text[]) target,
  unnest(ARRAY['DROP VIEW {table}', 'ALTER VIEW {table} SET (security_invoker)', 'GRANT SELECT ON {table} TO PUBLIC']) what ORDER BY 1, 2;
SELECT outcome('^evr\.patients$', 'ALTER VIEW {table} RENAME COLUMN age TO years');
-- a next version
DELETE FROM todo;
SELECT tds_anonymize('patients', 'evr', ARRAY[k_anonymity(ARRAY['age'], 5)], keep => ARRAY['city']) -> 'version' AS version;
INSERT INTO todo VALUES ('^evr_private\.rows_v', 'ALTER TABLE {table} ADD COLUMN audit_by text');
SELECT tds_anonymize('patients', 'evr', ARRAY[k_anonymity(ARRAY['age'], 6)], keep => ARRAY['city']);
SELECT version FROM releases() WHERE release = 'evr';
SELECT count(*) FROM evr.patients;
DROP EVENT TRIGGER regress_ev;
SELECT nspname, relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relname IN ('renamed', 'child');
SELECT release_drop('evr');
DROP SCHEMA ev CASCADE;
SELECT nspname FROM pg_namespace WHERE nspname LIKE 'ev%';
