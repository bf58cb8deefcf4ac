//! What a version is made of, whichever algorithm made it: how its rows are filled, the nodes of
//! its masked columns, its steps, and what the manifest says.

use super::columns::{fills, Fill, Output};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::search::found::Generalized;
use crate::search::{Found, StepRow};
use crate::terms::labels::Labels;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use hashbrown::HashSet;
use pgrx::pg_sys::Datum;
use serde::{Deserialize, Serialize};
use serde_json::json;
use topdown::cluster::Extent;
use topdown::progress::Reservation;

/// A version that is ready to be written.
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
    pub models: &'a [privacy_model],
    /// The arguments, and what measures need to know of the source.
    pub parameters: serde_json::Value,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the search.
    pub search: f64,
    /// The memory of fills and nodes.
    _held: Reservation<'a>,
}

impl<'a> Content<'a> {
    /// What was found for a request.
    pub fn new(request: &'a Request, found: &'a Found, columns: &[Output]) -> Result<Content<'a>> {
        let masked = 0..request.masked.len();
        let mut held = Reservation::empty(found.watch());
        for column in &found.columns {
            // A value a key, and of each node some numbers and four texts, the label twice.
            held.grow_by::<Option<Datum>>(column.released.len())?;
            let nodes = column.cut.len().max(column.bound.hierarchy.nodes().len());
            held.grow_by::<(Extent, [Option<String>; 4], [u64; 4])>(nodes)?;
        }
        Ok(Content {
            rows: found.table.rows,
            fills: fills(columns, request, found)?,
            nodes: masked.map(|a| Nodes::new(request, found, a)).collect::<Result<_>>()?,
            steps: found.step_rows(request),
            models: &request.arguments.privacy,
            parameters: parameters(request, found)?,
            scan: found.scan,
            search: found.search,
            _held: held,
        })
    }
}

/// How a masked column is described in the manifest: what measures need besides what is published.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mask {
    /// The column.
    pub name: String,
    /// How it is masked.
    pub masked: MaskedAs,
    /// Its type, of a domain the base type.
    #[serde(rename = "type")]
    pub type_name: String,
    /// The lower bound of its domain; where none is given, the data's least value.
    pub lower: Option<String>,
    /// The upper bound of its domain; where none is given, the data's greatest value.
    pub upper: Option<String>,
    /// Whether it holds NULLs.
    pub nulls: bool,
    /// How many bits of what the source tells are lost, from 0 to 1 (Gionis, Tassa 2009).
    pub non_uniform_entropy: f64,
}

/// The kinds of masking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaskedAs {
    /// Along a taxonomy.
    Taxonomy,
    /// By intervals.
    Intervals,
    /// By suppression.
    Suppression,
}

/// The request's arguments and a description of each masked column.
fn parameters(request: &Request, found: &Found) -> Result<serde_json::Value> {
    let mask = |a: usize| {
        let Generalized { column, bound, .. } = &found.columns[a];
        let (masked, lower, upper) = match &bound.labels {
            Labels::Taxonomy(_) => (MaskedAs::Taxonomy, None, None),
            Labels::Values(_) => (MaskedAs::Suppression, None, None),
            Labels::Intervals(intervals) => {
                let text = |bound: Option<Datum>| bound.map(|value| intervals.ty.text(value));
                let (least, greatest) = (intervals.values.first(), intervals.values.last());
                let lower = text(intervals.lower.or(least.copied()));
                (MaskedAs::Intervals, lower, text(intervals.upper.or(greatest.copied())))
            }
        };
        Ok(Mask {
            name: request.name(a).to_string(),
            masked,
            type_name: request.source.type_of(*column).name(),
            lower,
            upper,
            nulls: bound.is_over_null(),
            non_uniform_entropy: found.non_uniform_entropy(a)?,
        })
    };
    let unwritable = |fault: serde_json::Error| SqlError::internal(fault.to_string());
    let mut parameters = serde_json::to_value(&request.arguments).map_err(unwritable)?;
    parameters["columns"] = json!((0..request.masked.len()).map(mask).collect::<Result<Vec<Mask>>>()?);
    Ok(parameters)
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
    pub first_codes: Vec<u32>,
    /// Rows released as the node.
    pub records: Vec<i64>,
}

impl Nodes {
    /// The nodes of a column: its whole hierarchy, if values are released as nodes of one; else what
    /// they are released as.
    fn new(request: &Request, found: &Found, attribute: usize) -> Result<Nodes> {
        let any = request.any();
        let Generalized { bound, cut, .. } = &found.columns[attribute];
        let records = found.records(attribute)?;
        let listed = listed(&found.columns[attribute], any);
        let label = |extent: &Extent| bound.label(extent, any);
        let labels: Vec<Option<String>> = polled(&listed).map(|(extent, ..)| label(extent)).collect();
        let (lower, upper) = polled(&listed).map(|(extent, ..)| bound.ends(extent)).unzip();
        let in_cut: HashSet<&Extent> = cut.iter().collect();
        let rows = |extent| records.get(extent).map_or(0, |&rows| rows as i64);
        Ok(Nodes {
            attribute: request.name(attribute).to_string(),
            parents: listed.iter().map(|(_, above, _)| above.and_then(|node| labels[node].clone())).collect(),
            depths: listed.iter().map(|(.., depth)| *depth).collect(),
            in_cut: listed.iter().map(|(extent, ..)| in_cut.contains(extent)).collect(),
            first_codes: listed.iter().map(|(extent, ..)| bound.first_code(extent)).collect(),
            records: listed.iter().map(|(extent, ..)| rows(extent)).collect(),
            labels,
            lower,
            upper,
        })
    }
}

/// What is listed of a column: each node, which of the list is above it, and how far below the top it is.
fn listed(column: &Generalized, any: &str) -> Vec<(Extent, Option<usize>, i32)> {
    let Generalized { bound, cut, .. } = column;
    if cut.iter().all(|extent| matches!(extent, Extent::Node(_))) {
        let mut listed: Vec<(Extent, Option<usize>, i32)> = Vec::new();
        for (id, node) in polled((0..).zip(bound.hierarchy.nodes())) {
            // A node comes after the one above it.
            let above = node.parent.map(|parent| parent as usize);
            let depth = above.map_or(0, |above| listed[above].2 + 1);
            listed.push((Extent::Node(id), above, depth));
        }
        return listed;
    }
    let mut listed: Vec<_> = cut.iter().map(|extent| (extent.clone(), None, 0)).collect();
    listed.sort_by_cached_key(|(extent, ..)| (bound.first_code(extent), bound.label(extent, any)));
    listed
}
