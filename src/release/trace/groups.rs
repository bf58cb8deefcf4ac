//! The groups of a release by local recoding, as its steps divided them: from the first, or one for each combination
//! of the coarsest nodes, to those that are released.

use super::tree::Tree;
use super::unknown;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::MaskedAs;
use crate::search::trace::StepRef;
use crate::search::StepRow;
use hashbrown::HashMap;
use topdown::progress::check_memory;

/// A group's node on each masked column.
pub type GroupNodes = Vec<usize>;

/// A group, released or divided further.
#[derive(Debug)]
pub struct TracedGroup {
    pub nodes: GroupNodes,
    pub division: Option<Division>,
    /// What it is a part of, and the step that made it.
    made: Option<(usize, i32)>,
}

/// How a group was divided.
#[derive(Debug)]
pub struct Division {
    /// The column, by its place among the masked ones.
    pub column: usize,
    /// The nodes of the parts there, and the groups that these are.
    pub parts: Vec<(usize, usize)>,
    /// The same groups by these nodes.
    by_node: HashMap<usize, usize>,
}

impl Division {
    /// The group that is the part at a node.
    pub fn part(&self, node: usize) -> Option<usize> {
        self.by_node.get(&node).copied()
    }
}

/// All groups that there ever were.
#[derive(Debug, Default)]
pub struct Groups {
    all: Vec<TracedGroup>,
    /// Those that a search began with.
    roots: Vec<usize>,
    /// Those that were not divided, by what is shown of them.
    leaves: HashMap<GroupNodes, usize>,
    /// Of each column's nodes the first that is shown alike.
    alike: Vec<Vec<usize>>,
}

impl Groups {
    /// Those that the steps of a version made, whose trees are those of its masked columns.
    pub fn of(parameters: &Parameters, trees: &HashMap<String, Tree>, steps: &[StepRow]) -> Result<Groups> {
        let mut groups = Groups::default();
        for mask in &parameters.columns {
            let tree = trees.get(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
            groups.alike.push(alike(tree, mask.masked));
        }
        let mut made: HashMap<(usize, usize), usize> = HashMap::new();
        for step in polled(steps) {
            let column = parameters.columns.iter().position(|mask| mask.name == step.attribute);
            let column = column.ok_or_else(|| unknown(step))?;
            let StepRef { children, from, root, .. } = &step.refined;
            if from.is_none() && root.is_empty() && parameters.begins_with(&step.attribute) {
                // In all groups at once, before any was refined by itself.
                continue;
            }
            let group = match from {
                Some(from) => made.remove(from).ok_or_else(|| unknown(step))?,
                None if root.len() == parameters.columns.len() => groups.root(root),
                None => return Err(unknown(step)),
            };
            let mut parts = Vec::with_capacity(children.len());
            for &child in children {
                let mut nodes = groups.all[group].nodes.clone();
                nodes[column] = child;
                let part = groups.add(nodes, Some((group, step.number)));
                made.insert((step.number as usize - 1, child), part);
                parts.push((child, part));
            }
            // Of two parts at a node the first counts.
            let by_node = polled(parts.iter().rev().copied()).collect();
            groups.all[group].division = Some(Division { column, parts, by_node });
        }
        for group in polled(0..groups.all.len()) {
            if groups.all[group].division.is_some() {
                continue;
            }
            let shown = groups.shown(&groups.all[group].nodes);
            let Some(other) = groups.leaves.insert(shown, group) else { continue };
            // Of two groups that are called alike nobody could say which a row is in.
            let nodes = groups.all[group].nodes.iter().zip(&groups.all[other].nodes);
            let labels = |(mask, (&one, &other)): (&Mask, (&usize, &usize))| {
                let labels = &trees[&mask.name].labels;
                labels[one] == labels[other]
            };
            if parameters.columns.iter().zip(nodes).all(labels) {
                return Err(SqlError::state("the steps of the release cannot be followed")
                    .detail("Two of its groups are called alike."));
            }
        }
        Ok(groups)
    }

    fn root(&mut self, nodes: &[usize]) -> usize {
        let root = self.add(nodes.to_vec(), None);
        self.roots.push(root);
        root
    }

    fn add(&mut self, nodes: GroupNodes, made: Option<(usize, i32)>) -> usize {
        self.all.push(TracedGroup { nodes, division: None, made });
        self.all.len() - 1
    }

    /// A group.
    pub fn group(&self, group: usize) -> &TracedGroup {
        &self.all[group]
    }

    /// The groups that the search began with.
    pub fn roots(&self) -> impl Iterator<Item = usize> + '_ {
        self.roots.iter().copied()
    }

    /// Of each group the one that it was a part of after a step, or itself.
    pub fn as_of(&self, step: i32) -> Result<Vec<usize>> {
        check_memory::<usize>(self.all.len())?;
        let mut as_of: Vec<usize> = Vec::with_capacity(self.all.len());
        // A group comes after those that it is a part of.
        for (group, TracedGroup { made, .. }) in polled(self.all.iter().enumerate()) {
            let above = made.filter(|(_, made)| *made > step).map(|(above, _)| as_of[above]);
            as_of.push(above.unwrap_or(group));
        }
        Ok(as_of)
    }

    /// The group of the rows that are released as some nodes; none, where no step was of them.
    pub fn leaf(&self, released: &[usize]) -> Option<usize> {
        self.leaves.get(&self.shown(released)).copied()
    }

    /// What is shown of a group.
    fn shown(&self, nodes: &[usize]) -> GroupNodes {
        self.alike.iter().zip(nodes).map(|(alike, &node)| alike[node]).collect()
    }
}

/// Of each node of a tree the first that is shown alike: NULLs and the rest together are shown as the rest is.
fn alike(tree: &Tree, masked: MaskedAs) -> Vec<usize> {
    let over_null = masked != MaskedAs::Suppression && tree.has_null();
    let own_top = tree.own_top().filter(|_| over_null);
    let mut first: HashMap<Option<&str>, usize> = HashMap::new();
    let label = |node: usize| tree.labels[if own_top == Some(node) { 0 } else { node }].as_deref();
    polled(0..tree.labels.len()).map(|node| *first.entry(label(node)).or_insert(node)).collect()
}

/// The error of a release without a column's tree.
pub fn no_tree(column: &str) -> SqlError {
    SqlError::state(format!("the tree of column \"{column}\" is gone"))
}
