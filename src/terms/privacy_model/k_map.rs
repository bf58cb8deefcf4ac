//! k-map (Sweeney 2001; El Emam, Dankar 2008): who is released may be any of at least k of a population, which is a table of
//! its own.

use super::groups::Groups;
use super::{must_be_a_size, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{relation_name, Regclass};
use crate::read::named::NamedRelation;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// Every combination of released values on the columns is that of at least k rows of a population.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KMap {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The fewest rows of the population that are allowed.
    pub k: i32,
    /// The population: a relation that has the same columns.
    pub population: NamedRelation,
}

#[pg_extern(stable, parallel_safe)]
fn k_map(
    quasi_identifier: Option<Elements<String>>,
    k: Option<i32>,
    population: Option<Regclass>,
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let (k, relation) = (needed("k", k)?, needed("population", population)?);
        let population = relation_name(relation).ok_or_else(|| SqlError::no_oid(relation.0))?.into();
        privacy_model::from(KMap { quasi_identifier, k, population }).checked()
    })())
}

impl Strictness for KMap {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.k >= other.k && self.population == other.population
    }
}

impl Model for KMap {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn population(&self) -> Option<&NamedRelation> {
        Some(&self.population)
    }
    fn check(&self) -> Result<()> {
        must_be_a_size(self.k)
    }
    fn required(&self) -> f64 {
        f64::from(self.k)
    }
    fn direction(&self) -> Direction {
        Direction::Falling
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        let population = columns.population.ok_or_else(|| SqlError::internal("a population was not read"))?;
        Ok(PrivacyModel::k_map(columns.attributes, self.k as u64, population))
    }
    fn measure(&self, groups: &Groups) -> String {
        let matched = groups.matched();
        format!("SELECT c.n, c.others::float8 AS measure FROM ({matched}) c")
    }
    fn promise(&self) -> String {
        let (columns, k, population) = (self.quasi_identifier.join(", "), self.k, self.population.name());
        format!("On {columns} every row may be of any of at least {k} rows of {population}")
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} >= {}", self.k)
    }
    fn shortfall(
        &self,
        _requirement: usize,
        _sensitive: Option<&super::Sensitive>,
        whole: &str,
        achieved: f64,
    ) -> String {
        format!("asks for {} rows of the population, but {whole} matches {achieved}.", self.k)
    }
    fn lacks(&self, achieved: f64) -> String {
        let few = self.required() - achieved;
        format!("{few} row{} of the population short", if few == 1.0 { "" } else { "s" })
    }
    fn way_out(&self, _achieved: f64) -> String {
        "Ask for a smaller k, or name a population that has the rows of the table and more.".into()
    }
}
