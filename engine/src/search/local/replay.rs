//! The steps of an earlier search, performed again a group at a time.
//!
//! The recorded tree is descended once more: each recorded refinement is performed on the group that it was of, if every
//! part of it that holds records keeps the models now; else it is left out, and with it what is recorded of its parts. A group
//! to which no record falls is not there. Of the children of a node fewer are split off where some do not keep the models
//! any more, by the rule of the search; what is recorded of these is left out. The same holds for values out of `*`.
//! What is recorded of the rest is performed on the rest as it is now, with the rows of the children that are left out.
//!
//! Where all that a refinement cannot tell apart any more is one of its parts beside values that nobody held before, that
//! group stands in for the part ([`StandIns`]): what is recorded of the part is performed on it. So a new value costs the
//! groups that it is in, and no other. A first NULL, for example, is beside one half of each interval that is split, at `*`.
//! The result is the same in the opposite order: perform all refinements, then, from the leaves up, join each
//! group that breaks a model with its siblings. If a group breaks a model, so does some part of it, however it
//! is divided. So both orders undo the same refinements.

use super::trial::split_off;
use super::{Groups, Local, RegionId};
use crate::partition::GroupId;
use crate::progress::room;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::problem::Problem;
use crate::search::recorded::{Origin, Recorded, Refinement};
use crate::search::replay::Replay;
use crate::search::state::State;
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::cmp::Reverse;

/// A trace that was performed again, and the groups that it has left.
pub(in crate::search) struct LocalReplay {
    pub local: Local,
    pub performed: Vec<Option<usize>>,
    pub broken: Vec<usize>,
    /// Whether rows of several parts are in one group that is refined as one of them was.
    pub joined: bool,
}

impl LocalReplay {
    pub fn of(problem: Problem, trace: &[Recorded]) -> Result<LocalReplay, Error> {
        room::<(Option<usize>, usize)>(trace.len())?;
        // The columns that are shown come first, in all groups at once.
        let of_shown =
            |recorded: &&Recorded| matches!(recorded.origin, Origin::Node(_) | Origin::Half { .. });
        let (shown, trace) = trace.split_at(trace.iter().take_while(of_shown).count());
        let Replay { state, mut performed, mut broken, .. } =
            Replay::of(State::together(problem)?, shown, true)?;
        let mut local = Local::over(state)?;
        // The group of each region, as long as that is not divided.
        let mut groups: Vec<GroupId> = Vec::new();
        local.note(&mut groups, 0..local.region_of_group.len() as GroupId)?;
        let (mut stand_ins, mut joined) = (StandIns::default(), false);
        for recorded in trace {
            pace::tick(1)?;
            let region = local.refined(recorded, &performed, &stand_ins);
            let is_whole =
                |&(region, group): &(RegionId, GroupId)| local.region_of_group[group as usize] == region;
            let found = region.map(|region| (region, groups[region as usize])).filter(is_whole);
            let Some((region, group)) = found else {
                performed.push(None);
                continue;
            };
            let node = local.state.indexes[0].partition.node(group, recorded.attribute);
            let mut expected = stand_ins.expected(region, recorded.attribute).unwrap_or(node);
            let number = performed.len();
            if let Refinement::SplitOff { children } = &recorded.refinement {
                let hierarchy = &local.state.columns[recorded.attribute].hierarchy;
                let is_within = |child: NodeId| node == child || hierarchy.is_below(node, child);
                if let &[child] = &children[..] {
                    if is_within(child) {
                        // It is so by now: other rows have left it.
                        stand_ins.of_part.insert((number, child), region);
                        performed.push(None);
                        continue;
                    }
                }
            }
            let halves = local.halves_beside_null(recorded, (node, expected))?;
            if let Some(halves) = halves {
                room::<(usize, [NodeId; 2])>(4)?;
                stand_ins.halves.insert(number, halves);
                expected = local.state.columns[recorded.attribute].hierarchy.own_top();
            }
            let refinement = local.refinement(group, recorded, expected, halves)?;
            let (made, is_whole) = match refinement {
                Some(refinement) => match local.perform_again(group, recorded.attribute, refinement)? {
                    Some((made, is_whole)) => (Some(made), is_whole),
                    None => (None, false),
                },
                // What stands in for an interval is split beside NULLs alone.
                None => (None, expected == node),
            };
            if !is_whole {
                broken.push(number);
            }
            performed.push(made.is_some().then(|| local.state.steps.len() - 1));
            if let (Some(made), Refinement::SplitOff { .. }) = (&made, &recorded.refinement) {
                local.names_what_is_there(made.clone(), recorded.attribute)?;
            }
            let parts = pace::collect(made.clone().unwrap_or(super::groups(Some(group), 0..0)))?;
            local.note(&mut groups, parts.iter().copied())?;
            if is_whole && halves.is_none() && !stand_ins.behind.contains_key(&region) {
                continue;
            }
            for part in parts {
                pace::tick(1)?;
                let now = local.region_of_group[part as usize];
                stand_ins.inherit(region, now)?;
                let stays = local.state.indexes[0].partition.node(part, recorded.attribute) == node;
                let whose = match stays {
                    true => local.whose(part, recorded, expected, halves)?,
                    false => None,
                };
                match whose {
                    Some(of) => {
                        stand_ins.stand_in((number, of), now, (recorded.attribute, of, of != node))?
                    }
                    None if !stays => stand_ins.catch_up(now, recorded.attribute),
                    // What a refinement left out goes with the rest.
                    None => joined |= performed[number].is_some() && !is_whole,
                }
                local.catch_up(part, &mut stand_ins, &mut groups)?;
            }
        }
        Ok(LocalReplay { local, performed, broken, joined })
    }
}

/// Groups that stand in for one that was recorded: they hold its rows, and others that hold values nobody held then, and on some columns
/// they are more general because of these.
///
/// Nobody can tell rows of a version before apart by them: those that a stand-in divides were divided so then.
#[derive(Default)]
struct StandIns {
    /// The region that stands in for what a refinement, by its place in the trace, has made with a node.
    of_part: HashMap<(usize, NodeId), RegionId>,
    /// Of a region that stands in for another, that one's nodes on the columns on which its own are more general.
    behind: HashMap<RegionId, Vec<(usize, NodeId)>>,
    /// The halves of a split whose group is at `*` because of NULLs, by its place in the trace.
    halves: HashMap<usize, [NodeId; 2]>,
    /// What a region has become that was refined to what it stood in for, when no other rows were left in it.
    became: HashMap<RegionId, RegionId>,
}

impl StandIns {
    /// What a region is by now.
    fn now(&self, mut region: RegionId) -> RegionId {
        while let Some(&now) = self.became.get(&region) {
            region = now;
        }
        region
    }

    /// The node on a column of what a region stands in for, if that is more specific than its own.
    fn expected(&self, region: RegionId, attribute: usize) -> Option<NodeId> {
        let behind = self.behind.get(&region)?;
        behind.iter().find(|(column, _)| *column == attribute).map(|(_, node)| *node)
    }

    /// A part of a region stands in for the part of what that stands in for.
    fn inherit(&mut self, region: RegionId, part: RegionId) -> Result<(), Error> {
        if let Some(behind) = self.behind.get(&region).filter(|_| region != part) {
            room::<(usize, NodeId)>(2 * behind.len())?;
            let behind = behind.clone();
            self.behind.insert(part, behind);
        }
        Ok(())
    }

    /// A region stands in for a part that a refinement would have made, whose node on a column may be more specific.
    fn stand_in(
        &mut self,
        part: (usize, NodeId),
        region: RegionId,
        (attribute, node, is_behind): (usize, NodeId, bool),
    ) -> Result<(), Error> {
        room::<((usize, NodeId), RegionId, (usize, NodeId))>(4)?;
        self.of_part.insert(part, region);
        self.catch_up(region, attribute);
        if is_behind {
            self.behind.entry(region).or_default().push((attribute, node));
        }
        Ok(())
    }

    /// A region is as specific on a column as what it stands in for.
    fn catch_up(&mut self, region: RegionId, attribute: usize) {
        if let Some(behind) = self.behind.get_mut(&region) {
            behind.retain(|(column, _)| *column != attribute);
            if behind.is_empty() {
                self.behind.remove(&region);
            }
        }
    }
}

impl Local {
    /// Notes the groups of regions that are new.
    fn note(
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

    /// The region that a recorded refinement is of, or that stands in for it.
    fn refined(
        &self,
        recorded: &Recorded,
        performed: &[Option<usize>],
        stand_ins: &StandIns,
    ) -> Option<RegionId> {
        self.state.columns.get(recorded.attribute)?;
        let made = |step: usize| performed.get(step).copied().flatten();
        let region = match &recorded.origin {
            Origin::Node(_) => None,
            Origin::Group(nodes) => {
                let nodes = nodes.iter().map(|node| self.node(node, performed));
                nodes.collect::<Option<Vec<NodeId>>>().and_then(|nodes| self.regions.root_of(&nodes))
            }
            &Origin::Child { step, node } => {
                let part = made(step).and_then(|made| self.part(made, node));
                part.or_else(|| stand_ins.of_part.get(&(step, node)).copied())
            }
            &Origin::Half { step, half } => match stand_ins.halves.get(&step).and_then(|of| of.get(half)) {
                Some(&node) => made(step)
                    .and_then(|made| self.part(made, node))
                    .or_else(|| stand_ins.of_part.get(&(step, node)).copied()),
                None => {
                    made(step).and_then(|made| self.part(made, *self.state.steps[made].children.get(half)?))
                }
            },
        };
        region.map(|region| stand_ins.now(region))
    }

    /// A node of a group that the search begins with.
    fn node(&self, node: &Origin, performed: &[Option<usize>]) -> Option<NodeId> {
        match *node {
            Origin::Node(node) => Some(node),
            Origin::Half { step, half } => {
                let made = performed.get(step).copied().flatten()?;
                self.state.steps[made].children.get(half).copied()
            }
            Origin::Group(_) | Origin::Child { .. } => None,
        }
    }

    /// The region of a node that a step has made.
    fn part(&self, step: usize, node: NodeId) -> Option<RegionId> {
        let hierarchy = &self.state.columns[self.state.steps[step].attribute].hierarchy;
        hierarchy.nodes().get(node as usize)?;
        self.regions.child(self.regions.refined[step]?, node, hierarchy)
    }

    /// Of which of the parts that are recorded of a refinement a group holds rows, beside values that nobody held then, or NULLs beside
    /// `halves`: the node of that one; none, if there are several, or none.
    fn whose(
        &self,
        group: GroupId,
        Recorded { attribute, refinement, .. }: &Recorded,
        expected: NodeId,
        halves: Option<[NodeId; 2]>,
    ) -> Result<Option<NodeId>, Error> {
        let (partition, hierarchy) =
            (&self.state.indexes[0].partition, &self.state.columns[*attribute].hierarchy);
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
        // Of a column by intervals what is split off is beside NULLs.
        let is_beside = halves.is_some()
            || matches!(refinement, Refinement::SplitOff { .. }) && hierarchy.domain().is_some();
        let part = |code: Code| match refinement {
            Refinement::Disclose { .. } if known.contains(&code) => Hierarchy::disclosed(code),
            _ => split_off(hierarchy, &children, code).map_or(expected, |at| children[at]),
        };
        let mut whose = None;
        for record in partition.records(group) {
            pace::tick(1)?;
            let code = partition.code(record, *attribute);
            let is_null = hierarchy.null().is_some_and(|null| hierarchy.node(null).codes.contains(&code));
            if partition.weight(record) == 0 || !hierarchy.was_held(code) || is_beside && is_null {
                continue;
            }
            let part = part(code);
            if *whose.get_or_insert(part) != part {
                return Ok(None);
            }
        }
        Ok(whose)
    }

    /// Refines a group that stands in for another to what that was, on each column on which no other row is left in it.
    fn catch_up(
        &mut self,
        group: GroupId,
        stand_ins: &mut StandIns,
        groups: &mut Vec<GroupId>,
    ) -> Result<(), Error> {
        let behind = stand_ins.behind.get(&self.region_of_group[group as usize]);
        for (attribute, expected) in behind.cloned().unwrap_or_default() {
            loop {
                let State { columns, indexes, .. } = &self.state;
                let (partition, hierarchy) = (&indexes[0].partition, &columns[attribute].hierarchy);
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
                    // At one of its ends after the other.
                    let intervals = &self.intervals[attribute];
                    let (lower, upper) = intervals.between(expected);
                    match intervals.between(node).0 == lower {
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
                self.note(groups, made.clone())?;
                self.names_what_is_there(made, attribute)?;
                let now = self.region_of_group[group as usize];
                stand_ins.inherit(before, now)?;
                stand_ins.became.insert(before, now);
                if self.state.indexes[0].partition.node(group, attribute) == expected {
                    stand_ins.catch_up(now, attribute);
                }
            }
        }
        Ok(())
    }

    /// Has the last step, where it is of a column by intervals and left rows in one group, name no other part: nothing is in it, nor
    /// was.
    fn names_what_is_there(&mut self, made: Groups, attribute: usize) -> Result<(), Error> {
        let State { columns, indexes, steps, .. } = &mut self.state;
        let (partition, mut nodes) = (&indexes[0].partition, Vec::new());
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

    /// The halves of a recorded split of a group that is at `*` because it holds NULLs; none of other refinements.
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

    /// How a group is refined as it is recorded of one with a node that is `expected`, its own or one below; none, if its
    /// node cannot be, or no record is there. Of a group that holds NULLs beside an interval the `halves` of that are split off.
    fn refinement(
        &mut self,
        group: GroupId,
        recorded: &Recorded,
        expected: NodeId,
        halves: Option<[NodeId; 2]>,
    ) -> Result<Option<Refinement>, Error> {
        let attribute = recorded.attribute;
        let State { columns, indexes, .. } = &mut self.state;
        let (partition, column) = (&indexes[0].partition, &mut columns[attribute]);
        let (node, hierarchy) = (partition.node(group, attribute), &column.hierarchy);
        let is_interval = hierarchy.is_interval(node) || hierarchy.is_interval(expected);
        let is_any = hierarchy.is_suppression() && node == TOP;
        let may_refine = halves.is_some() || !is_interval && !is_any && hierarchy.may_refine(expected);
        // Of a node that the group is not at, what is recorded is all that is split off.
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
                // A node that was moved below another of them is a part of that.
                let mut end = 0;
                children.retain(|child| {
                    let is_beside = codes(child).start >= end;
                    end = end.max(codes(child).end);
                    is_beside
                });
                // Those that the group has rows of.
                let mut held = pace::collect(children.iter().map(|_| false))?;
                pace::each(partition.records(group), |record| {
                    if partition.weight(record) == 0 {
                        return;
                    }
                    let child = split_off(hierarchy, &children, partition.code(record, attribute));
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
                // Of the values those that the group holds, each once. What this leaves in `part_of_code` is assigned
                // anew before it is used.
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

    /// Refines a group in some way, if every part keeps the models, of a node's children into those that do; which groups
    /// that made, and whether all of it was performed.
    fn perform_again(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: Refinement,
    ) -> Result<Option<(Groups, bool)>, Error> {
        let (whole, _) = self.whole(group)?;
        let among = match &refinement {
            Refinement::SplitOff { children } => Some(&children[..]),
            _ => None,
        };
        let node = self.state.indexes[0].partition.node(group, attribute);
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let is_child = |child: &NodeId| hierarchy.node(*child).parent == Some(node);
        let tried = match &refinement {
            Refinement::SplitOff { children } if !children.iter().all(is_child) => {
                self.descend(&whole, attribute, children)?
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
        let trial = self.weigh(&whole, attribute, tried).trial;
        let made = self.perform(group, whole.records, &trial)?;
        for group in made.clone() {
            let (whole, _) = self.whole(group)?;
            self.worsen(&whole)?;
        }
        self.record_achieved();
        Ok(Some((made, is_whole)))
    }
}

/// Marks a code that some record of a group holds.
const HELD: u32 = u32::MAX;
