//! Entropy and information gain, in bits (TDS section 4; PDA section 4.1 for disclosures).

use super::positive_gain;
use crate::table::{ClassCounts, Histogram};
use crate::{pace, Code, Error};
use std::sync::LazyLock;

/// Returns n log2 n, with 0 log 0 = 0.
pub(crate) fn n_log_n(n: u64) -> f64 {
    /// Results for small n. Most numbers are small, and a look-up takes a fifth of the time.
    static SMALL: LazyLock<[f64; 1024]> = LazyLock::new(|| std::array::from_fn(|n| computed(n as u64)));
    fn computed(n: u64) -> f64 {
        if n == 0 {
            0.0
        } else {
            n as f64 * (n as f64).log2()
        }
    }
    usize::try_from(n).ok().and_then(|n| SMALL.get(n).copied()).unwrap_or_else(|| computed(n))
}

/// Returns I(R), the entropy of the classes.
pub fn entropy(counts: &ClassCounts) -> Result<f64, Error> {
    let mut sum = 0.0;
    pace::each(counts.all(), |&n| sum += n_log_n(n))?;
    Ok(entropy_from_sum(counts.records(), sum))
}

/// Returns I(R) for |R| = `records`, given the `sum` of n log2 n over the classes.
pub(super) fn entropy_from_sum(records: u64, sum: f64) -> f64 {
    if records == 0 {
        0.0
    } else {
        ((records as f64).log2() - sum / records as f64).max(0.0)
    }
}

/// Returns |R_v| I(R_v) of a value: the summed uncertainty about the classes of its records.
pub(super) fn summed_entropy(histogram: &Histogram, value: Code) -> Result<f64, Error> {
    let (records, mut sum) = (histogram.row_count(value), 0.0);
    pace::each(histogram.cells(value), |&(_, n)| sum += n_log_n(u64::from(n)))?;
    Ok(records as f64 * entropy_from_sum(records, sum))
}

/// InfoGain of replacing `T[*]` with `T[v]` and the rest, for any value v.
pub(super) struct DisclosureInfoGains<'a> {
    suppressed: &'a ClassCounts,
    /// n log2 n for the number of suppressed records of each class.
    class_terms: Vec<f64>,
    entropy: f64,
}

impl<'a> DisclosureInfoGains<'a> {
    /// `suppressed` has the classes of all records in `*`.
    pub fn new(suppressed: &'a ClassCounts) -> Result<DisclosureInfoGains<'a>, Error> {
        let class_terms = pace::collect(suppressed.all().iter().map(|&n| n_log_n(n)))?;
        Ok(DisclosureInfoGains { suppressed, class_terms, entropy: entropy(suppressed)? })
    }

    /// Returns the gain of a value, given its [`summed_entropy`]. Only its classes are visited.
    pub fn gain(&self, histogram: &Histogram, value: Code, summed_entropy: f64) -> Result<f64, Error> {
        let all = self.suppressed.records();
        let rest = all - histogram.row_count(value);
        // Sum of n log2 n over the classes in `*`, by the definition of the entropy, then in the rest of `*`.
        let mut sum_rest = all as f64 * ((all as f64).log2() - self.entropy);
        pace::each(histogram.cells(value), |&(class, n)| {
            let left = self.suppressed.count(class) - u64::from(n);
            sum_rest += n_log_n(left) - self.class_terms[class as usize];
        })?;
        let after = summed_entropy + rest as f64 * entropy_from_sum(rest, sum_rest);
        Ok(positive_gain(self.entropy - after / all as f64))
    }
}
