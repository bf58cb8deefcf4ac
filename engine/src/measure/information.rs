//! Class information: the share of the entropy of the class attribute that the released columns explain. It is the
//! mutual information of a row's class and its group (its equivalence class), divided by the entropy of the class.

use super::RecordClasses;
use crate::progress::filled;
use crate::table::{Codes, Store};
use crate::utility::{n_log_n, positive_gain};
use crate::{pace, Code, Error};
use hashbrown::HashMap;

/// Computes the share of the entropy of a `class` attribute that the groups in `classes` explain, from 0 to 1; 0 if the
/// entropy is 0. `weights` has the rows that each record stands for (None: one each).
pub fn class_information(
    classes: &RecordClasses,
    class: &Store,
    weights: Option<&Codes>,
) -> Result<f64, Error> {
    let joint = classes.fold_with(class, weights)?;
    let (mut group_rows, mut class_rows) = (filled(0u64, classes.count)?, HashMap::<Code, u64>::new());
    let mut all_rows = 0;
    pace::each(joint.weights.iter().enumerate(), |(pair, &rows)| {
        let (group, class) = (joint.columns[0].get(pair), joint.columns[1].get(pair));
        all_rows += u64::from(rows);
        group_rows[group as usize] += u64::from(rows);
        *class_rows.entry(class).or_default() += u64::from(rows);
    })?;
    // Bits of the class over all rows, and the bits left within the groups.
    let entropy = n_log_n(all_rows) - sum_n_log_n(class_rows.into_values())?;
    let joint_rows = joint.weights.iter().map(|&rows| u64::from(rows));
    let left = sum_n_log_n(group_rows)? - sum_n_log_n(joint_rows)?;
    Ok(if entropy > 0.0 { (1.0 - positive_gain(left / entropy)).clamp(0.0, 1.0) } else { 0.0 })
}

/// Sums up n log2 n in ascending order, because the last digit of a sum depends on the order.
fn sum_n_log_n(counts: impl IntoIterator<Item = u64>) -> Result<f64, Error> {
    let mut counts = pace::collect(counts)?;
    pace::sort_by(&mut counts, Ord::cmp)?;
    let mut sum = 0.0;
    pace::each(counts, |n| sum += n_log_n(n))?;
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained_share(of_records: &[Code], class: &[Code], weights: Option<&Codes>) -> f64 {
        let count = of_records.iter().max().map_or(0, |&class| class as usize + 1);
        let classes = RecordClasses { of_records: of_records.to_vec().into(), count };
        class_information(&classes, &class.to_vec().into(), weights).unwrap()
    }

    #[test]
    fn all_or_nothing() {
        let class = [0, 0, 1, 1];
        assert_eq!(explained_share(&[0, 0, 1, 1], &class, None), 1.0);
        assert_eq!(explained_share(&[0, 1, 0, 1], &class, None), 0.0);
        assert_eq!(explained_share(&[0, 0, 0, 0], &class, None), 0.0);
        assert_eq!(explained_share(&[0, 1, 2, 3], &[7, 7, 7, 7], None), 0.0);
        assert_eq!(explained_share(&[], &[], None), 0.0);
    }

    /// The group {0, 0, 1} leaves 3 h(1/3) of 4 bits, the group {1} none. A record with a weight counts as its rows do.
    #[test]
    fn by_hand() {
        let left = (3.0 * 3f64.log2() - 2.0) / 4.0;
        let of_rows = explained_share(&[0, 0, 0, 1], &[0, 0, 1, 1], None);
        assert!((of_rows - (1.0 - left)).abs() < 1e-12);
        let weights = Codes::from_iter([2, 1, 1]);
        assert_eq!(explained_share(&[0, 0, 1], &[0, 1, 1], Some(&weights)), of_rows);
    }
}
