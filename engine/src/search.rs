//! The loop: perform the best valid and beneficial refinement until there is none (TDS Table 4,
//! TDR Algorithm 1, PDA Algorithm 1).
//!
//! What a step costs is counting. Gains follow from the histograms alone, and the measures of a
//! candidate x only ever worsen: the parts into which x would divide the groups are divided
//! further by every step, never joined. So each candidate carries its worst part so far, a step
//! counts the groups it has just divided and nothing else, and a candidate found invalid is
//! dropped for good. See docs/DESIGN.md.

mod candidates;
mod parts;
mod problem;
mod replay;
mod state;

pub use problem::{Attribute, Class, Problem, Sensitive};
pub use replay::{replay, How, Place, Recorded, Replayed};

use crate::partition::GroupId;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::trace::Outcome;
use crate::utility::{entropy, BestSplit, NOISE};
use crate::{Code, Error, Pace, Reservation};
use candidates::Candidates;
use parts::{is_valid, take_worse};
use state::{Divided, State};

/// Searches the problem's most useful table that keeps its models. The outcome is held under
/// `memory`, the hierarchies that were given with it excepted.
pub fn search(problem: Problem, memory: &mut Reservation) -> Result<Outcome, Error> {
    let max_steps = problem.max_steps.unwrap_or(usize::MAX);
    let pace = Pace::new(memory.progress());
    let mut search = Search::new(problem, &pace)?;
    search.start()?;
    while search.state.steps.len() < max_steps {
        pace.poll()?;
        match search.best()? {
            Some(best) => search.perform(best)?,
            None => break,
        }
    }
    let (outcome, kept) = search.state.finish();
    memory.absorb(kept);
    Ok(outcome)
}

struct Search<'a> {
    state: State<'a>,
    candidates: Candidates,
}

impl<'a> Search<'a> {
    /// None performed yet, and no candidates.
    fn new(problem: Problem, pace: &'a Pace<'a>) -> Result<Search<'a>, Error> {
        let mut state = State::new(problem, pace)?;
        let nodes: Vec<usize> = state.columns.iter().map(|column| column.hierarchy.nodes().len()).collect();
        let candidates = Candidates::new(&nodes, &mut state.memory)?;
        Ok(Search { state, candidates })
    }

    /// The measures of the most general table, and the first candidates.
    fn start(&mut self) -> Result<(), Error> {
        self.state.start()?;
        for attribute in 0..self.state.columns.len() {
            self.propose(attribute, TOP)?;
        }
        for i in 0..self.state.indexes.len() {
            for place in 0..self.state.indexes[i].partition.attributes().len() {
                self.count(i, 0, place)?;
            }
        }
        self.candidates.drop_dead(self.state.pace)
    }

    /// Makes candidates of what a node that has just come into the cut can become.
    fn propose(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        let Search { state, candidates } = self;
        let (pace, requirements) = (state.pace, state.current.len());
        let column = &mut state.columns[attribute];
        if column.hierarchy.is_suppression() {
            if node == TOP {
                let codes = column.hierarchy.codes() as Code;
                candidates.reserve(attribute, codes as usize, requirements, &mut state.memory)?;
                for code in 0..codes {
                    let after = state.unmeasured()?;
                    candidates.add(attribute, Hierarchy::disclosed(code), code, after, pace)?;
                }
                self.weigh_disclosures(attribute)?;
            }
            return Ok(());
        }
        candidates.reserve(attribute, 1, requirements, &mut state.memory)?;
        let split = BestSplit { utility: state.utility, histogram: &column.histogram };
        column.hierarchy.grow(node, &split, &mut state.kept, pace)?;
        let refined = column.hierarchy.node(node);
        let records = column.histogram.counts(refined.codes.clone(), pace)?;
        if refined.children.is_empty() || !state.utility.beneficial(&records) {
            return Ok(());
        }
        let first = refined.codes.start;
        column.aim(node, pace)?;
        let gain = state.utility.gain(&column.hierarchy, &column.histogram, node, pace)?;
        let candidate = candidates.add(attribute, node, first, state.unmeasured()?, pace)?;
        (candidate.gain, candidate.records) = (gain, records.records());
        Ok(())
    }

    /// The gains of all disclosures of a column, which change with what is in `*`.
    fn weigh_disclosures(&mut self, attribute: usize) -> Result<(), Error> {
        let State { pace, utility, ref columns, .. } = self.state;
        let column = &columns[attribute];
        let Some(suppressed) = &column.suppressed else { return Ok(()) };
        let beneficial = utility.beneficial(suppressed);
        let entropy = entropy(suppressed, pace)?;
        self.candidates.for_each(attribute, pace, |candidate| {
            if beneficial {
                let (histogram, code) = (&column.histogram, candidate.first);
                candidate.gain = utility.disclosure_gain(histogram, suppressed, entropy, code, pace)?;
                candidate.records = suppressed.records();
            } else {
                candidate.alive = false;
            }
            Ok(())
        })
    }

    /// Counts a group by what each live candidate on the column at `place` would make of it, and
    /// takes the worst part into the candidate's measures.
    fn count(&mut self, index: usize, group: GroupId, place: usize) -> Result<(), Error> {
        let Search { state, candidates } = self;
        let State { pace, models, columns, indexes, .. } = state;
        pace.tick(1)?;
        let index = &mut indexes[index];
        let attribute = index.partition.attributes()[place];
        let column = &columns[attribute];
        let node = index.partition.node(group, place);
        if !candidates.is_live(attribute, node) {
            return Ok(());
        }
        if column.hierarchy.is_suppression() {
            index.partition.tally(group, place, None, &mut index.tally, pace)?;
            let whole = index.whole(pace)?;
            let mut rest = whole.clone();
            for &code in &index.tally.touched {
                pace.tick(1)?;
                let disclosed = Hierarchy::disclosed(code);
                let Some(candidate) = candidates.live(attribute, disclosed) else { continue };
                let groups = index.groups(code, index.tally.records[code as usize]);
                take_worse(models, &mut candidate.after, groups, pace)?;
                rest.subtract(&whole, &index.tally, code, pace)?;
                if rest.records > 0 {
                    take_worse(models, &mut candidate.after, index.groups_of(&rest), pace)?;
                }
                candidate.alive = is_valid(models, &candidate.after, pace)?;
            }
        } else if let Some(candidate) = candidates.live(attribute, node) {
            index.take_parts(models, group, place, &column.slots, &mut candidate.after, pace)?;
            candidate.alive = is_valid(models, &candidate.after, pace)?;
        }
        Ok(())
    }

    /// The candidate with the best score.
    fn best(&self) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, f64)> = None;
        for (id, candidate) in self.candidates.in_order() {
            self.state.pace.tick(1 + self.state.columns[candidate.attribute].requirements.len())?;
            let loss = self.state.privacy_loss(candidate);
            // Better by more than rounding, so that ties are broken by order alone.
            let surely = self.state.score.of(candidate.gain - NOISE, loss);
            if best.is_none_or(|(_, most)| surely > most) {
                best = Some((id, self.state.score.of(candidate.gain, loss)));
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    /// Performs a candidate; then the new candidates and the counts.
    fn perform(&mut self, best: usize) -> Result<(), Error> {
        self.candidates.kill(best);
        let Search { state, candidates } = self;
        let candidate = candidates.get(best);
        let attribute = candidate.attribute;
        let divided = state.perform(candidate, &|attribute, node| candidates.is_live(attribute, node))?;
        if self.state.columns[attribute].suppressed.is_some() {
            self.weigh_disclosures(attribute)?;
        } else {
            let step = self.state.steps.len() - 1;
            for child in 0..self.state.steps[step].children.len() {
                self.propose(attribute, self.state.steps[step].children[child])?;
            }
        }
        for Divided { index, place, groups } in divided {
            for (group, split) in groups {
                if split {
                    let places = self.state.indexes[index].partition.attributes().len();
                    (0..places).try_for_each(|place| self.count(index, group, place))?;
                } else {
                    self.count(index, group, place)?;
                }
            }
        }
        self.candidates.drop_dead(self.state.pace)
    }
}
