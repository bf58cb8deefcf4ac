//! The fall of certainty loss: the gain where no class is given (API section 3).
//!
//! The loss of a released value says how little it tells, from 0 (a single value) to 1
//! (anything); a refinement's gain is how far the mean loss over R_v falls.

use super::denoised;
use crate::refine::{Hierarchy, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::{Code, Error, Pace};

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

/// The gain of `*` -> {v, `*`}: the share of the suppressed records that v's are.
pub(super) fn disclosure_gain(histogram: &Histogram, suppressed: &ClassCounts, value: Code) -> f64 {
    histogram.records(value) as f64 / suppressed.records() as f64
}
