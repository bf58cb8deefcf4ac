//! Answers to queries, and sums that do not depend on the order of the rows, which is random.

use super::{Aggregate, Number};
use crate::measure::classes::{record_rows, RecordClasses};
use crate::progress::filled;
use crate::table::Codes;
use crate::utility::FixedPointSum;
use crate::{pace, Code, Error};

/// Steps per unit to which errors are rounded.
const ERROR_STEPS: f64 = 1e12;

/// Values of a number by code, divided by a scale so that they can be summed in fixed point.
pub(super) struct ScaledNumbers {
    values: Vec<Option<FixedPointSum>>,
    pub scale: f64,
}

impl ScaledNumbers {
    /// Divides the values so that the greatest is at least 2^30 and below 2^31. Then sums over 2^32 rows fit, and
    /// values down to 2^-94 of the greatest one count.
    pub fn new(values: &[Option<f64>]) -> Result<ScaledNumbers, Error> {
        let finite = |value: &Option<f64>| value.filter(|value| value.is_finite());
        let mut greatest = f64::MIN_POSITIVE;
        pace::each(values, |value| {
            greatest = finite(value).map_or(greatest, |value| greatest.max(value.abs()));
        })?;
        // Clears the mantissa: division by a power of two is exact.
        let mantissa_bits = f64::MANTISSA_DIGITS - 1;
        let power_of_two = f64::from_bits(greatest.to_bits() >> mantissa_bits << mantissa_bits);
        let scale = power_of_two / f64::from(1 << 30);
        let scaled = values.iter().map(|value| finite(value).map(|value| FixedPointSum::new(value / scale)));
        Ok(ScaledNumbers { values: pace::collect(scaled)?, scale })
    }

    /// Returns the scaled number of a code, if it has one.
    pub fn value(&self, code: Code) -> Option<FixedPointSum> {
        self.values.get(code as usize).copied().flatten()
    }
}

/// Sum and count of the scaled numbers of some rows.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NumberSum {
    pub numbers: u64,
    pub sum: FixedPointSum,
}

impl NumberSum {
    pub fn add(&mut self, rows: u64, value: Option<FixedPointSum>) {
        if let Some(value) = value {
            self.numbers += rows;
            self.sum.add_times(value, rows);
        }
    }
}

/// Rows of a query, and the sum of its number.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct QueryTotals {
    pub rows: u64,
    pub number: NumberSum,
}

impl QueryTotals {
    /// Returns the answer. `scale` is that of the number.
    pub fn answer(self, scale: f64) -> Answer {
        let NumberSum { numbers, sum } = self.number;
        Answer { rows: self.rows as f64, numbers: numbers as f64, sum: sum.total() * scale }
    }
}

/// Sums of a number in each class.
pub(super) struct ClassSums {
    pub sums: Vec<NumberSum>,
    /// Factor of the sums.
    pub scale: f64,
}

impl ClassSums {
    pub fn new(
        classes: &RecordClasses,
        number: &Number,
        weights: Option<&Codes>,
    ) -> Result<ClassSums, Error> {
        let scaled = ScaledNumbers::new(number.values)?;
        let mut sums = filled(NumberSum::default(), classes.count)?;
        classes.each(number.codes, |record, class, code| {
            sums[class].add(record_rows(weights, record), scaled.value(code));
        })?;
        Ok(ClassSums { sums, scale: scaled.scale })
    }
}

/// Sums up terms, in any order.
pub(super) fn sum(terms: impl Iterator<Item = f64>) -> Result<f64, Error> {
    let mut sum = FixedPointSum::default();
    pace::each(terms, |term| sum.add(term))?;
    Ok(sum.total())
}

/// Aggregates of a query's rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Answer {
    pub rows: f64,
    /// Rows that have the number, which are those that `sum` adds up.
    pub numbers: f64,
    pub sum: f64,
}

impl Answer {
    /// Returns an aggregate. As in SQL, the sum and the mean of no rows are NULL (None).
    fn compute(&self, aggregate: Aggregate) -> Option<f64> {
        match aggregate {
            Aggregate::Count => Some(self.rows),
            _ if self.numbers <= 0.0 => None,
            Aggregate::Sum => Some(self.sum),
            Aggregate::Avg => Some(self.sum / self.numbers),
        }
    }

    /// Returns the relative error of an estimate, 1 if it is missing; None if the true answer is NULL or 0.
    pub fn error(&self, aggregate: Aggregate, estimate: &Answer) -> Option<f64> {
        let truth = self.compute(aggregate).filter(|&truth| truth != 0.0)?;
        // Rounded, because the terms of the sums are.
        let off = |estimate: f64| (((estimate - truth) / truth).abs() * ERROR_STEPS).round() / ERROR_STEPS;
        Some(estimate.compute(aggregate).map_or(1.0, off))
    }
}
