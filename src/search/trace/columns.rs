//! A trace by global recoding: each step is of a node of its column, wherever that is.

use super::{bind_nodes, domain_ends, rank, split_ends, BoundTrace, Trace, TraceStep, TraceTree};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use topdown::refine::{Hierarchy, NodeId, TOP};
use topdown::{Origin, Recorded, Refinement};

/// Binds steps of some masked columns of a request, the first of a trace; and how the columns stand after these, none of
/// others.
pub(super) fn bind<'a>(
    request: &Request,
    (trace, steps): (&'a Trace, &[TraceStep]),
    columns: &[(&'a Hierarchy, &'a Labels)],
    which: impl Fn(usize) -> bool,
) -> Result<(BoundTrace, Vec<Option<Column<'a>>>)> {
    let mut bound = BoundTrace::of(trace);
    let mut states: Vec<Option<Column>> = Vec::new();
    for (attribute, &(hierarchy, labels)) in columns.iter().enumerate() {
        let tree = trace.trees.get(request.name(attribute)).filter(|_| which(attribute));
        let was_over_null = tree.is_some_and(|tree| tree.over_null);
        let is_over_null = hierarchy.is_over_null();
        // NULLs that were not there: they are told from the rest first, if that may be.
        if which(attribute) && is_over_null && !was_over_null && hierarchy.coarsest() == [TOP] {
            bound.record(
                Recorded { attribute, origin: Origin::Node(TOP), refinement: Refinement::Specialize },
                None,
            );
        }
        states.push(tree.map(|tree| Column::new(tree, hierarchy, labels, is_over_null)));
    }
    for (number, step) in polled(steps).enumerate() {
        // A column that is no longer masked has nothing to refine.
        let Some(attribute) = request.attribute(&step.attribute) else { continue };
        let Some(column) = &mut states[attribute] else { continue };
        let Some((origin, refinement)) = column.find(step)? else {
            // A missing value, rule node or NULL makes no other value coarser, so the column is not reported as
            // coarser.
            let goes_with_values =
                matches!(column.labels, Labels::Values(_)) || request.masked[attribute].by.is_by_rule();
            if !goes_with_values && !column.tree.tells_null_apart(step) {
                bound.unknown.push(attribute);
            }
            continue;
        };
        let place = bound.record(Recorded { attribute, origin, refinement }, Some(number));
        if let Some(halves) = column.halve(step, place)? {
            bound.halves.insert(place, halves);
        }
    }
    Ok((bound, states))
}

/// A column while its steps are gone through.
pub(super) struct Column<'a> {
    tree: &'a TraceTree,
    hierarchy: &'a Hierarchy,
    labels: &'a Labels,
    is_over_null: bool,
    nodes: Vec<Option<NodeId>>,
    /// The intervals that steps have made so far, by their places.
    intervals: HashMap<usize, (Origin, Ends)>,
}

impl<'a> Column<'a> {
    fn new(
        tree: &'a TraceTree,
        hierarchy: &'a Hierarchy,
        labels: &'a Labels,
        is_over_null: bool,
    ) -> Column<'a> {
        let nodes = bind_nodes(tree, hierarchy, labels);
        Column { tree, hierarchy, labels, is_over_null, nodes, intervals: HashMap::new() }
    }

    /// A node by its place: one that the hierarchy has, or an interval that a step has made.
    pub fn node(&self, place: usize) -> Option<Origin> {
        match (self.nodes.get(place)?, self.interval(place)) {
            (None, Some((made, _))) => Some(made),
            (node, _) => node.map(Origin::Node),
        }
    }

    /// The ends of an interval that a step has made, by its place.
    pub fn ends(&self, place: usize) -> Option<Ends> {
        self.intervals.get(&place).map(|(_, ends)| *ends)
    }

    /// An interval by its place: the column's own top, or what a step has made.
    fn interval(&self, place: usize) -> Option<(Origin, Ends)> {
        let Labels::Intervals(intervals) = self.labels else { return None };
        let own_top = || Some((Origin::Node(self.nodes[place]?), domain_ends(intervals)));
        self.intervals.get(&place).cloned().or_else(own_top)
    }

    /// What a step refines, and how; none where that is not there any more.
    fn find(&self, step: &TraceStep) -> Result<Option<(Origin, Refinement)>> {
        let refined = &step.refined;
        if self.tree.tells_null_apart(step) {
            return Ok(self.is_over_null.then_some((Origin::Node(TOP), Refinement::Specialize)));
        }
        Ok(match self.labels {
            Labels::Values(_) => {
                let value = refined.children.iter().find(|child| **child != refined.node);
                let node = value.and_then(|&value| self.nodes[value]);
                node.map(|node| {
                    (Origin::Node(TOP), Refinement::disclose(self.hierarchy.node(node).codes.start))
                })
            }
            Labels::Taxonomy(..) => {
                self.nodes[refined.node].map(|node| (Origin::Node(node), Refinement::Specialize))
            }
            Labels::Intervals(intervals) => match self.tree.split(step, intervals, None)? {
                Some(split) => {
                    let whole = self.interval(refined.node);
                    whole.map(|(origin, _)| (origin, Refinement::split(rank(intervals, split.at))))
                }
                None => None,
            },
        })
    }

    /// Notes the halves of an interval that a step, recorded at a place, splits; their ends.
    fn halve(&mut self, step: &TraceStep, place: usize) -> Result<Option<[Ends; 2]>> {
        let Labels::Intervals(intervals) = self.labels else { return Ok(None) };
        if self.tree.tells_null_apart(step) {
            return Ok(None);
        }
        let split = self.tree.split(step, intervals, None)?;
        let Some((split, (_, whole))) = split.zip(self.interval(step.refined.node)) else { return Ok(None) };
        let halves = split_ends(whole, split.at);
        for (half, (&child, ends)) in step.refined.children.iter().zip(halves).enumerate() {
            self.intervals.insert(child, (Origin::Half { trace_index: place, half }, ends));
        }
        Ok(Some(halves))
    }
}
