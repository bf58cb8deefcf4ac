//! Wide hierarchies (ARX's form: leaf; level 1; level 2; ...; root) to edges.
//!
//! A cell equal to the one before it is the same node seen again one level up, and a missing cell
//! is a level that this branch does not have.

use super::Edge;
use crate::progress::table_bytes;
use crate::{Error, Pace, Reservation};
use hashbrown::HashSet;

/// The edges of a wide hierarchy, each once, the root's with no parent; every row is a leaf's path
/// upwards. They are held under `memory`.
pub fn edges_from_levels(rows: &[Vec<Option<String>>], memory: &mut Reservation) -> Result<Vec<Edge>, Error> {
    let pace = Pace::new(memory.progress());
    let table = table_bytes::<(&str, Option<&str>)>;
    let mut held = Reservation::new(memory.progress(), table(rows.len() * 2))?;
    // Room for every row's leaf and as many inner nodes: growing would hash all anew without a poll.
    let mut seen = HashSet::with_capacity(rows.len() * 2);
    let mut edges = Vec::new();
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
                memory.grow(Edge::bytes(child, parent))?;
                edges.push(Edge::new(child, parent.map(String::from)));
            }
        }
    }
    drop((seen, held));
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn ragged_rows_and_repeated_cells() {
        let row =
            |cells: &[&str]| cells.iter().map(|c| (!c.is_empty()).then(|| c.to_string())).collect::<Vec<_>>();
        let rows =
            [row(&["1", "0-4", "0-9", "*"]), row(&["7", "5-9", "0-9", "*"]), row(&["x", "x", "", "*"])];
        let edges = edges_from_levels(&rows, &mut Reservation::unobserved()).unwrap();
        let t = Taxonomy::from_edges(&edges, &mut Reservation::unobserved()).unwrap().unwrap();
        assert_eq!((t.leaves(), t.root().label.as_str()), (3, "*"));
        assert_eq!(t.find("0-9").unwrap().children.len(), 2);
        assert_eq!(t.nodes()[t.find("x").unwrap().parent.unwrap()].label, "*");
    }
}
