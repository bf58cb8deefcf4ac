//! Counts by child and value of a sensitive column: of the rows with the value, or of the persons who hold it.
//!
//! If only persons are counted, the column has one value.
//!
//! Counts of persons cannot be subtracted as those of records can. A disclosure leaves a group all its persons but
//! those whose records there all hold the value: they are *alone* in that child. One scan counts both, because the
//! records of a person follow each other.

use super::value_counts::ValueCounts;
use crate::progress::{filled, reserve};
use crate::table::codes::NONE;
use crate::{pace, Code, Error};

/// Counts by child and value.
#[derive(Debug)]
pub(super) struct SensitiveCounts {
    /// Rows, or persons with records in the child. A person with several values counts for each.
    pub by_child: ValueCounts,
    persons: Option<PersonCounts>,
}

/// Further counts of persons.
#[derive(Debug)]
struct PersonCounts {
    /// Persons with records in no other child.
    alone: ValueCounts,
    /// By value: persons in the group.
    all: Vec<u32>,
    /// Person whose records are being counted, and the values and children of these.
    person: Code,
    held: Vec<(Code, u32)>,
}

impl SensitiveCounts {
    /// Makes zero counts of rows for `children` and `values`, with up to `dense_cells` counts in an array.
    pub fn of_rows(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        Ok(SensitiveCounts { by_child: ValueCounts::new(children, values, dense_cells)?, persons: None })
    }

    /// Makes zero counts of persons.
    pub fn of_persons(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        let counts = || ValueCounts::new(children, values, dense_cells / 2);
        let (alone, all) = (counts()?, filled(0, values)?);
        let persons = PersonCounts { alone, all, person: NONE, held: Vec::new() };
        Ok(SensitiveCounts { by_child: counts()?, persons: Some(persons) })
    }

    /// Returns the number of persons in the group by value, if persons are counted.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_ref().map(|persons| &persons.all[..])
    }

    /// Returns the counts by value that the group would lose with a child, which must be laid out.
    pub fn lost(&self, child: u32) -> &[u32] {
        self.persons.as_ref().map_or(&self.by_child, |persons| &persons.alone).counts(child)
    }

    /// Counts a record of a person. The records of a person must follow each other.
    #[inline]
    pub fn add_person(&mut self, child: u32, value: Code, person: Code) -> Result<(), Error> {
        if self.persons.as_ref().is_some_and(|persons| persons.person != person) {
            self.finish_person()?;
        }
        if let Some(persons) = &mut self.persons {
            persons.person = person;
            if persons.held.last() != Some(&(value, child)) {
                reserve(&mut persons.held, 1)?;
                persons.held.push((value, child));
            }
        }
        Ok(())
    }

    /// Counts the person at hand, once for each value and child.
    fn finish_person(&mut self) -> Result<(), Error> {
        let Some(PersonCounts { alone, all, held, person }) = &mut self.persons else { return Ok(()) };
        *person = NONE;
        self.by_child.reserve(held.len())?;
        alone.reserve(held.len())?;
        pace::sort_by(held, Ord::cmp)?;
        for of_value in held.chunk_by(|one, next| one.0 == next.0) {
            let (value, first) = of_value[0];
            let mut children = of_value.chunk_by(|one, next| one.1 == next.1);
            all[value as usize] += 1;
            pace::each(&mut children, |records| self.by_child.add(records[0].1, value, 1))?;
            if of_value.last() == Some(&(value, first)) {
                alone.add(first, value, 1);
            }
        }
        held.clear();
        Ok(())
    }

    /// Completes the counts after the last record.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.finish_person()?;
        self.all_counts().try_for_each(ValueCounts::sort)
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.widen(children))
    }

    /// Lays out the counts of a child.
    pub fn lay_out(&mut self, child: u32) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.lay_out(child))
    }

    /// Resets all counts. All `children` with records must be named.
    pub fn clear(&mut self, children: &[u32]) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.clear(children))?;
        let Some(persons) = &mut self.persons else { return Ok(()) };
        pace::tick(persons.all.len())?;
        persons.all.fill(0);
        Ok(())
    }

    fn all_counts(&mut self) -> impl Iterator<Item = &mut ValueCounts> {
        std::iter::once(&mut self.by_child).chain(self.persons.as_mut().map(|persons| &mut persons.alone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of persons by value in the group, and those in each child and in it alone.
    fn count(persons: &mut SensitiveCounts, records: &[(u32, Code, Code)]) -> (Vec<u32>, [Vec<Vec<u32>>; 2]) {
        persons.clear(&[0, 1, 2]).unwrap();
        records.iter().for_each(|&(child, value, person)| persons.add_person(child, value, person).unwrap());
        persons.finish().unwrap();
        let in_child = (0..3).map(|child| persons.by_child.counts(child).to_vec()).collect();
        let alone = (0..3).map(|child| persons.lost(child).to_vec()).collect();
        (persons.persons().unwrap().to_vec(), [in_child, alone])
    }

    #[test]
    fn by_child_and_alone() {
        let mut persons = SensitiveCounts::of_persons(3, 1, 100).unwrap();
        // Person 7 has records in two children, returns to the first, and counts once in each.
        let records = [(0, 7), (2, 7), (0, 7), (0, 8), (0, 8), (2, 1), (1, 4), (2, 4), (1, 4)];
        let records = records.map(|(child, person)| (child, 0, person));
        let counts = |counts: [u32; 3]| counts.map(|count| vec![count]).to_vec();
        for _ in 0..2 {
            let found = count(&mut persons, &records);
            assert_eq!(found, (vec![4], [counts([2, 1, 3]), counts([1, 0, 1])]));
        }
        assert_eq!(count(&mut persons, &[]), (vec![0], [counts([0; 3]), counts([0; 3])]));
    }

    #[test]
    fn who_holds_several_values_counts_for_each() {
        let mut persons = SensitiveCounts::of_persons(3, 3, 100).unwrap();
        // Person 5 holds values 0 and 2 in both children; person 6 holds 0 in one.
        let records = [(0, 0, 5), (0, 2, 5), (1, 0, 5), (0, 0, 5), (1, 2, 5), (1, 0, 6)];
        let in_child = [[1, 0, 1], [2, 0, 1], [0; 3]].map(Vec::from).to_vec();
        let alone = [[0; 3], [1, 0, 0], [0; 3]].map(Vec::from).to_vec();
        assert_eq!(count(&mut persons, &records), (vec![2, 0, 1], [in_child, alone]));
    }
}
