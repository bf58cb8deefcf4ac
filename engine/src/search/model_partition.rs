//! A partition and the models that count its groups.

use super::counts::Counts;
use crate::partition::{Child, Partition, Tally};
use crate::privacy::GroupCounts;
use crate::refine::NodeId;
use crate::{pace, Error};
use std::ops::{Deref, DerefMut};

/// A partition and the models that count its groups.
pub(super) struct ModelPartition {
    pub partition: Partition,
    /// Numbers of these models.
    pub models: Vec<usize>,
    /// For each of these models, the sensitive column of the partition that it counts.
    pub sensitive: Vec<Option<usize>>,
}

impl Deref for ModelPartition {
    type Target = Partition;

    fn deref(&self) -> &Partition {
        &self.partition
    }
}

impl DerefMut for ModelPartition {
    fn deref_mut(&mut self) -> &mut Partition {
        &mut self.partition
    }
}

impl ModelPartition {
    /// Counts each group that holds a node of a column by the parts of `part_of_code`, and calls `counted`. Stops when
    /// `counted` returns false.
    pub fn count_groups_with(
        &mut self,
        attribute: usize,
        node: NodeId,
        part_of_code: &[u32],
        tally: &mut Tally,
        mut counted: impl FnMut(&ModelPartition, &mut Tally) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let Some(place) = self.column_index(attribute) else { return Ok(()) };
        for number in 0..self.link(place, node).len() {
            pace::tick(1)?;
            let group = self.link(place, node)[number];
            // A group may have left the node since it was linked.
            if self.node(group, place) == node {
                self.restore_person_order(group)?;
                self.count_children(group, place, Some(part_of_code), tally)?;
                if !counted(self, tally)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns one child of a tally as each model sees it.
    pub fn child_by_model<'b>(
        &'b self,
        child: Child<'b>,
    ) -> impl Iterator<Item = (usize, GroupCounts<'b>)> + Clone {
        let (records, persons) = (child.records(), child.persons());
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| child.values(s));
            (m, GroupCounts { records, persons, counts: sensitive })
        })
    }

    /// Returns counts as each model sees them.
    pub fn counts_by_model<'b>(
        &'b self,
        counts: &'b Counts,
    ) -> impl Iterator<Item = (usize, GroupCounts<'b>)> + Clone {
        self.models.iter().zip(&self.sensitive).map(move |(&m, s)| {
            let sensitive = s.map_or(&[][..], |s| counts.value_counts(s));
            (m, GroupCounts { records: counts.records, persons: counts.persons, counts: sensitive })
        })
    }
}
