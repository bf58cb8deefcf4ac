//! Privacy models over groups of records.
//!
//! A model looks at one *group* at a time: the records that share a combination of released values on the model's
//! columns (its quasi-identifier or inference channel). It takes one or more measures of each group. The measure of
//! the whole table is that of its worst group. [`PrivacyModel`] states the law that the search relies on.
//!
//! A new model needs a file with an implementation and a line in engine/tests/monotone.rs, which tests the law.
//! docs/CONTRIBUTING.md has the rest.

mod beta_likeness;
mod bounded_knowledge;
mod confidence_bound;
mod k_anonymity;
mod k_map;
mod l_diversity;
mod t_closeness;

pub use beta_likeness::BetaLikeness;
pub use bounded_knowledge::{column_sets, BoundedKnowledge, Subsets};
pub use confidence_bound::ConfidenceBound;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use l_diversity::{Diversity, LDiversity};
pub use t_closeness::{Distance, TCloseness};

use crate::{pace, Error};
use std::any::Any;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// Absolute tolerance for the rounding of measures that are computed from logarithms or sums of shares.
pub const ROUNDING: f64 = 1e-9;

/// Counts of one group, as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct GroupCounts<'a> {
    /// Number of rows; 0 only if the table is empty.
    pub records: u32,
    /// Number of persons, if the model counts persons.
    pub persons: u32,
    /// Number of rows (or persons, [`PrivacyModel::counts_persons_per_value`]) per value of the model's sensitive
    /// column; empty if it has none. For a model with a [`PrivacyModel::population`], the number of its rows in the
    /// group.
    pub sensitive: &'a [u32],
}

impl GroupCounts<'_> {
    /// Returns the total of the sensitive counts, at least 1: the rows of the group, or the pairs of person and value.
    fn sensitive_total(&self, model: &dyn PrivacyModel) -> Result<f64, Error> {
        let mut all = u64::from(self.records);
        if model.counts_persons_per_value() {
            all = 0;
            pace::each(self.sensitive, |&n| all += u64::from(n))?;
        }
        Ok(all.max(1) as f64)
    }
}

/// Error if the counts are not those of the model's column.
const NOT_COUNTED: Error = Error::Internal("a model's sensitive values are not counted");

/// Fails unless the group has one count for each of the `values`. A group without rows may have none.
fn check_value_count(group: GroupCounts, values: usize) -> Result<(), Error> {
    match group.sensitive.len() == values || group.records == 0 {
        true => Ok(()),
        false => Err(NOT_COUNTED),
    }
}

/// Whether a measure worsens by falling or by rising.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A smaller measure is worse (the size of the smallest group).
    Falling,
    /// A larger measure is worse (the largest confidence).
    Rising,
}

impl Direction {
    /// Returns a measure that is better than that of any group.
    pub fn best(self) -> f64 {
        match self {
            Direction::Falling => f64::INFINITY,
            Direction::Rising => f64::NEG_INFINITY,
        }
    }
    /// Returns the worse of two measures. NaN is worse than any number, and satisfies no model.
    pub fn worse(self, a: f64, b: f64) -> f64 {
        let is_worse = match self {
            Direction::Falling => a < b,
            Direction::Rising => a > b,
        };
        if is_worse || a.is_nan() {
            a
        } else {
            b
        }
    }
    /// Returns how much worse `after` is than `before`. `after` must be no better than `before`.
    pub fn worsening(self, before: f64, after: f64) -> f64 {
        if before == after {
            return 0.0;
        }
        match self {
            Direction::Falling => before - after,
            Direction::Rising => after - before,
        }
    }
}

/// A privacy model over some of the masked columns.
///
/// The search counts a group once, and does not recount the table after each step. This is sound because every model
/// obeys the following law, up to [`ROUNDING`]:
///
/// * *Counts alone.* The measures of a group depend only on its [`GroupCounts`] and on the arguments that the model
///   was made with. Earlier measurements, or which records the group has, make no difference.
/// * *Monotone*, unless the model counts the persons with each value ([`PrivacyModel::counts_persons_per_value`]). If
///   a group is divided into parts that have a record each, then for each requirement the worst measure of the parts is
///   no better than the group's. So the measure after a refinement is the worse of two: the measure before it, and that
///   of the worst new part. A refinement that breaks a model stays invalid.
/// * *One threshold.* If a measure holds, every better one holds.
/// * *Fewest records.* No group of fewer than [`PrivacyModel::min_group_size`] rows satisfies the model.
/// * *Sound implication.* If a model is [`PrivacyModel::implied_by`] another, it holds for every table for which the
///   other holds. Implication is reflexive and transitive.
pub trait PrivacyModel: Debug + Send + Sync {
    /// Columns whose released values define the groups: ascending and distinct indices of masked columns.
    fn attributes(&self) -> &[usize];

    /// Numbers of columns that an adversary may know. The model must hold for the groups on every set of each of these
    /// sizes.
    fn subset_sizes(&self) -> RangeInclusive<usize> {
        let all = self.attributes().len();
        all..=all
    }

    /// Index of the sensitive column whose values the model counts.
    fn sensitive(&self) -> Option<usize> {
        None
    }

    /// Index of the column that identifies the persons whom the model counts.
    fn person(&self) -> Option<usize> {
        None
    }

    /// Index of the population whose rows the model counts in the groups of the table, ignoring groups without a row
    /// of the table. Such a model has no sensitive column and counts no persons.
    fn population(&self) -> Option<usize> {
        None
    }

    /// Returns whether the model counts, for each sensitive value, the persons who hold it instead of the rows. A
    /// person with several values counts for each.
    ///
    /// Such a model is not monotone. Example: two persons hold a value, and each is in a part with the same third
    /// person. The value has a share of 1/2 in both parts and of 2/3 in the whole. So no model over more columns
    /// implies this one. The search is pessimistic: it keeps the worst measure that any group has had.
    fn counts_persons_per_value(&self) -> bool {
        self.person().is_some() && self.sensitive().is_some()
    }

    /// Returns whether two sets of rows that each satisfy the model satisfy it together, as withholding rows requires.
    fn allows_withholding(&self) -> bool {
        false
    }

    /// Number of measures of a group. Each is a requirement, which counts as one in the privacy loss.
    fn requirements(&self) -> usize {
        1
    }

    /// Returns whether the measures worsen by falling or by rising.
    fn direction(&self) -> Direction;

    /// Computes the measures of a group, one for each requirement.
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error>;

    /// Returns the base of the relative loss: the measure, or another quantity that is proportional to a possible
    /// inference.
    fn relative_base(&self, measure: f64) -> f64 {
        measure
    }

    /// Returns the relative worsening: ln(A/A_v) if measures fall, ln(A_v/A) if they rise. `after` must be no better
    /// than `before`.
    fn relative_loss(&self, before: f64, after: f64) -> f64 {
        let (before, after) = (self.relative_base(before), self.relative_base(after));
        if before == after {
            return 0.0;
        }
        (before / after).ln().abs()
    }

    /// Returns whether a measure satisfies the model; false for NaN.
    fn holds(&self, measure: f64) -> bool;

    /// Lower bound of the rows of any group that satisfies the model. Smaller groups are rejected unmeasured.
    fn min_group_size(&self) -> u64 {
        0
    }

    /// Returns whether this model is known to hold wherever `other` does, so that its validity need not be tested (TDS
    /// section 3, TDR section 2, PDA Lemma 3.1). Two models may imply each other.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool;

    /// For [`PrivacyModel::implied_by`].
    fn as_any(&self) -> &dyn Any;
}

/// Returns, for each model, the index of one that makes it redundant. Of models that imply each other, only the first
/// is not redundant.
pub fn redundant(models: &[Box<dyn PrivacyModel>]) -> Result<Vec<Option<usize>>, Error> {
    let implied = |i: usize, j: usize| -> Result<bool, Error> {
        pace::tick(1 + models[i].attributes().len() + models[i].requirements())?;
        Ok(models[i].implied_by(models[j].as_ref()))
    };
    let mut redundant = vec![None; models.len()];
    for (i, found) in redundant.iter_mut().enumerate() {
        for j in (0..models.len()).filter(|&j| j != i) {
            if implied(i, j)? && (j < i || !implied(j, i)?) {
                *found = Some(j);
                break;
            }
        }
    }
    Ok(redundant)
}

/// Returns whether `outer` has every column of `inner`; both ascending.
pub(crate) fn is_subset(inner: &[usize], outer: &[usize]) -> bool {
    inner.iter().all(|a| outer.binary_search(a).is_ok())
}

/// Returns whether every group of `model` is a union of groups of `other`, and both count the same persons. Shares of
/// persons are not monotone, so for these the columns must be equal.
fn is_over_coarser_groups(model: &dyn PrivacyModel, other: &dyn PrivacyModel) -> bool {
    model.person() == other.person()
        && match model.counts_persons_per_value() {
            false => is_subset(model.attributes(), other.attributes()),
            true => model.attributes() == other.attributes(),
        }
}

/// Returns each count as a share of their sum.
fn shares(counts: &[u64]) -> Result<Vec<f64>, Error> {
    let mut records = 0;
    pace::each(counts, |n| records += n)?;
    let records = records.max(1) as f64;
    pace::collect(counts.iter().map(|&n| n as f64 / records))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_persons_follow_from_the_same_groups_alone() {
        let bound = |channel: &[usize], most| ConfidenceBound::new(channel.to_vec(), 0, vec![Some(0)], most);
        let of = |channel: &[usize], most| bound(channel, most).counting_persons(0);
        assert!(bound(&[0], 0.5).implied_by(&bound(&[0, 1], 0.5)));
        assert!(!of(&[0], 0.5).implied_by(&of(&[0, 1], 0.5)));
        assert!(
            of(&[0, 1], 0.5).implied_by(&of(&[0, 1], 0.4))
                && !of(&[0, 1], 0.5).implied_by(&bound(&[0, 1], 0.4))
        );
        // A model on all columns does not imply the same model on fewer of them.
        let known = BoundedKnowledge::new(Box::new(of(&[0, 1, 2], 0.5)), 2);
        assert!(!known.implied_by(&of(&[0, 1, 2], 0.5)));
        assert_eq!(column_sets(&known).count(), 7);
    }

    #[test]
    fn redundancy_of_anonymity_requirements() {
        let k = |attributes: &[usize], k| -> Box<dyn PrivacyModel> {
            Box::new(KAnonymity::new(attributes.to_vec(), k))
        };
        // Redundant if another model has a superset of the columns and no smaller k.
        let models = [k(&[0, 1, 2], 5), k(&[0, 1], 5), k(&[0, 1], 6), k(&[0, 3], 5), k(&[0], 6), k(&[3], 1)];
        let expected = [None, Some(0), None, None, Some(2), Some(3)];
        assert_eq!(redundant(&models).unwrap(), expected);
    }

    #[test]
    fn nan_is_worst() {
        for direction in [Direction::Falling, Direction::Rising] {
            for other in [f64::INFINITY, f64::NEG_INFINITY, 0.0, f64::NAN] {
                assert!(
                    direction.worse(f64::NAN, other).is_nan() && direction.worse(other, f64::NAN).is_nan()
                );
            }
            assert_eq!(direction.worse(direction.best(), 3.0), 3.0);
            assert_eq!(direction.worse(3.0, direction.best()), 3.0);
        }
        assert_eq!([Direction::Falling.worse(1.0, 2.0), Direction::Rising.worse(1.0, 2.0)], [1.0, 2.0]);
        let counts = [1, 2];
        let models: Vec<Box<dyn PrivacyModel>> = vec![
            Box::new(KAnonymity::new(vec![0], 1)),
            Box::new(KMap::new(vec![0], 1, 0)),
            Box::new(ConfidenceBound::new(vec![0], 0, vec![Some(0)], 1.0)),
            Box::new(LDiversity::new(vec![0], 0, Diversity::Distinct { l: 1.0 })),
            Box::new(LDiversity::new(vec![0], 0, Diversity::Entropy { l: 1.0 })),
            Box::new(LDiversity::new(vec![0], 0, Diversity::Recursive { l: 1, c: 9.0 })),
            Box::new(TCloseness::new(vec![0], 0, 1.0, Distance::Equal, &counts).unwrap()),
            Box::new(BetaLikeness::new(vec![0], 0, 9.0, &counts).unwrap()),
            Box::new(BoundedKnowledge::new(Box::new(KAnonymity::new(vec![0], 1)), 1)),
        ];
        assert!(models.iter().all(|model| !model.holds(f64::NAN)));
    }

    /// Counts of another column are an error, and not a measure that holds.
    #[test]
    fn wrong_wiring_is_an_error() {
        let whole = [2, 3];
        let k_map = || Box::new(KMap::new(vec![0], 5, 0));
        let models: Vec<Box<dyn PrivacyModel>> = vec![
            k_map(),
            Box::new(BoundedKnowledge::new(k_map(), 1)),
            Box::new(ConfidenceBound::new(vec![0], 0, vec![Some(2)], 0.5)),
            Box::new(TCloseness::new(vec![0], 0, 0.5, Distance::Equal, &whole).unwrap()),
            Box::new(TCloseness::new(vec![0], 0, 0.5, Distance::Ordered, &whole).unwrap()),
            Box::new(BetaLikeness::new(vec![0], 0, 0.5, &whole).unwrap()),
        ];
        for model in models {
            let measured = |sensitive: &[u32]| {
                let group = GroupCounts { records: 3, persons: 0, sensitive };
                model.measure(group, &mut [0.0])
            };
            assert!(measured(&[]).is_err(), "{model:?}");
            // A confidence bound reads only the counts of the values that it names.
            let is_bound = model.as_any().is::<ConfidenceBound>();
            assert_eq!(measured(&[1, 1, 1]).is_ok(), is_bound, "{model:?}");
        }
        // An empty table needs no population.
        let nobody = GroupCounts { records: 0, persons: 0, sensitive: &[] };
        let mut measures = [0.0];
        k_map().measure(nobody, &mut measures).unwrap();
        assert_eq!(measures, [f64::INFINITY]);
    }
}
