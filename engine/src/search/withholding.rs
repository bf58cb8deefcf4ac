//! Leaving rows out of what is released so far: what breaks a model after a step goes, and what a refinement would
//! come to is known before.
//!
//! A cut decides which rows are withheld: all but the largest set of rows that keeps every model under it. Where sets of rows
//! whose groups all hold hold together (k-anonymity, distinct l-diversity) there is one largest, and it is
//! found by leaving out what breaks until nothing does ([`Remainder`]): rows that are left out of a group
//! are missing in the groups of other columns, too. Under a finer cut no row comes back. See docs/USEFULNESS.md.

use super::parts::{holds_for, take_worst, Measures};
use super::remainder::{Division, LeftOut, Remainder};
use super::state::{Divided, Index, Model, State};
use crate::partition::GroupId;
use crate::refine::NodeId;
use crate::Error;
use hashbrown::HashSet;

/// What a refinement would make of one group.
#[derive(Debug, Clone)]
pub(super) struct Outlook {
    /// The node that is refined, or disclosed.
    pub node: NodeId,
    /// Its rows that would be withheld.
    pub rows: u64,
    /// The worst measure of each requirement, of the parts that would stay.
    pub worst: Vec<f64>,
    /// Whether any of its rows hold the node; of a disclosure, whether any that hold the value would stay.
    pub shows: bool,
}

/// What a refinement would come to.
#[derive(Debug)]
pub(super) struct Prospect {
    /// The rows that it would withhold.
    pub rows: u64,
    /// The worst measure of each requirement, of what it would make; what is no worse than now is left out.
    pub after: Vec<f64>,
    /// Whether any row would be released as the last child that there would be.
    pub shows: bool,
}

impl State<'_> {
    /// Leaves out what breaks a model in the groups that there are, if these are not too many rows: then the models do
    /// not hold.
    pub(super) fn withhold_first(&mut self) -> Result<(), Error> {
        let pace = self.pace;
        let groups = |index: &Index| index.partition.groups() as GroupId;
        let all: Vec<(usize, GroupId)> = (self.indexes.iter().enumerate())
            .flat_map(|(number, index)| (0..groups(index)).map(move |group| (number, group)))
            .collect();
        let Some(withheld) = &mut self.withheld else { return Ok(()) };
        for &(index, group) in &all {
            let partition = &self.indexes[index].partition;
            pace.each(partition.numbers(group), |record| {
                withheld.groups[index][record as usize] = group;
            })?;
        }
        self.withhold(&all)?;
        self.measure_all()
    }

    /// Leaves out what breaks a model, after these groups have been made; the groups that lost records, or none
    /// where these are too many rows.
    fn withhold(&mut self, made: &[(usize, GroupId)]) -> Result<Option<Vec<(usize, GroupId)>>, Error> {
        self.measure_groups(made)?;
        let State { models, indexes, tallies, withheld, pace, .. } = self;
        let Some(withheld) = withheld else { return Ok(Some(Vec::new())) };
        let mut broken = Vec::new();
        for &(index, group) in made {
            pace.tick(1)?;
            let measures = &withheld.measures[index][group as usize];
            let mut at = 0;
            let holds = |&m: &usize| {
                let Model { model, requirements, redundant } = &models[m];
                // A group without rows has no measures.
                let measures = if measures.is_empty() { &[] } else { &measures[at..at + requirements.len()] };
                at += requirements.len();
                redundant.is_some() || measures.iter().all(|&measure| model.holds(measure))
            };
            if !indexes[index].models.iter().all(holds) {
                broken.push((index, group, 0));
            }
        }
        if broken.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let remainder =
            Remainder { models, indexes, withheld, division: None, tallies, pace, found: LeftOut::default() };
        let Some(LeftOut { left, records, rows }) = remainder.leave_out(broken)? else {
            return Ok(None);
        };
        withheld.rows += rows;
        pace.each(records, |record| withheld.is_out[record as usize] = true)?;
        let mut lost: Vec<(usize, GroupId)> =
            left.into_keys().map(|(index, group, _)| (index, group)).collect();
        lost.sort_unstable();
        for &(index, group) in &lost {
            let is_out = |record: u32| withheld.is_out[record as usize];
            indexes[index].partition.take_out(group, is_out, pace)?;
        }
        self.measure_groups(&lost)?;
        Ok(Some(lost))
    }

    /// Leaves out what breaks a model after a step; which groups it made, and which lost records.
    pub(super) fn withhold_after(&mut self, divided: &[Divided]) -> Result<Vec<(usize, GroupId)>, Error> {
        let Some(withheld) = &mut self.withheld else { return Ok(Vec::new()) };
        let mut made = Vec::new();
        for Divided { index, groups, .. } in divided {
            for &(group, _) in groups.iter().filter(|(_, split)| *split) {
                made.push((*index, group));
                let records = self.indexes[*index].partition.numbers(group);
                self.pace.each(records, |record| withheld.groups[*index][record as usize] = group)?;
            }
        }
        let foreseen = Error::Internal("a step withholds more rows than was foreseen");
        let lost = self.withhold(&made)?.ok_or(foreseen)?;
        self.measure_all()?;
        Ok(lost)
    }

    /// Measures groups.
    fn measure_groups(&mut self, groups: &[(usize, GroupId)]) -> Result<(), Error> {
        let State { models, indexes, tallies, withheld, pace, .. } = self;
        let Some(withheld) = withheld else { return Ok(()) };
        for &(number, group) in groups {
            let (index, tally) = (&indexes[number], &mut tallies[number]);
            let all = &mut withheld.measures[number];
            let requirements = index.models.iter().map(|&m| models[m].requirements.len()).sum();
            if index.partition.groups() > all.len() {
                all.resize(index.partition.groups(), Vec::new());
            }
            all[group as usize].clear();
            if index.partition.size(group) == 0 {
                continue;
            }
            index.partition.tally_all(group, tally, pace)?;
            let mut measures = vec![0.0; requirements];
            let mut at = 0;
            for (m, counts) in index.groups(tally, 0) {
                let Model { model, requirements, .. } = &models[m];
                model.measure(counts, &mut measures[at..at + requirements.len()], pace)?;
                at += requirements.len();
            }
            all[group as usize] = measures;
        }
        Ok(())
    }

    /// The measures now, from those of the groups.
    fn measure_all(&mut self) -> Result<(), Error> {
        let mut worst = self.unmeasured()?;
        let Some(withheld) = &self.withheld else { return Ok(()) };
        for (index, groups) in self.indexes.iter().zip(&withheld.measures) {
            for measures in groups {
                self.pace.tick(1 + measures.len())?;
                let requirements = index.models.iter().flat_map(|&m| {
                    let Model { model, requirements, .. } = &self.models[m];
                    requirements.clone().map(|requirement| (requirement, model.direction()))
                });
                for ((requirement, direction), &measure) in requirements.zip(measures) {
                    worst[requirement] = direction.worse(worst[requirement], measure);
                }
            }
        }
        self.current = worst;
        Ok(())
    }

    /// What a refinement would come to, of the children that the column's codes are aimed at; none where it would
    /// withhold too many rows. Of some groups it may be `known` what they would become.
    pub(super) fn prospect<'k>(
        &mut self,
        attribute: usize,
        node: NodeId,
        known: impl Fn(usize, GroupId) -> Option<&'k Outlook>,
    ) -> Result<Option<Prospect>, Error> {
        let mut after = self.unmeasured()?;
        let State { models, columns, indexes, tallies, withheld, current, pace, .. } = self;
        let Some(withheld) = withheld else { return Ok(None) };
        let division = Division { attribute, node, slots: &columns[attribute].slots };
        let (indexes, models) = (&indexes[..], &models[..]);
        let mut broken = Vec::new();
        for (index, place, group) in linked(indexes, division) {
            pace.tick(1)?;
            if known(index, group).is_some_and(|outlook| outlook.rows == 0) {
                continue;
            }
            let tally = &mut tallies[index];
            indexes[index].partition.tally(group, place, Some(division.slots), tally, pace)?;
            for &child in &tally.touched {
                if !holds_for(models, indexes[index].groups(tally, child), pace)? {
                    broken.push((index, group, child));
                }
            }
        }
        let found = LeftOut::default();
        let remainder =
            Remainder { models, indexes, withheld, division: Some(division), tallies, pace, found };
        let Some(LeftOut { left, rows, .. }) = remainder.leave_out(broken)? else {
            return Ok(None);
        };
        let (measures, mut shows) = (Measures { models, current }, false);
        // Of a group that has lost records all parts were counted.
        let mut counted: HashSet<(usize, GroupId)> = HashSet::new();
        for (&(index, group, child), counts) in &left {
            counted.insert((index, group));
            if counts.records > 0 {
                shows |= child > 0;
                measures.take_worse(&mut after, indexes[index].groups_of(counts), pace)?;
            }
        }
        for (index, place, group) in linked(indexes, division) {
            pace.tick(1)?;
            if counted.contains(&(index, group)) {
                continue;
            }
            if let Some(outlook) = known(index, group) {
                shows |= outlook.shows;
                take_worst(models, &mut after, &outlook.worst, pace)?;
                continue;
            }
            let tally = &mut tallies[index];
            indexes[index].partition.tally(group, place, Some(division.slots), tally, pace)?;
            for &child in &tally.touched {
                shows |= child > 0;
                measures.take_worse(&mut after, indexes[index].groups(tally, child), pace)?;
            }
        }
        Ok(Some(Prospect { rows, after, shows }))
    }
}

/// The groups that a division would divide: of which partition, and where the column stands in it.
fn linked<'i>(
    indexes: &'i [Index],
    Division { attribute, node, .. }: Division<'i>,
) -> impl Iterator<Item = (usize, usize, GroupId)> + 'i {
    indexes.iter().enumerate().flat_map(move |(number, Index { partition, .. })| {
        let place = partition.place(attribute);
        place.into_iter().flat_map(move |place| {
            let groups = partition.linked(place, node).iter();
            let holds = move |&&group: &&GroupId| partition.node(group, place) == node;
            groups.filter(holds).map(move |&group| (number, place, group))
        })
    })
}
