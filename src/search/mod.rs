//! From a checked request to an outcome: the source is read, its columns are bound to hierarchies and its
//! models to codes, and the engine searches, performs an earlier search again ([`replay`]), or clusters
//! ([`cluster::run`]).
//!
//! taxonomy_build, which makes a hierarchy and no release, is here too ([`numeric`]), privacy_keys, which
//! only counts ([`keys`]), and tds_tradeoff, which searches often ([`tradeoff`]).

pub mod cluster;
pub mod found;
pub mod keys;
mod local;
pub mod numeric;
pub mod replay;
pub mod tradeoff;
pub mod withheld;

pub use found::{Found, StepRow};
pub use replay::Trace;
pub use withheld::{Leave, Withheld};

use crate::postgres::activity::Phase;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{poll, Watch};
use crate::read::counted::{self, Reading};
use crate::read::order::{told_apart, Counted};
use crate::read::table::Table;
use crate::terms::labels::{Bound, Labels};
use crate::terms::masking::{Binding, Demands};
use crate::terms::privacy_model::sensitive::Sensitive;
use crate::terms::privacy_model::{privacy_model, Columns};
use crate::terms::request::{Masked, Request};
use crate::terms::words::Recoding;
use found::Generalized;
use std::time::Instant;
use topdown::cluster::Extent;
use topdown::privacy::PrivacyModel;
use topdown::progress::Reservation;
use topdown::refine::Hierarchy;
use topdown::table::Store;
use topdown::trace::Cut;
use topdown::{Attribute, Class, Code, Person, Problem, Withhold};
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
    /// The same, and why the search went no further is told.
    Why(&'t Trace),
}

/// A source as it was read, and bound to hierarchies: what is searched.
struct Input<'w> {
    table: Table<'w>,
    reading: Reading,
    class: Option<Counted<'w>>,
    sensitive: Vec<Counted<'w>>,
    persons: Vec<(Store, usize)>,
    /// Of each masked column, to be taken by a search.
    hierarchies: Vec<Hierarchy>,
    /// And what its nodes are called.
    labels: Vec<(Labels, Reservation<'w>)>,
    /// What a search may withhold, and what was left out before it.
    withhold: Option<Withhold>,
    withheld: Withheld,
    /// Where rows may be withheld, what the values of each masked column are called.
    texts: Vec<Vec<Option<String>>>,
    held: Reservation<'w>,
    /// Seconds.
    scan: f64,
}

impl<'w> Input<'w> {
    /// Reads it; what is to be left out whatever a search withholds is told.
    fn read(request: &'w Request, leave: Leave, watch: &'w Watch) -> Result<Input<'w>> {
        watch.enter(Phase::Reading);
        let start = Instant::now();
        let (mut table, reading) = counted::read(&request.source, &request.columns(), watch)?;
        watch.enter(Phase::Binding);
        let withholds = request.arguments.withhold > 0.0 || !leave.before.is_empty();
        if withholds {
            if !request.persons.is_empty() {
                return Err(withheld::beside_persons());
            }
            // Rows are taken out of what is in memory.
            table.load()?;
        }
        let count = |column: usize| Counted::new(table.column(column)?, watch);
        let mut class = request.class.map(count).transpose()?;
        let mut sensitive = request.sensitive.iter().map(|&c| count(c)).collect::<Result<Vec<Counted>>>()?;
        let mut held = Reservation::empty(watch);
        let persons = (request.persons.iter())
            .map(|&column| told_apart(table.column_mut(column)?, watch, &mut held))
            .collect::<Result<_>>()?;
        let most = withheld::most(request, table.rows);
        let leave_out = leave.unknown && most > 0;
        let mut originals = Vec::new();
        for masked in request.masked.iter().filter(|_| leave_out) {
            let codes = &table.column(masked.column)?.codes;
            held.grow(codes.held())?;
            originals.push(codes.clone());
        }
        let bound = bind(request, &mut table, leave_out, watch)?;
        let mut withheld = Withheld::default();
        if leave_out {
            withheld = take_unplaced(request, &mut table, &originals, &mut class, &mut sensitive)?;
        }
        drop(originals);
        let named = bound.iter().filter(|_| withholds).map(|b| withheld::texts(&b.hierarchy, &b.labels));
        let texts: Vec<Vec<Option<String>>> = named.collect();
        let before = withheld::before(request, &table, &texts, leave.before, &mut held)?;
        let withhold = (request.arguments.withhold > 0.0 || !before.is_empty())
            .then_some(Withhold { most: (most - withheld.rows) as u64, before });
        let (hierarchies, labels) =
            (bound.into_iter()).map(|Bound { hierarchy, labels, held }| (hierarchy, (labels, held))).unzip();
        let scan = start.elapsed().as_secs_f64();
        Ok(Input {
            table,
            reading,
            class,
            sensitive,
            persons,
            hierarchies,
            labels,
            withhold,
            withheld,
            texts,
            held,
            scan,
        })
    }

    /// What the engine is given.
    fn problem(
        &self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        models: Vec<Box<dyn PrivacyModel>>,
    ) -> Result<Problem<'_>> {
        let attribute = |(masked, hierarchy): (&Masked, Hierarchy)| {
            let weight = masked.by.demands().weight.unwrap_or(1.0);
            Ok(Attribute { codes: &self.table.column(masked.column)?.codes, hierarchy, weight })
        };
        Ok(Problem {
            records: self.table.records,
            weights: self.table.weights(),
            attributes: request.masked.iter().zip(hierarchies).map(attribute).collect::<Result<_>>()?,
            sensitive: (self.sensitive.iter())
                .map(|s| topdown::Sensitive { codes: &s.codes, cardinality: s.cardinality })
                .collect(),
            persons: (self.persons.iter())
                .map(|(codes, cardinality)| Person { codes, cardinality: *cardinality })
                .collect(),
            class: self.class.as_ref().map(|c| Class { codes: &c.codes, cardinality: c.cardinality }),
            models,
            score: request.arguments.score.engine(),
            split: request.arguments.split.engine(),
            withhold: self.withhold.clone(),
            max_steps: request.arguments.max_steps.map(|steps| steps as usize),
        })
    }

    /// Each masked column as a search has left it; the labels are taken.
    fn generalized(
        &mut self,
        request: &Request,
        hierarchies: Vec<Hierarchy>,
        cuts: Vec<Cut>,
    ) -> Result<Vec<Generalized<'w>>> {
        let codes: usize = hierarchies.iter().map(Hierarchy::codes).sum();
        self.held.grow_by::<Extent>(codes)?;
        let labels = std::mem::take(&mut self.labels);
        let columns = (request.masked.iter().zip(labels)).zip(hierarchies.into_iter().zip(cuts));
        Ok(columns
            .map(|((masked, (labels, held)), (hierarchy, cut))| Generalized {
                column: masked.column,
                cut: cut.nodes().map(Extent::Node).collect(),
                released: (0..hierarchy.codes() as Code)
                    .map(|code| Extent::Node(cut.released(code)))
                    .collect(),
                bound: Bound { hierarchy, labels, held },
            })
            .collect())
    }
}

/// Reads the source, and searches or performs an earlier search again; what is to be left out whatever that withholds
/// is told.
pub fn run<'w>(request: &'w Request, how: &How, leave: Leave, watch: &'w Watch) -> Result<Found<'w>> {
    let mut input = Input::read(request, leave, watch)?;
    watch.enter(if matches!(how, How::Again(_) | How::Why(_)) { Phase::Replaying } else { Phase::Searching });
    if request.arguments.recoding == Recoding::Local {
        return local::run(request, how, input, watch);
    }
    let hierarchies = std::mem::take(&mut input.hierarchies);
    let start = Instant::now();
    let laid = match how {
        How::Again(trace) | How::Why(trace) => {
            let columns: Vec<(&Hierarchy, &Labels)> =
                hierarchies.iter().zip(&input.labels).map(|(h, (labels, _))| (h, labels)).collect();
            Some(replay::lay(request, trace, &columns)?)
        }
        _ => None,
    };
    let mut held = Reservation::empty(watch);
    let mut explained = Vec::new();
    let (outcome, again) = {
        let models = &request.arguments.privacy;
        let named = sensitive_columns(request, &input, matches!(how, How::First));
        let engine_models = engine_models(request, models, &named, &mut held)?;
        let problem = input.problem(request, hierarchies, engine_models)?;
        let in_terms = |error| match error {
            topdown::Error::TooManyWithheld { rows, most } => input.withheld.too_many(rows, most),
            error => explain(request, models, input.table.rows, &named, error),
        };
        match &laid {
            None => (topdown::search(problem, &mut held).map_err(in_terms)?, None),
            Some(laid) => {
                let replayed = if matches!(how, How::Why(_)) {
                    let why = topdown::explain(problem, &laid.recorded, &mut held).map_err(in_terms)?;
                    explained = why.nodes.into_iter().map(|node| (node, None)).collect();
                    why.replayed
                } else {
                    topdown::replay(problem, &laid.recorded, &mut held).map_err(in_terms)?
                };
                let ends = (0..request.masked.len()).map(|attribute| laid.ends(attribute, &replayed));
                let ends: Vec<_> = ends.collect();
                let left_out = laid.left_out(&replayed);
                (replayed.outcome, Some((ends, left_out)))
            }
        }
    };
    let left_out = again.map(|(ends, left_out)| {
        for ((labels, _), ends) in input.labels.iter_mut().zip(ends) {
            if let Labels::Intervals(intervals) = labels {
                intervals.given = ends;
            }
        }
        left_out
    });
    let Input { table, class, sensitive, withheld, texts, .. } = &mut input;
    withheld::take_out(request, table, &outcome.withheld, texts, (class, sensitive), withheld)?;
    let columns = input.generalized(request, outcome.hierarchies, outcome.cuts)?;
    let search = start.elapsed().as_secs_f64();
    let Input { table, reading, sensitive, persons, withheld, held: bound, scan, .. } = input;
    held.absorb(bound);
    Ok(Found {
        table,
        reading,
        columns,
        sensitive,
        persons,
        clusters: None,
        steps: outcome.steps,
        groups: Vec::new(),
        redundant: outcome.redundant,
        withheld,
        left_out,
        explained,
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
    let is_local = arguments.recoding == Recoding::Local;
    let how = Binding { suppressed, is_local, endpoints, leave_out, watch };
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
fn sensitive_columns<'a>(request: &'a Request, input: &'a Input, all_there: bool) -> Vec<Sensitive<'a>> {
    let columns = request.sensitive.iter().zip(&input.sensitive).enumerate();
    let weights = input.table.weights();
    columns
        .map(|(place, (&column, counted))| Sensitive {
            name: &request.source.columns[column].name,
            place,
            counted,
            weights,
            all_there,
        })
        .collect()
}

/// The sensitive column of a model.
fn sensitive_of<'s, 'a>(model: &privacy_model, columns: &'s [Sensitive<'a>]) -> Option<&'s Sensitive<'a>> {
    model.sensitive().and_then(|name| columns.iter().find(|column| column.name == name))
}

/// Models over the places of the masked and the sensitive columns of a request.
fn engine_models(
    request: &Request,
    models: &[privacy_model],
    sensitive: &[Sensitive],
    memory: &mut Reservation,
) -> Result<Vec<Box<dyn PrivacyModel>>> {
    let engine_model = |model: &privacy_model| {
        let attributes = (model.attributes().iter())
            .map(|name| request.attribute(name).ok_or_else(|| SqlError::internal("an unmasked attribute")))
            .collect::<Result<Vec<usize>>>()?;
        let person = model.person().and_then(|name| request.source.column(name).ok());
        let person = person.and_then(|column| request.persons.binary_search(&column).ok());
        model.engine(Columns { attributes, sensitive: sensitive_of(model, sensitive), person }, memory)
    };
    models.iter().inspect(|_| poll()).map(engine_model).collect()
}

/// An engine's error in the terms of the request.
fn explain(
    request: &Request,
    models: &[privacy_model],
    rows: usize,
    sensitive: &[Sensitive],
    error: topdown::Error,
) -> SqlError {
    let topdown::Error::Unsatisfiable { model, requirement, achieved } = error else { return error.into() };
    let model = &models[model];
    let source = &request.source.name;
    let whole = format!("with every masked column at its most general value \"{source}\" ({rows} rows)");
    let shortfall = model.shortfall(requirement, sensitive_of(model, sensitive), &whole, achieved);
    let bounded = request.masked.iter().any(|masked| masked.by.demands().coarsest > Some(0));
    let coarser =
        if bounded { " Or let columns be less specific: coarsest() keeps them from it." } else { "" };
    SqlError::state("a privacy model does not hold even for the most general table")
        .detail(format!("{} {shortfall}", model.shown()))
        .hint(format!("{}{coarser}", model.way_out(achieved)))
}
