//! Entropy and information gain, in bits (TDS section 4; PDA section 4.1 for disclosures).

use super::denoised;
use crate::table::{ClassCounts, Histogram};
use crate::{Code, Error, Pace};

/// n log2 n, with 0 log 0 = 0.
pub(crate) fn n_log_n(n: u64) -> f64 {
    if n == 0 {
        0.0
    } else {
        n as f64 * (n as f64).log2()
    }
}

/// The sum of n log2 n over the classes.
pub(super) fn sum_n_log_n(counts: &ClassCounts, pace: &Pace) -> Result<f64, Error> {
    let mut sum = 0.0;
    pace.each(counts.all(), |&n| sum += n_log_n(n))?;
    Ok(sum)
}

/// I(R): how mixed the classes are.
pub fn entropy(counts: &ClassCounts, pace: &Pace) -> Result<f64, Error> {
    Ok(entropy_of(counts.records(), sum_n_log_n(counts, pace)?))
}

/// I(R) of |R| = `records` whose sum of n log2 n over the classes is `sum`.
pub(super) fn entropy_of(records: u64, sum: f64) -> f64 {
    if records == 0 {
        0.0
    } else {
        ((records as f64).log2() - sum / records as f64).max(0.0)
    }
}

/// InfoGain of replacing T[*] with T[v] and the rest; touches the classes of v only.
pub(super) fn disclosure_gain(
    histogram: &Histogram,
    suppressed: &ClassCounts,
    before: f64,
    value: Code,
    pace: &Pace,
) -> Result<f64, Error> {
    let cells = histogram.cells(value);
    let (all, disclosed) = (suppressed.records(), histogram.records(value));
    let rest = all - disclosed;
    // Sums of n log2 n: of the disclosed records, and of the rest as what is left of all.
    let mut sum_disclosed = 0.0;
    let mut sum_rest = all as f64 * ((all as f64).log2() - before);
    pace.each(cells, |&(class, n)| {
        let count = suppressed.count(class);
        sum_disclosed += n_log_n(u64::from(n));
        sum_rest += n_log_n(count - u64::from(n)) - n_log_n(count);
    })?;
    let after =
        disclosed as f64 * entropy_of(disclosed, sum_disclosed) + rest as f64 * entropy_of(rest, sum_rest);
    Ok(denoised(before - after / all as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Codes;
    use crate::{Reservation, Unobserved};

    fn counts(cells: &[(Code, u32)]) -> ClassCounts {
        let mut c = ClassCounts::new(3);
        c.add(cells, &Pace::new(&Unobserved)).unwrap();
        c
    }

    fn entropy(counts: &ClassCounts) -> f64 {
        super::entropy(counts, &Pace::new(&Unobserved)).unwrap()
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
        let pace = Pace::new(&Unobserved);
        let h = Histogram::new(&codes, 3, Some((&class, 3)), &mut Reservation::unobserved()).unwrap();
        let all = h.counts(0..3, &pace).unwrap();
        for v in 0..3 {
            let mut rest = all.clone();
            rest.remove(h.cells(v), &pace).unwrap();
            let one = h.counts(v..v + 1, &pace).unwrap();
            let expected = entropy(&all)
                - (one.records() as f64 * entropy(&one) + rest.records() as f64 * entropy(&rest)) / 9.0;
            let gain = disclosure_gain(&h, &all, entropy(&all), v, &pace).unwrap();
            assert!((gain - expected).abs() < 1e-12);
        }
    }
}
