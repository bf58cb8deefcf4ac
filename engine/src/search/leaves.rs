//! The gain G of the conditional score: the class information that a refinement adds, given the rest of the release.
//!
//! The leaves are the groups on all masked columns together. G is the fall of the class's entropy given the leaf, over
//! the whole table, less the fall that is expected by chance: (classes - 1) / (2 N ln 2) bits for each new leaf
//! (Miller, Madow). It is a sum of shares, one for each leaf that holds the candidate's node. A share follows from the
//! class counts of its leaf.

use crate::partition::{Child, Tally};
use crate::utility::n_log_n;
use crate::{pace, Error};
use std::borrow::Borrow;

/// Partition of the leaves, and how the class is counted there.
pub(super) struct Leaves {
    /// Number of the partition that is over all masked columns and counts the class.
    pub partition_number: usize,
    /// Place of the class among the partition's sensitive columns.
    pub class: usize,
    /// Class information of a new leaf that is expected by chance, in bits times rows of the table.
    pub chance_gain: f64,
}

impl Leaves {
    /// The class has `classes` values.
    pub fn new(partition_number: usize, class: usize, classes: usize) -> Leaves {
        let bias = (classes.max(1) - 1) as f64 / (2.0 * std::f64::consts::LN_2);
        Leaves { partition_number, class, chance_gain: bias }
    }

    /// Returns the share of a leaf that is divided by child: the class information, in bits times rows, less that
    /// expected by chance.
    pub fn leaf_gain_of_split(&self, tally: &mut Tally, children: usize) -> Result<f64, Error> {
        // A leaf that is divided into n has n - 1 new ones.
        let (mut whole, mut unknown, mut new_leaves) = (Vec::new(), 0.0, -1.0);
        for number in 0..children as u32 {
            pace::tick(1)?;
            let child = tally.child(number)?;
            if child.records() > 0 {
                let classes = child.values(self.class);
                whole.resize(classes.len(), 0);
                pace::each(whole.iter_mut().zip(classes), |(sum, n)| *sum += n)?;
                unknown += class_entropy_sum(classes, child.records())?;
                new_leaves += 1.0;
            }
        }
        if new_leaves < 1.0 {
            return Ok(0.0);
        }
        let mut records = 0;
        pace::each(&whole, |n| records += n)?;
        Ok(class_entropy_sum(&whole, records)? - unknown - new_leaves * self.chance_gain)
    }

    /// Returns the share of a leaf that a disclosure divides into the records of a value, the `child`, and the rest.
    /// The leaf has `whole` rows, with the class counts `all`. The share is that of `leaf_gain_of_split` to the last bit.
    pub fn leaf_gain_of_disclosure(&self, whole: u32, all: &[u32], child: Child) -> Result<f64, Error> {
        let records = child.records();
        if records == whole {
            return Ok(0.0);
        }
        let part = child.values(self.class);
        let rest = all.iter().zip(part).map(|(all, part)| all - part);
        let unknown = class_entropy_sum(rest, whole - records)? + class_entropy_sum(part, records)?;
        Ok(class_entropy_sum(all, whole)? - unknown - self.chance_gain)
    }
}

/// Returns the entropy of the class in some records, times their number.
pub(super) fn class_entropy_sum(
    classes: impl IntoIterator<Item = impl Borrow<u32>>,
    records: u32,
) -> Result<f64, Error> {
    let mut unknown = n_log_n(u64::from(records));
    pace::each(classes, |n| unknown -= n_log_n(u64::from(*n.borrow())))?;
    Ok(unknown)
}
