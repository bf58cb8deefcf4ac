//! Privacy templates <IC -> p, h>, one for each of some sensitive values p (PDA Definition 3.1).

use super::{is_subset, Criterion, Direction, GroupCounts, PrivacyModel, NOT_COUNTED};
use crate::{pace, Code, Error};
use std::any::Any;

/// At most a share h of the records with a combination ic on the channel hold p. This share is the confidence of ic ->
/// p, and the measure is the largest one, Conf(IC -> p). Each value p is a requirement of its own. Templates with the
/// same channel share their groups (PDA section 4.3), because the search keeps one partition for each set of columns.
#[derive(Debug)]
struct ConfidenceBound {
    values: Vec<Option<Code>>,
    /// Those of the `values` that occur in the table, ascending.
    occurring_values: Vec<Code>,
    max_confidence: f64,
}

impl PrivacyModel {
    /// Makes templates from `channel` to the `values` of the `sensitive` column. None is a value that no record holds;
    /// its confidence is 0.
    pub fn confidence_bound(
        channel: Vec<usize>,
        sensitive: usize,
        values: Vec<Option<Code>>,
        max_confidence: f64,
    ) -> PrivacyModel {
        let mut occurring_values: Vec<Code> = values.iter().flatten().copied().collect();
        occurring_values.sort_unstable();
        let bound = ConfidenceBound { values, occurring_values, max_confidence };
        PrivacyModel { sensitive: Some(sensitive), ..PrivacyModel::new(channel, bound) }
    }
}

impl Criterion for ConfidenceBound {
    fn requirements(&self) -> usize {
        self.values.len()
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        if self.occurring_values.last().is_some_and(|&last| last as usize >= group.counts.len()) {
            return Err(NOT_COUNTED);
        }
        let all = f64::from(group.size(of_persons).max(1));
        pace::each(measures.iter_mut().zip(&self.values), |(measure, value)| {
            *measure = f64::from(value.map_or(0, |value| group.counts[value as usize])) / all;
        })
    }
    fn holds(&self, measure: f64) -> bool {
        measure <= self.max_confidence
    }
    /// Lemma 3.1: true if `other` has the same sensitive values or more, and no larger bound.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other: &ConfidenceBound| {
            self.max_confidence >= other.max_confidence
                && is_subset(&self.occurring_values, &other.occurring_values)
        })
    }
}
