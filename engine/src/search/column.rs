//! The state of a column during a search: its hierarchy, its cut, and the child that each code would fall to if its
//! node were refined.

use super::recorded::Refinement;
use crate::privacy::Direction;
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::table::{ClassCounts, Histogram};
use crate::trace::Cut;
use crate::{pace, Code, Error};
use std::ops::Range;

pub(super) struct Column {
    pub hierarchy: Hierarchy,
    pub histogram: Histogram,
    pub cut: Cut,
    /// Factor of the gains in the score.
    pub weight: f64,
    /// Whether it is refined before the others, in all groups at once.
    pub shown: bool,
    /// For each code, the part of its group that it would fall into: mostly the index of a child of its node in the
    /// cut.
    pub part_of_code: Vec<u32>,
    /// Class counts of the records in `*`, if the column is suppressed.
    pub suppressed: Option<ClassCounts>,
    pub requirements: Vec<Requirement>,
}

/// A requirement on a column: its number among all requirements, its model, and the direction that is worse.
#[derive(Clone, Copy)]
pub(super) struct Requirement {
    pub number: usize,
    pub model: usize,
    pub direction: Direction,
}

impl Column {
    /// Returns whether clusters release the column as their groups do. That is so if all groups share one cut, if
    /// nothing below the top is allowed, or if the finest depth is a number of splits, which clusters do not have.
    pub fn is_fixed_in_clusters(&self) -> bool {
        self.shown
            || !self.hierarchy.may_refine(TOP)
            || self.hierarchy.domain().is_some() && self.hierarchy.has_finest_depth()
    }

    /// Assigns the codes of a node to the parts that a refinement makes of it. In `*` all codes are of the rest, and
    /// only disclosed values are assigned.
    pub fn assign(&mut self, node: NodeId, refinement: &Refinement) -> Result<(), Error> {
        match refinement {
            Refinement::Specialize | Refinement::SplitOff { .. } => self.assign_parts(node),
            Refinement::Split { at, .. } => self.assign_halves(&self.hierarchy.node(node).codes.clone(), *at),
            Refinement::Disclose { codes } => pace::each(codes, |&code| self.part_of_code[code as usize] = 1),
        }
    }

    /// Assigns disclosed values to the rest again: the next disclosure needs them there.
    pub fn unassign(&mut self, refinement: &Refinement) {
        if let Refinement::Disclose { codes } = refinement {
            codes.iter().for_each(|&code| self.part_of_code[code as usize] = 0);
        }
    }

    /// Assigns the codes under a node to its children.
    pub fn assign_parts(&mut self, node: NodeId) -> Result<(), Error> {
        self.assign_nodes(|hierarchy| &hierarchy.node(node).children)
    }

    pub fn assign_coarsest(&mut self) -> Result<(), Error> {
        self.assign_nodes(Hierarchy::coarsest)
    }

    fn assign_nodes(&mut self, nodes: impl Fn(&Hierarchy) -> &[NodeId]) -> Result<(), Error> {
        for (part, &child) in (0..).zip(nodes(&self.hierarchy)) {
            let codes = self.hierarchy.node(child).codes.clone();
            pace::each(codes, |code| self.part_of_code[code as usize] = part)?;
        }
        Ok(())
    }

    /// Assigns the codes of an interval to its halves. `at` is the first code of the right half.
    pub fn assign_halves(&mut self, codes: &Range<Code>, at: Code) -> Result<(), Error> {
        pace::each(codes.clone(), |code| self.part_of_code[code as usize] = u32::from(code >= at))
    }
}
