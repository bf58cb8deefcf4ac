//! The Gregorian calendar, extended to all years, as PostgreSQL has it: microseconds since 2000-01-01 00:00.
//!
//! Months are numbered from 2000-01. One formula gives the first day of a month; shorter units have a fixed length.

/// Microseconds of a second.
pub(crate) const SECOND: i128 = 1_000_000;
/// Microseconds of a minute.
pub(crate) const MINUTE: i128 = 60 * SECOND;
/// Microseconds of an hour.
pub(crate) const HOUR: i128 = 60 * MINUTE;
/// Microseconds of a day of 24 hours.
pub const DAY: i128 = 24 * HOUR;

/// Converts a year counted from 2000 to the number it is written with, negative for BC. There is no year 0.
pub(crate) fn displayed_year(year: i128) -> i128 {
    if year > -2000 {
        year + 2000
    } else {
        year + 1999
    }
}

/// Converts the number a year is written with, negative for BC, to the year counted from 2000.
pub(crate) fn from_displayed_year(number: i128) -> i128 {
    if number > 0 {
        number - 2000
    } else {
        number - 1999
    }
}

/// Returns the start of a month by its number. Numbers are clamped to 2^40, which no type reaches.
pub(crate) fn month_start(month: i128) -> i128 {
    const LAST: i128 = 1 << 40;
    // Years start in March, so a leap day is the last of its year, and month lengths repeat every five months (153
    // days). March 1, 2000, is day 60.
    let march = month.clamp(-LAST, LAST) as i64 - 2;
    let (year, month) = (march.div_euclid(12), march.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    i128::from(60 + 365 * year + leap_days + (153 * month + 2) / 5) * DAY
}

/// Returns the number of the month that holds a moment.
pub(crate) fn month_containing(moment: i128) -> i128 {
    // 400 years have 146097 days. A guess by the average month is off by at most two.
    let guess = (moment.div_euclid(DAY) * 4800).div_euclid(146_097);
    let month = (guess - 2..=guess + 2).rev().find(|&month| month_start(month) <= moment);
    month.expect("the first of these months begins before the moment")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn month_lengths(year: i64) -> [i64; 12] {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    }

    /// Day number of a date, counted year by year within 400 years.
    fn day(year: i64, month: usize, day: i64) -> i64 {
        let (cycle, within) = ((year - 2000).div_euclid(400), (year - 2000).rem_euclid(400));
        let years: i64 = (2000..2000 + within).flat_map(month_lengths).sum();
        let months: i64 = month_lengths(year)[..month - 1].iter().sum();
        cycle * 146_097 + years + months + day - 1
    }

    #[test]
    fn the_calendar_is_postgresqls() {
        assert_eq!(month_start(0), 0);
        assert_eq!(day(-4713, 11, 24), -2_451_545);
        assert_eq!(day(5_874_897, 12, 31), 2_145_031_948);
        assert_eq!(day(1970, 1, 1), -10_957);
        let mut start = i128::from(day(-5000, 1, 1));
        for year in -5000..3000i64 {
            for (month, length) in month_lengths(year).into_iter().enumerate() {
                let number = i128::from(year - 2000) * 12 + month as i128;
                assert_eq!(month_start(number), start * DAY);
                assert_eq!(month_containing(start * DAY), number);
                start += i128::from(length);
                assert_eq!(month_containing(start * DAY - 1), number);
            }
        }
    }
}
