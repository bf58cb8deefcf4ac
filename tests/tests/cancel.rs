//! What runs long ends soon when it is cancelled, wherever it is just then.
//!
//! How long a statement takes depends on the machine, so it is made larger until it takes a while,
//! and is then to end in a fraction of that. What does not poll ends, with the same SQLSTATE, only
//! when it is done.

use client_tests::{connect, Database};
use std::time::{Duration, Instant};

/// How long a statement has to take that is worth cancelling.
const WHILE: Duration = Duration::from_secs(1);

/// Runs a statement of a size; how long it took, and its SQLSTATE if it failed.
fn run(db: &mut Database, statement: &str) -> (Duration, Option<String>) {
    let start = Instant::now();
    let result = db.batch_execute(statement);
    let taken = start.elapsed();
    (taken, result.err().map(|error| error.code().map_or(error.to_string(), |code| code.code().to_string())))
}

/// `prepare` and `statement` hold `{n}`, the size, which grows from `n` on.
fn ends_soon(prepare: &str, statement: &str, mut n: u64) {
    let mut db = connect();
    db.batch_execute("SET client_min_messages = error").unwrap();
    let (statement, whole) = loop {
        let sized = |text: &str| text.replace("{n}", &n.to_string());
        db.batch_execute(&sized(prepare)).unwrap();
        let (whole, failed) = run(&mut db, &sized(statement));
        assert_eq!(failed, None, "{statement} of {n}");
        if whole >= WHILE {
            break (sized(statement), whole);
        }
        assert!(n < 1 << 30, "{statement} never takes long: {whole:?}");
        // Twice the size is about twice the time, or more.
        n *= if whole < WHILE / 8 { 4 } else { 2 };
        db.batch_execute("DROP SCHEMA IF EXISTS r CASCADE").unwrap();
    };
    db.batch_execute("DROP SCHEMA IF EXISTS r CASCADE").unwrap();
    // The machine may stand still for a moment: one of three is enough, without polling none is.
    let mut all = Vec::new();
    for part in [20, 10, 5] {
        let timeout = whole / part;
        db.batch_execute(&format!("SET statement_timeout = {}", timeout.as_millis())).unwrap();
        let (taken, failed) = run(&mut db, &statement);
        db.batch_execute("RESET statement_timeout").unwrap();
        assert_eq!(failed.as_deref(), Some("57014"), "{statement} within {timeout:?} of {whole:?}");
        let left: i64 =
            db.query_one("SELECT count(*) FROM pg_namespace WHERE nspname = 'r'", &[]).unwrap().get(0);
        assert_eq!(left, 0, "{statement} left something behind");
        all.push((timeout, taken));
    }
    assert!(
        all.iter().any(|&(timeout, taken)| taken < timeout + whole / 4),
        "{statement} takes {whole:?}; with a timeout it took {all:?}"
    );
}

const NUMBERS: &str = "DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT i * 7919::bigint % 4001 AS a, i * 104729::bigint % 4003 AS b,
    i * 1299709::bigint % 3001 AS c, i * 31 % 2 AS class FROM generate_series(1, {n}) i";

#[test]
fn a_search() {
    ends_soon(
        NUMBERS,
        "SELECT count(*) FROM tds_steps('t', ARRAY[k_anonymity(ARRAY['a', 'b', 'c'], 2)],
             masking => ARRAY[by_suppression('a'), by_suppression('b'), by_suppression('c')])",
        4000,
    );
}

#[test]
fn a_clustering() {
    ends_soon(NUMBERS, "SELECT FROM kmember_anonymize('t', 'r', ARRAY['a', 'b', 'c'], 50)", 1000);
}

#[test]
fn a_taxonomy() {
    let prepare = "DROP TABLE IF EXISTS t; CREATE TABLE t AS SELECT i AS v FROM generate_series(1, {n}) i";
    ends_soon(prepare, "SELECT count(*) FROM taxonomy_build('t', 'v', 'iotf')", 20_000);
}

/// Short labels: an array in jsonb has 256 MB, and a fast machine reads that many long ones in no time.
#[test]
fn a_masking() {
    let prepare = "DROP TABLE IF EXISTS t; CREATE TABLE t AS
        SELECT by_taxonomy_tree('v', jsonb_build_object('any', jsonb_agg(i::text)))::text AS j FROM generate_series(1, {n}) i";
    ends_soon(prepare, "SELECT pg_column_size(j::masking) FROM t", 100_000);
}
