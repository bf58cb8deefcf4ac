//! Disclosure by kept columns, which are released as they are beside the masked ones: the rows that they single out,
//! and the masked values that they give away.
//!
//! A class is the rows that are released alike on the masked columns. A kept column divides the rows of a class, and
//! rows in groups of fewer than k are at risk. To count how the values of one masked column are given away, the classes
//! that are released alike on all other masked columns form a group. Within such a group, a kept value gives away the
//! masked value if all rows with the kept value have the same original value.
//!
//! The records and the columns are sorted by class, once. Then each pair of a masked and a kept column is one pass over
//! memory, with a slot for each kept value. If memory does not suffice for all columns at a time, the columns are
//! sorted and counted in parts.

mod attribute_disclosure;
mod sorted;

use super::classes::{count_rows, RecordClasses, Released};
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
    let mut risk = KeptRisk {
        rows: count_rows(table.weights, table.records)?,
        with: vec![0; kept],
        alone: vec![0; kept],
        attribute_disclosure: vec![None; masked],
        ..KeptRisk::default()
    };
    if kept == 0 {
        return Ok(risk);
    }
    let counter = KeptCounter { table, records: &SortedRecords::new(table)?, k, least };
    // A single kept column is the combination of all.
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

/// Counts the disclosure of masked columns by kept ones. Kept columns are counted by position: position 0 is the
/// combination of all, position i the kept column i - 1.
struct KeptCounter<'a> {
    table: &'a ReleasedTable<'a>,
    records: &'a SortedRecords,
    k: u64,
    least: u64,
}

impl KeptCounter<'_> {
    /// Counts a range of masked columns beside a range of positions, or halves of these if memory does not suffice.
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
        let bytes = self.sorted_bytes_per_record(&masked, &kept);
        check_memory::<u8>(self.table.records.saturating_mul(bytes))?;
        let sort = |attribute: usize| {
            let original = self.table.masked[attribute].original;
            original.map(|codes| self.records.sort(codes)).transpose()
        };
        let originals = masked.clone().map(sort).collect::<Result<Vec<Option<Codes>>, Error>>()?;
        let columns = kept.map(|position| self.sort_kept(position, risk)).collect::<Result<Vec<_>, _>>()?;
        let mut columns: Vec<&SortedKept> = columns.iter().collect();
        if masked.start == 0 {
            self.count_rows_at_risk(&columns, risk)?;
        }
        // The combination comes first, then the columns likely to give most away: passes over the others stop early.
        columns.sort_by_key(|column| column.index.map(|index| Reverse(risk.with[index])));
        self.count_attribute_disclosure(masked, &originals, &columns, risk)
    }

    fn sorted_bytes_per_record(&self, masked: &Range<usize>, kept: &Range<usize>) -> usize {
        let originals = self.table.masked[masked.clone()].iter().filter_map(|column| column.original);
        let kept_width = |position: usize| {
            let width = self.kept_columns(position).iter().map(|column| column.codes.width()).sum::<usize>();
            width.min(size_of::<Code>())
        };
        originals.map(Store::width).sum::<usize>() + kept.clone().map(kept_width).sum::<usize>()
    }

    fn count_rows_at_risk(&self, columns: &[&SortedKept], risk: &mut KeptRisk) -> Result<(), Error> {
        let slots = |column: &&SortedKept| column.cardinality.saturating_mul(size_of::<KeptGroup>());
        check_memory::<u8>(self.concurrent_bytes(columns, slots))?;
        let (records, k) = (self.records, self.k);
        let rows = self.run_jobs(columns.to_vec(), |column| records.rows_at_risk(column, k))?;
        for (column, at_risk) in columns.iter().zip(rows) {
            match column.index {
                None => risk.at_risk = at_risk,
                Some(index) => risk.with[index] = at_risk,
            }
        }
        Ok(())
    }

    /// Counts the rows of each masked column that the kept columns give away. `originals` has the sorted original
    /// values of the `masked` columns.
    fn count_attribute_disclosure(
        &self,
        masked: Range<usize>,
        originals: &[Option<Codes>],
        columns: &[&SortedKept],
        risk: &mut KeptRisk,
    ) -> Result<(), Error> {
        let max_cardinality = columns.iter().map(|column| column.cardinality).max().unwrap_or_default();
        let counter = DisclosureCounter {
            records: self.records,
            columns,
            max_cardinality,
            rows: risk.rows,
            least: self.least,
        };
        let attributes = masked.zip(originals).filter_map(|(index, original)| {
            let is_generalized = self.table.masked[index].is_generalized;
            let counted_before = risk.attribute_disclosure[index];
            Some(Attribute { index, is_generalized, original: original.as_ref()?, counted_before })
        });
        let attributes: Vec<Attribute> = attributes.collect();
        let groups = GroupsExcept::bytes(self.records.class_count());
        let slots = max_cardinality.saturating_mul(size_of::<Slot>());
        check_memory::<u8>(self.concurrent_bytes(&attributes, |_| slots.saturating_add(groups)))?;
        let count = |attribute: Attribute| Ok((attribute.index, counter.count_attribute(&attribute)?));
        for (index, disclosure) in self.run_jobs(attributes, count)? {
            risk.attribute_disclosure[index] = disclosure;
        }
        Ok(())
    }

    /// Returns the kept columns at a position: all of them, or one.
    fn kept_columns(&self, position: usize) -> &[CodedColumn<'_>] {
        match position.checked_sub(1) {
            Some(index) => std::slice::from_ref(&self.table.kept[index]),
            None => &self.table.kept,
        }
    }

    /// Sorts the records' values of a kept column, or of the combination. Counts the rows at risk by a column alone.
    fn sort_kept(&self, position: usize, risk: &mut KeptRisk) -> Result<SortedKept, Error> {
        let ReleasedTable { records, weights, persons, .. } = *self.table;
        let numbered = combine_columns(self.kept_columns(position), records)?;
        let index = position.checked_sub(1);
        if let Some(index) = index {
            risk.alone[index] = numbered.rows_in_small(weights, persons, self.k)?;
        }
        let codes = self.records.sort(&numbered.of_records)?;
        Ok(SortedKept { codes, cardinality: numbered.count, index })
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
