//! What every verb that makes a version does. It checks the call and locks the release, writes what was found,
//! recounts the models, and only then makes the version current.

use super::{changes, floor, regrouped, warnings, weaker};
use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{self, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::{self, Operation};
use crate::postgres::sql::{self, Snapshot};
use crate::postgres::subtransaction::attempt_with_files;
use crate::read::excluded::WithheldBefore;
use crate::read::source::Source;
use crate::release::measure::changes::VersionChanges;
use crate::release::measure::few_rows;
use crate::release::measure::kept::KeptSummary;
use crate::release::measure::query_error;
use crate::release::measure::verify::{self, Verdict};
use crate::release::store::columns::{self, Filled, Output};
use crate::release::store::content::{self, Content};
use crate::release::store::destination::{self, Destination};
use crate::release::store::held;
use crate::release::store::kept::{self, KeptColumns};
use crate::release::store::manifest::{self, ExistingRelease};
use crate::release::store::means::{self, Means};
use crate::release::store::nodes::Nodes;
use crate::release::store::parameters::{HeldSummary, Parameters};
use crate::release::store::tables::MANIFEST;
use crate::release::store::{comments, create, publish, retire, withheld, write};
use crate::release::trace::load;
use crate::release::trace::Version;
use crate::search::queries::Queries;
use crate::search::regrouped::or_warn;
use crate::search::{self, cluster, Exclusions, SearchMode, SearchResult};
use crate::terms::asked::Ask;
use crate::terms::labels::CHANGED_BY_HAND;
use crate::terms::request::{Call, Request};
use crate::terms::words::Changes;
use pgrx::pg_sys::Oid;
use serde_json::json;
use std::cell::Cell;
use std::time::Instant;

/// What is batched is searched for once: a new search may show rows finer, and other rows together.
pub fn must_not_be_batched(prepared: &Prepared) -> Result<()> {
    let Some(existing) = &prepared.destination.existing else { return Ok(()) };
    let is_batched = existing.parameters()?.arguments.changes == Changes::Batched;
    if !is_batched || prepared.request.arguments.changes == Changes::Any {
        return Ok(());
    }
    let release = &prepared.destination.release;
    Err(SqlError::unsupported(format!("release \"{release}\" takes changes in batches, and is not searched for afresh"))
        .detail("A new search may show its rows finer, or in other groups.")
        .hint("Refresh it by replay; or say changes => 'any' and allow_weaker => true; or make a release of another name."))
}

/// Makes the next version of a release by a top-down search, and says what it is.
pub fn anonymize(release: &str, call: Call) -> Result<serde_json::Value> {
    make(release, &|_| Ok(call.clone()), |prepared| {
        let how =
            if prepared.destination.existing.is_some() { SearchMode::Further } else { SearchMode::First };
        must_not_be_batched(prepared)?;
        search::run(&prepared.request, &how, prepared.exclusions_and_previous(false))
    })
}

/// Makes the next version of a release by greedy k-member clustering.
pub fn cluster(release: &str, call: Call, k: u32) -> Result<serde_json::Value> {
    make(release, &|_| Ok(call.clone()), |prepared| {
        must_not_be_batched(prepared)?;
        cluster::run(&prepared.request, prepared.exclusions_and_previous(false), k)
    })
}

/// Makes the next version of a release of what is found for a call, which may depend on the release as it is.
pub fn make(
    release: &str,
    call: &dyn Fn(Option<&ExistingRelease>) -> Result<Call>,
    find: impl Fn(&Prepared) -> Result<SearchResult>,
) -> Result<serde_json::Value> {
    make_unless(release, call, &find, &|_, _| false, &|_, _| Ok(()))
}

/// The same, but for what would be the current version once more; `tell` says more of what is published. Every version but the
/// first is compared with the one before: what both tell of rows that came and left is said.
pub fn make_unless(
    release: &str,
    call: &dyn Fn(Option<&ExistingRelease>) -> Result<Call>,
    find: &dyn Fn(&Prepared) -> Result<SearchResult>,
    is_unchanged: &dyn Fn(&Prepared, &SearchResult) -> bool,
    tell: &dyn Fn(&Prepared, &SearchResult) -> Result<()>,
) -> Result<serde_json::Value> {
    let _operation = Operation::writing()?;
    let prepared = &prepare(release, call)?;
    let mut found = found(prepared, find)?;
    warnings::of_rows_that_wait(release, &found);
    if let Some(existing) = prepared.destination.existing.as_ref().filter(|_| is_unchanged(prepared, &found))
    {
        publish::unchanged(existing)?;
        let mut outcome = json!({
            "release": release,
            "relation": sql::qualified(release, &existing.view),
            "version": existing.version,
            "rows": found.table.rows,
            "unchanged": true,
        });
        tell_held(&mut outcome, existing.parameters()?.held.as_ref());
        return Ok(outcome);
    }
    activity::enter(Phase::Writing);
    let Prepared { request, destination, layout, weaker, .. } = prepared;
    let before = destination.existing.as_ref().map(|existing| existing.parameters()).transpose()?;
    let same = before.is_some_and(|before| before.arguments == request.arguments);
    let nodes = content::nodes(request, &found)?;
    let has_means = !request.arguments.means.is_empty() || kept::needs_classes(request);
    let classes = match has_means {
        true => means::classes(request, &found, &nodes)?,
        false => means::no_classes(),
    };
    let kept_columns = KeptColumns::of(request, &found, &classes)?;
    warnings::of_identifiers(release, request, &found, &kept_columns)?;
    tell_of_batches(release, destination, before, request.arguments.changes);
    if !(same && prepared.from_manifest) {
        warnings::of_what_was_asked(request, &found)?;
        few_rows::say(request, &found, |_| true, |share| format!("withhold => {share}"))?;
    }
    regrouped::say(destination, request, &mut found);
    let tell_error = request.arguments.tell_error;
    let queries = tell_error.then(|| Queries::of_found(request, &found, &Ask::TOLD)).transpose()?;
    let kept = KeptSummary::of(request, &found, &kept_columns)?;
    kept.say(release)?;
    let means = Means::of(request, &found, classes)?;
    warnings::of_means(&means, &kept_columns, &found)?;
    let shown = (nodes, &means, &kept_columns);
    let mut content = Content::new(request, &found, shown, destination, &layout.columns)?;
    warnings::of_joined_counts(&content.counts, request.any());
    warnings::of_means_together(destination.existing.as_ref(), request, &content.counts)?;
    content.parameters.weaker = weaker.clone();
    if let (Some(left_out), Some(before)) = (&found.left_out, before) {
        // What is batched goes on from its own steps, so that no version is finer than the one before.
        if request.arguments.changes == Changes::Any {
            content.parameters.trace = before.trace;
        }
        content.parameters.steps_dropped = left_out.steps as i32;
    }
    let what_changes = VersionChanges::of(destination, request, &found, &layout.columns, &content.nodes)?;
    let lost = match what_changes.coarser.is_empty() {
        true => None,
        false => prepared.certainty_loss_before()?.zip(Some(found.certainty_loss(request)?)),
    };
    what_changes.warn(release, same, lost);
    if same && prepared.from_manifest {
        let is_coarser = |name: &str| what_changes.coarser.iter().any(|coarser| coarser == name);
        few_rows::say(request, &found, is_coarser, |share| few_rows::alter(release, share))?;
    }
    warnings::of_rows_without_place(release, &found);
    let outcome =
        publish_version(destination, layout, &mut content, (&what_changes, &kept), queries.as_ref())?;
    tell(prepared, &found)?;
    if let Some(before) = &destination.existing {
        let made = (&found, Filled { columns: &layout.columns, fills: &content.fills });
        regrouped::say_of_clusters(destination, before, request, made)?;
        changes::say(release, before, request, made)?;
    }
    Ok(outcome)
}

/// Runs `find`. If memory runs out while the version before is kept for comparison, runs it again without.
fn found(prepared: &Prepared, find: &dyn Fn(&Prepared) -> Result<SearchResult>) -> Result<SearchResult> {
    if prepared.destination.existing.is_none() {
        return find(prepared);
    }
    match attempt_with_files(|| find(prepared)) {
        Err(fault) if fault.is_of_memory() && prepared.comparison.get() == Comparison::Begun => {
            prepared.comparison.set(Comparison::GivenUp);
            or_warn::<()>(Err(fault));
            find(prepared)
        }
        found => found,
    }
}

/// Whether groups are compared with those of the version before.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Comparison {
    NotAsked,
    Begun,
    /// There is no memory for it.
    GivenUp,
}

/// A call that may go on: its request is in order, its release is locked or its own.
pub struct Prepared {
    pub request: Request,
    pub destination: Destination,
    layout: Layout,
    /// What protects less than in the current version.
    weaker: Vec<String>,
    /// What earlier versions withheld.
    withheld: WithheldBefore,
    comparison: Cell<Comparison>,
    /// Whether the call was made of the manifest (refresh, alter): whoever may refresh may make it.
    from_manifest: bool,
    /// Everything on an existing release, reading the source included, is done with its owner's
    /// rights: it may hold nothing that its owner could not have put there.
    _owner: Option<Operation>,
    /// A snapshot taken after the lock: what the last version withheld, and its steps, are read under it.
    _now: Snapshot,
}

impl Prepared {
    /// As `exclusions`, for a verb that makes new groups: also loads the version before, to intersect its
    /// groups with the new ones.
    pub fn exclusions_and_previous(&self, unknown: bool) -> Exclusions<'_> {
        let mut exclusions = self.exclusions(unknown);
        let existing = self.destination.existing.as_ref();
        if let Some(existing) = existing.filter(|_| self.comparison.get() != Comparison::GivenUp) {
            self.comparison.set(Comparison::Begun);
            exclusions.previous = load::previous(existing, &self.request.source);
        }
        exclusions
    }

    /// What the current version loses, the mean over its rows and masked columns; none of the first version.
    pub fn certainty_loss_before(&self) -> Result<Option<f64>> {
        let of_version = |existing: &ExistingRelease| {
            let (private, number, parameters) = (existing.private, existing.version, existing.parameters()?);
            Version { private, number, parameters }.certainty_loss()
        };
        self.destination.existing.as_ref().map(of_version).transpose()
    }

    /// What is to be left out; rows without a place, too, if `unknown` are.
    pub fn exclusions(&self, unknown: bool) -> Exclusions<'_> {
        let hash_key = Some(self.destination.hash_key);
        Exclusions { before: Some(&self.withheld), unknown, hash_key, ..Exclusions::default() }
    }
}

/// The columns of a version's table.
pub struct Layout {
    pub columns: Vec<Output>,
    /// How many of the last are new to the table of all versions.
    pub more: usize,
}

/// What comes before anything is read: names, lock, arguments, and whether the columns may be.
pub fn prepare(release: &str, call: &dyn Fn(Option<&ExistingRelease>) -> Result<Call>) -> Result<Prepared> {
    destination::check_name(release)?;
    let caller = operation::acting();
    let mut lost_race: Option<SqlError> = None;
    loop {
        let existing = manifest::existing(release, Mode::Change)?;
        // The statement's own snapshot is from before the release was waited for.
        let _now = Snapshot::fresh();
        let _owner = existing.as_ref().map(|existing| Operation::as_role(existing.owner_oid));
        let redact = |fault| match &existing {
            Some(existing) if existing.owner_oid != caller => {
                destination::redact_for_owner(release, existing, fault)
            }
            _ => fault,
        };
        let call = call(existing.as_ref()).map_err(redact)?;
        let Call { view, allow_weaker, from_manifest, moved, .. } = call.clone();
        let mut request = Request::new(call).map_err(redact)?;
        floor::keep(release, &mut request, existing.is_some())?;
        let destination = destination::destination(release, &request, existing, view.as_deref(), moved)?;
        let planned = columns::plan(&request)?;
        let mut weaker = Vec::new();
        let layout = if let Some(existing) = &destination.existing {
            destination::compare(existing, &planned, release)?;
            if existing.owner_oid != caller && !from_manifest {
                warnings::of_another_owner(release, existing);
            }
            weaker = weaker::than(existing, &request)?;
            weaker::refuse(release, &weaker, allow_weaker)?;
            layout(&destination, planned)?
        } else if let Some(error) = lost_race {
            // The schema exists, but the snapshot of this transaction does not see it.
            return Err(SqlError::serialization(format!("schema \"{release}\" was made by somebody else"))
                .detail(error.message())
                .hint("Call again in a new transaction."));
        } else if let Err(error) = create::schemas(release)? {
            // Somebody has just made it: it is an existing release, or something else.
            lost_race = Some(error);
            continue;
        } else {
            Layout { columns: planned, more: 0 }
        };
        let withheld = match &destination.existing {
            Some(existing) => withheld::of(existing, &request.source)?,
            None => WithheldBefore::default(),
        };
        return Ok(Prepared {
            request,
            destination,
            layout,
            weaker,
            withheld,
            comparison: Cell::new(Comparison::NotAsked),
            from_manifest,
            _owner,
            _now,
        });
    }
}

/// The columns of the next version's table of an existing release.
pub fn layout(destination: &Destination, planned: Vec<Output>) -> Result<Layout> {
    let versions = Source::named(&destination.versions())?;
    let (columns, more) = columns::fit(planned, &versions)?;
    let is_there = |new: &&Output| versions.columns.iter().any(|column| column.name == new.name);
    let others = columns[columns.len() - more..].iter().filter(is_there);
    let others: Vec<String> = others.map(|column| format!("{} was of another type", column.name)).collect();
    if others.is_empty() {
        return Ok(Layout { columns, more });
    }
    // The view, which would tell, is gone.
    Err(destination::other_columns(&destination.release, &others))
}

/// Writes a version, recounts its models, and only then makes it the current one.
pub fn publish_version(
    destination: &Destination,
    layout: &Layout,
    content: &mut Content,
    (changes, kept): (&VersionChanges, &KeptSummary),
    queries: Option<&Queries>,
) -> Result<serde_json::Value> {
    let start = Instant::now();
    create::tables(destination, &layout.columns)?;
    write::rows(destination, &layout.columns, content)?;
    let columns = match create::attach(destination, &layout.columns, layout.more)? {
        true => &layout.columns[..],
        false => {
            content.parameters.row = None;
            &layout.columns[..layout.columns.len() - layout.more]
        }
    };
    write::statistics(destination, columns)?;
    let materialize = start.elapsed().as_secs_f64();

    activity::enter(Phase::Recounting);
    let start = Instant::now();
    // What a population is matched by is in the trees and steps.
    publish::tables(destination, content)?;
    let (verdicts, others) = {
        let _written = Snapshot::fresh();
        let table = Source::named(&destination.version_table())?;
        let parameters = &content.parameters;
        let version = Version { private: private(destination)?, number: destination.version, parameters };
        let verdicts = verify::recount(&table, Some(&table), Some(&version), parameters)?;
        let nodes = |name: &str| {
            let nodes = content.nodes.iter().find(|nodes| nodes.attribute == name);
            nodes.map(Nodes::cut_as_shown).ok_or_else(|| SqlError::internal("means of an unmasked column"))
        };
        let mut others = verify::recount_means(&table, parameters, nodes)?;
        others.extend(verify::recount_kept(&table, parameters)?);
        verify::check_cut(&table, &version)?;
        verify::check_counts(&table, &version)?;
        (verdicts, others)
    };
    if let Some(broken) = verdicts.iter().chain(&others).find(|v| !v.holds) {
        let (model, required) = (broken.model.shown(), broken.required);
        if broken.model.population().is_some() {
            let detail = format!("{model} asks for {required}, recounted are {}.", broken.shown());
            // A rewind has read the release alone.
            let fault = match content.parameters.scan {
                Some(_) => SqlError::serialization("a population was changed while the release was made")
                    .hint("Call again."),
                None => SqlError::state("the population has changed since the release was made")
                    .hint("release_refresh() makes a version of the source and the population as they are."),
            };
            return Err(fault.detail(detail));
        }
        let what = "the release does not keep its models and is not published";
        let fault = match content.parameters.scan {
            Some(_) => SqlError::internal(what),
            // Joining groups breaks no model that holds.
            None => SqlError::state(what).hint(CHANGED_BY_HAND),
        };
        return Err(fault.detail(format!("{model} asks for {required}, recounted are {}.", broken.shown())));
    }
    let verify = start.elapsed().as_secs_f64();

    activity::enter(Phase::Publishing);
    let privacy: Vec<serde_json::Value> = verdicts.iter().map(Verdict::to_json).collect();
    match content.held {
        Some(held) => content.parameters.held = Some(held::remember(destination, held)?),
        None if content.parameters.held.is_none() => held::forget_all(destination)?,
        // What is rewound holds the same rows.
        None => {}
    }
    warn_of_one_unseen(destination)?;
    content.parameters.query_error =
        queries.map(|queries| told_error(queries, destination, content)).transpose()?;
    publish::manifest(destination, content, &privacy)?;
    let made = publish::views(destination, columns, content.parameters.arguments.counts)?;
    changes.remember(destination)?;
    comments::write(destination, &content.parameters, &made)?;
    retire::old_versions(destination)?;
    let mut outcome = json!({
        "release": destination.release,
        "relation": sql::qualified(&destination.release, &destination.view),
        "version": destination.version,
        "rows": content.rows,
        "withheld": content.parameters.withheld,
        "steps": content.steps.count(),
        "privacy": privacy,
        "seconds": {
            "scan": content.scan,
            "search": content.search,
            "materialize": materialize,
            "verify": verify,
        },
    });
    kept.tell(&mut outcome);
    if content.parameters.withheld > 0 {
        outcome["withheld_by_class"] = json!(content.parameters.withheld_by_class);
    }
    tell_held(&mut outcome, content.parameters.held.as_ref());
    if destination.existing.is_some() {
        outcome["coarser"] = json!(changes.coarser);
        outcome["new_values"] = json!(changes.new_values.iter().map(|(name, _)| name).collect::<Vec<_>>());
    }
    Ok(outcome)
}

/// The first version that is batched is compared with one that was not, and the first that is none with one that was.
fn tell_of_batches(release: &str, destination: &Destination, before: Option<&Parameters>, now: Changes) {
    let Some(before) = before else { return };
    let what = match (before.arguments.changes, now) {
        (Changes::Any, Changes::Batched) => "takes changes in batches from the version after this one on",
        (Changes::Batched, Changes::Any) => "takes changes in batches no more",
        _ => return,
    };
    let shown = if before.row.is_some() { ": release_changes() shows it" } else { "" };
    error::tell(
        format!("release \"{release}\" {what}"),
        format!(
            "What versions {} and {} tell together is not bounded{shown}.",
            destination.version - 1,
            destination.version
        ),
    );
}

/// Readers compare a version with the last one that they saw: none of this transaction.
fn warn_of_one_unseen(destination: &Destination) -> Result<()> {
    let Some(existing) = &destination.existing else { return Ok(()) };
    let (before, now) = (existing.version, destination.version);
    let manifest = destination.object(MANIFEST.name);
    let of_now =
        format!("SELECT m.created_at = pg_catalog.now() FROM ONLY {manifest} m WHERE m.version = $1");
    if sql::value::<bool>(of_now, &[before.into()])? == Some(true) {
        let release = &destination.release;
        error::warn_with_hint(
            format!("release \"{release}\": versions {before} and {now} were made in one transaction"),
            format!("Readers never see version {before}: they compare version {now} with an earlier one. What these tell together is not bounded."),
            "Commit after each version. release_changes(..., from_version => ..., by => 'shown') measures any two.",
        );
    }
    Ok(())
}

/// What is held back of rows that came or left, where changes are batched.
fn tell_held(outcome: &mut serde_json::Value, held: Option<&HeldSummary>) {
    let Some(HeldSummary { waiting, lingering, oldest_waiting, oldest_lingering }) = held else { return };
    outcome["waiting"] = json!(waiting);
    outcome["lingering"] = json!(lingering);
    outcome["oldest_waiting"] = json!(oldest_waiting);
    outcome["oldest_lingering"] = json!(oldest_lingering);
}

/// The private schema of a release, which is there by now.
fn private(destination: &Destination) -> Result<Oid> {
    let of_name = "SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1";
    let private = sql::value(of_name, &[destination.private().into()])?;
    private.ok_or_else(|| SqlError::internal("a release without a private schema"))
}

/// How far off the answers are of a version that is written, but for its row of the manifest.
fn told_error(queries: &Queries, destination: &Destination, content: &Content) -> Result<serde_json::Value> {
    let private = private(destination)?;
    let _written = Snapshot::fresh();
    let table = Source::named(&destination.version_table())?;
    let version = Version { private, number: destination.version, parameters: &content.parameters };
    let (errors, _) = query_error::errors(queries, &version, &table)?;
    Ok(query_error::told(&errors))
}
