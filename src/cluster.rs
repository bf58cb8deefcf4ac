//! From a checked request to clusters: scan, bind, greedy k-member clustering.
//!
//! A cluster is released by its extents, one a masked column; so the codes of the rows written are
//! numbers of clusters, the same for all masked columns (local recoding).

use crate::bind::{self, Bound, Labels};
use crate::datum::Type;
use crate::error::{Result, SqlError};
use crate::progress::{polled, Ticker, Watch};
use crate::request::Request;
use crate::scan::{self, Table};
use std::time::Instant;
use topdown::cluster::{kmember, Clusters, Extent, Space};
use topdown::refine::interval::width_share;
use topdown::refine::{Meaning, NodeId};
use topdown::table::{compress, Compressed};
use topdown::Code;

/// What was read and how it was clustered.
#[derive(Debug)]
pub struct Clustered {
    /// The rows that were read.
    pub table: Table,
    /// The masked columns.
    pub bound: Vec<Bound>,
    /// Each cluster's extents.
    pub extents: Vec<Vec<Extent>>,
    /// Each row's cluster.
    pub cluster_of: Vec<Code>,
    /// Seconds for reading the source.
    pub scan: f64,
    /// Seconds for the clustering.
    pub search: f64,
}

/// Reads the source and clusters it.
pub fn run(request: &Request, k: u32, watch: &Watch) -> Result<Clustered> {
    let start = Instant::now();
    let mut table = scan::read(&request.source, &request.columns(), watch)?;
    if (table.rows as u64) < u64::from(k) {
        return Err(SqlError::state("a privacy model does not hold even for the most general table")
            .detail(format!("\"{}\" has {} rows, k is {k}.", request.source.name, table.rows))
            .hint("Ask for less, or release a table with more rows."));
    }
    let bound = bind::bind(request, &mut table, watch)?;
    let scan = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let codes: Vec<&[Code]> =
        request.masked.iter().map(|m| Ok(&table.column(m.column)?.codes[..])).collect::<Result<_>>()?;
    let cardinalities: Vec<usize> = bound.iter().map(|b| b.hierarchy.codes()).collect();
    let mut records = compress(&codes, &cardinalities, table.rows, None, watch)?;
    sort(&mut records);
    let kinds = request.masked.iter().map(|m| request.source.kind(m.column));
    let spaces: Vec<Space> = bound.iter().zip(kinds).map(|(bound, kind)| space(bound, kind)).collect();
    let clusters = kmember(&spaces, &records, k, watch)?;
    let cluster_of = assign(&records, &clusters);
    let search = start.elapsed().as_secs_f64();
    Ok(Clustered { table, bound, extents: clusters.extents, cluster_of, scan, search })
}

/// Puts the distinct records in value order, column by column.
fn sort(records: &mut Compressed) {
    let mut order: Vec<u32> = (0..records.weights.len() as u32).collect();
    let key = |r: u32| records.columns.iter().map(move |column| column[r as usize]);
    let ticker = Ticker::default();
    order.sort_by(|&a, &b| {
        ticker.tick(1);
        key(a).cmp(key(b))
    });
    let mut place = vec![0; order.len()];
    (0u32..).zip(&order).for_each(|(new, &old)| place[old as usize] = new);
    let sorted = |column: &[u32]| order.iter().map(|&old| column[old as usize]).collect::<Vec<u32>>();
    records.columns = records.columns.iter().map(|column| sorted(column)).collect();
    records.weights = sorted(&records.weights);
    records.ids.iter_mut().for_each(|id| *id = place[*id as usize]);
}

/// How a masked column's values are put together.
fn space(bound: &Bound, kind: Type) -> Space {
    match &bound.labels {
        Labels::Taxonomy(_) => Space::Tree(bound.hierarchy.clone(), losses(bound, kind)),
        Labels::Intervals { .. } => {
            Space::Line(bound.hierarchy.domain().map(|d| d.positions.clone()).unwrap_or_default())
        }
        Labels::Values(_) => Space::Apart,
    }
}

/// What each node of a taxonomy loses: its size by the root's where nodes are intervals (Definition
/// 7), else its share of the leaves.
fn losses(bound: &Bound, kind: Type) -> Vec<f64> {
    let hierarchy = &bound.hierarchy;
    let nodes = hierarchy.nodes();
    let ends = |node: NodeId| {
        let (lower, upper) = bound.labels.bounds(hierarchy, node);
        let at = |text: Option<String>| text.and_then(|t| kind.parse(&t).ok()).and_then(|v| kind.position(v));
        Some((at(lower)?, at(upper)?))
    };
    let own_top = nodes.iter().position(|n| matches!(n.meaning, Meaning::Taxonomy(0)));
    let whole = own_top.and_then(|top| ends(top as NodeId)).filter(|(lower, upper)| lower < upper);
    (0..)
        .zip(nodes)
        .map(|(id, node)| match (&node.meaning, whole) {
            (Meaning::Taxonomy(_), Some((lower, upper))) => {
                ends(id).map_or(node.loss, |(from, to)| width_share(from, to, lower, upper))
            }
            _ => node.loss,
        })
        .collect()
}

/// Each row's cluster; rows of equal records are taken as they come.
fn assign(records: &Compressed, clusters: &Clusters) -> Vec<Code> {
    let mut left = clusters.members.clone();
    polled(&records.ids)
        .map(|&record| {
            let members = &mut left[record as usize];
            let Some((cluster, rows)) = members.last_mut() else { return 0 };
            let cluster = *cluster;
            *rows -= 1;
            if *rows == 0 {
                members.pop();
            }
            cluster
        })
        .collect()
}

impl Clustered {
    /// What an extent of a masked column is called; none for NULL.
    pub fn label(&self, attribute: usize, extent: &Extent, any: &str) -> Option<String> {
        let Bound { hierarchy, labels } = &self.bound[attribute];
        match (extent, labels) {
            (Extent::Node(node), _) => labels.label(hierarchy, *node, any),
            (Extent::Ranks(ranks), Labels::Intervals { kind, .. }) => {
                let (least, greatest) = labels.around(ranks)?;
                let (from, to) = (kind.text(least), kind.text(greatest));
                Some(if ranks.start() == ranks.end() { from } else { format!("[{from},{to}]") })
            }
            (Extent::Ranks(ranks), Labels::Values(texts)) => texts.get(*ranks.start() as usize).cloned(),
            _ => Some(any.to_string()),
        }
    }

    /// The ends of an extent that is an interval.
    pub fn ends(&self, attribute: usize, extent: &Extent) -> (Option<String>, Option<String>) {
        let Bound { hierarchy, labels } = &self.bound[attribute];
        match (extent, labels) {
            (Extent::Node(node), _) => labels.bounds(hierarchy, *node),
            (Extent::Ranks(ranks), Labels::Intervals { kind, .. }) => match labels.around(ranks) {
                Some((least, greatest)) => (Some(kind.text(least)), Some(kind.text(greatest))),
                None => (None, None),
            },
            _ => (None, None),
        }
    }

    /// The first code of an extent: its place in the column.
    pub fn place(&self, attribute: usize, extent: &Extent) -> Code {
        match extent {
            Extent::Node(node) => self.bound[attribute].hierarchy.node(*node).codes.start,
            Extent::Ranks(ranks) => *ranks.start(),
            Extent::Any => Code::MAX,
        }
    }
}
