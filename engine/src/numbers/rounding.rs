//! Rounds numbers to the nearest multiple of a step, and moments down to the beginning of their bin.

use crate::calendar::{month_containing, month_start};
use crate::numbers::decimal::{floor_quotient, parse};
use crate::{pace, Error};
use bigdecimal::num_traits::Signed;
use bigdecimal::BigDecimal;

/// Returns the nearest multiple of `step` for each number, as decimal text; None for text that is not a finite number.
/// Halves round away from zero. The arithmetic is exact, and the result has the decimals of the step. Returns an
/// internal error unless the step is a number above zero.
pub fn to_multiples<T: AsRef<str>>(
    numbers: impl IntoIterator<Item = T>,
    step: &str,
) -> Result<Vec<Option<String>>, Error> {
    let not_a_step = Error::Internal("a step that is no number above zero");
    let step = parse(step).filter(Signed::is_positive).ok_or(not_a_step)?;
    let step = step.with_scale(step.fractional_digit_count().max(0));
    let multiple =
        |text: T| parse(text.as_ref()).map(|number| nearest_multiple(&number, &step).to_plain_string());
    pace::collect(numbers.into_iter().map(multiple))
}

fn nearest_multiple(number: &BigDecimal, step: &BigDecimal) -> BigDecimal {
    let steps = floor_quotient(&(number.abs() + step.half()), step);
    BigDecimal::from(if number.is_negative() { -steps } else { steps }) * step
}

/// Contiguous bins of time. One of them begins on 2000-01-01 00:00.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bin {
    /// Number of calendar months, at least 1.
    Months(i64),
    /// Length in microseconds, above 0.
    Length(i64),
}

impl Bin {
    /// Returns the beginning of a moment's bin. Moments are in microseconds since 2000-01-01 00:00.
    pub fn start(self, moment: i128) -> i128 {
        let floor = |number: i128, step: i64| number.div_euclid(step.into()) * i128::from(step);
        match self {
            Bin::Months(months) => month_start(floor(month_containing(moment), months)),
            Bin::Length(length) => floor(moment, length),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{DAY, HOUR};
    use proptest::prelude::*;

    fn rounded(number: &str, step: &str) -> String {
        to_multiples([number], step).unwrap().pop().flatten().unwrap()
    }

    #[test]
    fn halves_away_from_zero() {
        for (number, multiple) in [("15", "20"), ("-15", "-20"), ("-14.99", "-10"), ("-4", "0")] {
            assert_eq!(rounded(number, "10"), multiple, "{number}");
        }
        assert_eq!(rounded("0.025", "0.05"), "0.05");
        assert_eq!(rounded("-0.0249", "0.05"), "0.00");
        assert_eq!(rounded("12.30", "0.25"), "12.25");
        assert_eq!(rounded("1e-07", "0.5"), "0.0");
    }

    #[test]
    fn numbers_have_any_size() {
        assert_eq!(rounded("9223372036854775807", "1000"), "9223372036854776000");
        assert_eq!(rounded("1e30", "7"), "999999999999999999999999999999");
        assert_eq!(rounded("123456789012345678901234567890.5", "1"), "123456789012345678901234567891");
        assert_eq!(rounded("1", "1e3"), "0");
        assert_eq!(rounded("5e-1", "1e300"), "0");
    }

    #[test]
    fn non_numbers_have_no_multiple() {
        for other in ["NaN", "Infinity", "-Infinity", ""] {
            assert_eq!(to_multiples([other], "1"), Ok(vec![None]), "{other}");
        }
        for step in ["0", "-1", "NaN"] {
            assert!(to_multiples(["1"], step).is_err(), "{step}");
        }
    }

    #[test]
    fn bins_of_time() {
        // 1999-12-31, 2000-02-29, 2001-01-01.
        for (day, months, begin) in
            [(-1, 1, -31), (-1, 12, -365), (59, 1, 31), (59, 3, 0), (366, 12, 366), (366, 24, 0)]
        {
            assert_eq!(Bin::Months(months).start(day * DAY + HOUR), begin * DAY, "{day} {months}");
        }
        let week = Bin::Length(7 * DAY as i64);
        assert_eq!(week.start(6 * DAY + HOUR), 0);
        assert_eq!(week.start(-1), -7 * DAY);
        assert_eq!(Bin::Length(HOUR as i64).start(-DAY), -DAY);
    }

    proptest! {
        #[test]
        fn the_nearest(
            number in -1_000_000i64..1_000_000,
            decimals in 0u32..4,
            step in 1i64..5000,
            step_decimals in 0u32..4,
        ) {
            let written = |units: i64, decimals: u32| BigDecimal::new(units.into(), decimals.into());
            let (number, step) = (written(number, decimals), written(step, step_decimals));
            let multiple = nearest_multiple(&number, &step);
            prop_assert!((&multiple / &step).is_integer());
            let off = (&multiple - &number).abs();
            prop_assert!(&off * BigDecimal::from(2) <= step);
            if &off * BigDecimal::from(2) == step {
                prop_assert!(multiple.abs() > number.abs());
            }
        }
    }
}
