//! l-diversity (Machanavajjhala et al., ICDE 2006): each group holds l well-represented sensitive values, in one of
//! three senses.

use super::{Criterion, Direction, GroupCounts, PrivacyModel, ROUNDING};
use crate::progress::with_capacity;
use crate::{pace, Error};
use std::any::Any;

/// Meaning of "well-represented". Distinct l-diversity is the same of persons as of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Diversity {
    /// At least `l` distinct values. The measure is the smallest number of distinct values in a group.
    Distinct {
        /// Smallest allowed number of values.
        l: f64,
    },
    /// An entropy of at least ln(`l`). The measure is the smallest exp(H).
    Entropy {
        /// Smallest allowed exp(H).
        l: f64,
    },
    /// r1 < `c` (r_l + ... + r_m), with the counts r in falling order. The measure is the largest r1/(r_l + ... +
    /// r_m), which is infinite if a group has fewer than `l` values.
    Recursive {
        /// Rank of the first count in the sum; 1 is the most frequent value.
        l: usize,
        /// Upper bound of the ratio, itself not allowed.
        c: f64,
    },
}

impl PrivacyModel {
    /// Requires diversity of `sensitive` in the groups on `attributes`.
    pub fn l_diversity(attributes: Vec<usize>, sensitive: usize, diversity: Diversity) -> PrivacyModel {
        PrivacyModel { sensitive: Some(sensitive), ..PrivacyModel::new(attributes, diversity) }
    }
}

impl Criterion for Diversity {
    fn direction(&self) -> Direction {
        match self {
            Diversity::Distinct { .. } | Diversity::Entropy { .. } => Direction::Falling,
            Diversity::Recursive { .. } => Direction::Rising,
        }
    }
    fn measure(&self, group: GroupCounts, of_persons: bool, measures: &mut [f64]) -> Result<(), Error> {
        measures[0] = match *self {
            Diversity::Distinct { .. } => {
                let mut distinct = 0;
                pace::each(group.counts, |&n| distinct += u32::from(n > 0))?;
                f64::from(distinct)
            }
            Diversity::Entropy { .. } => {
                let all = group.sensitive_total(of_persons)?;
                let mut entropy = 0.0;
                pace::each(group.counts, |&n| {
                    if n > 0 {
                        let share = f64::from(n) / all;
                        entropy -= share * share.ln();
                    }
                })?;
                entropy.exp()
            }
            Diversity::Recursive { l, .. } => recursive_ratio(group, l)?,
        };
        Ok(())
    }
    fn holds(&self, measure: f64) -> bool {
        match *self {
            Diversity::Distinct { l } => measure >= l,
            Diversity::Entropy { l } => measure >= l - ROUNDING,
            Diversity::Recursive { c, .. } => measure < c,
        }
    }
    fn depends_on_persons(&self) -> bool {
        !matches!(self, Diversity::Distinct { .. })
    }
    fn holds_for_unions(&self) -> bool {
        matches!(self, Diversity::Distinct { .. })
    }
    /// True if `other` is of the same kind, and its parameters are no weaker.
    fn is_no_stricter_than(&self, other: &dyn Criterion) -> bool {
        (other as &dyn Any).downcast_ref().is_some_and(|other| match (self, other) {
            (Diversity::Distinct { l }, Diversity::Distinct { l: more })
            | (Diversity::Entropy { l }, Diversity::Entropy { l: more }) => l <= more,
            (Diversity::Recursive { l, c }, Diversity::Recursive { l: more, c: less }) => {
                l <= more && c >= less
            }
            _ => false,
        })
    }
}

/// Returns r1/(r_l + ... + r_m).
fn recursive_ratio(group: GroupCounts, l: usize) -> Result<f64, Error> {
    let mut counts = with_capacity(group.counts.len().min(group.records as usize))?;
    pace::each(group.counts, |&n| {
        if n > 0 {
            counts.push(n);
        }
    })?;
    if counts.len() < l {
        return Ok(f64::INFINITY);
    }
    pace::sort_by(&mut counts, |a, b| b.cmp(a))?;
    let mut rarer = 0;
    pace::each(&counts[l.max(1) - 1..], |&n| rarer += u64::from(n))?;
    Ok(f64::from(counts[0]) / rarer as f64)
}
