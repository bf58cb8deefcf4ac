//! A release on a physical standby: everything that reads works there, and who has read the view and is idle in
//! a transaction is neither cancelled nor keeps the standby from going on, across three refreshes.
//!
//! `max_standby_streaming_delay = 0` makes every conflict of replay with a session show at once: that session
//! is ended. So who is still there afterwards was in nobody's way.

use client_tests::cluster::{wait_until, Cluster};
use client_tests::number;
use client_tests::people::{more_people, people, release_of_people};
use postgres::error::SqlState;
use postgres::{Client, SimpleQueryMessage};

/// Everything of a release that only reads.
const READS: &[&str] = &[
    "SELECT count(*) FROM r.people",
    "SELECT count(*) FROM r.cut",
    "SELECT count(*) FROM r.about",
    "SELECT count(*) FROM release_verify('r') WHERE holds",
    "SELECT count(*) FROM (SELECT release_assert('r')) a",
    "SELECT count(*) FROM release_export('r')",
    "SELECT count(*) FROM releases()",
    "SELECT count(*) FROM privacy_check('r.people', ARRAY[k_anonymity(ARRAY['age'], 2)])",
];

/// What only the owner may, and what is told of the source.
const OWNER_READS: &[&str] = &[
    "SELECT count(*) FROM r_private.cuts",
    "SELECT count(*) FROM r_private.taxonomy",
    "SELECT count(*) FROM r_private.steps",
    "SELECT count(*) FROM release_measures('r')",
    "SELECT count(*) FROM release_risk('r')",
    "SELECT count(*) FROM release_drift('r')",
    "SELECT count(*) FROM release_explain('r')",
    "SELECT count(*) FROM release_query_error('r')",
    "SELECT count(*) FROM release_changes('r')",
    "SELECT count(*) FROM tds_steps('people', ARRAY[k_anonymity(ARRAY['age', 'sex'], 10)], class => 'illness')",
    "SELECT count(*) FROM taxonomy_build('people', 'age', 'iotf')",
    "SELECT count(*) + 1 FROM taxonomy_check('education', 'people', 'education')",
    "SELECT count(*) FROM privacy_inferences('people', confidence_bound(ARRAY['sex'], 'illness', NULL, 0.9))",
];

const WRITES: &[&str] = &[
    "SELECT release_refresh('r')",
    "SELECT release_refresh('r', 'search')",
    "CALL release_refresh_all()",
    "SELECT release_rewind('r', 0)",
    "SELECT release_alter('r', max_steps => 1)",
    "SELECT release_grant('r', 'reader')",
    "SELECT release_revoke('r', 'reader')",
    "SELECT release_drop('r')",
    "SELECT pda_anonymize('people', 's', ARRAY[confidence_bound(ARRAY['sex'], 'illness', NULL, 1)], 'illness')",
    "SELECT kmember_anonymize('people', 's', ARRAY['age'], 2)",
];

/// Waits until the standby has replayed what the primary has written.
fn caught_up(primary: &mut Client, standby: &mut Client) {
    let lsn: String = primary.query_one("SELECT pg_current_wal_flush_lsn()::text", &[]).unwrap().get(0);
    let query = format!("SELECT COALESCE(pg_last_wal_replay_lsn() >= '{lsn}', false)");
    wait_until("the standby replays", || standby.query_one(&query, &[]).unwrap().get(0));
}

#[test]
fn reads() {
    // Nobody else is to use up transaction ids.
    let Some(primary) = Cluster::start("autovacuum = off") else { return };
    let standby = primary.standby("");
    let mut db = primary.session();
    people(&mut db, 2000);
    db.batch_execute("SET ROLE owner; SET client_min_messages = error").unwrap();
    db.batch_execute(&release_of_people("r", 10)).unwrap();
    db.batch_execute("SELECT release_grant('r', 'reader'); SELECT release_refresh('r', 'search')").unwrap();
    caught_up(&mut db, &mut standby.session());

    let used = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
    let before = number(&mut db, used);
    for (server, role) in
        [(&standby, "owner"), (&standby, "reader"), (&primary, "owner"), (&primary, "reader")]
    {
        let mut session = server.session_in("postgres", role);
        let more = if role == "owner" { OWNER_READS } else { &[] };
        // A scheduler may send each by itself, in a transaction, or in one that only reads.
        for begin in ["", "BEGIN", "BEGIN READ ONLY", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"] {
            session.batch_execute(&format!("SET client_min_messages = error; {begin}")).unwrap();
            for query in READS.iter().chain(more).filter(|q| role == "owner" || !q.contains("FROM releases"))
            {
                assert!(number(&mut session, query) > 0, "{query} as {role}, {begin:?}");
            }
            let row = session.query_one("SELECT txid_current_if_assigned() IS NULL", &[]).unwrap();
            assert!(row.get::<_, bool>(0), "as {role}, {begin:?}");
            session.batch_execute(if begin.is_empty() { "" } else { "COMMIT" }).unwrap();
        }
    }
    assert_eq!(number(&mut db, used), before, "somebody has used up a transaction id");

    let mut session = standby.session_in("postgres", "owner");
    let first = release_of_people("s", 10);
    for query in WRITES.iter().copied().chain([first.as_str()]) {
        let error = session.batch_execute(query).unwrap_err();
        assert_eq!(error.code(), Some(&SqlState::READ_ONLY_SQL_TRANSACTION), "{query}: {error:?}");
    }
}

/// What a session in the middle of a transaction sees of the release: version and rows by three ways that
/// must agree; none if it was ended for replay. By the simple protocol, as psql does it: with the extended one
/// the statement's snapshot lives on until the next statement.
fn seen(session: &mut Client, release: &str) -> Option<(i32, i64)> {
    let query = format!(
        "SELECT a.version, a.rows, (SELECT count(*) FROM {release}.people),
                (SELECT min(version) FROM {release}.cut), (SELECT sum(records)::bigint FROM {release}.cut WHERE attribute = 'age')
         FROM {release}.about a"
    );
    match session.simple_query(&query) {
        Ok(messages) => {
            let row = messages.iter().find_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row),
                _ => None,
            });
            let row = row.expect("the view must never be empty");
            let number = |i: usize| row.get(i).and_then(|text| text.parse::<i64>().ok()).unwrap_or(-1);
            let (version, rows) = (number(0), number(1));
            assert_eq!([number(2), number(3), number(4)], [rows, version, rows], "half a version");
            Some((version as i32, rows))
        }
        Err(error) => {
            // What the server last said is lost where it ended the session itself.
            let ended = error.code().is_none_or(|code| *code == SqlState::T_R_SERIALIZATION_FAILURE);
            assert!(ended, "{error:?}");
            None
        }
    }
}

/// A primary, its standby, and a release that goes on from version to version.
struct Pair {
    db: Client,
    standby: Cluster,
    watcher: Client,
    _primary: Cluster,
    version: i32,
    rows: u32,
}

impl Pair {
    fn start() -> Option<Pair> {
        let primary = Cluster::start("autovacuum = off")?;
        let standby = primary.standby("max_standby_streaming_delay = 0\nwal_receiver_status_interval = 1");
        let (mut db, watcher) = (primary.session(), standby.session());
        people(&mut db, 1000);
        db.batch_execute("SET client_min_messages = error; SET ROLE owner").unwrap();
        db.batch_execute(&release_of_people("r", 10)).unwrap();
        let mut pair = Pair { db, standby, watcher, _primary: primary, version: 1, rows: 1000 };
        pair.caught_up();
        Some(pair)
    }

    fn caught_up(&mut self) {
        caught_up(&mut self.db, &mut self.watcher);
        assert_eq!(seen(&mut self.watcher, "r"), self.newest(), "a new session on the standby");
    }

    fn newest(&self) -> Option<(i32, i64)> {
        Some((self.version, self.rows.into()))
    }

    /// The next version, which the standby has when this returns.
    fn refresh(&mut self) {
        more_people(&mut self.db, self.rows + 1, self.rows + 100);
        self.db.batch_execute("SELECT release_refresh('r')").unwrap();
        self.rows += 100;
        self.version += 1;
        self.caught_up();
    }

    fn tables(&mut self) -> i64 {
        number(
            &mut self.db,
            "SELECT count(*) FROM pg_inherits WHERE inhparent = 'r_private.rows_v0'::regclass",
        )
    }

    /// A session in a transaction on the standby that has just read the release.
    fn reader(&self, level: &str) -> Client {
        let mut session = self.standby.session_in("postgres", "owner");
        session.batch_execute(&format!("BEGIN ISOLATION LEVEL {level}")).unwrap();
        assert_eq!(seen(&mut session, "r"), self.newest(), "{level}");
        session
    }

    /// How many sessions were ended for a lock.
    fn ended(&mut self) -> i64 {
        let query = "SELECT confl_lock FROM pg_stat_database_conflicts WHERE datname = 'postgres'";
        self.watcher.batch_execute("SELECT pg_stat_clear_snapshot()").unwrap();
        number(&mut self.watcher, query)
    }

    fn feedback(&mut self, on: &str) {
        self.standby.configure(&format!("hot_standby_feedback = {on}"));
        self.watcher.batch_execute("SELECT pg_reload_conf()").unwrap();
    }
}

/// Three refreshes pass over who has read and is idle, whatever the settings: with the first versions of a
/// release, and as many versions later.
#[test]
fn idle_in_a_transaction() {
    let Some(mut pair) = Pair::start() else { return };
    for from in [1, 6] {
        while pair.version < from {
            pair.refresh();
        }
        let (mut idle, mut reading) = (pair.reader("READ COMMITTED"), pair.reader("READ COMMITTED"));
        let (mut frozen, before) = (pair.reader("REPEATABLE READ"), pair.newest());
        for _ in 0..3 {
            pair.refresh();
            assert_eq!(seen(&mut reading, "r"), pair.newest(), "in its next statement");
        }
        assert_eq!(seen(&mut idle, "r"), pair.newest(), "from version {from}");
        // Without feedback PostgreSQL itself removes rows of its catalogs that an old snapshot may need, and
        // then ends the session; never does it see half a version, or a newer one.
        let whole = seen(&mut frozen, "r");
        assert!(whole.is_none() || whole == before, "{whole:?} after {before:?}");
        assert_eq!(pair.ended(), 0, "from version {from}");
    }
    assert!(pair.tables() <= 5, "{} versions are kept", pair.tables());
}

/// With the fourth refresh old versions go, and with them who has read and is idle. That is what
/// max_standby_streaming_delay is for.
#[test]
fn old_versions_go() {
    let Some(mut pair) = Pair::start() else { return };
    while pair.version < 5 {
        pair.refresh();
    }
    assert_eq!(pair.tables(), 5);
    let mut idle = pair.reader("READ COMMITTED");
    pair.refresh();
    assert_eq!(pair.tables(), 2);
    assert_eq!(seen(&mut idle, "r"), None);
    wait_until("it is counted", || pair.ended() == 1);
}

/// With more versions kept than there are refreshes, nothing goes.
#[test]
fn more_versions_kept() {
    let Some(mut pair) = Pair::start() else { return };
    pair.db.batch_execute("SET pg_topdown.keep_versions = 9").unwrap();
    let mut idle = pair.reader("READ COMMITTED");
    for _ in 0..8 {
        pair.refresh();
    }
    assert_eq!(seen(&mut idle, "r"), pair.newest());
    assert_eq!(pair.tables(), 9);
}

/// With feedback, a snapshot on the standby counts as one on the primary: what it sees stays, and goes later.
#[test]
fn old_snapshot() {
    let Some(mut pair) = Pair::start() else { return };
    pair.feedback("on");
    let (mut frozen, before) = (pair.reader("REPEATABLE READ"), pair.newest());
    let query = "SELECT count(*) FROM pg_stat_replication WHERE backend_xmin IS NOT NULL";
    pair.db.batch_execute("RESET ROLE").unwrap();
    wait_until("the primary knows of it", || number(&mut pair.db, query) == 1);
    pair.db.batch_execute("SET ROLE owner").unwrap();
    for _ in 0..6 {
        pair.refresh();
        assert_eq!(seen(&mut frozen, "r"), before, "the old version, whole");
    }
    assert_eq!(pair.tables(), 7, "nothing may go");
    frozen.batch_execute("COMMIT").unwrap();
    pair.db.batch_execute("RESET ROLE").unwrap();
    // What is newer than the feedback of a moment ago may stay a little longer.
    wait_until("they go", || {
        pair.db.batch_execute("SET ROLE owner").unwrap();
        pair.refresh();
        pair.tables() == 2
    });
}
