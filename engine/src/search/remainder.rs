//! What stays when rows are left out of groups that break a model: taken out on paper, until nothing breaks.

use super::parts::{holds_for, Counts};
use super::state::{Index, Model};
use super::withheld::Withheld;
use crate::partition::{GroupId, Tally};
use crate::refine::NodeId;
use crate::{Error, Pace};
use hashbrown::{HashMap, HashSet};

/// A part of a group: which partition's, which group's, and which child's it would be; 0 where it is not divided.
pub type Part = (usize, GroupId, u32);

/// How a refinement would divide the groups that hold a node.
#[derive(Clone, Copy)]
pub struct Division<'d> {
    pub attribute: usize,
    pub node: NodeId,
    pub slots: &'d [u32],
}

/// What stays when whatever breaks a model is left out, until nothing does: of the groups that there are, or that a
/// division would make.
pub struct Remainder<'s> {
    pub models: &'s [Model],
    pub indexes: &'s [Index],
    pub withheld: &'s Withheld,
    pub division: Option<Division<'s>>,
    pub tallies: &'s mut [Tally],
    pub pace: &'s Pace,
    pub found: LeftOut,
}

/// What was left out.
#[derive(Default)]
pub struct LeftOut {
    /// What is left of each part that has lost records, or was counted with one that has.
    pub left: HashMap<Part, Counts>,
    /// The records that are left out.
    pub records: HashSet<u32>,
    pub rows: u64,
}

impl Remainder<'_> {
    /// The part that a record is in.
    fn part(&self, index: usize, record: u32) -> Part {
        let group = self.withheld.groups[index][record as usize];
        match self.division {
            Some(Division { attribute, slots, .. }) if self.divides(index, group) => {
                let code = self.withheld.records.columns[attribute].get(record as usize);
                (index, group, slots[code as usize])
            }
            _ => (index, group, 0),
        }
    }

    /// Whether a group would be divided.
    fn divides(&self, index: usize, group: GroupId) -> bool {
        let partition = &self.indexes[index].partition;
        let holds = |Division { attribute, node, .. }: Division| {
            partition.place(attribute).is_some_and(|place| partition.node(group, place) == node)
        };
        self.division.is_some_and(holds)
    }

    /// Counts the parts of a group.
    fn count(&mut self, index: usize, group: GroupId) -> Result<(), Error> {
        let divides = self.divides(index, group);
        let (partition, tally) = (&self.indexes[index].partition, &mut self.tallies[index]);
        match self.division.filter(|_| divides) {
            Some(Division { attribute, slots, .. }) => {
                let place = partition.place(attribute);
                let place =
                    place.ok_or(Error::Internal("a column that is divided is not in its partition"))?;
                partition.tally(group, place, Some(slots), tally, self.pace)?;
            }
            None => partition.tally_all(group, tally, self.pace)?,
        }
        for &child in &tally.touched {
            let counts = Counts::of(tally, child, self.pace)?;
            self.found.left.insert((index, group, child), counts);
        }
        Ok(())
    }

    /// Whether every model holds for what is left of a part.
    fn holds(&self, part: &Part) -> Result<bool, Error> {
        match self.found.left.get(part) {
            Some(counts) if counts.records > 0 => {
                holds_for(self.models, self.indexes[part.0].groups_of(counts), self.pace)
            }
            _ => Ok(true),
        }
    }

    /// Leaves out some parts, and whatever breaks by that; none where these are too many rows.
    pub fn leave_out(mut self, mut broken: Vec<Part>) -> Result<Option<LeftOut>, Error> {
        while let Some((index, group, child)) = broken.pop() {
            let indexes = self.indexes;
            for record in indexes[index].partition.numbers(group) {
                self.pace.tick(indexes.len())?;
                if self.part(index, record) != (index, group, child) || !self.found.records.insert(record) {
                    continue;
                }
                self.found.rows += u64::from(self.withheld.records.weights[record as usize]);
                if self.found.rows > self.withheld.left() {
                    return Ok(None);
                }
                for index in 0..indexes.len() {
                    let part = self.part(index, record);
                    if !self.found.left.contains_key(&part) {
                        self.count(index, part.1)?;
                    }
                    self.take(part, record)?;
                    if !self.holds(&part)? {
                        broken.push(part);
                    }
                }
            }
        }
        Ok(Some(self.found))
    }

    /// Takes a record from its part.
    fn take(&mut self, part: Part, record: u32) -> Result<(), Error> {
        let Withheld { records, .. } = self.withheld;
        let weight = records.weights[record as usize];
        let Some(counts) = self.found.left.get_mut(&part) else { return Ok(()) };
        let values = self.indexes[part.0].counted.iter().map(|&c| records.columns[c].get(record as usize));
        self.pace.tick(self.indexes[part.0].counted.len())?;
        counts.take_away(weight, values);
        Ok(())
    }
}
