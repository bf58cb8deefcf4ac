//! The condition for a complete cluster.
//!
//! In k-member clustering a cluster is complete with k rows ([`Rows`]). Inside the groups of a search it is complete
//! when every privacy model holds (`search/local/goal.rs`).

use crate::Error;

/// Strictness in the choice of a cluster's next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Help {
    /// It improves every measure that breaks a model.
    All,
    /// It improves at least one of these measures and worsens none of them.
    Some,
}

/// The condition for a complete cluster.
pub trait Goal {
    /// Counts of a cluster's records.
    type Counted;

    /// Returns the counts of no record.
    fn nothing(&self) -> Result<Self::Counted, Error>;

    /// Adds rows of a record to the counts.
    fn take(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Subtracts rows of a record from the counts.
    fn give(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Returns whether a cluster is complete.
    fn holds(&self, counted: &Self::Counted) -> Result<bool, Error>;

    /// Returns whether one more row of a record brings a cluster nearer to being complete.
    fn helps(&self, counted: &mut Self::Counted, record: u32, help: Help) -> Result<bool, Error>;

    /// Returns the number of rows of a record to add at once, if the record has them.
    fn wanted(&self, counted: &Self::Counted) -> u32;

    /// Returns whether a number of rows can suffice for a cluster.
    fn may_hold(&self, rows: u64) -> bool;

    /// Returns whether all rows of a record must be in one cluster, of any size.
    fn keeps_together(&self) -> bool;
}

/// The goal of k rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// Lower bound of the rows of a cluster.
    pub k: u32,
    /// Whether all rows of a record must be in one cluster.
    pub together: bool,
}

impl From<u32> for Rows {
    fn from(k: u32) -> Rows {
        Rows { k, together: false }
    }
}

impl Goal for Rows {
    type Counted = u32;

    fn nothing(&self) -> Result<u32, Error> {
        Ok(0)
    }

    fn take(&self, counted: &mut u32, _: u32, rows: u32) -> Result<(), Error> {
        *counted += rows;
        Ok(())
    }

    fn give(&self, counted: &mut u32, _: u32, rows: u32) -> Result<(), Error> {
        *counted -= rows;
        Ok(())
    }

    fn holds(&self, counted: &u32) -> Result<bool, Error> {
        Ok(*counted >= self.k)
    }

    fn helps(&self, _: &mut u32, _: u32, _: Help) -> Result<bool, Error> {
        Ok(true)
    }

    fn wanted(&self, counted: &u32) -> u32 {
        self.k.saturating_sub(*counted).max(1)
    }

    fn may_hold(&self, rows: u64) -> bool {
        rows >= u64::from(self.k)
    }

    fn keeps_together(&self) -> bool {
        self.together
    }
}
