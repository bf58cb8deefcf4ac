//! What a verification says of a kept column that has a masking, in the place of a model. It is asked for by the argument
//! `masking`, and by no model.

use super::groups::Groups;
use super::{Columns, Model, Strictness};
use crate::postgres::error::{Result, SqlError};
use crate::terms::masking::masking;
use serde::{Deserialize, Serialize};
use topdown::privacy::{Direction, PrivacyModel};

/// What is shown of a kept column is what its masking makes: multiples of the step, a top value, or means, on enough rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// The column.
    pub column: String,
    /// Its masking.
    pub masking: Box<masking>,
}

impl Strictness for Kept {
    fn is_as_strict_as(&self, other: &Self) -> bool {
        self == other
    }
}

impl Model for Kept {
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
            "\"kept\" is no privacy model: release_verify says so of kept columns that have a masking",
        )
        .hint("They are asked for by the arguments keep and masking of tds_anonymize or kmember_anonymize."))
    }
    fn required(&self) -> f64 {
        0.0
    }
    fn direction(&self) -> Direction {
        Direction::Rising
    }
    fn engine(&self, _columns: Columns) -> Result<Box<dyn PrivacyModel>> {
        self.is_asked_for()?;
        Err(SqlError::internal("a kept column in a search"))
    }
    fn measure(&self, groups: &Groups) -> String {
        format!("SELECT c.m AS n, 0::float8 AS measure FROM ({}) c", groups.counts())
    }
    fn condition(&self, measure: &str) -> String {
        format!("{measure} <= 0")
    }
}
