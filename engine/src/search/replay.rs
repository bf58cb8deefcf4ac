//! Replay by global recoding: performs the steps of an earlier search again, on all groups that hold a node.
//!
//! A replay does not search. It counts the groups that each recorded refinement would make, and performs the refinement
//! if every model holds for them. Otherwise it leaves the refinement out, and with it all recorded refinements of the
//! nodes that would have been made. So a step costs one count and one division of its groups. The trace shows which
//! nodes are refined later. Only the groups of these nodes stay linked, until the last of their refinements.

use super::candidates::Candidate;
use super::column::Column;
use super::counting::GroupOnColumn;
use super::disclosure_counts::{DisclosureCounts, Held};
use super::measures::CurrentMeasures;
use super::outcome::Outcome;
use super::recorded::{Origin, Recorded, Refinement};
use super::state::State;
use super::{run, Strategy};
use crate::progress::{check_memory, check_table_memory};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::FixedPointSum;
use crate::{pace, Code, Error};
use hashbrown::HashMap;

/// Result of a replay.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The outcome, as of a search. Its steps are the refinements that were performed.
    pub outcome: Outcome,
    /// For each recorded refinement, its step in the outcome; None if it was left out.
    pub performed: Vec<Option<usize>>,
    /// Recorded refinements that were left out because a model would break, and those that left children at the node
    /// for this reason.
    pub broken: Vec<usize>,
    /// By local recoding, whether a group has rows of several recorded parts, and is refined as one of these parts was.
    pub joined: bool,
    /// By local recoding, the intervals that were made of each column, and the numbers of the recorded ends of each. An
    /// end of the column itself is [`crate::search::NO_END`].
    pub ends: Vec<HashMap<NodeId, (u32, u32)>>,
}

impl Replayed {
    /// Makes the result of a replay by global recoding.
    pub(super) fn new(outcome: Outcome, performed: Vec<Option<usize>>, broken: Vec<usize>) -> Replayed {
        Replayed { outcome, performed, broken, joined: false, ends: Vec::new() }
    }
}

pub(super) struct Replay<'a> {
    pub state: State,
    trace: &'a [Recorded],
    /// For each recorded refinement so far, its step; None if it was left out.
    pub performed: Vec<Option<usize>>,
    /// Refinements that were left out because a model would break.
    pub broken: Vec<usize>,
    /// For each column and node, one more than the trace index of its last refinement. Until then its groups stay
    /// linked.
    needed_until: Vec<Vec<usize>>,
    /// The same for each half, by the trace index of the split that makes it and the half's number.
    half_needed_until: HashMap<(usize, usize), usize>,
    /// Whether all nodes stay linked, to be counted after the trace. Then no counts are kept.
    keep_all_linked: bool,
    counts: DisclosureCounts,
}

impl<'a> Replay<'a> {
    /// Performs the trace. With `keep_all_linked`, any node can be counted afterwards (for `explain`).
    pub fn perform_trace(
        state: State,
        trace: &'a [Recorded],
        keep_all_linked: bool,
    ) -> Result<Replay<'a>, Error> {
        let mut replay = Replay::new(state, trace, keep_all_linked)?;
        replay.state.start_replay()?;
        run(replay, usize::MAX)
    }

    fn new(state: State, trace: &'a [Recorded], keep_all_linked: bool) -> Result<Replay<'a>, Error> {
        check_table_memory::<((usize, usize), usize)>(trace.len())?;
        let mut needed_until = Vec::with_capacity(state.columns.len());
        for column in &state.columns {
            check_memory::<usize>(column.hierarchy.nodes().len())?;
            needed_until.push(vec![0; column.hierarchy.nodes().len()]);
        }
        let mut half_needed_until = HashMap::with_capacity(trace.len());
        pace::each(trace.iter().enumerate(), |(number, recorded)| match recorded.origin {
            Origin::Node(node) => {
                let until =
                    needed_until.get_mut(recorded.attribute).and_then(|nodes| nodes.get_mut(node as usize));
                until.into_iter().for_each(|until| *until = number + 1);
            }
            Origin::Half { trace_index, half } => {
                half_needed_until.insert((trace_index, half), number + 1);
            }
            Origin::Child { .. } | Origin::Group(_) => {}
        })?;
        Ok(Replay {
            state,
            trace,
            performed: Vec::with_capacity(trace.len()),
            broken: Vec::new(),
            needed_until,
            half_needed_until,
            keep_all_linked,
            counts: DisclosureCounts::default(),
        })
    }

    /// Finds the node of a recorded refinement, and assigns its codes to the parts. Returns None if the node is not in
    /// the cut, or cannot be refined in this way.
    fn locate(
        &mut self,
        Recorded { attribute, origin, refinement }: &Recorded,
    ) -> Result<Option<NodeId>, Error> {
        let attribute = *attribute;
        let made = |trace_index: usize, half: usize| {
            let step = &self.state.steps[(*self.performed.get(trace_index)?)?];
            (step.attribute == attribute).then_some(*step.children.get(half)?)
        };
        let node = match origin {
            Origin::Node(node) => Some(*node),
            Origin::Half { trace_index, half } => made(*trace_index, *half),
            Origin::Child { .. } | Origin::Group(_) => None,
        };
        let (Some(node), Some(column)) = (node, self.state.columns.get_mut(attribute)) else {
            return Ok(None);
        };
        if !column.cut.contains(node) || !column.hierarchy.may_refine(node) {
            return Ok(None);
        }
        let hierarchy = &column.hierarchy;
        let can = match refinement {
            Refinement::Specialize => !hierarchy.node(node).children.is_empty(),
            Refinement::Split { at, .. } => hierarchy.can_split(node, *at),
            // One value at a time, which some record in `*` holds.
            Refinement::Disclose { codes } => match codes[..] {
                [code] if hierarchy.is_suppression() && node == TOP => {
                    (code as usize) < hierarchy.codes()
                        && column.histogram.row_count(code) > 0
                        && !column.cut.contains(Hierarchy::disclosed_node(code))
                }
                _ => false,
            },
            // Only local recoding splits off some of the children.
            Refinement::SplitOff { .. } => false,
        };
        if can {
            column.assign(node, refinement)?;
        }
        Ok(can.then_some(node))
    }

    /// Returns the refinement of `node` as a candidate; None if a model would break. Fails if a required split breaks a
    /// model.
    fn try_candidate(&mut self, recorded: &Recorded, node: NodeId) -> Result<Option<Candidate>, Error> {
        let Recorded { attribute, refinement, .. } = recorded;
        let attribute = *attribute;
        let mut after = self.state.models.best().to_vec();
        let mut leaf_gain = FixedPointSum::default();
        let disclosed = match refinement {
            Refinement::Disclose { codes } => Some(codes[0]),
            _ => None,
        };
        let mut valid = self.count_refinement(attribute, node, disclosed, &mut after, &mut leaf_gain)?;
        let mut withheld = 0;
        if self.state.withheld.is_some() {
            match self.state.withholding_effect(attribute, node)? {
                Some(effect) => (after, withheld) = (effect.worst, effect.rows),
                None => valid = false,
            }
        }
        let State { utility, columns, .. } = &mut self.state;
        let column = &mut columns[attribute];
        column.unassign(refinement);
        let (refined, first) = disclosed.map_or((node, 0), |code| (Hierarchy::disclosed_node(code), code));
        let candidate = Candidate::new(attribute, refined, first, after);
        let mut candidate = Candidate { leaf_gain, withheld, ..candidate };
        if !valid {
            if column.hierarchy.must_split(node) {
                self.state.models.check(&candidate.after)?;
                return Err(Error::Internal("what breaks no model is left out"));
            }
            return Ok(None);
        }
        if let Refinement::Split { at, .. } = refinement {
            column.hierarchy.split(node, *at);
        }
        let histogram = &column.histogram;
        (candidate.records, candidate.gain) = match &column.suppressed {
            Some(all) => (all.records(), utility.disclosure_gain(histogram, all, candidate.first)?),
            None => {
                let codes = column.hierarchy.node(node).codes.clone();
                let gain = utility.gain(&column.hierarchy, histogram, node)?;
                (histogram.row_count_in(codes)?, gain)
            }
        };
        Ok(Some(candidate))
    }

    /// Counts the groups with a node by the parts of `part_of_code`. With a `disclosed` value, counts only the groups
    /// that hold it, if counts are kept. Worsens the measures `after` by those of the parts, and adds their conditional
    /// gain to `leaf_gain`. Returns false as soon as a model breaks, unless rows may be withheld or the split is
    /// required: the error of a required split names the worst of all groups.
    fn count_refinement(
        &mut self,
        attribute: usize,
        node: NodeId,
        disclosed: Option<Code>,
        after: &mut [f64],
        leaf_gain: &mut FixedPointSum,
    ) -> Result<bool, Error> {
        let Replay { state, counts, keep_all_linked, .. } = self;
        let are_kept = |number| !*keep_all_linked && counts.may_keep(state, number);
        let are_kept = pace::collect((0..state.partitions.len()).map(are_kept))?;
        let State { models, current, columns, partitions, tallies, leaves, withheld, .. } = state;
        let Column { part_of_code, hierarchy, .. } = &columns[attribute];
        let counts_all = withheld.is_some() || hierarchy.must_split(node);
        // Children that are not made yet will be two: halves, or the disclosed value and the rest.
        let parts = hierarchy.node(node).children.len().max(2);
        let baseline = CurrentMeasures { models, current };
        for (number, (partition, tally)) in partitions.iter_mut().zip(tallies).enumerate() {
            let holding = match (disclosed, partition.column_index(attribute)) {
                (Some(value), Some(place)) if are_kept[number] => {
                    partition.groups_holding(place, value)?.map(|holding| (value, place, holding))
                }
                _ => None,
            };
            if let Some((value, place, holding)) = holding {
                for (group, records) in holding {
                    let count = GroupOnColumn { partition_number: number, group, place };
                    let held = Held { value, records };
                    if !counts.worsen(count, partition, tally, held, baseline, after)? {
                        partition.restore_person_order(group)?;
                        partition.count_children(group, place, Some(part_of_code), tally)?;
                        baseline.worsen_by_children(after, partition, tally)?;
                    }
                    if !models.hold(after) {
                        return Ok(false);
                    }
                }
                continue;
            }
            let leaves = leaves.as_ref().filter(|leaves| leaves.partition_number == number);
            partition.count_groups_with(attribute, node, part_of_code, tally, |partition, tally| {
                baseline.worsen_by_children(after, partition, tally)?;
                if let Some(leaves) = leaves {
                    leaf_gain.add(leaves.leaf_gain_of_split(tally, parts)?);
                }
                Ok(counts_all || models.hold(after))
            })?;
            if !counts_all && !models.hold(after) {
                return Ok(false);
            }
        }
        Ok(withheld.is_some() || models.hold(after))
    }

    /// Notes until when the nodes that the last step has made are needed.
    fn note_last_refinements(&mut self) -> Result<(), Error> {
        let Replay { state, performed, needed_until, half_needed_until, .. } = self;
        let (Some(step), Some(number)) = (state.steps.last(), performed.len().checked_sub(1)) else {
            return Ok(());
        };
        let needed_until = &mut needed_until[step.attribute];
        needed_until.resize(state.columns[step.attribute].hierarchy.nodes().len(), 0);
        pace::each(step.children.iter().enumerate(), |(half, &child)| {
            let until = half_needed_until.get(&(number, half)).copied().unwrap_or(0);
            needed_until[child as usize] = needed_until[child as usize].max(until);
        })
    }
}

impl Strategy for Replay<'_> {
    type Choice = Candidate;

    fn steps(&self) -> usize {
        self.state.steps.len()
    }

    /// Returns the next refinement of the trace that can be performed, and leaves out those before it.
    fn best(&mut self) -> Result<Option<Candidate>, Error> {
        let trace = self.trace;
        while let Some(recorded) = trace.get(self.performed.len()) {
            pace::tick(1)?;
            if let Some(node) = self.locate(recorded)? {
                let candidate = self.try_candidate(recorded, node)?;
                if candidate.is_some() {
                    return Ok(candidate);
                }
                self.broken.push(self.performed.len());
            }
            self.performed.push(None);
        }
        Ok(None)
    }

    fn perform(&mut self, candidate: Candidate) -> Result<(), Error> {
        let Replay { state, trace, performed, counts, needed_until, keep_all_linked, .. } = self;
        let number = performed.len();
        performed.push(Some(state.steps.len()));
        let live = |attribute: usize, node: NodeId| {
            *keep_all_linked
                || needed_until[attribute].get(node as usize).is_some_and(|&until| until > number + 1)
        };
        for number in 0..state.partitions.len() {
            let are_kept = !*keep_all_linked && counts.may_keep(state, number);
            state.partitions[number].allow_disorder(are_kept);
        }
        let divided = state.perform(&candidate, &live)?;
        let is_disclosure = matches!(trace[number].refinement, Refinement::Disclose { .. });
        counts.update_after_step(state, divided, is_disclosure, &live)?;
        self.note_last_refinements()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::{Diversity, PrivacyModel};
    use crate::refine::interval::{Domain, SplitRule};
    use crate::table::Store;
    use crate::taxonomy::{Edges, Taxonomy};
    use crate::utility::Score;
    use crate::{Attribute, CodedColumn, Problem, Recoding};

    /// Eight records of a column by intervals (four values), of a column by taxonomy (a tree of two leaves), and of a
    /// suppressed column (three values, the last without records).
    const CODES: [[Code; 8]; 3] =
        [[0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 0, 1, 0, 1, 0, 1], [0, 0, 0, 0, 1, 1, 1, 1]];
    const INTERVALS: usize = 0;
    const TREE: usize = 1;
    const VALUES: usize = 2;

    fn hierarchies() -> Vec<Hierarchy> {
        let positions = vec![1.0, 2.0, 4.0, 8.0];
        let edges: Edges = ["a", "b"].map(|leaf| (leaf, Some("root"))).into_iter().collect();
        let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
        vec![
            Hierarchy::by_intervals(
                Domain { positions, lower: None, upper: None, points: None, is_discrete: false },
                false,
            ),
            Hierarchy::by_taxonomy(&tree, false).unwrap(),
            Hierarchy::by_suppression(3, false).unwrap(),
        ]
    }

    fn replayed(hierarchies: Vec<Hierarchy>, trace: &[Recorded]) -> Replayed {
        let codes = CODES.map(Store::from_iter);
        crate::replay(problem(&codes, hierarchies, 1), trace).unwrap()
    }

    fn problem(codes: &[Store], hierarchies: Vec<Hierarchy>, k: u64) -> Problem<'_> {
        let attribute = |(codes, hierarchy)| Attribute { codes, hierarchy, weight: 1.0, shown: false };
        Problem {
            records: 8,
            weights: None,
            attributes: codes.iter().zip(hierarchies).map(attribute).collect(),
            sensitive: vec![],
            persons: vec![],
            populations: Vec::new(),
            class: None,
            models: vec![PrivacyModel::k_anonymity(vec![0, 1, 2], k)],
            score: Score::Tdr,
            split: SplitRule::Optimal,
            recoding: Recoding::Global,
            withhold: None,
            min_size_factor: 1,
            max_steps: Some(0),
        }
    }

    fn top(attribute: usize, refinement: Refinement) -> Recorded {
        Recorded { attribute, origin: Origin::Node(TOP), refinement }
    }

    fn child(attribute: usize, trace_index: usize, half: usize, refinement: Refinement) -> Recorded {
        Recorded { attribute, origin: Origin::Half { trace_index, half }, refinement }
    }

    const SPECIALIZE: Refinement = Refinement::Specialize;

    fn split(at: Code) -> Refinement {
        Refinement::split(at)
    }

    fn disclose(code: Code) -> Refinement {
        Refinement::disclose(code)
    }

    #[test]
    fn impossible_refinements_are_left_out() {
        let never = [
            // The column, the node or the earlier refinement does not exist.
            top(3, SPECIALIZE),
            Recorded { attribute: TREE, origin: Origin::Node(9), refinement: SPECIALIZE },
            child(TREE, 2, 0, SPECIALIZE),
            child(TREE, 0, 0, SPECIALIZE),
            child(TREE, 99, 0, SPECIALIZE),
            // The column is refined in another way, or the node is a leaf.
            top(INTERVALS, SPECIALIZE),
            top(INTERVALS, disclose(0)),
            top(TREE, split(1)),
            top(TREE, disclose(0)),
            top(VALUES, SPECIALIZE),
            top(VALUES, split(1)),
            Recorded { attribute: TREE, origin: Origin::Node(1), refinement: SPECIALIZE },
            // The code is too large, or no record holds the value.
            top(INTERVALS, split(5)),
            top(VALUES, disclose(3)),
            top(VALUES, disclose(2)),
        ];
        let Replayed { outcome, performed, broken, .. } = replayed(hierarchies(), &never);
        assert!(broken.is_empty());
        assert_eq!(performed, [None; 15]);
        assert_eq!(outcome.steps, []);
        assert_eq!(outcome.hierarchies[INTERVALS].nodes().len(), 1);
        let trace = [
            top(INTERVALS, split(2)),
            // Children of another column, a third half, codes of the other half, a leaf, repetitions.
            child(TREE, 0, 0, SPECIALIZE),
            child(INTERVALS, 0, 2, split(1)),
            child(INTERVALS, 0, 0, split(3)),
            child(INTERVALS, 0, 1, split(1)),
            top(TREE, SPECIALIZE),
            Recorded { attribute: TREE, origin: Origin::Node(1), refinement: SPECIALIZE },
            top(TREE, SPECIALIZE),
            child(INTERVALS, 5, 0, split(1)),
            top(VALUES, disclose(1)),
            top(VALUES, disclose(1)),
            // A disclosed value is not refined, but `*` is.
            child(VALUES, 9, 0, disclose(0)),
            child(VALUES, 9, 1, disclose(0)),
        ];
        let Replayed { outcome, performed, .. } = replayed(hierarchies(), &trace);
        let steps: Vec<usize> = (0..trace.len()).filter(|&at| performed[at].is_some()).collect();
        assert_eq!(steps, [0, 5, 9, 12]);
        assert_eq!(performed[12], Some(3));
        assert_eq!(outcome.cuts[VALUES].nodes().collect::<Vec<_>>(), [TOP, 1, 2]);
        // An interval with halves is not split again, but specialized like a node of a tree.
        let again = [top(INTERVALS, split(1)), top(INTERVALS, SPECIALIZE)];
        let Replayed { outcome, performed, .. } = replayed(outcome.hierarchies, &again);
        assert_eq!(performed, [None, Some(0)]);
        assert_eq!(outcome.steps[0].children, [1, 2]);
    }

    #[test]
    fn nodes_of_the_finest_depth_are_not_refined() {
        let limited = hierarchies().into_iter().map(|column| column.with_depth_limits(0, Some(0)).unwrap());
        let trace = [top(INTERVALS, split(1)), top(TREE, SPECIALIZE), top(VALUES, disclose(0))];
        let Replayed { outcome, broken, .. } = replayed(limited.collect(), &trace);
        assert_eq!((outcome.steps, broken), (vec![], vec![]));
    }

    /// The error names the first model that the worst of all groups breaks, whichever group is counted first.
    #[test]
    fn a_required_split_that_breaks_models() {
        for tree in [[0, 0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0, 0, 0]] {
            let codes = [[0, 0, 1, 1, 0, 1, 1, 1], tree, [0; 8]].map(Store::from_iter);
            let mut hierarchies = hierarchies();
            hierarchies[INTERVALS] = hierarchies[INTERVALS].clone().with_depth_limits(1, None).unwrap();
            let sensitive = Store::from_iter([0, 0, 0, 1, 0, 0, 1, 1]);
            let mut problem = problem(&codes, hierarchies, 2);
            problem.sensitive = vec![CodedColumn { codes: &sensitive, cardinality: 2 }];
            problem.models.push(PrivacyModel::l_diversity(vec![0, 1, 2], 0, Diversity::Distinct { l: 2.0 }));
            // The first four records break the second model alone, the others break both.
            let trace = [top(TREE, SPECIALIZE), top(INTERVALS, split(1))];
            let error = Error::Unsatisfiable { model: 0, requirement: 0, achieved: 1.0 };
            assert_eq!(crate::replay(problem, &trace).unwrap_err(), error);
        }
    }
}
