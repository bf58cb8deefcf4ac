//! Round decimals, from and to PostgreSQL's text forms of numeric, float8 and float4.
//!
//! The greatest power of ten with a multiple in the gap is found by bisection: if a power has one, all smaller powers
//! have one. Numbers may have many digits, so trying each power would be slow.
//!
//! Binary numbers are discrete. Between neighbours that differ only in the last bits, the end may be read as one of
//! them. So the end is read back as the type would read it, and is published only if the result lies in the gap.

use super::{Gap, Side};
use crate::numbers::decimal::{self, DIGITS_AFTER, DIGITS_BEFORE};
use crate::{pace, Error};
use bigdecimal::num_traits::Zero;
use bigdecimal::{BigDecimal, RoundingMode};
use std::str::FromStr;

/// Type of a decimal, which determines the numbers that exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Precision {
    /// numeric.
    Numeric,
    /// float8.
    Double,
    /// float4.
    Single,
}

/// Returns the end of a gap between decimals, as text that the input functions of all three types read. None if a text
/// is not a finite number that numeric can hold.
pub fn decimal(gap: &Gap<&str>, precision: Precision) -> Result<Option<String>, Error> {
    let parse = |text: &&str| decimal::parse(text).map(|number| number.normalized()).filter(fits_numeric);
    let Some(exact) = gap.try_map(parse) else { return Ok(None) };
    let end = decimal_end(&exact)?;
    let text = format_number(&end);
    let is_stored = match precision {
        Precision::Numeric => fits_numeric(&end),
        Precision::Double => reads_back(gap, &text, |end: &f64| end.is_finite()),
        Precision::Single => reads_back(gap, &text, |end: &f32| end.is_finite()),
    };
    Ok(Some(if is_stored { text } else { format_number(&exact.value) }))
}

/// Returns whether numeric can hold a number.
fn fits_numeric(number: &BigDecimal) -> bool {
    number.fractional_digit_count() <= DIGITS_AFTER && number.order_of_magnitude() < DIGITS_BEFORE
}

/// Returns whether the end lies in the gap when a binary type has read the end, the value and the neighbour.
fn reads_back<F: FromStr + PartialOrd>(gap: &Gap<&str>, end: &str, is_finite: fn(&F) -> bool) -> bool {
    let read = |text: &str| text.parse::<F>().ok();
    match (gap.try_map(|text| read(text)), read(end)) {
        (Some(gap), Some(end)) => is_finite(&end) && gap.contains(&end),
        _ => false,
    }
}

/// Returns the end of a gap, with any number of digits.
fn decimal_end(gap: &Gap<BigDecimal>) -> Result<BigDecimal, Error> {
    let Some(neighbour) = &gap.neighbour else { return beyond(&gap.value, gap.side) };
    if gap.contains(&BigDecimal::zero()) {
        return Ok(BigDecimal::zero());
    }
    let nearest = |power: i64| match gap.side {
        Side::Below => round_to_power(&gap.value, power, RoundingMode::Floor),
        Side::Above => round_to_power(&gap.value, power, RoundingMode::Ceiling),
    };
    // The value itself is a multiple of the power of its last decimal place.
    let last_power = |number: &BigDecimal| -number.fractional_digit_count();
    let mut fits = last_power(&gap.value).min(last_power(neighbour));
    // A power that is greater than both has only one multiple between them: 0, which is not in the gap.
    let mut fails = gap.value.order_of_magnitude().max(neighbour.order_of_magnitude()) + 1;
    while fails - fits > 1 {
        let power = fits + (fails - fits) / 2;
        match gap.contains(&nearest(power)?) {
            true => fits = power,
            false => fails = power,
        }
    }
    let middle = (&gap.value + neighbour).half();
    // No multiple of 10 times the power `fits` is in the gap, so those of 5, 2 and 1 times the power are tried.
    for digit in [5, 2, 1] {
        let mut ends = Vec::new();
        for mode in [RoundingMode::Floor, RoundingMode::Ceiling] {
            // A multiple of 10 times the power, divided by 10 / `digit`, is one of `digit` times the power.
            let multiple = round_to_power(&(&middle * BigDecimal::from(10 / digit)), fits + 1, mode)?;
            ends.push(multiple * BigDecimal::new(digit.into(), 1));
        }
        let in_gap = ends.into_iter().filter(|end| gap.contains(end));
        if let Some(end) = in_gap.min_by_key(|end| (end - &middle).abs()) {
            return Ok(end.normalized());
        }
    }
    Ok(gap.value.normalized())
}

/// Rounds a number to a multiple of a power of ten. With 100,000 digits this takes milliseconds.
fn round_to_power(number: &BigDecimal, power: i64, mode: RoundingMode) -> Result<BigDecimal, Error> {
    pace::tick(number.as_bigint_and_scale().0.bits() as usize)?;
    Ok(number.with_scale_round(-power, mode).normalized())
}

/// Returns the next round number strictly beyond a number. First moves by one unit in the last place, then rounds
/// outwards to the leading power of ten of the result.
fn beyond(number: &BigDecimal, side: Side) -> Result<BigDecimal, Error> {
    let unit = BigDecimal::new(1.into(), number.fractional_digit_count().max(0));
    let (next, mode) = match side {
        Side::Below => (number - unit, RoundingMode::Floor),
        Side::Above => (number + unit, RoundingMode::Ceiling),
    };
    round_to_power(&next, next.order_of_magnitude(), mode)
}

/// Prints a number with all digits, or with an exponent if it is very large or very small.
fn format_number(number: &BigDecimal) -> String {
    match number.order_of_magnitude() {
        -7..=20 => number.to_plain_string(),
        _ => number.to_scientific_notation(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refine::endpoint::Side;
    use proptest::prelude::*;
    use Precision::{Double, Numeric, Single};

    fn below(from: &str, to: &str) -> String {
        decimal(&Gap::below(Some(from), to), Numeric).unwrap().unwrap()
    }

    fn above(from: &str, to: &str) -> String {
        decimal(&Gap::above(from, Some(to)), Numeric).unwrap().unwrap()
    }

    fn exact(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    #[test]
    fn ends_are_printed_by_their_size() {
        assert_eq!(below("36.6", "41.25"), "40");
        assert_eq!(below("1.5e-07", "1.62e-07"), "0.00000016");
        assert_eq!(above("1.5e-09", "1.62e-09"), "1.5e-9");
        assert_eq!(below("0", "1e300"), "1e300");
        assert_eq!(below("-1e300", "-1e-300"), "-5e299");
        let long = "9".repeat(100_000);
        let end = above(&format!("{long}7"), &format!("{long}9.5"));
        assert_eq!(exact(&end), exact(&format!("{long}8")));
    }

    #[test]
    fn beyond_the_extreme() {
        let down = |value: &str| decimal(&Gap::below(None, value), Numeric).unwrap().unwrap();
        let up = |value: &str| decimal(&Gap::above(value, None), Numeric).unwrap().unwrap();
        let downwards = [
            ("17", "10"),
            ("10", "9"),
            ("1.00", "0"),
            ("0.034", "0.03"),
            ("0.01", "0"),
            ("0", "-1"),
            ("-37", "-40"),
            ("-0.96", "-1"),
            ("1e300", "9e299"),
        ];
        for (value, end) in downwards {
            assert_eq!(down(value), end);
        }
        assert_eq!(up("90"), "100");
        assert_eq!(up("-0.01"), "0");
        assert_eq!(up(&"9".repeat(131_072)), format_number(&exact(&"9".repeat(131_072))));
        assert_eq!(down("1e-16383"), "0");
    }

    #[test]
    fn floats_are_read_back() {
        let double = |gap| decimal(&gap, Double).unwrap().unwrap();
        let single = |gap| decimal(&gap, Single).unwrap().unwrap();
        assert_eq!(double(Gap::below(Some("0.1"), "0.30000000000000004")), "0.2");
        assert_eq!(double(Gap::above("1.7976931348623157e+308", None)), "1.7976931348623157e308");
        assert_eq!(double(Gap::below(None, "-1.7976931348623157e+308")), "-1.7976931348623157e308");
        assert_eq!(single(Gap::above("3.4028235e+38", None)), "3.4028235e38");
        assert_eq!(double(Gap::above("3.4028235e+38", None)), "4e38");
        // 4e-46 is 0 as a float4.
        assert_eq!(single(Gap::below(Some("0"), "1e-45")), "1e-45");
    }

    #[test]
    fn non_numbers_have_no_end() {
        for text in ["", "x", "NaN", "-inf", "1e999999999", "1e-9223372036854775807", "1e", ".", "-", "é"] {
            for precision in [Numeric, Double, Single] {
                assert_eq!(decimal(&Gap::below(None, text), precision).unwrap(), None, "{text}");
                assert_eq!(decimal(&Gap::above("1", Some(text)), precision).unwrap(), None, "{text}");
            }
        }
    }

    /// A decimal as text, with a few digits around the point or with any exponent.
    fn number() -> impl Strategy<Value = String> {
        let near = (-20_000..20_000i64, 0..5usize).prop_map(|(n, scale)| {
            let sign = if n < 0 { "-" } else { "" };
            let digits = format!("{:0>1$}", n.abs(), scale + 1);
            let (before, after) = digits.split_at(digits.len() - scale);
            format!("{sign}{before}.{after}").trim_end_matches('.').to_owned()
        });
        let far = (any::<i64>(), 0..64u32, -330..330i32).prop_map(|(n, s, e)| format!("{}e{e}", n >> s));
        prop_oneof![near, far]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// No gap has a multiple of a greater power of ten than that of the end.
        #[test]
        fn nothing_rounder_lies_in_the_gap(a in number(), b in number()) {
            let is_ordered = exact(&a) < exact(&b);
            prop_assume!(exact(&a) != exact(&b));
            let (from, to) = if is_ordered { (&*a, &*b) } else { (&*b, &*a) };
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = exact(&decimal(&gap, Numeric).unwrap().unwrap());
                let gap = gap.map(|text| exact(text));
                prop_assert!(gap.contains(&end), "{end} in {gap:?}");
                prop_assert!(end.is_zero() || !gap.contains(&exact("0")));
                if !end.is_zero() {
                    let greater = 1 - end.normalized().fractional_digit_count();
                    for number in [exact(from), exact(to)] {
                        for mode in [RoundingMode::Floor, RoundingMode::Ceiling] {
                            let near = round_to_power(&number, greater, mode).unwrap();
                            prop_assert!(!gap.contains(&near), "{near} in {gap:?}");
                        }
                    }
                }
            }
        }

        /// For decimals of two places, the end is the one that trying all finds.
        #[test]
        fn small_gaps_by_trying_all(from in -400..400i64, width in 1..400i64) {
            let text = |n: i64| format_number(&BigDecimal::new(n.into(), 2).normalized());
            let (from, to) = (from, from + width);
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let texts = gap.map(|&n| text(n));
                let neighbour = texts.neighbour.as_deref();
                let end = decimal(&Gap { value: &*texts.value, neighbour, side: texts.side }, Numeric);
                let steps = (0..9).rev().flat_map(|zeros| [5, 2, 1].map(|digit| digit * 10i64.pow(zeros)));
                let rank = |n: i64| steps.clone().position(|step| n % step == 0);
                let best = (from..=to).filter(|e| gap.contains(e));
                let best = best.min_by_key(|&e| (rank(e), (2 * e - from - to).abs(), e));
                prop_assert_eq!(end.unwrap(), best.map(text));
            }
        }

        #[test]
        fn floats_keep_to_their_gap(bits in any::<u64>(), steps in 1..40u64, close in any::<bool>(), other in any::<u64>()) {
            let (a, b) = (f64::from_bits(bits), f64::from_bits(if close { bits.wrapping_add(steps) } else { other }));
            prop_assume!(a.is_finite() && b.is_finite() && a != b);
            let (from, to) = (a.min(b), a.max(b));
            let (low, high) = (from.to_string(), to.to_string());
            for side in [Side::Below, Side::Above] {
                let (value, neighbour) = if side == Side::Below { (&*high, &*low) } else { (&*low, &*high) };
                let gap = Gap { value, neighbour: Some(neighbour), side };
                let end: f64 = decimal(&gap, Double).unwrap().unwrap().parse().unwrap();
                let binary = gap.map(|text| text.parse::<f64>().unwrap());
                prop_assert!(binary.contains(&end));
                let extreme: f64 = decimal(&Gap { neighbour: None, ..gap }, Double).unwrap().unwrap().parse().unwrap();
                let open = Gap { neighbour: None, ..binary };
                prop_assert!(extreme.is_finite() && open.contains(&extreme));
            }
        }

        #[test]
        fn nothing_panics(a in "[-+]?[0-9]{0,4}[.]?[0-9]{0,4}(e[-+]?[0-9]{0,3})?", b in ".{0,6}") {
            for precision in [Numeric, Double, Single] {
                for neighbour in [None, Some(&*a), Some(&*b)] {
                    for value in [&*a, &*b] {
                        decimal(&Gap::below(neighbour, value), precision).unwrap();
                        decimal(&Gap::above(value, neighbour), precision).unwrap();
                    }
                }
            }
        }
    }
}
