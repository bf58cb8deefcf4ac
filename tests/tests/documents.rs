//! What the documents say of the tests is so: every line of the threat model (docs/PRIVACY.md) names
//! tests, and they are there.

use std::path::Path;

#[test]
fn every_threat_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/PRIVACY.md")).unwrap();
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
            let places = [
                format!("pg_regress/sql/{test}.sql"),
                format!("pg_regress/isolation/specs/{test}.spec"),
                format!("tests/tests/{test}.rs"),
            ];
            assert!(
                places.iter().any(|place| root.join(place).exists()),
                "there is no test {test}: {threat}"
            );
            named += 1;
        }
    }
    assert!(named > 30, "only {named} tests are named");
}

/// Who reads how to install it is told at once how to let others make releases, and what they are told without.
#[test]
fn what_has_to_be_granted_is_told_where_installing_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/operations/install.md")).unwrap();
    let (start, _) = page.split_once("## PostgreSQL versions").unwrap();
    assert!(start.contains("SELECT release_functions('publisher');"));
    assert!(start.contains("permission denied for function tds_anonymize"));
}
