//! Index from codes to records, for columns of many codes that are disclosed one by one.
//!
//! Records move whenever a group is divided. So the index of a column has numbers of records, which stay. All indexes
//! share the number of the record at each place, and the place and group of each numbered record.

use super::GroupId;
use crate::buckets::Buckets;
use crate::progress::filled;
use crate::table::Codes;
use crate::{pace, Code, Error};
use std::ops::Range;

/// Indexes of columns. Empty while no column is indexed.
#[derive(Debug, Default)]
pub(super) struct ValueIndex {
    /// Number of the record at each place: the place where it lay at first.
    pub numbers: Vec<u32>,
    /// Place of each record, by number.
    places: Vec<u32>,
    /// Group of each record, by number.
    groups: Vec<GroupId>,
    /// Numbers of the records that hold each code, for each column that is indexed.
    indexes: Vec<Option<Buckets>>,
}

impl ValueIndex {
    /// Indexes the column at `place` by its codes, which are below `values`. All records must be one group, at their
    /// first places.
    pub fn index(&mut self, place: usize, codes: &Codes, values: usize) -> Result<(), Error> {
        let records = codes.len();
        if self.numbers.is_empty() {
            self.numbers = pace::collect(0..records as u32)?;
            self.places = pace::collect(0..records as u32)?;
            self.groups = filled(0, records)?;
        }
        let index = Buckets::sort(records, values, |record| codes.get(record))?;
        self.indexes.resize_with(self.indexes.len().max(place + 1), || None);
        self.indexes[place] = Some(index);
        Ok(())
    }

    pub fn is_indexed(&self, place: usize) -> bool {
        matches!(self.indexes.get(place), Some(Some(_)))
    }

    /// Returns the groups and places of the records that hold a code, in ascending order.
    pub fn find_records(&self, place: usize, code: Code) -> Result<Vec<(GroupId, u32)>, Error> {
        let Some(Some(index)) = self.indexes.get(place) else { return Ok(Vec::new()) };
        let group_and_place = |&number: &u32| (self.groups[number as usize], self.places[number as usize]);
        let mut holding = pace::collect(index.items(code as usize).iter().map(group_and_place))?;
        pace::sort_by(&mut holding, Ord::cmp)?;
        Ok(holding)
    }

    /// Notes that two records were swapped.
    pub fn swap(&mut self, one: usize, other: usize) {
        if !self.numbers.is_empty() {
            self.numbers.swap(one, other);
            self.places[self.numbers[one] as usize] = one as u32;
            self.places[self.numbers[other] as usize] = other as u32;
        }
    }

    /// Updates the places of the records of a run after their `numbers` were moved.
    pub fn update_places(&mut self, run: Range<usize>) -> Result<(), Error> {
        pace::each(run.clone().zip(&self.numbers[run]), |(place, &number)| {
            self.places[number as usize] = place as u32;
        })
    }

    /// Notes that the records of a run belong to another group now.
    pub fn set_group(&mut self, run: Range<usize>, group: GroupId) -> Result<(), Error> {
        if self.numbers.is_empty() {
            return Ok(());
        }
        pace::each(&self.numbers[run], |&number| self.groups[number as usize] = group)
    }
}
