//! The fall of certainty loss: the gain where no class is given (API section 3).
//!
//! A refinement's gain is how far the mean loss of the released values ([`loss`]) falls over R_v.

use super::denoised;
use crate::refine::{Hierarchy, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{loss, Code, Error, Pace};

/// The gain of v -> child(v).
pub(super) fn gain(
    hierarchy: &Hierarchy,
    histogram: &Histogram,
    node: NodeId,
    pace: &Pace,
) -> Result<f64, Error> {
    let node = hierarchy.node(node);
    let (mut records, mut loss) = (0, 0.0);
    for &child in &node.children {
        let child = hierarchy.node(child);
        let n = histogram.records_in(child.codes.clone(), pace)?;
        records += n;
        loss += n as f64 * child.loss;
    }
    Ok(denoised(node.loss - loss / records as f64))
}

/// The gain of `*` -> {v, `*`}: only v's share of the suppressed records loses less than before.
pub(super) fn disclosure_gain(histogram: &Histogram, suppressed: &ClassCounts, value: Code) -> f64 {
    (loss::SUPPRESSED - loss::SINGLE) * histogram.records(value) as f64 / suppressed.records() as f64
}
