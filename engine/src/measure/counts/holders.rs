//! Rows and persons that hold the codes of a column.

use crate::measure::{each_record, record_rows};
use crate::progress::{filled, with_capacity};
use crate::table::{CodedColumn, Codes, Store};
use crate::{pace, Code, Error};

/// Required size of a count, in rows or persons.
#[derive(Debug, Clone, Copy)]
pub struct RequiredSize<'a> {
    /// Number of rows or persons.
    pub k: u64,
    /// Person of each record; None if rows are counted.
    pub persons: Option<CodedColumn<'a>>,
}

/// Counter of the rows and persons that hold some codes. Codes are added one by one until both are enough.
pub struct HolderCounter {
    /// Rows of each code.
    pub(super) rows: Vec<u64>,
    /// Required rows.
    pub(super) k: u64,
    added_rows: u64,
    /// Rows added by [`HolderCounter::start_base`].
    base_rows: u64,
    persons: Vec<PersonCounter>,
}

/// Counter of the persons that hold some codes.
struct PersonCounter {
    /// Required persons.
    k: u64,
    /// End of each code's persons in `holders`; they start at the end of the code before.
    ends: Vec<usize>,
    holders: Vec<Code>,
    /// Round in which each person was last added. A new round starts without persons, or with those of the base.
    last_round: Vec<u32>,
    round: u32,
    added: u64,
    /// Round of [`HolderCounter::start_base`]. Its persons are not added again.
    base_round: u32,
    /// Persons added in that round.
    base_added: u64,
}

impl PersonCounter {
    fn new(codes: &Store, cardinality: usize, k: u64, persons: CodedColumn) -> Result<Self, Error> {
        let mut pairs = with_capacity(codes.len())?;
        each_record([codes, persons.codes], |_, pair| pairs.push(pair))?;
        pace::sort_by(&mut pairs, Ord::cmp)?;
        pairs.dedup();
        let end = |code: usize| pairs.partition_point(|&[held, _]| held as usize <= code);
        let ends = pace::collect((0..cardinality).map(end))?;
        let holders = pace::collect(pairs.iter().map(|&[_, person]| person))?;
        let last_round = filled(0, persons.cardinality)?;
        Ok(PersonCounter { k, ends, holders, last_round, round: 0, added: 0, base_round: 0, base_added: 0 })
    }

    fn add(&mut self, code: Code) -> Result<(), Error> {
        let code = code as usize;
        let first = code.checked_sub(1).map_or(0, |before| self.ends[before]);
        pace::each(&self.holders[first..self.ends[code]], |&person| {
            let last = &mut self.last_round[person as usize];
            if *last != self.round && *last != self.base_round {
                *last = self.round;
                self.added += 1;
            }
        })
    }
}

impl HolderCounter {
    /// Indexes the rows and persons of each code. `codes` has the code of each record, below `cardinality`.
    pub fn new(
        codes: &Store,
        cardinality: usize,
        weights: Option<&Codes>,
        required: &[RequiredSize],
    ) -> Result<HolderCounter, Error> {
        let mut rows = filled(0, cardinality)?;
        each_record([codes], |record, [code]| rows[code as usize] += record_rows(weights, record))?;
        let persons = required.iter().filter_map(|required| Some((required.k, required.persons?)));
        let persons = persons.map(|(k, persons)| PersonCounter::new(codes, cardinality, k, persons));
        let persons = persons.collect::<Result<_, _>>()?;
        // If k persons are required, so are k rows.
        let k = required.iter().map(|required| required.k).max().unwrap_or(1);
        Ok(HolderCounter { rows, k, added_rows: 0, base_rows: 0, persons })
    }

    pub(super) fn clear(&mut self) {
        self.added_rows = 0;
        for persons in &mut self.persons {
            persons.round += 1;
            (persons.base_round, persons.base_added, persons.added) = (persons.round, 0, 0);
        }
    }

    pub(super) fn add(&mut self, code: Code) -> Result<(), Error> {
        pace::tick(1)?;
        self.added_rows += self.rows[code as usize];
        self.persons.iter_mut().try_for_each(|persons| persons.add(code))
    }

    pub(super) fn add_all(&mut self, codes: impl IntoIterator<Item = Code>) -> Result<(), Error> {
        codes.into_iter().try_for_each(|code| self.add(code))
    }

    /// Returns true if the added codes have `times` the required rows and persons.
    pub(super) fn is_sufficient(&self, times: u64) -> bool {
        let are_enough = |persons: &PersonCounter| persons.added >= times * persons.k;
        self.added_rows >= times * self.k && self.persons.iter().all(are_enough)
    }

    /// Adds codes until they have `times` the required rows and persons. Returns true if they do.
    fn add_until(&mut self, codes: impl IntoIterator<Item = Code>, times: u64) -> Result<bool, Error> {
        for code in codes {
            if self.is_sufficient(times) {
                break;
            }
            self.add(code)?;
        }
        Ok(self.is_sufficient(times))
    }

    /// Returns true if some codes alone have `times` the required rows and persons.
    pub fn suffices(&mut self, codes: impl IntoIterator<Item = Code>, times: u64) -> Result<bool, Error> {
        self.clear();
        self.add_until(codes, times)
    }

    /// Starts from some codes, for [`HolderCounter::suffices_with_base`].
    pub(super) fn start_base(&mut self, codes: impl IntoIterator<Item = Code>) -> Result<(), Error> {
        self.clear();
        self.add_all(codes)?;
        self.base_rows = self.added_rows;
        self.persons.iter_mut().for_each(|persons| persons.base_added = persons.added);
        Ok(())
    }

    /// Returns true if the codes of [`HolderCounter::start_base`] and some others have `times` the required rows and
    /// persons.
    pub(super) fn suffices_with_base(
        &mut self,
        codes: impl IntoIterator<Item = Code>,
        times: u64,
    ) -> Result<bool, Error> {
        self.added_rows = self.base_rows;
        for persons in &mut self.persons {
            (persons.round, persons.added) = (persons.round + 1, persons.base_added);
        }
        self.add_until(codes, times)
    }

    /// Returns the rows still missing to `times` the required rows after [`HolderCounter::start_base`].
    pub(super) fn rows_missing_to(&self, times: u64) -> u64 {
        (times * self.k).saturating_sub(self.base_rows)
    }
}
