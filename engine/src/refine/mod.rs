//! What a masked column may be released as, and how a released value becomes more specific.
//!
//! Each column has one [`Hierarchy`]: nodes over its codes, node 0 the most general. The three
//! refinements of the papers differ only in where the nodes below come from:
//!
//! * [`taxonomy`]: specialize a node of a given tree (TDS section 3);
//! * [`interval`]: split an interval in two; the tree of optimal splits is grown when a node
//!   becomes a candidate (TDS section 4);
//! * [`suppression`]: disclose one value out of `*` (TDR section 3.1.2, PDA section 4).
//!
//! Where an interval ends is published rounded ([`endpoint`]), and how specific a column may and must be is by
//! [`depth`]. Where only some points may become ends they are given, or a [`grid`]'s.
//!
//! A column that holds NULLs and is no suppression gets a further node on top, `*`, with the
//! children NULL and the column's own top; refining it is a step like any other.

pub mod depth;
pub mod endpoint;
pub mod grid;
pub mod interval;
pub mod suppression;
pub mod taxonomy;

use crate::{loss, Code, Error};
use std::ops::Range;

/// A node of a [`Hierarchy`], by number.
pub type NodeId = u32;

/// What a node stands for; its label follows from it.
#[derive(Debug, Clone, PartialEq)]
pub enum Meaning {
    /// Anything: the suppressed value, or the top over NULL.
    Any,
    /// NULL alone.
    Null,
    /// A node of the taxonomy, by its number there.
    Taxonomy(usize),
    /// The values from the first to before the last of the node's codes.
    Interval,
    /// A disclosed value: the node's only code.
    Value,
}

/// A node of a [`Hierarchy`].
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The node above, none for the top.
    pub parent: Option<NodeId>,
    /// How many nodes are above it.
    pub depth: u32,
    /// The nodes below, in order; empty for a leaf and for an interval not yet split.
    pub children: Vec<NodeId>,
    /// The codes below. For the `*` of a suppression: all codes; which of them are still
    /// suppressed is the cut's to say.
    pub codes: Range<Code>,
    /// What it stands for.
    pub meaning: Meaning,
    /// What it loses ([`loss`]).
    pub loss: f64,
}

/// The nodes over the codes of one column.
#[derive(Debug, Clone)]
pub struct Hierarchy {
    nodes: Vec<Node>,
    kind: Kind,
    /// The coarsest cut that is allowed, in order.
    coarsest: Vec<NodeId>,
    /// How often an interval is split at least.
    splits: usize,
    /// How deep nodes are that are as specific as is allowed; none, where everything is.
    finest: Option<usize>,
    /// Whether each code is of a value that nobody held when an earlier search was made; empty where that is not known.
    unheld: Vec<bool>,
}

#[derive(Debug, Clone)]
enum Kind {
    Taxonomy,
    Interval(interval::Domain),
    Suppression,
}

/// The most general node.
pub const TOP: NodeId = 0;

impl Hierarchy {
    fn new(nodes: Vec<Node>, kind: Kind) -> Hierarchy {
        Hierarchy { nodes, kind, coarsest: vec![TOP], splits: 0, finest: None, unheld: Vec::new() }
    }

    /// The nodes, by number; intervals append theirs while they are split.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Gives each node what it loses, if more is known of the nodes than how many leaves they have. The losses are in the order
    /// of the nodes.
    pub fn with_losses(mut self, losses: Vec<f64>) -> Hierarchy {
        self.nodes.iter_mut().zip(losses).for_each(|(node, loss)| node.loss = loss);
        self
    }

    /// Marks the codes whose values nobody held when the search was made that is to be performed again.
    pub fn mark_unheld(&mut self, unheld: Vec<bool>) {
        self.unheld = unheld;
    }

    /// Whether somebody may have held a code's value when that search was made.
    pub fn was_held(&self, code: Code) -> bool {
        !self.unheld.get(code as usize).copied().unwrap_or(false)
    }

    /// Whether a node is somewhere below another.
    pub fn is_below(&self, node: NodeId, above: NodeId) -> bool {
        if let (Kind::Taxonomy, Some(one)) = (&self.kind, self.nodes.get(node as usize)) {
            // Each node has a leaf, so a node of a taxonomy that holds the leaves of another is above or below it.
            let other = self.node(above);
            let holds = other.codes.start <= one.codes.start && one.codes.end <= other.codes.end;
            return holds && other.depth < one.depth;
        }
        let mut parent = self.nodes.get(node as usize).and_then(|node| node.parent);
        while parent.is_some_and(|parent| parent != above) {
            parent = parent.and_then(|parent| self.node(parent).parent);
        }
        parent.is_some()
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// How many codes the column has, NULL's included.
    pub fn codes(&self) -> usize {
        self.nodes[TOP as usize].codes.end as usize
    }

    /// Whether values are disclosed one by one.
    pub fn is_suppression(&self) -> bool {
        matches!(self.kind, Kind::Suppression)
    }

    /// Whether a node is an interval.
    pub fn is_interval(&self, node: NodeId) -> bool {
        self.node(node).meaning == Meaning::Interval
    }

    /// Whether nothing is more specific than a node: a leaf of a tree, an interval of one value, a disclosed value.
    pub fn is_leaf(&self, node: NodeId) -> bool {
        match &self.kind {
            Kind::Suppression => node != TOP,
            _ if self.is_interval(node) => self.node(node).codes.len() == 1,
            _ => self.node(node).children.is_empty(),
        }
    }

    /// Whether the top is a `*` over NULL and the column's own top.
    pub fn is_over_null(&self) -> bool {
        !self.is_suppression() && self.nodes.get(1).is_some_and(|node| node.meaning == Meaning::Null)
    }

    /// The column's own top: the top, or what is beside NULL below it.
    pub fn own_top(&self) -> NodeId {
        let below = self.node(TOP).children.last().filter(|_| self.is_over_null());
        below.copied().unwrap_or(TOP)
    }

    /// NULL's node, beside the column's own top.
    pub fn null(&self) -> Option<NodeId> {
        self.node(TOP).children.first().copied().filter(|_| self.is_over_null())
    }

    /// The domain, for a column of intervals.
    pub fn domain(&self) -> Option<&interval::Domain> {
        match &self.kind {
            Kind::Interval(domain) => Some(domain),
            _ => None,
        }
    }

    /// Splits an interval that has no children yet, at the point that `chooser` gives. Other nodes have their
    /// children already.
    pub fn grow(&mut self, node: NodeId, chooser: &dyn interval::SplitChooser) -> Result<(), Error> {
        if let Kind::Interval(domain) = &self.kind {
            let Node { codes, children, .. } = self.node(node);
            if self.is_interval(node) && children.is_empty() && codes.len() > 1 {
                if let Some(at) = chooser.choose(domain, codes.clone())? {
                    self.split(node, at)?;
                }
            }
        }
        Ok(())
    }

    /// Splits an interval that has no children yet: `at` is the first rank of the right half. At
    /// either end of the interval's ranks one half has none.
    pub fn split(&mut self, node: NodeId, at: Code) -> Result<(), Error> {
        let codes = &self.node(node).codes;
        for half in [codes.start..at, at..codes.end] {
            self.add_interval(node, half);
        }
        Ok(())
    }

    /// A new interval below a node; none, if the column is not one of intervals.
    fn add_interval(&mut self, below: NodeId, codes: Range<Code>) -> Option<NodeId> {
        let Kind::Interval(domain) = &self.kind else { return None };
        let (id, loss) = (self.nodes.len() as NodeId, domain.loss(&codes));
        self.nodes[below as usize].children.push(id);
        let (meaning, depth) = (Meaning::Interval, self.node(below).depth + 1);
        self.nodes.push(Node { parent: Some(below), depth, children: vec![], codes, meaning, loss });
        Some(id)
    }

    /// Whether an interval can be split with `at` for the first rank of the right half: it has no
    /// children yet, and `at` is one of its ranks or just after them.
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
