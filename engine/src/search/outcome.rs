//! What a search leaves: its steps, and the cuts or regions where it stopped.

use super::local::Regions;
use crate::cluster::Extent;
use crate::refine::Hierarchy;
use crate::table::Codes;
use crate::trace::{Cut, Step};

/// Where a search stopped and how it got there.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Each column's cut; none by local recoding.
    pub cuts: Vec<Cut>,
    /// What groups are released as, by local recoding.
    pub regions: Option<Regions>,
    /// What clusters inside these groups are released as, where they were made.
    pub clusters: Option<Clusters>,
    /// Each column's hierarchy, with the intervals that were made.
    pub hierarchies: Vec<Hierarchy>,
    /// Each model's measure at the end; by local recoding of the groups over all masked columns.
    pub achieved: Vec<f64>,
    /// For each model, one that makes it redundant.
    pub redundant: Vec<Option<usize>>,
    /// Whether each row is withheld; empty, where none may be.
    pub withheld: Vec<bool>,
}

/// Clusters of records.
#[derive(Debug, Clone)]
pub struct Clusters {
    /// What each cluster is released as on each column.
    pub extents: Vec<Vec<Extent>>,
    /// Each record's cluster.
    pub of_records: Codes,
}
