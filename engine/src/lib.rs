//! Top-down search for the most useful generalization of a table that keeps its privacy models.
//!
//! TDS (Fung, Wang, Yu, ICDE 2005), TDR (TKDE 2007) and PDA (Wang, Fung, Yu, ICDM 2005) are one
//! search: start from the most general table and repeat, among the refinements that keep every
//! privacy model and still separate classes, the one with the best score. They differ in three
//! exchangeable parts only, and each part is a module here:
//!
//! * [`refine`]: how a masked value becomes more specific: a taxonomy node is specialized, an
//!   interval split, a suppressed value disclosed;
//! * [`privacy`]: what must keep holding, k-anonymity first of all;
//! * [`utility`]: what a refinement is worth (information gain, or the fall of certainty loss
//!   where there is no class) and how worth and loss make a score.
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
//! The steps that a search has found can be performed again on other data, without searching
//! ([`replay`]), and what kept it from going on can be told ([`explain`]).
//!
//! Beside the search stand greedy k-member clustering ([`cluster`]), hierarchies over numerical
//! columns ([`taxonomy::numeric`]) and the measures of what a release lost ([`measure`]); what a
//! single released value loses is the same for all of them ([`loss`]).
//!
//! The crate knows nothing of PostgreSQL: it takes and returns plain values, polls a
//! [`progress::Progress`] for cancellation and memory, never prints, and is deterministic. docs/DESIGN.md
//! tells how the four naive lines of the papers' algorithm became this code.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

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
    explain, replay, search, Attribute, CodedColumn, Explained, Origin, Outcome, Population, Problem, Reason,
    Recoding, Recorded, Refinement, Regions, Replayed, Shortfall,
};
pub use trace::Step;

/// A value of a column, as its number in the column's dictionary.
pub type Code = u32;
