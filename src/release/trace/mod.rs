//! The trace of a version's search: loaded from where it is stored, and followed to the cut, or the groups, after a step.

pub mod batch;
pub mod groups;
pub mod load;
pub mod masked;
pub mod regroup;
pub mod rewound;
pub mod tree;

use crate::postgres::error::{Result, SqlError};
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::parameters::Parameters;
use crate::search::StepRow;
use pgrx::pg_sys::Oid;

/// A version of a release, seen under the snapshot in force.
pub struct Version<'a> {
    /// The release's private schema.
    pub private: Oid,
    /// Its number.
    pub number: i32,
    /// How it was made.
    pub parameters: &'a Parameters,
}

impl Version<'_> {
    /// A version of a release, with how the current one was made.
    pub fn of(existing: &ExistingRelease, number: i32) -> Result<Version<'_>> {
        Ok(Version { private: existing.private, number, parameters: existing.parameters()? })
    }
}

/// The error of a step that says too little, or what cannot be.
fn unknown(step: &StepRow) -> SqlError {
    SqlError::state(format!("step {} of the release cannot be followed", step.number))
}
