//! Local recoding: the search refines one group of records at a time. Global recoding refines all groups that hold a
//! node.
//!
//! The search begins with the groups of the coarsest cuts, mostly a single one. Each step performs the valid refinement
//! with the best score over all groups. The refinements of a group depend on its own records alone. So the search
//! evaluates each group once, when the group is made, and queues it with its best refinement. (Mondrian, by LeFevre,
//! DeWitt and Ramakrishnan, ICDE 2006, and its workload-aware form, KDD 2006, do this for k-anonymity over ordered
//! columns.)
//!
//! Every model must hold for the groups over all masked columns. By the law of [`PrivacyModel`] a group is no worse
//! than the worst of its parts. So the models also hold for any union of these groups: for the groups on each model's
//! own columns, and on any other columns. (Shares of persons break this law, so [`check`](super::check) refuses them
//! unless a model is over all columns.) See docs/design/useful-search.md#4-a-group-at-a-time.
//!
//! [`PrivacyModel`]: crate::privacy::PrivacyModel

mod clusters;
mod descent;
mod placed;
mod refinements;
mod regions;
mod replay;
mod trial;
mod why;

pub(super) use clusters::ClusterColumns;
pub use regions::{Region, RegionId, Regions};
pub(super) use replay::LocalReplay;

use super::counts::Counts;
use super::outcome::Outcome;
use super::problem::Problem;
use super::recorded::Refinement;
use super::state::State;
use super::{run, Search, Strategy};
use crate::partition::{CodeOrder, GroupId};
use crate::progress::{check_memory, report, reserve, Status};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::trace::Step;
use crate::utility::Utility;
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::iter::Chain;
use std::ops::Range;
use std::option;
use trial::{loss_weight, MeasuredGroup, Trial};

/// The greedy search: a queue of groups, each with its best refinement.
pub(super) struct Greedy {
    pub local: Local,
    open: Queue,
}

impl Greedy {
    /// Refines the shown columns by global recoding, and queues the groups that result.
    pub fn begin(problem: Problem, max_steps: usize) -> Result<Greedy, Error> {
        let mut local = Local::from_state(
            run(Search::begin(State::with_single_partition(problem)?, true)?, max_steps)?.state,
        )?;
        local.enlarge_groups();
        let made = resulting_groups(None, 0..local.region_of_group.len() as GroupId);
        let mut greedy = Greedy { local, open: Queue::default() };
        greedy.enqueue(made)?;
        Ok(greedy)
    }

    /// Merges the measures of new groups into the current ones, and queues each group that has a valid and beneficial
    /// refinement. A group without one is final.
    fn enqueue(&mut self, made: ResultingGroups) -> Result<(), Error> {
        let Greedy { local, open } = self;
        for group in made {
            let whole = local.measure_group(group)?;
            local.merge_measures(&whole);
            if let Some(trial) = local.best(&whole)? {
                open.push(local.region_of_group[group as usize], trial);
            }
        }
        local.record_achieved();
        Ok(())
    }
}

impl Strategy for Greedy {
    type Choice = Trial;

    fn steps(&self) -> usize {
        self.local.state.steps.len()
    }

    fn best(&mut self) -> Result<Option<Trial>, Error> {
        Ok(self.open.pop())
    }

    fn perform(&mut self, trial: Trial) -> Result<(), Error> {
        let made = self.local.perform(&trial)?;
        self.enqueue(made)
    }
}

/// Groups after a refinement: the refined group, which keeps its number, and the new ones.
type ResultingGroups = Chain<option::IntoIter<GroupId>, Range<GroupId>>;

fn resulting_groups(left: Option<GroupId>, new: Range<GroupId>) -> ResultingGroups {
    left.into_iter().chain(new)
}

/// Groups that wait with their best refinements: the best score first, of equal scores the oldest region. A score that
/// differs from a waiting one by rounding alone counts as equal to it. Otherwise rounding errors would order the steps.
#[derive(Default)]
struct Queue {
    /// By the bits of the score, which have the order of the scores because no score is negative.
    waiting: BTreeMap<(u64, Reverse<RegionId>), Trial>,
}

impl Queue {
    fn push(&mut self, region: RegionId, trial: Trial) {
        // NaN and negative zero become zero.
        let bits = |score: f64| (score.max(0.0) + 0.0).to_bits();
        let tolerance = (trial.score - trial.score_lower_bound).max(0.0);
        let lowest = (bits(trial.score - tolerance), Reverse(RegionId::MAX));
        let highest = (bits(trial.score + tolerance), Reverse(0));
        let equal = self.waiting.range(lowest..=highest).next().map(|(&(score, _), _)| score);
        self.waiting.insert((equal.unwrap_or(bits(trial.score)), Reverse(region)), trial);
    }

    fn pop(&mut self) -> Option<Trial> {
        self.waiting.pop_last().map(|(_, trial)| trial)
    }
}

/// The intervals of a column that splits have made, by their two ends. In a search the number of an end is its rank. In
/// a replay it is the number of the published end, because two of these may lie between the same two values.
#[derive(Debug, Clone, Default)]
struct Intervals {
    node_by_ends: HashMap<(u32, u32), NodeId>,
    ends: HashMap<NodeId, (u32, u32)>,
}

/// Number that stands for either end of the column itself.
pub const NO_END: u32 = u32::MAX;

impl Intervals {
    /// Returns the numbers of an interval's ends.
    fn node_ends(&self, node: NodeId) -> (u32, u32) {
        self.ends.get(&node).copied().unwrap_or((NO_END, NO_END))
    }
}

/// The groups of local recoding and their regions.
pub(super) struct Local {
    state: State,
    regions: Regions,
    /// Region of each group; `NONE` for a group without rows of the table.
    region_of_group: Vec<RegionId>,
    intervals: Vec<Intervals>,
    order: CodeOrder,
    /// Weight of certainty loss beside the class entropy.
    weight: f64,
    /// Lower bound of the rows of a valid group.
    min_group_size: u64,
}

impl Local {
    /// Begins with the groups of a state that keeps every model.
    fn from_state(mut state: State) -> Result<Local, Error> {
        let cuts = state.columns.iter_mut().map(|column| std::mem::take(&mut column.cut)).collect();
        let mut regions = Regions::new(cuts, state.steps.len());
        let hierarchies: Vec<&Hierarchy> = state.columns.iter().map(|column| &column.hierarchy).collect();
        let by_intervals = hierarchies.iter().all(|hierarchy| hierarchy.domain().is_some());
        let intervals = vec![Intervals::default(); state.columns.len()];
        let partition = &state.partitions[0];
        let width = partition.attributes().len();
        let mut region_of_group = Vec::new();
        let mut all = 0;
        for group in 0..partition.group_count() as GroupId {
            pace::tick(width)?;
            all += partition.size(group);
            if !partition.has_rows(group)? && partition.has_population() {
                region_of_group.push(regions::NONE);
                continue;
            }
            let nodes = (0..width).map(|place| partition.node(group, place)).collect();
            let root = regions.add_root(nodes);
            region_of_group.push(root);
        }
        // A queued group keeps the codes that it would disclose, or the children that it would split off. These are no
        // more than its records.
        if !by_intervals {
            check_memory::<Code>(all)?;
        }
        let weight = loss_weight(state.utility);
        let tested = state.models.iter().filter(|model| model.redundant.is_none());
        // A part has at least one row, even if no model asks for any.
        let fewest = tested.map(|model| model.model.min_group_size()).max().unwrap_or(0).max(1);
        Ok(Local {
            state,
            regions,
            region_of_group,
            intervals,
            order: CodeOrder::default(),
            weight,
            min_group_size: fewest,
        })
    }

    /// Has a search make larger groups, by [`Problem::min_size_factor`]. A replay leaves the groups as they were.
    fn enlarge_groups(&mut self) {
        self.min_group_size = self.min_group_size.saturating_mul(self.state.min_size_factor);
    }

    /// Counts and measures a group.
    fn measure_group(&mut self, group: GroupId) -> Result<MeasuredGroup, Error> {
        let mut measures = self.state.models.best().to_vec();
        let State { models, partitions, tallies, leaves, utility, .. } = &mut self.state;
        let (partition, tally) = (&partitions[0], &mut tallies[0]);
        partition.count_whole(group, tally)?;
        let counts = Counts::whole(tally)?;
        let (whole, records) = (tally.child(0)?, counts.records);
        models.worsen_by_group(&mut measures, partition.child_by_model(whole))?;
        let (mut class_entropy, mut beneficial) = (0.0, records > 0);
        if let (Utility::Classification, Some(leaves)) = (&utility, &leaves) {
            let classes = whole.values(leaves.class);
            class_entropy = super::leaves::class_entropy_sum(classes, records)?;
            let mut present = 0;
            pace::each(classes, |&n| present += usize::from(n > 0))?;
            beneficial = present > 1;
        }
        Ok(MeasuredGroup { group, counts, measures, class_entropy, beneficial })
    }

    /// Performs a refinement of a group and returns the resulting groups. The caller merges their measures into the
    /// current ones ([`Local::merge_measures`]) and then records these with the step ([`Local::record_achieved`]).
    fn perform(&mut self, trial: &Trial) -> Result<ResultingGroups, Error> {
        let Trial { group, attribute, ref refinement, .. } = *trial;
        let region = self.region_of_group[group as usize];
        let node = self.node(group, attribute);
        let mut children = self.children(group, attribute, refinement)?;
        let groups = self.divide_group(group, attribute, refinement, &children)?;
        let nodes = self.divide_region(region, attribute, groups.clone())?;
        self.regions.refined.push(Some(region));
        match refinement {
            Refinement::Disclose { .. } => children.retain(|child| *child != TOP || nodes.contains(child)),
            Refinement::Specialize => {
                let split_off = self.regions.nodes_split_off(region, attribute)?;
                children.retain(|child| !split_off.contains(child));
            }
            Refinement::SplitOff { .. } | Refinement::Split { .. } => {}
        }
        self.state.steps.push(Step {
            attribute,
            node,
            children,
            records: u64::from(trial.records),
            info_gain: trial.gain,
            privacy_loss: trial.privacy_loss,
            score: trial.score,
            achieved: Vec::new(),
        });
        let groups_now = self.state.partitions[0].group_count();
        report(Status { steps: self.state.steps.len(), groups: groups_now });
        Ok(groups)
    }

    /// Divides a group in the partition among the `children` of a refinement.
    fn divide_group(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: &Refinement,
        children: &[NodeId],
    ) -> Result<ResultingGroups, Error> {
        if !matches!(refinement, Refinement::Split { .. }) {
            self.assign_parts(group, attribute, refinement)?;
        }
        let State { columns, partitions, .. } = &mut self.state;
        let (partition, part_of_code) = (&mut partitions[0], &columns[attribute].part_of_code);
        // All records of a leaf hold the same code, so the codes on that column need not be carried along.
        let live = |attribute: usize, node| !columns[attribute].hierarchy.is_leaf(node);
        let at = (group, attribute);
        let new = match *refinement {
            Refinement::Split { at: first, .. } => {
                partition.refine_group(at, |code| u32::from(code >= first), children, &live)?
            }
            _ => partition.refine_group(at, |code| part_of_code[code as usize], children, &live)?,
        };
        Ok(resulting_groups(Some(group), new))
    }

    /// Divides a region among the groups that its group was divided into on a column. Returns the node of each group
    /// with rows of the table. A group without such rows gets no region.
    fn divide_region(
        &mut self,
        region: RegionId,
        attribute: usize,
        groups: ResultingGroups,
    ) -> Result<Vec<NodeId>, Error> {
        let State { columns, partitions, .. } = &self.state;
        let partition = &partitions[0];
        let new = partition.group_count() - self.region_of_group.len();
        reserve(&mut self.region_of_group, new)?;
        self.region_of_group.resize(partition.group_count(), regions::NONE);
        let mut populated = Vec::new();
        for group in groups {
            pace::tick(1)?;
            self.region_of_group[group as usize] = regions::NONE;
            if partition.has_rows(group)? {
                populated.push(group);
            }
        }
        let nodes = pace::collect(populated.iter().map(|&group| partition.node(group, attribute)))?;
        let parts = self.regions.divide(region, attribute, &nodes, &columns[attribute].hierarchy);
        pace::each(populated.into_iter().zip(parts), |(group, part)| {
            self.region_of_group[group as usize] = part
        })?;
        Ok(nodes)
    }

    /// Returns the nodes that a refinement puts in place of a group's node, including that of a rest. Makes the
    /// intervals that are missing.
    fn children(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<Vec<NodeId>, Error> {
        let node = self.node(group, attribute);
        match refinement {
            Refinement::Specialize => {
                pace::collect(self.state.columns[attribute].hierarchy.node(node).children.iter().copied())
            }
            Refinement::SplitOff { children } => pace::collect(children.iter().copied().chain([node])),
            &Refinement::Split { at, end, .. } => Ok(self.halves(attribute, node, at, end)?.to_vec()),
            Refinement::Disclose { codes } => {
                pace::collect(codes.iter().copied().map(Hierarchy::disclosed_node).chain([TOP]))
            }
        }
    }

    /// Returns the halves of an interval that is split before the code `at`. `end` is the number of the published end.
    /// Makes the halves if they are missing.
    fn halves(&mut self, attribute: usize, node: NodeId, at: Code, end: u32) -> Result<[NodeId; 2], Error> {
        let hierarchy = &mut self.state.columns[attribute].hierarchy;
        let codes = hierarchy.node(node).codes.clone();
        let (lower, upper) = self.intervals[attribute].node_ends(node);
        let Intervals { node_by_ends: known, ends } = &mut self.intervals[attribute];
        let mut half = |codes: Range<Code>, between: (u32, u32)| {
            let half = hierarchy.find_or_add_interval(node, codes, between, known)?;
            ends.insert(half, between);
            Ok(half)
        };
        Ok([half(codes.start..at, (lower, end))?, half(at..codes.end, (end, upper))?])
    }

    /// Merges the measures of a new group into the current ones.
    fn merge_measures(&mut self, whole: &MeasuredGroup) {
        self.state.models.merge(&mut self.state.current, &whole.measures);
    }

    /// Records the current measures with the last step.
    fn record_achieved(&mut self) {
        let achieved = self.state.models.achieved(&self.state.current);
        if let Some(step) = self.state.steps.last_mut() {
            step.achieved = achieved;
        }
    }

    /// Takes out, for each column, the two ends of every interval that splits have made.
    pub(super) fn ends(&mut self) -> Vec<HashMap<NodeId, (u32, u32)>> {
        self.intervals.iter_mut().map(|intervals| std::mem::take(&mut intervals.ends)).collect()
    }

    /// Returns the outcome of the steps. With `columns`, the groups are clustered first.
    pub(super) fn finish(mut self, columns: Option<&ClusterColumns>) -> Result<Outcome, Error> {
        let clusters = columns.map(|columns| self.cluster(columns)).transpose()?;
        let Local { state, regions, .. } = self;
        let achieved = state.models.achieved(&state.current);
        let redundant = state.models.iter().map(|m| m.redundant).collect();
        let hierarchies = state.columns.into_iter().map(|column| column.hierarchy).collect();
        let (cuts, withheld, regions) = (Vec::new(), Vec::new(), Some(regions));
        let steps = state.steps;
        Ok(Outcome { steps, cuts, regions, clusters, hierarchies, achieved, redundant, withheld })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_are_performed_by_age() {
        let (gain, privacy_loss, whole_gain) = (0.0, 0.0, 0.0);
        let trial = |group: GroupId, score: f64| {
            let (records, attribute, refinement) = (1, 0, Refinement::Specialize);
            let score_lower_bound = score - 1e-12;
            Trial {
                group,
                records,
                attribute,
                refinement,
                gain,
                privacy_loss,
                score,
                score_lower_bound,
                whole_gain,
            }
        };
        let sum = 0.1 + 0.2;
        assert!(sum > 0.3);
        // Both ways: the rounding error is in the older group's score, or in the other.
        let scores = [0.3, sum, sum, 0.3, 0.0, 0.5, 0.3 + 1e-9];
        for order in [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0]] {
            let mut queue = Queue::default();
            order.iter().for_each(|&group| queue.push(group, trial(group, scores[group as usize])));
            let popped: Vec<GroupId> = std::iter::from_fn(|| queue.pop()).map(|trial| trial.group).collect();
            assert_eq!(popped, [5, 6, 0, 1, 2, 3, 4]);
        }
    }
}
