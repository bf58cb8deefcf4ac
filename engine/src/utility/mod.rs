//! What a refinement is worth, and what it is worth for its price.
//!
//! With a class, worth is information gain (TDS section 4); without, the fall of certainty loss
//! ([`loss`]; docs/reference/functions.md#the-argument-class). [`Utility`] is the choice between the two, [`Score`] the trade of gain
//! against privacy loss.

mod information;
mod score;
mod split;
mod sum_of_bits;

pub(crate) use information::n_log_n;
pub(crate) use split::{Best, BestSplit, Worth};
pub(crate) use sum_of_bits::SumOfBits;

pub use information::entropy;
pub use score::Score;
pub(crate) use score::{GainTerm, LossTerm};

use crate::refine::interval::Domain;
use crate::refine::{Hierarchy, Node, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{loss, pace, Code, Error};
use information::Suppressed;
use std::ops::Range;

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
    pub fn gain(self, hierarchy: &Hierarchy, histogram: &Histogram, node: NodeId) -> Result<f64, Error> {
        let node = hierarchy.node(node);
        let released = |node: &Node| (node.codes.clone(), node.loss);
        let children = node.children.iter().map(|&child| released(hierarchy.node(child)));
        self.gain_of(histogram, released(node), children)
    }

    /// The same of an interval that is not split yet, `at` being the first rank of its right half.
    pub fn split_gain(
        self,
        domain: &Domain,
        histogram: &Histogram,
        codes: &Range<Code>,
        at: Code,
    ) -> Result<f64, Error> {
        let released = |codes: Range<Code>| (codes.clone(), domain.loss(&codes));
        let halves = [codes.start..at, at..codes.end].map(released).into_iter();
        self.gain_of(histogram, released(codes.clone()), halves)
    }

    /// The gain of dividing what is released together, by its codes and its loss.
    fn gain_of(
        self,
        histogram: &Histogram,
        whole: (Range<Code>, f64),
        parts: impl Iterator<Item = (Range<Code>, f64)>,
    ) -> Result<f64, Error> {
        let (all, before) = self.unknown(histogram, whole)?;
        if all == 0 {
            return Ok(0.0);
        }
        let mut after = 0.0;
        for part in parts {
            let (records, unknown) = self.unknown(histogram, part)?;
            after += records as f64 * unknown;
        }
        Ok(denoised(before - after / all as f64))
    }

    /// |R_v|, and how little is known of a record of it: the entropy of its class, or the loss of
    /// the value it is released as.
    fn unknown(self, histogram: &Histogram, (codes, loss): (Range<Code>, f64)) -> Result<(u64, f64), Error> {
        Ok(match self {
            Utility::Classification => {
                let counts = histogram.counts(codes)?;
                (counts.records(), entropy(&counts)?)
            }
            Utility::General => (histogram.records_in(codes)?, loss),
        })
    }

    /// The gain of `*` -> {v, `*`}, where `suppressed` are the classes of all records in `*`.
    pub fn disclosure_gain(
        self,
        histogram: &Histogram,
        suppressed: &ClassCounts,
        value: Code,
    ) -> Result<f64, Error> {
        match self {
            Utility::Classification => {
                let unknown = information::unknown_of(histogram, value)?;
                let of_class = |class| (suppressed.count(class), n_log_n(suppressed.count(class)));
                let (cells, disclosed) = (histogram.cells(value), histogram.records(value));
                let entropy = entropy(suppressed)?;
                Suppressed::new(suppressed.records(), entropy).gain(cells, disclosed, unknown, of_class)
            }
            Utility::General => Ok(share_gained(histogram.records(value), suppressed.records())),
        }
    }

    /// All disclosures of a column are to be weighed: [`Utility::disclosure_gain`] without what they have
    /// in common. What it takes for each class is the caller's to reserve, as the classes in `*` are.
    pub fn weighing<'a>(
        self,
        histogram: &'a Histogram,
        suppressed: &'a ClassCounts,
    ) -> Result<Weighing<'a>, Error> {
        let mut of_classes = Vec::new();
        let mut entropy = 0.0;
        if self == Utility::Classification {
            of_classes = pace::collect(suppressed.all().iter().map(|&n| n_log_n(n)))?;
            entropy = information::entropy_by(suppressed.records(), &of_classes)?;
        }
        let all = Suppressed::new(suppressed.records(), entropy);
        Ok(Weighing { utility: self, histogram, suppressed, of_classes, all })
    }

    /// What is unknown of all records of a value once it is disclosed, whenever that is.
    pub fn unknown_of_value(self, histogram: &Histogram, value: Code) -> Result<f64, Error> {
        match self {
            Utility::Classification => information::unknown_of(histogram, value),
            Utility::General => Ok(0.0),
        }
    }
}

/// Only v's share of the suppressed records loses less than before.
fn share_gained(disclosed: u64, suppressed: u64) -> f64 {
    disclosed as f64 / suppressed as f64 * (loss::SUPPRESSED - loss::SINGLE)
}

/// What the disclosures of a column have in common: what is in `*`.
pub struct Weighing<'a> {
    utility: Utility,
    histogram: &'a Histogram,
    suppressed: &'a ClassCounts,
    /// n log2 n of the records of each class.
    of_classes: Vec<f64>,
    all: Suppressed,
}

impl Weighing<'_> {
    /// The gain of disclosing a value of whose records so much is `unknown` then.
    pub fn gain(&self, value: Code, unknown: f64) -> Result<f64, Error> {
        let disclosed = self.histogram.records(value);
        match self.utility {
            Utility::Classification => {
                let of_class = |class| (self.suppressed.count(class), self.of_classes[class as usize]);
                self.all.gain(self.histogram.cells(value), disclosed, unknown, of_class)
            }
            Utility::General => Ok(share_gained(disclosed, self.all.records)),
        }
    }
}

/// How far a gain may be off by rounding: sums of n log n, divided by n.
pub(crate) const NOISE: f64 = 1e-12;

/// A gain without the noise of rounding: what is nothing shall be nothing, or noise would break
/// ties before order does.
pub(crate) fn denoised(gain: f64) -> f64 {
    noiseless(gain).max(0.0)
}

/// The same of what may be negative.
pub(crate) fn noiseless(gain: f64) -> f64 {
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
    fn what_is_less_than_noise_is_nothing() {
        assert_eq!([-1.0, 0.0, NOISE / 2.0, NOISE, 1.0].map(denoised), [0.0, 0.0, 0.0, NOISE, 1.0]);
    }
}
