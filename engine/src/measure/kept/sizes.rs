//! Counts of rows in groups of fewer than k by a kept column.

use super::classes::ReleasedClasses;
use super::packed::{slot_mut, KeptPlace, PackedColumns};
use crate::progress::check_table_memory;
use crate::table::Codes;
use crate::{pace, Code, Error};
use hashbrown::HashSet;

/// Counts these rows within the classes and, for a single column, in the whole table.
pub(super) fn count_rows_at_risk(
    (packed, classes): (&PackedColumns, &ReleasedClasses),
    column: &KeptPlace,
    k: u64,
    persons: bool,
) -> Result<(u64, u64), Error> {
    let mut sizes = GroupSizes::new(column.cardinality, persons);
    let (at, bytes) = column.place;
    let mut within = 0;
    for is_alone in [false, true].into_iter().take(if column.which.is_some() { 2 } else { 1 }) {
        for (class, &records) in (0..).zip(&classes.records) {
            pace::tick(2 * records as usize)?;
            for record in packed.class(class) {
                let code = Codes::read_from_record(record, at, bytes);
                sizes.add(code, packed.person(record), packed.rows(record))?;
            }
            within += if is_alone { 0 } else { sizes.take_rows_below(k) };
        }
    }
    Ok((within, sizes.take_rows_below(k)))
}

/// Sizes of the groups by kept value: in rows and, if persons are counted, in persons.
pub(super) struct GroupSizes {
    cardinality: usize,
    rows: Vec<u32>,
    persons: Option<PersonsByValue>,
    touched: Vec<Code>,
}

/// Number of persons with each kept value, and the pairs of both that were seen.
struct PersonsByValue {
    counts: Vec<u32>,
    seen: HashSet<(Code, Code)>,
}

impl GroupSizes {
    /// Returns the bytes that the sizes of `cardinality` values take, without the pairs.
    pub fn bytes(cardinality: usize, persons: bool) -> usize {
        let counts = if persons { 3 } else { 2 };
        counts * size_of::<u32>() * (cardinality + 1)
    }

    fn new(cardinality: usize, persons: bool) -> GroupSizes {
        let none = vec![0; cardinality + 1];
        let persons = persons.then(|| PersonsByValue { counts: none.clone(), seen: HashSet::new() });
        GroupSizes { cardinality, rows: none, persons, touched: Vec::with_capacity(cardinality + 1) }
    }

    fn add(&mut self, code: Code, person: Code, rows: u32) -> Result<(), Error> {
        let count = slot_mut(&mut self.rows, code, self.cardinality);
        if *count == 0 {
            self.touched.push(code);
        }
        *count += rows;
        if let Some(PersonsByValue { counts, seen }) = &mut self.persons {
            if seen.len() == seen.capacity() {
                check_table_memory::<(Code, Code)>(seen.len() + 1)?;
            }
            if seen.insert((code, person)) {
                *slot_mut(counts, code, self.cardinality) += 1;
            }
        }
        Ok(())
    }

    /// Counts the rows in groups of fewer than k, and clears all groups.
    fn take_rows_below(&mut self, k: u64) -> u64 {
        let mut below = 0;
        for code in self.touched.drain(..) {
            let rows = std::mem::take(slot_mut(&mut self.rows, code, self.cardinality));
            let size = match &mut self.persons {
                Some(persons) => std::mem::take(slot_mut(&mut persons.counts, code, self.cardinality)),
                None => rows,
            };
            below += if u64::from(size) < k { u64::from(rows) } else { 0 };
        }
        if let Some(persons) = &mut self.persons {
            persons.seen.clear();
        }
        below
    }
}
