//! Types whose values lie on a line: numbers, dates and times, PostgreSQL's own only.
//!
//! They are the ones that are masked by intervals unless told otherwise. What is known of each, besides
//! how its values compare, stands in one table here; how its values are rounded is endpoint.rs's.

use super::datum::Type;
use pgrx::pg_sys::{self, Datum, Oid};
use topdown::loss;

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Money,
    Date,
    Time,
    TimeTz,
    Timestamp,
    TimestampTz,
    Interval,
}

/// The type of each, and the range type that its intervals are released as.
const LINES: [(Line, Oid, Option<Oid>); 13] = [
    (Line::Int2, pg_sys::INT2OID, Some(pg_sys::INT4RANGEOID)),
    (Line::Int4, pg_sys::INT4OID, Some(pg_sys::INT4RANGEOID)),
    (Line::Int8, pg_sys::INT8OID, Some(pg_sys::INT8RANGEOID)),
    (Line::Float4, pg_sys::FLOAT4OID, Some(pg_sys::NUMRANGEOID)),
    (Line::Float8, pg_sys::FLOAT8OID, Some(pg_sys::NUMRANGEOID)),
    (Line::Numeric, pg_sys::NUMERICOID, Some(pg_sys::NUMRANGEOID)),
    (Line::Money, pg_sys::MONEYOID, None),
    (Line::Date, pg_sys::DATEOID, Some(pg_sys::DATERANGEOID)),
    (Line::Time, pg_sys::TIMEOID, None),
    (Line::TimeTz, pg_sys::TIMETZOID, None),
    (Line::Timestamp, pg_sys::TIMESTAMPOID, Some(pg_sys::TSRANGEOID)),
    (Line::TimestampTz, pg_sys::TIMESTAMPTZOID, Some(pg_sys::TSTZRANGEOID)),
    (Line::Interval, pg_sys::INTERVALOID, None),
];

impl Type {
    /// Which of the types on a line this is.
    pub fn line(&self) -> Option<Line> {
        LINES.iter().find(|(_, oid, _)| *oid == self.oid).map(|(line, ..)| *line)
    }

    /// One of them, by its name as DDL writes it; none for any other name. What a manifest says is no
    /// reason to call a function of a type of somebody's.
    pub fn on_a_line(name: &str) -> Option<Type> {
        let kinds = LINES.iter().map(|(_, oid, _)| Type::new(*oid, pg_sys::InvalidOid));
        kinds.into_iter().find(|ty| ty.name() == name)
    }

    /// Whether values are continuous: numbers, dates and times are masked by intervals unless told
    /// otherwise.
    pub fn is_continuous(&self) -> bool {
        self.line().is_some()
    }

    /// Whether values have a [`Type::position`].
    pub fn is_measurable(&self) -> bool {
        self.line().is_some_and(|line| line != Line::TimeTz)
    }

    /// Whether values are numbers, of which there are sums.
    pub fn is_number(&self) -> bool {
        let numbers =
            [Line::Int2, Line::Int4, Line::Int8, Line::Float4, Line::Float8, Line::Numeric].map(Some);
        numbers.contains(&self.line())
    }

    /// Where a value lies on the line: numbers as they are, dates in days, times in microseconds; what
    /// is infinite lies at an infinity.
    pub fn position(&self, value: Datum) -> Option<f64> {
        Some(match self.line()? {
            Line::Int2 => f64::from(value.value() as i16),
            Line::Int4 => f64::from(value.value() as i32),
            Line::Int8 | Line::Time | Line::Money => value.value() as i64 as f64,
            Line::Float4 => f64::from(f32::from_bits(value.value() as u32)),
            Line::Float8 => f64::from_bits(value.value() as u64),
            Line::Numeric => self.output(value).parse().ok()?,
            Line::Date => match value.value() as i32 {
                i32::MIN => f64::NEG_INFINITY,
                i32::MAX => f64::INFINITY,
                days => f64::from(days),
            },
            Line::Timestamp | Line::TimestampTz => match value.value() as i64 {
                i64::MIN => f64::NEG_INFINITY,
                i64::MAX => f64::INFINITY,
                microseconds => microseconds as f64,
            },
            Line::Interval => {
                let (months, days, microseconds) = self.parts_of_interval(value);
                let days = f64::from(months) * 30.0 + f64::from(days);
                days * 86_400e6 + microseconds as f64
            }
            Line::TimeTz => return None,
        })
    }

    /// The months, days and microseconds of an interval, which this is the type of.
    pub fn parts_of_interval(&self, value: Datum) -> (i32, i32, i64) {
        assert_eq!(self.oid, pg_sys::INTERVALOID);
        // SAFETY: an interval Datum points to an Interval.
        let interval = unsafe { &*value.cast_mut_ptr::<pg_sys::Interval>() };
        (interval.month, interval.day, interval.time)
    }

    /// Whether the values are whole numbers or days: between two that are next to each other there is none.
    pub fn is_whole(&self) -> bool {
        matches!(self.line(), Some(Line::Int2 | Line::Int4 | Line::Int8 | Line::Date))
    }

    /// A whole number, or the number of a day; none of other types, and of what is infinite.
    fn whole_number(&self, value: Datum) -> Option<i64> {
        match self.line()? {
            Line::Int2 => Some(i64::from(value.value() as i16)),
            Line::Int4 => Some(i64::from(value.value() as i32)),
            Line::Int8 => Some(value.value() as i64),
            Line::Date => {
                Some(value.value() as i32).filter(|day| ![i32::MIN, i32::MAX].contains(day)).map(i64::from)
            }
            _ => None,
        }
    }

    /// The whole number or day after a value, if there is one; of other types, and at the end of time, the value itself.
    pub fn after(&self, value: Datum) -> Option<Datum> {
        let Some(number) = self.whole_number(value) else { return Some(value) };
        let greatest = self.limits().and_then(|(_, greatest)| self.whole_number(greatest));
        greatest.filter(|&greatest| number < greatest)?;
        Some(match self.line()? {
            Line::Int2 => Datum::from(number as i16 + 1),
            Line::Int8 => Datum::from(number + 1),
            _ => Datum::from(number as i32 + 1),
        })
    }

    /// Whether only the first value of an interval can lie in it: it ends with that, where the end belongs to it, else
    /// before the next.
    pub fn is_single(&self, from: Datum, to: Datum, closed: bool) -> bool {
        let ends = self.whole_number(from).zip(self.whole_number(to));
        ends.is_some_and(|(from, to)| to.checked_sub(from) == Some(i64::from(!closed)))
    }

    /// What an interval between two positions loses in a domain (`topdown::loss`); `closed` if the upper end belongs
    /// to it.
    pub fn loss_between(
        &self,
        (from, to): (Option<f64>, Option<f64>),
        closed: bool,
        (least, greatest): (f64, f64),
    ) -> f64 {
        let to = to.map(|to| loss::measured_end(to, self.is_whole() && !closed));
        loss::interval_loss(from, to, least, greatest)
    }

    /// Whether a value is one, and not infinite or not a number.
    pub fn is_finite(&self, value: Datum) -> bool {
        match self.line() {
            // Of any number of digits, which no float has.
            Some(Line::Numeric) => !["NaN", "Infinity", "-Infinity"].contains(&self.output(value).as_str()),
            _ => self.position(value).is_none_or(f64::is_finite),
        }
    }

    /// The least and the greatest value, of types that have them.
    pub fn limits(&self) -> Option<(Datum, Datum)> {
        const DATES: (i32, i32) = (-2_451_545, 2_145_031_948);
        const TIMESTAMPS: (i64, i64) = (-211_813_488_000_000_000, 9_223_371_331_199_999_999);
        Some(match self.line()? {
            Line::Int2 => (Datum::from(i16::MIN), Datum::from(i16::MAX)),
            Line::Int4 => (Datum::from(i32::MIN), Datum::from(i32::MAX)),
            Line::Int8 | Line::Money => (Datum::from(i64::MIN), Datum::from(i64::MAX)),
            Line::Float4 => (Datum::from(f32::MIN.to_bits()), Datum::from(f32::MAX.to_bits())),
            Line::Float8 => (Datum::from(f64::MIN.to_bits()), Datum::from(f64::MAX.to_bits())),
            Line::Date => (Datum::from(DATES.0), Datum::from(DATES.1)),
            Line::Timestamp | Line::TimestampTz => (Datum::from(TIMESTAMPS.0), Datum::from(TIMESTAMPS.1)),
            Line::Numeric | Line::Time | Line::TimeTz | Line::Interval => return None,
        })
    }

    /// Two bounds that a domain of the type may have, as they are written.
    pub fn example_bounds(&self) -> Option<(&'static str, &'static str)> {
        Some(match self.line()? {
            Line::Date => ("1900-01-01", "2100-01-01"),
            Line::Time | Line::TimeTz => ("00:00", "24:00"),
            Line::Timestamp | Line::TimestampTz => ("1900-01-01 00:00", "2100-01-01 00:00"),
            Line::Interval => ("0 days", "100 years"),
            _ => ("0", "120"),
        })
    }

    /// The type of means of its values; none where there are none.
    pub fn mean(&self) -> Option<Type> {
        let oid = match self.line()? {
            Line::Int2 | Line::Int4 | Line::Int8 | Line::Numeric => pg_sys::NUMERICOID,
            Line::Float4 | Line::Float8 => pg_sys::FLOAT8OID,
            Line::Date | Line::Time | Line::Timestamp | Line::TimestampTz => self.oid,
            Line::Money | Line::TimeTz | Line::Interval => return None,
        };
        Some(Type::new(oid, pg_sys::InvalidOid))
    }

    /// The range type that intervals of this type are released as.
    pub fn range(&self) -> Option<Type> {
        let (.., range) = LINES.iter().find(|(_, oid, _)| *oid == self.oid)?;
        range.map(|range| Type::new(range, pg_sys::InvalidOid))
    }
}
