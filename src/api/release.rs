//! The life of a release: verify, grant, revoke, drop, and the list of all.

use crate::postgres::arguments::{needed, Word};
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::or_raise;
use crate::postgres::json::JsonText;
use crate::postgres::names::{text, Name, Regclass, Text};
use crate::postgres::operation::Operation;
use crate::postgres::procedure::Procedure;
use crate::release::{self, Alteration, PartVerdict, Refreshing, Row, Verdict};
use crate::terms::masking::masking;
use crate::terms::privacy_model::{models, privacy_model};
use crate::terms::words::{ApartBy, Refresh, Unknown};
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;
use pgrx::prelude::*;
use pgrx::JsonB;
use topdown::measure::Measured;

/// Recounts every model of a release with plain SQL, on what is published.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_verify(
    release: Option<Name>,
) -> TableIterator<
    'static,
    (name!(model, privacy_model), name!(required, f64), name!(achieved, Option<f64>), name!(holds, bool)),
> {
    let verdicts =
        or_raise(needed("release", release).and_then(|release| release::verify_published(&release.0)));
    TableIterator::new(
        verdicts
            .into_iter()
            .map(|Verdict { model, required, achieved, holds }| (model, required, achieved, holds)),
    )
}

/// Recounts every model of a release, and fails if one does not hold.
#[pg_extern(volatile, parallel_unsafe)]
fn release_assert(release: Option<Name>) {
    or_raise(needed("release", release).and_then(|release| release::assert(&release.0)))
}

/// Makes the next version of a release over its source as it is now.
#[pg_extern(volatile, parallel_unsafe)]
fn release_refresh(
    release: Option<Name>,
    mode: default!(Option<Text>, "'replay'"),
    unknown: default!(Option<Text>, "'error'"),
    max_loss: default!(Option<f64>, "NULL"),
    erase: default!(Option<bool>, "false"),
) -> JsonB {
    or_raise((|| {
        let mode = Refresh::from_word(&needed("mode", text(mode))?)?;
        let unknown = Unknown::from_word(&needed("unknown", text(unknown))?)?;
        let how = Refreshing { mode, unknown, max_loss, erase: needed("erase", erase)? };
        release::refresh(&needed("release", release)?.0, how).map(JsonB)
    })())
}

/// Refreshes every release that the caller may, each in a transaction of its own.
#[pg_extern(
    volatile,
    parallel_unsafe,
    sql = r#"CREATE PROCEDURE "release_refresh_all"(
	"mode" TEXT DEFAULT 'replay'
)
LANGUAGE c
AS 'MODULE_PATHNAME', 'release_refresh_all_wrapper';"#
)]
fn release_refresh_all(mode: Option<Text>, call: pg_sys::FunctionCallInfo) {
    or_raise((|| {
        let procedure = Procedure::begin(call)?;
        let mode = Refresh::from_word(&needed("mode", text(mode))?)?;
        release::refresh_all(&procedure, mode)
    })())
}

/// Makes the next version of a release as the search stood after a step.
#[pg_extern(volatile, parallel_unsafe)]
fn release_rewind(release: Option<Name>, step: Option<i32>) -> JsonB {
    or_raise((|| {
        let step = needed("step", step)?;
        release::rewind(&needed("release", release)?.0, step).map(JsonB)
    })())
}

/// Makes the next version of a release with some of its arguments changed.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn release_alter(
    release: Option<Name>,
    source: default!(Option<Regclass>, "NULL"),
    privacy: default!(Option<Elements<privacy_model>>, "NULL"),
    masking: default!(Option<Elements<masking>>, "NULL"),
    score: default!(Option<Text>, "NULL"),
    max_steps: default!(Option<i32>, "NULL"),
    withhold: default!(Option<f64>, "NULL"),
    endpoints: default!(Option<Text>, "NULL"),
    allow_weaker: default!(Option<bool>, "false"),
    unmask: default!(Option<Elements<String>>, "NULL"),
    class: default!(Option<Text>, "NULL"),
    keep: default!(Option<Elements<String>>, "NULL"),
    split: default!(Option<Text>, "NULL"),
    recoding: default!(Option<Text>, "NULL"),
    intervals: default!(Option<Text>, "NULL"),
    suppressed: default!(Option<Text>, "NULL"),
    show: default!(Option<Elements<String>>, "NULL"),
    means: default!(Option<Elements<String>>, "NULL"),
    counts: default!(Option<bool>, "NULL"),
    tell_error: default!(Option<bool>, "NULL"),
    changes: default!(Option<Text>, "NULL"),
) -> JsonB {
    or_raise((|| {
        let privacy = privacy.map(|privacy| models("privacy", Some(privacy))).transpose()?;
        let masking = masking.map(|maskings| elements("masking", Some(maskings))).transpose()?;
        let allow_weaker = needed("allow_weaker", allow_weaker)?;
        let unmask = unmask.map(|columns| elements("unmask", Some(columns))).transpose()?;
        let keep = keep.map(|columns| elements("keep", Some(columns))).transpose()?;
        let means = means.map(|columns| elements("means", Some(columns))).transpose()?;
        let show = show.map(|columns| elements("show", Some(columns))).transpose()?;
        let change = Alteration {
            source,
            privacy,
            masking,
            score: text(score),
            max_steps,
            withhold,
            endpoints: text(endpoints),
            allow_weaker,
            unmask,
            class: text(class),
            keep,
            split: text(split),
            recoding: text(recoding),
            intervals: text(intervals),
            suppressed: text(suppressed),
            show,
            means,
            counts,
            tell_error,
            changes: text(changes),
        };
        release::alter(&needed("release", release)?.0, change).map(JsonB)
    })())
}

/// Writes other rows, generalized by a release's cut, into a new table.
#[pg_extern(volatile, parallel_unsafe)]
fn release_apply(release: Option<Name>, source: Option<Regclass>, target: Option<Text>) -> i64 {
    or_raise((|| {
        let (release, source) = (needed("release", release)?, needed("source", source)?);
        release::apply(&release.0, source, &needed("target", text(target))?)
    })())
}

/// How a release has changed from version to version.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_drift(
    release: Option<Name>,
) -> TableIterator<
    'static,
    (
        name!(version, i32),
        name!(created_at, TimestampWithTimeZone),
        name!(rows, i64),
        name!(withheld, i64),
        name!(steps_kept, i32),
        name!(steps_dropped, i32),
        name!(achieved, JsonText),
        name!(certainty_loss, f64),
        name!(class_information, Option<f64>),
        name!(waiting, Option<i64>),
        name!(lingering, Option<i64>),
        name!(oldest_waiting, Option<TimestampWithTimeZone>),
        name!(oldest_lingering, Option<TimestampWithTimeZone>),
    ),
> {
    let versions = or_raise(needed("release", release).and_then(|release| release::drift(&release.0)));
    TableIterator::new(versions.into_iter().map(|d| {
        let (kept, dropped) = (d.steps_kept, d.steps_dropped);
        (
            d.version,
            d.created_at,
            d.rows,
            d.withheld,
            kept,
            dropped,
            d.achieved,
            d.certainty_loss,
            d.class_information,
            d.held.as_ref().map(|held| held.waiting),
            d.held.as_ref().map(|held| held.lingering),
            d.oldest_waiting,
            d.oldest_lingering,
        )
    }))
}

/// What two versions of a release tell of the rows that came between them, left and stayed.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_changes(
    release: Option<Name>,
    from_version: default!(Option<i32>, "NULL"),
    to_version: default!(Option<i32>, "NULL"),
    by: default!(Option<Text>, "'source'"),
) -> TableIterator<
    'static,
    (
        name!(part, String),
        name!(model, privacy_model),
        name!(required, f64),
        name!(achieved, Option<f64>),
        name!(holds, bool),
        name!(groups, i64),
        name!(violating_groups, i64),
        name!(violating_rows, i64),
    ),
> {
    let verdicts = or_raise((|| {
        let by = ApartBy::from_word(&needed("by", text(by))?)?;
        release::changes(&needed("release", release)?.0, from_version, to_version, by)
    })());
    TableIterator::new(verdicts.into_iter().map(|verdict| {
        let (holds, required) = (verdict.holds(), verdict.model.required());
        let PartVerdict { part, model, measured, .. } = verdict;
        let of = |count: fn(&Measured) -> u64| measured.as_ref().map_or(0, |measured| count(measured) as i64);
        (
            part.shown().to_string(),
            model,
            required,
            measured.map(|measured| measured.achieved),
            holds,
            of(|m| m.groups),
            of(|m| m.broken_groups),
            of(|m| m.broken_rows),
        )
    }))
}

/// Why each node of a release's cut was not refined further.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_explain(
    release: Option<Name>,
) -> TableIterator<
    'static,
    (
        name!(attribute, String),
        name!(node, Option<String>),
        name!(reason, String),
        name!(achieved, Option<f64>),
        name!(required, Option<f64>),
    ),
> {
    let nodes = or_raise(needed("release", release).and_then(|release| release::explain(&release.0)));
    TableIterator::new(
        nodes.into_iter().map(|why| (why.attribute, why.node, why.reason, why.achieved, why.required)),
    )
}

/// A recipient's copy of a release, as plain SQL.
#[pg_extern(volatile, parallel_unsafe)]
fn release_export(release: Option<Name>) -> SetOfIterator<'static, String> {
    SetOfIterator::new(or_raise(needed("release", release).and_then(|release| release::export(&release.0))))
}

/// Lets a role read the view, the cut and `about` of a release.
#[pg_extern(volatile, parallel_unsafe)]
fn release_grant(release: Option<Name>, grantee: Option<Name>) {
    or_raise((|| release::grant(&needed("release", release)?.0, &needed("grantee", grantee)?.0))())
}

/// Takes back what release_grant gave.
#[pg_extern(volatile, parallel_unsafe)]
fn release_revoke(release: Option<Name>, grantee: Option<Name>) {
    or_raise((|| release::revoke(&needed("release", release)?.0, &needed("grantee", grantee)?.0))())
}

/// Lets a role call every function that an owner of releases needs.
#[pg_extern(volatile, parallel_unsafe)]
fn release_functions(grantee: Option<Name>) {
    or_raise(needed("grantee", grantee).and_then(|grantee| release::grant_functions(&grantee.0)))
}

/// Drops a release and its schema.
#[pg_extern(volatile, parallel_unsafe)]
fn release_drop(release: Option<Name>) {
    or_raise(needed("release", release).and_then(|release| release::drop_release(&release.0)))
}

/// The releases of this database that the caller may read.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn releases() -> TableIterator<
    'static,
    (
        name!(release, Name),
        name!(source, Option<String>),
        name!(version, Option<i32>),
        name!(created_at, Option<TimestampWithTimeZone>),
        name!(rows, Option<i64>),
        name!(view, Option<Name>),
        name!(waiting, Option<i64>),
        name!(lingering, Option<i64>),
        name!(refreshed_at, Option<TimestampWithTimeZone>),
        name!(failed_at, Option<TimestampWithTimeZone>),
        name!(error, Option<String>),
    ),
> {
    let all = or_raise((|| {
        let _operation = Operation::begin()?;
        let row = |release::Listed { name, view, current, held }| {
            let (name, view) = (Name(name), view.map(Name));
            let Some(Row { version, created_at, source, rows, refreshed_at, failed_at, error, .. }) = current
            else {
                return (name, None, None, None, None, view, None, None, None, None, None);
            };
            let (version, created_at, rows) = (Some(version), Some(created_at), Some(rows));
            let Some([waiting, lingering]) = held else {
                return (name, None, version, created_at, rows, view, None, None, None, None, None);
            };
            let (waiting, lingering) = (Some(waiting), Some(lingering));
            let source = Some(source);
            (
                name,
                source,
                version,
                created_at,
                rows,
                view,
                waiting,
                lingering,
                refreshed_at,
                failed_at,
                error,
            )
        };
        Ok(release::all()?.into_iter().map(row).collect::<Vec<_>>())
    })());
    TableIterator::new(all)
}
