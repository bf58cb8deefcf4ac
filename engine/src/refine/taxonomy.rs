//! Refinement by specialization: v -> child(v) in a given tree (TDS section 3).

use super::{Hierarchy, Kind, Meaning, Node, NodeId};
use crate::progress::room;
use crate::taxonomy::Taxonomy;
use crate::{loss, pace, Code, Error};

impl Hierarchy {
    /// The hierarchy of a column with a taxonomy. Codes are the taxonomy's leaf codes; with
    /// `nulls`, NULL is the code after the last leaf.
    pub fn by_taxonomy(taxonomy: &Taxonomy, nulls: bool) -> Result<Hierarchy, Error> {
        // With two more over NULL; every node but the top is the child of one.
        room::<(Node, NodeId)>(taxonomy.nodes().len() + 2)?;
        let nodes = taxonomy.nodes().iter().enumerate().map(|(id, node)| Node {
            parent: node.parent.map(|p| p as NodeId),
            children: node.children.iter().map(|&c| c as NodeId).collect(),
            codes: node.leaves.clone(),
            meaning: Meaning::Taxonomy(id),
            loss: loss::of_leaves(node.leaves.len(), taxonomy.leaves()),
        });
        let nodes = if nulls {
            pace::collect(Hierarchy::over_null(taxonomy.leaves() as Code, nodes))?
        } else {
            pace::collect(nodes)?
        };
        Ok(Hierarchy::new(nodes, Kind::Taxonomy))
    }
}
