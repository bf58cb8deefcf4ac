//! The SQL functions, a file a family. Each takes its arguments, calls one thing, and turns an
//! error into an ERROR; what a function promises is in its comment in sql/finalize.sql and in the
//! README.

mod check;
mod kmember;
pub mod masking;
mod measure;
mod pda;
pub mod privacy_model;
mod release;
mod taxonomy;
mod tds;

use crate::error::{Result, SqlError};

/// The elements of an array argument, none of which may be NULL.
fn elements<T>(argument: &str, array: Option<Vec<Option<T>>>) -> Result<Vec<T>> {
    let array = array.ok_or_else(|| SqlError::null(argument))?;
    array
        .into_iter()
        .collect::<Option<Vec<T>>>()
        .ok_or_else(|| SqlError::parameter(format!("argument \"{argument}\" must not contain nulls")))
}

/// An argument that may not be NULL.
fn needed<T>(argument: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| SqlError::null(argument))
}
