//! rounded: the values of a kept column become multiples of a step, moments the begin of their bin.

use super::{kept, masking, Binding, Masking};
use crate::postgres::arguments::needed;
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, or_raise, Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::names::{text, Text};
use crate::postgres::progress::polled;
use crate::read::table::Column;
use crate::terms::labels::Bound;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::numbers::{to_multiples, Bin};
use topdown::progress::check_memory;

/// Kept, and rounded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rounded {
    /// The kept column.
    pub column_name: String,
    /// A number, or an interval.
    pub step: String,
}

/// What a step is to a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The number whose multiples are shown, as it is written.
    Multiples(String),
    /// The bins whose begins are.
    Bins(Bin),
}

#[pg_extern(immutable, parallel_safe)]
fn rounded(column_name: Option<Text>, step: Option<Text>) -> masking {
    or_raise((|| {
        let (column_name, step) = (needed("column_name", text(column_name))?, needed("step", text(step))?);
        masking::from(Rounded { column_name, step }).checked()
    })())
}

impl Rounded {
    /// The step for a column, of a type that is declared so.
    pub fn step(&self, ty: Type, declaration: &str) -> Result<Step> {
        let name = &self.column_name;
        let line =
            ty.line().filter(|_| kept::takes(ty)).ok_or_else(|| kept::other_type(name, "rounded", ty))?;
        let is_moment = kept::are_moments(line);
        let of_step = if is_moment { pg_sys::INTERVALOID } else { pg_sys::NUMERICOID };
        let of_step = Type::new(of_step, pg_sys::InvalidOid);
        let fault = |what: &str| {
            let what = format!("column \"{name}\" cannot be rounded to '{}': {what}", clipped(&self.step));
            SqlError::parameter(what).hint(match is_moment {
                true => "A step is whole months, or a length: '1 month', '1 year', '7 days', '15 minutes'.",
                false => "A step is a number above 0: '10', '0.25'.",
            })
        };
        let step = of_step.parse(&self.step).map_err(|complaint| fault(&complaint))?;
        let decimals = kept::decimals(line, declaration);
        if is_moment {
            let bin = bin(of_step.parts_of_interval(step)).ok_or_else(|| fault("it is no length above 0"))?;
            let unit = match line {
                Line::Date => 86_400_000_000,
                _ => 10i64.pow(6u32.saturating_sub(decimals.unwrap_or(6) as u32)),
            };
            return match bin {
                Bin::Length(length) if length % unit != 0 => Err(fault("the column's values are less exact")),
                bin => Ok(Step::Bins(bin)),
            };
        }
        let step = of_step.output(step);
        if step.starts_with('-') || !step.bytes().any(|digit| (b'1'..=b'9').contains(&digit)) {
            return Err(fault("it is not above 0"));
        }
        let step = match step.contains('.') {
            true => step.trim_end_matches('0').trim_end_matches('.'),
            false => &step,
        };
        let of_step = step.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        if decimals.is_some_and(|decimals| of_step > decimals) {
            return Err(fault("the column's values have fewer decimals"));
        }
        Ok(Step::Multiples(step.to_string()))
    }

    /// Values of the column, rounded.
    pub fn rounded(&self, (ty, declaration): (Type, &str), values: Vec<Datum>) -> Result<Vec<Datum>> {
        let name = &self.column_name;
        let beyond = |value: Datum| {
            SqlError::out_of_range(format!(
                "{} of column \"{name}\" is out of its type's range when it is rounded",
                clipped(&ty.output(value))
            ))
            .hint("Choose another step, or release a view that casts the column to a wider type.")
        };
        let step = match self.step(ty, declaration)? {
            Step::Multiples(step) => step,
            Step::Bins(bin) => {
                let begin = |&value: &Datum| match ty.is_finite(value) {
                    true => begin_of_bin(ty, bin, value).ok_or_else(|| beyond(value)),
                    false => Ok(value),
                };
                return polled(&values).map(begin).collect();
            }
        };
        check_memory::<(String, String)>(values.len())?;
        let multiples = to_multiples(polled(&values).map(|&value| ty.output(value)), &step)?;
        let (codes, texts): (Vec<usize>, Vec<&str>) = polled(multiples.iter().enumerate())
            .filter_map(|(code, text)| Some((code, text.as_deref()?)))
            .unzip();
        let line = ty.line().ok_or_else(|| SqlError::internal("a column of no numbers is rounded"))?;
        if let Some(most) = kept::digits_before_point(line, declaration) {
            let digits = |text: &str| {
                let whole = text.trim_start_matches('-').split('.').next().unwrap_or_default();
                whole.trim_start_matches('0').len()
            };
            if let Some((&code, _)) = polled(codes.iter().zip(&texts)).find(|(_, text)| digits(text) > most) {
                return Err(beyond(values[code]));
            }
        }
        let read = ty.parse_all(texts.iter().copied()).map_err(|(at, _)| beyond(values[codes[at]]))?;
        let mut rounded = values;
        polled(codes.into_iter().zip(read)).for_each(|(code, value)| rounded[code] = value);
        Ok(rounded)
    }
}

/// Where the bin of a moment begins; none where its type does not reach so far.
fn begin_of_bin(ty: Type, bin: Bin, value: Datum) -> Option<Datum> {
    const DAY: i128 = 86_400_000_000;
    let (least, _) = ty.limits()?;
    if ty.line()? == Line::Date {
        let begin = bin.start(i128::from(value.value() as i32) * DAY) / DAY;
        return (begin >= i128::from(least.value() as i32)).then(|| Datum::from(begin as i32));
    }
    let begin = bin.start(i128::from(value.value() as i64));
    (begin >= i128::from(least.value() as i64)).then(|| Datum::from(begin as i64))
}

/// The bins of an interval of so many months, days and microseconds; none of one that is not of months alone or has no fixed
/// length.
fn bin((months, days, microseconds): (i32, i32, i64)) -> Option<Bin> {
    if months != 0 {
        return (months > 0 && days == 0 && microseconds == 0).then(|| Bin::Months(months.into()));
    }
    let length = i64::from(days).checked_mul(86_400_000_000)?.checked_add(microseconds)?;
    (length > 0).then_some(Bin::Length(length))
}

impl Masking for Rounded {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn is_of_kept(&self) -> bool {
        true
    }
    fn fits(&self, ty: Type, declaration: &str) -> Result<()> {
        self.step(ty, declaration).map(|_| ())
    }
    fn bind(&self, _column: &mut Column, _how: &Binding) -> Result<Bound> {
        kept::no_hierarchy(&self.column_name)
    }
}
