//! The loop: perform the best valid and beneficial refinement until there is none (TDS Table 4,
//! TDR Algorithm 1, PDA Algorithm 1).
//!
//! What a step costs is counting. Gains follow from the histograms alone, and the measures of a
//! candidate x only ever worsen: the parts into which x would divide the groups are divided
//! further by every step, never joined. So each candidate carries its worst part so far, a step
//! counts the groups it has just divided and nothing else, and a candidate found invalid is
//! dropped for good. See docs/DESIGN.md.

mod candidates;
mod problem;

pub use problem::{Attribute, Class, Problem, Sensitive};

use crate::partition::{Arms, GroupId, Partition, Tally};
use crate::privacy::{Direction, GroupCounts, PrivacyModel};
use crate::progress::GROWING;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::table::{ClassCounts, Histogram};
use crate::trace::{Cut, Outcome, Step};
use crate::utility::{denoised, entropy, BestSplit, Score, Utility, NOISE};
use crate::{Code, Error, Pace, Reservation};
use candidates::{Candidate, Candidates};
use std::ops::Range;

/// Searches the problem's most useful table that keeps its models. The outcome is held under
/// `memory`, the hierarchies that were given with it excepted.
pub fn search(problem: Problem, memory: &mut Reservation) -> Result<Outcome, Error> {
    let max_steps = problem.max_steps.unwrap_or(usize::MAX);
    let pace = Pace::new(memory.progress());
    let mut search = Search::new(problem, &pace)?;
    search.start()?;
    while search.steps.len() < max_steps {
        pace.poll()?;
        match search.best()? {
            Some((best, loss, score)) => search.perform(best, loss, score)?,
            None => break,
        }
    }
    let (outcome, kept) = search.finish();
    memory.absorb(kept);
    Ok(outcome)
}

/// A privacy model, where its measures stand, and whether its validity is tested.
struct Model {
    model: Box<dyn PrivacyModel>,
    requirements: Range<usize>,
    redundant: Option<usize>,
}

/// A partition and the models that look at its groups.
struct Index {
    partition: Partition,
    models: Vec<usize>,
    /// For each model, which of the partition's sensitive columns it counts.
    sensitive: Vec<Option<usize>>,
    tally: Tally,
}

/// One column's state.
struct Column {
    hierarchy: Hierarchy,
    histogram: Histogram,
    cut: Cut,
    /// For each code, the child of its node in the cut that it would fall to.
    slots: Vec<u32>,
    /// The classes of the records in `*`, under suppression.
    suppressed: Option<ClassCounts>,
    /// The requirements on the column, and which way each worsens.
    requirements: Vec<(usize, Direction)>,
}

struct Search<'a> {
    pace: &'a Pace<'a>,
    score: Score,
    utility: Utility,
    models: Vec<Model>,
    columns: Vec<Column>,
    indexes: Vec<Index>,
    candidates: Candidates,
    /// Each requirement's measure now.
    current: Vec<f64>,
    steps: Vec<Step>,
    /// What the search needs.
    memory: Reservation<'a>,
    /// What its outcome will hold.
    kept: Reservation<'a>,
}

impl<'a> Search<'a> {
    /// The measures of the most general table, and the first candidates.
    fn start(&mut self) -> Result<(), Error> {
        let mut measures = vec![0.0; self.current.len()];
        for index in &mut self.indexes {
            index.partition.tally_all(0, &mut index.tally, self.pace)?;
            for (m, group) in index.groups(0, index.tally.records[0]) {
                let Model { model, requirements, .. } = &self.models[m];
                model.measure(group, &mut measures[requirements.clone()], self.pace)?;
            }
        }
        self.current = measures;
        for (m, Model { model, requirements, .. }) in self.models.iter().enumerate() {
            for (requirement, &achieved) in self.current[requirements.clone()].iter().enumerate() {
                self.pace.tick(1)?;
                if !model.holds(achieved) {
                    return Err(Error::Unsatisfiable { model: m, requirement, achieved });
                }
            }
        }
        for attribute in 0..self.columns.len() {
            self.propose(attribute, TOP)?;
        }
        for i in 0..self.indexes.len() {
            for place in 0..self.indexes[i].partition.attributes().len() {
                self.count(i, 0, place)?;
            }
        }
        self.candidates.drop_dead(self.pace)
    }

    /// Makes candidates of what a node that has just come into the cut can become.
    fn propose(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        let pace = self.pace;
        let column = &mut self.columns[attribute];
        let requirements = self.current.len();
        if column.hierarchy.is_suppression() {
            if node == TOP {
                let codes = column.hierarchy.codes() as Code;
                self.candidates.reserve(attribute, codes as usize, requirements, &mut self.memory)?;
                column.suppressed = Some(column.histogram.counts(0..codes, pace)?);
                for code in 0..codes {
                    let disclosed = Hierarchy::disclosed(code);
                    let after = self.unmeasured(requirements)?;
                    self.candidates.add(attribute, disclosed, code, after, pace)?;
                }
                self.weigh_disclosures(attribute)?;
            }
            return Ok(());
        }
        self.candidates.reserve(attribute, 1, requirements, &mut self.memory)?;
        let split = BestSplit { utility: self.utility, histogram: &column.histogram };
        column.hierarchy.grow(node, &split, &mut self.kept, pace)?;
        let refined = column.hierarchy.node(node);
        let records = column.histogram.counts(refined.codes.clone(), pace)?;
        if refined.children.is_empty() || !self.utility.beneficial(&records) {
            return Ok(());
        }
        for (slot, &child) in (0..).zip(&refined.children) {
            let codes = column.hierarchy.node(child).codes.clone();
            pace.each(codes, |code| column.slots[code as usize] = slot)?;
        }
        let gain = self.utility.gain(&column.hierarchy, &column.histogram, node, pace)?;
        let first = refined.codes.start;
        let after = self.unmeasured(requirements)?;
        let candidate = self.candidates.add(attribute, node, first, after, pace)?;
        (candidate.gain, candidate.records) = (gain, records.records());
        Ok(())
    }

    /// The measures of no group at all.
    fn unmeasured(&self, requirements: usize) -> Result<Vec<f64>, Error> {
        self.pace.tick(requirements)?;
        let mut after = vec![0.0; requirements];
        for Model { model, requirements, .. } in &self.models {
            after[requirements.clone()].fill(model.direction().best());
        }
        Ok(after)
    }

    /// The gains of all disclosures of a column, which change with what is in `*`.
    fn weigh_disclosures(&mut self, attribute: usize) -> Result<(), Error> {
        let pace = self.pace;
        let column = &self.columns[attribute];
        let Some(suppressed) = &column.suppressed else { return Ok(()) };
        let utility = self.utility;
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
        let pace = self.pace;
        pace.tick(1)?;
        let index = &mut self.indexes[index];
        let attribute = index.partition.attributes()[place];
        let column = &self.columns[attribute];
        let node = index.partition.node(group, place);
        let suppression = column.hierarchy.is_suppression();
        if !self.candidates.is_live(attribute, node, suppression) {
            return Ok(());
        }
        let slots = (!suppression).then_some(&column.slots[..]);
        index.partition.tally(group, place, slots, &mut index.tally, pace)?;
        if suppression {
            let whole = index.whole(pace)?;
            let mut rest = whole.clone();
            for &code in &index.tally.touched {
                pace.tick(1)?;
                let disclosed = Hierarchy::disclosed(code);
                let Some(candidate) = self.candidates.live(attribute, disclosed) else { continue };
                let groups = index.groups(code, index.tally.records[code as usize]);
                take_worse(&self.models, candidate, groups, pace)?;
                rest.subtract(&whole, &index.tally, code, pace)?;
                if rest.records > 0 {
                    take_worse(&self.models, candidate, index.groups_of(&rest), pace)?;
                }
                candidate.alive = is_valid(&self.models, candidate, pace)?;
            }
        } else if let Some(candidate) = self.candidates.live(attribute, node) {
            for &arm in &index.tally.touched {
                pace.tick(1)?;
                let groups = index.groups(arm, index.tally.records[arm as usize]);
                take_worse(&self.models, candidate, groups, pace)?;
            }
            candidate.alive = is_valid(&self.models, candidate, pace)?;
        }
        Ok(())
    }

    /// The candidate with the best score, its privacy loss and its score.
    fn best(&self) -> Result<Option<(usize, f64, f64)>, Error> {
        let mut best: Option<(usize, f64, f64)> = None;
        for (id, candidate) in self.candidates.in_order() {
            self.pace.tick(1 + self.columns[candidate.attribute].requirements.len())?;
            let loss = self.privacy_loss(candidate);
            // Better by more than rounding, so that ties are broken by order alone.
            let surely = self.score.of(candidate.gain - NOISE, loss);
            if best.is_none_or(|(_, _, most)| surely > most) {
                best = Some((id, loss, self.score.of(candidate.gain, loss)));
            }
        }
        Ok(best)
    }

    /// AnonyLoss(v), PrivLoss(v): the mean worsening over the requirements on the column.
    fn privacy_loss(&self, candidate: &Candidate) -> f64 {
        let on_column = &self.columns[candidate.attribute].requirements;
        let worsening = |&(r, direction): &(usize, Direction)| {
            let after = direction.worse(self.current[r], candidate.after[r]);
            direction.worsening(self.current[r], after)
        };
        denoised(on_column.iter().map(worsening).sum::<f64>() / on_column.len() as f64)
    }

    /// Performs a refinement: the step, the cut, the partitions, the new candidates, the counts.
    fn perform(&mut self, best: usize, privacy_loss: f64, score: f64) -> Result<(), Error> {
        let pace = self.pace;
        let Candidate { attribute, node, first, records, gain, .. } = *self.candidates.get(best);
        pace.tick(self.current.len())?;
        self.worsen(best);
        self.candidates.kill(best);
        let column = &mut self.columns[attribute];
        let below = column.hierarchy.node(node).children.len();
        let _children = Reservation::of::<NodeId>(pace.progress(), below)?;
        let (refined, children) = match &mut column.suppressed {
            Some(suppressed) => {
                suppressed.remove(column.histogram.cells(first), pace)?;
                (TOP, vec![node, TOP])
            }
            None => (node, column.hierarchy.node(node).children.clone()),
        };
        column.cut.refine(&column.hierarchy, refined, &children, pace)?;
        self.kept.grow_by::<Step>(GROWING)?;
        self.kept.grow_by::<NodeId>(children.len())?;
        self.kept.grow_by::<f64>(self.models.len())?;
        self.steps.push(Step {
            attribute,
            node: refined,
            children: children.clone(),
            records,
            info_gain: gain,
            privacy_loss,
            score,
            achieved: (0..self.models.len()).map(|m| self.achieved(m)).collect(),
        });
        let divided = self.divide(attribute, first, refined, node, &children)?;
        if self.columns[attribute].suppressed.is_some() {
            self.weigh_disclosures(attribute)?;
        } else {
            children.iter().try_for_each(|&child| self.propose(attribute, child))?;
        }
        for (index, place, groups) in divided {
            for (group, split) in groups {
                if split {
                    let places = self.indexes[index].partition.attributes().len();
                    (0..places).try_for_each(|place| self.count(index, group, place))?;
                } else {
                    self.count(index, group, place)?;
                }
            }
        }
        self.candidates.drop_dead(pace)
    }

    /// The measures after the step are those of the candidate.
    fn worsen(&mut self, best: usize) {
        let candidate = self.candidates.get(best);
        for Model { model, requirements, .. } in &self.models {
            for r in requirements.clone() {
                self.current[r] = model.direction().worse(self.current[r], candidate.after[r]);
            }
        }
    }

    /// Divides the groups on the refined node's link, in every partition over its column.
    #[allow(clippy::type_complexity)]
    fn divide(
        &mut self,
        attribute: usize,
        code: Code,
        refined: NodeId,
        node: NodeId,
        children: &[NodeId],
    ) -> Result<Vec<(usize, usize, Vec<(GroupId, bool)>)>, Error> {
        let Search { columns, candidates, indexes, memory, pace, .. } = self;
        let arms = match columns[attribute].suppressed {
            Some(_) => Arms::Disclose(code, node),
            None => Arms::Children(&columns[attribute].slots, children),
        };
        let mut divided = Vec::new();
        for (i, Index { partition, .. }) in indexes.iter_mut().enumerate() {
            let Some(place) = partition.place(attribute) else { continue };
            let attributes = partition.attributes().to_vec();
            let live = |place: usize, node: NodeId| {
                let attribute = attributes[place];
                candidates.is_live(attribute, node, columns[attribute].hierarchy.is_suppression())
            };
            divided.push((i, place, partition.refine(place, refined, arms, &live, memory, pace)?));
        }
        Ok(divided)
    }

    /// A model's measure now: the worst of its requirements'.
    fn achieved(&self, model: usize) -> f64 {
        let Model { model, requirements, .. } = &self.models[model];
        let direction = model.direction();
        self.current[requirements.clone()].iter().fold(direction.best(), |a, &b| direction.worse(a, b))
    }

    fn finish(self) -> (Outcome, Reservation<'a>) {
        let achieved = (0..self.models.len()).map(|m| self.achieved(m)).collect();
        let (cuts, hierarchies) = self.columns.into_iter().map(|c| (c.cut, c.hierarchy)).unzip();
        let redundant = self.models.iter().map(|m| m.redundant).collect();
        (Outcome { steps: self.steps, cuts, hierarchies, achieved, redundant }, self.kept)
    }
}

/// Counts of a whole group, or of what a disclosure leaves of it.
#[derive(Debug, Clone)]
struct Whole {
    records: u32,
    sensitive: Vec<Vec<u32>>,
}

impl Whole {
    /// Becomes `whole` without the records of one child.
    fn subtract(&mut self, whole: &Whole, tally: &Tally, arm: u32, pace: &Pace) -> Result<(), Error> {
        self.records = whole.records - tally.records[arm as usize];
        for (s, (rest, all)) in self.sensitive.iter_mut().zip(&whole.sensitive).enumerate() {
            let counts = rest.iter_mut().zip(all).zip(tally.values(s, arm));
            pace.each(counts, |((rest, all), part)| *rest = all - part)?;
        }
        Ok(())
    }
}

impl Index {
    /// The sum over all children of the tally.
    fn whole(&self, pace: &Pace) -> Result<Whole, Error> {
        let tally = &self.tally;
        let mut whole = Whole {
            records: 0,
            sensitive: (0..tally.sensitive_columns()).map(|s| vec![0; tally.values(s, 0).len()]).collect(),
        };
        for &arm in &tally.touched {
            pace.tick(1)?;
            whole.records += tally.records[arm as usize];
            for (s, counts) in whole.sensitive.iter_mut().enumerate() {
                pace.each(counts.iter_mut().zip(tally.values(s, arm)), |(sum, n)| *sum += n)?;
            }
        }
        Ok(whole)
    }

    /// One child of the tally, as each model sees it.
    fn groups(&self, arm: u32, records: u32) -> impl Iterator<Item = (usize, GroupCounts<'_>)> {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            (m, GroupCounts { records, sensitive: s.map_or(&[], |s| self.tally.values(s, arm)) })
        })
    }

    /// Other counts, as each model sees them.
    fn groups_of<'b>(&'b self, counts: &'b Whole) -> impl Iterator<Item = (usize, GroupCounts<'b>)> {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| &counts.sensitive[s]);
            (m, GroupCounts { records: counts.records, sensitive })
        })
    }
}

/// Takes one new group into the candidate's measures.
fn take_worse<'g>(
    models: &[Model],
    candidate: &mut Candidate,
    groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
    pace: &Pace,
) -> Result<(), Error> {
    let mut buffer = [0.0; 8];
    for (m, group) in groups {
        let Model { model, requirements, .. } = &models[m];
        let direction = model.direction();
        let mut many;
        let measures = if requirements.len() <= buffer.len() {
            &mut buffer[..requirements.len()]
        } else {
            many = vec![0.0; requirements.len()];
            &mut many[..]
        };
        model.measure(group, measures, pace)?;
        pace.tick(measures.len())?;
        for (after, &measure) in candidate.after[requirements.clone()].iter_mut().zip(&*measures) {
            *after = direction.worse(*after, measure);
        }
    }
    Ok(())
}

/// Whether every model that is not made redundant by another would still hold.
fn is_valid(models: &[Model], candidate: &Candidate, pace: &Pace) -> Result<bool, Error> {
    pace.tick(candidate.after.len())?;
    let holds = |m: &Model| candidate.after[m.requirements.clone()].iter().all(|&after| m.model.holds(after));
    Ok(models.iter().filter(|m| m.redundant.is_none()).all(holds))
}
