//! A column while it is searched: its hierarchy and what is released of it, and which child each code would fall to
//! if its node were refined.

use crate::privacy::Direction;
use crate::refine::{Hierarchy, NodeId, TOP};
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
    /// Whether it is refined before others, in all groups at once.
    pub shown: bool,
    /// For each code, the part of its group that it would fall into: mostly a child of its node in the cut.
    pub part_of_code: Vec<u32>,
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
    /// Whether a cluster shows what its group shows: all groups share one cut, or nothing more specific is allowed than what
    /// splits and disclosures lead to, of which a cluster has none.
    pub fn is_given(&self) -> bool {
        self.shown
            || !self.hierarchy.may_refine(TOP)
            || self.hierarchy.domain().is_some() && self.hierarchy.is_bounded()
    }

    /// Assigns the codes under a node to its children.
    pub fn assign_parts(&mut self, node: NodeId) -> Result<(), Error> {
        self.assign(|hierarchy| &hierarchy.node(node).children)
    }

    /// Assigns the codes to the nodes of the coarsest cut.
    pub fn assign_coarsest(&mut self) -> Result<(), Error> {
        self.assign(Hierarchy::coarsest)
    }

    fn assign(&mut self, nodes: impl Fn(&Hierarchy) -> &[NodeId]) -> Result<(), Error> {
        for (part, &child) in (0..).zip(nodes(&self.hierarchy)) {
            let codes = self.hierarchy.node(child).codes.clone();
            pace::each(codes, |code| self.part_of_code[code as usize] = part)?;
        }
        Ok(())
    }

    /// Assigns the codes of an interval to its halves, `at` being the first of the right one.
    pub fn assign_halves(&mut self, codes: &Range<Code>, at: Code) -> Result<(), Error> {
        pace::each(codes.clone(), |code| self.part_of_code[code as usize] = u32::from(code >= at))
    }
}
