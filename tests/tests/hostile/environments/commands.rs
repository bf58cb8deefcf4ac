//! Event triggers of the superuser's, as audit tools make them, which alter whatever is made; and
//! default privileges.

use super::{hostile, writes, Hostile};
use client_tests::calls::Effect;

/// When, and what is done to the object that the command made, `%1$s`; and what it is.
const DONE: &[(&str, &str, &str)] = &[
    ("adds a column", "CREATE TABLE", "ALTER TABLE %1$s ADD COLUMN audit_by text"),
    ("adds a column with a default", "CREATE TABLE", "ALTER TABLE %1$s ADD COLUMN audit_at timestamptz DEFAULT now() NOT NULL"),
    ("adds an index", "CREATE TABLE", "CREATE INDEX ON %1$s (ctid_of(%1$s))"),
    ("adds an index on all", "CREATE TABLE", "CREATE INDEX ON %1$s ((1)) WHERE evil.calm_mild('index')"),
    ("adds a trigger", "CREATE TABLE", "CREATE TRIGGER t AFTER INSERT ON %1$s FOR EACH ROW EXECUTE FUNCTION evil.trap()"),
    ("adds a deferred trigger", "CREATE TABLE", "CREATE CONSTRAINT TRIGGER t AFTER INSERT ON %1$s DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION evil.trap()"),
    ("adds a check", "CREATE TABLE", "ALTER TABLE %1$s ADD CHECK (evil.mild('check'))"),
    ("adds a rule", "CREATE TABLE", "CREATE RULE r AS ON INSERT TO %1$s DO INSTEAD NOTHING"),
    ("adds a child", "CREATE TABLE", "CREATE TABLE evil.child () INHERITS (%1$s); DROP TABLE evil.child; CREATE VIEW evil.on_it AS SELECT 1 FROM %1$s"),
    ("adds row-level security", "CREATE TABLE", "ALTER TABLE %1$s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY"),
    ("adds rows", "CREATE TABLE", "INSERT INTO %1$s VALUES (7)"),
    ("adds extended statistics", "CREATE TABLE", "CREATE STATISTICS evil.s ON (1 + 1), (evil.calm_mild('s')) FROM %1$s"),
    ("gives it away", "CREATE TABLE", "ALTER TABLE %1$s OWNER TO thirdparty"),
    ("makes it unlogged", "CREATE TABLE", "ALTER TABLE %1$s SET UNLOGGED"),
    ("renames it", "CREATE TABLE", "ALTER TABLE %1$s RENAME TO renamed"),
    ("replaces it by a view", "CREATE TABLE", "ALTER TABLE %1$s RENAME TO old; CREATE VIEW %1$s AS SELECT evil.mild('view') AS version"),
    ("changes a type", "CREATE TABLE", "DO $do$ BEGIN EXECUTE (SELECT 'ALTER TABLE %1$s ALTER ' || quote_ident(attname) || ' TYPE char(3)' FROM pg_attribute WHERE attrelid = '%1$s'::regclass AND attnum = 1); END $do$"),
    ("changes every type", "CREATE TABLE", "DO $do$ BEGIN EXECUTE (SELECT string_agg('ALTER TABLE %1$s ALTER ' || quote_ident(attname) || ' TYPE bytea USING NULL', ';') FROM pg_attribute WHERE attrelid = '%1$s'::regclass AND attnum > 1); END $do$"),
    ("drops a column", "CREATE TABLE", "DO $do$ BEGIN EXECUTE (SELECT 'ALTER TABLE %1$s DROP ' || quote_ident(attname) FROM pg_attribute WHERE attrelid = '%1$s'::regclass AND attnum = 1); END $do$"),
    ("drops it", "CREATE TABLE", "DROP TABLE %1$s CASCADE"),
    ("drops its schema", "CREATE TABLE", "DROP SCHEMA made, made_private CASCADE"),
    ("raises an error", "CREATE TABLE", "DO $do$ BEGIN RAISE EXCEPTION 'no tables' USING ERRCODE = '42501'; END $do$"),
    ("changes settings", "CREATE TABLE", "SELECT evil.mild('event trigger')"),
    ("drops the source", "CREATE TABLE", "DROP TABLE evil.people CASCADE"),
    ("changes the source", "CREATE TABLE", "ALTER TABLE evil.people DROP COLUMN note CASCADE"),
    ("drops the view", "CREATE VIEW", "DROP VIEW %1$s"),
    ("replaces the view", "CREATE VIEW", "DROP VIEW %1$s; CREATE TABLE %1$s (a int)"),
    ("grants the view", "CREATE VIEW", "GRANT ALL ON %1$s TO PUBLIC"),
    ("puts a manifest into schemas", "CREATE SCHEMA", "CREATE TABLE %1$s.manifest (version int)"),
    ("gives schemas away", "CREATE SCHEMA", "ALTER SCHEMA %1$s OWNER TO thirdparty"),
    ("drops schemas", "CREATE SCHEMA", "DROP SCHEMA %1$s"),
    ("renames schemas", "CREATE SCHEMA", "ALTER SCHEMA %1$s RENAME TO renamed"),
    ("takes grants back", "GRANT", "REVOKE ALL ON ALL TABLES IN SCHEMA rel, rel_private FROM PUBLIC"),
    ("forbids revoking", "REVOKE", "DO $do$ BEGIN RAISE EXCEPTION 'no revoking'; END $do$"),
    ("alters what is altered", "ALTER TABLE", "DROP TABLE %1$s CASCADE"),
];

pub fn event_triggers() -> Vec<Hostile> {
    let mut all: Vec<Hostile> = DONE.iter().map(|(name, tag, sql)| event_trigger(name, tag, sql)).collect();
    let forbids = "CREATE FUNCTION public.et() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN
           RAISE EXCEPTION 'no %', tg_tag; END$$;";
    for (name, when) in [
        ("an event trigger forbids dropping", "sql_drop"),
        (
            "an event trigger forbids CREATE TABLE before it is done",
            "ddl_command_start WHEN TAG IN ('CREATE TABLE')",
        ),
        (
            "an event trigger forbids CREATE VIEW before it is done",
            "ddl_command_start WHEN TAG IN ('CREATE VIEW')",
        ),
    ] {
        let sql = format!("{forbids} CREATE EVENT TRIGGER et ON {when} EXECUTE FUNCTION public.et()");
        all.push(Hostile { matters: writes, ..hostile(name, &[("root", &sql)]) });
    }
    all
}

fn event_trigger(name: &str, tag: &str, sql: &str) -> Hostile {
    // Once in a command, and only on what belongs to a release.
    let install = format!(
        "CREATE FUNCTION public.ctid_of(anyelement) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
         CREATE FUNCTION public.et() RETURNS event_trigger LANGUAGE plpgsql AS $et$
         DECLARE r record; BEGIN
           IF pg_trigger_depth() > 0 OR current_setting('et.busy', true) = 'yes' THEN RETURN; END IF;
           FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
             IF r.object_identity IS NULL OR r.object_identity ~ '^\"?(made|rel)' THEN
               PERFORM set_config('et.busy', 'yes', true);
               BEGIN
                 EXECUTE format($sql${sql}$sql$, COALESCE(r.object_identity, 'rel.cut'));
               EXCEPTION WHEN undefined_table OR duplicate_column OR undefined_object OR feature_not_supported OR dependent_objects_still_exist THEN NULL;
               END;
               PERFORM set_config('et.busy', '', true);
             END IF;
           END LOOP; END $et$;
         CREATE EVENT TRIGGER et ON ddl_command_end WHEN TAG IN ('{tag}') EXECUTE FUNCTION public.et()"
    );
    let mut made = hostile(&format!("an event trigger {name}"), &[("root", &install)]);
    made.alters = sql.contains("evil.people");
    made.matters = |call| call.effect == Effect::Makes || (call.effect == Effect::Changes && writes(call));
    made
}

pub fn privileges() -> Vec<Hostile> {
    let grants = "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, mallory WITH GRANT OPTION;
        ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO mallory, PUBLIC;
        ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO mallory";
    let grants = grants.replace("TO PUBLIC, mallory WITH GRANT OPTION", "TO PUBLIC, mallory");
    let revokes = "ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM CURRENT_USER;
        ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM CURRENT_USER";
    vec![
        Hostile {
            matters: writes,
            ..hostile(
                "default privileges give everything",
                &[("root", &grants), ("mallory", &grants), ("reader", &grants)],
            )
        },
        Hostile {
            matters: writes,
            ..hostile(
                "default privileges take everything",
                &[("root", revokes), ("mallory", revokes), ("reader", revokes)],
            )
        },
    ]
}
