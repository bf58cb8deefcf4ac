//! Counts at and below one node, each large enough: small cells are merged, and a small rest with other counts.

use super::{in_code_order, CountedNode, HolderCounter};
use crate::progress::{check_memory, reserve};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::ops::Range;

/// Counts by their rows and first code. A single count may be too small. Several counts are each large enough.
pub(super) type CountsBySize = BTreeMap<(u64, Code), CountedNode>;

fn sort_by_size(counts: impl IntoIterator<Item = CountedNode>) -> Result<CountsBySize, Error> {
    let mut all = CountsBySize::new();
    pace::each(counts, |count| insert(&mut all, count))?;
    Ok(all)
}

fn insert(counts: &mut CountsBySize, count: CountedNode) {
    counts.insert((count.rows, count.first_code()), count);
}

/// Returns true if there is a single count, and it is too small.
pub(super) fn is_single_and_small(counts: &CountsBySize, holders: &mut HolderCounter) -> Result<bool, Error> {
    match counts.first_key_value() {
        Some((_, only)) if counts.len() == 1 => Ok(!holders.suffices(only.each_code(), 1)?),
        _ => Ok(false),
    }
}

/// Counts a node that is not counted by its children: an interval by its parts, any other node as a whole.
pub(super) fn count_undivided(
    hierarchy: &Hierarchy,
    node: NodeId,
    previous: Option<&[Code]>,
    holders: &mut HolderCounter,
) -> Result<CountsBySize, Error> {
    let counts = match hierarchy.is_interval(node) && !hierarchy.has_finest_depth() {
        true => divide_interval(hierarchy, node, previous, holders)?,
        false => vec![CountedNode::new(node, hierarchy.node(node).codes.clone(), holders)?],
    };
    sort_by_size(counts.into_iter().filter(|count| count.rows > 0))
}

/// Divides an interval from the left into the smallest parts that are large enough, end at a permitted point and cut
/// through no `previous` count. The remainder belongs to the last part.
fn divide_interval(
    hierarchy: &Hierarchy,
    node: NodeId,
    previous: Option<&[Code]>,
    holders: &mut HolderCounter,
) -> Result<Vec<CountedNode>, Error> {
    let all = hierarchy.node(node).codes.clone();
    let mut last_of_previous: HashMap<Code, Code> = HashMap::new();
    if let Some(previous) = previous {
        check_memory::<[Code; 4]>(all.len())?;
        pace::each(all.clone(), |code| _ = last_of_previous.insert(previous[code as usize], code))?;
    }
    let may_split = |at: Code| hierarchy.domain().is_some_and(|domain| domain.may_split(at));
    // A part cannot end before the last code of a previous count that it has begun.
    let (mut starts, mut earliest_last) = (vec![all.start], all.start);
    holders.clear();
    for code in all.clone() {
        holders.add(code)?;
        if let Some(previous) = previous {
            earliest_last = earliest_last.max(last_of_previous[&previous[code as usize]]);
        }
        let may_end = code >= earliest_last && (code + 1 == all.end || may_split(code + 1));
        if may_end && holders.is_sufficient(1) {
            starts.push(code + 1);
            holders.clear();
        }
    }
    // Behind the last part that is large enough, nothing or too little is left.
    if starts.len() > 1 {
        starts.pop();
    }
    starts.push(all.end);
    starts.windows(2).map(|ends| CountedNode::new(node, ends[0]..ends[1], holders)).collect()
}

/// Merges the counts of a node's children. Children with enough rows keep theirs. The others become one count, the
/// rest, named by the node if they are several. If it is too small, it is merged with other counts.
pub(super) fn merge_small(
    node: NodeId,
    children: Vec<CountsBySize>,
    holders: &mut HolderCounter,
) -> Result<CountsBySize, Error> {
    let (mut small, mut counts) = (Vec::new(), CountsBySize::new());
    for mut child in children {
        if is_single_and_small(&child, holders)? {
            reserve(&mut small, child.len())?;
            small.extend(child.into_values());
            continue;
        }
        // The smaller map is moved into the larger one, so no count is moved more often than log2 of their number.
        if child.len() > counts.len() {
            std::mem::swap(&mut child, &mut counts);
        }
        pace::each(child, |(size, count)| _ = counts.insert(size, count))?;
    }
    if small.is_empty() {
        return Ok(counts);
    }
    let several = small.len() > 1;
    let mut rest = CountedNode::merge_all(in_code_order(small)?)?;
    rest.node = if several { node } else { rest.node };
    if !holders.suffices(rest.each_code(), 1)? {
        for mut other in take_smallest(&mut counts, &rest, holders)? {
            other.merged_nodes.push(other.node);
            rest.absorb(other)?;
        }
        // A count of everything below a node is named by the node.
        if counts.is_empty() {
            (rest.node, rest.merged_nodes) = (node, Vec::new());
        }
    }
    insert(&mut counts, rest);
    Ok(counts)
}

/// Takes the smallest count that together with the rest has twice the required size. If there is none, takes the
/// smallest counts until they have it together.
fn take_smallest(
    counts: &mut CountsBySize,
    rest: &CountedNode,
    holders: &mut HolderCounter,
) -> Result<Vec<CountedNode>, Error> {
    holders.start_base(rest.each_code())?;
    let mut sufficient = None;
    for (&size, count) in counts.range((holders.rows_missing_to(2), 0)..) {
        if holders.suffices_with_base(count.each_code(), 2)? {
            sufficient = Some(size);
            break;
        }
    }
    if let Some(size) = sufficient {
        return Ok(counts.remove(&size).into_iter().collect());
    }
    let mut smallest = Vec::new();
    holders.start_base(rest.each_code())?;
    while !holders.is_sufficient(2) {
        let Some((_, count)) = counts.pop_first() else { break };
        holders.add_all(count.each_code())?;
        smallest.push(count);
    }
    Ok(smallest)
}

/// Merges few NULLs with the smallest count that has 2 k rows with them or, if there is none, with two neighboring
/// intervals. All becomes one count if no counts suffice, or if few rows hold anything but NULL: the ends or the name
/// of a count of these rows would reveal their values.
pub(super) fn merge_few_nulls(
    hierarchy: &Hierarchy,
    null: NodeId,
    children: Vec<CountsBySize>,
    holders: &mut HolderCounter,
) -> Result<CountsBySize, Error> {
    let children = children.into_iter().flat_map(CountsBySize::into_values);
    let (mut nulls, counts): (Vec<_>, Vec<_>) = children.partition(|count| count.node == null);
    let mut counts = sort_by_size(counts)?;
    let Some(nulls) = nulls.pop() else { return Ok(counts) };
    let others_are_few = is_single_and_small(&counts, holders)?;
    if !others_are_few && holders.suffices(nulls.each_code(), 1)? {
        insert(&mut counts, nulls);
        return Ok(counts);
    }
    let mut counts = in_code_order(counts.into_values())?;
    let are_intervals = counts.iter().all(|count| hierarchy.is_interval(count.node));
    let max_width = if others_are_few { 0 } else { 1 + usize::from(are_intervals) };
    let neighbors = find_smallest_neighbors(&counts, &nulls, max_width, holders)?;
    let becomes_one = neighbors.is_none();
    let mut merged = CountedNode::merge_all(counts.drain(neighbors.unwrap_or(0..counts.len())))?;
    merged.merged_nodes.push(null);
    merged.absorb(nulls)?;
    if becomes_one {
        (merged.node, merged.merged_nodes) = (TOP, Vec::new());
    }
    counts.push(merged);
    sort_by_size(counts)
}

/// Finds the smallest neighbors that together with `nulls` have twice the required size. They are as few as possible,
/// at most `max_width`.
fn find_smallest_neighbors(
    counts: &[CountedNode],
    nulls: &CountedNode,
    max_width: usize,
    holders: &mut HolderCounter,
) -> Result<Option<Range<usize>>, Error> {
    holders.start_base(nulls.each_code())?;
    for width in 1..=max_width {
        let mut smallest: Option<(u64, Range<usize>)> = None;
        for (from, neighbors) in counts.windows(width).enumerate() {
            pace::tick(width)?;
            let rows = neighbors.iter().map(|count| count.rows).sum();
            let is_smaller = smallest.as_ref().is_none_or(|(fewest, _)| rows < *fewest);
            let codes = neighbors.iter().flat_map(CountedNode::each_code);
            if is_smaller && holders.suffices_with_base(codes, 2)? {
                smallest = Some((rows, from..from + width));
            }
        }
        if let Some((_, neighbors)) = smallest {
            return Ok(Some(neighbors));
        }
    }
    Ok(None)
}
