//! What lies on both sides of a split of a group's interval, as the split moves upwards through the values that the
//! group holds: how many rows, of how many persons, and with which sensitive values.

use super::parts::Counts;
use crate::partition::{GroupId, Order, Partition};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Both sides of a split.
pub(super) struct Halves {
    pub left: Counts,
    pub right: Counts,
    /// The sensitive columns that are counted, each with how many values it has.
    sensitive: Vec<(usize, usize)>,
    codes: Range<Code>,
    /// Whether `order` has the counts by (code, sensitive value). If not, the records are scanned.
    counted: bool,
    /// The first record of the order that is still in the right half.
    next: usize,
    /// The first of the order's holders whose code is there.
    next_holder: usize,
}

impl Halves {
    /// All rows of a group, `whole`, on the right; `order` counts their codes on the column at a place. Of the
    /// sensitive `columns` values are counted.
    pub fn of(
        partition: &Partition,
        (group, place): (GroupId, usize),
        codes: Range<Code>,
        (whole, columns): (&Counts, impl Iterator<Item = usize>),
        order: &mut Order,
    ) -> Result<Halves, Error> {
        let mut sensitive: Vec<(usize, usize)> = columns.map(|s| (s, whole.of_values(s).len())).collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        let held: Vec<usize> =
            sensitive.extract_if(.., |(s, _)| partition.counts_holders(*s)).map(|(s, _)| s).collect();
        let counted = partition.count_codes((group, place), codes.clone(), &sensitive, order)?;
        if !counted && order.codes.len() > 1 {
            partition.order_records(group, place, codes.clone(), order)?;
        }
        partition.count_ends(group, place, order)?;
        partition.note_holders(group, place, &held, order)?;
        let (left, right) = (Counts::zero_like(whole)?, whole.clone());
        Ok(Halves { left, right, sensitive, codes, counted, next: 0, next_holder: 0 })
    }

    /// Moves the rows with the `number`-th of the group's codes from the right half to the left. Calls `told`
    /// with each sensitive column, value and number of moved rows.
    pub fn take(
        &mut self,
        number: usize,
        (partition, place): (&Partition, usize),
        order: &Order,
        mut told: impl FnMut(usize, Code, u32),
    ) -> Result<(), Error> {
        let Halves { left, right, sensitive, codes, counted, next, next_holder } = self;
        let (code, rows) = order.codes[number];
        left.take(right, rows, order.persons.get(number).copied().unwrap_or_default());
        let holders = &order.holders[*next_holder..];
        for holder in holders.iter().take_while(|holder| holder.number as usize == number) {
            let moved = if holder.is_least { (1, 0) } else { (0, 1) };
            left.take_holder(right, holder.column as usize, holder.value, moved);
            *next_holder += 1;
        }
        if *counted {
            let at = (code - codes.start) as usize;
            for (nth, &(s, values)) in sensitive.iter().enumerate() {
                pace::tick(values)?;
                let rows = order.values(codes.len(), at, sensitive, nth);
                for (value, &rows) in (0..).zip(rows).filter(|(_, rows)| **rows > 0) {
                    left.take_value(right, s, value, rows);
                    told(s, value, rows);
                }
            }
            return Ok(());
        }
        let all = &order.records[*next..];
        for &record in all.iter().take_while(|&&record| partition.code(record, place) == code) {
            pace::tick(sensitive.len())?;
            for &(s, _) in &*sensitive {
                let rows = partition.weight_of(record, s);
                let value = partition.sensitive(record, s);
                left.take_value(right, s, value, rows);
                told(s, value, rows);
            }
            *next += 1;
        }
        Ok(())
    }
}
