//! A taxonomy: a tree of labels whose leaves hold the data.
//!
//! Nodes are numbered depth-first and leaves from left to right, so the values under any node are one range of leaf
//! codes. Siblings are ordered by lower end, if nodes are intervals, and then by label. A table of edges has no order
//! of its own, and the release must not depend on the order of its rows.
//!
//! A taxonomy in any form (edges, nested JSON, levels) becomes [`Edge`]s first. One function makes the tree of them
//! and finds its defects. Only a [`rule`] makes its tree directly from the values; such a tree has no defects.

mod edges;
mod levels;
mod links;
mod nested;
pub mod numeric;
pub mod rule;
mod texts;

pub use edges::{Edge, Edges};
pub use levels::{edges_from_levels, WideHierarchy};
pub use nested::edges_from_nested;
pub use texts::Texts;

use crate::buckets::Buckets;
use crate::progress::{check_memory, check_table_memory, filled, with_capacity};
use crate::{pace, Code, Error};
use hashbrown::{DefaultHashBuilder, HashTable};
use links::Links;
use std::hash::BuildHasher;
use std::ops::Range;

/// Defect of a taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
    /// The taxonomy has no rows.
    Empty,
    /// A row has no child.
    NoChild,
    /// A label has two different parents.
    TwoParents(String),
    /// A label is one of several roots.
    TwoRoots(String),
    /// A label lies on a cycle or below one.
    Cycle(String),
}

impl Defect {
    /// Describes the defect, without the label.
    pub fn describe(&self) -> &'static str {
        match self {
            Defect::Empty => "the taxonomy is empty",
            Defect::NoChild => "a row has no child",
            Defect::TwoParents(_) => "a child has two parents",
            Defect::TwoRoots(_) => "one of several roots",
            Defect::Cycle(_) => "on or below a cycle",
        }
    }
    /// Returns the label with the defect.
    pub fn label(&self) -> Option<&str> {
        match self {
            Defect::Empty | Defect::NoChild => None,
            Defect::TwoParents(l) | Defect::TwoRoots(l) | Defect::Cycle(l) => Some(l),
        }
    }
}

/// A node of a [`Taxonomy`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaxonomyNode {
    /// Node above; None for the root.
    pub parent: Option<usize>,
    /// Nodes below, in order.
    pub children: Vec<usize>,
    /// Leaf codes below; of a leaf, its own code.
    pub leaves: Range<Code>,
}

/// A tree of labels; node 0 is the root.
#[derive(Debug, Clone, Default)]
pub struct Taxonomy {
    nodes: Vec<TaxonomyNode>,
    /// Labels of the nodes, unique in the tree. In a tree by rule, a node below another may have the same label.
    labels: Texts,
    /// Least and greatest value below each node, if nodes are intervals; otherwise empty.
    ends: Vec<[Option<usize>; 2]>,
    end_texts: Texts,
    by_label: HashTable<usize>,
    hasher: DefaultHashBuilder,
}

/// Stands for the node of an item that is below no root.
const UNREACHED: usize = usize::MAX;

impl PartialEq for Taxonomy {
    fn eq(&self, other: &Taxonomy) -> bool {
        let ends = |tree: &Taxonomy, node: usize| tree.ends(node).map(|end| end.map(String::from));
        (&self.nodes, &self.labels) == (&other.nodes, &other.labels)
            && (0..self.nodes.len()).all(|node| ends(self, node) == ends(other, node))
    }
}

impl Taxonomy {
    /// Makes the tree, or returns all defects of the edges in order. An error comes from the observer.
    pub fn from_edges(edges: &Edges) -> Result<Result<Taxonomy, Vec<Defect>>, Error> {
        let links = match Links::new(edges)? {
            Ok(links) => links,
            Err(defects) => return Ok(Err(defects)),
        };
        let roots = links.roots()?;
        let (items, label) = (links.labels.len(), |label| links.text(label));
        let (mut tree, nodes) = Taxonomy::grow(&roots, &links.children()?, items, label)?;
        let unreached = links.sorted_labels(|label| nodes[label as usize] == UNREACHED)?;
        let mut defects = Vec::new();
        if roots.len() > 1 {
            links.add_defects(&mut defects, &roots, Defect::TwoRoots)?;
        }
        links.add_defects(&mut defects, &unreached, Defect::Cycle)?;
        if !defects.is_empty() {
            return Ok(Err(defects));
        }
        for (edge, &child) in edges.iter().zip(&links.children_of_edges) {
            pace::tick(1)?;
            if edge.lower.or(edge.upper).is_some() {
                tree.set_ends(nodes[child as usize], [edge.lower, edge.upper])?;
            }
        }
        Ok(Ok(tree))
    }

    /// Makes the tree below the roots, depth-first and without recursion: a taxonomy may be as deep as it has rows.
    /// `children` has the children of each item, in order. Returns the tree, and the node of each item.
    fn grow<'l>(
        roots: &[u32],
        children: &Buckets,
        items: usize,
        label: impl Fn(u32) -> &'l str,
    ) -> Result<(Taxonomy, Vec<usize>), Error> {
        let (mut tree, mut nodes) = (Taxonomy::with_capacity(items)?, filled(UNREACHED, items)?);
        // Each item is at most once on the stack.
        let mut open: Vec<(u32, Option<usize>)> = with_capacity(items)?;
        pace::each(roots.iter().rev(), |&root| open.push((root, None)))?;
        let mut leaves: Code = 0;
        while let Some((item, parent)) = open.pop() {
            pace::tick(1)?;
            let (id, below, first) = (tree.nodes.len(), children.items(item as usize), leaves);
            leaves += u32::from(below.is_empty());
            let node =
                TaxonomyNode { parent, children: Vec::with_capacity(below.len()), leaves: first..leaves };
            tree.push(node, label(item));
            if let Some(parent) = parent {
                tree.nodes[parent].children.push(id);
            }
            nodes[item as usize] = id;
            pace::each(below.iter().rev(), |&child| open.push((child, Some(id))))?;
        }
        // The leaves of a node end where those of its last child end.
        pace::each((0..tree.nodes.len()).rev(), |id| {
            if let Some(&last) = tree.nodes[id].children.last() {
                tree.nodes[id].leaves.end = tree.nodes[last].leaves.end;
            }
        })?;
        Ok((tree, nodes))
    }

    /// Makes an empty tree with memory for a number of nodes.
    fn with_capacity(nodes: usize) -> Result<Taxonomy, Error> {
        // The usize is the entry of the node among its parent's children.
        check_memory::<(TaxonomyNode, usize)>(nodes)?;
        check_table_memory::<usize>(nodes)?;
        let (nodes, by_label) = (Vec::with_capacity(nodes), HashTable::with_capacity(nodes));
        Ok(Taxonomy { nodes, by_label, ..Taxonomy::default() })
    }

    /// Adds a node to a tree with enough memory. [`Taxonomy::find`] returns the first of several nodes with one label.
    fn push(&mut self, node: TaxonomyNode, label: &str) {
        let Taxonomy { nodes, labels, by_label, hasher, .. } = self;
        let id = labels.push(label);
        nodes.push(node);
        let hash = hasher.hash_one(label);
        if by_label.find(hash, |&other| labels.get(other) == label).is_none() {
            by_label.insert_unique(hash, id, |&other| hasher.hash_one(labels.get(other)));
        }
    }

    fn set_ends(&mut self, node: usize, ends: [Option<&str>; 2]) -> Result<(), Error> {
        if self.ends.is_empty() {
            self.ends = filled([None; 2], self.nodes.len())?;
        }
        self.ends[node] = ends.map(|end| end.map(|end| self.end_texts.push(end)));
        Ok(())
    }

    /// Nodes, depth-first.
    pub fn nodes(&self) -> &[TaxonomyNode] {
        &self.nodes
    }

    /// Returns the root.
    pub fn root(&self) -> &TaxonomyNode {
        &self.nodes[0]
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes[0].leaves.end as usize
    }

    /// Returns the label of a node.
    pub fn label(&self, node: usize) -> &str {
        self.labels.get(node)
    }

    /// Labels of the nodes, in their order.
    pub fn labels(&self) -> impl ExactSizeIterator<Item = &str> {
        self.labels.iter()
    }

    /// Returns whether any node has ends.
    pub fn has_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// Returns the least and the greatest value below a node, if nodes are intervals.
    pub fn ends(&self, node: usize) -> [Option<&str>; 2] {
        let ends = self.ends.get(node).copied().unwrap_or_default();
        ends.map(|end| end.map(|end| self.end_texts.get(end)))
    }

    /// Returns the node with a label, or the first one depth-first if several have it.
    pub fn find(&self, label: &str) -> Option<&TaxonomyNode> {
        let is = |&node: &usize| self.label(node) == label;
        self.by_label.find(self.hasher.hash_one(label), is).map(|&node| &self.nodes[node])
    }
}

/// Makes a tree of labels, each with the label above it.
#[cfg(test)]
pub(crate) fn tree_of(edges: &[(&str, &str)]) -> Taxonomy {
    let edges: Edges = edges.iter().map(|&(child, parent)| (child, Some(parent))).collect();
    Taxonomy::from_edges(&edges).unwrap().unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_edges(rows: &[Edge]) -> Result<Taxonomy, Vec<Defect>> {
        let mut edges = Edges::default();
        rows.iter().for_each(|edge| edges.push(*edge));
        assert!(edges.iter().eq(rows.iter().copied()));
        Taxonomy::from_edges(&edges).unwrap()
    }

    fn tree(edges: &[(&'static str, &'static str)]) -> Result<Taxonomy, Vec<Defect>> {
        let edge = |&(child, parent): &(&'static str, &'static str)| {
            Edge::new(child, Some(parent).filter(|p| !p.is_empty()))
        };
        from_edges(&edges.iter().map(edge).collect::<Vec<_>>())
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
        assert_eq!(t.label(0), "ANY_Edu");
        assert_eq!(t.leaves(), 7);
        assert_eq!(t.find("Secondary").unwrap().leaves, 0..4);
        assert_eq!(t.find("Grad School").unwrap().leaves, 5..7);
        assert_eq!(t.find("Bachelors").unwrap().leaves, 4..5);
        let labels: Vec<&str> = t.root().children.iter().map(|&c| t.label(c)).collect();
        assert_eq!(labels, ["Secondary", "University"]);
    }

    #[test]
    fn defects_are_named() {
        let no_child = Edge { child: None, parent: Some("r"), ..Edge::default() };
        assert_eq!(from_edges(&[no_child]), Err(vec![Defect::NoChild]));
        assert_eq!(tree(&[]), Err(vec![Defect::Empty]));
        let two_parents = Err(vec![Defect::TwoParents("a".into())]);
        assert_eq!(tree(&[("a", "r"), ("a", "s")]), two_parents);
        assert_eq!(tree(&[("a", ""), ("b", "a"), ("a", "b")]), two_parents);
        let (root, cycle) =
            (|label: &str| Defect::TwoRoots(label.into()), |label: &str| Defect::Cycle(label.into()));
        assert_eq!(tree(&[("a", "r"), ("b", "s")]), Err(vec![root("r"), root("s")]));
        assert_eq!(tree(&[("a", "a")]), Err(vec![cycle("a")]));
        assert_eq!(tree(&[("a", "b"), ("b", "a"), ("c", "r")]), Err(vec![cycle("a"), cycle("b")]));
    }

    #[test]
    fn defects_are_sorted_and_unique() {
        assert_eq!(
            tree(&[("a", "b"), ("b", "a"), ("s", ""), ("r", "")]),
            Err(vec![
                Defect::TwoRoots("r".into()),
                Defect::TwoRoots("s".into()),
                Defect::Cycle("a".into()),
                Defect::Cycle("b".into()),
            ])
        );
        let mut edges: Vec<Edge> =
            ["b", "a", "b", "a", "b", "a"].map(|child| Edge::new(child, Some("r"))).to_vec();
        edges[2].parent = None;
        edges[3].parent = Some("s");
        edges[4].parent = Some("s");
        edges.extend([Edge::default(), Edge::default()]);
        let torn = |label: &str| Defect::TwoParents(label.into());
        assert_eq!(from_edges(&edges), Err(vec![Defect::NoChild, torn("a"), torn("b")]));
    }

    /// Siblings without a lower end come first, then the others by lower end, then by label. Of several rows for a
    /// child, the last one with an end counts.
    #[test]
    fn siblings_have_an_order() {
        let edge = |child, lower| Edge { lower, ..Edge::new(child, Some("r")) };
        let rows = [
            edge("d", Some("10")),
            edge("e", Some("9")),
            edge("c", Some("9")),
            edge("b", None),
            edge("a", Some("no number")),
            edge("d", Some("-1")),
            edge("e", Some("?")),
        ];
        let t = from_edges(&rows).unwrap();
        let labels: Vec<&str> = t.root().children.iter().map(|&c| t.label(c)).collect();
        assert_eq!(labels, ["a", "b", "d", "c", "e"]);
        let e = t.labels().position(|label| label == "e").unwrap();
        assert_eq!(t.ends(e), [Some("?"), None]);
    }

    #[test]
    fn a_root_alone_and_repeated_rows_are_fine() {
        let t = tree(&[("r", "")]).unwrap();
        assert_eq!((t.leaves(), t.label(0)), (1, "r"));
        assert_eq!(tree(&[("a", "r"), ("a", "r"), ("r", "")]).unwrap().leaves(), 1);
    }

    #[test]
    fn depth_is_no_danger() {
        let edges: Edges = (0..200_000).map(|i| (format!("{}", i + 1), Some(format!("{i}")))).collect();
        let tree = Taxonomy::from_edges(&edges).unwrap();
        assert_eq!(tree.unwrap().leaves(), 1);
    }
}
