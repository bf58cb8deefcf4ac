//! What SQL says, in its own words: privacy models, maskings, the arguments of a verb, and what they
//! mean for a source.
//!
//! A value of the SQL types `privacy_model` and `masking` is the call that made it, as JSON; each
//! model and each masking is a file with all that is to be said of it, its constructor included.
//! [`request`] lays the arguments of a verb over a source and names every fault at once, before a row
//! is read.

pub mod arguments;
pub mod asked;
pub mod calls;
pub mod days;
pub mod label_size;
pub mod labels;
pub mod looks;
pub mod masking;
pub mod names;
pub mod privacy_model;
pub mod readings;
pub mod request;
mod sentences;
pub mod several;
pub mod words;

use crate::postgres::allocator;
use crate::postgres::arguments::must_fit;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::stored::from_json;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::ffi::CStr;

/// A value of one of our types from its JSON text.
fn parse<T: DeserializeOwned>(input: &CStr, name: &str) -> Result<T> {
    let unreadable = |fault: String| {
        SqlError::text_representation(format!("invalid input for type {name}"))
            .detail(fault)
            .hint("Make values with the type's constructor functions. What a newer version of pg_topdown wrote, that version can read.")
    };
    let bytes = input.to_bytes();
    allocator::prepare()?;
    must_fit(bytes.len())?;
    // JSON can write it, no text of PostgreSQL's can hold it.
    let escaped = bytes.windows(6).any(|bytes| bytes == b"\\u0000");
    if escaped && from_json(bytes).is_ok_and(|value| has_zero(&value)) {
        return Err(unreadable("a text holds a zero byte".into()));
    }
    from_json(bytes).map_err(unreadable)
}

/// Whether a text within holds a zero byte.
fn has_zero(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(has_zero),
        Value::Object(fields) => fields.iter().any(|(name, value)| name.contains('\0') || has_zero(value)),
        _ => false,
    }
}
