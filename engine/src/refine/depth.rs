//! How specific a column is released at least, and at most: by the depth of its tree.
//!
//! A search starts from the coarsest cut that is allowed, and refines no node that is as specific as is allowed.
//! Depths are those of the column's own tree, its top being 0; NULL stands beside that top, and the `*` over both
//! is above depth 0. So where a column is to be released more specific than its top, NULL is told apart, too.

use super::{Hierarchy, Meaning, NodeId, TOP};
use crate::progress::room;
use crate::{pace, Error};

impl Hierarchy {
    /// Limits the depth of released nodes: at least `coarsest`, at most `finest`. A leaf above `coarsest` may
    /// still be released.
    pub fn between(mut self, coarsest: usize, finest: Option<usize>) -> Result<Hierarchy, Error> {
        room::<usize>(self.nodes.len())?;
        let own = usize::from(self.nodes[TOP as usize].meaning == Meaning::Any);
        // By how many nodes are above; nodes come after those above them.
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        pace::each(&self.nodes, |node| {
            depths.push(node.parent.map_or(0, |parent| depths[parent as usize] + 1));
        })?;
        if coarsest > 0 {
            let is_in = |&id: &NodeId| {
                let depth = depths[id as usize];
                depth == coarsest + own || depth < coarsest + own && self.node(id).children.is_empty()
            };
            room::<NodeId>(self.nodes.len())?;
            self.coarsest = pace::collect((0..self.nodes.len() as NodeId).filter(is_in))?;
        }
        if let Some(finest) = finest {
            room::<bool>(self.nodes.len())?;
            self.finest = pace::collect(depths.iter().map(|&depth| depth >= finest + own))?;
        }
        Ok(self)
    }

    /// The coarsest cut that is allowed.
    pub fn coarsest(&self) -> &[NodeId] {
        &self.coarsest
    }

    /// Whether a node may be refined: it is above the finest depth that is allowed.
    pub fn may_refine(&self, node: NodeId) -> bool {
        self.finest.is_empty() || !self.finest[node as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::{Edges, Taxonomy};

    /// top -> {a -> {aa, ab}, b}, with or without NULL.
    fn between(nulls: bool, coarsest: usize, finest: Option<usize>) -> Hierarchy {
        let edges = [("a", "top"), ("b", "top"), ("aa", "a"), ("ab", "a")];
        let edges: Edges = edges.map(|(child, parent)| (child, Some(parent))).into_iter().collect();
        let tree = Taxonomy::from_edges(&edges).unwrap().unwrap();
        let hierarchy = Hierarchy::by_taxonomy(&tree, nulls).unwrap();
        hierarchy.between(coarsest, finest).unwrap()
    }

    #[test]
    fn the_coarsest_cut() {
        assert_eq!(between(false, 0, None).coarsest(), [TOP]);
        assert_eq!(between(false, 1, None).coarsest(), [1, 4]);
        assert_eq!(between(false, 2, None).coarsest(), [2, 3, 4]);
        assert_eq!(between(false, 9, None).coarsest(), [2, 3, 4]);
        // `*`, NULL, top, a, aa, ab, b
        assert_eq!(between(true, 0, None).coarsest(), [TOP]);
        assert_eq!(between(true, 1, None).coarsest(), [1, 3, 6]);
    }

    #[test]
    fn what_may_be_refined() {
        let may = |hierarchy: Hierarchy| -> Vec<NodeId> {
            (0..hierarchy.nodes().len() as NodeId).filter(|&node| hierarchy.may_refine(node)).collect()
        };
        assert_eq!(may(between(false, 0, None)), [0, 1, 2, 3, 4]);
        assert_eq!(may(between(false, 0, Some(1))), [0]);
        assert!(may(between(false, 0, Some(0))).is_empty());
        assert_eq!(may(between(true, 0, Some(0))), [0]);
        assert_eq!(may(between(true, 0, Some(1))), [0, 1, 2]);
    }
}
