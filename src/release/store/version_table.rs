//! The table of a version, by what its rows are.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::sql;
use crate::read::identity::{untold, SEARCH_AFRESH};
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::{Identities, Table};
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::tables::version_table;
use hashbrown::HashSet;
use std::cell::OnceCell;
use topdown::progress::room;

/// A version's table, and where each of its rows tells what it is.
pub struct VersionTable {
    pub source: Source,
    row: usize,
    /// What its rows are, and where each lies; none where nobody has asked yet.
    rows: OnceCell<(Vec<i64>, Vec<u64>)>,
}

impl VersionTable {
    /// Of a version whose table is there still; `row` is the column that tells what each row is.
    pub fn open(existing: &ExistingRelease, number: i32, row: &str) -> Result<VersionTable> {
        let table = version_table(&existing.view, number);
        if sql::relation_in(existing.schema, &table).is_none() {
            let gone = SqlError::state(format!("version {number} is not there any more"));
            return Err(match number == existing.version {
                true => gone.detail("Somebody has dropped or renamed its table.").hint(SEARCH_AFRESH),
                false => gone.hint("pg_topdown.keep_versions says how many old versions are kept."),
            });
        }
        let source = Source::in_schema(existing.schema, &table)?;
        let row = source.column(row)?;
        Ok(VersionTable { source, row, rows: OnceCell::new() })
    }

    /// What its rows are.
    pub fn rows(&self) -> Result<&[i64]> {
        Ok(&self.stored()?.0)
    }

    /// And where each lies.
    fn stored(&self) -> Result<&(Vec<i64>, Vec<u64>)> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let rows = scan::read_numbers(&self.source, self.row)?.ok_or_else(untold)?;
        Ok(self.rows.get_or_init(|| rows))
    }

    /// Some columns, and what each row is: of the rows that are some of these, or of all.
    pub fn read(&self, places: &[usize], rows: Option<&[i64]>) -> Result<Table> {
        let mut places = places.to_vec();
        places.push(self.row);
        places.sort_unstable();
        places.dedup();
        let mut table = match rows {
            Some(wanted) => {
                room::<(i64, u8)>(2 * wanted.len())?;
                let wanted: HashSet<i64> = polled(wanted).copied().collect();
                let (rows, lie) = self.stored()?;
                let lie = polled(rows.iter().zip(lie)).filter(|(row, _)| wanted.contains(*row));
                scan::read_at(&self.source, &places, &lie.map(|(_, &lies)| lies).collect::<Vec<u64>>())?
            }
            None => scan::read(&self.source, &places)?,
        };
        table.identities = Some(Identities::written(&table, self.row)?);
        Ok(table)
    }
}
