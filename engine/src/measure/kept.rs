//! What columns that are released as they are tell beside the masked ones: which rows they single out, and which masked
//! values they give away.
//!
//! Rows are alike that are released alike on the masked columns (a class). Within a class a kept column tells rows apart,
//! and whoever is in fewer than k rows is at risk. Within the rows that are alike on all masked columns but one (a group of
//! classes) a kept column gives the value of that one away where all rows with its value have the same.
//!
//! So all is counted class by class. The codes of the rows are packed side by side in the order of their classes, once; then
//! each pair of a masked and a kept column is one pass over memory, with a slot for each kept value. Where there is not
//! memory enough for all columns at a time, some of them are packed.

mod classes;
mod given_away;
mod packed;
mod sizes;

use super::information::Released;
use crate::progress::room;
use crate::table::{compress, Codes, Store};
use crate::threads::{share, threads, WORTH_SHARING};
use crate::{pace, Code, Error};
use classes::{Classes, Member};
use given_away::{Attribute, GivenAwayCount, Slots};
use packed::{KeptPlace, PackedColumns};
use sizes::{at_risk, Sizes};
use std::cmp::Reverse;
use std::ops::Range;

/// A masked column.
#[derive(Debug, Clone, Copy)]
pub struct MaskedColumn<'a> {
    /// What is released of it.
    pub released: Released<'a>,
    /// What the source holds; none where that is not known.
    pub original: Option<&'a Store>,
    /// Of what is released, by number, whether it shows less than the source holds.
    pub shows_less: &'a [bool],
}

/// A column that is released as it is; [`NONE`] is a value.
#[derive(Debug, Clone, Copy)]
pub struct KeptColumn<'a> {
    /// Each record's code.
    pub codes: &'a Store,
    /// How many codes there are beside [`NONE`].
    pub cardinality: usize,
}

/// A table that is released.
#[derive(Debug, Clone)]
pub struct ReleasedTable<'a> {
    /// How many records.
    pub records: usize,
    /// For how many rows each stands; none: one each.
    pub weights: Option<&'a Codes>,
    /// Whose each record is, where groups are as large as they have persons.
    pub persons: Option<&'a Store>,
    /// The masked columns.
    pub masked: Vec<MaskedColumn<'a>>,
    /// The columns that are kept.
    pub kept: Vec<KeptColumn<'a>>,
}

/// What kept columns tell, in rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeptRisk {
    /// All rows.
    pub rows: u64,
    /// In groups of fewer than k by the masked and all kept columns.
    pub at_risk: u64,
    /// By the masked columns and each kept one.
    pub with: Vec<u64>,
    /// By each kept column alone.
    pub alone: Vec<u64>,
    /// Of each masked column; none where all kept ones together give it away in fewer rows than asked for.
    pub given_away: Vec<Option<GivenAway>>,
}

/// In how many rows a masked column's value is given away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GivenAway {
    /// By all kept columns together.
    pub together: u64,
    /// By what is released of the other masked columns, without any kept one.
    pub without: u64,
    /// The kept column that by itself does so in most rows, the first of several, and in how many.
    pub most: (usize, u64),
}

/// Counts what the kept columns of a table tell, with groups of `k` rows (or persons) as safe. What gives a masked column away
/// is told where it does so in `least` rows.
pub fn kept(table: &ReleasedTable, k: u64, least: u64) -> Result<KeptRisk, Error> {
    let (masked, kept) = (table.masked.len(), table.kept.len());
    let rows = match table.weights {
        Some(weights) => weights.sum()? as u64,
        None => table.records as u64,
    };
    let mut risk = KeptRisk {
        rows,
        with: vec![0; kept],
        alone: vec![0; kept],
        given_away: vec![None; masked],
        ..KeptRisk::default()
    };
    if kept == 0 {
        return Ok(risk);
    }
    let classes = Classes::of(table)?;
    // All of them together are one more column, the first.
    let together = if kept > 1 { Some(together(&table.kept, table.records)?) } else { None };
    let mut columns = Vec::new();
    columns.extend(together.as_ref().map(|(cardinality, codes)| (codes, *cardinality, None)));
    columns.extend((0..).zip(&table.kept).map(|(at, column)| (column.codes, column.cardinality, Some(at))));
    let counting = Counting { table, classes: &classes, columns: &columns, k, least };
    counting.all(0..masked, 0..columns.len(), &mut risk)?;
    if together.is_none() {
        risk.at_risk = risk.with[0];
    }
    Ok(risk)
}

/// Folds some kept columns into one, in which NULL has a code like any value. Returns how many codes that has, and the code of
/// each record.
pub fn together(columns: &[KeptColumn], records: usize) -> Result<(usize, Store), Error> {
    let (mut numbered, mut cardinalities) = (Vec::new(), Vec::new());
    for column in columns {
        let mut codes = column.codes.clone();
        room::<u8>(codes.held())?;
        let same: Vec<Code> = pace::collect(0..column.cardinality as Code)?;
        codes.renumber(&same, column.cardinality as Code)?;
        numbered.push(codes);
        cardinalities.push(column.cardinality + 1);
    }
    let all: Vec<&Store> = numbered.iter().collect();
    let folded = compress(&all, &cardinalities, records, None)?;
    let cardinality = folded.weights.len();
    room::<u32>(records)?;
    Ok((cardinality, Store::Memory(Codes::from(folded.ids))))
}

/// A kept column, or all of them together: codes, how many, and which it is.
type Column<'a> = (&'a Store, usize, Option<usize>);

struct Counting<'a> {
    table: &'a ReleasedTable<'a>,
    classes: &'a Classes,
    columns: &'a [Column<'a>],
    k: u64,
    least: u64,
}

impl Counting<'_> {
    /// Counts some masked beside some kept columns: as many at a time as memory is granted for.
    fn all(&self, masked: Range<usize>, kept: Range<usize>, risk: &mut KeptRisk) -> Result<(), Error> {
        let halves = |all: &Range<usize>| {
            let middle = all.start + all.len() / 2;
            [all.start..middle, middle..all.end]
        };
        let columns = (masked.clone(), &self.columns[kept.clone()]);
        let counted = PackedColumns::of(self.table, self.classes, columns)
            .and_then(|packed| self.count(&packed, masked.clone(), risk));
        match counted {
            Ok(()) => Ok(()),
            Err(Error::Memory { .. }) if kept.len() > 1 => {
                halves(&kept).into_iter().try_for_each(|kept| self.all(masked.clone(), kept, risk))
            }
            Err(Error::Memory { .. }) if masked.len() > 1 => {
                halves(&masked).into_iter().try_for_each(|masked| self.all(masked, kept.clone(), risk))
            }
            Err(error) => Err(error),
        }
    }

    fn count(&self, packed: &PackedColumns, masked: Range<usize>, risk: &mut KeptRisk) -> Result<(), Error> {
        let (classes, k) = (self.classes, self.k);
        let persons = self.table.persons.is_some();
        let mut columns: Vec<&KeptPlace> = packed.kept.iter().collect();
        if masked.start == 0 {
            let work = |column: &KeptPlace| at_risk((packed, classes), column, k, persons);
            room::<u8>(self.shared(&columns, |column| Sizes::bytes(column.cardinality, persons)))?;
            let found = self.share(columns.clone(), work)?;
            for (column, (within, alone)) in columns.iter().zip(found) {
                match column.which {
                    None => risk.at_risk = within,
                    Some(which) => (risk.with[which], risk.alone[which]) = (within, alone),
                }
            }
        }
        // All together first, then those that are likely to give most away: the others need not be counted to the end.
        columns.sort_by_key(|column| column.which.map(|which| Reverse(risk.with[which])));
        let widest = columns.iter().map(|column| column.cardinality + 1).max().unwrap_or_default();
        let given_away =
            GivenAwayCount { packed, classes, columns: &columns, widest, rows: risk.rows, least: self.least };
        let attributes = masked.zip(&packed.masked).filter_map(|(attribute, &place)| {
            let MaskedColumn { shows_less, original, .. } = self.table.masked[attribute];
            original.map(|_| (Attribute { attribute, shows_less, place }, risk.given_away[attribute]))
        });
        let attributes: Vec<(Attribute, Option<GivenAway>)> = attributes.collect();
        let order = classes.records.len().saturating_mul(size_of::<Member>());
        room::<u8>(self.shared(&attributes, |_| Slots::bytes(widest).saturating_add(order)))?;
        let work = |(attribute, known): (Attribute, Option<GivenAway>)| {
            Ok((attribute.attribute, given_away.of(&attribute, known)?))
        };
        for (attribute, given_away) in self.share(attributes, work)? {
            risk.given_away[attribute] = given_away;
        }
        Ok(())
    }

    /// Does the jobs: in all threads, where there are records enough.
    fn share<J: Send, R: Send>(
        &self,
        jobs: Vec<J>,
        work: impl Fn(J) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        match self.table.records < WORTH_SHARING {
            true => jobs.into_iter().map(work).collect(),
            false => share(jobs, work),
        }
    }

    /// The bytes that as many jobs hold as are done at a time.
    fn shared<J>(&self, jobs: &[J], bytes: impl Fn(&J) -> usize) -> usize {
        let threads = if self.table.records < WORTH_SHARING { 1 } else { threads() };
        threads.min(jobs.len()).saturating_mul(jobs.iter().map(bytes).max().unwrap_or_default())
    }
}
