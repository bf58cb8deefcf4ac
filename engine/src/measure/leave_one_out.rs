//! Rows that each of some columns helps to single out: the rows in small groups by all of the columns, and by all but
//! each one in turn.
//!
//! Nearly every column belongs to nearly every one of these groupings. So the columns are halved: one half divides the
//! records once, for all groupings that leave out a column of the other half, and the other half is then halved again.
//! Each column divides the records once a level, not once for every other column.

use crate::table::{compress, Codes, Store};
use crate::{pace, Error};
use std::ops::Range;

/// Rows in groups of fewer than k.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaveOneOut {
    /// By all columns.
    pub all: u64,
    /// By all columns but one, each in turn.
    pub without: Vec<u64>,
}

/// Counts the rows in groups of fewer than `k`, by all columns and without each. Codes are below the cardinalities.
pub fn count_leave_one_out(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    k: u64,
) -> Result<LeaveOneOut, Error> {
    let mut folded = compress(columns, cardinalities, rows, None)?;
    // Nothing needs the record of each row.
    folded.ids = Vec::new();
    let all = rows_in_small_groups(&folded.weights, k)?;
    let records = folded.weights.len();
    let search = DistinctRecords {
        columns: folded.columns.into_iter().map(Store::Memory).collect(),
        cardinalities,
        weights: Codes::from(folded.weights),
        k,
    };
    let mut without = vec![0; columns.len()];
    if !columns.is_empty() {
        let numbers: Store = pace::collect(std::iter::repeat_n(0, records))?.into();
        search.count_without_each(
            &NumberedGroups { numbers, rows: vec![rows as u32] },
            0..columns.len(),
            &mut without,
        )?;
    }
    Ok(LeaveOneOut { all, without })
}

/// Distinct records by all columns.
struct DistinctRecords<'a> {
    columns: Vec<Store>,
    cardinalities: &'a [usize],
    /// Rows of each record.
    weights: Codes,
    k: u64,
}

/// The records in groups by the columns outside of a range.
struct NumberedGroups {
    /// Group of each record.
    numbers: Store,
    /// Rows of each group.
    rows: Vec<u32>,
}

impl DistinctRecords<'_> {
    /// Counts without each column of `range`. `outside` are the groups by the columns outside of it.
    fn count_without_each(
        &self,
        outside: &NumberedGroups,
        range: Range<usize>,
        without: &mut [u64],
    ) -> Result<(), Error> {
        if range.len() == 1 {
            without[range.start] = rows_in_small_groups(&outside.rows, self.k)?;
            return Ok(());
        }
        let middle = range.start + range.len() / 2;
        let (first, second) = (range.start..middle, middle..range.end);
        self.count_without_each(&self.divide(outside, second.clone())?, first.clone(), without)?;
        self.count_without_each(&self.divide(outside, first)?, second, without)
    }

    /// Divides groups by further columns.
    fn divide(&self, groups: &NumberedGroups, by: Range<usize>) -> Result<NumberedGroups, Error> {
        let mut columns = vec![&groups.numbers];
        let mut cardinalities = vec![groups.rows.len()];
        columns.extend(&self.columns[by.clone()]);
        cardinalities.extend(&self.cardinalities[by]);
        let divided = compress(&columns, &cardinalities, self.weights.len(), Some(&self.weights))?;
        Ok(NumberedGroups { numbers: divided.ids.into(), rows: divided.weights })
    }
}

/// Counts the rows in groups of fewer than `k`.
fn rows_in_small_groups(groups: &[u32], k: u64) -> Result<u64, Error> {
    let mut below = 0;
    pace::each(groups, |&rows| below += if u64::from(rows) < k { u64::from(rows) } else { 0 })?;
    Ok(below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Counts by a single grouping.
    fn counted(rows: &[Vec<Code>], left_out: Option<usize>, k: u64) -> u64 {
        let mut groups = BTreeMap::<Vec<Code>, u64>::new();
        for row in rows {
            let key = row.iter().enumerate().filter(|(column, _)| Some(*column) != left_out);
            *groups.entry(key.map(|(_, &code)| code).collect()).or_default() += 1;
        }
        groups.values().filter(|&&n| n < k).sum()
    }

    proptest! {
        #[test]
        fn as_one_grouping_at_a_time(
            rows in prop::collection::vec(prop::collection::vec(0u32..4, 6), 0..80),
            columns in 0usize..7,
            k in 1u64..6,
        ) {
            let rows: Vec<Vec<Code>> = rows.into_iter().map(|row| row[..columns].to_vec()).collect();
            let stores: Vec<Store> = (0..columns).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
            let stores: Vec<&Store> = stores.iter().collect();
            let found = count_leave_one_out(&stores, &vec![4; columns], rows.len(), k).unwrap();
            prop_assert_eq!(found.all, counted(&rows, None, k));
            let each: Vec<u64> = (0..columns).map(|column| counted(&rows, Some(column), k)).collect();
            prop_assert_eq!(found.without, each);
        }
    }
}
