//! Released values of a masked column, and how they become more specific.
//!
//! Each column has one [`Hierarchy`]: nodes over its codes, node 0 the most general. The three refinements of the
//! papers differ only in the source of the nodes below:
//!
//! * [`taxonomy`]: specialize a node of a given tree (TDS section 3);
//! * [`interval`]: split an interval in two; the tree of optimal splits is grown when a node becomes a candidate (TDS
//!   section 4);
//! * [`suppression`]: disclose one value out of `*` (TDR section 3.1.2, PDA section 4).
//!
//! The ends of intervals are published rounded ([`endpoint`]). If only some points may become ends, they are given, or
//! they are those of a [`grid`]. [`depth`] limits how specific a column may be and must be.
//!
//! A column that holds NULLs and is not suppressed gets a further node on top, `*`. Its children are NULL and the
//! column's own top. The refinement of this `*` is a step like any other.

pub mod depth;
pub mod endpoint;
pub mod grid;
pub mod interval;
pub mod suppression;
pub mod taxonomy;

use crate::{loss, Code, Error};
use std::ops::Range;

/// Number of a node in its [`Hierarchy`].
pub type NodeId = u32;

/// Values that a node stands for. Its label follows from them.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Any value: the `*` of a suppression, or the top over NULL.
    Any,
    /// NULL alone.
    Null,
    /// The node of the taxonomy with this number.
    Taxonomy(usize),
    /// The range of the values with the node's codes.
    Interval,
    /// A disclosed value: the node's only code.
    Value,
}

/// A node of a [`Hierarchy`].
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Node above; None for the top.
    pub parent: Option<NodeId>,
    /// Number of nodes above.
    pub depth: u32,
    /// Nodes below, in order. Empty for a leaf and for an interval that is not split yet.
    pub children: Vec<NodeId>,
    /// Codes below. The `*` of a suppression has all codes; the cut says which of them are still suppressed.
    pub codes: Range<Code>,
    /// Values that the node stands for.
    pub meaning: Meaning,
    /// Certainty loss of a value that is released as this node ([`loss`]).
    pub loss: f64,
}

/// The nodes over the codes of one column.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    kind: Kind,
    /// Coarsest cut that is allowed, in order.
    coarsest: Vec<NodeId>,
    /// Number of splits above a released interval, at least.
    required_splits: usize,
    /// Depth of the most specific nodes that are allowed; None if all are.
    finest: Option<usize>,
    /// For a replay, whether no record held the value of each code in the earlier search. Empty if this is not known.
    unseen: Vec<bool>,
}

#[derive(Debug, Clone)]
enum Kind {
    Taxonomy,
    Interval(interval::Domain),
    Suppression,
}

/// Number of the most general node.
pub const TOP: NodeId = 0;

impl Hierarchy {
    fn new(nodes: Vec<Node>, kind: Kind) -> Hierarchy {
        Hierarchy { nodes, kind, coarsest: vec![TOP], required_splits: 0, finest: None, unseen: Vec::new() }
    }

    /// Nodes, by number. Each split of an interval appends two.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Sets the losses of the nodes, in their order. By default they follow from the numbers of leaves.
    pub fn with_losses(mut self, losses: Vec<f64>) -> Hierarchy {
        self.nodes.iter_mut().zip(losses).for_each(|(node, loss)| node.loss = loss);
        self
    }

    /// For a replay, marks the codes whose values no record held in the earlier search.
    pub fn mark_unseen(&mut self, unseen: Vec<bool>) {
        self.unseen = unseen;
    }

    /// Returns whether a record may have held the value of a code in the earlier search.
    pub fn was_seen(&self, code: Code) -> bool {
        !self.unseen.get(code as usize).copied().unwrap_or(false)
    }

    /// Returns whether a node is below another, at any distance.
    pub fn is_below(&self, node: NodeId, above: NodeId) -> bool {
        if let (Kind::Taxonomy, Some(lower)) = (&self.kind, self.nodes.get(node as usize)) {
            // In a taxonomy, two nodes with a leaf in common lie on one path. So if `above` has all leaves of `node`,
            // the depths decide.
            let upper = self.node(above);
            let has_leaves = upper.codes.start <= lower.codes.start && lower.codes.end <= upper.codes.end;
            return has_leaves && upper.depth < lower.depth;
        }
        let mut parent = self.nodes.get(node as usize).and_then(|node| node.parent);
        while parent.is_some_and(|parent| parent != above) {
            parent = parent.and_then(|parent| self.node(parent).parent);
        }
        parent.is_some()
    }

    /// Returns a node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Number of codes of the column, including that of NULL.
    pub fn codes(&self) -> usize {
        self.nodes[TOP as usize].codes.end as usize
    }

    /// Returns whether the column is refined by disclosing single values.
    pub fn is_suppression(&self) -> bool {
        matches!(self.kind, Kind::Suppression)
    }

    /// Returns whether a node is an interval.
    pub fn is_interval(&self, node: NodeId) -> bool {
        self.node(node).meaning == Meaning::Interval
    }

    /// Returns whether no node can be more specific: a leaf of a tree, an interval of one value, or a disclosed value.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        match &self.kind {
            Kind::Suppression => node != TOP,
            _ if self.is_interval(node) => self.node(node).codes.len() == 1,
            _ => self.node(node).children.is_empty(),
        }
    }

    /// Returns whether the top is a `*` over NULL and the column's own top.
    pub fn is_over_null(&self) -> bool {
        !self.is_suppression() && self.nodes.get(1).is_some_and(|node| node.meaning == Meaning::Null)
    }

    /// Returns the column's own top: the node beside NULL, or the top if the hierarchy has no NULL.
    pub fn own_top(&self) -> NodeId {
        let below = self.node(TOP).children.last().filter(|_| self.is_over_null());
        below.copied().unwrap_or(TOP)
    }

    /// Returns the node of NULL beside the column's own top.
    pub fn null(&self) -> Option<NodeId> {
        self.node(TOP).children.first().copied().filter(|_| self.is_over_null())
    }

    /// Returns the domain of a column of intervals.
    pub fn domain(&self) -> Option<&interval::Domain> {
        match &self.kind {
            Kind::Interval(domain) => Some(domain),
            _ => None,
        }
    }

    /// Splits an interval without children at the rank that `chooser` returns. Other nodes stay as they are.
    pub fn grow(&mut self, node: NodeId, chooser: &dyn interval::SplitChooser) -> Result<(), Error> {
        let Kind::Interval(domain) = &self.kind else { return Ok(()) };
        let Node { codes, children, .. } = self.node(node);
        if self.is_interval(node) && children.is_empty() && codes.len() > 1 {
            if let Some(at) = chooser.choose(domain, codes.clone())? {
                self.split(node, at);
            }
        }
        Ok(())
    }

    /// Splits an interval without children. `at` is the first rank of the right half; at an end of the interval one
    /// half is empty.
    pub fn split(&mut self, node: NodeId, at: Code) {
        let codes = &self.node(node).codes;
        for half in [codes.start..at, at..codes.end] {
            self.add_interval(node, half);
        }
    }

    /// Adds an interval below a node; None if the column is not one of intervals.
    fn add_interval(&mut self, below: NodeId, codes: Range<Code>) -> Option<NodeId> {
        let Kind::Interval(domain) = &self.kind else { return None };
        let id = self.nodes.len() as NodeId;
        let node = Node {
            parent: Some(below),
            depth: self.node(below).depth + 1,
            children: vec![],
            loss: domain.loss(&codes),
            codes,
            meaning: Meaning::Interval,
        };
        self.nodes.push(node);
        self.nodes[below as usize].children.push(id);
        Some(id)
    }

    /// Returns whether an interval can be split with `at` as the first rank of the right half: it has no children, and
    /// `at` is one of its ranks or the next one.
    pub fn can_split(&self, node: NodeId, at: Code) -> bool {
        let Node { codes, children, .. } = self.node(node);
        self.is_interval(node) && children.is_empty() && (codes.start..=codes.end).contains(&at)
    }

    /// Adds a top `*` with two children: NULL (the code `null`), and the top of `nodes`.
    fn over_null(null: Code, nodes: impl IntoIterator<Item = Node>) -> impl Iterator<Item = Node> {
        let any = Node {
            parent: None,
            depth: 0,
            children: vec![1, 2],
            codes: 0..null + 1,
            meaning: Meaning::Any,
            loss: loss::SUPPRESSED,
        };
        let null = Node {
            parent: Some(TOP),
            depth: 1,
            children: vec![],
            codes: null..null + 1,
            meaning: Meaning::Null,
            loss: loss::SINGLE,
        };
        [any, null].into_iter().chain(nodes.into_iter().map(|mut node| {
            node.parent = Some(node.parent.map_or(TOP, |p| p + 2));
            node.depth += 1;
            node.children.iter_mut().for_each(|c| *c += 2);
            node
        }))
    }
}
