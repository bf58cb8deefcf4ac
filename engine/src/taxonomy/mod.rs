//! A taxonomy: a tree of labels whose leaves hold the data.
//!
//! Nodes are numbered depth-first and leaves from left to right, so that the values under any
//! node are one range of leaf codes. Siblings are ordered by lower end, where nodes are intervals,
//! and by label: a table of edges has no order of its own, and a release must not depend on where
//! its rows happen to lie.
//!
//! Whatever form a taxonomy is given in (edges, nested JSON, levels) becomes [`Edge`]s first; one
//! place makes the tree and finds what is wrong with it. Only a [`rule`] makes its tree by itself, of the
//! values: nothing can be wrong with it.

mod levels;
mod links;
mod nested;
pub mod numeric;
pub mod rule;

pub use levels::{edges_from_levels, levels_of};
pub use nested::edges_from_nested;

use crate::progress::{table_bytes, GROWING};
use crate::{Code, Error, Pace, Reservation};
use hashbrown::HashMap;
use links::{Label, Links, Walk};
use std::ops::Range;

/// One row of a taxonomy: a label and the label above it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edge {
    /// The label; a row without one is a [`Defect::NoChild`].
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

    /// What such an edge takes in a vector that grows.
    fn bytes(child: &str, parent: Option<&str>) -> usize {
        GROWING * size_of::<Edge>() + child.len() + parent.map_or(0, str::len)
    }
}

/// What is wrong with a taxonomy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Defect {
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

impl Defect {
    /// The defect in words, without the label.
    pub fn describe(&self) -> &'static str {
        match self {
            Defect::Empty => "the taxonomy is empty",
            Defect::NoChild => "a row has no child",
            Defect::TwoParents(_) => "a child has two parents",
            Defect::TwoRoots(_) => "one of several roots",
            Defect::Cycle(_) => "on or below a cycle",
        }
    }
    /// The label concerned.
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
    /// The label, unique in the tree; where a rule makes it, unique but for nodes above one another.
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
    /// Makes the tree, or lists everything that keeps the edges from being one, in order; unless
    /// the observer ends the work, which says nothing of the edges. The tree is held under
    /// `memory`.
    pub fn from_edges(
        edges: &[Edge],
        memory: &mut Reservation,
    ) -> Result<Result<Taxonomy, Vec<Defect>>, Error> {
        let pace = &Pace::new(memory.progress());
        let links = match Links::new(edges, memory, pace)? {
            Ok(links) => links,
            Err(defects) => return Ok(Err(defects)),
        };
        let (roots, _roots) = links.roots(pace)?;
        let below = links.below(pace)?;
        let Walk { order, numbers, .. } = &Walk::new(&roots, &below, &links, pace)?;
        let several = if roots.len() > 1 { &roots[..] } else { &[] };
        let (lost, _lost) = links.ordered(|label| numbers[label as usize].is_none(), pace)?;
        let mut defects = Vec::new();
        links.defects(&mut defects, several, Defect::TwoRoots, memory, pace)?;
        links.defects(&mut defects, &lost, Defect::Cycle, memory, pace)?;
        if !defects.is_empty() {
            return Ok(Err(defects));
        }
        let named = |label: &Label| links.labels[*label as usize].to_string();
        // Each label twice, and of every node but the root its place among its parent's children.
        memory.grow(table_bytes::<(String, usize)>(order.len()))?;
        memory.grow_by::<(TaxonomyNode, usize)>(order.len())?;
        let mut text = 0;
        pace.each(&links.labels, |label| text += 2 * label.len())?;
        let end = |end: &Option<String>| end.as_ref().map_or(0, String::len);
        pace.each(edges, |edge| text += end(&edge.lower) + end(&edge.upper))?;
        memory.grow(text)?;
        let mut tree = Taxonomy {
            nodes: Vec::with_capacity(order.len()),
            by_label: HashMap::with_capacity(order.len()),
        };
        let mut leaves: Code = 0;
        pace.each(order.iter().enumerate(), |(id, &(label, parent))| {
            let children = below.of(label).len();
            let first = leaves;
            leaves += u32::from(children == 0);
            tree.by_label.insert(named(&label), id);
            tree.nodes.push(TaxonomyNode {
                label: named(&label),
                parent,
                children: Vec::with_capacity(children),
                leaves: first..leaves,
                lower: None,
                upper: None,
            });
            if let Some(parent) = parent {
                tree.nodes[parent].children.push(id);
            }
        })?;
        tree.close(pace)?;
        pace.each(edges.iter().zip(&links.edges), |(edge, &child)| {
            if let Some(id) = numbers[child as usize] {
                tree.nodes[id].lower = edge.lower.clone();
                tree.nodes[id].upper = edge.upper.clone();
            }
        })?;
        Ok(Ok(tree))
    }

    /// Of nodes that know their first leaf, says which is the last one of each.
    fn close(&mut self, pace: &Pace) -> Result<(), Error> {
        pace.each((0..self.nodes.len()).rev(), |id| {
            if let Some(&last) = self.nodes[id].children.last() {
                self.nodes[id].leaves.end = self.nodes[last].leaves.end;
            }
        })
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

    /// The node with a label; the topmost, where several have it.
    pub fn find(&self, label: &str) -> Option<&TaxonomyNode> {
        self.by_label.get(label).map(|&id| &self.nodes[id])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_edges(edges: &[Edge]) -> Result<Taxonomy, Vec<Defect>> {
        Taxonomy::from_edges(edges, &mut Reservation::unobserved()).unwrap()
    }

    fn tree(edges: &[(&str, &str)]) -> Result<Taxonomy, Vec<Defect>> {
        let parent = |p: &str| (!p.is_empty()).then(|| p.to_string());
        from_edges(&edges.iter().map(|(c, p)| Edge::new(*c, parent(p))).collect::<Vec<_>>())
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
        assert_eq!(tree(&[]), Err(vec![Defect::Empty]));
        assert_eq!(
            tree(&[("a", "r"), ("b", "s")]),
            Err(vec![Defect::TwoRoots("r".into()), Defect::TwoRoots("s".into())])
        );
        assert_eq!(tree(&[("a", "r"), ("a", "s")]), Err(vec![Defect::TwoParents("a".into())]));
        assert_eq!(
            tree(&[("a", "b"), ("b", "a"), ("c", "r")]),
            Err(vec![Defect::Cycle("a".into()), Defect::Cycle("b".into())])
        );
        assert_eq!(tree(&[("a", "a")]), Err(vec![Defect::Cycle("a".into())]));
        assert_eq!(tree(&[("r", ""), ("a", "r"), ("r", "a")]), Err(vec![Defect::TwoParents("r".into())]));
        let no_child = Edge { child: None, parent: Some("r".into()), ..Edge::default() };
        assert_eq!(from_edges(&[no_child]), Err(vec![Defect::NoChild]));
    }

    #[test]
    fn a_defect_says_whose_it_is() {
        let told = |defect: Defect| (defect.describe(), defect.label().map(String::from));
        assert_eq!(told(Defect::Empty), ("the taxonomy is empty", None));
        assert_eq!(told(Defect::NoChild), ("a row has no child", None));
        let label = || String::from("r");
        for (defect, words) in [
            (Defect::TwoParents(label()), "a child has two parents"),
            (Defect::TwoRoots(label()), "one of several roots"),
            (Defect::Cycle(label()), "on or below a cycle"),
        ] {
            assert_eq!(told(defect), (words, Some(label())));
        }
    }

    #[test]
    fn what_is_wrong_is_in_order_and_told_once() {
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
            ["b", "a", "b", "a", "b", "a"].map(|child| Edge::new(child, Some("r".into()))).to_vec();
        edges[2].parent = None;
        edges[3].parent = Some("s".into());
        edges[4].parent = Some("s".into());
        edges.extend([Edge::default(), Edge::default()]);
        let torn = |label: &str| Defect::TwoParents(label.into());
        assert_eq!(from_edges(&edges), Err(vec![Defect::NoChild, torn("a"), torn("b")]));
    }

    /// By lower end, those without one first, and by label; the last row that has an end tells it.
    #[test]
    fn siblings_have_an_order() {
        let edge = |child: &str, lower: Option<&str>| Edge {
            lower: lower.map(String::from),
            ..Edge::new(child, Some("r".into()))
        };
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
        let labels: Vec<&str> = t.root().children.iter().map(|&c| t.nodes()[c].label.as_str()).collect();
        assert_eq!(labels, ["a", "b", "d", "c", "e"]);
        assert_eq!(t.find("e").unwrap().lower.as_deref(), Some("?"));
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
        assert_eq!(from_edges(&edges).unwrap().leaves(), 1);
    }
}
