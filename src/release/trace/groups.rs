//! The groups of a release by local recoding, as its steps divided them: from the first, or one for each combination
//! of the coarsest nodes, to those that are released. A group is known by its labels on the masked columns, `*` being
//! what stands for anything, and NULL none.

use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::MaskedAs;
use crate::release::trace::load::{called, unknown};
use crate::release::trace::tree::Tree;
use crate::search::StepRow;
use hashbrown::HashMap;

/// What a group is called, in the order of the masked columns.
pub type Called = Vec<Option<String>>;

/// A group, released or divided further.
#[derive(Debug)]
pub struct Group {
    pub called: Called,
    pub division: Option<Division>,
    /// What it is a part of, and the step that made it.
    made: Option<(usize, i32)>,
}

/// How a group was divided.
#[derive(Debug)]
pub struct Division {
    /// The column, by its place among the masked ones.
    pub column: usize,
    /// Where an interval was split: the lower end of the right half.
    pub split: Option<String>,
    /// The labels of the parts, and the groups that these are.
    pub parts: Vec<(Option<String>, usize)>,
}

/// All groups that there ever were.
#[derive(Debug, Default)]
pub struct Groups {
    all: Vec<Group>,
    /// Those that a search began with.
    roots: Vec<usize>,
    /// Those that were not divided, by what is shown of them.
    leaves: HashMap<Called, usize>,
    /// What each column's own top is called where `*` stands over it and NULL: both are shown alike.
    tops: Vec<Option<String>>,
}

impl Groups {
    /// Those that the steps of a version made.
    pub fn of(parameters: &Parameters, trees: &HashMap<String, Tree>, steps: &[StepRow]) -> Result<Groups> {
        let top = |mask: &Mask| {
            let tree =
                trees.get(&mask.name).filter(|_| mask.nulls && mask.masked != MaskedAs::Suppression)?;
            tree.own_top().and_then(|top| tree.labels[top].clone())
        };
        let mut groups = Groups { tops: parameters.columns.iter().map(top).collect(), ..Groups::default() };
        let mut open: HashMap<Called, usize> = HashMap::new();
        for step in polled(steps) {
            let unknown = || unknown(step);
            let name = |mask: &Mask| mask.name == step.attribute;
            let column = parameters.columns.iter().position(name).ok_or_else(unknown)?;
            let labels: Called = called(parameters, step)?.ok_or_else(unknown)?;
            let group = match open.remove(&labels) {
                Some(group) => group,
                None => groups.root(&labels),
            };
            let mut parts = Vec::with_capacity(step.children.len());
            for child in &step.children {
                let mut labels = labels.clone();
                labels[column] = child.clone();
                let part = groups.add(labels.clone(), Some((group, step.number)));
                // Of two groups that are called alike nobody could say which a row is in.
                if open.insert(labels, part).is_some() {
                    return Err(unknown().detail("Two groups of it are called alike."));
                }
                parts.push((child.clone(), part));
            }
            groups.all[group].division = Some(Division { column, split: step.split.clone(), parts });
        }
        let shown = polled(open).map(|(called, group)| (groups.shown(&called), group));
        groups.leaves = shown.collect();
        Ok(groups)
    }

    /// What is shown of a group: of NULLs and the rest together what is shown of the rest.
    fn shown(&self, called: &Called) -> Called {
        let label = |(label, top): (&Option<String>, &Option<String>)| match label {
            Some(_) if label == top => Some("*".into()),
            _ => label.clone(),
        };
        called.iter().zip(&self.tops).map(label).collect()
    }

    fn root(&mut self, called: &Called) -> usize {
        let root = self.add(called.clone(), None);
        self.roots.push(root);
        root
    }

    fn add(&mut self, called: Called, made: Option<(usize, i32)>) -> usize {
        self.all.push(Group { called, division: None, made });
        self.all.len() - 1
    }

    /// A group.
    pub fn group(&self, group: usize) -> &Group {
        &self.all[group]
    }

    /// The groups that the search began with.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.roots.iter().copied()
    }

    /// The group after a step of the rows that are released so; none, where no step was of them.
    pub fn as_of(&self, released: &Called, step: i32) -> Option<usize> {
        let mut group = *self.leaves.get(&self.shown(released))?;
        while let Some((above, _)) = self.all[group].made.filter(|(_, made)| *made > step) {
            group = above;
        }
        Some(group)
    }

    /// Whether a step told NULLs of a column apart on the way to a group.
    pub fn is_without_null(&self, group: usize, column: usize) -> bool {
        let above = |&group: &usize| self.all[group].made.map(|(above, _)| above);
        std::iter::successors(above(&group), above).any(|above| {
            let division = self.all[above].division.as_ref();
            let told_apart =
                |d: &Division| d.column == column && d.parts.iter().any(|(label, _)| label.is_none());
            division.is_some_and(told_apart)
        })
    }
}

/// The nodes of a column's tree by what groups call them. A rule calls its own top what stands over that and NULLs.
pub fn by_label<'t>(tree: &'t Tree, mask: &Mask) -> HashMap<Option<&'t str>, usize> {
    let nodes = (0..tree.labels.len()).rev().map(|node| (tree.labels[node].as_deref(), node));
    nodes.chain(stands_for_anything(mask).then_some((Some("*"), 0))).collect()
}

/// What a group is called that is released as a node.
pub fn label_of(tree: &Tree, mask: &Mask, node: usize) -> Option<String> {
    if node == 0 && stands_for_anything(mask) {
        return Some("*".into());
    }
    tree.labels[node].clone()
}

/// Whether a column's top is no node of its own.
fn stands_for_anything(mask: &Mask) -> bool {
    mask.nulls || mask.masked == MaskedAs::Suppression
}
