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
    /// Returns what stays unknown of a part's records: their class entropy `classes`, plus the weighted certainty loss.
    fn part_uncertainty(&self, records: u32, classes: f64, loss: f64) -> f64 {
        classes + self.weight * loss * f64::from(records)
    }

    /// Adds a part by its measures, its summed class entropy `classes`, and the certainty loss of its value. AnonyLoss
    /// is a mean over the records here: each record counts the worsening of its own group. (In global recoding it is
    /// the worsening of the worst group: `State::privacy_loss`.)
    fn add_part(&self, sums: &mut TrialSums, records: u32, measures: &[f64], classes: f64, loss: f64) {
        sums.parts += 1;
        sums.unknown += self.part_uncertainty(records, classes, loss);
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
        let parts = pace::collect(touched.into_iter().map(|arm| (Part::Arm(arm), loss(arm))))?;
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
        partitions[0].partition.count_children(group, attribute, Some(part_of_code), &mut tallies[0])
    }

    /// Counts a group by the values in `*`.
    pub(super) fn count_values(&mut self, group: GroupId, attribute: usize) -> Result<(), Error> {
        let State { partitions, tallies, .. } = &mut self.state;
        partitions[0].partition.count_children(group, attribute, None, &mut tallies[0])
    }

    /// Sums up over `parts` of a group, each with the certainty loss of its value. Returns None if a part has too few
    /// rows or breaks a model.
    fn sum_parts(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        parts: &[(Part, f64)],
    ) -> Result<Option<TrialSums>, Error> {
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
        let mut sums = TrialSums::default();
        for (part, loss) in parts {
            pace::tick(on_column.len())?;
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
            context.add_part(&mut sums, records, &measures, classes, *loss);
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
        among: Vec<NodeId>,
    ) -> Result<Option<Trial>, Error> {
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let node = self.node(whole.group, attribute);
        let are_children = among.iter().all(|child| hierarchy.node(*child).parent == Some(node));
        let refinement = Refinement::SplitOff { children: among };
        self.count(whole.group, attribute, &refinement)?;
        let Refinement::SplitOff { children: among } = &refinement else { return Ok(None) };
        let stays = |arm: &Code| *arm as usize == among.len();
        if are_children && !self.state.tallies[0].touched.iter().any(stays) {
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
        let may = |arm: Code| (arm as usize) < children.len();
        let (largest, at_once, rest) = self.valid_parts(may)?;
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
        let parts = arms.iter().map(|&arm| (Part::Arm(arm), loss(children[arm as usize])));
        let stays = (rest.records > 0).then(|| (Part::Rest(&rest), loss(self.node(whole.group, attribute))));
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
        let (values, at_once, _) = self.valid_parts(|_| true)?;
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
        let (largest, at_once, _) = self.valid_parts(|code| may.contains(&code))?;
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
        let (index, tally) = (&partitions[0], &mut tallies[0]);
        let mut rest = Counts::zero_for_tally(tally);
        for &code in values {
            rest.set_to_rest(&whole.counts, tally.child(code)?)?;
            let is_few = u64::from(rest.records) < self.min_group_size;
            if !is_few && models.hold_for(index.counts_by_model(&rest))? {
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
        let codes = self.state.columns[attribute].hierarchy.node(node).codes.clone();
        let unmeasured = self.state.models.best().to_vec();
        let Local { state, order, weight, min_group_size, .. } = self;
        let (weight, min_group_size, is_even) = (*weight, *min_group_size, state.split == SplitRule::Median);
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
        let mut best: Option<(u32, Code, TrialSums)> = None;
        let mut measures = [unmeasured.clone(), unmeasured.clone()];
        // Better by more than rounding, so that the lowest of equal splits wins.
        let noise = NOISE * f64::from(whole.counts.records);
        while let Some(points) = halves.next_split(|s, value, rows| {
            if let Some(classes) = classes.as_mut().filter(|_| class == Some(s)) {
                classes.take(value, rows);
            }
        })? {
            let Halves { left, right, .. } = &halves;
            if u64::from(left.records) < min_group_size {
                continue;
            }
            if u64::from(right.records) < min_group_size {
                break;
            }
            let Some(points) = allowed_points(domain, points)? else { continue };
            let rows = [left.records, right.records];
            let evenness = if is_even { rows[0].min(rows[1]) } else { 0 };
            let of_classes = classes.as_mut().map_or(Ok([0.0; 2]), |c| c.entropy_sums(rows))?;
            let mut is_measured = false;
            for at in points {
                let losses = [domain.loss(&(codes.start..at)), domain.loss(&(at..codes.end))];
                let [of_left, of_right] =
                    [0, 1].map(|n| context.part_uncertainty(rows[n], of_classes[n], losses[n]));
                let is_better = |(even, _, best): &(u32, Code, TrialSums)| {
                    evenness > *even || evenness == *even && of_left + of_right < best.unknown - noise
                };
                if !best.as_ref().is_none_or(is_better) {
                    continue;
                }
                // Few splits are better than all before them, and only these are measured.
                if !is_measured {
                    let mut holds = true;
                    for (half, measures) in [left, right].into_iter().zip(&mut measures) {
                        measures.clone_from(&unmeasured);
                        holds = holds && models.worsen_by_group(measures, index.counts_by_model(half))?;
                    }
                    if !holds {
                        break;
                    }
                    is_measured = true;
                }
                let mut sums = TrialSums::default();
                for n in 0..2 {
                    context.add_part(&mut sums, rows[n], &measures[n], of_classes[n], losses[n]);
                }
                best = Some((evenness, at, sums));
            }
        }
        Ok(best.map(|(_, at, sums)| self.score(whole, attribute, Refinement::split(at), sums)))
    }

    /// Returns the valid parts of the last count that `is_candidate` accepts, by falling size; the number of the first
    /// ones to try at once; and the counts of the others. A valid part keeps the models and is not too small. Shares of
    /// persons cannot be told from these counts, so then all parts are tried, and the caller counts again.
    fn valid_parts(
        &mut self,
        is_candidate: impl Fn(Code) -> bool,
    ) -> Result<(Vec<Code>, usize, Counts), Error> {
        let State { models, partitions, tallies, .. } = &mut self.state;
        let (index, tally) = (&partitions[0], &mut tallies[0]);
        let is_few = |records: u32| u64::from(records) < self.min_group_size;
        let mut keeping: Vec<(u32, Code)> = Vec::new();
        let mut rest = Counts::zero_for_tally(tally);
        for at in 0..tally.touched.len() {
            let child = tally.child(tally.touched[at])?;
            let (arm, records) = (child.number(), child.records());
            if !is_few(records) && is_candidate(arm) && models.hold_for(index.child_by_model(child))? {
                keeping.push((records, arm));
            } else {
                rest.add(tally, arm)?;
            }
        }
        pace::sort_by(&mut keeping, |one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)))?;
        let keeping = pace::collect(keeping.into_iter().map(|(_, arm)| arm))?;
        let mut at_once = keeping.len();
        // A person may hold a value in several parts, and the sum counts that person in each. So the sum cannot decide
        // on models of shares of persons: the caller tests these.
        if models.iter().any(|model| model.model.counts_persons_per_value()) {
            return Ok((keeping, at_once, rest));
        }
        // The rest is summed up from its parts, without another pass over the records.
        let holds =
            |rest: &Counts| Ok(!is_few(rest.records) && models.hold_for(index.counts_by_model(rest))?);
        while at_once > 0 && rest.records > 0 && !holds(&rest)? {
            at_once -= 1;
            rest.add(tally, keeping[at_once])?;
        }
        Ok((keeping, at_once, rest))
    }
}

/// Part of a group after a refinement: a child in the tally, or the rest, summed up from several children.
enum Part<'c> {
    Arm(Code),
    Rest(&'c Counts),
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
