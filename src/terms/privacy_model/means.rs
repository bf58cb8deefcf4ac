//! What a verification says of the means that a release shows beside a masked column, in the place of a model. It is
//! asked for by the argument `means`, and by no model.

use super::groups::Groups;
use super::{Columns, Model, Strictness};
use crate::postgres::error::{Result, SqlError};
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// In each class a column has one mean, within the interval that is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Means {
    /// The column.
    pub column: String,
}

impl Strictness for Means {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self == other
    }
}

impl Model for Means {
    fn attributes(&self) -> &[String] {
        std::slice::from_ref(&self.column)
    }
    fn grouping(&self) -> &'static str {
        "column"
    }
    fn check(&self) -> Result<()> {
        Ok(())
    }
    fn is_asked_for(&self) -> Result<()> {
        Err(SqlError::parameter(
            "\"means\" is no privacy model: release_verify says so of means that are shown",
        )
        .hint("Means are asked for by the argument means of tds_anonymize or kmember_anonymize."))
    }
    fn required(&self) -> f64 {
        0.0
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn engine(&self, _columns: Columns) -> Result<Box<dyn PrivacyModel>> {
        self.is_asked_for()?;
        Err(SqlError::internal("means in a search"))
    }
    fn measure(&self, groups: &Groups) -> String {
        format!("SELECT c.m AS n, 0::float8 AS measure FROM ({}) c", groups.counts())
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} <= 0")
    }
}
