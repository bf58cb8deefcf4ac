//! A version's table, by what its rows are, which a column of it tells.

use super::identity::{untold, Stored};
use super::scan;
use super::source::Source;
use super::table::{Identities, Table};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use std::cell::OnceCell;
use topdown::pace;
use topdown::progress::reserve;

/// A version's table, and where each of its rows tells what it is.
#[derive(Debug)]
pub struct VersionTable {
    pub source: Source,
    row: usize,
    /// Its rows, in the order of what they are; none where nobody has asked yet.
    rows: OnceCell<Vec<Stored>>,
}

impl VersionTable {
    /// `row` is the column that tells what each row is.
    pub fn new(source: Source, row: &str) -> Result<VersionTable> {
        let row = source.column(row)?;
        Ok(VersionTable { source, row, rows: OnceCell::new() })
    }

    /// Its rows, in the order of what they are.
    pub fn rows(&self) -> Result<&[Stored]> {
        if let Some(rows) = self.rows.get() {
            return Ok(rows);
        }
        let mut rows = scan::read_stored(&self.source, self.row)?.ok_or_else(untold)?;
        pace::sort_by(&mut rows, |(one, _), (other, _)| one.cmp(other))?;
        Ok(self.rows.get_or_init(|| rows))
    }

    /// Some columns, and what each row is: of the rows that are some of these, so many times, or of all.
    pub fn read(&self, places: &[usize], rows: Option<&[(i64, u32)]>) -> Result<Table> {
        let mut places = places.to_vec();
        places.push(self.row);
        places.sort_unstable();
        places.dedup();
        let mut table = match rows {
            Some(wanted) => scan::read_at(&self.source, &places, &self.lie(wanted)?)?,
            None => scan::read(&self.source, &places)?,
        };
        table.identities = Some(Identities::written(&table, self.row)?);
        Ok(table)
    }

    /// Where the rows lie that are some of these, from the first page to the last. Of equal ones it is those that lie last.
    fn lie(&self, wanted: &[(i64, u32)]) -> Result<Vec<u64>> {
        let rows = self.rows()?;
        let (mut lie, mut equal) = (Vec::new(), Vec::new());
        for &(row, times) in polled(wanted) {
            let first = rows.partition_point(|&(other, _)| other < row);
            equal.clear();
            for &(_, lies) in rows[first..].iter().take_while(|&&(other, _)| other == row) {
                reserve(&mut equal, 1)?;
                equal.push(lies);
            }
            equal.sort_unstable_by(|a, b| b.cmp(a));
            equal.truncate(times as usize);
            reserve(&mut lie, equal.len())?;
            lie.extend_from_slice(&equal);
        }
        pace::sort_by(&mut lie, u64::cmp)?;
        Ok(lie)
    }
}
