//! k-member clustering in blocks. Law: any records fall into clusters of k to 2k - 1 rows. If the records are one
//! block, the result is the clustering of the whole, which `kmember_reference.rs` compares with a naive one.

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use topdown::cluster::{kmember, kmember_in_blocks, Clusters, Extent, Generalizer};
use topdown::refine::Hierarchy;
use topdown::table::Compressed;
use topdown::taxonomy::Taxonomy;
use topdown::Code;

const VALUES: Code = 1000;

/// A line of numbers. NULL is the code after the last rank.
fn line() -> Generalizer {
    Generalizer::Line((0..VALUES - 1).map(f64::from).collect())
}

/// A tree of ten branches with a hundred leaves each.
fn tree() -> Generalizer {
    let branches = (0..10).map(|branch| (format!("b{branch}"), Some("all".to_string())));
    let leaves = (0..VALUES).map(|leaf| (format!("l{leaf:03}"), Some(format!("b{}", leaf / 100))));
    let edges = [("all".to_string(), None)].into_iter().chain(branches).chain(leaves).collect();
    let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
    let tree = Hierarchy::by_taxonomy(&tree, false).unwrap();
    let losses = tree.nodes().iter().map(|node| node.loss).collect();
    Generalizer::Tree(tree, losses)
}

fn folded(records: impl IntoIterator<Item = (Vec<Code>, u32)>) -> Compressed {
    let records: Vec<(Vec<Code>, u32)> = records.into_iter().collect();
    Compressed {
        columns: (0..records[0].0.len()).map(|c| records.iter().map(|(r, _)| r[c]).collect()).collect(),
        weights: records.iter().map(|(_, weight)| *weight).collect(),
        ids: vec![],
    }
}

fn clustered(spaces: &[Generalizer], records: &Compressed, k: u32, block: usize) -> Clusters {
    kmember_in_blocks(spaces, records, k, false, block).unwrap()
}

/// Asserts that every row is in one cluster, that each cluster has k to 2k - 1 rows, and that its extents are
/// the least ones that hold its rows.
fn check(spaces: &[Generalizer], records: &Compressed, k: u32, clusters: &Clusters) {
    let mut sizes = vec![0; clusters.sizes.len()];
    let mut tight: Vec<Vec<Option<Extent>>> = vec![vec![None; spaces.len()]; sizes.len()];
    for (record, members) in clusters.members.iter().enumerate() {
        assert_eq!(members.iter().map(|m| m.1).sum::<u32>(), records.weights[record]);
        for &(cluster, rows) in members {
            assert!(rows > 0);
            sizes[cluster as usize] += rows;
            for (c, space) in spaces.iter().enumerate() {
                let code = records.columns[c].get(record);
                let extent = &mut tight[cluster as usize][c];
                *extent = Some(match extent {
                    Some(extent) => space.extend(extent, code),
                    None => space.generalize_one(code),
                });
            }
        }
    }
    assert_eq!(sizes, clusters.sizes);
    assert!(sizes.iter().all(|size| (k..2 * k).contains(size)), "k is {k}: {sizes:?}");
    for (tight, extents) in tight.into_iter().zip(&clusters.extents) {
        assert!(tight.iter().flatten().eq(extents), "{tight:?} {extents:?}");
    }
}

fn same(one: &Clusters, other: &Clusters) -> bool {
    (&one.extents, &one.sizes, &one.members) == (&other.extents, &other.sizes, &other.members)
}

/// Generates distinct records with their row counts. Many records agree in one column, few in several.
fn records(columns: usize) -> impl Strategy<Value = Vec<(Vec<Code>, u32)>> {
    let value = prop_oneof![3 => 0..VALUES, 1 => Just(VALUES / 3), 1 => Just(VALUES - 1)];
    btree_map(vec(value, columns), prop_oneof![3 => Just(1u32), 1 => 1u32..20], 1..600)
        .prop_map(|records| records.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn every_row_is_in_one_cluster_of_k_to_2k_rows(records in records(3), k in 1u32..6, block in 1usize..200) {
        let (spaces, records) = ([line(), tree(), Generalizer::Suppressed], folded(records));
        let rows: u32 = records.weights.iter().sum();
        let clusters = clustered(&spaces, &records, k, block);
        if rows < k {
            prop_assert!(clusters.sizes.is_empty());
            return Ok(());
        }
        check(&spaces, &records, k, &clusters);
        prop_assert!(same(&clusters, &clustered(&spaces, &records, k, block)));
    }

    /// Records stay one block unless a quarter of them makes 32 clusters.
    #[test]
    fn nothing_is_divided_into_too_few(records in records(2), block in 1usize..200) {
        let (spaces, records) = ([line(), tree()], folded(records));
        let whole = clustered(&spaces, &records, 5, usize::MAX);
        prop_assert!(same(&whole, &kmember(&spaces, &records, 5, false).unwrap()));
        if records.weights.len() < 4 * 32 * 5 {
            prop_assert!(same(&whole, &clustered(&spaces, &records, 5, block)));
        }
    }
}

/// A thousand distinct values fall into blocks of 200 to 300 records.
#[test]
fn a_single_column_is_divided_into_blocks() {
    let records = folded((0..VALUES).map(|code| (vec![code], 1)));
    for space in [line(), tree(), Generalizer::Suppressed] {
        let spaces = [space];
        let clusters = clustered(&spaces, &records, 3, 200);
        check(&spaces, &records, 3, &clusters);
        assert!(!same(&clusters, &clustered(&spaces, &records, 3, usize::MAX)), "it is divided");
    }
}

/// Two heaps of 400 records are divided at the gap between them. With k = 3 one row of each heap is left over,
/// and joins a cluster of its own heap.
#[test]
fn left_over_rows_stay_in_their_block() {
    let heap = |from: Code| (0..20).flat_map(move |i| (0..20).map(move |j| (vec![from + i, j], 1)));
    let (spaces, records) = ([line(), line()], folded(heap(0).chain(heap(70))));
    let clusters = clustered(&spaces, &records, 3, 400);
    check(&spaces, &records, 3, &clusters);
    let within = |from: Code| {
        let ranks = |extents: &Vec<Extent>| matches!(&extents[0], Extent::Ranks(r) if *r.start() >= from && *r.end() < from + 20);
        let mut sizes: Vec<u32> =
            clusters.extents.iter().zip(&clusters.sizes).filter(|c| ranks(c.0)).map(|c| *c.1).collect();
        sizes.sort();
        sizes
    };
    for sizes in [within(0), within(70)] {
        assert_eq!(sizes, [vec![3; 132], vec![4]].concat());
    }
}

/// Records are divided into blocks even if two thirds of the values of every column are equal.
#[test]
fn columns_of_mostly_equal_values_are_divided() {
    let cross = (1..VALUES).flat_map(|i| [vec![0, 0, i], vec![0, i, 0], vec![i, 0, 0]]);
    let mut all: Vec<Vec<Code>> = cross.collect();
    all.sort();
    let (spaces, records) =
        ([line(), tree(), Generalizer::Suppressed], folded(all.into_iter().map(|codes| (codes, 3))));
    let (whole, parts) = (clustered(&spaces, &records, 2, 5000), clustered(&spaces, &records, 2, 400));
    check(&spaces, &records, 2, &parts);
    assert!(!same(&whole, &parts), "it is divided");
}

/// A block of 180 values and 120 NULLs is divided between these, because a value and NULL together lose most.
#[test]
fn nulls_are_divided_from_values() {
    let rows = (0..180).map(|a| vec![a, 0]).chain((0..120).map(|b| vec![VALUES - 1, b]));
    let (spaces, records) = ([line(), Generalizer::Suppressed], folded(rows.map(|codes| (codes, 1))));
    let clusters = clustered(&spaces, &records, 2, 200);
    check(&spaces, &records, 2, &clusters);
    assert!(clusters.extents.iter().all(|extents| extents[0] != Extent::Any));
}
