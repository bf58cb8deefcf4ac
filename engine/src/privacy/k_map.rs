//! k-map (Sweeney 2001; El Emam, Dankar 2008): each released record matches at least k records of a population, which
//! is a table of its own. The number of matching records in the released table does not matter.
//!
//! A group without a record of the table is not released, so it satisfies every k. The law of [`PrivacyModel`] holds:
//! a released group has a released part, and that part matches no more of the population than the group.

use super::{Criterion, Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;

/// Each group that has records of the table has at least k records of a population.
#[derive(Debug)]
struct KMap {
    k: u64,
}

impl PrivacyModel {
    /// Requires k for the groups on `attributes`. `population` is the index of the population in the problem.
    pub fn k_map(attributes: Vec<usize>, k: u64, population: usize) -> PrivacyModel {
        PrivacyModel { population: Some(population), ..PrivacyModel::new(attributes, KMap { k }) }
    }
}

impl Criterion for KMap {
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn measure(&self, group: GroupCounts, _of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = match group.counts {
            [matches] => f64::from(*matches),
            [] if group.records == 0 => self.direction().best(),
            _ => return Err(Error::Internal("a k-map counts no population")),
        };
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure >= self.k as f64
    }
    fn depends_on_persons(&self) -> bool {
        false
    }
    /// True if the k of `other` is no smaller.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other: &KMap| self.k <= other.k)
    }
}
