//! A source that Citus distributes is read while nobody writes to it, on whatever node: who is kept out, who may do that, and what is
//! told where a node does not answer or refuses.
//!
//! Run as `citus.rs` is.

use client_tests::citus::{release, releaser, scan, visits, Citus};
use client_tests::cluster::wait_until;
use client_tests::{number, rows, run};
use postgres::Client;

/// Whether somebody else who writes to a table has to wait.
fn must_wait(citus: &Citus, table: &str) -> bool {
    let mut other = citus.session();
    run(&mut other, &format!("SET lock_timeout = '200ms'; SELECT count(*) FROM {table}"));
    match other.batch_execute(&format!(
        "INSERT INTO {table} (patient) VALUES (0); DELETE FROM {table} WHERE patient = 0"
    )) {
        Ok(()) => false,
        Err(error) => {
            assert_eq!(error.code().map(|code| code.code()), Some("55P03"), "{error:?}");
            true
        }
    }
}

/// Whether somebody else who writes to a table has to wait while a release is made in a session, in which that is the last statement.
fn must_wait_for(citus: &Citus, table: &str, mut db: Client, call: String) -> (bool, Client) {
    let call = std::thread::spawn(move || {
        run(&mut db, &call);
        db
    });
    let mut waits = false;
    while !call.is_finished() {
        waits |= must_wait(citus, table);
    }
    (waits, call.join().expect("the call has ended"))
}

#[test]
fn writers_wait_and_readers_do_not() {
    let Some(citus) = Citus::start("locks") else { return };
    let mut db = citus.session();
    visits(&mut db);
    // To read these takes a while.
    for table in ["visits", "plain"] {
        let slow = "patient % 200 > 0 OR pg_sleep(0.004) IS NOT NULL";
        run(&mut db, &format!("CREATE VIEW slow_{table} AS SELECT age, sex FROM {table} WHERE {slow}"));
    }
    // The table below a view is locked as the table is.
    let cases = [
        ("auto", "visits", true),
        ("auto", "plain", false),
        ("on", "visits", true),
        ("on", "plain", true),
        ("off", "visits", false),
    ];
    for (lock, table, waits) in cases {
        let source = format!("slow_{table}");
        run(&mut db, &format!("SET pg_topdown.lock_source = {lock}; BEGIN"));
        let (waited, same) = must_wait_for(&citus, table, db, release(&source, "pgtd_locks_r", ""));
        db = same;
        assert_eq!(waited, waits, "{lock}, {table}");
        assert_eq!(scan(&mut db, "pgtd_locks_r", "locked") == "true", waits, "{lock}, {table}");
        // It is free as soon as all has been read, before the transaction ends.
        assert!(!must_wait(&citus, table), "{lock}, {table}");
        run(&mut db, "COMMIT");
        // A refresh as well; and one that fails lets go.
        run(&mut db, "BEGIN");
        let (waited, same) =
            must_wait_for(&citus, table, db, "SELECT release_refresh('pgtd_locks_r')".into());
        db = same;
        assert_eq!(waited, waits, "{lock}, {table}");
        run(&mut db, "ROLLBACK; SELECT release_drop('pgtd_locks_r')");
        assert!(!must_wait(&citus, table));
    }
    // What only reads locks nobody out.
    run(&mut db, "RESET pg_topdown.lock_source");
    let dry = "SELECT count(*) FROM tds_steps('slow_visits', ARRAY[k_anonymity(ARRAY['age', 'sex'], 20)])";
    let (waited, mut db) = must_wait_for(&citus, "visits", db, dry.into());
    assert!(!waited);
    // Who writes through a node for longer than lock_timeout is not waited for beyond that.
    let mut writer = citus.session_on_node();
    run(&mut writer, "BEGIN; UPDATE visits SET age = 20 WHERE age = 20");
    for (timeout, source) in [("300ms", "visits"), ("2500ms", "slow_visits")] {
        run(&mut db, &format!("SET lock_timeout = '{timeout}'"));
        let late = db.batch_execute(&release(source, "pgtd_locks_r", "")).expect_err("somebody writes");
        let late = late.as_db_error().expect("an error of the server's").clone();
        assert_eq!(late.code().code(), "55P03", "{late:?}");
        assert_eq!(
            late.message(),
            format!("writers of \"{source}\" could not be kept out within lock_timeout")
        );
        // Others who write are not held up by it.
        assert!(!must_wait(&citus, "visits"));
    }
    run(&mut db, "RESET lock_timeout");
    run(&mut writer, "ROLLBACK");
    // Who has begun to write is waited for, and all of it is in the release.
    let mut writer = citus.session();
    run(&mut writer, "BEGIN; UPDATE visits SET age = 99 WHERE age = 20");
    let pid = number(&mut db, "SELECT pg_backend_pid()");
    let waiting = std::thread::spawn(move || {
        run(&mut db, &release("visits", "pgtd_locks_w", ""));
        db
    });
    let mut watcher = citus.session();
    wait_until("the call waits for the writer", || {
        number(&mut watcher, &format!("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = {pid}")) > 0
    });
    run(&mut writer, "COMMIT");
    let mut db = waiting.join().expect("the call has ended");
    assert_eq!(number(&mut db, "SELECT count(*) FROM visits WHERE age = 20"), 0);
    let oldest = "SELECT (c ->> 'upper')::int FROM pgtd_locks_w_private.manifest, jsonb_array_elements(parameters -> 'columns') c WHERE c ->> 'name' = 'age'";
    assert_eq!(number(&mut db, oldest), 99);
}

/// The lock needs a right to write, which whoever makes releases may not have.
#[test]
fn who_may_not_lock() {
    let Some(citus) = Citus::start("rights") else { return };
    let mut db = citus.session();
    visits(&mut db);
    releaser(&mut db, "pgtd_reader", "LOGIN", "pgtd_rights", "SELECT ON visits, plain");
    let (mut reader, told) = citus.session_as(Some("pgtd_reader"));
    let heard = || {
        let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
        lines.into_iter().filter(|line| line.contains("writers")).collect::<Vec<_>>()
    };
    run(&mut reader, "BEGIN");
    run(&mut reader, &release("visits", "pgtd_rights_r", ""));
    let warned = heard();
    let [warning] = &warned[..] else { panic!("{warned:?}") };
    assert!(
        warning.starts_with("WARNING: writers of \"visits\" are not kept out while it is read"),
        "{warning}"
    );
    assert!(
        warning.contains(
            "needs UPDATE, DELETE or TRUNCATE on \"visits\", and \"pgtd_reader\" has none of these"
        ),
        "{warning}"
    );
    assert!(!must_wait(&citus, "visits"));
    assert_eq!(scan(&mut reader, "pgtd_rights_r", "locked"), "");
    run(&mut reader, "COMMIT; SET pg_topdown.lock_source = off; SELECT release_refresh('pgtd_rights_r')");
    assert_eq!(heard(), Vec::<String>::new());
    run(&mut reader, "SET pg_topdown.lock_source = on");
    for source in ["visits", "plain"] {
        let denied = reader.batch_execute(&release(source, "pgtd_rights_s", "")).expect_err("no right");
        let denied = denied.as_db_error().expect("an error of the server's").clone();
        assert_eq!(denied.code().code(), "42501");
        assert_eq!(denied.message(), format!("permission denied to lock table {source}"));
        assert!(denied.hint().is_some_and(|hint| hint.contains("pg_topdown.lock_source")));
    }
    // Of an existing release they are its owner's rights that count.
    run(&mut db, "SET pg_topdown.lock_source = on");
    let denied =
        db.batch_execute("SELECT release_refresh('pgtd_rights_r')").expect_err("no right of the owner's");
    assert_eq!(denied.code().map(|code| code.code()), Some("42501"));
    // Below a view those of its owner.
    run(
        &mut db,
        "CREATE VIEW seen AS SELECT age, sex FROM visits; GRANT SELECT, UPDATE ON seen TO pgtd_reader",
    );
    run(&mut reader, &release("seen", "pgtd_rights_v", ""));
    assert_eq!(scan(&mut db, "pgtd_rights_v", "locked"), "true");
    run(&mut db, "GRANT TRUNCATE ON visits TO pgtd_reader");
    run(&mut db, "SELECT release_refresh('pgtd_rights_r', 'search')");
    assert_eq!(scan(&mut db, "pgtd_rights_r", "locked"), "true");
    run(
        &mut db,
        "DROP SCHEMA pgtd_rights_v, pgtd_rights_v_private CASCADE; DROP SCHEMA pgtd_rights_r, pgtd_rights_r_private CASCADE; DROP OWNED BY pgtd_reader; DROP ROLE pgtd_reader",
    );
}

/// Nodes are tried before they are asked for a lock. Only a mock can be told to be down; only real ones know who may log in.
#[test]
fn nodes_that_do_not_answer() {
    let Some(citus) = Citus::start("nodes") else { return };
    if !citus.is_mock() {
        return who_may_not_log_in(&citus);
    }
    let (mut db, told) = citus.session_as(None);
    visits(&mut db);
    run(&mut db, "CREATE TABLE mine AS TABLE plain");
    run(&mut db, "CREATE TABLE wards AS TABLE plain; SELECT create_reference_table('wards')");
    for source in ["visits", "mine", "wards"] {
        run(&mut db, &release(source, &format!("pgtd_nodes_{source}"), ""));
    }
    // One that has no shards of the table, too: it could be written through.
    for port in [5433, 5435] {
        told.lock().expect("nobody panics here").clear();
        run(&mut db, &format!("INSERT INTO mock.down VALUES ({port}, 'failed to connect to mock:{port}')"));
        run(&mut db, "SELECT release_refresh('pgtd_nodes_visits', 'search')");
        let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
        let warning = lines.iter().find(|line| line.contains("writers")).expect("a warning");
        let said = format!("WARNING: writers of \"visits\" are not kept out while it is read Citus says: failed to connect to mock:{port}.");
        assert!(warning.starts_with(&said), "{warning}");
        assert_eq!(scan(&mut db, "pgtd_nodes_visits", "locked"), "");
        // Where the lock was asked for, such a release fails, and the others go on.
        run(&mut db, "SET pg_topdown.lock_source = on");
        let failed = db.batch_execute("CALL release_refresh_all()").expect_err("two of them fail");
        assert_eq!(failed.code().map(|code| code.code()), Some("55000"), "{failed:?}");
        let all = rows(
            &mut db,
            "SELECT release, failed_at IS NULL, error FROM releases() WHERE release ~ '^pgtd_nodes_' ORDER BY 1",
        );
        let fails = format!("node mock:{port} cannot be asked for a lock");
        assert!(all[1].starts_with("(pgtd_nodes_visits,f,") && all[1].contains(&fails), "{all:?}");
        assert_eq!(all[0], "(pgtd_nodes_mine,t,)");
        assert!(all[2].starts_with("(pgtd_nodes_wards,f,") && all[2].contains("cannot be asked"), "{all:?}");
        let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
        let said = "WARNING: release \"pgtd_nodes_visits\" was not refreshed";
        assert!(lines.iter().any(|line| line.starts_with(said) && line.contains(&fails)), "{lines:?}");
        let failed = db.batch_execute("SELECT release_refresh('pgtd_nodes_visits')").expect_err("it is down");
        let failed = failed.as_db_error().expect("an error of the server's").clone();
        assert_eq!(failed.code().code(), "08006", "{failed:?}");
        assert!(
            failed.hint().is_some_and(|hint| hint.contains("citus_check_cluster_node_health")),
            "{failed:?}"
        );
        run(&mut db, "RESET pg_topdown.lock_source; DELETE FROM mock.down");
    }
    // Nor can it be asked for a sample, where that has to be had of it.
    run(&mut db, "INSERT INTO mock.down VALUES (5434, 'failed to connect to mock:5434')");
    run(&mut db, "SELECT release_refresh('pgtd_nodes_visits', 'search')");
    let reason = scan(&mut db, "pgtd_nodes_visits", "reason");
    assert!(
        reason.starts_with("its shards cannot be looked at: node mock:5434 says: failed to connect"),
        "{reason}"
    );
}

fn who_may_not_log_in(citus: &Citus) {
    let mut db = citus.session();
    visits(&mut db);
    releaser(&mut db, "pgtd_kept_out", "NOLOGIN", "pgtd_nodes", "SELECT, TRUNCATE ON visits");
    run(&mut db, "SET ROLE pgtd_kept_out");
    let calls = [
        release("visits", "pgtd_nodes_r", ""),
        "SELECT * FROM privacy_check('visits', k_anonymity('{age}', 2))".to_string(),
        format!("SET pg_topdown.lock_source = on; {}", release("visits", "pgtd_nodes_r", "")),
    ];
    for call in calls {
        let refused = db.batch_execute(&call).expect_err("nodes do not let it in");
        let refused = refused.as_db_error().expect("an error of the server's").clone();
        assert_eq!(refused.code().code(), "08006", "{call}: {refused:?}");
        let hint = refused.hint().unwrap_or_default();
        assert!(
            hint.contains("citus_check_cluster_node_health()") && hint.contains("log in"),
            "{call}: {hint}"
        );
    }
    run(&mut db, "RESET ROLE; DROP OWNED BY pgtd_kept_out; DROP ROLE pgtd_kept_out");
}

/// What a node refuses is told as it is, and nobody waits for it. Only a real one refuses what is not refused here.
#[test]
fn nodes_that_refuse() {
    let Some(citus) = Citus::start("refused") else { return };
    if citus.is_mock() {
        return citus.say("refused: not asked, nodes of a mock refuse nothing\n");
    }
    let mut db = citus.session();
    visits(&mut db);
    run(&mut db, "CREATE VIEW seen AS SELECT age, sex FROM visits");
    let rights = "SELECT, TRUNCATE ON seen, plain";
    releaser(&mut db, "pgtd_seer", "LOGIN", "pgtd_refused", rights);
    let (mut seer, told) = citus.session_as(Some("pgtd_seer"));
    run(&mut seer, "SET statement_timeout = '60s'");
    // Whoever asks needs the right on the table below, which only nodes know.
    let ways = [("counts", "auto"), ("counts", "off"), ("counts", "on"), ("auto", "auto"), ("rows", "auto")];
    for (scan, lock) in ways {
        run(&mut seer, &format!("SET pg_topdown.scan = {scan}; SET pg_topdown.lock_source = {lock}"));
        let denied = seer.batch_execute(&release("seen", "pgtd_refused_r", "")).expect_err("no right");
        let denied = denied.as_db_error().expect("an error of the server's").clone();
        assert_eq!(denied.code().code(), "42501", "{scan}, {lock}: {denied:?}");
        assert!(denied.message().starts_with("permission denied for table visits_"), "{denied:?}");
    }
    let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
    assert!(!lines.iter().any(|line| line.contains("aborted") || line.contains("savepoint")), "{lines:?}");
    // One that loses it fails, and the others go on.
    run(&mut db, "GRANT SELECT ON visits TO pgtd_seer");
    run(&mut seer, "RESET pg_topdown.lock_source");
    for source in ["plain", "seen"] {
        run(&mut seer, &release(source, &format!("pgtd_refused_{source}"), ""));
    }
    run(&mut db, "REVOKE SELECT ON visits FROM pgtd_seer");
    for scan in ["auto", "counts", "rows"] {
        run(&mut seer, &format!("SET pg_topdown.scan = {scan}"));
        let failed = seer.batch_execute("CALL release_refresh_all('search')").expect_err("one of them fails");
        assert_eq!(failed.code().map(|code| code.code()), Some("55000"), "{failed:?}");
        let all = rows(
            &mut seer,
            "SELECT release, error IS NULL, left(error, 35) FROM releases() WHERE release ~ '^pgtd_refused_' ORDER BY 1",
        );
        let expected =
            ["(pgtd_refused_plain,t,)", "(pgtd_refused_seen,f,\"permission denied for table visits_\")"];
        assert_eq!(all, expected, "{scan}");
    }
    // A node that has other rights than the coordinator refuses the lock.
    run(&mut db, "GRANT SELECT ON visits TO pgtd_seer");
    releaser(&mut db, "pgtd_shows", "LOGIN", "pgtd_refused", "SELECT, TRUNCATE ON visits");
    run(&mut db, "ALTER VIEW seen OWNER TO pgtd_shows");
    let mut node = citus.session_on_node();
    run(&mut node, "SET citus.enable_ddl_propagation = off");
    run(&mut node, "REVOKE TRUNCATE ON visits FROM pgtd_shows");
    told.lock().expect("nobody panics here").clear();
    run(&mut seer, "RESET pg_topdown.scan; SELECT release_refresh('pgtd_refused_seen', 'search')");
    let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
    let (said, why) = ("LOCK TABLE is refused on node ", ": permission denied for table visits.");
    assert!(
        lines.iter().any(|line| line.starts_with("WARNING: writers of \"seen\" are not")
            && line.contains(said)
            && line.contains(why)),
        "{lines:?}"
    );
    assert_eq!(scan(&mut db, "pgtd_refused_seen", "locked"), "");
    run(&mut seer, "SET pg_topdown.lock_source = on");
    let denied = seer.batch_execute("SELECT release_refresh('pgtd_refused_seen')").expect_err("no right");
    let denied = denied.as_db_error().expect("an error of the server's").clone();
    assert_eq!(denied.code().code(), "42501", "{denied:?}");
    assert!(
        denied.detail().is_some_and(|detail| detail.starts_with(said) && detail.ends_with(why)),
        "{denied:?}"
    );
    run(&mut node, "GRANT TRUNCATE ON visits TO pgtd_shows");
    run(&mut seer, "SELECT release_refresh('pgtd_refused_seen', 'search')");
    assert_eq!(scan(&mut db, "pgtd_refused_seen", "locked"), "true");
    for name in ["plain", "seen"] {
        run(&mut db, &format!("DROP SCHEMA pgtd_refused_{name}, pgtd_refused_{name}_private CASCADE"));
    }
    run(&mut db, "ALTER VIEW seen OWNER TO CURRENT_USER");
    run(&mut db, "DROP OWNED BY pgtd_seer, pgtd_shows; DROP ROLE pgtd_seer, pgtd_shows");
}

/// A transaction that a node's death has left prepared is in doubt: other shards may show what it wrote.
#[test]
fn writes_in_doubt() {
    let Some(citus) = Citus::start("doubt") else { return };
    let (mut db, told) = citus.session_as(None);
    visits(&mut db);
    run(&mut db, &release("visits", "pgtd_doubt_r", ""));
    let of_node = "SELECT shard_name(s.logicalrelid, s.shardid) FROM pg_dist_shard s JOIN pg_dist_placement p USING (shardid)
                   WHERE s.logicalrelid = 'visits'::regclass
                     AND p.groupid = (SELECT min(groupid) FROM pg_dist_node WHERE groupid > 0 AND isactive AND hasmetadata)";
    let shard: String = db.query_one(&format!("{of_node} ORDER BY 1 LIMIT 1"), &[]).expect("a shard").get(0);
    let mut writer = citus.session_on_node();
    run(&mut writer, &format!("BEGIN; INSERT INTO {shard} VALUES (1, 20, 'F')"));
    run(&mut writer, "PREPARE TRANSACTION 'pgtd_doubt'");
    told.lock().expect("nobody panics here").clear();
    let call = "SELECT release_refresh('pgtd_doubt_r')";
    run(&mut db, call);
    let lines = std::mem::take(&mut *told.lock().expect("nobody panics here"));
    assert!(
        lines
            .iter()
            .any(|line| line.starts_with("WARNING: a transaction that wrote to \"visits\" is in doubt")),
        "{lines:?}"
    );
    run(&mut db, "SET pg_topdown.lock_source = on");
    let refused = db.batch_execute(call).expect_err("it is in doubt");
    assert_eq!(refused.code().map(|code| code.code()), Some("40001"), "{refused:?}");
    run(&mut writer, "ROLLBACK PREPARED 'pgtd_doubt'");
    run(&mut db, call);
    assert_eq!(scan(&mut db, "pgtd_doubt_r", "locked"), "true");
}
