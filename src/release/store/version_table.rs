//! The tables of a release's versions that tell what their rows are.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::sql;
use crate::read::identity::SEARCH_AFRESH;
use crate::read::source::Source;
use crate::read::version_table::VersionTable;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::tables::version_table;
use std::rc::Rc;

/// That of a version whose table is there still; `row` is the column that tells what each row is. The current one's rows are read once.
pub fn open(existing: &ExistingRelease, number: i32, row: &str) -> Result<Rc<VersionTable>> {
    let is_current = number == existing.version;
    if let Some(table) = existing.table.get().filter(|_| is_current) {
        return Ok(table.clone());
    }
    let table = version_table(number);
    if sql::relation_in(existing.private, &table).is_none() {
        let gone = SqlError::state(format!("version {number} is not there any more"));
        return Err(match is_current {
            true => gone.detail("Somebody has dropped or renamed its table.").hint(SEARCH_AFRESH),
            false => gone.hint("pg_topdown.keep_versions says how many old versions are kept."),
        });
    }
    let table = Rc::new(VersionTable::new(Source::in_schema(existing.private, &table)?, row)?);
    match is_current {
        true => Ok(existing.table.get_or_init(|| table).clone()),
        false => Ok(table),
    }
}
