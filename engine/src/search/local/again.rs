//! The steps of an earlier local search, performed again on data that may have changed.
//!
//! The recorded tree is descended once more: each recorded refinement is performed on the group that it was of, if every
//! part of it that holds records keeps the models now; else it is left out, and with it what is recorded of its parts.
//! That is the same as to divide everything first and to join, from the leaves up, each group that does not keep a
//! model with its siblings: a model that is broken by a part is broken by some part of it, so that just those
//! refinements are undone.

use super::trial::Way;
use super::{Groups, Local, LocalOutcome, RegionId};
use crate::partition::GroupId;
use crate::progress::room;
use crate::refine::{NodeId, TOP};
use crate::search::problem::Problem;
use crate::search::state::State;
use crate::trace::Step;
use crate::{Code, Error, Pace};

/// A refinement of one group that an earlier search performed, to be performed again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedLocally {
    /// The group that it was of.
    pub group: Origin,
    /// The refined column, by its place in the problem.
    pub attribute: usize,
    /// What became of its node.
    pub way: WayRecorded,
}

/// Which group of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// One that the search began with, by its nodes.
    Root(Vec<NodeId>),
    /// One that an earlier refinement has made.
    Child {
        /// That refinement, by its place in the trace.
        step: usize,
        /// What its node became.
        part: Part,
    },
}

/// What a node becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A node that the hierarchy has from the start; of a disclosure a value, or `*`.
    Node(NodeId),
    /// A half of an interval: 0 is the left one.
    Half(usize),
}

/// How a node is refined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WayRecorded {
    /// Into the children that the hierarchy has for it: a node of a taxonomy, `*` over NULL.
    Specialize,
    /// Into two intervals.
    Split {
        /// The first rank of the right one. At an end of the node's ranks one of them has no value.
        at: Code,
        /// Which of the ends that were published it is, by any number of its own.
        end: u32,
    },
    /// Into values out of `*`, and `*`.
    Disclose {
        /// The values.
        codes: Vec<Code>,
    },
}

/// What a replay leaves.
#[derive(Debug, Clone)]
pub struct ReplayedLocally {
    /// As of a search; the refinements that were performed are its steps.
    pub outcome: LocalOutcome,
    /// For each recorded refinement, which step of the outcome it is; none where it was left out.
    pub performed: Vec<Option<usize>>,
    /// Those that a model kept from being performed.
    pub broken: Vec<usize>,
}

/// Performs the refinements of a `trace` in their order, on a problem that may be another than the one that they were
/// found for.
///
/// A refinement is left out if its group is not there (what would have made it was left out, or no record falls to it),
/// if its node cannot be refined so, or if a model would not hold of one of its parts. Whether it is of use does not
/// matter, nor does the problem's `max_steps`. Fails as a search does.
pub fn replay_locally(problem: Problem, trace: &[RecordedLocally]) -> Result<ReplayedLocally, Error> {
    let pace = Pace::new();
    let Again { local, performed, broken } = Again::of(problem, trace, &pace)?;
    Ok(ReplayedLocally { outcome: local.finish(), performed, broken })
}

/// A trace that was performed again, and the groups that it has left.
pub(super) struct Again<'a> {
    pub local: Local<'a>,
    pub performed: Vec<Option<usize>>,
    pub broken: Vec<usize>,
}

impl<'a> Again<'a> {
    pub(super) fn of(
        problem: Problem<'a>,
        trace: &[RecordedLocally],
        pace: &'a Pace,
    ) -> Result<Again<'a>, Error> {
        let mut local = Local::begin(problem, pace)?;
        room::<(Option<usize>, usize)>(trace.len())?;
        // The group of each region, as long as that is not divided.
        let mut groups: Vec<GroupId> = Vec::new();
        local.note(&mut groups, 0..local.of_group.len() as GroupId)?;
        let (mut performed, mut broken): (Vec<Option<usize>>, Vec<usize>) =
            (Vec::with_capacity(trace.len()), Vec::new());
        for recorded in trace {
            pace.tick(1)?;
            let region = match &recorded.group {
                Origin::Root(nodes) => local.regions.root_of(nodes),
                Origin::Child { step, part } => {
                    let made = performed.get(*step).copied().flatten();
                    made.and_then(|made| local.part(made, *part))
                }
            };
            let is_whole = |&(region, group): &(RegionId, GroupId)| local.of_group[group as usize] == region;
            let group = region.map(|region| (region, groups[region as usize])).filter(is_whole);
            let group = group.map(|(_, group)| group);
            let way = group.map(|group| local.way(group, recorded)).transpose()?.flatten();
            let made = match group.zip(way) {
                Some((group, way)) => {
                    let made = local.perform_again(group, recorded.attribute, way)?;
                    if made.is_none() {
                        broken.push(performed.len());
                    }
                    made
                }
                None => None,
            };
            performed.push(made.is_some().then(|| local.state.steps.len() - 1));
            local.note(&mut groups, made.into_iter().flatten())?;
        }
        Ok(Again { local, performed, broken })
    }
}

impl Local<'_> {
    /// Notes the groups of regions that are new.
    fn note(
        &mut self,
        groups: &mut Vec<GroupId>,
        made: impl IntoIterator<Item = GroupId>,
    ) -> Result<(), Error> {
        groups.resize(self.regions.count(), 0);
        self.state.pace.each(made, |group| groups[self.of_group[group as usize] as usize] = group)
    }

    /// What a step has made of its group's node.
    fn part(&self, step: usize, part: Part) -> Option<RegionId> {
        let Step { attribute, children, .. } = &self.state.steps[step];
        let node = match part {
            Part::Node(node) => node,
            Part::Half(half) => *children.get(half)?,
        };
        let hierarchy = &self.state.columns[*attribute].hierarchy;
        hierarchy.nodes().get(node as usize)?;
        self.regions.child(self.refined[step], node, hierarchy)
    }

    /// How a group is refined as it is recorded; none, if its node cannot be, or no record is there.
    fn way(&mut self, group: GroupId, recorded: &RecordedLocally) -> Result<Option<Way>, Error> {
        let attribute = recorded.attribute;
        let State { pace, columns, indexes, .. } = &mut self.state;
        let (partition, Some(column)) = (&indexes[0].partition, columns.get_mut(attribute)) else {
            return Ok(None);
        };
        let (node, hierarchy) = (partition.node(group, attribute), &column.hierarchy);
        let (is_interval, is_any) = (hierarchy.is_interval(node), hierarchy.is_suppression() && node == TOP);
        Ok(match &recorded.way {
            _ if partition.size(group) == 0 => None,
            WayRecorded::Specialize if !is_interval && !is_any && hierarchy.may_refine(node) => {
                (!hierarchy.node(node).children.is_empty()).then_some(Way::Specialize)
            }
            &WayRecorded::Split { at, end } if is_interval => {
                let codes = &hierarchy.node(node).codes;
                (codes.start..=codes.end).contains(&at).then_some(Way::Split { at, end })
            }
            WayRecorded::Disclose { codes } if is_any => {
                // Of the values those that the group holds, each once: the slots are aimed anew before they are used.
                let slots = &mut column.slots;
                let known = || codes.iter().copied().filter(|&code| (code as usize) < slots.len());
                let mut held = pace.collect(known())?;
                pace.each(&held, |&code| slots[code as usize] = 0)?;
                pace.each(partition.records(group), |record| {
                    slots[partition.code(record, attribute) as usize] = HELD;
                })?;
                held.retain(|&code| std::mem::take(&mut slots[code as usize]) == HELD);
                Some(Way::Disclose(held)).filter(Way::is_any)
            }
            _ => None,
        })
    }

    /// Refines a group in some way, if every part keeps the models; which groups that made.
    fn perform_again(&mut self, group: GroupId, attribute: usize, way: Way) -> Result<Option<Groups>, Error> {
        let (whole, _) = self.whole(group)?;
        let Some(tried) = self.try_way(&whole, attribute, &way)? else { return Ok(None) };
        let trial = self.weigh(&whole, attribute, (way, tried)).trial;
        let made = self.perform(group, whole.records, &trial)?;
        for group in made.clone() {
            let (whole, _) = self.whole(group)?;
            self.worsen(&whole)?;
        }
        self.achieve();
        Ok(Some(made))
    }
}

/// Marks a code that some record of a group holds.
const HELD: u32 = u32::MAX;
