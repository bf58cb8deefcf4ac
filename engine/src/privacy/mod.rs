//! Privacy models over groups of records.
//!
//! A model looks at one *group* at a time: the records that share a combination of released values on the model's
//! columns (its quasi-identifier or inference channel). It takes one or more measures of each group. The measure of
//! the whole table is that of its worst group. [`PrivacyModel`] states the law that the search relies on.
//!
//! What all models have is in [`PrivacyModel`]: the columns, and whom and what the model counts. What a model asks of a
//! group is its [`Criterion`]. A new model needs a file with a criterion and a constructor, and a line in
//! engine/tests/monotone.rs, which tests the law. docs/CONTRIBUTING.md has the rest.

mod beta_likeness;
mod confidence_bound;
mod k_anonymity;
mod k_map;
mod l_diversity;
mod t_closeness;

pub use l_diversity::Diversity;
pub use t_closeness::Distance;

use crate::{pace, Error};
use itertools::Itertools;
use std::any::Any;
use std::fmt::Debug;
use std::ops::Deref;

/// Absolute tolerance for the rounding of measures that are computed from logarithms or sums of shares.
pub const ROUNDING: f64 = 1e-9;

/// Counts of one group, as a model sees it.
#[derive(Debug, Clone, Copy)]
pub struct GroupCounts<'a> {
    /// Number of rows; 0 only if the table is empty.
    pub records: u32,
    /// Number of persons, if the model counts persons.
    pub persons: u32,
    /// Rows of each value of the model's sensitive column, or persons ([`PrivacyModel::counts_persons_per_value`]). A
    /// model with a [`PrivacyModel::population`] has one count, of its rows in the group. Any other model has none.
    pub counts: &'a [u32],
}

impl GroupCounts<'_> {
    /// Returns the number of rows, or of persons.
    fn size(&self, of_persons: bool) -> u32 {
        match of_persons {
            true => self.persons,
            false => self.records,
        }
    }

    /// Returns the total of the counts of sensitive values, at least 1: the rows of the group, or the pairs of person and value.
    fn sensitive_total(&self, of_persons: bool) -> Result<f64, Error> {
        let mut all = u64::from(self.records);
        if of_persons {
            all = 0;
            pace::each(self.counts, |&n| all += u64::from(n))?;
        }
        Ok(all.max(1) as f64)
    }
}

/// Error if the counts are not those of the model's column.
const NOT_COUNTED: Error = Error::Internal("a model's sensitive values are not counted");

/// Fails unless the group has one count for each of the `values`. A group without rows may have none.
fn check_value_count(group: GroupCounts, values: usize) -> Result<(), Error> {
    match group.counts.len() == values || group.records == 0 {
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

/// What a model asks of each group. Its measures and its threshold obey the law of [`PrivacyModel`].
pub trait Criterion: Any + Debug + Send + Sync {
    /// Number of measures of a group. Each is a requirement, which counts as one in the privacy loss.
    fn requirements(&self) -> usize {
        1
    }

    /// Returns whether the measures worsen by falling or by rising.
    fn direction(&self) -> Direction;

    /// Computes the measures of a group, one for each requirement. `of_persons` says whether the model counts persons.
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error>;

    /// Returns the base of the relative loss: the measure, or another quantity that is proportional to a possible
    /// inference.
    fn relative_base(&self, measure: f64) -> f64 {
        measure
    }

    /// Returns whether a measure satisfies the model; false for NaN.
    fn holds(&self, measure: f64) -> bool;

    /// Lower bound of the rows of any group that satisfies the model. Smaller groups are rejected unmeasured.
    fn min_group_size(&self) -> u64 {
        0
    }

    /// Returns whether the measures of persons differ from those of rows.
    fn depends_on_persons(&self) -> bool {
        true
    }

    /// Returns whether two sets of rows that each satisfy the criterion satisfy it together.
    fn holds_for_unions(&self) -> bool {
        false
    }

    /// Returns whether `other` is of the same kind and holds only for groups for which this one holds, too.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool;
}

/// A privacy model over some of the masked columns. What its [`Criterion`] says can be asked of the model.
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
/// * *Fewest records.* No group of fewer than [`Criterion::min_group_size`] rows satisfies the model.
/// * *Sound implication.* If a model is [`PrivacyModel::implied_by`] another, it holds for every table for which the
///   other holds. Implication is reflexive and transitive.
#[derive(Debug)]
pub struct PrivacyModel {
    attributes: Vec<usize>,
    sensitive: Option<usize>,
    person: Option<usize>,
    population: Option<usize>,
    /// Number of columns whose values an adversary knows of a person, at most; None: all.
    known: Option<usize>,
    criterion: Box<dyn Criterion>,
}

impl PrivacyModel {
    /// Makes a model that counts the rows of the groups on `attributes`.
    pub fn new(mut attributes: Vec<usize>, criterion: impl Criterion) -> PrivacyModel {
        attributes.sort_unstable();
        attributes.dedup();
        PrivacyModel {
            attributes,
            sensitive: None,
            person: None,
            population: None,
            known: None,
            criterion: Box::new(criterion),
        }
    }

    /// Counts persons instead of rows. `person` is the index of the column that identifies them; with None, rows are
    /// counted. Distinct l-diversity is the same of both, so it counts rows.
    pub fn counting_persons(self, person: impl Into<Option<usize>>) -> PrivacyModel {
        let person = person.into().filter(|_| self.criterion.depends_on_persons());
        PrivacyModel { person, ..self }
    }

    /// Requires the model only on every set of `known` columns, because no adversary knows more values of a person
    /// (LKC-privacy: Mohammed, Fung, Hung, Lee, KDD 2009). Limits `known` to between 1 and the number of columns; with
    /// None, an adversary may know all values.
    pub fn with_bounded_knowledge(self, known: impl Into<Option<usize>>) -> PrivacyModel {
        let known = known.into().map(|known| known.clamp(1, self.attributes.len().max(1)));
        PrivacyModel { known, ..self }
    }

    /// Columns whose released values define the groups: ascending and distinct indices of masked columns.
    pub fn attributes(&self) -> &[usize] {
        &self.attributes
    }

    /// Index of the sensitive column whose values the model counts.
    pub fn sensitive(&self) -> Option<usize> {
        self.sensitive
    }

    /// Index of the column that identifies the persons whom the model counts.
    pub fn person(&self) -> Option<usize> {
        self.person
    }

    /// Index of the population whose rows the model counts in the groups of the table, ignoring groups without a row
    /// of the table. Such a model has no sensitive column and counts no persons.
    pub fn population(&self) -> Option<usize> {
        self.population
    }

    /// Lists the sets of columns for whose groups the model must hold.
    ///
    /// Under bounded knowledge, groups on fewer columns are unions of groups on more columns, and no worse than the
    /// worst of these. So the sets of exactly as many columns as are known suffice. Models that are not monotone are
    /// also checked on all smaller sets. The smallest is the empty one, with all records in one group, for adversaries
    /// who know nothing.
    pub fn column_sets(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let most = self.known.unwrap_or(self.attributes.len());
        let fewest = if self.known.is_some() && self.counts_persons_per_value() { 0 } else { most };
        (fewest..=most).flat_map(|size| subsets(&self.attributes, size))
    }

    /// Returns whether the model counts, for each sensitive value, the persons who hold it instead of the rows. A
    /// person with several values counts for each.
    ///
    /// Such a model is not monotone. Example: two persons hold a value, and each is in a part with the same third
    /// person. The value has a share of 1/2 in both parts and of 2/3 in the whole. So no model over more columns
    /// implies this one. The search is pessimistic: it keeps the worst measure that any group has had.
    pub fn counts_persons_per_value(&self) -> bool {
        self.person.is_some() && self.sensitive.is_some()
    }

    /// Returns whether two sets of rows that each satisfy the model satisfy it together, as withholding rows requires.
    /// False for persons, who would have to be counted again without the withheld rows.
    pub fn allows_withholding(&self) -> bool {
        self.person.is_none() && self.criterion.holds_for_unions()
    }

    /// Computes the measures of a group, one for each requirement.
    pub fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        self.criterion.measure(group, self.person.is_some(), measures)
    }

    /// Returns the relative worsening: ln(A/A_v) if measures fall, ln(A_v/A) if they rise. `after` must be no better
    /// than `before`.
    pub fn relative_loss(&self, before: f64, after: f64) -> f64 {
        let (before, after) = (self.relative_base(before), self.relative_base(after));
        if before == after {
            return 0.0;
        }
        (before / after).ln().abs()
    }

    /// Returns whether this model is known to hold wherever `other` does, so that its validity need not be tested (TDS
    /// section 3, TDR section 2, PDA Lemma 3.1). Two models may imply each other.
    pub fn implied_by(&self, other: &PrivacyModel) -> bool {
        // k persons have at least k rows, but not the reverse.
        let counts_alike = self.person == other.person || self.person.is_none() && self.sensitive.is_none();
        // Groups on fewer columns are unions of groups on more columns. Shares of persons are not monotone, so for
        // these the columns must be equal.
        let is_monotone = !self.counts_persons_per_value();
        let is_over_unions = match is_monotone {
            true => is_subset(&self.attributes, &other.attributes),
            false => self.attributes == other.attributes,
        };
        let is_on_fewer = match (self.known, other.known) {
            (None, more) => more.is_none(),
            (Some(_), None) => is_monotone,
            (Some(known), Some(more)) => known <= more,
        };
        (self.sensitive, self.population) == (other.sensitive, other.population)
            && counts_alike
            && is_over_unions
            && is_on_fewer
            && self.criterion.is_no_stricter_than(&*other.criterion)
    }
}

impl Deref for PrivacyModel {
    type Target = dyn Criterion;

    fn deref(&self) -> &dyn Criterion {
        &*self.criterion
    }
}

/// Lists the subsets of `size` items in lexicographic order, or the set of all items if there are fewer.
pub fn subsets<T: Clone>(all: &[T], size: usize) -> impl Iterator<Item = Vec<T>> + '_ {
    all.iter().cloned().combinations(size.min(all.len()))
}

/// Returns, for each model, the index of one that makes it redundant. Of models that imply each other, only the first
/// is not redundant.
pub fn redundant(models: &[PrivacyModel]) -> Result<Vec<Option<usize>>, Error> {
    let makes_redundant = |j: usize, i: usize| {
        i != j && models[i].implied_by(&models[j]) && (j < i || !models[j].implied_by(&models[i]))
    };
    let find = |i: usize| {
        pace::tick(models.len() * (1 + models[i].attributes.len() + models[i].requirements()))?;
        Ok((0..models.len()).find(|&j| makes_redundant(j, i)))
    };
    (0..models.len()).map(find).collect()
}

/// Returns whether `outer` has every item of `inner`; both ascending.
fn is_subset<T: Ord>(inner: &[T], outer: &[T]) -> bool {
    inner.iter().all(|a| outer.binary_search(a).is_ok())
}

/// Returns each count as a share of `total`.
fn shares(counts: &[u64], total: u64) -> Result<Vec<f64>, Error> {
    let total = total.max(1) as f64;
    pace::collect(counts.iter().map(|&n| n as f64 / total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_persons_follow_from_the_same_groups_alone() {
        let bound = |channel: &[usize], most| {
            PrivacyModel::confidence_bound(channel.to_vec(), 0, vec![Some(0)], most)
        };
        let of = |channel: &[usize], most| bound(channel, most).counting_persons(0);
        assert!(bound(&[0], 0.5).implied_by(&bound(&[0, 1], 0.5)));
        assert!(!of(&[0], 0.5).implied_by(&of(&[0, 1], 0.5)));
        assert!(
            of(&[0, 1], 0.5).implied_by(&of(&[0, 1], 0.4))
                && !of(&[0, 1], 0.5).implied_by(&bound(&[0, 1], 0.4))
        );
        // A model on all columns does not imply the same model on fewer of them.
        let known = of(&[0, 1, 2], 0.5).with_bounded_knowledge(2);
        assert!(!known.implied_by(&of(&[0, 1, 2], 0.5)));
        assert_eq!(known.column_sets().count(), 7);
    }

    #[test]
    fn column_sets_have_one_size() {
        let model = |known| PrivacyModel::k_anonymity(vec![4, 1, 7], 2).with_bounded_knowledge(known);
        let sets = |known| model(known).column_sets().collect::<Vec<_>>();
        assert_eq!(sets(0), [[1], [4], [7]]);
        assert_eq!(sets(2), [[1, 4], [1, 7], [4, 7]]);
        assert_eq!(sets(9), [[1, 4, 7]]);
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
        let diverse = |kind| PrivacyModel::l_diversity(vec![0], 0, kind);
        let models = [
            PrivacyModel::k_anonymity(vec![0], 1),
            PrivacyModel::k_map(vec![0], 1, 0),
            PrivacyModel::confidence_bound(vec![0], 0, vec![Some(0)], 1.0),
            diverse(Diversity::Distinct { l: 1.0 }),
            diverse(Diversity::Entropy { l: 1.0 }),
            diverse(Diversity::Recursive { l: 1, c: 9.0 }),
            PrivacyModel::t_closeness(vec![0], 0, 1.0, Distance::Equal, &counts).unwrap(),
            PrivacyModel::beta_likeness(vec![0], 0, 9.0, 3, &counts).unwrap(),
        ];
        assert!(models.iter().all(|model| !model.holds(f64::NAN)));
    }

    /// Counts of another column are an error, and not a measure that holds.
    #[test]
    fn wrong_wiring_is_an_error() {
        let whole = [2, 3];
        let close = |distance| PrivacyModel::t_closeness(vec![0], 0, 0.5, distance, &whole).unwrap();
        let k_map = || PrivacyModel::k_map(vec![0], 5, 0);
        let bound = PrivacyModel::confidence_bound(vec![0], 0, vec![Some(2)], 0.5);
        let measured = |model: &PrivacyModel, counts: &[u32]| {
            model.measure(GroupCounts { records: 3, persons: 0, counts }, &mut [0.0])
        };
        let of_two = PrivacyModel::beta_likeness(vec![0], 0, 0.5, 5, &whole).unwrap();
        for model in [k_map(), close(Distance::Equal), close(Distance::Ordered), of_two] {
            for counts in [&[][..], &[1, 1, 1]] {
                assert!(measured(&model, counts).is_err(), "{model:?}");
            }
        }
        // A confidence bound reads only the counts of the values that it names.
        assert!(measured(&bound, &[1, 1]).is_err() && measured(&bound, &[1, 1, 1]).is_ok());
        // An empty table needs no population.
        let nobody = GroupCounts { records: 0, persons: 0, counts: &[] };
        let mut measures = [0.0];
        k_map().measure(nobody, &mut measures).unwrap();
        assert_eq!(measures, [f64::INFINITY]);
    }
}
