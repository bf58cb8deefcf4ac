//! k-anonymity on one quasi-identifier (TDS Definition 1): <QID, k>.

use super::{Criterion, Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;

/// At least k records, or records of at least k persons, share each combination of released values on the columns. The
/// measure is the size of the smallest group, A(QID).
#[derive(Debug)]
struct KAnonymity {
    k: u64,
}

impl PrivacyModel {
    /// Requires <`attributes`, `k`>.
    pub fn k_anonymity(attributes: Vec<usize>, k: u64) -> PrivacyModel {
        PrivacyModel::new(attributes, KAnonymity { k })
    }
}

impl Criterion for KAnonymity {
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = f64::from(group.size(of_persons));
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure >= self.k as f64
    }
    /// k also for persons, because each has at least one record.
    fn min_group_size(&self) -> u64 {
        self.k
    }
    fn holds_for_unions(&self) -> bool {
        true
    }
    /// True if the k of `other` is no smaller.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other: &KAnonymity| self.k <= other.k)
    }
}
