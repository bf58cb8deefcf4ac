//! Points a step apart, of PostgreSQL's types: what may become an end of an interval where a step is asked for.
//! The engine counts them ([`topdown::refine::grid`]); here Datums become what it counts, and the other way about.

use super::datum::Type;
use super::line::Line;
use pgrx::pg_sys::{self, Datum};
use topdown::refine::grid::{DecimalGrid, Grid};

/// Microseconds of a day.
const DAY: i128 = 86_400_000_000;

/// Points a step apart.
pub struct Steps {
    ty: Type,
    points: Points,
}

enum Points {
    Whole(Grid),
    Decimal(DecimalGrid),
}

impl Steps {
    /// Points of a type, counted from `origin`, else from zero, midnight or the year 2000; or what keeps the step
    /// from being one.
    pub fn new(ty: Type, step: &str, origin: Option<Datum>) -> Result<Steps, String> {
        let line = ty.line();
        let begin = origin.map_or(Some(0), |origin| whole(ty, origin));
        let points = match line {
            Some(Line::Int2 | Line::Int4 | Line::Int8 | Line::Money) => {
                let step = whole(ty, ty.parse(step)?).expect("a whole number is finite");
                let origin = begin.expect("a whole number is finite");
                Points::Whole(Grid::Whole { origin, step: above_0(step)? })
            }
            Some(Line::Float4 | Line::Float8 | Line::Numeric) => {
                let step = ty.output(ty.parse(step)?);
                let origin = origin.map_or("0".to_string(), |origin| ty.output(origin));
                Points::Decimal(DecimalGrid::new(&origin, &step).ok_or("It must be a number above 0.")?)
            }
            Some(line @ (Line::Date | Line::Time | Line::Timestamp | Line::TimestampTz)) => {
                let origin = begin.ok_or("The lower bound that it is counted from is infinite.")?;
                Points::Whole(by_interval(line, step, origin)?)
            }
            Some(Line::TimeTz | Line::Interval) | None => {
                return Err(format!("Type {} has no steps: give the breakpoints.", ty.name()))
            }
        };
        Ok(Steps { ty, points })
    }

    /// A step of a type, for who gave none that can be.
    pub fn example(ty: Type) -> Option<&'static str> {
        match ty.line()? {
            Line::Date | Line::Timestamp | Line::TimestampTz => Some("1 month"),
            Line::Time => Some("1 hour"),
            Line::TimeTz | Line::Interval => None,
            _ => Some("10"),
        }
    }

    /// The last point up to a value, or the first above it; none beyond what the type can hold.
    pub fn last(&self, value: Datum, or_next: bool) -> Option<Datum> {
        match &self.points {
            Points::Whole(grid) => {
                let last = grid.last_at_or_below(whole(self.ty, value)?);
                self.datum(grid.point(last + i128::from(or_next)))
            }
            Points::Decimal(decimals) => {
                let point = decimals.point_near(&self.ty.output(value), or_next)?;
                self.ty.parse(&point).ok()
            }
        }
    }

    fn datum(&self, point: i128) -> Option<Datum> {
        // What is infinite has neighbours near the limits of dates and timestamps, which end before their numbers do.
        let (least, most) = self.ty.limits().unzip();
        let limit = |end: Option<Datum>| end.and_then(|end| whole(self.ty, end));
        if limit(least).is_some_and(|least| point < least) || limit(most).is_some_and(|most| most < point) {
            return None;
        }
        Some(match self.ty.line()? {
            Line::Int2 => Datum::from(i16::try_from(point).ok()?),
            Line::Int4 => Datum::from(i32::try_from(point).ok()?),
            Line::Date => Datum::from(i32::try_from(point.div_euclid(DAY)).ok()?),
            _ => Datum::from(i64::try_from(point).ok()?),
        })
    }
}

/// A value as a whole number, of dates and times in microseconds; none of what is infinite.
fn whole(ty: Type, value: Datum) -> Option<i128> {
    if !ty.is_finite(value) {
        return None;
    }
    Some(match ty.line()? {
        Line::Int2 => i128::from(value.value() as i16),
        Line::Int4 => i128::from(value.value() as i32),
        Line::Date => i128::from(value.value() as i32) * DAY,
        _ => i128::from(value.value() as i64),
    })
}

fn above_0(step: i128) -> Result<i128, String> {
    if step > 0 {
        Ok(step)
    } else {
        Err("It must be above 0.".into())
    }
}

/// Points an interval apart: of months, which are of different lengths, or of days and times.
fn by_interval(line: Line, step: &str, origin: i128) -> Result<Grid, String> {
    let value = Type::new(pg_sys::INTERVALOID, pg_sys::InvalidOid).parse(step)?;
    // SAFETY: an interval Datum points to an Interval.
    let &pg_sys::Interval { time, day, month } = unsafe { &*value.cast_mut_ptr::<pg_sys::Interval>() };
    let (months, rest) = (i128::from(month), i128::from(day) * DAY + i128::from(time));
    if months != 0 && (rest != 0 || line == Line::Time) {
        return Err("It is of years and months, or of days and times.".into());
    }
    if line == Line::Date && rest % DAY != 0 {
        return Err("Of dates it is of whole days.".into());
    }
    Ok(if months != 0 {
        Grid::Months { origin, months: above_0(months)? }
    } else {
        Grid::Whole { origin, step: above_0(rest)? }
    })
}
