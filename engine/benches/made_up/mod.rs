//! What benchmarks make their tables up of.

use topdown::refine::Hierarchy;
use topdown::taxonomy::{Edge, Taxonomy};
use topdown::Reservation;

/// SplitMix64, as numbers from 0 to before 1.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Up to three under every node, leaf i with code i.
pub fn taxonomy(leaves: usize) -> Hierarchy {
    let mut edges = Vec::new();
    let (mut level, mut width) = (0, leaves);
    while width > 1 {
        let label = |level: usize, number: usize| format!("{level} {number:03}");
        edges.extend((0..width).map(|n| Edge::new(label(level, n), Some(label(level + 1, n / 3)))));
        (level, width) = (level + 1, width.div_ceil(3));
    }
    let tree = Taxonomy::from_edges(&edges, &mut Reservation::unobserved()).unwrap().expect("a tree");
    Hierarchy::by_taxonomy(&tree, false, &mut Reservation::unobserved()).unwrap()
}
