//! Folding of equal records into one with a count (TDS section 5.1).
//!
//! The codes of a record are packed into a 64-bit key. If they do not fit, the records are numbered by the columns that
//! fit, and this number becomes the first part of a next key. So any number of columns needs only one kind of hash
//! table.

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
        let (codes, run) = columns[column].view(rows, &mut buffer)?;
        // The compiler vectorizes this loop.
        each_width!(codes, codes => {
            let codes = keys.iter_mut().zip(&codes[run]);
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
    // Number of the distinct record of each record, over the columns packed so far.
    let mut ids: Vec<u32> = filled(0, rows)?;
    let mut distinct = usize::from(rows > 0);
    let mut columns =
        (0..).zip(cardinalities.iter().map(|&n| bits(n))).filter(|(_, bits)| *bits > 0).peekable();
    while let Some(first) = columns.next() {
        let (mut packed, mut used) = (vec![first], bits(distinct) + first.1);
        while let Some(column) = columns.next_if(|(_, bits)| used + bits <= u64::BITS) {
            used += column.1;
            packed.push(column);
        }
        let (mut numbers, mut keys) = (KeyNumbers::default(), Vec::new());
        for run in pace::ranges(0..rows) {
            let run = run?;
            numbers.reserve(run.len())?;
            keys.clear();
            keys.extend(ids[run.clone()].iter().map(|&id| u64::from(id)));
            packed.iter().try_for_each(|&(column, bits)| pack(column, bits, run.clone(), &mut keys))?;
            ids[run].iter_mut().zip(&keys).for_each(|(id, &key)| *id = numbers.find_or_add(key));
        }
        distinct = numbers.keys.len();
    }
    Ok((ids, distinct))
}

/// Keys, numbered by first appearance.
#[derive(Default)]
struct KeyNumbers {
    keys: Vec<u64>,
    /// Numbers by key. The keys are not in the table, so few bytes move when it grows.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl KeyNumbers {
    /// Makes room for `more` keys.
    fn reserve(&mut self, more: usize) -> Result<(), Error> {
        let KeyNumbers { keys, index, hasher } = self;
        if index.capacity() - index.len() < more {
            // The old table and one of at least twice its size are held at once.
            check_table_memory::<u32>((index.len() + more).max(index.capacity() + 1))?;
            index.reserve(more, |&number| hasher.hash_one(keys[number as usize]));
        }
        reserve(keys, more)
    }

    #[inline]
    fn find_or_add(&mut self, key: u64) -> u32 {
        let KeyNumbers { keys, index, hasher } = self;
        let is_it = |&number: &u32| keys[number as usize] == key;
        match index.entry(hasher.hash_one(key), is_it, |&number| hasher.hash_one(keys[number as usize])) {
            Entry::Occupied(number) => *number.get(),
            Entry::Vacant(vacant) => {
                let number = keys.len() as u32;
                vacant.insert(number);
                keys.push(key);
                number
            }
        }
    }
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
    let cells = combinations(cardinalities);
    if cells <= MAX_TABULATED_CELLS && cells / MAX_CELLS_PER_RECORD <= rows {
        return tabulate(columns, cardinalities, rows, weights);
    }
    if rows >= MIN_SAMPLED_RECORDS && are_mostly_distinct(columns, cardinalities, rows)? {
        return copy_records(columns, rows, weights);
    }
    let mut folded = compress(columns, cardinalities, rows, weights)?;
    // The memory is needed for the weights.
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
    match combinations(cardinalities) <= MAX_TABULATED_CELLS.min(rows) {
        true => Ok(tabulate(columns, cardinalities, rows, None)?.columns),
        false => Ok(compress(columns, cardinalities, rows, None)?.columns),
    }
}

/// Returns the number of possible combinations of codes.
fn combinations(cardinalities: &[usize]) -> usize {
    cardinalities.iter().fold(1, |all: usize, &n| all.saturating_mul(n.max(1)))
}

/// Largest number of possible combinations that are counted in a table. A larger table would not stay in the cache of
/// the processor.
const MAX_TABULATED_CELLS: usize = 1 << 18;

/// Largest number of possible combinations per record that [`fold`] counts in a table.
const MAX_CELLS_PER_RECORD: usize = 4;

/// Counts the rows of each possible combination, and makes a record of each combination that has some, in the order of
/// the codes.
fn tabulate(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    weights: Option<&Codes>,
) -> Result<Folded, Error> {
    let counts = count_combinations(columns, cardinalities, rows, weights)?;
    let held: Vec<u32> =
        pace::collect((0..counts.len() as u32).filter(|&combination| counts[combination as usize] > 0))?;
    check_memory::<u32>(held.len())?;
    let weights = Codes::from(pace::collect(held.iter().map(|&combination| counts[combination as usize]))?);
    // Number of combinations with the same code in the current column and those before it.
    let mut per_code = counts.len();
    let column = |cardinality: usize| {
        per_code /= cardinality;
        let mut codes = Codes::with_cardinality(cardinality, held.len())?;
        pace::each(&held, |&combination| {
            codes.push((combination as usize / per_code % cardinality) as Code)
        })?;
        Ok(codes)
    };
    let columns = cardinalities.iter().map(|&n| n.max(1)).map(column).collect::<Result<_, Error>>()?;
    Ok(Folded { columns, weights: Some(weights), rows: held.len() })
}

/// Returns the number of rows of each possible combination. The number of a combination has the codes as its digits, to
/// the bases `cardinalities`.
fn count_combinations(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    weights: Option<&Codes>,
) -> Result<Vec<u32>, Error> {
    let mut counts = filled(0u32, combinations(cardinalities))?;
    let (mut numbers, mut buffer): (Vec<u32>, Codes) = Default::default();
    for run in pace::ranges(0..rows) {
        let run = run?;
        numbers.clear();
        numbers.resize(run.len(), 0);
        for (column, &cardinality) in columns.iter().zip(cardinalities) {
            let (codes, stretch) = column.view(run.clone(), &mut buffer)?;
            each_width!(codes, codes => {
                let codes = numbers.iter_mut().zip(&codes[stretch]);
                codes.for_each(|(number, code)| *number = *number * cardinality.max(1) as u32 + code.to_code());
            });
        }
        match weights {
            None => numbers.iter().for_each(|&number| counts[number as usize] += 1),
            Some(weights) => {
                numbers.iter().zip(run).for_each(|(&number, row)| counts[number as usize] += weights.get(row))
            }
        }
    }
    Ok(counts)
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
/// n(n-1)/2D repeats. Folding N records is not worth it if D is above N: it would leave at least six tenths of them
/// (nine tenths of Adult blown up to a million rows, with nine columns and D = 1.4 N).
const SAMPLE: usize = 1 << 15;

/// Returns whether folding is not worth it, by a sample.
fn are_mostly_distinct(columns: &[&Store], cardinalities: &[usize], rows: usize) -> Result<bool, Error> {
    let sample = SAMPLE.min(rows);
    let pick =
        |column: &&Store| column.pick((0..sample).map(|number| number * rows / sample)).map(Store::Memory);
    let picked = columns.iter().map(pick).collect::<Result<Vec<Store>, Error>>()?;
    let picked: Vec<&Store> = picked.iter().collect();
    let repeats = sample - compress(&picked, cardinalities, sample, None)?.weights.len();
    let pairs = sample as f64 * (sample - 1) as f64 / 2.0;
    // D, if the records are equally frequent.
    let possible_records = pairs / repeats as f64;
    Ok(possible_records > rows as f64)
}

/// Collects the codes and the weights of the distinct records.
fn gather(
    columns: &[&Store],
    ids: Vec<u32>,
    distinct: usize,
    weights: Option<&Codes>,
) -> Result<Compressed, Error> {
    let mut counts = filled(0u32, distinct)?;
    let mut first_rows: Vec<u32> = with_capacity(distinct)?;
    for run in pace::ranges(0..ids.len()) {
        for row in run? {
            let id = ids[row] as usize;
            if id == first_rows.len() {
                first_rows.push(row as u32);
            }
            counts[id] += weights.map_or(1, |weights| weights.get(row));
        }
    }
    // First rows ascend with the numbers, as `pick` requires.
    let gathered = |column: &&Store| column.pick(first_rows.iter().map(|&row| row as usize));
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
            let columns: Vec<Vec<Code>> = (0..5).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
            let columns: Vec<Store> = columns.into_iter().map(Store::from_iter).collect();
            let slices: Vec<&Store> = columns.iter().collect();
            let folded = compress(&slices, &[cardinality; 5], rows.len(), None).unwrap();
            let mut expected: BTreeMap<Vec<Code>, u32> = BTreeMap::new();
            for row in &rows { *expected.entry(row.clone()).or_default() += 1; }
            let got: BTreeMap<Vec<Code>, u32> = (0..folded.weights.len())
                .map(|i| (folded.columns.iter().map(|c| c.get(i)).collect(), folded.weights[i])).collect();
            prop_assert_eq!(folded.weights.len(), got.len());
            prop_assert_eq!(&got, &expected);
            // `tabulate` counts the same.
            let counted = tabulate(&slices, &[4; 5], rows.len(), None).unwrap();
            let weights = counted.weights.unwrap();
            let got: BTreeMap<Vec<Code>, u32> = (0..counted.rows)
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
                .map(|part| Store::from_iter((0..rows).map(|row| part(drawn(row, of)) as Code)));
            let weights = Codes::from_iter((0..rows).map(|row| row as Code % 3));
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
