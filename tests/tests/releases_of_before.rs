//! Releases that version 0.2.0 made live on: they are read, verified, refreshed, searched for anew, rewound, explained and
//! altered; what they withheld stays withheld, or their next version is refused.

use client_tests::{connect, rows, run, Database};
use postgres::error::DbError;

const RELEASES: &str = include_str!("../upgrade/releases_of_0_2_0.sql");

fn with_releases() -> Database {
    let mut db = connect();
    run(&mut db, "SET client_min_messages TO error");
    run(&mut db, RELEASES);
    db
}

fn error(db: &mut Database, statement: &str) -> DbError {
    let failed = db.batch_execute(statement).err().unwrap_or_else(|| panic!("{statement} succeeds"));
    failed.as_db_error().unwrap_or_else(|| panic!("{statement}: {failed:?}")).clone()
}

#[test]
fn they_live_on() {
    let mut db = with_releases();
    let all = ["clusters", "groups", "persons", "plain", "templates"];
    for release in all {
        let holds = format!("SELECT bool_and(holds) FROM release_verify('{release}')");
        let before = rows(&mut db, &format!("SELECT extension_version FROM {release}.about"));
        assert_eq!((before, rows(&mut db, &holds)), (vec!["(0.2.0)".to_string()], vec!["(t)".to_string()]));
        let view = format!("SELECT p::text FROM {release}.people p ORDER BY 1");
        let published = rows(&mut db, &view);
        assert_eq!(published.len(), 130, "{release}");
        run(&mut db, &format!("SELECT release_refresh('{release}')"));
        // The steps of before are performed again on the same rows.
        assert_eq!(rows(&mut db, &view), published, "{release}");
        run(
            &mut db,
            &format!("SELECT release_refresh('{release}', 'search'); SELECT release_report('{release}')"),
        );
        assert_eq!(rows(&mut db, &holds), ["(t)"], "{release}");
        if release != "clusters" {
            run(
                &mut db,
                &format!(
                    "SELECT * FROM release_explain('{release}'); SELECT release_rewind('{release}', 1);
                     SELECT release_alter('{release}', max_steps => 2); SELECT release_refresh('{release}')"
                ),
            );
            assert_eq!(rows(&mut db, &holds), ["(t)"], "{release}");
        }
        let version = format!("SELECT version > 2, extension_version <> '0.2.0' FROM {release}.about");
        assert_eq!(rows(&mut db, &version), ["(t,t)"], "{release}");
        run(&mut db, &format!("SELECT * FROM release_drift('{release}'); SELECT release_drop('{release}')"));
    }
}

/// `intervals => 'bounds'` showed the ends of intervals alone: readers keep the columns that they have.
#[test]
fn they_keep_their_columns() {
    let mut db = with_releases();
    let columns = "SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'bounds.visits'::regclass AND attnum > 0";
    assert_eq!(rows(&mut db, columns), ["(\"day,ip,age,age_lo,age_hi,illness\")"]);
    run(&mut db, "CREATE VIEW reader AS SELECT * FROM bounds.visits");
    for made in [
        "release_refresh('bounds')",
        "release_refresh('bounds', 'search')",
        "release_rewind('bounds', 4)",
        "release_alter('bounds', max_steps => 12, intervals => 'bounds')",
        "release_alter('bounds', masking => by_calendar('day', '{quarter}'), max_steps => 40)",
        "release_apply('bounds', 'src.visits', 'applied')",
        "release_report('bounds')",
    ] {
        run(&mut db, &format!("SELECT {made}"));
        assert_eq!(rows(&mut db, columns), ["(\"day,ip,age,age_lo,age_hi,illness\")"], "{made}");
    }
    assert_eq!(rows(&mut db, "SELECT bool_and(holds) FROM release_verify('bounds')"), ["(t)"]);
    // What is no column of the view is in the cut.
    let cut = "SELECT node, lower, upper FROM bounds.cut WHERE attribute = 'day'";
    assert_eq!(rows(&mut db, cut), ["(2024-Q1,2024-01-01,2024-04-01)"]);
}

/// No version of then tells what its rows are, and the table of all versions is not free while somebody reads: a version is made
/// all the same, and the next one tells.
#[test]
fn they_are_refreshed_beside_readers() {
    let mut db = with_releases();
    let mut reader = db.session();
    run(&mut reader, "BEGIN; SELECT count(*) FROM plain.people");
    run(&mut db, "SELECT release_refresh('plain')");
    let row = "SELECT version, parameters ->> 'row' FROM plain.manifest WHERE current";
    assert_eq!(rows(&mut db, row), ["(3,)"]);
    run(&mut reader, "COMMIT");
    run(&mut db, "INSERT INTO src.people SELECT * FROM src.people LIMIT 1; SELECT release_refresh('plain')");
    assert_eq!(rows(&mut db, row), ["(4,row)"]);
    run(&mut db, "INSERT INTO src.people SELECT * FROM src.people LIMIT 1; SELECT release_refresh('plain')");
    let came = "SELECT part, violating_rows FROM release_changes('plain') WHERE model::text ~ 'k_anonymity' AND part = 'came'";
    assert_eq!(rows(&mut db, came), ["(came,1)"]);
    assert_eq!(rows(&mut db, "SELECT bool_and(holds) FROM release_verify('plain')"), ["(t)"]);
}

/// What a label of then stands for is known where it is a value of the source, and nowhere else.
#[test]
fn what_they_withheld() {
    let mut db = with_releases();
    for release in ["values_held", "leaves_held"] {
        for made in [
            format!("release_refresh('{release}')"),
            format!("release_refresh('{release}', 'search')"),
            format!("release_alter('{release}', masking => by_prefix('zip', '{{3}}'))"),
            format!("kmember_anonymize('src.people', '{release}', '{{zip}}', 5, keep => '{{illness}}')"),
        ] {
            let withheld = rows(&mut db, &format!("SELECT {made} -> 'withheld'"));
            let there = format!("SELECT rows FROM {release}.about");
            assert_eq!(
                (withheld, rows(&mut db, &there)),
                (vec!["(2)".into()], vec!["(128)".into()]),
                "{made}"
            );
        }
        assert_eq!(
            rows(&mut db, &format!("SELECT version, combination ->> 'zip' FROM {release}.withheld")),
            ["(1,99123)"]
        );
    }
    for made in [
        "release_refresh('labels_held')",
        "release_refresh('labels_held', 'search')",
        "release_alter('labels_held', unmask => '{zip}')",
    ] {
        let refused = error(&mut db, &format!("SELECT {made}"));
        assert_eq!(refused.code().code(), "55000", "{made}");
        let detail = refused.detail().unwrap_or_default();
        assert!(
            detail.contains("881**") && detail.contains("\"zip\"") && refused.hint().is_some(),
            "{refused:?}"
        );
    }
    assert_eq!(rows(&mut db, "SELECT version, rows FROM labels_held.about"), ["(1,128)"]);
    // Coarser rows of the same version are no new ones.
    run(&mut db, "SELECT release_rewind('labels_held', 0)");
    assert_eq!(rows(&mut db, "SELECT rows, withheld FROM labels_held.about"), ["(128,2)"]);
    assert_eq!(rows(&mut db, "SELECT count(*) FROM labels_held.cut WHERE records = 0"), ["(0)"]);
}
