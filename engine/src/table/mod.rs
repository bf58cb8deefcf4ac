//! Columns as codes. A dictionary makes the codes, compression folds equal records, and one (value x class) histogram
//! per column gives all information gains.

pub(crate) mod codes;
mod compress;
mod dictionary;
mod histogram;
mod store;

pub use codes::{Codes, NONE};
pub use compress::{compress, Compressed};
pub(crate) use compress::{copy_records, distinct_records, fold, number_distinct};
pub use dictionary::Dictionary;
pub use histogram::{ClassCounts, Histogram};
pub use store::{Store, Tape, TapeColumn};

/// A column by the codes of its records. The codes of a sensitive column have the order of its values.
#[derive(Debug, Clone, Copy)]
pub struct CodedColumn<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of codes, without [`NONE`].
    pub cardinality: usize,
}
