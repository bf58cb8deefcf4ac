//! tds_anonymize and its dry run, tds_steps.

use super::word;
use crate::postgres::arguments::{elements, needed};
use crate::postgres::error::{or_raise, Faults, Result};
use crate::postgres::names::{Name, Regclass};
use crate::postgres::operation::Operation;
use crate::postgres::progress::Watch;
use crate::release;
use crate::search::{self, How, Leave, StepRow};
use crate::terms::arguments::Arguments;
use crate::terms::masking::masking;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Call, Request};
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
    recoding: default!(Option<String>, "'global'"),
    view: default!(Option<Name>, "NULL"),
    allow_weaker: default!(Option<bool>, "false"),
) -> JsonB {
    or_raise((|| {
        let release = needed("release", release)?;
        let intervals = needed("intervals", intervals)?;
        let suppressed = Some(needed("suppressed", suppressed)?);
        let mut call = call(
            source, privacy, class, masking, keep, score, max_steps, intervals, split, withhold, endpoints,
            recoding,
        )?;
        call.arguments.suppressed = suppressed;
        call.view = view.map(|view| view.0);
        call.allow_weaker = needed("allow_weaker", allow_weaker)?;
        release::anonymize(&release.0, call).map(JsonB)
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
    recoding: default!(Option<String>, "'global'"),
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
        let intervals = "label".into();
        steps(call(
            source, privacy, class, masking, keep, score, max_steps, intervals, split, withhold, endpoints,
            recoding,
        )?)
    })());
    let row = |s: StepRow| {
        let StepRow { number, attribute, node, children, records, .. } = s;
        let (gain, loss, score, achieved) = (s.info_gain, s.privacy_loss, s.score, s.achieved);
        (number, attribute, node, children, records, gain, loss, score, achieved)
    };
    TableIterator::new(rows.into_iter().map(row))
}

fn steps(call: Call) -> Result<Vec<StepRow>> {
    let _operation = Operation::begin()?;
    let (request, watch) = (Request::new(call)?, Watch::new());
    let found = search::run(&request, &How::First, Leave::default(), &watch)?;
    Ok(found.step_rows(&request))
}

/// What both verbs take.
#[allow(clippy::too_many_arguments)]
fn call(
    source: Option<Regclass>,
    privacy: Option<Vec<Option<privacy_model>>>,
    class: Option<String>,
    masking: Option<Vec<Option<masking>>>,
    keep: Option<Vec<Option<String>>>,
    score: Option<String>,
    max_steps: Option<i32>,
    intervals: String,
    split: Option<String>,
    withhold: Option<f64>,
    endpoints: Option<String>,
    recoding: Option<String>,
) -> Result<Call> {
    let mut faults = Faults::default();
    let source = needed("source", source)?;
    let privacy = elements("privacy", privacy)?;
    let (masking, keep) = (elements("masking", masking)?, elements("keep", keep)?);
    let (score, split) = (needed("score", score)?, needed("split", split)?);
    let (withhold, endpoints) = (needed("withhold", withhold)?, needed("endpoints", endpoints)?);
    let recoding = needed("recoding", recoding)?;
    let arguments = Arguments {
        privacy,
        class,
        masking,
        keep,
        score: word(&score, &mut faults),
        max_steps,
        intervals: word(&intervals, &mut faults),
        endpoints: word(&endpoints, &mut faults),
        split: word(&split, &mut faults),
        withhold,
        recoding: word(&recoding, &mut faults),
        ..Arguments::default()
    };
    Ok(Call { source, arguments, faults, ..Call::default() })
}
