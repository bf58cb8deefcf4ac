//! Whatever ends a call, and wherever it is just then: the version before stays, whole and verified, nothing of
//! the call is left behind, and the next one works.
//!
//! A call is stopped at a phase by something of its surroundings that waits there for an advisory lock: the source
//! is a view with a function in it, an event trigger comes after each command that makes something, and
//! triggers of the owner's are on the manifest. What has no such place, searching, writing and
//! recounting, is found by the locks the call holds.
//!
//! A server that crashes leaves the files of relations behind that were made in transactions it had not ended:
//! that is PostgreSQL's own (they are removed by hand, or with the database). Whatever else there is on disk without
//! a relation would be ours.

use client_tests::cluster::{wait_until, Cluster, Stop};
use client_tests::people::{more_people, people, release_of_people};
use client_tests::{number, rows, run};
use postgres::error::SqlState;
use postgres::Client;
use std::collections::BTreeSet;
use std::process::Command;
use std::thread;

/// What lets a call go as far as a place that is called like the only row of `stops`, and no further.
const GATE: &str = "
    CREATE TABLE public.stops (place text); GRANT SELECT ON public.stops TO PUBLIC;
    CREATE FUNCTION public.gate(place text) RETURNS boolean LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM public.stops s WHERE gate.place LIKE s.place) THEN
          PERFORM pg_advisory_lock_shared(42); PERFORM pg_advisory_unlock_shared(42);
        END IF;
        RETURN true;
      END $$;
    CREATE FUNCTION public.after_command() RETURNS event_trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM public.gate(command_tag || ' ' || object_identity) FROM pg_event_trigger_ddl_commands();
      END $$;
    CREATE EVENT TRIGGER after_command ON ddl_command_end EXECUTE FUNCTION public.after_command();
    CREATE FUNCTION public.by_name() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM public.gate(tg_name); RETURN new; END $$;
    SET ROLE owner;
    CREATE TABLE commits ();
    CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON commits DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION public.by_name();
    ALTER TABLE people RENAME TO persons;
    CREATE VIEW people AS SELECT * FROM persons WHERE id > 1 OR public.gate('reading');
    RESET ROLE";

/// Where a first call is stopped.
const FIRST: &[&str] = &[
    "CREATE SCHEMA r",
    "CREATE SCHEMA r_private",
    "reading",
    "CREATE TABLE r_private.manifest",
    "CREATE TABLE r_private.rows_v0",
    "CREATE TABLE r_private.rows_v1",
    "ALTER TABLE r_private.rows_v0",
    "CREATE VIEW r.people",
    "CREATE VIEW r.about",
    "COMMENT r.people",
];

/// Where a refresh is stopped.
const REFRESH: &[&str] =
    &["reading", "CREATE TABLE r_private.rows_v%", "ALTER TABLE r_private.rows_v0", "at_insert", "at_commit"];

/// A refresh in a transaction that waits at its commit, if anything is to wait there.
const COMMITTED: &str = "BEGIN; INSERT INTO commits DEFAULT VALUES; SELECT release_refresh('r'); COMMIT";

const ENDS: &[End] = &[End::Cancelled, End::Terminated, End::Killed, End::Shutdown];

/// How a call is ended.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    Cancelled,
    Terminated,
    /// The backend, which takes all others with it.
    Killed,
    /// The server, at once.
    Shutdown,
}

struct Server {
    cluster: Cluster,
    /// The superuser's; anew after a crash.
    db: Client,
    /// Files without a relation that crashes have left.
    orphans: BTreeSet<String>,
    /// How many relations with files a call makes: a version's table, and with the first ten more and two indexes.
    makes: usize,
}

impl Server {
    fn start() -> Option<Server> {
        let cluster = Cluster::start("autovacuum = off")?;
        let mut db = cluster.session();
        people(&mut db, 1000);
        run(&mut db, GATE);
        let mut server = Server { cluster, db, orphans: BTreeSet::new(), makes: 3 };
        server.again();
        Some(server)
    }

    /// After a crash, and before everything: nobody passes the gate.
    fn again(&mut self) {
        wait_until("sessions are let in", || self.cluster.config().connect(postgres::NoTls).is_ok());
        self.db = self.cluster.session();
        run(&mut self.db, "SET client_min_messages = error; SELECT pg_advisory_lock(42)");
    }

    /// A session of the owner's.
    fn owner(&self) -> Client {
        let mut owner = self.cluster.session_in("postgres", "owner");
        run(&mut owner, "SET client_min_messages = error");
        owner
    }

    /// Begins a statement, waits until it is where a query on its process says, and ends it.
    fn ends(&mut self, statement: &str, there: &str, end: End) {
        let mut owner = self.owner();
        let pid = number(&mut owner, "SELECT pg_backend_pid()");
        let text = statement.to_string();
        let call = thread::spawn(move || owner.batch_execute(&text));
        let there = there.replace("{pid}", &pid.to_string());
        let db = &mut self.db;
        wait_until(&format!("{statement} is at {there}"), || {
            assert!(!call.is_finished(), "{statement} has ended before {there}");
            !rows(db, &there).is_empty()
        });
        match end {
            End::Cancelled => run(db, &format!("SELECT pg_cancel_backend({pid})")),
            End::Terminated => run(db, &format!("SELECT pg_terminate_backend({pid})")),
            End::Killed => {
                let killed = Command::new("kill").args(["-KILL", &pid.to_string()]).status();
                assert!(killed.is_ok_and(|status| status.success()));
            }
            End::Shutdown => self.cluster.stop(Stop::Immediate),
        }
        let error = call.join().expect("the call").expect_err("the call was ended");
        match end {
            End::Cancelled => assert_eq!(error.code(), Some(&SqlState::QUERY_CANCELED), "{error:?}"),
            End::Terminated => {
                let said = error.code().is_none_or(|code| *code == SqlState::ADMIN_SHUTDOWN);
                assert!(said && (error.is_closed() || error.code().is_some()), "{error:?}");
            }
            End::Killed => wait_until("the server notices", || self.db.simple_query("SELECT").is_err()),
            End::Shutdown => self.cluster.restart(),
        }
        let crashed = matches!(end, End::Killed | End::Shutdown);
        if crashed {
            self.again();
        }
        let gone = format!("SELECT FROM pg_stat_activity WHERE pid = {pid} AND state <> 'idle'");
        wait_until("the backend is done", || rows(&mut self.db, &gone).is_empty());
        let found = self.files_without_relation();
        if crashed {
            // Without the forks: table, TOAST table and its index.
            let of = |file: &String| file.trim_matches(['(', ')']).split('_').next().map(String::from);
            let left: BTreeSet<_> = found.difference(&self.orphans).map(of).collect();
            assert!(left.len() <= self.makes, "more than relations of the call: {left:?}, {statement}");
            self.orphans.extend(found);
        } else {
            assert_eq!(found, self.orphans, "files are left, {statement} at {there}, {end:?}");
        }
    }

    /// What is in the directory of the database and in no relation; PostgreSQL removes a file for good with the
    /// next checkpoint.
    fn files_without_relation(&mut self) -> BTreeSet<String> {
        run(&mut self.db, "CHECKPOINT");
        let query = "SELECT DISTINCT f FROM pg_database d, pg_ls_dir('base/' || d.oid) f
                     WHERE datname = current_database() AND f ~ '^[0-9]'
                       AND split_part(split_part(f, '_', 1), '.', 1)
                           NOT IN (SELECT pg_relation_filenode(oid)::text FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL)
                     UNION ALL SELECT f FROM pg_ls_dir('base/pgsql_tmp', true, false) f";
        rows(&mut self.db, query).into_iter().collect()
    }

    /// How much the catalogs hold.
    fn catalogs(&mut self) -> Vec<String> {
        let catalogs = [
            "namespace",
            "class",
            "type",
            "attribute",
            "inherits",
            "constraint",
            "rewrite",
            "depend",
            "description",
            "statistic",
            "trigger",
        ];
        catalogs
            .iter()
            .flat_map(|c| rows(&mut self.db, &format!("SELECT '{c}', count(*) FROM pg_{c}")))
            .collect()
    }

    /// Ends a statement at every place, in every way, and looks each time whether all is as before.
    fn ends_everywhere(&mut self, statement: &str, places: &[&str], intact: impl Fn(&mut Client)) {
        let before = self.catalogs();
        for (number, place) in places.iter().enumerate() {
            // A crash takes a second: one of its two ways a place.
            let rare = ENDS[2 + number % 2];
            for end in
                ENDS.iter().filter(|end| matches!(end, End::Cancelled | End::Terminated) || **end == rare)
            {
                run(&mut self.db, &format!("TRUNCATE stops; INSERT INTO stops VALUES ('{place}')"));
                let waits = "SELECT FROM pg_stat_activity WHERE pid = {pid} AND wait_event = 'advisory'";
                self.ends(statement, waits, *end);
                run(&mut self.db, "TRUNCATE stops");
                assert_eq!(self.catalogs(), before, "{statement} at {place}, {end:?}");
                intact(&mut self.db);
            }
        }
    }
}

#[test]
fn a_first_call() {
    let Some(mut server) = Server::start() else { return };
    server.makes = 3 * 11 + 2;
    server.ends_everywhere(&release_of_people("r", 10), FIRST, |_| {});
    let mut owner = server.owner();
    run(&mut owner, &release_of_people("r", 10));
    run(&mut owner, "SELECT release_assert('r')");
}

/// What is published of release r, all of it.
fn published(db: &mut Client) -> Vec<String> {
    [
        "SELECT * FROM r.people ORDER BY 1, 2, 3, 4, 5",
        "SELECT * FROM r.cut",
        "SELECT * FROM r.about",
        "SELECT * FROM r_private.manifest ORDER BY 1",
    ]
    .iter()
    .flat_map(|query| rows(db, query))
    .collect()
}

#[test]
fn a_refresh() {
    let Some(mut server) = Server::start() else { return };
    let mut owner = server.owner();
    run(&mut owner, &release_of_people("r", 10));
    run(
        &mut owner,
        "CREATE TRIGGER at_insert BEFORE INSERT ON r_private.manifest FOR EACH ROW EXECUTE FUNCTION public.by_name();
         SELECT release_refresh('r', 'search'); SELECT release_refresh('r', 'search')",
    );
    more_persons(&mut server.db, 1001, 1200);
    let before = published(&mut server.db);
    server.ends_everywhere(COMMITTED, REFRESH, |db| {
        assert_eq!(published(db), before);
        run(db, "SELECT release_assert('r')");
    });
    let mut owner = server.owner();
    run(&mut owner, "SELECT release_refresh('r'); SELECT release_assert('r')");
    assert_eq!(rows(&mut owner, "SELECT version, rows FROM r.about"), ["(4,1200)"]);
    assert_eq!(
        rows(
            &mut owner,
            "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'r_private.rows_v0'::regclass ORDER BY 1"
        )
        .len(),
        2
    );
}

/// Where nothing can be made to wait: found by the locks that the call has by then.
#[test]
fn between_the_places() {
    let Some(mut server) = Server::start() else { return };
    let mut owner = server.owner();
    run(&mut owner, &release_of_people("r", 10));
    more_persons(&mut server.db, 1001, 40_000);
    let before = (published(&mut server.db), server.catalogs());
    let locked = |relation: &str| {
        format!(
            "SELECT FROM pg_locks WHERE pid = {{pid}} AND granted AND locktype = 'relation' AND {relation}"
        )
    };
    let places = [
        // Reading the source, or searching.
        locked("relation = 'persons'::regclass"),
        // The version's table is there, for the call itself alone: its rows are being written.
        locked("mode = 'AccessExclusiveLock' AND relation NOT IN (SELECT oid FROM pg_class)"),
        // It is attached: being recounted, or published.
        locked("mode = 'ShareUpdateExclusiveLock' AND relation = 'r_private.rows_v0'::regclass"),
    ];
    for there in &places {
        for end in ENDS {
            server.ends("SELECT release_refresh('r', 'search')", there, *end);
            assert_eq!((published(&mut server.db), server.catalogs()), before, "{there} {end:?}");
        }
    }
    let mut owner = server.owner();
    run(&mut owner, "SELECT release_refresh('r'); SELECT release_assert('r')");
    assert_eq!(rows(&mut owner, "SELECT version, rows FROM r.about"), ["(2,40000)"]);
}

/// `people` is a view here, which rows come into by its table.
fn more_persons(db: &mut Client, from: u32, to: u32) {
    run(db, "ALTER TABLE persons RENAME TO p; ALTER VIEW people RENAME TO v; ALTER TABLE p RENAME TO people");
    more_people(db, from, to);
    run(db, "ALTER TABLE people RENAME TO persons; ALTER VIEW v RENAME TO people");
}

/// A statement that fails for want of something, with this SQLSTATE and these words, and changes nothing.
fn fails(server: &mut Server, owner: &mut Client, statement: &str, code: &SqlState, words: &str) {
    let before = (published(&mut server.db), server.catalogs());
    let error = owner.batch_execute(statement).expect_err(statement);
    let said = error.as_db_error().map(|error| error.message().to_string()).unwrap_or_default();
    assert!(error.code() == Some(code) && said.contains(words), "{statement}: {error:?}");
    // An error comes before its transaction is cleaned up: the next answer comes after.
    run(owner, "SELECT release_assert('r')");
    assert_eq!((published(&mut server.db), server.catalogs()), before, "{statement}");
    assert_eq!(server.files_without_relation(), BTreeSet::new(), "{statement}");
}

const REFRESH_AND_FIRST: &[&str] =
    &["SELECT release_refresh('r')", "SELECT release_refresh('r', 'search')", "{first}"];

fn fails_for_want(server: &mut Server, owner: &mut Client, code: &SqlState, words: &str) {
    for statement in REFRESH_AND_FIRST {
        fails(server, owner, &statement.replace("{first}", &release_of_people("s", 10)), code, words);
    }
}

#[test]
fn out_of_memory_and_temporary_files() {
    let Some(mut server) = Server::start() else { return };
    let mut owner = server.owner();
    run(&mut owner, &release_of_people("r", 10));
    more_persons(&mut server.db, 1001, 120_000);
    // Rows go to temporary files; a number for each, to fold them by, is too much.
    let twelve_times = "CREATE OR REPLACE VIEW people AS SELECT p.* FROM persons p, generate_series(1, 12) i";
    run(&mut server.db, twelve_times);
    run(&mut server.db, "GRANT SET ON PARAMETER pg_topdown.max_memory TO owner");
    run(&mut owner, "SET pg_topdown.max_memory = '1MB'");
    fails_for_want(&mut server, &mut owner, &SqlState::PROGRAM_LIMIT_EXCEEDED, "memory");
    run(&mut owner, "RESET pg_topdown.max_memory");
    // The source sorts more than a verb lets it keep in memory.
    run(
        &mut server.db,
        "CREATE OR REPLACE VIEW people AS
           SELECT p.* FROM persons p, generate_series(1, 12) i ORDER BY md5(p.id::text), repeat(p.illness, 30)",
    );
    run(&mut server.db, "ALTER SYSTEM SET temp_file_limit = '1MB'");
    run(&mut server.db, "SELECT pg_reload_conf()");
    wait_until("the limit is there", || {
        rows(&mut owner, "SELECT current_setting('temp_file_limit')") == ["(1MB)"]
    });
    fails_for_want(&mut server, &mut owner, &SqlState::CONFIGURATION_LIMIT_EXCEEDED, "temp_file_limit");
    run(&mut server.db, "CREATE OR REPLACE VIEW people AS SELECT * FROM persons");
    run(&mut owner, "SELECT release_refresh('r'); SELECT release_assert('r')");
}

/// A file system of two megabytes, which only root can make.
struct Small(String);

impl Small {
    fn mount(cluster: &Cluster) -> Option<Small> {
        let path = cluster.path("small").display().to_string();
        std::fs::create_dir(&path).expect("a directory");
        let options = "size=2m,mode=777";
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs", &path]).output();
        match mount {
            Ok(output) if output.status.success() => Some(Small(path)),
            other => {
                client_tests::skip(&format!("no file system can be made to fill up: {other:?}"));
                None
            }
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // Lazily: the server has it open.
        let _gone = Command::new("umount").args(["-l", &self.0]).status();
    }
}

#[test]
fn out_of_disk() {
    let Some(mut server) = Server::start() else { return };
    let Some(small) = Small::mount(&server.cluster) else { return };
    let space = format!("{}/space", small.0);
    let made = server.cluster.command("/bin/mkdir", &["-m", "700", &space]);
    assert!(made.status.success(), "{made:?}");
    run(&mut server.db, &format!("CREATE TABLESPACE small LOCATION '{space}'"));
    run(&mut server.db, "GRANT CREATE ON TABLESPACE small TO owner");
    let mut owner = server.owner();
    run(&mut owner, "SET default_tablespace = small");
    run(&mut owner, &release_of_people("r", 10));
    assert_eq!(
        number(
            &mut owner,
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'r_private' AND tablespace = 'small'"
        ),
        12
    );
    more_persons(&mut server.db, 1001, 60_000);
    let list = "SELECT count(*) FROM pg_tablespace t, pg_ls_dir('pg_tblspc/' || t.oid) v, pg_database d,
                       pg_ls_dir('pg_tblspc/' || t.oid || '/' || v || '/' || d.oid) f
                WHERE spcname = 'small' AND datname = current_database()";
    run(&mut server.db, "CHECKPOINT");
    let files = number(&mut server.db, list);
    fails_for_want(&mut server, &mut owner, &SqlState::DISK_FULL, "could not extend file");
    run(&mut server.db, "CHECKPOINT");
    assert_eq!(number(&mut server.db, list), files);
    run(&mut owner, "RESET default_tablespace; SELECT release_refresh('r'); SELECT release_assert('r')");
    assert_eq!(rows(&mut owner, "SELECT version, rows FROM r.about"), ["(2,60000)"]);
}
