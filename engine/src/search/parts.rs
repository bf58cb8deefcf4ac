//! Measures of the parts that a refinement would make of a group.

use super::counts::Counts;
use super::measures::CurrentMeasures;
use super::state::ModelPartition;
use crate::partition::{Child, GroupId, Tally};
use crate::privacy::GroupCounts;
use crate::Error;

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
