//! What the arguments of an SQL function may be: not NULL, one of a few words.

use super::error::{clipped, Result, SqlError};
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// An argument that may not be NULL.
pub fn needed<T>(argument: &str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| SqlError::null(argument))
}

/// The most bytes that a structured argument may take: an array, a jsonb, the text of a value of ours. So many are read within some
/// tenths of a second.
pub const MOST_BYTES: usize = 64 << 20;

/// An error if it takes more.
pub fn must_fit(bytes: usize) -> Result<()> {
    match bytes > MOST_BYTES {
        false => Ok(()),
        true => Err(too_large()),
    }
}

/// A value that takes more than may be, as it is stored or as it is printed.
pub fn too_large() -> SqlError {
    SqlError::limit(format!("a value takes more than {MOST_BYTES} bytes"))
        .detail("Arrays, jsonb, maskings and models are read whole, and the numbers in a jsonb with all their digits.")
        .hint("A large tree may stand in a table: by_taxonomy() reads it.")
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
