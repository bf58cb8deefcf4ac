//! Merges of counts: of two counts, of the counts with codes of one previous count, and of counts that a test finds, in
//! rounds.

use super::{children_or_values, CodeModel, CountedNode, CountedNodes, HolderCounter};
use crate::progress::check_table_memory;
use crate::refine::{NodeId, TOP};
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;

/// Last round in which a count is merged with only one other. Each later round merges it with twice as many others. A
/// smaller value makes coarser counts. A larger one takes longer, because each round looks at all counts.
const LAST_SINGLE_ROUND: u32 = 8;

/// Indexes of the counts that each node names. A count that was merged or renamed since remains listed.
type CountsByNode = HashMap<NodeId, Vec<usize>>;

/// Counts with which another count is merged.
struct Partners {
    indexes: Vec<usize>,
    /// Node that names the merged count.
    node: NodeId,
}

impl CountedNodes<'_> {
    /// Merges counts until the models hold for the rows of each.
    pub fn merge_until_models_hold(
        &mut self,
        models: &[CodeModel],
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        self.merge_in_rounds(holders, |counts| {
            let mut broken = Vec::new();
            for (index, count) in counts.counts.iter().enumerate() {
                for model in models {
                    if !model.holds(&count.codes)? {
                        broken.push(index);
                        break;
                    }
                }
            }
            Ok(broken)
        })
    }

    /// Merges the counts that `find_unsafe` returns with others, until it returns none or a single count is left. That
    /// one has all rows, which everybody can count.
    pub(super) fn merge_in_rounds(
        &mut self,
        holders: &mut HolderCounter,
        find_unsafe: impl Fn(&Self) -> Result<Vec<usize>, Error>,
    ) -> Result<(), Error> {
        let mut round = 0u32;
        while self.counts.len() > 1 {
            let indexes = find_unsafe(self)?;
            if indexes.is_empty() {
                break;
            }
            self.merge_each(indexes, 1 << round.saturating_sub(LAST_SINGLE_ROUND).min(31))?;
            self.merge_misnamed(holders)?;
            round += 1;
        }
        self.verify_by_names(holders)
    }

    /// Merges each of some counts with others: with at most `max_partners` neighboring intervals, or with the counts
    /// below at most that number of children of a node.
    fn merge_each(&mut self, indexes: Vec<usize>, max_partners: usize) -> Result<(), Error> {
        let (mut by_node, mut grown) = (self.index_by_node()?, HashSet::new());
        for index in indexes {
            // A count that has grown is examined again in the next round.
            if self.counts[index].is_gone() || grown.contains(&index) {
                continue;
            }
            // Earlier merges may have left no partner.
            if let Some(partners) = self.find_partners(index, max_partners, &by_node)? {
                grown.insert(self.merge_with(index, partners, &mut by_node)?);
            }
        }
        self.remove_gone();
        self.counts.iter_mut().try_for_each(CountedNode::sort_ranges)
    }

    /// Merges the counts that divide the codes of a count of the version before. `previous` has the number of that
    /// count for each code.
    pub(super) fn merge_divided(
        &mut self,
        previous: &[Code],
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        let mut first_of_previous: HashMap<Code, usize> = HashMap::new();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for (index, count) in self.counts.iter().enumerate() {
            for code in count.each_code() {
                pace::tick(1)?;
                if holders.rows[code as usize] > 0 {
                    let first = *first_of_previous.entry(previous[code as usize]).or_insert(index);
                    pairs.extend((first != index).then_some([first, index]));
                }
            }
        }
        // For each count, one that it was merged into, or itself.
        let mut merged_into: Vec<usize> = pace::collect(0..self.counts.len())?;
        for pair in pairs {
            pace::tick(1)?;
            let [one, other] = pair.map(|index| find_merged(&mut merged_into, index));
            let (first, last) = (one.min(other), one.max(other));
            self.merge(first, last)?;
            merged_into[last] = first;
        }
        self.remove_gone();
        self.merge_misnamed(holders)?;
        self.verify_by_names(holders)
    }

    /// Merges two counts, unless one of them was already merged. The lowest common ancestor names the merged count; an
    /// interval merged with NULLs keeps both names.
    pub(super) fn merge(&mut self, into: usize, other: usize) -> Result<(), Error> {
        if into == other || self.counts[into].is_gone() || self.counts[other].is_gone() {
            return Ok(());
        }
        let mut other = std::mem::take(&mut self.counts[other]);
        let [node, other_node] = [self.counts[into].node, other.node];
        other.merged_nodes.push(other_node);
        self.counts[into].absorb(other)?;
        self.counts[into].sort_ranges()?;
        match self.hierarchy.is_interval(node) && Some(other_node) == self.hierarchy.null() {
            true => Ok(()),
            false => self.rename(into, self.lowest_common_ancestor(node, other_node)?),
        }
    }

    fn lowest_common_ancestor(&self, node: NodeId, other: NodeId) -> Result<NodeId, Error> {
        let mut ancestor = other;
        while ancestor != node && !self.hierarchy.is_below(node, ancestor) {
            pace::tick(1)?;
            ancestor = self.hierarchy.node(ancestor).parent.unwrap_or(TOP);
        }
        Ok(ancestor)
    }

    /// Finds counts to merge with a count. For an interval these are its neighbors. Any other count is merged at the
    /// nearest node, its own or one above, that has other counts: with the rest of that node or, if it has no rest,
    /// with all counts below the smallest of its children.
    fn find_partners(
        &self,
        index: usize,
        max_partners: usize,
        by_node: &CountsByNode,
    ) -> Result<Option<Partners>, Error> {
        let own_node = self.counts[index].node;
        if self.hierarchy.is_interval(own_node) {
            let indexes = self.neighboring_intervals(index, max_partners)?;
            if !indexes.is_empty() {
                return Ok(Some(Partners { indexes, node: own_node }));
            }
        }
        for node in std::iter::successors(Some(own_node), |&node| self.hierarchy.node(node).parent) {
            let mut indexes: Vec<usize> =
                self.counts_named_by(node, by_node).filter(|&other| other != index).collect();
            if indexes.is_empty() {
                let below = self.counts_below_children(node, index, by_node)?;
                indexes.extend(below.into_values().take(max_partners).flatten());
            }
            if !indexes.is_empty() {
                return Ok(Some(Partners { indexes, node }));
            }
        }
        Ok(None)
    }

    /// Merges a count with its partners. Returns the index of the merged count, whose ranges are sorted later.
    fn merge_with(
        &mut self,
        index: usize,
        Partners { indexes, node }: Partners,
        by_node: &mut CountsByNode,
    ) -> Result<usize, Error> {
        let into = indexes[0];
        if self.counts[into].node != node {
            by_node.entry(node).or_default().push(into);
        }
        let mut merged = std::mem::take(&mut self.counts[index]);
        for partner in indexes {
            pace::tick(1)?;
            merged.absorb(std::mem::take(&mut self.counts[partner]))?;
        }
        self.counts[into] = merged;
        self.rename(into, node)?;
        Ok(into)
    }

    /// Returns at most `max` intervals beside a count, each time the smaller of the next ones on both sides.
    fn neighboring_intervals(&self, index: usize, max: usize) -> Result<Vec<usize>, Error> {
        let (mut lower, mut higher) = ((0..index).rev(), index + 1..self.counts.len());
        let (mut below, mut above) = (None, None);
        let mut chosen = Vec::new();
        while chosen.len() < max {
            if below.is_none() {
                below = self.next_interval(&mut lower)?;
            }
            if above.is_none() {
                above = self.next_interval(&mut higher)?;
            }
            let is_above_smaller = match (below, above) {
                (Some(below), Some(above)) => self.counts[below].rows > self.counts[above].rows,
                _ => below.is_none(),
            };
            let Some(next) = (if is_above_smaller { above.take() } else { below.take() }) else { break };
            chosen.push(next);
        }
        Ok(chosen)
    }

    /// Returns the next index whose count is an interval.
    fn next_interval(&self, indexes: &mut impl Iterator<Item = usize>) -> Result<Option<usize>, Error> {
        for index in indexes {
            pace::tick(1)?;
            if !self.counts[index].is_gone() && self.hierarchy.is_interval(self.counts[index].node) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Returns the counts at and below each child of a node that has any, except the count `excluded`. The keys sort
    /// the children by the rows of these counts.
    fn counts_below_children(
        &self,
        node: NodeId,
        excluded: usize,
        by_node: &CountsByNode,
    ) -> Result<BTreeMap<(u64, NodeId), Vec<usize>>, Error> {
        let mut of_children = BTreeMap::new();
        for child in children_or_values(self.hierarchy, node) {
            let (mut indexes, mut open, mut rows) = (Vec::new(), vec![child], 0);
            while let Some(node) = open.pop() {
                pace::tick(1)?;
                for index in self.counts_named_by(node, by_node).filter(|&index| index != excluded) {
                    rows += self.counts[index].rows;
                    indexes.push(index);
                }
                open.extend(children_or_values(self.hierarchy, node));
            }
            if !indexes.is_empty() {
                indexes.sort_unstable();
                of_children.insert((rows, child), indexes);
            }
        }
        Ok(of_children)
    }

    /// Returns the indexes of the counts that a node still names.
    fn counts_named_by<'n>(
        &'n self,
        node: NodeId,
        by_node: &'n CountsByNode,
    ) -> impl Iterator<Item = usize> + 'n {
        let listed = by_node.get(&node).into_iter().flatten().copied();
        listed.filter(move |&index| self.counts[index].node == node && !self.counts[index].is_gone())
    }

    fn index_by_node(&self) -> Result<CountsByNode, Error> {
        check_table_memory::<(NodeId, Vec<usize>)>(self.counts.len())?;
        let mut by_node = CountsByNode::new();
        pace::each(self.counts.iter().enumerate(), |(index, count)| {
            by_node.entry(count.node).or_default().push(index);
        })?;
        Ok(by_node)
    }
}

/// Follows the merges of a count to the count that has its rows now, and shortens the way for later calls.
fn find_merged(merged_into: &mut [usize], mut index: usize) -> usize {
    while merged_into[index] != index {
        merged_into[index] = merged_into[merged_into[index]];
        index = merged_into[index];
    }
    index
}
