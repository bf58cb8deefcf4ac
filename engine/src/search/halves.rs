//! Both halves of a group's interval while the split moves upwards through the group's codes: their rows, persons and
//! sensitive values.

use super::counts::Counts;
use crate::partition::{CodeOrder, GroupId, Partition};
use crate::{pace, Code, Error};
use std::ops::Range;

pub(super) struct Halves {
    pub left: Counts,
    pub right: Counts,
    /// Sensitive columns that are counted by rows, with the number of values of each.
    sensitive: Vec<(usize, usize)>,
    codes: Range<Code>,
    /// Whether `order` has the counts by code and sensitive value. Otherwise the records are scanned.
    has_value_counts: bool,
    /// The first of `order.records` that is still in the right half.
    next: usize,
    /// The first of `order.holders` that has not been applied.
    next_holder: usize,
}

impl Halves {
    /// Starts with all rows of a group in the right half. `whole` has the counts of the group, and `columns` are the
    /// sensitive columns to count. Fills `order` with the group's codes on the column at `place`.
    pub fn new(
        partition: &Partition,
        (group, place): (GroupId, usize),
        codes: Range<Code>,
        (whole, columns): (&Counts, impl Iterator<Item = usize>),
        order: &mut CodeOrder,
    ) -> Result<Halves, Error> {
        let mut sensitive: Vec<(usize, usize)> = columns.map(|s| (s, whole.value_counts(s).len())).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        let held: Vec<usize> = sensitive
            .extract_if(.., |(s, _)| partition.counts_persons_per_value(*s))
            .map(|(s, _)| s)
            .collect();
        let counted = partition.count_codes((group, place), codes.clone(), &sensitive, order)?;
        if !counted && order.codes.len() > 1 {
            partition.order_records(group, place, codes.clone(), order)?;
        }
        partition.count_range_ends(group, place, order)?;
        partition.find_value_ranges(group, place, &held, order)?;
        let (left, right) = (Counts::zero_like(whole)?, whole.clone());
        Ok(Halves { left, right, sensitive, codes, has_value_counts: counted, next: 0, next_holder: 0 })
    }

    /// Moves the rows with the `number`-th code of the group from the right half to the left. Calls `told` for each
    /// moved value of a column that is counted by rows, with the column, the value and the number of rows.
    pub fn move_code(
        &mut self,
        number: usize,
        (partition, place): (&Partition, usize),
        order: &CodeOrder,
        mut told: impl FnMut(usize, Code, u32),
    ) -> Result<(), Error> {
        let Halves { left, right, sensitive, codes, has_value_counts: counted, next, next_holder } = self;
        let (code, rows) = order.codes[number];
        left.move_rows(right, rows, order.persons.get(number).copied().unwrap_or_default());
        let holders = &order.range_ends[*next_holder..];
        for holder in holders.iter().take_while(|holder| holder.number as usize == number) {
            let moved = if holder.is_least { (1, 0) } else { (0, 1) };
            left.move_holders(right, holder.column as usize, holder.value, moved);
            *next_holder += 1;
        }
        if *counted {
            let at = (code - codes.start) as usize;
            for (nth, &(s, values)) in sensitive.iter().enumerate() {
                pace::tick(values)?;
                let rows = order.values(codes.len(), at, sensitive, nth);
                for (value, &rows) in (0..).zip(rows).filter(|(_, rows)| **rows > 0) {
                    left.move_value(right, s, value, rows);
                    told(s, value, rows);
                }
            }
            return Ok(());
        }
        let all = &order.records[*next..];
        for &record in all.iter().take_while(|&&record| partition.code(record, place) == code) {
            pace::tick(sensitive.len())?;
            for &(s, _) in &*sensitive {
                let rows = partition.sensitive_weight(record, s);
                let value = partition.sensitive(record, s);
                left.move_value(right, s, value, rows);
                told(s, value, rows);
            }
            *next += 1;
        }
        Ok(())
    }
}
