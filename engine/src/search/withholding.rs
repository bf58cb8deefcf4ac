//! Withholding: a step empties the new groups that break a model.

use super::measures::Models;
use super::state::{NewGroups, State};
use crate::partition::GroupId;
use crate::{pace, Error};

impl State {
    /// Withholds the groups of the most general table that break a model. If they have too many rows, nothing is
    /// withheld, and some model does not hold.
    pub(super) fn withhold_first(&mut self) -> Result<(), Error> {
        let groups: Vec<GroupId> = (0..self.partitions[0].group_count() as GroupId).collect();
        self.withhold(&groups)?;
        self.merge_current()
    }

    /// Withholds the groups that a step has made and that break a model.
    pub(super) fn withhold_after(&mut self, divided: &[NewGroups]) -> Result<(), Error> {
        let Some(withheld) = &self.withheld else { return Ok(()) };
        let made = divided.iter().flat_map(|divided| &divided.groups);
        let made: Vec<GroupId> = made.filter(|(_, split)| *split).map(|&(group, _)| group).collect();
        // Measures from before the step. If one of them was the worst, what is worst now is searched for among all.
        let is_worst = |&group: &GroupId| {
            let measures = withheld.measures.get(group as usize).into_iter().flatten();
            measures.zip(&self.current).any(|(measure, current)| measure == current)
        };
        let was_worst = made.iter().any(is_worst);
        if !self.withhold(&made)? {
            return Err(Error::Internal("a step withholds more rows than was foreseen"));
        }
        if was_worst {
            return self.merge_current();
        }
        let State { models, withheld, current, .. } = self;
        let measures =
            withheld.iter().flat_map(|withheld| made.iter().map(|&g| &withheld.measures[g as usize]));
        merge_groups(models, current, measures)
    }

    /// Measures groups, and withholds those that break a model. Returns false, with nothing withheld, if these have
    /// more rows than may still be withheld.
    fn withhold(&mut self, groups: &[GroupId]) -> Result<bool, Error> {
        let State { models, partitions, tallies, withheld, .. } = self;
        let (Some(withheld), partition, tally) = (withheld, &mut partitions[0], &mut tallies[0]) else {
            return Ok(true);
        };
        let all = partition.group_count().max(withheld.measures.len());
        withheld.measures.resize(all, Vec::new());
        let (mut broken, mut rows) = (Vec::new(), 0);
        for &group in groups {
            partition.count_whole(group, tally)?;
            let (mut measures, mut holds) = (Vec::new(), true);
            if !tally.touched.is_empty() {
                measures = models.best().to_vec();
                holds = models.worsen_by_group(&mut measures, partition.child_by_model(tally.child(0)?))?;
            }
            if !holds {
                broken.push(group);
                rows += u64::from(tally.records[0]);
            }
            withheld.measures[group as usize] = measures;
        }
        if rows > withheld.left() {
            return Ok(false);
        }
        withheld.rows += rows;
        for group in broken {
            let records = partition.numbers(group);
            pace::each(records, |record| withheld.is_withheld[record as usize] = true)?;
            partition.clear_group(group);
            withheld.measures[group as usize] = Vec::new();
        }
        Ok(true)
    }

    /// Sets the current measures to the worst of all groups.
    fn merge_current(&mut self) -> Result<(), Error> {
        let State { models, withheld, current, .. } = self;
        let withheld = withheld.as_ref().ok_or(Error::Internal("no row may be withheld"))?;
        current.copy_from_slice(models.best());
        merge_groups(models, current, withheld.measures.iter())
    }
}

/// Worsens the measures `worst` by those of groups. A group without rows has none.
fn merge_groups<'g>(
    models: &Models,
    worst: &mut [f64],
    groups: impl Iterator<Item = &'g Vec<f64>>,
) -> Result<(), Error> {
    for measures in groups {
        pace::tick(1 + measures.len())?;
        if !measures.is_empty() {
            models.merge(worst, measures);
        }
    }
    Ok(())
}
