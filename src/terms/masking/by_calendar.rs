//! by_calendar: dates and timestamps are shown by the units of the calendar that they are in.

use super::{masking, rule, Binding, Masking, UpperEnd};
use crate::postgres::arguments::{needed, Word};
use crate::postgres::arrays::{elements, Elements};
use crate::postgres::datum::Type;
use crate::postgres::error::{or_raise, Result, SqlError};
use crate::postgres::line::Line;
use crate::postgres::names::{text, Text};
use crate::read::order::in_order;
use crate::read::table::Column;
use crate::terms::labels::{Bound, TextEnds, TreeEnds};
use pgrx::pg_sys::Datum;
use pgrx::prelude::*;
use serde::{Deserialize, Serialize};
use topdown::progress::check_memory;
use topdown::taxonomy::rule::calendar;

/// Shown by units of the calendar.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByCalendar {
    /// The masked column.
    pub column_name: String,
    /// The units that are shown.
    pub units: Vec<Unit>,
}

/// A unit of the calendar, the coarsest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    Decade,
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
}

impl Word for Unit {
    const WHAT: &'static str = "unit";
    const WORDS: &'static str = "The units are decade, year, quarter, month, week, day, hour, minute.";
}

impl Unit {
    /// The engine's.
    fn engine(self) -> calendar::Unit {
        match self {
            Unit::Decade => calendar::Unit::Decade,
            Unit::Year => calendar::Unit::Year,
            Unit::Quarter => calendar::Unit::Quarter,
            Unit::Month => calendar::Unit::Month,
            Unit::Week => calendar::Unit::Week,
            Unit::Day => calendar::Unit::Day,
            Unit::Hour => calendar::Unit::Hour,
            Unit::Minute => calendar::Unit::Minute,
        }
    }
}

#[pg_extern(immutable, parallel_safe)]
fn by_calendar(
    column_name: Option<Text>,
    units: default!(Option<Elements<String>>, "'{year,quarter,month,day}'"),
) -> masking {
    or_raise((|| {
        let units = elements("units", units)?;
        let units = units.iter().map(|unit| Unit::from_word(unit)).collect::<Result<_>>()?;
        masking::from(ByCalendar { column_name: needed("column_name", text(column_name))?, units }).checked()
    })())
}

impl ByCalendar {
    /// The units, the coarsest first.
    fn sorted(&self) -> Vec<Unit> {
        let mut units = self.units.clone();
        units.sort_unstable();
        units
    }
}

impl Masking for ByCalendar {
    fn column_name(&self) -> &str {
        &self.column_name
    }
    fn check(&self) -> Result<()> {
        let units = self.sorted();
        if units.is_empty() {
            return Err(SqlError::parameter("the units of by_calendar are none").hint(Unit::WORDS));
        }
        if units.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(SqlError::parameter("the units of by_calendar name one twice"));
        }
        let week = units.iter().position(|&unit| unit == Unit::Week);
        if week.is_some_and(|week| units.get(week + 1) != Some(&Unit::Day)) {
            return Err(SqlError::parameter("among the units of by_calendar week is only right above day")
                .hint("Weeks end where they like, and are made of days: name day, too."));
        }
        Ok(())
    }
    fn has_tree(&self) -> bool {
        true
    }
    fn is_by_rule(&self) -> bool {
        true
    }
    fn upper_end(&self, _: Option<Type>) -> Option<UpperEnd> {
        Some(UpperEnd::Excluded)
    }
    fn bind(&self, column: &mut Column, how: &Binding) -> Result<Bound> {
        let (name, ty) = (&self.column_name, column.ty);
        let fault = |what: String| {
            SqlError::parameter(format!("column \"{name}\" cannot be masked by calendar: {what}"))
        };
        let of_day = match ty.line() {
            Some(Line::Date) => calendar::DAY,
            Some(Line::Timestamp | Line::TimestampTz) => 1,
            _ => {
                let what = format!("its type is {}", ty.name());
                return Err(fault(what).hint("by_calendar takes dates and timestamps."));
            }
        };
        let units = self.sorted();
        if of_day > 1 && units.last() > Some(&Unit::Day) {
            return Err(fault("a date has no hours".into()).hint("Leave hour and minute out of the units."));
        }
        let units: Vec<calendar::Unit> = units.into_iter().map(Unit::engine).collect();
        let values = column.datums();
        check_memory::<usize>(values.len())?;
        let label = |code: usize, level: usize| {
            let value = values[code];
            if !ty.is_finite(value) {
                // At the end of time, and no part of any year.
                return (level == 1).then(|| ty.text(value));
            }
            // Dates go farther than timestamps do: their microseconds are more than 64 bits count.
            let passed =
                if of_day > 1 { i128::from(value.value() as i32) } else { i128::from(value.value() as i64) };
            calendar::label(passed * of_day, &units, level)
        };
        let of_days = of_day > 1 && units.last() == Some(&calendar::Unit::Day);
        let is_whole = |code: usize| of_days || !ty.is_finite(values[code]);
        let ends = TreeEnds::ByRule(ty, ends);
        rule::bind_rule(name, &in_order(ty, &values), label, is_whole, ends, column, how)
    }
}

/// When a unit of the calendar begins and when the next one does, as values of a type; open where the type has no such value.
fn ends(ty: Type, label: &str) -> TextEnds {
    let Some(moments) = calendar::parse_label(label) else {
        // The end of time is a value by itself.
        return (Some(label.to_string()), Some(label.to_string()));
    };
    let is_date = ty.line() == Some(Line::Date);
    let (first, end) = if is_date { (FIRST, END_OF_DATES) } else { (FIRST, END_OF_TIMESTAMPS) };
    let text = |moment: i128| {
        let value = if is_date { moment / calendar::DAY } else { moment };
        (first..end).contains(&moment).then(|| ty.text(Datum::from(value as i64)))
    };
    (text(moments.start), text(moments.end))
}

/// The first moment that a date and a timestamp can be, 4714-11-24 BC, and the first that they cannot be any more.
const FIRST: i128 = -2_451_545 * calendar::DAY;
const END_OF_DATES: i128 = 2_145_031_949 * calendar::DAY;
const END_OF_TIMESTAMPS: i128 = 106_751_983 * calendar::DAY;
