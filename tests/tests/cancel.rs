//! What runs long ends soon when it is cancelled, wherever it is just then.
//!
//! Work is counted, not time. A statement is made larger until it is enough work, and is then to end after a fraction of that.
//! What does not poll ends, with the same SQLSTATE, only when it is done.

use client_tests::connect;
use client_tests::work::{work, Ticks};

/// How much work a statement has to be that is worth cancelling.
const WORK: Ticks = 60;

/// `prepare` and `statement` hold `{n}`, the size, which grows from `n` on.
fn ends_soon(prepare: &str, statement: &str, mut n: u64) {
    let mut db = connect();
    db.batch_execute("SET client_min_messages = error").unwrap();
    let (statement, whole) = loop {
        let sized = |text: &str| text.replace("{n}", &n.to_string());
        db.batch_execute(&sized(prepare)).unwrap();
        let (whole, failed) = work(&mut db, &sized(statement));
        assert_eq!(failed, None, "{statement} of {n}");
        if whole >= WORK {
            break (sized(statement), whole);
        }
        assert!(n < 1 << 30, "{statement} is never much work: {whole}");
        // Twice the size is about twice the work, or more.
        n *= if whole < WORK / 8 { 4 } else { 2 };
        db.batch_execute("DROP SCHEMA IF EXISTS r, r_private CASCADE").unwrap();
    };
    db.batch_execute("DROP SCHEMA IF EXISTS r, r_private CASCADE").unwrap();
    for part in [20, 10, 5] {
        let timeout = whole * 10 / part;
        db.batch_execute(&format!("SET statement_timeout = {timeout}")).unwrap();
        let (done, failed) = work(&mut db, &statement);
        db.batch_execute("RESET statement_timeout").unwrap();
        assert_eq!(failed.as_deref(), Some("57014"), "{statement} within {timeout} ms");
        assert!(done < whole / part + whole / 4, "{statement} is {whole} ticks; cancelled, it was {done}");
        let left: i64 = db
            .query_one("SELECT count(*) FROM pg_namespace WHERE nspname IN ('r', 'r_private')", &[])
            .unwrap()
            .get(0);
        assert_eq!(left, 0, "{statement} left something behind");
    }
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

/// Short labels, twice: a masking has 64 MB at most, and a fast machine reads that in no time. What did not poll would end
/// after half of the work.
#[test]
fn a_masking() {
    let prepare = "DROP TABLE IF EXISTS t; CREATE TABLE t AS
        SELECT by_taxonomy_tree('v', jsonb_build_object('any', jsonb_agg(i::text)))::text AS j FROM generate_series(1, {n}) i";
    ends_soon(prepare, "SELECT sum(pg_column_size(j::masking)) FROM t, generate_series(1, 2)", 100_000);
}
