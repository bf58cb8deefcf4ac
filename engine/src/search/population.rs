//! Records that a model counts beside those of the table: of a population, among which somebody looks for whom a released
//! record may be of.
//!
//! They are in a partition of their own, with the records of the table, and a further column tells which are which. As any
//! sensitive column it is counted with every part of a group; so a search needs nothing new, and whatever is counted of the
//! table alone, gains above all, does not see them.

use crate::partition::Records;
use crate::progress::room;
use crate::table::{fold, Codes, Store};
use crate::{pace, Error};

/// The records of a population, in the codes of the table's columns.
#[derive(Debug)]
pub struct Population<'a> {
    /// How many records there are.
    pub records: usize,
    /// How many rows each of them stands for; none: one each.
    pub weights: Option<&'a Codes>,
    /// Each record's code on each masked column; none on those that no model asks of.
    pub columns: Vec<Option<&'a Store>>,
}

/// Which side of a group a record is on.
pub(super) const OWN: u32 = 0;
const OTHERS: u32 = 1;
const SIDES: usize = 2;

/// The records of a table and of a population, folded on some columns.
#[derive(Default)]
pub(super) struct Joined {
    attributes: Vec<usize>,
    /// One for each of the attributes, and the one that tells which is which.
    columns: Vec<Store>,
    weights: Codes,
    rows: usize,
    /// Of the columns that nobody asks of.
    none: Store,
}

impl Joined {
    /// Folds both on some columns of the table.
    pub fn of(attributes: &[usize], table: &Records, population: &Population) -> Result<Joined, Error> {
        let cardinalities: Vec<usize> = attributes.iter().map(|&a| table.cardinalities[a]).collect();
        let others = attributes.iter().map(|&a| population.columns.get(a).copied().flatten());
        let others = others.collect::<Option<Vec<&Store>>>();
        let others = others.ok_or(Error::Internal("a population lacks a column"))?;
        let own: Vec<&Store> = attributes.iter().map(|&a| table.columns[a]).collect();
        let own = fold(&own, &cardinalities, table.rows, table.weights)?;
        let others = fold(&others, &cardinalities, population.records, population.weights)?;
        let (rows, limit) = (own.rows + others.rows, u32::MAX as usize);
        let widths: usize = cardinalities.iter().map(|&n| Codes::bytes_below(n)).sum();
        room::<u8>(rows.saturating_mul(widths + size_of::<u32>() + 1))?;
        let mut columns = Vec::new();
        for ((own, others), &cardinality) in own.columns.iter().zip(&others.columns).zip(&cardinalities) {
            let mut both = Codes::below(cardinality, rows);
            for side in [own, others] {
                pace::each(0..side.len(), |record| both.push(side.get(record)))?;
            }
            columns.push(Store::Memory(both));
        }
        let (mut sides, mut weights) = (Codes::below(2, rows), Codes::below(limit, rows));
        let mut all: usize = 0;
        for (side, folded) in [(OWN, &own), (OTHERS, &others)] {
            pace::each(0..folded.rows, |record| {
                let weight = folded.weights.as_ref().map_or(1, |weights| weights.get(record));
                sides.push(side);
                weights.push(weight);
                all += weight as usize;
            })?;
        }
        if all > limit {
            return Err(Error::TooManyRows { rows: all, limit });
        }
        columns.push(Store::Memory(sides));
        Ok(Joined { attributes: attributes.to_vec(), columns, weights, rows, none: Store::default() })
    }

    /// As records of a problem whose only column beside the masked ones tells which is which.
    pub fn records(&self, table: &Records) -> Records<'_> {
        let masked = table.masked;
        let mut columns = vec![&self.none; masked + 1];
        for (&at, column) in self.attributes.iter().chain([&masked]).zip(&self.columns) {
            columns[at] = column;
        }
        let cardinalities = table.cardinalities[..masked].iter().copied().chain([SIDES]).collect();
        let (rows, weights) = (self.rows, Some(&self.weights));
        Records { columns, cardinalities, masked, rows, weights, numbered: false }
    }
}
