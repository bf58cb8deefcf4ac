//! Gain of a refinement, and its score against the privacy loss.
//!
//! With a class, the gain is information gain (TDS section 4). Without one it is the fall of certainty loss ([`loss`];
//! docs/reference/functions.md#the-argument-class). [`Utility`] chooses between the two, [`Score`] weighs gain against
//! privacy loss.

mod fixed_point_sum;
mod information;
mod score;
mod split;

pub(crate) use fixed_point_sum::FixedPointSum;
pub(crate) use information::n_log_n;
pub(crate) use split::{BestSplit, BestSplitSoFar, ClassHalves, SplitWorth};

pub use information::entropy;
pub use score::Score;

use crate::refine::interval::Domain;
use crate::refine::{Hierarchy, Node, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{loss, Code, Error};
use information::DisclosureInfoGains;
use std::ops::Range;

/// Purpose of a release, which determines the gain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// Prediction of the class: information gain.
    Classification,
    /// General use: the fall of certainty loss.
    General,
}

impl Utility {
    /// Returns whether refining R_v can have a gain: with a class, if R_v holds several; without, if it holds any
    /// record.
    pub fn beneficial(self, records: &ClassCounts) -> bool {
        match self {
            Utility::Classification => records.occurring_classes() > 1,
            Utility::General => records.records() > 0,
        }
    }

    /// Returns the gain of v -> child(v), for a node with children: InfoGain(v) = I(R_v) - sum over c of |R_c|/|R_v|
    /// I(R_c), or the same of certainty losses. The gain is 0 if R_v is empty.
    pub fn gain(self, hierarchy: &Hierarchy, histogram: &Histogram, node: NodeId) -> Result<f64, Error> {
        let node = hierarchy.node(node);
        let released = |node: &Node| ReleasedAs { codes: node.codes.clone(), loss: node.loss };
        let children = node.children.iter().map(|&child| released(hierarchy.node(child)));
        self.division_gain(histogram, released(node), children)
    }

    /// Returns the gain of splitting an interval. `at` is the first rank of the right half.
    pub fn split_gain(
        self,
        domain: &Domain,
        histogram: &Histogram,
        codes: &Range<Code>,
        at: Code,
    ) -> Result<f64, Error> {
        let released = |codes: Range<Code>| ReleasedAs { loss: domain.loss(&codes), codes };
        let halves = [codes.start..at, at..codes.end].map(released).into_iter();
        self.division_gain(histogram, released(codes.clone()), halves)
    }

    /// Returns the gain of dividing a node into parts.
    fn division_gain(
        self,
        histogram: &Histogram,
        whole: ReleasedAs,
        parts: impl Iterator<Item = ReleasedAs>,
    ) -> Result<f64, Error> {
        let whole = self.uncertainty(histogram, whole)?;
        if whole.records == 0 {
            return Ok(0.0);
        }
        let mut after = 0.0;
        for part in parts {
            let part = self.uncertainty(histogram, part)?;
            after += part.records as f64 * part.per_record;
        }
        Ok(positive_gain(whole.per_record - after / whole.records as f64))
    }

    fn uncertainty(self, histogram: &Histogram, released: ReleasedAs) -> Result<Uncertainty, Error> {
        let ReleasedAs { codes, loss } = released;
        Ok(match self {
            Utility::Classification => {
                let counts = histogram.counts(codes)?;
                Uncertainty { records: counts.records(), per_record: entropy(&counts)? }
            }
            Utility::General => Uncertainty { records: histogram.row_count_in(codes)?, per_record: loss },
        })
    }

    /// Returns the gain of `*` -> {v, `*`}. `suppressed` has the classes of all records in `*`.
    pub fn disclosure_gain(
        self,
        histogram: &Histogram,
        suppressed: &ClassCounts,
        value: Code,
    ) -> Result<f64, Error> {
        let unknown = self.disclosed_uncertainty(histogram, value)?;
        self.disclosure_gains(histogram, suppressed)?.gain(value, unknown)
    }

    /// Prepares [`Utility::disclosure_gain`] for many values.
    pub fn disclosure_gains<'a>(
        self,
        histogram: &'a Histogram,
        suppressed: &'a ClassCounts,
    ) -> Result<DisclosureGains<'a>, Error> {
        let of_classes = match self {
            Utility::Classification => Some(DisclosureInfoGains::new(suppressed)?),
            Utility::General => None,
        };
        Ok(DisclosureGains { histogram, suppressed, of_classes })
    }

    /// Returns the summed uncertainty of the records of a disclosed value. It does not depend on the other
    /// disclosures.
    pub fn disclosed_uncertainty(self, histogram: &Histogram, value: Code) -> Result<f64, Error> {
        match self {
            Utility::Classification => information::summed_entropy(histogram, value),
            Utility::General => Ok(0.0),
        }
    }
}

/// A node or an interval: its codes, and its certainty loss.
struct ReleasedAs {
    codes: Range<Code>,
    loss: f64,
}

/// What readers do not know of the records R_v with a released value v.
struct Uncertainty {
    /// |R_v|.
    records: u64,
    /// Entropy of the class, or loss of the released value.
    per_record: f64,
}

/// Gains of the disclosures of a column.
pub struct DisclosureGains<'a> {
    histogram: &'a Histogram,
    suppressed: &'a ClassCounts,
    /// None without a class.
    of_classes: Option<DisclosureInfoGains<'a>>,
}

impl DisclosureGains<'_> {
    /// Returns the gain of disclosing a value, given its [`Utility::disclosed_uncertainty`].
    pub fn gain(&self, value: Code, unknown: f64) -> Result<f64, Error> {
        match &self.of_classes {
            Some(gains) => gains.gain(self.histogram, value, unknown),
            // Only the disclosed records lose less than before.
            None => {
                let share = self.histogram.row_count(value) as f64 / self.suppressed.records() as f64;
                Ok(share * (loss::SUPPRESSED - loss::SINGLE))
            }
        }
    }
}

/// Bound of the rounding error of a gain, a sum of n log n divided by n. Smaller gains count as 0. If it were smaller,
/// rounding would decide between equal candidates; if larger, small gains would be lost.
pub(crate) const NOISE: f64 = 1e-12;

/// Returns 0 for a gain that is negative or may be a rounding error. Otherwise such errors would decide ties.
pub(crate) fn positive_gain(gain: f64) -> f64 {
    without_noise(gain).max(0.0)
}

/// Returns 0 for a number that may be a rounding error.
pub(crate) fn without_noise(gain: f64) -> f64 {
    if gain.abs() < NOISE {
        0.0
    } else {
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_below_noise_are_zero() {
        assert_eq!([-1.0, 0.0, NOISE / 2.0, NOISE, 1.0].map(positive_gain), [0.0, 0.0, 0.0, NOISE, 1.0]);
    }
}
