//! Keys. The judge counts every combination of columns separately.

use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashMap;
use topdown::measure::{find_keys, Key};
use topdown::table::Store;

fn engine_keys(rows: &[Vec<u32>], columns: usize, k: u64, most: usize) -> Vec<Key> {
    let codes: Vec<Store> = (0..columns).map(|c| rows.iter().map(|row| row[c]).collect()).collect();
    let codes: Vec<&Store> = codes.iter().collect();
    let cardinalities: Vec<usize> =
        (0..columns).map(|c| rows.iter().map(|row| row[c] as usize + 1).max().unwrap_or(0)).collect();
    find_keys(&codes, &cardinalities, rows.len(), k, most).unwrap()
}

/// Counts the groups, the single rows, and the rows in groups of fewer than k.
fn count(rows: &[Vec<u32>], columns: &[usize], k: u64) -> (u64, u64, u64) {
    let mut groups: HashMap<Vec<u32>, u64> = HashMap::new();
    for row in rows {
        *groups.entry(columns.iter().map(|&c| row[c]).collect()).or_default() += 1;
    }
    let single = groups.values().filter(|n| **n == 1).count() as u64;
    (groups.len() as u64, single, groups.values().filter(|n| **n < k).sum())
}

/// Lists every combination that singles out more rows than each combination of one column less.
fn naive(rows: &[Vec<u32>], columns: usize, k: u64, most: usize) -> Vec<Key> {
    let mut listed = Vec::new();
    for bits in 1..1u32 << columns {
        let of = |bits: u32| (0..columns).filter(|c| bits >> c & 1 == 1).collect::<Vec<usize>>();
        let chosen = of(bits);
        let (groups, unique, below) = count(rows, &chosen, k);
        let tells_more = chosen.iter().all(|&left| {
            let part = of(bits & !(1 << left));
            let (_, single, found) = count(rows, &part, k);
            // Without columns all rows are one group. It singles nobody out, even if it has one row.
            let single = if part.is_empty() { 0 } else { single };
            (found, single) != (below, unique)
        });
        if chosen.len() <= most && tells_more {
            listed.push(Key { columns: chosen, groups, unique, below });
        }
    }
    listed.sort_by_key(|key| {
        (u64::MAX - key.below, u64::MAX - key.unique, key.columns.len(), key.columns.clone())
    });
    listed
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_combination_is_counted(
        columns in 1..5usize,
        rows in vec((vec(0..4u32, 5), vec(0..30u32, 5), vec(any::<bool>(), 5)), 0..40),
        k in 1..6u64,
        most in 1..5usize,
    ) {
        let pick = |(few, many, which): &(Vec<u32>, Vec<u32>, Vec<bool>)| {
            (0..columns).map(|c| if c % 2 == 0 && which[c] { many[c] } else { few[c] }).collect::<Vec<u32>>()
        };
        let rows: Vec<Vec<u32>> = rows.iter().map(pick).collect();
        prop_assert_eq!(engine_keys(&rows, columns, k, most), naive(&rows, columns, k, most));
    }
}

#[test]
fn a_key_of_all_rows_has_no_further_column() {
    let rows: Vec<Vec<u32>> = (0..6).map(|i| vec![i, i % 2, i % 3]).collect();
    let found: Vec<Vec<usize>> = engine_keys(&rows, 3, 3, 3).into_iter().map(|key| key.columns).collect();
    // Columns 1 and 2 together single out the same rows as column 0.
    assert_eq!(found, [vec![0], vec![1, 2], vec![2]]);
}
