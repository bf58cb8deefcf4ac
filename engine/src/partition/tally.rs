//! Counts of a group's records by what a refinement would make of them, in one array that is used
//! over and over: only what was counted is cleared.

use crate::progress::GROWING;
use crate::{Error, Pace, Reservation};

/// Counts of the children of one column's node within one group.
#[derive(Debug, Default)]
pub struct Tally {
    /// Records by child (by code under suppression).
    pub records: Vec<u32>,
    /// Children that occur.
    pub touched: Vec<u32>,
    /// For each sensitive column, counts by child and sensitive value.
    pub sensitive: Vec<Vec<u32>>,
    /// How many values each has.
    pub(super) cardinalities: Vec<usize>,
}

impl Tally {
    /// Room for `arms` children and the sensitive columns' `cardinalities`, held under `memory`.
    pub fn new(arms: usize, cardinalities: Vec<usize>, memory: &mut Reservation) -> Result<Tally, Error> {
        let values = cardinalities.iter().fold(0, |sum: usize, &n| sum.saturating_add(n));
        memory.grow_by::<u32>(arms.saturating_mul(values.saturating_add(1 + GROWING)))?;
        Ok(Tally {
            records: vec![0; arms],
            touched: Vec::new(),
            sensitive: cardinalities.iter().map(|&n| vec![0; arms * n]).collect(),
            cardinalities,
        })
    }

    /// The counts of a child's values of the `s`-th sensitive column.
    pub fn values(&self, s: usize, arm: u32) -> &[u32] {
        let n = self.cardinalities[s];
        &self.sensitive[s][arm as usize * n..][..n]
    }

    /// How many sensitive columns are counted.
    pub fn sensitive_columns(&self) -> usize {
        self.cardinalities.len()
    }

    /// Counts some records more.
    #[inline]
    pub(super) fn add(&mut self, arm: u32, records: u32) {
        let count = &mut self.records[arm as usize];
        if *count == 0 {
            self.touched.push(arm);
        }
        *count += records;
    }

    /// Forgets what was counted.
    pub(super) fn clear(&mut self, pace: &Pace) -> Result<(), Error> {
        for arm in self.touched.drain(..) {
            pace.tick(1)?;
            self.records[arm as usize] = 0;
            for (counts, &n) in self.sensitive.iter_mut().zip(&self.cardinalities) {
                pace.tick(n)?;
                counts[arm as usize * n..][..n].fill(0);
            }
        }
        Ok(())
    }
}
