//! A release is a schema: a view with a stable name, a table for each version behind it, and what is said of
//! them: cut, about, taxonomy, steps and manifest (docs/reference/release.md). Nothing outside the schema remembers it.
//!
//! A verb makes the next version in one transaction ([`anonymize`]): whatever fails, the previous version stays
//! current and nothing else is left behind. Which version is current is one row of the manifest, the last
//! thing that is written; nothing a reader holds is locked for it.
//!
//! Five rooms, from the top down: the verbs; the report; what is measured of a version; the trace of its search;
//! the tables that all is stored in.

mod measure;
mod report;
mod store;
mod trace;
mod verbs;

pub use measure::drift::drift;
pub use measure::measures;
pub use measure::parts::PartVerdict;
pub use measure::query_error::{word, Errors};
pub use measure::verify::{assert, verify_published, Verdict};
pub use report::report;
pub use store::functions::grant_functions;
pub use store::grants::{drop_release, grant, revoke};
pub use store::manifest::{all, Listed, Row};
pub use verbs::alter::{alter, Alteration};
pub use verbs::apply::apply;
pub use verbs::changes::changes;
pub use verbs::explain::explain;
pub use verbs::export::export;
pub use verbs::floor::keep as keep_floor;
pub use verbs::query_error::query_error;
pub use verbs::refresh::{refresh, Refreshing};
pub use verbs::refresh_all::refresh_all;
pub use verbs::rewind::rewind;
pub use verbs::version::{anonymize, cluster};
