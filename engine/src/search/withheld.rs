//! Which rows are left out of the release, so that the rest is more specific.
//!
//! A cut decides which rows are withheld: those in groups that break a model. All models are over the same columns, so
//! the groups that stay keep them whatever else goes; and under a finer cut no row comes back. What is withheld is taken
//! out of its group, so that whatever counts groups counts what is released (`withholding`). See
//! docs/design/useful-search.md#3-rows-withheld.

use crate::progress::room;
use crate::{pace, Error};

/// Which rows are withheld, and what the groups of all others measure.
pub(super) struct Withheld {
    /// Which distinct record each row is.
    records: Vec<u32>,
    /// Whether each distinct record is withheld.
    pub is_out: Vec<bool>,
    /// For each group, its measure for each requirement; empty for a group without rows.
    pub measures: Vec<Vec<f64>>,
    most: u64,
    pub rows: u64,
}

impl Withheld {
    /// Nothing is withheld yet; `most` rows may be. `records` gives the distinct record of each row.
    pub fn new(records: Vec<u32>, distinct: usize, most: u64) -> Result<Withheld, Error> {
        room::<bool>(distinct)?;
        Ok(Withheld { records, is_out: vec![false; distinct], measures: Vec::new(), most, rows: 0 })
    }

    /// How many rows may be withheld still.
    pub fn left(&self) -> u64 {
        self.most - self.rows
    }

    /// By how much the score of what would withhold some rows is divided.
    pub fn withholding_penalty(&self, rows: u64) -> f64 {
        if rows == 0 {
            return 1.0;
        }
        1.0 + rows as f64 / self.left() as f64
    }

    /// Whether each row is withheld.
    pub fn by_row(&self) -> Result<Vec<bool>, Error> {
        room::<bool>(self.records.len())?;
        pace::collect(self.records.iter().map(|&record| self.is_out[record as usize]))
    }
}
