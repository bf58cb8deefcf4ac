//! The trial of a refinement of one group on one column: its validity, its gain and its privacy loss.
//!
//! A node of a taxonomy or a rule is refined into its children. If some of these would break a model, the others are
//! split off, and the rest stays at the node. An interval is split in two at the best valid point. Out of `*` the most
//! frequent values are disclosed, all valid ones at once or a single one. A part without records is no group and breaks
//! no model.

use super::Local;
use crate::partition::GroupId;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::column::Column;
use crate::search::counts::Counts;
use crate::search::recorded::Refinement;
use crate::utility::{positive_gain, without_noise, Utility, NOISE};
use crate::{pace, Code, Error};

/// Result of a valid refinement of a group.
#[derive(Default)]
pub(super) struct TrialOutcome {
    /// Number of parts with records.
    pub parts: usize,
    /// Class entropy and weighted certainty loss of their records, summed.
    pub unknown: f64,
    /// Privacy loss, absolute and relative, summed over the records.
    pub privacy_loss: f64,
    pub relative_loss: f64,
}

/// A valid refinement of a group, with its score.
#[derive(Debug)]
pub(super) struct Trial {
    pub attribute: usize,
    pub refinement: Refinement,
    /// Gain and privacy loss, as means over the group's records.
    pub gain: f64,
    pub privacy_loss: f64,
    pub score: f64,
}

/// A trial, with figures for comparing it to others.
pub(super) struct ScoredTrial {
    pub trial: Trial,
    /// Lower bound of the score: the score for the gain less its largest rounding error.
    score_lower_bound: f64,
    /// Gain as a mean over the rows of the table. If it is negative, the refinement is not performed.
    pub whole_gain: f64,
}

impl ScoredTrial {
    /// Returns whether its score is better, by more than rounding.
    pub fn is_better_than(&self, other: &Trial) -> bool {
        self.score_lower_bound > other.score
    }
}

/// Weight of certainty loss beside the class entropy in bits. If it were 0, a column that is independent of the class
/// would stay at its top until every group is too small to refine.
#[derive(Debug, Clone, Copy)]
pub(super) struct LossWeight(f64);

impl LossWeight {
    /// Returns a tenth for a search with a class. Without a class the certainty loss counts in full.
    pub fn for_utility(class: Utility) -> LossWeight {
        match class {
            Utility::General => LossWeight(1.0),
            Utility::Classification => LossWeight(0.1),
        }
    }

    pub fn apply(self, loss: f64) -> f64 {
        self.0 * loss
    }
}

/// A group before it is refined, with its counts and measures.
pub(super) struct MeasuredGroup {
    pub group: GroupId,
    pub records: u32,
    pub counts: Counts,
    /// The group's measures, by requirement.
    pub measures: Vec<f64>,
    /// Class entropy of its records, summed, in bits; 0 without a class.
    pub class_entropy: f64,
}

impl Local {
    /// Returns the refinement of a group with the best score, or None if no refinement is valid and beneficial.
    pub(super) fn best(&mut self, whole: &MeasuredGroup, beneficial: bool) -> Result<Option<Trial>, Error> {
        let mut best: Option<Trial> = None;
        if !beneficial {
            return Ok(None);
        }
        for attribute in 0..self.state.columns.len() {
            pace::tick(1)?;
            let node = self.state.partitions[0].partition.node(whole.group, attribute);
            let Column { hierarchy, shown, .. } = &self.state.columns[attribute];
            let is_disclosed = hierarchy.is_suppression() && node != TOP;
            let may_refine = !shown && !is_disclosed && hierarchy.may_refine(node);
            let Some(weighed) = (if may_refine { self.try_column(whole, attribute, node)? } else { None })
            else {
                continue;
            };
            if weighed.whole_gain >= 0.0 && best.as_ref().is_none_or(|best| weighed.is_better_than(best)) {
                best = Some(weighed.trial);
            }
        }
        // The sums of the sweep have rounding errors. So the chosen split is evaluated once more, from its parts,
        // before its figures are recorded.
        match best {
            Some(Trial { attribute, refinement: split @ Refinement::Split { .. }, .. }) => {
                let tried = self.try_one(whole, attribute, &split)?;
                Ok(tried.map(|tried| self.score_trial(whole, attribute, (split, tried)).trial))
            }
            other => Ok(other),
        }
    }

    /// Finds the best refinement of a group's node on a column. Returns None if it is a leaf or none is valid.
    pub(super) fn try_column(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
        node: NodeId,
    ) -> Result<Option<ScoredTrial>, Error> {
        let hierarchy = &self.state.columns[attribute].hierarchy;
        let tried = if hierarchy.is_suppression() {
            return self.disclose(whole, attribute);
        } else if hierarchy.is_interval(node) {
            self.split(whole, attribute, node)?
        } else if hierarchy.node(node).children.is_empty() {
            None
        } else {
            self.specialize(whole, attribute, None)?
        };
        Ok(tried.map(|tried| self.score_trial(whole, attribute, tried)))
    }

    /// Computes the gain, the privacy loss and the score of a refinement.
    pub(super) fn score_trial(
        &self,
        whole: &MeasuredGroup,
        attribute: usize,
        (refinement, tried): (Refinement, TrialOutcome),
    ) -> ScoredTrial {
        let TrialOutcome { parts, unknown, privacy_loss, relative_loss } = tried;
        let state = &self.state;
        let column = &state.columns[attribute];
        let node = state.partitions[0].partition.node(whole.group, attribute);
        let (records, rows) = (f64::from(whole.records), state.rows.max(1) as f64);
        let before = whole.class_entropy + self.weight.apply(column.hierarchy.node(node).loss) * records;
        let gain = positive_gain((before - unknown) / records);
        let (privacy_loss, relative_loss) =
            (positive_gain(privacy_loss / records), positive_gain(relative_loss / records));
        // Factor from a mean over the group to a mean over the table.
        let share = records / rows;
        let whole_gain = match &state.leaves {
            Some(leaves) if state.score.is_conditional() => {
                let bias = parts.saturating_sub(1) as f64 * leaves.chance_gain;
                without_noise((before - unknown - bias) / records) * share
            }
            _ => gain * share,
        };
        let loss = if state.score.is_conditional() { relative_loss } else { privacy_loss };
        let score = state.score.evaluate(column.weight * whole_gain, loss);
        let score_lower_bound = state.score.evaluate(column.weight * (whole_gain - NOISE * share), loss);
        ScoredTrial {
            trial: Trial { attribute, refinement, gain, privacy_loss, score },
            score_lower_bound,
            whole_gain,
        }
    }

    /// Sets `part_of_code` for every code that the group holds on the column.
    pub(super) fn assign_parts(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<(), Error> {
        let state = &mut self.state;
        let partition = &state.partitions[0].partition;
        let column = &mut state.columns[attribute];
        match refinement {
            Refinement::Specialize => {
                let node = column.hierarchy.node(partition.node(group, attribute));
                if partition.size(group) >= node.codes.len() {
                    return column.assign_parts(partition.node(group, attribute));
                }
                let (hierarchy, part_of_code) = (&column.hierarchy, &mut column.part_of_code);
                let children = &node.children;
                pace::each(partition.records(group), |record| {
                    let code = partition.code(record, attribute);
                    part_of_code[code as usize] = child_index(hierarchy, children, code) as u32;
                })
            }
            Refinement::SplitOff { children } => {
                let (hierarchy, part_of_code) = (&column.hierarchy, &mut column.part_of_code);
                pace::each(partition.records(group), |record| {
                    let code = partition.code(record, attribute);
                    let child = find_child(hierarchy, children, code);
                    part_of_code[code as usize] = child.unwrap_or(children.len()) as u32;
                })
            }
            Refinement::Split { at, .. } => {
                let codes = &column.hierarchy.node(partition.node(group, attribute)).codes;
                if partition.size(group) >= codes.len() {
                    let codes = codes.clone();
                    return column.assign_halves(&codes, *at);
                }
                pace::each(partition.records(group), |record| {
                    let code = partition.code(record, attribute);
                    column.part_of_code[code as usize] = u32::from(code >= *at);
                })
            }
            Refinement::Disclose { codes } => {
                let rest = codes.len() as u32;
                let part_of_code = &mut column.part_of_code;
                pace::each(partition.records(group), |record| {
                    part_of_code[partition.code(record, attribute) as usize] = rest;
                })?;
                pace::each((0..).zip(codes), |(part, &code)| part_of_code[code as usize] = part)
            }
        }
    }
}

/// Returns the index of the child that holds a code. (NULL comes first, although it has the last code.)
fn child_index(hierarchy: &Hierarchy, children: &[NodeId], code: Code) -> usize {
    let holds = |&child: &NodeId| hierarchy.node(child).codes.contains(&code);
    let child = find_child(hierarchy, children, code).or_else(|| children.iter().position(holds));
    child.expect("a code is under one of the children")
}

/// Returns the index of the child that holds a code, or None. The children are in the order of their codes.
pub(super) fn find_child(hierarchy: &Hierarchy, children: &[NodeId], code: Code) -> Option<usize> {
    let at = children.partition_point(|&child| hierarchy.node(child).codes.end <= code);
    children.get(at).filter(|&&child| hierarchy.node(child).codes.contains(&code)).map(|_| at)
}
