//! Errors of a search, as values. The extension turns each into SQLSTATE, message and HINT.

/// Reason why a search ended without an outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The observer ([`Progress`](crate::progress::Progress)) canceled the work.
    #[error("cancelled")]
    Cancelled,
    /// The work would need more memory than the observer's budget allows.
    #[error("memory budget of {budget} bytes exceeded: {needed} bytes needed")]
    Memory {
        /// Bytes that would be held at once.
        needed: usize,
        /// Bytes that may be held at once.
        budget: usize,
    },
    /// The system has no more memory.
    #[error("out of memory: {bytes} bytes cannot be had")]
    OutOfMemory {
        /// Bytes asked for at once.
        bytes: usize,
    },
    /// The most general table breaks a model, so no table keeps it (TDR section 4.1, PDA Lemma 3.3); or, in a replay, a
    /// step that must be performed breaks it.
    #[error("model {model} does not hold for the most general table: {achieved}")]
    Unsatisfiable {
        /// Index of the model in the problem.
        model: usize,
        /// Index of the requirement among the model's.
        requirement: usize,
        /// Measure of the requirement.
        achieved: f64,
    },
    /// The table has more rows than record counts can hold.
    #[error("{rows} rows are more than the {limit} that can be counted")]
    TooManyRows {
        /// Number of rows given.
        rows: usize,
        /// Largest number of rows possible.
        limit: usize,
    },
    /// The problem combines settings under which no search keeps the models.
    #[error("{0}")]
    Unsound(&'static str),
    /// A fault of the engine.
    #[error("{0}")]
    Internal(&'static str),
}
