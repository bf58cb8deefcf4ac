//! Disclosure by kept columns, which are released as they are beside the masked ones: the rows that they single out,
//! and the masked values that they give away.
//!
//! A class is the rows that are released alike on the masked columns. Within a class a kept column divides the rows,
//! and rows in groups of fewer than k are at risk. A group of classes is released alike on all masked columns but one.
//! Within it a kept value gives away the value of that one column if all rows with the kept value have the same
//! original value.
//!
//! The records and the columns are sorted by class, once. Then each pair of a masked and a kept column is one pass over
//! memory, with a slot for each kept value. If memory does not suffice for all columns at a time, only some of them are
//! sorted.

mod attribute_disclosure;
mod sorted;

use super::classes::{RecordClasses, Released};
use crate::progress::check_memory;
use crate::table::{number_distinct, CodedColumn, Codes, Store};
use crate::threads::{share, threads, MIN_SHARED_RECORDS};
use crate::{Code, Error};
use attribute_disclosure::{Attribute, DisclosureCounter, Slot};
use sorted::{GroupsExcept, KeptGroup, SortedKept, SortedRecords};
use std::cmp::Reverse;
use std::ops::Range;

/// A masked column.
#[derive(Debug, Clone, Copy)]
pub struct MaskedColumn<'a> {
    /// Released values.
    pub released: Released<'a>,
    /// Values of the source; None if these are not known.
    pub original: Option<&'a Store>,
    /// For each released value, by number, whether it shows less than the source holds.
    pub is_generalized: &'a [bool],
}

/// A released table.
#[derive(Debug, Clone)]
pub struct ReleasedTable<'a> {
    /// Number of records.
    pub records: usize,
    /// Rows that each record stands for; None: one each.
    pub weights: Option<&'a Codes>,
    /// Person of each record, if groups are measured in persons.
    pub persons: Option<&'a Store>,
    /// The masked columns.
    pub masked: Vec<MaskedColumn<'a>>,
    /// The columns that are released as they are; [`NONE`](crate::table::NONE) is a value.
    pub kept: Vec<CodedColumn<'a>>,
}

/// Disclosure by kept columns, in rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptRisk {
    /// All rows.
    pub rows: u64,
    /// Rows in groups of fewer than k by the masked and all kept columns.
    pub at_risk: u64,
    /// Rows in such groups by the masked columns and each kept one.
    pub with: Vec<u64>,
    /// Rows in such groups by each kept column alone.
    pub alone: Vec<u64>,
    /// For each masked column, the rows whose value is given away. None if all kept columns together give away fewer
    /// rows than asked for, or if the original values are not known.
    pub attribute_disclosure: Vec<Option<AttributeDisclosure>>,
}

/// Rows in which a masked column's value is given away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeDisclosure {
    /// By all kept columns together.
    pub by_all_kept: u64,
    /// By the released values of the other masked columns, without any kept column (the baseline).
    pub baseline_rows: u64,
    /// Index of the kept column that alone gives away most rows (the first of several), and these rows.
    pub best_single: (usize, u64),
}

/// Counts the disclosure by the kept columns of a table. Groups of `k` rows (or persons) are safe. For a masked column
/// it is reported if all kept columns together give away `least` rows or more.
pub fn measure_kept_risk(table: &ReleasedTable, k: u64, least: u64) -> Result<KeptRisk, Error> {
    let (masked, kept) = (table.masked.len(), table.kept.len());
    let rows = match table.weights {
        Some(weights) => weights.sum()? as u64,
        None => table.records as u64,
    };
    let mut risk = KeptRisk {
        rows,
        with: vec![0; kept],
        alone: vec![0; kept],
        attribute_disclosure: vec![None; masked],
        ..KeptRisk::default()
    };
    if kept == 0 {
        return Ok(risk);
    }
    let counter = KeptCounter { table, records: &SortedRecords::new(table)?, k, least };
    // The first column is the combination of all.
    counter.count_in_memory(0..masked, if kept > 1 { 0..kept + 1 } else { 1..2 }, &mut risk)?;
    if kept == 1 {
        risk.at_risk = risk.with[0];
    }
    Ok(risk)
}

/// Numbers the records by their combination of some kept values, NULLs included.
pub fn combine_columns(columns: &[CodedColumn], records: usize) -> Result<RecordClasses, Error> {
    let cardinalities: Vec<usize> = columns.iter().map(|column| column.cardinality + 1).collect();
    let mut buffer = Vec::new();
    let (numbers, count) = number_distinct(&cardinalities, records, |column, bits, records, keys| {
        let CodedColumn { codes, cardinality } = columns[column];
        let codes = keys.iter_mut().zip(codes.fetch(records, &mut buffer)?);
        codes.for_each(|(key, &code)| *key = *key << bits | u64::from(code.min(cardinality as Code)));
        Ok(())
    })?;
    check_memory::<u32>(records)?;
    Ok(RecordClasses { of_records: numbers.into(), count })
}

struct KeptCounter<'a> {
    table: &'a ReleasedTable<'a>,
    records: &'a SortedRecords,
    k: u64,
    least: u64,
}

impl KeptCounter<'_> {
    /// Counts a range of masked beside a range of kept columns, or halves of these if memory does not suffice. The kept
    /// column 0 is the combination of all.
    fn count_in_memory(
        &self,
        masked: Range<usize>,
        kept: Range<usize>,
        risk: &mut KeptRisk,
    ) -> Result<(), Error> {
        let halves = |all: &Range<usize>| {
            let middle = all.start + all.len() / 2;
            [all.start..middle, middle..all.end]
        };
        match self.count(masked.clone(), kept.clone(), risk) {
            Err(Error::Memory { .. }) if kept.len() > 1 => halves(&kept)
                .into_iter()
                .try_for_each(|kept| self.count_in_memory(masked.clone(), kept, risk)),
            Err(Error::Memory { .. }) if masked.len() > 1 => halves(&masked)
                .into_iter()
                .try_for_each(|masked| self.count_in_memory(masked, kept.clone(), risk)),
            counted => counted,
        }
    }

    fn count(&self, masked: Range<usize>, kept: Range<usize>, risk: &mut KeptRisk) -> Result<(), Error> {
        let original = |attribute: usize| self.table.masked[attribute].original;
        let bytes = masked.clone().filter_map(original).map(Store::width).sum::<usize>();
        let width =
            |place: usize| self.kept_columns(place).iter().map(|column| column.codes.width()).sum::<usize>();
        let bytes = bytes + kept.clone().map(|place| width(place).min(size_of::<Code>())).sum::<usize>();
        check_memory::<u8>(self.table.records.saturating_mul(bytes))?;
        let sort = |attribute| original(attribute).map(|codes| self.records.sort(codes)).transpose();
        let originals = masked.clone().map(sort).collect::<Result<Vec<Option<Codes>>, Error>>()?;
        let columns = kept.map(|place| self.sort_kept(place, risk)).collect::<Result<Vec<_>, _>>()?;
        let mut columns: Vec<&SortedKept> = columns.iter().collect();
        if masked.start == 0 {
            check_memory::<u8>(self.concurrent_bytes(&columns, |column| {
                column.cardinality.saturating_mul(size_of::<KeptGroup>())
            }))?;
            let (records, k) = (self.records, self.k);
            let work = |column: &SortedKept| records.rows_at_risk(column, k);
            let found = self.run_jobs(columns.clone(), work)?;
            for (column, at_risk) in columns.iter().zip(found) {
                match column.which {
                    None => risk.at_risk = at_risk,
                    Some(which) => risk.with[which] = at_risk,
                }
            }
        }
        // The combination comes first, then the columns likely to give most away: passes over the others stop early.
        columns.sort_by_key(|column| column.which.map(|which| Reverse(risk.with[which])));
        let widest = columns.iter().map(|column| column.cardinality).max().unwrap_or_default();
        let given_away = DisclosureCounter {
            records: self.records,
            columns: &columns,
            widest,
            rows: risk.rows,
            least: self.least,
        };
        let attributes = masked.zip(&originals).filter_map(|(attribute, original)| {
            let shows_less = self.table.masked[attribute].is_generalized;
            let original = original.as_ref()?;
            Some((Attribute { attribute, shows_less, original }, risk.attribute_disclosure[attribute]))
        });
        let attributes: Vec<(Attribute, Option<AttributeDisclosure>)> = attributes.collect();
        let groups = GroupsExcept::bytes(self.records.class_count());
        let slots = widest.saturating_mul(size_of::<Slot>());
        check_memory::<u8>(self.concurrent_bytes(&attributes, |_| slots.saturating_add(groups)))?;
        let work = |(attribute, known): (Attribute, Option<AttributeDisclosure>)| {
            Ok((attribute.attribute, given_away.count_attribute(&attribute, known)?))
        };
        for (attribute, given_away) in self.run_jobs(attributes, work)? {
            risk.attribute_disclosure[attribute] = given_away;
        }
        Ok(())
    }

    /// Returns the kept columns that a place of [`KeptCounter::count_in_memory`] stands for.
    fn kept_columns(&self, place: usize) -> &[CodedColumn<'_>] {
        match place.checked_sub(1) {
            Some(which) => std::slice::from_ref(&self.table.kept[which]),
            None => &self.table.kept,
        }
    }

    /// Sorts the records' values of a kept column, or of the combination. Counts the rows at risk by a column alone.
    fn sort_kept(&self, place: usize, risk: &mut KeptRisk) -> Result<SortedKept, Error> {
        let ReleasedTable { records, weights, persons, .. } = *self.table;
        let numbered = combine_columns(self.kept_columns(place), records)?;
        let which = place.checked_sub(1);
        if let Some(which) = which {
            risk.alone[which] = numbered.rows_in_small(weights, persons, self.k)?;
        }
        let codes = self.records.sort(&numbered.of_records)?;
        Ok(SortedKept { codes, cardinality: numbered.count, which })
    }

    /// Runs the jobs, in all threads if there are enough records.
    fn run_jobs<J: Send, R: Send>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        match self.table.records < MIN_SHARED_RECORDS {
            true => jobs.into_iter().map(work).collect(),
            false => share(jobs, work),
        }
    }

    /// Bounds the bytes that the jobs running at the same time hold together.
    fn concurrent_bytes<J>(&self, jobs: &[J], bytes: impl Fn(&J) -> usize) -> usize {
        let threads = if self.table.records < MIN_SHARED_RECORDS { 1 } else { threads() };
        threads.min(jobs.len()).saturating_mul(jobs.iter().map(bytes).max().unwrap_or_default())
    }
}
