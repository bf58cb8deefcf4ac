//! The law of withheld rows: what a recipient reads is what is made of a source without them.

use crate::{rows, run};
use postgres::Client;

/// What a recipient reads of the release `rel` of a table `t`, but which version it is, when it was made and how many rows are withheld.
pub fn published(db: &mut Client) -> Vec<String> {
    let mut all = rows(db, "SELECT p FROM rel.t p ORDER BY p::text");
    all.extend(rows(db, "SELECT attribute, node, lower, upper, records FROM rel.cut"));
    all.extend(rows(db, "SELECT rows, privacy, class, masked, suppressed FROM rel.about"));
    all
}

/// What is otherwise, line by line, where the version is made again by `verb` without the rows that it leaves out, and without a share to
/// withhold. The view keeps `id`. Undone then.
pub fn shown_of_withheld(db: &mut Client, verb: &str, said: &str) -> Option<(Vec<String>, Vec<String>)> {
    let before = published(db);
    let call = format!(
        "SAVEPOINT law; DELETE FROM t WHERE id NOT IN (SELECT id FROM rel.t);
         UPDATE rel_private.manifest SET parameters = jsonb_set(parameters, '{{withhold}}', '0') WHERE current;
         SELECT {verb}"
    );
    db.batch_execute(&call).unwrap_or_else(|error| panic!("{verb} without withheld rows: {error:?}\n{said}"));
    let again = published(db);
    run(db, "ROLLBACK TO SAVEPOINT law; RELEASE SAVEPOINT law");
    if again == before {
        return None;
    }
    let only =
        |a: &[String], b: &[String]| a.iter().filter(|line| !b.contains(line)).take(12).cloned().collect();
    Some((only(&before, &again), only(&again, &before)))
}
