//! Where a call stands: what others read of it in pg_stat_activity and of its files, and the NOTICEs of the session itself.
//!
//! A source that waits for an advisory lock makes a call stand still where it is looked at.

use client_tests::cluster::PATIENCE;
use client_tests::{connect, server, Database};
use postgres::{Client, NoTls};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const SOURCE: &str = "CREATE TABLE t AS SELECT i / 4 AS a, i % 4 AS b FROM generate_series(0, 39) i;
    CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_advisory_lock(7); PERFORM pg_advisory_unlock(7); RETURN true; END $$;
    CREATE FUNCTION fails() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM public.waits(); RETURN 1 / 0 > 0; END $$;
    CREATE VIEW slow AS SELECT * FROM t WHERE waits();
    CREATE VIEW fails AS SELECT * FROM t WHERE public.fails()";

/// What pg_stat_activity shows of a session: the state, the statement, and whether it began with its transaction.
fn shown(db: &mut Database, pid: i32) -> (String, String, Option<bool>) {
    let query = "SELECT state, query, query_start = xact_start FROM pg_stat_activity WHERE pid = $1";
    let row = db.query_one(query, &[&pid]).unwrap();
    (row.get(0), row.get(1), row.get(2))
}

/// What is shown of a session once it waits for the lock.
fn while_it_waits(db: &mut Database, pid: i32) -> (String, String, Option<bool>) {
    let waits = "SELECT count(*) FROM pg_locks WHERE pid = $1 AND locktype = 'advisory' AND NOT granted";
    let start = Instant::now();
    while db.query_one(waits, &[&pid]).unwrap().get::<_, i64>(0) == 0 {
        assert!(start.elapsed() < PATIENCE, "it never waits");
        thread::sleep(Duration::from_millis(5));
    }
    shown(db, pid)
}

fn pid(client: &mut Client) -> i32 {
    client.query_one("SELECT pg_backend_pid()", &[]).unwrap().get(0)
}

/// Runs a statement in another session: what is shown of it while its source waits, whether it succeeds after
/// `then`, and what is shown in the end.
fn run(statement: &str, then: &str) -> [(String, String, Option<bool>); 2] {
    let mut db = connect();
    db.batch_execute(SOURCE).unwrap();
    db.batch_execute("SELECT pg_advisory_lock(7)").unwrap();
    let mut session = db.session();
    let pid = pid(&mut session);
    let text = statement.to_string();
    // The simple protocol shows a statement as it was sent, and takes no transaction of its own for it.
    let running = thread::spawn(move || {
        let result = session.batch_execute(&text);
        (session, result)
    });
    let meanwhile = while_it_waits(&mut db, pid);
    db.batch_execute(&then.replace("{pid}", &pid.to_string())).unwrap();
    db.batch_execute("SELECT pg_advisory_unlock_all()").unwrap();
    let (_session, result) = running.join().unwrap();
    // An error reaches the client before the session is idle.
    let end = Instant::now();
    let idle = loop {
        let idle = shown(&mut db, pid);
        if idle.0 != "active" || end.elapsed() > PATIENCE {
            break idle;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let error = result.err().map(|error| error.code().map_or("", |code| code.code()).to_string());
    let expected = match then {
        "" if statement.contains("'fails'") => Some("22012"),
        "" => None,
        _ => Some("57014"),
    };
    assert_eq!(error.as_deref(), expected, "{statement}");
    [meanwhile, idle]
}

fn release_of(source: &str) -> String {
    format!("SELECT tds_anonymize('{source}', 'r', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)])")
}

#[test]
fn others_see_the_phase_behind_the_statement_and_the_statement_alone_at_the_end() {
    let cancel = "SELECT pg_cancel_backend({pid})";
    for (source, then) in [("slow", ""), ("fails", ""), ("slow", cancel)] {
        let statement = release_of(source);
        let [meanwhile, idle] = run(&statement, then);
        let with_phase = format!("{statement} /* pg_topdown: reading */");
        // The statement's start is what it was.
        assert_eq!(meanwhile, ("active".into(), with_phase, Some(true)));
        assert_eq!((idle.0.as_str(), idle.1.as_str()), ("idle", statement.as_str()));
    }
}

/// Nothing is told before a first row comes, which may take a while where all of a source is sorted below: the files are there. They are
/// looked at by the statement of the page.
#[test]
fn others_see_the_files_of_a_call_that_has_no_row_yet() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/operations/troubleshooting.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let blocks = page.split("```sql\n").skip(1).filter_map(|block| block.split_once("```"));
    let of_files = blocks.map(|(block, _)| block).find(|block| block.contains("pg_ls_tmpdir"));
    let of_files = of_files.expect("a block").trim_end().trim_end_matches(';');
    let mut db = connect();
    db.batch_execute(SOURCE).unwrap();
    // More than a call may have in memory (work_mem), and none of it is shown before all is sorted.
    db.batch_execute(
        "CREATE TABLE wide AS SELECT i % 10 AS a, md5(i::text) || repeat('x', 200) AS b FROM generate_series(1, 400000) i;
         CREATE VIEW sorted AS SELECT a FROM (SELECT * FROM wide ORDER BY b OFFSET 0) s
           WHERE b > (SELECT min(b) FROM wide) OR public.waits();
         SELECT pg_advisory_lock(7)",
    )
    .unwrap();
    let mut session = db.session();
    let pid = pid(&mut session);
    let running = thread::spawn(move || {
        session
            .batch_execute("SELECT count(*) FROM tds_steps('sorted', k_anonymity('{a}', 2))")
            .map(|()| session)
    });
    assert!(while_it_waits(&mut db, pid).1.ends_with("/* pg_topdown: reading */"));
    let shown = format!("SELECT stands, temporary_bytes::bigint FROM ({of_files}) s WHERE pid = $1");
    let row = db.query_one(&shown, &[&pid]).unwrap();
    assert_eq!(row.get::<_, &str>(0), "/* pg_topdown: reading */");
    let bytes: i64 = row.get(1);
    assert!(bytes > 64 << 20, "{bytes}");
    db.batch_execute("SELECT pg_advisory_unlock_all()").unwrap();
    running.join().unwrap().unwrap();
    // They go with the call.
    assert_eq!(db.query(&shown, &[&pid]).unwrap().len(), 0);
}

#[test]
fn a_long_statement_is_clipped_and_the_phase_is_not() {
    let mut db = connect();
    let size = "SELECT setting::int FROM pg_settings WHERE name = 'track_activity_query_size'";
    let bytes = db.query_one(size, &[]).unwrap().get::<_, i32>(0) as usize - 1;
    drop(db);
    // One of them ends within a character of three bytes, whatever there is room for.
    for more in ["", "x", "xx"] {
        let statement = format!("{} -- {more}{}", release_of("slow"), "€".repeat(bytes));
        let [(_, text, _), (_, idle, _)] = run(&statement, "");
        let (clipped, phase) = text.rsplit_once("... ").expect("it is clipped");
        assert_eq!(phase, "/* pg_topdown: reading */");
        assert!(statement.starts_with(clipped), "{text}");
        assert!((bytes - 2..=bytes).contains(&text.len()), "{} of {bytes} bytes", text.len());
        assert!(statement.starts_with(&idle) && (bytes - 2..=bytes).contains(&idle.len()), "{idle}");
    }
}

#[test]
fn a_statement_that_goes_on_after_an_error_is_shown_as_it_is() {
    let statement = format!(
        "DO $$ BEGIN
           BEGIN PERFORM {}; EXCEPTION WHEN division_by_zero THEN NULL; END;
           PERFORM pg_advisory_lock(8);
         END $$",
        release_of("fails").trim_start_matches("SELECT ")
    );
    let mut db = connect();
    db.batch_execute(SOURCE).unwrap();
    db.batch_execute("SELECT pg_advisory_lock(8)").unwrap();
    let mut session = db.session();
    let pid = pid(&mut session);
    let text = statement.clone();
    let running = thread::spawn(move || session.batch_execute(&text).map(|()| session));
    assert_eq!(while_it_waits(&mut db, pid).1, statement);
    db.batch_execute("SELECT pg_advisory_unlock_all()").unwrap();
    running.join().unwrap().unwrap();
}

#[test]
fn a_notice_a_second_at_most_and_none_unasked() {
    let mut db = connect();
    db.batch_execute(
        "CREATE TABLE t AS SELECT i / 4 AS a, i % 4 AS b FROM generate_series(0, 2047) i;
         CREATE FUNCTION late() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.002); RETURN true; END $$;
         CREATE VIEW late AS SELECT * FROM t WHERE late()",
    )
    .unwrap();
    let name: String = db.query_one("SELECT current_database()::text", &[]).unwrap().get(0);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut config = server();
    let hears = heard.clone();
    config.dbname(&name).notice_callback(move |notice| {
        hears.lock().unwrap().push((notice.severity().to_string(), notice.message().to_string()));
    });
    let mut session = config.connect(NoTls).unwrap();
    for (progress, least) in [("on", 2), ("off", 0)] {
        session.batch_execute(&format!("SET pg_topdown.progress = {progress}")).unwrap();
        let start = Instant::now();
        let steps = "SELECT count(*) FROM tds_steps('late', ARRAY[k_anonymity(ARRAY['a', 'b'], 2)])";
        session.batch_execute(steps).unwrap();
        let most = if progress == "on" { start.elapsed().as_secs() as usize } else { 0 };
        let heard = std::mem::take(&mut *heard.lock().unwrap());
        assert!((least..=most).contains(&heard.len()), "{} in {most} seconds: {heard:?}", heard.len());
        let mut before = 0;
        for (severity, message) in heard {
            assert_eq!(severity, "NOTICE");
            let Some(rows) = message.strip_prefix("pg_topdown: reading, ") else { continue };
            let rows: usize = rows.trim_end_matches(" rows").parse().expect("a number of rows");
            assert!(before < rows && rows <= 2048, "{message}");
            before = rows;
        }
    }
}
