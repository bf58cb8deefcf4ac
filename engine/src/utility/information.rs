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
    pub fn gain(&self, histogram: &Histogram, value: Code, unknown: f64) -> Result<f64, Error> {
        let all = self.suppressed.records();
        let rest = all - histogram.row_count(value);
        // Subtracts the records of the value from the sum of n log2 n over all of `*`.
        let mut sum_rest = all as f64 * ((all as f64).log2() - self.entropy);
        pace::each(histogram.cells(value), |&(class, n)| {
            let left = self.suppressed.count(class) - u64::from(n);
            sum_rest += n_log_n(left) - self.class_terms[class as usize];
        })?;
        let after = unknown + rest as f64 * entropy_from_sum(rest, sum_rest);
        Ok(positive_gain(self.entropy - after / all as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Codes;
    use crate::utility::Utility;

    fn counts(cells: &[(Code, u32)]) -> ClassCounts {
        let mut c = ClassCounts::new(3);
        c.add(cells).unwrap();
        c
    }

    fn entropy(counts: &ClassCounts) -> f64 {
        super::entropy(counts).unwrap()
    }

    #[test]
    fn example_4_of_tds() {
        assert!((entropy(&counts(&[(0, 21), (1, 13)])) - 0.9597).abs() < 1e-4);
        assert!((entropy(&counts(&[(0, 5), (1, 11)])) - 0.8960).abs() < 1e-4);
        assert!((entropy(&counts(&[(0, 16), (1, 2)])) - 0.5033).abs() < 1e-4);
        assert_eq!(entropy(&counts(&[(0, 16)])), 0.0);
        assert_eq!(entropy(&counts(&[])), 0.0);
    }

    #[test]
    fn disclosure_equals_the_definition() {
        let codes = Codes::from_iter([0, 0, 0, 1, 1, 2, 2, 2, 2]);
        let class = Codes::from_iter([0, 1, 0, 2, 2, 0, 1, 2, 1]);
        let h = Histogram::new(&codes, 3, Some((&class, 3)), None).unwrap();
        let all = h.counts(0..3).unwrap();
        for v in 0..3 {
            let mut rest = all.clone();
            rest.remove(h.cells(v)).unwrap();
            let one = h.counts(v..v + 1).unwrap();
            let expected = entropy(&all)
                - (one.records() as f64 * entropy(&one) + rest.records() as f64 * entropy(&rest)) / 9.0;
            let gain = Utility::Classification.disclosure_gain(&h, &all, v).unwrap();
            assert!((gain - expected).abs() < 1e-12);
        }
    }
}
