//! The generalization of a cluster's values on one column, and its loss (Definition 7).
//!
//! With a hierarchy it is the lowest common ancestor, with the loss size(anc)/size(root). Without one it is the closed
//! interval from the least to the greatest value, and its loss is its share of the data's width. On a suppressed column
//! it is the common value, or `*` with the loss 1. NULL and any other value generalize to `*`.

use crate::progress::check_memory;
use crate::refine::{Hierarchy, Node, NodeId, TOP};
use crate::{loss, pace, Code, Error};
use std::ops::RangeInclusive;

/// How the values of a column are generalized.
#[derive(Debug, Clone)]
pub enum Generalizer {
    /// To nodes of a hierarchy; with the loss of each node.
    Tree(Hierarchy, Vec<f64>),
    /// To intervals; with the position of each rank. NULL is the code after the last rank.
    Line(Vec<f64>),
    /// Not at all: different values are suppressed.
    Suppressed,
    /// Released in a given way that clusters do not change.
    Fixed,
}

/// Generalization of some values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A node of the hierarchy.
    Node(NodeId),
    /// The ranks from the least to the greatest value.
    Ranks(RangeInclusive<Code>),
    /// Anything.
    Any,
}

impl Generalizer {
    /// Makes the generalizer of a hierarchy's column.
    pub fn from_hierarchy(hierarchy: &Hierarchy) -> Result<Generalizer, Error> {
        Ok(match hierarchy.domain() {
            Some(domain) => Generalizer::Line(pace::collect(domain.positions.iter().copied())?),
            None if hierarchy.is_suppression() => Generalizer::Suppressed,
            None => {
                check_memory::<(Node, f64)>(hierarchy.nodes().len())?;
                let losses = hierarchy.nodes().iter().map(|node| node.loss);
                Generalizer::Tree(hierarchy.clone(), pace::collect(losses)?)
            }
        })
    }

    /// Returns the extent of a single value.
    pub fn generalize_one(&self, code: Code) -> Extent {
        match self {
            Generalizer::Tree(hierarchy, _) => Extent::Node(leaf(hierarchy, code)),
            Generalizer::Line(_) | Generalizer::Suppressed => Extent::Ranks(code..=code),
            Generalizer::Fixed => Extent::Any,
        }
    }

    /// Returns the smallest extent that holds `extent` and `code`.
    pub fn extend(&self, extent: &Extent, code: Code) -> Extent {
        match (self, extent) {
            (Generalizer::Tree(hierarchy, _), Extent::Node(node)) => {
                let mut ancestors = std::iter::successors(Some(*node), |&node| hierarchy.node(node).parent);
                let holds = |&node: &NodeId| hierarchy.node(node).codes.contains(&code);
                Extent::Node(ancestors.find(holds).unwrap_or(TOP))
            }
            (_, Extent::Ranks(ranks)) if ranks.contains(&code) => extent.clone(),
            (Generalizer::Line(positions), Extent::Ranks(ranks)) => {
                let (least, greatest) = (code.min(*ranks.start()), code.max(*ranks.end()));
                // NULL, beyond the last rank, goes with NULL only.
                if greatest as usize >= positions.len() {
                    Extent::Any
                } else {
                    Extent::Ranks(least..=greatest)
                }
            }
            _ => Extent::Any,
        }
    }

    /// Returns the distance of two codes: the loss of the extent that holds both.
    pub(super) fn distance(&self, one: Code, other: Code) -> f64 {
        self.loss(&self.extend(&self.generalize_one(one), other))
    }

    /// Returns whether no extent loses less than an extent inside it. A taxonomy whose nodes have given ends may
    /// violate this.
    pub(super) fn is_monotone(&self) -> Result<bool, Error> {
        let mut grows = true;
        if let Generalizer::Tree(hierarchy, losses) = self {
            pace::each(hierarchy.nodes().iter().zip(losses), |(node, loss)| {
                grows &= node.parent.is_none_or(|parent| *loss <= losses[parent as usize]);
            })?;
        }
        Ok(grows)
    }

    /// Returns the loss of an extent.
    pub fn loss(&self, extent: &Extent) -> f64 {
        match (self, extent) {
            (Generalizer::Tree(_, losses), Extent::Node(node)) => losses[*node as usize],
            (Generalizer::Fixed, _) => loss::SINGLE,
            (_, Extent::Ranks(ranks)) if ranks.start() == ranks.end() => loss::SINGLE,
            (Generalizer::Line(positions), Extent::Ranks(ranks)) => {
                let at = |rank: Code| positions[rank as usize];
                let (least, greatest) = (positions[0], positions[positions.len() - 1]);
                loss::width_loss(at(*ranks.start()), at(*ranks.end()), least, greatest)
            }
            _ => loss::SUPPRESSED,
        }
    }
}

/// Returns the deepest node that holds a code and may be released.
fn leaf(hierarchy: &Hierarchy, code: Code) -> NodeId {
    let holds = |&&node: &&NodeId| hierarchy.node(node).codes.contains(&code);
    let mut node = TOP;
    while hierarchy.may_refine(node) {
        // Siblings are in the order of their codes, except that NULL comes before the column's own top.
        let below = &hierarchy.node(node).children;
        let child = below.partition_point(|&child| hierarchy.node(child).codes.end <= code);
        match below.get(child).filter(holds).or_else(|| below.iter().find(holds)) {
            Some(&child) => node = child,
            None => break,
        }
    }
    node
}
