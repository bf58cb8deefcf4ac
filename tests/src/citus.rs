//! Citus to test on: a real coordinator, if `PG_TOPDOWN_CITUS` is a connection string to it (of a superuser, in a database that has
//! the extension `citus` and nodes), or else a MOCK, which is a cluster of the test's own.
//!
//! The mock has what is asked of Citus' catalogs, as the columns of the real ones are, and functions that note down what they are asked and
//! refuse what Citus refuses. It distributes nothing: rows stay in the table, and what makes a plan Citus' is not there. What
//! Citus would do with DDL that it passes on, or with tables that it makes its own, is noted in its catalogs, as Citus does.
//! Shards are tables beside it, filled when nodes are asked for samples; nodes answer in the session that asks, and one can be put down.
//!
//! What only a real one shows: what a plan is, that settings and locks reach nodes and leave them again, that policies hide rows on
//! shards, and what a transaction is worth after a node did not answer.

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
        // The extension of the coordinator alone: nodes need none. Tests come at the same time.
        run(
            &mut db,
            "SET client_min_messages = warning; SET citus.enable_ddl_propagation = off; SELECT pg_advisory_lock(19700);
             CREATE EXTENSION IF NOT EXISTS pg_topdown",
        );
        run(&mut db, "SELECT pg_advisory_unlock(19700); RESET citus.enable_ddl_propagation");
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
            let more = [notice.detail(), notice.hint()].map(Option::unwrap_or_default).join(" ");
            let line = format!("{}: {} {}", notice.severity(), notice.message(), more.trim_end());
            heard.lock().expect("nobody panics here").push(line);
        });
        if let Some(role) = role {
            config.user(role);
        }
        let mut db = config.connect(NoTls).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        run(&mut db, &format!("SET search_path = {}, public", self.schema));
        (db, told)
    }

    /// A session on another node than the coordinator; on the mock that is the coordinator.
    pub fn session_on_node(&self) -> Client {
        if self.is_mock() {
            return self.session();
        }
        let of_node = "SELECT nodename, nodeport FROM pg_dist_node WHERE groupid > 0 AND isactive AND hasmetadata ORDER BY groupid LIMIT 1";
        let row = self.session().query_one(of_node, &[]).expect("a node");
        let mut config = Config::new();
        config.host(&row.get::<_, String>(0)).port(u16::try_from(row.get::<_, i32>(1)).expect("a port"));
        config.user(self.config.get_user().unwrap_or("postgres"));
        config.dbname(self.config.get_dbname().unwrap_or("postgres"));
        if let Some(password) = self.config.get_password() {
            config.password(password);
        }
        let mut db = config.connect(NoTls).unwrap_or_else(|error| panic!("{config:?}: {error}"));
        run(&mut db, &format!("SET search_path = {}, public", self.schema));
        db
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

/// How many rows `visits` makes.
pub const ROWS: i64 = 40_000;

const COLUMNS: &str = "patient int, age int, sex text, ward int, note text";

/// A plain table, and one of the same rows in four shards by patient.
pub fn visits(db: &mut Client) {
    run(
        db,
        &format!(
            "CREATE TABLE plain ({COLUMNS});
             INSERT INTO plain SELECT i, 20 + abs(hashint4(i)) % 60, (ARRAY['F', 'M'])[1 + abs(hashint4(i + 1)) % 2],
                                      abs(hashint4(i * 3)) % 5, CASE WHEN i % 9 > 0 THEN 'note ' || i % 4 END
                               FROM generate_series(1, {ROWS}) i;
             CREATE TABLE visits ({COLUMNS}); SELECT create_distributed_table('visits', 'patient', shard_count => 4);
             INSERT INTO visits SELECT * FROM plain"
        ),
    );
}

/// A role that may make releases, with some rights on what is in a schema. One by one: Citus has its own ways with several statements
/// in one transaction.
pub fn releaser(db: &mut Client, role: &str, login: &str, schema: &str, rights: &str) {
    for statement in [
        format!("DO $$ BEGIN CREATE ROLE {role} {login}; EXCEPTION WHEN duplicate_object THEN NULL; END $$"),
        format!("GRANT USAGE ON SCHEMA {schema} TO {role}"),
        format!("GRANT {rights} TO {role}"),
        format!("GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO {role}"),
        format!(
            "DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO {role}', current_database()); END $$"
        ),
    ] {
        run(db, &statement);
    }
}

/// The call that makes a release of a source's age and sex.
pub fn release(source: &str, name: &str, more: &str) -> String {
    format!("SELECT tds_anonymize('{source}', '{name}', ARRAY[k_anonymity(ARRAY['age', 'sex'], 20)]{more})")
}

/// What the manifest says of how the source was read.
pub fn scan(db: &mut Client, release: &str, what: &str) -> String {
    let query =
        format!("SELECT parameters #>> '{{scan,{what}}}' FROM {release}_private.manifest WHERE current");
    db.query_one(&query, &[]).expect("a manifest").get::<_, Option<String>>(0).unwrap_or_default()
}

/// Citus' settings, which are known wherever it is loaded. (A distributed table is never analyzed here: what lies on shards is not, either.)
const SETTINGS: &str = "allow_system_table_mods = on
autovacuum = off
max_prepared_transactions = 5
citus.enable_ddl_propagation = on
citus.use_citus_managed_tables = off
citus.enable_schema_based_sharding = off";

/// The catalogs as CREATE EXTENSION citus leaves them (13.2), as far as they are asked for here, and its functions as they are seen from outside.
const MOCK: &str = r#"
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass NOT NULL PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
  colocationid int NOT NULL DEFAULT 0, repmodel "char" NOT NULL DEFAULT 'c', autoconverted boolean NOT NULL DEFAULT false);
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass NOT NULL, shardid bigint NOT NULL PRIMARY KEY, shardstorage "char" NOT NULL,
  shardminvalue text, shardmaxvalue text);
CREATE TABLE pg_catalog.pg_dist_object (classid oid NOT NULL, objid oid NOT NULL, objsubid int NOT NULL, type text, object_names text[],
  object_args text[], distribution_argument_index int, colocationid int, force_delegation boolean, PRIMARY KEY (classid, objid, objsubid));
CREATE TYPE pg_catalog.noderole AS ENUM ('primary', 'secondary', 'unavailable');
CREATE TABLE pg_catalog.pg_dist_node (nodeid int NOT NULL PRIMARY KEY, groupid int NOT NULL, nodename text NOT NULL, nodeport int NOT NULL,
  hasmetadata boolean NOT NULL, isactive boolean NOT NULL DEFAULT true, noderole pg_catalog.noderole NOT NULL DEFAULT 'primary');
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int NOT NULL PRIMARY KEY);
CREATE TABLE pg_catalog.pg_dist_placement (placementid bigint GENERATED ALWAYS AS IDENTITY, shardid bigint NOT NULL, groupid int NOT NULL);
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);
INSERT INTO pg_catalog.pg_dist_node VALUES (1, 0, 'mock', 5432, true), (2, 1, 'mock', 5433, true), (3, 2, 'mock', 5434, true), (4, 3, 'mock', 5435, true);
GRANT SELECT ON pg_catalog.pg_dist_partition, pg_catalog.pg_dist_shard, pg_catalog.pg_dist_object, pg_catalog.pg_dist_node,
  pg_catalog.pg_dist_local_group, pg_catalog.pg_dist_placement TO PUBLIC;
CREATE SEQUENCE pg_catalog.pg_dist_shardid_seq START 102008;
CREATE SCHEMA mock;
-- The nodes that do not answer, and why.
CREATE TABLE mock.down (port int PRIMARY KEY, why text NOT NULL);
GRANT USAGE ON SCHEMA mock TO PUBLIC; GRANT SELECT ON mock.down TO PUBLIC;

CREATE FUNCTION pg_catalog.column_to_column_name(table_name regclass, column_var_text text) RETURNS text STRICT LANGUAGE sql AS $$
  SELECT attname::text FROM pg_attribute WHERE attrelid = table_name AND attnum = substring(column_var_text FROM ':varattno (\d+)')::int $$;
CREATE FUNCTION mock.truncated() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION pg_catalog.shard_name(source regclass, shard bigint) RETURNS text STABLE LANGUAGE sql AS $$
  SELECT CASE n.nspname WHEN 'public' THEN '' ELSE quote_ident(n.nspname) || '.' END || quote_ident(c.relname || '_' || shard)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = source $$;
CREATE FUNCTION mock.makes(shard text, source regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN EXECUTE format('CREATE TABLE %s (LIKE %s)', shard, source); EXECUTE format('GRANT SELECT ON %s TO PUBLIC', shard); END $$;
CREATE FUNCTION mock.takes(source regclass, method "char", key text, colocation int, model "char", shards int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = source) THEN
    RAISE 'table "%" is already distributed', source USING ERRCODE = 'invalid_table_definition';
  END IF;
  INSERT INTO pg_dist_partition VALUES (source, method, key, colocation, model);
  INSERT INTO pg_dist_shard SELECT source, nextval('pg_dist_shardid_seq'), 't' FROM generate_series(1, shards);
  -- On two nodes of three.
  INSERT INTO pg_dist_placement (shardid, groupid) SELECT s.shardid, 1 + s.shardid % 2 FROM pg_dist_shard s WHERE s.logicalrelid = source;
  IF model = 's' THEN
    PERFORM mock.makes(shard_name(source, s.shardid), source) FROM pg_dist_shard s WHERE s.logicalrelid = source;
  END IF;
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

-- Each row of a table is in one of its shards.
CREATE FUNCTION mock.fills(command text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE s record;
BEGIN
  FOR s IN SELECT p.logicalrelid AS source, shard_name(p.logicalrelid, p.shardid) AS shard, row_number() OVER (PARTITION BY p.logicalrelid ORDER BY p.shardid) - 1 AS place,
                  count(*) OVER (PARTITION BY p.logicalrelid) AS shards, column_to_column_name(p.logicalrelid, d.partkey) AS key
           FROM pg_dist_shard p JOIN pg_dist_partition d USING (logicalrelid) WHERE d.repmodel = 's'
  LOOP
    IF strpos(command, s.shard) > 0 THEN
      EXECUTE format('DELETE FROM %s', s.shard);
      EXECUTE format('INSERT INTO %s SELECT * FROM %s t WHERE abs(hashtext(%s::text)) %% %s = %s', s.shard, s.source,
                     COALESCE(quote_ident(s.key), quote_literal('')), s.shards, s.place);
    END IF;
  END LOOP;
END $$;
CREATE FUNCTION pg_catalog.master_run_on_worker(worker_name text[], port int[], command text[], parallel boolean, OUT node_name text,
  OUT node_port int, OUT success boolean, OUT result text) RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. cardinality(command) LOOP
    node_name := worker_name[i]; node_port := port[i];
    SELECT false, d.why INTO success, result FROM mock.down d WHERE d.port = node_port;
    IF NOT FOUND THEN
      BEGIN
        IF command[i] LIKE '%TABLESAMPLE%' THEN PERFORM mock.fills(command[i]); END IF;
        EXECUTE command[i] INTO result;
        success := true;
      EXCEPTION WHEN OTHERS THEN success := false; result := 'ERROR:  ' || SQLERRM;
      END;
    END IF;
    RETURN NEXT;
  END LOOP;
END $$;

-- What is passed on to other nodes is an object of theirs, which a table is not before it is distributed; schemas and tables may become Citus' own.
CREATE FUNCTION mock.passed_on() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF current_setting('citus.enable_ddl_propagation') = 'on' THEN
    INSERT INTO pg_dist_object SELECT classid, objid, objsubid FROM pg_event_trigger_ddl_commands() WHERE objid IS NOT NULL AND object_type <> 'table'
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
