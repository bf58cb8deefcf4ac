//! The current version as a batch begins from it: its rows, as they were in the source, and its steps.

use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::source::Source;
use crate::release::store::columns::source_copy;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::version_table::VersionTable;
use crate::release::trace::{load, tree};
use crate::search::Batch;
use crate::terms::masking::taxonomy;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use topdown::progress::room;
use topdown::taxonomy::Edge;

/// Of a release whose changes are batched; whether what left it goes at once.
pub fn of(existing: &ExistingRelease, request: &Request, erase: bool) -> Result<Batch> {
    let parameters = existing.parameters()?;
    let Some(row) = &parameters.row else {
        return Err(SqlError::state(format!("version {} does not tell what its rows are", existing.version))
            .detail("There was too little memory for that when it was made.")
            .hint("Raise pg_topdown.max_memory, and make the release again under another name."));
    };
    must_be_the_same_trees(existing, request)?;
    let previous = load::to_go_on_from(existing, &request.source)?;
    let version = VersionTable::open(existing, existing.version, row)?;
    let mut at = HashMap::new();
    for place in request.columns() {
        let name = &request.source.columns[place].name;
        // What is shown as it is has no copy.
        let copy = version.source.column(&source_copy(name));
        at.insert(copy.or_else(|_| version.source.column(name))?, place);
    }
    let rows = version.rows()?;
    let places: Vec<usize> = at.keys().copied().collect();
    let read = Box::new(move |rows: &[i64]| {
        let table = version.read(&places, Some(rows))?;
        Ok(table.at(|place| at.get(&place).copied()))
    });
    Ok(Batch { previous, rows, read, erase })
}

/// What stands below a node stays below it: rows that are shown otherwise than before are told apart from those beside them.
fn must_be_the_same_trees(existing: &ExistingRelease, request: &Request) -> Result<()> {
    let trees = tree::of(existing, existing.version)?;
    for masked in &request.masked {
        let name = masked.by.column_name();
        let mut by = masked.by.clone();
        let (Some(by), Some(tree)) = (by.by_taxonomy(), trees.get(name)) else { continue };
        let now = taxonomy::edges(&Source::named(&by.taxonomy)?)?;
        let before = tree.edges();
        room::<(Option<&str>, Option<&str>)>(2 * now.len())?;
        let now: HashSet<(Option<&str>, Option<&str>)> =
            polled(now.iter()).map(|edge| (edge.child, edge.parent)).collect();
        let is_gone = |edge: &Edge| edge.parent.is_some() && !now.contains(&(edge.child, edge.parent));
        let gone = polled(before.iter()).find(is_gone);
        if let Some((child, parent)) = gone.and_then(|edge| edge.child.zip(edge.parent)) {
            return Err(SqlError::state(format!("the taxonomy of column \"{name}\" has changed"))
                .detail(format!(
                    "\"{}\" is not below \"{}\" any more. Where changes are batched, what a row is shown as does not change.",
                    clipped(child),
                    clipped(parent)
                ))
                .hint("Put it back; new leaves may be added. Or release_alter(..., changes => 'any', allow_weaker => true)."));
        }
    }
    Ok(())
}
