//! How the ends of intervals are rounded, those of PostgreSQL's types.
//!
//! A split between two neighbouring values of the data may end anywhere above the lower one, up to
//! the upper one: every row falls to the same side. So what is published is the roundest value of
//! that gap, and not the value of a single row (PRIVACY: exact ends). The rule is the engine's
//! ([`topdown::refine::endpoint`]); here Datums become what it rounds, and the other way about.
//! Partition, gain, loss and every count are those of the split at the value itself.

use super::datum::Type;
use super::error::{or_raise, SqlError};
use super::line::Line;
use pgrx::pg_sys::{self, Datum};
use std::cmp::Ordering;
use topdown::refine::endpoint::{self, Gap, Precision};

/// The end between neighbouring values: the roundest in `(previous, value]`.
pub fn between(ty: Type, previous: Datum, value: Datum) -> Datum {
    below(ty, Some(previous), value)
}

/// A lower end: the roundest in `(previous, value]`, or beyond the least value of all.
pub fn below(ty: Type, previous: Option<Datum>, value: Datum) -> Datum {
    match (ty.is_finite(value), previous.map(|previous| (previous, ty.is_finite(previous)))) {
        // What is infinite says nothing about a row: up to there, anything beyond the value before.
        (false, Some((previous, true))) => match rounded(ty, Gap::above(previous, None), previous) {
            // Beyond the greatest value of a type nothing lies but what is infinite.
            end if ty.comparator().is_some_and(|compare| compare(end, previous) == Ordering::Greater) => end,
            _ => value,
        },
        (false, _) => value,
        (true, Some((_, false)) | None) => rounded(ty, Gap::below(None, value), value),
        (true, Some((previous, true))) => rounded(ty, Gap::below(Some(previous), value), value),
    }
}

/// An upper end: the roundest in `[value, next)`, or beyond the greatest value of all.
pub fn above(ty: Type, value: Datum, next: Option<Datum>) -> Datum {
    if !ty.is_finite(value) {
        return value;
    }
    rounded(ty, Gap::above(value, next.filter(|&next| ty.is_finite(next))), value)
}

/// The end of a gap; `value` itself where none other is known to lie in it. Beyond all values that is the
/// next one of one digit; where the type does not reach so far, the roundest up to its limit.
fn rounded(ty: Type, gap: Gap<Datum>, value: Datum) -> Datum {
    let Some(compare) = ty.comparator() else { return value };
    let open = gap.neighbour.is_none();
    let end = within(ty, &gap, value, &compare);
    let (Some((least, greatest)), true, Ordering::Equal) = (ty.limits(), open, compare(end, value)) else {
        return end;
    };
    let (limit, gap) = match gap.side {
        endpoint::Side::Below => (least, Gap::above(least, Some(value))),
        endpoint::Side::Above => (greatest, Gap::below(Some(value), greatest)),
    };
    if compare(limit, value) == Ordering::Equal {
        value
    } else {
        within(ty, &gap, limit, &compare)
    }
}

/// The roundest value of a gap; `value` where none is known to lie in it.
fn within(ty: Type, gap: &Gap<Datum>, value: Datum, compare: &impl Fn(Datum, Datum) -> Ordering) -> Datum {
    let end = round(ty, gap).unwrap_or(value);
    let beyond = |a: Datum, b: Datum| compare(a, b) == Ordering::Less;
    // The engine rounds numbers; what the type makes of them is for the type to say.
    let inside = match *gap {
        Gap { value, neighbour, side: endpoint::Side::Below } => {
            !beyond(value, end) && neighbour.is_none_or(|previous| beyond(previous, end))
        }
        Gap { value, neighbour, side: endpoint::Side::Above } => {
            !beyond(end, value) && neighbour.is_none_or(|next| beyond(end, next))
        }
    };
    if inside {
        end
    } else {
        value
    }
}

fn round(ty: Type, gap: &Gap<Datum>) -> Option<Datum> {
    let whole = |value: fn(&Datum) -> i64, limits| endpoint::integer(&gap.map(value), &limits);
    let decimal = |precision| {
        let texts = gap.map(|value| ty.output(*value));
        let neighbour = texts.neighbour.as_deref();
        let gap = Gap { value: &*texts.value, neighbour, side: texts.side };
        let end = or_raise(endpoint::decimal(&gap, precision).map_err(SqlError::from))?;
        ty.parse(&end).ok()
    };
    let int8 = |value: &Datum| value.value() as i64;
    Some(match ty.line()? {
        Line::Int2 => {
            let range = i64::from(i16::MIN)..=i64::from(i16::MAX);
            Datum::from(whole(|value| i64::from(value.value() as i16), range) as i16)
        }
        Line::Int4 => {
            let range = i64::from(i32::MIN)..=i64::from(i32::MAX);
            Datum::from(whole(|value| i64::from(value.value() as i32), range) as i32)
        }
        Line::Int8 | Line::Money => Datum::from(whole(int8, i64::MIN..=i64::MAX)),
        Line::Float4 => decimal(Precision::Single)?,
        Line::Float8 => decimal(Precision::Double)?,
        Line::Numeric => decimal(Precision::Numeric)?,
        Line::Date => Datum::from(endpoint::date(&gap.map(|value| value.value() as i32))),
        Line::Timestamp | Line::TimestampTz => Datum::from(endpoint::timestamp(&gap.map(int8))),
        Line::Time => Datum::from(endpoint::time(&gap.map(int8))),
        Line::TimeTz => {
            // In UTC where both are times of one day there, else in the value's own zone.
            let utc = gap.map(universal);
            let of_a_day = |time: &i64| (0..=86_400_000_000).contains(time);
            let in_utc = of_a_day(&utc.value) && utc.neighbour.iter().all(of_a_day);
            let zone = if in_utc { 0 } else { zone(&gap.value) };
            let time = endpoint::time(&utc.map(|time| time - i64::from(zone) * 1_000_000));
            new(pg_sys::TimeTzADT { time, zone })
        }
        Line::Interval => {
            let (month, day, time) = endpoint::interval(&gap.map(compared));
            new(pg_sys::Interval { time, day, month })
        }
    })
}

/// A time of day with its zone, in microseconds since midnight in UTC.
fn universal(value: &Datum) -> i64 {
    // SAFETY: a timetz Datum points to a TimeTzADT.
    let time = unsafe { (*value.cast_mut_ptr::<pg_sys::TimeTzADT>()).time };
    time + i64::from(zone(value)) * 1_000_000
}

/// The zone of a time of day, in seconds west of UTC.
fn zone(value: &Datum) -> i32 {
    // SAFETY: as above.
    unsafe { (*value.cast_mut_ptr::<pg_sys::TimeTzADT>()).zone }
}

/// An interval as PostgreSQL compares it: months of 30 days, days of 24 hours, in microseconds.
fn compared(value: &Datum) -> i128 {
    // SAFETY: an interval Datum points to an Interval.
    let value = unsafe { &*value.cast_mut_ptr::<pg_sys::Interval>() };
    let days = i128::from(value.month) * 30 + i128::from(value.day);
    days * 86_400_000_000 + i128::from(value.time)
}

/// A Datum that points to a copy of a value, in the current memory context.
fn new<T>(value: T) -> Datum {
    // SAFETY: as many bytes as the value has, maximally aligned, and then written.
    unsafe {
        let copy = pg_sys::palloc(size_of::<T>()).cast::<T>();
        copy.write(value);
        Datum::from(copy)
    }
}
