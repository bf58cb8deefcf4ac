//! Populations of k-map: rows that a model counts beside those of the table. An attacker looks among them for the
//! person of a released record.
//!
//! Their records are in the table's partition, but stand for no row of the table. A further column counts them, as a
//! sensitive column counts a value. So gains and other counts of the table do not include them, and a group of such
//! records alone is no group.

use crate::partition::Records;
use crate::table::{fold, Codes, Store};
use crate::{pace, Error};

/// The records of a population, in the codes of the table's columns.
#[derive(Debug)]
pub struct Population<'a> {
    /// Number of records.
    pub records: usize,
    /// Number of rows that each record stands for; None: one each.
    pub weights: Option<&'a Codes>,
    /// Code of each record on each masked column; None for columns that no model of the population is over.
    pub columns: Vec<Option<&'a Store>>,
}

/// Records of a table and of a population, folded on some columns.
pub(super) struct TableWithPopulation {
    /// Places of these columns in the table. The last column counts the population.
    places: Vec<usize>,
    columns: Vec<Store>,
    /// Number of rows of the table, and of the population, that each record stands for.
    weights: Codes,
    pub of_population: Codes,
    rows: usize,
    /// No codes, for the other columns of the table.
    none: Store,
}

impl TableWithPopulation {
    /// Folds both on the columns of the table at `places`: masked ones, which the population must have, and then
    /// others.
    pub fn fold_both(
        mut places: Vec<usize>,
        table: &Records,
        population: &Population,
    ) -> Result<TableWithPopulation, Error> {
        let cardinalities: Vec<usize> = places.iter().map(|&at| table.cardinalities[at]).collect();
        let masked = places.iter().take_while(|&&at| at < table.masked).count();
        let theirs = places[..masked].iter().map(|&at| population.columns.get(at).copied().flatten());
        let theirs = theirs.collect::<Option<Vec<&Store>>>();
        let theirs = theirs.ok_or(Error::Internal("a population lacks a column"))?;
        let own: Vec<&Store> = places.iter().map(|&at| table.columns[at]).collect();
        let own = fold(&own, &cardinalities, table.rows, table.weights)?;
        let theirs = fold(&theirs, &cardinalities[..masked], population.records, population.weights)?;
        let (rows, limit) = (own.rows + theirs.rows, u32::MAX as usize);
        let mut columns = Vec::new();
        for (place, (own, &cardinality)) in own.columns.iter().zip(&cardinalities).enumerate() {
            let mut both = Codes::with_cardinality(cardinality, rows)?;
            pace::each(0..own.len(), |record| both.push(own.get(record)))?;
            // On other columns the records of a population count for no row, so any code will do.
            match theirs.columns.get(place) {
                Some(theirs) => pace::each(0..theirs.len(), |record| both.push(theirs.get(record)))?,
                None => pace::each(0..theirs.rows, |_| both.push(0))?,
            }
            columns.push(Store::Memory(both));
        }
        let mut counted = [Codes::with_cardinality(limit, rows)?, Codes::with_cardinality(limit, rows)?];
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
        Ok(TableWithPopulation { places, columns, weights, of_population, rows, none: Store::default() })
    }

    /// Returns them as records of a table that has one column more.
    pub fn as_records(&self, table: &Records) -> Records<'_> {
        let mut columns = vec![&self.none; table.columns.len() + 1];
        self.places.iter().zip(&self.columns).for_each(|(&at, column)| columns[at] = column);
        let cardinalities = table.cardinalities.iter().copied().chain([1]).collect();
        let (masked, rows, weights) = (table.masked, self.rows, Some(&self.weights));
        // Numbered, so that records that stand for no row are not folded.
        Records { columns, cardinalities, masked, rows, weights, numbered: true }
    }
}
