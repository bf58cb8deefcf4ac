//! Refinement by disclosure: `*` -> {v, `*`}, one value at a time (TDR section 3.1.2, PDA section 4).
//!
//! `*` is node 0 and always stays in the cut. Value v is node v + 1. NULL is a value like any other.

use super::{Hierarchy, Kind, Meaning, Node, NodeId, TOP};
use crate::{loss, pace, Code, Error};

impl Hierarchy {
    /// Builds the hierarchy of a suppressed column with `values` codes. With `nulls`, the last code is NULL.
    pub fn by_suppression(values: usize, nulls: bool) -> Result<Hierarchy, Error> {
        let end = values as Code;
        let value = |code: Code| Node {
            parent: Some(TOP),
            depth: 1,
            children: vec![],
            codes: code..code + 1,
            meaning: if nulls && code + 1 == end { Meaning::Null } else { Meaning::Value },
            loss: loss::SINGLE,
        };
        let any = Node {
            parent: None,
            depth: 0,
            children: vec![],
            codes: 0..end,
            meaning: Meaning::Any,
            loss: loss::SUPPRESSED,
        };
        let nodes = pace::collect(std::iter::once(any).chain((0..end).map(value)))?;
        Ok(Hierarchy::new(nodes, Kind::Suppression))
    }

    /// Returns the node of a disclosed value.
    pub fn disclosed_node(code: Code) -> NodeId {
        code + 1
    }
}
