//! The roundest date and the roundest timestamp: the start of a year, a month, a day, ...
//!
//! Both count microseconds since 2000-01-01 00:00, dates in whole days of them, and in the Gregorian
//! calendar before its introduction, too, as PostgreSQL does. Years and months are found by one
//! formula, the day on which a month starts; what is finer has a fixed length. Among several years
//! the one with the roundest number as it is written is taken (there is no year 0: 1 BC is before
//! AD 1); among several months, days, hours, ... the one nearest to the middle.

use super::clock::{fixed, multiples, CLOCK, DAY};
use super::number::rounds;
use super::{Gap, Side, Span};
use std::ops::RangeInclusive;

/// The dates from 4714-11-24 BC to 5874897-12-31, in days.
const DATES: RangeInclusive<i128> = -2_451_545..=2_145_031_948;
/// The timestamps from 4714-11-24 BC to the end of 294276, in microseconds.
const TIMESTAMPS: RangeInclusive<i128> = -211_813_488_000_000_000..=9_223_371_331_199_999_999;

/// The end of a gap between dates, in days since 2000-01-01.
pub fn date(gap: &Gap<i32>) -> i32 {
    let limits = DATES.start() * DAY..=DATES.end() * DAY;
    let end = start_in(&gap.map(|&days| i128::from(days) * DAY), &limits);
    i32::try_from(end.div_euclid(DAY)).unwrap_or(gap.value)
}

/// The end of a gap between timestamps, in microseconds since 2000-01-01 00:00; those with a time
/// zone are rounded in UTC.
pub fn timestamp(gap: &Gap<i64>) -> i64 {
    let end = start_in(&gap.map(|&value| i128::from(value)), &TIMESTAMPS);
    i64::try_from(end).unwrap_or(gap.value)
}

/// The start of the coarsest unit that starts in a gap.
fn start_in(gap: &Gap<i128>, limits: &RangeInclusive<i128>) -> i128 {
    gap.end(Some(limits), coarsest, |&value, side| {
        let year = month_of(value).div_euclid(12);
        match side {
            Side::Below if year_start(year) == value => year_start(year - 1),
            Side::Below => year_start(year),
            Side::Above => year_start(year + 1),
        }
    })
}

fn coarsest(span: &Span<i128>) -> i128 {
    // The months that start in the span begin after the one that holds the moment before it.
    let (first, last) = (month_of(span.lowest - 1) + 1, month_of(span.highest));
    let years = multiples(first, last, 12);
    if !years.is_empty() {
        let rounds = rounds(&number_of(*years.start()), &number_of(*years.end()));
        return span.nearest(rounds.into_iter().map(|n| year_start(year_of(n)))).unwrap_or(span.highest);
    }
    span.nearest((first..=last).map(month_start))
        .or_else(|| span.nearest(multiples(span.lowest, span.highest, DAY).map(|day| day * DAY)))
        .unwrap_or_else(|| fixed(span, &CLOCK))
}

/// The number a year is written with, negative BC; years are counted from 2000.
pub(crate) fn number_of(year: i128) -> i128 {
    if year > -2000 {
        year + 2000
    } else {
        year + 1999
    }
}

/// The year written with a number. 0 is none: the roundest of BC and AD is where they meet, 1.
fn year_of(number: i128) -> i128 {
    if number > 0 {
        number - 2000
    } else {
        number - 1999
    }
}

fn year_start(year: i128) -> i128 {
    month_start(year * 12)
}

/// When a month starts, by its number from 2000-01.
pub(crate) fn month_start(month: i128) -> i128 {
    // Years from March 2000, so that a leap day is the last of its year and months follow a
    // pattern of 153 days in five.
    let march = month - 2;
    let (year, month) = (march.div_euclid(12), march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (60 + 365 * year + leap_days + (153 * month + 2) / 5) * DAY
}

/// The month that holds a moment, by its number from 2000-01.
pub(crate) fn month_of(moment: i128) -> i128 {
    // 400 years have 146097 days; their average month leads astray by two at most.
    let guess = (moment.div_euclid(DAY) * 4800).div_euclid(146_097);
    (guess - 2..=guess + 2).rev().find(|&month| month_start(month) <= moment).unwrap_or(guess)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MICROSECONDS: i64 = 86_400_000_000;

    fn month_lengths(year: i64) -> [i64; 12] {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    /// Year (0 is 1 BC), month and day of a day, counted off month by month within 400 years.
    fn civil(day: i64) -> (i64, usize, i64) {
        let (mut year, mut rest) = (2000 + day.div_euclid(146_097) * 400, day.rem_euclid(146_097));
        loop {
            for (month, length) in month_lengths(year).into_iter().enumerate() {
                if rest < length {
                    return (year, month + 1, rest + 1);
                }
                rest -= length;
            }
            year += 1;
        }
    }

    /// The number of a day, counted off year by year within 400 years.
    fn day(year: i64, month: usize, day: i64) -> i64 {
        let (cycle, within) = ((year - 2000).div_euclid(400), (year - 2000).rem_euclid(400));
        let years: i64 = (2000..2000 + within).flat_map(month_lengths).sum();
        let months: i64 = month_lengths(year)[..month - 1].iter().sum();
        cycle * 146_097 + years + months + day - 1
    }

    fn moment((year, month, d): (i64, usize, i64), clock: (i64, i64, i64), fraction: i64) -> i64 {
        let (hour, minute, second) = clock;
        day(year, month, d) * MICROSECONDS + ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction
    }

    /// The end as year, month and day, of a gap of such.
    fn below(from: (i64, usize, i64), to: (i64, usize, i64)) -> (i64, usize, i64) {
        let number = |(y, m, d)| day(y, m, d) as i32;
        civil(date(&Gap::below(Some(number(from)), number(to))).into())
    }

    /// 0 for the first of a year, 1 for the first of a month, 2 for any day.
    fn rank(day: i64) -> usize {
        match civil(day) {
            (_, 1, 1) => 0,
            (_, _, 1) => 1,
            _ => 2,
        }
    }

    /// The number that the year of a day is written with.
    fn written(day: i64) -> i64 {
        let (year, _, _) = civil(day);
        year - i64::from(year <= 0)
    }

    fn significand(number: i64) -> String {
        number.abs().to_string().trim_end_matches('0').to_owned()
    }

    #[test]
    fn the_calendar_is_postgresqls() {
        assert_eq!(month_start(0), 0);
        assert_eq!(civil(-2_451_545), (-4713, 11, 24));
        assert_eq!(civil(2_145_031_948), (5_874_897, 12, 31));
        assert_eq!(day(1970, 1, 1), -10_957);
        let mut start = i128::from(day(-5000, 1, 1));
        for year in -5000..3000i64 {
            for (month, length) in month_lengths(year).into_iter().enumerate() {
                let number = i128::from(year - 2000) * 12 + month as i128;
                assert_eq!(month_start(number), start * DAY);
                assert_eq!(month_of(start * DAY), number);
                start += i128::from(length);
                assert_eq!(month_of(start * DAY - 1), number);
            }
        }
    }

    #[test]
    fn dates_are_years_months_days() {
        assert_eq!(below((1985, 5, 6), (2015, 7, 8)), (2000, 1, 1));
        assert_eq!(below((2001, 5, 6), (2006, 7, 8)), (2004, 1, 1));
        assert_eq!(below((2023, 12, 31), (2024, 3, 1)), (2024, 1, 1));
        assert_eq!(below((2024, 1, 1), (2024, 11, 20)), (2024, 6, 1));
        assert_eq!(below((2024, 2, 1), (2024, 2, 20)), (2024, 2, 10));
        assert_eq!(below((2024, 2, 28), (2024, 3, 9)), (2024, 3, 1));
        assert_eq!(below((2024, 2, 28), (2024, 2, 29)), (2024, 2, 29));
        let january = |d| day(2024, 1, d) as i32;
        assert_eq!(date(&Gap::above(january(1), Some(january(2)))), january(1));
        assert_eq!(date(&Gap::above(january(2), Some(january(3)))), january(2));
    }

    #[test]
    fn years_are_rounded_as_they_are_written() {
        // 250 BC to 99 BC: 200 BC is the year -199.
        assert_eq!(below((-249, 6, 1), (-98, 6, 1)), (-199, 1, 1));
        assert_eq!(below((-249, 6, 1), (98, 6, 1)), (1, 1, 1));
        assert_eq!(below((-1, 6, 1), (0, 6, 1)), (0, 1, 1));
        assert_eq!(below((0, 6, 1), (1, 6, 1)), (1, 1, 1));
        for year in -4800..4800 {
            assert_eq!(year_of(number_of(year)), year);
        }
    }

    #[test]
    fn timestamps_are_as_coarse_as_can_be() {
        let date = (2024, 3, 7);
        let admission = moment(date, (14, 32, 7), 123_456);
        let cases = [
            (moment(date, (14, 32, 7), 123_455), admission),
            (moment(date, (14, 32, 7), 123_444), moment(date, (14, 32, 7), 123_450)),
            (moment(date, (14, 32, 7), 99_999), moment(date, (14, 32, 7), 100_000)),
            (moment(date, (14, 32, 6), 999_999), moment(date, (14, 32, 7), 0)),
            (moment(date, (14, 31, 50), 0), moment(date, (14, 32, 0), 0)),
            (moment(date, (13, 50, 0), 1), moment(date, (14, 0, 0), 0)),
            (moment(date, (9, 15, 0), 0), moment(date, (12, 0, 0), 0)),
            (moment((2024, 3, 6), (20, 0, 0), 0), moment(date, (0, 0, 0), 0)),
            (moment((2024, 2, 20), (0, 0, 0), 0), moment((2024, 3, 1), (0, 0, 0), 0)),
            (moment((2023, 3, 8), (0, 0, 0), 0), moment((2024, 1, 1), (0, 0, 0), 0)),
        ];
        for (from, end) in cases {
            assert_eq!(timestamp(&Gap::below(Some(from), admission)), end, "from {from}");
        }
    }

    #[test]
    fn beyond_the_extreme_a_year_starts() {
        let new_year = |year| day(year, 1, 1) as i32;
        let down = |value| date(&Gap::below(None, value));
        let up = |value| date(&Gap::above(value, None));
        assert_eq!(down(new_year(2024) + 99), new_year(2024));
        assert_eq!(down(new_year(2024)), new_year(2023));
        assert_eq!(up(new_year(2024)), new_year(2025));
        assert_eq!(up(new_year(2024) - 1), new_year(2024));
        assert_eq!(down(-2_451_545), -2_451_545);
        assert_eq!(up(2_145_031_948), 2_145_031_948);
        for infinity in [i32::MIN, i32::MAX] {
            assert_eq!(down(infinity), infinity);
            assert_eq!(up(infinity), infinity);
        }
        assert_eq!(date(&Gap::above(99, Some(i32::MAX))), new_year(2001));
        assert_eq!(date(&Gap::below(Some(99), i32::MAX)), new_year(2001));
        assert_eq!(date(&Gap::above(i32::MIN, Some(99))), new_year(2000));
        let last = moment((294_276, 12, 31), (23, 59, 59), 999_999);
        assert_eq!(timestamp(&Gap::above(last, None)), last);
        assert_eq!(timestamp(&Gap::below(None, last)), moment((294_276, 1, 1), (0, 0, 0), 0));
        assert_eq!(timestamp(&Gap::above(i64::MIN, None)), i64::MIN);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn dates_by_trying_all(from in -900_000..900_000i32, width in 1..3000i32, cut in 1..3000i32) {
            let to = from + width % cut + 1;
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let days: Vec<i64> = (from..=to).filter(|day| gap.contains(day)).map(i64::from).collect();
                let coarsest = days.iter().map(|&day| rank(day)).min();
                let starts = || days.iter().copied().filter(|&day| Some(rank(day)) == coarsest);
                let spans_eras = starts().any(|day| written(day) < 0) && starts().any(|day| written(day) > 0);
                let distance = |day: i64| (2 * day - i64::from(from) - i64::from(to)).abs();
                let best = match coarsest {
                    Some(0) => starts().min_by_key(|&day| {
                        let n = written(day);
                        // The turn of the eras, where the number 0 would be.
                        let is_turn = spans_eras && n == 1;
                        let digits = significand(n);
                        let odd = digits.ends_with(['1', '3', '5', '7', '9']);
                        (!is_turn, digits.len(), odd, distance(day), day)
                    }),
                    _ => starts().min_by_key(|&day| distance(day)),
                };
                prop_assert_eq!(Some(i64::from(date(&gap))), best);
            }
        }

        /// No year or month starts in the gap if the end starts none; in any gap.
        #[test]
        fn any_dates(a in -2_451_545..=2_145_031_948i32, b in -2_451_545..=2_145_031_948i32, near in 0..32u32) {
            let b = a.saturating_add((b - a) >> near);
            prop_assume!(a != b);
            let (from, to) = (a.min(b), a.max(b));
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = date(&gap);
                prop_assert!(gap.contains(&end));
                let (year, month, _) = civil(i64::from(to) - i64::from(gap.side == Side::Above));
                let starts = [day(year, 1, 1), day(year, month, 1)];
                let gap = gap.map(|&day| i64::from(day));
                for start in &starts[..rank(end.into())] {
                    prop_assert!(!gap.contains(start), "{start} in {gap:?}");
                }
                // Nor does a year with fewer digits: the last before the end of the gap with as many.
                let (length, last) = (significand(written(end.into())).len(), written(day(year, 1, 1)));
                for shorter in 1..length * usize::from(rank(end.into()) == 0) {
                    let unit = 10i64.pow((last.abs().to_string().len().saturating_sub(shorter)) as u32);
                    let number = last.div_euclid(unit) * unit;
                    let start = day(number + i64::from(number <= 0), 1, 1);
                    prop_assert!(!gap.contains(&start), "{number} in {gap:?}");
                }
            }
        }

        /// No coarser unit starts in the gap, and of the starts that are as coarse, years aside, none
        /// is nearer to the middle.
        #[test]
        fn any_timestamps(a in any::<i64>(), b in any::<i64>(), shift in 0..63u32) {
            let range = |moment: i64| moment.clamp(*TIMESTAMPS.start() as i64, *TIMESTAMPS.end() as i64);
            let (a, b) = (range(a), range(range(a).saturating_add(b >> shift)));
            prop_assume!(a != b);
            let (from, to) = (a.min(b), a.max(b));
            let starts = |moment: i64| {
                let date = moment.div_euclid(MICROSECONDS);
                let (year, month, _) = civil(date);
                let dates = [day(year, 1, 1), day(year, month, 1), date].map(|day| day * MICROSECONDS);
                let clock = CLOCK.map(|unit| moment - moment.rem_euclid(unit as i64));
                dates.into_iter().chain(clock).collect::<Vec<i64>>()
            };
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = timestamp(&gap);
                prop_assert!(gap.contains(&end));
                let unit = starts(end).iter().position(|&start| start == end).unwrap();
                let last = to - i64::from(gap.side == Side::Above);
                for start in &starts(last)[..unit] {
                    prop_assert!(!gap.contains(start), "{start} in {gap:?}");
                }
                if unit > 0 {
                    let distance = |moment: i64| (2 * i128::from(moment) - i128::from(from) - i128::from(to)).abs();
                    let before = starts(end - 1)[unit];
                    prop_assert!(!gap.contains(&before) || distance(before) > distance(end));
                    let after = match unit {
                        1 => starts(end + 32 * MICROSECONDS)[1],
                        2 => end + MICROSECONDS,
                        _ => end + CLOCK[unit - 3] as i64,
                    };
                    prop_assert!(!gap.contains(&after) || distance(after) >= distance(end));
                }
            }
        }

        #[test]
        fn nothing_panics(value in any::<i64>(), neighbour in any::<Option<i64>>()) {
            timestamp(&Gap::below(neighbour, value));
            timestamp(&Gap::above(value, neighbour));
            date(&Gap::below(neighbour.map(|n| n as i32), value as i32));
            date(&Gap::above(value as i32, neighbour.map(|n| n as i32)));
        }
    }
}
