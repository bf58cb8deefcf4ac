//! Wide hierarchies (ARX's form: leaf; level 1; level 2; ...; root) to edges, and back.
//!
//! A cell equal to the one before it is the same node seen again one level up, and a missing cell
//! is a level that this branch does not have. Written, all rows are of one length: a leaf of a shorter
//! branch stands for itself on the levels that the branch does not have, just above the leaves.

use super::{Edge, Edges, Taxonomy};
use crate::progress::table_bytes;
use crate::{Error, Pace, Reservation};
use hashbrown::HashSet;

/// The edges of a wide hierarchy, each once, the root's with no parent; every row is a leaf's path
/// upwards. They are held under `memory`.
pub fn edges_from_levels(rows: &[Vec<Option<String>>], memory: &mut Reservation) -> Result<Edges, Error> {
    let pace = Pace::new(memory.progress());
    let table = table_bytes::<(&str, Option<&str>)>;
    let mut held = Reservation::new(memory.progress(), table(rows.len() * 2))?;
    // Room for every row's leaf and as many inner nodes: growing would hash all anew without a poll.
    let mut seen = HashSet::with_capacity(rows.len() * 2);
    let mut edges = Edges::default();
    for row in rows {
        pace.tick(1)?;
        let mut path: Vec<&str> = Vec::new();
        pace.each(row, |cell| {
            let cell = cell.as_deref().filter(|cell| path.last() != Some(cell));
            path.extend(cell);
        })?;
        for (i, &child) in path.iter().enumerate() {
            pace.tick(1)?;
            let parent = path.get(i + 1).copied();
            if seen.len() == seen.capacity() {
                // Both tables are there while it grows.
                let grown = Reservation::new(memory.progress(), table(seen.len() * 2 + 1))?;
                seen.reserve(seen.len() + 1);
                held = grown;
            }
            if seen.insert((child, parent)) {
                edges.push(Edge::new(child, parent), memory)?;
            }
        }
    }
    drop((seen, held));
    Ok(edges)
}

/// A row a leaf, from the left: the leaf, what is above it, ..., the root. They are held under `memory`.
pub fn levels_of(tree: &Taxonomy, memory: &mut Reservation) -> Result<Vec<Vec<String>>, Error> {
    let pace = Pace::new(memory.progress());
    let _depths = Reservation::of::<usize>(memory.progress(), tree.nodes().len())?;
    let (mut depths, mut deepest) = (Vec::with_capacity(tree.nodes().len()), 0);
    pace.each(tree.nodes(), |node| {
        let depth = node.parent.map_or(0, |parent| depths[parent] + 1);
        deepest = deepest.max(depth);
        depths.push(depth);
    })?;
    memory.grow_by::<Vec<String>>(tree.leaves())?;
    let mut rows = Vec::with_capacity(tree.leaves());
    for (leaf, node) in tree.nodes().iter().enumerate() {
        pace.tick(1)?;
        if !node.children.is_empty() {
            continue;
        }
        memory.grow_by::<String>(deepest + 1)?;
        let mut row: Vec<String> = Vec::with_capacity(deepest + 1);
        let mut next = Some(leaf);
        while let Some(node) = next {
            pace.tick(1)?;
            let label = tree.label(node);
            // The leaf stands for itself on the levels that it has not.
            let times = if row.is_empty() { deepest + 1 - depths[leaf] } else { 1 };
            for _ in 0..times {
                pace.tick(1)?;
                memory.grow(label.len())?;
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
        let memory = &mut Reservation::unobserved();
        Taxonomy::from_edges(&edges_from_levels(rows, memory).unwrap(), memory).unwrap().unwrap()
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
            let written = levels_of(&tree(&read), &mut Reservation::unobserved()).unwrap();
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
