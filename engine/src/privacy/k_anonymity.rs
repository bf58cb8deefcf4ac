//! k-anonymity on one quasi-identifier (TDS Definition 1): <QID, k>.

use super::{is_subset, Direction, GroupCounts, PrivacyModel};
use crate::{Error, Pace};
use std::any::Any;

/// Every combination of released values on the columns is shared by at least k records; the
/// measure is the size of the smallest group, A(QID).
#[derive(Debug, Clone)]
pub struct KAnonymity {
    attributes: Vec<usize>,
    k: u64,
}

impl KAnonymity {
    /// <`attributes`, `k`>.
    pub fn new(mut attributes: Vec<usize>, k: u64) -> KAnonymity {
        attributes.sort_unstable();
        attributes.dedup();
        KAnonymity { attributes, k }
    }
}

impl PrivacyModel for KAnonymity {
    fn attributes(&self) -> &[usize] {
        &self.attributes
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64], _pace: &Pace) -> Result<(), Error> {
        measures[0] = f64::from(group.records);
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure >= self.k as f64
    }
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        other
            .as_any()
            .downcast_ref::<KAnonymity>()
            .is_some_and(|other| self.k <= other.k && is_subset(&self.attributes, &other.attributes))
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
