//! Performs the steps of an earlier search again, a group at a time.
//!
//! The replay descends the recorded tree. It performs each recorded refinement on its group if every part with records
//! keeps the models now. Otherwise it leaves the refinement out, together with everything recorded below it. Groups
//! without records are skipped. If some children of a node break a model now, they stay at the node by the rule of the
//! search, and the refinements recorded below them are left out. The same holds for values in `*`. Refinements recorded
//! of the rest are performed on the present rest, which includes the rows of these children.
//!
//! A value is new if nobody held it at the earlier search. Suppose that a group keeps the rows of only one recorded
//! part together with rows of new values. Then the group *stands in* for the part, and the refinements recorded of the
//! part are performed on the group. So a new value makes only its own groups coarser. For example, rows with a first
//! NULL stay at `*` together with one half of each interval that is split. A stand-in is coarser than the recorded
//! group on some columns. It divides rows of the version before only as that version did, so two versions side by side
//! do not show parts of groups.
//!
//! The opposite order gives the same result: perform all refinements, and then, from the leaves up, join each group
//! that breaks a model with its siblings. If a group breaks a model, so does a part of it, however it is divided
//! (except for shares of persons). So both orders undo the same refinements.

use super::trial::find_child;
use super::{resulting_groups, ClusterColumns, Local, RegionId, ResultingGroups};
use crate::partition::GroupId;
use crate::progress::check_memory;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::problem::Problem;
use crate::search::recorded::{Origin, Recorded, Refinement};
use crate::search::replay::{Replay, Replayed};
use crate::search::state::State;
use crate::{pace, Error};
use hashbrown::HashMap;
use std::cmp::Reverse;

pub(in crate::search) struct LocalReplay {
    pub local: Local,
    /// The step of each recorded refinement; None if it was left out or had nothing to refine.
    pub performed: Vec<Option<usize>>,
    /// Recorded refinements that a model, or the coarser node of a stand-in, kept from being performed in full; by
    /// their index in the trace.
    pub broken: Vec<usize>,
    /// Whether a partly performed refinement left rows of several recorded parts in one group.
    pub joined: bool,
    /// The group of each region that is not divided. The entries of other regions are out of date.
    group_of_region: Vec<GroupId>,
    /// The region that stands in for a recorded part, by the index of its refinement in the trace and its node.
    stand_ins: HashMap<(usize, NodeId), RegionId>,
    /// Columns on which a region is coarser than the recorded group that it stands in for, with that group's node.
    coarser_on: HashMap<RegionId, Vec<(usize, NodeId)>>,
    /// The part of a stand-in that was refined towards its recorded group, and has all its rows.
    successor: HashMap<RegionId, RegionId>,
    /// The halves of a recorded split whose group is at `*` because of NULLs, by its index in the trace.
    halves_beside_null: HashMap<usize, [NodeId; 2]>,
}

/// A recorded refinement and the group that it refines now.
struct Located<'r> {
    trace_index: usize,
    recorded: &'r Recorded,
    group: GroupId,
    region: RegionId,
    /// The group's node on the refined column.
    node: NodeId,
    /// The recorded group's node: the same, or one below it if the group stands in for the recorded one.
    recorded_node: NodeId,
    /// The halves of a recorded split, if the group is at `*` because it holds NULLs.
    halves_beside_null: Option<[NodeId; 2]>,
}

/// The result of performing a refinement as far as the models hold.
struct ValidPart {
    /// The resulting groups; None if no part of the refinement is valid.
    groups: Option<ResultingGroups>,
    /// Whether all of the refinement was performed.
    is_whole: bool,
}

impl LocalReplay {
    /// Returns the result. With `columns`, the groups are clustered first.
    pub fn finish(mut self, columns: Option<&ClusterColumns>) -> Result<Replayed, Error> {
        let ends = self.local.ends();
        let LocalReplay { local, performed, broken, joined, .. } = self;
        Ok(Replayed { outcome: local.finish(columns)?, performed, broken, joined, ends })
    }

    pub fn run(problem: Problem, trace: &[Recorded]) -> Result<LocalReplay, Error> {
        check_memory::<(Option<usize>, usize)>(trace.len())?;
        // The refinements of shown columns come first. They refine all groups.
        let is_shown =
            |recorded: &&Recorded| matches!(recorded.origin, Origin::Node(_) | Origin::Half { .. });
        let (shown, trace) = trace.split_at(trace.iter().take_while(is_shown).count());
        let Replay { state, performed, broken, .. } =
            Replay::perform_trace(State::with_single_partition(problem)?, shown, true)?;
        let mut replay = LocalReplay {
            local: Local::from_state(state)?,
            performed,
            broken,
            joined: false,
            group_of_region: Vec::new(),
            stand_ins: HashMap::new(),
            coarser_on: HashMap::new(),
            successor: HashMap::new(),
            halves_beside_null: HashMap::new(),
        };
        replay.record_groups(0..replay.local.region_of_group.len() as GroupId)?;
        for recorded in trace {
            pace::tick(1)?;
            let step = match replay.locate(recorded) {
                Some(located) => replay.replay(located)?,
                None => None,
            };
            replay.performed.push(step);
        }
        Ok(replay)
    }

    /// Finds the group that a recorded refinement refines, itself or its stand-in. Returns None if there is no such
    /// group, or if it is divided already.
    fn locate<'r>(&self, recorded: &'r Recorded) -> Option<Located<'r>> {
        let (attribute, local) = (recorded.attribute, &self.local);
        local.state.columns.get(attribute)?;
        let mut region = match &recorded.origin {
            Origin::Node(_) => None,
            Origin::Group(nodes) => {
                let nodes: Option<Vec<NodeId>> = nodes.iter().map(|node| self.node_of_root(node)).collect();
                local.regions.root_with_nodes(&nodes?)
            }
            &Origin::Child { trace_index, node } => self.find_part(trace_index, node),
            &Origin::Half { trace_index, half } => self.find_part(trace_index, self.half(trace_index, half)?),
        }?;
        while let Some(&refined) = self.successor.get(&region) {
            region = refined;
        }
        let group = self.group_of_region[region as usize];
        if local.region_of_group[group as usize] != region {
            return None;
        }
        let node = local.node(group, attribute);
        let coarser_on = self.coarser_on.get(&region).into_iter().flatten();
        let recorded_node = coarser_on.copied().find(|(column, _)| *column == attribute);
        let recorded_node = recorded_node.map_or(node, |(_, node)| node);
        let trace_index = self.performed.len();
        let halves_beside_null = None;
        Some(Located { trace_index, recorded, group, region, node, recorded_node, halves_beside_null })
    }

    /// Returns the node that an origin of a root group names, or None if its refinement was left out.
    fn node_of_root(&self, origin: &Origin) -> Option<NodeId> {
        match *origin {
            Origin::Node(node) => Some(node),
            Origin::Half { trace_index, half } => self.half(trace_index, half),
            Origin::Group(_) | Origin::Child { .. } => None,
        }
    }

    /// Returns a half of a recorded split, or None if the split was left out.
    fn half(&self, trace_index: usize, half: usize) -> Option<NodeId> {
        match self.halves_beside_null.get(&trace_index) {
            Some(halves) => halves.get(half).copied(),
            None => self.local.state.steps[self.step(trace_index)?].children.get(half).copied(),
        }
    }

    /// Returns the step that performed a recorded refinement.
    fn step(&self, trace_index: usize) -> Option<usize> {
        self.performed.get(trace_index).copied().flatten()
    }

    /// Finds the region of a recorded part, or its stand-in.
    fn find_part(&self, trace_index: usize, node: NodeId) -> Option<RegionId> {
        let Local { state, regions, .. } = &self.local;
        let part = self.step(trace_index).and_then(|step| {
            let hierarchy = &state.columns[state.steps[step].attribute].hierarchy;
            hierarchy.nodes().get(node as usize)?;
            regions.part_with_node(regions.refined[step]?, node, hierarchy)
        });
        part.or_else(|| self.stand_ins.get(&(trace_index, node)).copied())
    }

    /// Performs a recorded refinement as far as the models hold, and returns its step.
    fn replay(&mut self, mut located: Located) -> Result<Option<usize>, Error> {
        let Located { trace_index, recorded, group, region, .. } = located;
        let attribute = recorded.attribute;
        if let Some(child) = self.local.only_child_reached(&located) {
            self.stand_ins.insert((trace_index, child), region);
            return Ok(None);
        }
        if let Some(halves) = self.local.halves_beside_null(&located)? {
            self.halves_beside_null.insert(trace_index, halves);
            located.halves_beside_null = Some(halves);
            located.recorded_node = self.local.state.columns[attribute].hierarchy.own_top();
        }
        let ValidPart { groups, is_whole } = match self.local.present_refinement(&located)? {
            Some(refinement) => self.local.perform_valid(group, attribute, refinement)?,
            // The refinement does not apply. It counts as broken if the group is a stand-in and coarser here.
            None => ValidPart { groups: None, is_whole: located.recorded_node == located.node },
        };
        if !is_whole {
            self.broken.push(trace_index);
        }
        let step = groups.is_some().then(|| self.local.state.steps.len() - 1);
        if let (Some(groups), Refinement::SplitOff { .. }) = (&groups, &recorded.refinement) {
            self.local.drop_empty_children(groups.clone(), attribute)?;
        }
        let groups = groups.unwrap_or(resulting_groups(Some(group), 0..0));
        self.record_groups(groups.clone())?;
        let is_stand_in = located.halves_beside_null.is_some() || self.coarser_on.contains_key(&region);
        if !is_whole || is_stand_in {
            let is_partial = step.is_some() && !is_whole;
            self.find_stand_ins(&located, groups, is_partial)?;
        }
        Ok(step)
    }

    /// Finds the recorded parts that the groups after a refinement stand in for, and refines the groups towards these.
    /// `is_partial` says that only a part of the refinement was performed.
    fn find_stand_ins(
        &mut self,
        located: &Located,
        groups: ResultingGroups,
        is_partial: bool,
    ) -> Result<(), Error> {
        let &Located { trace_index, recorded: &Recorded { attribute, .. }, region, node, .. } = located;
        for group in groups {
            pace::tick(1)?;
            let part = self.local.region_of_group[group as usize];
            self.inherit(region, part);
            if self.local.node(group, attribute) != node {
                self.set_coarser(part, attribute, None);
            } else if let Some(recorded_part) = self.local.find_recorded_part(group, located)? {
                self.stand_ins.insert((trace_index, recorded_part), part);
                self.set_coarser(part, attribute, Some(recorded_part).filter(|&recorded| recorded != node));
            } else {
                // The rows of children that were left out stay with the rest.
                self.joined |= is_partial;
            }
            self.refine_to_recorded(group)?;
        }
        Ok(())
    }

    /// Records the groups of new regions.
    fn record_groups(&mut self, made: impl IntoIterator<Item = GroupId>) -> Result<(), Error> {
        let LocalReplay { local, group_of_region, .. } = self;
        group_of_region.resize(local.regions.count(), 0);
        pace::each(made, |group| {
            let of_region = group_of_region.get_mut(local.region_of_group[group as usize] as usize);
            of_region.into_iter().for_each(|of_region| *of_region = group);
        })
    }

    /// Copies the coarser columns of a region to one of its parts.
    fn inherit(&mut self, region: RegionId, part: RegionId) {
        if let Some(coarser_on) = self.coarser_on.get(&region).filter(|_| region != part).cloned() {
            self.coarser_on.insert(part, coarser_on);
        }
    }

    /// Records that a region is coarser on a column than a node, or no coarser any more.
    fn set_coarser(&mut self, region: RegionId, attribute: usize, than: Option<NodeId>) {
        let coarser_on = self.coarser_on.entry(region).or_default();
        coarser_on.retain(|(column, _)| *column != attribute);
        coarser_on.extend(than.map(|node| (attribute, node)));
        if coarser_on.is_empty() {
            self.coarser_on.remove(&region);
        }
    }

    /// Refines a stand-in on each coarser column to the recorded group's node, if all its rows lie below that node.
    fn refine_to_recorded(&mut self, group: GroupId) -> Result<(), Error> {
        let coarser_on = self.coarser_on.get(&self.local.region_of_group[group as usize]);
        for (attribute, target) in coarser_on.cloned().unwrap_or_default() {
            while let Some(refinement) = self.local.refinement_towards(group, attribute, target)? {
                let before = self.local.region_of_group[group as usize];
                let Some(groups) = self.local.perform_valid(group, attribute, refinement)?.groups else {
                    break;
                };
                self.record_groups(groups.clone())?;
                self.local.drop_empty_children(groups, attribute)?;
                let now = self.local.region_of_group[group as usize];
                self.inherit(before, now);
                self.successor.insert(before, now);
                if self.local.node(group, attribute) == target {
                    self.set_coarser(now, attribute, None);
                }
            }
        }
        Ok(())
    }
}

impl Located<'_> {
    /// Returns the nodes that the refinement was recorded to make of the recorded node, besides a rest. None if it is a
    /// split without NULLs.
    fn recorded_parts(&self, hierarchy: &Hierarchy) -> Result<Option<Vec<NodeId>>, Error> {
        let parts = match &self.recorded.refinement {
            Refinement::Specialize => {
                pace::collect(hierarchy.node(self.recorded_node).children.iter().copied())?
            }
            Refinement::SplitOff { children } => pace::collect(children.iter().copied())?,
            Refinement::Disclose { codes } => {
                let known = codes.iter().copied().filter(|&code| (code as usize) < hierarchy.codes());
                pace::collect(known.map(Hierarchy::disclosed_node))?
            }
            Refinement::Split { .. } => match self.halves_beside_null {
                Some(halves) => halves.to_vec(),
                None => return Ok(None),
            },
        };
        Ok(Some(parts))
    }
}

/// Sorts nodes by their codes. Keeps those below a node, and of nested ones the outermost.
fn outermost_below(hierarchy: &Hierarchy, above: NodeId, nodes: &mut Vec<NodeId>) -> Result<(), Error> {
    let codes = |node: &NodeId| &hierarchy.node(*node).codes;
    nodes.retain(|&node| hierarchy.is_below(node, above));
    pace::sort_by(nodes, |one, other| {
        let order = |node| (codes(node).start, Reverse(codes(node).end));
        order(one).cmp(&order(other))
    })?;
    let mut end = 0;
    nodes.retain(|node| {
        let is_outermost = codes(node).start >= end;
        end = end.max(codes(node).end);
        is_outermost
    });
    Ok(())
}

impl Local {
    /// If a single child was recorded to be split off, and the group is at or below it now because its other rows have
    /// left, returns the child.
    fn only_child_reached(&self, located: &Located) -> Option<NodeId> {
        let Refinement::SplitOff { children } = &located.recorded.refinement else { return None };
        let hierarchy = &self.state.columns[located.recorded.attribute].hierarchy;
        match children[..] {
            [child] if located.node == child || hierarchy.is_below(located.node, child) => Some(child),
            _ => None,
        }
    }

    /// Returns the halves of a recorded split if the group is at `*` because it holds NULLs; otherwise None.
    fn halves_beside_null(&mut self, located: &Located) -> Result<Option<[NodeId; 2]>, Error> {
        let Located { recorded: &Recorded { attribute, ref refinement, .. }, node, recorded_node, .. } =
            *located;
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let &Refinement::Split { at, end, .. } = refinement else { return Ok(None) };
        if node != TOP || hierarchy.null().is_none() {
            return Ok(None);
        }
        let within = if hierarchy.is_interval(recorded_node) { recorded_node } else { hierarchy.own_top() };
        let codes = &hierarchy.node(within).codes;
        if !hierarchy.is_interval(within) || !(codes.start..=codes.end).contains(&at) {
            return Ok(None);
        }
        self.halves(attribute, within, at, end).map(Some)
    }

    /// Turns a recorded refinement into one of the present group. If the group's node is above the recorded one, or if
    /// the group holds NULLs beside an interval, the recorded parts are split off. Returns None if the refinement does
    /// not apply or the group has no rows for it.
    fn present_refinement(&mut self, located: &Located) -> Result<Option<Refinement>, Error> {
        let &Located { recorded, group, node, recorded_node, halves_beside_null, .. } = located;
        let State { columns, partitions, .. } = &self.state;
        let hierarchy = &columns[recorded.attribute].hierarchy;
        if !partitions[0].has_rows(group)? || !hierarchy.may_refine(recorded_node) {
            return Ok(None);
        }
        let is_interval = hierarchy.is_interval(node) || hierarchy.is_interval(recorded_node);
        let is_suppressed = hierarchy.is_suppression() && node == TOP;
        let (has_children, is_same) = (!is_interval && !is_suppressed, recorded_node == node);
        let refinement = match &recorded.refinement {
            Refinement::Specialize if has_children && is_same => {
                let children = &hierarchy.node(node).children;
                return Ok((!children.is_empty()).then_some(Refinement::Specialize));
            }
            &Refinement::Split { at, end, .. } if halves_beside_null.is_none() => {
                let codes = &hierarchy.node(node).codes;
                let applies = is_interval && is_same && (codes.start..=codes.end).contains(&at);
                return Ok(applies.then_some(Refinement::Split { at, end, alone: None }));
            }
            Refinement::Disclose { codes } if is_suppressed && is_same => {
                let known = codes.iter().copied().filter(|&code| (code as usize) < hierarchy.codes());
                Refinement::Disclose { codes: pace::collect(known)? }
            }
            Refinement::Disclose { .. } => return Ok(None),
            Refinement::Specialize | Refinement::SplitOff { .. } if !has_children => return Ok(None),
            recorded => {
                let mut parts = located.recorded_parts(hierarchy)?.unwrap_or_default();
                if let Refinement::Split { alone: Some(alone @ 0..=1), .. } = *recorded {
                    parts = vec![parts[alone]];
                }
                outermost_below(hierarchy, recorded_node, &mut parts)?;
                Refinement::SplitOff { children: parts }
            }
        };
        self.keep_held_parts(group, recorded.attribute, refinement)
    }

    /// Leaves out the parts of a refinement that the group has no rows of. Returns None if none is left.
    fn keep_held_parts(
        &mut self,
        group: GroupId,
        attribute: usize,
        mut refinement: Refinement,
    ) -> Result<Option<Refinement>, Error> {
        self.count(group, attribute, &refinement)?;
        let mut rows = self.state.tallies[0].records.iter();
        let mut is_held = || rows.next().is_some_and(|&rows| rows > 0);
        let is_left = match &mut refinement {
            Refinement::SplitOff { children } => {
                children.retain(|_| is_held());
                !children.is_empty()
            }
            Refinement::Disclose { codes } => {
                codes.retain(|_| is_held());
                !codes.is_empty()
            }
            Refinement::Specialize | Refinement::Split { .. } => true,
        };
        Ok(is_left.then_some(refinement))
    }

    /// Performs a refinement of a group, or the valid part of it.
    fn perform_valid(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: Refinement,
    ) -> Result<ValidPart, Error> {
        // Specializations and splits are performed in full or not at all.
        let listed_parts = |refinement: &Refinement| match refinement {
            Refinement::SplitOff { children } => children.len(),
            Refinement::Disclose { codes } => codes.len(),
            Refinement::Specialize | Refinement::Split { .. } => 0,
        };
        let whole = self.measure_group(group)?;
        let all = listed_parts(&refinement);
        let trial = match refinement {
            Refinement::Specialize => self.specialize(&whole, attribute)?,
            Refinement::SplitOff { children } => self.split_off(&whole, attribute, &children)?,
            Refinement::Disclose { codes } => self.disclose_among(&whole, attribute, codes)?,
            split @ Refinement::Split { .. } => self.try_one(&whole, attribute, split)?,
        };
        let Some(trial) = trial else { return Ok(ValidPart { groups: None, is_whole: false }) };
        let performed = listed_parts(&trial.refinement);
        // Splitting all children off without a rest is a specialization, which lists none.
        let is_whole = performed == 0 || performed == all;
        let groups = self.perform(&trial)?;
        for group in groups.clone() {
            let whole = self.measure_group(group)?;
            self.merge_measures(&whole);
        }
        self.record_achieved();
        Ok(ValidPart { groups: Some(groups), is_whole })
    }

    /// If all rows with values that were held then belong to one recorded part, returns its node; for the recorded rest
    /// this is the recorded node itself. Returns None if they belong to several parts, or if there are no such rows.
    /// NULLs beside halves of an interval do not count.
    fn find_recorded_part(&self, group: GroupId, located: &Located) -> Result<Option<NodeId>, Error> {
        let Located {
            recorded: Recorded { attribute, refinement, .. },
            recorded_node,
            halves_beside_null,
            ..
        } = located;
        let State { columns, partitions, .. } = &self.state;
        let (partition, hierarchy) = (&partitions[0], &columns[*attribute].hierarchy);
        let Some(mut parts) = located.recorded_parts(hierarchy)? else { return Ok(None) };
        outermost_below(hierarchy, *recorded_node, &mut parts)?;
        // On a column by intervals only halves beside NULLs are split off.
        let is_beside_null = halves_beside_null.is_some()
            || matches!(refinement, Refinement::SplitOff { .. }) && hierarchy.domain().is_some();
        let null = hierarchy.null().filter(|_| is_beside_null).map(|null| hierarchy.node(null).codes.clone());
        let mut found = None;
        for record in partition.records(group) {
            pace::tick(1)?;
            let code = partition.code(record, *attribute);
            let is_null = null.as_ref().is_some_and(|null| null.contains(&code));
            if partition.weight(record) == 0 || !hierarchy.was_seen(code) || is_null {
                continue;
            }
            let part = find_child(hierarchy, &parts, code).map_or(*recorded_node, |at| parts[at]);
            if *found.get_or_insert(part) != part {
                return Ok(None);
            }
        }
        Ok(found)
    }

    /// Returns a refinement of a group that leads to the node `target`, or nearer to it. Returns None if the group is
    /// there or has a row that is not below `target`.
    fn refinement_towards(
        &self,
        group: GroupId,
        attribute: usize,
        target: NodeId,
    ) -> Result<Option<Refinement>, Error> {
        let State { columns, partitions, .. } = &self.state;
        let (partition, hierarchy) = (&partitions[0], &columns[attribute].hierarchy);
        let codes = &hierarchy.node(target).codes;
        let (node, mut is_alone) = (self.node(group, attribute), true);
        pace::each(partition.records(group), |record| {
            let is_within = codes.contains(&partition.code(record, attribute));
            is_alone &= is_within || partition.weight(record) == 0;
        })?;
        if node == target || !is_alone {
            return Ok(None);
        }
        Ok(Some(if hierarchy.is_suppression() {
            Refinement::Disclose { codes: vec![codes.start] }
        } else if hierarchy.is_interval(node) {
            // One end at a time.
            let (lower, upper) = self.intervals[attribute].node_ends(target);
            match self.intervals[attribute].node_ends(node).0 == lower {
                true => Refinement::Split { at: codes.end, end: upper, alone: None },
                false => Refinement::Split { at: codes.start, end: lower, alone: None },
            }
        } else if hierarchy.domain().is_some() {
            Refinement::Specialize
        } else {
            Refinement::SplitOff { children: vec![target] }
        }))
    }

    /// If the last step refined a column by intervals and only one part holds rows, removes the other parts from it:
    /// they have no rows now and had none then.
    fn drop_empty_children(&mut self, groups: ResultingGroups, attribute: usize) -> Result<(), Error> {
        let State { columns, partitions, steps, .. } = &mut self.state;
        let (partition, mut nodes) = (&partitions[0], Vec::new());
        for group in groups {
            if partition.has_rows(group)? {
                nodes.push(partition.node(group, attribute));
            }
        }
        let is_by_intervals = columns[attribute].hierarchy.domain().is_some();
        if let ([_], true, Some(step)) = (&nodes[..], is_by_intervals, steps.last_mut()) {
            step.children = nodes;
        }
        Ok(())
    }
}
