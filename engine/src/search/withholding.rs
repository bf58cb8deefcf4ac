//! Withholding: a step empties the new groups that break a model.

use super::parts::merge_worst;
use super::state::{Model, NewGroups, State};
use crate::partition::GroupId;
use crate::{pace, Error};

impl State {
    /// Withholds the groups of the most general table that break a model. If they have too many rows, nothing is
    /// withheld, and some model does not hold.
    pub(super) fn withhold_first(&mut self) -> Result<(), Error> {
        let groups: Vec<GroupId> = (0..self.partitions[0].partition.group_count() as GroupId).collect();
        self.withhold(&groups)?;
        self.merge_current()
    }

    /// Withholds the groups that a step has made and that break a model.
    pub(super) fn withhold_after(&mut self, divided: &[NewGroups]) -> Result<(), Error> {
        let Some(withheld) = &self.withheld else { return Ok(()) };
        let made = divided.iter().flat_map(|divided| &divided.groups);
        let made: Vec<GroupId> = made.filter(|(_, split)| *split).map(|&(group, _)| group).collect();
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
        for group in made {
            let measures = withheld.as_ref().map_or(&[][..], |withheld| &withheld.measures[group as usize]);
            merge_group(models, current, measures)?;
        }
        Ok(())
    }

    /// Measures groups, and withholds those that break a model. Returns false, with nothing withheld, if these have
    /// more rows than may still be withheld.
    fn withhold(&mut self, groups: &[GroupId]) -> Result<bool, Error> {
        let State { models, partitions, tallies, withheld, current, .. } = self;
        let (Some(withheld), index, tally) = (withheld, &mut partitions[0], &mut tallies[0]) else {
            return Ok(true);
        };
        let all = index.partition.group_count().max(withheld.measures.len());
        withheld.measures.resize(all, Vec::new());
        let (mut broken, mut rows) = (Vec::new(), 0);
        for &group in groups {
            index.partition.count_whole(group, tally)?;
            let has_rows = !tally.touched.is_empty();
            let mut measures = vec![0.0; if has_rows { current.len() } else { 0 }];
            let mut holds = true;
            for (m, counts) in index.child_by_model(tally.child(0)?).filter(|_| has_rows) {
                let Model { model, requirements, redundant } = &models[m];
                let measures = &mut measures[requirements.clone()];
                model.measure(counts, measures)?;
                holds &= redundant.is_some() || measures.iter().all(|&measure| model.holds(measure));
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
            let records = index.partition.numbers(group);
            pace::each(records, |record| withheld.is_withheld[record as usize] = true)?;
            index.partition.clear_group(group);
            withheld.measures[group as usize] = Vec::new();
        }
        Ok(true)
    }

    /// Sets the current measures to the worst of all groups.
    fn merge_current(&mut self) -> Result<(), Error> {
        self.current = self.best_measures()?;
        let State { models, withheld, current, .. } = self;
        let groups = withheld.iter().flat_map(|withheld| &withheld.measures);
        groups.into_iter().try_for_each(|measures| merge_group(models, current, measures))
    }
}

/// Worsens the measures `worst` by those of a group, if it has rows.
fn merge_group(models: &[Model], worst: &mut [f64], measures: &[f64]) -> Result<(), Error> {
    match measures.is_empty() {
        true => pace::tick(1),
        false => merge_worst(models, worst, measures).map(drop),
    }
}
