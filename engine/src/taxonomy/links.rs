//! Edges with numbered labels: the parent and the children of each label, and the defects of the edges.
//!
//! All data are in one hash table and vectors, because freeing many small objects takes long without a poll.

use super::{Defect, Edges};
use crate::buckets::Buckets;
use crate::progress::{check_memory, check_table_memory, with_capacity};
use crate::{pace, Error};
use hashbrown::HashMap;

/// Number of a label, in order of first appearance.
pub(super) type Label = u32;

/// Labels of some edges, with the parent and the lower end that the edges give them.
pub(super) struct Links<'a> {
    pub labels: Vec<&'a str>,
    /// Child of each edge.
    pub edges: Vec<Label>,
    /// Parent of each label; None for a root.
    parents: Vec<Option<Label>>,
    /// Lower end of each label; negative infinity if it has none.
    lower: Vec<f64>,
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
        let labels = edges.len() + 1;
        check_memory::<Label>(edges.len())?;
        check_memory::<(&str, Option<Label>, f64, [bool; 2])>(labels)?;
        check_table_memory::<(&str, Label)>(edges.len() * 2)?;
        let mut numbers: HashMap<&str, Label> = HashMap::with_capacity(edges.len() * 2);
        let mut links = Links {
            labels: Vec::with_capacity(labels),
            edges: Vec::with_capacity(edges.len()),
            parents: Vec::with_capacity(labels),
            lower: Vec::with_capacity(labels),
        };
        let (mut said, mut torn) = (Vec::with_capacity(labels), Vec::with_capacity(labels));
        let mut no_child = false;
        pace::each(edges.iter(), |edge| {
            let mut number = |label: &'a str| {
                let labels = &mut links.labels;
                *numbers.entry(label).or_insert_with(|| {
                    labels.push(label);
                    links.parents.push(None);
                    links.lower.push(f64::NEG_INFINITY);
                    said.push(false);
                    torn.push(false);
                    labels.len() as Label - 1
                })
            };
            let (child, parent) = (edge.child.map(&mut number), edge.parent.map(number));
            let Some(child) = child else {
                no_child = true;
                return;
            };
            links.edges.push(child);
            let (said, known) = (&mut said[child as usize], &mut links.parents[child as usize]);
            if *said && *known != parent {
                torn[child as usize] = true;
            } else {
                (*said, *known) = (true, parent);
            }
            if let Some(lower) = edge.lower.and_then(|lower| lower.parse().ok()) {
                links.lower[child as usize] = lower;
            }
        })?;
        let torn = links.sorted_labels(|label| torn[label as usize])?;
        let mut defects = Vec::new();
        defects.extend(no_child.then_some(Defect::NoChild));
        links.add_defects(&mut defects, &torn, Defect::TwoParents)?;
        Ok(if defects.is_empty() { Ok(links) } else { Err(defects) })
    }

    pub fn add_defects(
        &self,
        defects: &mut Vec<Defect>,
        labels: &[Label],
        defect: fn(String) -> Defect,
    ) -> Result<(), Error> {
        pace::each(labels, |&label| defects.push(defect(self.labels[label as usize].to_string())))
    }

    /// Returns the labels without a parent, sorted.
    pub fn roots(&self) -> Result<Vec<Label>, Error> {
        self.sorted_labels(|label| self.parents[label as usize].is_none())
    }

    /// Returns the `wanted` labels, sorted.
    pub fn sorted_labels(&self, wanted: impl Fn(Label) -> bool) -> Result<Vec<Label>, Error> {
        let mut number = 0;
        pace::each(0..self.labels.len() as Label, |label| number += usize::from(wanted(label)))?;
        let mut some = with_capacity(number)?;
        pace::each(0..self.labels.len() as Label, |label| some.extend(wanted(label).then_some(label)))?;
        pace::sort_by(&mut some, |a, b| self.labels[*a as usize].cmp(self.labels[*b as usize]))?;
        Ok(some)
    }

    /// Returns the children of every label, in the order of siblings.
    pub fn children(&self) -> Result<Buckets, Error> {
        // Roots are children of none: their bucket is the last one.
        let labels = self.labels.len();
        let parent = |child: usize| self.parents[child].unwrap_or(labels as Label);
        let mut children = Buckets::sort(labels, labels + 1, parent)?;
        let (lower, label) = (|l: Label| self.lower[l as usize], |l: Label| self.labels[l as usize]);
        for ends in children.starts[..=labels].windows(2) {
            pace::tick(1)?;
            pace::sort_by(&mut children.items[ends[0] as usize..ends[1] as usize], |&a, &b| {
                lower(a).total_cmp(&lower(b)).then_with(|| label(a).cmp(label(b)))
            })?;
        }
        Ok(children)
    }
}
