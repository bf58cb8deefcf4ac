//! What can go wrong in a search, as values; the SQL edge turns each into SQLSTATE and HINT.

/// Why a search ended without an outcome.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The observer asked for the end.
    #[error("cancelled")]
    Cancelled,
    /// More memory would be needed than the observer's budget allows.
    #[error("memory budget of {budget} bytes exceeded: {needed} bytes needed")]
    Memory {
        /// What would be held at once, in bytes.
        needed: usize,
        /// What may be held at once, in bytes.
        budget: usize,
    },
    /// The system has no more memory.
    #[error("out of memory: {bytes} bytes cannot be had")]
    OutOfMemory {
        /// What was asked for at once, in bytes.
        bytes: usize,
    },
    /// Even the most general table breaks a model, so no table keeps it (TDR section 4.1, PDA
    /// Lemma 3.3).
    #[error("model {model} does not hold for the most general table: {achieved}")]
    Unsatisfiable {
        /// The model, by its place in the problem.
        model: usize,
        /// Which of its requirements.
        requirement: usize,
        /// Its measure on the most general table.
        achieved: f64,
    },
    /// More rows than record counts can hold.
    #[error("{rows} rows are more than the {limit} that can be counted")]
    TooManyRows {
        /// The rows given.
        rows: usize,
        /// The most that is possible.
        limit: usize,
    },
    /// The problem combines what no search keeps the models of.
    #[error("{0}")]
    Unsound(&'static str),
    /// What cannot be: a fault of the engine's.
    #[error("{0}")]
    Internal(&'static str),
}
