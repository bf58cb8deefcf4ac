//! Hierarchies over the distinct values of a numerical column (Campan, Cooper, Truta 2011).
//!
//! A hierarchy is a family of runs of neighbouring values of which any two are nested or apart.
//! So each method only says which runs it makes; [`Numeric::new`] adds the root and the leaves,
//! drops what is there twice (a node with the same values as its only child is that child) and
//! finds every node's parent in one pass.
//!
//! * [`iotf`]: merge the neighbours whose union is smallest (this paper, Definitions 3 to 6);
//! * [`otf`]: merge the neighbours whose centres of gravity are nearest (Campan, Cooper 2010);
//! * [`han`]: merge level by level to nodes of equal count (Han, Fu 1994);
//! * [`chu`]: split where the relaxation error falls most (Chu, Chiang 1994);
//! * [`equal_width`], [`equal_frequency`], [`breakpoints`]: the usual predefined ones.

mod chu;
mod han;
mod merge;
mod predefined;

pub use chu::chu;
pub use han::han;
pub use merge::{iotf, otf};
pub use predefined::{breakpoints, equal_frequency, equal_width, Widths};

use crate::progress::room;
use crate::{pace, Code, Error};
use std::ops::Range;

/// The distinct values of a column, ascending, and how many records hold each.
#[derive(Debug, Clone)]
pub struct Values {
    /// Where each value lies.
    pub positions: Vec<f64>,
    /// How many records hold it, at least one.
    pub counts: Vec<u64>,
}

/// Some ranks that are neighbours.
pub type Run = Range<Code>;

/// A node of a numerical hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericNode {
    /// The ranks below.
    pub codes: Run,
    /// The node above, none for the root.
    pub parent: Option<usize>,
}

/// The nodes, the root first and every node after its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numeric(pub Vec<NumericNode>);

impl Numeric {
    /// The tree of some runs over `values` ranks.
    pub fn new(values: usize, runs: impl IntoIterator<Item = Run>) -> Result<Numeric, Error> {
        let runs = runs.into_iter();
        let most = runs.size_hint().1.unwrap_or(values).saturating_add(values + 1);
        room::<NumericNode>(most)?;
        // Their keys, and the nodes above one.
        room::<[u64; 3]>(most)?;
        let end = values as Code;
        let root = (end > 0).then_some(0..end);
        let leaves = (0..end).map(|code| code..code + 1);
        let keys = runs.chain(leaves).chain(root).map(|run| key(&run));
        let mut all = pace::collect(keys)?;
        pace::sort_by(&mut all, u64::cmp)?;
        let mut nodes: Vec<NumericNode> = Vec::with_capacity(all.len());
        let mut above: Vec<usize> = Vec::new();
        for codes in all.into_iter().map(run) {
            pace::tick(1)?;
            // One that is there already is the last.
            if codes.is_empty() || nodes.last().is_some_and(|last| last.codes == codes) {
                continue;
            }
            while above.last().is_some_and(|&last| nodes[last].codes.end <= codes.start) {
                above.pop();
            }
            let parent = above.last().copied();
            debug_assert!(parent.is_none_or(|p| codes.end <= nodes[p].codes.end), "runs overlap");
            above.push(nodes.len());
            nodes.push(NumericNode { codes, parent });
        }
        Ok(Numeric(nodes))
    }
}

/// A run as a number: by their first rank, and of those with the same the longest first, because
/// it holds the others.
fn key(run: &Run) -> u64 {
    u64::from(run.start) << 32 | u64::from(!run.end)
}

/// The run of a key.
fn run(key: u64) -> Run {
    (key >> 32) as Code..!(key as Code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_a_tree() {
        let tree = Numeric::new(5, [0..2, 0..3, 3..5, 3..4, 0..3]).unwrap();
        let node = |start, end, parent| NumericNode { codes: start..end, parent };
        let expected = vec![
            node(0, 5, None),
            node(0, 3, Some(0)),
            node(0, 2, Some(1)),
            node(0, 1, Some(2)),
            node(1, 2, Some(2)),
            node(2, 3, Some(1)),
            node(3, 5, Some(0)),
            node(3, 4, Some(6)),
            node(4, 5, Some(6)),
        ];
        assert_eq!(tree.0, expected);
        assert_eq!(Numeric::new(1, []).unwrap().0, [node(0, 1, None)]);
        assert_eq!(Numeric::new(0, []).unwrap().0, []);
    }
}
