//! Wide hierarchies (ARX's form: leaf; level 1; level 2; ...; root) to edges, and back.
//!
//! A cell equal to the one before it is the same node seen again one level up, and a missing cell
//! is a level that this branch does not have. Written, all rows are of one length: a leaf of a shorter
//! branch stands for itself on the levels that the branch does not have, just above the leaves.

use super::{Edge, Edges, Taxonomy};
use crate::progress::{room, room_in_table};
use crate::{pace, Error};
use hashbrown::HashSet;

/// The edges of a wide hierarchy, each once, the root's with no parent; every row is a leaf's path
/// upwards.
pub fn edges_from_levels(rows: &[Vec<Option<String>>]) -> Result<Edges, Error> {
    room_in_table::<(&str, Option<&str>)>(rows.len() * 2)?;
    // Room for every row's leaf and as many inner nodes: growing would hash all anew without a poll.
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
                // Both tables are there while it grows.
                room_in_table::<(&str, Option<&str>)>(seen.len() * 2 + 1)?;
                seen.reserve(seen.len() + 1);
            }
            if seen.insert((child, parent)) {
                edges.push(Edge::new(child, parent));
            }
        }
    }
    Ok(edges)
}

/// A row a leaf, from the left: the leaf, what is above it, ..., the root.
pub fn levels_of(tree: &Taxonomy) -> Result<Vec<Vec<String>>, Error> {
    room::<usize>(tree.nodes().len())?;
    let (mut depths, mut deepest) = (Vec::with_capacity(tree.nodes().len()), 0);
    pace::each(tree.nodes(), |node| {
        let depth = node.parent.map_or(0, |parent| depths[parent] + 1);
        deepest = deepest.max(depth);
        depths.push(depth);
    })?;
    room::<Vec<String>>(tree.leaves())?;
    let mut rows = Vec::with_capacity(tree.leaves());
    for (leaf, node) in tree.nodes().iter().enumerate() {
        pace::tick(1)?;
        if !node.children.is_empty() {
            continue;
        }
        let mut row: Vec<String> = Vec::with_capacity(deepest + 1);
        let mut next = Some(leaf);
        while let Some(node) = next {
            pace::tick(1)?;
            let label = tree.label(node);
            // The leaf stands for itself on the levels that it has not.
            let times = if row.is_empty() { deepest + 1 - depths[leaf] } else { 1 };
            for _ in 0..times {
                pace::tick(1)?;
                row.push(label.to_string());
            }
            next = tree.nodes()[node].parent;
        }
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rows: &[Vec<Option<String>>]) -> Taxonomy {
        Taxonomy::from_edges(&edges_from_levels(rows).unwrap()).unwrap().unwrap()
    }

    /// What was written is read as the same tree, ragged or not; and where all leaves are as deep, as the same rows.
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
            let written = levels_of(&tree(&read)).unwrap();
            let again: Vec<Vec<Option<String>>> =
                written.into_iter().map(|row| row.into_iter().map(Some).collect()).collect();
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
