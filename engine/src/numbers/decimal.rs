//! Decimal numbers of any size that PostgreSQL's numeric has.

use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::Euclid;
use bigdecimal::BigDecimal;
use std::str::FromStr;

/// Digits of numeric before the point.
pub const DIGITS_BEFORE: i64 = 131_072;
/// Digits of numeric after the point.
pub const DIGITS_AFTER: i64 = 16_383;

/// Parses a number. Refuses one with more digits or a larger exponent than numeric has before any computation, because
/// an exponent of a few characters can stand for more digits than fit into memory.
pub fn parse(text: &str) -> Option<BigDecimal> {
    const MOST: u64 = (DIGITS_BEFORE + DIGITS_AFTER) as u64;
    if text.len() as u64 > MOST + "-.".len() as u64 {
        return None;
    }
    let is_bounded = |number: &BigDecimal| number.fractional_digit_count().unsigned_abs() <= MOST;
    BigDecimal::from_str(text).ok().filter(is_bounded)
}

/// Returns the quotient of a number and a step above 0, rounded down.
pub fn floor_quotient(number: &BigDecimal, step: &BigDecimal) -> BigInt {
    let scale = number.fractional_digit_count().max(step.fractional_digit_count());
    let [number, step] = [number, step].map(|number| number.with_scale(scale).into_bigint_and_exponent().0);
    number.div_euclid(&step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_without_an_end_are_refused() {
        let zeros = |count| "0".repeat(count) + "1";
        assert_eq!(parse(&zeros(DIGITS_BEFORE as usize)), Some(BigDecimal::from(1)));
        assert_eq!(parse(&zeros((DIGITS_BEFORE + DIGITS_AFTER) as usize + 2)), None);
        for text in ["1e999999999", "1e-999999999", "1e9223372036854775807", "10e-9223372036854775807", "NaN"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
