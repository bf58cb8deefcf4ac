//! Withholding effects: how many rows a refinement would withhold, and the worst measures of the groups that would
//! stay.
//!
//! The effect of each candidate is kept for each group that holds its node. It depends on the group's records alone, so
//! it is counted when the group is made or loses records. A candidate has the sum of the rows, and the worst of the
//! measures, over these groups. When a group changes, its old rows are subtracted from the sum. If it had the worst
//! measure, the worst is searched for again ([`Search::recompute_worst`]).

use super::counting::GroupOnColumn;
use super::counts::Counts;
use super::measures::{CountsByModel, Models};
use super::model_partition::ModelPartition;
use super::splits::InvalidPoints;
use super::state::State;
use super::Search;
use crate::partition::Tally;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Error};
use std::collections::BTreeSet;

/// Effect of a refinement on one group, or on all groups that hold its node.
#[derive(Debug, Clone)]
pub(super) struct WithholdingEffect {
    /// The node that is refined or disclosed.
    pub node: NodeId,
    /// Number of rows in parts that break a model, which would be withheld.
    pub rows: u64,
    /// Worst measure, for each requirement, of the parts that would stay.
    pub worst: Vec<f64>,
    /// Whether the refinement shows a row: for a disclosure, whether the rows with the value would stay, otherwise
    /// whether any row has the node.
    shows: bool,
}

/// Effects of one group on one column.
#[derive(Debug, Clone, Default)]
struct GroupEffects {
    /// Ascending by node.
    by_node: Vec<WithholdingEffect>,
    /// For an interval with split points.
    points: Option<IntervalEffects>,
}

/// Points where a split of an interval would withhold rows of a group.
#[derive(Debug, Clone)]
struct IntervalEffects {
    /// Number of the interval's candidate.
    id: usize,
    invalid: Vec<InvalidPoints>,
}

/// Effects of all groups, by group and the column's place in the partition.
#[derive(Debug, Default)]
pub(super) struct WithholdingEffects {
    by_group: Vec<GroupEffects>,
    /// Sum over the groups of each candidate.
    sums: Vec<CandidateSum>,
    /// Candidates whose sums have changed.
    changed: Vec<usize>,
    /// Candidates whose worst measures must be searched for again.
    stale: Vec<usize>,
    /// The last [`Search::enforce_budget`].
    last_pass: Pass,
}

#[derive(Debug, Default)]
struct Pass {
    /// Number of candidates, dead ones included.
    candidates: usize,
    /// Number of rows that could still be withheld.
    left: u64,
}

/// Sum over the groups that hold a candidate's node.
#[derive(Debug, Clone, Copy, Default)]
struct CandidateSum {
    rows: u64,
    /// Number of groups in which the refinement shows a row.
    shows: u32,
    is_changed: bool,
    is_stale: bool,
}

impl WithholdingEffects {
    /// Marks the sum of a candidate as changed, and returns it.
    fn sum_to_change(&mut self, id: usize) -> &mut CandidateSum {
        self.sums.resize(self.sums.len().max(id + 1), CandidateSum::default());
        if !std::mem::replace(&mut self.sums[id].is_changed, true) {
            self.changed.push(id);
        }
        &mut self.sums[id]
    }
}

impl WithholdingEffect {
    /// Returns the effect on no group.
    fn new(models: &Models, node: NodeId) -> Result<WithholdingEffect, Error> {
        let worst = pace::collect(models.best().iter().copied())?;
        Ok(WithholdingEffect { node, rows: 0, worst, shows: false })
    }

    /// Adds a part. Returns whether the part would stay.
    fn add_part<'g>(
        &mut self,
        models: &Models,
        records: u32,
        part: impl CountsByModel<'g> + Clone,
    ) -> Result<bool, Error> {
        let holds = models.hold_for(part.clone())?;
        if holds {
            models.worsen_by_group(&mut self.worst, part)?;
        } else {
            self.rows += u64::from(records);
        }
        Ok(holds)
    }

    /// Adds all children of a tally.
    fn add_children(
        &mut self,
        models: &Models,
        partition: &ModelPartition,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        tally.each_child(|child| {
            self.shows = true;
            self.add_part(models, child.records(), partition.child_by_model(child)).map(drop)
        })
    }

    /// Returns the effects of all disclosures from a group in `*`. The tally must be by code.
    fn for_disclosures(
        models: &Models,
        partition: &ModelPartition,
        tally: &mut Tally,
        is_live: impl Fn(NodeId) -> bool,
    ) -> Result<Vec<WithholdingEffect>, Error> {
        let whole = Counts::whole(tally)?;
        let mut rest = whole.clone();
        let mut effects = Vec::with_capacity(tally.touched.len());
        let mut codes = pace::collect(tally.touched.iter().copied())?;
        pace::sort_by(&mut codes, Ord::cmp)?;
        for code in codes {
            let node = Hierarchy::disclosed_node(code);
            if !is_live(node) {
                continue;
            }
            let mut effect = WithholdingEffect::new(models, node)?;
            let child = tally.child(code)?;
            effect.shows = effect.add_part(models, child.records(), partition.child_by_model(child))?;
            rest.set_to_rest(&whole, child)?;
            if rest.records > 0 {
                effect.add_part(models, rest.records, partition.counts_by_model(&rest))?;
            }
            effects.push(effect);
        }
        effects.shrink_to_fit();
        Ok(effects)
    }
}

impl State {
    /// Returns the effect of a refinement over all groups, by the parts that the column's codes are assigned to.
    /// Returns None if it would withhold more rows than may still be withheld.
    pub(super) fn withholding_effect(
        &mut self,
        attribute: usize,
        node: NodeId,
    ) -> Result<Option<WithholdingEffect>, Error> {
        let State { models, columns, partitions, tallies, withheld, .. } = self;
        let part_of_code = &columns[attribute].part_of_code;
        let mut effect = WithholdingEffect::new(models, node)?;
        partitions[0].count_groups_with(
            attribute,
            node,
            part_of_code,
            &mut tallies[0],
            |partition, tally| effect.add_children(models, partition, tally).map(|()| true),
        )?;
        let left = withheld.as_ref().map_or(0, |withheld| withheld.left());
        Ok(Some(effect).filter(|effect| effect.rows <= left))
    }
}

impl Search {
    /// Replaces the effects of a group by those of its last count, and updates the candidates.
    pub(super) fn update_effects(&mut self, count: GroupOnColumn, is_live: bool) -> Result<(), Error> {
        let GroupOnColumn { partition_number, group, place } = count;
        let now = if is_live { self.effects_of_last_count(count)? } else { Vec::new() };
        let Search { state, effects, .. } = self;
        let partition = &state.partitions[partition_number];
        let (attribute, width) = (partition.attributes()[place], partition.attributes().len());
        let places = effects.by_group.len().max(partition.group_count() * width);
        effects.by_group.resize(places, GroupEffects::default());
        let place = group as usize * width + place;
        let before = std::mem::take(&mut effects.by_group[place].by_node);
        before.iter().try_for_each(|effect| self.subtract_effect(attribute, effect))?;
        now.iter().try_for_each(|effect| self.add_effect(attribute, effect))?;
        self.effects.by_group[place].by_node = now;
        Ok(())
    }

    /// Returns the effects on a group, from its last count.
    fn effects_of_last_count(&mut self, count: GroupOnColumn) -> Result<Vec<WithholdingEffect>, Error> {
        let GroupOnColumn { partition_number, group, place } = count;
        let Search { state, candidates, .. } = self;
        let State { models, columns, partitions, tallies, .. } = state;
        let (partition, tally) = (&partitions[partition_number], &mut tallies[partition_number]);
        let attribute = partition.attributes()[place];
        if columns[attribute].hierarchy.is_suppression() {
            let is_live = |node| candidates.living(attribute, node).is_some();
            return WithholdingEffect::for_disclosures(models, partition, tally, is_live);
        }
        let mut effect = WithholdingEffect::new(models, partition.node(group, place))?;
        effect.add_children(models, partition, tally)?;
        Ok(vec![effect])
    }

    /// Subtracts the former effect on a group. If the candidate's worst measure came from it, the candidate is stale.
    fn subtract_effect(&mut self, attribute: usize, effect: &WithholdingEffect) -> Result<(), Error> {
        let WithholdingEffect { node, rows, worst, shows } = effect;
        pace::tick(1 + worst.len())?;
        let Search { state, candidates, effects, .. } = self;
        let Some(id) = candidates.living(attribute, *node) else { return Ok(()) };
        let mut after = candidates.get(id).after.clone();
        state.models.merge(&mut after, worst);
        let mut measures = worst.iter().zip(&after).zip(state.models.best());
        let was_worst = measures.any(|((one, worst), unmeasured)| one == worst && one != unmeasured);
        let sum = effects.sum_to_change(id);
        sum.rows -= rows;
        sum.shows -= u32::from(*shows);
        if was_worst && !std::mem::replace(&mut sum.is_stale, true) {
            effects.stale.push(id);
        }
        Ok(())
    }

    /// Adds the present effect on a group.
    fn add_effect(&mut self, attribute: usize, effect: &WithholdingEffect) -> Result<(), Error> {
        let WithholdingEffect { node, rows, worst, shows } = effect;
        pace::tick(1 + worst.len())?;
        let Search { state, candidates, effects, .. } = self;
        let Some(id) = candidates.living(attribute, *node) else { return Ok(()) };
        let sum = effects.sum_to_change(id);
        sum.rows += rows;
        sum.shows += u32::from(*shows);
        state.models.merge(&mut candidates.get_mut(id).after, worst);
        Ok(())
    }

    /// Keeps the points where a split of a group would withhold rows, for the candidate `id` of the group's interval.
    pub(super) fn keep_points(&mut self, count: GroupOnColumn, id: usize, points: Vec<InvalidPoints>) {
        let Search { state, splits, effects, .. } = self;
        let width = state.partitions[count.partition_number].attributes().len();
        let kept = &mut effects.by_group[count.group as usize * width + count.place].points;
        let Some(of_interval) = splits.by_candidate.get_mut(&id) else { return };
        of_interval.add_withheld(&points, 1);
        if let Some(before) =
            kept.replace(IntervalEffects { id, invalid: points }).filter(|kept| kept.id == id)
        {
            of_interval.add_withheld(&before.invalid, -1);
        }
        effects.sum_to_change(id);
    }

    /// Drops each candidate that would withhold more rows than may still be withheld, or that would show no row. If the
    /// candidate is an interval that may be split at another point, only the point is ruled out.
    pub(super) fn enforce_budget(&mut self) -> Result<(), Error> {
        let left = self.state.withheld.as_ref().map_or(0, |withheld| withheld.left());
        let candidates = self.candidates.len();
        let last = std::mem::replace(&mut self.effects.last_pass, Pass { candidates, left });
        // If fewer rows may be withheld than before, all candidates are looked at, otherwise only the new ones and
        // those that have changed.
        let first = if left == last.left { last.candidates } else { 0 };
        (first..candidates).for_each(|id| _ = self.effects.sum_to_change(id));
        while !self.effects.changed.is_empty() {
            for id in std::mem::take(&mut self.effects.changed) {
                pace::tick(1)?;
                let sum = &mut self.effects.sums[id];
                sum.is_changed = false;
                let candidate = self.candidates.get_mut(id);
                if !candidate.alive {
                    continue;
                }
                candidate.withheld = sum.rows;
                let mut points = self.splits.by_candidate.get_mut(&id);
                if let Some(points) = &mut points {
                    points.rule_out_above(left)?;
                }
                if sum.rows <= left && sum.shows > 0 {
                    continue;
                }
                // If this point shows no row, no other point does.
                match points.filter(|_| sum.shows > 0) {
                    Some(points) => points.rule_out_chosen(),
                    None => {
                        self.candidates.discard(id);
                        self.splits.by_candidate.remove(&id);
                    }
                }
            }
            self.rechoose_points()?;
        }
        self.recompute_worst()
    }

    /// Searches all groups for the worst measures of the stale candidates.
    fn recompute_worst(&mut self) -> Result<(), Error> {
        let Search { state, candidates, effects, .. } = self;
        let State { models, columns, partitions, .. } = state;
        let partition = &partitions[0];
        let mut linked = BTreeSet::new();
        for &id in &effects.stale {
            pace::tick(1 + models.best().len())?;
            let candidate = candidates.get_mut(id);
            if !candidate.alive {
                continue;
            }
            candidate.after.copy_from_slice(models.best());
            let is_suppression = columns[candidate.attribute].suppressed.is_some();
            linked.insert((candidate.attribute, if is_suppression { TOP } else { candidate.node }));
        }
        for (attribute, node) in linked {
            let Some(place) = partition.column_index(attribute) else { continue };
            for &group in partition.link(place, node) {
                let at = group as usize * partition.attributes().len() + place;
                for WithholdingEffect { node, worst, .. } in &effects.by_group[at].by_node {
                    pace::tick(1 + worst.len())?;
                    let id = candidates.living(attribute, *node);
                    if let Some(id) = id.filter(|&id| effects.sums[id].is_stale) {
                        models.merge(&mut candidates.get_mut(id).after, worst);
                    }
                }
            }
        }
        let WithholdingEffects { stale, sums, .. } = effects;
        pace::each(stale.drain(..), |id| sums[id].is_stale = false)
    }
}
