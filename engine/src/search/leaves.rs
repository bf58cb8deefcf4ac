//! What a refinement tells of the class beyond what the rest of the release tells: the gain of the
//! conditional score.
//!
//! The leaves are the groups on all masked columns together. G is the fall of the class's entropy given the
//! leaf, over the whole table, less what as many new leaves would let it fall by chance alone: (classes - 1)
//! / (2 N ln 2) bits each (Miller, Madow). Each leaf that holds a candidate's node has a share in it, which
//! follows from its class counts.

use crate::partition::Tally;
use crate::utility::n_log_n;
use crate::{pace, Error};
use std::borrow::Borrow;

/// Where the leaves are counted, and how.
pub(super) struct Leaves {
    /// The index whose partition is over all masked columns and counts the class.
    pub index: usize,
    /// Where the class stands among the partition's sensitive columns.
    pub class: usize,
    /// What a new leaf tells by chance alone, times the rows.
    pub bias: f64,
}

impl Leaves {
    /// The class is the last of the sensitive columns of the partition.
    pub fn new(index: usize, class: usize, classes: usize) -> Leaves {
        let bias = (classes.max(1) - 1) as f64 / (2.0 * std::f64::consts::LN_2);
        Leaves { index, class, bias }
    }

    /// G of a leaf: what dividing its records by child tells of the class, less what chance would tell.
    pub fn told_by_parts(&self, tally: &Tally, children: usize) -> Result<f64, Error> {
        pace::tick(children)?;
        let parts = (0..children as u32).filter(|&child| tally.records[child as usize] > 0);
        let (mut whole, mut known, mut more) = (vec![0; tally.values(self.class, 0).len()], 0.0, -1.0);
        for part in parts {
            let classes = tally.values(self.class, part);
            pace::each(whole.iter_mut().zip(classes), |(sum, n)| *sum += n)?;
            known += class_entropy_sum(classes, tally.records[part as usize])?;
            more += 1.0;
        }
        if more < 1.0 {
            return Ok(0.0);
        }
        let mut records = 0;
        pace::each(&whole, |n| records += n)?;
        Ok(class_entropy_sum(&whole, records)? - known - more * self.bias)
    }

    /// As `told_by_parts`, bit for bit, for a disclosure: the records of one value, and the rest of the leaf.
    pub fn told_by_value(
        &self,
        (whole, all): (u32, &[u32]),
        tally: &Tally,
        value: u32,
    ) -> Result<f64, Error> {
        let records = tally.records[value as usize];
        if records == whole {
            return Ok(0.0);
        }
        let part = tally.values(self.class, value);
        let rest = all.iter().zip(part).map(|(all, part)| all - part);
        let known = class_entropy_sum(rest, whole - records)? + class_entropy_sum(part, records)?;
        Ok(class_entropy_sum(all, whole)? - known - self.bias)
    }
}

/// What is unknown of the class of some records: n times the entropy.
pub(super) fn class_entropy_sum(
    classes: impl IntoIterator<Item = impl Borrow<u32>>,
    records: u32,
) -> Result<f64, Error> {
    let mut unknown = n_log_n(u64::from(records));
    pace::each(classes, |n| unknown -= n_log_n(u64::from(*n.borrow())))?;
    Ok(unknown)
}
