//! Merges of counts: two counts, those that the version before counted as one part, or, in rounds, those that a test
//! names.

use super::{children_or_values, CodeModel, CountedNode, CountedNodes, HolderCounter};
use crate::progress::check_table_memory;
use crate::refine::{NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Last round in which a count is merged with only one other. Each later round merges it with twice as many others. A
/// smaller value makes coarser counts. A larger one takes longer, because each round looks at all counts.
const LAST_SINGLE_ROUND: u32 = 8;

/// Indexes of counts by node.
type CountsByNode = HashMap<NodeId, Vec<usize>>;

impl CountedNodes<'_> {
    /// Merges counts until the models hold for the rows of each. A single count has all rows, which everybody can
    /// count.
    pub fn merge_until_models_hold(
        &mut self,
        models: &[CodeModel],
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        self.merge_in_rounds(holders, |counts| {
            let mut broken = Vec::new();
            for (place, count) in counts.nodes.iter().enumerate().filter(|_| counts.nodes.len() > 1) {
                for model in models {
                    if !model.holds(&count.codes)? {
                        broken.push(place);
                        break;
                    }
                }
            }
            Ok(broken)
        })
    }

    /// Merges the counts that `to_merge` returns with others, until it returns none, as it must for a single count.
    pub(super) fn merge_in_rounds(
        &mut self,
        holders: &mut HolderCounter,
        to_merge: impl Fn(&Self) -> Result<Vec<usize>, Error>,
    ) -> Result<(), Error> {
        for round in 0u32.. {
            let to_merge = to_merge(self)?;
            if to_merge.is_empty() {
                break;
            }
            // Later rounds merge more counts at once, because each round looks at all counts.
            let others = 1 << round.saturating_sub(LAST_SINGLE_ROUND).min(31);
            let (mut by_node, mut grown) = (self.index_by_node()?, HashSet::new());
            for count in to_merge {
                // A count that has grown in this round is examined again in the next one.
                if !self.nodes[count].is_gone() && !grown.contains(&count) {
                    grown.extend(self.merge_with_others(count, others, &mut by_node)?);
                }
            }
            self.nodes.retain(|count| !count.is_gone());
            self.nodes.iter_mut().try_for_each(CountedNode::sort_ranges)?;
            self.merge_misnamed(holders)?;
        }
        self.verify_by_names(holders)
    }

    /// Merges the counts that have codes of one part, which the version before counted together.
    pub(super) fn merge_by_parts(
        &mut self,
        before: &[Code],
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        let mut count_of_part: HashMap<Code, usize> = HashMap::new();
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        for (place, count) in self.nodes.iter().enumerate() {
            for code in count.each_code() {
                pace::tick(1)?;
                if holders.rows[code as usize] > 0 {
                    let other = *count_of_part.entry(before[code as usize]).or_insert(place);
                    pairs.extend((other != place).then_some((other, place)));
                }
            }
        }
        // The count that each was merged into.
        let mut into: Vec<usize> = pace::collect(0..self.nodes.len())?;
        for (one, other) in pairs {
            pace::tick(1)?;
            let [one, other] = [one, other].map(|mut count| {
                while into[count] != count {
                    into[count] = into[into[count]];
                    count = into[count];
                }
                count
            });
            let (first, last) = (one.min(other), one.max(other));
            self.merge(first, last)?;
            into[last] = first;
        }
        self.nodes.retain(|count| !count.is_gone());
        self.merge_misnamed(holders)?;
        self.verify_by_names(holders)
    }

    /// Merges two counts, if neither is merged yet, and names the result by the lowest common ancestor. An interval
    /// with NULLs keeps both names.
    pub(super) fn merge(&mut self, into: usize, other: usize) -> Result<(), Error> {
        if into == other || self.nodes[into].is_gone() || self.nodes[other].is_gone() {
            return Ok(());
        }
        let mut other = std::mem::take(&mut self.nodes[other]);
        let (one, mut above) = (self.nodes[into].node, other.node);
        let keeps_names = self.hierarchy.is_interval(one) && Some(other.node) == self.hierarchy.null();
        other.merged_nodes.push(other.node);
        self.nodes[into].absorb(other)?;
        self.nodes[into].sort_ranges()?;
        if keeps_names {
            return Ok(());
        }
        while above != one && !self.hierarchy.is_below(one, above) {
            pace::tick(1)?;
            above = self.hierarchy.node(above).parent.unwrap_or(TOP);
        }
        self.rename(into, above)
    }

    /// Merges a count with at most `some` others. Returns the index of the merged count, whose ranges are put in order
    /// later.
    ///
    /// An interval is merged with its smaller neighbors. Any other count is merged at the nearest node, its own or one
    /// above, that has other counts: with the rest of that node, or, if it has no rest, with all counts below the
    /// smallest of its children.
    fn merge_with_others(
        &mut self,
        count: usize,
        some: usize,
        by_node: &mut CountsByNode,
    ) -> Result<Option<usize>, Error> {
        let mut node = self.nodes[count].node;
        let mut others = match self.hierarchy.is_interval(node) {
            true => self.neighboring_intervals(count, some)?,
            false => Vec::new(),
        };
        while others.is_empty() {
            others.extend(self.counts_named_by(node, by_node).filter(|&other| other != count));
            if others.is_empty() {
                let below = self.counts_below_children(node, count, by_node)?;
                others.extend(below.into_values().take(some).flatten());
            }
            match self.hierarchy.node(node).parent {
                Some(parent) if others.is_empty() => node = parent,
                _ => break,
            }
        }
        // Other merges of this round may have left no other count.
        let Some(&into) = others.first() else { return Ok(None) };
        if self.nodes[into].node != node {
            by_node.entry(node).or_default().push(into);
        }
        let mut merged = std::mem::take(&mut self.nodes[count]);
        for other in others {
            pace::tick(1)?;
            merged.absorb(std::mem::take(&mut self.nodes[other]))?;
        }
        self.nodes[into] = merged;
        // The name of the node covers the nodes below it.
        self.rename(into, node)?;
        Ok(Some(into))
    }

    /// Returns at most `some` intervals beside a count, each time the smaller of the next ones on both sides.
    fn neighboring_intervals(&self, count: usize, some: usize) -> Result<Vec<usize>, Error> {
        let looked_at = Cell::new(0);
        let is_beside = |other: &usize| {
            looked_at.set(looked_at.get() + 1);
            !self.nodes[*other].is_gone() && self.hierarchy.is_interval(self.nodes[*other].node)
        };
        let mut before = (0..count).rev().filter(is_beside).peekable();
        let mut after = (count + 1..self.nodes.len()).filter(is_beside).peekable();
        let mut beside = Vec::new();
        while beside.len() < some {
            let rows = |other: &usize| self.nodes[*other].rows;
            let next = match (before.peek().map(rows), after.peek().map(rows)) {
                (Some(one), Some(other)) if one > other => after.next(),
                (Some(_), _) => before.next(),
                (None, _) => after.next(),
            };
            let Some(next) = next else { break };
            beside.push(next);
            pace::tick(looked_at.take())?;
        }
        Ok(beside)
    }

    /// Returns the counts below each child of a node that has any, without the count `but`. Children are in the order
    /// of the rows of their counts.
    fn counts_below_children(
        &self,
        node: NodeId,
        but: usize,
        by_node: &CountsByNode,
    ) -> Result<BTreeMap<(u64, NodeId), Vec<usize>>, Error> {
        let mut of_children = BTreeMap::new();
        for child in children_or_values(self.hierarchy, node) {
            let (mut counts, mut open, mut rows) = (Vec::new(), vec![child], 0);
            while let Some(node) = open.pop() {
                pace::tick(1)?;
                for other in self.counts_named_by(node, by_node).filter(|&other| other != but) {
                    rows += self.nodes[other].rows;
                    counts.push(other);
                }
                open.extend(children_or_values(self.hierarchy, node));
            }
            if !counts.is_empty() {
                counts.sort_unstable();
                of_children.insert((rows, child), counts);
            }
        }
        Ok(of_children)
    }

    /// Returns the counts that a node still names.
    fn counts_named_by<'n>(
        &'n self,
        node: NodeId,
        by_node: &'n CountsByNode,
    ) -> impl Iterator<Item = usize> + 'n {
        let places = by_node.get(&node).into_iter().flatten().copied();
        places.filter(move |&place| self.nodes[place].node == node && !self.nodes[place].is_gone())
    }

    fn index_by_node(&self) -> Result<CountsByNode, Error> {
        check_table_memory::<(NodeId, Vec<usize>)>(self.nodes.len())?;
        let mut by_node = CountsByNode::new();
        pace::each(self.nodes.iter().enumerate(), |(place, count)| {
            by_node.entry(count.node).or_default().push(place);
        })?;
        Ok(by_node)
    }
}
