//! The SQL of the README's two tours and of its chapter on a release that lives runs, in order, and does what the
//! text says.

use client_tests::Database;
use std::fs;

#[test]
fn both_tours() {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let blocks: Vec<&str> =
        readme.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert!(blocks.len() >= 7, "{} blocks", blocks.len());
    let mut db = Database::empty();
    db.batch_execute("SET client_min_messages = error; DROP ROLE IF EXISTS analyst, night_job, clinic")
        .unwrap();
    for block in &blocks {
        if block.contains("privacy_keys('visits'") {
            db.batch_execute(include_str!("../../sql/examples/visits.sql")).unwrap();
        }
        db.batch_execute(block).unwrap_or_else(|error| panic!("{block}\n{error:?}"));
        if block.contains("release_refresh_all()") {
            let row = db.query_one("SELECT version, rows, has_table_privilege('clinic_open.manifest', 'SELECT') FROM clinic_open.about", &[]);
            let row = row.unwrap();
            assert_eq!((row.get(0), row.get(1), row.get(2)), (2, 2200i64, true));
        }
        if block.contains("release_verify('visits_open')") {
            let query = "SELECT min(n), sum(rows)::int8 FROM (SELECT count(DISTINCT patient_id_person) AS n, count(*) AS rows
                         FROM visits_open.visits_v1 GROUP BY postcode, born, sex, admitted, diagnosis) g";
            let row = db.query_one(query, &[]).unwrap();
            assert!(row.get::<_, i64>(0) >= 10 && row.get::<_, i64>(1) == 1_000_000, "{row:?}");
            let nodes: i64 = db.query_one("SELECT count(*) FROM visits_open.cut", &[]).unwrap().get(0);
            assert!(nodes > 20, "{nodes} nodes");
        }
        if block.contains("release_report('visits_open')") {
            let page: String = db.query_one(*block, &[]).unwrap().get(0);
            assert!(
                page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>") && page.len() < 2_000_000
            );
            db.batch_execute("SELECT release_drop('visits_open'); DROP TABLE visits").unwrap();
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
