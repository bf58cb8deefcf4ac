//! A partition without a search: with few columns carried along, with an index, and its counts against the rows.

use crate::small::{problem, stores, Column, Random};
use std::collections::BTreeMap;
use topdown::partition::{ChildOfCode, CodeOrder, Partition, Records, Tally};
use topdown::privacy::{Diversity, PrivacyModel};
use topdown::refine::{Hierarchy, TOP};
use topdown::table::{Codes, Store};
use topdown::{search, CodedColumn, Problem, Recoding};

/// The refined column is carried along even if nothing in it will be counted again, because later disclosures look
/// for their values in it.
#[test]
fn disclosures_follow_each_other() {
    let codes = [0, 1, 2, 0, 1, 0, 3, 1, 0, 2];
    let column = Store::from_iter(codes);
    let records = Records {
        columns: vec![&column],
        cardinalities: vec![4],
        masked: 1,
        rows: codes.len(),
        weights: None,
        numbered: false,
    };
    let mut partition = Partition::new(vec![0], vec![], None, &records).unwrap();
    let mut tally = Tally::new(&partition, 4, &[]).unwrap();
    let mut rows = |partition: &Partition, group| {
        partition.count_whole(group, &mut tally).unwrap();
        tally.records[0]
    };
    let mut left = codes.len() as u32;
    for value in [1, 0, 3] {
        let held = codes.iter().filter(|&&code| code == value).count() as u32;
        let arms = ChildOfCode::Disclose(value, value + 1);
        let groups = partition.refine(0, TOP, arms, &|_, _| false).unwrap();
        left -= held;
        let found: Vec<(u32, u32)> =
            groups.iter().map(|&(group, _)| (partition.node(group, 0), rows(&partition, group))).collect();
        assert_eq!(found, [(TOP, left), (value + 1, held)]);
        assert!(groups.iter().all(|&(_, split)| split));
    }
    // All rows that are left hold the last value, so the group is not split.
    let groups = partition.refine(0, TOP, ChildOfCode::Disclose(2, 3), &|_, _| false).unwrap();
    assert_eq!(groups, [(0, false)]);
    assert_eq!((partition.node(0, 0), rows(&partition, 0)), (3, 2));
}

/// A partition with an index refines to the same groups as one that scans, also between refinements of other columns.
#[test]
fn an_index_finds_what_a_scan_finds() {
    const VALUES: usize = 100;
    let mut random = 7u64;
    let mut below = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    let codes: Vec<u32> = (0..600).map(|_| below(VALUES as u64) as u32).collect();
    // In half of the rows the first column decides, so that some groups hold one value.
    let other: Vec<u32> =
        codes.iter().map(|&code| if below(2) == 0 { code % 6 } else { below(6) as u32 }).collect();
    let third: Vec<u32> = codes.iter().map(|_| below(5) as u32).collect();
    let columns = [codes, other, third].map(Store::from);
    let records = Records {
        columns: columns.iter().collect(),
        cardinalities: vec![VALUES, 6, 5],
        masked: 3,
        rows: 600,
        weights: None,
        numbered: false,
    };
    let made = || Partition::new(vec![0, 1, 2], vec![], None, &records).unwrap();
    let (mut scanned, mut indexed) = (made(), made());
    indexed.index(0, VALUES).unwrap();
    // Returns each group's nodes and its number of records by value.
    let groups = |partition: &Partition| {
        let mut tally = Tally::new(partition, VALUES, &[]).unwrap();
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> = (0..partition.group_count() as u32)
            .map(|group| {
                let nodes = (0..3).map(|place| partition.node(group, place)).collect();
                partition.count_children(group, 0, None, &mut tally).unwrap();
                (nodes, tally.records.clone())
            })
            .collect();
        groups.sort();
        groups
    };
    let narrow = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 2]];
    let refinements = (0..VALUES as u32).map(|step| match step {
        10 => (1, TOP, ChildOfCode::Children(&narrow[0], &[1, 2])),
        40 => (1, 1, ChildOfCode::Children(&narrow[1], &[3, 4])),
        // This column has no index in either partition.
        15 | 30 | 60 => (2, TOP, ChildOfCode::Disclose(step / 15, step / 15 + 1)),
        _ => (0, TOP, ChildOfCode::Disclose(step * 37 % VALUES as u32, step * 37 % VALUES as u32 + 1)),
    });
    for (place, node, arms) in refinements {
        let all = |_: usize, _: u32| true;
        let told = [&mut scanned, &mut indexed].map(|partition| {
            let groups = partition.refine(place, node, arms, &all).unwrap();
            let mut told: Vec<(Vec<u32>, usize, bool)> = groups
                .into_iter()
                .map(|(group, split)| {
                    let nodes = (0..3).map(|place| partition.node(group, place)).collect();
                    (nodes, partition.size(group), split)
                })
                .collect();
            told.sort();
            told
        });
        assert_eq!(told[0], told[1]);
        assert_eq!(groups(&scanned), groups(&indexed));
    }
}

/// Tallies and counts by code are those of the rows, with few or with many cells of code and sensitive value.
#[test]
fn counts_are_those_of_the_rows() {
    const PARTS: u32 = 3;
    let mut random = 3u64;
    let mut below = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for codes in [1, 5, 300, 70_000] {
        for (rows, values) in [(7, 2), (3000, 1), (3000, 2), (3000, 40), (3000, 400)] {
            for weighted in [false, true] {
                let mut drawn = |of: usize| (0..rows).map(|_| below(of) as u32).collect::<Vec<u32>>();
                let (column, sensitive, weights) = (drawn(codes), drawn(values), drawn(4));
                let weight = |row: usize| if weighted { weights[row] + 1 } else { 1 };
                let stores = [&column, &sensitive].map(|codes| Store::from(codes.clone()));
                let weights: Codes = (0..rows).map(weight).collect();
                let records = Records {
                    columns: stores.iter().collect(),
                    cardinalities: vec![codes, values],
                    masked: 1,
                    rows,
                    weights: weighted.then_some(&weights),
                    numbered: false,
                };
                let partition = Partition::new(vec![0], vec![0], None, &records).unwrap();
                let (mut by_cell, mut by_part, mut by_code) =
                    (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
                for row in 0..rows {
                    let (code, value) = (column[row], sensitive[row]);
                    *by_cell.entry((code, value)).or_insert(0) += weight(row);
                    *by_part.entry((code % PARTS, value)).or_insert(0) += weight(row);
                    *by_code.entry(code).or_insert(0) += weight(row);
                }
                let all = |of: &BTreeMap<(u32, u32), u32>, one: u32, value: u32| {
                    of.get(&(one, value)).copied().unwrap_or(0)
                };

                let mut tally = Tally::new(&partition, PARTS as usize, &[values]).unwrap();
                let part_of_code: Vec<u32> = (0..codes as u32).map(|code| code % PARTS).collect();
                partition.count_children(0, 0, Some(&part_of_code), &mut tally).unwrap();
                for part in 0..PARTS {
                    for (value, &counted) in (0..).zip(tally.child(part).unwrap().values(0)) {
                        assert_eq!(counted, all(&by_part, part, value));
                    }
                    let part = tally.child(part).unwrap();
                    assert_eq!(part.records(), part.values(0).iter().sum::<u32>());
                }
                partition.count_whole(0, &mut tally).unwrap();
                assert_eq!(tally.records[0], by_code.values().sum::<u32>());
                for (value, &counted) in (0..).zip(tally.child(0).unwrap().values(0)) {
                    assert_eq!(counted, (0..PARTS).map(|part| all(&by_part, part, value)).sum::<u32>());
                }

                let mut order = CodeOrder::default();
                let asked = [(0, values)];
                let counted = partition.count_codes((0, 0), 0..codes as u32, &asked, &mut order).unwrap();
                assert!(counted || codes * values > 1024 || rows < codes / 8);
                assert!(order.codes.iter().copied().eq(by_code));
                for &(code, _) in order.codes.iter().filter(|_| counted) {
                    for (value, &rows) in (0..).zip(order.values(codes, code as usize, &asked, 0)) {
                        assert_eq!(rows, all(&by_cell, code, value));
                    }
                }
            }
        }
    }
}

/// A search is the same if the sensitive column has so many values, most of them without rows, that only the first
/// child of a group has an array of counts.
#[test]
fn sparse_counts_make_the_same_search() {
    const ROWS: usize = 120;
    let mut random = Random(11);
    let values: Vec<u32> = (0..ROWS).map(|_| random.below(9) as u32).collect();
    let suppressed = Column { codes: values, hierarchy: Hierarchy::by_suppression(9, false).unwrap() };
    let columns = [suppressed, Column::tree(&mut random, ROWS), Column::numbers(&mut random, ROWS)];
    let sensitive: Store = (0..ROWS).map(|_| random.below(5) as u32).collect();
    let persons: Store = (0..ROWS).map(|_| random.below(70) as u32).collect();
    let stores = stores(&columns);
    let all = || vec![0, 1, 2];
    let diversity = |kind| PrivacyModel::l_diversity(all(), 0, kind);
    let models: [&dyn Fn() -> PrivacyModel; 3] = [
        &|| diversity(Diversity::Entropy { l: 1.5 }),
        &|| diversity(Diversity::Distinct { l: 2.0 }).counting_persons(0),
        &|| PrivacyModel::confidence_bound(all(), 0, vec![Some(1), Some(3)], 0.7),
    ];
    for model in models {
        for recoding in [Recoding::Global, Recoding::Local] {
            let [dense, sparse] = [5, 1 << 21].map(|cardinality| {
                let sensitive = vec![CodedColumn { codes: &sensitive, cardinality }];
                let persons = vec![CodedColumn { codes: &persons, cardinality: 70 }];
                let models = vec![model()];
                search(Problem { sensitive, persons, models, recoding, ..problem(&columns, &stores, 1) })
                    .unwrap()
            });
            assert!(dense.steps.len() > 1);
            assert_eq!((dense.steps, dense.achieved), (sparse.steps, sparse.achieved));
        }
    }
}
