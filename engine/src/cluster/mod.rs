//! Greedy k-member clustering (Byun, Kamra, Bertino, Li 2006), by the information loss of Campan,
//! Cooper and Truta (section 3): records are put together so that what a cluster has to be
//! generalized to stays small.
//!
//! * [`extent`]: what a cluster's values on one column are generalized to, and how much that loses;
//! * [`block`]: what is clustered by itself, where there are too many records to look at each from each;
//! * [`column`]: a block's column, laid out for finding what a cluster would lose with each record;
//! * [`free`]: the records of a block that are in no cluster yet, and which of them goes next;
//! * [`goal`]: when a cluster is whole;
//! * [`greedy`]: the clusters of a block;
//! * [`kmember`]: the clustering.
//!
//! The clusters that are made inside the groups of a search, under any privacy model, are these, too
//! (`search/local/clusters.rs`).

mod block;
mod column;
mod extent;
mod free;
mod goal;
mod greedy;
mod kmember;

pub(crate) use block::divide;
pub use extent::{Extent, Space};
pub use goal::Rows;
pub(crate) use goal::{Goal, Help};
pub(crate) use greedy::{Made, Task};
pub use kmember::{kmember, kmember_in_blocks, Clusters};
