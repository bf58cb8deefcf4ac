//! Hierarchies over the distinct values of a numerical column (Campan, Cooper, Truta 2011).
//!
//! A hierarchy is a family of runs of neighbouring values, any two of them nested or disjoint. A method only returns
//! its runs. [`Numeric::new`] adds the root and the leaves, drops duplicates (a node with the same values as its only
//! child is that child) and finds the parents in one pass.
//!
//! * [`iotf`]: merge the neighbours with the smallest union (this paper, Definitions 3 to 6);
//! * [`otf`]: merge the neighbours with the nearest centres of gravity (Campan, Cooper 2010);
//! * [`han`]: merge level by level to nodes of equal count (Han, Fu 1994);
//! * [`chu`]: split at the largest fall of the relaxation error (Chu, Chiang 1994);
//! * [`equal_width`], [`equal_frequency`], [`breakpoints`]: the usual predefined ones.

mod chu;
mod han;
mod merge;
mod predefined;

pub use chu::chu;
pub use han::han;
pub use merge::{iotf, otf};
pub use predefined::{breakpoints, equal_frequency, equal_width, Widths};

use crate::progress::{check_memory, with_capacity};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Distinct values of a column, ascending, with their counts.
#[derive(Debug, Clone)]
pub struct Values {
    /// Position of each value.
    pub positions: Vec<f64>,
    /// Number of records with each value, at least 1.
    pub counts: Vec<u64>,
}

/// Range of neighbouring ranks.
pub type Run = Range<Code>;

/// A node of a numerical hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericNode {
    /// Ranks below the node.
    pub codes: Run,
    /// Node above; None for the root.
    pub parent: Option<usize>,
}

/// Nodes, the root first and every node after its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numeric(pub Vec<NumericNode>);

impl Numeric {
    /// Makes the tree of some runs over `values` ranks.
    pub fn new(values: usize, runs: impl IntoIterator<Item = Run>) -> Result<Numeric, Error> {
        let runs = runs.into_iter();
        let most = runs.size_hint().1.unwrap_or(values).saturating_add(values + 1);
        // The keys of the runs, and the stack of the nodes above the current one.
        check_memory::<[u64; 3]>(most)?;
        let end = values as Code;
        let root = (end > 0).then_some(0..end);
        let leaves = (0..end).map(|code| code..code + 1);
        let keys = runs.chain(leaves).chain(root).map(|run| sort_key(&run));
        let mut keys = pace::collect(keys)?;
        pace::sort_by(&mut keys, u64::cmp)?;
        let mut nodes: Vec<NumericNode> = with_capacity(keys.len())?;
        let mut above: Vec<usize> = Vec::new();
        for codes in keys.into_iter().map(run_with_key) {
            pace::tick(1)?;
            // Equal runs follow each other.
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

/// Returns a number that sorts runs by first rank, and those with the same first rank from the longest to the
/// shortest: a parent comes before its children.
fn sort_key(run: &Run) -> u64 {
    u64::from(run.start) << 32 | u64::from(!run.end)
}

/// Returns the run with a sort key.
fn run_with_key(key: u64) -> Run {
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
