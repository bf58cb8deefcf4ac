//! What two releases tell, compared; and how one was made.

use crate::{number, rows};
use postgres::Client;

/// All that two releases tell is the same: every step, the cut, what holds, and every row.
pub fn same(db: &mut Client, one: &str, other: &str, view: (&str, &str)) {
    let differs = |left: String, right: String| {
        format!("SELECT count(*) FROM (({left} EXCEPT ALL {right}) UNION ALL ({right} EXCEPT ALL {left})) d")
    };
    for of in [".cut", "_private.steps", "_private.taxonomy"] {
        let table = |release: &str| format!("SELECT * FROM {release}{of}");
        assert_eq!(number(db, &differs(table(one), table(other))), 0, "{of} of {one} and {other}");
    }
    let about = |release: &str| format!("SELECT rows, privacy::text FROM {release}.about");
    assert_eq!(rows(db, &about(one)), rows(db, &about(other)));
    // The rows as a sum: in any order, and each as often.
    let rows_of = |release: &str, view: &str| {
        format!("SELECT count(*), sum(hashtextextended(v::text, 0)::numeric) FROM {release}.{view} v")
    };
    assert_eq!(rows(db, &rows_of(one, view.0)), rows(db, &rows_of(other, view.1)), "{one} and {other}");
    assert!(number(db, &format!("SELECT count(*) FROM {one}_private.steps")) > 0);
}

/// The hidden columns of the current version's table: of which column, what they hold, and their names.
pub fn hidden(db: &mut Client, release: &str) -> Vec<(String, String, String)> {
    let query = format!(
        "SELECT h ->> 'column', h ->> 'holds', h ->> 'name' FROM {release}_private.manifest, jsonb_array_elements(parameters -> 'hidden') h
         WHERE current ORDER BY 3"
    );
    let found = db.query(&query, &[]).expect("a manifest");
    found.iter().map(|row| (row.get(0), row.get(1), row.get(2))).collect()
}

/// How the current version's source was read.
pub fn how(db: &mut Client, release: &str) -> String {
    let query =
        format!("SELECT parameters -> 'scan' ->> 'how' FROM {release}_private.manifest WHERE current");
    db.query_one(&query, &[]).expect("a manifest").get(0)
}
