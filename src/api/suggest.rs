//! release_suggest: which search is the most useful one for a table.

use super::tds;
use crate::postgres::arguments::needed;
use crate::postgres::arrays::Elements;
use crate::postgres::error::{number, or_raise, Result, SqlError};
use crate::postgres::names::{relation_name, Regclass, Text};
use crate::postgres::operation::Operation;
use crate::release;
use crate::search::suggest::{suggest, Suggestion};
use crate::search::tried::Tried;
use crate::terms::arguments::Arguments;
use crate::terms::calls::{self, word};
use crate::terms::masking::masking;
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::{Call, Request};
use pgrx::prelude::*;

/// What a suggested call names its release.
const RELEASE: &str = "release_name";

/// Tries the ways to search, and ranks them by how far off counts over their releases are.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn release_suggest(
    source: Option<Regclass>,
    privacy: Option<Elements<privacy_model>>,
    class: default!(Option<Text>, "NULL"),
    masking: default!(Option<Elements<masking>>, "'{}'"),
    keep: default!(Option<Elements<String>>, "'{}'"),
    show: default!(Option<Elements<String>>, "'{}'"),
    max_withhold: default!(Option<f64>, "0.01"),
) -> TableIterator<
    'static,
    (
        name!(rank, i32),
        name!(recoding, String),
        name!(score, String),
        name!(split, String),
        name!(withhold, f64),
        name!(certainty_loss, f64),
        name!(query_error, Option<f64>),
        name!(class_information, Option<f64>),
        name!(groups, i64),
        name!(smallest_group, Option<i64>),
        name!(seconds, f64),
        name!(call, String),
    ),
> {
    let rows = or_raise((|| {
        let max_withhold = needed("max_withhold", max_withhold)?;
        let [score, split, endpoints, recoding] =
            ["tds", "optimal", "rounded", "global"].map(|word| Some(Text(word.to_string())));
        let (max_steps, intervals, withhold) = (None, "label".to_string(), Some(0.0));
        let mut call = tds::call(
            source, privacy, class, masking, keep, score, max_steps, intervals, split, withhold, endpoints,
            recoding, show,
        )?;
        if !(0.0..=1.0).contains(&max_withhold) {
            let given = number(max_withhold);
            call.faults
                .add(SqlError::parameter(format!("max_withhold must be between 0 and 1, not {given}")));
        }
        call.arguments.suppressed = Some("*".into());
        let _operation = Operation::begin()?;
        suggestions(&call, max_withhold)
    })());
    TableIterator::new((1..).zip(rows).map(|(rank, (arguments, tried, seconds, call))| {
        let Arguments { recoding, score, split, withhold, .. } = arguments;
        let (recoding, score, split) = (word(&recoding), word(&score), word(&split));
        let Tried { certainty_loss, query_error, class_information, groups, smallest_group, .. } = tried;
        (
            rank,
            recoding,
            score,
            split,
            withhold,
            certainty_loss,
            query_error,
            class_information,
            groups,
            smallest_group,
            seconds,
            call,
        )
    }))
}

/// The suggestions, with their calls.
fn suggestions(call: &Call, max_withhold: f64) -> Result<Vec<(Arguments, Tried, f64, String)>> {
    let source = relation_name(call.source).ok_or_else(|| SqlError::no_oid(call.source.0))?;
    let floor = |request: &mut Request| release::keep_floor(RELEASE, request, false);
    let suggestions = suggest(call, max_withhold, floor)?;
    let with_call = |Suggestion { arguments, tried, seconds }| {
        let call = calls::tds_anonymize(&source, RELEASE, &arguments);
        (arguments, tried, seconds, call)
    };
    Ok(suggestions.into_iter().map(with_call).collect())
}
