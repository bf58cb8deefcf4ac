//! Measures of the parts that a refinement would make of a group.

use super::counts::Counts;
use super::state::{Model, ModelPartition};
use crate::partition::{Child, GroupId, Tally};
use crate::privacy::{Direction, GroupCounts};
use crate::{pace, Error};

impl ModelPartition {
    /// Counts a group by the parts of `part_of_code`, and worsens the measures `after` by those of the parts. Returns
    /// whether they changed.
    pub fn worsen_by_parts(
        &self,
        baseline: CurrentMeasures,
        (group, place): (GroupId, usize),
        part_of_code: &[u32],
        tally: &mut Tally,
        after: &mut [f64],
    ) -> Result<bool, Error> {
        let mut worse = false;
        self.partition.count_children(group, place, Some(part_of_code), tally)?;
        tally.each_child(|child| {
            worse |= baseline.worsen_by_group(after, self.child_by_model(child))?;
            Ok(())
        })?;
        Ok(worse)
    }

    /// Returns one child of a tally as each model sees it.
    pub fn child_by_model<'b>(
        &'b self,
        child: Child<'b>,
    ) -> impl Iterator<Item = (usize, GroupCounts<'b>)> + Clone {
        let (records, persons) = (child.records(), child.persons());
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| child.values(s));
            (m, GroupCounts { records, persons, sensitive })
        })
    }

    /// Returns counts as each model sees them.
    pub fn counts_by_model<'b>(
        &'b self,
        counts: &'b Counts,
    ) -> impl Iterator<Item = (usize, GroupCounts<'b>)> + Clone {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| counts.value_counts(s));
            (m, GroupCounts { records: counts.records, persons: counts.persons, sensitive })
        })
    }
}

impl Model {
    /// Returns the measures of one group. Up to eight are stored in `few`, on the stack; more are allocated in `many`.
    pub fn measure<'b>(
        &self,
        group: GroupCounts,
        few: &'b mut [f64; 8],
        many: &'b mut Vec<f64>,
    ) -> Result<&'b [f64], Error> {
        let requirements = self.requirements.len();
        pace::tick(requirements)?;
        let measures = if requirements <= few.len() {
            &mut few[..requirements]
        } else {
            many.resize(requirements, 0.0);
            &mut many[..]
        };
        self.model.measure(group, measures)?;
        Ok(measures)
    }
}

/// The models, and the worst measures of the present groups.
#[derive(Clone, Copy)]
pub(super) struct CurrentMeasures<'m> {
    pub models: &'m [Model],
    pub current: &'m [f64],
}

impl CurrentMeasures<'_> {
    /// Worsens `after`, the measures after a refinement, by those of one new group. Returns whether they changed. Skips
    /// a measure that is no worse than the current one: it makes nothing worse, now or later.
    pub fn worsen_by_group<'g>(
        self,
        after: &mut [f64],
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
    ) -> Result<bool, Error> {
        let mut worse = false;
        self.each_worse(groups, |requirement, direction, measure| {
            let taken = direction.worse(after[requirement], measure);
            worse |= taken != after[requirement];
            after[requirement] = taken;
        })?;
        Ok(worse)
    }

    /// Does the same as `worsen_by_group`. Returns None if nothing changed, otherwise whether every model still holds.
    pub fn worsen<'g>(
        self,
        after: &mut [f64],
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
    ) -> Result<Option<bool>, Error> {
        let worse = self.worsen_by_group(after, groups)?;
        worse.then(|| is_valid(self.models, after)).transpose()
    }

    /// Returns whether some measure of a new group is worse than the current one.
    pub fn would_worsen<'g>(
        self,
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
    ) -> Result<bool, Error> {
        let mut worse = false;
        self.each_worse(groups, |_, _, _| worse = true)?;
        Ok(worse)
    }

    /// Measures a new group as each model sees it. Calls `worse` for each measure that is worse than the current one.
    fn each_worse<'g>(
        self,
        groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
        mut worse: impl FnMut(usize, Direction, f64),
    ) -> Result<(), Error> {
        for (m, group) in groups.filter(has_rows) {
            let (mut few, mut many) = Default::default();
            let measures = self.models[m].measure(group, &mut few, &mut many)?;
            let direction = self.models[m].model.direction();
            for (requirement, &measure) in self.models[m].requirements.clone().zip(measures) {
                let current = self.current[requirement];
                if direction.worse(current, measure) != current {
                    worse(requirement, direction, measure);
                }
            }
        }
        Ok(())
    }
}

/// Returns whether a group has rows of the table. Rows of a population alone are no group, and no model is tested on
/// them.
pub(super) fn has_rows(group: &(usize, GroupCounts)) -> bool {
    group.1.records > 0
}

/// Returns whether every model that is not redundant holds for one group.
pub(super) fn holds_for<'g>(
    models: &[Model],
    groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
) -> Result<bool, Error> {
    for (m, group) in groups.filter(has_rows) {
        let (mut few, mut many) = Default::default();
        if models[m].redundant.is_none() {
            let measures = models[m].measure(group, &mut few, &mut many)?;
            if !measures.iter().all(|&measure| models[m].model.holds(measure)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Worsens the measures `worst` by those of one group. Returns whether every model that is not redundant holds for it.
pub(super) fn worsen_by_measures<'g>(
    models: &[Model],
    groups: impl Iterator<Item = (usize, GroupCounts<'g>)>,
    worst: &mut [f64],
) -> Result<bool, Error> {
    let mut holds = true;
    for (m, group) in groups.filter(has_rows) {
        let (mut few, mut many) = Default::default();
        let model = &models[m];
        let measures = model.measure(group, &mut few, &mut many)?;
        let direction = model.model.direction();
        for (worst, &measure) in worst[model.requirements.clone()].iter_mut().zip(measures) {
            *worst = direction.worse(*worst, measure);
            holds &= model.redundant.is_some() || model.model.holds(measure);
        }
    }
    Ok(holds)
}

/// Worsens the measures `after` by the worst of other groups. Returns whether they changed.
pub(super) fn merge_worst(models: &[Model], after: &mut [f64], worst: &[f64]) -> Result<bool, Error> {
    let mut worse = false;
    for Model { model, requirements, .. } in models {
        pace::tick(requirements.len())?;
        for (after, &worst) in after[requirements.clone()].iter_mut().zip(&worst[requirements.clone()]) {
            let taken = model.direction().worse(*after, worst);
            worse |= taken != *after;
            *after = taken;
        }
    }
    Ok(worse)
}

/// Returns whether every model that is not redundant holds at these measures.
pub(super) fn is_valid(models: &[Model], after: &[f64]) -> Result<bool, Error> {
    pace::tick(after.len())?;
    let holds = |m: &Model| after[m.requirements.clone()].iter().all(|&after| m.model.holds(after));
    Ok(models.iter().filter(|m| m.redundant.is_none()).all(holds))
}
