//! t-closeness (Li, Li, Venkatasubramanian, ICDE 2007): in each group the sensitive values are
//! distributed much as in the whole table.

use super::{is_asked_of, must_be_of_values, shares, Direction, GroupCounts, PrivacyModel, ROUNDING};
use crate::{pace, Error};
use std::any::Any;

/// How far apart two values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Distance {
    /// All the same: the earth mover's distance is half the L1 distance.
    Equal,
    /// By rank: it is the sum of the absolute cumulated differences, divided by the number of
    /// distinct values less one.
    Ordered,
}

/// The earth mover's distance of each group to the whole table is at most t; the measure is the
/// largest.
#[derive(Debug, Clone)]
pub struct TCloseness {
    attributes: Vec<usize>,
    sensitive: usize,
    t: f64,
    distance: Distance,
    /// The share of each sensitive value in the whole table, in value order.
    whole: Vec<f64>,
    person: Option<usize>,
}

impl TCloseness {
    /// Closeness of `sensitive` in the groups on `attributes`; `counts` are the whole table's
    /// records by sensitive value, in value order, each value there at least once.
    pub fn new(
        mut attributes: Vec<usize>,
        sensitive: usize,
        t: f64,
        distance: Distance,
        counts: &[u64],
    ) -> Result<TCloseness, Error> {
        attributes.sort_unstable();
        attributes.dedup();
        let whole = shares(counts)?;
        Ok(TCloseness { attributes, sensitive, t, distance, whole, person: None })
    }

    /// The same of how many persons hold each value, as the counts of the whole table are.
    pub fn of_persons(self, person: usize) -> TCloseness {
        TCloseness { person: Some(person), ..self }
    }
}

impl PrivacyModel for TCloseness {
    fn attributes(&self) -> &[usize] {
        &self.attributes
    }
    fn sensitive(&self) -> Option<usize> {
        Some(self.sensitive)
    }
    fn person(&self) -> Option<usize> {
        self.person
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        must_be_of_values(group, self.whole.len())?;
        let all = group.counted(self)?;
        let differences =
            group.sensitive.iter().zip(&self.whole).map(|(&n, whole)| f64::from(n) / all - whole);
        measures[0] = match self.distance {
            Distance::Equal => {
                let mut sum = 0.0;
                pace::each(differences, |difference| sum += f64::abs(difference))?;
                sum / 2.0
            }
            Distance::Ordered if self.whole.len() < 2 => 0.0,
            Distance::Ordered => {
                let (mut moved, mut sum) = (0.0, 0.0);
                pace::each(differences, |difference| {
                    moved += difference;
                    sum += f64::abs(moved);
                })?;
                sum / (self.whole.len() - 1) as f64
            }
        };
        Ok(())
    }
    /// What the group and the table have in common, which is never nothing: the distance is none at first, and so
    /// in proportion to nothing.
    fn in_proportion(&self, measure: f64) -> f64 {
        1.0 - measure
    }
    fn holds(&self, measure: f64) -> bool {
        measure <= self.t + ROUNDING
    }
    /// The same distance on a wider quasi-identifier with no larger t.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        other.as_any().downcast_ref::<TCloseness>().is_some_and(|other| {
            self.sensitive == other.sensitive
                && self.distance == other.distance
                && self.t >= other.t
                && is_asked_of(self, other)
        })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(distance: Distance, whole: &[u64], group: &[u32]) -> f64 {
        let mut out = [0.0];
        let counts = GroupCounts { records: group.iter().sum(), persons: 0, sensitive: group };
        let model = TCloseness::new(vec![0], 0, 1.0, distance, whole).unwrap();
        model.measure(counts, &mut out).unwrap();
        out[0]
    }

    /// Example 3 of the paper: salaries 3k to 11k, the groups {3k,4k,5k} and {6k,8k,11k}.
    #[test]
    fn salaries() {
        let whole = [1; 9];
        let first = measure(Distance::Ordered, &whole, &[1, 1, 1, 0, 0, 0, 0, 0, 0]);
        let second = measure(Distance::Ordered, &whole, &[0, 0, 0, 1, 0, 1, 0, 0, 1]);
        assert!((first - 0.375).abs() < 1e-12, "{first}");
        assert!((second - 0.167).abs() < 5e-4, "{second}");
    }

    #[test]
    fn equal_distance_is_half_l1() {
        assert_eq!(measure(Distance::Equal, &[2, 2], &[1, 0]), 0.5);
        assert_eq!(measure(Distance::Equal, &[2, 2], &[3, 3]), 0.0);
        assert_eq!(measure(Distance::Ordered, &[5], &[3]), 0.0);
    }
}
