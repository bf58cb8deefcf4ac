//! Top-down search for the most useful generalization of a table that keeps its privacy models.
//!
//! TDS (Fung, Wang, Yu, ICDE 2005), TDR (TKDE 2007) and PDA (Wang, Fung, Yu, ICDM 2005) are one search. It starts from
//! the most general table. As long as refinements keep every privacy model and still separate classes, it performs the
//! one with the best score. The papers differ in three exchangeable parts only, and each part is a module here:
//!
//! * [`refine`]: how a masked value becomes more specific: a taxonomy node is specialized, an interval is split, or a
//!   suppressed value is disclosed;
//! * [`privacy`]: the models that must keep holding, k-anonymity first of all;
//! * [`utility`]: the worth of a refinement (information gain, or the fall of certainty loss without a class), and the
//!   scores made of worth and privacy loss.
//!
//! Data flows one way:
//!
//! ```text
//! values --Dictionary--> codes --compress--> distinct records --Partition--> groups
//!            |                                                       |
//!            +--Histogram (value x class)--> gains, splits           +--> measures of the models
//!                                   \                               /
//!                                    search: candidates, scores, steps --> trace and cut
//! ```
//!
//! [`replay`] performs the steps of a search again on other data, without searching. [`explain`] reports why a search
//! could not go on.
//!
//! Beside the search stand greedy k-member clustering ([`cluster`]), hierarchies over numerical columns
//! ([`taxonomy::numeric`]) and the measures of a release ([`measure`]). All take the loss of a released value from
//! [`loss`].
//!
//! The crate knows nothing of PostgreSQL: it takes and returns plain values, polls a [`progress::Progress`] for
//! cancellation and memory, never prints, and is deterministic. docs/DESIGN.md describes how the four naive lines of
//! the papers' algorithm became this code.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod buckets;
mod calendar;
pub mod cluster;
pub mod error;
pub mod loss;
pub mod measure;
pub mod numbers;
pub mod pace;
pub mod partition;
pub mod privacy;
pub mod progress;
pub mod refine;
pub mod search;
pub mod table;
pub mod taxonomy;
pub mod threads;
pub mod trace;
pub mod utility;

pub use error::Error;
pub use search::{
    explain, replay, search, Attribute, Explained, Origin, Outcome, Population, Problem, Reason, Recoding,
    Recorded, Refinement, Regions, Replayed, Shortfall,
};
pub use table::CodedColumn;
pub use trace::Step;

/// Number of a value in the dictionary of its column.
pub type Code = u32;
