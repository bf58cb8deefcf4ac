//! The SQL of the README's tour and of its chapter on a release that lives runs, in order, and does what the
//! text says.

use client_tests::Database;
use std::fs;

#[test]
fn five_minutes() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 7, "{} blocks", blocks.len());
    let mut db = Database::empty();
    db.batch_execute("SET client_min_messages = error; DROP ROLE IF EXISTS analyst, night_job, clinic")
        .unwrap();
    for block in &blocks {
        db.batch_execute(block).unwrap_or_else(|error| panic!("{block}\n{error:?}"));
        if block.contains("release_refresh_all()") {
            let row = db.query_one("SELECT version, rows, has_table_privilege('clinic_open.manifest', 'SELECT') FROM clinic_open.about", &[]);
            let row = row.unwrap();
            assert_eq!((row.get(0), row.get(1), row.get(2)), (2, 2200i64, true));
        }
        if block.contains("release_alter(") {
            let left: i64 = db
                .query_one(
                    "SELECT count(*) FROM pg_roles WHERE rolname IN ('clinic', 'night_job', 'analyst')",
                    &[],
                )
                .unwrap()
                .get(0);
            assert_eq!(left, 0);
        }
        if block.contains("release_verify('patients_k10')") {
            let rows = db.query("SELECT holds FROM release_verify('patients_k10')", &[]).unwrap();
            assert_eq!(rows.iter().map(|row| row.get(0)).collect::<Vec<bool>>(), [true, true]);
            let rows: i64 = db.query_one("SELECT count(*) FROM patients_k10.patients", &[]).unwrap().get(0);
            assert_eq!(rows, 2000);
        }
    }
    let left: i64 = db
        .query_one("SELECT count(*) FROM pg_namespace WHERE nspname IN ('patients_k10', 'clinic_open')", &[])
        .unwrap()
        .get(0);
    assert_eq!(left, 0);
}
