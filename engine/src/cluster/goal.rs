//! When a cluster is whole: what its records have to come to together.
//!
//! For k-member clustering that is k rows ([`Rows`]). Where clusters are made inside the groups of a search it is that
//! every privacy model holds (`search/local/goal.rs`).

use crate::Error;

/// How strictly the next record of a cluster is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Help {
    /// It improves everything that is not good enough yet.
    All,
    /// It improves something, and worsens nothing that is not good enough.
    Some,
}

/// What the records of a cluster have to come to.
pub trait Goal {
    /// What is counted of a cluster's records.
    type Counted;

    /// Of no record.
    fn nothing(&self) -> Result<Self::Counted, Error>;

    /// Counts some rows of a record more.
    fn take(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Counts some rows of a record less.
    fn give(&self, counted: &mut Self::Counted, record: u32, rows: u32) -> Result<(), Error>;

    /// Whether a cluster is whole.
    fn holds(&self, counted: &Self::Counted) -> Result<bool, Error>;

    /// Whether a further row of a record brings a cluster nearer to being whole.
    fn helps(&self, counted: &mut Self::Counted, record: u32, help: Help) -> Result<bool, Error>;

    /// How many rows of a record are taken in together, where there are so many.
    fn wanted(&self, counted: &Self::Counted) -> u32;

    /// Whether so many rows may become a cluster.
    fn may_hold(&self, rows: u64) -> bool;

    /// Whether all rows of a record are in one cluster, however many that makes.
    fn keeps_together(&self) -> bool;
}

/// k rows.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    /// How many.
    pub k: u32,
    /// Whether all rows of a record are in one cluster.
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
