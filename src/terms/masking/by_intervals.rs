//! by_intervals: a continuous column is generalized to intervals that are split during the search (TDS
//! section 4); the bounds are the domain's.

use super::{masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, clipped_to, or_raise, some_of, Result, SqlError};
use crate::postgres::progress::polled;
use crate::read::order::{ranked, recode};
use crate::read::scan::Column;
use crate::terms::labels::{Bound, IntervalLabels, Labels};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use topdown::progress::Reservation;
use topdown::refine::interval::Domain;
use topdown::refine::Hierarchy;
use topdown::Code;

/// Generalized to intervals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByIntervals {
    /// The masked column.
    pub column_name: String,
    /// The domain's lower bound.
    #[serde(default)]
    pub lower: Option<String>,
    /// The domain's upper bound.
    #[serde(default)]
    pub upper: Option<String>,
}

#[pg_extern(immutable, parallel_safe)]
fn by_intervals(
    column_name: Option<String>,
    lower: default!(Option<String>, "NULL"),
    upper: default!(Option<String>, "NULL"),
) -> masking {
    let by = |column_name| ByIntervals { column_name, lower, upper }.into();
    or_raise(needed("column_name", column_name).map(by))
}

impl ByIntervals {
    /// A bound of the domain.
    fn bound(&self, ty: Type, side: &str, text: Option<&str>) -> Result<Option<Datum>> {
        let parse = |text: &str| {
            ty.parse(text).map_err(|complaint| {
                let (text, name) = (clipped(text), &self.column_name);
                SqlError::parameter(format!("{side} bound \"{text}\" of column \"{name}\" cannot be read"))
                    .detail(clipped_to(&complaint, 200))
            })
        };
        text.map(parse).transpose()
    }
}

impl Masking for ByIntervals {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn is_by_intervals(&self) -> bool {
        true
    }
    fn bind<'w>(&self, column: &mut Column, how: &Binding<'w>) -> Result<Bound<'w>> {
        let (name, ty) = (&self.column_name, column.ty);
        let Some(compare) = ty.comparator() else {
            return Err(SqlError::parameter(format!(
                "column \"{name}\" cannot be masked by intervals: type {} has no order",
                ty.name()
            ))
            .hint("Use by_taxonomy or by_suppression."));
        };
        let lower = self.bound(ty, "lower", self.lower.as_deref())?;
        let upper = self.bound(ty, "upper", self.upper.as_deref())?;
        if let (Some(lower), Some(upper)) = (lower, upper) {
            if compare(lower, upper) != Ordering::Less {
                let text = |bound| clipped(&ty.text(bound)).into_owned();
                return Err(SqlError::parameter(format!(
                    "the lower bound of column \"{name}\" must be below the upper one"
                ))
                .detail(format!("The bounds are {} and {}.", text(lower), text(upper))));
            }
        }
        // The values, where they lie, and the rank of each.
        let mut held = Reservation::of::<(Datum, f64, Code)>(how.watch, column.distinct())?;
        let (values, ranks) = ranked(ty, &column.datums(), &compare);
        refuse_outside(ty, &values, (lower, upper), &compare).map_err(|outside| {
            SqlError::data(format!("column \"{name}\" has values outside its bounds"))
                .detail(outside)
                .hint("Widen the bounds given to by_intervals.")
        })?;
        recode(&mut column.codes, &ranks, values.len() as Code, &mut held)?;
        let position = |value: Datum| ty.position(value);
        // Of types that measure nothing, distances are counted in ranks.
        let positions: Vec<f64> = match polled(&values).map(|&v| position(v)).collect::<Option<Vec<f64>>>() {
            Some(positions) => positions,
            None => (0..values.len()).map(|rank| rank as f64).collect(),
        };
        let domain = Domain { positions, lower: lower.and_then(position), upper: upper.and_then(position) };
        let (endpoints, given) = (how.endpoints, HashMap::new());
        let labels = IntervalLabels { ty, values, lower, upper, endpoints, given };
        let hierarchy = Hierarchy::by_intervals(domain, column.nulls);
        Ok(Bound { hierarchy, labels: Labels::Intervals(labels), held })
    }
}

/// Values outside a domain, as a DETAIL lists them.
pub fn refuse_outside(
    ty: Type,
    values: &[Datum],
    (lower, upper): (Option<Datum>, Option<Datum>),
    compare: &impl Fn(Datum, Datum) -> Ordering,
) -> std::result::Result<(), String> {
    let is_outside = |value: Datum| {
        lower.is_some_and(|lower| compare(value, lower) == Ordering::Less)
            || upper.is_some_and(|upper| compare(value, upper) == Ordering::Greater)
    };
    let outside: Vec<String> =
        polled(values).filter(|&&value| is_outside(value)).map(|&value| ty.text(value)).collect();
    if outside.is_empty() {
        Ok(())
    } else {
        Err(format!("Outside are {}.", some_of(&outside)))
    }
}
