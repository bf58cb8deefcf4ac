//! Converts wide hierarchies (ARX's form: leaf; level 1; level 2; ...; root) to edges, and trees to wide hierarchies.
//!
//! A cell that is equal to the one before it is the same node. A missing cell is a level that this branch does not
//! have. Written rows all have one length: a leaf of a shorter branch is repeated on the missing levels, just above
//! the leaves.

use super::{Edge, Edges, Taxonomy};
use crate::progress::{check_table_memory, with_capacity};
use crate::{pace, Error};
use hashbrown::HashSet;
use std::rc::Rc;

/// Returns the edges of a wide hierarchy, each once. Every row is the path from a leaf up to the root. The root's edge
/// has no parent.
pub fn edges_from_levels(rows: &[Vec<Option<String>>]) -> Result<Edges, Error> {
    check_table_memory::<(&str, Option<&str>)>(rows.len() * 2)?;
    // Enough for the leaf of each row and one inner node. A growing table would hash all entries again without a poll.
    let mut seen = HashSet::with_capacity(rows.len() * 2);
    let mut edges = Edges::default();
    for row in rows {
        pace::tick(1)?;
        let mut path: Vec<&str> = Vec::new();
        pace::each(row, |cell| {
            let cell = cell.as_deref().filter(|cell| path.last() != Some(cell));
            path.extend(cell);
        })?;
        for (i, &child) in path.iter().enumerate() {
            pace::tick(1)?;
            let parent = path.get(i + 1).copied();
            if seen.len() == seen.capacity() {
                // The old and the new table both take memory.
                check_table_memory::<(&str, Option<&str>)>(seen.len() * 2 + 1)?;
                seen.reserve(seen.len() + 1);
            }
            if seen.insert((child, parent)) {
                edges.push(Edge::new(child, parent));
            }
        }
    }
    Ok(edges)
}

/// A tree as a wide hierarchy. Rows are made one at a time, because leaves times levels may not fit into memory.
pub struct WideHierarchy {
    tree: Rc<Taxonomy>,
    depths: Vec<usize>,
    deepest: usize,
}

impl WideHierarchy {
    /// Computes the depths of a tree.
    pub fn new(tree: Rc<Taxonomy>) -> Result<WideHierarchy, Error> {
        let (mut depths, mut deepest) = (with_capacity(tree.nodes().len())?, 0);
        pace::each(tree.nodes(), |node| {
            let depth = node.parent.map_or(0, |parent| depths[parent] + 1);
            deepest = deepest.max(depth);
            depths.push(depth);
        })?;
        Ok(WideHierarchy { tree, depths, deepest })
    }

    /// Returns the nodes that are leaves.
    pub fn leaves(&self) -> Result<Vec<usize>, Error> {
        let mut leaves = with_capacity(self.tree.leaves())?;
        let nodes = self.tree.nodes().iter().enumerate();
        pace::each(nodes, |(node, of)| leaves.extend(of.children.is_empty().then_some(node)))?;
        Ok(leaves)
    }

    /// Returns the row of a leaf: the leaf, its parent, ..., the root. The leaf is repeated for missing levels.
    pub fn row(&self, leaf: usize) -> impl Iterator<Item = &str> {
        let above = std::iter::successors(Some(leaf), |&node| self.tree.nodes()[node].parent);
        let missing = self.deepest - self.depths[leaf];
        std::iter::repeat_n(leaf, missing).chain(above).map(|node| self.tree.label(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[Vec<Option<String>>]) -> Taxonomy {
        Taxonomy::from_edges(&edges_from_levels(rows).unwrap()).unwrap().unwrap()
    }

    /// A written hierarchy is read as the same tree. If all leaves have one depth, its rows are also the same.
    #[test]
    fn there_and_back() {
        let rows = |text: &str| -> Vec<Vec<Option<String>>> {
            text.lines()
                .map(|row| row.trim().split(';').map(|cell| Some(cell.to_string())).collect())
                .collect()
        };
        for (text, same) in [("a;x;*\nb;x;*\nc;y;*", true), ("a;x;x;*\nb;b;x;*\nc;c;c;*", false), ("*", true)]
        {
            let read = rows(text);
            let written = WideHierarchy::new(Rc::new(tree(&read))).unwrap();
            let row = |leaf| written.row(leaf).map(|label| Some(label.to_string())).collect();
            let again: Vec<Vec<Option<String>>> = written.leaves().unwrap().into_iter().map(row).collect();
            assert_eq!(again == read, same, "{again:?}");
            assert_eq!(tree(&again), tree(&read));
            assert!(again.iter().all(|row| row.len() == again[0].len()));
        }
    }

    #[test]
    fn ragged_rows_and_repeated_cells() {
        let row =
            |cells: &[&str]| cells.iter().map(|c| (!c.is_empty()).then(|| c.to_string())).collect::<Vec<_>>();
        let rows =
            [row(&["1", "0-4", "0-9", "*"]), row(&["7", "5-9", "0-9", "*"]), row(&["x", "x", "", "*"])];
        let t = tree(&rows);
        assert_eq!((t.leaves(), t.label(0)), (3, "*"));
        assert_eq!(t.find("0-9").unwrap().children.len(), 2);
        assert_eq!(t.label(t.find("x").unwrap().parent.unwrap()), "*");
    }
}
