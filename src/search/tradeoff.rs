//! tds_tradeoff: the same search for several k, over a source that is read once, and of each what it would
//! release: how many steps it takes, how small its groups are, and what is left to be told.
//!
//! What a released value loses is the share of the leaves that it stands for, or its width by the column's: the
//! certainty penalty of `release_measures`, counted here from codes and there from what was published.

use super::found::Generalized;
use super::{engine_models, explain, sensitive_columns, Input, Leave};
use crate::postgres::activity::Phase;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, Watch};
use crate::read::order::histogram;
use crate::read::table::{keep, kept};
use crate::terms::labels::Labels;
use crate::terms::privacy_model::{privacy_model, KAnonymity};
use crate::terms::request::Request;
use crate::terms::words::Recoding;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::borrow::Cow;
use topdown::cluster::Extent;
use topdown::loss;
use topdown::measure::{class_information, class_sizes, Released};
use topdown::progress::Reservation;
use topdown::refine::{Hierarchy, Meaning, Node, NodeId};
use topdown::table::Store;
use topdown::{LocalOutcome, Outcome};

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

/// Searches once for every k, which each k_anonymity among the models is asked with.
pub fn tradeoff(request: &Request, ks: &[i32], watch: &Watch) -> Result<Vec<Tradeoff>> {
    let mut input = Input::read(request, Leave::default(), watch)?;
    let hierarchies = std::mem::take(&mut input.hierarchies);
    watch.enter(Phase::Searching);
    ks.iter().map(|&k| one(request, &mut input, &hierarchies, k, watch)).collect()
}

fn one<'w>(
    request: &'w Request,
    input: &mut Input<'w>,
    hierarchies: &[Hierarchy],
    k: i32,
    watch: &'w Watch,
) -> Result<Tradeoff> {
    let mut held = Reservation::empty(watch);
    for hierarchy in hierarchies {
        held.grow_by::<(Node, NodeId)>(hierarchy.nodes().len())?;
        held.grow_by::<f64>(hierarchy.domain().map_or(0, |domain| domain.positions.len()))?;
    }
    let models = asking(&request.arguments.privacy, k);
    let outcome = {
        let named = sensitive_columns(request, input, true);
        let engine_models = engine_models(request, &models, &named, &mut held)?;
        let problem = input.problem(request, hierarchies.to_vec(), engine_models)?;
        let explained = |error| explain(request, &models, input.table.rows, &named, error);
        if request.arguments.recoding == Recoding::Local {
            Searched::Locally(topdown::search_locally(problem, &mut held).map_err(explained)?)
        } else {
            Searched::Globally(topdown::search(problem, &mut held).map_err(explained)?)
        }
    };
    let (columns, groups, stay, steps) = match outcome {
        Searched::Globally(Outcome { steps, cuts, hierarchies, withheld, .. }) => {
            let stay = polled(&withheld).map(|goes| !goes).collect();
            (input.generalized(request, hierarchies, cuts)?, None, stay, steps.len())
        }
        Searched::Locally(outcome) => {
            let steps = outcome.steps.len();
            let (columns, groups) = input.grouped(request, outcome, &mut held)?;
            (columns, Some(groups), Vec::new(), steps)
        }
    };
    let tradeoff = measured(request, input, (&columns, groups.as_ref()), &models, &stay, &mut held)?;
    input.labels = columns.into_iter().map(|column| (column.bound.labels, column.bound.held)).collect();
    Ok(Tradeoff { k, steps: steps as i32, ..tradeoff })
}

enum Searched {
    Globally(Outcome),
    Locally(LocalOutcome),
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

/// What is released by a cut of every column, or by the groups of the rows, of the records that `stay` (empty: all).
fn measured<'i>(
    request: &Request,
    input: &'i Input,
    (columns, groups): (&'i [Generalized], Option<&'i Store>),
    models: &[privacy_model],
    stay: &[bool],
    held: &mut Reservation,
) -> Result<Tradeoff> {
    let numbers: Vec<Vec<u32>> = columns.iter().map(Generalized::numbers).collect();
    let all_stay = !stay.contains(&false);
    let mut those_that_stay = |codes: &'i Store| {
        if all_stay {
            return Ok(Cow::Borrowed(codes));
        }
        held.grow(codes.held())?;
        let mut codes = codes.clone();
        keep(&mut codes, stay)?;
        Ok::<Cow<'i, Store>, SqlError>(Cow::Owned(codes))
    };
    let of_columns = (columns.iter())
        .map(|column| match groups {
            Some(groups) => Ok(Cow::Borrowed(groups)),
            None => those_that_stay(&input.table.column(column.column)?.codes),
        })
        .collect::<Result<Vec<Cow<Store>>>>()?;
    let class = input.class.as_ref().map(|class| those_that_stay(&class.codes)).transpose()?;
    let watch = held.progress();
    let goes = polled(0..stay.len()).filter(|&record| !stay[record]);
    let withheld: usize = goes.map(|record| input.table.rows_of(record)).sum();
    let weights = input.table.weights();
    let kept = weights.filter(|_| !all_stay).map(|weights| kept(weights, stay));
    let weights = kept.as_ref().or(weights);
    let records = of_columns.first().map_or(0, |codes| codes.len());
    let (mut released, mut lost, rows) = (Vec::new(), 0.0, input.table.rows - withheld);
    for ((column, numbers), codes) in columns.iter().zip(&numbers).zip(&of_columns) {
        released.push(Released { codes, as_number: numbers, numbers: column.cut.len() });
        lost += penalty(
            column,
            request.source.type_of(column.column),
            &histogram(codes, weights, numbers.len())?,
        );
    }
    let person = models.iter().find_map(|model| model.person());
    let person = person.map(|name| request.source.column(name)).transpose()?;
    let person = person.and_then(|column| request.persons.binary_search(&column).ok());
    let persons = person.map(|person| &input.persons[person].0);
    let sizes = class_sizes(&released, records, weights, persons, watch)?;
    let class = class.as_ref().map(|class| class_information(&released, class, weights, watch));
    Ok(Tradeoff {
        k: 0,
        steps: 0,
        groups: sizes.len() as i64,
        smallest_group: sizes.iter().min().map(|&size| size as i64),
        certainty_loss: lost / (rows * columns.len()).max(1) as f64,
        class_information: class.transpose().map_err(SqlError::from)?,
        withheld: withheld as i64,
    })
}

/// The certainty penalties of all rows on a column, of whose codes the rows are counted.
fn penalty(column: &Generalized, ty: Type, rows: &[u64]) -> f64 {
    let bound = &column.bound;
    let nodes = bound.hierarchy.nodes();
    let top = nodes.iter().find(|node| matches!(node.meaning, Meaning::Taxonomy(0)));
    let position = |text: Option<String>| text.and_then(|t| ty.parse(&t).ok()).and_then(|v| ty.position(v));
    let ends = |node: &Extent| {
        let (lower, upper) = bound.ends(node);
        Some((position(lower)?, position(upper)?))
    };
    let of_node = |extent: &Extent| {
        let Extent::Node(id) = extent else { return loss::SUPPRESSED };
        let node = bound.hierarchy.node(*id);
        match (&node.meaning, &bound.labels) {
            (Meaning::Taxonomy(_), _) => {
                let all = top.map_or(0, |top| top.codes.len());
                let whole = nodes.iter().position(|node| matches!(node.meaning, Meaning::Taxonomy(0)));
                let whole = whole.and_then(|top| ends(&Extent::Node(top as NodeId)));
                match whole.filter(|(least, greatest)| least < greatest) {
                    None if node.codes.len() > 1 => node.codes.len() as f64 / all as f64,
                    whole => loss::of_node(ends(extent), whole, node.codes.len(), all),
                }
            }
            (Meaning::Interval, Labels::Intervals(intervals)) => {
                let at = |value: Option<Datum>| value.and_then(|value| ty.position(value));
                let least = at(intervals.lower.or(intervals.values.first().copied()));
                let greatest = at(intervals.upper.or(intervals.values.last().copied()));
                let (from, to) = bound.bounds(extent);
                least.zip(greatest).map_or(loss::SUPPRESSED, |(least, greatest)| {
                    loss::of_interval(at(from), at(to), least, greatest)
                })
            }
            (Meaning::Null | Meaning::Value, _) => loss::SINGLE,
            _ => loss::SUPPRESSED,
        }
    };
    let penalties: HashMap<&Extent, f64> =
        polled(&column.cut).map(|extent| (extent, of_node(extent))).collect();
    let lost = |(extent, &rows): (&Extent, &u64)| rows as f64 * penalties.get(extent).copied().unwrap_or(1.0);
    polled(column.released.iter().zip(rows)).map(lost).sum()
}
