//! Greedy k-member clustering (Byun, Kamra, Bertino, Li 2006), by the information loss of Campan,
//! Cooper and Truta (section 3): records are put together so that what a cluster has to be
//! generalized to stays small.
//!
//! * [`extent`]: what a cluster's values on one column are generalized to, and how much that loses;
//! * [`kmember`]: the clustering.

mod extent;
mod kmember;

pub use extent::{Extent, Space};
pub use kmember::{kmember, Clusters};
