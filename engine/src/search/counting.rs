//! Counts the groups of a step. Each group is counted on each column by the parts that refining its node there would
//! make, and the worst measures of the parts go into those of the candidate.

use super::candidates::Candidates;
use super::column::Column;
use super::counts::Counts;
use super::group_count_cache::GroupCountCache;
use super::measures::CurrentMeasures;
use super::model_partition::ModelPartition;
use super::state::{DisclosedGroup, NewGroups, State};
use super::Search;
use crate::partition::{GroupId, Tally};
use crate::refine::{Hierarchy, TOP};
use crate::{pace, Error};

/// A group, and a column by its place in the partition: the group is to be counted on this column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct GroupOnColumn {
    pub partition_number: usize,
    pub group: GroupId,
    pub place: usize,
}

impl Search {
    /// Counts a group on every column.
    pub(super) fn count_all(&mut self, partition_number: usize, group: GroupId) -> Result<(), Error> {
        for place in 0..self.state.partitions[partition_number].attributes().len() {
            self.count(GroupOnColumn { partition_number, group, place })?;
        }
        Ok(())
    }

    /// Counts a group by the parts that the candidates of its node on the column would make, and worsens the measures
    /// of each candidate by those of its parts. Also rules out split points. Returns whether the node has a living
    /// candidate.
    pub(super) fn count(&mut self, count: GroupOnColumn) -> Result<bool, Error> {
        self.count_caches.remove(&count);
        let is_live = self.count_parts(count)?;
        self.rule_out_points(count)?;
        Ok(is_live)
    }

    /// Does the same as `count`, but leaves the split points as they are.
    pub(super) fn count_parts(&mut self, count: GroupOnColumn) -> Result<bool, Error> {
        pace::tick(1)?;
        let GroupOnColumn { partition_number, group, place } = count;
        let Search { state, candidates, shares, splits, .. } = self;
        let counts_leaves = state.counts_leaves(partition_number);
        let State { models, current, columns, partitions, tallies, leaves, withheld, .. } = state;
        let (partition, tally) = (&mut partitions[partition_number], &mut tallies[partition_number]);
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        let is_live = candidates.is_live(attribute, node);
        if is_live {
            partition.restore_person_order(group)?;
            let (partition, column) = (&*partition, &columns[attribute]);
            let is_suppression = column.hierarchy.is_suppression();
            let part_of_code = (!is_suppression).then_some(&column.part_of_code[..]);
            partition.count_children(group, place, part_of_code, tally)?;
            let baseline = CurrentMeasures { models, current };
            if withheld.is_none() && is_suppression {
                baseline.worsen_disclosures(attribute, (partition, tally), candidates)?;
            } else if withheld.is_none() {
                // An interval with split points stays alive: if the chosen point is invalid, another one may be valid.
                let has_points = candidates
                    .living(attribute, node)
                    .is_some_and(|id| splits.by_candidate.contains_key(&id));
                candidates.worsen(attribute, node, |after| {
                    let worse = baseline.worsen_by_children(after, partition, tally)?;
                    Ok(worse.then(|| has_points || models.hold(after)))
                })?;
            }
            if let Some(leaves) = leaves.as_ref().filter(|_| counts_leaves) {
                shares.replace_shares((leaves, partition, tally), (group, place), column, candidates)?;
            }
        }
        if self.state.withheld.is_some() {
            self.update_effects(count, is_live)?;
        }
        Ok(is_live)
    }

    /// Counts the groups that a disclosure has made: the rest in `*`, and the group of the disclosed value.
    pub(super) fn count_disclosed(&mut self, divided: NewGroups) -> Result<(), Error> {
        let NewGroups { partition_number, place, .. } = divided;
        let places = self.state.partitions[partition_number].attributes().len();
        for DisclosedGroup { rest, group } in divided.disclosed() {
            pace::tick(places)?;
            let Some(rest) = rest else {
                self.count(GroupOnColumn { partition_number, group, place })?;
                continue;
            };
            self.state.partitions[partition_number].restore_person_order(group)?;
            for place in 0..places {
                let count = GroupOnColumn { partition_number, group: rest, place };
                if !self.count_rest(count, group)? {
                    self.count(count)?;
                }
                self.count(GroupOnColumn { partition_number, group, place })?;
            }
        }
        Ok(())
    }

    /// Counts the rest of a group after a disclosure has moved records from it into the group `left`. Uses the cached
    /// counts, or counts the records and fills the cache. Returns false, with nothing counted, if a cache does not pay
    /// or does not apply: to leaves, split points and withheld rows.
    fn count_rest(&mut self, count: GroupOnColumn, left: GroupId) -> Result<bool, Error> {
        let GroupOnColumn { partition_number, group, place } = count;
        let partition = &self.state.partitions[partition_number];
        let (records, records_left) = (partition.size(group), partition.size(left));
        let has_points = self.has_points(partition.attributes()[place], partition.node(group, place));
        let state = &self.state;
        let is_counted_anew = has_points || state.counts_leaves(partition_number) || state.withheld.is_some();
        if is_counted_anew || !GroupCountCache::is_worthwhile(records_left, records) {
            return Ok(false);
        }
        if let Some(mut cache) = self.count_caches.remove(&count) {
            if self.count_cached_rest(&mut cache, count, left)? {
                self.count_caches.insert(count, cache);
            }
        } else if self.count(count)? {
            let State { partitions, tallies, columns, .. } = &mut self.state;
            let partition = &partitions[partition_number];
            let column = &columns[partition.attributes()[place]];
            let part_of_code = column.suppressed.is_none().then_some(&column.part_of_code[..]);
            let cache = GroupCountCache::new(
                partition,
                (group, place),
                part_of_code,
                &mut tallies[partition_number],
            )?;
            cache.and_then(|cache| self.count_caches.insert(count, cache));
        }
        Ok(true)
    }

    /// Subtracts the counts of the group `left` from the cached ones, and measures what changed. Returns false if the
    /// column has no living candidate for the group.
    fn count_cached_rest(
        &mut self,
        cache: &mut GroupCountCache,
        GroupOnColumn { partition_number, place, .. }: GroupOnColumn,
        left: GroupId,
    ) -> Result<bool, Error> {
        let Search { state, candidates, .. } = self;
        let State { models, current, columns, partitions, tallies, .. } = state;
        let baseline = CurrentMeasures { models, current };
        let (partition, tally) = (&partitions[partition_number], &mut tallies[partition_number]);
        let attribute = partition.attributes()[place];
        let Column { hierarchy, part_of_code, .. } = &columns[attribute];
        let is_suppression = hierarchy.is_suppression();
        // Both groups have the same nodes, but for the disclosed column, where the rest has `*`.
        let node = if is_suppression { TOP } else { partition.node(left, place) };
        if !candidates.is_live(attribute, node) {
            return Ok(false);
        }
        let part_of_code = (!is_suppression).then_some(&part_of_code[..]);
        cache.remove(partition, (left, place), part_of_code, tally)?;
        let refined = |child| if is_suppression { Hierarchy::disclosed_node(child) } else { node };
        for &child in &tally.touched {
            let Some(counts) = cache.counts(child) else { continue };
            candidates.worsen(attribute, refined(child), |after| {
                baseline.worsen_and_test(after, partition.counts_by_model(counts))
            })?;
        }
        if is_suppression {
            cache.each_worse_rest(partition, baseline, |code, rest| {
                let disclosed = Hierarchy::disclosed_node(code);
                if let Some(rest) = rest {
                    candidates.worsen(attribute, disclosed, |after| {
                        baseline.worsen_and_test(after, partition.counts_by_model(rest))
                    })?;
                }
                Ok(candidates.is_live(attribute, disclosed))
            })?;
        }
        Ok(true)
    }
}

impl CurrentMeasures<'_> {
    /// Worsens the measures of each disclosure on the column by those of its two parts of the group: the records of the
    /// value, and the rest. The tally must be by code.
    fn worsen_disclosures(
        self,
        attribute: usize,
        (partition, tally): (&ModelPartition, &mut Tally),
        candidates: &mut Candidates,
    ) -> Result<(), Error> {
        let whole = Counts::whole(tally)?;
        let mut rest = whole.clone();
        tally.each_child(|child| {
            candidates.worsen(attribute, Hierarchy::disclosed_node(child.number()), |after| {
                let mut worse = self.worsen_by_group(after, partition.child_by_model(child))?;
                rest.set_to_rest(&whole, child)?;
                if rest.records > 0 {
                    worse |= self.worsen_by_group(after, partition.counts_by_model(&rest))?;
                }
                Ok(worse.then(|| self.models.hold(after)))
            })
        })
    }
}
