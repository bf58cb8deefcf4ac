//! Bounded knowledge: a model on every set of `known` columns, because no adversary knows more values of a person
//! (LKC-privacy: Mohammed, Fung, Hung, Lee, KDD 2009).
//!
//! Groups on fewer columns are unions of groups on more columns. By the law of [`PrivacyModel`] they are no worse than
//! the worst of these. So sets of exactly `known` columns suffice, and the model on all columns together implies this
//! one. Models that are not monotone are also checked on all smaller sets. The smallest is the empty one, with all
//! records in one group, for adversaries who know nothing.

use super::{Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;
use std::ops::RangeInclusive;

/// A model on every set of `known` of its columns.
#[derive(Debug)]
pub struct BoundedKnowledge {
    model: Box<dyn PrivacyModel>,
    subset_size: usize,
}

impl BoundedKnowledge {
    /// Requires the model on every set of `known` columns. Limits `known` to between 1 and the number of columns.
    pub fn new(model: Box<dyn PrivacyModel>, known: usize) -> BoundedKnowledge {
        let known = known.clamp(1, model.attributes().len().max(1));
        BoundedKnowledge { model, subset_size: known }
    }
}

impl PrivacyModel for BoundedKnowledge {
    fn attributes(&self) -> &[usize] {
        self.model.attributes()
    }
    fn subset_sizes(&self) -> RangeInclusive<usize> {
        let fewest = if self.counts_persons_per_value() { 0 } else { self.subset_size };
        fewest..=self.subset_size
    }
    fn sensitive(&self) -> Option<usize> {
        self.model.sensitive()
    }
    fn person(&self) -> Option<usize> {
        self.model.person()
    }
    fn population(&self) -> Option<usize> {
        self.model.population()
    }
    fn counts_persons_per_value(&self) -> bool {
        self.model.counts_persons_per_value()
    }
    fn allows_withholding(&self) -> bool {
        self.model.allows_withholding()
    }
    fn requirements(&self) -> usize {
        self.model.requirements()
    }
    fn direction(&self) -> Direction {
        self.model.direction()
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        self.model.measure(group, measures)
    }
    fn relative_base(&self, measure: f64) -> f64 {
        self.model.relative_base(measure)
    }
    fn relative_loss(&self, before: f64, after: f64) -> f64 {
        self.model.relative_loss(before, after)
    }
    fn holds(&self, measure: f64) -> bool {
        self.model.holds(measure)
    }
    fn min_group_size(&self) -> u64 {
        self.model.min_group_size()
    }
    /// True if `other` implies the inner model (never if persons are counted per value), or if it is a `Known` with
    /// sets of no fewer columns whose inner model implies this one's.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        match other.as_any().downcast_ref::<BoundedKnowledge>() {
            Some(other) => self.subset_size <= other.subset_size && self.model.implied_by(&*other.model),
            None => !self.counts_persons_per_value() && self.model.implied_by(other),
        }
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Lists the sets of columns whose groups the model looks at, by [`PrivacyModel::subset_sizes`].
pub fn column_sets(model: &dyn PrivacyModel) -> impl Iterator<Item = Vec<usize>> + '_ {
    model.subset_sizes().flat_map(move |many| Subsets::new(model.attributes(), many))
}

/// Iterator over all subsets of one size, in lexicographic order.
#[derive(Debug)]
pub struct Subsets<'a, T> {
    all: &'a [T],
    /// Indices of the next subset; None after the last.
    indices: Option<Vec<usize>>,
}

impl<T> Subsets<'_, T> {
    /// Lists the subsets of `many` items, or the set of all items if there are fewer.
    pub fn new(all: &[T], many: usize) -> Subsets<'_, T> {
        Subsets { all, indices: Some((0..many.min(all.len())).collect()) }
    }
}

impl<T: Clone> Iterator for Subsets<'_, T> {
    type Item = Vec<T>;

    fn next(&mut self) -> Option<Vec<T>> {
        let places = self.indices.as_mut()?;
        let set = places.iter().map(|&place| self.all[place].clone()).collect();
        // Finds the last index that can advance. Those behind it follow it directly.
        let (many, all) = (places.len(), self.all.len());
        match (0..many).rev().find(|&n| places[n] < all - many + n) {
            Some(moves) => {
                let first = places[moves] + 1;
                places[moves..].iter_mut().zip(first..).for_each(|(place, at)| *place = at);
            }
            None => self.indices = None,
        }
        Some(set)
    }
}

#[cfg(test)]
mod tests {
    use super::super::KAnonymity;
    use super::*;

    fn bounded_model(attributes: &[usize], known: usize) -> BoundedKnowledge {
        BoundedKnowledge::new(Box::new(KAnonymity::new(attributes.to_vec(), 2)), known)
    }

    #[test]
    fn column_sets_have_one_size() {
        let sets =
            |attributes: &[usize], known| column_sets(&bounded_model(attributes, known)).collect::<Vec<_>>();
        assert_eq!(sets(&[1, 4, 7], 1), [[1], [4], [7]]);
        assert_eq!(sets(&[1, 4, 7], 2), [[1, 4], [1, 7], [4, 7]]);
        assert_eq!(sets(&[1, 4, 7], 3), [[1, 4, 7]]);
        assert_eq!(sets(&[1, 4, 7], 9), [[1, 4, 7]]);
        assert_eq!(sets(&[0, 1, 2, 3, 4, 5, 6, 7, 8], 4).len(), 126);
    }

    #[test]
    fn all_together_imply_it() {
        let all = KAnonymity::new(vec![0, 1, 2], 2);
        assert!(
            bounded_model(&[0, 1, 2], 2).implied_by(&all) && !all.implied_by(&bounded_model(&[0, 1, 2], 2))
        );
        assert!(bounded_model(&[0, 2], 1).implied_by(&bounded_model(&[0, 1, 2], 2)));
        assert!(!bounded_model(&[0, 1, 2], 2).implied_by(&bounded_model(&[0, 1, 2], 1)));
    }
}
