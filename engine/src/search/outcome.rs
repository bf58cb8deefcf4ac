//! The result of a search: its steps, and the cuts or regions that they lead to.

use super::local::Regions;
use crate::cluster::Extent;
use crate::refine::Hierarchy;
use crate::table::Codes;
use crate::trace::{Cut, Step};

/// Result of a search.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The cut of each column; empty by local recoding.
    pub cuts: Vec<Cut>,
    /// By local recoding, the regions that groups are released as.
    pub regions: Option<Regions>,
    /// Clusters inside the groups, if they were made.
    pub clusters: Option<Clusters>,
    /// The hierarchy of each column, with the intervals that were made.
    pub hierarchies: Vec<Hierarchy>,
    /// Final measure of each model; by local recoding over the groups on all masked columns.
    pub achieved: Vec<f64>,
    /// For each model, another model that makes it redundant.
    pub redundant: Vec<Option<usize>>,
    /// Whether each record of the problem is withheld; empty if none may be.
    pub withheld: Vec<bool>,
}

/// Clusters of records.
#[derive(Debug, Clone)]
pub struct Clusters {
    /// The extent of each cluster on each column.
    pub extents: Vec<Vec<Extent>>,
    /// The cluster of each record.
    pub of_records: Codes,
}
