//! Refinement by specialization: v -> child(v) in a given tree (TDS section 3).

use super::{Hierarchy, Kind, Meaning, Node, NodeId};
use crate::progress::check_memory;
use crate::taxonomy::Taxonomy;
use crate::{loss, pace, Code, Error};

impl Hierarchy {
    /// Builds the hierarchy of a column with a taxonomy. Codes are the taxonomy's leaf codes; with `nulls`, NULL is
    /// the code after the last leaf.
    pub fn by_taxonomy(taxonomy: &Taxonomy, nulls: bool) -> Result<Hierarchy, Error> {
        // NULL adds two nodes. The NodeId is that of each node in its parent's children.
        check_memory::<(Node, NodeId, u32)>(taxonomy.nodes().len() + 2)?;
        // A node comes after its parent.
        let mut depths: Vec<u32> = Vec::with_capacity(taxonomy.nodes().len());
        pace::each(taxonomy.nodes(), |node| {
            depths.push(node.parent.map_or(0, |parent| depths[parent] + 1));
        })?;
        let nodes = taxonomy.nodes().iter().zip(&depths).enumerate().map(|(id, (node, &depth))| Node {
            parent: node.parent.map(|p| p as NodeId),
            depth,
            children: node.children.iter().map(|&c| c as NodeId).collect(),
            codes: node.leaves.clone(),
            meaning: Meaning::Taxonomy(id),
            loss: loss::leaves_loss(node.leaves.len(), taxonomy.leaves()),
        });
        let nodes = if nulls {
            pace::collect(Hierarchy::over_null(taxonomy.leaves() as Code, nodes))?
        } else {
            pace::collect(nodes)?
        };
        Ok(Hierarchy::new(nodes, Kind::Taxonomy))
    }
}
