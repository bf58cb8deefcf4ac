//! Law: clusters lose no more than groups, and little more than the optimum. The judge enumerates all partitions of
//! small tables into clusters of k rows or more.
//!
//! `OPTIMUM_TABLES=2000` takes more tables, with `--nocapture` for the figures.

use crate::small::{search_release, Column, Random};
use std::fmt::Write;
use topdown::table::Store;
use topdown::{Code, Outcome, Recoding};

/// Returns the loss per row on a column of a cluster, given as a bit set of rows.
fn loss(column: &Column, rows: usize) -> f64 {
    let codes = (0..column.codes.len()).filter(|row| rows & 1 << row != 0).map(|row| column.codes[row]);
    let (least, greatest) =
        codes.fold((Code::MAX, 0), |(least, greatest), code| (least.min(code), greatest.max(code)));
    if let Some(domain) = column.hierarchy.domain() {
        return domain.loss_between(&(least..=greatest));
    }
    let holds = |node: &&topdown::refine::Node| node.codes.contains(&least) && node.codes.contains(&greatest);
    column.hierarchy.nodes().iter().filter(holds).map(|node| node.loss).fold(1.0, f64::min)
}

/// Returns the least loss of all partitions into clusters of k to 2k - 1 rows. A larger cluster would lose no less than
/// two parts of it.
fn least_loss(columns: &[Column], rows: usize, k: usize) -> f64 {
    let all = 1usize << rows;
    let of_cluster: Vec<f64> = (0..all)
        .map(|cluster| {
            let size = cluster.count_ones() as usize;
            let may = (k..2 * k).contains(&size);
            let lost = || size as f64 * columns.iter().map(|column| loss(column, cluster)).sum::<f64>();
            if may {
                lost()
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

/// Returns the loss of a release over all its cells.
fn release_loss(columns: &[Column], outcome: &Outcome) -> f64 {
    let rows = columns[0].codes.len();
    if let Some(clusters) = &outcome.clusters {
        let of = |row: usize| clusters.of_records.get(row) as usize;
        let members =
            |cluster: usize| (0..rows).filter(|&row| of(row) == cluster).fold(0, |all, row| all | 1 << row);
        let of_row = |row: usize| columns.iter().map(|column| loss(column, members(of(row)))).sum::<f64>();
        return (0..rows).map(of_row).sum();
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

#[test]
fn clusters_lose_little_more_than_the_optimum() {
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
            let by = |recoding| release_loss(&columns, &search_release(&columns, k as u64, recoding));
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
