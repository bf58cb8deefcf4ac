//! Making a release again: over the source as it is now, with the arguments it was made with. Whoever calls,
//! everything is done with the rights of the release's owner.

use crate::postgres::error::{number, Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::postgres::sql;
use crate::postgres::subtransaction::attempt;
use crate::read::source::Source;
use crate::release::store::destination::{self, plain};
use crate::release::store::manifest::{self, ExistingRelease};
use crate::release::store::parameters::{fingerprint, SourceColumn};
use crate::release::store::tables::{COUNTS, SHOWN};
use crate::release::trace::{batch, load};
use crate::release::verbs::changes;
use crate::release::verbs::version::{make_unless, must_not_be_batched, Prepared};
use crate::search::{self, cluster, Exclusions, SearchMode, SearchResult};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Call, Request};
use crate::terms::words::{Changes, Refresh, Unknown, Verb};
use pgrx::{pg_sys, PgSqlErrorCode};
use std::cell::Cell;

/// Makes the next version of a release over its source as it is now.
pub fn refresh(release: &str, mode: Refresh, unknown: Unknown) -> Result<serde_json::Value> {
    let call = |existing: Option<&ExistingRelease>| {
        as_before(existing.ok_or_else(|| SqlError::no_release(release))?)
    };
    let before = Cell::new(None);
    let find = |prepared: &Prepared| {
        before.set(prepared.destination.existing.as_ref().map(|existing| existing.version));
        let share = prepared.request.arguments.withhold;
        find(prepared, mode, unknown).map_err(|fault| match (unknown, fault.code()) {
            (Unknown::Withhold, PgSqlErrorCode::ERRCODE_DATA_EXCEPTION) => {
                beyond_share(release, share, fault)
            }
            _ => fault,
        })
    };
    let is_unchanged =
        |prepared: &Prepared, found: &SearchResult| mode == Refresh::Replay && is_unchanged(prepared, found);
    let outcome = make_unless(release, &call, find, is_unchanged)?;
    if let Some(before) = before.get().filter(|_| outcome["unchanged"].is_null()) {
        changes::say(release, before)?;
    }
    Ok(outcome)
}

/// Whether the source holds the rows that the current version was made of, and all that shows that is there.
fn is_unchanged(prepared: &Prepared, found: &SearchResult) -> bool {
    let Some(existing) = &prepared.destination.existing else { return false };
    let Ok(made) = existing.parameters() else { return false };
    let now = found.table.identities.as_ref().map(|identities| identities.of_source);
    let counts = made.arguments.counts;
    let others = SHOWN.iter().map(|shown| shown.name).filter(|&name| counts || name != COUNTS);
    let mut views = [existing.view.as_str()].into_iter().chain(others);
    now.is_some()
        && made.fingerprint == now
        && made.arguments == prepared.request.arguments
        && views.all(|view| sql::relation_in(existing.schema, view).is_some())
}

/// The call that asks for what a release was asked for before.
pub fn as_before(existing: &ExistingRelease) -> Result<Call> {
    let parameters = existing.parameters()?;
    let source = Source::named(&existing.source).map_err(|fault| match fault.code() {
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE => fault
            .hint("release_alter(..., source => ...) gives the release a source that was renamed or moved."),
        _ => fault,
    })?;
    same_columns(&source, &parameters.source_columns)?;
    let (source, arguments) = (Regclass(source.oid), parameters.arguments.clone());
    Ok(Call { source, arguments, from_manifest: true, ..Call::default() })
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
pub fn find(prepared: &Prepared, mode: Refresh, unknown: Unknown) -> Result<SearchResult> {
    let request = &prepared.request;
    let withholds = unknown == Unknown::Withhold;
    if request.arguments.verb == Verb::KMember {
        return cluster::run(request, prepared.exclusions(withholds), k_of(&request.arguments.privacy)?);
    }
    match (mode, &prepared.destination.existing) {
        (Refresh::Replay, Some(existing)) if is_batched(existing, request)? => {
            let trace = load::of(existing, existing.version)?;
            let batch = Some(batch::of(existing, request)?);
            let exclusions = Exclusions { batch, ..prepared.exclusions(withholds) };
            search::run(request, &SearchMode::Replay(&trace), exclusions)
        }
        (Refresh::Replay, Some(existing)) => {
            let trace = load::of(existing, existing.parameters()?.trace)?;
            let exclusions = match load::may_regroup(existing)? {
                true => prepared.exclusions_and_previous(withholds),
                false => prepared.exclusions(withholds),
            };
            search::run(request, &SearchMode::Replay(&trace), exclusions)
        }
        _ => {
            must_not_be_batched(prepared)?;
            search::run(request, &SearchMode::Further, prepared.exclusions_and_previous(withholds))
        }
    }
}

/// Whether a version goes on from one that was batched.
fn is_batched(existing: &ExistingRelease, request: &Request) -> Result<bool> {
    let before = existing.parameters()?.arguments.changes;
    Ok(before == Changes::Batched && request.arguments.changes == Changes::Batched)
}

/// The k of a k-member release.
pub fn k_of(models: &[privacy_model]) -> Result<u32> {
    match models {
        [privacy_model::KAnonymity(model)] if model.person.is_none() => Ok(model.k as u32),
        _ => Err(SqlError::parameter("a k-member release keeps one k_anonymity, of rows, and nothing else")),
    }
}

/// Rows that have no place would have to be left out, and more of them than may be.
fn beyond_share(release: &str, share: f64, fault: SqlError) -> SqlError {
    SqlError::state(format!("release \"{release}\" may not withhold the rows that have no place"))
        .detail(format!("{}: the share of rows that it may withhold is {}.", fault.message(), number(share)))
        .hint("Mend the taxonomy, or the bounds, and refresh with mode => 'search'.")
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

/// Refreshes every release that the caller may: each in a subtransaction of its own, so that one that fails
/// keeps none of the others from it. All are shown together, when the transaction commits.
#[allow(clippy::type_complexity)]
pub fn refresh_all() -> Result<Vec<(String, Option<serde_json::Value>, Option<String>)>> {
    let _operation = Operation::writing()?;
    let mut outcomes = Vec::new();
    for release in manifest::mine()? {
        let outcome = attempt(|| refresh(&release, Refresh::Replay, Unknown::Error));
        outcomes.push(match outcome {
            Ok(outcome) => (release, Some(outcome), None),
            Err(fault) => (release, None, Some(fault.in_full())),
        });
    }
    Ok(outcomes)
}
