//! What is lost by what a search, or a clustering, has found, before anything of it is written.
//!
//! What a released value loses is the share of the leaves that it stands for, or its width by the column's (of
//! whole numbers and days, by how many values it spans): the certainty penalty of `release_measures`, counted here
//! from codes and there from what was published.

use super::result::{GeneralizedColumn, SearchResult};
use crate::postgres::datum::Type;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::read::order::histogram;
use crate::read::table::Table;
use crate::terms::labels::{Ends, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::refine::Meaning;
use topdown::table::Store;

impl SearchResult {
    /// The mean certainty penalty of all cells.
    pub fn certainty_loss(&self, request: &Request) -> Result<f64> {
        certainty_loss(request, &self.columns, (&self.table, |attribute| self.keys(attribute)))
    }
}

/// The mean certainty penalty of the cells of some columns, whose keys are those of the table's records.
pub(super) fn certainty_loss<'s>(
    request: &Request,
    columns: &[GeneralizedColumn],
    (table, keys): (&Table, impl Fn(usize) -> Result<&'s Store>),
) -> Result<f64> {
    let mut lost = 0.0;
    for (attribute, column) in columns.iter().enumerate() {
        let rows = histogram(keys(attribute)?, table.weights(), column.released.len())?;
        lost += penalty(column, request.source.type_of(column.column), &rows);
    }
    Ok(lost / (table.rows * columns.len()).max(1) as f64)
}

/// The certainty penalties of all rows on a column, of whose codes the rows are counted.
fn penalty(column: &GeneralizedColumn, ty: Type, rows: &[u64]) -> f64 {
    let bound = &column.bound;
    let own_top = bound.hierarchy.own_top();
    let all = bound.hierarchy.node(own_top).codes.len();
    let position = |text: Option<String>| text.and_then(|t| ty.parse(&t).ok()).and_then(|v| ty.position(v));
    let ends = |node: &Extent| {
        let (lower, upper) = bound.ends(node);
        Some((position(lower)?, position(upper)?))
    };
    let is_taxonomy = matches!(bound.labels, Labels::Taxonomy(..));
    let whole = is_taxonomy.then(|| ends(&Extent::Node(own_top))).flatten();
    let whole = whole.filter(|(least, greatest)| least < greatest);
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
            Meaning::Taxonomy(_) => match whole {
                None if node.codes.len() > 1 => node.codes.len() as f64 / all as f64,
                whole => loss::of_node(ends(extent), whole, node.codes.len(), all),
            },
            Meaning::Interval => of_interval(extent),
            Meaning::Null | Meaning::Value => loss::SINGLE,
            Meaning::Any => loss::SUPPRESSED,
        }
    };
    let penalties: HashMap<&Extent, f64> =
        polled(&column.cut).map(|extent| (extent, of_node(extent))).collect();
    let lost = |(extent, &rows): (&Extent, &u64)| rows as f64 * penalties[extent];
    polled(column.released.iter().zip(rows)).map(lost).sum()
}
