//! Rows that a model counts beside those of the table: of a population, among which somebody looks for whom a released
//! record may be of.
//!
//! They are records of the table's partition that stand for no row of the table, and a further column counts them as a sensitive
//! column counts a value. So a search needs little that is new: whatever is counted of the table alone, gains above all, does
//! not see them, and a group that has nothing else is no group.

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

/// The records of a table and of a population, folded on some columns.
pub(super) struct Joined {
    /// Which of the table's columns these are, by their places; the last one counts the population.
    places: Vec<usize>,
    columns: Vec<Store>,
    /// How many rows of the table each record stands for, and how many of the population.
    weights: Codes,
    pub of_population: Codes,
    rows: usize,
    /// Of the columns that nobody asks of.
    none: Store,
}

impl Joined {
    /// Folds both on some columns of the table, by their places: masked ones, which the population has, too, and others.
    pub fn of(mut places: Vec<usize>, table: &Records, population: &Population) -> Result<Joined, Error> {
        let cardinalities: Vec<usize> = places.iter().map(|&at| table.cardinalities[at]).collect();
        let masked = places.iter().take_while(|&&at| at < table.masked).count();
        let theirs = places[..masked].iter().map(|&at| population.columns.get(at).copied().flatten());
        let theirs = theirs.collect::<Option<Vec<&Store>>>();
        let theirs = theirs.ok_or(Error::Internal("a population lacks a column"))?;
        let own: Vec<&Store> = places.iter().map(|&at| table.columns[at]).collect();
        let own = fold(&own, &cardinalities, table.rows, table.weights)?;
        let theirs = fold(&theirs, &cardinalities[..masked], population.records, population.weights)?;
        let (rows, limit) = (own.rows + theirs.rows, u32::MAX as usize);
        let widths: usize = cardinalities.iter().map(|&n| Codes::bytes_below(n)).sum();
        room::<u8>(rows.saturating_mul(widths + 2 * size_of::<u32>() + 1))?;
        let mut columns = Vec::new();
        for (place, (own, &cardinality)) in own.columns.iter().zip(&cardinalities).enumerate() {
            let mut both = Codes::below(cardinality, rows);
            pace::each(0..own.len(), |record| both.push(own.get(record)))?;
            // What a population has no column for is nothing's code: it counts for no row.
            match theirs.columns.get(place) {
                Some(theirs) => pace::each(0..theirs.len(), |record| both.push(theirs.get(record)))?,
                None => pace::each(0..theirs.rows, |_| both.push(0))?,
            }
            columns.push(Store::Memory(both));
        }
        let mut counted = [Codes::below(limit, rows), Codes::below(limit, rows)];
        for (side, folded) in [&own, &theirs].into_iter().enumerate() {
            let mut all: usize = 0;
            pace::each(0..folded.rows, |record| {
                let weight = folded.weights.as_ref().map_or(1, |weights| weights.get(record));
                all += weight as usize;
                counted[side].push(weight);
                counted[1 - side].push(0);
            })?;
            if all > limit {
                return Err(Error::TooManyRows { rows: all, limit });
            }
        }
        columns.push(Store::Memory(pace::collect((0..rows).map(|_| 0))?.into()));
        places.push(table.columns.len());
        let [weights, of_population] = counted;
        Ok(Joined { places, columns, weights, of_population, rows, none: Store::default() })
    }

    /// As records of a table that has one column more.
    pub fn records(&self, table: &Records) -> Records<'_> {
        let mut columns = vec![&self.none; table.columns.len() + 1];
        self.places.iter().zip(&self.columns).for_each(|(&at, column)| columns[at] = column);
        let cardinalities = table.cardinalities.iter().copied().chain([1]).collect();
        let (masked, rows, weights) = (table.masked, self.rows, Some(&self.weights));
        // Nothing is folded that stands for no row.
        Records { columns, cardinalities, masked, rows, weights, numbered: true }
    }
}
