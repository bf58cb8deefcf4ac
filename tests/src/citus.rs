//! Citus to test on: a real coordinator, if `PG_TOPDOWN_CITUS` is a connection string to it (of a superuser, in a database that has
//! the extension `citus` and nodes), or else a MOCK, which is a cluster of the test's own.
//!
//! The mock has what is asked of Citus' catalogs, as the columns of the real ones are, and functions that note down what they are asked and
//! refuse what Citus refuses. It distributes nothing: rows stay in the table, and what makes a plan Citus' is not there. What
//! Citus would do with DDL that it passes on, or with tables that it makes its own, is noted in its catalogs, as Citus does.

use crate::cluster::Cluster;
use crate::{run, say};
use postgres::{Client, Config, NoTls};
use std::env;
use std::sync::{Arc, Mutex};

/// A coordinator, until it is dropped.
pub struct Citus {
    mock: Option<Cluster>,
    config: Config,
    schema: String,
}

/// What a session was told, a line each.
pub type Told = Arc<Mutex<Vec<String>>>;

impl Citus {
    /// One for a test, with an empty schema of that name for its tables. `None`: there is nothing to make one of, and the test has
    /// been announced as skipped.
    #[must_use]
    pub fn start(test: &str) -> Option<Citus> {
        let (mock, config) = match env::var("PG_TOPDOWN_CITUS") {
            Ok(url) => (None, url.parse().expect("PG_TOPDOWN_CITUS is no connection string")),
            Err(_) => {
                let cluster = Cluster::start(SETTINGS)?;
                let config = cluster.config();
                (Some(cluster), config)
            }
        };
        let citus = Citus { mock, config, schema: format!("pgtd_{test}") };
        let mut db = citus.plain_session();
        if citus.mock.is_some() {
            run(&mut db, MOCK);
        }
        citus.say(&format!("{test}\n"));
        // The extension of the coordinator alone: nodes need none.
        run(&mut db, "SET citus.enable_ddl_propagation = off; CREATE EXTENSION IF NOT EXISTS pg_topdown");
        run(&mut db, "SET client_min_messages = warning; RESET citus.enable_ddl_propagation");
        citus.clear(&mut db);
        run(&mut db, &format!("CREATE SCHEMA {}", citus.schema));
        Some(citus)
    }

    /// Whether it is none.
    pub fn is_mock(&self) -> bool {
        self.mock.is_some()
    }

    /// Says something, and of what it is said.
    pub fn say(&self, line: &str) {
        say(&format!("{}{line}", if self.is_mock() { "MOCK of Citus: " } else { "Citus: " }));
    }

    /// A session of the superuser, that finds the test's tables.
    pub fn session(&self) -> Client {
        self.session_as(None).0
    }

    /// A session as another role, if one is named, and what it is told.
    pub fn session_as(&self, role: Option<&str>) -> (Client, Told) {
        let (told, mut config) = (Told::default(), self.config.clone());
        let heard = told.clone();
        config.notice_callback(move |notice| {
            let line =
                format!("{}: {} {}", notice.severity(), notice.message(), notice.detail().unwrap_or(""));
            heard.lock().expect("nobody panics here").push(line);
        });
        if let Some(role) = role {
            config.user(role);
        }
        let mut db = config.connect(NoTls).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        run(&mut db, &format!("SET search_path = {}, public", self.schema));
        (db, told)
    }

    fn plain_session(&self) -> Client {
        self.config.connect(NoTls).unwrap_or_else(|error| panic!("{:?}: {error}", self.config))
    }

    /// Drops what a test has made: releases whose names begin as its schema's, and that.
    fn clear(&self, db: &mut Client) {
        let schemas =
            "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, $1) ORDER BY nspname DESC";
        for schema in db.query(schemas, &[&self.schema]).expect("schemas") {
            run(db, &format!("DROP SCHEMA {} CASCADE", schema.get::<_, String>(0)));
        }
    }
}

impl Drop for Citus {
    fn drop(&mut self) {
        if !std::thread::panicking() && !self.is_mock() {
            self.clear(&mut self.plain_session());
        }
    }
}

/// Citus' settings, which are known wherever it is loaded. (A distributed table is never analyzed here: what lies on shards is not, either.)
const SETTINGS: &str = "allow_system_table_mods = on
autovacuum = off
citus.enable_ddl_propagation = on
citus.use_citus_managed_tables = off
citus.enable_schema_based_sharding = off";

/// The catalogs as CREATE EXTENSION citus leaves them (12.1), as far as they are asked for here, and its functions as they are seen from outside.
const MOCK: &str = r#"
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
  colocationid int NOT NULL DEFAULT 0, repmodel "char" NOT NULL DEFAULT 'c', autoconverted boolean NOT NULL DEFAULT false);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint NOT NULL PRIMARY KEY, shardstorage "char" NOT NULL,
  shardminvalue text, shardmaxvalue text);
CREATE TABLE pg_catalog.pg_dist_object (classid oid NOT NULL, objid oid NOT NULL, objsubid int NOT NULL, type text, object_names text[],
  object_args text[], distribution_argument_index int, colocationid int, force_delegation boolean, PRIMARY KEY (classid, objid, objsubid));
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_object TO PUBLIC;
CREATE SEQUENCE pg_catalog.pg_dist_shardid_seq START 102008;
CREATE SCHEMA mock;

CREATE FUNCTION pg_catalog.column_to_column_name(table_name regclass, column_var_text text) RETURNS text STRICT LANGUAGE sql AS $$
  SELECT attname::text FROM pg_attribute WHERE attrelid = table_name AND attnum = substring(column_var_text FROM ':varattno (\d+)')::int $$;
CREATE FUNCTION mock.truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION mock.takes(source regclass, method "char", key text, colocation int, model "char", shards int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = source) THEN
    RAISE 'table "%" is already distributed', source USING ERRCODE = 'invalid_table_definition';
  END IF;
  INSERT INTO pg_dist_partition VALUES (source, method, key, colocation, model);
  INSERT INTO pg_dist_shard SELECT source, nextval('pg_dist_shardid_seq'), 't' FROM generate_series(1, shards);
  EXECUTE format('CREATE TRIGGER truncate_trigger_%s AFTER TRUNCATE ON %s FOR EACH STATEMENT EXECUTE FUNCTION mock.truncated()', source::oid, source);
END $$;
CREATE FUNCTION pg_catalog.create_distributed_table(table_name regclass, distribution_column text, shard_count int DEFAULT 32)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  key text := (SELECT format('{VAR :varno 1 :varattno %s :vartype %s}', attnum, atttypid) FROM pg_attribute
               WHERE attrelid = table_name AND attname = distribution_column AND attnum > 0);
BEGIN
  IF distribution_column IS NOT NULL AND key IS NULL THEN
    RAISE 'column "%" of relation "%" does not exist', distribution_column, table_name USING ERRCODE = 'undefined_column';
  END IF;
  PERFORM mock.takes(table_name, (CASE WHEN key IS NULL THEN 'n' ELSE 'h' END)::"char", key, 1, 's', CASE WHEN key IS NULL THEN 1 ELSE shard_count END);
END $$;
CREATE FUNCTION pg_catalog.create_reference_table(table_name regclass) RETURNS void LANGUAGE sql AS $$
  SELECT mock.takes(table_name, 'n', NULL, 2, 't', 1) $$;

-- What is passed on to other nodes is an object of theirs; schemas and tables may become Citus' own.
CREATE FUNCTION mock.passed_on() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF current_setting('citus.enable_ddl_propagation') = 'on' THEN
    INSERT INTO pg_dist_object SELECT classid, objid, objsubid FROM pg_event_trigger_ddl_commands() WHERE objid IS NOT NULL
      ON CONFLICT DO NOTHING;
  END IF;
  IF current_setting('citus.use_citus_managed_tables') = 'on' AND tg_tag = 'CREATE TABLE' THEN
    INSERT INTO pg_dist_partition SELECT objid, 'n', NULL, 0, 's' FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table';
  END IF;
  IF current_setting('citus.enable_schema_based_sharding') = 'on' AND tg_tag = 'CREATE SCHEMA' THEN
    RAISE 'the schema would be one whose tables are distributed';
  END IF;
END $$;
CREATE EVENT TRIGGER mock_of_citus ON ddl_command_end EXECUTE FUNCTION mock.passed_on();
"#;
