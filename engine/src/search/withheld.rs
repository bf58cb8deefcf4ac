//! Rows that are withheld from the release, so that the rest is more specific.
//!
//! The cut determines the withheld rows: those in groups that break a model. All models are over the same columns, so
//! no other group loses rows. A finer cut withholds at least the same rows. Withheld rows are removed from their groups
//! (`withholding`), so that all counts of groups are counts of the release. See
//! docs/design/useful-search.md#3-rows-withheld.

use crate::progress::check_memory;
use crate::{pace, Error};

/// The withheld rows, and the measures of the groups of all others.
pub(super) struct Withheld {
    /// The distinct record of each record of the problem.
    records: Vec<u32>,
    /// Whether each distinct record is withheld.
    pub is_withheld: Vec<bool>,
    /// For each group, its measure for each requirement; empty for a group without rows.
    pub measures: Vec<Vec<f64>>,
    row_limit: u64,
    pub rows: u64,
}

impl Withheld {
    /// Nothing is withheld yet, and at most `most` rows may be. `records` has the distinct record of each record.
    pub fn new(records: Vec<u32>, distinct: usize, most: u64) -> Result<Withheld, Error> {
        check_memory::<bool>(distinct)?;
        Ok(Withheld {
            records,
            is_withheld: vec![false; distinct],
            measures: Vec::new(),
            row_limit: most,
            rows: 0,
        })
    }

    /// Number of rows that may still be withheld.
    pub fn left(&self) -> u64 {
        self.row_limit - self.rows
    }

    /// Returns the divisor of a score for the number of rows that the refinement would withhold.
    pub fn withholding_penalty(&self, rows: u64) -> f64 {
        if rows == 0 {
            return 1.0;
        }
        1.0 + rows as f64 / self.left() as f64
    }

    /// Returns whether each record of the problem is withheld.
    pub fn by_record(&self) -> Result<Vec<bool>, Error> {
        check_memory::<bool>(self.records.len())?;
        pace::collect(self.records.iter().map(|&record| self.is_withheld[record as usize]))
    }
}
