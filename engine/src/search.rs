//! The loop: perform the best valid and beneficial refinement until there is none (TDS Table 4,
//! TDR Algorithm 1, PDA Algorithm 1).
//!
//! What a step costs is counting. Gains follow from the histograms alone, and the measures of a
//! candidate x only ever worsen: the parts into which x would divide the groups are divided
//! further by every step, never joined. So each candidate carries its worst part so far, a step
//! counts the groups it has just divided and nothing else, and a candidate found invalid is
//! dropped for good. Of a group that has lost few records to a disclosure only these are counted
//! ([`Standing`]), and of disclosures that no score can tell apart only the first is looked at
//! (`kinds`). See docs/DESIGN.md.

mod candidates;
mod column;
mod kinds;
mod leaves;
mod parts;
mod problem;
mod recorded;
mod replay;
mod shares;
mod splits;
mod standing;
mod state;

pub use problem::{Attribute, Class, Problem, Sensitive};
pub use recorded::{How, Place, Recorded};
pub use replay::{replay, Replayed};

use crate::partition::{GroupId, Order};
use crate::progress::GROWING;
use crate::refine::interval::Split;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::trace::Outcome;
use crate::utility::{BestSplit, NOISE};
use crate::{Code, Error, Pace, Reservation};
use candidates::Candidates;
use column::Column;
use hashbrown::HashMap;
use kinds::Kinds;
use parts::{is_valid, Measures};
use shares::Shares;
use splits::Splits;
use standing::Standing;
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
    /// By partition, group and column's place.
    standing: HashMap<(usize, GroupId, usize), Standing<'a>>,
    shares: Shares,
    splits: Splits,
}

impl<'a> Search<'a> {
    /// None performed yet, and no candidates.
    fn new(problem: Problem, pace: &'a Pace<'a>) -> Result<Search<'a>, Error> {
        let mut state = State::new(problem, pace)?;
        let nodes: Vec<usize> = state.columns.iter().map(|column| column.hierarchy.nodes().len()).collect();
        let candidates = Candidates::new(&nodes, &mut state.memory)?;
        if state.split == Split::Valid {
            let records = state.indexes.iter().map(|index| index.partition.size(0)).max().unwrap_or(0);
            let codes = state.columns.iter().map(|column| column.hierarchy.codes()).max().unwrap_or(0);
            let (of_record, of_code) = Order::BYTES;
            let bytes = records.saturating_mul(of_record).saturating_add(codes.saturating_mul(of_code));
            state.memory.grow(bytes.saturating_mul(GROWING))?;
        }
        let (standing, shares, splits) = (HashMap::new(), Shares::default(), Splits::default());
        Ok(Search { state, candidates, standing, shares, splits })
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
        self.settle()?;
        (0..self.state.columns.len()).try_for_each(|attribute| self.weigh_disclosures(attribute))
    }

    /// Makes candidates of what a node that has just come into the cut can become.
    fn propose(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        let has_points = self.has_points(attribute, node);
        let Search { state, candidates, .. } = self;
        let (pace, requirements) = (state.pace, state.current.len());
        let column = &mut state.columns[attribute];
        if let Some(suppressed) = &column.suppressed {
            if node == TOP && state.utility.beneficial(suppressed) {
                let codes = column.hierarchy.codes();
                // Given the leaves, values of a kind differ in what they tell.
                if state.leaves.is_none() {
                    let on_column = column.requirements.len();
                    let kinds = Kinds::new(&column.histogram, codes, on_column, &mut state.memory)?;
                    candidates.sort(attribute, kinds);
                }
                candidates.reserve(codes, requirements, &mut state.memory)?;
                for code in 0..codes as Code {
                    let after = state.unmeasured()?;
                    candidates.add(attribute, Hierarchy::disclosed(code), code, after, pace)?;
                }
            }
            return Ok(());
        }
        candidates.reserve(1, requirements, &mut state.memory)?;
        if has_points {
            return self.propose_points(attribute, node);
        }
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
        let (_, candidate) = candidates.add(attribute, node, first, state.unmeasured()?, pace)?;
        (candidate.gain, candidate.records) = (gain, records.records());
        Ok(())
    }

    /// The gains of all disclosures of a column, which change with what is in `*`.
    fn weigh_disclosures(&mut self, attribute: usize) -> Result<(), Error> {
        let State { pace, utility, ref columns, .. } = self.state;
        let Column { suppressed, histogram, .. } = &columns[attribute];
        let (Some(suppressed), Some(kinds)) = (suppressed, self.candidates.kinds(attribute)) else {
            return Ok(());
        };
        kinds.weigh(&utility.weighing(histogram, suppressed, pace)?, pace)
    }

    /// Puts the candidates in order that the last counts have changed.
    fn settle(&mut self) -> Result<(), Error> {
        self.split_elsewhere()?;
        let State { pace, utility, columns, current, memory, .. } = &mut self.state;
        self.candidates.settle(columns, current, *utility, memory, pace)
    }

    /// Counts a group by what each live candidate on the column at `place` would make of it, and
    /// takes the worst part into the candidate's measures. Whether there was any.
    fn count(&mut self, index: usize, group: GroupId, place: usize) -> Result<bool, Error> {
        self.standing.remove(&(index, group, place));
        self.state.pace.tick(1)?;
        let partition = &self.state.indexes[index].partition;
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        if !self.candidates.is_live(attribute, node) {
            return Ok(false);
        }
        if self.state.columns[attribute].hierarchy.is_suppression() {
            self.count_values(index, group, place)?;
        } else {
            self.count_parts(index, group, place)?;
            if let Some(candidate) = self.candidates.living(attribute, node) {
                let State { models, indexes, pace, .. } = &self.state;
                self.splits.look_at(candidate, models, &indexes[index], (group, place), pace)?;
            }
        }
        Ok(true)
    }

    /// Counts a group in `*` by the values that may be disclosed.
    fn count_values(&mut self, number: usize, group: GroupId, place: usize) -> Result<(), Error> {
        let Search { state, candidates, .. } = self;
        let State { pace, models, current, indexes, .. } = state;
        let (measures, index) = (Measures { models, current }, &mut indexes[number]);
        let attribute = index.partition.attributes()[place];
        index.partition.tally(group, place, None, &mut index.tally, pace)?;
        let whole = index.whole(pace)?;
        let mut rest = whole.clone();
        for &code in &index.tally.touched {
            pace.tick(1)?;
            candidates.worsen(attribute, Hierarchy::disclosed(code), |after| {
                let groups = index.groups(code, index.tally.records[code as usize]);
                let mut worse = measures.take_worse(after, groups, pace)?;
                rest.subtract(&whole, &index.tally, code, pace)?;
                if rest.records > 0 {
                    worse |= measures.take_worse(after, index.groups_of(&rest), pace)?;
                }
                worse.then(|| is_valid(models, after, pace)).transpose()
            })?;
        }
        self.count_share(number, group, place)
    }

    /// Counts a group by the children of its node, for the candidate that would refine that.
    fn count_parts(&mut self, number: usize, group: GroupId, place: usize) -> Result<(), Error> {
        let Search { state, candidates, splits, .. } = self;
        let State { pace, models, current, columns, indexes, .. } = state;
        let (measures, index) = (Measures { models, current }, &mut indexes[number]);
        let (attribute, node) = (index.partition.attributes()[place], index.partition.node(group, place));
        // Where one point is invalid another may not be.
        let has_points = candidates.living(attribute, node).is_some_and(|id| splits.has(id));
        candidates.worsen(attribute, node, |after| {
            let worse = index.take_parts(measures, group, place, &columns[attribute].slots, after, pace)?;
            worse.then(|| Ok(has_points || is_valid(models, after, pace)?)).transpose()
        })?;
        self.count_share(number, group, place)
    }

    /// Of a leaf that the tally has just counted, the shares in what is told of the class.
    fn count_share(&mut self, index: usize, group: GroupId, place: usize) -> Result<(), Error> {
        let Search { state, candidates, shares, .. } = self;
        let State { columns, indexes, leaves, memory, pace, .. } = state;
        let Some(leaves) = leaves.as_ref().filter(|leaves| leaves.index == index) else { return Ok(()) };
        let index = &indexes[index];
        let column = &columns[index.partition.attributes()[place]];
        shares.count((leaves, index), (group, place), column, candidates, memory, pace)
    }

    /// Counts what a disclosure has left of a group, `left` being the group that left it: by what it
    /// counted before, if that is known. (What a leaf tells of the class, and where an interval may be split, is not.)
    fn count_rest(&mut self, index: usize, rest: GroupId, left: GroupId, place: usize) -> Result<(), Error> {
        let key = (index, rest, place);
        let partition = &self.state.indexes[index].partition;
        let (size, fewer) = (partition.size(rest), partition.size(left));
        let leaf = self.state.leaves.as_ref().is_some_and(|leaves| leaves.index == index);
        let attribute = partition.attributes()[place];
        let known = !leaf && !self.has_points(attribute, partition.node(rest, place));
        if !known || !Standing::pays(fewer, size) {
            return self.count(index, rest, place).map(drop);
        }
        if let Some(mut standing) = self.standing.remove(&key) {
            if self.count_less(&mut standing, index, left, place)? {
                self.standing.insert(key, standing);
            }
        } else if self.count(index, rest, place)? {
            let State { pace, indexes, .. } = &self.state;
            let memory = Reservation::empty(pace.progress());
            if let Some(standing) = Standing::new(&indexes[index], size, memory, pace)? {
                self.standing.insert(key, standing);
            }
        }
        Ok(())
    }

    /// Counts a group by what it counted before and what `left` it since. Whether there was any candidate.
    fn count_less(
        &mut self,
        standing: &mut Standing,
        index: usize,
        left: GroupId,
        place: usize,
    ) -> Result<bool, Error> {
        let Search { state, candidates, .. } = self;
        let State { pace, models, current, columns, indexes, .. } = state;
        let measures = Measures { models, current };
        let index = &mut indexes[index];
        let attribute = index.partition.attributes()[place];
        let Column { hierarchy, slots, .. } = &columns[attribute];
        let suppression = hierarchy.is_suppression();
        // What left holds what the rest does, but in the column of the disclosure, where that is `*`.
        let node = if suppression { TOP } else { index.partition.node(left, place) };
        if !candidates.is_live(attribute, node) {
            return Ok(false);
        }
        let slots = (!suppression).then_some(&slots[..]);
        index.partition.tally(left, place, slots, &mut index.tally, pace)?;
        standing.remove(&index.tally, pace)?;
        let refined = |child| if suppression { Hierarchy::disclosed(child) } else { node };
        for &child in &index.tally.touched {
            let Some(counts) = standing.counts(child) else { continue };
            candidates.worsen(attribute, refined(child), |after| {
                measures.worsen(after, index.groups_of(counts), pace)
            })?;
        }
        if suppression {
            standing.each_worse_rest(index, measures, pace, |code, rest| {
                let disclosed = Hierarchy::disclosed(code);
                if let Some(rest) = rest {
                    candidates.worsen(attribute, disclosed, |after| {
                        measures.worsen(after, index.groups_of(rest), pace)
                    })?;
                }
                Ok(candidates.is_live(attribute, disclosed))
            })?;
        }
        Ok(true)
    }

    /// The candidate with the best score.
    fn best(&self) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, f64)> = None;
        for (id, candidate) in self.candidates.in_order() {
            self.state.pace.tick(1 + self.state.columns[candidate.attribute].requirements.len())?;
            let loss = self.state.loss(candidate);
            let gain = self.state.gain(candidate, self.candidates.gain(id));
            if gain < 0.0 {
                continue;
            }
            // Better by more than rounding, so that ties are broken by order alone.
            let surely = self.state.score.of(gain - NOISE, loss);
            if best.is_none_or(|(_, most)| surely > most) {
                best = Some((id, self.state.score.of(gain, loss)));
            }
        }
        Ok(best.map(|(id, _)| id))
    }

    /// Performs a candidate; then the new candidates and the counts.
    fn perform(&mut self, best: usize) -> Result<(), Error> {
        let Search { state, candidates, splits, .. } = self;
        let mut candidate = candidates.take(best);
        let attribute = candidate.attribute;
        if let Some(at) = splits.take(best) {
            state.columns[attribute].hierarchy.split(candidate.node, at, &mut state.kept)?;
        }
        if let (Some(all), None) = (&state.columns[attribute].suppressed, candidates.kinds(attribute)) {
            let histogram = &state.columns[attribute].histogram;
            candidate.gain = state.utility.disclosure_gain(histogram, all, candidate.first, state.pace)?;
        }
        let divided = state.perform(&candidate, &|attribute, node| candidates.is_live(attribute, node))?;
        if let Some(suppressed) = &state.columns[attribute].suppressed {
            if !state.utility.beneficial(suppressed) {
                candidates.drop_all(attribute, state.pace)?;
            }
            divided.into_iter().try_for_each(|divided| self.count_disclosed(divided))?;
            self.settle()?;
            return self.weigh_disclosures(attribute);
        }
        let step = self.state.steps.len() - 1;
        for child in 0..self.state.steps[step].children.len() {
            self.propose(attribute, self.state.steps[step].children[child])?;
        }
        for Divided { index, place, groups } in divided {
            for (group, split) in groups {
                if split {
                    let places = self.state.indexes[index].partition.attributes().len();
                    (0..places).try_for_each(|place| self.count(index, group, place).map(drop))?;
                } else {
                    self.count(index, group, place)?;
                }
            }
        }
        self.settle()
    }

    /// Counts the groups that a disclosure has divided: of each what is left in `*`, then what is not.
    fn count_disclosed(&mut self, Divided { index, place, groups }: Divided) -> Result<(), Error> {
        let places = self.state.indexes[index].partition.attributes().len();
        let mut rest = None;
        for (group, split) in groups {
            match rest.take() {
                Some(rest) => {
                    for place in 0..places {
                        self.count_rest(index, rest, group, place)?;
                        self.count(index, group, place)?;
                    }
                }
                None if split => rest = Some(group),
                // All of its records are disclosed.
                None => _ = self.count(index, group, place)?,
            }
        }
        Ok(())
    }
}
