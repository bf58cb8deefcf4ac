//! k-map (Sweeney 2001; El Emam, Dankar 2008): whoever a released record may be of is one of at least k records of a
//! population, which is a table of its own. What is counted in the table itself does not matter.
//!
//! A group that no record of the table is in is not released, and keeps whatever is asked. So the law of [`PrivacyModel`] holds: of
//! the parts of a group that is released one is released, too, and has no more of the population.

use super::{is_subset, Direction, GroupCounts, PrivacyModel};
use crate::Error;
use std::any::Any;

/// Every group that records of the table are in has at least k records of a population.
#[derive(Debug)]
pub struct KMap {
    attributes: Vec<usize>,
    k: u64,
    population: usize,
}

impl KMap {
    /// Over columns of the problem, with the population by its place there.
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
    /// As many of the same population, on a wider quasi-identifier.
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
