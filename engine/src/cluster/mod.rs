//! Greedy k-member clustering (Byun, Kamra, Bertino, Li 2006), by the information loss of Campan, Cooper and Truta
//! (section 3). Records are clustered so that the generalization of each cluster loses little.
//!
//! * [`constraint`]: the condition for a complete cluster;
//! * [`extent`]: the generalization of a cluster's values on one column, and its loss;
//! * [`block`]: the division of many records into blocks, each clustered by itself;
//! * [`column`]: a block's column, laid out for computing a cluster's loss with each further record;
//! * [`free`]: the records of a block that are in no cluster yet, and the choice of the next one;
//! * [`greedy`]: the clusters of a block;
//! * [`kmember`]: the clustering of all records.
//!
//! `search/local/clusters.rs` clusters the groups of a search with the same code, under any privacy model.

mod block;
mod column;
mod constraint;
mod extent;
mod free;
mod greedy;
mod kmember;

pub(crate) use block::{divide_into_blocks, MAX_BLOCK_RECORDS};
pub(crate) use constraint::Constraint;
pub use extent::{Extent, Generalizer};
pub(crate) use free::Member;
pub(crate) use greedy::{Cluster, Clusterer};
pub use kmember::{kmember, kmember_in_blocks, Clusters};
