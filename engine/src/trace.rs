//! The steps of a search and the cut of a column.
//!
//! A [`Step`] holds everything a release's `steps` table shows, nodes by number; a [`Cut`] says
//! for each code of a column which node it is released as.

use crate::progress::room;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::{pace, Code, Error};

/// One performed refinement.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The refined column.
    pub attribute: usize,
    /// The refined node; `*` for a disclosure.
    pub node: NodeId,
    /// What it became; for a disclosure the value and `*`.
    pub children: Vec<NodeId>,
    /// |R_v|.
    pub records: u64,
    /// InfoGain(v), or the fall of certainty loss.
    pub info_gain: f64,
    /// AnonyLoss(v), PrivLoss(v): the mean worsening over the requirements on the column.
    pub privacy_loss: f64,
    /// Score(v).
    pub score: f64,
    /// Each model's measure after the step.
    pub achieved: Vec<f64>,
}

/// Where a column stands.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cut {
    /// Whether each node of the hierarchy is in the cut.
    members: Vec<bool>,
    /// The node that each code is released as.
    released: Vec<NodeId>,
    /// How many values were disclosed, under suppression.
    disclosed: usize,
}

impl Cut {
    /// The most general cut that is allowed.
    pub fn coarsest(hierarchy: &Hierarchy) -> Result<Cut, Error> {
        room::<bool>(hierarchy.nodes().len())?;
        room::<NodeId>(hierarchy.codes())?;
        let mut members = vec![false; hierarchy.nodes().len()];
        let mut released = vec![TOP; hierarchy.codes()];
        for &node in hierarchy.coarsest() {
            members[node as usize] = true;
            pace::each(hierarchy.node(node).codes.clone(), |code| released[code as usize] = node)?;
        }
        Ok(Cut { members, released, disclosed: 0 })
    }

    /// Replaces `node` by `children`; of a suppression `*`, itself a child, stays while something
    /// is suppressed.
    pub fn refine(&mut self, hierarchy: &Hierarchy, node: NodeId, children: &[NodeId]) -> Result<(), Error> {
        self.members.resize(hierarchy.nodes().len(), false);
        self.members[node as usize] = false;
        let mut stays = false;
        for &child in children {
            pace::tick(1)?;
            if child == node {
                stays = true;
                continue;
            }
            self.members[child as usize] = true;
            let codes = hierarchy.node(child).codes.clone();
            self.disclosed += if hierarchy.is_suppression() { codes.len() } else { 0 };
            pace::each(codes, |code| self.released[code as usize] = child)?;
        }
        if stays {
            self.members[node as usize] = self.disclosed < self.released.len();
        }
        Ok(())
    }

    /// The nodes of the cut, by number.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..).zip(&self.members).filter(|(_, &member)| member).map(|(id, _)| id)
    }

    /// Whether a node is in the cut.
    pub fn contains(&self, node: NodeId) -> bool {
        self.members.get(node as usize).copied().unwrap_or(false)
    }

    /// What a code is released as.
    pub fn released(&self, code: Code) -> NodeId {
        self.released[code as usize]
    }
}
