//! The state of a release during a search: the cut of each column, the groups of every partition, and the measures of
//! the models.
//!
//! A refinement of all groups of a node is performed here: the step is recorded, the cut is refined, and the groups on
//! the node's link are divided. The caller says which nodes will be counted again, and gets the groups that were made.

use super::candidates::Candidate;
use super::column::{Column, Requirement};
use super::leaves::Leaves;
use super::measures::Models;
use super::model_partition::ModelPartition;
use super::outcome::Outcome;
use super::withheld::Withheld;
use crate::partition::{ChildOfCode, GroupId, IsTracked, Tally};
use crate::progress::{report, Status};
use crate::refine::interval::SplitRule;
use crate::refine::{NodeId, TOP};
use crate::table::ClassCounts;
use crate::trace::Step;
use crate::utility::{positive_gain, BestSplit, Score, Utility};
use crate::{pace, Code, Error};

/// A release during a search, and what it is counted with.
pub(super) struct State {
    pub rows: usize,
    pub score: Score,
    pub split: SplitRule,
    pub min_size_factor: u64,
    pub utility: Utility,
    pub models: Models,
    pub columns: Vec<Column>,
    pub partitions: Vec<ModelPartition>,
    /// Buffers for counting, one for each partition.
    pub tallies: Vec<Tally>,
    /// Leaves in which the class is counted, if the score or the recoding needs them.
    pub leaves: Option<Leaves>,
    /// The withheld rows, if any may be.
    pub withheld: Option<Withheld>,
    /// Present measure of each requirement.
    pub current: Vec<f64>,
    pub steps: Vec<Step>,
}

/// The groups that a step has made in one partition.
pub(super) struct NewGroups {
    pub partition_number: usize,
    /// Place of the refined column.
    pub place: usize,
    /// The groups, and whether each has fewer records than before.
    pub groups: Vec<(GroupId, bool)>,
}

/// The records of a group that hold a disclosed value.
pub(super) struct DisclosedGroup {
    /// The group that stays in `*`; None if all records held the value.
    pub rest: Option<GroupId>,
    pub group: GroupId,
}

impl NewGroups {
    /// Lists the groups that a disclosure has made.
    pub fn disclosed(self) -> impl Iterator<Item = DisclosedGroup> {
        // A rest comes right before the group that it was divided from.
        let mut rest = None;
        self.groups.into_iter().filter_map(move |(group, split)| match rest.take() {
            None if split => {
                rest = Some(group);
                None
            }
            rest => Some(DisclosedGroup { rest, group }),
        })
    }
}

impl State {
    /// Makes and measures the most general table that is allowed. Fails if it breaks a model.
    pub fn start(&mut self) -> Result<(), Error> {
        self.divide_to_coarsest()?;
        self.split_to_coarsest()?;
        self.measure_coarsest()?;
        let achieved = self.models.achieved(&self.current);
        self.steps.iter_mut().for_each(|step| step.achieved.clone_from(&achieved));
        Ok(())
    }

    /// Does the same as `start` for a replay, which performs the required splits of intervals itself.
    pub fn start_replay(&mut self) -> Result<(), Error> {
        self.divide_to_coarsest()?;
        self.measure_coarsest()
    }

    fn measure_coarsest(&mut self) -> Result<(), Error> {
        match self.withheld {
            // If too many rows would have to be withheld, none are, and the check below fails. A table without rows has
            // none to withhold, so the models decide.
            Some(_) if self.rows > 0 => self.withhold_first()?,
            _ => self.measure()?,
        }
        self.models.check(&self.current)?;
        for column in self.columns.iter_mut().filter(|column| column.hierarchy.is_suppression()) {
            let codes = column.hierarchy.codes() as Code;
            column.suppressed = Some(column.histogram.counts(0..codes)?);
        }
        Ok(())
    }

    /// Sets the current measures to the worst of all groups.
    fn measure(&mut self) -> Result<(), Error> {
        let mut worst = self.models.best().to_vec();
        for (partition, tally) in self.partitions.iter().zip(&mut self.tallies) {
            for group in 0..partition.group_count() as GroupId {
                // Groups of a population alone are skipped, but not the empty group of a table without rows.
                if partition.has_population() && !partition.has_rows(group)? {
                    continue;
                }
                partition.count_whole(group, tally)?;
                self.models.worsen_by_counts(&mut worst, partition.child_by_model(tally.child(0)?))?;
            }
        }
        self.current = worst;
        Ok(())
    }

    /// Divides the records by the coarsest cuts that are allowed.
    fn divide_to_coarsest(&mut self) -> Result<(), Error> {
        let State { columns, partitions, .. } = self;
        for (attribute, column) in columns.iter_mut().enumerate() {
            if column.hierarchy.coarsest() == [TOP] {
                continue;
            }
            column.assign_coarsest()?;
            let arms = ChildOfCode::Children(&column.part_of_code, column.hierarchy.coarsest());
            divide(partitions, attribute, TOP, arms, &|_, _| true)?;
        }
        Ok(())
    }

    /// Splits intervals at their best points until they have the coarsest depth that is allowed. The models are tested
    /// afterwards.
    fn split_to_coarsest(&mut self) -> Result<(), Error> {
        for attribute in 0..self.columns.len() {
            let mut open = pace::collect(self.columns[attribute].cut.nodes())?;
            while let Some(node) = open.pop() {
                pace::tick(1)?;
                let Column { hierarchy, histogram, cut, .. } = &mut self.columns[attribute];
                if !hierarchy.must_split(node) {
                    continue;
                }
                hierarchy.grow(node, &BestSplit { utility: self.utility, histogram, split: self.split })?;
                let refined = hierarchy.node(node);
                let (children, codes) = (refined.children.clone(), refined.codes.clone());
                if children.is_empty() {
                    continue;
                }
                let info_gain = self.utility.gain(hierarchy, histogram, node)?;
                let records = histogram.counts(codes)?.records();
                cut.refine(hierarchy, node, &children)?;
                self.columns[attribute].assign_parts(node)?;
                let arms = ChildOfCode::Children(&self.columns[attribute].part_of_code, &children);
                divide(&mut self.partitions, attribute, node, arms, &|_, _| true)?;
                open.extend(&children);
                self.steps.push(Step { attribute, node, children, records, info_gain, ..Step::default() });
            }
        }
        Ok(())
    }

    /// AnonyLoss(v), PrivLoss(v): how much the worst measures of the table worsen, as the mean over the requirements on
    /// the column. (By local recoding: how much the measures of each group worsen, as the mean over the records;
    /// `LossContext::add_part` in local/refinements.rs.)
    pub fn privacy_loss(&self, candidate: &Candidate) -> f64 {
        self.mean_loss(candidate, |r, before, after| r.direction.worsening(before, after))
    }

    /// Returns the privacy loss that the score uses.
    pub fn loss(&self, candidate: &Candidate) -> f64 {
        if !self.score.is_conditional() {
            return self.privacy_loss(candidate);
        }
        self.mean_loss(candidate, |r, before, after| self.models[r.model].model.relative_loss(before, after))
    }

    /// Returns the mean of a loss over the requirements on the column.
    fn mean_loss(&self, candidate: &Candidate, loss: impl Fn(&Requirement, f64, f64) -> f64) -> f64 {
        let on_column = &self.columns[candidate.attribute].requirements;
        let each = |r: &Requirement| {
            let before = self.current[r.number];
            loss(r, before, r.direction.worse(before, candidate.after[r.number]))
        };
        positive_gain(on_column.iter().map(each).sum::<f64>() / on_column.len() as f64)
    }

    /// Returns the gain that the score uses; `gain` is that of the refined records. G without a class is this gain,
    /// spread over all rows. A candidate with a negative gain is not performed.
    pub fn gain(&self, candidate: &Candidate, gain: f64) -> f64 {
        if !self.score.is_conditional() {
            return gain;
        }
        if self.leaves.is_some() {
            return candidate.leaf_gain.per_row(self.rows);
        }
        let suppressed = self.columns[candidate.attribute].suppressed.as_ref();
        let records = suppressed.map_or(candidate.records, ClassCounts::records);
        gain * records as f64 / self.rows.max(1) as f64
    }

    /// Returns the score of a candidate, given its gain as the score uses it.
    pub fn candidate_score(&self, candidate: &Candidate, gain: f64) -> f64 {
        let weight = self.columns[candidate.attribute].weight;
        let score = self.score.evaluate(weight * gain, self.loss(candidate));
        let penalty = self.withheld.as_ref().map(|withheld| withheld.withholding_penalty(candidate.withheld));
        score / penalty.unwrap_or(1.0)
    }

    /// Returns whether the groups of a partition are the leaves of a conditional score.
    pub fn counts_leaves(&self, partition_number: usize) -> bool {
        self.scores_leaves()
            && self.leaves.as_ref().is_some_and(|leaves| leaves.partition_number == partition_number)
    }

    /// Returns whether the score is conditional on leaves. (Local recoding counts leaves under every score.)
    pub fn scores_leaves(&self) -> bool {
        self.leaves.is_some() && self.score.is_conditional()
    }

    /// Performs a refinement: records the step, refines the cut, divides the partitions, and withholds groups that
    /// break a model. `live(column, node)` says whether the groups with a node will be counted again. Returns the
    /// groups that were made.
    pub fn perform(&mut self, candidate: &Candidate, live: IsTracked) -> Result<Vec<NewGroups>, Error> {
        let Candidate { attribute, node, first, gain, .. } = *candidate;
        let privacy_loss = self.privacy_loss(candidate);
        let score = self.candidate_score(candidate, self.gain(candidate, gain));
        pace::tick(self.current.len())?;
        if self.withheld.is_none() {
            self.models.merge(&mut self.current, &candidate.after);
        }
        let column = &mut self.columns[attribute];
        let (refined, children, records, arms);
        if let Some(suppressed) = &mut column.suppressed {
            (refined, children, records) = (TOP, vec![node, TOP], suppressed.records());
            suppressed.remove(column.histogram.cells(first))?;
            arms = ChildOfCode::Disclose(first, node);
        } else {
            (refined, records) = (node, candidate.records);
            children = column.hierarchy.node(node).children.clone();
            arms = ChildOfCode::Children(&column.part_of_code, &children);
        }
        column.cut.refine(&column.hierarchy, refined, &children)?;
        let divided = divide(&mut self.partitions, attribute, refined, arms, live)?;
        self.withhold_after(&divided)?;
        let achieved = self.models.achieved(&self.current);
        self.steps.push(Step {
            attribute,
            node: refined,
            children,
            records,
            info_gain: gain,
            privacy_loss,
            score,
            achieved,
        });
        let groups = self.partitions.iter().map(|partition| partition.group_count()).sum();
        report(Status { steps: self.steps.len(), groups });
        Ok(divided)
    }

    /// Turns the final state into an outcome.
    pub fn finish(self) -> Result<Outcome, Error> {
        let achieved = self.models.achieved(&self.current);
        let (cuts, hierarchies) = self.columns.into_iter().map(|c| (c.cut, c.hierarchy)).unzip();
        let redundant = self.models.iter().map(|m| m.redundant).collect();
        let withheld = match &self.withheld {
            Some(withheld) => withheld.by_record()?,
            None => Vec::new(),
        };
        let (steps, regions, clusters) = (self.steps, None, None);
        Ok(Outcome { steps, cuts, regions, clusters, hierarchies, achieved, redundant, withheld })
    }
}

/// Divides the groups that are linked to a node of a column, in every partition over the column.
fn divide(
    partitions: &mut [ModelPartition],
    attribute: usize,
    node: NodeId,
    arms: ChildOfCode,
    live: IsTracked,
) -> Result<Vec<NewGroups>, Error> {
    let mut divided = Vec::new();
    for (partition_number, ModelPartition { partition, .. }) in partitions.iter_mut().enumerate() {
        let Some(place) = partition.column_index(attribute) else { continue };
        let attributes = partition.attributes().to_vec();
        let live = |place: usize, node: NodeId| live(attributes[place], node);
        let groups = partition.refine(place, node, arms, &live)?;
        divided.push(NewGroups { partition_number, place, groups });
    }
    Ok(divided)
}
