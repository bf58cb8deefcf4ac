//! Everything at once, for a while: a source that changes, three releases that are made again and again, who reads
//! them, and who has read them and is idle in a transaction. Nobody sees half a version, an empty one or a
//! group below k; nobody waits for a lock of ours; and nothing grows. One release takes changes in batches: no row of it is lost, and
//! no two versions tell of few.
//!
//! A quarter of a minute here; `make test-long` for half an hour, or for SOAK_MINUTES, with a pgbouncer between.

use client_tests::bouncer::Bouncer;
use client_tests::cluster::{wait_until, Cluster};
use client_tests::people::{more_people, people, release_of_people};
use client_tests::releases::hidden;
use client_tests::{number, rows, run, say};
use postgres::{Client, NoTls, SimpleQueryMessage};
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const RELEASES: [&str; 3] = ["r", "s", BATCHED];
const BATCHED: &str = "b";
const K: i64 = 10;
const ROWS: u32 = 3000;

/// What one statement says of a release: version and rows as `about` has them, rows of the view, the smallest
/// group, how many other sums the cut has, values without a row of the cut, rows of the cut of other versions.
fn recount(release: &str) -> String {
    let in_cut = ["age", "sex", "education", "postcode"].map(|column| {
        format!(
            "NOT EXISTS (SELECT FROM c WHERE c.attribute = '{column}' AND c.node IS NOT DISTINCT FROM g.{column})"
        )
    });
    format!(
        "WITH v AS MATERIALIZED (SELECT * FROM {release}.people), c AS MATERIALIZED (SELECT * FROM {release}.cut),
              g AS (SELECT age, sex, education, postcode, count(*) AS n FROM v GROUP BY 1, 2, 3, 4)
         SELECT a.version::bigint, a.rows, (SELECT count(*) FROM v), (SELECT min(n) FROM g),
                (SELECT count(*) FROM (SELECT sum(records) AS n FROM c GROUP BY attribute) s WHERE n <> a.rows),
                (SELECT count(*) FROM g WHERE {}), (SELECT count(*) FROM c WHERE c.version <> a.version)
         FROM {release}.about a",
        in_cut.join(" OR ")
    )
}

/// What was read must be one version, whole; which.
fn whole(read: [i64; 7]) -> i64 {
    let [version, rows, seen, smallest, other_sums, not_in_cut, other_versions] = read;
    assert!(rows > 0 && seen == rows, "version {version} has {rows} rows, {seen} were read");
    assert!(smallest >= K, "version {version} has a group of {smallest}");
    assert_eq!((other_sums, not_in_cut, other_versions), (0, 0, 0), "version {version} and its cut");
    version
}

/// Reads a release by the simple protocol, which pgbouncer passes on in transaction mode.
fn read(db: &mut Client, release: &str) -> i64 {
    let messages = db.simple_query(&recount(release)).unwrap_or_else(|error| panic!("{release}: {error:?}"));
    let row = messages.iter().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    });
    let row = row.expect("an empty read");
    whole(std::array::from_fn(|i| row.get(i).and_then(|text| text.parse().ok()).unwrap_or(-1)))
}

/// Until when all go on: the end, or the first failure.
struct Run {
    end: Instant,
    failed: AtomicBool,
    refreshes: AtomicU32,
}

impl Run {
    fn goes_on(&self) -> bool {
        Instant::now() < self.end && !self.failed.load(Ordering::Relaxed)
    }

    /// Does something over and over; how often.
    fn repeat(&self, mut what: impl FnMut(u32)) -> u32 {
        let _alarm = Alarm(self);
        let mut times = 0;
        while self.goes_on() {
            what(times);
            times += 1;
        }
        times
    }

    /// Waits until there have been so many refreshes more.
    fn await_refreshes(&self, more: u32) {
        let from = self.refreshes.load(Ordering::Relaxed);
        while self.goes_on() && self.refreshes.load(Ordering::Relaxed) < from + more {
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// Tells the others when one fails.
struct Alarm<'a>(&'a Run);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.failed.store(true, Ordering::Relaxed);
        }
    }
}

/// The source: rows come, change and go, and so do values.
fn write(db: &mut Client, turn: u32) {
    let from = ROWS + 1 + turn * 20;
    more_people(db, from, from + 19);
    run(
        db,
        &format!("UPDATE people SET age = (age + 1) % 100, illness = 'other' WHERE id % 97 = {}", turn % 97),
    );
    run(db, &format!("UPDATE people SET postcode = '30{}0' WHERE id % 89 = {}", turn % 10, turn % 89));
    run(db, &format!("DELETE FROM people WHERE id <= {}", turn * 20));
    thread::sleep(Duration::from_millis(50));
}

/// One of the releases again: mostly as a replay.
fn refresh(db: &mut Client, turn: u32) {
    let release = RELEASES[turn as usize % RELEASES.len()];
    let verb = match turn / RELEASES.len() as u32 {
        n if release == BATCHED => return refresh_in_batches(db, n % 10 == 4),
        n if n % 20 == 19 => {
            format!("alter('{release}', score => '{}')", ["tds", "tdr", "info_gain"][n as usize / 20 % 3])
        }
        n if n % 10 == 4 => format!("refresh('{release}', 'search')"),
        n if n % 10 == 8 => format!("rewind('{release}', 2)"),
        _ => format!("refresh('{release}')"),
    };
    run(db, &format!("SELECT release_{verb}"));
    // Refreshes without a pause would make more versions than the readers' snapshots let go.
    thread::sleep(Duration::from_millis(100));
}

/// The release that takes changes in batches again: each row of the source is in it or waits, each row of it is in the source or
/// lingers, and what came, left and stayed keeps k.
fn refresh_in_batches(db: &mut Client, erase: bool) {
    run(db, "BEGIN ISOLATION LEVEL REPEATABLE READ");
    run(db, &format!("SELECT release_refresh('{BATCHED}', erase => {erase})"));
    let version = number(db, "SELECT version::bigint FROM b.about");
    let hidden = hidden(db, BATCHED);
    let original = |column: &str| {
        let of = hidden.iter().find(|(of, holds, _)| of == column && holds == "source");
        of.map(|(.., name)| name.clone()).unwrap_or_else(|| panic!("{column} of {hidden:?}"))
    };
    let originals = ["age", "sex", "education", "postcode"].map(original).join(", ");
    let version = format!("SELECT {originals}, illness FROM b_private.rows_v{version}");
    let source = "SELECT age, sex, education, postcode, illness FROM people";
    let mut beside = |one: &str, other: &str, held: &str| {
        number(
            db,
            &format!(
                "SELECT (SELECT count(*) FROM ({one} EXCEPT ALL {other}) e) - (parameters #>> '{{held,{held}}}')::bigint
                 FROM b_private.manifest WHERE current"
            ),
        )
    };
    assert_eq!(
        beside(source, &version, "waiting"),
        0,
        "rows of the source that are neither released nor wait"
    );
    assert_eq!(beside(&version, source, "lingering"), 0, "rows that are neither in the source nor linger");
    let broken = "SELECT part FROM release_changes('b') WHERE NOT holds";
    assert_eq!(rows(db, broken), Vec::<String>::new(), "what versions tell");
    run(db, "COMMIT");
    thread::sleep(Duration::from_millis(100));
}

/// A transaction that reads, waits while versions come, and reads again.
fn idle(db: &mut Client, run_: &Run, turn: u32) {
    let release = RELEASES[turn as usize / 2 % RELEASES.len()];
    let level = ["REPEATABLE READ", "READ COMMITTED"][turn as usize % 2];
    run(db, &format!("BEGIN ISOLATION LEVEL {level}"));
    let before = read(db, release);
    for _ in 0..3 {
        run_.await_refreshes(5);
        let now = read(db, release);
        if turn.is_multiple_of(2) {
            assert_eq!(now, before, "a frozen transaction");
        } else {
            assert!(now > before || !run_.goes_on(), "{now} after {before}, five refreshes later");
        }
    }
    run(db, "COMMIT");
}

/// What a process has of its own, in kB.
fn memory(pid: i64) -> i64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    number.unwrap_or_else(|| panic!("no RssAnon of process {pid}: {status}"))
}

/// Memory of the refreshing backend in kB, and the database in bytes, with how many refreshes there had been.
#[derive(Debug, Clone, Copy)]
struct Size {
    refreshes: i64,
    memory: i64,
    database: i64,
    relations: i64,
}

fn size(db: &mut Client, refreshes: u32, pid: i64) -> Size {
    Size {
        refreshes: refreshes.into(),
        memory: memory(pid),
        database: number(db, "SELECT pg_database_size(current_database())"),
        relations: number(
            db,
            "SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text ~ '^[rsb](_private)?$'",
        ),
    }
}

fn refreshing(db: &mut Client, going: &Run, sizes: &mut Vec<Size>) -> u32 {
    let pid = number(db, "SELECT pg_backend_pid()");
    let start = Instant::now();
    let whole = going.end - start;
    going.repeat(|turn| {
        refresh(db, turn);
        going.refreshes.fetch_add(1, Ordering::Relaxed);
        // After a third it is warm.
        if start.elapsed() > whole * (sizes.len() as u32 + 4) / 12 {
            sizes.push(size(db, turn, pid));
        }
    })
}

#[test]
fn soak() {
    let minutes = std::env::var("SOAK_MINUTES").ok().filter(|text| !text.is_empty());
    let minutes = minutes.map(|text| text.parse::<f64>().expect("SOAK_MINUTES"));
    let lasts = Duration::from_secs_f64(minutes.map_or(16.0, |minutes| minutes * 60.0));
    let settings =
        "log_lock_waits = on\ndeadlock_timeout = 100ms\nlog_line_prefix = '%m [%p] %u '\nmax_wal_size = 256MB";
    let Some(cluster) = Cluster::start(settings) else { return };
    let mut db = cluster.session();
    people(&mut db, ROWS);
    run(&mut db, "SET ROLE owner; SET client_min_messages = error; ALTER TABLE people ADD PRIMARY KEY (id)");
    for release in RELEASES {
        let call = release_of_people(release, K as u32);
        let call = match release {
            BATCHED => call.replace("masking =>", "changes => 'batched', masking =>"),
            _ => call,
        };
        run(&mut db, &format!("{call}; SELECT release_grant('{release}', 'reader')"));
    }
    let bouncer = Bouncer::start(&cluster, "reader");
    if bouncer.is_none() {
        say("NOTE: soak: there is no pgbouncer; all sessions are direct ones\n");
    }
    let session = |role: &str| {
        let mut db = cluster.session_in("postgres", role);
        run(&mut db, "SET client_min_messages = error");
        db
    };
    let pooled = || match &bouncer {
        Some(bouncer) => bouncer.config().connect(NoTls).expect("through pgbouncer"),
        None => session("reader"),
    };
    let going =
        Run { end: Instant::now() + lasts, failed: AtomicBool::new(false), refreshes: AtomicU32::new(0) };
    let mut sizes = Vec::new();
    let mut owner = session("owner");
    let counts = thread::scope(|scope| {
        let refreshes = scope.spawn(|| refreshing(&mut owner, &going, &mut sizes));
        let writes = scope.spawn(|| {
            let mut db = session("owner");
            going.repeat(|turn| write(&mut db, turn))
        });
        let pooled_reads = scope.spawn(|| {
            let mut db = pooled();
            going.repeat(|turn| {
                read(&mut db, RELEASES[turn as usize % RELEASES.len()]);
            })
        });
        // A plan that was made with the first versions.
        let prepared_reads = scope.spawn(|| {
            let mut db = session("reader");
            run(&mut db, "SET plan_cache_mode = force_generic_plan");
            let statements = RELEASES.map(|release| db.prepare(&recount(release)).expect("a statement"));
            going.repeat(|turn| {
                let row = db.query_one(&statements[turn as usize % RELEASES.len()], &[]).expect("a read");
                whole(std::array::from_fn(|i| row.get::<_, Option<i64>>(i).unwrap_or(-1)));
            })
        });
        let transactions = scope.spawn(|| {
            let mut db = pooled();
            going.repeat(|turn| idle(&mut db, &going, turn))
        });
        [refreshes, writes, pooled_reads, prepared_reads, transactions]
            .map(|all| all.join().expect("all went well"))
    });
    let [refreshes, writes, pooled_reads, prepared_reads, transactions] = counts;
    say(&format!(
        "soak: {refreshes} refreshes, {writes} changes of the source, {pooled_reads} and {prepared_reads} reads, {transactions} transactions, {:?} and {:?}\n",
        sizes.first(), sizes.last()
    ));
    assert!(counts.iter().all(|&times| times > 1), "{counts:?}");
    nothing_waited(&cluster.log(), number(&mut db, "SELECT 'people'::regclass::oid"));
    nothing_grew(&sizes);
    nothing_stays(&mut session("owner"), &mut cluster.session());
}

/// What the server says of waits for locks, and of errors, may be of the source alone, or of autovacuum, which gives way
/// to who waits for it.
fn nothing_waited(log: &str, source: i64) {
    let of_source = format!("on relation {source} of");
    let of_autovacuum = |line: &&str| line.contains("canceling autovacuum task");
    let pid =
        |line: &str| line.split(['[', ']']).nth(1).map(|pid| format!("Process holding the lock: {pid}."));
    let autovacuum: Vec<String> = log.lines().filter(of_autovacuum).filter_map(pid).collect();
    let lines: Vec<&str> = log.lines().collect();
    let waits = |at: usize| {
        lines[at].contains("still waiting for")
            && !lines[at].contains(&of_source)
            && !lines[at].contains("extension of relation")
            && !autovacuum.iter().any(|held| lines.get(at + 1).is_some_and(|detail| detail.contains(held)))
    };
    let errors = |line: &&str| {
        ["ERROR:", "PANIC:", "TRAP:"].iter().any(|word| line.contains(word)) && !of_autovacuum(line)
    };
    let faults = (0..lines.len()).filter(|&at| waits(at) || errors(&lines[at])).map(|at| lines[at]);
    let faults: Vec<&str> = faults.collect();
    assert!(faults.is_empty(), "{} lines: {:#?}", faults.len(), &faults[..faults.len().min(20)]);
}

/// What a version leaves for good is its rows in the tables that all versions share.
fn nothing_grew(sizes: &[Size]) {
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { panic!("nothing was measured") };
    let versions = last.refreshes - first.refreshes;
    // PostgreSQL's own caches of its catalogs keep something of every table that a session has made: about a kB.
    assert!(last.memory - first.memory < 8 * 1024 + 2 * versions, "{sizes:#?}");
    assert!(last.database - first.database < (16 << 20) + versions * 64 * 1024, "{sizes:#?}");
    // A version that stays is a table, its TOAST table and that one's index.
    assert!(last.relations - first.relations < versions + 150, "{sizes:#?}");
}

/// When nobody reads any more, old versions go: two are kept, of each release. (Not at once, where autovacuum
/// is just looking at one.)
fn nothing_stays(owner: &mut Client, db: &mut Client) {
    for release in RELEASES {
        let tables = format!(
            "SELECT FROM pg_class WHERE relnamespace = '{release}_private'::regnamespace AND relname ~ '_v[1-9]'"
        );
        wait_until("old versions go", || {
            let mode = if release == BATCHED { "replay" } else { "search" };
            run(
                owner,
                &format!("UPDATE people SET age = (age + 1) % 100 WHERE id % 9 = 0; SELECT release_refresh('{release}', '{mode}')"),
            );
            rows(owner, &tables).len() == 2
        });
        run(owner, &format!("SELECT release_assert('{release}')"));
    }
    run(db, "CHECKPOINT");
    let orphans = "SELECT f FROM pg_database d, pg_ls_dir('base/' || d.oid) f WHERE datname = current_database() AND f ~ '^[0-9]'
        AND split_part(split_part(f, '_', 1), '.', 1) NOT IN (SELECT pg_relation_filenode(oid)::text FROM pg_class WHERE pg_relation_filenode(oid) IS NOT NULL)";
    assert_eq!(rows(db, orphans), Vec::<String>::new(), "files of no relation");
}
