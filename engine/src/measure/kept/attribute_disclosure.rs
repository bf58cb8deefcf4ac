//! Counts the rows in which a masked column's value is given away: by all kept columns, by none, and by the one that
//! does so most.
//!
//! A pass over the rows stops when it can no longer reach its threshold: `least` rows for all columns together, more
//! than the best column so far for a single one.

use super::sorted::{ClassOfGroup, GroupsExcept, SortedKept, SortedRecords};
use super::AttributeDisclosure;
use crate::table::codes::{each_width, Width};
use crate::table::Codes;
use crate::{pace, Code, Error};

/// A masked column.
pub(super) struct Attribute<'a> {
    pub index: usize,
    /// For each released value, by number, whether it shows less than the source holds.
    pub is_generalized: &'a [bool],
    /// Original values, in the order of the records.
    pub original: &'a Codes,
    /// Result for the kept columns that were counted before.
    pub counted_before: Option<AttributeDisclosure>,
}

/// Rows whose masked value is given away.
struct GivenAway {
    rows: u64,
    /// Those without any kept column.
    baseline: u64,
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
    /// Adds rows with a masked value. Returns the number of rows given away in all groups, which was `given_away`
    /// before.
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

/// A slot for each kept value. Group numbers only grow, so a slot of an earlier group is recognized by its number.
struct Slots {
    slots: Vec<Slot>,
    group: u32,
}

/// Counts how kept columns give away masked ones.
pub(super) struct DisclosureCounter<'a> {
    pub records: &'a SortedRecords,
    pub columns: &'a [&'a SortedKept],
    /// Largest number of values of a column.
    pub max_cardinality: usize,
    /// Number of all rows.
    pub rows: u64,
    /// Smallest number of rows that is reported.
    pub least: u64,
}

impl DisclosureCounter<'_> {
    /// Counts how the columns give away a masked column.
    pub fn count_attribute(&self, attribute: &Attribute) -> Result<Option<AttributeDisclosure>, Error> {
        if !attribute.is_generalized.contains(&true) {
            return Ok(None);
        }
        let groups = self.records.group_except(attribute.index, attribute.is_generalized)?;
        let slots = &mut Slots { slots: vec![Slot::default(); self.max_cardinality], group: 0 };
        let mut count = |column: &SortedKept, least| {
            each_width!(&column.codes, kept => each_width!(attribute.original, values => {
                self.count_rows(kept, values, &groups, slots, least)
            }))
        };
        let mut columns = self.columns;
        let mut disclosure = match attribute.counted_before {
            Some(disclosure) => disclosure,
            None => {
                // The first column is the combination of all, or the only one.
                let Some((all, others)) = columns.split_first() else { return Ok(None) };
                let Some(GivenAway { rows, baseline }) = count(all, self.least)? else { return Ok(None) };
                columns = others;
                // Each column gives away at least the baseline.
                let best = if others.is_empty() && all.index.is_some() { rows } else { baseline };
                AttributeDisclosure { by_all_kept: rows, baseline_rows: baseline, best_single: (0, best) }
            }
        };
        for column in columns {
            let Some(index) = column.index else { continue };
            let (best_index, best_rows) = disclosure.best_single;
            // Of columns that give away equally many rows, the first is reported.
            let least = best_rows + u64::from(index > best_index);
            if least > disclosure.by_all_kept {
                continue;
            }
            if let Some(given_away) = count(column, least)? {
                disclosure.best_single = (index, given_away.rows);
            }
        }
        Ok(Some(disclosure))
    }

    /// Counts the rows whose masked value a kept column gives away. Returns None if they are fewer than `least`.
    fn count_rows<K: Width, V: Width>(
        &self,
        kept: &[K],
        values: &[V],
        groups: &GroupsExcept,
        Slots { slots, group }: &mut Slots,
        least: u64,
    ) -> Result<Option<GivenAway>, Error> {
        if *group > u32::MAX / 2 {
            slots.fill(Slot::default());
            *group = 0;
        }
        let (mut given_away, mut baseline, mut rows_left) = (0, 0, self.rows);
        // Without a kept column, all rows of a group share one slot.
        let mut only_slot = Slot::default();
        for classes in groups.iter() {
            *group += 1;
            for &ClassOfGroup { class, is_generalized } in classes {
                let places = self.records.class(class);
                pace::tick(places.len())?;
                for place in places {
                    let (slot, value) = (&mut slots[kept[place].index()], values[place].to_code());
                    let rows = self.records.rows(place);
                    rows_left -= u64::from(rows);
                    // A value that is shown as it is cannot be given away, but it tells values apart.
                    let rows = if is_generalized { rows } else { 0 };
                    given_away = slot.add_rows(*group, value, rows, given_away);
                    baseline = only_slot.add_rows(*group, value, rows, baseline);
                }
                if given_away + rows_left < least {
                    return Ok(None);
                }
            }
        }
        Ok(Some(GivenAway { rows: given_away, baseline }))
    }
}
