//! k-map (Sweeney 2001; El Emam, Dankar 2008): each released record matches at least k records of a population, which
//! is a table of its own. The number of matching records in the released table does not matter.
//!
//! A group without a record of the table is not released, so it satisfies every k. The law of [`PrivacyModel`] holds:
//! a released group has a released part, and that part matches no more of the population than the group.

use super::{is_subset, Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;

/// Each group that has records of the table has at least k records of a population.
#[derive(Debug)]
pub struct KMap {
    attributes: Vec<usize>,
    k: u64,
    population: usize,
}

impl KMap {
    /// Requires k for the groups on `attributes`. `population` is the index of the population in the problem.
    pub fn new(mut attributes: Vec<usize>, k: u64, population: usize) -> KMap {
        attributes.sort_unstable();
        attributes.dedup();
        KMap { attributes, k, population }
    }
}

impl PrivacyModel for KMap {
    fn attributes(&self) -> &[usize] {
        &self.attributes
    }
    fn population(&self) -> Option<usize> {
        Some(self.population)
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn measure(&self, group: GroupCounts, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = match group.sensitive {
            [others] => f64::from(*others),
            [] if group.records == 0 => self.direction().best(),
            _ => return Err(Error::Internal("a k-map counts no population")),
        };
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        measure >= self.k as f64
    }
    /// True if `other` has the same population, a superset of the columns and no smaller k.
    fn implied_by(&self, other: &dyn PrivacyModel) -> bool {
        other.as_any().downcast_ref::<KMap>().is_some_and(|other| {
            self.k <= other.k
                && self.population == other.population
                && is_subset(&self.attributes, &other.attributes)
        })
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}
