//! What the groups of two versions tell together is said, or that nobody knows.

use client_tests::{connect, run, server};
use postgres::NoTls;
use std::sync::{Arc, Mutex};

#[test]
fn without_memory_to_compare_in_it_is_said_that_nobody_knows() {
    let mut db = connect();
    run(
        &mut db,
        "CREATE TABLE t AS SELECT i AS id, 20 + i * 7 % 41 AS age, 'c' || i * 3 % 80 AS city, hashint4(i) AS fine, 'e' || i * 5 % 60 AS edu FROM generate_series(1, 20000) i",
    );
    let search = |release, score| {
        format!("SELECT tds_anonymize('t', '{release}', k_anonymity('{{age,city,edu,fine}}', 12), keep => '{{id}}', recoding => 'local', score => '{score}')")
    };
    run(&mut db, &search("r", "info_gain"));
    let name: String = db.query_one("SELECT current_database()::text", &[]).unwrap().get(0);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let mut config = server();
    let hears = heard.clone();
    config
        .dbname(&name)
        .notice_callback(move |notice| hears.lock().unwrap().push(notice.message().to_string()));
    let mut session = config.connect(NoTls).unwrap();
    let (mut compared, mut unknown, mut failed) = (0, 0, 0);
    // The least budget in which a first version is made; one more version needs a little more for what it writes.
    let mut first = None;
    for kilobytes in (1024..16_384).step_by(512) {
        let mut at_budget = |release| {
            run(&mut session, &format!("BEGIN; SET LOCAL pg_topdown.max_memory = '{kilobytes}kB'"));
            let result = session.batch_execute(&search(release, "tds"));
            run(&mut session, "ROLLBACK");
            (result, std::mem::take(&mut *heard.lock().unwrap()))
        };
        if first.is_none() && at_budget("another").0.is_ok() {
            first = Some(kilobytes);
        }
        let (result, said) = at_budget("r");
        let said = |what: &str| said.iter().filter(|message| message.contains(what)).count();
        match (result, said("together break"), said("could not be compared")) {
            (Ok(()), 1, 0) => compared += 1,
            (Ok(()), 0, 1) => unknown += 1,
            (Err(error), ..)
                if error.code().is_some_and(|code| code.code().starts_with("54"))
                    && first.is_none_or(|first| kilobytes < first + 512) =>
            {
                failed += 1
            }
            other => panic!("with {kilobytes} kB, where {first:?} make a first version: {other:?}"),
        }
    }
    println!("compared {compared}, unknown {unknown}, failed {failed}, a first version in {first:?} kB");
    assert!(compared > 0 && unknown > 0 && failed > 0, "{compared} {unknown} {failed}");
}
