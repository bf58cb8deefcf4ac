//! The three ways to refine a node of one group: specialization, split and disclosure. This file finds the parts of
//! each, tests the models on them, and computes how much stays unknown of their records.

use super::trial::{LossWeight, MeasuredGroup, ScoredTrial, Trial, TrialOutcome};
use super::Local;
use crate::partition::{GroupId, Tally};
use crate::refine::interval::{Domain, SplitRule};
use crate::refine::NodeId;
use crate::search::column::Requirement;
use crate::search::counts::Counts;
use crate::search::halves::Halves;
use crate::search::leaves::class_entropy_sum;
use crate::search::measures::Models;
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
    weight: LossWeight,
}

impl LossContext<'_> {
    /// Returns what stays unknown of a part's records: their class entropy `classes`, plus the weighted certainty loss.
    fn part_uncertainty(&self, records: u32, classes: f64, loss: f64) -> f64 {
        classes + self.weight.apply(loss) * f64::from(records)
    }

    /// Adds a part by its measures, its summed class entropy `classes`, and the certainty loss of its value. AnonyLoss
    /// is a mean over the records here: each record counts the worsening of its own group. (In global recoding it is
    /// the worsening of the worst group: `State::privacy_loss`.)
    fn add_part(
        &self,
        tried: &mut TrialOutcome,
        records: u32,
        measures: &[f64],
        classes: f64,
        loss: f64,
    ) -> Result<(), Error> {
        pace::tick(self.on_column.len())?;
        tried.parts += 1;
        tried.unknown += self.part_uncertainty(records, classes, loss);
        let share = f64::from(records) / self.on_column.len() as f64;
        for r in self.on_column {
            let before = self.before[r.number];
            let after = r.direction.worse(before, measures[r.number]);
            tried.privacy_loss += share * r.direction.worsening(before, after);
            tried.relative_loss += share * self.models[r.model].model.relative_loss(before, after);
        }
        Ok(())
    }
}

impl Local {
    /// Evaluates one refinement of a group. Returns None if a part would break a model.
    pub(super) fn try_one(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<Option<TrialOutcome>, Error> {
        self.tally(whole.group, attribute, refinement)?;
        let column = &self.state.columns[attribute];
        let node = column.hierarchy.node(self.state.partitions[0].partition.node(whole.group, attribute));
        let loss = |arm: Code| match (refinement, column.hierarchy.domain()) {
            (Refinement::Specialize, _) => column.hierarchy.node(node.children[arm as usize]).loss,
            (Refinement::SplitOff { children }, _) => match children.get(arm as usize) {
                Some(&child) => column.hierarchy.node(child).loss,
                None => node.loss,
            },
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
        let parts = pace::collect(touched.into_iter().map(|arm| (Part::Arm(arm), loss(arm))))?;
        self.outcome(whole, attribute, &parts)
    }

    /// Counts a group by the parts of a refinement.
    fn tally(&mut self, group: GroupId, attribute: usize, refinement: &Refinement) -> Result<(), Error> {
        self.assign_parts(group, attribute, refinement)?;
        let State { columns, partitions, tallies, .. } = &mut self.state;
        if let Refinement::SplitOff { children } = refinement {
            tallies[0].widen(children.len() + 1)?;
        }
        let part_of_code = &columns[attribute].part_of_code;
        partitions[0].partition.count_children(group, attribute, Some(part_of_code), &mut tallies[0])
    }

    /// Evaluates a division of a group into `parts`, each with the certainty loss of its value. Returns None if a part
    /// has too few rows or breaks a model.
    fn outcome(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        parts: &[(Part, f64)],
    ) -> Result<Option<TrialOutcome>, Error> {
        let unmeasured = self.state.models.best().to_vec();
        let State { models, columns, partitions, tallies, leaves, .. } = &mut self.state;
        let (index, tally, column) = (&partitions[0], &mut tallies[0], &columns[attribute]);
        let records = |part: &Part| match part {
            Part::Arm(arm) => tally.records[*arm as usize],
            Part::Rest(rest) => rest.records,
        };
        if parts.iter().any(|(part, _)| u64::from(records(part)) < self.min_group_size) {
            return Ok(None);
        }
        let class = leaves.as_ref().map(|leaves| leaves.class);
        let (on_column, before) = (&column.requirements[..], &whole.measures[..]);
        let context = LossContext { models, on_column, before, weight: self.weight };
        let mut measures = unmeasured.clone();
        let mut tried = TrialOutcome::default();
        for (part, loss) in parts {
            measures.clone_from(&unmeasured);
            let (holds, records, classes) = match part {
                Part::Arm(arm) => {
                    let child = tally.child(*arm)?;
                    let holds = models.worsen_by_group(&mut measures, index.child_by_model(child))?;
                    (holds, child.records(), class.map(|class| child.values(class)))
                }
                Part::Rest(rest) => {
                    let holds = models.worsen_by_group(&mut measures, index.counts_by_model(rest))?;
                    (holds, rest.records, class.map(|class| rest.value_counts(class)))
                }
            };
            if !holds {
                return Ok(None);
            }
            let classes = classes.map_or(Ok(0.0), |classes| class_entropy_sum(classes, records))?;
            context.add_part(&mut tried, records, &measures, classes, *loss)?;
        }
        Ok(Some(tried))
    }

    /// Refines the group's node into its children, or into those in `among`. If some of the children would break a
    /// model, splits off the valid ones, and the rest stays at the node. The smallest valid children join the rest
    /// until it is valid, or empty.
    pub(super) fn specialize(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        among: Option<&[NodeId]>,
    ) -> Result<Option<(Refinement, TrialOutcome)>, Error> {
        let tried = self.try_one(whole, attribute, &Refinement::Specialize)?;
        let State { models, columns, partitions, tallies, .. } = &mut self.state;
        let (index, tally, hierarchy) = (&partitions[0], &mut tallies[0], &columns[attribute].hierarchy);
        let node = hierarchy.node(index.partition.node(whole.group, attribute));
        let among: Option<HashSet<NodeId>> = among.map(|among| among.iter().copied().collect());
        let may = |arm: Code| among.as_ref().is_none_or(|among| among.contains(&node.children[arm as usize]));
        if tried.is_some() && (among.is_none() || tally.touched.iter().all(|&arm| may(arm))) {
            return Ok(tried.map(|tried| (Refinement::Specialize, tried)));
        }
        if u64::from(whole.records) / 2 < self.min_group_size {
            return Ok(None);
        }
        let kept = valid_parts((models, self.min_group_size), index, tally, may)?;
        let child_of_arm = pace::collect(node.children.iter().copied())?;
        self.split_off_largest(whole, attribute, &child_of_arm, kept)
    }

    /// Splits off the nodes `among`, anywhere below the group's node, by the rule of [`Local::specialize`].
    pub(super) fn split_off_below(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        among: &[NodeId],
    ) -> Result<Option<(Refinement, TrialOutcome)>, Error> {
        let children = pace::collect(among.iter().copied())?;
        self.tally(whole.group, attribute, &Refinement::SplitOff { children })?;
        let State { models, partitions, tallies, .. } = &mut self.state;
        let kept = valid_parts((models, self.min_group_size), &partitions[0], &mut tallies[0], |arm| {
            (arm as usize) < among.len()
        })?;
        self.split_off_largest(whole, attribute, among, kept)
    }

    /// Splits off the first `at_once` of the `largest` parts, as [`valid_parts`] has chosen them. If persons are
    /// counted, fewer may be split off.
    fn split_off_largest(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        child_of_arm: &[NodeId],
        (largest, mut at_once, rest): (Vec<Code>, usize, Counts),
    ) -> Result<Option<(Refinement, TrialOutcome)>, Error> {
        let State { models, columns, partitions, .. } = &self.state;
        let counts_persons = models.iter().any(|model| model.model.person().is_some());
        let node = partitions[0].partition.node(whole.group, attribute);
        let loss_of_rest = columns[attribute].hierarchy.node(node).loss;
        while at_once > 0 {
            let mut arms = pace::collect(largest[..at_once].iter().copied())?;
            pace::sort_by(&mut arms, Ord::cmp)?;
            let hierarchy = &self.state.columns[attribute].hierarchy;
            let children = pace::collect(arms.iter().map(|&arm| child_of_arm[arm as usize]))?;
            let loss = |arm: Code| hierarchy.node(child_of_arm[arm as usize]).loss;
            let parts = arms.iter().map(|&arm| (Part::Arm(arm), loss(arm)));
            let rest = (rest.records > 0).then_some((Part::Rest(&rest), loss_of_rest));
            let parts = pace::collect(parts.chain(rest))?;
            let refinement = Refinement::SplitOff { children };
            let tried = match counts_persons {
                false => self.outcome(whole, attribute, &parts)?,
                // The sum for the rest may count a person more than once, so the parts are counted anew.
                true => self.try_one(whole, attribute, &refinement)?,
            };
            if let Some(tried) = tried {
                return Ok(Some((refinement, tried)));
            }
            at_once -= 1;
        }
        Ok(None)
    }

    /// Discloses values out of `*`: the most frequent ones that are valid, all at once, or a single one. Returns the
    /// alternative with the better score.
    pub(super) fn disclose(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
    ) -> Result<Option<ScoredTrial>, Error> {
        let (disclosable, at_once) = self.disclosable(whole, attribute)?;
        let codes = pace::collect(disclosable[..at_once].iter().copied())?;
        let mut refinement = Refinement::Disclose { codes };
        let mut together = None;
        while matches!(&refinement, Refinement::Disclose { codes } if !codes.is_empty()) {
            if let Some(tried) = self.try_one(whole, attribute, &refinement)? {
                together = Some(self.score_trial(whole, attribute, (refinement, tried)));
                break;
            }
            // Each value is valid by itself, so the rest fails: its sum counted some persons more than once. Leave one
            // more value in the rest.
            if let Refinement::Disclose { codes } = &mut refinement {
                codes.pop();
            }
        }
        let shares_of_persons = self.state.models.iter().any(|model| model.model.counts_persons_per_value());
        let one = match &together {
            Some(ScoredTrial { trial: Trial { refinement: Refinement::Disclose { codes }, .. }, .. })
                if codes.len() > 1 && shares_of_persons =>
            {
                self.first_valid_single(whole, attribute, &disclosable)?
            }
            // The most frequent value alone is valid: the others join the rest, and a union of valid groups is valid.
            Some(ScoredTrial { trial: Trial { refinement: Refinement::Disclose { codes }, .. }, .. })
                if codes.len() > 1 =>
            {
                disclosable.first().copied()
            }
            Some(_) => None,
            // The most frequent value cannot be disclosed, with others or alone: the rest needs it. Try the others.
            None => self.first_valid_single(whole, attribute, disclosable.get(1..).unwrap_or_default())?,
        };
        let Some(code) = one else { return Ok(together) };
        let refinement = Refinement::disclose(code);
        let Some(tried) = self.try_one(whole, attribute, &refinement)? else { return Ok(together) };
        let alone = self.score_trial(whole, attribute, (refinement, tried));
        Ok(match together {
            Some(together) if !alone.is_better_than(&together.trial) => Some(together),
            _ => Some(alone),
        })
    }

    /// Discloses the values `among`. If some of them would break a model, discloses the valid ones. The least frequent
    /// of these stay in `*` until the rest is valid, or empty.
    pub(super) fn disclose_among(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        among: &[Code],
    ) -> Result<Option<(Refinement, TrialOutcome)>, Error> {
        let all = Refinement::Disclose { codes: pace::collect(among.iter().copied())? };
        if let Some(tried) = self.try_one(whole, attribute, &all)? {
            return Ok(Some((all, tried)));
        }
        let may: HashSet<Code> = among.iter().copied().collect();
        let Local { state: State { models, partitions, tallies, .. }, min_group_size: fewest, .. } = self;
        let (index, tally) = (&partitions[0], &mut tallies[0]);
        index.partition.count_children(whole.group, attribute, None, tally)?;
        let (largest, mut at_once, _) =
            valid_parts((models, *fewest), index, tally, |code| may.contains(&code))?;
        while at_once > 0 {
            let kept: HashSet<Code> = largest[..at_once].iter().copied().collect();
            let codes = pace::collect(among.iter().copied().filter(|code| kept.contains(code)))?;
            let refinement = Refinement::Disclose { codes };
            if let Some(tried) = self.try_one(whole, attribute, &refinement)? {
                return Ok(Some((refinement, tried)));
            }
            // The sum for the rest counted some persons more than once.
            at_once -= 1;
        }
        Ok(None)
    }

    /// Returns the values in `*` that are valid by themselves, the most frequent first, and how many from the front may
    /// be disclosed at once.
    fn disclosable(&mut self, whole: &MeasuredGroup, attribute: usize) -> Result<(Vec<Code>, usize), Error> {
        let Local { state: State { models, partitions, tallies, .. }, min_group_size: fewest, .. } = self;
        let (index, tally) = (&partitions[0], &mut tallies[0]);
        index.partition.count_children(whole.group, attribute, None, tally)?;
        let (disclosable, at_once, _) = valid_parts((models, *fewest), index, tally, |_| true)?;
        Ok((disclosable, at_once))
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
        let Local { state: State { models, partitions, tallies, .. }, min_group_size: fewest, .. } = self;
        let (index, tally) = (&partitions[0], &mut tallies[0]);
        index.partition.count_children(whole.group, attribute, None, tally)?;
        let mut rest = Counts::zero_for_tally(tally);
        for &code in values {
            rest.set_to_rest(&whole.counts, tally.child(code)?)?;
            if u64::from(rest.records) >= *fewest && models.hold_for(index.counts_by_model(&rest))? {
                return Ok(Some(code));
            }
        }
        Ok(None)
    }

    /// Splits an interval at the best point with two valid halves: the one that leaves least unknown. For
    /// [`SplitRule::Median`] it is the most even one, and what stays unknown breaks ties.
    pub(super) fn split(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        node: NodeId,
    ) -> Result<Option<(Refinement, TrialOutcome)>, Error> {
        if u64::from(whole.records) / 2 < self.min_group_size {
            return Ok(None);
        }
        let codes = self.state.columns[attribute].hierarchy.node(node).codes.clone();
        let unmeasured = self.state.models.best().to_vec();
        let Local { state, order, weight, min_group_size: fewest, .. } = self;
        let (weight, fewest, is_even) = (*weight, *fewest, state.split == SplitRule::Median);
        let State { models, columns, partitions, leaves, .. } = state;
        let index = &partitions[0];
        let (group, partition) = (whole.group, &index.partition);
        let Some(domain) = columns[attribute].hierarchy.domain() else { return Ok(None) };
        let class = leaves.as_ref().map(|leaves| leaves.class);
        let sensitive = index.sensitive.iter().flatten().copied().chain(class);
        let of = (&whole.counts, sensitive);
        let mut halves = Halves::new(partition, (group, attribute), codes.clone(), of, order)?;
        let (on_column, before) = (&columns[attribute].requirements[..], &whole.measures[..]);
        let context = LossContext { models, on_column, before, weight };
        let mut classes =
            class.map(|class| SplitClassCounts::new(whole.counts.value_counts(class))).transpose()?;
        let mut best: Option<(u32, Refinement, TrialOutcome)> = None;
        let mut measures = [unmeasured.clone(), unmeasured.clone()];
        while let Some(points) = halves.next_split(|s, value, rows| {
            if let Some(classes) = classes.as_mut().filter(|_| class == Some(s)) {
                classes.take(value, rows);
            }
        })? {
            let Halves { left, right, .. } = &halves;
            if u64::from(left.records) < fewest {
                continue;
            }
            if u64::from(right.records) < fewest {
                break;
            }
            let Some(points) = allowed_points(domain, points)? else { continue };
            let rows = [left.records, right.records];
            let evenness = if is_even { rows[0].min(rows[1]) } else { 0 };
            let of_classes = classes.as_mut().map_or(Ok([0.0; 2]), |c| c.entropy_sums(rows))?;
            let mut valid = None;
            for at in points {
                let losses = [domain.loss(&(codes.start..at)), domain.loss(&(at..codes.end))];
                let [of_left, of_right] =
                    [0, 1].map(|n| context.part_uncertainty(rows[n], of_classes[n], losses[n]));
                // Better by more than rounding, so that the lowest of equal splits wins.
                let noise = NOISE * f64::from(whole.records);
                let is_better = |(even, _, best): &(u32, Refinement, TrialOutcome)| {
                    evenness > *even || evenness == *even && of_left + of_right < best.unknown - noise
                };
                if !best.as_ref().is_none_or(is_better) {
                    continue;
                }
                // Few splits are better than all before them, and only these are measured.
                if valid.is_none() {
                    let mut holds = true;
                    for (half, measures) in [left, right].into_iter().zip(&mut measures) {
                        measures.clone_from(&unmeasured);
                        holds = holds && models.worsen_by_group(measures, index.counts_by_model(half))?;
                    }
                    valid = Some(holds);
                }
                if valid == Some(false) {
                    break;
                }
                let mut tried = TrialOutcome::default();
                for n in 0..2 {
                    context.add_part(&mut tried, rows[n], &measures[n], of_classes[n], losses[n])?;
                }
                best = Some((evenness, Refinement::split(at), tried));
            }
        }
        Ok(best.map(|(_, refinement, tried)| (refinement, tried)))
    }
}

/// Part of a group after a refinement: a child in the tally, or the rest, summed up from several children.
enum Part<'c> {
    Arm(Code),
    Rest(&'c Counts),
}

/// Returns the valid parts of a tally that `may` accepts, by falling size; the length of the longest prefix whose
/// complement is valid or empty; and the counts of that complement. A valid part keeps the models and has at least
/// `fewest` records.
fn valid_parts(
    (models, fewest): (&Models, u64),
    index: &ModelPartition,
    tally: &mut Tally,
    may: impl Fn(Code) -> bool,
) -> Result<(Vec<Code>, usize, Counts), Error> {
    let mut keeping: Vec<(u32, Code)> = Vec::new();
    let mut rest = Counts::zero_for_tally(tally);
    for at in 0..tally.touched.len() {
        let child = tally.child(tally.touched[at])?;
        let (arm, records) = (child.number(), child.records());
        if u64::from(records) >= fewest && may(arm) && models.hold_for(index.child_by_model(child))? {
            keeping.push((records, arm));
        } else {
            rest.add(tally, arm)?;
        }
    }
    pace::sort_by(&mut keeping, |one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)))?;
    let mut at_once = keeping.len();
    // A person may hold a value in several parts, and the sum counts that person in each. So the sum cannot decide on
    // models of shares of persons: the caller tests these.
    if models.iter().any(|model| model.model.counts_persons_per_value()) {
        return Ok((pace::collect(keeping.into_iter().map(|(_, arm)| arm))?, at_once, rest));
    }
    // The rest is summed up from its parts, without another pass over the records.
    let breaks = |rest: &Counts| {
        let is_few = u64::from(rest.records) < fewest;
        Ok::<bool, Error>(rest.records > 0 && (is_few || !models.hold_for(index.counts_by_model(rest))?))
    };
    while at_once > 0 && breaks(&rest)? {
        at_once -= 1;
        rest.add(tally, keeping[at_once].1)?;
    }
    Ok((pace::collect(keeping.into_iter().map(|(_, arm)| arm))?, at_once, rest))
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
