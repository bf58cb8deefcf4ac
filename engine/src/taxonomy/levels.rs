//! Wide hierarchies (ARX's form: leaf; level 1; level 2; ...; root) to edges.
//!
//! A cell equal to the one before it is the same node seen again one level up, and a missing cell
//! is a level that this branch does not have.

use super::Edge;
use hashbrown::HashSet;

/// The edges of a wide hierarchy, each once, the root's with no parent; every row is a leaf's path
/// upwards.
pub fn edges_from_levels(rows: &[Vec<Option<String>>]) -> Vec<Edge> {
    let mut seen = HashSet::new();
    let mut edges = Vec::new();
    for row in rows {
        let mut path: Vec<&String> = row.iter().flatten().collect();
        path.dedup();
        for (i, child) in path.iter().enumerate() {
            let edge = Edge::new(child.as_str(), path.get(i + 1).map(|p| p.to_string()));
            if seen.insert((edge.child.clone(), edge.parent.clone())) {
                edges.push(edge);
            }
        }
    }
    edges
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::taxonomy::Taxonomy;

    #[test]
    fn ragged_rows_and_repeated_cells() {
        let row =
            |cells: &[&str]| cells.iter().map(|c| (!c.is_empty()).then(|| c.to_string())).collect::<Vec<_>>();
        let edges = edges_from_levels(&[
            row(&["1", "0-4", "0-9", "*"]),
            row(&["7", "5-9", "0-9", "*"]),
            row(&["x", "x", "", "*"]),
        ]);
        let t = Taxonomy::from_edges(&edges).unwrap();
        assert_eq!((t.leaves(), t.root().label.as_str()), (3, "*"));
        assert_eq!(t.find("0-9").unwrap().children.len(), 2);
        assert_eq!(t.nodes()[t.find("x").unwrap().parent.unwrap()].label, "*");
    }
}
