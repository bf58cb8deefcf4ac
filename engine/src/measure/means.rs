//! Exact means of a column's values in each equivalence class. They do not depend on the order of the rows. A mean that
//! is rounded to at least the decimals of the values is never beyond the least or the greatest value of its class.

use super::classes::{record_rows, RecordClasses};
use crate::numbers::decimal;
use crate::progress::{check_memory, filled};
use crate::table::{Codes, Store};
use crate::{pace, Error};
use bigdecimal::num_bigint::BigInt;
use bigdecimal::num_traits::Signed;
use bigdecimal::BigDecimal;
use std::ops::{AddAssign, Mul};

/// Width in bits of the widest values that are summed in i128: no sum over 2^64 rows overflows.
const NARROW: u64 = 63;

/// Values of a column, by code. A text that is not a number is None.
pub struct DecimalColumn {
    values: Vec<Option<BigDecimal>>,
    /// Largest number of decimals of a value.
    pub decimals: usize,
}

impl DecimalColumn {
    /// Parses values as they are written: `-12.50`, `1e-7`.
    pub fn new<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<DecimalColumn, Error> {
        let values = pace::collect(texts.into_iter().map(|text| decimal::parse(text.as_ref())))?;
        let decimals =
            values.iter().flatten().map(|value| value.fractional_digit_count().max(0) as usize).max();
        Ok(DecimalColumn { values, decimals: decimals.unwrap_or(0) })
    }

    /// Returns an upper bound of the bits of the values as multiples of 10^-`decimals`.
    fn bits(&self, decimals: usize) -> u64 {
        let bits = |value: &BigDecimal| {
            let (digits, exponent) = value.as_bigint_and_exponent();
            // A decimal digit has less than 10/3 bits.
            digits.bits() + ((decimals as u64).saturating_add_signed(-exponent) * 10).div_ceil(3)
        };
        self.values.iter().flatten().map(bits).max().unwrap_or(0)
    }

    /// Returns the values as multiples of 10^-`decimals`.
    fn multiples<T: TryFrom<BigInt>>(&self, decimals: usize) -> Result<Vec<Option<T>>, Error> {
        check_memory::<Option<T>>(self.values.len())?;
        let multiple = |value: &BigDecimal| {
            let (units, _) = value.with_scale(decimals as i64).into_bigint_and_exponent();
            units.try_into().map_err(|_| Error::Internal("a value has more bits than counted"))
        };
        let multiples = self.values.iter().map(|value| {
            pace::tick(1)?;
            value.as_ref().map(multiple).transpose()
        });
        multiples.collect()
    }
}

/// Computes the mean of a column in each class, to `digits` decimals, with halves rounded away from zero. Returns None
/// for a class without rows, or with a record that has no number. `weights` has the rows that each record stands for
/// (None: one each).
pub fn compute_means(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    values: &DecimalColumn,
    digits: usize,
) -> Result<Vec<Option<String>>, Error> {
    let decimals = digits.max(values.decimals);
    let bits = values.bits(decimals);
    let rounding = Rounding { digits, divisor: BigInt::from(10).pow((decimals - digits) as u32) };
    if bits <= NARROW {
        return average_multiples(classes, codes, weights, &values.multiples::<i128>(decimals)?, rounding);
    }
    let bytes = bits as usize / 8 + 2 * size_of::<u64>();
    check_memory::<u8>((values.values.len() + classes.count).saturating_mul(bytes))?;
    average_multiples(classes, codes, weights, &values.multiples::<BigInt>(decimals)?, rounding)
}

/// Rounding of multiples of a unit to multiples of 10^-`digits`, which are `divisor` units.
struct Rounding {
    digits: usize,
    divisor: BigInt,
}

impl Rounding {
    /// Returns `sum`/`rows` as a decimal text, with halves rounded away from zero.
    fn mean(&self, sum: BigInt, rows: u64) -> String {
        let divisor = &self.divisor * rows;
        let (mut mean, rest) = (&sum / &divisor, &sum % &divisor);
        if rest.abs() * 2 >= divisor {
            mean += sum.signum();
        }
        BigDecimal::new(mean, self.digits as i64).to_plain_string()
    }
}

/// Computes the mean of each class from values that are multiples of a unit, in i128 or big integers.
fn average_multiples<T>(
    classes: &RecordClasses,
    codes: &Store,
    weights: Option<&Codes>,
    values: &[Option<T>],
    rounding: Rounding,
) -> Result<Vec<Option<String>>, Error>
where
    T: Clone + Default + From<u64> + Into<BigInt>,
    for<'v> T: AddAssign<&'v T> + AddAssign,
    for<'v> &'v T: Mul<T, Output = T>,
{
    let (mut sums, mut rows) = (filled(T::default(), classes.count)?, filled(0u64, classes.count)?);
    let mut has_non_number = filled(false, classes.count)?;
    classes.each(codes, |record, class, code| {
        let Some(Some(value)) = values.get(code as usize) else {
            has_non_number[class] = true;
            return;
        };
        let weight = record_rows(weights, record);
        rows[class] += weight;
        match weight {
            1 => sums[class] += value,
            _ => sums[class] += value * T::from(weight),
        }
    })?;
    let mean = |((sum, rows), has_non_number): ((T, u64), bool)| {
        (rows > 0 && !has_non_number).then(|| rounding.mean(sum.into(), rows))
    };
    pace::collect(sums.into_iter().zip(rows).zip(has_non_number).map(mean))
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
        is(&["1e-40", "2e-40"], 0, "0");
        is(&["123456789012345678901234567890e-130", "5"], 0, "3");
    }

    #[test]
    fn non_numbers_have_no_mean() {
        for other in ["NaN", "Infinity", "-Infinity", "", "-", "1.2.3", "1 ", "1e-999999999", "1e999999999"] {
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
        for (weights, mean) in [([2, 1, 7, 1, 1], Some("15.0".to_string())), ([0, 0, 1, 1, 0], None)] {
            let means =
                compute_means(&classes, &codes, Some(&Codes::from_iter(weights)), &values, 1).unwrap();
            assert_eq!(means, [mean, Some("4.0".into()), None]);
        }
    }
}
