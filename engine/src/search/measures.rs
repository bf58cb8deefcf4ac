//! The privacy models of a search, and their measures.
//!
//! The measures of all models are kept in one list, by requirement: first those of the first model. A list has, for
//! each requirement, the worst measure over some groups. It starts with measures that are better than those of any
//! group ([`Models::best`]).

use super::model_partition::ModelPartition;
use crate::partition::Tally;
use crate::privacy::{redundant, Direction, GroupCounts, PrivacyModel};
use crate::{pace, Error};
use smallvec::{smallvec, SmallVec};
use std::ops::{Deref, Range};

/// A privacy model, the range of its requirements among all, and another model that makes it redundant.
pub(super) struct Model {
    pub model: PrivacyModel,
    pub requirements: Range<usize>,
    pub redundant: Option<usize>,
}

/// Counts of one group as each model sees it, with the model's number.
pub(super) trait CountsByModel<'g>: Iterator<Item = (usize, GroupCounts<'g>)> {}

impl<'g, I: Iterator<Item = (usize, GroupCounts<'g>)>> CountsByModel<'g> for I {}

/// The models of a search.
pub(super) struct Models {
    all: Vec<Model>,
    best: Vec<f64>,
}

impl Deref for Models {
    type Target = [Model];

    fn deref(&self) -> &[Model] {
        &self.all
    }
}

impl Models {
    pub fn new(models: Vec<PrivacyModel>) -> Result<Models, Error> {
        let redundant = redundant(&models)?;
        let (mut all, mut best) = (Vec::new(), Vec::new());
        for (model, redundant) in models.into_iter().zip(redundant) {
            let requirements = best.len()..best.len() + model.requirements();
            best.resize(requirements.end, model.direction().best());
            all.push(Model { model, requirements, redundant });
        }
        Ok(Models { all, best })
    }

    /// Returns measures that are better than those of any group.
    pub fn best(&self) -> &[f64] {
        &self.best
    }

    /// Returns the measures of one group by one model.
    pub fn measure(&self, model: usize, group: GroupCounts) -> Result<SmallVec<[f64; 8]>, Error> {
        let Model { model, requirements, .. } = &self.all[model];
        pace::tick(requirements.len())?;
        let mut measures = smallvec![0.0; requirements.len()];
        model.measure(group, &mut measures)?;
        Ok(measures)
    }

    /// Returns whether every model that is not redundant holds for one group.
    pub fn hold_for<'g>(&self, group: impl CountsByModel<'g>) -> Result<bool, Error> {
        for (m, counts) in group.filter(|(_, counts)| has_rows(counts)) {
            let Model { model, redundant, .. } = &self.all[m];
            if redundant.is_none() && !self.measure(m, counts)?.iter().all(|&measure| model.holds(measure)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Worsens measures by those of one group. Returns whether every model that is not redundant holds for it.
    pub fn worsen_by_group<'g>(
        &self,
        worst: &mut [f64],
        group: impl CountsByModel<'g>,
    ) -> Result<bool, Error> {
        self.worsen_by_counts(worst, group.filter(|(_, counts)| has_rows(counts)))
    }

    /// Does the same as `worsen_by_group`, and also measures counts without rows.
    pub fn worsen_by_counts<'g>(
        &self,
        worst: &mut [f64],
        group: impl CountsByModel<'g>,
    ) -> Result<bool, Error> {
        let mut holds = true;
        for (m, counts) in group {
            let Model { model, requirements, redundant } = &self.all[m];
            for (worst, measure) in worst[requirements.clone()].iter_mut().zip(self.measure(m, counts)?) {
                *worst = model.direction().worse(*worst, measure);
                holds &= redundant.is_some() || model.holds(measure);
            }
        }
        Ok(holds)
    }

    /// Worsens measures by those of other groups.
    pub fn merge(&self, worst: &mut [f64], others: &[f64]) {
        for Model { model, requirements, .. } in &self.all {
            let others = &others[requirements.clone()];
            for (worst, &other) in worst[requirements.clone()].iter_mut().zip(others) {
                *worst = model.direction().worse(*worst, other);
            }
        }
    }

    /// Returns whether every model that is not redundant holds at these measures.
    pub fn hold(&self, measures: &[f64]) -> bool {
        let holds =
            |m: &Model| measures[m.requirements.clone()].iter().all(|&measure| m.model.holds(measure));
        self.all.iter().filter(|m| m.redundant.is_none()).all(holds)
    }

    /// Returns [`Error::Unsatisfiable`] for the first requirement that does not hold at these measures.
    pub fn check(&self, measures: &[f64]) -> Result<(), Error> {
        for (m, Model { model, requirements, .. }) in self.all.iter().enumerate() {
            for (requirement, &achieved) in measures[requirements.clone()].iter().enumerate() {
                if !model.holds(achieved) {
                    return Err(Error::Unsatisfiable { model: m, requirement, achieved });
                }
            }
        }
        Ok(())
    }

    /// Returns the measure of each model: the worst of its requirements.
    pub fn achieved(&self, measures: &[f64]) -> Vec<f64> {
        let worst = |Model { model, requirements, .. }: &Model| {
            let direction = model.direction();
            let measures = measures[requirements.clone()].iter();
            measures.fold(direction.best(), |worst, &measure| direction.worse(worst, measure))
        };
        self.all.iter().map(worst).collect()
    }
}

/// Returns whether a group has rows of the table. Rows of a population alone are no group, and no model is tested on
/// them.
fn has_rows(counts: &GroupCounts) -> bool {
    counts.records > 0
}

/// The models, and the worst measures of the present groups. A measure of a new group that is no worse than the present
/// one is skipped: it makes nothing worse, now or later.
#[derive(Clone, Copy)]
pub(super) struct CurrentMeasures<'m> {
    pub models: &'m Models,
    pub current: &'m [f64],
}

impl CurrentMeasures<'_> {
    /// Worsens `after`, the measures after a refinement, by those of one new group. Returns whether they changed.
    pub fn worsen_by_group<'g>(
        self,
        after: &mut [f64],
        group: impl CountsByModel<'g>,
    ) -> Result<bool, Error> {
        let mut changed = false;
        self.each_worse(group, |requirement, direction, measure| {
            let worse = direction.worse(after[requirement], measure);
            changed |= worse != after[requirement];
            after[requirement] = worse;
        })?;
        Ok(changed)
    }

    /// Worsens `after` by the measures of all children of a tally. Returns whether they changed.
    pub fn worsen_by_children(
        self,
        after: &mut [f64],
        partition: &ModelPartition,
        tally: &mut Tally,
    ) -> Result<bool, Error> {
        let mut changed = false;
        tally.each_child(|child| {
            changed |= self.worsen_by_group(after, partition.child_by_model(child))?;
            Ok(())
        })?;
        Ok(changed)
    }

    /// Does the same as `worsen_by_group`. Returns None if nothing changed, otherwise whether every model still holds.
    pub fn worsen_and_test<'g>(
        self,
        after: &mut [f64],
        group: impl CountsByModel<'g>,
    ) -> Result<Option<bool>, Error> {
        Ok(self.worsen_by_group(after, group)?.then(|| self.models.hold(after)))
    }

    /// Returns whether some measure of a new group is worse than the current one.
    pub fn would_worsen<'g>(self, group: impl CountsByModel<'g>) -> Result<bool, Error> {
        let mut worse = false;
        self.each_worse(group, |_, _, _| worse = true)?;
        Ok(worse)
    }

    /// Calls `worse` for each measure of a new group that is worse than the current one.
    fn each_worse<'g>(
        self,
        group: impl CountsByModel<'g>,
        mut worse: impl FnMut(usize, Direction, f64),
    ) -> Result<(), Error> {
        for (m, counts) in group.filter(|(_, counts)| has_rows(counts)) {
            let Model { model, requirements, .. } = &self.models[m];
            let direction = model.direction();
            for (requirement, measure) in requirements.clone().zip(self.models.measure(m, counts)?) {
                let current = self.current[requirement];
                if direction.worse(current, measure) != current {
                    worse(requirement, direction, measure);
                }
            }
        }
        Ok(())
    }
}
