//! The trial of a refinement of one group on one column: its validity, its gain and its privacy loss.
//!
//! A node of a taxonomy or a rule is refined into its children. If some of these would break a model, the others are
//! split off, and the rest stays at the node. An interval is split in two at the best valid point. Out of `*` the most
//! frequent values are disclosed, all valid ones at once or a single one. A part without records is no group and breaks
//! no model.

use super::Local;
use crate::partition::{GroupId, Partition};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::search::column::Column;
use crate::search::counts::Counts;
use crate::search::recorded::Refinement;
use crate::search::state::State;
use crate::utility::{positive_gain, without_noise, Utility, NOISE};
use crate::{pace, Code, Error};

/// A valid refinement of a group, with its score.
#[derive(Debug)]
pub(in crate::search) struct Trial {
    pub group: GroupId,
    /// Number of rows of the group.
    pub records: u32,
    pub attribute: usize,
    pub refinement: Refinement,
    /// Gain and privacy loss, as means over the group's records.
    pub gain: f64,
    pub privacy_loss: f64,
    pub score: f64,
    /// The score for the gain less its largest rounding error.
    pub score_lower_bound: f64,
    /// Gain as a mean over the rows of the table. If it is negative, the refinement is not performed.
    pub whole_gain: f64,
}

impl Trial {
    /// Returns whether its score is better, by more than rounding.
    pub fn is_better_than(&self, other: &Trial) -> bool {
        self.score_lower_bound > other.score
    }
}

/// What is summed up over the parts of a refinement.
#[derive(Default)]
pub(super) struct TrialSums {
    /// Number of parts with records.
    pub parts: usize,
    /// Class entropy and weighted certainty loss of their records.
    pub unknown: f64,
    /// Privacy loss of their records, absolute and relative.
    pub privacy_loss: f64,
    pub relative_loss: f64,
}

/// Returns the weight of certainty loss beside the class entropy in bits: a tenth for a search with a class. If it were
/// 0, a column that is independent of the class would stay at its top until every group is too small to refine.
pub(super) fn loss_weight(utility: Utility) -> f64 {
    match utility {
        Utility::General => 1.0,
        Utility::Classification => 0.1,
    }
}

/// A group before it is refined, with its counts and measures.
pub(super) struct MeasuredGroup {
    pub group: GroupId,
    pub counts: Counts,
    /// The group's measures, by requirement.
    pub measures: Vec<f64>,
    /// Class entropy of its records, summed, in bits; 0 without a class.
    pub class_entropy: f64,
    /// Whether a refinement can be beneficial.
    pub beneficial: bool,
}

impl Local {
    /// Returns the refinement of a group with the best score, or None if no refinement is valid and beneficial.
    pub(super) fn best(&mut self, whole: &MeasuredGroup) -> Result<Option<Trial>, Error> {
        let mut best: Option<Trial> = None;
        if !whole.beneficial {
            return Ok(None);
        }
        for attribute in 0..self.state.columns.len() {
            pace::tick(1)?;
            let node = self.node(whole.group, attribute);
            let Column { hierarchy, shown, .. } = &self.state.columns[attribute];
            let is_disclosed = hierarchy.is_suppression() && node != TOP;
            if *shown || is_disclosed || !hierarchy.may_refine(node) {
                continue;
            }
            let Some(trial) = self.try_column(whole, attribute)? else { continue };
            if trial.whole_gain >= 0.0 && best.as_ref().is_none_or(|best| trial.is_better_than(best)) {
                best = Some(trial);
            }
        }
        // The search for a split moves rows from one half to the other, and its sums round at each move. So the chosen
        // split is evaluated once more, from its parts, before its figures are recorded.
        match best {
            Some(Trial { attribute, refinement: split @ Refinement::Split { .. }, .. }) => {
                self.try_one(whole, attribute, split)
            }
            other => Ok(other),
        }
    }

    /// Finds the best refinement of a group's node on a column. Returns None if it is a leaf or none is valid.
    pub(super) fn try_column(
        &mut self,
        whole: &MeasuredGroup,
        attribute: usize,
    ) -> Result<Option<Trial>, Error> {
        let node = self.node(whole.group, attribute);
        let hierarchy = &self.state.columns[attribute].hierarchy;
        if hierarchy.is_suppression() {
            self.disclose(whole, attribute)
        } else if hierarchy.is_interval(node) {
            self.split(whole, attribute)
        } else if hierarchy.node(node).children.is_empty() {
            Ok(None)
        } else {
            self.specialize(whole, attribute)
        }
    }

    /// Computes the gain, the privacy loss and the score of a refinement.
    pub(super) fn score(
        &self,
        whole: &MeasuredGroup,
        attribute: usize,
        refinement: Refinement,
        sums: TrialSums,
    ) -> Trial {
        let TrialSums { parts, unknown, privacy_loss, relative_loss } = sums;
        let state = &self.state;
        let column = &state.columns[attribute];
        let (records, rows) = (f64::from(whole.counts.records), state.rows.max(1) as f64);
        let loss = column.hierarchy.node(self.node(whole.group, attribute)).loss;
        let before = whole.class_entropy + self.weight * loss * records;
        let gain = positive_gain((before - unknown) / records);
        let (privacy_loss, relative_loss) =
            (positive_gain(privacy_loss / records), positive_gain(relative_loss / records));
        // Factor from a mean over the group's rows to a mean over the rows of the table.
        let share = records / rows;
        let whole_gain = match &state.leaves {
            Some(leaves) if state.score.is_conditional() => {
                let chance_gain = parts.saturating_sub(1) as f64 * leaves.chance_gain;
                without_noise((before - unknown - chance_gain) / records) * share
            }
            _ => gain * share,
        };
        let loss = if state.score.is_conditional() { relative_loss } else { privacy_loss };
        Trial {
            group: whole.group,
            records: whole.counts.records,
            attribute,
            refinement,
            gain,
            privacy_loss,
            score: state.score.evaluate(column.weight * whole_gain, loss),
            score_lower_bound: state.score.evaluate(column.weight * (whole_gain - NOISE * share), loss),
            whole_gain,
        }
    }

    /// Returns a group's node on a column.
    pub(super) fn node(&self, group: GroupId, attribute: usize) -> NodeId {
        self.state.partitions[0].node(group, attribute)
    }

    /// Sets `part_of_code` for every code that the group holds on the column.
    pub(super) fn assign_parts(
        &mut self,
        group: GroupId,
        attribute: usize,
        refinement: &Refinement,
    ) -> Result<(), Error> {
        let State { columns, partitions, .. } = &mut self.state;
        let (partition, column) = (&partitions[0], &mut columns[attribute]);
        let node = partition.node(group, attribute);
        let is_all_codes = matches!(refinement, Refinement::Specialize | Refinement::Split { .. });
        if is_all_codes && partition.size(group) >= column.hierarchy.node(node).codes.len() {
            // The node has fewer codes than the group has records.
            return column.assign(node, refinement);
        }
        let Column { hierarchy, part_of_code, .. } = column;
        match refinement {
            Refinement::Specialize => {
                let children = &hierarchy.node(node).children;
                let part = |code| child_index(hierarchy, children, code) as u32;
                assign_held_codes(partition, group, attribute, part_of_code, part)
            }
            Refinement::SplitOff { children } => {
                let part = |code| find_child(hierarchy, children, code).unwrap_or(children.len()) as u32;
                assign_held_codes(partition, group, attribute, part_of_code, part)
            }
            Refinement::Split { at, .. } => {
                assign_held_codes(partition, group, attribute, part_of_code, |code| u32::from(code >= *at))
            }
            Refinement::Disclose { codes } => {
                let rest = codes.len() as u32;
                assign_held_codes(partition, group, attribute, part_of_code, |_| rest)?;
                pace::each((0..).zip(codes), |(part, &code)| part_of_code[code as usize] = part)
            }
        }
    }
}

/// Assigns each code that a group holds on a column to its `part`.
fn assign_held_codes(
    partition: &Partition,
    group: GroupId,
    attribute: usize,
    part_of_code: &mut [u32],
    part: impl Fn(Code) -> u32,
) -> Result<(), Error> {
    pace::each(partition.records(group), |record| {
        let code = partition.code(record, attribute);
        part_of_code[code as usize] = part(code);
    })
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
