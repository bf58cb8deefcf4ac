//! Folding of equal records into one with a count (TDS section 5.1).
//!
//! The codes of a record are packed into as few 64-bit keys as their cardinalities allow, nearly always one. If they
//! do not fit, the number of the distinct record so far becomes the first part of the next key. So any number of
//! columns needs only one kind of hash table.

use super::codes::{each_width, Width};
use super::{Codes, Store};
use crate::progress::{check_memory, check_table_memory, filled, reserve, with_capacity};
use crate::{pace, Code, Error};
use hashbrown::hash_table::{Entry, HashTable};
use hashbrown::DefaultHashBuilder;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;

/// Distinct records, and the number of given records that each stands for.
#[derive(Debug, Clone, Default)]
pub struct Compressed {
    /// Codes of the distinct records by column, in order of first appearance.
    pub columns: Vec<Codes>,
    /// Number of rows that each distinct record stands for.
    pub weights: Vec<u32>,
    /// Index of the distinct record of each given one.
    pub ids: Vec<u32>,
}

/// Folds equal records. The codes of `columns` are below the `cardinalities`. `weights` are numbers of rows per record;
/// none: one each.
pub fn compress(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    weights: Option<&Codes>,
) -> Result<Compressed, Error> {
    let mut buffer = Codes::default();
    let (ids, distinct) = number_distinct(cardinalities, rows, |column, bits, rows, keys| {
        let (codes, at) = columns[column].view(rows, &mut buffer)?;
        // Shifting and joining stretches is vectorized.
        each_width!(codes, codes => {
            let codes = keys.iter_mut().zip(&codes[at]);
            codes.for_each(|(key, code)| *key = *key << bits | u64::from(code.to_code()));
        });
        Ok(())
    })?;
    gather(columns, ids, distinct, weights)
}

/// Numbers the distinct records by first appearance. Returns the number of each record, and how many there are.
/// `pack(column, bits, rows, keys)` shifts the key of each of some rows by `bits` and adds the row's code.
pub(crate) fn number_distinct(
    cardinalities: &[usize],
    rows: usize,
    mut pack: impl FnMut(usize, u32, Range<usize>, &mut [u64]) -> Result<(), Error>,
) -> Result<(Vec<u32>, usize), Error> {
    // Number of the distinct record of each record, over the columns folded so far.
    let mut ids: Vec<u32> = filled(0, rows)?;
    let mut distinct = usize::from(rows > 0);
    let mut keys: Vec<u64> = Vec::new();
    let hasher = DefaultHashBuilder::default();
    let mut columns =
        (0..).zip(cardinalities.iter().map(|&n| bits(n))).filter(|(_, bits)| *bits > 0).peekable();
    while let Some(first) = columns.next() {
        let (mut packed, mut used) = (vec![first], bits(distinct) + first.1);
        while let Some(column) = columns.next_if(|(_, bits)| used + bits <= u64::BITS) {
            used += column.1;
            packed.push(column);
        }
        // The table has only numbers of keys, so that few bytes move when it grows.
        let (mut index, mut all): (HashTable<u32>, Vec<u64>) = (HashTable::new(), Vec::new());
        let hash = |key: &u64| hasher.hash_one(key);
        for some in pace::ranges(0..rows) {
            let some = some?;
            if index.capacity() - index.len() < some.len() {
                // The old table and one of at least twice its size are held at once.
                let room = (index.len() + some.len()).max(index.capacity() + 1);
                check_table_memory::<u32>(room)?;
                index.reserve(some.len(), |&number| hash(&all[number as usize]));
            }
            reserve(&mut all, some.len())?;
            keys.clear();
            keys.extend(ids[some.clone()].iter().map(|&id| u64::from(id)));
            packed.iter().try_for_each(|&(column, bits)| pack(column, bits, some.clone(), &mut keys))?;
            for (id, &key) in ids[some].iter_mut().zip(&keys) {
                let is = |&number: &u32| all[number as usize] == key;
                let entry = index.entry(hash(&key), is, |&number| hash(&all[number as usize]));
                *id = match entry {
                    Entry::Occupied(number) => *number.get(),
                    Entry::Vacant(vacant) => {
                        let number = all.len() as u32;
                        vacant.insert(number);
                        all.push(key);
                        number
                    }
                };
            }
        }
        distinct = all.len();
    }
    Ok((ids, distinct))
}

/// Records that were folded if it was worth it.
#[derive(Debug)]
pub struct Folded {
    /// Codes by column.
    pub columns: Vec<Codes>,
    /// Number of rows per record; none: one each.
    pub weights: Option<Codes>,
    /// Number of records.
    pub rows: usize,
}

/// Folds equal records as [`compress`] does, or by counting in a table if few combinations are possible. Copies the
/// records if a sample shows that most of them differ.
pub fn fold(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    weights: Option<&Codes>,
) -> Result<Folded, Error> {
    let cells = cardinalities.iter().fold(1, |all: usize, &n| all.saturating_mul(n.max(1)));
    if cells <= MAX_TABULATED_CELLS && cells / 4 <= rows {
        return tabulate((columns, cardinalities), cells, rows, weights);
    }
    if rows >= MIN_SAMPLED_RECORDS && mostly_distinct(columns, cardinalities, rows)? {
        return copy_records(columns, rows, weights);
    }
    let mut folded = compress(columns, cardinalities, rows, weights)?;
    folded.ids = Vec::new();
    let rows = folded.weights.len();
    check_memory::<u32>(rows)?;
    let weights = Codes::from(folded.weights);
    Ok(Folded { columns: folded.columns, weights: Some(weights), rows })
}

/// Returns the distinct records by column, in no particular order.
pub fn distinct_records(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
) -> Result<Vec<Codes>, Error> {
    let cells = cardinalities.iter().fold(1, |all: usize, &n| all.saturating_mul(n.max(1)));
    match cells <= MAX_TABULATED_CELLS.min(rows) {
        true => Ok(tabulate((columns, cardinalities), cells, rows, None)?.columns),
        false => Ok(compress(columns, cardinalities, rows, None)?.columns),
    }
}

/// Largest number of possible combinations that are counted in a table, which stays in the processor's cache. There
/// must also be at most four of them per record.
const MAX_TABULATED_CELLS: usize = 1 << 18;

/// Counts the records by cell, and makes a record of each cell that has some, in the order of the codes.
fn tabulate(
    (columns, cardinalities): (&[&Store], &[usize]),
    cells: usize,
    rows: usize,
    weights: Option<&Codes>,
) -> Result<Folded, Error> {
    let mut counts = filled(0u32, cells)?;
    let (mut at, mut buffer): (Vec<u32>, Codes) = Default::default();
    for some in pace::ranges(0..rows) {
        let some = some?;
        at.clear();
        at.resize(some.len(), 0);
        for (column, &cardinality) in columns.iter().zip(cardinalities) {
            let (codes, stretch) = column.view(some.clone(), &mut buffer)?;
            each_width!(codes, codes => {
                let codes = at.iter_mut().zip(&codes[stretch]);
                codes.for_each(|(cell, code)| *cell = *cell * cardinality.max(1) as u32 + code.to_code());
            });
        }
        match weights {
            None => at.iter().for_each(|&cell| counts[cell as usize] += 1),
            Some(weights) => {
                at.iter().zip(some).for_each(|(&cell, row)| counts[cell as usize] += weights.get(row))
            }
        }
    }
    let held: Vec<u32> = pace::collect((0..cells as u32).filter(|&cell| counts[cell as usize] > 0))?;
    check_memory::<u32>(held.len())?;
    let weights = Codes::from(pace::collect(held.iter().map(|&cell| counts[cell as usize]))?);
    // Number of cells per code.
    let mut each = cells;
    let column = |cardinality: usize| {
        each /= cardinality;
        let mut codes = Codes::with_cardinality(cardinality, held.len())?;
        pace::each(&held, |&cell| codes.push((cell as usize / each % cardinality) as Code))?;
        Ok(codes)
    };
    let columns = cardinalities.iter().map(|&n| n.max(1)).map(column).collect::<Result<_, Error>>()?;
    Ok(Folded { columns, weights: Some(weights), rows: held.len() })
}

/// Smallest number of records for which a sample decides about folding.
const MIN_SAMPLED_RECORDS: usize = 1 << 16;

/// Copies records.
pub fn copy_records(columns: &[&Store], rows: usize, weights: Option<&Codes>) -> Result<Folded, Error> {
    let copied = columns.iter().map(|column| match column.in_memory() {
        Some(codes) => codes.copy(),
        None => column.load().map(Cow::into_owned),
    });
    let columns = copied.collect::<Result<_, _>>()?;
    Ok(Folded { columns, weights: weights.map(Codes::copy).transpose()?, rows })
}

/// Number of records in the sample that decides about folding. n draws from D equally frequent records contain about
/// n(n-1)/2D repeats. Folding N records is not worth it if D is above N. It would leave six tenths of them, or more if
/// some are more frequent (Adult blown up to a million rows, nine columns: D is 1.4 N, and nine tenths are left).
const SAMPLE: usize = 1 << 15;

fn mostly_distinct(columns: &[&Store], cardinalities: &[usize], rows: usize) -> Result<bool, Error> {
    let sample = SAMPLE.min(rows);
    let taken =
        |column: &&Store| column.pick((0..sample).map(|number| number * rows / sample)).map(Store::Memory);
    let taken = columns.iter().map(taken).collect::<Result<Vec<Store>, Error>>()?;
    let taken: Vec<&Store> = taken.iter().collect();
    let equal = sample - compress(&taken, cardinalities, sample, None)?.weights.len();
    let pairs = sample as f64 * (sample - 1) as f64 / 2.0;
    Ok(pairs / equal as f64 > rows as f64)
}

fn gather(
    columns: &[&Store],
    ids: Vec<u32>,
    distinct: usize,
    weights: Option<&Codes>,
) -> Result<Compressed, Error> {
    let mut counts = filled(0u32, distinct)?;
    let mut first: Vec<u32> = with_capacity(distinct)?;
    for some in pace::ranges(0..ids.len()) {
        for row in some? {
            let id = ids[row] as usize;
            if id == first.len() {
                first.push(row as u32);
            }
            counts[id] += weights.map_or(1, |weights| weights.get(row));
        }
    }
    // First rows ascend with the numbers, as `pick` requires.
    let gathered = |column: &&Store| column.pick(first.iter().map(|&row| row as usize));
    let columns = columns.iter().map(gathered).collect::<Result<_, Error>>()?;
    Ok(Compressed { columns, weights: counts, ids })
}

/// Returns the number of bits of a code below `cardinality`.
fn bits(cardinality: usize) -> u32 {
    cardinality.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Folding keeps exactly the multiset of records, with any number of keys.
        #[test]
        fn keeps_the_multiset(
            rows in prop::collection::vec(prop::collection::vec(0u32..4, 5), 0..60),
            wide in any::<bool>(),
        ) {
            // Cardinalities so large that five columns need three keys.
            let cardinality = if wide { 1 << 31 } else { 4 };
            let columns: Vec<Vec<crate::Code>> = (0..5).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
            let columns: Vec<Store> = columns.into_iter().map(Store::from_iter).collect();
            let slices: Vec<&Store> = columns.iter().collect();
            let folded = compress(&slices, &[cardinality; 5], rows.len(), None).unwrap();
            let mut expected: BTreeMap<Vec<crate::Code>, u32> = BTreeMap::new();
            for row in &rows { *expected.entry(row.clone()).or_default() += 1; }
            let got: BTreeMap<Vec<crate::Code>, u32> = (0..folded.weights.len())
                .map(|i| (folded.columns.iter().map(|c| c.get(i)).collect(), folded.weights[i])).collect();
            prop_assert_eq!(folded.weights.len(), got.len());
            prop_assert_eq!(&got, &expected);
            // `tabulate` counts the same.
            let counted = tabulate((&slices, &[4; 5]), 1 << 10, rows.len(), None).unwrap();
            let weights = counted.weights.unwrap();
            let got: BTreeMap<Vec<crate::Code>, u32> = (0..counted.rows)
                .map(|i| (counted.columns.iter().map(|c| c.get(i)).collect(), weights.get(i))).collect();
            prop_assert_eq!(counted.rows, got.len());
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn records_that_differ_are_copied() {
        let rows = 2 * MIN_SAMPLED_RECORDS;
        // Records drawn from `rows` combinations, from a sixteenth of them, and from four times as many.
        let drawn = |row: usize, of: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) as usize % of;
        for (of, copied) in [(rows, true), (rows / 16, false), (4 * rows, true)] {
            let columns = [|n: usize| n % 512, |n: usize| n / 512]
                .map(|part| Store::from_iter((0..rows).map(|row| part(drawn(row, of)) as crate::Code)));
            let weights = Codes::from_iter((0..rows).map(|row| row as crate::Code % 3));
            for weights in [None, Some(&weights)] {
                let columns: Vec<&Store> = columns.iter().collect();
                // Cardinalities so large that combinations are not counted in a table.
                let folded = fold(&columns, &[512, 1 << 20], rows, weights).unwrap();
                assert_eq!(folded.rows == rows, copied);
                let sum = |codes: &Codes| (0..codes.len()).map(|i| codes.get(i) as u64).sum::<u64>();
                let all = weights.map_or(rows as u64, sum);
                assert_eq!(folded.weights.as_ref().map_or(rows as u64, sum), all);
                assert!(copied || folded.rows <= of);
                if copied {
                    let same = |(copy, column): (&Codes, &&Store)| {
                        column
                            .in_memory()
                            .is_some_and(|column| (0..rows).all(|i| copy.get(i) == column.get(i)))
                    };
                    assert!(folded.columns.iter().zip(&columns).all(same));
                }
            }
        }
    }

    #[test]
    fn no_columns_is_one_record() {
        let folded = compress(&[], &[], 7, None).unwrap();
        assert_eq!(folded.weights, [7]);
    }
}
