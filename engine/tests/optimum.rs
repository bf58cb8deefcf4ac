//! Clustered and local recoding beside the best that there is: on tables small enough to go through all their partitions into
//! clusters of k rows or more.
//!
//! `OPTIMUM_TABLES=2000` takes more tables, with `--nocapture` for the figures.

use std::fmt::Write;
use topdown::privacy::KAnonymity;
use topdown::refine::interval::{Domain, Split};
use topdown::refine::Hierarchy;
use topdown::table::Store;
use topdown::taxonomy::{Edges, Taxonomy};
use topdown::utility::Score;
use topdown::{search, Attribute, Code, Outcome, Problem, Recoding};

/// Numbers from a seed, the same everywhere (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count as u64) as usize
    }
}

/// A column: each row's code, and what codes are released as.
struct Column {
    codes: Vec<Code>,
    hierarchy: Hierarchy,
}

impl Column {
    /// Whole numbers from 0 to 19.
    fn numbers(random: &mut Random, rows: usize) -> Column {
        let values: Vec<usize> = (0..rows).map(|_| random.below(20)).collect();
        let mut sorted = values.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let codes = values.iter().map(|value| sorted.binary_search(value).unwrap() as Code).collect();
        let positions = sorted.into_iter().map(|value| value as f64).collect();
        let domain = Domain { positions, lower: None, upper: None, points: None, whole: false };
        Column { codes, hierarchy: Hierarchy::by_intervals(domain, false) }
    }

    /// Six leaves below three nodes.
    fn tree(random: &mut Random, rows: usize) -> Column {
        let edges = [
            ("a", "top"),
            ("b", "top"),
            ("c", "top"),
            ("a1", "a"),
            ("a2", "a"),
            ("a3", "a"),
            ("b1", "b"),
            ("b2", "b"),
            ("c1", "c"),
        ];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
        let codes = (0..rows).map(|_| random.below(6) as Code).collect();
        Column { codes, hierarchy: Hierarchy::by_taxonomy(&tree, false).unwrap() }
    }

    /// What a cluster of some rows loses for each of them.
    fn loss(&self, rows: usize) -> f64 {
        let codes = (0..self.codes.len()).filter(|row| rows & 1 << row != 0).map(|row| self.codes[row]);
        let (least, greatest) =
            codes.fold((Code::MAX, 0), |(least, greatest), code| (least.min(code), greatest.max(code)));
        if let Some(domain) = self.hierarchy.domain() {
            return domain.loss_between(&(least..=greatest));
        }
        let holds =
            |node: &&topdown::refine::Node| node.codes.contains(&least) && node.codes.contains(&greatest);
        self.hierarchy.nodes().iter().filter(holds).map(|node| node.loss).fold(1.0, f64::min)
    }
}

/// The least loss of all partitions into clusters of k rows or more: one of 2k rows or more would lose no less than two.
fn least_loss(columns: &[Column], rows: usize, k: usize) -> f64 {
    let all = 1usize << rows;
    let of_cluster: Vec<f64> = (0..all)
        .map(|cluster| {
            let size = cluster.count_ones() as usize;
            let may = (k..2 * k).contains(&size);
            let loss = || size as f64 * columns.iter().map(|column| column.loss(cluster)).sum::<f64>();
            if may {
                loss()
            } else {
                f64::INFINITY
            }
        })
        .collect();
    let mut least = vec![f64::INFINITY; all];
    least[0] = 0.0;
    for rows in 1..all {
        let first = rows & rows.wrapping_neg();
        let others = rows & !first;
        let mut more = others;
        loop {
            let cluster = first | more;
            least[rows] = least[rows].min(of_cluster[cluster] + least[rows & !cluster]);
            if more == 0 {
                break;
            }
            more = (more - 1) & others;
        }
    }
    least[all - 1]
}

/// What a release loses over all its cells.
fn lost(columns: &[Column], outcome: &Outcome) -> f64 {
    let rows = columns[0].codes.len();
    if let Some(clusters) = &outcome.clusters {
        let of = |row: usize| clusters.of_records.get(row) as usize;
        let members =
            |cluster: usize| (0..rows).filter(|&row| of(row) == cluster).fold(0, |all, row| all | 1 << row);
        let loss = |row: usize| columns.iter().map(|column| column.loss(members(of(row)))).sum::<f64>();
        return (0..rows).map(loss).sum();
    }
    let regions = outcome.regions.as_ref().expect("groups");
    let stores: Vec<Store> =
        columns.iter().map(|column| Store::from_iter(column.codes.iter().copied())).collect();
    let leaf_of = regions.leaf_of_rows(&stores.iter().collect::<Vec<_>>(), rows).unwrap();
    let leaves: Vec<_> = regions.leaves().collect();
    let of_row = |row: usize| {
        let nodes = &regions.region(leaves[leaf_of.get(row) as usize]).nodes;
        nodes
            .iter()
            .zip(&outcome.hierarchies)
            .map(|(&node, hierarchy)| hierarchy.node(node).loss)
            .sum::<f64>()
    };
    (0..rows).map(of_row).sum()
}

fn released(columns: &[Column], k: u64, recoding: Recoding) -> Outcome {
    let stores: Vec<Store> =
        columns.iter().map(|column| Store::from_iter(column.codes.iter().copied())).collect();
    let attributes = stores.iter().zip(columns).map(|(codes, column)| Attribute {
        codes,
        hierarchy: column.hierarchy.clone(),
        weight: 1.0,
        shown: false,
    });
    let problem = Problem {
        records: columns[0].codes.len(),
        weights: None,
        attributes: attributes.collect(),
        sensitive: vec![],
        persons: vec![],
        class: None,
        models: vec![Box::new(KAnonymity::new((0..columns.len()).collect(), k))],
        score: Score::Tds,
        split: Split::Valid,
        recoding,
        withhold: None,
        max_steps: None,
    };
    search(problem).expect("a release")
}

#[test]
fn clusters_are_near_the_best() {
    let tables = std::env::var("OPTIMUM_TABLES").map_or(120, |tables| tables.parse().expect("a number"));
    let mut figures = String::new();
    for k in [2, 3] {
        let (mut clustered, mut local, mut best, mut compared) = (0.0, 0.0, 0.0, 0.0);
        for seed in 0..tables {
            let mut random = Random(1000 * k as u64 + seed);
            let rows = 2 * k + random.below(13 - 2 * k);
            let columns: Vec<Column> = (0..2 + random.below(2))
                .map(|column| match (column + random.below(2)) % 2 {
                    0 => Column::numbers(&mut random, rows),
                    _ => Column::tree(&mut random, rows),
                })
                .collect();
            let least = least_loss(&columns, rows, k);
            let by = |recoding| lost(&columns, &released(&columns, k as u64, recoding));
            let (of_clusters, of_groups) = (by(Recoding::Clustered), by(Recoding::Local));
            assert!(least <= of_clusters + 1e-9, "{least} is the least, and clusters lose {of_clusters}");
            assert!(of_clusters <= of_groups + 1e-9, "groups lose {of_groups}, and clusters {of_clusters}");
            (best, clustered, local) = (best + least, clustered + of_clusters, local + of_groups);
            compared += 1.0;
        }
        let _ = writeln!(
            figures,
            "k = {k}: of {compared} tables clusters lose {:.2} and groups {:.2} times the least",
            clustered / best,
            local / best
        );
        assert!(clustered < 1.15 * best, "{figures}");
    }
    println!("{figures}");
}
