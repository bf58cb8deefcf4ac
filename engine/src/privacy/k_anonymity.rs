//! k-anonymity on one quasi-identifier (TDS Definition 1): <QID, k>.

use super::{is_subset, Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;

/// At least k records, or records of at least k persons, share each combination of released values on the columns. The
/// measure is the size of the smallest group, A(QID).
#[derive(Debug, Clone)]
pub struct KAnonymity {
    attributes: Vec<usize>,
    k: u64,
    person: Option<usize>,
}

impl KAnonymity {
    /// Requires <`attributes`, `k`>.
    pub fn new(mut attributes: Vec<usize>, k: u64) -> KAnonymity {
        attributes.sort_unstable();
        attributes.dedup();
        KAnonymity { attributes, k, person: None }
    }

    /// Counts persons instead of records. `person` is the index of the column that identifies them.
    pub fn counting_persons(self, person: usize) -> KAnonymity {
        KAnonymity { person: Some(person), ..self }
    }
}

impl PrivacyModel for KAnonymity {
    fn attributes(&self) -> &[usize] {
        &self.attributes
    }
    fn person(&self) -> Option<usize> {
        self.person
    }
    /// False for persons, who would have to be counted again without the withheld rows.
    fn allows_withholding(&self) -> bool {
        self.person.is_none()
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = f64::from(if self.person.is_some() { group.persons } else { group.records });
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure >= self.k as f64
    }
    /// k also for persons, because each has at least one record.
    fn min_group_size(&self) -> u64 {
        self.k
    }
    /// True if `other` has a superset of the columns and no smaller k. k persons have at least k records, but not the
    /// reverse.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        other.as_any().downcast_ref::<KAnonymity>().is_some_and(|other| {
            let counts_as_few = self.person.is_none() || self.person == other.person;
            self.k <= other.k && counts_as_few && is_subset(&self.attributes, &other.attributes)
        })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
