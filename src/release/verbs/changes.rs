//! release_changes: what two versions tell of those who came and left; and its worst line, said at every refresh.

use crate::postgres::error::{number, warn_with_hint, Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::operation::Operation;
use crate::postgres::subtransaction::attempt;
use crate::postgres::text::counted;
use crate::release::measure::parts::{parts, parts_of_found, Part, PartVerdict, VersionRows};
use crate::release::store::columns::Filled;
use crate::release::store::manifest::{must_exist, ExistingRelease};
use crate::release::store::tables::{private_schema, version_tables};
use crate::search::SearchResult;
use crate::terms::request::Request;
use crate::terms::words::ApartBy;

/// Measures every model on the rows that came between two versions of a release, on those that left, and on those that stayed.
pub fn changes(release: &str, from: Option<i32>, to: Option<i32>, by: ApartBy) -> Result<Vec<PartVerdict>> {
    let _operation = Operation::begin()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let to = to.unwrap_or(existing.version);
    let from = match from {
        Some(from) if from >= to => {
            return Err(SqlError::parameter(format!("version {from} is not before version {to}"))
                .hint("from_version is the earlier one of both."))
        }
        Some(from) => from,
        None => match version_tables(&private_schema(release), to - 1)?.first() {
            Some((version, ..)) => *version,
            // There is nothing to compare yet.
            None => return Ok(Vec::new()),
        },
    };
    let earlier = VersionRows::read(&existing, from, to, by)?;
    let later = VersionRows::read(&existing, to, from, by)?;
    parts(&earlier, &later, by)
}

/// A rewound version has the rows of the one before, and shows some otherwise. Where changes are batched these keep every model, too.
pub fn must_be_batched(release: &str, from: i32, step: i32) -> Result<()> {
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let to = existing.version;
    let earlier = VersionRows::read(&existing, from, to, ApartBy::Shown)?;
    let later = VersionRows::read(&existing, to, from, ApartBy::Shown)?;
    for by in [ApartBy::Shown, ApartBy::Printed] {
        let verdicts = parts(&earlier, &later, by)?;
        let broken = verdicts.iter().find(|verdict| !verdict.holds());
        if let Some((verdict, measured)) = broken.and_then(|broken| Some((broken, broken.measured?))) {
            return Err(SqlError::state(format!(
                "release \"{release}\" takes changes in batches, and cannot be rewound to step {step}"
            ))
            .detail(format!(
                "Of the rows that would be shown otherwise some groups break {}: {} where {} is asked for.",
                verdict.model.shown(),
                number(measured.achieved),
                number(verdict.model.required())
            ))
            .hint("Rewind it to another step. release_alter(..., changes => 'any', allow_weaker => true) leaves batches."));
        }
    }
    Ok(())
}

/// Says the worst of what a version that was just made tells together with the one before.
pub fn say(
    release: &str,
    before: &ExistingRelease,
    request: &Request,
    made: (&SearchResult, Filled),
) -> Result<()> {
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let (from, to) = (before.version, existing.version);
    // The first version in batches goes on from one that was not.
    let is_batched = before.is_batched(&existing.parameters()?.arguments)?;
    let verdicts = match attempt(|| parts_of_found(&existing, before, request, made)) {
        Ok(verdicts) => verdicts,
        // What is promised has to be known.
        Err(fault) if is_batched => return Err(fault),
        Err(fault) => {
            fault.warn_that(
                format!("release \"{release}\": what versions {from} and {to} tell together is not known"),
                "The new version is published.",
            );
            return Ok(());
        }
    };
    // Of those that are as bad, the one by what the source holds.
    let broken = verdicts.iter().rev().filter(|verdict| !verdict.holds());
    let worst = broken.max_by_key(|verdict| verdict.measured.map_or(0, |measured| measured.broken_rows));
    let Some((verdict, measured)) = worst.and_then(|worst| Some((worst, worst.measured?))) else {
        return Ok(());
    };
    let (who, of) = match verdict.part {
        Part::Came => (format!("the rows that came since version {from}"), to),
        Part::Left => (format!("the rows that left after version {from}"), from),
        Part::Stayed => (format!("the rows that stayed since version {from}"), to),
    };
    let model = &verdict.model;
    let (seen, way) = match verdict.by {
        ApartBy::Source => ("", "release_changes() shows it of every model."),
        ApartBy::Shown => (
            ", as readers see them,",
            "release_changes(..., by => 'shown') counts rows that stayed and are shown otherwise, too.",
        ),
        ApartBy::Printed => (
            ", as they are printed to readers,",
            "release_changes(..., by => 'printed') counts rows that stayed and are printed otherwise, too.",
        ),
    };
    if is_batched {
        return Err(SqlError::internal(
            "the version does not keep its changes batched, and is not published",
        )
        .detail(format!(
            "{who}{seen} break {}: {} where {} is asked for.",
            model.shown(),
            number(measured.achieved),
            number(model.required())
        ))
        .hint("Unless somebody has changed a version's table this is an error of pg_topdown: please report it. release_alter(..., changes => 'any', allow_weaker => true) leaves batches."));
    }
    warn_with_hint(
        format!(
            "{who}{seen} break {} by themselves: {} where {} is asked for",
            model.shown(),
            number(measured.achieved),
            number(model.required())
        ),
        format!(
            "Whoever has read both versions can tell which groups of such rows break it: {} of {} in version {of}, with {}. (Release \"{release}\")",
            measured.broken_groups,
            measured.groups,
            counted(measured.broken_rows, "row")
        ),
        way,
    );
    Ok(())
}
