//! What a version tells together with the one before: said where somebody can still decide.

use crate::postgres::error::{number, tell, warn, Result};
use crate::postgres::locks::Mode;
use crate::postgres::subtransaction::attempt;
use crate::postgres::text::counted;
use crate::read::table::ReleasedBefore;
use crate::release::measure::parts::shown_before;
use crate::release::store::columns::Filled;
use crate::release::store::destination::Destination;
use crate::release::store::manifest::{must_exist, ExistingRelease};
use crate::search::regrouped::{intersected, or_warn};
use crate::search::SearchResult;
use crate::terms::request::Request;
use topdown::measure::Measured;

/// Says which models the groups of both break that each version's keep.
pub fn say(destination: &Destination, request: &Request, found: &mut SearchResult) {
    // Nothing else asks what the rows were released as: the room is for what is written.
    let before = std::mem::take(&mut found.table.before);
    let Some(existing) = &destination.existing else { return };
    if existing.is_batched(&request.arguments).unwrap_or_default() {
        // Rows that stay are in the same groups.
        return;
    }
    if existing.parameters().is_ok_and(|before| before.arguments.clusters()) {
        // Their rows are found again by what they hold, when this version is written.
        return;
    }
    warn_of(destination, existing, request, found, || Ok(before));
}

/// The same of a version that is written, where the one before was one of clusters.
pub fn say_of_clusters(
    destination: &Destination,
    existing: &ExistingRelease,
    request: &Request,
    made: (&SearchResult, Filled),
) -> Result<()> {
    let is_batched = existing.is_batched(&request.arguments)?;
    if is_batched || !existing.parameters()?.arguments.clusters() {
        return Ok(());
    }
    let (now, _rights) = must_exist(&destination.release, Mode::Read)?;
    warn_of(destination, existing, request, made.0, || shown_before(&now, existing, made));
    Ok(())
}

/// Warns of the models that the groups of both versions break, if it is known `before` what the earlier one showed of the rows.
fn warn_of(
    destination: &Destination,
    existing: &ExistingRelease,
    request: &Request,
    found: &SearchResult,
    before: impl FnOnce() -> Result<Vec<ReleasedBefore>>,
) {
    let measured = attempt(|| intersected(request, found, &before()?));
    let (measured, others) = or_warn(measured).unwrap_or_default();
    if others > 0 {
        tell(
            format!(
                "release \"{}\": {others} of {} rows are in no group of version {}, and were not compared with it",
                destination.release, found.table.rows, existing.version
            ),
            "They have come since, or were changed. What both versions tell of rows that were changed is not known.",
        );
    }
    for (model, measured) in request.arguments.of_source().zip(measured) {
        let Some(Measured { achieved, groups, broken_groups, broken_rows }) = measured else { continue };
        if broken_groups > 0 {
            warn(
                format!(
                    "versions {} and {} together break {}: {} where {} is asked for",
                    existing.version,
                    destination.version,
                    model.shown(),
                    number(achieved),
                    number(model.required())
                ),
                format!(
                    "Whoever has read both finds a row in a group of each. These make {groups} groups together, and the model does not hold in {broken_groups} of them, with {}. (Release \"{}\")",
                    counted(broken_rows, "row"),
                    destination.release
                ),
            );
        }
    }
}
