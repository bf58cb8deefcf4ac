//! Non-uniform entropy of one column (Gionis and Tassa, "k-anonymization with minimal loss of information", 2009): the
//! share of the bits of the rows' values that a release loses.
//!
//! Let h of n rows hold a value, and w rows the values that its released value covers. Then each of the h rows loses
//! log2(w/h) bits. Suppression of all rows would cost it log2(n/h) bits.

use crate::utility::{n_log_n, positive_gain};
use crate::{pace, Error};

/// Computes the share of the bits that is lost; 0 if there is nothing to lose. `held` has the rows of each value.
/// `released` has, for each released value, the rows released as it, and the rows whose values it covers.
pub fn non_uniform_entropy(held: &[u64], released: &[(u64, u64)]) -> Result<f64, Error> {
    let (mut rows, mut known) = (0, 0.0);
    pace::each(held, |&n| {
        rows += n;
        known += n_log_n(n);
    })?;
    let mut left = 0.0;
    pace::each(released, |&(rows, within)| left += rows as f64 * (within.max(1) as f64).log2())?;
    let (lost, all) = (left - known, n_log_n(rows) - known);
    Ok(if all > 0.0 { positive_gain(lost / all).min(1.0) } else { 0.0 })
}

/// Computes the share after released values were joined, if each covers just the rows released as it. `share_before` is
/// the share before. `before` and `after` have the rows of each released value.
pub fn entropy_after_joining(share_before: f64, before: Vec<u64>, after: Vec<u64>) -> f64 {
    let sum = |mut released: Vec<u64>| {
        // A fixed order, because the last digit of a sum depends on it.
        released.sort_unstable();
        released.into_iter().map(n_log_n).sum::<f64>()
    };
    let whole = n_log_n(before.iter().sum());
    let (before, after) = (sum(before), sum(after));
    // The sum over the original values, from share_before = (before - original) / (whole - original).
    let original = (before - share_before * whole) / (1.0 - share_before);
    if share_before < 1.0 && original < whole {
        positive_gain((after - original) / (whole - original)).clamp(0.0, 1.0)
    } else {
        share_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lost(held: &[u64], released: &[(u64, u64)]) -> f64 {
        non_uniform_entropy(held, released).unwrap()
    }

    /// Rows a a b c, and {b, c} is one node: b and c lose a bit each, out of 1 + 1 + 2 + 2.
    #[test]
    fn by_hand() {
        assert!((lost(&[2, 1, 1], &[(2, 2), (2, 2)]) - 2.0 / 6.0).abs() < 1e-12);
        assert_eq!(lost(&[2, 1, 1], &[(4, 4)]), 1.0);
        assert_eq!(lost(&[2, 1, 1], &[(2, 2), (1, 1), (1, 1)]), 0.0);
    }

    #[test]
    fn nothing_to_lose() {
        assert_eq!(lost(&[], &[]), 0.0);
        assert_eq!(lost(&[0, 7], &[(7, 7)]), 0.0);
        assert_eq!(lost(&[1, 1], &[(0, 0), (1, 1), (1, 1)]), 0.0);
    }

    /// Rows a a b c as {a}, {b, c}, then as {a, b, c}. The share stays if all bits are lost, or if the column has none.
    #[test]
    fn coarser() {
        let now = lost(&[2, 1, 1], &[(2, 2), (2, 2)]);
        assert!((entropy_after_joining(now, vec![2, 2], vec![4]) - 1.0).abs() < 1e-12);
        assert!((entropy_after_joining(now, vec![2, 2], vec![2, 2]) - now).abs() < 1e-12);
        assert_eq!(entropy_after_joining(1.0, vec![4], vec![4]), 1.0);
        assert_eq!(entropy_after_joining(0.0, vec![4], vec![4]), 0.0);
        assert_eq!(entropy_after_joining(0.0, vec![], vec![]), 0.0);
    }

    proptest! {
        /// Joining released values loses the same share as releasing the joined values at once.
        #[test]
        fn coarser_is_as_if_released_so(held in prop::collection::vec(1u64..1000, 8)) {
            let joined = |by: usize| held.chunks(by).map(|values| values.iter().sum()).collect::<Vec<u64>>();
            let of = |by| lost(&held, &joined(by).iter().map(|&n| (n, n)).collect::<Vec<_>>());
            let coarser = entropy_after_joining(of(2), joined(2), joined(4));
            prop_assert!((coarser - of(4)).abs() < 1e-9);
        }

        /// Compares with the sum over the rows, each released as a set that contains its value.
        #[test]
        fn equals_the_sum_over_the_rows(
            rows in prop::collection::vec((0usize..6, 0u8..64), 1..200),
            often in 1u64..1_000_000,
        ) {
            let mut held = [0; 6];
            rows.iter().for_each(|&(value, _)| held[value] += often);
            let mut released = std::collections::BTreeMap::<u8, u64>::new();
            let within = |set: u8| (0..6).filter(|v| set >> v & 1 == 1).map(|v| held[v]).sum::<u64>();
            let all: u64 = held.iter().sum();
            let (mut lost_bits, mut all_bits) = (0.0, 0.0);
            for &(value, others) in &rows {
                let set = others | 1 << value;
                *released.entry(set).or_default() += often;
                lost_bits += (within(set) as f64 / held[value] as f64).log2();
                all_bits += (all as f64 / held[value] as f64).log2();
            }
            let released: Vec<(u64, u64)> = released.into_iter().map(|(set, n)| (n, within(set))).collect();
            let expected = if all_bits > 0.0 { lost_bits / all_bits } else { 0.0 };
            prop_assert!((lost(&held, &released) - expected).abs() < 1e-9);
        }
    }
}
