//! What a refinement is worth, and what it is worth for its price.
//!
//! With a class, worth is information gain (TDS section 4); without, the fall of certainty loss
//! ([`loss`], API section 3). [`Utility`] is the choice between the two, [`Score`] the trade of gain
//! against privacy loss.

mod information;
mod score;
mod split;

pub(crate) use information::n_log_n;
pub(crate) use split::BestSplit;

pub use information::entropy;
pub use score::Score;

use crate::refine::{Hierarchy, Node, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{loss, Code, Error, Pace};

/// What makes a release useful.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Utility {
    /// It predicts the class: information gain.
    Classification,
    /// It says as much as possible of everything: certainty loss.
    General,
}

impl Utility {
    /// Whether refining R_v can be of use: with a class, R_v holds more than one; without, any.
    pub fn beneficial(self, records: &ClassCounts) -> bool {
        match self {
            Utility::Classification => records.present() > 1,
            Utility::General => records.records() > 0,
        }
    }

    /// The gain of v -> child(v), for a node whose children are there: how much less is unknown of
    /// a record of R_v. InfoGain(v) = I(R_v) - sum over c of |R_c|/|R_v| I(R_c), and the same of
    /// losses; where R_v is empty there is nothing to be gained.
    pub fn gain(
        self,
        hierarchy: &Hierarchy,
        histogram: &Histogram,
        node: NodeId,
        pace: &Pace,
    ) -> Result<f64, Error> {
        let node = hierarchy.node(node);
        let (all, before) = self.unknown(histogram, node, pace)?;
        if all == 0 {
            return Ok(0.0);
        }
        let mut after = 0.0;
        for &child in &node.children {
            let (records, unknown) = self.unknown(histogram, hierarchy.node(child), pace)?;
            after += records as f64 * unknown;
        }
        Ok(denoised(before - after / all as f64))
    }

    /// |R_v|, and how little is known of a record of it: the entropy of its class, or the loss of
    /// the value it is released as.
    fn unknown(self, histogram: &Histogram, node: &Node, pace: &Pace) -> Result<(u64, f64), Error> {
        let codes = node.codes.clone();
        Ok(match self {
            Utility::Classification => {
                let counts = histogram.counts(codes, pace)?;
                (counts.records(), entropy(&counts, pace)?)
            }
            Utility::General => (histogram.records_in(codes, pace)?, node.loss),
        })
    }

    /// The gain of `*` -> {v, `*`}, where `suppressed` are the classes of all records in `*` and
    /// `entropy` their entropy.
    pub fn disclosure_gain(
        self,
        histogram: &Histogram,
        suppressed: &ClassCounts,
        entropy: f64,
        value: Code,
        pace: &Pace,
    ) -> Result<f64, Error> {
        match self {
            Utility::Classification => {
                information::disclosure_gain(histogram, suppressed, entropy, value, pace)
            }
            // Only v's share of the suppressed records loses less than before.
            Utility::General => {
                let share = histogram.records(value) as f64 / suppressed.records() as f64;
                Ok(share * (loss::SUPPRESSED - loss::SINGLE))
            }
        }
    }
}

/// How far a gain may be off by rounding: sums of n log n, divided by n.
pub(crate) const NOISE: f64 = 1e-12;

/// A gain without the noise of rounding: what is nothing shall be nothing, or noise would break
/// ties before order does.
pub(crate) fn denoised(gain: f64) -> f64 {
    if gain < NOISE {
        0.0
    } else {
        gain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_less_than_noise_is_nothing() {
        assert_eq!([-1.0, 0.0, NOISE / 2.0, NOISE, 1.0].map(denoised), [0.0, 0.0, 0.0, NOISE, 1.0]);
    }
}
