//! Counts below one node, each large enough: small cells are merged, and a small rest with other counts.

use super::{in_code_order, CountedNode, HolderCounter};
use crate::progress::check_memory;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::collections::BTreeMap;

/// Counts by their rows and first code.
pub(super) type BySize = BTreeMap<(u64, Code), CountedNode>;

pub(super) fn by_size(counts: impl IntoIterator<Item = CountedNode>) -> Result<BySize, Error> {
    let mut all = BySize::new();
    pace::each(counts, |count| insert(&mut all, count))?;
    Ok(all)
}

fn insert(counts: &mut BySize, count: CountedNode) {
    counts.insert((count.rows, count.first_code()), count);
}

/// Returns true if there is a single count, and it is too small. Several counts are each large enough.
pub(super) fn is_single_and_small(counts: &BySize, holders: &mut HolderCounter) -> Result<bool, Error> {
    match counts.first_key_value() {
        Some((_, only)) if counts.len() == 1 => Ok(!holders.suffices(only.each_code(), 1)?),
        _ => Ok(false),
    }
}

/// Merges the counts of a node's children. Children with enough rows keep theirs. The others become one count, the
/// rest, named by the node if they are several. If it is too small, it is merged with other counts.
pub(super) fn merge_small(
    node: NodeId,
    children: Vec<BySize>,
    holders: &mut HolderCounter,
) -> Result<BySize, Error> {
    let (mut small, mut counts) = (Vec::new(), BySize::new());
    for mut child in children {
        if is_single_and_small(&child, holders)? {
            small.extend(child.into_values());
            continue;
        }
        // Each count moves to a map of at least twice the size, wherever it is in the tree.
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

/// Takes the smallest count that has twice the required size with the rest, or otherwise the smallest ones until they
/// have it together.
fn take_smallest(
    counts: &mut BySize,
    rest: &CountedNode,
    holders: &mut HolderCounter,
) -> Result<Vec<CountedNode>, Error> {
    holders.start_base(rest.each_code())?;
    let mut alone = None;
    for (&size, count) in counts.range((holders.rows_missing_to(2), 0)..) {
        if holders.suffices_with_base(count.each_code(), 2)? {
            alone = Some(size);
            break;
        }
    }
    if let Some(size) = alone {
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

/// Merges few NULLs with the smallest count that has 2 k rows with them, or otherwise with two neighboring intervals.
/// All becomes one count if there are none that suffice, or if few rows hold anything but NULL: the ends or the name of
/// a count of these would reveal their values.
pub(super) fn merge_few_nulls(
    hierarchy: &Hierarchy,
    null: NodeId,
    children: Vec<BySize>,
    holders: &mut HolderCounter,
) -> Result<BySize, Error> {
    let children = children.into_iter().flat_map(BySize::into_values);
    let (mut nulls, counts): (Vec<_>, Vec<_>) = children.partition(|count| count.node == null);
    let mut counts = by_size(counts)?;
    let Some(nulls) = nulls.pop() else { return Ok(counts) };
    let others_are_few = is_single_and_small(&counts, holders)?;
    if !others_are_few && holders.suffices(nulls.each_code(), 1)? {
        insert(&mut counts, nulls);
        return Ok(counts);
    }
    let mut counts = in_code_order(counts.into_values())?;
    let are_intervals = counts.iter().all(|count| hierarchy.is_interval(count.node));
    let most = if others_are_few { 0 } else { 1 + usize::from(are_intervals) };
    holders.start_base(nulls.each_code())?;
    let mut best: Option<(u64, usize, usize)> = None;
    for width in 1..=most {
        for (from, neighbors) in counts.windows(width).enumerate() {
            pace::tick(width)?;
            let rows = neighbors.iter().map(|count| count.rows).sum();
            let is_smaller = best.is_none_or(|(least, ..)| rows < least);
            let codes = neighbors.iter().flat_map(CountedNode::each_code);
            if is_smaller && holders.suffices_with_base(codes, 2)? {
                best = Some((rows, from, width));
            }
        }
        if best.is_some() {
            break;
        }
    }
    let merged = best.map_or(0..counts.len(), |(_, from, width)| from..from + width);
    let mut together = CountedNode::merge_all(counts.drain(merged))?;
    together.merged_nodes.push(null);
    together.absorb(nulls)?;
    if best.is_none() {
        (together.node, together.merged_nodes) = (TOP, Vec::new());
    }
    counts.push(together);
    by_size(counts)
}

/// Divides an interval from the left into the smallest parts that are large enough, end at a permitted point and cut
/// through no part of `before`. The remainder belongs to the last part.
pub(super) fn divide_interval(
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
    let may_split = |at: Code| hierarchy.domain().is_some_and(|domain| domain.may_split(at));
    let (mut starts, mut together) = (vec![all.start], all.start);
    holders.clear();
    for code in all.clone() {
        holders.add(code)?;
        if let Some(before) = before {
            together = together.max(last[&before[code as usize]]);
        }
        if holders.is_sufficient(1) && together <= code && (code + 1 == all.end || may_split(code + 1)) {
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
