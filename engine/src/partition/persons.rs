//! The order of records by person, where one person may have many records.
//!
//! The records of a person lie together within every group that is counted. All records are ordered by person once
//! ([`Partition::order_by_person`]), and divisions keep that order. A disclosure of few records may break it if the
//! group's counts are cached. Such a group is ordered again before it is counted anew.

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

    /// Sets whether disclosures may leave groups without the order by person. If so, call
    /// [`Partition::restore_person_order`] before a group is counted.
    pub fn allow_disorder(&mut self, may_disorder: bool) {
        self.may_disorder = may_disorder && self.counts_persons();
    }

    /// Brings the records of each person of a group together, if they are apart.
    pub fn restore_person_order(&mut self, group: GroupId) -> Result<(), Error> {
        if !self.disordered.remove(&group) {
            return Ok(());
        }
        let Some(persons) = &self.persons else { return Ok(()) };
        let run = self.run(group);
        let by_place = run.clone().zip(0..).map(|(record, place)| (persons.get(record), place));
        let mut by_person: Vec<(Code, u32)> = pace::collect(by_place)?;
        pace::sort_by(&mut by_person, Ord::cmp)?;
        let mut new_places = filled(0, run.len())?;
        pace::each(by_person.iter().zip(0..), |(&(_, place), new)| new_places[place as usize] = new)?;
        self.move_records(run, &new_places, &mut Spare::default(), None)
    }

    /// Returns an error if the records of a person in a group may lie apart.
    pub(super) fn check_person_order(&self, group: GroupId) -> Result<(), Error> {
        match self.disordered.contains(&group) {
            true => Err(Error::Internal("the records of a person do not lie together")),
            false => Ok(()),
        }
    }

    /// Orders all records, which are one group, by person. The codes of persons are below `person_codes`.
    pub(super) fn order_by_person(&mut self, person_codes: usize) -> Result<(), Error> {
        let Some(column) = &self.persons else { return Ok(()) };
        let (mut new_places, mut ends) = (filled(0, column.len())?, filled(0, person_codes)?);
        compute_places(column, 0..column.len(), |person| person, &mut new_places, &mut ends)?;
        self.move_records(0..new_places.len(), &new_places, &mut Spare::default(), None)
    }
}
