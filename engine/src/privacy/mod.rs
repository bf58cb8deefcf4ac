//! What must keep holding: privacy models over groups of records.
//!
//! A model looks at one *group* at a time: the records that share a combination of released values
//! on the model's columns (its quasi-identifier, or inference channel). From each it takes one or
//! more measures; over the whole table a measure is that of the worst group. What the search needs
//! of a model for that is the law of [`PrivacyModel`].
//!
//! To add a model, write one file with an implementation, and a line in engine/tests/monotone.rs, which
//! tries the law. docs/CONTRIBUTING.md has the rest.

mod beta_likeness;
mod confidence_bound;
mod k_anonymity;
mod k_map;
mod known;
mod l_diversity;
mod t_closeness;

pub use beta_likeness::BetaLikeness;
pub use confidence_bound::ConfidenceBound;
pub use k_anonymity::KAnonymity;
pub use k_map::KMap;
pub use known::{groupings, Known, Sets};
pub use l_diversity::{Diversity, LDiversity};
pub use t_closeness::{Distance, TCloseness};

use crate::{pace, Error};
use std::any::Any;
use std::fmt::Debug;
use std::ops::RangeInclusive;

/// How far a measure that is made of logarithms or sums of shares may be off by rounding.
pub const ROUNDING: f64 = 1e-9;

/// What a model sees of one group of records.
#[derive(Debug, Clone, Copy)]
pub struct GroupCounts<'a> {
    /// How many records there are, at least one.
    pub records: u32,
    /// Of how many persons they are, where the model counts persons.
    pub persons: u32,
    /// How many of the records, or of the persons ([`PrivacyModel::counts_holders`]), hold each value of the model's sensitive
    /// column; empty if it has none. Of a model with a [`PrivacyModel::population`] how many rows of that there are.
    pub sensitive: &'a [u32],
}

impl GroupCounts<'_> {
    /// Of how many the counts of sensitive values are: records, or persons for each value that they hold.
    fn counted(&self, model: &dyn PrivacyModel) -> Result<f64, Error> {
        let mut all = u64::from(self.records);
        if model.counts_holders() {
            all = 0;
            pace::each(self.sensitive, |&n| all += u64::from(n))?;
        }
        Ok(all.max(1) as f64)
    }
}

/// Counts of another column than the model's.
const NOT_COUNTED: Error = Error::Internal("a model's sensitive values are not counted");

/// A group's counts are those of so many values; of a group without records there may be none.
fn must_be_of_values(group: GroupCounts, values: usize) -> Result<(), Error> {
    match group.sensitive.len() == values || group.records == 0 {
        true => Ok(()),
        false => Err(NOT_COUNTED),
    }
}

/// Which way a measure worsens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// A smaller measure is worse (the size of the smallest group).
    Falling,
    /// A larger measure is worse (the largest confidence).
    Rising,
}

impl Direction {
    /// The measure of no group at all: better than any.
    pub fn best(self) -> f64 {
        match self {
            Direction::Falling => f64::INFINITY,
            Direction::Rising => f64::NEG_INFINITY,
        }
    }
    /// The worse of two measures. What is no number is worse than any: no model holds of it.
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
    /// How much worse `after` is than `before`, never negative.
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
/// The search never looks at a group twice, nor at every state of the table. That it may rests on
/// this law, which every model keeps (but for [`ROUNDING`]):
///
/// * *Counts alone.* The measures of a group follow from its [`GroupCounts`] and from what the model
///   was made with: not from which records they are, nor from what was measured before.
/// * *Monotone*, unless it counts who holds a value ([`PrivacyModel::counts_holders`]). However a group is divided into parts that hold a record each, the worst measure of
///   the parts is no better than the group's, requirement by requirement. So the measure after a
///   refinement is the worse of the measure before and that of the worst new part, and a refinement
///   that breaks a model stays invalid.
/// * *One threshold.* Where a measure holds, every better one does.
/// * *Fewest records.* No group of fewer than [`PrivacyModel::fewest_records`] holds.
/// * *Sound implication.* Where a model is [`PrivacyModel::implied_by`] another, it holds for every
///   table for which the other does; whatever implies the other implies it too, and it implies
///   itself.
pub trait PrivacyModel: Debug + Send + Sync {
    /// The columns whose released values make the groups, ascending, each once.
    fn attributes(&self) -> &[usize];

    /// The values of how many of these columns make a group: the groups of the model are those on every set of so many.
    fn known(&self) -> RangeInclusive<usize> {
        let all = self.attributes().len();
        all..=all
    }

    /// The sensitive column it counts, by its place in the problem.
    fn sensitive(&self) -> Option<usize> {
        None
    }

    /// The column that tells the persons apart whom it counts, by its place among those of the problem.
    fn person(&self) -> Option<usize> {
        None
    }

    /// The population whose rows it counts in the groups of the table, by its place in the problem. Such a model has no sensitive
    /// column and counts no persons. A group that no record of the table is in is none.
    fn population(&self) -> Option<usize> {
        None
    }

    /// Whether it asks of each sensitive value how many persons hold it, and not how many records. Who holds several counts
    /// for each.
    ///
    /// Such a model is not monotone, because a person may be in several parts of a group: where two persons who hold a value are
    /// each beside the same third, their share is a half in both parts, and two thirds in the whole. So it is implied
    /// by no model over more columns, and the search takes a division for worse than it is: it keeps the worst that any group
    /// was since.
    fn counts_holders(&self) -> bool {
        self.person().is_some() && self.sensitive().is_some()
    }

    /// Whether a union of rows whose groups keep it keeps it, so that rows may be withheld for it.
    fn may_withhold(&self) -> bool {
        false
    }

    /// How many measures it takes of a group: the requirements it counts as in privacy loss.
    fn requirements(&self) -> usize {
        1
    }

    /// Which way its measures worsen.
    fn direction(&self) -> Direction;

    /// The measures of one group, one a requirement.
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error>;

    /// What of a measure the relative loss is a ratio of: the measure, if nothing else is in proportion
    /// to what may be inferred.
    fn in_proportion(&self, measure: f64) -> f64 {
        measure
    }

    /// How much worse `after` is than `before`, which is no worse, in proportion: ln(A/A_v) where measures
    /// fall, ln(A_v/A) where they rise.
    fn relative_loss(&self, before: f64, after: f64) -> f64 {
        let (before, after) = (self.in_proportion(before), self.in_proportion(after));
        if before == after {
            return 0.0;
        }
        (before / after).ln().abs()
    }

    /// Whether a measure is good enough; never what is no number.
    fn holds(&self, measure: f64) -> bool;

    /// So many records every group has at least of which it holds. Groups of fewer need not be measured.
    fn fewest_records(&self) -> u64 {
        0
    }

    /// Whether this model is known to hold wherever `other` does, so that its validity need not be
    /// tested (TDS section 3, TDR section 2, PDA Lemma 3.1). Two models may imply each other.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool;

    /// For [`PrivacyModel::implied_by`].
    fn as_any(&self) -> &dyn Any;
}

/// For each model, an earlier or stronger one that makes it redundant. Of models that imply each
/// other, the first is the one that stays.
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

/// Whether every column of `inner` is in `outer`; both ascending.
pub(crate) fn is_subset(inner: &[usize], outer: &[usize]) -> bool {
    inner.iter().all(|a| outer.binary_search(a).is_ok())
}

/// Whether what a model says of the groups on some columns follows from what another of its kind says on others: these have to be
/// as many, and the same where the persons are counted that one column tells apart.
fn is_asked_of(model: &dyn PrivacyModel, other: &dyn PrivacyModel) -> bool {
    model.person() == other.person()
        && match model.counts_holders() {
            false => is_subset(model.attributes(), other.attributes()),
            true => model.attributes() == other.attributes(),
        }
}

/// The share of the records that each count is of.
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
        let of = |channel: &[usize], most| bound(channel, most).of_persons(0);
        assert!(bound(&[0], 0.5).implied_by(&bound(&[0, 1], 0.5)));
        assert!(!of(&[0], 0.5).implied_by(&of(&[0, 1], 0.5)));
        assert!(
            of(&[0, 1], 0.5).implied_by(&of(&[0, 1], 0.4))
                && !of(&[0, 1], 0.5).implied_by(&bound(&[0, 1], 0.4))
        );
        // Nor do the groups by all columns tell of those by any of them.
        let known = Known::new(Box::new(of(&[0, 1, 2], 0.5)), 2);
        assert!(!known.implied_by(&of(&[0, 1, 2], 0.5)));
        assert_eq!(groupings(&known).count(), 7);
    }

    #[test]
    fn redundancy_of_anonymity_requirements() {
        let k = |attributes: &[usize], k| -> Box<dyn PrivacyModel> {
            Box::new(KAnonymity::new(attributes.to_vec(), k))
        };
        // Inside another with no larger k: redundant. With a larger k, or not inside: not.
        let models = [k(&[0, 1, 2], 5), k(&[0, 1], 5), k(&[0, 1], 6), k(&[0, 3], 5), k(&[0], 6), k(&[3], 1)];
        let expected = [None, Some(0), None, None, Some(2), Some(3)];
        assert_eq!(redundant(&models).unwrap(), expected);
    }

    /// Where an order of two does not matter, either first.
    #[test]
    fn what_is_no_number_is_worst() {
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
            Box::new(Known::new(Box::new(KAnonymity::new(vec![0], 1)), 1)),
        ];
        assert!(models.iter().all(|model| !model.holds(f64::NAN)));
    }

    /// Counts that are not those of the model's column are no measure, and no model holds of them.
    #[test]
    fn wrong_wiring_is_an_error() {
        let whole = [2, 3];
        let k_map = || Box::new(KMap::new(vec![0], 5, 0));
        let models: Vec<Box<dyn PrivacyModel>> = vec![
            k_map(),
            Box::new(Known::new(k_map(), 1)),
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
            // A bound asks of the values that it names, whatever others there are.
            let is_bound = model.as_any().is::<ConfidenceBound>();
            assert_eq!(measured(&[1, 1, 1]).is_ok(), is_bound, "{model:?}");
        }
        // Of a table without rows nobody has to be asked for.
        let nobody = GroupCounts { records: 0, persons: 0, sensitive: &[] };
        let mut measures = [0.0];
        k_map().measure(nobody, &mut measures).unwrap();
        assert_eq!(measures, [f64::INFINITY]);
    }
}
