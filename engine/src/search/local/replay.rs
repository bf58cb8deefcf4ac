//! The steps of an earlier search, performed again a group at a time.
//!
//! The recorded tree is descended once more: each recorded refinement is performed on the group that it was of, if every
//! part of it that holds records keeps the models now; else it is left out, and with it what is recorded of its parts. A group
//! to which no record falls is not there. Of the children of a node fewer are split off where some do not keep the models
//! any more, by the rule of the search; what is recorded of these is left out.
//! The result is the same in the opposite order: perform all refinements, then, from the leaves up, join each
//! group that breaks a model with its siblings. If a group breaks a model, so does some part of it, however it
//! is divided. So both orders undo the same refinements.

use super::trial::split_off;
use super::{Groups, Local, RegionId};
use crate::partition::GroupId;
use crate::progress::room;
use crate::refine::{NodeId, TOP};
use crate::search::problem::Problem;
use crate::search::recorded::{Origin, Recorded, Refinement};
use crate::search::replay::Replay;
use crate::search::state::State;
use crate::{pace, Error};

/// A trace that was performed again, and the groups that it has left.
pub(in crate::search) struct LocalReplay {
    pub local: Local,
    pub performed: Vec<Option<usize>>,
    pub broken: Vec<usize>,
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
        for recorded in trace {
            pace::tick(1)?;
            let region = match &recorded.origin {
                Origin::Node(_) => None,
                Origin::Group(nodes) => {
                    let nodes = nodes.iter().map(|node| local.node(node, &performed));
                    nodes.collect::<Option<Vec<NodeId>>>().and_then(|nodes| local.regions.root_of(&nodes))
                }
                &Origin::Child { step, node } => {
                    let made = performed.get(step).copied().flatten();
                    made.and_then(|made| local.part(made, node))
                }
                &Origin::Half { step, half } => {
                    let made = performed.get(step).copied().flatten();
                    made.and_then(|made| local.part(made, *local.state.steps[made].children.get(half)?))
                }
            };
            let is_whole =
                |&(region, group): &(RegionId, GroupId)| local.region_of_group[group as usize] == region;
            let group = region.map(|region| (region, groups[region as usize])).filter(is_whole);
            let group = group.map(|(_, group)| group);
            let refinement = group.map(|group| local.refinement(group, recorded)).transpose()?.flatten();
            let made = match group.zip(refinement) {
                Some((group, refinement)) => {
                    let made = local.perform_again(group, recorded.attribute, refinement)?;
                    if !made.as_ref().is_some_and(|(_, is_whole)| *is_whole) {
                        broken.push(performed.len());
                    }
                    made.map(|(made, _)| made)
                }
                None => None,
            };
            performed.push(made.is_some().then(|| local.state.steps.len() - 1));
            local.note(&mut groups, made.into_iter().flatten())?;
        }
        Ok(LocalReplay { local, performed, broken })
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
        pace::each(made, |group| groups[self.region_of_group[group as usize] as usize] = group)
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

    /// How a group is refined as it is recorded; none, if its node cannot be, or no record is there.
    fn refinement(&mut self, group: GroupId, recorded: &Recorded) -> Result<Option<Refinement>, Error> {
        let attribute = recorded.attribute;
        let State { columns, indexes, .. } = &mut self.state;
        let (partition, Some(column)) = (&indexes[0].partition, columns.get_mut(attribute)) else {
            return Ok(None);
        };
        let (node, hierarchy) = (partition.node(group, attribute), &column.hierarchy);
        let (is_interval, is_any) = (hierarchy.is_interval(node), hierarchy.is_suppression() && node == TOP);
        Ok(match &recorded.refinement {
            _ if partition.size(group) == 0 => None,
            Refinement::Specialize if !is_interval && !is_any && hierarchy.may_refine(node) => {
                (!hierarchy.node(node).children.is_empty()).then_some(Refinement::Specialize)
            }
            Refinement::SplitOff { children } if !is_interval && !is_any && hierarchy.may_refine(node) => {
                let parent = |child: NodeId| hierarchy.nodes().get(child as usize)?.parent;
                let known = |&child: &NodeId| parent(child) == Some(node);
                let mut children = pace::collect(children.iter().copied().filter(known))?;
                let first = |child: &NodeId| hierarchy.node(*child).codes.start;
                pace::sort_by(&mut children, |one, other| first(one).cmp(&first(other)))?;
                // Those that the group has rows of.
                let mut held = pace::collect(children.iter().map(|_| false))?;
                pace::each(partition.records(group), |record| {
                    let child = split_off(hierarchy, &children, partition.code(record, attribute));
                    child.into_iter().for_each(|child| held[child] = true);
                })?;
                let mut held = held.into_iter();
                children.retain(|_| held.next() == Some(true));
                (!children.is_empty()).then_some(Refinement::SplitOff { children })
            }
            &Refinement::Split { at, end } if is_interval => {
                let codes = &hierarchy.node(node).codes;
                (codes.start..=codes.end).contains(&at).then_some(Refinement::Split { at, end })
            }
            Refinement::Disclose { codes } if is_any => {
                // Of the values those that the group holds, each once. What this leaves in `part_of_code` is assigned
                // anew before it is used.
                let part_of_code = &mut column.part_of_code;
                let known = || codes.iter().copied().filter(|&code| (code as usize) < part_of_code.len());
                let mut held = pace::collect(known())?;
                pace::each(&held, |&code| part_of_code[code as usize] = 0)?;
                pace::each(partition.records(group), |record| {
                    part_of_code[partition.code(record, attribute) as usize] = HELD;
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
        let tried = match refinement {
            Refinement::Specialize | Refinement::SplitOff { .. } => {
                self.specialize(&whole, attribute, among)?
            }
            _ => self.try_one(&whole, attribute, &refinement)?.map(|tried| (refinement.clone(), tried)),
        };
        let Some(tried) = tried else { return Ok(None) };
        let is_whole = match &tried.0 {
            Refinement::SplitOff { children } => among.is_some_and(|among| among.len() == children.len()),
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
