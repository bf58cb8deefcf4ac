//! Bounds on how specific the released values of a column are, by the depth of its tree.
//!
//! A search starts from the coarsest allowed cut, and does not refine nodes of the finest allowed depth. Depths are
//! those of the column's own tree, whose top has depth 0. NULL stands beside that top, and the `*` over both is above
//! depth 0. So if a column must be more specific than its top, NULL is disclosed as well.
//!
//! The depth of an interval is the number of splits that have made it. The data determine these splits. So a search
//! first splits each interval as often as required, without testing the models, which must hold for the result. Under
//! suppression every value has depth 1.

use super::{Hierarchy, NodeId, TOP};
use crate::progress::check_memory;
use crate::{pace, Error};

impl Hierarchy {
    /// Limits the depth of released nodes: at least `coarsest`, at most `finest`. A leaf above `coarsest` may still be
    /// released.
    pub fn with_depth_limits(mut self, coarsest: usize, finest: Option<usize>) -> Result<Hierarchy, Error> {
        let top = self.depth_of_own_top();
        if coarsest > 0 {
            let is_coarsest = |&id: &NodeId| {
                if self.is_suppression() {
                    return id != TOP;
                }
                let depth = self.depth(id);
                depth == coarsest + top || depth < coarsest + top && self.node(id).children.is_empty()
            };
            check_memory::<NodeId>(self.nodes.len())?;
            self.coarsest = pace::collect((0..self.nodes.len() as NodeId).filter(is_coarsest))?;
            self.required_splits = if self.domain().is_some() { coarsest } else { 0 };
        }
        self.finest = finest.map(|finest| finest + top);
        Ok(self)
    }

    fn depth_of_own_top(&self) -> usize {
        usize::from(self.is_over_null())
    }

    /// Returns whether fewer splits than required have made an interval.
    pub fn must_split(&self, node: NodeId) -> bool {
        self.required_splits > 0
            && self.is_interval(node)
            && self.depth(node) < self.required_splits + self.depth_of_own_top()
    }

    fn depth(&self, node: NodeId) -> usize {
        self.node(node).depth as usize
    }

    /// Coarsest cut that is allowed.
    pub fn coarsest(&self) -> &[NodeId] {
        &self.coarsest
    }

    /// Returns whether a finest depth is given.
    pub fn has_finest_depth(&self) -> bool {
        self.finest.is_some()
    }

    /// Returns whether a node may be refined: it is above the finest allowed depth.
    pub fn may_refine(&self, node: NodeId) -> bool {
        self.finest.is_none_or(|finest| self.depth(node) < finest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::tree_of;

    /// top -> {a -> {aa, ab}, b}, with or without NULL.
    fn with_limits(nulls: bool, coarsest: usize, finest: Option<usize>) -> Hierarchy {
        let tree = tree_of(&[("a", "top"), ("b", "top"), ("aa", "a"), ("ab", "a")]);
        let hierarchy = Hierarchy::by_taxonomy(&tree, nulls).unwrap();
        hierarchy.with_depth_limits(coarsest, finest).unwrap()
    }

    #[test]
    fn the_coarsest_cut() {
        assert_eq!(with_limits(false, 0, None).coarsest(), [TOP]);
        assert_eq!(with_limits(false, 1, None).coarsest(), [1, 4]);
        assert_eq!(with_limits(false, 2, None).coarsest(), [2, 3, 4]);
        assert_eq!(with_limits(false, 9, None).coarsest(), [2, 3, 4]);
        // `*`, NULL, top, a, aa, ab, b
        assert_eq!(with_limits(true, 0, None).coarsest(), [TOP]);
        assert_eq!(with_limits(true, 1, None).coarsest(), [1, 3, 6]);
    }

    #[test]
    fn refinable_nodes() {
        let may = |hierarchy: Hierarchy| -> Vec<NodeId> {
            (0..hierarchy.nodes().len() as NodeId).filter(|&node| hierarchy.may_refine(node)).collect()
        };
        assert_eq!(may(with_limits(false, 0, None)), [0, 1, 2, 3, 4]);
        assert_eq!(may(with_limits(false, 0, Some(1))), [0]);
        assert!(may(with_limits(false, 0, Some(0))).is_empty());
        assert_eq!(may(with_limits(true, 0, Some(0))), [0]);
        assert_eq!(may(with_limits(true, 0, Some(1))), [0, 1, 2]);
    }
}
