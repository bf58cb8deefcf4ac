//! What a refinement is worth, and what it is worth for its price.
//!
//! With a class, worth is information gain (TDS section 4); without, the fall of certainty loss.
//! [`Utility`] is the choice between the two, [`Score`] the trade of gain against privacy loss.

mod certainty;
mod information;
mod score;
mod split;

pub(crate) use information::n_log_n;
pub(crate) use split::BestSplit;

pub use information::entropy;
pub use score::Score;

use crate::refine::{Hierarchy, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{Code, Error, Pace};

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

    /// The gain of v -> child(v), for a node whose children are there.
    pub fn gain(
        self,
        hierarchy: &Hierarchy,
        histogram: &Histogram,
        node: NodeId,
        pace: &Pace,
    ) -> Result<f64, Error> {
        match self {
            Utility::Classification => information::gain(hierarchy, histogram, node, pace),
            Utility::General => certainty::gain(hierarchy, histogram, node, pace),
        }
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
            Utility::General => Ok(certainty::disclosure_gain(histogram, suppressed, value)),
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
