//! t-closeness (Li, Li, Venkatasubramanian, ICDE 2007): in every group the sensitive values are
//! distributed as in the whole table, up to a distance.

use super::groups::Groups;
use super::sensitive::Sensitive;
use super::{out_of_range, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::{needed, Word};
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{number, or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{self, Direction, PrivacyModel, ROUNDING};

/// The earth mover's distance of every group to the whole table is at most t.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TCloseness {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// The largest distance allowed.
    pub t: f64,
    /// Between what.
    #[serde(default)]
    pub distance: Distance,
    /// The column that tells persons apart, whose shares are counted in place of those of rows: who holds several values counts for
    /// each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// How far apart values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// All equally.
    #[default]
    Equal,
    /// As their ranks.
    Ordered,
}

impl Word for Distance {
    const WHAT: &'static str = "distance";
    const WORDS: &'static str = "The distances are equal and ordered.";
}

#[pg_extern(immutable, parallel_safe)]
fn t_closeness(
    quasi_identifier: Option<Elements<String>>,
    sensitive: Option<Text>,
    t: Option<f64>,
    distance: default!(Option<Text>, "'equal'"),
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let distance = Distance::from_word(&needed("distance", text(distance))?)?;
        let (sensitive, t) = (needed("sensitive", text(sensitive))?, needed("t", t)?);
        privacy_model::from(TCloseness { quasi_identifier, sensitive, t, distance, person: text(person) })
            .checked()
    })())
}

impl Strictness for TCloseness {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self.distance == other.distance && self.t <= other.t
    }
}

impl Model for TCloseness {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn sensitive(&self) -> Option<&str> {
        Some(&self.sensitive)
    }
    fn unordered(&self, column: &str, ty: &str) -> Option<SqlError> {
        (self.distance == Distance::Ordered).then(|| {
            SqlError::parameter(format!(
                "values of \"{column}\" have no ordered distance: type {ty} has no order"
            ))
            .hint("Use distance => 'equal'.")
        })
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.t) {
            return Err(out_of_range("t", "between 0 and 1", self.t));
        }
        Ok(())
    }
    fn required(&self) -> f64 {
        self.t
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        let distance = match self.distance {
            Distance::Equal => privacy::Distance::Equal,
            Distance::Ordered => privacy::Distance::Ordered,
        };
        let sensitive = Sensitive::of(columns.sensitive)?;
        let (_, whole) = sensitive.whole(columns.person)?;
        let Columns { attributes, person, .. } = columns;
        let model = PrivacyModel::t_closeness(attributes, sensitive.place, self.t, distance, &whole)?;
        Ok(model.counting_persons(person))
    }
    fn measure(&self, groups: &Groups) -> String {
        match self.distance {
            Distance::Equal => format!(
                "SELECT pg_catalog.max(c.rows) AS n,
                        (pg_catalog.sum(pg_catalog.abs(c.m::float8 / c.held::float8 - w.q)) + 1 - pg_catalog.sum(w.q)) / 2 AS measure
                 FROM ({shares}) c
                 JOIN ({whole}) w ON c.v = w.r GROUP BY c.g",
                shares = groups.shares(),
                whole = groups.whole("m")
            ),
            Distance::Ordered => format!(
                "SELECT pg_catalog.max(e.rows) AS n,
                        pg_catalog.sum(pg_catalog.abs(e.moved)) / GREATEST(pg_catalog.max(e.distinct_values) - 1, 1) AS measure
                 FROM (SELECT k.g, k.rows, w.distinct_values,
                              pg_catalog.sum(COALESCE(c.m, 0)::float8 / k.held::float8 - w.q)
                                  OVER (PARTITION BY k.g ORDER BY w.r) AS moved
                       FROM (SELECT d.g, pg_catalog.sum(d.m) AS held, pg_catalog.sum(d.n) AS rows FROM ({cells}) d GROUP BY d.g) k
                       CROSS JOIN ({whole}) w
                       LEFT JOIN ({cells}) c ON c.g = k.g AND c.v = w.r) e
                 GROUP BY e.g",
                cells = groups.cells(),
                whole = groups.whole("m")
            ),
        }
    }
    fn promise(&self) -> String {
        let (columns, sensitive) = (self.quasi_identifier.join(", "), &self.sensitive);
        format!(
            "In rows that are alike on {columns} the values of {sensitive} are distributed as in all rows, but for a distance of at most {}",
            number(self.t)
        )
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} <= {}::float8 + {ROUNDING}::float8", self.t)
    }
}
