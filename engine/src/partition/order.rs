//! The records of a group in the order of their codes on one column, for what looks at all splits of an interval
//! at once.

use super::{GroupId, Partition};
use crate::{Code, Error, Pace};
use std::ops::Range;

/// Room for the records of the largest group and the codes of the widest column, used over and over.
#[derive(Debug, Default)]
pub struct Order {
    /// The records.
    pub records: Vec<u32>,
    ends: Vec<u32>,
}

impl Partition {
    /// Puts a group's records in the order of their codes on the column at `place`, all among `codes`.
    pub fn sort(
        &self,
        group: GroupId,
        place: usize,
        codes: Range<Code>,
        order: &mut Order,
        pace: &Pace,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let Order { records, ends } = order;
        records.clear();
        for run in pace.ranges(start as usize..end as usize) {
            records.extend(run?.map(|record| record as u32));
        }
        // Fewer records than codes are sorted sooner than counted.
        if records.len() < codes.len() {
            let code = |&record: &u32| (self.code(record, place), record);
            return pace.sort_by(records, |one, other| code(one).cmp(&code(other)));
        }
        ends.clear();
        for run in pace.ranges(0..codes.len()) {
            ends.extend(run?.map(|_| 0));
        }
        let at = |record: u32| (self.code(record, place) - codes.start) as usize;
        pace.each(start..end, |record| ends[at(record)] += 1)?;
        let mut sum = 0;
        pace.each(&mut *ends, |end| {
            sum += *end;
            *end = sum;
        })?;
        pace.each((start..end).rev(), |record| {
            let end = &mut ends[at(record)];
            *end -= 1;
            records[*end as usize] = record;
        })
    }

    /// A record's code on the column at `place`.
    pub fn code(&self, record: u32, place: usize) -> Code {
        self.columns[place].get(record as usize)
    }

    /// How many rows a record stands for.
    pub fn weight(&self, record: u32) -> u32 {
        self.weights[record as usize]
    }

    /// A record's value of the `s`-th sensitive column.
    pub fn sensitive(&self, record: u32, s: usize) -> Code {
        self.sensitive_columns[s].get(record as usize)
    }
}
