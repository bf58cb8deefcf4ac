//! A trace by local recoding: each step is of one group. Before these come steps of a node, wherever that is: of columns that are
//! shown, and of intervals that have to be split ([`super::columns`]).
//!
//! The groups are followed from the first: a step is of the group that an earlier one has made with some node. What is
//! gone by now (a value, a node of a taxonomy) has no group, and what is recorded beneath it is left out.

use super::columns;
use super::{
    bind_nodes, domain_ends, has_null, rank, split_ends, BoundTrace, Split, Trace, TraceStep, TraceTree,
    BESIDE,
};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::refine::{Hierarchy, NodeId, TOP};
use topdown::{Code, Origin, Recorded, Refinement};

/// A group while the steps are gone through.
#[derive(Clone)]
struct BoundGroup {
    origin: Origin,
    /// The ends of its intervals; none, where they are the column's own.
    ends: Vec<Option<Ends>>,
}

/// A masked column.
struct Column<'a> {
    /// As it was; none, where it was not masked.
    tree: Option<&'a TraceTree>,
    hierarchy: &'a Hierarchy,
    labels: &'a Labels,
    nodes: Vec<Option<NodeId>>,
    /// The numbers of the ends at which it was split, and these.
    ends: HashMap<&'a str, u32>,
    points: Vec<Datum>,
    /// How it stands after the first steps, of all groups at once, if there may be such.
    first_steps: Option<columns::Column<'a>>,
}

struct Binding<'a> {
    request: &'a Request,
    trace: &'a Trace,
    columns: Vec<Column<'a>>,
    /// Those that may be refined, by the step that made them and the node that it gave them.
    groups: HashMap<(usize, usize), BoundGroup>,
    bound: BoundTrace,
}

/// Binds the steps to the masked columns of a request.
pub(super) fn bind(
    request: &Request,
    trace: &Trace,
    columns: &[(&Hierarchy, &Labels)],
) -> Result<BoundTrace> {
    let is_of_group = |step: &TraceStep| step.refined.from.is_some() || !step.refined.root.is_empty();
    let first = trace.steps.iter().position(is_of_group).unwrap_or(trace.steps.len());
    let in_all_groups = |attribute: usize| {
        let hierarchy = columns[attribute].0;
        request.shows(attribute) || hierarchy.must_split(hierarchy.own_top())
    };
    let (bound, first_steps) =
        columns::bind(request, (trace, &trace.steps[..first]), columns, in_all_groups)?;
    let columns = columns.iter().zip(first_steps).enumerate().map(
        |(attribute, (&(hierarchy, labels), first_steps))| {
            let tree = trace.trees.get(request.name(attribute));
            let nodes = tree.map_or(Vec::new(), |tree| bind_nodes(tree, hierarchy, labels));
            let (ends, points) = (HashMap::new(), Vec::new());
            Column { tree, hierarchy, labels, nodes, ends, points, first_steps }
        },
    );
    let columns = columns.collect();
    let mut binding = Binding { request, trace, columns, groups: HashMap::new(), bound };
    for (number, step) in polled(&trace.steps).enumerate().skip(first) {
        binding.step(number, step)?;
    }
    let Binding { columns, mut bound, .. } = binding;
    let points = |Column { labels, points, .. }: Column| match labels {
        Labels::Intervals(intervals) => Some((domain_ends(intervals), points)),
        _ => None,
    };
    bound.points = columns.into_iter().map(points).collect();
    Ok(bound)
}

impl Binding<'_> {
    fn step(&mut self, number: usize, step: &TraceStep) -> Result<()> {
        let refined = &step.refined;
        let Some(attribute) = self.request.attribute(&step.attribute) else { return Ok(()) };
        let group = match refined.from {
            Some(from) => self.groups.remove(&from),
            None => self.root(&refined.root),
        };
        let Some(mut group) = group else { return Ok(()) };
        let column = &mut self.columns[attribute];
        let Some(tree) = column.tree else { return Ok(()) };
        if let (Labels::Intervals(intervals), Some(became)) = (column.labels, tree.became(step)) {
            // What was beside NULLs, and was no longer. Below the column's own top a replay makes it so by itself.
            group.ends[attribute] = Some(tree.ends(became, intervals, domain_ends(intervals), step)?);
            let own_top = column.nodes[became].filter(|_| column.hierarchy.null().is_some());
            let Some(own_top) = own_top else {
                self.groups.insert((number, became), group);
                return Ok(());
            };
            let refinement = Refinement::SplitOff { children: vec![own_top] };
            let step = self.record(&group, attribute, refinement, Some(number));
            for (child, node) in [(became, own_top), (refined.node, TOP)] {
                let origin = Origin::Child { trace_index: step, node };
                self.groups.insert((number, child), BoundGroup { origin, ends: group.ends.clone() });
            }
            return Ok(());
        }
        let tells_null_apart = tree.tells_null_apart(step);
        if tells_null_apart && !has_null(column.hierarchy) {
            // The NULLs are gone: the rest is the group.
            for &child in refined.children.iter().filter(|child| tree.labels[**child].is_some()) {
                self.groups.insert((number, child), group.clone());
            }
            return Ok(());
        }
        // Under `*` over NULLs there are NULL and the column's own top, whatever that is called.
        let own_top = column.hierarchy.node(TOP).children.last().copied();
        let node = |&child: &usize| match tells_null_apart && tree.labels[child].is_some() {
            true => own_top,
            false => column.nodes[child],
        };
        let mut children: Vec<Option<NodeId>> = refined.children.iter().map(node).collect();
        let refinement = match column.labels {
            Labels::Intervals(intervals) if !tells_null_apart => {
                let whole = group.ends[attribute].unwrap_or_else(|| domain_ends(intervals));
                let Some(split) = tree.split(step, intervals, whole.lower)? else { return Ok(()) };
                let Split { at, text, half_of, alone } = split;
                let end = *column.ends.entry(text).or_insert_with(|| {
                    column.points.push(at);
                    column.points.len() as u32 - 1
                });
                let split = Refinement::Split { at: rank(intervals, at), end, alone };
                let null = column.hierarchy.null().zip(own_top);
                if let Some((null, own_top)) = null.filter(|_| half_of.contains(&BESIDE)) {
                    // NULLs were by themselves.
                    let step = self.record(&group, attribute, Refinement::Specialize, None);
                    let ends = group.ends.clone();
                    let origin = Origin::Child { trace_index: step, node: null };
                    self.groups.insert((number, refined.node), BoundGroup { origin, ends });
                    group.origin = Origin::Child { trace_index: step, node: own_top };
                }
                let halves = split_ends(whole, at);
                let step = self.record(&group, attribute, split, Some(number));
                self.bound.halves.insert(step, halves);
                for (&child, half) in refined.children.iter().zip(half_of) {
                    let Some(&of_half) = halves.get(half) else { continue };
                    let (mut ends, origin) = (group.ends.clone(), Origin::Half { trace_index: step, half });
                    ends[attribute] = Some(of_half);
                    self.groups.insert((number, child), BoundGroup { origin, ends });
                }
                return Ok(());
            }
            Labels::Values(_) => {
                let values = children.iter().flatten().filter(|node| **node != TOP);
                let codes: Vec<Code> = values.map(|&node| column.hierarchy.node(node).codes.start).collect();
                Refinement::Disclose { codes }
            }
            _ => {
                // A node among its own children is what stayed there.
                let above = column.nodes[refined.node];
                if !tells_null_apart {
                    if children.contains(&None) {
                        self.bound.unknown.push(attribute);
                    }
                    // A node that the taxonomy has moved elsewhere is not a child any more.
                    // Only what is split off may be further below.
                    let is_part = refined.children.contains(&refined.node);
                    let is_below = |node: &NodeId| {
                        let is_child = |above| match is_part {
                            true => column.hierarchy.is_below(*node, above),
                            false => column.hierarchy.node(*node).parent == Some(above),
                        };
                        above.is_none_or(|above| *node == above || is_child(above))
                    };
                    children.iter_mut().for_each(|child| *child = child.filter(is_below));
                }
                if refined.children.contains(&refined.node) {
                    let children = children.iter().flatten().copied().filter(|&child| Some(child) != above);
                    Refinement::SplitOff { children: children.collect() }
                } else {
                    Refinement::Specialize
                }
            }
        };
        let place = self.record(&group, attribute, refinement, Some(number));
        for (&child, node) in refined.children.iter().zip(children) {
            if let Some(node) = node {
                let origin = Origin::Child { trace_index: place, node };
                self.groups.insert((number, child), BoundGroup { origin, ends: group.ends.clone() });
            }
        }
        Ok(())
    }

    fn record(
        &mut self,
        group: &BoundGroup,
        attribute: usize,
        refinement: Refinement,
        step: Option<usize>,
    ) -> usize {
        self.bound.record(Recorded { attribute, origin: group.origin.clone(), refinement }, step)
    }

    /// A group that the search began with, by its places. NULLs that were not there are told from the rest
    /// first, if that may be.
    fn root(&mut self, root: &[usize]) -> Option<BoundGroup> {
        let place = |name: &str| {
            let column = self.trace.columns.iter().position(|column| column == name)?;
            root.get(column).copied()
        };
        let node = |(attribute, column): (usize, &Column)| match (
            &column.first_steps,
            column.hierarchy.coarsest(),
        ) {
            (Some(column), _) => column.node(place(self.request.name(attribute))?),
            (None, [one]) => Some(Origin::Node(*one)),
            _ => column.nodes.get(place(self.request.name(attribute))?).copied().flatten().map(Origin::Node),
        };
        let nodes = self.columns.iter().enumerate().map(node).collect::<Option<Vec<Origin>>>()?;
        let ends = |(attribute, column): (usize, &Column)| {
            column.first_steps.as_ref()?.ends(place(self.request.name(attribute))?)
        };
        let ends = self.columns.iter().enumerate().map(ends).collect();
        let mut group = BoundGroup { ends, origin: Origin::Group(nodes) };
        for attribute in 0..self.columns.len() {
            let Column { tree, hierarchy, .. } = &self.columns[attribute];
            let is_new = !tree.is_some_and(|tree| tree.over_null);
            let has_first_steps = self.columns[attribute].first_steps.is_some();
            if has_first_steps || !hierarchy.is_over_null() || !is_new || hierarchy.coarsest() != [TOP] {
                continue;
            }
            let own_top = hierarchy.own_top();
            let place = self.record(&group, attribute, Refinement::Specialize, None);
            group.origin = Origin::Child { trace_index: place, node: own_top };
        }
        Some(group)
    }
}
