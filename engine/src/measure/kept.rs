//! Disclosure by kept columns, which are released as they are beside the masked ones: the rows that they single out,
//! and the masked values that they give away.
//!
//! A class is the rows that are released alike on the masked columns. Within a class a kept column divides the rows,
//! and rows in groups of fewer than k are at risk. A group of classes is released alike on all masked columns but one.
//! Within it a kept value gives away the value of that one column if all rows with the kept value have the same
//! original value.
//!
//! All counts are made class by class. The rows' codes are packed side by side in the order of their classes, once.
//! Then each pair of a masked and a kept column is one pass over memory, with a slot for each kept value. If memory
//! does not suffice for all columns at a time, only some of them are packed.

mod attribute_disclosure;
mod classes;
mod packed;
mod sizes;

use super::classes::Released;
use crate::progress::check_memory;
use crate::table::{compress, Codes, Store};
use crate::threads::{share, threads, MIN_SHARED_RECORDS};
use crate::{pace, Code, Error};
use attribute_disclosure::{Attribute, DisclosureCounter, Slots};
use classes::{Member, ReleasedClasses};
use packed::{KeptPlace, PackedColumns};
use sizes::{count_rows_at_risk, GroupSizes};
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

/// A column that is released as it is; [`NONE`](crate::table::NONE) is a value.
#[derive(Debug, Clone, Copy)]
pub struct KeptColumn<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of codes, without [`NONE`](crate::table::NONE).
    pub cardinality: usize,
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
    /// The kept columns.
    pub kept: Vec<KeptColumn<'a>>,
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
    let classes = ReleasedClasses::build(table)?;
    // The first column is the combination of all.
    let together = if kept > 1 { Some(combine_columns(&table.kept, table.records)?) } else { None };
    let mut columns = Vec::new();
    columns.extend(together.as_ref().map(|(cardinality, codes)| (codes, *cardinality, None)));
    columns.extend((0..).zip(&table.kept).map(|(at, column)| (column.codes, column.cardinality, Some(at))));
    let counting = KeptCounter { table, classes: &classes, columns: &columns, k, least };
    counting.count_in_memory(0..masked, 0..columns.len(), &mut risk)?;
    if together.is_none() {
        risk.at_risk = risk.with[0];
    }
    Ok(risk)
}

/// Folds some kept columns into one with a code for NULL. Returns its cardinality, and the code of each record.
pub fn combine_columns(columns: &[KeptColumn], records: usize) -> Result<(usize, Store), Error> {
    let (mut numbered, mut cardinalities) = (Vec::new(), Vec::new());
    for column in columns {
        let mut codes = column.codes.clone();
        check_memory::<u8>(codes.memory_bytes())?;
        let same: Vec<Code> = pace::collect(0..column.cardinality as Code)?;
        codes.renumber(&same, column.cardinality as Code)?;
        numbered.push(codes);
        cardinalities.push(column.cardinality + 1);
    }
    let all: Vec<&Store> = numbered.iter().collect();
    let folded = compress(&all, &cardinalities, records, None)?;
    let cardinality = folded.weights.len();
    check_memory::<u32>(records)?;
    Ok((cardinality, Store::Memory(Codes::from(folded.ids))))
}

/// A kept column or the combination of all: its codes, its cardinality, and its index (None: the combination).
type KeptOrCombined<'a> = (&'a Store, usize, Option<usize>);

struct KeptCounter<'a> {
    table: &'a ReleasedTable<'a>,
    classes: &'a ReleasedClasses,
    columns: &'a [KeptOrCombined<'a>],
    k: u64,
    least: u64,
}

impl KeptCounter<'_> {
    /// Counts a range of masked beside a range of kept columns, or halves of these if memory does not suffice.
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
        let columns = (masked.clone(), &self.columns[kept.clone()]);
        let counted = PackedColumns::pack(self.table, self.classes, columns)
            .and_then(|packed| self.count(&packed, masked.clone(), risk));
        match counted {
            Ok(()) => Ok(()),
            Err(Error::Memory { .. }) if kept.len() > 1 => halves(&kept)
                .into_iter()
                .try_for_each(|kept| self.count_in_memory(masked.clone(), kept, risk)),
            Err(Error::Memory { .. }) if masked.len() > 1 => halves(&masked)
                .into_iter()
                .try_for_each(|masked| self.count_in_memory(masked, kept.clone(), risk)),
            Err(error) => Err(error),
        }
    }

    fn count(&self, packed: &PackedColumns, masked: Range<usize>, risk: &mut KeptRisk) -> Result<(), Error> {
        let (classes, k) = (self.classes, self.k);
        let persons = self.table.persons.is_some();
        let mut columns: Vec<&KeptPlace> = packed.kept.iter().collect();
        if masked.start == 0 {
            let work = |column: &KeptPlace| count_rows_at_risk((packed, classes), column, k, persons);
            check_memory::<u8>(
                self.concurrent_bytes(&columns, |column| GroupSizes::bytes(column.cardinality, persons)),
            )?;
            let found = self.run_jobs(columns.clone(), work)?;
            for (column, (within, alone)) in columns.iter().zip(found) {
                match column.which {
                    None => risk.at_risk = within,
                    Some(which) => (risk.with[which], risk.alone[which]) = (within, alone),
                }
            }
        }
        // The combination comes first, then the columns likely to give most away: passes over the others stop early.
        columns.sort_by_key(|column| column.which.map(|which| Reverse(risk.with[which])));
        let widest = columns.iter().map(|column| column.cardinality + 1).max().unwrap_or_default();
        let given_away = DisclosureCounter {
            packed,
            classes,
            columns: &columns,
            widest,
            rows: risk.rows,
            least: self.least,
        };
        let attributes = masked.zip(&packed.masked).filter_map(|(attribute, &place)| {
            let MaskedColumn { is_generalized: shows_less, original, .. } = self.table.masked[attribute];
            original
                .map(|_| (Attribute { attribute, shows_less, place }, risk.attribute_disclosure[attribute]))
        });
        let attributes: Vec<(Attribute, Option<AttributeDisclosure>)> = attributes.collect();
        let order = classes.records.len().saturating_mul(size_of::<Member>());
        check_memory::<u8>(
            self.concurrent_bytes(&attributes, |_| Slots::bytes(widest).saturating_add(order)),
        )?;
        let work = |(attribute, known): (Attribute, Option<AttributeDisclosure>)| {
            Ok((attribute.attribute, given_away.count_attribute(&attribute, known)?))
        };
        for (attribute, given_away) in self.run_jobs(attributes, work)? {
            risk.attribute_disclosure[attribute] = given_away;
        }
        Ok(())
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
