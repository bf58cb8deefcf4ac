//! The steps of a search, and the cut of a column.
//!
//! A [`Step`] is a row of a release's view `steps`, with nodes by number. A [`Cut`] gives the node that each code of a
//! column is released as.

use crate::progress::filled;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};

/// Refinement that a search performed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Step {
    /// Index of the refined column.
    pub attribute: usize,
    /// Refined node; `*` for a disclosure.
    pub node: NodeId,
    /// Nodes that replace it; for a disclosure the value and `*`.
    pub children: Vec<NodeId>,
    /// Number of rows under the refined node: |R_v|.
    pub records: u64,
    /// InfoGain(v), or the fall of certainty loss.
    pub info_gain: f64,
    /// AnonyLoss(v) or PrivLoss(v): mean worsening over the requirements on the column.
    pub privacy_loss: f64,
    /// Score(v).
    pub score: f64,
    /// Measure of each model after the step.
    pub achieved: Vec<f64>,
}

/// Cut of a column: the nodes that it is released as.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// Whether each node of the hierarchy is in the cut.
    members: Vec<bool>,
    /// Node that each code is released as.
    released: Vec<NodeId>,
    /// Number of disclosed values.
    disclosed: usize,
}

impl Cut {
    /// Makes the most general cut that the hierarchy allows.
    pub fn coarsest(hierarchy: &Hierarchy) -> Result<Cut, Error> {
        let mut members = filled(false, hierarchy.nodes().len())?;
        let mut released = filled(TOP, hierarchy.codes())?;
        for &node in hierarchy.coarsest() {
            members[node as usize] = true;
            pace::each(hierarchy.node(node).codes.clone(), |code| released[code as usize] = node)?;
        }
        Ok(Cut { members, released, disclosed: 0 })
    }

    /// Replaces `node` by `children`. If `node` is one of them (the `*` of a disclosure), it stays while a value is
    /// suppressed.
    pub fn refine(&mut self, hierarchy: &Hierarchy, node: NodeId, children: &[NodeId]) -> Result<(), Error> {
        self.members.resize(hierarchy.nodes().len(), false);
        self.members[node as usize] = false;
        for &child in children.iter().filter(|&&child| child != node) {
            pace::tick(1)?;
            self.members[child as usize] = true;
            let codes = hierarchy.node(child).codes.clone();
            self.disclosed += if hierarchy.is_suppression() { codes.len() } else { 0 };
            pace::each(codes, |code| self.released[code as usize] = child)?;
        }
        if children.contains(&node) {
            self.members[node as usize] = self.disclosed < self.released.len();
        }
        Ok(())
    }

    /// Lists the nodes of the cut, by ascending number.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..).zip(&self.members).filter(|(_, &member)| member).map(|(id, _)| id)
    }

    /// Returns whether a node is in the cut.
    pub fn contains(&self, node: NodeId) -> bool {
        self.members.get(node as usize).copied().unwrap_or(false)
    }

    /// Returns the node that a code is released as.
    pub fn node_for(&self, code: Code) -> NodeId {
        self.released[code as usize]
    }
}
