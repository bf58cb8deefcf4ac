//! IOTF and OTF: neighbours are merged, two at a time, until one node is left.
//!
//! The two differ only in the cost of a merge. The nodes are a doubly linked list. The possible merges are a heap,
//! ordered by cost and then by position. A merge changes the costs of the merges on both sides of it. Stamps identify
//! their outdated entries in the heap, which are skipped. This takes O(m log m). The algorithm of the paper searches
//! all pairs after each merge, which takes O(m^2).

use super::{Run, Values};
use crate::progress::{check_memory, with_capacity};
use crate::{pace, Code, Error};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// IOTF: merges the nodes with the smallest union, size = max - min (Definitions 4 and 6).
pub fn iotf(values: &Values) -> Result<Vec<Run>, Error> {
    merge(values, |left, right| right.max - left.min)
}

/// OTF: merges the nodes with the nearest centres of gravity.
pub fn otf(values: &Values) -> Result<Vec<Run>, Error> {
    merge(values, |left, right| right.centre - left.centre)
}

/// Node that is not yet merged into its left neighbour.
#[derive(Debug, Clone)]
struct OpenNode {
    codes: Run,
    min: f64,
    max: f64,
    quantity: f64,
    centre: f64,
    previous: Option<usize>,
    next: Option<usize>,
    /// Number of merges into this node; the greatest number if the node itself was merged into another.
    stamp: u32,
}

/// Possible merge of two neighbours.
#[derive(Debug, PartialEq)]
struct Merge {
    cost: f64,
    left: usize,
    right: usize,
    /// Stamps of both nodes when the cost was computed.
    stamps: (u32, u32),
}

impl Eq for Merge {}
impl Ord for Merge {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.left.cmp(&other.left))
    }
}
impl PartialOrd for Merge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn merge(values: &Values, cost: impl Fn(&OpenNode, &OpenNode) -> f64) -> Result<Vec<Run>, Error> {
    let count = values.positions.len();
    // Every merge takes one entry from the heap and adds at most two.
    check_memory::<Reverse<Merge>>(3 * count)?;
    let mut nodes: Vec<OpenNode> = pace::collect((0..count).map(|i| OpenNode {
        codes: i as Code..i as Code + 1,
        min: values.positions[i],
        max: values.positions[i],
        quantity: values.counts[i] as f64,
        centre: values.positions[i],
        previous: i.checked_sub(1),
        next: (i + 1 < count).then_some(i + 1),
        stamp: 0,
    }))?;
    let possible = |nodes: &[OpenNode], left: usize, right: usize| {
        let stamps = (nodes[left].stamp, nodes[right].stamp);
        Reverse(Merge { cost: cost(&nodes[left], &nodes[right]), left, right, stamps })
    };
    // One by one, because building the heap from all at once does not poll.
    let mut heap: BinaryHeap<Reverse<Merge>> = BinaryHeap::with_capacity(count);
    pace::each(1..count, |i| heap.push(possible(&nodes, i - 1, i)))?;
    let mut runs = with_capacity(count)?;
    while let Some(Reverse(Merge { left, right, stamps, .. })) = heap.pop() {
        pace::tick(1)?;
        if stamps != (nodes[left].stamp, nodes[right].stamp) {
            continue;
        }
        // The left node absorbs the right one, so the index of a node is that of its first value.
        let OpenNode { codes, max, quantity, centre, next, .. } = nodes[right].clone();
        nodes[right].stamp = u32::MAX;
        let node = &mut nodes[left];
        node.codes.end = codes.end;
        node.max = max;
        node.centre = (node.centre * node.quantity + centre * quantity) / (node.quantity + quantity);
        node.quantity += quantity;
        node.next = next;
        node.stamp += 1;
        runs.push(node.codes.clone());
        if let Some(next) = next {
            nodes[next].previous = Some(left);
            heap.push(possible(&nodes, left, next));
        }
        if let Some(previous) = nodes[left].previous {
            heap.push(possible(&nodes, previous, left));
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// OTF compares centres of gravity, IOTF unions. With 100 records at 4, the centre of {4,6.5} stays near 4, so 1
    /// is merged before 9.
    #[test]
    fn otf_follows_the_weight() {
        let v = Values { positions: vec![1.0, 4.0, 6.5, 9.0], counts: vec![1, 100, 1, 1] };
        // Distances 3, 2.5, 2.5: {4,6.5} first (ties by position), its centre 4.0248.
        let runs = otf(&v).unwrap();
        assert_eq!(runs, [1..3, 0..3, 0..4]);
    }

    /// The algorithm of the paper: searches all pairs of neighbours for the least cost. Almost equal costs count as
    /// equal, because the engine updates centres with each merge, which rounds differently.
    fn naive(values: usize, cost: impl Fn(&Run, &Run) -> f64) -> Vec<Run> {
        let mut open: Vec<Run> = (0..values as Code).map(|i| i..i + 1).collect();
        let mut runs = vec![];
        while open.len() > 1 {
            let cost = |i: usize| cost(&open[i], &open[i + 1]);
            let least = (0..open.len() - 1).map(cost).fold(f64::INFINITY, f64::min);
            let best = (0..open.len() - 1).find(|&i| cost(i) <= least + 1e-9).unwrap();
            let merged = open[best].start..open[best + 1].end;
            open.splice(best..best + 2, [merged.clone()]);
            runs.push(merged);
        }
        runs
    }

    proptest! {
        /// Positions whose distances are rarely equal.
        #[test]
        fn otf_equals_the_papers_text(set in prop::collection::btree_map(0u32..1_000_000, 1u64..50, 1..25)) {
            let positions = set.keys().map(|&x| f64::from(x) * f64::from(x).sqrt()).collect();
            let v = Values { positions, counts: set.values().copied().collect() };
            let centre = |run: &Run| {
                let below = run.start as usize..run.end as usize;
                let records: u64 = v.counts[below.clone()].iter().sum();
                below.map(|i| v.positions[i] * v.counts[i] as f64).sum::<f64>() / records as f64
            };
            let expected = naive(v.positions.len(), |left, right| centre(right) - centre(left));
            prop_assert_eq!(otf(&v).unwrap(), expected);
        }

        #[test]
        fn iotf_equals_the_papers_text(set in prop::collection::btree_set(0i32..60, 1..40)) {
            let positions: Vec<f64> = set.into_iter().map(f64::from).collect();
            let v = Values { counts: vec![1; positions.len()], positions };
            let union = |left: &Run, right: &Run| v.positions[right.end as usize - 1] - v.positions[left.start as usize];
            prop_assert_eq!(iotf(&v).unwrap(), naive(v.positions.len(), union));
        }
    }
}
