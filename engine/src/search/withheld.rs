//! Which rows are left out of the release, so that the rest is more specific.
//!
//! Records are folded once, by all columns, and known by their numbers in every partition. What is withheld is
//! taken out of the groups, so that whatever counts these counts what is released.

use crate::partition::GroupId;
use crate::progress::room;
use crate::table::Compressed;
use crate::{Error, Pace};

/// Which rows are withheld, and where all others are.
pub(super) struct Withheld {
    /// The distinct records of all columns.
    pub records: Compressed,
    /// Whether each is withheld.
    pub is_out: Vec<bool>,
    /// For each partition, the group that each record is in, or was when it was withheld.
    pub groups: Vec<Vec<GroupId>>,
    /// For each partition and group, what each requirement measures of it; none of what has no rows.
    pub measures: Vec<Vec<Vec<f64>>>,
    most: u64,
    pub rows: u64,
}

impl Withheld {
    /// Nothing as yet, and at most so many rows, of records that were folded by all columns, in as many partitions.
    pub fn new(records: Compressed, partitions: usize, most: u64) -> Result<Withheld, Error> {
        let distinct = records.weights.len();
        room::<bool>(distinct)?;
        room::<GroupId>(distinct.saturating_mul(partitions))?;
        let groups = vec![vec![0; distinct]; partitions];
        let measures = vec![Vec::new(); partitions];
        Ok(Withheld { records, is_out: vec![false; distinct], groups, measures, most, rows: 0 })
    }

    /// How many rows may be withheld still.
    pub fn left(&self) -> u64 {
        self.most - self.rows
    }

    /// By how much the score of what would withhold some rows is divided.
    pub fn price(&self, rows: u64) -> f64 {
        if rows == 0 {
            return 1.0;
        }
        1.0 + rows as f64 / self.left() as f64
    }

    /// Whether each row is withheld.
    pub fn by_row(&self, pace: &Pace) -> Result<Vec<bool>, Error> {
        room::<bool>(self.records.ids.len())?;
        pace.collect(self.records.ids.iter().map(|&record| self.is_out[record as usize]))
    }
}
