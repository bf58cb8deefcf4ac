//! Sums of bits for terms that come and go during a search. Whole units leave no rounding error behind, and the order
//! of the terms makes no difference.

use super::noiseless;

/// Sum of bits over records, in units of 2^-64 bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SumOfBits(i128);

impl SumOfBits {
    const UNIT: f64 = (1u128 << 64) as f64;

    pub fn add(&mut self, bits: f64) {
        self.0 += (bits * SumOfBits::UNIT) as i128;
    }

    pub fn take(&mut self, bits: f64) {
        self.0 -= (bits * SumOfBits::UNIT) as i128;
    }

    /// Returns the mean of the sum over a number of rows.
    pub fn of_each(self, rows: usize) -> f64 {
        noiseless(self.0 as f64 / SumOfBits::UNIT / rows.max(1) as f64)
    }
}
