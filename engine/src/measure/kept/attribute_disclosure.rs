//! Counts the rows in which a masked column's value is given away: by all kept columns, by none, and by the one that
//! does so most.
//!
//! A pass over the rows stops when it can no longer reach its threshold: `least` rows for all columns together, more
//! than the best column so far for a single one.

use super::sorted::{GroupsExcept, SortedKept, SortedRecords};
use super::AttributeDisclosure;
use crate::table::codes::{each_width, Width};
use crate::table::Codes;
use crate::{pace, Code, Error};

/// A masked column.
pub(super) struct Attribute<'a> {
    pub attribute: usize,
    pub shows_less: &'a [bool],
    /// Original values, in the order of the records.
    pub original: &'a Codes,
}

/// State of a kept value in the group that is being counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Slot {
    /// Number of that group, from 1.
    group: u32,
    /// Masked value of all rows so far.
    value: Code,
    /// Number of these rows, or [`SEVERAL`].
    rows: u32,
}

/// Marks several masked values: more rows than possible.
const SEVERAL: u32 = u32::MAX;

impl Slot {
    /// Adds rows with a masked value. Updates and returns the number of rows that are given away in all groups.
    #[inline]
    fn add_rows(&mut self, group: u32, value: Code, rows: u32, given_away: u64) -> u64 {
        if self.group != group {
            *self = Slot { group, value, rows };
            given_away + u64::from(rows)
        } else if self.rows == SEVERAL {
            given_away
        } else if self.value != value {
            given_away - u64::from(std::mem::replace(&mut self.rows, SEVERAL))
        } else {
            self.rows += rows;
            given_away + u64::from(rows)
        }
    }
}

/// A slot for each kept value. Group numbers only grow, so a slot of an earlier group is recognized as old.
struct Slots {
    slots: Vec<Slot>,
    group: u32,
}

/// Counts how kept columns give away masked ones.
pub(super) struct DisclosureCounter<'a> {
    pub records: &'a SortedRecords,
    pub columns: &'a [&'a SortedKept],
    /// Number of slots that the columns need.
    pub widest: usize,
    /// Number of all rows.
    pub rows: u64,
    /// Smallest number of rows that is reported.
    pub least: u64,
}

impl DisclosureCounter<'_> {
    /// Counts how the columns give away a masked column. `known` is the result for columns counted before.
    pub fn count_attribute(
        &self,
        attribute: &Attribute,
        mut known: Option<AttributeDisclosure>,
    ) -> Result<Option<AttributeDisclosure>, Error> {
        if !attribute.shows_less.contains(&true) {
            return Ok(None);
        }
        let groups = self.records.group_except(attribute.attribute, attribute.shows_less)?;
        let slots = &mut Slots { slots: vec![Slot::default(); self.widest], group: 0 };
        let mut count = |column: &SortedKept, least| {
            each_width!(&column.codes, kept => each_width!(attribute.original, values => {
                self.count_rows((kept, values), &groups, slots, least)
            }))
        };
        let mut columns = self.columns;
        // The first column is the combination of all, or the only one.
        if known.is_none() {
            let Some((all, others)) = columns.split_first() else { return Ok(None) };
            let Some((together, without)) = count(all, self.least)? else { return Ok(None) };
            let most = if others.is_empty() && all.which.is_some() { together } else { without };
            // Each column gives away at least the baseline.
            known = Some(AttributeDisclosure {
                by_all_kept: together,
                baseline_rows: without,
                best_single: (0, most),
            });
            columns = others;
        }
        let Some(known) = &mut known else { return Ok(None) };
        for column in columns {
            let Some(which) = column.which else { continue };
            let (first, rows) = known.best_single;
            let needed = rows + u64::from(which > first);
            if needed > known.by_all_kept {
                continue;
            }
            if let Some((rows, _)) = count(column, needed)? {
                known.best_single = (which, rows);
            }
        }
        Ok(Some(*known))
    }

    /// Counts the rows whose masked value a kept column gives away, and the rows whose value is given away without it.
    /// Returns None if the first are fewer than `least`.
    fn count_rows<K: Width, V: Width>(
        &self,
        (kept, values): (&[K], &[V]),
        groups: &GroupsExcept,
        Slots { slots, group }: &mut Slots,
        least: u64,
    ) -> Result<Option<(u64, u64)>, Error> {
        if *group > u32::MAX / 2 {
            slots.fill(Slot::default());
            *group = 0;
        }
        let (mut rows, mut without, mut left) = (0, 0, self.rows);
        // The baseline without a kept column needs one slot.
        let mut only = Slot::default();
        for classes in groups.iter() {
            *group += 1;
            for &(class, shows_less) in classes {
                let places = self.records.class(class);
                pace::tick(places.len())?;
                for place in places {
                    let (slot, value) = (&mut slots[kept[place].index()], values[place].to_code());
                    let more = self.records.rows(place);
                    left -= u64::from(more);
                    let more = if shows_less { more } else { 0 };
                    rows = slot.add_rows(*group, value, more, rows);
                    without = only.add_rows(*group, value, more, without);
                }
                if rows + left < least {
                    return Ok(None);
                }
            }
        }
        Ok(Some((rows, without)))
    }
}
