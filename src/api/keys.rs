//! privacy_keys: what to name as quasi-identifier.

use super::at_least_1;
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, percent, tell, Result, SqlError};
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::read::source::Source;
use crate::search;
use pgrx::prelude::*;
use topdown::measure::Key;

/// Which combinations of columns single rows out, the most dangerous first.
#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn privacy_keys(
    source: Option<Regclass>,
    columns: default!(Option<Elements<String>>, "NULL"),
    k: default!(Option<i32>, "5"),
    max_columns: default!(Option<i32>, "3"),
) -> TableIterator<
    'static,
    (
        name!(columns, Vec<String>),
        name!(groups, i64),
        name!(unique_rows, i64),
        name!(rows_below_k, i64),
        name!(share_below_k, f64),
    ),
> {
    let rows = or_raise((|| {
        let _operation = Operation::begin()?;
        let source = Source::open(needed("source", source)?)?;
        let columns = columns.map(|columns| elements("columns", Some(columns))).transpose()?;
        let k = at_least_1("k", k)?;
        let most = at_least_1("max_columns", max_columns)?;
        let places = places(&source, columns)?;
        let (keys, rows) = search::keys::keys(&source, &places, k, most as usize)?;
        tell_of_single_columns(&source, &places, &keys, rows);
        let names =
            |columns: &[usize]| columns.iter().map(|&c| source.columns[places[c]].name.clone()).collect();
        let row = |key: topdown::measure::Key| {
            let share = key.below as f64 / rows as f64;
            (names(&key.columns), key.groups as i64, key.unique as i64, key.below as i64, share)
        };
        Ok(keys.into_iter().map(row).collect::<Vec<_>>())
    })());
    TableIterator::new(rows)
}

/// Says of a column by itself how much of what it is a part of it explains: nine of ten rows or more.
fn tell_of_single_columns(source: &Source, places: &[usize], keys: &[Key], rows: u64) {
    for alone in keys.iter().filter(|key| key.columns.len() == 1) {
        let with = keys.iter().filter(|key| key.columns.len() > 1 && key.columns.contains(&alone.columns[0]));
        let (explained, all) = with.fold((0, 0), |(explained, all), key| {
            (explained + u64::from(alone.below * 10 >= key.below * 9), all + 1)
        });
        if alone.below == 0 || explained == 0 {
            continue;
        }
        let name = &source.columns[places[alone.columns[0]]].name;
        let share = percent(alone.below as f64 / rows as f64);
        tell(
            format!("column \"{name}\" leaves {share} of the rows in small groups by itself, which explains {explained} of the {all} combinations with it"),
            "Leave it out of columns to see what the others tell without it.",
        );
    }
}

/// The places of the columns that are named, in the source's order; all of them where none are.
fn places(source: &Source, columns: Option<Vec<String>>) -> Result<Vec<usize>> {
    let Some(columns) = columns else { return Ok((0..source.columns.len()).collect()) };
    if columns.is_empty() {
        return Err(SqlError::parameter("no column is named").hint("columns => NULL looks at all of them."));
    }
    let mut places = columns.iter().map(|name| source.column(name)).collect::<Result<Vec<usize>>>()?;
    places.sort_unstable();
    if let Some(twice) = places.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(SqlError::parameter(format!(
            "column \"{}\" is named twice",
            source.columns[twice[0]].name
        )));
    }
    Ok(places)
}
