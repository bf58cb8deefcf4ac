//! How a refinement is named that is to be performed again: by its column, its node, and what became of that.
//!
//! Nodes that a hierarchy has from the start are known by number. Intervals are made on the way, so that they
//! are known by the refinement that makes them.

use crate::refine::NodeId;
use crate::Code;

/// A refinement that an earlier search performed, to be performed again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// The refined column, by its place in the problem.
    pub attribute: usize,
    /// The refined node; of a disclosure `*`, which is [`crate::refine::TOP`].
    pub node: Place,
    /// What became of it.
    pub how: How,
}

/// Which node of a column's hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// One that the hierarchy has from the start.
    Node(NodeId),
    /// One that an earlier refinement of the same column has made, as the halves of an interval are.
    Child {
        /// That refinement, by its place in the trace.
        step: usize,
        /// Which of the children: 0 is the left half.
        child: usize,
    },
}

/// How a node is refined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Into the children that the hierarchy has for it: a node of a taxonomy, `*` over NULL.
    Specialize,
    /// Into two intervals.
    Split {
        /// The first rank of the right half. At an end of the node's ranks one half has no value: so it
        /// is where the data has none there any more.
        at: Code,
    },
    /// Into a value out of `*`, and `*`.
    Disclose {
        /// The value.
        code: Code,
    },
}
