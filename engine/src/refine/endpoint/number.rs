//! The roundest number: the fewest significant digits, then an even last one, then the nearest to
//! the middle of the gap, then the least. 0 has no digits, so it is rounder than all.
//!
//! By magnitudes, for a gap on one side of 0, let 10^top be the greatest power of ten that is not
//! above the greatest number. There are two cases:
//!
//! * 10^top lies below the gap. Then all numbers of the gap are as long, and those with the fewest
//!   digits are the multiples of the greatest power of ten that has any: at most nine, since ten in
//!   a row hold a multiple of the next power. That power is found by halving, since a power
//!   that has a multiple in the gap makes all smaller ones have one.
//! * 10^top lies in the gap. Then everything with one digit is in question, down any number of
//!   magnitudes, but the middle is at least half of the greatest number: what lies two magnitudes
//!   below 10^top is farther from it than 8 * 10^(top-1), which is as even.

use super::{Gap, Side, Span};
use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::{pow, Signed};
use bigdecimal::BigDecimal;
use std::ops::RangeInclusive;

/// A whole number, of limited size or not.
pub(super) trait Whole: Signed + Ord + Clone + From<u8> {
    /// The greatest power of ten in a positive number, by its exponent.
    fn magnitude(&self) -> usize;
}

impl Whole for i128 {
    fn magnitude(&self) -> usize {
        self.checked_ilog10().unwrap_or(0) as usize
    }
}

impl Whole for BigInt {
    fn magnitude(&self) -> usize {
        BigDecimal::from(self.clone()).decimal_digit_count().saturating_sub(1) as usize
    }
}

/// The end of a gap between whole numbers (int2, int4, int8, and money in its smallest unit), none
/// outside the type's `limits`.
pub fn integer(gap: &Gap<i64>, limits: &RangeInclusive<i64>) -> i64 {
    let limits = i128::from(*limits.start())..=i128::from(*limits.end());
    let end = gap.map(|&value| i128::from(value)).end(Some(&limits), roundest, |v, side| beyond(v, side, &1));
    i64::try_from(end).unwrap_or(gap.value)
}

/// Ten to a power.
pub(super) fn ten_to<T: Whole>(power: usize) -> T {
    pow(T::from(10), power)
}

/// The roundest number of a span.
pub(super) fn roundest<T: Whole>(span: &Span<T>) -> T {
    span.nearest(rounds(&span.lowest, &span.highest)).unwrap_or_else(|| span.highest.clone())
}

/// Of the numbers from `lowest` to `highest` those with the fewest digits, the even ones if there
/// are any: all that may be the nearest to the middle.
pub(super) fn rounds<T: Whole>(lowest: &T, highest: &T) -> Vec<T> {
    if !lowest.is_positive() && !highest.is_negative() {
        return vec![T::zero()];
    }
    let sign = lowest.signum();
    let (least, most) = match sign.is_negative() {
        true => (highest.abs(), lowest.abs()),
        false => (lowest.clone(), highest.clone()),
    };
    let top = most.magnitude();
    let power = ten_to::<T>(top);
    let mut ends = if least > power {
        multiples(&least, &most, ten_to(coarsest(&least, &most, top)))
    } else {
        multiples(&least, &most, power.clone())
    };
    if least < power {
        ends.extend(multiples(&least, &(power - T::one()), ten_to(top - 1)));
    }
    let any_even = ends.iter().any(|(odd, _)| !odd);
    ends.into_iter().filter(|(odd, _)| !(any_even && *odd)).map(|(_, end)| end * sign.clone()).collect()
}

/// The greatest power of ten up to 10^`top` with a multiple from `least` to `most`, by its exponent.
fn coarsest<T: Whole>(least: &T, most: &T, top: usize) -> usize {
    // `fits` has one: 10^0 does; nothing above `top` is asked.
    let (mut fits, mut end) = (0, top + 1);
    while end - fits > 1 {
        let power = fits + (end - fits) / 2;
        let rest = most.clone() % ten_to(power);
        if most.clone() - rest >= *least {
            fits = power;
        } else {
            end = power;
        }
    }
    fits
}

/// The multiples of a unit from `least` to `most`, each with whether its factor is odd.
fn multiples<T: Whole>(least: &T, most: &T, unit: T) -> Vec<(bool, T)> {
    let factors = std::iter::successors(Some(most.clone() / unit.clone()), |n| Some(n.clone() - T::one()));
    let all = factors.map(|n| (!(n.clone() % T::from(2)).is_zero(), n * unit.clone()));
    all.take_while(|(_, end)| end.is_positive() && end >= least).collect()
}

/// The nearest number with one digit strictly beyond a value; next to 0, `one`.
pub(super) fn beyond<T: Whole>(value: &T, side: Side, one: &T) -> T {
    let outwards = if side == Side::Above { T::one() } else { -T::one() };
    if value.is_zero() {
        return one.clone() * outwards;
    }
    let size = value.abs();
    let unit = ten_to::<T>(size.magnitude());
    let digit = size.clone() / unit.clone();
    let end = if value.signum() == outwards {
        (digit + T::one()) * unit
    } else if digit.clone() * unit.clone() < size {
        digit * unit
    } else if digit > T::one() {
        (digit - T::one()) * unit
    } else {
        // Before a power of ten are nine of the next smaller; before the 1 of the integers is 0.
        unit / T::from(10) * T::from(9)
    };
    end * value.signum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ALL: RangeInclusive<i64> = i64::MIN..=i64::MAX;

    fn below(from: i64, to: i64) -> i64 {
        integer(&Gap::below(Some(from), to), &ALL)
    }

    fn above(from: i64, to: i64) -> i64 {
        integer(&Gap::above(from, Some(to)), &ALL)
    }

    /// The digits without the zeros at their end.
    fn significand(mut n: i64) -> u64 {
        while n != 0 && n % 10 == 0 {
            n /= 10;
        }
        n.unsigned_abs()
    }

    fn digits(n: i64) -> u32 {
        significand(n).checked_ilog10().map_or(0, |log| log + 1)
    }

    /// The rule, word by word, over every number of a gap.
    fn by_trying_all(gap: &Gap<i64>) -> Option<i64> {
        let neighbour = gap.neighbour?;
        let ends = gap.value.min(neighbour)..=gap.value.max(neighbour);
        let twice_the_middle = gap.value + neighbour;
        let roundness = |e: &i64| (digits(*e), significand(*e) % 2, (2 * e - twice_the_middle).abs(), *e);
        ends.filter(|e| gap.contains(e)).min_by_key(roundness)
    }

    #[test]
    fn fewest_digits_win() {
        assert_eq!(below(9, 11), 10);
        assert_eq!(below(19, 31), 20);
        assert_eq!(below(-31, -19), -20);
        assert_eq!(below(-5, 5), 0);
        assert_eq!(below(-5, 0), 0);
        assert_eq!(above(0, 5), 0);
        assert_eq!(below(1234, 1300), 1300);
        assert_eq!(above(1234, 1300), 1260);
        assert_eq!(below(39, 40), 40);
        assert_eq!(above(400, 403), 400);
        assert_eq!(below(36, 37), 37);
        assert_eq!(above(36, 37), 36);
    }

    #[test]
    fn ties_go_to_the_even_then_the_middle_then_the_least() {
        assert_eq!(below(2, 5), 4);
        assert_eq!(below(0, 9), 4);
        assert_eq!(below(0, 10), 4);
        assert_eq!(below(-10, -1), -6);
        assert_eq!(above(1, 10), 6);
        assert_eq!(below(8, 11), 9);
        assert_eq!(below(5, 1000), 600);
        assert_eq!(below(999, 1001), 1000);
        assert_eq!(below(1, 1_000_000), 600_000);
    }

    #[test]
    fn beyond_the_extreme_is_one_digit() {
        let down = |value| integer(&Gap::below(None, value), &ALL);
        let up = |value| integer(&Gap::above(value, None), &ALL);
        let downwards = [(17, 10), (10, 9), (5, 4), (1, 0), (0, -1), (-1, -2), (-37, -40), (-90, -100)];
        for (value, end) in downwards {
            assert_eq!(down(value), end);
            assert_eq!(up(-value), -end);
        }
        assert_eq!(up(95), 100);
        assert_eq!(down(100), 90);
    }

    #[test]
    fn nothing_leaves_the_type() {
        assert_eq!(integer(&Gap::above(32_000, None), &(-32_768..=32_767)), 32_000);
        assert_eq!(integer(&Gap::above(29_999, None), &(-32_768..=32_767)), 30_000);
        assert_eq!(integer(&Gap::above(i64::MAX, None), &ALL), i64::MAX);
        assert_eq!(integer(&Gap::below(None, i64::MIN), &ALL), i64::MIN);
        assert_eq!(below(i64::MIN, i64::MAX), 0);
        assert_eq!(below(0, i64::MAX), 4_000_000_000_000_000_000);
        assert_eq!(above(i64::MIN, 0), -4_000_000_000_000_000_000);
        assert_eq!(below(i64::MAX - 1, i64::MAX), i64::MAX);
        assert_eq!(above(i64::MIN, i64::MIN + 1), i64::MIN);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn small_gaps_by_trying_all(from in -3000..3000i64, width in 1..3000i64) {
            for gap in [Gap::below(Some(from), from + width), Gap::above(from, Some(from + width))] {
                prop_assert_eq!(Some(integer(&gap, &ALL)), by_trying_all(&gap));
            }
        }

        #[test]
        fn narrow_gaps_by_trying_all(from in -99_999_999..99_999_999i64, width in 1..200i64) {
            for gap in [Gap::below(Some(from), from + width), Gap::above(from, Some(from + width))] {
                prop_assert_eq!(Some(integer(&gap, &ALL)), by_trying_all(&gap));
            }
        }

        /// No length below that of the end has a number in the gap: the nearest of each length to
        /// either end of the gap lies outside.
        #[test]
        fn any_gap_has_nothing_shorter(a in any::<i64>(), b in any::<i64>(), shift in 0..63u32) {
            let (from, to) = (a >> shift, b);
            prop_assume!(from != to);
            let (from, to) = (from.min(to), from.max(to));
            for gap in [Gap::below(Some(from), to), Gap::above(from, Some(to))] {
                let end = integer(&gap, &ALL);
                prop_assert!(gap.contains(&end));
                prop_assert!(end == 0 || !gap.contains(&0));
                let wide = gap.map(|&v| i128::from(v));
                for value in [i128::from(from), i128::from(to)] {
                    let length = value.checked_abs().and_then(i128::checked_ilog10).map_or(0, |l| l + 1);
                    for shorter in 1..digits(end).min(length) {
                        let unit = 10i128.pow(length - shorter);
                        for n in [value.div_euclid(unit), value.div_euclid(unit) + 1] {
                            prop_assert!(!wide.contains(&(n * unit)), "{} in {gap:?}", n * unit);
                        }
                    }
                }
            }
        }

        #[test]
        fn any_extreme_is_left_by_one_digit(value in any::<i64>(), shift in 0..63u32) {
            let value = value >> shift;
            for gap in [Gap::below(None, value), Gap::above(value, None)] {
                let end = integer(&gap, &ALL);
                prop_assert!(gap.contains(&end));
                prop_assert!(end == value || digits(end) <= 1);
                let is_full = i128::from(value).abs() >= 9_000_000_000_000_000_000;
                prop_assert!(end != value || is_full, "{} stays", value);
            }
        }

        #[test]
        fn nothing_panics(value in any::<i64>(), neighbour in any::<Option<i64>>(), a in any::<i64>()) {
            let limits = a.min(value)..=a.max(0);
            integer(&Gap::below(neighbour, value), &limits);
            integer(&Gap::above(value, neighbour), &limits);
        }
    }
}
