//! microaggregated: within each class the values of a kept column are shown as means of at least m rows.

use super::{kept, masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// Kept, and microaggregated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Microaggregated {
    /// The kept column.
    pub column_name: String,
    /// The least number of rows of a mean.
    pub m: i32,
}

#[pg_extern(immutable, parallel_safe)]
fn microaggregated(column_name: Option<Text>, m: Option<i32>) -> masking {
    or_raise((|| {
        let (column_name, m) = (needed("column_name", text(column_name))?, needed("m", m)?);
        masking::from(Microaggregated { column_name, m }).checked()
    })())
}

impl Masking for Microaggregated {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn check(&self) -> Result<()> {
        if self.m >= 2 {
            return Ok(());
        }
        Err(SqlError::parameter(format!("m must be at least 2, not {}", self.m))
            .hint("The mean of one row is its value."))
    }
    fn is_of_kept(&self) -> bool {
        true
    }
    fn fits(&self, ty: Type, _declaration: &str) -> Result<()> {
        match kept::takes(ty) {
            true => Ok(()),
            false => Err(kept::other_type(&self.column_name, "microaggregated", ty)),
        }
    }
    fn bind(&self, _column: &mut Column, _how: &Binding) -> Result<Bound> {
        kept::no_hierarchy(&self.column_name)
    }
}
