//! The world in which everything happens: three roles beside the superuser, a database in which
//! mallory has a table, taxonomies and a release for everybody to see, and a copy of that database for
//! each environment, so that nothing has to be undone.

use client_tests::server;
use postgres::{Client, NoTls, SimpleQueryMessage};
use std::process;
use std::sync::{Arc, Mutex};
use std::thread::sleep;
use std::time::Duration;

/// What mallory has, before an environment changes it. `evil.bait` is for places that run with nobody's
/// rights but its owner's: it tries whatever an attacker would, and tells whose rights it has.
/// `evil.mild` is for places where PostgreSQL itself runs it with the rights of whoever selects: it only
/// tries to leave something behind in the session.
const BASE: &[(&str, &str)] = &[
    (
        "root",
        "CREATE EXTENSION pg_topdown SCHEMA public;
         GRANT EXECUTE ON ALL ROUTINES IN SCHEMA public TO mallory, reader, thirdparty;
         GRANT CREATE ON SCHEMA public TO mallory;
         CREATE SCHEMA dora AUTHORIZATION thirdparty;
         GRANT USAGE ON SCHEMA dora TO PUBLIC",
    ),
    (
        "thirdparty",
        // A function of somebody else's that anybody may call, as there are many; it fails while it has
        // its owner's rights.
        "CREATE FUNCTION dora.refuses(text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS
         $$BEGIN RAISE EXCEPTION 'refused'; END$$",
    ),
    ("mallory", EVIL),
    ("mallory", TABLES),
    ("mallory", REMAKE),
];

/// Makes mallory's release `rel`, and lets everybody read all of it.
pub const REMAKE: &str = "
    DROP SCHEMA IF EXISTS rel, rel_private CASCADE;
    SELECT public.tds_anonymize('evil.people', 'rel', ARRAY[public.k_anonymity(ARRAY['city', 'age'], 3),
      public.confidence_bound(ARRAY['city', 'kind'], 'illness', NULL, 1), public.t_closeness(ARRAY['age'], 'kind', 1)],
      class => 'illness', masking => ARRAY[public.by_taxonomy('city', 'evil.tree'), public.by_intervals('age', '0', '100')],
      keep => ARRAY['note']);
    GRANT USAGE ON SCHEMA rel, rel_private TO PUBLIC;
    GRANT SELECT ON ALL TABLES IN SCHEMA rel, rel_private TO PUBLIC";

/// What mallory has.
const EVIL: &str = r#"CREATE SCHEMA evil; GRANT USAGE ON SCHEMA evil TO PUBLIC;
         CREATE TABLE evil.caught (place text, who name);
         GRANT ALL ON evil.caught TO PUBLIC;
         CREATE FUNCTION evil.try(command text) RETURNS void LANGUAGE plpgsql AS
         $$BEGIN EXECUTE command; EXCEPTION WHEN OTHERS THEN NULL; END$$;
         CREATE FUNCTION evil.mild(place text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN
           PERFORM evil.try('RESET statement_timeout');
           PERFORM evil.try('RESET ALL');
           PERFORM evil.try($q$SELECT set_config('search_path', 'evil', false)$q$);
           PERFORM evil.try($q$SELECT set_config('row_security', 'off', false)$q$);
           PERFORM evil.try($q$SELECT set_config('work_mem', '64kB', false)$q$);
           PERFORM evil.try($q$SELECT set_config('DateStyle', 'SQL, DMY', true)$q$);
           PERFORM evil.try($q$SELECT set_config('evil.flag', 'set', false)$q$);
           PERFORM evil.try($q$SELECT set_config('pg_topdown.allow_row_security', 'on', false)$q$);
           PERFORM evil.try($q$SELECT set_config('role', 'thirdparty', false)$q$);
           PERFORM evil.try($q$SELECT set_config('transaction_read_only', 'on', false)$q$);
           PERFORM evil.try('SET enable_hashagg = off');
           PERFORM evil.try('SET LOCAL TimeZone = ''Asia/Tokyo''');
           PERFORM evil.try('SET ROLE reader');
           PERFORM evil.try('SET SESSION AUTHORIZATION mallory');
           PERFORM evil.try('CREATE TEMP TABLE pg_class (relname name)');
           PERFORM evil.try('CREATE TEMP VIEW left_behind AS SELECT 1');
           PERFORM evil.try('DECLARE left_behind CURSOR WITH HOLD FOR SELECT 1');
           PERFORM evil.try('PREPARE left_behind AS SELECT 1');
           PERFORM evil.try('LISTEN left_behind');
           PERFORM evil.try(format('INSERT INTO evil.caught VALUES (%L, current_user)', place));
           PERFORM pg_sleep(0);
           RETURN true;
         END$$;
         CREATE FUNCTION evil.bait(place text) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN
           IF current_user <> 'mallory' THEN
             RAISE WARNING 'BAIT %, taken by % in a session of %', place, current_user, session_user;
           END IF;
           PERFORM evil.try('ALTER ROLE mallory SUPERUSER');
           PERFORM evil.try('ALTER ROLE mallory CREATEROLE BYPASSRLS');
           PERFORM evil.try('GRANT thirdparty TO mallory');
           PERFORM evil.try('GRANT pg_read_all_data, pg_execute_server_program TO mallory');
           PERFORM evil.try('ALTER ROLE reader SET search_path = evil');
           PERFORM evil.try('CREATE TABLE dora.left_behind ()');
           PERFORM evil.try('GRANT CREATE ON SCHEMA dora TO mallory');
           PERFORM evil.try($q$SELECT set_config('session_replication_role', 'replica', false)$q$);
           PERFORM evil.try($q$SELECT set_config('session_authorization', 'mallory', false)$q$);
           RETURN evil.mild(place);
         END$$;
         CREATE FUNCTION evil.calm_bait(place text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
         $$BEGIN RETURN evil.bait(place); END$$;
         CREATE FUNCTION evil.calm_mild(place text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
         $$BEGIN RETURN evil.mild(place); END$$;
         CREATE FUNCTION evil.trap() RETURNS trigger LANGUAGE plpgsql AS
         $$BEGIN PERFORM evil.bait('trigger'); RETURN COALESCE(NEW, OLD); END$$;
         CREATE TYPE evil.e AS ENUM ('a', 'b', 'c');"#;

/// Mallory's tables.
const TABLES: &str = "
         CREATE TABLE evil.people (city text, age int, kind evil.e, illness text, note int);
         INSERT INTO evil.people SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 20, (ARRAY['a', 'b', 'c'])[1 + i % 3]::evil.e,
           CASE WHEN i % 4 = 0 THEN 'flu' ELSE 'none' END, i % 2 FROM generate_series(1, 60) i;
         CREATE TABLE evil.tree (child text, parent text);
         INSERT INTO evil.tree VALUES ('any', NULL), ('xy', 'any'), ('x', 'xy'), ('y', 'xy'), ('z', 'any');
         CREATE TABLE evil.levels (leaf text, up text, root text);
         INSERT INTO evil.levels VALUES ('x', 'xy', 'any'), ('y', 'xy', 'any'), ('z', 'z', 'any');
         GRANT SELECT ON ALL TABLES IN SCHEMA evil TO PUBLIC";

const ROLES: [&str; 3] = ["mallory", "reader", "thirdparty"];

/// The names of a world's roles and databases.
#[derive(Clone)]
pub struct Names {
    /// What they end in.
    pub suffix: String,
}

impl Names {
    /// An SQL text in which the roles and the databases are those of this world.
    pub fn own(&self, sql: &str) -> String {
        let names = ROLES.iter().chain(["template_of", "environment_of"].iter());
        names.fold(sql.to_string(), |sql, name| sql.replace(name, &format!("{name}{}", self.suffix)))
    }

    /// The name of a role; `root` is the superuser.
    pub fn role(&self, who: &str) -> String {
        match who {
            "root" => server().get_user().unwrap_or("postgres").into(),
            role => self.own(role),
        }
    }
}

/// The roles and the database that environments are copied from.
pub struct World {
    pub names: Names,
}

impl World {
    /// A world of its own for each number.
    pub fn new(number: usize) -> World {
        let world = World { names: Names { suffix: format!("_hostile_{}_{number}", process::id()) } };
        for role in ROLES {
            world.admin(&format!("CREATE ROLE {role} LOGIN"));
        }
        world.admin("CREATE DATABASE template_of TEMPLATE template0");
        world.admin("GRANT CREATE ON DATABASE template_of TO mallory, reader");
        for (who, sql) in BASE {
            let mut session = Session::open(&world.names, "template_of", who);
            session.must(sql);
        }
        world
    }

    /// Runs one statement; again, where the server is just coming back from a crash.
    fn admin(&self, sql: &str) {
        let sql = self.names.own(sql);
        let run =
            || server().dbname("postgres").connect(NoTls).and_then(|mut client| client.batch_execute(&sql));
        for _ in 0..50 {
            match run() {
                Err(error) if error.as_db_error().is_none_or(|e| e.code().code().starts_with("57P")) => {
                    sleep(Duration::from_millis(200))
                }
                result => return result.unwrap_or_else(|error| panic!("{sql}: {error:?}")),
            }
        }
        panic!("the server does not come back");
    }

    /// Takes back what somebody should not have got.
    pub fn reset_roles(&self) {
        for role in ROLES {
            self.admin(&format!(
                "ALTER ROLE {role} NOSUPERUSER NOCREATEROLE NOBYPASSRLS; ALTER ROLE {role} RESET ALL"
            ));
        }
        self.admin("REVOKE thirdparty, pg_read_all_data, pg_execute_server_program FROM mallory");
    }

    /// A fresh copy of the database.
    pub fn environment(&self) -> Environment<'_> {
        self.admin("DROP DATABASE IF EXISTS environment_of WITH (FORCE)");
        self.admin("CREATE DATABASE environment_of TEMPLATE template_of");
        self.admin("GRANT CREATE ON DATABASE environment_of TO mallory, reader");
        Environment { names: &self.names }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        for sql in [
            "DROP DATABASE IF EXISTS environment_of WITH (FORCE)".into(),
            "DROP DATABASE IF EXISTS template_of WITH (FORCE)".into(),
            format!("DROP ROLE IF EXISTS {}", ROLES.join(", ")),
        ] {
            let done = server()
                .dbname("postgres")
                .connect(NoTls)
                .and_then(|mut c| c.batch_execute(&self.names.own(&sql)));
            if let Err(error) = done {
                eprintln!("{sql}: {error:?}");
            }
        }
    }
}

/// A copy of the database, in which anything may be done.
pub struct Environment<'w> {
    pub names: &'w Names,
}

impl Environment<'_> {
    /// Lets mallory make her tables and her release anew.
    pub fn restore(&self) {
        let mut mallory = self.session("mallory");
        mallory.must(
            "DROP SCHEMA IF EXISTS rel, rel_private CASCADE;
             DO $$DECLARE r regclass; BEGIN
               FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'evil'::regnamespace AND relkind = 'v' LOOP
                 EXECUTE 'DROP VIEW ' || r || ' CASCADE';
               END LOOP;
               FOR r IN SELECT oid FROM pg_class WHERE relnamespace = 'evil'::regnamespace AND relkind = 'r' AND relname <> 'caught' LOOP
                 EXECUTE 'DROP TABLE ' || r || ' CASCADE';
               END LOOP; END$$;
             DROP DOMAIN IF EXISTS evil.d; DROP FUNCTION IF EXISTS evil.renames()",
        );
        mallory.must(TABLES);
        mallory.must(REMAKE);
    }

    /// A session of a role's; `root` is the superuser.
    pub fn session(&self, who: &str) -> Session {
        Session::open(self.names, "environment_of", who)
    }
}

/// A session, and what the server said to it beside results.
pub struct Session {
    client: Client,
    notices: Arc<Mutex<Vec<String>>>,
    names: Names,
    /// Its process on the server.
    pub pid: i32,
}

impl Session {
    fn open(names: &Names, database: &str, who: &str) -> Session {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let heard = notices.clone();
        let mut config = server();
        config.dbname(&names.own(database)).user(&names.role(who)).options("-c statement_timeout=30s");
        config.notice_callback(move |notice| {
            heard.lock().unwrap().push(format!("{}: {}", notice.severity(), notice.message()));
        });
        // After a crash the server needs a moment.
        let mut client = (0..100)
            .find_map(|_| config.connect(NoTls).map_err(|_| sleep(Duration::from_millis(200))).ok())
            .expect("the server came back");
        let pid = scalar(&mut client, "SELECT pg_catalog.pg_backend_pid()").parse().expect("a number");
        Session { client, notices, names: names.clone(), pid }
    }

    /// Runs a text of statements.
    pub fn batch(&mut self, sql: &str) -> Result<(), postgres::Error> {
        self.client.batch_execute(&self.names.own(sql))
    }

    /// Runs a text of statements that must work.
    pub fn must(&mut self, sql: &str) {
        self.batch(sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    }

    /// The columns of the first row of a query, as texts; NULL is an empty one.
    pub fn row(&mut self, sql: &str) -> Result<Vec<String>, postgres::Error> {
        let messages = self.client.simple_query(&self.names.own(sql))?;
        let row = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|i| row.get(i).unwrap_or_default().to_string()).collect())
            }
            _ => None,
        });
        Ok(row.unwrap_or_default())
    }

    /// What the server said since the last time, results apart.
    pub fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap())
    }
}

fn scalar(client: &mut Client, sql: &str) -> String {
    let messages = client.simple_query(sql).expect("a session answers");
    let first = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(String::from),
        _ => None,
    });
    first.unwrap_or_default()
}
