//! The roundest time of day and the roundest interval: multiples of fixed units, coarse to fine.
//!
//! Both count microseconds. An interval is taken as PostgreSQL compares intervals: a month is 30
//! days and a day 24 hours. What an interval was before that is lost, so one is made anew of the
//! number found: in whole months if it is a number of them, otherwise in days and time.

use super::number::rounds;
use super::{Gap, Side, Span};
use std::ops::RangeInclusive;

const SECOND: i128 = 1_000_000;
const HOUR: i128 = 3600 * SECOND;
/// The microseconds of a day of 24 hours.
pub(crate) const DAY: i128 = 24 * HOUR;
/// The months and years of intervals.
const MONTH: i128 = 30 * DAY;
const YEAR: i128 = 12 * MONTH;

/// Units from the hour down: hour, minute, second and its decimal fractions.
pub(super) const CLOCK: [i128; 9] = [HOUR, 60 * SECOND, SECOND, SECOND / 10, SECOND / 100, 1000, 100, 10, 1];

/// The end of a gap between times of day, in microseconds since midnight; 24:00 is the last.
pub fn time(gap: &Gap<i64>) -> i64 {
    let end = gap.map(|&value| i128::from(value)).end(
        Some(&(0..=DAY)),
        |span| fixed(span, &CLOCK),
        |&value, side| next(value, HOUR, side),
    );
    i64::try_from(end).unwrap_or(gap.value)
}

/// The end of a gap between intervals, given in microseconds as PostgreSQL compares them: its
/// months, days and microseconds.
pub fn interval(gap: &Gap<i128>) -> (i32, i32, i64) {
    // The very last ones on both sides are the infinities of PostgreSQL 17.
    let most = i128::from(i32::MAX) * (MONTH + DAY) + i128::from(i64::MAX) - 1;
    let units = || [YEAR, MONTH, DAY].into_iter().chain(CLOCK);
    let within = |span: &Span<i128>| {
        let multiple = |unit| {
            let factors = multiples(span.lowest, span.highest, unit);
            let is_any = !factors.is_empty();
            let rounds = is_any.then(|| rounds(factors.start(), factors.end()))?;
            span.nearest(rounds.into_iter().map(|n| n * unit))
        };
        units().find_map(multiple).unwrap_or(span.highest)
    };
    let beyond = |&value: &i128, side| {
        let unit = if value == 0 { DAY } else { units().find(|&unit| unit <= value.abs()).unwrap_or(1) };
        next(value, unit, side)
    };
    compose(gap.end(Some(&(-most..=most)), within, beyond))
}

/// The interval of so many microseconds, the nearest there is.
fn compose(microseconds: i128) -> (i32, i32, i64) {
    let months = if microseconds % MONTH == 0 { microseconds / MONTH } else { 0 };
    let days = microseconds / DAY - months * 30;
    match (i32::try_from(months), i32::try_from(days)) {
        (Ok(months), Ok(days)) => (months, days, (microseconds % DAY) as i64),
        // Too many days: as many months as there may be, then days, then time.
        _ => {
            let (least, most) = (i128::from(i32::MIN), i128::from(i32::MAX));
            let months = (microseconds / MONTH).clamp(least, most);
            let rest = microseconds - months * MONTH;
            let days = (rest / DAY).clamp(least, most);
            let rest = (rest - days * DAY).clamp(i64::MIN.into(), i64::MAX.into());
            (months as i32, days as i32, rest as i64)
        }
    }
}

/// The multiple of the coarsest unit that has one in a span, the nearest to the middle.
pub(super) fn fixed(span: &Span<i128>, units: &[i128]) -> i128 {
    // All of its multiples are looked at: no more than a coarser unit holds.
    let multiple = |unit: &i128| span.nearest(multiples(span.lowest, span.highest, *unit).map(|n| n * unit));
    units.iter().find_map(multiple).unwrap_or(span.highest)
}

/// The multiples of a unit from `lowest` to `highest`, by their factors.
pub(super) fn multiples(lowest: i128, highest: i128, unit: i128) -> RangeInclusive<i128> {
    -(-lowest).div_euclid(unit)..=highest.div_euclid(unit)
}

/// The next multiple of a unit strictly beyond a value.
fn next(value: i128, unit: i128, side: Side) -> i128 {
    match side {
        Side::Below => (value - 1).div_euclid(unit) * unit,
        Side::Above => (value.div_euclid(unit) + 1) * unit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: i128 = 60 * SECOND;

    fn of_day(hour: i64, minute: i64, second: i64, microseconds: i64) -> i64 {
        ((hour * 60 + minute) * 60 + second) * 1_000_000 + microseconds
    }

    /// What an interval compares as.
    fn compared((months, days, microseconds): (i32, i32, i64)) -> i128 {
        i128::from(months) * MONTH + i128::from(days) * DAY + i128::from(microseconds)
    }

    /// Which of the units, coarse to fine, a number is a multiple of.
    fn rank(value: i128, units: &[i128]) -> usize {
        units.iter().position(|unit| value % unit == 0).unwrap()
    }

    #[test]
    fn times_are_whole_hours_minutes_seconds() {
        let below = |from, to| time(&Gap::below(Some(from), to));
        assert_eq!(below(of_day(8, 59, 59, 0), of_day(9, 0, 0, 1)), of_day(9, 0, 0, 0));
        assert_eq!(below(of_day(8, 10, 0, 0), of_day(12, 50, 0, 0)), of_day(10, 0, 0, 0));
        assert_eq!(below(of_day(9, 0, 0, 0), of_day(9, 4, 0, 0)), of_day(9, 2, 0, 0));
        assert_eq!(below(of_day(9, 0, 0, 0), of_day(9, 0, 9, 0)), of_day(9, 0, 4, 0));
        assert_eq!(below(of_day(9, 0, 0, 123_456), of_day(9, 0, 0, 123_471)), of_day(9, 0, 0, 123_460));
        assert_eq!(below(of_day(9, 0, 0, 11_000), of_day(9, 0, 0, 39_900)), of_day(9, 0, 0, 30_000));
        assert_eq!(below(of_day(9, 0, 0, 1), of_day(9, 0, 0, 2)), of_day(9, 0, 0, 2));
        assert_eq!(below(of_day(23, 30, 0, 0), of_day(24, 0, 0, 0)), of_day(24, 0, 0, 0));
        assert_eq!(time(&Gap::above(of_day(23, 30, 0, 0), Some(of_day(24, 0, 0, 0)))), of_day(23, 45, 0, 0));
    }

    #[test]
    fn times_stay_within_the_day() {
        let (down, up) = (|value| time(&Gap::below(None, value)), |value| time(&Gap::above(value, None)));
        assert_eq!(down(of_day(9, 30, 0, 0)), of_day(9, 0, 0, 0));
        assert_eq!(down(of_day(9, 0, 0, 0)), of_day(8, 0, 0, 0));
        assert_eq!(down(of_day(0, 0, 0, 1)), 0);
        assert_eq!(down(0), 0);
        assert_eq!(up(of_day(9, 0, 0, 0)), of_day(10, 0, 0, 0));
        assert_eq!(up(of_day(23, 0, 0, 1)), of_day(24, 0, 0, 0));
        assert_eq!(up(of_day(24, 0, 0, 0)), of_day(24, 0, 0, 0));
    }

    #[test]
    fn intervals_are_whole_units_and_round_numbers_of_them() {
        let below = |from, to| interval(&Gap::below(Some(from), to));
        assert_eq!(below(-DAY, DAY), (0, 0, 0));
        assert_eq!(below(17 * YEAR, 43 * YEAR), (12 * 20, 0, 0));
        assert_eq!(below(350 * DAY, 365 * DAY), (12, 0, 0));
        assert_eq!(below(10 * DAY, 200 * DAY), (4, 0, 0));
        assert_eq!(below(15 * DAY, 25 * DAY), (0, 20, 0));
        assert_eq!(below(-25 * DAY, -15 * DAY), (0, -20, 0));
        assert_eq!(below(25 * HOUR, 31 * HOUR), (0, 1, (6 * HOUR) as i64));
        // Days that are no whole months are days, not months and days.
        assert_eq!(below(40 * DAY, 50 * DAY), (0, 50, 0));
        assert_eq!(below(-50 * DAY, -40 * DAY), (0, -40, 0));
        assert_eq!(below(0, 90 * MINUTE), (0, 0, HOUR as i64));
        assert_eq!(below(MINUTE, MINUTE + 25), (0, 0, (MINUTE + 20) as i64));
        assert_eq!(interval(&Gap::above(DAY, Some(2 * DAY))), (0, 1, 0));
    }

    #[test]
    fn intervals_beyond_the_extreme() {
        let down = |value| interval(&Gap::below(None, value));
        let up = |value| interval(&Gap::above(value, None));
        assert_eq!(down(400 * DAY), (12, 0, 0));
        assert_eq!(down(YEAR), (0, 0, 0));
        assert_eq!(down(45 * DAY), (1, 0, 0));
        assert_eq!(down(135 * MINUTE), (0, 0, (2 * HOUR) as i64));
        assert_eq!(down(0), (0, -1, 0));
        assert_eq!(up(0), (0, 1, 0));
        assert_eq!(up(-400 * DAY), (-12, 0, 0));
        assert_eq!(up(-1), (0, 0, 0));
        let infinity = (i32::MAX, i32::MAX, i64::MAX);
        assert_eq!(up(compared(infinity)), infinity);
        assert_eq!(interval(&Gap::above(40 * DAY, Some(compared(infinity)))), (2, 0, 0));
        // As far as there are days beside the months, and no further.
        for days in [0, 400, i32::MAX - 1] {
            let large = compared((i32::MAX, days, 0));
            assert!((large + 1..compared(infinity)).contains(&compared(up(large))), "{days}");
            assert!(
                (compared((i32::MIN, i32::MIN, i64::MIN))..-large).contains(&compared(down(-large))),
                "{days}"
            );
        }
        let least = (i32::MIN, i32::MIN, i64::MIN);
        assert_eq!(down(compared(least)), least);
        assert_eq!(down(i128::MIN), least);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn narrow_times_by_trying_all(
            from in 0..86_399_990_000i64,
            zeros in 0..8u32,
            width in 1..9000i64,
        ) {
            let from = from / 10i64.pow(zeros) * 10i64.pow(zeros);
            let to = from + width;
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let key = |&e: &i64| (rank(e.into(), &CLOCK), (2 * e - from - to).abs(), e);
                let best = (from..=to).filter(|e| gap.contains(e)).min_by_key(key);
                prop_assert_eq!(Some(time(&gap)), best);
            }
        }

        #[test]
        fn no_coarser_time_is_in_the_gap(a in 0..=86_400_000_000i64, b in 0..=86_400_000_000i64) {
            prop_assume!(a != b);
            let (from, to) = (a.min(b), a.max(b));
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = time(&gap);
                prop_assert!(gap.contains(&end));
                let wide = gap.map(|&v| i128::from(v));
                for unit in &CLOCK[..rank(end.into(), &CLOCK)] {
                    let last = i128::from(to) / unit * unit;
                    prop_assert!(!wide.contains(&last) && !wide.contains(&(last - unit)));
                }
            }
        }

        /// The end is a multiple of the coarsest unit that has any, and none of its multiples has
        /// fewer digits.
        #[test]
        fn no_rounder_interval_is_in_the_gap(
            a in any::<(i32, i32, i64)>(),
            b in any::<(i32, i32, i64)>(),
            shift in 0..40u32,
            near in any::<bool>(),
        ) {
            let from = compared(a) >> shift;
            let to = if near { from + i128::from(b.2 >> shift) } else { compared(b) };
            prop_assume!(from != to);
            let (from, to) = (from.min(to), from.max(to));
            let units: Vec<i128> = [YEAR, MONTH, DAY].into_iter().chain(CLOCK).collect();
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = compared(interval(&gap));
                prop_assert!(gap.contains(&end), "{end} in {gap:?}");
                let rank = rank(end, &units);
                for unit in &units[..rank] {
                    let last = to.div_euclid(*unit) * unit;
                    prop_assert!(!gap.contains(&last) && !gap.contains(&(last - unit)));
                }
                let unit = units[rank];
                let digits = |n: i128| n.to_string().trim_start_matches('-').trim_end_matches('0').len();
                for n in (from.div_euclid(unit)..=to.div_euclid(unit)).take(500) {
                    prop_assert!(!gap.contains(&(n * unit)) || digits(end / unit) <= digits(n));
                }
            }
        }

        #[test]
        fn every_interval_can_be_made(interval in any::<(i32, i32, i64)>()) {
            prop_assert_eq!(compared(compose(compared(interval))), compared(interval));
        }

        #[test]
        fn nothing_panics(value in any::<i128>(), neighbour in any::<Option<i128>>()) {
            interval(&Gap::below(neighbour, value));
            interval(&Gap::above(value, neighbour));
            time(&Gap::below(neighbour.map(|n| n as i64), value as i64));
            time(&Gap::above(value as i64, neighbour.map(|n| n as i64)));
        }
    }
}
