//! Counts of the persons of a group, where one person may have many records.
//!
//! The records of a person lie together within every group that is counted. They are ordered by person once
//! ([`Partition::order_by_person`]), and divisions keep that order. (A disclosure of few records need not, if the
//! group's counts are kept. Such a group is ordered again before it is counted anew.) So one scan counts persons, by
//! the changes from one to the next. Counts of persons cannot be subtracted as those of records can. A disclosure
//! leaves a group all its persons but those whose records there all hold the value: they are *alone* in that child. The
//! same scan counts them.

use super::rearrange::compute_places;
use super::value_counts::ValueCounts;
use super::{GroupId, Partition};
use crate::progress::filled;
use crate::table::codes::{Spare, NONE};
use crate::{pace, Code, Error};

/// Number of persons by child of their records, and by sensitive value if the holders of each are counted. A person
/// with several values counts for each.
#[derive(Debug)]
pub(super) struct PersonCounts {
    /// Persons with records in the child.
    by_child: ValueCounts,
    /// Persons with records in no other child.
    alone: ValueCounts,
    /// By value: persons in the group.
    all: Vec<u32>,
    /// Person whose records are being counted, and the values and children of these.
    person: Code,
    held: Vec<(Code, u32)>,
}

impl PersonCounts {
    /// Makes empty counts for `children` and sensitive `values`, with rows of no more than `dense_cells` counts.
    pub fn new(children: usize, values: usize, dense_cells: usize) -> Result<PersonCounts, Error> {
        let counts = || ValueCounts::new(children, values, dense_cells / 2);
        let all = filled(0, values)?;
        Ok(PersonCounts { by_child: counts()?, alone: counts()?, all, person: NONE, held: Vec::new() })
    }

    /// Returns both counts by child.
    pub fn counts_mut(&mut self) -> [&mut ValueCounts; 2] {
        [&mut self.by_child, &mut self.alone]
    }

    /// Returns the number of persons with records in a child, by value.
    pub fn in_child(&self, child: u32) -> &[u32] {
        self.by_child.counts(child)
    }

    /// Returns the number of persons with records in no other child, by value.
    pub fn only_in_child(&self, child: u32) -> &[u32] {
        self.alone.counts(child)
    }

    /// Returns the number of persons, by value.
    pub fn in_group(&self) -> &[u32] {
        &self.all
    }

    /// Counts a record. The records of a person must follow each other.
    #[inline]
    pub fn add(&mut self, child: u32, value: Code, person: Code) -> Result<(), Error> {
        if person != self.person {
            self.finish_person()?;
            self.person = person;
        }
        if self.held.last() != Some(&(value, child)) {
            self.held.push((value, child));
        }
        Ok(())
    }

    /// Counts the person at hand, once for each value and child.
    fn finish_person(&mut self) -> Result<(), Error> {
        let PersonCounts { by_child, alone, all, held, .. } = self;
        by_child.reserve(held.len())?;
        alone.reserve(held.len())?;
        if held.len() > 1 {
            pace::sort_by(held, Ord::cmp)?;
            held.dedup();
        }
        for of_value in held.chunk_by(|one, next| one.0 == next.0) {
            let (value, child) = of_value[0];
            all[value as usize] += 1;
            of_value.iter().for_each(|&(value, child)| by_child.add(child, value, 1));
            if of_value.len() == 1 {
                alone.add(child, value, 1);
            }
        }
        held.clear();
        Ok(())
    }

    /// Counts the last person. The counts by child must then be sorted.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.finish_person()?;
        self.person = NONE;
        Ok(())
    }

    /// Adds the counts of a child to `sums`.
    pub fn add_to(&self, child: u32, sums: &mut [u32]) -> Result<(), Error> {
        self.by_child.add_to(child, sums)
    }

    /// Resets the counts of the group. Those by child must be cleared, too.
    pub fn clear(&mut self) -> Result<(), Error> {
        pace::tick(self.all.len())?;
        self.all.fill(0);
        Ok(())
    }
}

impl Partition {
    /// Returns whether persons are counted.
    pub fn counts_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Sets whether disclosures may leave groups in any order. If so, call [`Partition::restore_person_order`] before
    /// a group is counted.
    pub fn allow_disorder(&mut self, may_disorder: bool) {
        self.may_disorder = may_disorder && self.counts_persons();
    }

    /// Brings the records of each person of a group together, if they are apart.
    pub fn restore_person_order(&mut self, group: GroupId) -> Result<(), Error> {
        if !self.disordered.remove(&group) {
            return Ok(());
        }
        let run = self.records(group);
        let run = run.start as usize..run.end as usize;
        let Some(persons) = &self.persons else { return Ok(()) };
        let mut order = pace::collect(run.clone().zip(0..).map(|(record, at)| (persons.get(record), at)))?;
        pace::sort_by(&mut order, Ord::cmp)?;
        let mut to = filled(0, run.len())?;
        pace::each(order.iter().zip(0..), |(&(_, from), at): (&(Code, u32), u32)| to[from as usize] = at)?;
        self.move_records(run, &to, &mut Spare::default(), None)
    }

    /// Returns an error if the records of a person in a group may lie apart.
    pub(super) fn check_person_order(&self, group: GroupId) -> Result<(), Error> {
        match self.disordered.contains(&group) {
            true => Err(Error::Internal("the records of a person do not lie together")),
            false => Ok(()),
        }
    }

    /// Orders all records, which are one group, by their `persons`.
    pub(super) fn order_by_person(&mut self, persons: usize) -> Result<(), Error> {
        let Some(column) = &self.persons else { return Ok(()) };
        let (mut to, mut ends) = (filled(0, column.len())?, filled(0, persons)?);
        compute_places(column, 0..column.len(), |person| person, (&mut to, &mut ends))?;
        self.move_records(0..to.len(), &to, &mut Spare::default(), None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(persons: &mut PersonCounts, records: &[(u32, Code, Code)]) {
        persons.counts_mut().into_iter().for_each(|counts| counts.clear(&[0, 1, 2]).unwrap());
        persons.clear().unwrap();
        records.iter().for_each(|&(child, value, person)| persons.add(child, value, person).unwrap());
        persons.finish().unwrap();
        persons.counts_mut().into_iter().for_each(|counts| counts.sort().unwrap());
    }

    #[test]
    fn by_child_and_alone() {
        let mut persons = PersonCounts::new(3, 1, 100).unwrap();
        // Person 7 has records in two children, returns to the first, and counts once in each.
        let records = [(0, 7), (2, 7), (0, 7), (0, 8), (0, 8), (2, 1), (1, 4), (2, 4), (1, 4)];
        let records = records.map(|(child, person)| (child, 0, person));
        for _ in 0..2 {
            count(&mut persons, &records);
            assert_eq!([0, 1, 2].map(|child| persons.in_child(child)[0]), [2, 1, 3]);
            assert_eq!([0, 1, 2].map(|child| persons.only_in_child(child)[0]), [1, 0, 1]);
            assert_eq!(persons.in_group(), [4]);
        }
        count(&mut persons, &[]);
        assert_eq!(
            (persons.in_group(), persons.in_child(2), persons.only_in_child(2)),
            (&[0][..], &[0][..], &[0][..])
        );
    }

    #[test]
    fn who_holds_several_values_counts_for_each() {
        let mut persons = PersonCounts::new(2, 3, 100).unwrap();
        // Person 5 holds values 0 and 2 in both children; person 6 holds 0 in one.
        count(&mut persons, &[(0, 0, 5), (0, 2, 5), (1, 0, 5), (0, 0, 5), (1, 2, 5), (1, 0, 6)]);
        assert_eq!((persons.in_child(0), persons.in_child(1)), (&[1, 0, 1][..], &[2, 0, 1][..]));
        assert_eq!((persons.only_in_child(0), persons.only_in_child(1)), (&[0, 0, 0][..], &[1, 0, 0][..]));
        assert_eq!(persons.in_group(), [2, 0, 1]);
    }
}
