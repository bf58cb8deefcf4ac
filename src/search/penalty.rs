//! What is lost by what a search, or a clustering, has found, before anything of it is written.
//!
//! The certainty loss of a released value is that of [`loss`]: of a node of a taxonomy what the search has taken for it, of an
//! interval its width. `release_measures` counts it again from what was published.

use super::result::{GeneralizedColumn, SearchResult};
use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::read::order::histogram;
use crate::read::table::Table;
use crate::terms::labels::{Bound, Ends, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::progress::check_memory;
use topdown::refine::{Meaning, Node, NodeId};
use topdown::table::Store;

impl SearchResult {
    /// The mean certainty loss of all cells.
    pub fn certainty_loss(&self, request: &Request) -> Result<f64> {
        certainty_loss(request, &self.columns, (&self.table, |attribute| self.keys(attribute)))
    }
}

/// The mean certainty loss of the cells of some columns, whose keys are those of the table's records.
pub(super) fn certainty_loss<'s>(
    request: &Request,
    columns: &[GeneralizedColumn],
    (table, keys): (&Table, impl Fn(usize) -> Result<&'s Store>),
) -> Result<f64> {
    let mut lost = 0.0;
    for (attribute, column) in columns.iter().enumerate() {
        let rows = histogram(keys(attribute)?, table.weights(), column.released.len())?;
        lost += loss_of_column(column, request.source.type_of(column.column), &rows);
    }
    Ok(lost / (table.rows * columns.len()).max(1) as f64)
}

/// What each node of a column's hierarchy loses: of a taxonomy whose nodes have ends, their width by the root's; of any other
/// taxonomy by the leaves. The search, clusters and measures all take it from here.
pub(super) fn losses_of_nodes(bound: &Bound, ty: Type) -> Result<Vec<f64>> {
    let nodes = bound.hierarchy.nodes();
    let ends = |node: NodeId| {
        let (lower, upper) = bound.ends(&Extent::Node(node));
        let at = |text: Option<String>| text.and_then(|t| ty.parse(&t).ok()).and_then(|v| ty.position(v));
        Some((at(lower)?, at(upper)?))
    };
    let own_top = bound.hierarchy.own_top();
    let (root, all) = (ends(own_top), nodes[own_top as usize].codes.len());
    check_memory::<f64>(nodes.len())?;
    let loss = |(id, node): (NodeId, &Node)| match node.meaning {
        Meaning::Taxonomy(_) => loss::node_loss(ends(id), root, node.codes.len(), all),
        _ => node.loss,
    };
    Ok(polled((0..).zip(nodes)).map(loss).collect())
}

/// The certainty losses of all rows on a column, of whose codes the rows are counted.
fn loss_of_column(column: &GeneralizedColumn, ty: Type, rows: &[u64]) -> f64 {
    let bound = &column.bound;
    let of_interval = |extent: &Extent| {
        let Labels::Intervals(intervals) = &bound.labels else { return loss::SUPPRESSED };
        let at = |value: Option<Datum>| value.and_then(|value| ty.position(value));
        let least = at(intervals.lower.or(intervals.values.first().copied()));
        let greatest = at(intervals.upper.or(intervals.values.last().copied()));
        let (ends, closed) = match extent {
            Extent::Node(id) => {
                let Ends { lower, upper, closed } = intervals.ends(*id, bound.hierarchy.node(*id));
                ((lower, upper), closed)
            }
            _ => (bound.bounds(extent), true),
        };
        let ends = (at(ends.0), at(ends.1));
        least.zip(greatest).map_or(loss::SUPPRESSED, |domain| ty.loss_between(ends, closed, domain))
    };
    let of_node = |extent: &Extent| {
        let Extent::Node(id) = extent else { return of_interval(extent) };
        let node = bound.hierarchy.node(*id);
        match node.meaning {
            Meaning::Taxonomy(_) => node.loss,
            Meaning::Interval => of_interval(extent),
            Meaning::Null | Meaning::Value => loss::SINGLE,
            Meaning::Any => loss::SUPPRESSED,
        }
    };
    let losses: HashMap<&Extent, f64> = polled(&column.cut).map(|extent| (extent, of_node(extent))).collect();
    let lost = |(extent, &rows): (&Extent, &u64)| rows as f64 * losses[extent];
    polled(column.released.iter().zip(rows)).map(lost).sum()
}
