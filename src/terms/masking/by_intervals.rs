//! by_intervals: a continuous column is generalized to intervals that are split during the search (TDS
//! section 4); the bounds are the domain's. With a step or breakpoints only those points become ends: a split
//! between two values then ends at the first point above the lower one.

use super::{masking, refuse_label, Binding, Demands, Masking, UpperEnd};
use crate::postgres::arguments::needed;
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, clipped_to, or_raise, some_of, Result, SqlError};
use crate::postgres::grid::Steps;
use crate::postgres::names::{text, Text};
use crate::postgres::progress::polled;
use crate::postgres::sql::quote;
use crate::read::order::ranked;
use crate::read::table::Column;
use crate::terms::days::must_be_one_day;
use crate::terms::labels::{Bound, IntervalLabels, Labels};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use pgrx::spi::quote_literal;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::refine::interval::Domain;
use topdown::refine::Hierarchy;
use topdown::table::NONE;
use topdown::Code;

/// Generalized to intervals.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// How far apart the points are that may become ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// The points that may become ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breakpoints: Option<Vec<String>>,
}

#[pg_extern(immutable, parallel_safe)]
fn by_intervals(
    column_name: Option<Text>,
    lower: default!(Option<Text>, "NULL"),
    upper: default!(Option<Text>, "NULL"),
    step: default!(Option<Text>, "NULL"),
    breakpoints: default!(Option<Elements<String>>, "NULL"),
) -> masking {
    or_raise((|| {
        let column_name = needed("column_name", text(column_name))?;
        let breakpoints = breakpoints.map(|points| elements("breakpoints", Some(points))).transpose()?;
        masking::from(ByIntervals {
            column_name,
            lower: text(lower),
            upper: text(upper),
            step: text(step),
            breakpoints,
        })
        .checked()
    })())
}

impl ByIntervals {
    /// A bound of the domain, or a breakpoint.
    fn parse(&self, ty: Type, what: &str, text: &str) -> Result<Datum> {
        must_be_one_day(ty, &format!("column \"{}\"", self.column_name), [text])?;
        ty.parse(text).map_err(|complaint| {
            let (text, name) = (clipped(text), &self.column_name);
            let error = SqlError::parameter(format!("{what} \"{text}\" of column \"{name}\" cannot be read"))
                .detail(clipped_to(&complaint, 200));
            match ty.example_bounds() {
                Some((lower, upper)) => error.hint(format!(
                    "For example by_intervals({}, '{lower}', '{upper}').",
                    quote_literal(name)
                )),
                None => error,
            }
        })
    }

    /// Where only some points may become ends: before each value the first of them that is above the value
    /// before, if there is one.
    fn points(
        &self,
        ty: Type,
        values: &[Datum],
        (lower, upper): (Option<Datum>, Option<Datum>),
        compare: &impl Fn(Datum, Datum) -> Ordering,
    ) -> Result<Option<Vec<Option<Datum>>>> {
        let name = &self.column_name;
        let next: Box<dyn Fn(Datum, Datum) -> Option<Datum>> = if let Some(step) = &self.step {
            let steps = Steps::new(ty, step, lower).map_err(|fault| {
                let step = clipped(step);
                let error =
                    SqlError::parameter(format!("the step \"{step}\" of column \"{name}\" cannot be"))
                        .detail(clipped_to(&fault, 200));
                match Steps::example(ty) {
                    Some(example) => error.hint(format!(
                        "For example by_intervals({}, step => '{example}').",
                        quote_literal(name)
                    )),
                    None => error,
                }
            })?;
            // Above what is infinite all points are, and the last one is as good as any.
            Box::new(
                move |before, value| {
                    if ty.is_finite(before) {
                        steps.last(before, true)
                    } else {
                        steps.last(value, false)
                    }
                },
            )
        } else if let Some(texts) = &self.breakpoints {
            let parse = |text: &String| self.parse(ty, "breakpoint", text);
            let points = polled(texts).map(parse).collect::<Result<Vec<Datum>>>()?;
            let (sorted, _) = ranked(ty, &points, compare);
            if sorted.len() < points.len() {
                return Err(SqlError::parameter(format!("a breakpoint of column \"{name}\" is given twice")));
            }
            refuse_outside(ty, &sorted, (lower, upper), compare).map_err(|outside| {
                SqlError::parameter(format!("column \"{name}\" has breakpoints outside its bounds"))
                    .detail(outside)
            })?;
            Box::new(move |before, _| {
                let above = sorted.partition_point(|&point| compare(point, before) != Ordering::Greater);
                sorted.get(above).copied()
            })
        } else {
            return Ok(None);
        };
        let point = |pair: &[Datum]| {
            let between = |&point: &Datum| {
                compare(pair[0], point) == Ordering::Less && compare(point, pair[1]) != Ordering::Greater
            };
            next(pair[0], pair[1]).filter(between)
        };
        Ok(Some(
            std::iter::once(None).chain(polled(values.windows(2)).map(point)).take(values.len()).collect(),
        ))
    }
}

impl Masking for ByIntervals {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn is_by_intervals(&self) -> bool {
        true
    }
    fn upper_end(&self, _: Option<Type>) -> Option<UpperEnd> {
        Some(UpperEnd::Excluded)
    }
    fn demands(&self) -> Demands {
        Demands { points: self.step.is_some() || self.breakpoints.is_some(), ..Demands::default() }
    }
    fn check(&self) -> Result<()> {
        let name = &self.column_name;
        if self.step.is_some() && self.breakpoints.is_some() {
            return Err(SqlError::parameter(format!("column \"{name}\" has both a step and breakpoints"))
                .hint("Give one of them."));
        }
        if self.breakpoints.as_ref().is_some_and(Vec::is_empty) {
            return Err(SqlError::parameter(format!("column \"{name}\" has no breakpoint"))
                .hint("Give those that may become ends, or none at all."));
        }
        Ok(())
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let (name, ty) = (&self.column_name, column.ty);
        let Some(compare) = ty.comparator() else {
            return Err(SqlError::parameter(format!(
                "column \"{name}\" cannot be masked by intervals: type {} has no order",
                ty.name()
            ))
            .hint("Use by_taxonomy or by_suppression."));
        };
        let bound =
            |what, text: &Option<String>| text.as_ref().map(|text| self.parse(ty, what, text)).transpose();
        let (lower, upper) = (bound("lower bound", &self.lower)?, bound("upper bound", &self.upper)?);
        if let (Some(lower), Some(upper)) = (lower, upper) {
            if compare(lower, upper) != Ordering::Less {
                let text = |bound| clipped(&ty.text(bound)).into_owned();
                return Err(SqlError::parameter(format!(
                    "the lower bound of column \"{name}\" must be below the upper one"
                ))
                .detail(format!("The bounds are {} and {}.", text(lower), text(upper)))
                .hint(match compare(lower, upper) {
                    Ordering::Greater => format!(
                        "The other way round: by_intervals({}, {}, {}).",
                        quote_literal(name),
                        quote_literal(text(upper)),
                        quote_literal(text(lower))
                    ),
                    _ => "The upper bound is that of the domain, above the lower one.".into(),
                }));
            }
        }
        // The values, where they lie, and the rank of each.
        check_memory::<(Datum, f64, Code)>(column.distinct())?;
        let (mut values, mut ranks) = ranked(ty, &column.datums(), &compare);
        if how.leave_out {
            leave_outside(&mut values, &mut ranks, (lower, upper), &compare);
        }
        refuse_outside(ty, &values, (lower, upper), &compare).map_err(|outside| {
            SqlError::data(format!("column \"{name}\" has values outside its bounds"))
                .detail(outside)
                .hint(if ty.is_continuous() {
                    "Widen the bounds given to by_intervals.".to_string()
                } else {
                    let column = quote(name);
                    format!(
                        "Values of type {} are compared as such, '9' above '10': release a view that casts them, as {column}::integer AS {column}.",
                        ty.name()
                    )
                })
        })?;
        if column.nulls && ty.is_whole() {
            // An interval of one value is called as that is, and `*` stands over NULLs.
            let label = how.suppressed.and_then(|label| ty.parse(label).ok());
            let alike = label.and_then(|label| values.binary_search_by(|&value| compare(value, label)).ok());
            let text = alike.map(|at| ty.text(values[at]));
            refuse_label(name, how, text.iter().map(String::as_str))?;
        }
        column.renumber(&ranks, values.len() as Code)?;
        check_memory::<(Option<Datum>, bool)>(values.len())?;
        let points = self.points(ty, &values, (lower, upper), &compare)?;
        let position = |value: Datum| ty.position(value);
        // Of types that measure nothing, distances are counted in ranks.
        let positions: Vec<f64> = match polled(&values).map(|&v| position(v)).collect::<Option<Vec<f64>>>() {
            Some(positions) => positions,
            None => (0..values.len()).map(|rank| rank as f64).collect(),
        };
        let domain = Domain {
            positions,
            lower: lower.and_then(position),
            upper: upper.and_then(position),
            points: points.as_ref().map(|points| points.iter().map(Option::is_some).collect()),
            is_discrete: ty.is_whole(),
        };
        let (endpoints, given) = (how.endpoints, HashMap::new());
        let labels = IntervalLabels { ty, values, lower, upper, endpoints, points, given };
        let hierarchy = Hierarchy::by_intervals(domain, column.nulls);
        Ok(Bound { hierarchy, labels: Labels::Intervals(labels) })
    }
}

/// Keeps the values within a domain; those outside have no rank.
fn leave_outside(
    values: &mut Vec<Datum>,
    ranks: &mut [Code],
    (lower, upper): (Option<Datum>, Option<Datum>),
    compare: &impl Fn(Datum, Datum) -> Ordering,
) {
    let below = |value| lower.is_some_and(|lower| compare(value, lower) == Ordering::Less);
    let above = |value| upper.is_some_and(|upper| compare(value, upper) == Ordering::Greater);
    let first = values.iter().take_while(|&&value| below(value)).count();
    let within = values[first..].iter().take_while(|&&value| !above(value)).count();
    values.truncate(first + within);
    values.drain(..first);
    for rank in polled(ranks) {
        *rank = rank.checked_sub(first as Code).filter(|&rank| (rank as usize) < within).unwrap_or(NONE);
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
        Err(format!("Values outside: {}.", some_of(&outside)))
    }
}
