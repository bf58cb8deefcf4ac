//! A table in the order of its classes, so that counts by class read memory in sequence.

use super::ReleasedTable;
use crate::buckets::Buckets;
use crate::measure::classes::{RecordClasses, Released};
use crate::table::{number_distinct, Codes, Store};
use crate::{pace, Error};
use std::ops::Range;

/// The records of a table in the order of their classes, and by person within a class.
pub(super) struct SortedRecords {
    sorted: Buckets,
    /// Person of each record.
    pub persons: Option<Codes>,
    /// Rows that each record stands for; None: one each.
    pub weights: Option<Codes>,
    /// For each masked column, the number of each class's released value.
    numbers: Vec<Vec<u32>>,
    /// For each masked column, the upper bound of these numbers.
    number_counts: Vec<usize>,
}

/// A kept column, or the combination of all, in the order of the records.
pub(super) struct SortedKept {
    pub codes: Codes,
    /// Upper bound of the codes, exclusive.
    pub cardinality: usize,
    /// Index of the column; None: the combination of all.
    pub index: Option<usize>,
}

/// Classes in groups that are released alike on all masked columns but one.
pub(super) struct GroupsExcept {
    /// The classes in the order of their groups.
    classes: Vec<ClassOfGroup>,
    /// Where each group begins, and the end of the last.
    starts: Vec<u32>,
}

/// A class, and whether the one column shows less there than the source holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClassOfGroup {
    pub class: u32,
    pub is_generalized: bool,
}

impl GroupsExcept {
    /// Bytes that the groups of some classes take while they are made.
    pub fn bytes(classes: usize) -> usize {
        classes.saturating_mul(size_of::<ClassOfGroup>() + 4 * size_of::<u32>())
    }

    pub fn iter(&self) -> impl Iterator<Item = &[ClassOfGroup]> {
        self.starts.windows(2).map(|group| &self.classes[group[0] as usize..group[1] as usize])
    }
}

impl SortedRecords {
    pub fn new(table: &ReleasedTable) -> Result<SortedRecords, Error> {
        let released: Vec<Released> = table.masked.iter().map(|column| column.released).collect();
        let classes = RecordClasses::build(&released, table.records)?;
        let numbers = classes.released_numbers(&released)?;
        let sorted = match table.persons {
            None => classes.sort_records()?,
            Some(persons) => {
                let (members, starts) = classes.sort_by_person(persons)?;
                Buckets { items: pace::collect(members.into_iter().map(|member| member.record))?, starts }
            }
        };
        let number_counts = released.iter().map(|column| column.number_count).collect();
        let mut records = SortedRecords { sorted, persons: None, weights: None, numbers, number_counts };
        records.persons = table.persons.map(|persons| records.sort(persons)).transpose()?;
        records.weights = table.weights.map(|weights| records.sort_codes(weights)).transpose()?;
        Ok(records)
    }

    /// Brings a column into the order of the records.
    pub fn sort(&self, column: &Store) -> Result<Codes, Error> {
        let codes = column.load()?;
        self.sort_codes(&codes)
    }

    fn sort_codes(&self, codes: &Codes) -> Result<Codes, Error> {
        Ok(pace::collect(self.sorted.items.iter().map(|&record| codes.get(record as usize)))?.into())
    }

    pub fn class_count(&self) -> usize {
        self.sorted.starts.len() - 1
    }

    /// Returns the places of a class's records.
    pub fn class(&self, class: u32) -> Range<usize> {
        self.sorted.starts[class as usize] as usize..self.sorted.starts[class as usize + 1] as usize
    }

    /// Returns the number of rows that the record at a place stands for.
    #[inline]
    pub fn rows(&self, place: usize) -> u32 {
        self.weights.as_ref().map_or(1, |weights| weights.get(place))
    }

    /// Counts the rows in groups of fewer than `k` rows, or persons, by the masked columns and a kept one.
    pub fn rows_at_risk(&self, kept: &SortedKept, k: u64) -> Result<u64, Error> {
        let (mut groups, mut touched) = (vec![KeptGroup::default(); kept.cardinality], Vec::new());
        let mut at_risk = 0;
        for class in 0..self.class_count() as u32 {
            pace::tick(2 * self.class(class).len())?;
            for place in self.class(class) {
                let code = kept.codes.get(place);
                let group = &mut groups[code as usize];
                if group.size == 0 {
                    touched.push(code);
                }
                let rows = self.rows(place);
                group.rows += rows;
                group.size += match &self.persons {
                    None => rows,
                    Some(persons) => {
                        // A class has the records of a person one after the other.
                        let person = persons.get(place);
                        let is_new = group.size == 0 || group.person != person;
                        group.person = person;
                        u32::from(is_new)
                    }
                };
            }
            for code in touched.drain(..) {
                let group = std::mem::take(&mut groups[code as usize]);
                at_risk += if u64::from(group.size) < k { u64::from(group.rows) } else { 0 };
            }
        }
        Ok(at_risk)
    }

    /// Groups the classes by all masked columns but one.
    pub fn group_except(&self, column: usize, is_generalized: &[bool]) -> Result<GroupsExcept, Error> {
        let mut cardinalities = self.number_counts.clone();
        // A column with a single number is left out.
        cardinalities[column] = 1;
        let pack = |column: usize, bits, run: Range<usize>, keys: &mut [u64]| {
            let numbers = keys.iter_mut().zip(&self.numbers[column][run]);
            numbers.for_each(|(key, &number)| *key = *key << bits | u64::from(number));
            Ok(())
        };
        let (of_classes, count) = number_distinct(&cardinalities, self.class_count(), pack)?;
        let groups = RecordClasses { of_records: Store::from(of_classes), count }.sort_records()?;
        let numbers = &self.numbers[column];
        let class = |&class: &u32| ClassOfGroup {
            class,
            is_generalized: is_generalized[numbers[class as usize] as usize],
        };
        Ok(GroupsExcept { classes: pace::collect(groups.items.iter().map(class))?, starts: groups.starts })
    }
}

/// Rows of a class with one kept value.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct KeptGroup {
    rows: u32,
    /// Number of rows or, if persons are counted, of persons.
    size: u32,
    /// Person of the last record.
    person: u32,
}
