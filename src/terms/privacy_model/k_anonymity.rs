//! k-anonymity (TDS Definition 1): `<QID, k>`, of rows or of persons.

use super::groups::Groups;
use super::{must_be_a_size, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::{elements, needed};
use crate::postgres::error::{or_raise, Result};
use crate::postgres::settings;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;
use serde::{Deserialize, Serialize};
use topdown::privacy::{self, Direction, PrivacyModel};

/// Every combination of released values on the columns is shared by at least k rows, or by rows of at least k
/// persons.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KAnonymity {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The smallest group allowed.
    pub k: i32,
    /// The column that tells persons apart, who may have many rows; NULL is one person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

#[pg_extern(immutable, parallel_safe)]
fn k_anonymity(
    quasi_identifier: Option<Vec<Option<String>>>,
    k: Option<i32>,
    person: default!(Option<String>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        privacy_model::from(KAnonymity { quasi_identifier, k: needed("k", k)?, person }).checked()
    })())
}

/// The line to type for a model, as hints show it.
pub fn call(columns: &[String], k: i32, person: Option<&str>) -> String {
    let literal = |name: &str| quote_literal(name);
    let columns: Vec<String> = columns.iter().map(|name| literal(name)).collect();
    let person = person.map(|name| format!(", person => {}", literal(name))).unwrap_or_default();
    format!("k_anonymity(ARRAY[{}], {k}{person})", columns.join(", "))
}

/// Groups of so many are large enough where no model says how large they have to be.
const LARGE_ENOUGH: u64 = 5;

/// How large groups have to be by some models: in rows, and in persons by each column that tells these apart.
pub fn large_enough(models: &[privacy_model]) -> Vec<(u64, Option<&str>)> {
    let mut bounds: Vec<(u64, Option<&str>)> = Vec::new();
    for model in models {
        let Some(bound) = model.k_anonymity() else { continue };
        let (k, person) = (bound.k as u64, model.person());
        // One that asks for groups of one asks for nothing.
        if k <= 1 {
            continue;
        }
        match bounds.iter_mut().find(|(_, other)| *other == person) {
            Some((most, _)) => *most = k.max(*most),
            None => bounds.push((k, person)),
        }
    }
    if bounds.is_empty() {
        bounds.push((LARGE_ENOUGH, None));
    }
    bounds
}

/// The largest of these.
pub fn largest(models: &[privacy_model]) -> u64 {
    large_enough(models).into_iter().map(|(k, _)| k).max().unwrap_or(LARGE_ENOUGH)
}

impl Strictness for KAnonymity {
    /// So many persons have as many rows.
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.k >= other.k && (other.person.is_none() || self.person == other.person)
    }
}

impl Model for KAnonymity {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn may_withhold(&self) -> bool {
        // Of how many persons groups are is no matter of rows.
        self.person.is_none()
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
    fn engine(&self, columns: Columns) -> Result<Box<dyn PrivacyModel>> {
        let of_rows = privacy::KAnonymity::new(columns.attributes, self.k as u64);
        Ok(match columns.person {
            Some(person) => Box::new(of_rows.of_persons(person)),
            None => Box::new(of_rows),
        })
    }
    fn measure(&self, groups: &Groups) -> String {
        let counts = groups.counts();
        format!("SELECT c.n, c.persons::float8 AS measure FROM ({counts}) c")
    }
    fn promise(&self) -> String {
        let (columns, k) = (self.quasi_identifier.join(", "), self.k);
        match self.person {
            Some(_) => format!("Rows that are alike on {columns} are of at least {k} persons"),
            None => format!("Every row is alike with at least {} others on {columns}", k - 1),
        }
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} >= {}", self.k)
    }
    fn lacks(&self, achieved: f64) -> String {
        let (few, of) = (self.required() - achieved, if self.person.is_some() { "person" } else { "row" });
        format!("{few} {of}{} short", if few == 1.0 { "" } else { "s" })
    }
    fn way_out(&self, achieved: f64) -> String {
        let more = if self.person.is_some() { "of more persons" } else { "with more rows" };
        let floor = settings::min_k();
        if floor > 1 && achieved < f64::from(floor) {
            return format!("Release a table {more}: pg_topdown.min_k allows no k below {floor}.");
        }
        let most = match achieved as i32 {
            ..1 => String::new(),
            most => format!(", {} at most", call(&self.quasi_identifier, most, self.person())),
        };
        format!("Ask for a smaller k{most}, or release a table {more}.")
    }
}
