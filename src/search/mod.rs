//! From a checked request to an outcome: the source is read, its columns are bound to hierarchies and its
//! models to codes, and the engine searches, performs an earlier search again ([`replay`]), or clusters
//! ([`cluster::run`]).
//!
//! taxonomy_build, which makes a hierarchy and no release, is here too ([`numeric`]).

pub mod cluster;
pub mod found;
pub mod numeric;
pub mod replay;
pub mod withheld;

pub use found::{Found, StepRow};
pub use replay::Trace;
pub use withheld::{Leave, Withheld};

use crate::postgres::activity::Phase;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{poll, Watch};
use crate::read::order::Counted;
use crate::read::scan::{self, Table};
use crate::terms::labels::{Bound, Labels};
use crate::terms::masking::{Binding, Demands};
use crate::terms::privacy_model::privacy_model;
use crate::terms::privacy_model::sensitive::Sensitive;
use crate::terms::request::{Masked, Request};
use found::Generalized;
use std::time::Instant;
use topdown::cluster::Extent;
use topdown::privacy::PrivacyModel;
use topdown::progress::Reservation;
use topdown::refine::Hierarchy;
use topdown::{Attribute, Class, Code, Problem, Withhold};
use withheld::take_unplaced;

/// How a release's next version is found.
#[derive(Debug)]
pub enum How<'t> {
    /// By a search for a first version, in which a sensitive value that the source does not hold is an error.
    First,
    /// By a search for a further one: a sensitive value may have become rare.
    Afresh,
    /// By performing the steps of an earlier search again.
    Again(&'t Trace),
}

/// Reads the source, and searches or performs an earlier search again; what is to be left out whatever that withholds
/// is told.
pub fn run<'w>(request: &'w Request, how: &How, leave: Leave, watch: &'w Watch) -> Result<Found<'w>> {
    watch.enter(Phase::Reading);
    let start = Instant::now();
    let mut table = scan::read(&request.source, &request.columns(), watch)?;
    watch.enter(Phase::Binding);
    let count = |column: usize| Counted::new(table.column(column)?, watch);
    let mut class = request.class.map(count).transpose()?;
    let mut sensitive = request.sensitive.iter().map(|&c| count(c)).collect::<Result<Vec<Counted>>>()?;
    let mut held = Reservation::empty(watch);
    let rows = table.rows;
    let leave_out = leave.unknown && withheld::most(request, rows) > 0;
    let mut originals = Vec::new();
    for masked in request.masked.iter().filter(|_| leave_out) {
        let codes = &table.column(masked.column)?.codes;
        held.grow(codes.len() * codes.width())?;
        originals.push(codes.clone());
    }
    let bound = bind(request, &mut table, leave_out, watch)?;
    let mut withheld = Withheld::default();
    if leave_out {
        withheld = take_unplaced(request, &mut table, &originals, &mut class, &mut sensitive)?;
    }
    drop(originals);
    let named = sensitive_columns(request, &sensitive, matches!(how, How::First));
    let models = engine_models(request, &named, &mut held)?;
    let withholds = request.arguments.withhold > 0.0 || !leave.before.is_empty();
    let texts: Vec<Vec<Option<String>>> =
        bound.iter().filter(|_| withholds).map(|b| withheld::texts(&b.hierarchy, &b.labels)).collect();
    let before = withheld::before(request, &table, &texts, leave.before, &mut held)?;
    let most = withheld::most(request, rows) - withheld.rows;
    let scan = start.elapsed().as_secs_f64();
    watch.enter(if matches!(how, How::Again(_)) { Phase::Replaying } else { Phase::Searching });
    let start = Instant::now();
    let laid = match how {
        How::Again(trace) => {
            let columns: Vec<(&Hierarchy, &Labels)> =
                bound.iter().map(|b| (&b.hierarchy, &b.labels)).collect();
            Some(replay::lay(request, trace, &columns)?)
        }
        _ => None,
    };
    let (hierarchies, mut labels): (Vec<Hierarchy>, Vec<_>) =
        bound.into_iter().map(|Bound { hierarchy, labels, held }| (hierarchy, (labels, held))).unzip();
    let attributes = (request.masked.iter().zip(hierarchies))
        .map(|(masked, hierarchy)| {
            let weight = masked.by.demands().weight.unwrap_or(1.0);
            Ok(Attribute { codes: &table.column(masked.column)?.codes, hierarchy, weight })
        })
        .collect::<Result<_>>()?;
    let problem = Problem {
        rows: table.rows,
        attributes,
        sensitive: sensitive
            .iter()
            .map(|s| topdown::Sensitive { codes: &s.codes, cardinality: s.cardinality })
            .collect(),
        class: class.as_ref().map(|c| Class { codes: &c.codes, cardinality: c.cardinality }),
        models,
        score: request.arguments.score.engine(),
        split: request.arguments.split.engine(),
        withhold: (request.arguments.withhold > 0.0 || !before.is_empty())
            .then_some(Withhold { most: most as u64, before }),
        max_steps: request.arguments.max_steps.map(|steps| steps as usize),
    };
    let explained = |error| explain(request, table.rows, &named, error);
    let mut left_out = None;
    let outcome = match laid {
        None => topdown::search(problem, &mut held).map_err(explained)?,
        Some(laid) => {
            let replayed = topdown::replay(problem, &laid.recorded, &mut held).map_err(explained)?;
            for (attribute, (labels, _)) in labels.iter_mut().enumerate() {
                if let Labels::Intervals(intervals) = labels {
                    intervals.given = laid.ends(attribute, &replayed);
                }
            }
            left_out = Some(laid.left_out(&replayed));
            replayed.outcome
        }
    };
    let counted = (&mut class, &mut sensitive[..]);
    withheld::take_out(request, &mut table, &outcome.withheld, &texts, counted, &mut withheld)?;
    let codes: usize = outcome.hierarchies.iter().map(Hierarchy::codes).sum();
    held.grow_by::<Extent>(codes)?;
    let columns = (request.masked.iter().zip(labels))
        .zip(outcome.hierarchies.into_iter().zip(outcome.cuts))
        .map(|((masked, (labels, held)), (hierarchy, cut))| Generalized {
            column: masked.column,
            cut: cut.nodes().map(Extent::Node).collect(),
            released: (0..hierarchy.codes() as Code).map(|code| Extent::Node(cut.released(code))).collect(),
            bound: Bound { hierarchy, labels, held },
        })
        .collect();
    let search = start.elapsed().as_secs_f64();
    let (steps, redundant) = (outcome.steps, outcome.redundant);
    let clusters = None;
    Ok(Found {
        table,
        columns,
        sensitive,
        clusters,
        steps,
        redundant,
        withheld,
        left_out,
        scan,
        search,
        _held: held,
    })
}

/// Lays its hierarchy over every masked column.
fn bind<'w>(
    request: &'w Request,
    table: &mut Table,
    leave_out: bool,
    watch: &'w Watch,
) -> Result<Vec<Bound<'w>>> {
    let arguments = &request.arguments;
    let (suppressed, endpoints) = (arguments.suppressed.as_deref(), arguments.endpoints);
    let how = Binding { suppressed, endpoints, leave_out, watch };
    let bind = |masked: &Masked| {
        let Bound { hierarchy, labels, mut held } = masked.by.bind(table.column_mut(masked.column)?, &how)?;
        let Demands { coarsest, finest, .. } = masked.by.demands();
        let finest = finest.map(|depth| depth as usize);
        let hierarchy = hierarchy.between(coarsest.unwrap_or(0) as usize, finest, &mut held)?;
        Ok(Bound { hierarchy, labels, held })
    };
    request.masked.iter().map(bind).collect()
}

/// The sensitive columns, by their places.
fn sensitive_columns<'a>(
    request: &'a Request,
    counted: &'a [Counted],
    all_there: bool,
) -> Vec<Sensitive<'a>> {
    let columns = request.sensitive.iter().zip(counted).enumerate();
    columns
        .map(|(place, (&column, counted))| Sensitive {
            name: &request.source.columns[column].name,
            place,
            counted,
            all_there,
        })
        .collect()
}

/// The sensitive column of a model.
fn sensitive_of<'s, 'a>(model: &privacy_model, columns: &'s [Sensitive<'a>]) -> Option<&'s Sensitive<'a>> {
    model.sensitive().and_then(|name| columns.iter().find(|column| column.name == name))
}

/// The request's models, over the places of its masked and its sensitive columns.
fn engine_models(
    request: &Request,
    sensitive: &[Sensitive],
    memory: &mut Reservation,
) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let engine_model = |model: &privacy_model| {
        let attributes = (model.attributes().iter())
            .map(|name| request.attribute(name).ok_or_else(|| SqlError::internal("an unmasked attribute")))
            .collect::<Result<Vec<usize>>>()?;
        model.engine(attributes, sensitive_of(model, sensitive), memory)
    };
    request.arguments.privacy.iter().inspect(|_| poll()).map(engine_model).collect()
}

/// An engine's error in the terms of the request.
fn explain(request: &Request, rows: usize, sensitive: &[Sensitive], error: topdown::Error) -> SqlError {
    let topdown::Error::Unsatisfiable { model, requirement, achieved } = error else { return error.into() };
    let model = &request.arguments.privacy[model];
    let source = &request.source.name;
    let whole = format!("with every masked column at its most general value \"{source}\" ({rows} rows)");
    let shortfall = model.shortfall(requirement, sensitive_of(model, sensitive), &whole, achieved);
    let bounded = request.masked.iter().any(|masked| masked.by.demands().coarsest > Some(0));
    let coarser =
        if bounded { " Or let columns be less specific: coarsest() keeps them from it." } else { "" };
    SqlError::state("a privacy model does not hold even for the most general table")
        .detail(format!("{} {shortfall}", model.shown()))
        .hint(format!("{}{coarser}", model.way_out()))
}
