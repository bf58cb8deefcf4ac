//! l-diversity (Machanavajjhala et al., ICDE 2006): each group holds l well-represented sensitive
//! values, in one of three senses.

use super::groups::Groups;
use super::sensitive::Sensitive;
use super::{out_of_range, privacy_model, Columns, Model, Strictness};
use crate::postgres::arguments::{needed, Word};
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::error::{number, or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, Diversity, PrivacyModel, ROUNDING};

/// Every combination of released values goes with l well-represented values of a column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LDiversity {
    /// The columns.
    pub quasi_identifier: Vec<String>,
    /// The sensitive column.
    pub sensitive: String,
    /// How many values must be well represented.
    pub l: f64,
    /// In which sense.
    #[serde(default)]
    pub kind: Kind,
    /// The bound of recursive diversity.
    #[serde(default)]
    pub c: Option<f64>,
    /// The column that tells persons apart, whose shares are counted in place of those of rows: who holds several values counts for
    /// each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<String>,
}

/// The senses of being well represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Distinct values.
    #[default]
    Distinct,
    /// Entropy.
    Entropy,
    /// Recursive (c, l)-diversity.
    Recursive,
}

impl Word for Kind {
    const WHAT: &'static str = "kind of l-diversity";
    const WORDS: &'static str = "The kinds are distinct, entropy and recursive.";
}

#[pg_extern(immutable, parallel_safe)]
fn l_diversity(
    quasi_identifier: Option<Elements<String>>,
    sensitive: Option<Text>,
    l: Option<f64>,
    kind: default!(Option<Text>, "'distinct'"),
    c: default!(Option<f64>, "NULL"),
    person: default!(Option<Text>, "NULL"),
) -> privacy_model {
    or_raise((|| {
        let quasi_identifier = elements("quasi_identifier", quasi_identifier)?;
        let kind = Kind::from_word(&needed("kind", text(kind))?)?;
        let (sensitive, l) = (needed("sensitive", text(sensitive))?, needed("l", l)?);
        privacy_model::from(LDiversity { quasi_identifier, sensitive, l, kind, c, person: text(person) })
            .checked()
    })())
}

impl Strictness for LDiversity {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        let c_is_as_small = match (self.c, other.c) {
            (Some(c), Some(other)) => c <= other,
            (_, other) => other.is_none(),
        };
        self.kind == other.kind && self.l >= other.l && c_is_as_small
    }
}

impl Model for LDiversity {
    fn attributes(&self) -> &[String] {
        &self.quasi_identifier
    }
    fn sensitive(&self) -> Option<&str> {
        Some(&self.sensitive)
    }
    fn may_withhold(&self) -> bool {
        self.kind == Kind::Distinct && self.person.is_none()
    }
    fn person(&self) -> Option<&str> {
        self.person.as_deref()
    }
    fn check(&self) -> Result<()> {
        let l = self.l;
        if l.is_nan() || l < 1.0 || l.is_infinite() {
            return Err(out_of_range("l", "at least 1", l));
        }
        match (self.kind, self.c) {
            (Kind::Recursive, None) => Err(SqlError::parameter("recursive l-diversity needs c")
                .hint("For example l_diversity(..., 3, 'recursive', 2).")),
            (Kind::Recursive, Some(c)) if !c.is_finite() || c <= 0.0 => {
                Err(out_of_range("c", "above 0 and finite", c))
            }
            (Kind::Recursive, _) if l.fract() != 0.0 => Err(out_of_range("l", "a whole number", l)),
            (Kind::Distinct | Kind::Entropy, Some(_)) => {
                Err(SqlError::parameter("c belongs to recursive l-diversity only"))
            }
            _ => Ok(()),
        }
    }
    fn required(&self) -> f64 {
        self.c.unwrap_or(self.l)
    }
    fn direction(&self) -> Direction {
        match self.kind {
            Kind::Distinct | Kind::Entropy => Direction::Falling,
            Kind::Recursive => Direction::Rising,
        }
    }
    fn engine(&self, columns: Columns) -> Result<PrivacyModel> {
        let kind = match self.kind {
            Kind::Distinct => Diversity::Distinct { l: self.l },
            Kind::Entropy => Diversity::Entropy { l: self.l },
            Kind::Recursive => {
                let c = self.c.ok_or_else(|| SqlError::internal("recursive l-diversity without c"))?;
                Diversity::Recursive { l: self.l as usize, c }
            }
        };
        let place = Sensitive::of(columns.sensitive)?.place;
        Ok(PrivacyModel::l_diversity(columns.attributes, place, kind).counting_persons(columns.person))
    }
    fn measure(&self, groups: &Groups) -> String {
        let (counts, by_group) = (groups.counts(), groups.names("c"));
        match self.kind {
            Kind::Distinct => format!(
                "SELECT pg_catalog.sum(c.n) AS n, pg_catalog.count(*)::float8 AS measure
                 FROM ({counts}) c GROUP BY {by_group}"
            ),
            Kind::Entropy => format!(
                "SELECT pg_catalog.sum(c.n) AS n,
                        pg_catalog.exp(pg_catalog.ln(pg_catalog.sum(c.m)::float8)
                                       - pg_catalog.sum(c.m::float8 * pg_catalog.ln(c.m::float8))
                                         / pg_catalog.sum(c.m)::float8) AS measure
                 FROM ({counts}) c GROUP BY {by_group}"
            ),
            Kind::Recursive => format!(
                "SELECT pg_catalog.sum(c.n) AS n,
                        COALESCE(pg_catalog.max(c.m)::float8 / pg_catalog.sum(c.m) FILTER (WHERE c.r >= {l})::float8,
                                 'Infinity') AS measure
                 FROM (SELECT d.g, d.m, d.n, pg_catalog.row_number() OVER (PARTITION BY d.g ORDER BY d.m DESC) AS r
                       FROM ({cells}) d) c GROUP BY c.g",
                l = self.l,
                cells = groups.cells()
            ),
        }
    }
    fn promise(&self) -> String {
        let (columns, sensitive, l) = (self.quasi_identifier.join(", "), &self.sensitive, number(self.l));
        match self.kind {
            Kind::Distinct => {
                format!("Rows that are alike on {columns} have at least {l} different values of {sensitive}")
            }
            Kind::Entropy => format!(
                "In rows that are alike on {columns} the values of {sensitive} are as mixed as {l} equally frequent ones, or more"
            ),
            Kind::Recursive => format!(
                "In rows that are alike on {columns} the most frequent value of {sensitive} has less than {} times the rows of all from the {l}th most frequent on",
                number(self.c.unwrap_or(1.0))
            ),
        }
    }
    fn condition(&self, measure: &str) -> String {
        let required = self.required();
        match self.kind {
            Kind::Recursive => format!("{measure} < {required}::float8"),
            Kind::Distinct | Kind::Entropy => format!("{measure} >= {required}::float8 - {ROUNDING}::float8"),
        }
    }
}
