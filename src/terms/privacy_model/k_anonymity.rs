//! k-anonymity (TDS Definition 1): `<QID, k>`, of rows or of persons.

use super::groups::Groups;
use super::{must_be_a_size, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{or_raise, Result};
use crate::postgres::names::{text, Text};
use crate::postgres::progress::poll;
use crate::postgres::settings;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

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
    quasi_identifier: Option<Elements<String>>,
    k: Option<i32>,
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        privacy_model::from(KAnonymity { quasi_identifier, k: needed("k", k)?, person: text(person) })
            .checked()
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
    for model in models.iter().inspect(|_| poll()) {
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

/// How many rows, and persons by each column that tells these apart, a count of a release has to be of: as many as groups. Where a
/// model counts persons and says nothing of how large groups have to be, groups of five persons are large enough.
pub fn enough_of_counts(models: &[privacy_model]) -> Vec<(u64, Option<&str>)> {
    let mut bounds = large_enough(models);
    for person in models.iter().filter_map(|model| model.person()) {
        if !bounds.iter().any(|(_, other)| *other == Some(person)) {
            bounds.push((LARGE_ENOUGH, Some(person)));
        }
    }
    bounds
}

/// How many rows each class by all masked columns has at least, by some models. Where groups are refined one at a time, every model
/// holds of these classes.
pub fn smallest_class(models: &[privacy_model], masked: &[String], is_by_group: bool) -> i32 {
    let rows = |model: &privacy_model| match model {
        privacy_model::KAnonymity(model) => model.k,
        // So many values, in whichever sense, are in as many rows.
        privacy_model::LDiversity(model) => model.l.ceil() as i32,
        _ => 1,
    };
    let is_of_classes =
        |model: &&privacy_model| is_by_group || masked.iter().all(|name| model.attributes().contains(name));
    models.iter().filter(is_of_classes).map(rows).max().unwrap_or(1)
}

/// The largest group that some models ask for, in rows or persons.
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
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        Ok(PrivacyModel::k_anonymity(columns.attributes, self.k as u64).counting_persons(columns.person))
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
