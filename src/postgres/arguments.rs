//! What the arguments of an SQL function may be: not NULL, arrays without NULLs, one of a few words.

use super::error::{clipped, Result, SqlError};
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// An argument that may not be NULL.
pub fn needed<T>(argument: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| SqlError::null(argument))
}

/// The elements of an array argument, none of which may be NULL.
pub fn elements<T>(argument: &str, array: Option<Vec<Option<T>>>) -> Result<Vec<T>> {
    needed(argument, array)?
        .into_iter()
        .collect::<Option<Vec<T>>>()
        .ok_or_else(|| SqlError::parameter(format!("argument \"{argument}\" must not contain nulls")))
}

/// An argument that is one of a few words, which are those that serde reads.
pub trait Word: DeserializeOwned {
    /// What it is, as an error calls it.
    const WHAT: &'static str;
    /// Which words there are.
    const WORDS: &'static str;

    /// The value that a word stands for.
    fn from_word(word: &str) -> Result<Self> {
        let reader: StrDeserializer<Error> = word.into_deserializer();
        Self::deserialize(reader).map_err(|_| {
            SqlError::parameter(format!("unknown {} \"{}\"", Self::WHAT, clipped(word))).hint(Self::WORDS)
        })
    }
}
