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
    /// Person whose records are being counted.
    person: Code,
    /// By value: the last person who holds it, and the child of all that person's records with it; [`NONE`] if there
    /// are several children.
    last_holders: Vec<(Code, u32)>,
    /// Last person counted in each place of an array of counts.
    last_counted: Vec<Code>,
    /// Children without a row in the array, and values, of the person's records.
    sparse: Vec<(u32, Code)>,
}

impl SensitiveCounts {
    /// Makes zero counts of rows for `children` and `values`, with up to `dense_cells` counts in an array.
    pub fn of_rows(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        Ok(SensitiveCounts { by_child: ValueCounts::new(children, values, dense_cells)?, persons: None })
    }

    /// Makes zero counts of persons.
    pub fn of_persons(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        let counts = || ValueCounts::new(children, values, dense_cells / 2);
        let by_child = counts()?;
        let persons = PersonCounts {
            alone: counts()?,
            all: filled(0, values)?,
            person: NONE,
            last_holders: filled((NONE, NONE), values)?,
            last_counted: filled(NONE, by_child.array().len())?,
            sparse: Vec::new(),
        };
        Ok(SensitiveCounts { by_child, persons: Some(persons) })
    }

    /// Returns the number of persons in the group by value, if persons are counted.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_ref().map(|persons| &persons.all[..])
    }

    /// Returns the counts by value that the group would lose with a child, which must be laid out.
    pub fn lost(&self, child: u32) -> &[u32] {
        self.persons.as_ref().map_or(&self.by_child, |persons| &persons.alone).counts(child)
    }

    /// Counts records by child, value and person. The records of a person must follow each other.
    pub fn add_persons(&mut self, records: impl Iterator<Item = (u32, Code, Code)>) -> Result<(), Error> {
        let (by_child, persons) = (&mut self.by_child, self.persons.as_mut());
        let persons = persons.ok_or(Error::Internal("nobody counts persons"))?;
        for (child, value, person) in records {
            if person != persons.person {
                persons.finish_person(by_child)?;
                persons.person = person;
            }
            let place = by_child.place(child, value);
            let (holder, only_child) = &mut persons.last_holders[value as usize];
            if *holder != person {
                (*holder, *only_child) = (person, child);
                persons.all[value as usize] += 1;
                persons.alone.array_mut().get_mut(place).into_iter().for_each(|count| *count += 1);
            } else if *only_child != child && *only_child != NONE {
                let before = by_child.place(*only_child, value);
                persons.alone.array_mut().get_mut(before).into_iter().for_each(|count| *count -= 1);
                *only_child = NONE;
            }
            match persons.last_counted.get_mut(place) {
                Some(last) if *last == person => {}
                Some(last) => {
                    *last = person;
                    by_child.array_mut()[place] += 1;
                }
                None => {
                    reserve(&mut persons.sparse, 1)?;
                    persons.sparse.push((child, value));
                }
            }
        }
        Ok(())
    }

    /// Completes the counts after the last record.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(persons) = &mut self.persons {
            persons.finish_person(&mut self.by_child)?;
            persons.person = NONE;
        }
        self.all_counts().try_for_each(ValueCounts::sort)
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.widen(children))?;
        let Some(persons) = &mut self.persons else { return Ok(()) };
        let more = self.by_child.array().len() - persons.last_counted.len();
        reserve(&mut persons.last_counted, more)?;
        persons.last_counted.resize(self.by_child.array().len(), NONE);
        Ok(())
    }

    /// Lays out the counts of a child.
    pub fn lay_out(&mut self, child: u32) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.lay_out(child))
    }

    /// Resets all counts. All `children` with records must be named.
    pub fn clear(&mut self, children: &[u32]) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.clear(children))?;
        let Some(persons) = &mut self.persons else { return Ok(()) };
        let values = persons.all.len();
        pace::tick(values)?;
        persons.all.fill(0);
        persons.last_holders.fill((NONE, NONE));
        for &child in children {
            let first = self.by_child.place(child, 0);
            if let Some(last) = persons.last_counted.get_mut(first..first + values) {
                pace::tick(values)?;
                last.fill(NONE);
            }
        }
        Ok(())
    }

    fn all_counts(&mut self) -> impl Iterator<Item = &mut ValueCounts> {
        std::iter::once(&mut self.by_child).chain(self.persons.as_mut().map(|persons| &mut persons.alone))
    }
}

impl PersonCounts {
    /// Counts the children of the person at hand that have no row in the array.
    #[inline]
    fn finish_person(&mut self, by_child: &mut ValueCounts) -> Result<(), Error> {
        match self.sparse.is_empty() {
            true => Ok(()),
            false => self.count_sparse(by_child),
        }
    }

    #[cold]
    fn count_sparse(&mut self, by_child: &mut ValueCounts) -> Result<(), Error> {
        let PersonCounts { alone, last_holders, sparse, .. } = self;
        by_child.reserve(sparse.len())?;
        alone.reserve(sparse.len())?;
        pace::sort_by(sparse, Ord::cmp)?;
        pace::each(sparse.chunk_by(|one, next| one == next), |records| {
            let (child, value) = records[0];
            by_child.add(child, value, 1);
            let (_, only_child) = last_holders[value as usize];
            if only_child == child {
                alone.add(child, value, 1);
            }
        })?;
        sparse.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the numbers of persons by value in the group, and those in each child and in it alone.
    fn count(persons: &mut SensitiveCounts, records: &[(u32, Code, Code)]) -> (Vec<u32>, [Vec<Vec<u32>>; 2]) {
        persons.clear(&[0, 1, 2]).unwrap();
        persons.add_persons(records.iter().copied()).unwrap();
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
