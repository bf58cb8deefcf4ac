//! How many values of somebody may be known: of so many columns that the sets of them can be counted.

use super::out_of_range;
use crate::postgres::error::{Result, SqlError};

/// So many sets of columns are counted at most.
const MOST_SETS: u64 = 10_000;

/// Whether values of l columns can be known, of which there are not too many sets.
pub(super) fn must_be_countable(l: i32, columns: usize) -> Result<()> {
    let (l, n) = (i64::from(l), columns as i64);
    if !(1..=n).contains(&l) {
        let range = format!("between 1 and the number of columns, {n}");
        return Err(out_of_range("l", &range, l as f64));
    }
    let mut sets: u64 = 1;
    for chosen in 1..=l.min(n - l) as u64 {
        sets = sets.saturating_mul(n as u64 - chosen + 1) / chosen;
    }
    if sets > MOST_SETS {
        return Err(SqlError::parameter(format!(
            "{n} columns have {sets} sets of {l}: more than {MOST_SETS}"
        ))
        .detail("The groups by each set of columns are counted.")
        .hint("Ask for a smaller l, or name fewer columns."));
    }
    Ok(())
}
