//! tds_tradeoff: the same search for several k, over a source that is read once, and of each what it would
//! release: how many steps it takes, how small its groups are, and what is left to be told.
//!
//! What a released value loses is the share of the leaves that it stands for, or its width by the column's (of
//! whole numbers and days, by how many values it spans): the certainty penalty of `release_measures`, counted here
//! from codes and there from what was published.

use super::input::{copies, Input};
use super::result::GeneralizedColumn;
use super::rows::Exclusions;
use super::{read, run_engine, Performed, SearchMode};
use crate::postgres::activity::{self, Phase};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::order::histogram;
use crate::terms::labels::{Ends, Labels};
use crate::terms::privacy_model::{privacy_model, KAnonymity};
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::measure::{class_information, class_sizes, Released};
use topdown::refine::Meaning;
use topdown::table::Store;

/// What a search for some k would release.
#[derive(Debug)]
pub struct Tradeoff {
    pub k: i32,
    pub steps: i32,
    /// By all masked columns together.
    pub groups: i64,
    /// In rows, or in the persons that a model counts; none where there are no rows.
    pub smallest_group: Option<i64>,
    /// The mean certainty penalty of all cells.
    pub certainty_loss: f64,
    /// The share of the class's entropy that the masked columns tell; none without a class.
    pub class_information: Option<f64>,
    /// Rows that are left out.
    pub withheld: i64,
}

/// Searches once for each k, with that k in every k_anonymity among the models.
pub fn tradeoff(request: &Request, ks: &[i32]) -> Result<Vec<Tradeoff>> {
    let rows = read(request, Exclusions::default())?;
    if rows.left.is_some_and(|left| left > 0) {
        // Which rows are withheld, and so what the rest is bound to, depends on k.
        let one = |&k: &i32| {
            let input = Input::new(request, rows.copy()?, false)?;
            activity::enter(Phase::Searching);
            let models = asking(&request.arguments.privacy, k);
            let mut input = input.withhold(request, &models, &SearchMode::First)?;
            one(request, &mut input, k, &models)
        };
        return ks.iter().map(one).collect();
    }
    let mut input = Input::new(request, rows, false)?;
    activity::enter(Phase::Searching);
    ks.iter().map(|&k| one(request, &mut input, k, &asking(&request.arguments.privacy, k))).collect()
}

fn one(request: &Request, input: &mut Input, k: i32, models: &[privacy_model]) -> Result<Tradeoff> {
    let hierarchies = copies(&input.hierarchies)?;
    let Performed { outcome, .. } =
        run_engine(request, models, &SearchMode::First, input, hierarchies, None)?;
    let steps = outcome.steps.len();
    let (columns, groups) = input.generalized(request, outcome)?;
    let tradeoff = measured(request, input, (&columns, groups.as_ref()), models)?;
    input.labels = columns.into_iter().map(|column| column.bound.labels).collect();
    Ok(Tradeoff { k, steps: steps as i32, ..tradeoff })
}

/// The models with another k; those that ask the same then are one.
fn asking(models: &[privacy_model], k: i32) -> Vec<privacy_model> {
    let mut seen = HashSet::new();
    let asking = |model: &privacy_model| match model {
        privacy_model::KAnonymity(model) => KAnonymity { k, ..model.clone() }.into(),
        other => other.clone(),
    };
    polled(models).map(asking).filter(|model| seen.insert(model.normal().to_string())).collect()
}

/// What is released by a cut of every column, or by the groups of the rows.
fn measured(
    request: &Request,
    input: &Input,
    (columns, groups): (&[GeneralizedColumn], Option<&Store>),
    models: &[privacy_model],
) -> Result<Tradeoff> {
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
    Ok(Tradeoff {
        k: 0,
        steps: 0,
        groups: sizes.len() as i64,
        smallest_group: sizes.iter().min().map(|&size| size as i64),
        certainty_loss: lost / (rows * columns.len()).max(1) as f64,
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
