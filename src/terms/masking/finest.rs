//! finest: another masking, whose column is released at most as specific as a depth of its hierarchy.

use super::{check_depth, masking, Binding, Demands, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::error::{or_raise, Result};
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// Masked by another, at most as specific as a depth of its hierarchy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finest {
    /// The masking that is bounded.
    pub masking: Box<masking>,
    /// The greatest depth of what is released, 0 being the top.
    pub depth: i32,
}

#[pg_extern(immutable, parallel_safe)]
fn finest(masking: Option<masking>, depth: Option<i32>) -> masking {
    or_raise((|| {
        let (by, depth) = (Box::new(needed("masking", masking)?), needed("depth", depth)?);
        masking::from(Finest { masking: by, depth }).checked()
    })())
}

impl Masking for Finest {
    fn column_name(&self) -> &str {
        self.masking.column_name()
    }
    fn within(&self) -> Option<&masking> {
        Some(&self.masking)
    }
    fn demands(&self) -> Demands {
        Demands { finest: Some(self.depth), ..self.masking.demands() }
    }
    fn check(&self) -> Result<()> {
        check_depth(&self.masking, "finest", self.masking.demands().finest, self)
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        self.masking.bind(column, how)
    }
}
