//! What a version is made of, whichever algorithm made it: how its rows are filled, the nodes of
//! its masked columns, its steps, and what the manifest says.

use super::columns::{cluster_fills, fills, Fill, Output};
use crate::api::privacy_model::privacy_model;
use crate::bind::{Bound, Labels};
use crate::cluster::Clustered;
use crate::error::Result;
use crate::progress::polled;
use crate::request::Request;
use crate::search::{Found, StepRow};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use serde::{Deserialize, Serialize};
use serde_json::json;
use topdown::cluster::Extent;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::Code;

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
            nodes: (0..request.masked.len())
                .map(|a| Nodes::of_search(request, found, a))
                .collect::<Result<_>>()?,
            steps: found.step_rows(request),
            models: request.models.clone(),
            parameters: parameters(request, |a| {
                let cut = &found.outcome.cuts[a];
                let hierarchy = &found.outcome.hierarchies[a];
                let codes = found.codes(a)?;
                let counts = histogram(codes, hierarchy.codes());
                let mut released = vec![0; hierarchy.nodes().len()];
                (0..).zip(&counts).for_each(|(code, n)| released[cut.released(code) as usize] += n);
                let as_released = |code: Code| released[cut.released(code) as usize];
                let entropy = non_uniform_entropy(&counts, codes, |_, code| as_released(code));
                Ok((&found.labels[a], hierarchy, entropy))
            })?,
            scan: found.scan,
            search: found.search,
        })
    }

    /// What a clustering found.
    pub fn of_clusters(
        request: &Request,
        clustered: &'a Clustered,
        columns: &[Output],
    ) -> Result<Content<'a>> {
        let masked = 0..request.masked.len();
        Ok(Content {
            rows: clustered.table.rows,
            fills: cluster_fills(columns, request, clustered)?,
            nodes: masked.map(|a| Nodes::of_clusters(request, clustered, a)).collect(),
            steps: Vec::new(),
            models: request.models.clone(),
            parameters: parameters(request, |a| {
                let Bound { hierarchy, labels } = &clustered.bound[a];
                let codes = &clustered.table.column(request.masked[a].column)?.codes;
                let counts = histogram(codes, hierarchy.codes());
                // Rows whose value may be what a cluster's extent stands for.
                let mut before = vec![0u64];
                before.extend(counts.iter().scan(0, |sum, n| {
                    *sum += n;
                    Some(*sum)
                }));
                let within: Vec<u64> = clustered
                    .extents
                    .iter()
                    .map(|extents| match &extents[a] {
                        Extent::Node(node) => {
                            let codes = &hierarchy.node(*node).codes;
                            before[codes.end as usize] - before[codes.start as usize]
                        }
                        Extent::Ranks(ranks) => {
                            before[*ranks.end() as usize + 1] - before[*ranks.start() as usize]
                        }
                        Extent::Any => before[counts.len()],
                    })
                    .collect();
                let entropy =
                    non_uniform_entropy(&counts, codes, |row, _| within[clustered.cluster_of[row] as usize]);
                Ok((labels, hierarchy, entropy))
            })?,
            scan: clustered.scan,
            search: clustered.search,
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

/// The request's parameters and a description of each masked column.
fn parameters<'l>(
    request: &Request,
    column: impl Fn(usize) -> Result<(&'l Labels, &'l Hierarchy, f64)>,
) -> Result<serde_json::Value> {
    let mask = |a: usize| {
        let (labels, hierarchy, non_uniform_entropy) = column(a)?;
        let place = request.masked[a].column;
        let nulls = hierarchy.nodes().iter().any(|node| node.meaning == Meaning::Null);
        let name = request.source.columns[place].name.clone();
        let type_name = request.source.kind(place).name();
        let (masked, lower, upper) = match labels {
            Labels::Taxonomy(_) => (MaskedAs::Taxonomy, None, None),
            Labels::Values(_) => (MaskedAs::Suppression, None, None),
            Labels::Intervals { kind, values, lower, upper, .. } => {
                let text = |bound: Option<Datum>| bound.map(|value| kind.text(value));
                let (least, greatest) = (values.first().copied(), values.last().copied());
                (MaskedAs::Intervals, text(lower.or(least)), text(upper.or(greatest)))
            }
        };
        Ok(Mask { name, masked, type_name, lower, upper, nulls, non_uniform_entropy })
    };
    let mut parameters = request.parameters.clone();
    parameters["columns"] = json!((0..request.masked.len()).map(mask).collect::<Result<Vec<Mask>>>()?);
    Ok(parameters)
}

/// How many rows hold each code.
fn histogram(codes: &[Code], cardinality: usize) -> Vec<u64> {
    let mut counts = vec![0; cardinality];
    polled(codes).for_each(|&code| counts[code as usize] += 1);
    counts
}

/// The bits lost by all cells, log2 of the rows that a released value may stand for by those that
/// hold the value, as a share of the bits there were.
fn non_uniform_entropy(counts: &[u64], codes: &[Code], within: impl Fn(usize, Code) -> u64) -> f64 {
    let (mut lost, mut all) = (0.0, 0.0);
    for (row, &code) in polled(codes).enumerate() {
        let held = counts[code as usize] as f64;
        lost += (within(row, code) as f64 / held).log2();
        all += (codes.len() as f64 / held).log2();
    }
    if all > 0.0 {
        lost / all
    } else {
        0.0
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
    fn of_search(request: &Request, found: &Found, attribute: usize) -> Result<Nodes> {
        let any = request.any();
        let hierarchy = &found.outcome.hierarchies[attribute];
        let cut = &found.outcome.cuts[attribute];
        let count = hierarchy.nodes().len();
        let labels: Vec<_> = polled(0..count as NodeId).map(|n| found.label(attribute, n, any)).collect();
        let (lower, upper) =
            polled(0..count as NodeId).map(|n| found.labels[attribute].bounds(hierarchy, n)).unzip();
        let mut depths: Vec<i32> = Vec::with_capacity(count);
        for node in hierarchy.nodes() {
            // A node comes after the one above it.
            depths.push(node.parent.map_or(0, |parent| depths[parent as usize] + 1));
        }
        let mut records = vec![0; count];
        for &code in polled(found.codes(attribute)?) {
            records[cut.released(code) as usize] += 1;
        }
        Ok(Nodes {
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
        })
    }

    /// What the clusters of a column are released as; a taxonomy is listed whole.
    fn of_clusters(request: &Request, clustered: &Clustered, attribute: usize) -> Nodes {
        let any = request.any();
        let mut rows = vec![0i64; clustered.extents.len()];
        clustered.cluster_of.iter().for_each(|&cluster| rows[cluster as usize] += 1);
        let mut released: HashMap<&Extent, i64> = HashMap::new();
        for (extents, rows) in clustered.extents.iter().zip(&rows) {
            *released.entry(&extents[attribute]).or_default() += rows;
        }
        let hierarchy = &clustered.bound[attribute].hierarchy;
        let label = |extent: &Extent| clustered.label(attribute, extent, any);
        // Each node: its extent, the node above, and its depth.
        let mut listed: Vec<(Extent, Option<Extent>, i32)> = Vec::new();
        if matches!(clustered.bound[attribute].labels, Labels::Taxonomy(_)) {
            for (id, node) in (0..).zip(hierarchy.nodes()) {
                let depth = node.parent.map_or(0, |parent| listed[parent as usize].2 + 1);
                listed.push((Extent::Node(id), node.parent.map(Extent::Node), depth));
            }
        } else {
            listed.extend(released.keys().map(|&extent| (extent.clone(), None, 0)));
            listed.sort_by_cached_key(|(extent, ..)| (clustered.place(attribute, extent), label(extent)));
        }
        let ends = listed.iter().map(|(extent, ..)| clustered.ends(attribute, extent));
        let (lower, upper) = ends.unzip();
        Nodes {
            attribute: request.name(attribute).to_string(),
            lower,
            upper,
            labels: listed.iter().map(|(extent, ..)| label(extent)).collect(),
            parents: listed.iter().map(|(_, parent, _)| parent.as_ref().and_then(label)).collect(),
            depths: listed.iter().map(|(.., depth)| *depth).collect(),
            in_cut: listed.iter().map(|(extent, ..)| released.contains_key(extent)).collect(),
            places: listed.iter().map(|(extent, ..)| clustered.place(attribute, extent)).collect(),
            records: listed.iter().map(|(extent, ..)| released.get(extent).copied().unwrap_or(0)).collect(),
        }
    }
}
