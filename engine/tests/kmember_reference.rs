//! Greedy k-member clustering against a naive one, written from the description alone: Byun et al.'s algorithm over
//! single rows, with IL of Campan, Cooper and Truta's Definition 7 recomputed each time from the rows of a cluster,
//! O(n^2 k).
//!
//! * The first seed is the first row in value order, each further one the row farthest from the last seed. The distance
//!   of two rows is the loss of a cluster of both.
//! * A cluster takes rows until it has k: the first one that enlarges no extent, otherwise the one that makes
//!   IL(cluster) grow least.
//! * While k rows are left, another cluster is made. Each of the last rows, in value order, joins the cluster whose IL
//!   grows least.
//! * Ties go to the first row in value order, and to the first cluster.
//!
//! All losses are multiples of 1/1024, so sums are exact, and equal losses tie.

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use topdown::cluster::{kmember, Clusters, Extent, Generalizer};
use topdown::refine::Hierarchy;
use topdown::table::Compressed;
use topdown::taxonomy::{Edge, Edges, Taxonomy};
use topdown::Code;

#[derive(Debug, Clone)]
enum Column {
    /// The position of each value; the code after the last is NULL.
    Line(Vec<f64>),
    /// The ranges of leaf codes of a tree's nodes, parents first; the code after the last is NULL.
    Tree(Vec<(Code, Code)>),
    /// A tree with the given losses of inner nodes, in sixteenths. A node may lose more than its parent.
    Odd(Vec<(Code, Code)>, Vec<u8>),
    /// The number of values, which have no order and no tree.
    Apart(Code),
}

impl Column {
    /// Returns the number of codes, including that of NULL.
    fn codes(&self) -> Code {
        match self {
            Column::Line(positions) => positions.len() as Code + 1,
            Column::Tree(nodes) | Column::Odd(nodes, _) => nodes[0].1 + 1,
            Column::Apart(values) => *values,
        }
    }

    /// Returns the loss of a cluster of these codes on the column (Definition 7; `*` loses 1).
    fn loss(&self, codes: &[Code]) -> f64 {
        let (least, greatest) = (*codes.iter().min().unwrap(), *codes.iter().max().unwrap());
        if least == greatest {
            return 0.0;
        }
        match self {
            Column::Apart(_) => 1.0,
            Column::Line(positions) if greatest as usize == positions.len() => 1.0,
            Column::Line(positions) => {
                let whole = positions.last().unwrap() - positions[0];
                (positions[greatest as usize] - positions[least as usize]) / whole
            }
            Column::Tree(nodes) | Column::Odd(nodes, _) if greatest == nodes[0].1 => 1.0,
            Column::Tree(nodes) | Column::Odd(nodes, _) => {
                let ancestors = (0..nodes.len()).filter(|&n| nodes[n].0 <= least && greatest < nodes[n].1);
                self.loss_of_node(ancestors.min_by_key(|&n| nodes[n].1 - nodes[n].0).unwrap())
            }
        }
    }

    fn loss_of_node(&self, node: usize) -> f64 {
        match self {
            Column::Tree(nodes) => size(nodes[node]) / size(nodes[0]),
            Column::Odd(nodes, _) if size(nodes[node]) == 0.0 => 0.0,
            Column::Odd(_, sixteenths) => f64::from(sixteenths[node % sixteenths.len()]) / 16.0,
            _ => unreachable!("no tree"),
        }
    }

    fn space(&self) -> Generalizer {
        match self {
            Column::Line(positions) => Generalizer::Line(positions.clone()),
            Column::Apart(_) => Generalizer::Suppressed,
            Column::Tree(nodes) | Column::Odd(nodes, _) => {
                let label = |(from, to): (Code, Code)| format!("{from}-{to}");
                let parent = |(from, to): (Code, Code)| {
                    let above = nodes.iter().filter(|&&(f, t)| f <= from && to <= t && (f, t) != (from, to));
                    above.min_by_key(|(f, t)| t - f).map(|&node| label(node))
                };
                let mut edges = Edges::default();
                for &node in nodes {
                    let (label, parent, lower) = (label(node), parent(node), node.0.to_string());
                    let edge = Edge { lower: Some(&lower), ..Edge::new(&label, parent.as_deref()) };
                    edges.push(edge);
                }
                let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
                // `*` and NULL come first.
                let mut losses = vec![1.0, 0.0];
                losses.extend(tree.nodes().iter().map(|node| {
                    let leaves = (node.leaves.start, node.leaves.end);
                    self.loss_of_node(nodes.iter().position(|node| *node == leaves).unwrap())
                }));
                Generalizer::Tree(Hierarchy::by_taxonomy(&tree, true).unwrap(), losses)
            }
        }
    }
}

/// Returns max - min (Definition 4), with the leaves' codes as their values.
fn size((from, to): (Code, Code)) -> f64 {
    f64::from(to - from - 1)
}

/// IL (Definition 7) of a cluster of rows.
fn information_loss(columns: &[Column], rows: &[&[Code]]) -> f64 {
    let of = |c: usize| columns[c].loss(&rows.iter().map(|row| row[c]).collect::<Vec<_>>());
    rows.len() as f64 * (0..columns.len()).map(of).sum::<f64>()
}

/// Returns the growth of a cluster's IL by a row.
fn growth(columns: &[Column], cluster: &[&[Code]], row: &[Code]) -> f64 {
    let with: Vec<&[Code]> = cluster.iter().copied().chain([row]).collect();
    information_loss(columns, &with) - information_loss(columns, cluster)
}

/// Returns the index of the first least cost (`sign` 1), or of the first greatest (`sign` -1).
fn first_best(costs: impl Iterator<Item = f64>, sign: f64) -> usize {
    let mut best: Option<(usize, f64)> = None;
    for (i, cost) in costs.enumerate() {
        if best.is_none_or(|(_, least)| sign * cost < sign * least) {
            best = Some((i, cost));
        }
    }
    best.expect("something to choose from").0
}

/// Clusters rows, which must be in value order. Returns the rows of each cluster.
fn naive<'r>(columns: &[Column], rows: &[&'r [Code]], k: usize) -> Vec<Vec<&'r [Code]>> {
    let mut free = rows.to_vec();
    let mut clusters: Vec<Vec<&[Code]>> = Vec::new();
    let mut seed: Option<&[Code]> = None;
    while free.len() >= k {
        let at = match seed {
            None => 0,
            Some(last) => {
                let distance = |row: &&[Code]| information_loss(columns, &[last, row]) / 2.0;
                first_best(free.iter().map(distance), -1.0)
            }
        };
        let first = free.remove(at);
        seed = Some(first);
        let mut cluster = vec![first];
        while cluster.len() < k {
            let now = information_loss(columns, &cluster) / cluster.len() as f64;
            let growths: Vec<f64> = free.iter().map(|row| growth(columns, &cluster, row)).collect();
            let free_of_loss = growths.iter().position(|growth| *growth <= now);
            let at = free_of_loss.unwrap_or_else(|| first_best(growths.into_iter(), 1.0));
            cluster.push(free.remove(at));
        }
        clusters.push(cluster);
    }
    if !clusters.is_empty() {
        for row in free {
            let at = first_best(clusters.iter().map(|cluster| growth(columns, cluster, row)), 1.0);
            clusters[at].push(row);
        }
    }
    clusters
}

/// Distinct records in value order with their weights, and k.
#[derive(Debug, Clone)]
struct Case {
    columns: Vec<Column>,
    records: Vec<(Vec<Code>, u32)>,
    k: u32,
}

impl Case {
    fn rows(&self) -> Vec<&[Code]> {
        self.records.iter().flat_map(|(codes, weight)| (0..*weight).map(move |_| &codes[..])).collect()
    }

    fn engine(&self) -> (Vec<Generalizer>, Clusters) {
        let spaces: Vec<Generalizer> = self.columns.iter().map(Column::space).collect();
        let records = Compressed {
            columns: (0..spaces.len()).map(|c| self.records.iter().map(|(r, _)| r[c]).collect()).collect(),
            weights: self.records.iter().map(|(_, weight)| *weight).collect(),
            ids: self.records.iter().enumerate().flat_map(|(i, r)| vec![i as u32; r.1 as usize]).collect(),
        };
        let clusters = kmember(&spaces, &records, self.k, false).unwrap();
        (spaces, clusters)
    }
}

/// Returns a random tree as nested ranges of 0..leaves, parents first.
fn tree(leaves: Code, draws: &[u8]) -> Vec<(Code, Code)> {
    let mut nodes = vec![];
    let mut open = vec![(0, leaves)];
    let mut draws = draws.iter().cycle();
    while let Some((from, to)) = open.pop() {
        nodes.push((from, to));
        let mut cuts: Vec<Code> =
            (from + 1..to).filter(|_| draws.next().is_some_and(|draw| draw % 3 == 0)).collect();
        if cuts.is_empty() && to - from > 1 {
            cuts.push(from + 1);
        }
        if cuts.is_empty() {
            continue;
        }
        let ends: Vec<Code> = [from].into_iter().chain(cuts).chain([to]).collect();
        open.extend(ends.windows(2).map(|pair| (pair[0], pair[1])));
    }
    nodes
}

fn column() -> impl Strategy<Value = Column> {
    prop_oneof![
        3 => btree_set(1u8..16, 0..8).prop_map(|inner| {
            Column::Line([0].into_iter().chain(inner).chain([16]).map(f64::from).collect())
        }),
        3 => (prop::sample::select(vec![2u32, 3, 5, 9]), vec(any::<u8>(), 20))
            .prop_map(|(leaves, draws)| Column::Tree(tree(leaves, &draws))),
        1 => (2u32..5).prop_map(Column::Apart),
    ]
}

fn case() -> impl Strategy<Value = Case> {
    vec(column(), 1..4).prop_flat_map(|columns| {
        let record: Vec<_> = columns.iter().map(|column| 0..column.codes()).collect();
        let records = btree_map(record, 1u32..5, 1..20);
        (Just(columns), records, 1u32..7).prop_map(|(columns, records, k)| Case {
            columns,
            records: records.into_iter().collect(),
            k,
        })
    })
}

/// Checks the engine's clusters: every row is in one, none is too small, and each extent is the least that holds its
/// rows. Returns their IL.
fn check_partition(case: &Case, spaces: &[Generalizer], clusters: &Clusters) -> Result<f64, TestCaseError> {
    let mut rows: Vec<Vec<&[Code]>> = vec![Vec::new(); clusters.sizes.len()];
    for ((codes, weight), members) in case.records.iter().zip(&clusters.members) {
        prop_assert_eq!(members.iter().map(|(_, n)| n).sum::<u32>(), *weight);
        for &(cluster, n) in members {
            prop_assert!(n > 0);
            rows[cluster as usize].extend(vec![&codes[..]; n as usize]);
        }
    }
    let mut lost = 0.0;
    for ((rows, &size), extents) in rows.iter().zip(&clusters.sizes).zip(&clusters.extents) {
        prop_assert_eq!(rows.len(), size as usize);
        prop_assert!(size >= case.k, "{} rows in a cluster, k is {}", size, case.k);
        prop_assert_eq!(extents.len(), case.columns.len());
        for (c, extent) in extents.iter().enumerate() {
            let codes: Vec<Code> = rows.iter().map(|row| row[c]).collect();
            prop_assert_eq!(spaces[c].loss(extent), case.columns[c].loss(&codes), "{:?}", extent);
            let (least, greatest) = (codes.iter().min().unwrap(), codes.iter().max().unwrap());
            match (&spaces[c], extent) {
                (_, Extent::Ranks(ranks)) => prop_assert_eq!((ranks.start(), ranks.end()), (least, greatest)),
                (Generalizer::Tree(hierarchy, _), Extent::Node(node)) => {
                    let below = &hierarchy.node(*node).codes;
                    prop_assert!(below.contains(least) && below.contains(greatest));
                }
                _ => prop_assert!(least != greatest),
            }
        }
        lost += information_loss(&case.columns, rows);
    }
    Ok(lost)
}

fn check(case: &Case) -> Result<(), TestCaseError> {
    let rows = case.rows();
    let expected = naive(&case.columns, &rows, case.k as usize);
    let (spaces, clusters) = case.engine();
    if rows.len() < case.k as usize {
        prop_assert!(expected.is_empty() && clusters.sizes.is_empty());
        return Ok(());
    }
    let lost = check_partition(case, &spaces, &clusters)?;
    let sizes: Vec<u32> = expected.iter().map(|cluster| cluster.len() as u32).collect();
    prop_assert_eq!(clusters.sizes, sizes);
    prop_assert_eq!(lost, expected.iter().map(|rows| information_loss(&case.columns, rows)).sum::<f64>());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30_000, ..ProptestConfig::default() })]

    /// Records of any weight: the engine treats a record as its equal rows would be treated.
    #[test]
    fn as_the_naive_one(case in case()) {
        check(&case)?;
    }

    /// Records of weight 1: no two rows are equal.
    #[test]
    fn as_the_naive_one_on_distinct_rows(mut case in case()) {
        case.records.iter_mut().for_each(|(_, weight)| *weight = 1);
        check(&case)?;
    }
}

/// Draws cases with a tree in which a node may lose more than its parent, as nodes with given bounds may.
fn odd() -> impl Strategy<Value = Case> {
    let draws = (prop::sample::select(vec![3u32, 5, 9]), vec(any::<u8>(), 20), vec(0u8..=16, 4));
    let odd = draws.prop_map(|(leaves, draws, losses)| Column::Odd(tree(leaves, &draws), losses));
    (odd, column(), 1u32..7).prop_flat_map(|(odd, other, k)| {
        let record = vec![0..odd.codes(), 0..other.codes()];
        (Just(vec![odd, other]), btree_map(record, Just(1u32), 1..30), Just(k))
            .prop_map(|(columns, records, k)| Case { columns, records: records.into_iter().collect(), k })
    })
}

/// Draws cases with fine lines, so that few values are equal.
fn fine() -> impl Strategy<Value = Case> {
    let column = || {
        prop_oneof![
            3 => Just(Column::Line((0..=1024).map(f64::from).collect())),
            1 => (Just(9), vec(any::<u8>(), 20)).prop_map(|(leaves, draws)| Column::Tree(tree(leaves, &draws))),
        ]
    };
    vec(column(), 1..4).prop_flat_map(|columns| {
        let record: Vec<_> = columns.iter().map(|column| 0..column.codes()).collect();
        (Just(columns), btree_map(record, 1u32..3, 1..150), 1u32..9).prop_map(|(columns, records, k)| Case {
            columns,
            records: records.into_iter().collect(),
            k,
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Enough records that the engine drops clustered ones, and skips most of the others by their bounds.
    #[test]
    fn as_the_naive_one_on_many_records(case in fine()) {
        check(&case)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, ..ProptestConfig::default() })]

    /// The engine has no bounds for trees in which a larger cluster may lose less.
    #[test]
    fn as_the_naive_one_on_odd_trees(case in odd()) {
        check(&case)?;
    }
}

fn line(positions: &[f64], weights: &[u32], k: u32) -> Case {
    let records = (0..).zip(weights).map(|(code, &weight)| (vec![code], weight)).collect();
    Case { columns: vec![Column::Line(positions.to_vec())], records, k }
}

/// 0 1 2 10 11 12, k = 3: the seed 0 takes 1 and 2. The farthest from 0 is 12, which takes 11 and 10.
#[test]
fn two_ends() {
    let case = line(&[0.0, 1.0, 2.0, 10.0, 11.0, 12.0], &[1; 6], 3);
    let clusters = naive(&case.columns, &case.rows(), 3);
    assert_eq!(clusters, [[&[0][..], &[1], &[2]], [&[5], &[4], &[3]]]);
    let (_, clusters) = case.engine();
    assert_eq!(clusters.extents, [[Extent::Ranks(0..=2)], [Extent::Ranks(3..=5)]]);
    assert_eq!(clusters.sizes, [3, 3]);
}

/// 0 1 5 9 10, k = 2: {0,1}, then {10,9}; 5 is left. IL({0,1}) = 2/10, and with 5 it is 3 * 5/10: growth 13/10. It is
/// the same with {9,10}, so the first cluster takes 5.
#[test]
fn a_leftover_between_two_clusters() {
    let case = line(&[0.0, 1.0, 5.0, 9.0, 10.0], &[1; 5], 2);
    let (_, clusters) = case.engine();
    assert_eq!(clusters.extents, [[Extent::Ranks(0..=2)], [Extent::Ranks(3..=4)]]);
    assert_eq!(clusters.sizes, [3, 2]);
}

/// Five times 0 and twice 8, k = 2: the clusters are {0,0}, then {8,8}, because 8 is farthest from 0, then {0,0}.
#[test]
fn equal_rows() {
    let case = line(&[0.0, 8.0], &[5, 2], 2);
    let (_, clusters) = case.engine();
    assert_eq!(clusters.sizes.iter().sum::<u32>(), 7);
    // The last 0 joins the first cluster.
    let zero = [Extent::Ranks(0..=0)];
    assert_eq!(clusters.extents, [zero.clone(), [Extent::Ranks(1..=1)], zero]);
    assert_eq!(clusters.sizes, [3, 2, 2]);
}

#[test]
fn fewer_rows_than_k() {
    let (_, clusters) = line(&[0.0, 8.0], &[1, 1], 3).engine();
    assert_eq!(clusters.sizes, [] as [u32; 0]);
}
