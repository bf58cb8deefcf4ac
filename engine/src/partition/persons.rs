//! Counts of the persons of a group, where one person may have many records.
//!
//! The records of a person lie together within every group that is counted. They are ordered by person once
//! ([`Partition::order_by_person`]), and divisions keep that order. (A disclosure of few records need not, if the
//! group's counts are kept. Such a group is ordered again before it is counted anew.) So one scan counts persons, by
//! the changes from one to the next. Counts of persons cannot be subtracted as those of records can. A disclosure
//! leaves a group all its persons but those whose records there all hold the value: they are *alone* in that child. The
//! same scan counts them.

use super::rearrange::{compute_places, move_codes};
use super::{GroupId, Partition};
use crate::progress::check_memory;
use crate::table::codes::{each_width, Spare, NONE};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Number of persons by child of their records, and by sensitive value if the holders of each are counted. A person
/// with several values counts for each.
#[derive(Debug)]
pub(super) struct PersonCounts {
    /// Number of values; 1 if persons are counted.
    values: usize,
    /// By child and value: persons with records in the child (`by_child`), and in no other child (`alone`).
    by_child: Vec<u32>,
    alone: Vec<u32>,
    /// Last person that was counted.
    last: Vec<Code>,
    /// By value: persons in the group, and the person whose records are being counted.
    all: Vec<u32>,
    person_at_hand: Vec<Code>,
    /// Child of all records so far of the person at hand; [`NONE`] if there are several.
    only_child: Vec<u32>,
}

impl PersonCounts {
    /// Makes empty counts for `children` and sensitive `values`.
    pub fn new(children: usize, values: usize) -> Result<PersonCounts, Error> {
        check_memory::<[u32; 3]>(children.saturating_add(1).saturating_mul(values))?;
        let cells = children * values;
        let (none, of_values) = (|| vec![0; cells], || vec![NONE; values]);
        Ok(PersonCounts {
            values,
            by_child: none(),
            alone: none(),
            last: vec![NONE; cells],
            all: vec![0; values],
            person_at_hand: of_values(),
            only_child: of_values(),
        })
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        // A growing array is copied, so both copies are held at once.
        check_memory::<[u32; 6]>(children.saturating_mul(self.values))?;
        let cells = children * self.values;
        self.by_child.resize(cells, 0);
        self.alone.resize(cells, 0);
        self.last.resize(cells, NONE);
        Ok(())
    }

    fn cells(&self, child: u32) -> Range<usize> {
        let first = child as usize * self.values;
        first..first + self.values
    }

    /// Returns the number of persons with records in a child, by value.
    pub fn in_child(&self, child: u32) -> &[u32] {
        &self.by_child[self.cells(child)]
    }

    /// Returns the number of persons with records in no other child, by value.
    pub fn only_in_child(&self, child: u32) -> &[u32] {
        &self.alone[self.cells(child)]
    }

    /// Returns the number of persons, by value.
    pub fn in_group(&self) -> &[u32] {
        &self.all
    }

    /// Counts a record. The records of a person must follow each other.
    #[inline]
    pub fn add(&mut self, child: u32, value: usize, person: Code) {
        let first = |child: u32| child as usize * self.values + value;
        let (at_hand, only) = (&mut self.person_at_hand[value], &mut self.only_child[value]);
        if person != *at_hand {
            (*at_hand, *only) = (person, child);
            self.all[value] += 1;
            self.alone[first(child)] += 1;
        } else if *only != child && *only != NONE {
            self.alone[first(*only)] -= 1;
            *only = NONE;
        }
        let last = &mut self.last[first(child)];
        if *last != person {
            *last = person;
            self.by_child[first(child)] += 1;
        }
    }

    /// Resets the counts of a child, and those of the whole group. Call it for every counted child.
    pub fn reset_child(&mut self, child: u32) {
        let cells = self.cells(child);
        self.by_child[cells.clone()].fill(0);
        self.alone[cells.clone()].fill(0);
        self.last[cells].fill(NONE);
        self.all.fill(0);
        self.person_at_hand.fill(NONE);
        self.only_child.fill(NONE);
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
        check_memory::<((Code, u32), u32)>(run.len())?;
        let mut order = pace::collect(run.clone().zip(0..).map(|(record, at)| (persons.get(record), at)))?;
        pace::sort_by(&mut order, Ord::cmp)?;
        let mut to = vec![0; run.len()];
        pace::each(order.iter().zip(0..), |(&(_, from), at): (&(Code, u32), u32)| to[from as usize] = at)?;
        let mut spare = Spare::default();
        let population = self.population.iter_mut().map(|(_, weights)| weights);
        let columns = self.columns.iter_mut().chain(&mut self.sensitive_columns).chain(&mut self.weights);
        let columns = columns.chain(&mut self.persons).chain(&mut self.numbers).chain(population);
        for codes in columns {
            each_width!(codes, codes => move_codes(&mut codes[run.clone()], &to, &mut spare))?;
        }
        if let Some(numbers) = self.holders.numbers.get_mut(run.clone()) {
            move_codes(numbers, &to, &mut spare)?;
            self.holders.update_places(run)?;
        }
        Ok(())
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
        let records = column.len();
        check_memory::<[u32; 2]>(records)?;
        check_memory::<[u32; 2]>(persons)?;
        let (mut to, mut ends) = (vec![0; records], vec![0; persons]);
        compute_places(column, 0..records, |person| person, (&mut to, &mut ends))?;
        let mut spare = Spare::default();
        let columns = self.columns.iter_mut().chain(&mut self.sensitive_columns);
        for codes in columns.chain(&mut self.weights).chain(&mut self.persons) {
            each_width!(codes, codes => move_codes(codes, &to, &mut spare))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_child_and_alone() {
        let mut persons = PersonCounts::new(3, 1).unwrap();
        for _ in 0..2 {
            // Person 7 has records in two children, returns to the first, and counts once in each.
            for (child, person) in [(0, 7), (2, 7), (0, 7), (0, 8), (0, 8), (2, 1), (1, 4), (2, 4), (1, 4)] {
                persons.add(child, 0, person);
            }
            assert_eq!([0, 1, 2].map(|child| persons.in_child(child)[0]), [2, 1, 3]);
            assert_eq!([0, 1, 2].map(|child| persons.only_in_child(child)[0]), [1, 0, 1]);
            assert_eq!(persons.in_group(), [4]);
            (0..3).for_each(|child| persons.reset_child(child));
            assert_eq!(
                (persons.in_group(), persons.in_child(2), persons.only_in_child(2)),
                (&[0][..], &[0][..], &[0][..])
            );
        }
    }

    #[test]
    fn who_holds_several_values_counts_for_each() {
        let mut persons = PersonCounts::new(2, 3).unwrap();
        // Person 5 holds values 0 and 2 in both children; person 6 holds 0 in one.
        for (child, value, person) in [(0, 0, 5), (0, 2, 5), (1, 0, 5), (0, 0, 5), (1, 2, 5), (1, 0, 6)] {
            persons.add(child, value, person);
        }
        assert_eq!((persons.in_child(0), persons.in_child(1)), (&[1, 0, 1][..], &[2, 0, 1][..]));
        assert_eq!((persons.only_in_child(0), persons.only_in_child(1)), (&[0, 0, 0][..], &[1, 0, 0][..]));
        assert_eq!(persons.in_group(), [2, 0, 1]);
    }
}
