//! The four ways to refine a node of one group: specialization, splitting some children off, split and disclosure. This
//! file finds the parts of each, tests the models on them, and sums up the uncertainty that remains and the privacy
//! losses.

use super::trial::{MeasuredGroup, Trial, TrialSums};
use super::Local;
use crate::partition::GroupId;
use crate::refine::interval::{Domain, SplitRule};
use crate::refine::NodeId;
use crate::search::column::Requirement;
use crate::search::counts::Counts;
use crate::search::halves::Halves;
use crate::search::leaves::class_entropy_sum;
use crate::search::measures::{Model, Models};
use crate::search::model_partition::ModelPartition;
use crate::search::recorded::Refinement;
use crate::search::state::State;
use crate::utility::{n_log_n, ClassHalves, NOISE};
use crate::{loss, pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// Inputs to the losses of a part.
#[derive(Clone, Copy)]
struct LossContext<'s> {
    models: &'s Models,
    /// Requirements on the column, and the group's measures by the number of the requirement.
    on_column: &'s [Requirement],
    before: &'s [f64],
    /// Weight of certainty loss.
    weight: f64,
}

impl LossContext<'_> {
    /// Returns what stays unknown of a part's records: their summed class `entropy`, plus the weighted certainty loss.
    fn part_uncertainty(&self, records: u32, entropy: f64, loss: f64) -> f64 {
        entropy + self.weight * loss * f64::from(records)
    }

    /// Adds a part by its measures, its summed class `entropy`, and the certainty loss of its value. AnonyLoss is a
    /// mean over the records here: each record counts the worsening of its own group. (In global recoding it is the
    /// worsening of the worst group: `State::privacy_loss`.)
    fn add_part(&self, sums: &mut TrialSums, records: u32, measures: &[f64], entropy: f64, loss: f64) {
        sums.parts += 1;
        sums.unknown += self.part_uncertainty(records, entropy, loss);
        let share = f64::from(records) / self.on_column.len() as f64;
        for r in self.on_column {
            let before = self.before[r.number];
            let after = r.direction.worse(before, measures[r.number]);
            sums.privacy_loss += share * r.direction.worsening(before, after);
            sums.relative_loss += share * self.models[r.model].model.relative_loss(before, after);
        }
    }
}

impl Local {
    /// Evaluates one refinement of a group. Returns None if a part would break a model.
    pub(super) fn try_one(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        refinement: Refinement,
    ) -> Result<Option<Trial>, Error> {
        self.count(whole.group, attribute, &refinement)?;
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let node = hierarchy.node(self.node(whole.group, attribute));
        let loss = |arm: Code| match (&refinement, hierarchy.domain()) {
            (Refinement::Specialize, _) => hierarchy.node(node.children[arm as usize]).loss,
            (Refinement::SplitOff { children }, _) => {
                children.get(arm as usize).map_or(node.loss, |&child| hierarchy.node(child).loss)
            }
            (Refinement::Split { at, .. }, Some(domain)) if arm == 0 => domain.loss(&(node.codes.start..*at)),
            (Refinement::Split { at, .. }, Some(domain)) => domain.loss(&(*at..node.codes.end)),
            (Refinement::Disclose { codes }, _) if arm as usize == codes.len() => loss::SUPPRESSED,
            _ => loss::SINGLE,
        };
        let tally = &self.state.tallies[0];
        // A part without rows of the table is no group.
        let touched = tally.touched.iter().copied().filter(|&arm| tally.records[arm as usize] > 0);
        let mut touched = pace::collect(touched)?;
        pace::sort_by(&mut touched, Ord::cmp)?;
        let part = |arm| Part { counts: PartCounts::Arm(arm), loss: loss(arm) };
        let parts = pace::collect(touched.into_iter().map(part))?;
        let sums = self.sum_parts(whole, attribute, &parts)?;
        Ok(sums.map(|sums| self.score(whole, attribute, refinement, sums)))
    }

    /// Evaluates a refinement into the first `at_once` of some parts, and into fewer of them until no part breaks a
    /// model. `refinement` makes the refinement into a number of parts.
    fn try_fewer(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        at_once: usize,
        refinement: impl Fn(usize) -> Refinement,
    ) -> Result<Option<Trial>, Error> {
        for at_once in (1..=at_once).rev() {
            if let Some(trial) = self.try_one(whole, attribute, refinement(at_once))? {
                return Ok(Some(trial));
            }
        }
        Ok(None)
    }

    /// Counts a group by the parts of a refinement.
    pub(super) fn count(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<(), Error> {
        self.assign_parts(group, attribute, refinement)?;
        let State { columns, partitions, tallies, .. } = &mut self.state;
        if let Refinement::SplitOff { children } = refinement {
            tallies[0].widen(children.len() + 1)?;
        }
        let part_of_code = &columns[attribute].part_of_code;
        partitions[0].count_children(group, attribute, Some(part_of_code), &mut tallies[0])
    }

    /// Counts a group by the values in `*`.
    pub(super) fn count_values(&mut self, group: GroupId, attribute: usize) -> Result<(), Error> {
        let State { partitions, tallies, .. } = &mut self.state;
        partitions[0].count_children(group, attribute, None, &mut tallies[0])
    }

    /// Sums up over `parts` of a group. Returns None if a part has too few rows or breaks a model.
    fn sum_parts(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        parts: &[Part],
    ) -> Result<Option<TrialSums>, Error> {
        let unmeasured = self.state.models.best().to_vec();
        let State { models, columns, partitions, tallies, leaves, .. } = &mut self.state;
        let (partition, tally, column) = (&partitions[0], &mut tallies[0], &columns[attribute]);
        let records = |part: &Part| match part.counts {
            PartCounts::Arm(arm) => tally.records[arm as usize],
            PartCounts::Rest(rest) => rest.records,
        };
        if parts.iter().any(|part| u64::from(records(part)) < self.min_group_size) {
            return Ok(None);
        }
        let class = leaves.as_ref().map(|leaves| leaves.class);
        let (on_column, before) = (&column.requirements[..], &whole.measures[..]);
        let context = LossContext { models, on_column, before, weight: self.weight };
        let mut measures = unmeasured.clone();
        let mut sums = TrialSums::default();
        for &Part { counts, loss } in parts {
            pace::tick(on_column.len())?;
            measures.clone_from(&unmeasured);
            let (holds, records, classes) = match counts {
                PartCounts::Arm(arm) => {
                    let child = tally.child(arm)?;
                    let holds = models.worsen_by_group(&mut measures, partition.child_by_model(child))?;
                    (holds, child.records(), class.map(|class| child.values(class)))
                }
                PartCounts::Rest(rest) => {
                    let holds = models.worsen_by_group(&mut measures, partition.counts_by_model(rest))?;
                    (holds, rest.records, class.map(|class| rest.value_counts(class)))
                }
            };
            if !holds {
                return Ok(None);
            }
            let entropy = classes.map_or(Ok(0.0), |classes| class_entropy_sum(classes, records))?;
            context.add_part(&mut sums, records, &measures, entropy, loss);
        }
        Ok(Some(sums))
    }

    /// Refines the group's node into its children. If some of the children would break a model, splits off the valid
    /// ones, and the rest stays at the node. The smallest valid children join the rest until it is valid, or empty.
    pub(super) fn specialize(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
    ) -> Result<Option<Trial>, Error> {
        let trial = self.try_one(whole, attribute, Refinement::Specialize)?;
        if trial.is_some() || u64::from(whole.counts.records) / 2 < self.min_group_size {
            return Ok(trial);
        }
        let children =
            &self.state.columns[attribute].hierarchy.node(self.node(whole.group, attribute)).children;
        let children = pace::collect(children.iter().copied())?;
        self.split_off_counted(whole, attribute, &children)
    }

    /// Splits off the nodes `among`, anywhere below the group's node, by the rule of [`Local::specialize`].
    pub(super) fn split_off(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        among: &[NodeId],
    ) -> Result<Option<Trial>, Error> {
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let node = self.node(whole.group, attribute);
        let are_children = among.iter().all(|child| hierarchy.node(*child).parent == Some(node));
        let refinement = Refinement::SplitOff { children: pace::collect(among.iter().copied())? };
        self.count(whole.group, attribute, &refinement)?;
        let is_rest = |arm: &Code| *arm as usize == among.len();
        let has_rest = self.state.tallies[0].touched.iter().any(is_rest);
        if are_children && !has_rest {
            if let Some(trial) = self.try_one(whole, attribute, Refinement::Specialize)? {
                return Ok(Some(trial));
            }
            self.count(whole.group, attribute, &refinement)?;
        }
        if are_children && u64::from(whole.counts.records) / 2 < self.min_group_size {
            return Ok(None);
        }
        self.split_off_counted(whole, attribute, among)
    }

    /// Splits off the `children` that the group was counted by, by the rule of [`Local::specialize`]. Rows of other
    /// nodes are in one arm behind theirs.
    fn split_off_counted(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        children: &[NodeId],
    ) -> Result<Option<Trial>, Error> {
        let ValidParts { largest, at_once, rest } =
            self.valid_parts(|arm| (arm as usize) < children.len())?;
        let refinement = |at_once: usize| {
            let mut arms = largest[..at_once].to_vec();
            arms.sort_unstable();
            Refinement::SplitOff { children: arms.iter().map(|&arm| children[arm as usize]).collect() }
        };
        if self.state.models.iter().any(|model| model.model.person().is_some()) {
            // The sum for the rest may count a person more than once, so the parts are counted anew. The rest gets one
            // part more until it is valid.
            return self.try_fewer(whole, attribute, at_once, refinement);
        }
        if at_once == 0 {
            return Ok(None);
        }
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let loss = |node: NodeId| hierarchy.node(node).loss;
        let mut arms = pace::collect(largest[..at_once].iter().copied())?;
        pace::sort_by(&mut arms, Ord::cmp)?;
        let parts =
            arms.iter().map(|&arm| Part { counts: PartCounts::Arm(arm), loss: loss(children[arm as usize]) });
        let stays = (rest.records > 0).then(|| {
            let loss = loss(self.node(whole.group, attribute));
            Part { counts: PartCounts::Rest(&rest), loss }
        });
        let sums = self.sum_parts(whole, attribute, &pace::collect(parts.chain(stays))?)?;
        Ok(sums.map(|sums| self.score(whole, attribute, refinement(at_once), sums)))
    }

    /// Discloses values out of `*`: the most frequent ones that are valid, all at once, or a single one. Returns the
    /// alternative with the better score.
    pub(super) fn disclose(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
    ) -> Result<Option<Trial>, Error> {
        self.count_values(whole.group, attribute)?;
        let ValidParts { largest: values, at_once, .. } = self.valid_parts(|_| true)?;
        let disclose = |at_once: usize| Refinement::Disclose { codes: values[..at_once].to_vec() };
        // Each value is valid by itself. If the rest is not, its sum counted some persons more than once.
        let together = self.try_fewer(whole, attribute, at_once, disclose)?;
        let counts_per_value = |model: &Model| model.model.counts_persons_per_value();
        let one = match &together {
            Some(Trial { refinement: Refinement::Disclose { codes }, .. }) if codes.len() <= 1 => None,
            Some(_) if self.state.models.iter().any(counts_per_value) => {
                self.first_valid_single(whole, attribute, &values)?
            }
            // The most frequent value alone is valid: the others join the rest, and a union of valid groups is valid.
            Some(_) => values.first().copied(),
            // The most frequent value cannot be disclosed, with others or alone: the rest needs it. Try the others.
            None => self.first_valid_single(whole, attribute, values.get(1..).unwrap_or_default())?,
        };
        let Some(code) = one else { return Ok(together) };
        let alone = self.try_one(whole, attribute, Refinement::disclose(code))?;
        Ok(match (together, alone) {
            (Some(together), Some(alone)) if !alone.is_better_than(&together) => Some(together),
            (together, alone) => alone.or(together),
        })
    }

    /// Discloses the values `among`. If some of them would break a model, discloses the valid ones. The least frequent
    /// of these stay in `*` until the rest is valid, or empty.
    pub(super) fn disclose_among(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        among: Vec<Code>,
    ) -> Result<Option<Trial>, Error> {
        let all = Refinement::Disclose { codes: pace::collect(among.iter().copied())? };
        if let Some(trial) = self.try_one(whole, attribute, all)? {
            return Ok(Some(trial));
        }
        self.count_values(whole.group, attribute)?;
        let may: HashSet<Code> = among.iter().copied().collect();
        let ValidParts { largest, at_once, .. } = self.valid_parts(|code| may.contains(&code))?;
        self.try_fewer(whole, attribute, at_once, |at_once| {
            let kept: HashSet<Code> = largest[..at_once].iter().copied().collect();
            Refinement::Disclose { codes: among.iter().copied().filter(|code| kept.contains(code)).collect() }
        })
    }

    /// Finds the first of `values` whose disclosure alone leaves a valid rest.
    fn first_valid_single(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        values: &[Code],
    ) -> Result<Option<Code>, Error> {
        if values.is_empty() {
            return Ok(None);
        }
        self.count_values(whole.group, attribute)?;
        let State { models, partitions, tallies, .. } = &mut self.state;
        let (partition, tally) = (&partitions[0], &mut tallies[0]);
        let mut rest = Counts::zero_for_tally(tally);
        for &code in values {
            rest.set_to_rest(&whole.counts, tally.child(code)?)?;
            let is_few = u64::from(rest.records) < self.min_group_size;
            if !is_few && models.hold_for(partition.counts_by_model(&rest))? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// Splits an interval at the best point with two valid halves: the one that leaves least unknown. For
    /// [`SplitRule::Median`] it is the most even one, and what stays unknown breaks ties.
    pub(super) fn split(&mut self, whole: &MeasuredGroup, attribute: usize) -> Result<Option<Trial>, Error> {
        if u64::from(whole.counts.records) / 2 < self.min_group_size {
            return Ok(None);
        }
        let node = self.node(whole.group, attribute);
        let Local { state, order, weight, min_group_size, .. } = self;
        let State { models, columns, partitions, leaves, split, .. } = state;
        let (partition, column) = (&partitions[0], &columns[attribute]);
        let codes = column.hierarchy.node(node).codes.clone();
        let Some(domain) = column.hierarchy.domain() else { return Ok(None) };
        let class = leaves.as_ref().map(|leaves| leaves.class);
        let sensitive = partition.sensitive.iter().flatten().copied().chain(class);
        let (group, counts) = (whole.group, &whole.counts);
        let mut halves = Halves::new(partition, group, attribute, codes.clone(), counts, sensitive, order)?;
        let (on_column, before) = (&column.requirements[..], &whole.measures[..]);
        let mut search = SplitSearch {
            context: LossContext { models, on_column, before, weight: *weight },
            partition,
            domain,
            codes,
            is_even: *split == SplitRule::Median,
            noise: NOISE * f64::from(counts.records),
            measures: [models.best().to_vec(), models.best().to_vec()],
            best: None,
        };
        let mut classes = class.map(|class| SplitClassCounts::new(counts.value_counts(class))).transpose()?;
        while let Some(points) = halves.next_split(|s, value, rows| {
            if let Some(classes) = classes.as_mut().filter(|_| class == Some(s)) {
                classes.take(value, rows);
            }
        })? {
            if u64::from(halves.left.records) < *min_group_size {
                continue;
            }
            if u64::from(halves.right.records) < *min_group_size {
                break;
            }
            let Some(points) = allowed_points(domain, points)? else { continue };
            let rows = [halves.left.records, halves.right.records];
            let entropies = classes.as_mut().map_or(Ok([0.0; 2]), |classes| classes.entropy_sums(rows))?;
            search.try_points(points, [&halves.left, &halves.right], entropies)?;
        }
        let best = search.best;
        Ok(best.map(|best| self.score(whole, attribute, Refinement::split(best.at), best.sums)))
    }

    /// Finds the valid parts of the last count, among those that `is_candidate` accepts. If a model counts shares of
    /// persons, the rest cannot be tested by these counts: then all valid parts are to be tried at once, and the caller
    /// counts again.
    fn valid_parts(&mut self, is_candidate: impl Fn(Code) -> bool) -> Result<ValidParts, Error> {
        let State { models, partitions, tallies, .. } = &mut self.state;
        let (partition, tally) = (&partitions[0], &mut tallies[0]);
        let is_few = |records: u32| u64::from(records) < self.min_group_size;
        let mut valid: Vec<(u32, Code)> = Vec::new();
        let mut rest = Counts::zero_for_tally(tally);
        for at in 0..tally.touched.len() {
            let child = tally.child(tally.touched[at])?;
            let (arm, records) = (child.number(), child.records());
            if !is_few(records) && is_candidate(arm) && models.hold_for(partition.child_by_model(child))? {
                valid.push((records, arm));
            } else {
                rest.add(tally, arm)?;
            }
        }
        pace::sort_by(&mut valid, |one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)))?;
        let largest = pace::collect(valid.into_iter().map(|(_, arm)| arm))?;
        let mut at_once = largest.len();
        // A person may hold a value in several parts, and the sum counts that person in each. So the sum cannot decide
        // on models of shares of persons: the caller tests these.
        if models.iter().any(|model| model.model.counts_persons_per_value()) {
            return Ok(ValidParts { largest, at_once, rest });
        }
        // The rest is summed up from its parts, without another pass over the records.
        let holds =
            |rest: &Counts| Ok(!is_few(rest.records) && models.hold_for(partition.counts_by_model(rest))?);
        while at_once > 0 && rest.records > 0 && !holds(&rest)? {
            at_once -= 1;
            rest.add(tally, largest[at_once])?;
        }
        Ok(ValidParts { largest, at_once, rest })
    }
}

/// Part of a group after a refinement.
struct Part<'c> {
    counts: PartCounts<'c>,
    /// Certainty loss of its value.
    loss: f64,
}

/// Counts of a part: those of an arm of the tally, or those of the rest, summed up from several arms.
#[derive(Clone, Copy)]
enum PartCounts<'c> {
    Arm(Code),
    Rest(&'c Counts),
}

/// The parts of a group that keep the models and are not too small.
struct ValidParts {
    /// Their arms, by falling size.
    largest: Vec<Code>,
    /// Number of the first of these to be made at once: as many as leave a valid rest.
    at_once: usize,
    /// Counts of all other parts together.
    rest: Counts,
}

/// Search for the best split of a group's interval. The points come in ascending order.
struct SplitSearch<'s> {
    context: LossContext<'s>,
    partition: &'s ModelPartition,
    domain: &'s Domain,
    codes: Range<Code>,
    /// Whether a more even split is better, whatever it leaves unknown.
    is_even: bool,
    /// Rounding error of what a split leaves unknown. A split must be better by more, so that of equal splits the
    /// lowest wins.
    noise: f64,
    /// Buffer for the measures of both halves.
    measures: [Vec<f64>; 2],
    best: Option<BestGroupSplit>,
}

/// The best valid split so far.
struct BestGroupSplit {
    at: Code,
    /// Number of rows of the smaller half, if splits are to be even; otherwise 0.
    evenness: u32,
    sums: TrialSums,
}

impl SplitSearch<'_> {
    /// Tries points that split the group's rows alike. `entropies` has the summed class entropy of each half.
    fn try_points(
        &mut self,
        points: impl Iterator<Item = Code>,
        halves: [&Counts; 2],
        entropies: [f64; 2],
    ) -> Result<(), Error> {
        let rows = halves.map(|half| half.records);
        let evenness = if self.is_even { rows[0].min(rows[1]) } else { 0 };
        let mut is_measured = false;
        for at in points {
            let losses = [self.domain.loss(&(self.codes.start..at)), self.domain.loss(&(at..self.codes.end))];
            let [left, right] =
                [0, 1].map(|n| self.context.part_uncertainty(rows[n], entropies[n], losses[n]));
            if !self.is_best(evenness, left + right) {
                continue;
            }
            // Few splits are better than all before them, and only these are measured.
            if !is_measured && !self.measure(halves)? {
                break;
            }
            is_measured = true;
            let mut sums = TrialSums::default();
            for n in 0..2 {
                self.context.add_part(&mut sums, rows[n], &self.measures[n], entropies[n], losses[n]);
            }
            self.best = Some(BestGroupSplit { at, evenness, sums });
        }
        Ok(())
    }

    /// Returns whether a split would be better than the best so far, by its evenness and what it leaves unknown.
    fn is_best(&self, evenness: u32, unknown: f64) -> bool {
        self.best.as_ref().is_none_or(|best| {
            evenness > best.evenness || evenness == best.evenness && unknown < best.sums.unknown - self.noise
        })
    }

    /// Measures both halves. Returns whether every model holds for them.
    fn measure(&mut self, halves: [&Counts; 2]) -> Result<bool, Error> {
        let models = self.context.models;
        for (half, measures) in halves.into_iter().zip(&mut self.measures) {
            measures.copy_from_slice(models.best());
            if !models.worsen_by_group(measures, self.partition.counts_by_model(half))? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Returns the split points to try between two neighboring values: the first and the last allowed one. All points
/// between them separate the same records, and the certainty loss is least at one of the outermost. Returns None if no
/// point is allowed.
pub(super) fn allowed_points(
    domain: &Domain,
    between: Range<Code>,
) -> Result<Option<impl Iterator<Item = Code>>, Error> {
    pace::tick(between.len())?;
    let mut allowed = between.filter(|&at| domain.may_split(at));
    let first = allowed.next();
    Ok(first.map(|first| std::iter::once(first).chain(allowed.next_back())))
}

/// Class counts on both sides of a split that moves upwards.
struct SplitClassCounts {
    halves: ClassHalves,
    /// Rows that move to the left next, by class.
    moving: Vec<u32>,
    touched: Vec<Code>,
}

impl SplitClassCounts {
    /// Begins with all rows on the right.
    fn new(all: &[u32]) -> Result<SplitClassCounts, Error> {
        let halves = ClassHalves::new(all.iter().map(|&n| u64::from(n)))?;
        Ok(SplitClassCounts { halves, moving: pace::collect(all.iter().map(|_| 0))?, touched: Vec::new() })
    }

    fn take(&mut self, class: Code, rows: u32) {
        if self.moving[class as usize] == 0 {
            self.touched.push(class);
        }
        self.moving[class as usize] += rows;
    }

    /// Moves the rows that were taken. Returns the class entropy of both sides, summed over their `rows`, in bits.
    fn entropy_sums(&mut self, rows: [u32; 2]) -> Result<[f64; 2], Error> {
        let SplitClassCounts { halves, moving, touched } = self;
        // Sums round, so they are added up in the order of the classes, and not in that of the records.
        pace::sort_by(touched, Ord::cmp)?;
        pace::each(touched.drain(..), |class| {
            halves.move_left(class, std::mem::take(&mut moving[class as usize]).into());
        })?;
        let [of_left, of_right] = rows.map(|rows| n_log_n(u64::from(rows)));
        Ok([of_left - halves.left_sum, of_right - halves.right_sum])
    }
}
