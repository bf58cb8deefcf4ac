//! Explains why a release is not more specific: what kept each node of a cut from being refined.
//!
//! The steps are performed again with all nodes linked. Then the search makes its candidates and counts all groups for
//! them, as before a first step. The refinement of a node with a living candidate breaks no model: it adds too little
//! class information, or the search was stopped before. A node whose candidate has died would break a model. A search
//! drops a candidate at the first group that breaks a model, so all groups that such a refinement would make are
//! counted again. If they break several models, the one that breaks in most rows is reported.

use super::measures::{Model, Models};
use super::model_partition::ModelPartition;
use super::recorded::Refinement;
use super::state::State;
use super::Search;
use crate::partition::Tally;
use crate::progress::check_memory;
use crate::refine::interval::SplitChooser;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::BestSplit;
use crate::{pace, Code, Error};

/// A node of a cut, and the reason why it stays.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The column.
    pub attribute: usize,
    /// The node.
    pub node: NodeId,
    /// How the node would be refined; None unless the reason is `Breaks`, `FewRows`, `BelowChance` or `Open`. An
    /// interval would be split at its best point, and `*` would disclose the value that the reason is about. By local
    /// recoding, an interval whose split would break a model is split at the point that halves its rows best, and `*`
    /// may disclose several values.
    pub refinement: Option<Refinement>,
    /// Why the node is not refined. By local recoding it is the reason of the group that is nearest to being refined,
    /// the first of several.
    pub reason: Reason,
    /// By local recoding, the number of groups that stay at the node for this reason.
    pub groups: Option<u64>,
}

/// Why a node of a cut was not refined further.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reason {
    /// No row is released as the node.
    Unused,
    /// Nothing is more specific: the node is a leaf, an interval of a single value, or a disclosed value.
    Leaf,
    /// The node has the finest depth that is allowed.
    Finest,
    /// By local recoding: the node is of a shown column, so it would have to be refined in all groups at once.
    Shown,
    /// No point that may become an end lies between the values of the interval.
    NoPoint,
    /// All rows of the node are of one class.
    OneClass,
    /// A model would break.
    Breaks(Shortfall),
    /// By local recoding: every model would hold, but a part would have fewer rows than `Problem::min_size_factor`
    /// requires.
    FewRows {
        /// Number of rows of the smallest part.
        rows: u64,
        /// Least number of rows of a group.
        least: u64,
    },
    /// The refinement would add less class information than expected by chance.
    BelowChance {
        /// The added class information less that expected by chance, in bits per row of the table; negative. By local
        /// recoding it is that of one group, and includes a tenth of the fall of certainty loss.
        gain: f64,
    },
    /// Nothing keeps the node: the search was stopped before.
    Open,
}

/// How a node would be refined, and why it is not.
struct Why {
    refinement: Option<Refinement>,
    reason: Reason,
}

impl Reason {
    /// Returns the shortfall, if a model would break.
    pub fn shortfall(&mut self) -> Option<&mut Shortfall> {
        match self {
            Reason::Breaks(shortfall) => Some(shortfall),
            _ => None,
        }
    }
}

/// How far a refinement is from keeping a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shortfall {
    /// The model that would break in most rows.
    pub model: usize,
    /// Worst measure of this model over the groups that the refinement would make.
    pub achieved: f64,
    /// Number of these groups that break the model.
    pub broken: u64,
    /// Number of these groups.
    pub groups: u64,
    /// Number of rows in the groups that break the model. At least these would have to be withheld. Of a model over
    /// several sets of columns (LKC-privacy), the number for the set with most such rows: a row may be in several.
    pub rows: u64,
    /// Number of rows that may still be withheld, if any may.
    pub left: Option<u64>,
}

impl Search {
    /// Explains each node of the cuts.
    pub(super) fn explain(&mut self) -> Result<Vec<Explained>, Error> {
        self.survey()?;
        let mut nodes = Vec::new();
        for attribute in 0..self.state.columns.len() {
            let cut = pace::collect(self.state.columns[attribute].cut.nodes())?;
            for node in cut {
                let Why { refinement, reason } = self.explain_node(attribute, node)?;
                nodes.push(Explained { attribute, node, refinement, reason, groups: None });
            }
        }
        Ok(nodes)
    }

    /// Finds the reason why a node of the cut is not refined.
    fn explain_node(&mut self, attribute: usize, node: NodeId) -> Result<Why, Error> {
        let stays = |reason| Ok(Why { refinement: None, reason });
        let State { columns, utility, .. } = &self.state;
        let column = &columns[attribute];
        let is_interval = column.hierarchy.is_interval(node);
        let records = match &column.suppressed {
            Some(_) if node != TOP => return stays(Reason::Leaf),
            Some(suppressed) => suppressed.clone(),
            None => column.histogram.counts(column.hierarchy.node(node).codes.clone())?,
        };
        if records.records() == 0 {
            return stays(Reason::Unused);
        }
        if column.hierarchy.is_leaf(node) {
            return stays(Reason::Leaf);
        }
        if !column.hierarchy.may_refine(node) {
            return stays(Reason::Finest);
        }
        if !utility.beneficial(&records) {
            return stays(Reason::OneClass);
        }
        if column.suppressed.is_some() {
            return self.explain_suppressed(attribute);
        }
        let refinement =
            if is_interval { self.chosen_split(attribute, node)? } else { Some(Refinement::Specialize) };
        let Some(refinement) = refinement else { return stays(Reason::NoPoint) };
        let reason = match self.candidates.living(attribute, node) {
            Some(id) => self.explain_living(id),
            None => self.explain_dead(attribute, node, &refinement)?,
        };
        Ok(Why { refinement: Some(refinement).filter(|_| reason != Reason::Unused), reason })
    }

    /// Returns the split of an interval: at the point of its candidate, or at the best of all points.
    fn chosen_split(&self, attribute: usize, node: NodeId) -> Result<Option<Refinement>, Error> {
        let State { columns, utility, split, .. } = &self.state;
        let column = &columns[attribute];
        let refined = column.hierarchy.node(node);
        let points = self.candidates.living(attribute, node).and_then(|id| self.splits.by_candidate.get(&id));
        let chosen = points.map(|points| points.chosen);
        let at = match (refined.children.get(1), column.hierarchy.domain()) {
            (Some(&right), _) => Some(column.hierarchy.node(right).codes.start),
            (None, Some(domain)) if chosen.is_none() => {
                let split = BestSplit { utility: *utility, histogram: &column.histogram, split: *split };
                split.choose(domain, refined.codes.clone())?
            }
            _ => chosen,
        };
        Ok(at.map(Refinement::split))
    }

    /// Explains `*` by a living candidate, if possible by one that could be performed. Without any, explains it by the
    /// most frequent suppressed value that some released row holds.
    fn explain_suppressed(&mut self, attribute: usize) -> Result<Why, Error> {
        let State { columns, .. } = &self.state;
        let column = &columns[attribute];
        check_memory::<Code>(column.hierarchy.codes())?;
        let is_suppressed = |&code: &Code| {
            !column.cut.contains(Hierarchy::disclosed_node(code)) && column.histogram.row_count(code) > 0
        };
        let mut codes = pace::collect((0..column.hierarchy.codes() as Code).filter(is_suppressed))?;
        let by_falling_rows = |one: &Code, other: &Code| {
            let rows = |code: &Code| column.histogram.row_count(*code);
            rows(other).cmp(&rows(one)).then(one.cmp(other))
        };
        pace::sort_by(&mut codes, by_falling_rows)?;
        // The gain, the candidate and the code.
        let mut living: Option<(f64, usize, Code)> = None;
        for &code in &codes {
            pace::tick(1)?;
            let Some(id) = self.candidates.living(attribute, Hierarchy::disclosed_node(code)) else {
                continue;
            };
            // Candidates that could be performed come first.
            let gain = self.score_gain(id).min(0.0);
            if living.is_none_or(|(most, ..)| gain > most) {
                living = Some((gain, id, code));
            }
        }
        if let Some((_, id, code)) = living {
            let refinement = Some(Refinement::disclose(code));
            return Ok(Why { refinement, reason: self.explain_living(id) });
        }
        for code in codes {
            let refinement = Refinement::disclose(code);
            match self.explain_dead(attribute, TOP, &refinement)? {
                Reason::Unused => {}
                reason => return Ok(Why { refinement: Some(refinement), reason }),
            }
        }
        Ok(Why { refinement: None, reason: Reason::Unused })
    }

    /// Returns the gain of a living candidate as the score takes it.
    fn score_gain(&self, id: usize) -> f64 {
        self.state.gain(self.candidates.get(id), self.candidates.gain(id))
    }

    fn explain_living(&self, id: usize) -> Reason {
        match self.score_gain(id) {
            gain if gain < 0.0 => Reason::BelowChance { gain },
            _ => Reason::Open,
        }
    }

    /// Explains a refinement without a living candidate by the model that it would break.
    fn explain_dead(
        &mut self,
        attribute: usize,
        node: NodeId,
        refinement: &Refinement,
    ) -> Result<Reason, Error> {
        self.state.columns[attribute].assign(node, refinement)?;
        let shortfall = self.shortfall(attribute, node)?;
        self.state.columns[attribute].unassign(refinement);
        // If no model breaks, no group was counted, because all rows of the node are withheld.
        Ok(shortfall.map_or(Reason::Unused, Reason::Breaks))
    }

    /// Counts all groups that a refinement would make, by the parts that the codes of its column are assigned to.
    /// Returns the shortfall of the model that breaks in most rows, if one breaks.
    fn shortfall(&mut self, attribute: usize, node: NodeId) -> Result<Option<Shortfall>, Error> {
        let State { models, columns, partitions, tallies, withheld, .. } = &mut self.state;
        let left = withheld.as_ref().map(|withheld| withheld.left());
        let mut shortfalls = Shortfalls::new(models, left);
        for (partition, tally) in partitions.iter_mut().zip(tallies) {
            shortfalls.start_set();
            partition.count_groups_with(
                attribute,
                node,
                &columns[attribute].part_of_code,
                tally,
                |partition, tally| shortfalls.add_children(partition, tally).map(|()| true),
            )?;
        }
        Ok(shortfalls.worst())
    }
}

/// The shortfall of each model over the groups that a refinement would make.
pub(super) struct Shortfalls<'m> {
    models: &'m Models,
    all: Vec<Shortfall>,
    /// By model, number of rows in groups on the present set of columns that break it.
    broken_rows: Vec<u64>,
}

impl<'m> Shortfalls<'m> {
    /// Makes shortfalls of no groups. `left` is the number of rows that may still be withheld.
    pub(super) fn new(models: &'m Models, left: Option<u64>) -> Shortfalls<'m> {
        let achieved = models.achieved(models.best());
        let nothing = |(model, achieved)| Shortfall { model, achieved, broken: 0, groups: 0, rows: 0, left };
        let all = achieved.into_iter().enumerate().map(nothing).collect();
        Shortfalls { models, all, broken_rows: vec![0; models.len()] }
    }

    /// Begins with groups on another set of columns. They hold the same rows as those on the set before.
    fn start_set(&mut self) {
        self.broken_rows.fill(0);
    }

    /// Adds the children of a tally as groups.
    pub(super) fn add_children(
        &mut self,
        partition: &ModelPartition,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        tally.each_child(|child| {
            for (m, counts) in partition.child_by_model(child) {
                let Model { model, redundant, .. } = &self.models[m];
                // Rows of a population alone are no group.
                if redundant.is_some() || counts.records == 0 {
                    continue;
                }
                let measures = self.models.measure(m, counts)?;
                let broken = !measures.iter().all(|&measure| model.holds(measure));
                self.broken_rows[m] += if broken { u64::from(counts.records) } else { 0 };
                let shortfall = &mut self.all[m];
                shortfall.groups += 1;
                shortfall.broken += u64::from(broken);
                shortfall.rows = shortfall.rows.max(self.broken_rows[m]);
                let direction = model.direction();
                shortfall.achieved = measures.iter().fold(shortfall.achieved, |a, &b| direction.worse(a, b));
            }
            Ok(())
        })
    }

    /// Returns the shortfall of the model that breaks in most rows, the first of several; None if all models hold.
    pub(super) fn worst(self) -> Option<Shortfall> {
        let broken = self.all.into_iter().filter(|shortfall| shortfall.broken > 0);
        broken.reduce(|worst, other| if other.rows > worst.rows { other } else { worst })
    }
}
