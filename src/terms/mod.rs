//! What SQL says, in its own words: privacy models, maskings, the arguments of a verb, and what they
//! mean for a source.
//!
//! A value of the SQL types `privacy_model` and `masking` is the call that made it, as JSON; each
//! model and each masking is a file with all that is to be said of it, its constructor included.
//! [`request`] lays the arguments of a verb over a source and names every fault at once, before a row
//! is read.

pub mod arguments;
pub mod labels;
pub mod masking;
pub mod privacy_model;
pub mod request;
pub mod words;

use crate::postgres::error::{Result, SqlError};
use serde::Deserialize;
use std::ffi::CStr;

/// A value of one of our types from its JSON text.
fn parse<T: for<'a> Deserialize<'a>>(input: &CStr, name: &str) -> Result<T> {
    serde_json::from_slice(input.to_bytes()).map_err(|error| {
        SqlError::text_representation(format!("invalid input for type {name}"))
            .detail(error.to_string())
            .hint("Make values with the type's constructor functions.")
    })
}
