//! Taxonomies for generated tables.

use topdown::refine::Hierarchy;
use topdown::taxonomy::Taxonomy;

/// Makes a taxonomy with up to three children per node and leaf i for code i.
pub fn taxonomy(leaves: usize) -> Hierarchy {
    let mut edges = Vec::new();
    let (mut level, mut width) = (0, leaves);
    while width > 1 {
        let label = |level: usize, number: usize| format!("{level} {number:03}");
        edges.extend((0..width).map(|n| (label(level, n), Some(label(level + 1, n / 3)))));
        (level, width) = (level + 1, width.div_ceil(3));
    }
    let edges = edges.into_iter().collect();
    let tree = Taxonomy::from_edges(&edges).unwrap().expect("a tree");
    Hierarchy::by_taxonomy(&tree, false).unwrap()
}
