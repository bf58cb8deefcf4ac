//! Privacy templates <IC -> p, h>, one for each of some sensitive values p (PDA Definition 3.1).

use super::{is_over_coarser_groups, Direction, GroupCounts, PrivacyModel, NOT_COUNTED};
use crate::{pace, Code, Error};
use std::any::Any;

/// At most a share h of the records with a combination ic on the channel hold p. This share is the confidence of ic ->
/// p, and the measure is the largest one, Conf(IC -> p). Each value p is a requirement of its own. Templates with the
/// same channel share their groups (PDA section 4.3), because the search keeps one partition for each set of columns.
#[derive(Debug, Clone)]
pub struct ConfidenceBound {
    channel: Vec<usize>,
    sensitive: usize,
    values: Vec<Option<Code>>,
    /// Those of the `values` that occur in the table, ascending.
    occurring_values: Vec<Code>,
    max_confidence: f64,
    person: Option<usize>,
}

impl ConfidenceBound {
    /// Makes templates from `channel` to the `values` of the `sensitive` column. None is a value that no record holds;
    /// its confidence is 0.
    pub fn new(
        mut channel: Vec<usize>,
        sensitive: usize,
        values: Vec<Option<Code>>,
        max_confidence: f64,
    ) -> ConfidenceBound {
        channel.sort_unstable();
        channel.dedup();
        let mut held: Vec<Code> = values.iter().flatten().copied().collect();
        held.sort_unstable();
        ConfidenceBound { channel, sensitive, values, occurring_values: held, max_confidence, person: None }
    }

    /// Bounds the share of the persons of a group who hold p, instead of the share of the records.
    pub fn counting_persons(self, person: usize) -> ConfidenceBound {
        ConfidenceBound { person: Some(person), ..self }
    }
}

impl PrivacyModel for ConfidenceBound {
    fn attributes(&self) -> &[usize] {
        &self.channel
    }
    fn sensitive(&self) -> Option<usize> {
        Some(self.sensitive)
    }
    fn person(&self) -> Option<usize> {
        self.person
    }
    fn requirements(&self) -> usize {
        self.values.len()
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        let all = if self.person.is_some() { group.persons } else { group.records };
        let all = f64::from(all.max(1));
        for (measure, value) in measures.iter_mut().zip(&self.values) {
            pace::tick(1)?;
            let matches = value.map(|value| group.sensitive.get(value as usize).ok_or(NOT_COUNTED));
            *measure = f64::from(matches.transpose()?.copied().unwrap_or(0)) / all;
        }
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure <= self.max_confidence
    }
    /// Lemma 3.1: true if `other` has the same sensitive values or more, the same channel or a wider one, and no
    /// larger bound.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        other.as_any().downcast_ref::<ConfidenceBound>().is_some_and(|other| {
            self.sensitive == other.sensitive
                && self.max_confidence >= other.max_confidence
                && is_over_coarser_groups(self, other)
                && self
                    .occurring_values
                    .iter()
                    .all(|value| other.occurring_values.binary_search(value).is_ok())
        })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
