//! Moments by the units of the calendar: 1987-06-14 -> 1987-06 -> 1987-Q2 -> 1987 -> top.
//!
//! A moment is a number of microseconds since 2000-01-01 00:00 UTC; a date is the start of its day. Years are written
//! as PostgreSQL writes them. Weeks are those of ISO 8601. A week that crosses the border of the unit above it becomes
//! two nodes, each labelled with that unit as well (`1987-W05 in 1987-01`).

use crate::calendar::{displayed_year, from_displayed_year, month_containing, month_start, HOUR, MINUTE};
use std::ops::Range;

pub use crate::calendar::DAY;

/// A unit of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// Ten years: `1980s`.
    Decade,
    /// `1987`.
    Year,
    /// `1987-Q2`.
    Quarter,
    /// `1987-06`.
    Month,
    /// A week of ISO 8601: `1987-W24`.
    Week,
    /// `1987-06-14`.
    Day,
    /// `1987-06-14 13`.
    Hour,
    /// `1987-06-14 13:05`.
    Minute,
}

/// Returns the label of a moment at a level; level 1 is the coarsest, just below the top. `units` are in order from
/// the coarsest.
pub fn label(moment: i128, units: &[Unit], level: usize) -> Option<String> {
    let unit = *units.get(level - 1)?;
    let above = level.checked_sub(2).map(|above| units[above]);
    Some(match (unit, above) {
        (Unit::Week, Some(above)) => {
            let monday = monday(moment);
            let part = unit_label(moment, above);
            let whole = [monday, monday + 6 * DAY].iter().all(|&day| unit_label(day, above) == part);
            let week = unit_label(moment, Unit::Week);
            if whole {
                week
            } else {
                format!("{week} in {part}")
            }
        }
        _ => unit_label(moment, unit),
    })
}

/// Returns the range of the moments with a label, or None if the text cannot be read as a label.
pub fn parse_label(label: &str) -> Option<Range<i128>> {
    if let Some((week, part)) = label.split_once(" in ") {
        let (week, part) = (parse_label(week)?, parse_label(part)?);
        return Some(week.start.max(part.start)..week.end.min(part.end));
    }
    let (label, sign) = label.strip_suffix(" BC").map_or((label, 1), |label| (label, -1));
    if let Some(decade) = label.strip_suffix('s') {
        // There is no year 0, so the decades on both sides of it have nine years.
        let first = number(decade)?;
        let years = [first.max(1), first + 9].map(|number| from_displayed_year(sign * number));
        let (from, to) = (years[0].min(years[1]), years[0].max(years[1]));
        return Some(month_start(12 * from)..month_start(12 * (to + 1)));
    }
    let (year, rest) = split(label, '-');
    let january = 12 * from_displayed_year(sign * number(year)?);
    match rest {
        None => Some(month_start(january)..month_start(january + 12)),
        Some(rest) => parse_part_of_year(january, rest),
    }
}

/// Returns the range of the moments with a label such as `Q2`, `W24` or `06-14 13:05` in the year that begins with the
/// month `january`.
fn parse_part_of_year(january: i128, label: &str) -> Option<Range<i128>> {
    let moments = |start: i128, length: i128| Some(start..start + length);
    if let Some(quarter) = label.strip_prefix('Q') {
        let first = january + 3 * (number(quarter)? - 1);
        return Some(month_start(first)..month_start(first + 3));
    }
    if let Some(week) = label.strip_prefix('W') {
        // The first week of a year contains January 4.
        let first = monday(month_start(january) + 3 * DAY);
        return moments(first + 7 * DAY * (number(week)? - 1), 7 * DAY);
    }
    let (date, time) = split(label, ' ');
    let (month, day) = split(date, '-');
    let month = january + number(month)? - 1;
    let Some(day) = day else {
        return time.is_none().then(|| month_start(month)..month_start(month + 1));
    };
    let day = month_start(month) + DAY * (number(day)? - 1);
    let Some(time) = time else { return moments(day, DAY) };
    let (hour, minute) = split(time, ':');
    let hour = day + HOUR * number(hour)?;
    let Some(minute) = minute else { return moments(hour, HOUR) };
    moments(hour + MINUTE * number(minute)?, MINUTE)
}

fn number(text: &str) -> Option<i128> {
    text.parse::<u32>().ok().map(i128::from)
}

/// Splits a text at a character, if it has one.
fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(first, rest)| (first, Some(rest)))
}

/// Returns the label of the unit that a moment lies in.
fn unit_label(moment: i128, unit: Unit) -> String {
    let month = month_containing(moment);
    let of_year = month.rem_euclid(12);
    let day = (moment.div_euclid(DAY) * DAY - month_start(month)) / DAY + 1;
    let (hour, minute) = (moment.rem_euclid(DAY) / HOUR, moment.rem_euclid(HOUR) / MINUTE);
    let year = month.div_euclid(12);
    match unit {
        Unit::Decade => {
            let (number, era) = year_and_era(year);
            format!("{:04}s{era}", number / 10 * 10)
        }
        Unit::Year => in_year(year, ""),
        Unit::Quarter => in_year(year, &format!("-Q{}", of_year / 3 + 1)),
        Unit::Month => in_year(year, &format!("-{:02}", of_year + 1)),
        Unit::Week => {
            // A week belongs to the year of its Thursday.
            let thursday = monday(moment) + 3 * DAY;
            let year = month_containing(thursday).div_euclid(12);
            let week = (thursday - month_start(12 * year)) / (7 * DAY) + 1;
            in_year(year, &format!("-W{week:02}"))
        }
        Unit::Day => in_year(year, &format!("-{:02}-{day:02}", of_year + 1)),
        Unit::Hour => in_year(year, &format!("-{:02}-{day:02} {hour:02}", of_year + 1)),
        Unit::Minute => in_year(year, &format!("-{:02}-{day:02} {hour:02}:{minute:02}", of_year + 1)),
    }
}

/// Returns the start of the week of a moment. 2000-01-01 was a Saturday.
fn monday(moment: i128) -> i128 {
    let day = moment.div_euclid(DAY);
    (day - (day + 5).rem_euclid(7)) * DAY
}

/// Returns the written number of a year, and its era.
fn year_and_era(year: i128) -> (i128, &'static str) {
    match displayed_year(year) {
        number if number > 0 => (number, ""),
        number => (-number, " BC"),
    }
}

fn in_year(year: i128, rest: &str) -> String {
    let (number, era) = year_and_era(year);
    format!("{number:04}{rest}{era}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use Unit::{Day, Decade, Hour, Minute, Month, Quarter, Week, Year};

    const ALL: [Unit; 8] = [Decade, Year, Quarter, Month, Week, Day, Hour, Minute];

    fn path(moment: i128, units: &[Unit]) -> Vec<String> {
        (1..).map_while(|level| label(moment, units, level)).collect()
    }

    /// The start of a day, given in days since 2000-01-01.
    fn day(days: i128) -> i128 {
        days * DAY
    }

    #[test]
    fn a_summers_day() {
        // 1987-06-14 is 4584 days before 2000-01-01.
        let moment = day(-4584) + 13 * HOUR + 5 * MINUTE + 59_999_999;
        let expected = [
            "1980s",
            "1987",
            "1987-Q2",
            "1987-06",
            "1987-W24",
            "1987-06-14",
            "1987-06-14 13",
            "1987-06-14 13:05",
        ];
        assert_eq!(path(moment, &ALL), expected);
        assert_eq!(path(moment, &[Year, Day]), ["1987", "1987-06-14"]);
    }

    #[test]
    fn weeks_across_borders() {
        // 2000-01-01 is a Saturday of a week that began in 1999. A week begins on 2000-01-03.
        assert_eq!(path(day(0), &[Year, Week]), ["2000", "1999-W52 in 2000"]);
        assert_eq!(path(day(-1), &[Year, Week]), ["1999", "1999-W52 in 1999"]);
        assert_eq!(path(day(2), &[Year, Month, Week]), ["2000", "2000-01", "2000-W01"]);
        // 2000-01-31 is a Monday, 2000-02-01 a Tuesday.
        assert_eq!(path(day(30), &[Month, Week]), ["2000-01", "2000-W05 in 2000-01"]);
        assert_eq!(path(day(31), &[Month, Week]), ["2000-02", "2000-W05 in 2000-02"]);
        assert_eq!(path(day(31), &[Year, Week]), ["2000", "2000-W05"]);
        assert_eq!(path(day(0), &[Week]), ["1999-W52"]);
        assert_eq!(path(day(0), &[Decade, Week])[1], "1999-W52 in 2000s");
    }

    #[test]
    fn before_christ_and_far_away() {
        // 0044-03-15 BC is 746,117 days before 2000-01-01 (Gregorian throughout).
        assert_eq!(path(day(-746_117), &ALL[..4]), ["0040s BC", "0044 BC", "0044-Q1 BC", "0044-03 BC"]);
        assert_eq!(path(day(-746_117), &[Day, Hour]), ["0044-03-15 BC", "0044-03-15 00 BC"]);
        assert_eq!(path(i128::from(i64::MAX), &[Year]), ["294277"]);
        assert_eq!(path(i128::from(i64::MIN), &[Year]).len(), 1);
        // The last date, 2,145,031,948 days after 2000-01-01.
        assert_eq!(path(day(2_145_031_948), &[Decade, Year, Day]), ["5874890s", "5874897", "5874897-12-31"]);
    }

    /// The range of each label on the path of a moment is exact: its first and last moments have this label, and their
    /// outer neighbours do not.
    fn assert_ranges_are_exact(moment: i128, units: &[Unit]) {
        let path = path(moment, units);
        for (level, label) in (1..).zip(&path) {
            let moments = parse_label(label).unwrap_or_else(|| panic!("{label}"));
            assert!(moments.contains(&moment), "{label}: {moments:?}");
            let called = |moment| super::label(moment, units, level).unwrap();
            let inside = [moments.start, moments.end - 1].map(called);
            assert_eq!(inside, [label.clone(), label.clone()]);
            let beside = [moments.start - 1, moments.end].map(called);
            assert!(!beside.contains(label), "{label}: {beside:?}");
        }
    }

    #[test]
    fn moments_of_labels() {
        for days in [-4584, 0, -1, 2, 30, 31, -746_117, -730_485, -730_486, -734_138, 2_145_031_948] {
            assert_ranges_are_exact(day(days) + 13 * HOUR + 5 * MINUTE + 7, &ALL);
            assert_ranges_are_exact(day(days), &[Year, Week]);
        }
        for text in ["", "s", "infinity", "1987-", "1987-Q", "1987-06-x", "1987-06 13", "*", "1987-06-14 25h"]
        {
            assert_eq!(parse_label(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn moments_of_any_label(moment in -800_000i128..800_000, second in 0..86_400i128, units in prop::sample::subsequence(&ALL, 1..=8)) {
            assert_ranges_are_exact(day(moment) + second * 1_000_000, &units);
        }

        /// Two moments that share a label share all labels above it, so the labels make a tree. Each label is at only
        /// one place in it.
        #[test]
        fn labels_make_a_tree(a in -800_000i128..800_000, near in -400i128..400, units in prop::sample::subsequence(&ALL[..6], 1..=6)) {
            let (a, b) = (path(day(a), &units), path(day(a + near), &units));
            prop_assert_eq!(a.len(), units.len());
            let common = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            for (level, label) in a.iter().enumerate().skip(common) {
                prop_assert!(!b.contains(label), "{label} at level {level}");
            }
            for (i, label) in a.iter().enumerate() {
                prop_assert!(!a[..i].contains(label));
            }
        }
    }
}
