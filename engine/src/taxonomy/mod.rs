//! A taxonomy: a tree of labels whose leaves hold the data.
//!
//! Nodes are numbered depth-first and leaves from left to right, so that the values under any
//! node are one range of leaf codes. Siblings are ordered by lower end, where nodes are intervals,
//! and by label: a table of edges has no order of its own, and a release must not depend on where
//! its rows happen to lie.
//!
//! Whatever form a taxonomy is given in (edges, nested JSON, levels) becomes [`Edge`]s first; one
//! place makes the tree and finds what is wrong with it.

mod levels;
mod nested;
pub mod numeric;

pub use levels::edges_from_levels;
pub use nested::edges_from_nested;

use crate::Code;
use hashbrown::HashMap;
use std::ops::Range;

/// One row of a taxonomy: a label and the label above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edge {
    /// The label; a row without one is a [`Problem::NoChild`].
    pub child: Option<String>,
    /// The label above; none for the root.
    pub parent: Option<String>,
    /// The least value under the node, where nodes are intervals.
    pub lower: Option<String>,
    /// The greatest value under the node, where nodes are intervals.
    pub upper: Option<String>,
}

impl Edge {
    /// An edge of a taxonomy of plain labels.
    pub fn new(child: impl Into<String>, parent: Option<String>) -> Edge {
        Edge { child: Some(child.into()), parent, lower: None, upper: None }
    }
}

/// What is wrong with a taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// It has no rows.
    Empty,
    /// A row has no child.
    NoChild,
    /// A label has two different parents.
    TwoParents(String),
    /// A label is a root, and not the only one.
    TwoRoots(String),
    /// A label lies on a cycle or below one.
    Cycle(String),
}

impl Problem {
    /// The problem in words, without the label.
    pub fn describe(&self) -> &'static str {
        match self {
            Problem::Empty => "the taxonomy is empty",
            Problem::NoChild => "a row has no child",
            Problem::TwoParents(_) => "a child has two parents",
            Problem::TwoRoots(_) => "one of several roots",
            Problem::Cycle(_) => "on or below a cycle",
        }
    }
    /// The label concerned.
    pub fn label(&self) -> Option<&str> {
        match self {
            Problem::Empty | Problem::NoChild => None,
            Problem::TwoParents(l) | Problem::TwoRoots(l) | Problem::Cycle(l) => Some(l),
        }
    }
}

/// A node of a [`Taxonomy`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxonomyNode {
    /// The label, unique in the tree.
    pub label: String,
    /// The node above, none for the root.
    pub parent: Option<usize>,
    /// The nodes below, in order.
    pub children: Vec<usize>,
    /// The leaf codes below (its own code for a leaf).
    pub leaves: Range<Code>,
    /// The least value below, where nodes are intervals.
    pub lower: Option<String>,
    /// The greatest value below, where nodes are intervals.
    pub upper: Option<String>,
}

/// A tree of labels; node 0 is the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taxonomy {
    nodes: Vec<TaxonomyNode>,
    by_label: HashMap<String, usize>,
}

impl Taxonomy {
    /// Makes the tree, or lists everything that keeps the edges from being one.
    pub fn from_edges(edges: &[Edge]) -> Result<Taxonomy, Vec<Problem>> {
        let parents = parents(edges)?;
        let mut below: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut roots = Vec::new();
        for (&child, &parent) in &parents {
            match parent {
                Some(parent) => below.entry(parent).or_default().push(child),
                None => roots.push(child),
            }
        }
        let lower: HashMap<&str, f64> = edges
            .iter()
            .filter_map(|edge| Some((edge.child.as_deref()?, edge.lower.as_deref()?.parse().ok()?)))
            .collect();
        let place = |label: &str| lower.get(label).copied().unwrap_or(f64::NEG_INFINITY);
        below
            .values_mut()
            .for_each(|children| children.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.cmp(b))));
        roots.sort_unstable();
        let mut tree = Taxonomy { nodes: Vec::new(), by_label: HashMap::new() };
        tree.grow(&roots, &below);
        let mut problems: Vec<Problem> = parents
            .keys()
            .filter(|label| !tree.by_label.contains_key(**label))
            .map(|label| Problem::Cycle(label.to_string()))
            .collect();
        if roots.len() > 1 {
            problems.extend(roots.iter().map(|r| Problem::TwoRoots(r.to_string())));
        }
        if !problems.is_empty() {
            problems.sort();
            return Err(problems);
        }
        for edge in edges {
            let node = tree.by_label[edge.child.as_deref().expect("checked by parents()")];
            tree.nodes[node].lower = edge.lower.clone();
            tree.nodes[node].upper = edge.upper.clone();
        }
        Ok(tree)
    }

    /// Depth-first from the roots, without recursion: a taxonomy may be as deep as it has rows.
    fn grow(&mut self, roots: &[&str], below: &HashMap<&str, Vec<&str>>) {
        let mut leaves: Code = 0;
        let mut stack: Vec<(&str, Option<usize>)> = roots.iter().rev().map(|r| (*r, None)).collect();
        while let Some((label, parent)) = stack.pop() {
            let id = self.nodes.len();
            let children = below.get(label).map_or(&[][..], Vec::as_slice);
            stack.extend(children.iter().rev().map(|c| (*c, Some(id))));
            let first = leaves;
            leaves += u32::from(children.is_empty());
            self.by_label.insert(label.to_string(), id);
            self.nodes.push(TaxonomyNode {
                label: label.to_string(),
                parent,
                children: Vec::with_capacity(children.len()),
                leaves: first..leaves,
                lower: None,
                upper: None,
            });
            if let Some(parent) = parent {
                self.nodes[parent].children.push(id);
            }
        }
        for id in (0..self.nodes.len()).rev() {
            if let Some(&last) = self.nodes[id].children.last() {
                self.nodes[id].leaves.end = self.nodes[last].leaves.end;
            }
        }
    }

    /// The nodes, depth-first.
    pub fn nodes(&self) -> &[TaxonomyNode] {
        &self.nodes
    }

    /// The root.
    pub fn root(&self) -> &TaxonomyNode {
        &self.nodes[0]
    }

    /// How many leaves there are.
    pub fn leaves(&self) -> usize {
        self.nodes[0].leaves.end as usize
    }

    /// The node with a label.
    pub fn find(&self, label: &str) -> Option<&TaxonomyNode> {
        self.by_label.get(label).map(|&id| &self.nodes[id])
    }
}

/// Every label's parent; the root's is none.
fn parents(edges: &[Edge]) -> Result<HashMap<&str, Option<&str>>, Vec<Problem>> {
    if edges.is_empty() {
        return Err(vec![Problem::Empty]);
    }
    let mut problems = Vec::new();
    let mut parents: HashMap<&str, Option<&str>> = HashMap::new();
    for edge in edges {
        let Some(child) = edge.child.as_deref() else {
            problems.push(Problem::NoChild);
            continue;
        };
        let parent = edge.parent.as_deref();
        if *parents.entry(child).or_insert(parent) != parent {
            problems.push(Problem::TwoParents(child.to_string()));
        }
    }
    for edge in edges {
        if let Some(parent) = edge.parent.as_deref() {
            parents.entry(parent).or_insert(None);
        }
    }
    if problems.is_empty() {
        Ok(parents)
    } else {
        problems.sort();
        problems.dedup();
        Err(problems)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(edges: &[(&str, &str)]) -> Result<Taxonomy, Vec<Problem>> {
        let parent = |p: &str| (!p.is_empty()).then(|| p.to_string());
        Taxonomy::from_edges(&edges.iter().map(|(c, p)| Edge::new(*c, parent(p))).collect::<Vec<_>>())
    }

    #[test]
    fn figure_1_of_tds() {
        let t = tree(&[
            ("Secondary", "ANY_Edu"),
            ("University", "ANY_Edu"),
            ("Junior Sec.", "Secondary"),
            ("Senior Sec.", "Secondary"),
            ("9th", "Junior Sec."),
            ("10th", "Junior Sec."),
            ("11th", "Senior Sec."),
            ("12th", "Senior Sec."),
            ("Bachelors", "University"),
            ("Grad School", "University"),
            ("Masters", "Grad School"),
            ("Doctorate", "Grad School"),
        ])
        .unwrap();
        assert_eq!(t.root().label, "ANY_Edu");
        assert_eq!(t.leaves(), 7);
        assert_eq!(t.find("Secondary").unwrap().leaves, 0..4);
        assert_eq!(t.find("Grad School").unwrap().leaves, 5..7);
        assert_eq!(t.find("Bachelors").unwrap().leaves, 4..5);
        let labels: Vec<&str> = t.root().children.iter().map(|&c| t.nodes()[c].label.as_str()).collect();
        assert_eq!(labels, ["Secondary", "University"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(tree(&[]), Err(vec![Problem::Empty]));
        assert_eq!(
            tree(&[("a", "r"), ("b", "s")]),
            Err(vec![Problem::TwoRoots("r".into()), Problem::TwoRoots("s".into())])
        );
        assert_eq!(tree(&[("a", "r"), ("a", "s")]), Err(vec![Problem::TwoParents("a".into())]));
        assert_eq!(
            tree(&[("a", "b"), ("b", "a"), ("c", "r")]),
            Err(vec![Problem::Cycle("a".into()), Problem::Cycle("b".into())])
        );
        assert_eq!(tree(&[("a", "a")]), Err(vec![Problem::Cycle("a".into())]));
        assert_eq!(tree(&[("r", ""), ("a", "r"), ("r", "a")]), Err(vec![Problem::TwoParents("r".into())]));
        let no_child = Edge { child: None, parent: Some("r".into()), ..Edge::default() };
        assert_eq!(Taxonomy::from_edges(&[no_child]), Err(vec![Problem::NoChild]));
    }

    #[test]
    fn a_root_alone_and_repeated_rows_are_fine() {
        let t = tree(&[("r", "")]).unwrap();
        assert_eq!((t.leaves(), t.root().label.as_str()), (1, "r"));
        assert_eq!(tree(&[("a", "r"), ("a", "r"), ("r", "")]).unwrap().leaves(), 1);
    }

    #[test]
    fn depth_is_no_danger() {
        let edges: Vec<Edge> =
            (0..200_000).map(|i| Edge::new(format!("{}", i + 1), Some(format!("{i}")))).collect();
        assert_eq!(Taxonomy::from_edges(&edges).unwrap().leaves(), 1);
    }
}
