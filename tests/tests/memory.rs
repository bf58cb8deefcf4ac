//! Memory that cannot be had: whatever a verb is at, its statement ends with 53200 (out of memory) or 54000 (the budget), the server goes
//! on, and nothing is left behind.
//!
//! Every verb is called again and again in sessions whose address space is limited from outside (prlimit), from no
//! more than the session has to what the call needs and a quarter more: so allocations fail in every phase of it, ours and
//! PostgreSQL's. `MEMORY_RUNGS` says how many limits there are (5; 8 with LONG=1), `MEMORY_CALL` how the calls begin that are made.

use client_tests::cluster::{wait_until, Cluster};
use client_tests::{is_long, number, rows, run, skip};
use postgres::error::SqlState;
use postgres::Client;
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::Command;

/// What the calls are made on: rows with columns of few and of many values, taxonomies, and releases of all kinds.
const SOURCE: &str = "
    SET client_min_messages = error;
    CREATE EXTENSION pg_topdown;
    CREATE TABLE people AS SELECT
        (i * 7919 % 71) AS age, md5((i % 4000)::text) AS code, (i::bigint * 104729 % 20011)::numeric / 4 AS income,
        'city ' || i * 31 % 97 AS city, lpad((i::bigint * 611953 % 9973)::text, 5, '0') AS zip, 'illness ' || i * i::bigint % 11 AS illness,
        i % 2500 AS person, date '2000-01-01' + i % 4000 AS born, (i * 7919 % 71 > 40 AND i % 5 > 0)::text AS class
      FROM generate_series(1, 8000) i;
    CREATE TABLE more AS SELECT * FROM people LIMIT 500;
    CREATE TABLE cities AS
      SELECT 'city ' || i AS child, 'region ' || i % 9 AS parent FROM generate_series(0, 96) i
      UNION ALL SELECT 'region ' || i, 'land' FROM generate_series(0, 8) i;
    CREATE TABLE codes AS
      SELECT md5(i::text) AS child, left(md5(i::text), 2) AS parent FROM generate_series(0, 3999) i
      UNION ALL SELECT DISTINCT left(md5(i::text), 2), 'any' FROM generate_series(0, 3999) i;
    CREATE TABLE levels AS SELECT md5(i::text) AS leaf, left(md5(i::text), 2) AS two, 'any'::text AS root FROM generate_series(0, 3999) i;
    ANALYZE";

const MODELS: &str =
    "ARRAY[k_anonymity('{age,city,income,zip}', 5), l_diversity('{age,city}', 'illness', 2)]";
const MASKING: &str = "ARRAY[by_taxonomy('city', 'cities'), by_prefix('zip')]";

/// A call, and what undoes it where it succeeds.
struct Call {
    name: &'static str,
    sql: String,
    undo: &'static str,
    /// What it has done before it fails stays, and its error says that something failed (55000); a WARNING says what.
    commits: bool,
}

fn call(name: &'static str, sql: &str) -> Call {
    let sql = sql.replace("MODELS", MODELS).replace("MASKING", MASKING);
    Call { name, sql, undo: "", commits: false }
}

fn makes(name: &'static str, sql: &str) -> Call {
    Call { undo: "SELECT release_drop('made')", ..call(name, sql) }
}

fn calls() -> Vec<Call> {
    let made = |rest: &str| format!("SELECT tds_anonymize('people', 'made', {rest})");
    vec![
        call("tds_steps", "SELECT count(*) FROM tds_steps('people', MODELS, 'class', MASKING)"),
        call("tds_steps, one column of many values", "SELECT count(*) FROM tds_steps('people', k_anonymity('{code}', 2))"),
        call("tds_steps, by a taxonomy of many nodes", "SELECT count(*) FROM tds_steps('people', k_anonymity('{code,age}', 2), masking => by_taxonomy('code', 'codes'))"),
        makes("tds_anonymize", &made("MODELS, 'class', MASKING, keep => '{born,illness}'")),
        makes("tds_anonymize, local", &made("k_anonymity('{age,city,zip}', 5), masking => MASKING, recoding => 'local', keep => '{born}'")),
        makes("tds_anonymize, withhold", &made("k_anonymity('{age,city,zip}', 5), 'class', MASKING, withhold => 0.02")),
        makes("tds_anonymize, persons", &made("k_anonymity('{age,city}', 5, 'person'), masking => by_taxonomy('city', 'cities')")),
        makes("tds_anonymize, counts", "SET pg_topdown.scan = counts; SELECT tds_anonymize('people', 'made', MODELS, 'class', MASKING)"),
        makes("pda_anonymize", "SELECT pda_anonymize('people', 'made', confidence_bound('{city,age}', 'illness', NULL, 0.9), 'class', keep => '{code}')"),
        makes("kmember_anonymize", "SELECT kmember_anonymize('more', 'made', '{age,city,zip}', 5)"),
        call("release_refresh", "SELECT release_refresh('kept')"),
        call("release_refresh, search", "SELECT release_refresh('kept', mode => 'search')"),
        call("release_refresh, local", "SELECT release_refresh('locally')"),
        Call { commits: true, ..call("release_refresh_all", "CALL release_refresh_all()") },
        call("release_alter", "SELECT release_alter('kept', max_steps => 40)"),
        call("release_rewind", "SELECT release_rewind('kept', 3)"),
        call("release_rewind, local", "SELECT release_rewind('locally', 3)"),
        Call { undo: "DROP TABLE applied", ..call("release_apply", "SELECT release_apply('kept', 'people', 'public.applied')") },
        Call { undo: "DROP TABLE applied", ..call("release_apply, local", "SELECT release_apply('locally', 'people', 'public.applied')") },
        call("release_explain", "SELECT count(*) FROM release_explain('kept')"),
        call("release_explain, local", "SELECT count(*) FROM release_explain('locally')"),
        call("release_report", "SELECT length(release_report('kept'))"),
        call("release_export", "SELECT count(*) FROM release_export('kept')"),
        call("release_verify", "SELECT count(*) FROM release_verify('kept')"),
        call("release_drift", "SELECT count(*) FROM release_drift('kept')"),
        call("release_query_error", "SELECT count(*) FROM release_query_error('kept')"),
        call("release_risk", "SELECT count(*) FROM release_risk('kept')"),
        call("release_measures", "SELECT count(*) FROM release_measures('kept')"),
        call("privacy_check", "SELECT count(*) FROM privacy_check('people', MODELS)"),
        call("privacy_keys", "SELECT count(*) FROM privacy_keys('people', max_columns => 2)"),
        call("privacy_inferences", "SELECT count(*) FROM privacy_inferences('people', confidence_bound('{age,city}', 'illness', NULL, 0.5))"),
        call("tds_tradeoff", "SELECT count(*) FROM tds_tradeoff('people', '{5,20}', MODELS, 'class', MASKING)"),
        call("release_suggest", "SELECT count(*) FROM release_suggest('people', MODELS, 'class', MASKING)"),
        call("taxonomy_build", "SELECT count(*) FROM taxonomy_build('people', 'income', 'han')"),
        call("taxonomy_check", "SELECT count(*) FROM taxonomy_check('codes', 'people', 'code')"),
        call("taxonomy_of", "SELECT count(*) FROM taxonomy_of(by_prefix('code', '{1,2,4}'), 'people')"),
        call("taxonomy_from_levels", "SELECT count(*) FROM taxonomy_from_levels('levels')"),
        call("privacy_model", "SELECT length(confidence_bound('{age}', 'code', (SELECT array_agg(md5(i::text)) FROM generate_series(1, 100000) i), 0.5)::text::privacy_model::text)"),
        // No operation: a value is made of an argument, printed and read.
        call("masking", "SELECT length(by_taxonomy_tree('code', jsonb_build_object('any', (SELECT jsonb_agg(md5(i::text)) FROM generate_series(1, 50000) i)))::text::masking::text)"),
        call("taxonomy_to_levels", "SELECT count(*) FROM taxonomy_to_levels('codes')"),
    ]
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Succeeded,
    OutOfMemory,
    OverBudget,
    /// Some of the releases are refreshed, each in a transaction of its own.
    SomeFailed,
    /// Out of memory, and the session with it.
    SessionEnded,
}

impl End {
    /// None where it is anything else that a call must not end with.
    fn of(said: &Result<(), postgres::Error>) -> Option<End> {
        let Err(error) = said else { return Some(End::Succeeded) };
        // Its last words may be lost. Nor is there anything left of the other sessions if it has not ended by itself.
        if error.is_closed() {
            return Some(End::SessionEnded);
        }
        let error = error.as_db_error()?;
        match (error.severity(), error.code()) {
            ("ERROR", &SqlState::OUT_OF_MEMORY) => Some(End::OutOfMemory),
            ("ERROR", &SqlState::PROGRAM_LIMIT_EXCEEDED) => Some(End::OverBudget),
            ("ERROR", &SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE)
                if error.message().ends_with("releases were not refreshed") =>
            {
                Some(End::SomeFailed)
            }
            ("FATAL", &SqlState::OUT_OF_MEMORY) => Some(End::SessionEnded),
            _ => None,
        }
    }
}

/// A number of kB that the kernel tells of a process.
fn memory(pid: i32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("a process that lives");
    let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).expect(what)
}

struct Ladder {
    cluster: Cluster,
    /// The session that is not limited.
    db: Client,
    started: String,
    ends: BTreeMap<End, usize>,
}

impl Ladder {
    fn session(&self) -> (Client, i32) {
        let mut session = self.cluster.session();
        run(&mut session, "SET client_min_messages = error; LOAD 'pg_topdown'");
        let pid = number(&mut session, "SELECT pg_backend_pid()") as i32;
        (session, pid)
    }

    /// Limits the address space of a process, in kB; `None`: no more. As the server's user, who may.
    fn limit(&self, pid: i32, most: Option<u64>) {
        let most = most.map_or("unlimited".into(), |kb| (kb * 1024).to_string());
        let set =
            self.cluster.command("prlimit", &[&format!("--pid={pid}"), &format!("--as={most}:unlimited")]);
        assert!(set.status.success(), "prlimit: {set:?}");
    }

    /// How much more a call needs than its session has, in kB.
    fn needs(&mut self, call: &Call) -> u64 {
        let (mut session, pid) = self.session();
        let before = memory(pid, "VmSize");
        // A thread has address space of its own, far more than it uses.
        run(&mut session, "SET pg_topdown.threads = 1");
        run(&mut session, &call.sql);
        run(&mut self.db, call.undo);
        memory(pid, "VmPeak") - before
    }

    /// Calls with these settings, and with so many kB more than the session has.
    fn climb(&mut self, call: &Call, settings: &str, more: Option<u64>) -> End {
        let how = format!("{} with {settings}, {more:?} kB", call.name);
        let before = self.state();
        let (mut session, pid) = self.session();
        run(&mut session, settings);
        self.limit(pid, more.map(|more| memory(pid, "VmSize") + more));
        let said = session.batch_execute(&call.sql);
        let mut end = End::of(&said).unwrap_or_else(|| panic!("{how}: {said:?}"));
        assert!(end != End::SomeFailed || call.commits, "{how}: {said:?}");
        if end != End::SessionEnded {
            self.limit(pid, None);
            // Not without steps.
            let again = "SELECT 1 / count(*) FROM tds_steps('more', k_anonymity('{age,zip}', 5))";
            // Between two statements, too, memory may have run out under the limit: what is told of that comes with the next.
            let tries = [session.batch_execute(again), session.batch_execute(again)];
            if session.is_closed() {
                end = End::SessionEnded;
            } else {
                let is_known = matches!(End::of(&tries[0]), Some(End::Succeeded | End::OutOfMemory));
                assert!(is_known && tries[1].is_ok(), "{how}, and again: {tries:?}");
            }
        }
        if end == End::SessionEnded {
            // It says so before it removes its temporary files.
            wait_until("a session that is out of memory has ended", || {
                fs::metadata(format!("/proc/{pid}")).is_err()
            });
        }
        if end == End::Succeeded {
            run(&mut self.db, call.undo);
        } else {
            let mut left = self.state();
            // A release that is refreshed has a version more, and nothing else is new.
            let stays = |object: &str| call.commits && object.starts_with("version ");
            left.retain(|object| !before.contains(object) && !stays(object));
            assert!(left.is_empty(), "{how} leaves {left:?}");
        }
        let started = rows(&mut self.db, "SELECT pg_postmaster_start_time()");
        assert_eq!(started, std::slice::from_ref(&self.started), "{how} restarts the server");
        *self.ends.entry(end).or_default() += 1;
        end
    }

    /// All that could be left behind.
    fn state(&mut self) -> Vec<String> {
        rows(
            &mut self.db,
            "SELECT 'schema ' || nspname FROM pg_namespace WHERE nspname !~ '^pg_'
             UNION ALL SELECT 'relation ' || oid::regclass FROM pg_class WHERE oid >= 16384
             UNION ALL SELECT 'version ' || release || version FROM releases()
             UNION ALL SELECT 'file ' || name FROM pg_ls_tmpdir() ORDER BY 1",
        )
    }
}

#[test]
fn a_failed_allocation_ends_the_statement() {
    if !Command::new("prlimit").arg("--version").output().is_ok_and(|said| said.status.success()) {
        return skip("no prlimit, of util-linux");
    }
    let Some(cluster) =
        Cluster::start("restart_after_crash = on\nautovacuum = off\nmax_parallel_workers_per_gather = 0")
    else {
        return;
    };
    let mut db = cluster.session();
    run(&mut db, SOURCE);
    run(
        &mut db,
        &call("", "SELECT tds_anonymize('people', 'kept', MODELS, 'class', MASKING, keep => '{born}')").sql,
    );
    run(&mut db, &call("", "SELECT tds_anonymize('people', 'locally', k_anonymity('{age,city,zip}', 5), masking => MASKING, recoding => 'local')").sql);
    let started = rows(&mut db, "SELECT pg_postmaster_start_time()").remove(0);
    let mut ladder = Ladder { cluster, db, started, ends: BTreeMap::new() };
    let rungs: u64 = env::var("MEMORY_RUNGS")
        .map_or(if is_long() { 8 } else { 5 }, |rungs| rungs.parse().expect("MEMORY_RUNGS is a number"));
    let only = env::var("MEMORY_CALL").unwrap_or_default();
    for call in calls().iter().filter(|call| call.name.starts_with(&only)) {
        let needs = ladder.needs(call);
        let climb = |rung| {
            let settings = format!("SET pg_topdown.threads = {}", 1 + rung % 2);
            ladder.climb(call, &settings, Some(needs * 5 / 4 * rung / (rungs - 1)))
        };
        let ends: Vec<End> = (0..rungs).map(climb).collect();
        println!("{}, which needs {needs} kB: {ends:?}", call.name);
        ladder.climb(call, "SET pg_topdown.max_memory = '1MB'", None);
    }
    println!("{:?}", ladder.ends);
    let of = |end| ladder.ends.get(&end).copied().unwrap_or_default();
    let all: usize = ladder.ends.values().sum();
    assert!(of(End::OutOfMemory) > all * 3 / 5 && of(End::Succeeded) > all / 20, "{:?}", ladder.ends);
    assert!(of(End::SessionEnded) <= all / 100, "{:?}", ladder.ends);
    assert!(of(End::OverBudget) > 10 || !only.is_empty(), "{:?}", ladder.ends);
}

/// Bytes of writable memory of a session's own, in kB.
fn own(session: &mut Client) -> u64 {
    let pid = number(session, "SELECT pg_backend_pid()") as i32;
    memory(pid, "VmData")
}

#[test]
fn a_session_that_is_idle_holds_no_reserve() {
    // Two reserves, of 16 MB and 2 MB.
    const RESERVES: u64 = 18 << 10;
    for preloaded in [false, true] {
        let preload = if preloaded { "shared_preload_libraries = 'pg_topdown'" } else { "" };
        let Some(cluster) = Cluster::start(preload) else { return };
        run(
            &mut cluster.session(),
            "CREATE EXTENSION pg_topdown; CREATE TABLE t AS SELECT i % 3 AS a FROM generate_series(1, 60) i",
        );
        let mut session = cluster.session();
        let before = own(&mut session);
        run(&mut session, "LOAD 'pg_topdown'");
        let loaded = own(&mut session);
        assert!(loaded < before + RESERVES / 2, "{before} kB, and {loaded} once the library is loaded");
        for call in ["SELECT k_anonymity('{a}', 5)", "SELECT tds_steps('t', k_anonymity('{a}', 5))"] {
            run(&mut session, &format!("BEGIN; {call}"));
            let called = own(&mut session);
            assert!(called >= loaded + RESERVES, "{call}: {loaded} kB, and {called} while it is called");
            run(&mut session, "COMMIT");
            let idle = own(&mut session);
            assert!(idle < loaded + RESERVES / 2, "{call}: {loaded} kB, and {idle} after it");
            // As much where it fails.
            _ = session.batch_execute("SELECT k_anonymity('{a}', 5), 1 / 0 FROM t");
            let idle = own(&mut session);
            assert!(idle < loaded + RESERVES / 2, "{call}: {loaded} kB, and {idle} after an error");
        }
    }
}

#[test]
fn a_session_that_is_idle_gives_back_what_its_calls_have_freed() {
    const FEW: u64 = 24 << 10;
    let Some(cluster) = Cluster::start("") else { return };
    let mut session = cluster.session();
    run(
        &mut session,
        "CREATE EXTENSION pg_topdown; SET pg_topdown.scan = rows; SET pg_topdown.threads = 1; SET max_parallel_workers_per_gather = 0;
         CREATE TABLE t AS SELECT md5(i::text) AS a, i % 1000 AS b FROM generate_series(1, 300000) i;
         SELECT tds_steps('t', k_anonymity('{b}', 2), max_steps => 0)",
    );
    let pid = number(&mut session, "SELECT pg_backend_pid()") as i32;
    let before = memory(pid, "RssAnon");
    for end in ["COMMIT", "ROLLBACK"] {
        run(&mut session, "BEGIN; SELECT tds_steps('t', k_anonymity('{a,b}', 2), max_steps => 0)");
        let within = memory(pid, "RssAnon");
        run(&mut session, end);
        let idle = memory(pid, "RssAnon");
        println!("{end}: {before} kB, {within} once the call is over, {idle} when idle");
        assert!(within > before + 2 * FEW, "{before} kB, and only {within} once the call is over");
        assert!(idle < before + FEW, "{before} kB, and {idle} when idle again, after {end}");
    }
    run(&mut session, "SET pg_topdown.max_memory = '50MB'");
    let call = "SELECT tds_steps('t', k_anonymity('{a,b}', 2), max_steps => 0)";
    session.batch_execute(call).expect_err("it needs more");
    // An error comes before its transaction has ended.
    run(&mut session, "SELECT 1");
    let idle = memory(pid, "RssAnon");
    assert!(idle < before + FEW, "{before} kB, and {idle} when idle again, after an error");
}
