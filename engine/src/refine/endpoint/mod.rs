//! Rounded ends of intervals, which lie between two values of the data and reveal neither.
//!
//! A split between the neighbours a < b could be published as b, but b is one person's value. Instead a round end e
//! with a < e <= b is published; any such e splits the rows alike. The ends of a cluster move outwards by the same
//! rule: the lower one within (value before, least], the upper one within [greatest, value after). Each of these is
//! the end of a [`Gap`]: a point of the coarsest [`Grid`] that has one in the gap, and of several the nearest to the
//! middle. The grids are
//!
//! * for numbers, multiples of 1, 2 and 5 times the powers of ten;
//! * for dates and times, years (1, 2 and 5 times the powers of ten), months, days, hours, minutes, seconds and their
//!   decimal fractions.
//!
//! Each grid is only a few times finer than the one before, except for days, which come after months. So the coarsest
//! grid with a point in the gap has few points there. This hides the exact middle of the gap, which would reveal both
//! neighbours.
//!
//! The least and the greatest value have no neighbour on the outer side. Their end is the next grid point strictly
//! beyond the value, in a grid of its size: for a number the power of ten of its first digit, for a date one year, for
//! a time of day one hour, for a time interval its greatest unit.

mod decimal;

pub use decimal::{decimal, Precision};

use super::grid::Grid;
use crate::calendar::{DAY, HOUR, MINUTE, SECOND};
use std::ops::RangeInclusive;

/// Side of its value on which a gap lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Below the value: the end is a lower one, or a split.
    Below,
    /// Above the value: the end is an upper one.
    Above,
}

/// Range between a value of the data, which it includes, and the neighbour on one side, which it excludes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap<T> {
    /// Value, the closed end of the gap.
    pub value: T,
    /// Neighbour, the open end of the gap; None beyond the extreme of the data.
    pub neighbour: Option<T>,
    /// Side of the neighbour.
    pub side: Side,
}

impl<T> Gap<T> {
    /// Makes the gap `(previous, value]` of a lower end or a split.
    pub fn below(previous: Option<T>, value: T) -> Gap<T> {
        Gap { value, neighbour: previous, side: Side::Below }
    }

    /// Makes the gap `[value, next)` of an upper end.
    pub fn above(value: T, next: Option<T>) -> Gap<T> {
        Gap { value, neighbour: next, side: Side::Above }
    }

    /// Returns whether an end lies in the gap.
    pub fn contains(&self, end: &T) -> bool
    where
        T: PartialOrd,
    {
        match self.side {
            Side::Below => *end <= self.value && self.neighbour.as_ref().is_none_or(|n| n < end),
            Side::Above => *end >= self.value && self.neighbour.as_ref().is_none_or(|n| n > end),
        }
    }

    /// Converts both ends of the gap to another unit.
    pub fn map<U>(&self, convert: impl Fn(&T) -> U) -> Gap<U> {
        Gap { value: convert(&self.value), neighbour: self.neighbour.as_ref().map(&convert), side: self.side }
    }

    /// Converts both ends of the gap to another unit, if both have a value in it.
    fn try_map<U>(&self, convert: impl Fn(&T) -> Option<U>) -> Option<Gap<U>> {
        let Gap { value, neighbour, side } = self.map(convert);
        Some(Gap { value: value?, neighbour: neighbour.map_or(Some(None), |n| n.map(Some))?, side })
    }
}

/// Returns the end of a gap between whole numbers (int2, int4, int8, and money in its smallest unit).
pub fn integer(gap: &Gap<i64>, limits: &RangeInclusive<i64>) -> i64 {
    let limits = i128::from(*limits.start())..=i128::from(*limits.end());
    let grids = round_numbers(20).map(Grid::multiples_of_step);
    let beyond = |next: i128| Grid::multiples_of_step(10i128.pow(next.abs().checked_ilog10().unwrap_or(0)));
    i64::try_from(find_end(&gap.map(|&value| value.into()), &limits, grids, beyond)).unwrap_or(gap.value)
}

/// Dates from 4714-11-24 BC to 5874897-12-31, in microseconds since 2000-01-01.
const DATES: RangeInclusive<i128> = -2_451_545 * DAY..=2_145_031_948 * DAY;
/// Timestamps from 4714-11-24 BC to the end of 294276, in microseconds since 2000-01-01.
const TIMESTAMPS: RangeInclusive<i128> = -2_451_545 * DAY..=9_223_371_331_199_999_999;

/// Returns the end of a gap between dates, in days since 2000-01-01.
pub fn date(gap: &Gap<i32>) -> i32 {
    let end = moment_end(&gap.map(|&days| i128::from(days) * DAY), &DATES);
    i32::try_from(end.div_euclid(DAY)).unwrap_or(gap.value)
}

/// Returns the end of a gap between timestamps, in microseconds since 2000-01-01 00:00. Those with a time zone are
/// rounded in UTC.
pub fn timestamp(gap: &Gap<i64>) -> i64 {
    i64::try_from(moment_end(&gap.map(|&value| value.into()), &TIMESTAMPS)).unwrap_or(gap.value)
}

fn moment_end(gap: &Gap<i128>, limits: &RangeInclusive<i128>) -> i128 {
    let by_months = |months| Grid::Months { origin: 0, months };
    let months = round_numbers(6).map(|years| 12 * years).chain([6, 3, 1]);
    let times = std::iter::once(DAY).chain(clock_units());
    let grids = months.map(by_months).chain(times.map(Grid::multiples_of_step));
    find_end(gap, limits, grids, |_| by_months(12))
}

/// Lists 5, 2 and 1 times each power of ten below 10^`zeros`, from the greatest down.
fn round_numbers(zeros: u32) -> impl Iterator<Item = i128> {
    (0..zeros).rev().flat_map(|zeros| [5, 2, 1].map(|digit| digit * 10i128.pow(zeros)))
}

/// Lists 12, 6, 3 and 1 hours, parts of hours and minutes, and decimal fractions of a second, from the greatest down.
fn clock_units() -> impl Iterator<Item = i128> {
    let hours = [12, 6, 3, 1].map(|hours| hours * HOUR);
    let sixtieths = |unit| [30, 15, 5, 1].map(|parts| parts * unit);
    hours.into_iter().chain(sixtieths(MINUTE)).chain(sixtieths(SECOND)).chain(round_numbers(6))
}

/// Returns the end of a gap between times of day, in microseconds since midnight. 24:00 is the last.
pub fn time(gap: &Gap<i64>) -> i64 {
    let grids = clock_units().map(Grid::multiples_of_step);
    let end = find_end(&gap.map(|&value| value.into()), &(0..=DAY), grids, |_| Grid::multiples_of_step(HOUR));
    i64::try_from(end).unwrap_or(gap.value)
}

/// Microseconds of a month and a year in intervals, as PostgreSQL compares these: a month has 30 days, a day 24 hours.
const MONTH: i128 = 30 * DAY;
const YEAR: i128 = 12 * MONTH;

/// Returns the end of a gap between intervals: its months, days and microseconds. The gap is in microseconds, as
/// PostgreSQL compares intervals.
pub fn interval(gap: &Gap<i128>) -> (i32, i32, i64) {
    // The extremes on both sides are the infinities of PostgreSQL 17.
    let most = i128::from(i32::MAX) * (MONTH + DAY) + i128::from(i64::MAX) - 1;
    let years = round_numbers(10).map(|years| years * YEAR);
    let months_and_days = [6 * MONTH, 3 * MONTH, MONTH, 15 * DAY, 5 * DAY, DAY];
    let grids = years.chain(months_and_days).chain(clock_units()).map(Grid::multiples_of_step);
    let beyond = |next: i128| {
        let unit = [YEAR, MONTH, DAY, HOUR, MINUTE].into_iter().find(|&unit| unit <= next.abs());
        Grid::multiples_of_step(unit.unwrap_or(SECOND))
    };
    interval_from_microseconds(find_end(gap, &(-most..=most), grids, beyond))
}

/// Returns the interval nearest to a number of microseconds: months if it is a whole number of these, otherwise days
/// and time.
fn interval_from_microseconds(microseconds: i128) -> (i32, i32, i64) {
    let months = if microseconds % MONTH == 0 { microseconds / MONTH } else { 0 };
    let days = microseconds / DAY - months * 30;
    match (i32::try_from(months), i32::try_from(days)) {
        (Ok(months), Ok(days)) => (months, days, (microseconds % DAY) as i64),
        // Too many days for their type: as many months as possible, then days, then time.
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

/// Returns the end of a gap by `grids`, from coarse to fine. Without a neighbour, the end is the next point beyond the
/// value, in the grid that `beyond` returns for the number next to the value. Returns the value itself if no point lies
/// within the gap and the limits.
fn find_end(
    gap: &Gap<i128>,
    limits: &RangeInclusive<i128>,
    grids: impl IntoIterator<Item = Grid>,
    beyond: impl Fn(i128) -> Grid,
) -> i128 {
    let end = match (gap.neighbour, gap.side) {
        (Some(neighbour), _) => {
            let middle = (gap.value + neighbour).div_euclid(2);
            grids.into_iter().find_map(|grid| {
                let around = [0, 1].map(|after| grid.point(grid.last_at_or_below(middle) + after));
                let ends = around.into_iter().filter(|end| gap.contains(end));
                ends.min_by_key(|end| (2 * end - gap.value - neighbour).abs())
            })
        }
        (None, Side::Below) => {
            let grid = beyond(gap.value - 1);
            Some(grid.point(grid.last_at_or_below(gap.value - 1)))
        }
        (None, Side::Above) => {
            let grid = beyond(gap.value + 1);
            Some(grid.point(grid.last_at_or_below(gap.value) + 1))
        }
    };
    end.filter(|end| limits.contains(end)).unwrap_or(gap.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: RangeInclusive<i64> = i64::MIN..=i64::MAX;

    #[test]
    fn gaps_of_all_numbers() {
        let end = |from, to| integer(&Gap::below(Some(from), to), &ALL);
        assert_eq!(end(i64::MIN, i64::MAX), 0);
        assert_eq!(end(0, i64::MAX), 5_000_000_000_000_000_000);
    }

    #[test]
    fn beyond_the_extreme_of_numbers() {
        let down = |value| integer(&Gap::below(None, value), &ALL);
        let up = |value| integer(&Gap::above(value, None), &ALL);
        let downwards = [(17, 10), (10, 9), (5, 4), (1, 0), (0, -1), (-1, -2), (-37, -40), (-90, -100)];
        for (value, end) in downwards {
            assert_eq!(down(value), end);
            assert_eq!(up(-value), -end);
        }
        assert_eq!(integer(&Gap::above(32_000, None), &(-32_768..=32_767)), 32_000);
        assert_eq!(integer(&Gap::above(29_999, None), &(-32_768..=32_767)), 30_000);
        assert_eq!(up(i64::MAX), i64::MAX);
        assert_eq!(down(i64::MIN), i64::MIN);
    }

    /// Microseconds of a day, hour, minute and second, plus a fraction.
    fn moment((day, hour, minute, second): (i64, i64, i64, i64), fraction: i64) -> i64 {
        (((day * 24 + hour) * 60 + minute) * 60 + second) * 1_000_000 + fraction
    }

    #[test]
    fn moments_are_years_months_days_hours_minutes_seconds() {
        // 2000-03-07 14:32:07.123456
        let admission = moment((66, 14, 32, 7), 123_456);
        let cases = [
            (moment((66, 14, 32, 7), 99_999), moment((66, 14, 32, 7), 100_000)),
            (moment((66, 14, 32, 7), 123_455), admission),
            (moment((66, 14, 32, 6), 999_999), moment((66, 14, 32, 7), 0)),
            (moment((66, 14, 31, 50), 0), moment((66, 14, 32, 0), 0)),
            (moment((66, 13, 50, 0), 1), moment((66, 14, 0, 0), 0)),
            (moment((66, 9, 15, 0), 0), moment((66, 12, 0, 0), 0)),
            (moment((65, 20, 0, 0), 0), moment((66, 0, 0, 0), 0)),
            (moment((50, 0, 0, 0), 0), moment((60, 0, 0, 0), 0)),
            (moment((-100, 0, 0, 0), 0), 0),
        ];
        for (from, end) in cases {
            assert_eq!(timestamp(&Gap::below(Some(from), admission)), end, "from {from}");
        }
        let last = *TIMESTAMPS.end() as i64;
        assert_eq!(timestamp(&Gap::above(last, None)), last);
        assert_eq!(timestamp(&Gap::below(None, 1)), 0);
        assert_eq!(timestamp(&Gap::below(None, 0)), moment((-365, 0, 0, 0), 0));
        assert_eq!(timestamp(&Gap::above(0, None)), moment((366, 0, 0, 0), 0));
        assert_eq!(date(&Gap::below(None, -2_451_545)), -2_451_545);
        assert_eq!(date(&Gap::above(2_145_031_948, None)), 2_145_031_948);
        assert_eq!(date(&Gap::above(31, Some(33))), 31);
        assert_eq!(date(&Gap::below(Some(31), 33)), 32);
    }

    #[test]
    fn times_stay_within_the_day() {
        let of_day = |hour, minute| moment((0, hour, minute, 0), 0);
        let (down, up) = (|value| time(&Gap::below(None, value)), |value| time(&Gap::above(value, None)));
        assert_eq!(down(of_day(9, 30)), of_day(9, 0));
        assert_eq!(down(of_day(9, 0)), of_day(8, 0));
        assert_eq!(down(0), 0);
        assert_eq!(up(of_day(23, 0) + 1), of_day(24, 0));
        assert_eq!(up(of_day(24, 0)), of_day(24, 0));
        assert_eq!(time(&Gap::below(Some(of_day(23, 30)), of_day(24, 0))), of_day(24, 0));
        assert_eq!(time(&Gap::above(of_day(23, 30), Some(of_day(24, 0)))), of_day(23, 30));
    }

    /// Microseconds by which PostgreSQL compares an interval.
    fn compared((months, days, microseconds): (i32, i32, i64)) -> i128 {
        i128::from(months) * MONTH + i128::from(days) * DAY + i128::from(microseconds)
    }

    #[test]
    fn intervals_are_whole_units() {
        let below = |from, to| interval(&Gap::below(Some(from), to));
        assert_eq!(below(-DAY, DAY), (0, 0, 0));
        assert_eq!(below(17 * YEAR, 43 * YEAR), (12 * 20, 0, 0));
        assert_eq!(below(350 * DAY, 365 * DAY), (12, 0, 0));
        assert_eq!(below(10 * DAY, 200 * DAY), (6, 0, 0));
        assert_eq!(below(-25 * DAY, -15 * DAY), (0, -15, 0));
        // Days that are not whole months are shown as days, not as months and days.
        assert_eq!(below(40 * DAY, 50 * DAY), (0, 45, 0));
        assert_eq!(below(25 * HOUR, 31 * HOUR), (0, 1, (6 * HOUR) as i64));
        let (down, up) =
            (|value| interval(&Gap::below(None, value)), |value| interval(&Gap::above(value, None)));
        assert_eq!(down(400 * DAY), (12, 0, 0));
        assert_eq!(down(45 * DAY), (1, 0, 0));
        assert_eq!(down(0), (0, 0, -1_000_000));
        assert_eq!(up(-400 * DAY), (-12, 0, 0));
        let (least, most) = ((i32::MIN, i32::MIN, i64::MIN), (i32::MAX, i32::MAX, i64::MAX));
        assert_eq!(down(compared(least)), least);
        assert_eq!(up(compared(most)), most);
        // The days of the type are used beyond its months, and no further.
        for days in [0, 400, i32::MAX - 1] {
            let large = compared((i32::MAX, days, 0));
            assert!((large + 1..compared(most)).contains(&compared(up(large))), "{days}");
            assert!((compared(least)..-large).contains(&compared(down(-large))), "{days}");
        }
    }

    /// The rule word by word: tries every end in the gap, and returns that with the least rank, then the least
    /// distance from the middle.
    fn by_trying_all(gap: &Gap<i64>, rank: impl Fn(i64) -> usize) -> Option<i64> {
        let neighbour = gap.neighbour?;
        let ends = gap.value.min(neighbour)..=gap.value.max(neighbour);
        let key = |end: &i64| (rank(*end), (2 * end - gap.value - neighbour).abs(), *end);
        ends.filter(|end| gap.contains(end)).min_by_key(key)
    }

    fn gaps(from: i64, width: i64) -> [Gap<i64>; 2] {
        [Gap::below(Some(from), from + width), Gap::above(from, Some(from + width))]
    }

    /// Index of the first unit, from coarse to fine, that divides a number.
    fn rank(number: i64, units: &[i128]) -> usize {
        units.iter().position(|unit| i128::from(number) % unit == 0).unwrap_or(units.len())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn numbers_by_trying_all(from in -9999..9999i64, shift in 0..20i64, width in 1..3000i64) {
            let powers: Vec<i128> = round_numbers(19).collect();
            for gap in gaps(from << shift, width) {
                prop_assert_eq!(Some(integer(&gap, &ALL)), by_trying_all(&gap, |end| rank(end, &powers)));
            }
        }

        #[test]
        fn dates_by_trying_all(from in -900_000..900_000i64, width in 1..3000i64, cut in 1..800i64) {
            let is_start = |day: i64, months: i128| {
                let grid = Grid::Months { origin: 0, months };
                grid.point(grid.last_at_or_below(i128::from(day) * DAY)) == i128::from(day) * DAY
            };
            let grids: Vec<i128> = round_numbers(6).map(|years| 12 * years).chain([6, 3, 1]).collect();
            let rank = |day| grids.iter().position(|&months| is_start(day, months)).unwrap_or(grids.len());
            for gap in gaps(from, width % cut + 1) {
                let end = date(&gap.map(|&day| day as i32));
                let rank_of_end = rank(end.into());
                let best = by_trying_all(&gap, rank).unwrap();
                prop_assert_eq!(rank_of_end, rank(best));
                // For years and months, the middle of the gap is the same in days as in microseconds.
                prop_assert_eq!(i64::from(end), best);
            }
        }

        #[test]
        fn times_by_trying_all(from in 0..86_399_990_000i64, zeros in 0..8u32, width in 1..9000i64) {
            let units: Vec<i128> = clock_units().collect();
            for gap in gaps(from / 10i64.pow(zeros) * 10i64.pow(zeros), width) {
                let best = by_trying_all(&gap, |end| rank(end, &units));
                prop_assert_eq!(Some(time(&gap)), best);
            }
        }

        #[test]
        fn no_coarser_time_is_in_the_gap(a in 0..=86_400_000_000i64, b in 0..=86_400_000_000i64) {
            prop_assume!(a != b);
            for gap in gaps(a.min(b), a.abs_diff(b) as i64) {
                let end = time(&gap);
                prop_assert!(gap.contains(&end));
                let wide = gap.map(|&v| i128::from(v));
                let units: Vec<i128> = clock_units().collect();
                for unit in &units[..rank(end, &units)] {
                    let last = i128::from(a.max(b)) / unit * unit;
                    prop_assert!(!wide.contains(&last) && !wide.contains(&(last - unit)));
                }
            }
        }

        #[test]
        fn every_interval_can_be_made(interval in any::<(i32, i32, i64)>()) {
            prop_assert_eq!(compared(interval_from_microseconds(compared(interval))), compared(interval));
        }

        #[test]
        fn ends_lie_in_their_gap(a in any::<i64>(), b in any::<i64>(), shift in 0..63u32, open in any::<bool>()) {
            let (a, b) = (a >> shift, b >> shift);
            prop_assume!(a != b);
            let (from, to) = (a.min(b), a.max(b));
            let neighbour = |value| (!open).then_some(value);
            for gap in [Gap::below(neighbour(from), to), Gap::above(from, neighbour(to))] {
                prop_assert!(gap.contains(&integer(&gap, &ALL)));
                prop_assert!(gap.contains(&timestamp(&gap)));
                let wide = gap.map(|&value| i128::from(value));
                prop_assert!(wide.contains(&compared(interval(&wide))));
            }
        }
    }
}
