//! Exact means of a column's values in each equivalence class. They do not depend on the order of the rows. Rounded to
//! at least the decimals of the values, a mean is never beyond the least or the greatest value of its class.
//!
//! A value is a decimal number of any size, split into limbs of nine digits. Sums are kept by limb, without a carry.

use super::classes::{record_rows, RecordClasses};
use crate::progress::check_memory;
use crate::table::{Codes, Store};
use crate::{pace, Error};

/// Base of the limbs: 10^[`LIMB_DIGITS`].
const LIMB_BASE: i128 = 1_000_000_000;
const LIMB_DIGITS: usize = 9;

/// A decimal number as written: its digits, and how many of them follow the point (negative for `1e3`).
struct ParsedDecimal {
    negative: bool,
    digits: Vec<u8>,
    decimals: i64,
}

impl ParsedDecimal {
    /// Parses a number. Returns None for any other text, NaN and infinity included.
    fn new(text: &str) -> Option<ParsedDecimal> {
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (negative, number) = match number.strip_prefix('-') {
            Some(number) => (true, number),
            None => (false, number),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b.wrapping_sub(b'0')).collect();
        if digits.is_empty() || digits.iter().any(|&digit| digit > 9) {
            return None;
        }
        Some(ParsedDecimal {
            negative,
            digits,
            decimals: fraction.len() as i64 - exponent.parse::<i64>().ok()?,
        })
    }
}

/// Values of a column, by code. A text that is not a number is None.
pub struct DecimalColumn {
    values: Vec<Option<ParsedDecimal>>,
    /// Largest number of decimals of a value.
    pub decimals: usize,
}

impl DecimalColumn {
    /// Parses values as they are written: `-12.50`, `1e-7`.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<DecimalColumn, Error> {
        let values: Vec<Option<ParsedDecimal>> =
            pace::collect(texts.into_iter().map(|text| ParsedDecimal::new(text.as_ref())))?;
        let decimals = values.iter().flatten().map(|value| value.decimals.max(0) as usize).max();
        Ok(DecimalColumn { values, decimals: decimals.unwrap_or(0) })
    }

    /// Writes all values as limbs with the same number of decimals, lowest limb first, each limb with the value's sign.
    /// Also returns the number of limbs per value.
    fn to_limbs(&self, decimals: usize) -> Result<(Vec<i64>, usize), Error> {
        let behind = |value: &ParsedDecimal| (decimals as i64 - value.decimals).max(0) as usize;
        let length = |value: &ParsedDecimal| value.digits.len() + behind(value);
        let longest = self.values.iter().flatten().map(length).max().unwrap_or(0);
        let limbs = longest.div_ceil(LIMB_DIGITS).max(1);
        check_memory::<i64>(limbs * self.values.len())?;
        let mut all = vec![0; limbs * self.values.len()];
        for (value, into) in self.values.iter().zip(all.chunks_mut(limbs)) {
            pace::tick(limbs)?;
            let Some(value) = value else { continue };
            let digits = value.digits.iter().rev().map(|&digit| i64::from(digit));
            for (at, digit) in (behind(value)..).zip(digits) {
                into[at / LIMB_DIGITS] += digit * 10i64.pow((at % LIMB_DIGITS) as u32);
            }
            if value.negative {
                into.iter_mut().for_each(|limb| *limb = -*limb);
            }
        }
        Ok((all, limbs))
    }
}

/// Computes the mean of a column in each class, to `digits` decimals, with halves rounded away from zero. Returns None
/// for a class with a row that has no number. `weights` has the rows that each record stands for (None: one each).
/// Panics if the rows of a class times 10^(decimals of the values - `digits`) exceed about 3e29.
pub fn compute_means(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    values: &DecimalColumn,
    digits: usize,
) -> Result<Vec<Option<String>>, Error> {
    let decimals = digits.max(values.decimals);
    let (limbs_of, limbs) = values.to_limbs(decimals)?;
    check_memory::<(u64, bool)>(classes.count)?;
    check_memory::<i128>(classes.count * limbs)?;
    let (mut sums, mut rows) = (vec![0i128; classes.count * limbs], vec![0u64; classes.count]);
    let mut lacks = vec![false; classes.count];
    classes.each(codes, |record, class, code| {
        let code = code as usize;
        if values.values.get(code).is_none_or(Option::is_none) {
            lacks[class] = true;
            return;
        }
        let weight = record_rows(weights, record);
        rows[class] += weight;
        let value = &limbs_of[code * limbs..][..limbs];
        for (sum, &limb) in sums[class * limbs..][..limbs].iter_mut().zip(value) {
            *sum += i128::from(limb) * i128::from(weight);
        }
    })?;
    let unit = 10u128.pow((decimals - digits) as u32);
    let of_class = |class: usize| {
        let sum = &mut sums[class * limbs..][..limbs];
        (!lacks[class]).then(|| divide_and_format(sum, u128::from(rows[class]) * unit, digits))
    };
    pace::collect((0..classes.count).map(of_class))
}

/// Divides a sum, and writes the rounded quotient with `decimals` decimals.
fn divide_and_format(sum: &mut [i128], divisor: u128, decimals: usize) -> String {
    let negative = normalize(sum);
    let mut rest = 0u128;
    for limb in sum.iter_mut().rev() {
        let dividend = rest * LIMB_BASE as u128 + limb.unsigned_abs();
        // The highest limb may exceed the base.
        (*limb, rest) = ((dividend / divisor) as i128, dividend % divisor);
    }
    if 2 * rest >= divisor {
        sum[0] += 1;
    }
    normalize(sum);
    let (highest, lower) = sum.split_last().expect("a number has a limb");
    let mut digits = highest.to_string();
    lower.iter().rev().for_each(|limb| digits.push_str(&format!("{limb:09}")));
    let digits = digits.trim_start_matches('0');
    let digits = format!("{digits:0>0$}", decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let sign = if negative && digits.bytes().any(|digit| digit != b'0') { "-" } else { "" };
    let point = if decimals > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// Makes a number positive, and brings all limbs but the highest below [`LIMB_BASE`]. Returns true if it was negative.
fn normalize(limbs: &mut [i128]) -> bool {
    let pass = |limbs: &mut [i128]| {
        let mut carried = 0;
        let (highest, lower) = limbs.split_last_mut().expect("a number has a limb");
        for limb in lower {
            *limb += carried;
            (carried, *limb) = (limb.div_euclid(LIMB_BASE), limb.rem_euclid(LIMB_BASE));
        }
        *highest += carried;
        *highest < 0
    };
    let negative = pass(limbs);
    if negative {
        limbs.iter_mut().for_each(|limb| *limb = -*limb);
        pass(limbs);
    }
    negative
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Released;
    use crate::Code;

    fn mean(texts: &[&str], digits: usize) -> Option<String> {
        let values = DecimalColumn::new(texts).unwrap();
        let codes = Store::from_iter(0..texts.len() as Code);
        let classes = RecordClasses { of_records: Store::from_iter(texts.iter().map(|_| 0)), count: 1 };
        compute_means(&classes, &codes, None, &values, digits).unwrap().pop().unwrap()
    }

    fn is(texts: &[&str], digits: usize, mean: &str) {
        assert_eq!(self::mean(texts, digits).as_deref(), Some(mean), "{texts:?}");
    }

    #[test]
    fn means_by_hand() {
        is(&["1", "2"], 2, "1.50");
        is(&["1", "2", "2"], 2, "1.67");
        is(&["-1", "-2", "-2"], 2, "-1.67");
        // Halves are rounded away from zero, and zero has no sign.
        is(&["0.01", "0.02"], 2, "0.02");
        is(&["-0.01", "-0.02"], 2, "-0.02");
        is(&["-1", "1"], 2, "0.00");
        is(&["-0.001", "0"], 3, "-0.001");
        is(&["-0.1", "0", "0", "0"], 1, "0.0");
        is(&["0", "0"], 0, "0");
        is(&["5", "-8", "3", "1"], 2, "0.25");
    }

    #[test]
    fn numbers_of_any_size() {
        is(&["1e300", "-1e300", "6e-3"], 3, "0.002");
        is(&["9223372036854775807", "9223372036854775807"], 2, "9223372036854775807.00");
        is(&["999999999", "999999999.99"], 2, "999999999.50");
        is(&["999999999.99", "1000000000.00"], 2, "1000000000.00");
        is(&["-1000000000", "1"], 1, "-499999999.5");
        // Microseconds, rounded to the second.
        is(&["1499999e-6", "1500000e-6"], 0, "1");
        is(&["1500000e-6", "1500000e-6"], 0, "2");
        is(&["-1500000e-6"], 0, "-2");
        let third = "0.3333333333333333";
        is(&[third, third, third], 16, third);
    }

    #[test]
    fn non_numbers_have_no_mean() {
        for other in ["NaN", "Infinity", "-Infinity", "", "-", "1.2.3", "1 "] {
            assert_eq!(mean(&["1", other], 2), None, "{other}");
        }
    }

    /// Classes by two columns, records that stand for several rows, and a code without a value (NULL).
    #[test]
    fn means_by_class() {
        let (a, b) = (Store::from_iter([0, 0, 1, 2, 0]), Store::from_iter([0, 0, 1, 0, 0]));
        let released =
            |codes, as_number, numbers| Released { codes, number_of_code: as_number, number_count: numbers };
        let columns = [released(&a, &[0, 0, 1], 2), released(&b, &[0, 1], 2)];
        let classes = RecordClasses::build(&columns, 5).unwrap();
        assert_eq!(classes.count, 3);
        let values = DecimalColumn::new(["10", "20", "4"]).unwrap();
        let codes = Store::from_iter([0, 1, 2, crate::table::NONE, 1]);
        let weights = Codes::from_iter([2, 1, 7, 1, 1]);
        let means = compute_means(&classes, &codes, Some(&weights), &values, 1).unwrap();
        assert_eq!(means, [Some("15.0".to_string()), Some("4.0".into()), None]);
    }
}
