//! Greedy k-member clustering (Byun, Kamra, Bertino, Li 2006), by the information loss of Campan,
//! Cooper and Truta (section 3): records are put together so that what a cluster has to be
//! generalized to stays small.
//!
//! * [`extent`]: what a cluster's values on one column are generalized to, and how much that loses;
//! * [`block`]: what is clustered by itself, where there are too many records to look at each from each;
//! * [`column`]: a block's column, laid out for finding what a cluster would lose with each record;
//! * [`free`]: the records of a block that are in no cluster yet, and which of them goes next;
//! * [`kmember`]: the clustering.

mod block;
mod column;
mod extent;
mod free;
mod kmember;

pub use extent::{Extent, Space};
pub use kmember::{kmember, kmember_in_blocks, Clusters};
