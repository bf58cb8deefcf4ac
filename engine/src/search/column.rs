//! A column while it is searched: its hierarchy and what is released of it, and which child each code would fall to
//! if its node were refined.

use crate::privacy::Direction;
use crate::refine::{Hierarchy, NodeId};
use crate::table::{ClassCounts, Histogram};
use crate::trace::Cut;
use crate::{pace, Code, Error};
use std::ops::Range;

/// One column's state.
pub(super) struct Column {
    pub hierarchy: Hierarchy,
    pub histogram: Histogram,
    pub cut: Cut,
    /// How many times a gain counts.
    pub weight: f64,
    /// For each code, the child of its node in the cut that it would fall to.
    pub slots: Vec<u32>,
    /// The classes of the records in `*`, under suppression.
    pub suppressed: Option<ClassCounts>,
    /// The requirements on the column.
    pub requirements: Vec<Requirement>,
}

/// A requirement on a column, by its number among all; whose it is, and which way it worsens.
#[derive(Clone, Copy)]
pub(super) struct Requirement {
    pub number: usize,
    pub model: usize,
    pub direction: Direction,
}

impl Column {
    /// Aims the codes under a node at the children that they would fall to.
    pub fn aim(&mut self, node: NodeId) -> Result<(), Error> {
        self.aim_at(|hierarchy| &hierarchy.node(node).children)
    }

    /// Aims the codes at the nodes of the coarsest cut.
    pub fn aim_at_coarsest(&mut self) -> Result<(), Error> {
        self.aim_at(Hierarchy::coarsest)
    }

    fn aim_at(&mut self, nodes: impl Fn(&Hierarchy) -> &[NodeId]) -> Result<(), Error> {
        for (slot, &child) in (0..).zip(nodes(&self.hierarchy)) {
            let codes = self.hierarchy.node(child).codes.clone();
            pace::each(codes, |code| self.slots[code as usize] = slot)?;
        }
        Ok(())
    }

    /// Aims the codes of an interval at its halves, `at` being the first of the right one.
    pub fn aim_at_halves(&mut self, codes: &Range<Code>, at: Code) -> Result<(), Error> {
        pace::each(codes.clone(), |code| self.slots[code as usize] = u32::from(code >= at))
    }
}
