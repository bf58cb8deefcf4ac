//! Class information: the share of the class's entropy that the released columns explain. It is the mutual information
//! of a row's class and its equivalence class, divided by the entropy of the class.

use super::RecordClasses;
use crate::progress::filled;
use crate::table::{Codes, Store};
use crate::utility::{n_log_n, positive_gain};
use crate::{pace, Code, Error};
use hashbrown::HashMap;

/// Computes the share of the entropy of a `class` attribute that the equivalence classes explain, from 0 to 1; 0 if the
/// entropy is 0. `weights` has the rows that each record stands for (None: one each).
pub fn class_information(
    classes: &RecordClasses,
    class: &Store,
    weights: Option<&Codes>,
) -> Result<f64, Error> {
    let joint = classes.fold_with(class, weights)?;
    let (mut by_group, mut by_class) = (filled(0u64, classes.count)?, HashMap::<Code, u64>::new());
    let mut all_rows = 0;
    pace::each(joint.weights.iter().enumerate(), |(pair, &rows)| {
        let (group, class) = (joint.columns[0].get(pair), joint.columns[1].get(pair));
        all_rows += u64::from(rows);
        by_group[group as usize] += u64::from(rows);
        *by_class.entry(class).or_default() += u64::from(rows);
    })?;
    // A fixed order, because the last digit of a sum depends on it.
    let sum = |rows: &mut dyn Iterator<Item = u64>| {
        let mut rows: Vec<u64> = pace::collect(rows)?;
        pace::sort_by(&mut rows, Ord::cmp)?;
        let mut sum = 0.0;
        pace::each(rows, |n| sum += n_log_n(n))?;
        Ok::<f64, Error>(sum)
    };
    let within = sum(&mut joint.weights.iter().map(|&rows| u64::from(rows)))?;
    let (groups, of_classes) = (sum(&mut by_group.into_iter())?, sum(&mut by_class.into_values())?);
    let all = n_log_n(all_rows);
    // Bits of the class over all rows, and the bits left within the groups.
    let (entropy, left) = (all - of_classes, groups - within);
    Ok(if entropy > 0.0 { (1.0 - positive_gain(left / entropy)).clamp(0.0, 1.0) } else { 0.0 })
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
