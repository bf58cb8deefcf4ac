//! tds_anonymize and its dry run, tds_steps.

use super::masking::masking;
use super::privacy_model::privacy_model;
use super::{elements, needed};
use crate::error::{or_raise, Result};
use crate::names::{Name, Regclass};
use crate::operation::Operation;
use crate::progress::Watch;
use crate::release;
use crate::request::{Arguments, Request, Verb};
use crate::search::{self, StepRow};
use pgrx::prelude::*;
use pgrx::JsonB;

/// Searches top-down and publishes the next version of a release (TDS, TDR).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn tds_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    privacy: Option<Vec<Option<privacy_model>>>,
    class: default!(Option<String>, "NULL"),
    masking: default!(Option<Vec<Option<masking>>>, "'{}'"),
    keep: default!(Option<Vec<Option<String>>>, "'{}'"),
    score: default!(Option<String>, "'tds'"),
    max_steps: default!(Option<i32>, "NULL"),
    intervals: default!(Option<String>, "'label'"),
    suppressed: default!(Option<String>, "'*'"),
    split: default!(Option<String>, "'optimal'"),
    withhold: default!(Option<f64>, "0"),
    endpoints: default!(Option<String>, "'rounded'"),
) -> JsonB {
    or_raise((|| {
        let release = needed("release", release)?;
        let arguments = Arguments {
            intervals: needed("intervals", intervals)?,
            suppressed: Some(needed("suppressed", suppressed)?),
            ..arguments(source, privacy, class, masking, keep, score, max_steps, split, withhold, endpoints)?
        };
        release::anonymize(&release.0, arguments).map(JsonB)
    })())
}

/// The steps that tds_anonymize would take; nothing is written.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn tds_steps(
    source: Option<Regclass>,
    privacy: Option<Vec<Option<privacy_model>>>,
    class: default!(Option<String>, "NULL"),
    masking: default!(Option<Vec<Option<masking>>>, "'{}'"),
    keep: default!(Option<Vec<Option<String>>>, "'{}'"),
    score: default!(Option<String>, "'tds'"),
    max_steps: default!(Option<i32>, "NULL"),
    split: default!(Option<String>, "'optimal'"),
    withhold: default!(Option<f64>, "0"),
    endpoints: default!(Option<String>, "'rounded'"),
) -> TableIterator<
    'static,
    (
        name!(step, i32),
        name!(attribute, String),
        name!(node, Option<String>),
        name!(children, Vec<Option<String>>),
        name!(records, i64),
        name!(info_gain, f64),
        name!(privacy_loss, f64),
        name!(score, f64),
        name!(achieved, Vec<f64>),
    ),
> {
    let rows = or_raise((|| {
        steps(arguments(source, privacy, class, masking, keep, score, max_steps, split, withhold, endpoints)?)
    })());
    let row = |s: StepRow| {
        let StepRow { number, attribute, node, children, records, .. } = s;
        let (gain, loss, score, achieved) = (s.info_gain, s.privacy_loss, s.score, s.achieved);
        (number, attribute, node, children, records, gain, loss, score, achieved)
    };
    TableIterator::new(rows.into_iter().map(row))
}

fn steps(arguments: Arguments) -> Result<Vec<StepRow>> {
    let _operation = Operation::begin()?;
    let request = Request::new(arguments)?;
    let found = search::run(&request, true, &Watch::new())?;
    Ok(found.step_rows(&request))
}

/// What both verbs take.
#[allow(clippy::too_many_arguments)]
fn arguments(
    source: Option<Regclass>,
    privacy: Option<Vec<Option<privacy_model>>>,
    class: Option<String>,
    masking: Option<Vec<Option<masking>>>,
    keep: Option<Vec<Option<String>>>,
    score: Option<String>,
    max_steps: Option<i32>,
    split: Option<String>,
    withhold: Option<f64>,
    endpoints: Option<String>,
) -> Result<Arguments> {
    Ok(Arguments {
        verb: Verb::Tds,
        source: needed("source", source)?,
        privacy: elements("privacy", privacy)?,
        class,
        masking: elements("masking", masking)?,
        keep: elements("keep", keep)?,
        score: needed("score", score)?,
        max_steps,
        intervals: "label".into(),
        suppressed: None,
        split: needed("split", split)?,
        withhold: needed("withhold", withhold)?,
        endpoints: needed("endpoints", endpoints)?,
    })
}
