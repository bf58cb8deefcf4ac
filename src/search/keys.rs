//! privacy_keys: the columns of a source are read once, and the engine counts which combinations of them single
//! rows out.

use crate::postgres::activity::{self, Phase};
use crate::postgres::error::{Result, SqlError};
use crate::read::order::told_apart;
use crate::read::scan;
use crate::read::source::Source;
use topdown::measure::{self, Key};
use topdown::table::Store;

/// How many combinations are counted at most.
const MOST_COMBINATIONS: u64 = 100_000;

/// The combinations of up to `most` of the columns that single rows out, and how many rows there are.
pub fn keys(source: &Source, columns: &[usize], k: u64, most: usize) -> Result<(Vec<Key>, u64)> {
    let most = most.min(columns.len());
    let combinations = combinations(columns.len() as u64, most as u64);
    if combinations > MOST_COMBINATIONS {
        let are_few =
            |most: &usize| self::combinations(columns.len() as u64, *most as u64) <= MOST_COMBINATIONS;
        let fewer = (1..most).rev().find(are_few);
        return Err(SqlError::limit(format!(
            "{} columns have too many combinations of up to {most}",
            columns.len()
        ))
        .detail(format!("At most {MOST_COMBINATIONS} are counted."))
        .hint(match fewer {
            Some(fewer) => {
                format!("Name fewer columns, or ask for combinations of fewer: max_columns => {fewer}.")
            }
            None => "Name fewer columns.".into(),
        }));
    }
    activity::enter(Phase::Reading);
    let mut table = scan::read(source, columns)?;
    activity::enter(Phase::Binding);
    let mut numbered = Vec::new();
    for &column in columns {
        numbered.push(told_apart(table.column_mut(column)?)?);
    }
    activity::enter(Phase::Searching);
    let (codes, cardinalities): (Vec<&Store>, Vec<usize>) =
        numbered.iter().map(|(codes, cardinality)| (codes, *cardinality)).unzip();
    Ok((measure::find_keys(&codes, &cardinalities, table.rows, k, most)?, table.rows as u64))
}

/// How many combinations of 1 to `most` of some columns there are.
fn combinations(columns: u64, most: u64) -> u64 {
    let mut sum = 0u64;
    let mut of_size = 1u64;
    for size in 1..=most.min(columns) {
        of_size = of_size.saturating_mul(columns + 1 - size) / size;
        sum = sum.saturating_add(of_size);
        if sum > MOST_COMBINATIONS {
            break;
        }
    }
    sum
}
