//! What the documents say of the tests is so: every line of the threat model (docs/PRIVACY.md) and every promise of docs/TESTING.md
//! names tests, and they are there.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether a test is called so.
fn is_test(name: &str) -> bool {
    let places = [
        format!("pg_regress/sql/{name}.sql"),
        format!("pg_regress/isolation/specs/{name}.spec"),
        format!("tests/tests/{name}.rs"),
        format!("engine/tests/{name}.rs"),
        format!("engine/tests/differential/{name}.rs"),
    ];
    places.iter().any(|place| root().join(place).exists())
}

#[test]
fn every_threat_has_its_test() {
    let page = std::fs::read_to_string(root().join("docs/PRIVACY.md")).unwrap();
    let mut named = 0;
    // Rows of the tables of three columns: threat, what holds, tests.
    for row in page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [threat, _, tests] = cells[..] else { continue };
        if threat == "threat" {
            continue;
        }
        assert!(!tests.is_empty(), "no test for: {threat}");
        for test in tests.split(", ") {
            assert!(is_test(test), "there is no test {test}: {threat}");
            named += 1;
        }
    }
    assert!(named > 30, "only {named} tests are named");
}

#[test]
fn every_promise_has_its_test() {
    let page = std::fs::read_to_string(root().join("docs/TESTING.md")).unwrap();
    let (_, table) = page.split_once("| what is promised | test |").unwrap();
    let rows: Vec<&str> = table.lines().skip(2).take_while(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 5, "only {rows:?}");
    for row in rows {
        let tests: Vec<&str> = row.split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "no test for: {row}");
        for test in tests {
            assert!(is_test(test), "there is no test {test}: {row}");
        }
    }
}

/// Who reads how to install it is told at once how to let others make releases, and what they are told without.
#[test]
fn what_has_to_be_granted_is_told_where_installing_is() {
    let page = std::fs::read_to_string(root().join("docs/operations/install.md")).unwrap();
    let (start, _) = page.split_once("## PostgreSQL versions").unwrap();
    assert!(start.contains("SELECT release_functions('publisher');"));
    assert!(start.contains("permission denied for function tds_anonymize"));
}
