//! Sums of bits that are added to and taken from for as long as a search lasts: in whole units, which leave no
//! rounding behind and do not depend on order.

use super::noiseless;

/// Bits times records, in units of 2^-64.
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

    /// The bits of each of as many `rows`.
    pub fn of_each(self, rows: usize) -> f64 {
        noiseless(self.0 as f64 / SumOfBits::UNIT / rows.max(1) as f64)
    }
}
