//! Basic beta-likeness (Cao, Karras, VLDB 2012): no group tells much more of a sensitive value than the
//! whole table does.

use super::groups::Groups;
use super::sensitive::Sensitive;
use super::{out_of_range, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{number, or_raise, Result};
use crate::postgres::names::{text, Text};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel, ROUNDING};

/// In every group the share q of every sensitive value, by its share p in the whole table, gains at most
/// beta: (q - p)/p <= beta.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BetaLikeness {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// The largest relative gain allowed.
    pub beta: f64,
    /// The column that tells persons apart, whose shares are counted in place of those of rows: who holds several values counts for
    /// each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

#[pg_extern(immutable, parallel_safe)]
fn beta_likeness(
    quasi_identifier: Option<Elements<String>>,
    sensitive: Option<Text>,
    beta: Option<f64>,
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let (sensitive, beta) = (needed("sensitive", text(sensitive))?, needed("beta", beta)?);
        privacy_model::from(BetaLikeness { quasi_identifier, sensitive, beta, person: text(person) })
            .checked()
    })())
}

impl Strictness for BetaLikeness {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.beta <= other.beta
    }
}

impl Model for BetaLikeness {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn sensitive(&self) -> Option<&str> {
        Some(&self.sensitive)
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn check(&self) -> Result<()> {
        if !self.beta.is_finite() || self.beta <= 0.0 {
            return Err(out_of_range("beta", "above 0 and finite", self.beta));
        }
        Ok(())
    }
    fn required(&self) -> f64 {
        self.beta
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        let sensitive = Sensitive::of(columns.sensitive)?;
        let (all, whole) = sensitive.whole(columns.person)?;
        let Columns { attributes, person, .. } = columns;
        let model = PrivacyModel::beta_likeness(attributes, sensitive.place, self.beta, all, &whole)?;
        Ok(model.counting_persons(person))
    }
    fn measure(&self, groups: &Groups) -> String {
        format!(
            "SELECT pg_catalog.max(c.rows) AS n,
                    pg_catalog.max(c.m::float8 / c.persons::float8 / w.q) - 1 AS measure
             FROM ({shares}) c JOIN ({whole}) w ON c.v = w.r GROUP BY c.g",
            shares = groups.shares(),
            whole = groups.whole("persons")
        )
    }
    fn promise(&self) -> String {
        let (columns, sensitive) = (self.quasi_identifier.join(", "), &self.sensitive);
        format!(
            "In rows that are alike on {columns} no value of {sensitive} has a share that is larger than in all rows by more than {} times that",
            number(self.beta)
        )
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} <= {}::float8 + {ROUNDING}::float8", self.beta)
    }
}
