//! The verbs of a release, a file each, and what they check and tell at the call.

pub mod alter;
pub mod apply;
pub mod changes;
pub mod explain;
pub mod export;
pub mod floor;
pub mod query_error;
pub mod refresh;
pub mod refresh_all;
pub mod regrouped;
pub mod rewind;
pub mod version;
pub mod warnings;
pub mod weaker;
