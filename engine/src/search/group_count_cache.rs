//! Counts of a large group by child, kept from step to step while each step takes few records from the group.
//!
//! A disclosure takes the records of one value out of a group. The counts of the rest are the counts before, less those
//! of the removed records. So the counts of all children are kept (of all values, on a suppressed column), and only the
//! children that have lost records are measured again.
//!
//! Every removed record changes the rests that further disclosures would leave. But values with equal counts leave
//! equal rests, so each distinct rest is measured once. Only a rest that is worse than the current worst group can
//! change a candidate, which is rare.
//!
//! If persons are counted, the cache also has the children in which each person has records ([`PersonChildren`]).

use super::counts::Counts;
use super::measures::CurrentMeasures;
use super::model_partition::ModelPartition;
use crate::partition::{GroupId, Loss, Partition, PersonChildren, Remaining, Tally, SCANS_PER_LOOKUP};
use crate::progress::check_table_memory;
use crate::{pace, Error};
use hashbrown::hash_map::{Entry, HashMap};

/// Counts of one group by the children of its node on one column.
pub(super) struct GroupCountCache {
    whole: Counts,
    /// For each child, the index of its counts in `distinct`.
    index_of_child: HashMap<u32, u32>,
    distinct: Vec<DistinctCounts>,
    index_of_counts: HashMap<ChildCounts, u32>,
    /// Unused indices of `distinct`.
    free: Vec<u32>,
    /// If persons are counted: the children in which each person, and each holder of a sensitive value, has records.
    persons: Vec<PersonChildren>,
}

/// Counts of a child.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct ChildCounts {
    counts: Counts,
    /// What the group would lose with the child; None if that is the same as `counts`.
    lost: Option<Counts>,
}

impl ChildCounts {
    fn lost(&self) -> &Counts {
        self.lost.as_ref().unwrap_or(&self.counts)
    }
}

/// Counts that some children have in common.
struct DistinctCounts {
    counts: ChildCounts,
    /// Number of these children.
    children: u32,
    /// Whether the group without such a child would be worse than the current worst group.
    worse: bool,
}

impl GroupCountCache {
    /// Returns whether the cache pays: the rest has at least `SCANS_PER_LOOKUP` times the records that left it.
    pub fn is_worthwhile(left: usize, rest: usize) -> bool {
        rest >= SCANS_PER_LOOKUP * left
    }

    /// Keeps the last tally of a group, which must have been made with the same `part_of_code`. Returns None if the
    /// distinct counts are more numbers than the group has records.
    pub fn new(
        partition: &Partition,
        (group, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        tally: &mut Tally,
    ) -> Result<Option<GroupCountCache>, Error> {
        let whole = Counts::whole(tally)?;
        let children = tally.touched.len();
        let most = partition.size(group) / whole.len();
        check_table_memory::<(u32, u32)>(children)?;
        let mut cache = GroupCountCache {
            whole,
            index_of_child: HashMap::with_capacity(children),
            distinct: Vec::new(),
            index_of_counts: HashMap::new(),
            free: Vec::new(),
            persons: Vec::new(),
        };
        for at in 0..tally.touched.len() {
            pace::tick(1)?;
            let counts_persons = tally.counts_persons();
            let child = tally.child(tally.touched[at])?;
            let lost = counts_persons.then(|| Counts::loss_with_child(child)).transpose()?;
            cache.put(child.number(), ChildCounts { counts: Counts::from_child(child)?, lost });
            if cache.distinct.len() > most {
                return Ok(None);
            }
        }
        if tally.counts_persons() {
            let held = (0..tally.cardinalities().count()).filter(|&s| tally.persons_per_value(s).is_some());
            for column in std::iter::once(None).chain(held.map(Some)) {
                cache.persons.push(partition.person_children((group, place), part_of_code, column)?);
            }
        }
        Ok(Some(cache))
    }

    /// Counts a group that has `left` the cached one, and subtracts it.
    pub fn remove(
        &mut self,
        partition: &Partition,
        (left, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        partition.count_children(left, place, part_of_code, tally)?;
        let mut changed = HashMap::new();
        tally.each_child(|child| {
            let part = Counts::rows_of_child(child)?;
            self.whole.remove(&part)?;
            if let Some(mut counts) = self.take(child.number()) {
                counts.counts.remove(&part)?;
                counts.lost.iter_mut().try_for_each(|lost| lost.remove(&part))?;
                changed.insert(child.number(), counts);
            }
            Ok(())
        })?;
        let mut persons = std::mem::take(&mut self.persons);
        for persons in &mut persons {
            let column = persons.column();
            let lose = |loss| self.remove_holder(column, loss, &mut changed);
            partition.remove_person_children((left, place), part_of_code, persons, lose)?;
        }
        self.persons = persons;
        for (child, counted) in changed {
            pace::tick(1)?;
            if !counted.counts.are_zero() {
                self.put(child, counted);
            }
        }
        Ok(())
    }

    /// Updates the counts for a person, or a holder of a value, whose last record in a child has left. If all other
    /// records of the person are in one child, the group would now lose the person with that child.
    fn remove_holder(&mut self, column: Option<usize>, loss: Loss, changed: &mut HashMap<u32, ChildCounts>) {
        let value = loss.value;
        if let Some(ChildCounts { counts, lost }) = changed.get_mut(&loss.child) {
            *counts.holders_mut(column, value) -= 1;
            if let (Remaining::None, Some(lost)) = (loss.remaining, lost) {
                *lost.holders_mut(column, value) -= 1;
            }
        }
        match loss.remaining {
            Remaining::None => *self.whole.holders_mut(column, value) -= 1,
            Remaining::One(child) => {
                let counted = match changed.entry(child) {
                    Entry::Occupied(counted) => Some(counted.into_mut()),
                    Entry::Vacant(place) => self.take(child).map(|counted| place.insert(counted)),
                };
                if let Some(lost) = counted.and_then(|counted| counted.lost.as_mut()) {
                    *lost.holders_mut(column, value) += 1;
                }
            }
            Remaining::Several => {}
        }
    }

    fn counts_of_child(&self, child: u32) -> Option<&ChildCounts> {
        self.index_of_child.get(&child).map(|&index| &self.distinct[index as usize].counts)
    }

    /// Returns the counts of a child, if it has records.
    pub fn counts(&self, child: u32) -> Option<&Counts> {
        self.counts_of_child(child).map(|counted| &counted.counts)
    }

    /// Worsens the measures `after` by those of the two parts that disclosing a value, the `child`, would make of the
    /// group. Returns false if the cache does not have the child.
    pub fn worsen_by_disclosure(
        &self,
        partition: &ModelPartition,
        baseline: CurrentMeasures,
        child: u32,
        after: &mut [f64],
    ) -> Result<bool, Error> {
        let Some(counted) = self.counts_of_child(child) else { return Ok(false) };
        baseline.worsen_by_group(after, partition.counts_by_model(&counted.counts))?;
        if counted.counts.records < self.whole.records {
            let mut rest = self.whole.clone();
            rest.remove(counted.lost())?;
            baseline.worsen_by_group(after, partition.counts_by_model(&rest))?;
        }
        Ok(true)
    }

    /// Calls `named` for each child. Passes the rest without the child if that rest is worse than the current worst
    /// group, otherwise None. Makes no calls if no rest is worse. Drops each child for which `named` returns false.
    pub fn each_worse_rest(
        &mut self,
        partition: &ModelPartition,
        baseline: CurrentMeasures,
        mut named: impl FnMut(u32, Option<&Counts>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut rest = self.whole.clone();
        let mut any = false;
        for DistinctCounts { counts, children, worse } in &mut self.distinct {
            pace::tick(1)?;
            *worse = false;
            if *children > 0 && counts.counts.records < self.whole.records {
                rest.copy_from(&self.whole)?;
                rest.remove(counts.lost())?;
                *worse = baseline.would_worsen(partition.counts_by_model(&rest))?;
                any |= *worse;
            }
        }
        if !any {
            return Ok(());
        }
        let mut useless = Vec::new();
        for (&child, &index) in &self.index_of_child {
            pace::tick(1)?;
            let DistinctCounts { worse, ref counts, .. } = self.distinct[index as usize];
            if worse {
                rest.copy_from(&self.whole)?;
                rest.remove(counts.lost())?;
            }
            if !named(child, worse.then_some(&rest))? {
                useless.push(child);
            }
        }
        pace::each(useless, |child| _ = self.take(child))
    }

    /// Adds a child that is not in the cache.
    fn put(&mut self, child: u32, counts: ChildCounts) {
        let index = match self.index_of_counts.get(&counts) {
            Some(&index) => index,
            None => {
                let distinct = DistinctCounts { counts: counts.clone(), children: 0, worse: false };
                let index = match self.free.pop() {
                    Some(index) => {
                        self.distinct[index as usize] = distinct;
                        index
                    }
                    None => {
                        self.distinct.push(distinct);
                        self.distinct.len() as u32 - 1
                    }
                };
                self.index_of_counts.insert(counts, index);
                index
            }
        };
        self.distinct[index as usize].children += 1;
        self.index_of_child.insert(child, index);
    }

    /// Removes a child, and returns its counts.
    fn take(&mut self, child: u32) -> Option<ChildCounts> {
        let index = self.index_of_child.remove(&child)?;
        let distinct = &mut self.distinct[index as usize];
        distinct.children -= 1;
        let counts = distinct.counts.clone();
        if distinct.children == 0 {
            self.index_of_counts.remove(&counts);
            self.free.push(index);
        }
        Some(counts)
    }
}
