//! What a refinement would make of a group: its parts are counted, measured, and the worst of them is
//! taken into the measures of the refinement.

use super::state::{Index, Model};
use crate::partition::{GroupId, Tally};
use crate::privacy::GroupCounts;
use crate::{Error, Pace};

/// Counts of a whole group, or of what a disclosure leaves of it.
#[derive(Debug, Clone)]
pub(super) struct Whole {
    pub records: u32,
    sensitive: Vec<Vec<u32>>,
}

impl Whole {
    /// Becomes `whole` without the records of one child.
    pub fn subtract(&mut self, whole: &Whole, tally: &Tally, arm: u32, pace: &Pace) -> Result<(), Error> {
        self.records = whole.records - tally.records[arm as usize];
        for (s, (rest, all)) in self.sensitive.iter_mut().zip(&whole.sensitive).enumerate() {
            let counts = rest.iter_mut().zip(all).zip(tally.values(s, arm));
            pace.each(counts, |((rest, all), part)| *rest = all - part)?;
        }
        Ok(())
    }
}

impl Index {
    /// Counts a group by the children that `slots` aims its codes at, and takes the worst part into the
    /// measures `after`.
    pub fn take_parts(
        &mut self,
        models: &[Model],
        group: GroupId,
        place: usize,
        slots: &[u32],
        after: &mut [f64],
        pace: &Pace,
    ) -> Result<(), Error> {
        self.partition.tally(group, place, Some(slots), &mut self.tally, pace)?;
        for &arm in &self.tally.touched {
            pace.tick(1)?;
            take_worse(models, after, self.groups(arm, self.tally.records[arm as usize]), pace)?;
        }
        Ok(())
    }

    /// The sum over all children of the tally.
    pub fn whole(&self, pace: &Pace) -> Result<Whole, Error> {
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
    pub fn groups(&self, arm: u32, records: u32) -> impl Iterator<Item = (usize, GroupCounts<'_>)> {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            (m, GroupCounts { records, sensitive: s.map_or(&[], |s| self.tally.values(s, arm)) })
        })
    }

    /// Other counts, as each model sees them.
    pub fn groups_of<'b>(&'b self, counts: &'b Whole) -> impl Iterator<Item = (usize, GroupCounts<'b>)> {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| &counts.sensitive[s]);
            (m, GroupCounts { records: counts.records, sensitive })
        })
    }
}

/// Takes one new group into the measures `after` a refinement.
pub(super) fn take_worse<'g>(
    models: &[Model],
    after: &mut [f64],
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
        for (after, &measure) in after[requirements.clone()].iter_mut().zip(&*measures) {
            *after = direction.worse(*after, measure);
        }
    }
    Ok(())
}

/// Whether every model that is not made redundant by another would still hold with these measures.
pub(super) fn is_valid(models: &[Model], after: &[f64], pace: &Pace) -> Result<bool, Error> {
    pace.tick(after.len())?;
    let holds = |m: &Model| after[m.requirements.clone()].iter().all(|&after| m.model.holds(after));
    Ok(models.iter().filter(|m| m.redundant.is_none()).all(holds))
}
