//! Counts of a single column, finer than a release shows it. Each count is of at least k rows, and of at least k
//! persons if persons are counted.
//!
//! A count is of one of the finest nodes with k rows, or of several nodes. Below each shown node, small cells (nodes of
//! fewer than k rows) are merged with cells beside them (`small_cells`). Neighboring intervals become one interval.
//! Small children of a node become one count, the rest of that node. A rest that is still small is merged with the
//! smallest other count, and the merged count keeps both names (complementary suppression). Few NULLs are merged in the
//! same way. The counts below a node add up to its rows. A shown node of fewer than k rows has no counts.
//!
//! A reader finds the count of a value by its own name, or by the nearest node above it that names a count (`names`).
//! A count that was large enough by itself has at least 2 k rows after small cells were merged into it. A reader aware
//! of this rule learns that these cells have fewer than k rows, and no closer bound.
//!
//! Global recoding shows a value as the same node wherever it occurs, so this suffices: the rows of a class may be of
//! any nodes below the shown one that add up, and nobody can infer that a node has 1 to k - 1 rows of a class. In local
//! recoding and clusters, shown nodes overlap, and a reader can subtract: if 12 rows are in their twenties, and 10 of
//! them are shown so, then 2 of the rows that show a wider interval are in their twenties. Such counts are merged until
//! nobody can infer that a node has 1 to k - 1 rows of a shown value ([`CountedNodes::merge_until_safe`]).

mod complementary;
mod exchange;
mod fact_columns;
mod holders;
mod merging;
mod models;
mod names;
mod small_cells;

pub use fact_columns::{reveals_small_cell, SmallParts};
pub use holders::{HolderCounter, RequiredSize};
pub use models::CodeModel;

use crate::progress::{check_memory, check_table_memory, reserve, with_capacity};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use small_cells::{count_undivided, is_single_and_small, merge_few_nulls, merge_small, CountsBySize};
use std::collections::BTreeMap;
use std::ops::Range;

/// A count: the rows of a node, or of its rest beside the nodes below it that have counts.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CountedNode {
    /// Node that names the count; for a part of an interval, that interval.
    pub node: NodeId,
    /// Further names: nodes that were merged into it.
    pub merged_nodes: Vec<NodeId>,
    /// Counted codes, ascending.
    pub codes: Vec<Range<Code>>,
    /// Rows that hold these codes.
    pub rows: u64,
}

impl CountedNode {
    fn new(node: NodeId, codes: Range<Code>, holders: &HolderCounter) -> Result<CountedNode, Error> {
        let mut rows = 0;
        pace::each(&holders.rows[codes.start as usize..codes.end as usize], |held| rows += held)?;
        Ok(CountedNode { node, merged_nodes: Vec::new(), codes: vec![codes], rows })
    }

    /// Merges several counts into one, named by the node of the first.
    fn merge_all(counts: impl IntoIterator<Item = CountedNode>) -> Result<CountedNode, Error> {
        let mut counts = counts.into_iter();
        let mut all = counts.next().unwrap_or_default();
        counts.try_for_each(|count| all.absorb(count))?;
        Ok(all)
    }

    /// Adds the rows, codes and further names of another count. The shorter lists are appended to the longer ones,
    /// which makes many merges cheap. The first range stays the lowest; the others are unsorted until
    /// [`CountedNode::sort_ranges`].
    fn absorb(&mut self, mut other: CountedNode) -> Result<(), Error> {
        self.rows += other.rows;
        if other.codes.len() > self.codes.len() {
            std::mem::swap(&mut self.codes, &mut other.codes);
        }
        if other.merged_nodes.len() > self.merged_nodes.len() {
            std::mem::swap(&mut self.merged_nodes, &mut other.merged_nodes);
        }
        reserve(&mut self.codes, other.codes.len())?;
        pace::each(other.codes, |range| {
            let last = self.codes.len();
            self.codes.push(range);
            if self.codes[last].start < self.codes[0].start {
                self.codes.swap(0, last);
            }
        })?;
        pace::each(other.merged_nodes, |name| self.merged_nodes.push(name))
    }

    /// Sorts the ranges, and merges adjacent ones.
    fn sort_ranges(&mut self) -> Result<(), Error> {
        let ranges = std::mem::take(&mut self.codes).into_iter();
        let mut all = pace::collect(ranges.map(|codes| (codes.start, codes.end)))?;
        pace::sort_by(&mut all, Ord::cmp)?;
        pace::each(all, |(start, end)| match self.codes.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.codes.push(start..end),
        })
    }

    fn first_code(&self) -> Code {
        self.codes[0].start
    }

    fn each_code(&self) -> impl Iterator<Item = Code> + '_ {
        self.codes.iter().cloned().flatten()
    }

    /// Returns true if the count was merged into another one, which leaves it without codes.
    fn is_gone(&self) -> bool {
        self.codes.is_empty()
    }
}

/// Sorts counts by their first codes.
fn in_code_order(counts: impl IntoIterator<Item = CountedNode>) -> Result<Vec<CountedNode>, Error> {
    let mut sorted = BTreeMap::new();
    pace::each(counts, |count| _ = sorted.insert(count.first_code(), count))?;
    pace::collect(sorted.into_values())
}

/// Finest counts of a column, or of a part of it.
pub struct CountedNodes<'a> {
    hierarchy: &'a Hierarchy,
    /// Counts in the order of their first codes.
    pub counts: Vec<CountedNode>,
}

impl<'a> CountedNodes<'a> {
    /// Counts the finest nodes below `top`, without its `disclosed` children, which are shown by themselves. Makes no
    /// counts if all counted nodes together have too few rows or persons. `previous` has the number of the count that
    /// held each code in the version before. Codes of one previous count stay in one count, so that subtracting the
    /// versions reveals no small cell of the rows that are in both.
    pub fn count_below(
        hierarchy: &'a Hierarchy,
        top: NodeId,
        disclosed: impl Fn(NodeId) -> bool,
        previous: Option<&[Code]>,
        holders: &mut HolderCounter,
    ) -> Result<CountedNodes<'a>, Error> {
        let nodes = list_parents_first(hierarchy, top, disclosed)?;
        check_table_memory::<(NodeId, CountsBySize)>(nodes.len())?;
        let mut counts_below: HashMap<NodeId, CountsBySize> = HashMap::with_capacity(nodes.len());
        for node in nodes.into_iter().rev() {
            let counts = if is_divided_by_children(hierarchy, node) {
                let children = children_or_values(hierarchy, node);
                let mut counts = with_capacity(children.size_hint().0)?;
                counts.extend(children.filter_map(|child| counts_below.remove(&child)));
                match hierarchy.null() {
                    Some(null) if node == TOP => merge_few_nulls(hierarchy, null, counts, holders)?,
                    _ => merge_small(node, counts, holders)?,
                }
            } else {
                // A map takes the memory of eleven counts, even if it has one.
                check_memory::<[((u64, Code), CountedNode); 11]>(1)?;
                count_undivided(hierarchy, node, previous, holders)?
            };
            counts_below.insert(node, counts);
        }
        let mut counts = counts_below.remove(&top).unwrap_or_default();
        if is_single_and_small(&counts, holders)? {
            counts.clear();
        }
        let mut counts = CountedNodes { hierarchy, counts: in_code_order(counts.into_values())? };
        counts.counts.iter_mut().try_for_each(CountedNode::sort_ranges)?;
        match previous {
            Some(previous) => counts.merge_divided(previous, holders)?,
            None => counts.verify_by_names(holders)?,
        }
        Ok(counts)
    }

    /// Removes the counts that were merged into others.
    fn remove_gone(&mut self) {
        self.counts.retain(|count| !count.is_gone());
    }
}

/// Lists the nodes whose counts make up those of `top`, parents before their children.
fn list_parents_first(
    hierarchy: &Hierarchy,
    top: NodeId,
    disclosed: impl Fn(NodeId) -> bool,
) -> Result<Vec<NodeId>, Error> {
    let (mut nodes, mut open) = (Vec::new(), vec![top]);
    while let Some(node) = open.pop() {
        pace::tick(1)?;
        reserve(&mut nodes, 1)?;
        nodes.push(node);
        if is_divided_by_children(hierarchy, node) {
            let children = children_or_values(hierarchy, node);
            reserve(&mut open, children.size_hint().0)?;
            open.extend(children.filter(|&child| node != top || !disclosed(child)));
        }
    }
    Ok(nodes)
}

/// Returns true if a node is counted by its children: not an interval, nor a node that may not be refined.
fn is_divided_by_children(hierarchy: &Hierarchy, node: NodeId) -> bool {
    !hierarchy.is_leaf(node) && !hierarchy.is_interval(node) && hierarchy.may_refine(node)
}

/// Returns the children of a node; in a suppressed column, the values are the children of `*`.
fn children_or_values(hierarchy: &Hierarchy, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let is_any = node == TOP && hierarchy.is_suppression();
    let values = if is_any { 1..hierarchy.nodes().len() as NodeId } else { 0..0 };
    hierarchy.node(node).children.iter().copied().chain(values)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a count may be of one range of codes")]
mod tests {
    use super::*;
    use crate::measure::Released;
    use crate::refine::interval::Domain;
    use crate::table::{CodedColumn, Store};
    use crate::taxonomy::tree_of;

    /// Counts with k = 2, in rows or persons.
    fn below(hierarchy: &Hierarchy, rows: &[u64], persons: Option<&[Code]>) -> Vec<CountedNode> {
        let codes = (0..rows.len()).flat_map(|code| vec![code as Code; rows[code] as usize]);
        let codes = Store::from_iter(codes);
        let persons = persons.map(|persons| Store::from_iter(persons.iter().copied()));
        let persons = persons.as_ref().map(|codes| CodedColumn { codes, cardinality: 100 });
        let mut holders =
            HolderCounter::new(&codes, rows.len(), None, &[RequiredSize { k: 2, persons }]).unwrap();
        CountedNodes::count_below(hierarchy, TOP, |_| false, None, &mut holders).unwrap().counts
    }

    fn count(node: NodeId, codes: &[Range<Code>], rows: u64) -> CountedNode {
        CountedNode { node, merged_nodes: Vec::new(), codes: codes.to_vec(), rows }
    }

    fn taxonomy(edges: &[(&str, &str)], nulls: bool) -> Hierarchy {
        Hierarchy::by_taxonomy(&tree_of(edges), nulls).unwrap()
    }

    /// top (0) -> {a (1) -> {aa (2), ab (3), ac (4)}, b (5)}
    fn tree() -> Hierarchy {
        taxonomy(&[("a", "top"), ("b", "top"), ("aa", "a"), ("ab", "a"), ("ac", "a")], false)
    }

    fn intervals(values: usize, points: Option<Vec<bool>>, nulls: bool) -> Hierarchy {
        let positions = (0..values).map(|value| value as f64).collect();
        let domain = Domain { positions, lower: None, upper: None, points, is_discrete: true };
        Hierarchy::by_intervals(domain, nulls)
    }

    #[test]
    fn counts_a_tree() {
        let tree = tree();
        let (aa, ab, b) = (count(2, &[0..1], 3), count(3, &[1..2], 2), count(5, &[3..4], 2));
        assert_eq!(below(&tree, &[3, 2, 0, 2], None), [aa.clone(), ab, b.clone()]);
        // Small children become one count, named by the node above.
        assert_eq!(below(&tree, &[3, 1, 1, 2], None), [aa, count(1, &[1..3], 2), b.clone()]);
        // If the rest is too small, it is merged with the smallest count that has 2 k rows with it, by both names.
        let with = |node, with: &[NodeId], codes, rows| CountedNode {
            merged_nodes: with.to_vec(),
            ..count(node, codes, rows)
        };
        let aa = count(2, &[0..1], 4);
        assert_eq!(below(&tree, &[4, 3, 1, 2], None), [aa, with(4, &[3], &[1..3], 4), b.clone()]);
        assert_eq!(
            below(&tree, &[3, 2, 1, 2], None),
            [with(4, &[2], &[0..1, 2..3], 4), count(3, &[1..2], 2), b]
        );
        assert_eq!(
            below(&tree, &[3, 2, 0, 1], None),
            [with(5, &[2], &[0..1, 3..4], 4), count(3, &[1..2], 2)]
        );
        assert_eq!(below(&tree, &[2, 2, 0, 1], None), [count(0, &[0..2, 3..4], 5)]);
        assert_eq!(below(&tree, &[1, 0, 0, 1], None), [count(0, &[0..1, 3..4], 2)]);
        // A shown node of few rows has no counts.
        assert_eq!(below(&tree, &[1, 0, 0, 0], None), []);
        // Three rows of aa are one person's.
        let persons = below(&tree, &[3, 2, 0, 2], Some(&[7, 7, 7, 8, 9, 8, 9]));
        assert_eq!(persons, [count(1, &[0..2], 5), count(5, &[3..4], 2)]);
    }

    #[test]
    fn counts_intervals() {
        let all = |rows: &[u64], points| below(&intervals(rows.len(), points, false), rows, None);
        let two = [count(0, &[0..2], 2), count(0, &[2..3], 2)];
        assert_eq!(all(&[1, 1, 2], None), two);
        // The remainder belongs to the last part.
        assert_eq!(all(&[1, 1, 2, 1], None), [two[0].clone(), count(0, &[2..4], 3)]);
        let points = Some(vec![false, true, false, true]);
        assert_eq!(all(&[1, 1, 2, 5], points), [count(0, &[0..3], 4), count(0, &[3..4], 5)]);
    }

    /// Few NULLs are merged with the smallest interval that has 2 k rows with them, or with two neighbors.
    #[test]
    fn few_nulls_are_merged() {
        let all = |rows: &[u64]| below(&intervals(rows.len() - 1, None, true), rows, None);
        // `*` is node 0, NULL 1, the interval 2.
        assert_eq!(all(&[2, 3, 2]), [count(2, &[0..1], 2), count(2, &[1..2], 3), count(1, &[2..3], 2)]);
        let with_null =
            |codes: &[Range<Code>], rows| CountedNode { merged_nodes: vec![1], ..count(2, codes, rows) };
        assert_eq!(all(&[4, 3, 1]), [count(2, &[0..1], 4), with_null(&[1..3], 4)]);
        assert_eq!(all(&[2, 2, 3, 1]), [count(2, &[0..1], 2), count(2, &[1..2], 2), with_null(&[2..4], 4)]);
        assert_eq!(all(&[2, 2, 2, 1]), [with_null(&[0..2, 3..4], 5), count(2, &[2..3], 2)]);
        assert_eq!(all(&[2, 1]), [count(TOP, &[0..2], 3)]);
    }

    /// A value of few rows beside many NULLs has no count of its own, in intervals or in a tree.
    #[test]
    fn few_values_are_merged_with_many_nulls() {
        assert_eq!(below(&intervals(1, None, true), &[1, 9], None), [count(TOP, &[0..2], 10)]);
        let tree = taxonomy(&[("a", "top"), ("b", "top")], true);
        assert_eq!(below(&tree, &[1, 0, 9], None), [count(TOP, &[0..1, 2..3], 10)]);
        assert_eq!(below(&tree, &[1, 1, 9], None), [count(2, &[0..2], 2), count(1, &[2..3], 9)]);
        // Four rows of one person, and NULLs of two persons.
        let persons: Vec<Code> = [vec![7; 4], vec![8, 9]].concat();
        assert_eq!(below(&intervals(2, None, true), &[2, 2, 2], Some(&persons)), [count(TOP, &[0..3], 6)]);
    }

    #[test]
    fn counts_suppressed_values() {
        let hierarchy = Hierarchy::by_suppression(4, false).unwrap();
        let nodes = below(&hierarchy, &[4, 1, 1, 2], None);
        assert_eq!(nodes, [count(1, &[0..1], 4), count(TOP, &[1..3], 2), count(4, &[3..4], 2)]);
    }

    /// Values that the version before counted together stay in one count.
    #[test]
    fn parts_of_version_before_stay_together() {
        let tree = tree();
        let (numbers, values) = (intervals(4, None, false), Hierarchy::by_suppression(4, false).unwrap());
        let (mut apart, mut several) = (0, 0);
        for number in (0..4usize.pow(8)).step_by(17) {
            let digit = |place: u32| number / 4usize.pow(place) % 4;
            let rows: Vec<u64> = (0..4).map(|code| digit(code) as u64).collect();
            let before: Vec<Code> = (4..8).map(|code| digit(code) as Code).collect();
            let codes: Store = (0..4).flat_map(|code| vec![code as Code; rows[code] as usize]).collect();
            let mut holders =
                HolderCounter::new(&codes, 4, None, &[RequiredSize { k: 2, persons: None }]).unwrap();
            for hierarchy in [&tree, &numbers, &values] {
                let mut divides = |with: Option<&[Code]>| {
                    let counts = CountedNodes::count_below(hierarchy, TOP, |_| false, with, &mut holders)
                        .unwrap()
                        .counts;
                    let of = |code: Code| {
                        counts.iter().position(|count| count.codes.iter().any(|codes| codes.contains(&code)))
                    };
                    let held = || (0..4).filter(|&code| rows[code as usize] > 0);
                    let mut pairs = held().flat_map(|one| held().map(move |other| (one, other)));
                    let divides = pairs.any(|(one, other)| {
                        before[one as usize] == before[other as usize] && of(one) != of(other)
                    });
                    (divides, counts.len())
                };
                let (alone, together) = (divides(None), divides(Some(&before)));
                assert!(!together.0, "{rows:?} {before:?}");
                // In an interval, the values between those of a part join them.
                assert!(alone.0 || together == alone || hierarchy.is_interval(TOP), "{rows:?} {before:?}");
                apart += usize::from(alone.0);
                several += usize::from(alone.0 && together.1 > 1);
            }
        }
        assert!(apart > 500 && several > 50, "{apart} {several}");
    }

    /// Counts of an interval of two codes until none reveals fewer than k rows of a shown value.
    fn safe(k: u64, codes: &[Code], shown: &[Code], stands_for: &[Vec<Range<Code>>]) -> Vec<CountedNode> {
        let [codes, shown] = [codes, shown].map(|all| Store::from_iter(all.iter().copied()));
        let numbers: Vec<u32> = (0..stands_for.len() as u32).collect();
        let released = Released { codes: &shown, number_of_code: &numbers, number_count: numbers.len() };
        let mut holders = HolderCounter::new(&codes, 2, None, &[RequiredSize { k, persons: None }]).unwrap();
        let hierarchy = intervals(2, None, false);
        let mut counts = CountedNodes::count_below(&hierarchy, TOP, |_| false, None, &mut holders).unwrap();
        assert_eq!(counts.counts.len(), 2);
        counts.merge_until_safe(released, stands_for, &codes, None, &mut holders).unwrap();
        counts.counts
    }

    /// Four rows show one value, three another. One of the three has the first code, which the counts must not reveal.
    #[test]
    fn few_rows_of_a_shown_value_are_hidden() {
        let shown = [0, 0, 0, 0, 1, 1, 1];
        let counts = safe(2, &[0, 0, 0, 0, 0, 1, 1], &shown, &[vec![0..1], vec![0..2]]);
        assert_eq!(counts, [count(0, &[0..2], 7)]);
        // If the four may have either code and one has the second, both rows can be exchanged.
        assert_eq!(safe(2, &[0, 0, 0, 1, 0, 1, 1], &shown, &[vec![0..2], vec![0..2]]).len(), 2);
    }

    /// Ten rows show the first code. Two wider values have ten rows each. One row with the first code in each of them
    /// could have the other one, but there are two together, which the counts must not reveal.
    #[test]
    fn few_rows_that_are_left_are_hidden() {
        let shown: Vec<Code> = (0..30).map(|row| row / 10).collect();
        let counts = |of_the_first: u32| {
            let is_first = |row: u32| row < 10 || row % 10 < of_the_first;
            let codes: Vec<Code> = (0..30).map(|row| Code::from(!is_first(row))).collect();
            safe(3, &codes, &shown, &[vec![0..1], vec![0..2], vec![0..2]])
        };
        assert_eq!(counts(1), [count(0, &[0..2], 30)]);
        assert_eq!(counts(2), [count(0, &[0..1], 14), count(0, &[1..2], 16)]);
    }
}
