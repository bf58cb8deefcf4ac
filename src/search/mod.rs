//! From a checked request to an outcome: the source is read, its columns are bound to hierarchies and its
//! models to codes, and the engine searches, performs an earlier search again ([`trace`]), or clusters
//! ([`cluster::run`]).
//!
//! taxonomy_build, which makes a hierarchy and no release, is here too ([`numeric`]), privacy_keys and
//! privacy_columns, which only count ([`keys`], [`columns`]), and tds_tradeoff and release_suggest, which search often
//! ([`tradeoff`], [`suggest`]).

mod assigned;
mod batch;
pub mod cluster;
pub mod columns;
mod generalized;
mod input;
pub mod keys;
pub mod numeric;
mod penalty;
pub mod queries;
pub mod regrouped;
pub mod result;
mod rows;
mod seen;
pub mod suggest;
pub mod trace;
pub mod tradeoff;
pub mod tried;
pub mod withheld;

pub use batch::room_of_groups;
use result::RefinedGroup;
pub use result::{SearchResult, StepRow};
pub use rows::{Assigned, Batch, Exclusions, GroupsOfBefore, Previous, Published};
pub use trace::Trace;
pub use withheld::Held;

use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::poll;
use crate::postgres::subtransaction::attempt;
use crate::postgres::text::counted;
use crate::read::order::Counted;
use crate::read::table::Table;
use crate::terms::labels::{Ends, Labels};
use crate::terms::privacy_model::sensitive::Sensitive;
use crate::terms::privacy_model::{privacy_model, Columns};
use crate::terms::request::Request;
use crate::terms::words::Changes;
use hashbrown::HashMap;
use input::Input;
use rows::{Rows, WithoutPlace};
use std::time::Instant;
use topdown::privacy::PrivacyModel;
use topdown::refine::{Hierarchy, NodeId};
use topdown::table::Store;
use topdown::{Explained, Outcome};
use trace::{LeftOut, TraceTree};

/// How a release's next version is found.
#[derive(Debug)]
pub enum SearchMode<'t> {
    /// By a search for a first version, in which a sensitive value that the source does not hold is an error.
    First,
    /// By a search for a further one: a sensitive value may have become rare.
    Further,
    /// By performing the steps of an earlier search again.
    Replay(&'t Trace),
    /// The same, and why the search went no further is told.
    Explain(&'t Trace),
    /// By assigning rows to the clusters of the version before, which go with the rows: places in these trees.
    Assign(&'t [TraceTree]),
}

/// Reads the source, then searches or replays. `exclusions` names the rows that are left out before the search
/// withholds any.
pub fn run(request: &Request, how: &SearchMode, exclusions: Exclusions) -> Result<SearchResult> {
    let start = Instant::now();
    let rows = read(request, exclusions)?;
    let comparing = start.elapsed().as_secs_f64() - rows.scan;
    let input = Input::new(request, rows)?;
    activity::enter(match how {
        SearchMode::First | SearchMode::Further => Phase::Searching,
        SearchMode::Replay(_) | SearchMode::Explain(_) | SearchMode::Assign(_) => Phase::Replaying,
    });
    let start = Instant::now();
    let input = input.withhold(request, &request.arguments.privacy, how)?;
    let mut found = run_bound(request, how, input)?;
    regrouped::find_coarser(request, &mut found)?;
    Ok(SearchResult { search: comparing + start.elapsed().as_secs_f64(), ..found })
}

/// Reads the source without the rows that earlier versions withheld. If asked for, also computes what each
/// remaining row was released as in the version before.
fn read(request: &Request, exclusions: Exclusions) -> Result<Rows> {
    let mut rows = Rows::read(request, &exclusions)?;
    if let Some(batch) = &exclusions.batch {
        rows.withheld.held = batch::hold(batch, request, &mut rows)?;
    }
    if let Some(previous) = &exclusions.previous {
        let released = |leave_out| {
            let copy = Rows { left: None, without_place: WithoutPlace::Refused, ..rows.copy()? };
            attempt(|| regrouped::released_before(previous, request, copy, leave_out))
        };
        let before = match released(false) {
            Err(fault) if !fault.is_of_resources() => released(true),
            before => before,
        };
        rows.table.before = regrouped::or_warn(before).unwrap_or_default();
    }
    rows.table.retain(&request.columns());
    rows.join(request, exclusions.hash_key)?;
    Ok(rows)
}

/// Searches what is bound, or performs an earlier search again on it; nothing is withheld by that.
fn run_bound(request: &Request, how: &SearchMode, mut input: Input) -> Result<SearchResult> {
    let start = Instant::now();
    let hierarchies = std::mem::take(&mut input.hierarchies);
    let Performed { mut outcome, ends, left_out, mut explained } =
        run_engine(request, &request.arguments.privacy, how, &input, hierarchies, None)?;
    for shortfall in explained.iter_mut().filter_map(|explained| explained.reason.shortfall()) {
        shortfall.left = input.left.filter(|_| request.arguments.withhold > 0.0).map(|left| left as u64);
    }
    for (labels, ends) in input.labels.iter_mut().zip(ends) {
        if let Labels::Intervals(intervals) = labels {
            intervals.given = ends;
        }
    }
    let groups = match &outcome.regions {
        Some(regions) => RefinedGroup::refined(regions, &outcome.steps)?,
        None => Vec::new(),
    };
    let (steps, redundant) = (std::mem::take(&mut outcome.steps), std::mem::take(&mut outcome.redundant));
    let (columns, clusters) = input.generalized(request, outcome)?;
    if matches!(how, SearchMode::Assign(_)) {
        // Nothing is compared with what it was made of.
        input.table.before.clear();
    }
    let search = start.elapsed().as_secs_f64();
    let Input { table, reading, sensitive, persons, originals, as_read, withheld, scan, .. } = input;
    Ok(SearchResult {
        table,
        reading,
        columns,
        sensitive,
        persons,
        originals,
        as_read,
        clusters,
        steps,
        groups,
        redundant,
        withheld,
        left_out,
        explained,
        scan,
        search,
    })
}

/// What a search comes to, or an earlier one that is performed again.
struct Performed {
    outcome: Outcome,
    /// The ends of each column's intervals that were given, and what was left out of what is performed again.
    ends: Vec<HashMap<NodeId, Ends>>,
    left_out: Option<LeftOut>,
    explained: Vec<Explained>,
}

/// Searches or replays; the engine may withhold up to `withhold` rows.
fn run_engine(
    request: &Request,
    models: &[privacy_model],
    how: &SearchMode,
    input: &Input,
    mut hierarchies: Vec<Hierarchy>,
    withhold: Option<u64>,
) -> Result<Performed> {
    if let SearchMode::Assign(trees) = how {
        return assigned::outcome(request, trees, input, hierarchies);
    }
    let bound = match how {
        SearchMode::Replay(trace) | SearchMode::Explain(trace) => {
            for (a, (hierarchy, labels)) in hierarchies.iter_mut().zip(&input.labels).enumerate() {
                hierarchy.mark_unseen(trace::unheld(trace, request.name(a), hierarchy, labels)?);
            }
            let columns: Vec<(&Hierarchy, &Labels)> = hierarchies.iter().zip(&input.labels).collect();
            Some(trace::bind_trace(request, trace, &columns)?)
        }
        _ => None,
    };
    let named = sensitive_columns(request, input.counted(), &input.persons, matches!(how, SearchMode::First));
    let engine_models = engine_models(request, models, &named)?;
    let mut problem = input.problem(request, hierarchies, engine_models, withhold)?;
    if request.arguments.changes == Changes::Batched {
        problem.min_size_factor = room_of_groups(&request.arguments);
    }
    let in_terms = |error| to_sql_error(request, models, input.table.rows, &named, error);
    let Some(bound) = bound else {
        let outcome = topdown::search(problem).map_err(in_terms)?;
        return Ok(Performed { outcome, ends: Vec::new(), left_out: None, explained: Vec::new() });
    };
    let (replayed, explained) = if matches!(how, SearchMode::Explain(_)) {
        topdown::explain(problem, &bound.recorded).map_err(in_terms)?
    } else {
        (topdown::replay(problem, &bound.recorded).map_err(in_terms)?, Vec::new())
    };
    let ends = bound.ends(&replayed, request.masked.len());
    let left_out = Some(bound.left_out(&replayed));
    Ok(Performed { outcome: replayed.outcome, ends, left_out, explained })
}

/// The sensitive columns, by their places.
fn sensitive_columns<'a>(
    request: &'a Request,
    (counted, table): (&'a [Counted], &'a Table),
    persons: &'a [(Store, usize)],
    all_there: bool,
) -> Vec<Sensitive<'a>> {
    let columns = request.sensitive.iter().zip(counted).enumerate();
    let weights = table.weights();
    columns
        .map(|(place, (&column, counted))| Sensitive {
            name: &request.source.columns[column].name,
            place,
            counted,
            weights,
            persons,
            all_there,
        })
        .collect()
}

/// The sensitive column of a model.
fn sensitive_of<'s, 'a>(model: &privacy_model, columns: &'s [Sensitive<'a>]) -> Option<&'s Sensitive<'a>> {
    model.sensitive().and_then(|name| columns.iter().find(|column| column.name == name))
}

/// The models of sensitive values that are kept over a masked column, over the places of the masked and the sensitive columns of what
/// was found.
pub fn sensitive_models(request: &Request, found: &SearchResult, column: &str) -> Result<Vec<PrivacyModel>> {
    let named = sensitive_columns(request, (&found.sensitive, &found.table), &found.persons, false);
    let is_over = |model: &&privacy_model| {
        model.sensitive().is_some() && model.attributes().iter().any(|name| name == column)
    };
    let models = request.arguments.privacy.iter().inspect(|_| poll()).filter(is_over);
    models.map(|model| engine_model(request, model, &named)).collect()
}

/// Models over the places of the masked and the sensitive columns of a request.
fn engine_models(
    request: &Request,
    models: &[privacy_model],
    sensitive: &[Sensitive],
) -> Result<Vec<PrivacyModel>> {
    models.iter().inspect(|_| poll()).map(|model| engine_model(request, model, sensitive)).collect()
}

/// One model, over the places of the masked and the sensitive columns.
fn engine_model(request: &Request, model: &privacy_model, sensitive: &[Sensitive]) -> Result<PrivacyModel> {
    let attributes = (model.attributes().iter())
        .map(|name| request.attribute(name).ok_or_else(|| SqlError::internal("an unmasked attribute")))
        .collect::<Result<Vec<usize>>>()?;
    let person = model.person().and_then(|name| request.person(name));
    let population = model.population().and_then(|name| request.population(name));
    model.engine(Columns { attributes, sensitive: sensitive_of(model, sensitive), person, population })
}

/// Turns an error of the engine into an SQL error in terms of the request.
fn to_sql_error(
    request: &Request,
    models: &[privacy_model],
    rows: usize,
    sensitive: &[Sensitive],
    error: topdown::Error,
) -> SqlError {
    let topdown::Error::Unsatisfiable { model, requirement, achieved } = error else { return error.into() };
    let model = &models[model];
    let source = &request.source.name;
    let rows = counted(rows as u64, "row");
    let whole = format!("with every masked column at its most general value \"{source}\" ({rows})");
    let shortfall = model.shortfall(requirement, sensitive_of(model, sensitive), &whole, achieved);
    let bounded = request.masked.iter().any(|masked| masked.by.demands().coarsest > Some(0));
    let coarser =
        if bounded { " Or let columns be less specific: coarsest() keeps them from it." } else { "" };
    SqlError::state("a privacy model does not hold even for the most general table")
        .detail(format!("{} {shortfall}", model.shown()))
        .hint(format!("{}{coarser}", model.way_out(achieved)))
}
