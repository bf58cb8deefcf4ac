//! Counts the groups of a step. Each group is counted on each column by the parts that refining its node there would
//! make, and the worst measures of the parts go into those of the candidate.

use super::candidates::Candidates;
use super::counts::Counts;
use super::measures::CurrentMeasures;
use super::state::{ModelPartition, State};
use super::Search;
use crate::partition::{GroupId, Tally};
use crate::refine::Hierarchy;
use crate::{pace, Error};

/// A group, and a column by its place in the partition: the group is to be counted on this column.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroupOnColumn {
    pub index: usize,
    pub group: GroupId,
    pub place: usize,
}

impl Search {
    /// Counts a group on every column.
    pub(super) fn count_all(&mut self, index: usize, group: GroupId) -> Result<(), Error> {
        for place in 0..self.state.partitions[index].partition.attributes().len() {
            self.count(GroupOnColumn { index, group, place })?;
        }
        Ok(())
    }

    /// Counts a group by the parts that the candidates of its node on the column would make, and worsens the measures
    /// of each candidate by those of its parts. Also rules out split points. Returns whether the node has a living
    /// candidate.
    pub(super) fn count(&mut self, count: GroupOnColumn) -> Result<bool, Error> {
        self.count_caches.remove(&(count.index, count.group, count.place));
        let is_live = self.count_parts(count)?;
        self.rule_out_points(count)?;
        Ok(is_live)
    }

    /// Does the same as `count`, but leaves the split points as they are.
    pub(super) fn count_parts(&mut self, count: GroupOnColumn) -> Result<bool, Error> {
        let Search { state, candidates, shares, splits, .. } = self;
        let counts_leaves = state.counts_leaves(count.index);
        let State { models, current, columns, partitions, tallies, leaves, withheld, .. } = state;
        pace::tick(1)?;
        let (of, partition) = ((count.group, count.place), &mut partitions[count.index].partition);
        let (attribute, node) =
            (partition.attributes()[count.place], partition.node(count.group, count.place));
        let is_live = candidates.is_live(attribute, node);
        if is_live {
            partition.restore_person_order(count.group)?;
        }
        let (index, tally) = (&partitions[count.index], &mut tallies[count.index]);
        let partition = &index.partition;
        let withholds = withheld.is_some();
        let column = &columns[attribute];
        let is_suppression = column.hierarchy.is_suppression();
        let baseline = CurrentMeasures { models, current };
        if is_live && (withholds || is_suppression) {
            let part_of_code = (!is_suppression).then_some(&column.part_of_code[..]);
            partition.count_children(count.group, count.place, part_of_code, tally)?;
        }
        if is_live && !withholds && is_suppression {
            baseline.worsen_disclosures(attribute, (index, tally), candidates)?;
        } else if is_live && !withholds {
            // An interval with split points stays alive: if the chosen point is invalid, another one may be valid.
            let has_points = candidates.living(attribute, node).is_some_and(|id| splits.has(id));
            candidates.worsen(attribute, node, |after| {
                let worse = index.worsen_by_parts(baseline, of, &column.part_of_code, tally, after)?;
                Ok(worse.then(|| has_points || models.hold(after)))
            })?;
        }
        if let Some(leaves) = leaves.as_ref().filter(|_| is_live && counts_leaves) {
            shares.replace_shares((leaves, index, tally), of, column, candidates)?;
        }
        if withholds {
            self.update_effects(count, is_live)?;
        }
        Ok(is_live)
    }
}

impl CurrentMeasures<'_> {
    /// Worsens the measures of each disclosure on the column by those of its two parts of the group: the records of the
    /// value, and the rest. The tally must be by code.
    fn worsen_disclosures(
        self,
        attribute: usize,
        (index, tally): (&ModelPartition, &mut Tally),
        candidates: &mut Candidates,
    ) -> Result<(), Error> {
        let whole = Counts::whole(tally)?;
        let mut rest = whole.clone();
        tally.each_child(|child| {
            candidates.worsen(attribute, Hierarchy::disclosed_node(child.number()), |after| {
                let mut worse = self.worsen_by_group(after, index.child_by_model(child))?;
                rest.set_to_rest(&whole, child)?;
                if rest.records > 0 {
                    worse |= self.worsen_by_group(after, index.counts_by_model(&rest))?;
                }
                Ok(worse.then(|| self.models.hold(after)))
            })
        })
    }
}
