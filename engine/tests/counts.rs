//! Law: no cell of a release with counts is known to have one row or more, and fewer than k. The judge is a recipient
//! with a linear program: from the shown values of each class of rows and the counts it computes bounds on the rows of
//! each node.
//!
//! `COUNTS_TABLES=100000` takes more tables, with `--nocapture` for the figures.

#![allow(clippy::single_range_in_vec_init, reason = "a value may stand for one range of codes")]

use crate::small::{search_release, Column, Random};
use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, Variable};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use topdown::cluster::Extent;
use topdown::measure::{CountedNode, CountedNodes, HolderCounter, Released, RequiredSize};
use topdown::refine::{Hierarchy, TOP};
use topdown::table::Store;
use topdown::{Code, Outcome, Recoding};

/// Draws a suppressed column of five values.
fn suppressed(random: &mut Random, rows: usize) -> Column {
    let codes = (0..rows).map(|_| (random.below(3) * random.below(3)) as Code).collect();
    Column { codes, hierarchy: Hierarchy::by_suppression(5, false).unwrap() }
}

/// The released extent of each row of a column, the codes of each extent, and the column's counts.
struct CountedColumn {
    extents: Vec<Extent>,
    stands_for: BTreeMap<String, Vec<Range<Code>>>,
    counts: Vec<CountedNode>,
}

/// Returns the released extents of all rows, by column.
fn extents(columns: &[Column], outcome: &Outcome) -> Vec<Vec<Extent>> {
    let rows = columns[0].codes.len();
    if let Some(clusters) = &outcome.clusters {
        let of = |row: usize, a: usize| clusters.extents[clusters.of_records.get(row) as usize][a].clone();
        return (0..columns.len()).map(|a| (0..rows).map(|row| of(row, a)).collect()).collect();
    }
    if let Some(regions) = &outcome.regions {
        let stores: Vec<Store> = columns.iter().map(|c| Store::from_iter(c.codes.iter().copied())).collect();
        let leaf_of = regions.leaf_of_rows(&stores.iter().collect::<Vec<_>>(), rows).unwrap();
        let leaves: Vec<_> = regions.leaves().collect();
        let of =
            |row: usize, a: usize| Extent::Node(regions.region(leaves[leaf_of.get(row) as usize]).nodes[a]);
        return (0..columns.len()).map(|a| (0..rows).map(|row| of(row, a)).collect()).collect();
    }
    let of = |a: usize, row: usize| Extent::Node(outcome.cuts[a].node_for(columns[a].codes[row]));
    (0..columns.len()).map(|a| (0..rows).map(|row| of(a, row)).collect()).collect()
}

/// Counts a column as a release does: below each node of the cut, or below the top if shown nodes may overlap.
fn count_column(column: &Column, outcome: &Outcome, a: usize, extents: Vec<Extent>, k: u64) -> CountedColumn {
    let hierarchy = &outcome.hierarchies[a];
    let codes = Store::from_iter(column.codes.iter().copied());
    let least = [RequiredSize { k, persons: None }];
    let mut holders = HolderCounter::new(&codes, hierarchy.codes(), None, &least).unwrap();
    let of_extent = |extent: &Extent| match extent {
        Extent::Node(node) => hierarchy.node(*node).codes.clone(),
        Extent::Ranks(ranks) => *ranks.start()..*ranks.end() + 1,
        Extent::Any => 0..hierarchy.codes() as Code,
    };
    let mut counts = Vec::new();
    let mut stands_for: BTreeMap<String, Vec<Range<Code>>> = BTreeMap::new();
    if outcome.regions.is_none() {
        let cut: BTreeSet<u32> = outcome.cuts[a].nodes().collect();
        for &node in &cut {
            let disclosed = |child| cut.contains(&child);
            let below = CountedNodes::count_below(hierarchy, node, disclosed, None, &mut holders).unwrap();
            counts.extend(below.counts);
        }
        for extent in &extents {
            let Extent::Node(node) = extent else { unreachable!() };
            let all = hierarchy.node(*node).codes.clone();
            // A `*` stands for the values that are not disclosed.
            let is_of = |&code: &Code| outcome.cuts[a].node_for(code) == *node;
            let codes = all.filter(is_of).map(|code| code..code + 1).collect();
            stands_for.insert(format!("{extent:?}"), codes);
        }
    } else {
        let names: BTreeSet<String> = extents.iter().map(|extent| format!("{extent:?}")).collect();
        let number = |extent: &Extent| names.iter().position(|name| *name == format!("{extent:?}")).unwrap();
        extents.iter().for_each(|extent| {
            stands_for.insert(format!("{extent:?}"), vec![of_extent(extent)]);
        });
        let keys = Store::from_iter(extents.iter().map(|extent| number(extent) as Code));
        let as_number: Vec<u32> = (0..names.len() as u32).collect();
        let released = Released { codes: &keys, number_of_code: &as_number, number_count: names.len() };
        let ranges: Vec<Vec<Range<Code>>> = stands_for.values().cloned().collect();
        let mut below = CountedNodes::count_below(hierarchy, TOP, |_| false, None, &mut holders).unwrap();
        below.merge_until_safe(released, &ranges, &codes, None, &mut holders).unwrap();
        counts = below.counts;
    }
    for count in &counts {
        let held = column.codes.iter().filter(|code| count.codes.iter().any(|codes| codes.contains(code)));
        assert_eq!(held.count() as u64, count.rows);
        assert!(count.rows >= k, "{count:?}");
    }
    CountedColumn { extents, stands_for, counts }
}

/// The rows of a class that belong to one counted node of each column, by the indices of class and nodes.
type Cell = (usize, [usize; 2]);

/// A linear program over the number of rows of each cell. `sums` are the known numbers of rows of several cells.
struct Recipient {
    cells: Vec<Cell>,
    sums: Vec<(Vec<usize>, u64)>,
}

impl Recipient {
    fn bound(&self, cells: &[usize], direction: OptimizationDirection) -> f64 {
        let mut problem = Problem::new(direction);
        let is_asked = |cell: usize| f64::from(u8::from(cells.contains(&cell)));
        let variables: Vec<Variable> =
            (0..self.cells.len()).map(|cell| problem.add_var(is_asked(cell), (0.0, f64::INFINITY))).collect();
        for (cells, rows) in &self.sums {
            let mut sum = LinearExpr::empty();
            cells.iter().for_each(|&cell| sum.add(variables[cell], 1.0));
            problem.add_constraint(sum, ComparisonOp::Eq, *rows as f64);
        }
        let outcome = problem.solve().expect("the table itself is a solution");
        outcome.solution().expect("no limit of time").objective()
    }

    /// Says whether some cells together are known to have one row or more, and fewer than k.
    fn pins(&self, cells: &[usize], k: u64) -> bool {
        !cells.is_empty()
            && self.bound(cells, OptimizationDirection::Minimize) > 1e-6
            && self.bound(cells, OptimizationDirection::Maximize) < k as f64 - 1e-6
    }
}

/// Lists the cells, and sums of cells, that a recipient can pin.
fn pinned_cells(columns: [&CountedColumn; 2], k: u64) -> Vec<String> {
    let rows = columns[0].extents.len();
    let mut classes: BTreeMap<[String; 2], u64> = BTreeMap::new();
    for row in 0..rows {
        *classes.entry(columns.map(|column| format!("{:?}", column.extents[row]))).or_default() += 1;
    }
    let classes: Vec<([String; 2], u64)> = classes.into_iter().collect();
    let may = |c: usize, class: usize, node: usize| {
        let Some(count) = columns[c].counts.get(node) else { return true };
        let stands_for = &columns[c].stands_for[&classes[class].0[c]];
        stands_for.iter().any(|one| count.codes.iter().any(|o| one.start < o.end && o.start < one.end))
    };
    let mut recipient = Recipient { cells: Vec::new(), sums: Vec::new() };
    // A column without counts is one node.
    let nodes = columns.map(|column| column.counts.len().max(1));
    for class in 0..classes.len() {
        for one in (0..nodes[0]).filter(|&node| may(0, class, node)) {
            let others = (0..nodes[1]).filter(|&node| may(1, class, node));
            recipient.cells.extend(others.map(|other| (class, [one, other])));
        }
    }
    let where_is = |is: &dyn Fn(&Cell) -> bool| -> Vec<usize> {
        (0..recipient.cells.len()).filter(|&cell| is(&recipient.cells[cell])).collect()
    };
    let mut sums = Vec::new();
    let mut asked: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (class, (shown, rows)) in classes.iter().enumerate() {
        sums.push((where_is(&|cell| cell.0 == class), *rows));
        for (cell, (of, nodes)) in recipient.cells.iter().enumerate() {
            if *of == class {
                asked.insert(format!("{shown:?} {nodes:?}"), vec![cell]);
                for c in 0..2 {
                    asked.entry(format!("{shown:?} column {c} {}", nodes[c])).or_default().push(cell);
                    asked.entry(format!("all {} column {c} {}", shown[c], nodes[c])).or_default().push(cell);
                }
            }
        }
    }
    for (c, column) in columns.iter().enumerate() {
        for (node, count) in column.counts.iter().enumerate() {
            sums.push((where_is(&|cell| cell.1[c] == node), count.rows));
        }
    }
    recipient.sums = sums;
    asked.into_iter().filter(|(_, cells)| recipient.pins(cells, k)).map(|(name, _)| name).collect()
}

#[test]
fn no_cell_is_pinned_below_k() {
    let tables = std::env::var("COUNTS_TABLES").map_or(150, |tables| tables.parse().expect("a number"));
    let (mut counts, mut shown_values, mut hidden) = (0, 0, 0);
    for seed in 0..tables {
        let mut random = Random(7_000_000 + seed);
        let k = 2 + random.below(2) as u64;
        let rows = 3 * k as usize + random.below(20);
        let columns = [0, 1].map(|column| match (column + random.below(2)) % 3 {
            0 => Column::numbers(&mut random, rows),
            1 => Column::tree(&mut random, rows),
            _ => suppressed(&mut random, rows),
        });
        let recoding = [Recoding::Global, Recoding::Local, Recoding::Clustered][random.below(3)];
        let outcome = search_release(&columns, k, recoding);
        let mut extents = extents(&columns, &outcome).into_iter();
        let shown = [0, 1].map(|a| count_column(&columns[a], &outcome, a, extents.next().unwrap(), k));
        let pinned = pinned_cells([&shown[0], &shown[1]], k);
        assert!(pinned.is_empty(), "seed {seed}, k = {k}, {recoding:?}: {pinned:?}");
        for column in &shown {
            counts += column.counts.len();
            shown_values += column.stands_for.len();
            hidden += usize::from(column.counts.is_empty());
        }
    }
    println!("{tables} tables: {counts} counts of {shown_values} shown values; {hidden} columns have none");
    assert!(counts > tables as usize);
}

/// Tests the judge: if 12 rows are in their twenties and 10 of them are shown as such, 2 of the other rows are as well.
#[test]
fn overlapping_values_can_be_pinned() {
    let range = |codes: Range<Code>| Extent::Ranks(codes.start..=codes.end - 1);
    let of = |extent: &Extent, codes: &[Range<Code>]| (format!("{extent:?}"), codes.to_vec());
    let (narrow, wide) = (range(0..1), range(0..2));
    let extents = [vec![narrow.clone(); 10], vec![wide.clone(); 12]].concat();
    let counts = vec![
        CountedNode { node: TOP, merged_nodes: vec![], codes: vec![0..1], rows: 12 },
        CountedNode { node: TOP, merged_nodes: vec![], codes: vec![1..2], rows: 10 },
    ];
    let stands_for = [of(&narrow, &[0..1]), of(&wide, &[0..2])].into();
    let column = CountedColumn { extents, stands_for, counts };
    let other = CountedColumn {
        extents: vec![Extent::Any; 22],
        stands_for: [of(&Extent::Any, &[0..1])].into(),
        counts: Vec::new(),
    };
    assert!(!pinned_cells([&column, &other], 10).is_empty());
}
