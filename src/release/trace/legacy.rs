//! The steps of releases that versions before 0.3.0 made, which kept labels alone: nodes and groups are found by what they
//! were called. (Where intervals were split is in their trees, too.)

use super::groups::no_tree;
use super::tree::Tree;
use super::unknown;
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::release::store::parameters::{Mask, Parameters};
use crate::release::store::shown::MaskedAs;
use crate::search::result::Called;
use crate::search::StepRow;
use hashbrown::HashMap;

/// Says of the steps of a version what they refined.
pub fn refined(
    parameters: &Parameters,
    trees: &HashMap<String, Tree>,
    columns: &[String],
    steps: &mut [StepRow],
) -> Result<()> {
    if parameters.arguments.recoding.is_by_group() {
        let masks = parameters.columns.iter().filter(|mask| columns.contains(&mask.name));
        return of_groups(masks, trees, steps);
    }
    for mask in &parameters.columns {
        let Some(tree) = trees.get(&mask.name) else { continue };
        of_column(tree, mask.masked, steps.iter_mut().filter(|step| step.attribute == mask.name))?;
    }
    match steps.iter().find(|step| step.refined.children.is_empty()) {
        Some(step) => Err(unknown(step)),
        None => Ok(()),
    }
}

/// Of a column: a step is of the node of the cut that is called so, and has its children.
fn of_column<'a>(tree: &Tree, masked: MaskedAs, steps: impl Iterator<Item = &'a mut StepRow>) -> Result<()> {
    let label = |node: usize| tree.labels[node].as_deref();
    let below = tree.by_parent();
    let mut called: HashMap<Option<&str>, Vec<usize>> = HashMap::new();
    tree.coarsest().iter().for_each(|&node| called.entry(label(node)).or_default().push(node));
    for step in steps {
        let made = |node: usize, children: &[Option<String>]| {
            let made = children.iter().map(|child| below.get(&(node, child.as_deref())).copied());
            made.collect::<Option<Vec<usize>>>().filter(|made| !made.is_empty())
        };
        if masked == MaskedAs::Suppression {
            // A value is disclosed.
            let mut children =
                made(0, &step.children[..step.children.len().min(1)]).ok_or_else(|| unknown(step))?;
            children.extend((step.children.len() > 1).then_some(0));
            (step.refined.node, step.refined.children) = (0, children);
            continue;
        }
        // Steps call what stands over NULLs `*`, whatever it is released as. Intervals of texts that hold commas may be
        // called alike: a step is of the one that has its children.
        let nodes = called.get(&step.node.as_deref()).into_iter().flatten().chain([&0]);
        let found = nodes.copied().find_map(|node| Some((node, made(node, &step.children)?)));
        let (node, children) = found.ok_or_else(|| unknown(step))?;
        called.entry(label(node)).or_default().retain(|&other| other != node);
        children.iter().for_each(|&node| called.entry(label(node)).or_default().push(node));
        (step.refined.node, step.refined.children) = (node, children);
    }
    Ok(())
}

/// A group: the step that made it and the node that it gave it, and its nodes.
type NamedGroup = ((usize, usize), Vec<usize>);

/// By local recoding: a step is of the group that the steps before have left with those labels.
fn of_groups<'a>(
    masks: impl Iterator<Item = &'a Mask>,
    trees: &HashMap<String, Tree>,
    steps: &mut [StepRow],
) -> Result<()> {
    let columns = masks.map(|mask| {
        let tree = trees.get(&mask.name).ok_or_else(|| no_tree(&mask.name))?;
        Ok((mask, tree, by_label(tree, mask), tree.by_parent()))
    });
    let columns = columns.collect::<Result<Vec<_>>>()?;
    let mut made: HashMap<Vec<Option<String>>, NamedGroup> = HashMap::new();
    for step in polled(steps.iter_mut()) {
        let group: Option<Called> = step.group.as_ref().and_then(|group| serde_json::from_str(group).ok());
        let group = group.ok_or_else(|| unknown(step))?;
        let labels: Vec<Option<String>> =
            columns.iter().map(|(mask, ..)| group.get(&mask.name).cloned().flatten()).collect();
        let column = columns.iter().position(|(mask, ..)| mask.name == step.attribute);
        let column = column.ok_or_else(|| unknown(step))?;
        let nodes = match made.remove(&labels) {
            Some((from, nodes)) => {
                step.refined.from = Some(from);
                nodes
            }
            None => {
                let root = columns.iter().zip(&labels);
                let root = root.map(|((.., called, _), label)| called.get(&label.as_deref()).copied());
                step.refined.root = root.collect::<Option<_>>().ok_or_else(|| unknown(step))?;
                step.refined.root.clone()
            }
        };
        let (mask, tree, called, below) = &columns[column];
        let node = nodes[column];
        let tells_null_apart = mask.masked != MaskedAs::Suppression && step.children.contains(&None);
        let child = |label: &Option<String>| match label {
            // Under `*` over NULLs there are NULL and the column's own top, whatever that is called.
            Some(_) if tells_null_apart => tree.own_top(),
            // An interval may have been made below another one first.
            _ => below.get(&(node, label.as_deref())).or_else(|| called.get(&label.as_deref())).copied(),
        };
        let children = step.children.iter().map(child).collect::<Option<Vec<usize>>>();
        step.refined.children = children.ok_or_else(|| unknown(step))?;
        step.refined.node = node;
        for (label, &child) in step.children.iter().zip(&step.refined.children) {
            let (mut labels, mut nodes) = (labels.clone(), nodes.clone());
            (labels[column], nodes[column]) = (label.clone(), child);
            // Of two groups of one name it cannot be told which a later step is of.
            if made.insert(labels, ((step.number as usize - 1, child), nodes)).is_some() {
                return Err(unknown(step));
            }
        }
    }
    Ok(())
}

/// The nodes of a column's tree by what groups call them. A rule calls its own top what stands over that and NULLs.
fn by_label<'t>(tree: &'t Tree, mask: &Mask) -> HashMap<Option<&'t str>, usize> {
    let nodes = (0..tree.labels.len()).rev().map(|node| (tree.labels[node].as_deref(), node));
    let stands_for_anything = tree.has_null() || mask.masked == MaskedAs::Suppression;
    nodes.chain(stands_for_anything.then_some((Some("*"), 0))).collect()
}
