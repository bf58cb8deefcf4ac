//! The search loop: performs the best valid and beneficial refinement until none is left (TDS Table 4, TDR Algorithm 1,
//! PDA Algorithm 1).
//!
//! The cost of a step is counting. Gains follow from the histograms alone. The measures of a candidate only worsen,
//! because later steps divide the parts that it would make and never join them. (If rows are withheld, see
//! `withholding_effects`.)
//! So each candidate keeps its worst measures so far, a step counts only the groups that it has just divided, and an
//! invalid candidate is dropped for good. If a disclosure takes few records from a group, only these records are
//! counted ([`GroupCountCache`]). Disclosures with the same counts have the same score, so only the first of them is
//! scored (`disclosure_kinds`). See docs/DESIGN.md.

mod candidates;
mod check;
mod column;
mod counting;
mod counts;
mod disclosure_counts;
mod disclosure_kinds;
mod explain;
mod group_count_cache;
mod halves;
mod leaf_shares;
mod leaves;
mod local;
mod measures;
mod model_partition;
mod outcome;
mod population;
mod problem;
mod ranking;
mod recorded;
mod replay;
mod splits;
mod state;
mod withheld;
mod withholding;
mod withholding_effects;

pub use explain::{Explained, Reason, Shortfall};
pub use local::{Region, RegionId, Regions, NO_END};
pub use outcome::{Clusters, Outcome};
pub use population::Population;
pub use problem::{Attribute, Problem, Recoding};
pub use recorded::{Origin, Recorded, Refinement};
pub use replay::Replayed;

use crate::partition::GroupId;
use crate::progress::poll;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::{BestSplit, NOISE};
use crate::{pace, Code, Error};
use candidates::{Candidate, Candidates};
use column::Column;
use counting::GroupOnColumn;
use disclosure_kinds::DisclosureKinds;
use group_count_cache::GroupCountCache;
use hashbrown::HashMap;
use leaf_shares::LeafShares;
use local::{ClusterColumns, Greedy, LocalReplay};
use ranking::Ranking;
use replay::Replay;
use splits::SplitPoints;
use state::{NewGroups, State};
use withholding_effects::WithholdingEffects;

/// Searches greedily for the most useful table that keeps the problem's models.
pub fn search(problem: Problem) -> Result<Outcome, Error> {
    let max_steps = problem.max_steps.unwrap_or(usize::MAX);
    match problem.recoding {
        Recoding::Global => run(Search::begin(State::new(problem)?, false)?, max_steps)?.state.finish(),
        Recoding::Local | Recoding::Clustered => {
            let columns = ClusterColumns::from_problem(&problem);
            run(Greedy::begin(problem, max_steps)?, max_steps)?.local.finish(columns.as_ref())
        }
    }
}

/// Performs the refinements of a `trace` in their order. The problem may have other data than the one that the trace
/// was found for, but must have the same recoding.
///
/// A refinement is left out in these cases:
///
/// * The refinement that would have made its node or group was left out, or no record falls into the group.
/// * The node has no children in the hierarchy, or is an interval that has children already.
/// * No record holds the value to disclose, or the value is disclosed already.
/// * A model would not hold after it.
///
/// Whether a refinement is beneficial does not matter, nor do the problem's `max_steps` and `min_size_factor`.
///
/// Fails as a search does, with [`Error::Unsatisfiable`] if a model does not hold for the most general table.
pub fn replay(problem: Problem, trace: &[Recorded]) -> Result<Replayed, Error> {
    match problem.recoding {
        Recoding::Global => {
            let Replay { state, performed, broken, .. } =
                Replay::perform_trace(State::new(problem)?, trace, false)?;
            Ok(Replayed::new(state.finish()?, performed, broken))
        }
        Recoding::Local | Recoding::Clustered => {
            let columns = ClusterColumns::from_problem(&problem);
            LocalReplay::run(problem, trace)?.finish(columns.as_ref())
        }
    }
}

/// Performs a `trace` as [`replay()`] does, and explains why the result is not refined further, in the order of columns
/// and nodes. Global recoding has one explanation for each node of the cuts. Local recoding has one for each node that
/// groups are released as and each reason why some of these groups stay there.
pub fn explain(problem: Problem, trace: &[Recorded]) -> Result<(Replayed, Vec<Explained>), Error> {
    match problem.recoding {
        Recoding::Global => {
            let Replay { state, performed, broken, .. } =
                Replay::perform_trace(State::new(problem)?, trace, true)?;
            let mut search = Search::new(state, false)?;
            let nodes = search.explain()?;
            Ok((Replayed::new(search.state.finish()?, performed, broken), nodes))
        }
        Recoding::Local | Recoding::Clustered => {
            let mut replay = LocalReplay::run(problem, trace)?;
            let nodes = replay.local.explain()?;
            Ok((replay.finish(None)?, nodes))
        }
    }
}

/// How the next refinement is found: by its score among the nodes of all columns or among all groups, or in the order
/// of a trace.
trait Strategy {
    /// A refinement after which the models hold.
    type Choice;

    /// Number of performed refinements.
    fn steps(&self) -> usize;

    /// Finds the next refinement, if any is left.
    fn best(&mut self) -> Result<Option<Self::Choice>, Error>;

    /// Performs a refinement, and looks for the refinements that it makes possible.
    fn perform(&mut self, refinement: Self::Choice) -> Result<(), Error>;
}

/// Performs refinements until none is left, or until `max_steps` are performed.
fn run<S: Strategy>(mut strategy: S, max_steps: usize) -> Result<S, Error> {
    while strategy.steps() < max_steps {
        poll()?;
        match strategy.best()? {
            Some(best) => strategy.perform(best)?,
            None => break,
        }
    }
    Ok(strategy)
}

/// The greedy search by global recoding, with what it keeps from step to step.
struct Search {
    state: State,
    candidates: Candidates,
    count_caches: HashMap<GroupOnColumn, GroupCountCache>,
    shares: LeafShares,
    splits: SplitPoints,
    effects: WithholdingEffects,
    ranking: Ranking,
    /// Whether only the shown columns are refined. Local recoding then continues with the others.
    shown_only: bool,
}

impl Search {
    fn begin(state: State, shown_only: bool) -> Result<Search, Error> {
        let mut search = Search::new(state, shown_only)?;
        search.state.start()?;
        search.survey()?;
        Ok(search)
    }

    /// Makes a search that has no candidates yet.
    fn new(state: State, shown_only: bool) -> Result<Search, Error> {
        let nodes: Vec<usize> = state.columns.iter().map(|column| column.hierarchy.nodes().len()).collect();
        let candidates = Candidates::new(&nodes)?;
        Ok(Search {
            state,
            candidates,
            count_caches: HashMap::new(),
            shares: LeafShares::default(),
            splits: SplitPoints::default(),
            effects: WithholdingEffects::default(),
            ranking: Ranking::default(),
            shown_only,
        })
    }

    /// Allows the next disclosure to leave groups out of person order, except in partitions whose groups are counted
    /// from their records after it.
    fn allow_disorder(&mut self) {
        let Search { state, candidates, shown_only, .. } = self;
        let (split, columns) = (state.split, &state.columns);
        let may_split = |a: usize| {
            split.requires_validity() && columns[a].hierarchy.domain().is_some() && candidates.any_living(a)
        };
        for number in 0..state.partitions.len() {
            let attributes = state.partitions[number].attributes();
            let is_counted_anew = *shown_only
                || state.counts_leaves(number)
                || state.withheld.is_some()
                || attributes.iter().any(|&a| may_split(a));
            state.partitions[number].allow_disorder(!is_counted_anew);
        }
    }

    /// Makes the candidates of all nodes in the cuts, and counts every group for them.
    fn survey(&mut self) -> Result<(), Error> {
        for attribute in 0..self.state.columns.len() {
            if self.shown_only && !self.state.columns[attribute].shown {
                continue;
            }
            let cut = pace::collect(self.state.columns[attribute].cut.nodes())?;
            cut.into_iter().try_for_each(|node| self.add_candidates_below(attribute, node))?;
        }
        for number in 0..self.state.partitions.len() {
            for group in 0..self.state.partitions[number].group_count() as GroupId {
                self.count_all(number, group)?;
            }
        }
        self.settle()?;
        (0..self.state.columns.len()).try_for_each(|attribute| self.update_disclosure_gains(attribute))
    }

    /// Makes the candidates of a node that has just come into the cut.
    fn add_candidates_below(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        if self.state.columns[attribute].suppressed.is_some() {
            return if node == TOP { self.add_disclosures(attribute) } else { Ok(()) };
        }
        let has_points = self.has_points(attribute, node);
        let Search { state, candidates, .. } = self;
        let column = &mut state.columns[attribute];
        candidates.reserve(1, state.current.len())?;
        if has_points {
            return self.propose_points(attribute, node);
        }
        let split = BestSplit { utility: state.utility, histogram: &column.histogram, split: state.split };
        column.hierarchy.grow(node, &split)?;
        if !column.hierarchy.may_refine(node) {
            return Ok(());
        }
        let refined = column.hierarchy.node(node);
        let records = column.histogram.counts(refined.codes.clone())?;
        if refined.children.is_empty() || !state.utility.beneficial(&records) {
            return Ok(());
        }
        let first = refined.codes.start;
        column.assign_parts(node)?;
        let gain = state.utility.gain(&column.hierarchy, &column.histogram, node)?;
        let candidate = Candidate::new(attribute, node, first, state.models.best().to_vec());
        candidates.add(Candidate { gain, records: records.records(), ..candidate }).map(drop)
    }

    /// Makes a candidate of each value that can be disclosed out of `*`.
    fn add_disclosures(&mut self, attribute: usize) -> Result<(), Error> {
        let Search { state, candidates, .. } = self;
        let Column { hierarchy, histogram, cut, suppressed, .. } = &state.columns[attribute];
        let is_beneficial = suppressed.as_ref().is_some_and(|records| state.utility.beneficial(records));
        if !is_beneficial || !hierarchy.may_refine(TOP) {
            return Ok(());
        }
        let (codes, requirements) = (hierarchy.codes(), state.current.len());
        // Values of one kind may differ in their conditional gain, and in the rows that they would withhold.
        if !state.scores_leaves() && state.withheld.is_none() {
            candidates.group_by_kind(attribute, DisclosureKinds::new(histogram, codes)?);
        }
        candidates.reserve(codes, requirements)?;
        for code in 0..codes as Code {
            pace::tick(1 + requirements)?;
            let node = Hierarchy::disclosed_node(code);
            // A value may occur in a population alone.
            if !cut.contains(node) && histogram.row_count(code) > 0 {
                candidates.add(Candidate::new(attribute, node, code, state.models.best().to_vec()))?;
            }
        }
        Ok(())
    }

    /// Updates the gains of all disclosures of a column, which depend on the records in `*`.
    fn update_disclosure_gains(&mut self, attribute: usize) -> Result<(), Error> {
        let State { utility, ref columns, .. } = self.state;
        let Column { suppressed, histogram, hierarchy, .. } = &columns[attribute];
        let Some(suppressed) = suppressed else { return Ok(()) };
        let gains = utility.disclosure_gains(histogram, suppressed)?;
        if let Some(kinds) = self.candidates.kinds(attribute) {
            return kinds.weigh(&gains);
        }
        if self.state.withheld.is_some() {
            for code in 0..hierarchy.codes() as Code {
                if let Some(id) = self.candidates.living(attribute, Hierarchy::disclosed_node(code)) {
                    let unknown = utility.disclosed_uncertainty(histogram, code)?;
                    self.candidates.get_mut(id).gain = gains.gain(code, unknown)?;
                }
            }
        }
        Ok(())
    }

    /// Applies the last counts to the candidates: drops invalid ones, chooses other split points, regroups kinds.
    fn settle(&mut self) -> Result<(), Error> {
        match self.state.withheld {
            Some(_) => self.enforce_budget()?,
            None => self.rechoose_points()?,
        }
        let State { utility, columns, current, .. } = &mut self.state;
        self.candidates.settle(columns, current, *utility)
    }

    /// Returns whether candidates may be ranked: a step then changes only the scores of the candidates that it counts,
    /// unless it worsens the measures of the table.
    fn is_ranked(&self) -> bool {
        let alike = |column: &Column| column.suppressed.is_none() && !column.shown;
        self.state.withheld.is_none() && !self.state.scores_leaves() && self.state.columns.iter().all(alike)
    }

    fn best_ranked(&mut self) -> Result<Option<usize>, Error> {
        let Search { state, candidates, ranking, .. } = self;
        let score = |candidate: &Candidate, noise: f64| {
            let gain = state.gain(candidate, candidate.gain);
            (gain >= 0.0).then(|| state.candidate_score(candidate, gain - noise))
        };
        ranking.update(candidates, &state.current, |candidate| score(candidate, 0.0))?;
        Ok(ranking.best(|id| score(candidates.get(id), NOISE).unwrap_or(0.0)))
    }
}

impl Strategy for Search {
    /// The number of a candidate.
    type Choice = usize;

    fn steps(&self) -> usize {
        self.state.steps.len()
    }

    /// Returns the best candidate, of the shown columns while one of these can be refined.
    fn best(&mut self) -> Result<Option<usize>, Error> {
        if self.is_ranked() {
            return self.best_ranked();
        }
        // Only a ranking uses the changes.
        drop(self.candidates.take_changed());
        let mut best: Option<(usize, f64)> = None;
        let mut best_is_shown = false;
        for (id, candidate) in self.candidates.in_order() {
            let Column { requirements, shown, .. } = &self.state.columns[candidate.attribute];
            pace::tick(1 + requirements.len())?;
            let gain = self.state.gain(candidate, self.candidates.gain(id));
            if best_is_shown && !shown || gain < 0.0 {
                continue;
            }
            // A later candidate must be better by more than rounding, so that order alone breaks ties.
            let score = |gain: f64| self.state.candidate_score(candidate, gain);
            if *shown && !best_is_shown || best.is_none_or(|(_, most)| score(gain - NOISE) > most) {
                best = Some((id, score(gain)));
                best_is_shown = *shown;
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    fn perform(&mut self, best: usize) -> Result<(), Error> {
        self.allow_disorder();
        let Search { state, candidates, splits, .. } = self;
        let mut candidate = candidates.take(best);
        let attribute = candidate.attribute;
        if let Some(points) = splits.by_candidate.remove(&best) {
            state.columns[attribute].hierarchy.split(candidate.node, points.chosen);
        }
        if let (Some(all), None) = (&state.columns[attribute].suppressed, candidates.kinds(attribute)) {
            let histogram = &state.columns[attribute].histogram;
            candidate.gain = state.utility.disclosure_gain(histogram, all, candidate.first)?;
        }
        // Local recoding counts the groups on columns that are not shown, after this search.
        let is_for_later = |column: &Column| self.shown_only && !column.shown;
        let for_later: Vec<bool> = state.columns.iter().map(is_for_later).collect();
        let live = |attribute: usize, node| for_later[attribute] || candidates.is_live(attribute, node);
        let divided = state.perform(&candidate, &live)?;
        if let Some(suppressed) = &state.columns[attribute].suppressed {
            if !state.utility.beneficial(suppressed) {
                candidates.discard_all(attribute)?;
            }
            divided.into_iter().try_for_each(|divided| self.count_disclosed(divided))?;
            self.settle()?;
            return self.update_disclosure_gains(attribute);
        }
        let step = self.state.steps.len() - 1;
        for number in 0..self.state.steps[step].children.len() {
            self.add_candidates_below(attribute, self.state.steps[step].children[number])?;
        }
        for NewGroups { partition_number, place, groups } in divided {
            for (group, split) in groups {
                match split {
                    true => self.count_all(partition_number, group)?,
                    false => self.count(GroupOnColumn { partition_number, group, place }).map(drop)?,
                }
            }
        }
        self.settle()
    }
}
