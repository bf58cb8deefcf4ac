//! tds_anonymize, its dry run tds_steps, and tds_tradeoff, which tries several k.

use super::word;
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Faults, Result, SqlError};
use crate::postgres::names::{text, Name, Regclass, Text};
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled;
use crate::release;
use crate::search::tried::Tried;
use crate::search::{self, Exclusions, SearchMode, StepRow};
use crate::terms::arguments::Arguments;
use crate::terms::masking::masking;
use crate::terms::privacy_model::{models, privacy_model};
use crate::terms::request::{Call, Request};
use hashbrown::HashSet;
use pgrx::prelude::*;
use pgrx::JsonB;

/// Searches top-down and publishes the next version of a release (TDS, TDR).
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn tds_anonymize(
    source: Option<Regclass>,
    release: Option<Name>,
    privacy: Option<Elements<privacy_model>>,
    class: default!(Option<Text>, "NULL"),
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    score: default!(Option<Text>, "'tds'"),
    max_steps: default!(Option<i32>, "NULL"),
    intervals: default!(Option<Text>, "'label'"),
    suppressed: default!(Option<Text>, "'*'"),
    split: default!(Option<Text>, "'optimal'"),
    withhold: default!(Option<f64>, "0"),
    endpoints: default!(Option<Text>, "'rounded'"),
    recoding: default!(Option<Text>, "'global'"),
    view: default!(Option<Name>, "NULL"),
    allow_weaker: default!(Option<bool>, "false"),
    show: default!(Option<Elements<String>>, "'{}'"),
    means: default!(Option<Elements<String>>, "'{}'"),
    counts: default!(Option<bool>, "false"),
    tell_error: default!(Option<bool>, "false"),
    changes: default!(Option<Text>, "'any'"),
) -> JsonB {
    or_raise((|| {
        let release = needed("release", release)?;
        let intervals = needed("intervals", text(intervals))?;
        let suppressed = Some(needed("suppressed", text(suppressed))?);
        let mut call = call(
            source, privacy, class, masking, keep, score, max_steps, intervals, split, withhold, endpoints,
            recoding, show,
        )?;
        call.arguments.suppressed = suppressed;
        call.arguments.means = elements("means", means)?;
        call.arguments.counts = needed("counts", counts)?;
        call.arguments.tell_error = needed("tell_error", tell_error)?;
        call.arguments.changes = super::word(&needed("changes", text(changes))?, &mut call.faults);
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
    privacy: Option<Elements<privacy_model>>,
    class: default!(Option<Text>, "NULL"),
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    score: default!(Option<Text>, "'tds'"),
    max_steps: default!(Option<i32>, "NULL"),
    split: default!(Option<Text>, "'optimal'"),
    withhold: default!(Option<f64>, "0"),
    endpoints: default!(Option<Text>, "'rounded'"),
    recoding: default!(Option<Text>, "'global'"),
    show: default!(Option<Elements<String>>, "'{}'"),
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
            recoding, show,
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
    let request = Request::new(call)?;
    let found = search::run(&request, &SearchMode::First, Exclusions::default())?;
    Ok(found.step_rows(&request))
}

/// What the same search would release for several k; the source is read once, and nothing is written.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn tds_tradeoff(
    source: Option<Regclass>,
    ks: Option<Elements<i32>>,
    privacy: Option<Elements<privacy_model>>,
    class: default!(Option<Text>, "NULL"),
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    score: default!(Option<Text>, "'tds'"),
    max_steps: default!(Option<i32>, "NULL"),
    split: default!(Option<Text>, "'optimal'"),
    withhold: default!(Option<f64>, "0"),
    endpoints: default!(Option<Text>, "'rounded'"),
    recoding: default!(Option<Text>, "'global'"),
    show: default!(Option<Elements<String>>, "'{}'"),
) -> TableIterator<
    'static,
    (
        name!(k, i32),
        name!(steps, i32),
        name!(groups, i64),
        name!(smallest_group, Option<i64>),
        name!(certainty_loss, f64),
        name!(class_information, Option<f64>),
        name!(withheld, i64),
    ),
> {
    let rows = or_raise((|| {
        let intervals = "label".into();
        let ks = elements("ks", ks)?;
        let mut call = call(
            source, privacy, class, masking, keep, score, max_steps, intervals, split, withhold, endpoints,
            recoding, show,
        )?;
        call.faults.ok(asked(&ks, &call.arguments.privacy));
        let _operation = Operation::begin()?;
        let request = Request::new(call)?;
        search::tradeoff::tradeoff(&request, &ks)
    })());
    let row = |(k, t): (i32, Tried)| {
        let (loss, class) = (t.certainty_loss, t.class_information);
        (k, t.steps, t.groups, t.smallest_group, loss, class, t.withheld)
    };
    TableIterator::new(rows.into_iter().map(row))
}

/// Whether there is a k to be asked for, and a model to ask with it.
fn asked(ks: &[i32], models: &[privacy_model]) -> Result<()> {
    let example = "For example ks => ARRAY[5, 10, 20, 50, 100].";
    if ks.is_empty() {
        return Err(SqlError::parameter("argument \"ks\" must name at least one k").hint(example));
    }
    if let Some(k) = ks.iter().find(|k| **k < 1) {
        return Err(SqlError::parameter(format!("every k must be at least 1, not {k}")).hint(example));
    }
    let mut before = HashSet::new();
    if let Some(k) = polled(ks).find(|k| !before.insert(**k)) {
        return Err(SqlError::parameter(format!("k = {k} is given twice")));
    }
    let has_k = |model: &privacy_model| model.k_anonymity().is_some() || model.population().is_some();
    if !models.iter().any(has_k) && !models.is_empty() {
        return Err(SqlError::parameter(
            "there is no k_anonymity, lkc_privacy or k_map among the models to ask with each k",
        )
        .hint("For example privacy => k_anonymity(ARRAY['age', 'sex'], 5); its own k is not used."));
    }
    Ok(())
}

/// What all of them take.
#[allow(clippy::too_many_arguments)]
pub(super) fn call(
    source: Option<Regclass>,
    privacy: Option<Elements<privacy_model>>,
    class: Option<Text>,
    masking: Option<Elements<masking>>,
    keep: Option<Elements<String>>,
    score: Option<Text>,
    max_steps: Option<i32>,
    intervals: String,
    split: Option<Text>,
    withhold: Option<f64>,
    endpoints: Option<Text>,
    recoding: Option<Text>,
    show: Option<Elements<String>>,
) -> Result<Call> {
    let mut faults = Faults::default();
    let source = needed("source", source)?;
    let privacy = models("privacy", privacy)?;
    let (masking, keep) = (elements("masking", masking)?, elements("keep", keep)?);
    let (score, split) = (needed("score", text(score))?, needed("split", text(split))?);
    let (withhold, endpoints) = (needed("withhold", withhold)?, needed("endpoints", text(endpoints))?);
    let (recoding, show) = (needed("recoding", text(recoding))?, elements("show", show)?);
    let arguments = Arguments {
        privacy,
        class: text(class),
        masking,
        keep,
        score: word(&score, &mut faults),
        max_steps,
        intervals: word(&intervals, &mut faults),
        endpoints: word(&endpoints, &mut faults),
        split: word(&split, &mut faults),
        withhold,
        recoding: word(&recoding, &mut faults),
        show,
        ..Arguments::default()
    };
    Ok(Call { source, arguments, faults, ..Call::default() })
}
