//! weighted: another masking, the gain of whose refinements counts more or less in the score.

use super::{masking, Binding, Demands, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::error::{number, or_raise, Result, SqlError};
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// Masked by another, with a weight.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weighted {
    /// The masking that is weighted.
    pub masking: Box<masking>,
    /// How many times its gains count.
    pub weight: f64,
}

#[pg_extern(immutable, parallel_safe)]
fn weighted(masking: Option<masking>, weight: Option<f64>) -> masking {
    or_raise((|| {
        let (by, weight) = (Box::new(needed("masking", masking)?), needed("weight", weight)?);
        masking::from(Weighted { masking: by, weight }).checked()
    })())
}

impl Masking for Weighted {
    fn column_name(&self) -> &str {
        self.masking.column_name()
    }
    fn within(&self) -> Option<&masking> {
        Some(&self.masking)
    }
    fn demands(&self) -> Demands {
        Demands { weight: Some(self.weight), ..self.masking.demands() }
    }
    fn check(&self) -> Result<()> {
        self.masking.check()?;
        let name = self.column_name();
        if !(self.weight > 0.0 && self.weight.is_finite()) {
            let weight = number(self.weight);
            return Err(SqlError::parameter(format!(
                "the weight of column \"{name}\" must be a number above 0, not {weight}"
            )));
        }
        if self.masking.demands().weight.is_some() {
            return Err(SqlError::parameter(format!("column \"{name}\" is weighted twice")));
        }
        Ok(())
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        self.masking.bind(column, how)
    }
}
