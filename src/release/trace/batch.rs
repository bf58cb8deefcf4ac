//! The current version as a batch begins from it: its rows, as they were in the source, and its steps.

use crate::postgres::error::{Result, SqlError};
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Identities;
use crate::release::store::columns::source_copy;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::tables::version_table;
use crate::release::trace::load;
use crate::search::Batch;
use crate::terms::request::Request;
use hashbrown::HashMap;

/// Of a release whose changes are batched.
pub fn of(existing: &ExistingRelease, request: &Request) -> Result<Batch> {
    let parameters = existing.parameters()?;
    let Some(row) = &parameters.row else {
        return Err(SqlError::state(format!("version {} does not tell what its rows are", existing.version))
            .detail("There was too little memory for that when it was made.")
            .hint("Raise pg_topdown.max_memory, and make the release again under another name."));
    };
    let previous = load::must_be_comparable(existing, &request.source)?;
    let version = Source::in_schema(existing.schema, &version_table(&existing.view, existing.version))?;
    let mut at = HashMap::new();
    for place in request.columns() {
        let name = &request.source.columns[place].name;
        // What is shown as it is has no copy.
        let copy = version.column(&source_copy(name));
        at.insert(copy.or_else(|_| version.column(name))?, place);
    }
    let row = version.column(row)?;
    let mut places: Vec<usize> = at.keys().copied().chain([row]).collect();
    places.sort_unstable();
    let mut rows = scan::read(&version, &places)?;
    rows.identities = Some(Identities::written(&rows, row)?);
    Ok(Batch { previous, rows: rows.at(|place| at.get(&place).copied()) })
}
