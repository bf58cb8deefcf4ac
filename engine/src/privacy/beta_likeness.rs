//! Basic beta-likeness (Cao, Karras, VLDB 2012): no sensitive value is much more frequent in a group than in the whole
//! table.
//!
//! t-closeness sums up all differences, so a rare value may become certain unnoticed. Beta-likeness bounds each value
//! by itself, relative to its frequency in the table.

use super::{check_value_count, shares, Criterion, Direction, GroupCounts, PrivacyModel, ROUNDING};
use crate::{pace, Error};
use std::any::Any;

/// Upper bound beta of the gain (q - p)/p of every value, whose share is p in the whole table and q in a group. The
/// measure is the largest gain. A value may become rarer by any amount.
#[derive(Debug)]
struct BetaLikeness {
    beta: f64,
    /// Share of each sensitive value in the whole table.
    table_shares: Vec<f64>,
}

impl PrivacyModel {
    /// Requires likeness of `sensitive` in the groups on `attributes`. The whole table has `total` records (or persons,
    /// if these are counted), and `counts` says how many of them hold each value.
    pub fn beta_likeness(
        attributes: Vec<usize>,
        sensitive: usize,
        beta: f64,
        total: u64,
        counts: &[u64],
    ) -> Result<PrivacyModel, Error> {
        let likeness = BetaLikeness { beta, table_shares: shares(counts, total)? };
        Ok(PrivacyModel { sensitive: Some(sensitive), ..PrivacyModel::new(attributes, likeness) })
    }
}

impl Criterion for BetaLikeness {
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        check_value_count(group, self.table_shares.len())?;
        let all = f64::from(group.size(of_persons).max(1));
        // A value that the group lacks has a gain of -1, which is never the largest. Shares of records add up to 1, so
        // the largest gain is at least 0. A person may hold several values, so all shares of persons may be smaller
        // than in the whole table.
        let mut largest = if of_persons { -1.0 } else { 0.0 };
        pace::each(group.counts.iter().zip(&self.table_shares), |(&n, whole)| {
            if n > 0 {
                largest = Direction::Rising.worse(largest, (f64::from(n) / all - whole) / whole);
            }
        })?;
        measures[0] = largest;
        Ok(())
    }
    /// q/p = 1 + (q - p)/p: the frequency in the group relative to the table, of the value with the largest gain.
    fn relative_base(&self, measure: f64) -> f64 {
        1.0 + measure
    }
    fn holds(&self, measure: f64) -> bool {
        measure <= self.beta + ROUNDING
    }
    /// True if `other` has no larger beta. The caller compares the sensitive columns.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other: &BetaLikeness| self.beta >= other.beta)
    }
}
