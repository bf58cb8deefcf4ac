//! Names a refinement that is to be performed again, by its column, its origin and its kind.
//!
//! Nodes that a hierarchy has from the start are named by number. Intervals and groups are made on the way, so they are
//! named by the refinement that makes them.

use crate::refine::NodeId;
use crate::Code;

/// A refinement that an earlier search performed, to be performed again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// The refined column, by its place in the problem.
    pub attribute: usize,
    /// What was refined: by global recoding a node of the column, by local recoding a group.
    pub origin: Origin,
    /// How it was refined.
    pub refinement: Refinement,
}

/// A node of a column, or a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// By global recoding, a node that the hierarchy has from the start. A disclosure has `*`, which is
    /// [`crate::refine::TOP`].
    Node(NodeId),
    /// By local recoding, a group that the search begins with, by its node on each column: a node that the hierarchy
    /// has from the start, or a half that an earlier split of all groups at once has made.
    Group(Vec<Origin>),
    /// By local recoding, a part that an earlier refinement has made of its group.
    Child {
        /// Index of that refinement in the trace.
        trace_index: usize,
        /// A node that the hierarchy has from the start; after a disclosure a value, or `*`.
        node: NodeId,
    },
    /// A half that an earlier split has made: the interval or, by local recoding, the group that holds it.
    Half {
        /// Index of that split in the trace.
        trace_index: usize,
        /// 0 is the left half.
        half: usize,
    },
}

impl Origin {
    /// Returns the indices in the trace of the earlier refinements that have made it.
    pub fn trace_indices(&self) -> impl Iterator<Item = usize> + '_ {
        let group = match self {
            Origin::Group(nodes) => &nodes[..],
            one => std::slice::from_ref(one),
        };
        group.iter().filter_map(|node| match node {
            Origin::Child { trace_index, .. } | Origin::Half { trace_index, .. } => Some(*trace_index),
            Origin::Node(_) | Origin::Group(_) => None,
        })
    }
}

/// How a node is refined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refinement {
    /// Into the children that the hierarchy has for it: a node of a taxonomy, `*` over NULL.
    Specialize,
    /// By local recoding, into some nodes below the node, mostly its children, and the node itself, at which the other
    /// rows stay.
    SplitOff {
        /// The nodes that are split off, in the order of their codes.
        children: Vec<NodeId>,
    },
    /// Into two intervals.
    Split {
        /// The first rank of the right half. A half is empty if the data has no values on its side any more.
        at: Code,
        /// The number of the published end. Two groups may be split between the same two values at different ends.
        end: u32,
        /// By local recoding, the only half that was split off a group at `*`. The other half stayed there, with NULLs.
        alone: Option<usize>,
    },
    /// Into disclosed values, the most frequent first, and `*`. Global recoding discloses one value at a time.
    Disclose {
        /// The values.
        codes: Vec<Code>,
    },
}

impl Refinement {
    /// Returns the disclosure of one value.
    pub fn disclose(code: Code) -> Refinement {
        Refinement::Disclose { codes: vec![code] }
    }

    /// Returns the split into two intervals at the end that lies before a rank.
    pub fn split(at: Code) -> Refinement {
        Refinement::Split { at, end: at, alone: None }
    }
}
