//! What a search would release, told by its figures alone: it is searched, and nothing is written.
//!
//! What a released value loses is the share of the leaves that it stands for, or its width by the column's (of
//! whole numbers and days, by how many values it spans): the certainty penalty of `release_measures`, counted here
//! from codes and there from what was published.

use super::input::{copies, Input};
use super::queries::Queries;
use super::result::GeneralizedColumn;
use super::{run_engine, Performed, SearchMode};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::order::histogram;
use crate::terms::labels::{Ends, Labels};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::measure::{class_information, class_sizes, Released};
use topdown::refine::Meaning;
use topdown::table::Store;

/// What a search would release.
#[derive(Debug, PartialEq)]
pub struct Tried {
    pub steps: i32,
    /// By all masked columns together.
    pub groups: i64,
    /// In rows, or in the persons that a model counts; none where there are no rows.
    pub smallest_group: Option<i64>,
    /// The mean certainty penalty of all cells.
    pub certainty_loss: f64,
    /// The median error of the queries' counts; none where there are none.
    pub query_error: Option<f64>,
    /// The share of the class's entropy that the masked columns tell; none without a class.
    pub class_information: Option<f64>,
    /// Rows that are left out.
    pub withheld: i64,
}

/// Searches; the input stays for the next one.
pub(super) fn try_search(
    request: &Request,
    input: &mut Input,
    models: &[privacy_model],
    queries: Option<&Queries>,
) -> Result<Tried> {
    let hierarchies = copies(&input.hierarchies)?;
    let Performed { outcome, .. } =
        run_engine(request, models, &SearchMode::First, input, hierarchies, None)?;
    let steps = outcome.steps.len() as i32;
    let (columns, groups) = input.generalized(request, outcome)?;
    let tried = measured(request, input, (&columns, groups.as_ref()), models, queries)?;
    input.labels = columns.into_iter().map(|column| column.bound.labels).collect();
    Ok(Tried { steps, ..tried })
}

/// What is released by a cut of every column, or by the groups of the rows.
fn measured(
    request: &Request,
    input: &Input,
    (columns, groups): (&[GeneralizedColumn], Option<&Store>),
    models: &[privacy_model],
    queries: Option<&Queries>,
) -> Result<Tried> {
    let numbers: Vec<Vec<u32>> = columns.iter().map(GeneralizedColumn::numbers).collect();
    let weights = input.table.weights();
    let (mut released, mut lost, rows) = (Vec::new(), 0.0, input.table.rows);
    for (column, numbers) in columns.iter().zip(&numbers) {
        let codes = match groups {
            Some(groups) => groups,
            None => &input.table.column(column.column)?.codes,
        };
        released.push(Released { codes, as_number: numbers, numbers: column.cut.len() });
        lost += penalty(
            column,
            request.source.type_of(column.column),
            &histogram(codes, weights, numbers.len())?,
        );
    }
    let person = models.iter().find_map(|model| request.person(model.person()?));
    let persons = person.map(|person| &input.persons[person].0);
    let sizes = class_sizes(&released, input.table.records, weights, persons)?;
    let class = input.class.as_ref();
    let class = class.map(|class| class_information(&released, &class.codes, weights));
    let error = queries.map(|queries| queries.error(input, columns, &released, groups.is_some()));
    Ok(Tried {
        steps: 0,
        groups: sizes.len() as i64,
        smallest_group: sizes.iter().min().map(|&size| size as i64),
        certainty_loss: lost / (rows * columns.len()).max(1) as f64,
        query_error: error.transpose()?.flatten(),
        class_information: class.transpose().map_err(SqlError::from)?,
        withheld: input.withheld.rows as i64,
    })
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
