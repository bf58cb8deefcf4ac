//! Making a release again: over the source as it is now, with the arguments it was made with. Whoever calls,
//! everything is done with the rights of the release's owner.

use crate::postgres::error::{number, tell, warn_with_hint, Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::sql;
use crate::read::source::Source;
use crate::release::measure::changes::{grew, shown};
use crate::release::store::destination::{self, plain};
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::{fingerprint, HeldSummary, SourceColumn};
use crate::release::store::tables::{COUNTS, SHOWN};
use crate::release::trace::{batch, load};
use crate::release::verbs::version::{make_unless, must_not_be_batched, Prepared};
use crate::search::withheld::share_without_place;
use crate::search::{self, cluster, Exclusions, GroupsOfBefore, SearchMode, SearchResult};
use crate::terms::arguments::Arguments;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Call, Request};
use crate::terms::words::{Changes, Refresh, Unknown, Verb};
use pgrx::{pg_sys, PgSqlErrorCode};
use serde_json::json;
use std::cell::Cell;
use topdown::privacy::ROUNDING;

/// How a release is refreshed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Refreshing {
    pub mode: Refresh,
    pub unknown: Unknown,
    /// A version that loses more is refused.
    pub max_loss: Option<f64>,
    /// Whether rows that left go at once, where changes are batched.
    pub erase: bool,
}

/// Makes the next version of a release over its source as it is now.
pub fn refresh(release: &str, how: Refreshing) -> Result<serde_json::Value> {
    let Refreshing { mode, max_loss, .. } = how;
    if let Some(most) = max_loss.filter(|most| !(0.0..=1.0).contains(most)) {
        return Err(SqlError::parameter(format!("max_loss must be between 0 and 1, not {}", number(most)))
            .hint("It is a certainty loss: 0 shows every value, and 1 none. release_drift() has that of each version."));
    }
    let call = |existing: Option<&ExistingRelease>| {
        as_before(existing.ok_or_else(|| SqlError::no_release(release))?)
    };
    let settled = Cell::new((mode, false));
    let find = |prepared: &Prepared| {
        let Settled { mode, searched, found } = settle(release, prepared, how)?;
        if let Some(most) = max_loss.filter(|_| !is_unchanged(prepared, &found, how)) {
            refuse_beyond(release, prepared, (&found, searched), (most, how.mode))?;
        }
        settled.set((mode, searched));
        Ok(found)
    };
    let is_unchanged = |prepared: &Prepared, found: &SearchResult| is_unchanged(prepared, found, how);
    let tell = |prepared: &Prepared, found: &SearchResult| match settled.get() {
        (_, true) => Ok(()),
        (_, false) => warn_of_growth(release, prepared, found),
    };
    let mut outcome = make_unless(release, &call, &find, &is_unchanged, &tell)?;
    let (mode, _) = settled.get();
    outcome["mode"] = json!(mode);
    Ok(outcome)
}

/// Whether the source holds the rows that the current version was made of, and all that shows that is there.
fn is_unchanged(prepared: &Prepared, found: &SearchResult, how: Refreshing) -> bool {
    let Some(existing) = &prepared.destination.existing else { return false };
    let Ok(made) = existing.parameters() else { return false };
    let now = found.table.identities.as_ref().map(|identities| identities.of_source);
    let counts = made.arguments.counts;
    let others = SHOWN.iter().map(|shown| shown.name).filter(|&name| counts || name != COUNTS);
    let mut views = [existing.view.as_str()].into_iter().chain(others);
    // What was held back may go or come by now, though the source is the same.
    let held = &found.withheld.held;
    let (waiting, lingering) = (held.waiting.len() as i64, held.lingering.len() as i64);
    let is_held = |held: &HeldSummary| (held.waiting, held.lingering) == (waiting, lingering);
    how.mode != Refresh::Search
        && now.is_some()
        && made.held.as_ref().is_none_or(is_held)
        && made.fingerprint == now
        && made.arguments == prepared.request.arguments
        && views.all(|view| sql::relation_in(existing.schema, view).is_some())
}

/// What is found in some mode.
struct Settled {
    /// Which of the two ways to find it that was.
    mode: Refresh,
    /// Whether a search can do no better: there was one, or there is no other way.
    searched: bool,
    found: SearchResult,
}

/// Finds a version in some mode.
fn settle(release: &str, prepared: &Prepared, how: Refreshing) -> Result<Settled> {
    let find = |mode| {
        find(prepared, Refreshing { mode, ..how }).map_err(|fault| match (how.unknown, fault.code()) {
            (Unknown::Withhold, PgSqlErrorCode::ERRCODE_DATA_EXCEPTION) => {
                beyond_share(release, &prepared.request.arguments, fault)
            }
            _ => fault,
        })
    };
    // Clusters have no steps, and what is batched has no other.
    let arguments = &prepared.request.arguments;
    let may_search = arguments.verb != Verb::KMember && arguments.changes == Changes::Any;
    let settled = |mode, searched| -> Result<Settled> { Ok(Settled { mode, searched, found: find(mode)? }) };
    if how.mode == Refresh::Search {
        return settled(Refresh::Search, true);
    }
    let replayed = settled(Refresh::Replay, !may_search)?;
    if how.mode == Refresh::Replay || !may_search {
        return Ok(replayed);
    }
    let before = prepared.certainty_loss_before()?.unwrap_or_default();
    let lost = replayed.found.certainty_loss(&prepared.request)?;
    if !grew(&(before, lost)) {
        return Ok(replayed);
    }
    // There is no need of two results at a time.
    drop(replayed);
    let searched = settled(Refresh::Search, true)?;
    let lost_by_search = searched.found.certainty_loss(&prepared.request)?;
    if lost_by_search > lost + ROUNDING {
        drop(searched);
        tell(
            format!("release \"{release}\" was not searched afresh: a new search would lose more than its steps"),
            format!(
                "The current version loses {}. Its steps, performed again, lose {}, and a new search would lose {}.",
                shown(before),
                shown(lost),
                shown(lost_by_search)
            ),
        );
        return settled(Refresh::Replay, true);
    }
    tell(
        format!(
            "release \"{release}\" was searched afresh: performing its steps again would lose {} where the current version loses {}",
            shown(lost),
            shown(before)
        ),
        format!(
            "The new search loses {}. mode => 'replay' performs the steps again, whatever that loses.",
            shown(lost_by_search)
        ),
    );
    Ok(searched)
}

/// By groups, rows of new values are a group that no step divides: where that costs much, and no column is coarser, a search may do
/// better.
fn warn_of_growth(release: &str, prepared: &Prepared, found: &SearchResult) -> Result<()> {
    let Request { arguments, .. } = &prepared.request;
    let is_as_specific = found.left_out.as_ref().is_some_and(|left_out| left_out.coarser.is_empty());
    if !(is_as_specific && arguments.recoding.is_by_group()) {
        return Ok(());
    }
    let before = prepared.certainty_loss_before()?.unwrap_or_default();
    let now = found.certainty_loss(&prepared.request)?;
    if grew(&(before, now)) {
        warn_with_hint(
            format!("release \"{release}\" loses {} where it lost {} before", shown(now), shown(before)),
            "Its columns are as specific as before, and more rows are in groups that are not: of new values or NULLs, for example, which no step divides further.",
            match arguments.changes {
                Changes::Any => "A new search may lose less: mode => 'search', or mode => 'auto'.",
                Changes::Batched => "A new search may lose less: release_alter(..., changes => 'any', allow_weaker => true), and then changes => 'batched' again.",
            },
        );
    }
    Ok(())
}

/// A version that loses more than it may is not made.
fn refuse_beyond(
    release: &str,
    prepared: &Prepared,
    (found, searched): (&SearchResult, bool),
    (most, mode): (f64, Refresh),
) -> Result<()> {
    let lost = found.certainty_loss(&prepared.request)?;
    if lost <= most + ROUNDING {
        return Ok(());
    }
    let before = prepared.certainty_loss_before()?.unwrap_or_default();
    Err(SqlError::state(format!("the next version of release \"{release}\" would lose more than max_loss"))
        .detail(format!(
            "It would lose {}, and max_loss is {}. The current version loses {}, and stays.",
            shown(lost),
            number(most),
            shown(before)
        ))
        .hint(match prepared.request.arguments.changes {
            Changes::Any if searched => "Allow more, or have the source mended.",
            Changes::Any if mode == Refresh::Auto => "A new search may lose less: mode => 'search'. Or allow more, or have the source mended.",
            Changes::Any => "A new search may lose less: mode => 'search', or mode => 'auto'. Or allow more, or have the source mended.",
            Changes::Batched => "Allow more, or have the source mended. Where changes are batched nothing is searched afresh.",
        }))
}

/// The call that asks for what a release was asked for before.
pub fn as_before(existing: &ExistingRelease) -> Result<Call> {
    let parameters = existing.parameters()?;
    let source = existing.open_source()?;
    same_columns(&source, &parameters.source_columns)?;
    Ok(Call {
        source: Regclass(source.oid),
        source_owner: existing.source_owner()?,
        arguments: parameters.arguments.clone(),
        from_manifest: true,
        ..Call::default()
    })
}

/// The request that a release was made by, over its source as it is now, for a caller who acts with the owner's rights: the owner
/// has to be able to read that, and a caller who is not is told of faults what may be told.
pub fn request_as_before(release: &str, existing: &ExistingRelease, caller: pg_sys::Oid) -> Result<Request> {
    let request = as_before(existing).and_then(Request::new);
    let request = request.map_err(|fault| match existing.owner_oid == caller {
        true => fault,
        false => destination::redact_for_owner(release, existing, fault),
    })?;
    destination::owner_may_read(release, existing, &request)?;
    Ok(request)
}

/// What a request finds, by the way that its release was made or by performing its steps again.
pub fn find(prepared: &Prepared, how: Refreshing) -> Result<SearchResult> {
    let request = &prepared.request;
    let withholds = how.unknown == Unknown::Withhold;
    match (how.mode, &prepared.destination.existing) {
        (Refresh::Replay, Some(existing)) if existing.is_batched(&request.arguments)? => {
            let batch = batch::of(existing, request, how.erase)?;
            let trees = match &batch.groups {
                GroupsOfBefore::Clusters(assigned) => Some(assigned.trees.clone()),
                GroupsOfBefore::BySteps(_) => None,
            };
            let exclusions = Exclusions { batch: Some(batch), ..prepared.exclusions(withholds) };
            match trees {
                Some(trees) => search::run(request, &SearchMode::Assign(&trees), exclusions),
                None => {
                    let trace = load::of(existing, existing.version)?;
                    search::run(request, &SearchMode::Replay(&trace), exclusions)
                }
            }
        }
        _ if request.arguments.verb == Verb::KMember => {
            must_not_be_batched(prepared)?;
            cluster::run(request, prepared.exclusions(withholds), k_of(&request.arguments.privacy)?)
        }
        (Refresh::Replay, Some(existing)) => {
            let trace = load::to_replay(existing)?;
            let replay = |exclusions| search::run(request, &SearchMode::Replay(&trace), exclusions);
            if load::may_regroup(existing)? {
                return replay(prepared.exclusions_and_previous(withholds));
            }
            let found = replay(prepared.exclusions(withholds))?;
            if found.left_out.as_ref().is_none_or(|left_out| !left_out.joined) {
                return Ok(found);
            }
            // By groups, rows that went with the rest may be divided as that is: to be compared. One result at a time.
            drop(found);
            replay(prepared.exclusions_and_previous(withholds))
        }
        _ => {
            must_not_be_batched(prepared)?;
            search::run(request, &SearchMode::Further, prepared.exclusions_and_previous(withholds))
        }
    }
}

/// The k of a k-member release.
pub fn k_of(models: &[privacy_model]) -> Result<u32> {
    match models {
        [privacy_model::KAnonymity(model)] if model.person.is_none() => Ok(model.k as u32),
        _ => Err(SqlError::parameter("a k-member release keeps one k_anonymity, of rows, and nothing else")),
    }
}

/// Rows that have no place would have to be left out, and more of them than may be.
fn beyond_share(release: &str, arguments: &Arguments, fault: SqlError) -> SqlError {
    let share = share_without_place(arguments);
    SqlError::state(format!("release \"{release}\" may not withhold the rows that have no place"))
        .detail(format!("{}: the share of rows that it may withhold is {}.", fault.message(), number(share)))
        .hint(match arguments.may_withhold() {
            true => format!(
                "Give the values a place in the taxonomy or the bounds, and refresh again. A share to withhold is given before such rows come, and searches spend it, too: release_alter(..., withhold => {}).",
                number(if share > 0.0 { (2.0 * share).min(0.5) } else { 0.01 })
            ),
            false => "Give the values a place in the taxonomy or the bounds, and refresh again.".into(),
        })
}

/// What was read of a source must still be there, and of the same types; what is new is not looked at.
pub fn same_columns(source: &Source, before: &[SourceColumn]) -> Result<()> {
    let all: Vec<usize> = (0..source.columns.len()).collect();
    let now = fingerprint(source, &all);
    let mut faults = Vec::new();
    for column in before {
        match now.iter().find(|c| c.name == column.name) {
            None => faults.push(format!("column \"{}\" is gone or renamed", column.name)),
            Some(other) if other != column => faults.push(format!(
                "column \"{}\" is of type {}, not {} any more",
                column.name,
                plain(&other.declaration),
                plain(&column.declaration)
            )),
            Some(_) => {}
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(other_columns(source, &faults)
        .hint("Put them back, release a view that has them, or make a release of another name."))
}

/// The error of a source whose columns are others.
pub fn other_columns(source: &Source, faults: &[String]) -> SqlError {
    let name = &source.name;
    SqlError::state(format!("the columns of \"{name}\" are not those that the release was made of"))
        .detail(format!("{}.", faults.join("; ")))
}
