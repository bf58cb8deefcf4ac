//! The condition for a complete cluster.
//!
//! In k-member clustering a cluster is complete with k rows ([`MinRows`]). Inside the groups of a search it is complete
//! when every privacy model holds (`search/local/goal.rs`).

use crate::Error;

/// Strictness in the choice of a cluster's next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strictness {
    /// It improves every measure that breaks a model.
    EveryMeasure,
    /// It improves at least one of these measures and worsens none of them.
    AnyMeasure,
}

/// The condition for a complete cluster.
pub trait Constraint {
    /// Counts of a cluster's records.
    type Counted;

    /// Returns the counts of no record.
    fn empty(&self) -> Result<Self::Counted, Error>;

    /// Adds rows of a record to the counts.
    fn add(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Subtracts rows of a record from the counts.
    fn remove(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Returns whether a cluster is complete.
    fn is_complete(&self, counted: &Self::Counted) -> Result<bool, Error>;

    /// Returns whether one more row of a record brings a cluster nearer to being complete.
    fn improves(&self, counted: &mut Self::Counted, record: u32, help: Strictness) -> Result<bool, Error>;

    /// Returns the number of rows of a record to add at once, if the record has them.
    fn batch(&self, counted: &Self::Counted) -> u32;

    /// Returns whether a number of rows can suffice for a cluster.
    fn is_feasible(&self, rows: u64) -> bool;

    /// Returns whether all rows of a record must be in one cluster, of any size.
    fn keeps_duplicates(&self) -> bool;
}

/// The goal of k rows.
#[derive(Debug, Clone, Copy)]
pub struct MinRows {
    /// Lower bound of the rows of a cluster.
    pub k: u32,
    /// Whether all rows of a record must be in one cluster.
    pub keeps_duplicates: bool,
}

impl From<u32> for MinRows {
    fn from(k: u32) -> MinRows {
        MinRows { k, keeps_duplicates: false }
    }
}

impl Constraint for MinRows {
    type Counted = u32;

    fn empty(&self) -> Result<u32, Error> {
        Ok(0)
    }

    fn add(&self, counted: &mut u32, _: u32, rows: u32) -> Result<(), Error> {
        *counted += rows;
        Ok(())
    }

    fn remove(&self, counted: &mut u32, _: u32, rows: u32) -> Result<(), Error> {
        *counted -= rows;
        Ok(())
    }

    fn is_complete(&self, counted: &u32) -> Result<bool, Error> {
        Ok(*counted >= self.k)
    }

    fn improves(&self, _: &mut u32, _: u32, _: Strictness) -> Result<bool, Error> {
        Ok(true)
    }

    fn batch(&self, counted: &u32) -> u32 {
        self.k.saturating_sub(*counted).max(1)
    }

    fn is_feasible(&self, rows: u64) -> bool {
        rows >= u64::from(self.k)
    }

    fn keeps_duplicates(&self) -> bool {
        self.keeps_duplicates
    }
}
