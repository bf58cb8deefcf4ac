//! What a version is made of, whichever algorithm made it: how its rows are filled, the nodes of
//! its masked columns, its steps, and what the manifest says.

use super::columns::{fills, Fill, Output};
use crate::api::privacy_model::privacy_model;
use crate::error::Result;
use crate::request::Request;
use crate::search::{Found, StepRow};
use topdown::refine::NodeId;

/// A version that is ready to be written.
#[derive(Debug)]
pub struct Content<'a> {
    /// How many rows.
    pub rows: usize,
    /// How each column is filled.
    pub fills: Vec<Fill<'a>>,
    /// The nodes of each masked column.
    pub nodes: Vec<Nodes>,
    /// The steps of the search.
    pub steps: Vec<StepRow>,
    /// The models it has to keep.
    pub models: Vec<privacy_model>,
    /// The arguments, and what measures need to know of the source.
    pub parameters: serde_json::Value,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search.
    pub search: f64,
}

impl<'a> Content<'a> {
    /// What a top-down search found.
    pub fn of_search(request: &Request, found: &'a Found, columns: &[Output]) -> Result<Content<'a>> {
        Ok(Content {
            rows: found.table.rows,
            fills: fills(columns, request, found)?,
            nodes: (0..request.masked.len()).map(|a| Nodes::of_search(request, found, a)).collect(),
            steps: found.step_rows(request),
            models: request.models.clone(),
            parameters: request.parameters.clone(),
            scan: found.scan,
            search: found.search,
        })
    }
}

/// The nodes of a masked column, as the tables show them.
#[derive(Debug)]
pub struct Nodes {
    /// The column.
    pub attribute: String,
    /// Labels; none for NULL.
    pub labels: Vec<Option<String>>,
    /// The labels above.
    pub parents: Vec<Option<String>>,
    /// The lower ends of intervals.
    pub lower: Vec<Option<String>>,
    /// The upper ends of intervals.
    pub upper: Vec<Option<String>>,
    /// How far below the top.
    pub depths: Vec<i32>,
    /// Which are released.
    pub in_cut: Vec<bool>,
    /// The first code under each node.
    pub places: Vec<u32>,
    /// Rows released as the node.
    pub records: Vec<i64>,
}

impl Nodes {
    /// The nodes of a searched column: its whole hierarchy.
    fn of_search(request: &Request, found: &Found, attribute: usize) -> Nodes {
        let any = request.any();
        let hierarchy = &found.outcome.hierarchies[attribute];
        let cut = &found.outcome.cuts[attribute];
        let count = hierarchy.nodes().len();
        let labels: Vec<_> = (0..count as NodeId).map(|n| found.label(attribute, n, any)).collect();
        let (lower, upper) =
            (0..count as NodeId).map(|n| found.labels[attribute].bounds(hierarchy, n)).unzip();
        let mut depths: Vec<i32> = Vec::with_capacity(count);
        for node in hierarchy.nodes() {
            // A node comes after the one above it.
            depths.push(node.parent.map_or(0, |parent| depths[parent as usize] + 1));
        }
        let mut records = vec![0; count];
        for &code in found.codes(attribute) {
            records[cut.released(code) as usize] += 1;
        }
        Nodes {
            attribute: request.name(attribute).to_string(),
            parents: (hierarchy.nodes().iter())
                .map(|node| node.parent.and_then(|parent| labels[parent as usize].clone()))
                .collect(),
            places: hierarchy.nodes().iter().map(|node| node.codes.start).collect(),
            in_cut: (0..count as NodeId).map(|n| cut.contains(n)).collect(),
            labels,
            lower,
            upper,
            depths,
            records,
        }
    }
}
