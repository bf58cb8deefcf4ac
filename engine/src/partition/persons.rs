//! Of how many persons the records of a group are, where one person may have many.
//!
//! The records of a person lie together within every group: they are brought into the order of their persons
//! once ([`Partition::order_by_person`]), and whatever divides a group keeps that order. So one scan counts
//! persons, by the changes from one to the next. What a disclosure leaves of a group is all its persons but
//! those who have no other record there than such as hold the value: those who are *alone* in a child. They
//! are counted by the same scan, because counts of persons cannot be subtracted as those of records can.

use super::rearrange::{carry, sort};
use super::Partition;
use crate::progress::room;
use crate::table::codes::{each_width, Spare, NONE};
use crate::{Code, Error};

/// The persons of a group by the children that their records fall to.
#[derive(Debug)]
pub(super) struct Persons {
    by_child: Vec<u32>,
    alone: Vec<u32>,
    all: u32,
    /// For each child, the last who was counted.
    last: Vec<Code>,
    at_hand: Code,
    /// The child to which all records so far of the person at hand fall, if there is one.
    only: u32,
}

impl Persons {
    /// Room for `children`.
    pub fn new(children: usize) -> Persons {
        let none = || vec![0; children];
        let last = vec![NONE; children];
        Persons { by_child: none(), alone: none(), all: 0, last, at_hand: NONE, only: NONE }
    }

    /// How many have records that fall to a child.
    pub fn of(&self, child: u32) -> u32 {
        self.by_child[child as usize]
    }

    /// How many have none but such.
    pub fn alone(&self, child: u32) -> u32 {
        self.alone[child as usize]
    }

    /// How many there are.
    pub fn all(&self) -> u32 {
        self.all
    }

    /// Counts a record, person by person.
    #[inline]
    pub fn add(&mut self, child: u32, person: Code) {
        if person != self.at_hand {
            (self.at_hand, self.only) = (person, child);
            self.all += 1;
            self.alone[child as usize] += 1;
        } else if self.only != child && self.only != NONE {
            self.alone[self.only as usize] -= 1;
            self.only = NONE;
        }
        let last = &mut self.last[child as usize];
        if *last != person {
            *last = person;
            self.by_child[child as usize] += 1;
        }
    }

    /// Forgets what was counted of a child; of the group, when all children are forgotten.
    pub fn forget(&mut self, child: u32) {
        (self.by_child[child as usize], self.alone[child as usize]) = (0, 0);
        self.last[child as usize] = NONE;
        (self.all, self.at_hand, self.only) = (0, NONE, NONE);
    }
}

impl Partition {
    /// Whether it is known of how many persons a group is.
    pub fn counts_persons(&self) -> bool {
        self.persons.is_some()
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
        let mut persons = Persons::new(3);
        for _ in 0..2 {
            // One has records in two children, goes back to the first, and is counted once in each.
            for (child, person) in [(0, 7), (2, 7), (0, 7), (0, 8), (0, 8), (2, 1), (1, 4), (2, 4), (1, 4)] {
                persons.add(child, person);
            }
            assert_eq!([0, 1, 2].map(|child| persons.of(child)), [2, 1, 3]);
            assert_eq!([0, 1, 2].map(|child| persons.alone(child)), [1, 0, 1]);
            assert_eq!(persons.all(), 4);
            (0..3).for_each(|child| persons.forget(child));
            assert_eq!((persons.all(), persons.of(2), persons.alone(2)), (0, 0, 0));
        }
    }
}
