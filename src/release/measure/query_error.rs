//! How far off the answers of a version are: queries over its source are asked of what was written, as a reader gets it.
//! The view's values are read, and the cut and the trees say what each of them stands for.

use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::Column;
use crate::release::store::means::mean_column;
use crate::release::store::parameters::Mask;
use crate::release::trace::Version;
use crate::search::queries::{numbers_of, quantile, AskedNumber, Queries, ShownColumn, StandsFor, MEDIAN};
use crate::terms::labels::CHANGED_BY_HAND;
use serde_json::{json, Map, Value};
use std::collections::BTreeMap;
use topdown::measure::{Aggregate, QueryError};
use topdown::progress::check_memory;
use topdown::table::Store;
use topdown::Code;

/// The errors of the queries over some columns that ask for the same.
#[derive(Debug)]
pub struct Errors {
    /// How many columns.
    pub columns: usize,
    pub aggregate: Aggregate,
    /// Whether rows are spread as the counts of single columns are.
    pub with_counts: bool,
    /// How many queries have an error: those are left out that are about nothing by the source.
    pub queries: usize,
    pub median: f64,
    /// What nine of ten do not exceed.
    pub p90: f64,
}

const NINE_OF_TEN: f64 = 0.9;

/// As SQL writes it.
pub fn word(aggregate: Aggregate) -> &'static str {
    match aggregate {
        Aggregate::Count => "count",
        Aggregate::Sum => "sum",
        Aggregate::Avg => "avg",
    }
}

/// The errors of queries over a version, whose rows `shown` has: the view, or the version's table; with its counts, too, where it
/// has any; and how many rows these are.
pub fn errors(queries: &Queries, version: &Version, shown: &Source) -> Result<(Vec<Errors>, usize)> {
    let masks = &version.parameters.columns;
    let number = |asked: &AskedNumber| match asked.attribute {
        None => Some(asked.name.clone()),
        Some(_) if version.parameters.arguments.means.contains(&asked.name) => Some(mean_column(&asked.name)),
        Some(_) => None,
    };
    let names = masks.iter().map(|mask| mask.name.clone()).chain(queries.numbers().iter().filter_map(number));
    let mut places = names.map(|name| shown.column(&name)).collect::<Result<Vec<usize>>>()?;
    places.sort_unstable();
    places.dedup();
    let table = scan::read_as_seen(shown, &places)?;
    let column = |name: &str| table.column(shown.column(name)?);
    let columns = masks.iter().map(|mask| as_shown(version, mask, column(&mask.name)?));
    let mut columns = columns.collect::<Result<Vec<ShownColumn>>>()?;
    let as_number = |asked: &AskedNumber| {
        let Some(name) = number(asked) else { return Ok(None) };
        let column = column(&name)?;
        check_memory::<u8>(column.codes.memory_bytes())?;
        Ok(Some((column.codes.clone(), numbers_of(column)?)))
    };
    let mut errors = summed_up(queries.errors(&columns, as_number, table.records)?, false);
    for (column, mask) in columns.iter_mut().zip(masks) {
        column.counts = version.counts(mask)?;
    }
    if columns.iter().any(|column| !column.counts.is_empty()) {
        errors.extend(summed_up(queries.errors(&columns, as_number, table.records)?, true));
    }
    Ok((errors, table.rows))
}

/// A masked column as it was read: what the value of each code stands for, NULL's being the last.
fn as_shown(version: &Version, mask: &Mask, column: &Column) -> Result<ShownColumn> {
    let by_text = version.stands_for(mask)?;
    check_memory::<StandsFor>(column.distinct() + 1)?;
    let values = polled(column.datums()).map(|value| {
        let text = column.ty.output(value);
        by_text.get(&Some(text.clone())).cloned().ok_or_else(|| {
            SqlError::state("the release shows what its cut does not have")
                .detail(format!("It is {}.", clipped(&text)))
                .hint(CHANGED_BY_HAND)
        })
    });
    let mut stands_for = values.collect::<Result<Vec<StandsFor>>>()?;
    let null = stands_for.len() as Code;
    stands_for.push(StandsFor::Null);
    check_memory::<u8>(column.codes.memory_bytes())?;
    let mut codes: Store = column.codes.clone();
    let same: Vec<Code> = (0..null).collect();
    codes.renumber(&same, null)?;
    Ok(ShownColumn { codes, stands_for, counts: Vec::new() })
}

/// By the number of columns, and by what is asked for.
fn summed_up(errors: Vec<QueryError>, with_counts: bool) -> Vec<Errors> {
    let mut alike: BTreeMap<(usize, Aggregate), Vec<f64>> = BTreeMap::new();
    for QueryError { columns, aggregate, error } in polled(errors) {
        alike.entry((columns, aggregate)).or_default().push(error);
    }
    let summed_up = |((columns, aggregate), mut errors): ((usize, Aggregate), Vec<f64>)| {
        let (median, p90) = (quantile(&mut errors, MEDIAN)?, quantile(&mut errors, NINE_OF_TEN)?);
        Some(Errors { columns, aggregate, with_counts, queries: errors.len(), median, p90 })
    };
    alike.into_iter().filter_map(summed_up).collect()
}

/// What recipients are told of them: the medians, by what is asked for and by how many columns, to a thousandth; with counts, where
/// the release has them. More digits would tell more of the source, and nothing of use.
pub fn told(errors: &[Errors]) -> Value {
    let mut told = Map::new();
    // Those with counts come after those without.
    for Errors { columns, aggregate, median, .. } in errors {
        let of = told.entry(word(*aggregate)).or_insert_with(|| json!({}));
        of[columns.to_string()] = json!((median * 1000.0).round() / 1000.0);
    }
    Value::Object(told)
}
