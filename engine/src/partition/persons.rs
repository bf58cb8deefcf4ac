//! Of how many persons the records of a group are, where one person may have many.
//!
//! The records of a person lie together within every group that is counted: they are brought into the order of their persons
//! once ([`Partition::order_by_person`]), and what divides a group keeps that order. (A disclosure that takes few records
//! of a group whose counts are kept need not: such a group is ordered again before it is counted anew.) So one scan counts
//! persons, by the changes from one to the next. What a disclosure leaves of a group is all its persons but
//! those who have no other record there than such as hold the value: those who are *alone* in a child. They
//! are counted by the same scan, because counts of persons cannot be subtracted as those of records can.

use super::rearrange::{carry, sort};
use super::{GroupId, Partition};
use crate::progress::room;
use crate::table::codes::{each_width, Spare, NONE};
use crate::{pace, Code, Error};
use std::ops::Range;

/// The persons of a group by the children that their records fall to, and by what these hold of a column's values, where it
/// is asked who holds each: a person who holds several counts for each.
#[derive(Debug)]
pub(super) struct Persons {
    /// How many values there are; one, where it is not asked.
    values: usize,
    /// By child and value.
    by_child: Vec<u32>,
    alone: Vec<u32>,
    /// The last who was counted.
    last: Vec<Code>,
    /// By value.
    all: Vec<u32>,
    at_hand: Vec<Code>,
    /// The child to which all records so far of the person at hand fall, if there is one.
    only: Vec<u32>,
}

impl Persons {
    /// Room for `children`, and the `values` that their persons may hold.
    pub fn new(children: usize, values: usize) -> Result<Persons, Error> {
        room::<[u32; 3]>(children.saturating_add(1).saturating_mul(values))?;
        let cells = children * values;
        let (none, of_values) = (|| vec![0; cells], || vec![NONE; values]);
        Ok(Persons {
            values,
            by_child: none(),
            alone: none(),
            last: vec![NONE; cells],
            all: vec![0; values],
            at_hand: of_values(),
            only: of_values(),
        })
    }

    /// Makes room for so many children, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        // What grows is copied, and the old one is let go then.
        room::<[u32; 6]>(children.saturating_mul(self.values))?;
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

    /// How many have records that fall to a child, by value.
    pub fn of(&self, child: u32) -> &[u32] {
        &self.by_child[self.cells(child)]
    }

    /// How many have none but such.
    pub fn alone(&self, child: u32) -> &[u32] {
        &self.alone[self.cells(child)]
    }

    /// How many there are.
    pub fn all(&self) -> &[u32] {
        &self.all
    }

    /// Counts a record, person by person.
    #[inline]
    pub fn add(&mut self, child: u32, value: usize, person: Code) {
        let first = |child: u32| child as usize * self.values + value;
        let (at_hand, only) = (&mut self.at_hand[value], &mut self.only[value]);
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

    /// Forgets what was counted of a child; of the group, when all children are forgotten.
    pub fn forget(&mut self, child: u32) {
        let cells = self.cells(child);
        self.by_child[cells.clone()].fill(0);
        self.alone[cells.clone()].fill(0);
        self.last[cells].fill(NONE);
        self.all.fill(0);
        self.at_hand.fill(NONE);
        self.only.fill(NONE);
    }
}

impl Partition {
    /// Whether it is known of how many persons a group is.
    pub fn counts_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Whether disclosures may leave groups in any order: who counts one calls [`Partition::bring_persons_together`] first.
    pub fn let_disorder(&mut self, may_disorder: bool) {
        self.may_disorder = may_disorder && self.counts_persons();
    }

    /// Brings the records of each person of a group together, if they are not.
    pub fn bring_persons_together(&mut self, group: GroupId) -> Result<(), Error> {
        if !self.disordered.remove(&group) {
            return Ok(());
        }
        let run = self.records(group);
        let run = run.start as usize..run.end as usize;
        let Some(persons) = &self.persons else { return Ok(()) };
        room::<((Code, u32), u32)>(run.len())?;
        let mut order = pace::collect(run.clone().zip(0..).map(|(record, at)| (persons.get(record), at)))?;
        pace::sort_by(&mut order, Ord::cmp)?;
        let mut to = vec![0; run.len()];
        pace::each(order.iter().zip(0..), |(&(_, from), at): (&(Code, u32), u32)| to[from as usize] = at)?;
        let mut spare = Spare::default();
        let population = self.population.iter_mut().map(|(_, weights)| weights);
        let columns = self.columns.iter_mut().chain(&mut self.sensitive_columns).chain(&mut self.weights);
        let columns = columns.chain(&mut self.persons).chain(&mut self.numbers).chain(population);
        for codes in columns {
            each_width!(codes, codes => carry(&mut codes[run.clone()], &to, &mut spare))?;
        }
        if let Some(numbers) = self.holders.numbers.get_mut(run.clone()) {
            carry(numbers, &to, &mut spare)?;
            self.holders.moved(run)?;
        }
        Ok(())
    }

    /// Fails where the persons of a group that is to be scanned do not lie together.
    pub(super) fn must_be_in_order(&self, group: GroupId) -> Result<(), Error> {
        match self.disordered.contains(&group) {
            true => Err(Error::Internal("the records of a person do not lie together")),
            false => Ok(()),
        }
    }

    /// Brings the records of each of the `persons` together, while all records are one group.
    pub(super) fn order_by_person(&mut self, persons: usize) -> Result<(), Error> {
        let Some(column) = &self.persons else { return Ok(()) };
        let records = column.len();
        room::<[u32; 2]>(records)?;
        room::<[u32; 2]>(persons)?;
        let (mut to, mut ends) = (vec![0; records], vec![0; persons]);
        sort(column, 0..records, |person| person, (&mut to, &mut ends))?;
        let mut spare = Spare::default();
        let columns = self.columns.iter_mut().chain(&mut self.sensitive_columns);
        for codes in columns.chain(&mut self.weights).chain(&mut self.persons) {
            each_width!(codes, codes => carry(codes, &to, &mut spare))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_child_and_alone() {
        let mut persons = Persons::new(3, 1).unwrap();
        for _ in 0..2 {
            // One has records in two children, goes back to the first, and is counted once in each.
            for (child, person) in [(0, 7), (2, 7), (0, 7), (0, 8), (0, 8), (2, 1), (1, 4), (2, 4), (1, 4)] {
                persons.add(child, 0, person);
            }
            assert_eq!([0, 1, 2].map(|child| persons.of(child)[0]), [2, 1, 3]);
            assert_eq!([0, 1, 2].map(|child| persons.alone(child)[0]), [1, 0, 1]);
            assert_eq!(persons.all(), [4]);
            (0..3).for_each(|child| persons.forget(child));
            assert_eq!((persons.all(), persons.of(2), persons.alone(2)), (&[0][..], &[0][..], &[0][..]));
        }
    }

    #[test]
    fn who_holds_several_values_counts_for_each() {
        let mut persons = Persons::new(2, 3).unwrap();
        // Person 5 holds values 0 and 2 in both children, 6 holds 0 in one.
        for (child, value, person) in [(0, 0, 5), (0, 2, 5), (1, 0, 5), (0, 0, 5), (1, 2, 5), (1, 0, 6)] {
            persons.add(child, value, person);
        }
        assert_eq!((persons.of(0), persons.of(1)), (&[1, 0, 1][..], &[2, 0, 1][..]));
        assert_eq!((persons.alone(0), persons.alone(1)), (&[0, 0, 0][..], &[1, 0, 0][..]));
        assert_eq!(persons.all(), [2, 0, 1]);
    }
}
