//! Columns as codes: a dictionary makes them, compression folds equal records, and one
//! (value x class) histogram a column answers every question about information.

pub(crate) mod codes;
mod compress;
mod dictionary;
mod histogram;
mod store;

pub use codes::{Codes, NONE};
pub use compress::{compress, Compressed};
pub(crate) use compress::{copy, distinct, fold, Folded};
pub use dictionary::Dictionary;
pub use histogram::{ClassCounts, Histogram};
pub use store::{Store, Tape, TapeColumn};
