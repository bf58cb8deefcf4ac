//! Both halves of a group's interval while the split moves upwards through the group's codes: their rows, persons and
//! sensitive values.

use super::counts::Counts;
use crate::partition::{CodeOrder, GroupId, Partition};
use crate::{pace, Code, Error};
use std::ops::Range;

pub(super) struct Halves<'a> {
    pub left: Counts,
    pub right: Counts,
    partition: &'a Partition,
    place: usize,
    order: &'a CodeOrder,
    /// Sensitive columns that are counted by rows, with the number of values of each.
    sensitive: Vec<(usize, usize)>,
    codes: Range<Code>,
    /// Whether `order` has the counts by code and sensitive value. Otherwise the records are scanned.
    has_value_counts: bool,
    /// The first of `order.codes`, of `order.records` and of `order.range_ends` that is still in the right half.
    next: usize,
    next_record: usize,
    next_range_end: usize,
}

impl<'a> Halves<'a> {
    /// Starts with all rows of a group in the right half. `codes` are those of the group's interval on the column at
    /// `place`, `whole` has the counts of the group, and `columns` are the sensitive columns to count. `order` is a
    /// buffer.
    pub fn new(
        partition: &'a Partition,
        group: GroupId,
        place: usize,
        codes: Range<Code>,
        whole: &Counts,
        columns: impl Iterator<Item = usize>,
        order: &'a mut CodeOrder,
    ) -> Result<Halves<'a>, Error> {
        let mut sensitive: Vec<(usize, usize)> = columns.map(|s| (s, whole.value_counts(s).len())).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        let counted_by_persons: Vec<usize> = sensitive
            .extract_if(.., |(s, _)| partition.counts_persons_per_value(*s))
            .map(|(s, _)| s)
            .collect();
        let has_value_counts = partition.count_codes((group, place), codes.clone(), &sensitive, order)?;
        if !has_value_counts && order.codes.len() > 1 {
            partition.order_records(group, place, codes.clone(), order)?;
        }
        partition.count_range_ends(group, place, order)?;
        partition.find_value_ranges(group, place, &counted_by_persons, order)?;
        let (left, right) = (Counts::zero_like(whole)?, whole.clone());
        Ok(Halves {
            left,
            right,
            partition,
            place,
            order,
            sensitive,
            codes,
            has_value_counts,
            next: 0,
            next_record: 0,
            next_range_end: 0,
        })
    }

    /// Moves the rows with the lowest code of the right half to the left. Returns the points where the halves are split
    /// like this, each by the first code of the right half, or None if the right half would be empty. Calls `moved` for
    /// each moved value of a column that is counted by rows, with the column, the value and the number of rows.
    pub fn next_split(
        &mut self,
        mut moved: impl FnMut(usize, Code, u32),
    ) -> Result<Option<Range<Code>>, Error> {
        pace::tick(1)?;
        let (Some(&(code, rows)), Some(&(next_code, _))) =
            (self.order.codes.get(self.next), self.order.codes.get(self.next + 1))
        else {
            return Ok(None);
        };
        let points = code + 1..next_code + 1;
        let Halves { left, right, partition, place, order, sensitive, codes, .. } = self;
        left.move_rows(right, rows, order.persons.get(self.next).copied().unwrap_or_default());
        let ends = &order.range_ends[self.next_range_end..];
        for end in ends.iter().take_while(|end| end.number as usize == self.next) {
            // The first record with a value in a person's range brings the person to the left. The last one takes the
            // person from the right.
            let (come, gone) = if end.is_least { (1, 0) } else { (0, 1) };
            left.move_value(right, end.column as usize, end.value, (come, gone));
            self.next_range_end += 1;
        }
        self.next += 1;
        if self.has_value_counts {
            let at = (code - codes.start) as usize;
            for (nth, &(s, values)) in sensitive.iter().enumerate() {
                pace::tick(values)?;
                let rows = order.values(codes.len(), at, sensitive, nth);
                for (value, &rows) in (0..).zip(rows).filter(|(_, rows)| **rows > 0) {
                    left.move_value(right, s, value, (rows, rows));
                    moved(s, value, rows);
                }
            }
            return Ok(Some(points));
        }
        let records = &order.records[self.next_record..];
        for &record in records.iter().take_while(|&&record| partition.code(record, *place) == code) {
            pace::tick(sensitive.len())?;
            for &(s, _) in &*sensitive {
                let rows = partition.sensitive_weight(record, s);
                let value = partition.sensitive(record, s);
                left.move_value(right, s, value, (rows, rows));
                moved(s, value, rows);
            }
            self.next_record += 1;
        }
        Ok(Some(points))
    }
}
