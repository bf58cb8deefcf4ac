//! What a release lost and what it risks, and all of it as a page.

use crate::postgres::arguments::{needed, Word};
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{number, or_raise, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::names::{text, Name, Regclass, Text};
use crate::postgres::operation::Operation;
use crate::release::measures::{self, Register};
use crate::release::{self, Errors};
use crate::terms::asked::Ask;
use crate::terms::words::Audience;
use pgrx::prelude::*;

/// Information loss and utility of what is published.
#[pg_extern(volatile, parallel_unsafe)]
fn release_measures(
    release: Option<Name>,
    weight: default!(Option<Text>, "NULL"),
) -> TableIterator<'static, (name!(measure, String), name!(value, f64))> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        measures::measures(&needed("release", release)?.0, text(weight))
    })());
    TableIterator::new(rows)
}

/// The risk of being found again in a release, for several attackers.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_risk(
    release: Option<Name>,
    threshold: default!(Option<f64>, "0.2"),
    known: default!(Option<Elements<String>>, "NULL"),
    population: default!(Option<Regclass>, "NULL"),
    weight: default!(Option<Text>, "NULL"),
    sampling_fraction: default!(Option<f64>, "NULL"),
) -> TableIterator<
    'static,
    (
        name!(attacker, String),
        name!(records_at_risk, f64),
        name!(highest_risk, f64),
        name!(average_risk, f64),
    ),
> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        let threshold = needed("threshold", threshold)?;
        if !(0.0..=1.0).contains(&threshold) {
            return Err(SqlError::parameter(format!(
                "threshold must be between 0 and 1, not {}",
                number(threshold)
            ))
            .hint("It is a probability: 0.2 asks who is in a group of fewer than five."));
        }
        let known = known.map(|known| elements("known", Some(known))).transpose()?;
        let register = || Register::of(population, text(weight), sampling_fraction);
        measures::risks(&needed("release", release)?.0, threshold, known, register)
    })());
    TableIterator::new(rows)
}

/// How far off counts, sums and means are that a reader gets from a release.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn release_query_error(
    release: Option<Name>,
    queries: default!(Option<JsonText>, "NULL"),
    count: default!(Option<i32>, "400"),
    seed: default!(Option<i32>, "1"),
) -> TableIterator<
    'static,
    (
        name!(columns, i32),
        name!(aggregate, String),
        name!(with_counts, bool),
        name!(queries, i32),
        name!(median_error, f64),
        name!(p90_error, f64),
    ),
> {
    let rows = or_raise((|| {
        let random = Ask::random(needed("count", count)?, needed("seed", seed)?)?;
        let ask = queries.map_or(Ok(random), |queries| Ask::given(&queries))?;
        release::query_error(&needed("release", release)?.0, &ask)
    })());
    let row = |Errors { columns, aggregate, with_counts, queries, median, p90 }: Errors| {
        (columns as i32, release::word(aggregate).to_string(), with_counts, queries as i32, median, p90)
    };
    TableIterator::new(rows.into_iter().map(row))
}

/// A release as a page of HTML.
#[pg_extern(volatile, parallel_unsafe)]
fn release_report(
    release: Option<Name>,
    audience: default!(Option<Text>, "'owner'"),
    sampling_fraction: default!(Option<f64>, "NULL"),
) -> String {
    or_raise((|| {
        let audience = Audience::from_word(&needed("audience", text(audience))?)?;
        release::report(&needed("release", release)?.0, audience, sampling_fraction)
    })())
}
