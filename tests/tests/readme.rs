//! The SQL of the README's five-minute tour runs, in order, and does what the text says.

use client_tests::Database;
use std::fs;

#[test]
fn five_minutes() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 7, "{} blocks", blocks.len());
    let mut db = Database::empty();
    db.batch_execute("SET client_min_messages = error; DROP ROLE IF EXISTS analyst").unwrap();
    for block in &blocks {
        db.batch_execute(block).unwrap_or_else(|error| panic!("{block}\n{error:?}"));
        if block.contains("release_verify('patients_k10')") {
            let rows = db.query("SELECT holds FROM release_verify('patients_k10')", &[]).unwrap();
            assert_eq!(rows.iter().map(|row| row.get(0)).collect::<Vec<bool>>(), [true, true]);
            let rows: i64 = db.query_one("SELECT count(*) FROM patients_k10.patients", &[]).unwrap().get(0);
            assert_eq!(rows, 2000);
        }
    }
    let left: i64 =
        db.query_one("SELECT count(*) FROM pg_namespace WHERE nspname = 'patients_k10'", &[]).unwrap().get(0);
    assert_eq!(left, 0);
}
