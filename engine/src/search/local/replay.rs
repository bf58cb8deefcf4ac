//! Performs the steps of an earlier search again, a group at a time.
//!
//! The replay descends the recorded tree. It performs each recorded refinement on its group if every part with records
//! keeps the models now. Otherwise it leaves the refinement out, together with everything recorded below it. Groups
//! without records are skipped. If some children of a node break a model now, they stay at the node by the rule of the
//! search, and the refinements recorded below them are left out. The same holds for values in `*`. Refinements recorded
//! of the rest are performed on the present rest, which includes the rows of these children.
//!
//! A value is new if nobody held it at the earlier search. Suppose that a group keeps the rows of only one recorded
//! part together with rows of new values. Then the group stands in for the part ([`Substitutes`]), and the refinements
//! recorded of the part are performed on the group. So a new value makes only its own groups coarser. For example, rows
//! with a first NULL stay at `*` together with one half of each interval that is split.
//!
//! The opposite order gives the same result: perform all refinements, and then, from the leaves up, join each group
//! that breaks a model with its siblings. If a group breaks a model, so does a part of it, however it is divided. So
//! both orders undo the same refinements.

use super::trial::find_child;
use super::{ClusterColumns, Local, RegionId, ResultingGroups};
use crate::partition::GroupId;
use crate::progress::check_memory;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::problem::Problem;
use crate::search::recorded::{Origin, Recorded, Refinement};
use crate::search::replay::{Replay, Replayed};
use crate::search::state::State;
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
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
}

impl LocalReplay {
    /// Returns the result. With `columns`, the groups are clustered first.
    pub fn finish(mut self, columns: Option<&ClusterColumns>) -> Result<Replayed, Error> {
        let ends = self.local.ends();
        let LocalReplay { local, performed, broken, joined } = self;
        Ok(Replayed { outcome: local.finish(columns)?, performed, broken, joined, ends })
    }

    pub fn run(problem: Problem, trace: &[Recorded]) -> Result<LocalReplay, Error> {
        check_memory::<(Option<usize>, usize)>(trace.len())?;
        // The refinements of shown columns come first. They refine all groups.
        let of_shown =
            |recorded: &&Recorded| matches!(recorded.origin, Origin::Node(_) | Origin::Half { .. });
        let (shown, trace) = trace.split_at(trace.iter().take_while(of_shown).count());
        let Replay { state, mut performed, mut broken, .. } =
            Replay::perform_trace(State::with_single_partition(problem)?, shown, true)?;
        let mut local = Local::from_state(state)?;
        // The group of each region. It is no longer valid once the region is divided.
        let mut groups: Vec<GroupId> = Vec::new();
        local.record_groups(&mut groups, 0..local.region_of_group.len() as GroupId)?;
        let (mut stand_ins, mut joined) = (Substitutes::default(), false);
        for recorded in trace {
            pace::tick(1)?;
            let region = local.find_refined_region(recorded, &performed, &stand_ins);
            let is_whole =
                |&(region, group): &(RegionId, GroupId)| local.region_of_group[group as usize] == region;
            let found = region.map(|region| (region, groups[region as usize])).filter(is_whole);
            let Some((region, group)) = found else {
                performed.push(None);
                continue;
            };
            let node = local.state.partitions[0].partition.node(group, recorded.attribute);
            let mut expected = stand_ins.recorded_node(region, recorded.attribute).unwrap_or(node);
            let number = performed.len();
            if let Refinement::SplitOff { children } = &recorded.refinement {
                let hierarchy = &local.state.columns[recorded.attribute].hierarchy;
                let is_within = |child: NodeId| node == child || hierarchy.is_below(node, child);
                if let &[child] = &children[..] {
                    if is_within(child) {
                        // The group is at or below this child already, because its other rows have left.
                        stand_ins.by_part.insert((number, child), region);
                        performed.push(None);
                        continue;
                    }
                }
            }
            let halves = local.halves_beside_null(recorded, (node, expected))?;
            if let Some(halves) = halves {
                check_memory::<(usize, [NodeId; 2])>(4)?;
                stand_ins.halves.insert(number, halves);
                expected = local.state.columns[recorded.attribute].hierarchy.own_top();
            }
            let refinement = local.adapt_refinement(group, recorded, expected, halves)?;
            let (made, is_whole) = match refinement {
                Some(refinement) => match local.perform_again(group, recorded.attribute, refinement)? {
                    Some((made, is_whole)) => (Some(made), is_whole),
                    None => (None, false),
                },
                // The refinement does not apply. It counts as broken if the group is a stand-in and coarser here.
                None => (None, expected == node),
            };
            if !is_whole {
                broken.push(number);
            }
            performed.push(made.is_some().then(|| local.state.steps.len() - 1));
            if let (Some(made), Refinement::SplitOff { .. }) = (&made, &recorded.refinement) {
                local.drop_empty_children(made.clone(), recorded.attribute)?;
            }
            let parts = pace::collect(made.clone().unwrap_or(super::resulting_groups(Some(group), 0..0)))?;
            local.record_groups(&mut groups, parts.iter().copied())?;
            if is_whole && halves.is_none() && !stand_ins.coarser_on.contains_key(&region) {
                continue;
            }
            for part in parts {
                pace::tick(1)?;
                let now = local.region_of_group[part as usize];
                stand_ins.inherit(region, now)?;
                let stays = local.state.partitions[0].partition.node(part, recorded.attribute) == node;
                let whose = match stays {
                    true => local.find_recorded_part(part, recorded, expected, halves)?,
                    false => None,
                };
                match whose {
                    Some(of) => {
                        stand_ins.register((number, of), now, (recorded.attribute, of, of != node))?
                    }
                    None if !stays => stand_ins.remove_coarser(now, recorded.attribute),
                    // The rows of children that were left out stay with the rest.
                    None => joined |= performed[number].is_some() && !is_whole,
                }
                local.refine_to_target(part, &mut stand_ins, &mut groups)?;
            }
        }
        Ok(LocalReplay { local, performed, broken, joined })
    }
}

/// Groups that stand in for recorded ones. A stand-in holds the rows of the recorded group and rows of new values.
/// Because of these it is coarser than the recorded group on some columns. A stand-in divides rows of the version
/// before only as that version did, so two versions side by side do not show parts of groups.
#[derive(Default)]
struct Substitutes {
    /// For a recorded part, by its refinement's index in the trace and its node: the region that stands in for it.
    by_part: HashMap<(usize, NodeId), RegionId>,
    /// Coarser columns of each stand-in, with the recorded group's node on each.
    coarser_on: HashMap<RegionId, Vec<(usize, NodeId)>>,
    /// Halves of a recorded split whose group is at `*` because of NULLs, by the split's index in the trace.
    halves: HashMap<usize, [NodeId; 2]>,
    /// Successor of a stand-in that was refined towards the recorded group.
    successor: HashMap<RegionId, RegionId>,
}

impl Substitutes {
    /// Follows the successors of a region to the last one.
    fn latest(&self, mut region: RegionId) -> RegionId {
        while let Some(&now) = self.successor.get(&region) {
            region = now;
        }
        region
    }

    /// Returns the recorded group's node on a column if the region is coarser there.
    fn recorded_node(&self, region: RegionId, attribute: usize) -> Option<NodeId> {
        let behind = self.coarser_on.get(&region)?;
        behind.iter().find(|(column, _)| *column == attribute).map(|(_, node)| *node)
    }

    /// Copies the coarser columns of a region to one of its parts.
    fn inherit(&mut self, region: RegionId, part: RegionId) -> Result<(), Error> {
        if let Some(behind) = self.coarser_on.get(&region).filter(|_| region != part) {
            check_memory::<(usize, NodeId)>(2 * behind.len())?;
            let behind = behind.clone();
            self.coarser_on.insert(part, behind);
        }
        Ok(())
    }

    /// Registers a region as the stand-in for a recorded part. With `is_behind`, the part's `node` is more specific
    /// than the region's.
    fn register(
        &mut self,
        part: (usize, NodeId),
        region: RegionId,
        (attribute, node, is_behind): (usize, NodeId, bool),
    ) -> Result<(), Error> {
        check_memory::<((usize, NodeId), RegionId, (usize, NodeId))>(4)?;
        self.by_part.insert(part, region);
        self.remove_coarser(region, attribute);
        if is_behind {
            self.coarser_on.entry(region).or_default().push((attribute, node));
        }
        Ok(())
    }

    /// Records that a region is no longer coarser on a column.
    fn remove_coarser(&mut self, region: RegionId, attribute: usize) {
        if let Some(behind) = self.coarser_on.get_mut(&region) {
            behind.retain(|(column, _)| *column != attribute);
            if behind.is_empty() {
                self.coarser_on.remove(&region);
            }
        }
    }
}

impl Local {
    /// Records the groups of new regions.
    fn record_groups(
        &mut self,
        groups: &mut Vec<GroupId>,
        made: impl IntoIterator<Item = GroupId>,
    ) -> Result<(), Error> {
        groups.resize(self.regions.count(), 0);
        pace::each(made, |group| {
            let region = groups.get_mut(self.region_of_group[group as usize] as usize);
            region.into_iter().for_each(|of_region| *of_region = group);
        })
    }

    /// Finds the region that a recorded refinement refines, or its stand-in.
    fn find_refined_region(
        &self,
        recorded: &Recorded,
        performed: &[Option<usize>],
        stand_ins: &Substitutes,
    ) -> Option<RegionId> {
        self.state.columns.get(recorded.attribute)?;
        let made = |step: usize| performed.get(step).copied().flatten();
        let region = match &recorded.origin {
            Origin::Node(_) => None,
            Origin::Group(nodes) => {
                let nodes = nodes.iter().map(|node| self.resolve_node(node, performed));
                nodes.collect::<Option<Vec<NodeId>>>().and_then(|nodes| self.regions.root_with_nodes(&nodes))
            }
            &Origin::Child { step, node } => {
                let part = made(step).and_then(|made| self.find_part_region(made, node));
                part.or_else(|| stand_ins.by_part.get(&(step, node)).copied())
            }
            &Origin::Half { step, half } => match stand_ins.halves.get(&step).and_then(|of| of.get(half)) {
                Some(&node) => made(step)
                    .and_then(|made| self.find_part_region(made, node))
                    .or_else(|| stand_ins.by_part.get(&(step, node)).copied()),
                None => made(step).and_then(|made| {
                    self.find_part_region(made, *self.state.steps[made].children.get(half)?)
                }),
            },
        };
        region.map(|region| stand_ins.latest(region))
    }

    /// Returns the node that an origin of a root group names, or None if its step was left out.
    fn resolve_node(&self, node: &Origin, performed: &[Option<usize>]) -> Option<NodeId> {
        match *node {
            Origin::Node(node) => Some(node),
            Origin::Half { step, half } => {
                let made = performed.get(step).copied().flatten()?;
                self.state.steps[made].children.get(half).copied()
            }
            Origin::Group(_) | Origin::Child { .. } => None,
        }
    }

    /// Finds the region that a step has made with a node.
    fn find_part_region(&self, step: usize, node: NodeId) -> Option<RegionId> {
        let hierarchy = &self.state.columns[self.state.steps[step].attribute].hierarchy;
        hierarchy.nodes().get(node as usize)?;
        self.regions.part_with_node(self.regions.refined[step]?, node, hierarchy)
    }

    /// If all rows with values that were held then belong to one recorded part, returns its node; for the recorded rest
    /// this is `expected`. Returns None if they belong to several parts, or if there are no such rows. NULLs beside
    /// halves of an interval do not count.
    fn find_recorded_part(
        &self,
        group: GroupId,
        Recorded { attribute, refinement, .. }: &Recorded,
        expected: NodeId,
        halves: Option<[NodeId; 2]>,
    ) -> Result<Option<NodeId>, Error> {
        let (partition, hierarchy) =
            (&self.state.partitions[0].partition, &self.state.columns[*attribute].hierarchy);
        let known: HashSet<Code> = match refinement {
            Refinement::Disclose { codes } => codes.iter().copied().collect(),
            _ => HashSet::new(),
        };
        let children: &[NodeId] = match refinement {
            Refinement::Specialize => &hierarchy.node(expected).children,
            Refinement::SplitOff { children } => children,
            Refinement::Split { .. } => match &halves {
                Some(halves) => halves,
                None => return Ok(None),
            },
            Refinement::Disclose { .. } => &[],
        };
        let mut children =
            pace::collect(children.iter().copied().filter(|&child| hierarchy.is_below(child, expected)))?;
        let first = |child: &NodeId| hierarchy.node(*child).codes.start;
        pace::sort_by(&mut children, |one, other| first(one).cmp(&first(other)))?;
        // On a column by intervals only halves beside NULLs are split off.
        let is_beside = halves.is_some()
            || matches!(refinement, Refinement::SplitOff { .. }) && hierarchy.domain().is_some();
        let part = |code: Code| match refinement {
            Refinement::Disclose { .. } if known.contains(&code) => Hierarchy::disclosed_node(code),
            _ => find_child(hierarchy, &children, code).map_or(expected, |at| children[at]),
        };
        let mut whose = None;
        for record in partition.records(group) {
            pace::tick(1)?;
            let code = partition.code(record, *attribute);
            let is_null = hierarchy.null().is_some_and(|null| hierarchy.node(null).codes.contains(&code));
            if partition.weight(record) == 0 || !hierarchy.was_seen(code) || is_beside && is_null {
                continue;
            }
            let part = part(code);
            if *whose.get_or_insert(part) != part {
                return Ok(None);
            }
        }
        Ok(whose)
    }

    /// Refines a stand-in on each coarser column to the recorded group's node, if all its rows lie below that node.
    fn refine_to_target(
        &mut self,
        group: GroupId,
        stand_ins: &mut Substitutes,
        groups: &mut Vec<GroupId>,
    ) -> Result<(), Error> {
        let behind = stand_ins.coarser_on.get(&self.region_of_group[group as usize]);
        for (attribute, expected) in behind.cloned().unwrap_or_default() {
            loop {
                let State { columns, partitions, .. } = &self.state;
                let (partition, hierarchy) = (&partitions[0].partition, &columns[attribute].hierarchy);
                let codes = &hierarchy.node(expected).codes;
                let (node, mut is_alone) = (partition.node(group, attribute), true);
                pace::each(partition.records(group), |record| {
                    let is_within = codes.contains(&partition.code(record, attribute));
                    is_alone &= is_within || partition.weight(record) == 0;
                })?;
                if node == expected || !is_alone {
                    break;
                }
                let refinement = if hierarchy.is_suppression() {
                    Refinement::Disclose { codes: vec![codes.start] }
                } else if hierarchy.is_interval(node) {
                    // One end at a time.
                    let intervals = &self.intervals[attribute];
                    let (lower, upper) = intervals.node_ends(expected);
                    match intervals.node_ends(node).0 == lower {
                        true => Refinement::Split { at: codes.end, end: upper, alone: None },
                        false => Refinement::Split { at: codes.start, end: lower, alone: None },
                    }
                } else if hierarchy.domain().is_some() {
                    Refinement::Specialize
                } else {
                    Refinement::SplitOff { children: vec![expected] }
                };
                let before = self.region_of_group[group as usize];
                let Some((made, _)) = self.perform_again(group, attribute, refinement)? else { break };
                self.record_groups(groups, made.clone())?;
                self.drop_empty_children(made, attribute)?;
                let now = self.region_of_group[group as usize];
                stand_ins.inherit(before, now)?;
                stand_ins.successor.insert(before, now);
                if self.state.partitions[0].partition.node(group, attribute) == expected {
                    stand_ins.remove_coarser(now, attribute);
                }
            }
        }
        Ok(())
    }

    /// If the last step refined a column by intervals and only one part holds rows, removes the other parts from it:
    /// they have no rows now and had none then.
    fn drop_empty_children(&mut self, made: ResultingGroups, attribute: usize) -> Result<(), Error> {
        let State { columns, partitions, steps, .. } = &mut self.state;
        let (partition, mut nodes) = (&partitions[0].partition, Vec::new());
        for group in made {
            if partition.has_rows(group)? {
                nodes.push(partition.node(group, attribute));
            }
        }
        if let ([_], Some(_), Some(step)) =
            (&nodes[..], columns[attribute].hierarchy.domain(), steps.last_mut())
        {
            step.children = nodes;
        }
        Ok(())
    }

    /// Returns the halves of a recorded split if the group is at `*` because it holds NULLs; otherwise None.
    fn halves_beside_null(
        &mut self,
        &Recorded { attribute, ref refinement, .. }: &Recorded,
        (node, expected): (NodeId, NodeId),
    ) -> Result<Option<[NodeId; 2]>, Error> {
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let &Refinement::Split { at, end, .. } = refinement else { return Ok(None) };
        if node != TOP || hierarchy.null().is_none() {
            return Ok(None);
        }
        let within = if hierarchy.is_interval(expected) { expected } else { hierarchy.own_top() };
        let codes = &hierarchy.node(within).codes;
        if !hierarchy.is_interval(within) || !(codes.start..=codes.end).contains(&at) {
            return Ok(None);
        }
        self.halves(attribute, within, (at, end)).map(Some)
    }

    /// Turns a recorded refinement into one of the present group. The recorded group's node is `expected`, which is the
    /// group's own node or one below it. If the group holds NULLs beside an interval, the `halves` of the interval are
    /// split off. Returns None if the refinement does not apply or the group has no rows for it.
    fn adapt_refinement(
        &mut self,
        group: GroupId,
        recorded: &Recorded,
        expected: NodeId,
        halves: Option<[NodeId; 2]>,
    ) -> Result<Option<Refinement>, Error> {
        let attribute = recorded.attribute;
        let State { columns, partitions, .. } = &mut self.state;
        let (partition, column) = (&partitions[0].partition, &mut columns[attribute]);
        let (node, hierarchy) = (partition.node(group, attribute), &column.hierarchy);
        let is_interval = hierarchy.is_interval(node) || hierarchy.is_interval(expected);
        let is_any = hierarchy.is_suppression() && node == TOP;
        let may_refine = halves.is_some() || !is_interval && !is_any && hierarchy.may_refine(expected);
        // If the group's node is above the recorded one, the recorded parts are split off.
        let of_expected;
        let recorded = match &recorded.refinement {
            Refinement::Split { alone, .. } if halves.is_some() => {
                let mut children = pace::collect(halves.into_iter().flatten())?;
                if let Some(alone) = alone.filter(|&alone| alone < children.len()) {
                    children.swap(0, alone);
                    children.truncate(1);
                }
                of_expected = Refinement::SplitOff { children };
                &of_expected
            }
            Refinement::Specialize if may_refine && expected != node => {
                let children = pace::collect(hierarchy.node(expected).children.iter().copied())?;
                of_expected = Refinement::SplitOff { children };
                &of_expected
            }
            recorded => recorded,
        };
        Ok(match recorded {
            _ if !partition.has_rows(group)? => None,
            Refinement::Specialize if may_refine => {
                (!hierarchy.node(node).children.is_empty()).then_some(Refinement::Specialize)
            }
            Refinement::SplitOff { children } if may_refine => {
                let known = |&child: &NodeId| hierarchy.is_below(child, expected);
                let mut children = pace::collect(children.iter().copied().filter(known))?;
                let codes = |child: &NodeId| &hierarchy.node(*child).codes;
                let ends = |child: &NodeId| (codes(child).start, Reverse(codes(child).end));
                pace::sort_by(&mut children, |one, other| ends(one).cmp(&ends(other)))?;
                // Drops a node that lies below another one by now.
                let mut end = 0;
                children.retain(|child| {
                    let is_beside = codes(child).start >= end;
                    end = end.max(codes(child).end);
                    is_beside
                });
                // Keeps the children that have rows in the group.
                let mut held = pace::collect(children.iter().map(|_| false))?;
                pace::each(partition.records(group), |record| {
                    if partition.weight(record) == 0 {
                        return;
                    }
                    let child = find_child(hierarchy, &children, partition.code(record, attribute));
                    child.into_iter().for_each(|child| held[child] = true);
                })?;
                let mut held = held.into_iter();
                children.retain(|_| held.next() == Some(true));
                (!children.is_empty()).then_some(Refinement::SplitOff { children })
            }
            &Refinement::Split { at, end, .. } if is_interval && expected == node => {
                let codes = &hierarchy.node(node).codes;
                (codes.start..=codes.end).contains(&at).then_some(Refinement::Split { at, end, alone: None })
            }
            Refinement::Disclose { codes } if is_any && expected == node => {
                // Keeps the values that the group holds, each once. Every user of `part_of_code` assigns it first.
                let part_of_code = &mut column.part_of_code;
                let known = || codes.iter().copied().filter(|&code| (code as usize) < part_of_code.len());
                let mut held = pace::collect(known())?;
                pace::each(&held, |&code| part_of_code[code as usize] = 0)?;
                pace::each(partition.records(group), |record| {
                    if partition.weight(record) > 0 {
                        part_of_code[partition.code(record, attribute) as usize] = HELD;
                    }
                })?;
                held.retain(|&code| std::mem::take(&mut part_of_code[code as usize]) == HELD);
                (!held.is_empty()).then_some(Refinement::Disclose { codes: held })
            }
            _ => None,
        })
    }

    /// Performs a refinement of a group, or the valid part of it. Returns the resulting groups and whether all of the
    /// refinement was performed. Returns None if no part of it is valid.
    fn perform_again(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: Refinement,
    ) -> Result<Option<(ResultingGroups, bool)>, Error> {
        let (whole, _) = self.measure_group(group)?;
        let among = match &refinement {
            Refinement::SplitOff { children } => Some(&children[..]),
            _ => None,
        };
        let node = self.state.partitions[0].partition.node(group, attribute);
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let is_child = |child: &NodeId| hierarchy.node(*child).parent == Some(node);
        let tried = match &refinement {
            Refinement::SplitOff { children } if !children.iter().all(is_child) => {
                self.split_off_below(&whole, attribute, children)?
            }
            Refinement::Specialize | Refinement::SplitOff { .. } => {
                self.specialize(&whole, attribute, among)?
            }
            Refinement::Disclose { codes } => self.disclose_among(&whole, attribute, codes)?,
            _ => self.try_one(&whole, attribute, &refinement)?.map(|tried| (refinement.clone(), tried)),
        };
        let Some(tried) = tried else { return Ok(None) };
        let is_whole = match &tried.0 {
            Refinement::SplitOff { children } => among.is_some_and(|among| among.len() == children.len()),
            Refinement::Disclose { codes } => {
                matches!(&refinement, Refinement::Disclose { codes: all } if all.len() == codes.len())
            }
            _ => true,
        };
        let trial = self.score_trial(&whole, attribute, tried).trial;
        let made = self.perform(group, whole.records, &trial)?;
        for group in made.clone() {
            let (whole, _) = self.measure_group(group)?;
            self.merge_measures(&whole);
        }
        self.record_achieved();
        Ok(Some((made, is_whole)))
    }
}

/// Mark in `part_of_code` of a code that the group holds.
const HELD: u32 = u32::MAX;
