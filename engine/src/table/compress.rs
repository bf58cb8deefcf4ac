//! Equal records folded into one with a count (TDS section 5.1).
//!
//! A record's codes are packed into as few 64-bit keys as their cardinalities allow; nearly
//! always one. Where they do not fit, the records' numbers so far become the first part of the
//! next key, so that any number of columns needs only one kind of hash table.

use super::codes::{each_width, Width};
use super::Codes;
use crate::progress::table_bytes;
use crate::{Error, Pace, Reservation};
use hashbrown::HashMap;

/// Distinct records, a column at a time, and how many of the given records each stands for.
#[derive(Debug, Clone, Default)]
pub struct Compressed {
    /// Codes of the distinct records, one vector a column, in order of first appearance.
    pub columns: Vec<Codes>,
    /// How many records each distinct one stands for.
    pub weights: Vec<u32>,
    /// Which distinct record each given one is.
    pub ids: Vec<u32>,
}

/// Folds equal records. `columns` are codes below the `cardinalities`, one entry a record;
/// `weights` says how many records each entry stands for already (none: one each). The distinct
/// records are held under `memory`.
pub fn compress(
    columns: &[&Codes],
    cardinalities: &[usize],
    rows: usize,
    weights: Option<&[u32]>,
    memory: &mut Reservation,
) -> Result<Compressed, Error> {
    let progress = memory.progress();
    let pace = Pace::new(progress);
    memory.grow_by::<u32>(rows)?;
    // The number of each record's distinct record, over the columns folded so far.
    let mut ids: Vec<u32> = vec![0; rows];
    let mut distinct = usize::from(rows > 0);
    let mut next = 0;
    let mut keys: Vec<u64> = Vec::new();
    while next < columns.len() {
        let mut bits = bits(distinct);
        let first = next;
        while next < columns.len() && (next == first || bits + self::bits(cardinalities[next]) <= 64) {
            bits += self::bits(cardinalities[next]);
            next += 1;
        }
        let packed: Vec<(&Codes, u32)> =
            (first..next).map(|c| (columns[c], self::bits(cardinalities[c]))).collect();
        let mut index: HashMap<u64, u32> = HashMap::new();
        let mut held = Reservation::empty(progress);
        for some in pace.ranges(0..rows) {
            let some = some?;
            if index.capacity() - index.len() < some.len() {
                // Both tables are there while it grows, to at least twice what it was.
                let room = (index.len() + some.len()).max(index.capacity() + 1);
                let grown = Reservation::new(progress, table_bytes::<(u64, u32)>(room))?;
                index.reserve(some.len());
                held = grown;
            }
            // A column at a time: what shifts and joins whole stretches is vectorised.
            keys.clear();
            keys.extend(ids[some.clone()].iter().map(|&id| u64::from(id)));
            for &(column, bits) in &packed {
                each_width!(column, codes => {
                    let codes = &codes[some.clone()];
                    keys.iter_mut().zip(codes).for_each(|(key, code)| *key = *key << bits | u64::from(code.code()));
                });
            }
            for (id, &key) in ids[some].iter_mut().zip(&keys) {
                let new = index.len() as u32;
                *id = *index.entry(key).or_insert(new);
            }
        }
        distinct = index.len();
        drop((index, held));
    }
    gather(columns, ids, distinct, weights, memory, &pace)
}

fn gather(
    columns: &[&Codes],
    ids: Vec<u32>,
    distinct: usize,
    weights: Option<&[u32]>,
    memory: &mut Reservation,
    pace: &Pace,
) -> Result<Compressed, Error> {
    memory.grow_by::<u32>(distinct)?;
    columns.iter().try_for_each(|column| memory.grow(distinct * column.width()))?;
    let _firsts = Reservation::of::<usize>(memory.progress(), distinct)?;
    let mut counts = vec![0u32; distinct];
    let mut first: Vec<usize> = Vec::with_capacity(distinct);
    for some in pace.ranges(0..ids.len()) {
        for row in some? {
            let id = ids[row] as usize;
            if id == first.len() {
                first.push(row);
            }
            counts[id] += weights.map_or(1, |w| w[row]);
        }
    }
    let gathered = |column: &&Codes| {
        let mut gathered = column.like(first.len());
        pace.each(&first, |&row| gathered.push(column.get(row)))?;
        Ok(gathered)
    };
    let columns = columns.iter().map(gathered).collect::<Result<_, Error>>()?;
    Ok(Compressed { columns, weights: counts, ids })
}

/// Bits that hold any code below `cardinality`.
fn bits(cardinality: usize) -> u32 {
    cardinality.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        /// Folding keeps exactly the multiset of records, however many keys it takes.
        #[test]
        fn keeps_the_multiset(rows in prop::collection::vec(prop::collection::vec(0u32..4, 5), 0..60), wide in any::<bool>()) {
            // Pretended cardinalities so large that five columns need three keys.
            let cardinality = if wide { 1 << 31 } else { 4 };
            let columns: Vec<Vec<crate::Code>> = (0..5).map(|c| rows.iter().map(|r| r[c]).collect()).collect();
            let columns: Vec<Codes> = columns.into_iter().map(Codes::from).collect();
            let slices: Vec<&Codes> = columns.iter().collect();
            let folded = compress(&slices, &[cardinality; 5], rows.len(), None, &mut Reservation::unobserved()).unwrap();
            let mut expected: BTreeMap<Vec<crate::Code>, u32> = BTreeMap::new();
            for row in &rows { *expected.entry(row.clone()).or_default() += 1; }
            let got: BTreeMap<Vec<crate::Code>, u32> = (0..folded.weights.len())
                .map(|i| (folded.columns.iter().map(|c| c.get(i)).collect(), folded.weights[i])).collect();
            prop_assert_eq!(folded.weights.len(), got.len());
            prop_assert_eq!(got, expected);
        }
    }

    #[test]
    fn no_columns_is_one_record() {
        let folded = compress(&[], &[], 7, None, &mut Reservation::unobserved()).unwrap();
        assert_eq!(folded.weights, [7]);
    }
}
