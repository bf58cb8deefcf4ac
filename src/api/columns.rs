//! privacy_columns: which columns matter, and how each could be masked.

use super::at_least_1;
use crate::postgres::arguments::needed;
use crate::postgres::error::or_raise;
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::read::source::Source;
use crate::search;
use pgrx::prelude::*;

/// What each column of a source singles out, what part it seems to play, and how it could be masked.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn privacy_columns(
    source: Option<Regclass>,
    k: default!(Option<i32>, "5"),
) -> TableIterator<
    'static,
    (
        name!(column_name, String),
        name!(type, String),
        name!(distinct_values, i64),
        name!(nulls, i64),
        name!(alone, f64),
        name!(adds, f64),
        name!(role, String),
        name!(masking, String),
        name!(reason, String),
    ),
> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        let source = Source::open(needed("source", source)?)?;
        search::columns::columns(&source, at_least_1("k", k)?)
    })());
    TableIterator::new(rows.into_iter().map(|row| {
        let (distinct, nulls) = (row.distinct as i64, row.nulls as i64);
        let role = row.role.to_string();
        (row.name, row.type_name, distinct, nulls, row.alone, row.adds, role, row.masking, row.reason)
    }))
}
