//! Sums in fixed point, for terms that come and go during a search. Adding and subtracting a term leaves no rounding
//! error behind, and the order of the terms makes no difference.

use super::without_noise;

/// Sum in units of 2^-64.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct FixedPointSum(i128);

impl FixedPointSum {
    const UNIT: f64 = (1u128 << 64) as f64;

    pub fn add(&mut self, term: f64) {
        self.0 += (term * FixedPointSum::UNIT) as i128;
    }

    /// Makes a sum of one term.
    pub fn new(term: f64) -> FixedPointSum {
        FixedPointSum((term * FixedPointSum::UNIT) as i128)
    }

    /// Adds another sum several times.
    pub fn add_times(&mut self, other: FixedPointSum, times: u64) {
        // A checked product takes several times as long as a sum.
        self.0 += if times == 1 { other.0 } else { other.0 * i128::from(times) };
    }

    /// Returns the sum.
    pub fn total(self) -> f64 {
        self.0 as f64 / FixedPointSum::UNIT
    }

    pub fn subtract(&mut self, term: f64) {
        self.0 -= (term * FixedPointSum::UNIT) as i128;
    }

    /// Returns the mean of the sum over a number of rows.
    pub fn per_row(self, rows: usize) -> f64 {
        without_noise(self.0 as f64 / FixedPointSum::UNIT / rows.max(1) as f64)
    }
}
