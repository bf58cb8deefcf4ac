//! The order of records by person, where one person may have many records.
//!
//! The records of a person lie together within every group that is counted. They are ordered by person once
//! ([`Partition::order_by_person`]), and divisions keep that order. (A disclosure of few records need not, if the
//! group's counts are kept. Such a group is ordered again before it is counted anew.)

use super::rearrange::compute_places;
use super::{GroupId, Partition};
use crate::progress::filled;
use crate::table::codes::Spare;
use crate::{pace, Code, Error};

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
