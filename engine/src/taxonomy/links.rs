//! Edges with numbered labels: the parent and the children of each label, and the defects of the edges.
//!
//! All data are in one hash table and vectors, because freeing many small objects takes long without a poll.

use super::{Defect, Edge, Edges};
use crate::buckets::Buckets;
use crate::progress::{check_table_memory, with_capacity};
use crate::{pace, Error};
use hashbrown::HashMap;

/// Number of a label, in order of first appearance.
pub(super) type Label = u32;

/// Edges with numbered labels.
pub(super) struct Links<'a> {
    pub labels: Vec<LinkedLabel<'a>>,
    /// Child of each edge.
    pub children_of_edges: Vec<Label>,
}

/// Label, with its parent and its lower end by the edges whose child it is.
pub(super) struct LinkedLabel<'a> {
    pub text: &'a str,
    /// None for a root.
    parent: Option<Label>,
    /// Negative infinity if there is no lower end.
    lower: f64,
    /// Whether it is the child of an edge.
    has_edge: bool,
    /// Whether its edges have different parents.
    has_two_parents: bool,
}

impl LinkedLabel<'_> {
    /// Adds an edge whose child is this label.
    fn add_edge(&mut self, edge: &Edge, parent: Option<Label>) {
        if self.has_edge && self.parent != parent {
            self.has_two_parents = true;
        } else {
            (self.has_edge, self.parent) = (true, parent);
        }
        if let Some(lower) = edge.lower.and_then(|lower| lower.parse().ok()) {
            self.lower = lower;
        }
    }
}

impl<'a> Links<'a> {
    /// Numbers the labels of the edges. Returns defects if there are no edges, a child is missing, or a label has two
    /// parents.
    pub fn new(edges: &'a Edges) -> Result<Result<Links<'a>, Vec<Defect>>, Error> {
        if edges.is_empty() {
            return Ok(Err(vec![Defect::Empty]));
        }
        // A tree has at most one more label than edges. Other edges have at most two labels each; the vectors grow for
        // these. The table is large enough from the start, because growing would hash all labels again without a poll.
        check_table_memory::<(&str, Label)>(edges.len() * 2)?;
        let mut numbers: HashMap<&str, Label> = HashMap::with_capacity(edges.len() * 2);
        let (mut labels, mut children_of_edges) =
            (with_capacity(edges.len() + 1)?, with_capacity(edges.len())?);
        let mut defects = Vec::new();
        pace::each(edges.iter(), |edge| {
            let mut number = |text: &'a str| {
                *numbers.entry(text).or_insert_with(|| {
                    let lower = f64::NEG_INFINITY;
                    labels.push(LinkedLabel {
                        text,
                        parent: None,
                        lower,
                        has_edge: false,
                        has_two_parents: false,
                    });
                    labels.len() as Label - 1
                })
            };
            let (child, parent) = (edge.child.map(&mut number), edge.parent.map(number));
            match child {
                Some(child) => {
                    children_of_edges.push(child);
                    labels[child as usize].add_edge(&edge, parent);
                }
                None if defects.is_empty() => defects.push(Defect::NoChild),
                None => {}
            }
        })?;
        let links = Links { labels, children_of_edges };
        let torn = links.sorted_labels(|label| links.label(label).has_two_parents)?;
        links.add_defects(&mut defects, &torn, Defect::TwoParents)?;
        Ok(if defects.is_empty() { Ok(links) } else { Err(defects) })
    }

    fn label(&self, label: Label) -> &LinkedLabel<'a> {
        &self.labels[label as usize]
    }

    /// Returns the text of a label.
    pub fn text(&self, label: Label) -> &'a str {
        self.label(label).text
    }

    /// Adds a defect for each label.
    pub fn add_defects(
        &self,
        defects: &mut Vec<Defect>,
        labels: &[Label],
        defect: fn(String) -> Defect,
    ) -> Result<(), Error> {
        pace::each(labels, |&label| defects.push(defect(self.text(label).to_string())))
    }

    /// Returns the labels without a parent, sorted.
    pub fn roots(&self) -> Result<Vec<Label>, Error> {
        self.sorted_labels(|label| self.label(label).parent.is_none())
    }

    /// Returns the `wanted` labels, sorted.
    pub fn sorted_labels(&self, wanted: impl Fn(Label) -> bool) -> Result<Vec<Label>, Error> {
        let all = || 0..self.labels.len() as Label;
        let mut count = 0;
        pace::each(all(), |label| count += usize::from(wanted(label)))?;
        let mut sorted = with_capacity(count)?;
        pace::each(all(), |label| sorted.extend(wanted(label).then_some(label)))?;
        pace::sort_by(&mut sorted, |&a, &b| self.text(a).cmp(self.text(b)))?;
        Ok(sorted)
    }

    /// Returns the children of every label, in the order of siblings.
    pub fn children(&self) -> Result<Buckets, Error> {
        // Roots are children of none: their bucket is the last one.
        let labels = self.labels.len();
        let parent = |child: usize| self.labels[child].parent.unwrap_or(labels as Label);
        let mut children = Buckets::sort(labels, labels + 1, parent)?;
        for ends in children.starts[..=labels].windows(2) {
            pace::tick(1)?;
            let siblings = &mut children.items[ends[0] as usize..ends[1] as usize];
            pace::sort_by(siblings, |&a, &b| {
                let (a, b) = (self.label(a), self.label(b));
                a.lower.total_cmp(&b.lower).then_with(|| a.text.cmp(b.text))
            })?;
        }
        Ok(children)
    }
}
