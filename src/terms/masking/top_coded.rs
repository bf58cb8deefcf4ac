//! top_coded: the values of a kept column above a bound are shown as their mean.

use super::{kept, masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, or_raise, Result, SqlError};
use crate::postgres::names::{text, Text};
use crate::read::table::Column;
use crate::terms::days::must_be_one_day;
use crate::terms::labels::Bound;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};

/// Kept, and top-coded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopCoded {
    /// The kept column.
    pub column_name: String,
    /// The greatest value that is shown as it is; none: the greatest above which enough rows lie.
    pub upper: Option<String>,
}

#[pg_extern(immutable, parallel_safe)]
fn top_coded(column_name: Option<Text>, upper: default!(Option<Text>, "NULL")) -> masking {
    or_raise((|| {
        let column_name = needed("column_name", text(column_name))?;
        masking::from(TopCoded { column_name, upper: text(upper) }).checked()
    })())
}

impl TopCoded {
    /// The bound, as a value of the column.
    pub fn upper(&self, ty: Type) -> Result<Option<Datum>> {
        let Some(upper) = &self.upper else { return Ok(None) };
        let fault = |what: &str| {
            let (name, upper) = (&self.column_name, clipped(upper));
            SqlError::parameter(format!("column \"{name}\" cannot be top-coded above '{upper}': {what}"))
        };
        must_be_one_day(ty, &format!("column \"{}\"", self.column_name), [upper.as_str()])?;
        let value = ty.parse(upper).map_err(|complaint| fault(&complaint))?;
        if ty.is_finite(value) {
            Ok(Some(value))
        } else {
            Err(fault("nothing lies above it")
                .hint("upper => NULL is the bound above which just enough rows lie."))
        }
    }
}

impl TopCoded {
    /// Whether the bound is below another's; one that is not known is not.
    pub fn is_lower(&self, other: &TopCoded, ty: Type) -> bool {
        match (self.upper(ty), other.upper(ty), ty.comparator()) {
            (Ok(Some(upper)), Ok(Some(other)), Some(compare)) => compare(upper, other).is_lt(),
            _ => false,
        }
    }
}

impl Masking for TopCoded {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn is_of_kept(&self) -> bool {
        true
    }
    fn fits(&self, ty: Type, _declaration: &str) -> Result<()> {
        match kept::takes(ty) {
            true => self.upper(ty).map(|_| ()),
            false => Err(kept::other_type(&self.column_name, "top-coded", ty)),
        }
    }
    fn bind(&self, _column: &mut Column, _how: &Binding) -> Result<Bound> {
        kept::no_hierarchy(&self.column_name)
    }
}
