//! t-closeness (Li, Li, Venkatasubramanian, ICDE 2007): the distribution of the sensitive values in each group is
//! close to that in the whole table.

use super::{check_value_count, shares, Criterion, Direction, GroupCounts, PrivacyModel, ROUNDING};
use crate::{pace, Error};
use std::any::Any;

/// Distance between two sensitive values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// The same for any two values. The earth mover's distance is then half the L1 distance.
    Equal,
    /// The difference of the ranks. The earth mover's distance is then the sum of the absolute cumulative differences,
    /// divided by the number of distinct values less one.
    Ordered,
}

/// Upper bound t of the earth mover's distance between each group and the whole table. The measure is the largest
/// distance.
#[derive(Debug)]
struct TCloseness {
    t: f64,
    distance: Distance,
    /// Share of each sensitive value in the whole table, in value order.
    table_shares: Vec<f64>,
}

impl PrivacyModel {
    /// Requires closeness of `sensitive` in the groups on `attributes`. `counts` are the records of the whole table (or
    /// persons, if these are counted) by sensitive value, in value order, each at least 1.
    pub fn t_closeness(
        attributes: Vec<usize>,
        sensitive: usize,
        t: f64,
        distance: Distance,
        counts: &[u64],
    ) -> Result<PrivacyModel, Error> {
        let mut total = 0;
        pace::each(counts, |n| total += n)?;
        let closeness = TCloseness { t, distance, table_shares: shares(counts, total)? };
        Ok(PrivacyModel { sensitive: Some(sensitive), ..PrivacyModel::new(attributes, closeness) })
    }
}

impl Criterion for TCloseness {
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        check_value_count(group, self.table_shares.len())?;
        let all = group.sensitive_total(of_persons)?;
        let differences =
            group.counts.iter().zip(&self.table_shares).map(|(&n, whole)| f64::from(n) / all - whole);
        measures[0] = match self.distance {
            Distance::Equal => {
                let mut sum = 0.0;
                pace::each(differences, |difference| sum += f64::abs(difference))?;
                sum / 2.0
            }
            Distance::Ordered if self.table_shares.len() < 2 => 0.0,
            Distance::Ordered => {
                let (mut moved, mut sum) = (0.0, 0.0);
                pace::each(differences, |difference| {
                    moved += difference;
                    sum += f64::abs(moved);
                })?;
                sum / (self.table_shares.len() - 1) as f64
            }
        };
        Ok(())
    }
    /// The overlap of group and table, which is never 0. The distance itself is 0 at first, so a ratio of distances
    /// may be infinite.
    fn relative_base(&self, measure: f64) -> f64 {
        1.0 - measure
    }
    fn holds(&self, measure: f64) -> bool {
        measure <= self.t + ROUNDING
    }
    /// True if `other` has the same distance and no larger t.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any)
            .downcast_ref()
            .is_some_and(|other: &TCloseness| self.distance == other.distance && self.t >= other.t)
    }
}
