//! The trace of a version's search: loaded from where it is stored, and followed to the cut, or the groups, after a step.

pub mod batch;
pub mod groups;
mod legacy;
pub mod load;
pub mod regroup;
pub mod rewound;
pub mod tree;

use crate::postgres::error::SqlError;
use crate::search::StepRow;

/// The error of a step that says too little, or what cannot be.
fn unknown(step: &StepRow) -> SqlError {
    SqlError::state(format!("step {} of the release cannot be followed", step.number))
}
