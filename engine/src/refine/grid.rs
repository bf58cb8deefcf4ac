//! Grids of equidistant points, for intervals that may end only at these.
//!
//! A split between neighbours a < b may be published at a point p with a < p <= b. So a grid answers one question:
//! which of its points is the last one at or below a value. The next point is the first one above it. Whole numbers,
//! times in microseconds and months use i128. Decimals use as many digits as they need.

use crate::calendar::{month_containing, month_start, DAY};
use crate::numbers::decimal::{floor_quotient, parse};
use bigdecimal::num_traits::Signed;
use bigdecimal::BigDecimal;

/// Points at equal distances, counted from an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grid {
    /// Whole numbers at a distance of `step`.
    Whole {
        /// Point with the number 0.
        origin: i128,
        /// Distance of two neighbours, above 0.
        step: i128,
    },
    /// Moments in microseconds since 2000-01-01, at a distance of `months`: the same day and time of each month, or
    /// its last day if the month is too short.
    Months {
        /// Point with the number 0.
        origin: i128,
        /// Distance of two neighbours in months, above 0.
        months: i128,
    },
}

impl Grid {
    /// Makes the grid of the multiples of a number above 0.
    pub fn multiples_of_step(step: i128) -> Grid {
        Grid::Whole { origin: 0, step }
    }

    /// Returns the number of the last point at or below a value.
    pub fn last_at_or_below(&self, value: i128) -> i128 {
        match *self {
            Grid::Whole { origin, step } => (value - origin).div_euclid(step),
            Grid::Months { origin, months } => {
                let number = (month_containing(value) - month_containing(origin)).div_euclid(months);
                // The point may come after the value in the same month.
                if self.point(number) <= value {
                    number
                } else {
                    number - 1
                }
            }
        }
    }

    /// Returns the point with a number.
    pub fn point(&self, number: i128) -> i128 {
        match *self {
            Grid::Whole { origin, step } => origin + number * step,
            Grid::Months { origin, months } => {
                let origin_month = month_containing(origin);
                let month = origin_month + number * months;
                let (start, end) = (month_start(month), month_start(month + 1));
                let within_month = origin - month_start(origin_month);
                let time = within_month.rem_euclid(DAY);
                let day = (within_month - time).min(end - start - DAY);
                start + day + time
            }
        }
    }
}

/// Decimals at equal distances, counted from an origin.
#[derive(Debug, Clone)]
pub struct DecimalGrid {
    origin: BigDecimal,
    step: BigDecimal,
}

impl DecimalGrid {
    /// Parses origin and step. Returns None if one is not a number, or the step is not above 0.
    pub fn new(origin: &str, step: &str) -> Option<DecimalGrid> {
        let (origin, step) = (parse(origin)?, parse(step)?);
        step.is_positive().then_some(DecimalGrid { origin, step })
    }

    /// Returns, as text, the last point at or below a value, or the next one with `after`. None if the value is not a
    /// number.
    pub fn point_near(&self, value: &str, after: bool) -> Option<String> {
        let number = floor_quotient(&(parse(value)? - &self.origin), &self.step) + u8::from(after);
        let point = &self.origin + &self.step * BigDecimal::from(number);
        Some(point.normalized().to_plain_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn day(days: i128) -> i128 {
        days * DAY
    }

    #[test]
    fn months_end_where_they_end() {
        // From 2000-01-31: 2000-02-29, 2000-03-31, 2000-04-30, ... and 1999-12-31 before.
        let grid = Grid::Months { origin: day(30), months: 1 };
        let points = [-1, 0, 1, 2, 3].map(|number| grid.point(number) / DAY);
        assert_eq!(points, [-1, 30, 59, 90, 120]);
        assert_eq!(
            [-1, 29, 30, 58, 59, 89, 90].map(|days| grid.last_at_or_below(day(days))),
            [-1, -1, 0, 0, 1, 1, 2]
        );
        let years = Grid::Months { origin: 0, months: 12 };
        assert_eq!(years.point(years.last_at_or_below(day(-4584))), day(-4748));
    }

    #[test]
    fn decimals_keep_their_digits() {
        let tenths = DecimalGrid::new("0", "0.1").unwrap();
        assert_eq!(tenths.point_near("0.3", false).unwrap(), "0.3");
        assert_eq!(tenths.point_near("0.25", true).unwrap(), "0.3");
        assert_eq!(tenths.point_near("-0.25", false).unwrap(), "-0.3");
        assert_eq!(DecimalGrid::new("5", "20").unwrap().point_near("99", false).unwrap(), "85");
        assert_eq!(
            DecimalGrid::new("0", "1e2").unwrap().point_near("1e20", true).unwrap(),
            "100000000000000000100"
        );
        for (origin, step) in [("0", "0"), ("0", "-1"), ("x", "1"), ("0", "NaN")] {
            assert!(DecimalGrid::new(origin, step).is_none());
        }
        assert!(tenths.point_near("Infinity", false).is_none());
    }

    proptest! {
        #[test]
        fn the_last_point_is_at_or_below_the_value(
            value in -10_000i128..10_000,
            origin in -500i128..500,
            step in 1i128..40,
            months in 1i128..30,
        ) {
            let (value_at, origin_at) = (day(value) + 7, day(origin) + 5);
            for (grid, value) in [
                (Grid::Whole { origin, step }, value),
                (Grid::Months { origin: origin_at, months }, value_at),
            ] {
                let last = grid.last_at_or_below(value);
                prop_assert!(grid.point(last) <= value && value < grid.point(last + 1));
            }
            let decimals = DecimalGrid::new(&origin.to_string(), &step.to_string()).unwrap();
            let whole = Grid::Whole { origin, step };
            prop_assert_eq!(decimals.point_near(&value.to_string(), false).unwrap(), whole.point(whole.last_at_or_below(value)).to_string());
        }
    }
}
