//! Counts of a single column, finer than a release shows it: of its finest nodes that k rows hold, and k persons if
//! persons are counted.
//!
//! Below each shown node, small cells are merged with cells beside them. Neighboring intervals become one interval.
//! Small children of a node become one count, the rest of that node. A rest that is still small is merged with the
//! smallest other count, and both names are kept (complementary suppression); so are few NULLs. So each count is of k
//! rows or more. The counts below a node add up to its rows. A value is counted by its own name, or by the nearest node
//! above it that names a count ([`CountedNodes::counts_by_name`]). If a count was large enough by itself, it has 2 k
//! rows with the small cells merged into it: a reader aware of this rule learns that these have fewer than k rows, and
//! no closer bound. A shown node of fewer than k rows has no counts.
//!
//! By global recoding, which shows a value as the same node wherever it occurs, this suffices. The rows of a class may
//! be of any nodes below the shown one that add up, so nobody can infer that a node has 1 to k - 1 rows of a class. By
//! local recoding and clusters, shown nodes overlap, and a reader can subtract. If 12 rows are in their twenties, and
//! 10 of them are shown so, then 2 of the rows that show a wider interval are. Such counts are merged until nobody can
//! infer that a node has 1 to k - 1 rows of a shown value ([`CountedNodes::merge_until_safe`]).

mod cell_suppression;
mod fact_columns;
mod holders;
mod models;

pub use fact_columns::{reveals_small_cell, SmallParts};
pub use holders::{HolderCounter, RequiredSize};
pub use models::CodeModels;

use crate::progress::check_memory;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

/// A count: of a node, or of its rest beside the nodes below it that have counts.
#[derive(Debug, Clone, PartialEq)]
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
    fn first_code(&self) -> Code {
        self.codes[0].start
    }

    /// Merges another count into this one, at the cost of the shorter lists of codes and of names. Only the first range
    /// is in order until [`CountedNode::sort_ranges`].
    fn absorb(&mut self, mut other: CountedNode) -> Result<(), Error> {
        self.rows += other.rows;
        if other.codes.len() > self.codes.len() {
            std::mem::swap(&mut self.codes, &mut other.codes);
        }
        if other.merged_nodes.len() > self.merged_nodes.len() {
            std::mem::swap(&mut self.merged_nodes, &mut other.merged_nodes);
        }
        check_memory::<Range<Code>>(other.codes.len())?;
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
        check_memory::<(Code, Code)>(self.codes.len())?;
        let ranges = std::mem::take(&mut self.codes).into_iter();
        let mut all = pace::collect(ranges.map(|codes| (codes.start, codes.end)))?;
        pace::sort_by(&mut all, Ord::cmp)?;
        pace::each(all, |(start, end)| match self.codes.last_mut() {
            Some(last) if last.end == start => last.end = end,
            _ => self.codes.push(start..end),
        })
    }
}

/// Finest counts of a column, or of a part of it.
pub struct CountedNodes<'a> {
    hierarchy: &'a Hierarchy,
    /// Counts in the order of their first codes.
    pub nodes: Vec<CountedNode>,
}

impl<'a> CountedNodes<'a> {
    /// Counts the finest nodes below `top`, without the values `disclosed` out of it. Makes no counts if all of it has
    /// too few rows or persons. `before` has for each code the part in which the version before counted it. The codes
    /// of a part stay in one count, so that subtracting the versions reveals no small cell of the rows that stayed.
    pub fn count_below(
        hierarchy: &'a Hierarchy,
        top: NodeId,
        disclosed: impl Fn(NodeId) -> bool,
        before: Option<&[Code]>,
        holders: &mut HolderCounter,
    ) -> Result<CountedNodes<'a>, Error> {
        // Parents come before their children.
        let (mut nodes, mut open) = (Vec::new(), vec![top]);
        while let Some(node) = open.pop() {
            pace::tick(1)?;
            nodes.push(node);
            if is_divided_by_children(hierarchy, node) {
                open.extend(
                    children_or_values(hierarchy, node).filter(|&child| node != top || !disclosed(child)),
                );
            }
        }
        check_memory::<(NodeId, BySize)>(nodes.len())?;
        let mut counts: HashMap<NodeId, BySize> = HashMap::new();
        for &node in nodes.iter().rev() {
            if is_divided_by_children(hierarchy, node) {
                let children =
                    children_or_values(hierarchy, node).filter_map(|child| counts.remove(&child)).collect();
                let of_node = match hierarchy.null() {
                    Some(_) if node == TOP => merge_few_nulls(hierarchy, children, holders)?,
                    _ => merge_small(node, children, holders)?,
                };
                counts.insert(node, of_node);
                continue;
            }
            let of_node = match hierarchy.is_interval(node) && !hierarchy.has_finest_depth() {
                true => divide_interval(hierarchy, node, before, holders)?,
                false => vec![holders.count_node(node, hierarchy.node(node).codes.clone())?],
            };
            let with_rows = of_node.into_iter().filter(|count| count.rows > 0);
            counts.insert(node, by_size(with_rows)?);
        }
        let mut nodes = counts.remove(&top).unwrap_or_default();
        if is_single_and_small(&nodes, holders)? {
            nodes.clear();
        }
        nodes.values_mut().try_for_each(CountedNode::sort_ranges)?;
        let mut nodes =
            CountedNodes { hierarchy, nodes: sort_uncopied(nodes.into_values(), CountedNode::first_code)? };
        match before {
            Some(before) => nodes.merge_by_parts(before, holders)?,
            None => nodes.verify_by_names(holders)?,
        }
        Ok(nodes)
    }

    /// Returns a first code, and for each code from it on the index of the count in which a reader looks for it: the
    /// count that names the nearest node at or above the code. Parts of an interval are named by their ends.
    pub fn counts_by_name(&self) -> Result<(Code, Vec<Option<usize>>), Error> {
        let mut names: Vec<(Code, Reverse<Code>, NodeId, usize)> = Vec::new();
        for (count, counted) in self.nodes.iter().enumerate() {
            for &name in std::iter::once(&counted.node).chain(&counted.merged_nodes) {
                pace::tick(1)?;
                let whole = &self.hierarchy.node(name).codes;
                let codes = match name == counted.node && self.hierarchy.is_interval(name) {
                    true => counted.first_code()..counted.codes[0].end.min(whole.end),
                    false => whole.clone(),
                };
                names.push((codes.start, Reverse(codes.end), name, count));
            }
        }
        // Names of nodes above come first. If two nodes have the same codes, the lower one has the greater number.
        pace::sort_by(&mut names, Ord::cmp)?;
        let first = names.first().map_or(0, |&(start, ..)| start);
        let mut end = first;
        pace::each(&names, |&(_, Reverse(other), ..)| end = end.max(other))?;
        check_memory::<Option<usize>>((end - first) as usize)?;
        let (mut open, mut left): (Vec<(Code, usize)>, _) = (Vec::new(), names.iter().peekable());
        let of_code = |code: Code| {
            while open.pop_if(|(end, _)| *end <= code).is_some() {}
            while let Some(&(_, Reverse(end), _, count)) = left.next_if(|(start, ..)| *start == code) {
                open.push((end, count));
            }
            open.last().map(|&(_, count)| count)
        };
        Ok((first, pace::collect((first..end).map(of_code))?))
    }

    /// Checks that the names of each count lead a reader to its rows, and that it has enough rows and persons. Any
    /// other count is an [`Error::Internal`].
    fn verify_by_names(&self, holders: &mut HolderCounter) -> Result<(), Error> {
        if self.nodes.is_empty() {
            return Ok(());
        }
        let (first, by_name) = self.counts_by_name()?;
        for (place, count) in self.nodes.iter().enumerate() {
            let mut rows = 0;
            for code in count.codes.iter().cloned().flatten() {
                pace::tick(1)?;
                let held = holders.rows[code as usize];
                let name = code.checked_sub(first).and_then(|place| *by_name.get(place as usize)?);
                if held > 0 && name != Some(place) {
                    return Err(Error::Internal("a count is of rows that its name does not say"));
                }
                rows += held;
            }
            if rows != count.rows || !holders.suffices(&count.codes, 1)? {
                return Err(Error::Internal("a count is not of the rows, or of fewer than it must be of"));
            }
        }
        Ok(())
    }
}

/// Returns true if a node is counted by its children: not an interval, nor a node that may not be refined.
fn is_divided_by_children(hierarchy: &Hierarchy, node: NodeId) -> bool {
    !hierarchy.is_leaf(node) && !hierarchy.is_interval(node) && hierarchy.may_refine(node)
}

/// Returns the children of a node; in a suppressed column, the values are the children of `*`.
fn children_or_values(hierarchy: &Hierarchy, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let values =
        if node == TOP && hierarchy.is_suppression() { 1..hierarchy.nodes().len() as NodeId } else { 0..0 };
    hierarchy.node(node).children.iter().copied().chain(values)
}

/// Counts by their rows and first code.
type BySize = BTreeMap<(u64, Code), CountedNode>;

fn by_size(counts: impl IntoIterator<Item = CountedNode>) -> Result<BySize, Error> {
    let mut all = BySize::new();
    pace::each(counts, |count| _ = all.insert((count.rows, count.first_code()), count))?;
    Ok(all)
}

/// Merges the counts of a node's children. Children with enough rows keep theirs. The others become one count, the
/// rest, named by the node if they are several. If it is too small, it is merged with the smallest other counts.
fn merge_small(node: NodeId, children: Vec<BySize>, holders: &mut HolderCounter) -> Result<BySize, Error> {
    let (mut few, mut counts) = (Vec::new(), BySize::new());
    for mut child in children {
        if is_single_and_small(&child, holders)? {
            few.extend(child.into_values());
            continue;
        }
        // Each count moves to a map of at least twice the size, wherever it is in the tree.
        if child.len() > counts.len() {
            std::mem::swap(&mut child, &mut counts);
        }
        pace::each(child, |(size, count)| _ = counts.insert(size, count))?;
    }
    few = sort_uncopied(few, CountedNode::first_code)?;
    let several = few.len() > 1;
    let mut rest = merge_all(few)?;
    if rest.codes.is_empty() || several && holders.suffices(&rest.codes, 1)? {
        rest.node = node;
        counts.extend(
            Some(rest)
                .filter(|rest| !rest.codes.is_empty())
                .map(|rest| ((rest.rows, rest.first_code()), rest)),
        );
        return Ok(counts);
    }
    rest.node = if several { node } else { rest.node };
    // The smallest count that is enough with the rest, or otherwise the smallest ones until they are enough.
    let (mut alone, mut others) = (None, Vec::new());
    holders.start_base(&rest.codes)?;
    for (&size, count) in counts.range((holders.rows_missing_to(2), 0)..) {
        if holders.suffices_with_base(&count.codes, 2)? {
            alone = Some(size);
            break;
        }
    }
    if let Some(size) = alone {
        others.extend(counts.remove(&size));
    } else {
        holders.start_base(&rest.codes)?;
        while !holders.reaches_times(2) {
            let Some((_, smallest)) = counts.pop_first() else { break };
            holders.add_all(&smallest.codes)?;
            others.push(smallest);
        }
    }
    for mut other in others {
        other.merged_nodes.push(other.node);
        rest.absorb(other)?;
    }
    // A count of everything below a node is named by the node.
    if counts.is_empty() {
        return by_size([CountedNode { node, merged_nodes: Vec::new(), ..rest }]);
    }
    counts.insert((rest.rows, rest.first_code()), rest);
    Ok(counts)
}

/// Sorts values that cannot be copied by a key.
fn sort_uncopied<T, K: Ord + Copy>(
    all: impl IntoIterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Result<Vec<T>, Error> {
    let mut all = pace::collect(all.into_iter().map(Some))?;
    let mut places = pace::collect(all.iter().flatten().map(key).zip(0..))?;
    pace::sort_by(&mut places, Ord::cmp)?;
    pace::collect(places.into_iter().filter_map(|(_, place): (K, usize)| all[place].take()))
}

/// Returns true if there is a single count, and it is too small. Several counts are each large enough.
fn is_single_and_small(counts: &BySize, holders: &mut HolderCounter) -> Result<bool, Error> {
    match counts.first_key_value() {
        Some((_, only)) if counts.len() == 1 => Ok(!holders.suffices(&only.codes, 1)?),
        _ => Ok(false),
    }
}

/// Merges few NULLs with the smallest count that has 2 k rows with them, or otherwise with two neighboring intervals.
/// All becomes one count if there are none that suffice, or if few rows hold anything but NULL: the ends or the name of
/// a count of these would reveal their values.
fn merge_few_nulls(
    hierarchy: &Hierarchy,
    children: Vec<BySize>,
    holders: &mut HolderCounter,
) -> Result<BySize, Error> {
    let children = children.into_iter().flat_map(BySize::into_values);
    let (nulls, counts): (Vec<_>, Vec<_>) = children.partition(|count| Some(count.node) == hierarchy.null());
    let mut counts = by_size(counts)?;
    let Some(null) = nulls.into_iter().next() else { return Ok(counts) };
    let are_few = is_single_and_small(&counts, holders)?;
    if !are_few && holders.suffices(&null.codes, 1)? {
        counts.insert((null.rows, null.first_code()), null);
        return Ok(counts);
    }
    let mut counts = sort_uncopied(counts.into_values(), CountedNode::first_code)?;
    let with = |mut count: CountedNode| {
        count.merged_nodes.push(null.node);
        count.absorb(null.clone()).map(|()| count)
    };
    let mut best: Option<(u64, usize, usize)> = None;
    let are_intervals = counts.iter().all(|count| hierarchy.is_interval(count.node));
    holders.start_base(&null.codes)?;
    let most = if are_few { 0 } else { 1 + usize::from(are_intervals) };
    for neighbours in 1..=most {
        for from in 0..(counts.len() + 1).saturating_sub(neighbours) {
            let together = merge_all(counts[from..from + neighbours].to_vec())?;
            let is_smaller = best.is_none_or(|(least, ..)| together.rows < least);
            if is_smaller && holders.suffices_with_base(&together.codes, 2)? {
                best = Some((together.rows, from, neighbours));
            }
        }
        if best.is_some() {
            break;
        }
    }
    let Some((_, from, neighbours)) = best else {
        let all = with(merge_all(counts)?)?;
        return by_size([CountedNode { node: TOP, merged_nodes: Vec::new(), ..all }]);
    };
    let together = with(merge_all(counts[from..from + neighbours].to_vec())?)?;
    counts.splice(from..from + neighbours, [together]);
    by_size(counts)
}

/// Merges several counts into one, named by the node of the first.
fn merge_all(counts: Vec<CountedNode>) -> Result<CountedNode, Error> {
    let mut all = CountedNode { node: TOP, merged_nodes: Vec::new(), codes: Vec::new(), rows: 0 };
    all.node = counts.first().map_or(TOP, |count| count.node);
    counts.into_iter().try_for_each(|count| all.absorb(count))?;
    Ok(all)
}

/// Divides an interval from the left into the smallest parts that are large enough, end at a permitted point and cut
/// through no part of `before`.
fn divide_interval(
    hierarchy: &Hierarchy,
    node: NodeId,
    before: Option<&[Code]>,
    holders: &mut HolderCounter,
) -> Result<Vec<CountedNode>, Error> {
    let all = hierarchy.node(node).codes.clone();
    // Last code of each part of `before`. The codes between those of a part are counted with it.
    let mut last: HashMap<Code, Code> = HashMap::new();
    if let Some(before) = before {
        check_memory::<[Code; 4]>(all.len())?;
        pace::each(all.clone(), |code| _ = last.insert(before[code as usize], code))?;
    }
    let mut together = all.start;
    let may_split = |at: Code| hierarchy.domain().is_some_and(|domain| domain.may_split(at));
    let mut ends = Vec::new();
    holders.clear();
    for code in all.clone() {
        holders.add(code)?;
        if let Some(before) = before {
            together = together.max(last[&before[code as usize]]);
        }
        if holders.is_sufficient() && together <= code && (code + 1 == all.end || may_split(code + 1)) {
            ends.push(code + 1);
            holders.clear();
        }
    }
    // The remainder belongs to the last part.
    ends.pop();
    ends.push(all.end);
    let mut start = all.start;
    ends.into_iter()
        .map(|end| {
            let codes = std::mem::replace(&mut start, end)..end;
            holders.count_node(node, codes)
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a count may be of one range of codes")]
mod tests {
    use super::*;
    use crate::measure::information::Released;
    use crate::refine::interval::Domain;
    use crate::table::Store;
    use crate::taxonomy::{Edges, Taxonomy};

    /// Counts with k = 2, in rows or persons.
    fn below(hierarchy: &Hierarchy, rows: &[u64], persons: Option<&[Code]>) -> Vec<CountedNode> {
        let codes = (0..rows.len()).flat_map(|code| vec![code as Code; rows[code] as usize]);
        let codes = Store::from_iter(codes);
        let persons = persons.map(|persons| (Store::from_iter(persons.iter().copied()), 100));
        let persons = persons.as_ref().map(|(persons, count)| (persons, *count));
        let mut holders =
            HolderCounter::new(&codes, rows.len(), None, &[RequiredSize { k: 2, persons }]).unwrap();
        CountedNodes::count_below(hierarchy, TOP, |_| false, None, &mut holders).unwrap().nodes
    }

    fn count(node: NodeId, codes: &[Range<Code>], rows: u64) -> CountedNode {
        CountedNode { node, merged_nodes: Vec::new(), codes: codes.to_vec(), rows }
    }

    /// top (0) -> {a (1) -> {aa (2), ab (3), ac (4)}, b (5)}
    fn tree() -> Hierarchy {
        let edges = [("a", "top"), ("b", "top"), ("aa", "a"), ("ab", "a"), ("ac", "a")];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        Hierarchy::by_taxonomy(&Taxonomy::from_edges(&edges).unwrap().unwrap(), false).unwrap()
    }

    fn interval(values: usize, points: Option<Vec<bool>>) -> Hierarchy {
        let positions = (0..values).map(|value| value as f64).collect();
        let domain = Domain { positions, lower: None, upper: None, points, is_discrete: true };
        Hierarchy::by_intervals(domain, false)
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
        let all = |rows: &[u64], points| below(&interval(rows.len(), points), rows, None);
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
        let all = |rows: &[u64]| {
            let positions = (0..rows.len() - 1).map(|value| value as f64).collect();
            let domain = Domain { positions, lower: None, upper: None, points: None, is_discrete: true };
            below(&Hierarchy::by_intervals(domain, true), rows, None)
        };
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
        let domain = |values: usize| {
            let positions = (0..values).map(|value| value as f64).collect();
            Domain { positions, lower: None, upper: None, points: None, is_discrete: true }
        };
        let intervals = |values| Hierarchy::by_intervals(domain(values), true);
        assert_eq!(below(&intervals(1), &[1, 9], None), [count(TOP, &[0..2], 10)]);
        let edges = [("a", "top"), ("b", "top")];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        let tree = Hierarchy::by_taxonomy(&Taxonomy::from_edges(&edges).unwrap().unwrap(), true).unwrap();
        assert_eq!(below(&tree, &[1, 0, 9], None), [count(TOP, &[0..1, 2..3], 10)]);
        assert_eq!(below(&tree, &[1, 1, 9], None), [count(2, &[0..2], 2), count(1, &[2..3], 9)]);
        // Four rows of one person, and NULLs of two persons.
        let persons: Vec<Code> = [vec![7; 4], vec![8, 9]].concat();
        assert_eq!(below(&intervals(2), &[2, 2, 2], Some(&persons)), [count(TOP, &[0..3], 6)]);
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
        let (intervals, values) = (interval(4, None), Hierarchy::by_suppression(4, false).unwrap());
        let (mut apart, mut several) = (0, 0);
        for number in (0..4usize.pow(8)).step_by(17) {
            let digit = |place: u32| number / 4usize.pow(place) % 4;
            let rows: Vec<u64> = (0..4).map(|code| digit(code) as u64).collect();
            let before: Vec<Code> = (4..8).map(|code| digit(code) as Code).collect();
            let codes: Store = (0..4).flat_map(|code| vec![code as Code; rows[code] as usize]).collect();
            let mut holders =
                HolderCounter::new(&codes, 4, None, &[RequiredSize { k: 2, persons: None }]).unwrap();
            for hierarchy in [&tree, &intervals, &values] {
                let mut divides = |with: Option<&[Code]>| {
                    let counts = CountedNodes::count_below(hierarchy, TOP, |_| false, with, &mut holders)
                        .unwrap()
                        .nodes;
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

    /// Four rows show one value, three another. One of the three has the first code, which the counts must not reveal.
    #[test]
    fn few_rows_of_a_shown_value_are_hidden() {
        let hierarchy = interval(2, None);
        let shown = Store::from_iter([0, 0, 0, 0, 1, 1, 1]);
        let released = Released { codes: &shown, number_of_code: &[0, 1], number_count: 2 };
        let hidden = |codes: [Code; 7], stands_for: [Vec<Range<Code>>; 2]| {
            let codes = Store::from_iter(codes);
            let least = [RequiredSize { k: 2, persons: None }];
            let mut holders = HolderCounter::new(&codes, 2, None, &least).unwrap();
            let mut counts =
                CountedNodes::count_below(&hierarchy, TOP, |_| false, None, &mut holders).unwrap();
            assert_eq!(counts.nodes.len(), 2);
            counts.merge_until_safe(released, &stands_for, (&codes, None), (2, &mut holders)).unwrap();
            counts.nodes
        };
        let all = vec![0..2];
        assert_eq!(hidden([0, 0, 0, 0, 0, 1, 1], [vec![0..1], all.clone()]), [count(0, &[0..2], 7)]);
        // If the four may have either code and one has the second, both rows can be exchanged.
        assert_eq!(hidden([0, 0, 0, 1, 0, 1, 1], [all.clone(), all]).len(), 2);
    }
    /// Ten rows show the first code. Two wider values have ten rows each. One row with the first code in each of them
    /// could have the other one, but there are two together, which the counts must not reveal.
    #[test]
    fn few_rows_that_are_left_are_hidden() {
        let hierarchy = interval(2, None);
        let shown = Store::from_iter((0..30).map(|row| row / 10));
        let released = Released { codes: &shown, number_of_code: &[0, 1, 2], number_count: 3 };
        let counts = |of_the_first: u32| {
            let is_first = |row: u32| row < 10 || row % 10 < of_the_first;
            let codes = Store::from_iter((0..30).map(|row| Code::from(!is_first(row))));
            let mut holders =
                HolderCounter::new(&codes, 2, None, &[RequiredSize { k: 3, persons: None }]).unwrap();
            let mut counts =
                CountedNodes::count_below(&hierarchy, TOP, |_| false, None, &mut holders).unwrap();
            let stands_for = [vec![0..1], vec![0..2], vec![0..2]];
            counts.merge_until_safe(released, &stands_for, (&codes, None), (3, &mut holders)).unwrap();
            counts.nodes
        };
        assert_eq!(counts(1), [count(0, &[0..2], 30)]);
        assert_eq!(counts(2), [count(0, &[0..1], 14), count(0, &[1..2], 16)]);
    }
}
