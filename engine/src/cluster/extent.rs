//! What a cluster's values on one column are generalized to, and what that loses (Definition 7).
//!
//! With a hierarchy it is the lowest common ancestor, with loss size(anc)/size(root); without, the
//! closed interval from the least to the greatest value, with its share of the data's width; of a
//! suppressed column the common value, or `*` with loss 1. NULL goes with NULL only.

use crate::progress::room;
use crate::refine::{Hierarchy, Node, NodeId, TOP};
use crate::{loss, pace, Code, Error};
use std::ops::RangeInclusive;

/// How one column's values are put together.
#[derive(Debug, Clone)]
pub enum Space {
    /// Along a hierarchy; how much each of its nodes loses.
    Tree(Hierarchy, Vec<f64>),
    /// To intervals: where each rank lies; NULL is the code after the last rank.
    Line(Vec<f64>),
    /// Not at all: anything but equal values is suppressed.
    Apart,
    /// As they are released already, whatever they are.
    Given,
}

/// What some values are generalized to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Extent {
    /// A node of the hierarchy.
    Node(NodeId),
    /// The ranks from the least to the greatest value.
    Ranks(RangeInclusive<Code>),
    /// Anything.
    Any,
}

impl Space {
    /// Of what a hierarchy's nodes lose by themselves.
    pub fn of_hierarchy(hierarchy: &Hierarchy) -> Result<Space, Error> {
        Ok(match hierarchy.domain() {
            Some(domain) => Space::Line(pace::collect(domain.positions.iter().copied())?),
            None if hierarchy.is_suppression() => Space::Apart,
            None => {
                room::<(Node, f64)>(hierarchy.nodes().len())?;
                let losses = hierarchy.nodes().iter().map(|node| node.loss);
                Space::Tree(hierarchy.clone(), pace::collect(losses)?)
            }
        })
    }

    /// A single value.
    pub fn of(&self, code: Code) -> Result<Extent, Error> {
        Ok(match self {
            Space::Tree(hierarchy, _) => Extent::Node(leaf(hierarchy, code)?),
            Space::Line(_) | Space::Apart => Extent::Ranks(code..=code),
            Space::Given => Extent::Any,
        })
    }

    /// What holds the values of `extent` and `code` too.
    pub fn with(&self, extent: &Extent, code: Code) -> Result<Extent, Error> {
        Ok(match (self, extent) {
            (Space::Tree(hierarchy, _), Extent::Node(node)) => {
                let mut node = *node;
                while !hierarchy.node(node).codes.contains(&code) {
                    pace::tick(1)?;
                    match hierarchy.node(node).parent {
                        Some(parent) => node = parent,
                        None => break,
                    }
                }
                Extent::Node(node)
            }
            (_, Extent::Ranks(ranks)) if ranks.contains(&code) => extent.clone(),
            (Space::Line(positions), Extent::Ranks(ranks)) => {
                let (least, greatest) = (code.min(*ranks.start()), code.max(*ranks.end()));
                // NULL, beyond the last rank, goes with NULL only.
                if greatest as usize >= positions.len() {
                    Extent::Any
                } else {
                    Extent::Ranks(least..=greatest)
                }
            }
            _ => Extent::Any,
        })
    }

    /// How far two codes are apart: what holds both loses.
    pub fn apart(&self, one: Code, other: Code) -> Result<f64, Error> {
        Ok(self.loss(&self.with(&self.of(one)?, other)?))
    }

    /// Whether nothing loses less than what it holds. The ends that a taxonomy's nodes are given may
    /// say so of some.
    pub fn grows(&self) -> Result<bool, Error> {
        let mut grows = true;
        if let Space::Tree(hierarchy, losses) = self {
            pace::each(hierarchy.nodes().iter().zip(losses), |(node, loss)| {
                grows &= node.parent.is_none_or(|parent| *loss <= losses[parent as usize]);
            })?;
        }
        Ok(grows)
    }

    /// What an extent loses.
    pub fn loss(&self, extent: &Extent) -> f64 {
        match (self, extent) {
            (Space::Tree(_, losses), Extent::Node(node)) => losses[*node as usize],
            (Space::Given, _) => loss::SINGLE,
            (_, Extent::Ranks(ranks)) if ranks.start() == ranks.end() => loss::SINGLE,
            (Space::Line(positions), Extent::Ranks(ranks)) => {
                let at = |rank: Code| positions[rank as usize];
                let (least, greatest) = (positions[0], positions[positions.len() - 1]);
                loss::of_width(at(*ranks.start()), at(*ranks.end()), least, greatest)
            }
            _ => loss::SUPPRESSED,
        }
    }
}

/// The deepest node that holds a code, of those that may be released.
fn leaf(hierarchy: &Hierarchy, code: Code) -> Result<NodeId, Error> {
    let holds = |&&node: &&NodeId| hierarchy.node(node).codes.contains(&code);
    let mut node = TOP;
    loop {
        pace::tick(1)?;
        if !hierarchy.may_refine(node) {
            return Ok(node);
        }
        // Siblings are in the order of their codes; only NULL comes before the column's own top.
        let below = &hierarchy.node(node).children;
        let child = below.partition_point(|&child| hierarchy.node(child).codes.end <= code);
        match below.get(child).filter(holds).or_else(|| below.iter().find(holds)) {
            Some(&child) => node = child,
            None => return Ok(node),
        }
    }
}
