//! The trace of an earlier search, bound to what the source holds now, so that the engine can perform it again
//! ([`topdown::replay`]): by global recoding a column at a time ([`columns`]), by local recoding a group at a time
//! ([`groups`]).
//!
//! Steps refer to nodes by their places in the tree that their release keeps of each column. Which node of now is at a
//! place is decided once a column: a node of a taxonomy, or a value, is the one that is called so; an interval is made by
//! the step that splits it. Where it was split is the end that was published, and stays so: what was read in one version
//! means the same in the next.

mod columns;
mod groups;

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use crate::terms::words::Recoding;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::progress::check_memory;
use topdown::refine::{Hierarchy, Meaning, NodeId, TOP};
use topdown::{Code, Recorded, Replayed};

/// The steps of a version, as its release keeps them.
#[derive(Debug, Default)]
pub struct Trace {
    /// In their order.
    pub steps: Vec<TraceStep>,
    /// The masked columns, in the order in which groups have their nodes.
    pub columns: Vec<String>,
    /// Their trees.
    pub trees: HashMap<String, TraceTree>,
    /// Of each column, what its leaves are called that rows of the version may have held; none for NULL. Nothing of a column
    /// of which it is not known.
    pub held: HashMap<String, HashSet<Option<String>>>,
}

/// A step.
#[derive(Debug)]
pub struct TraceStep {
    /// The column.
    pub attribute: String,
    /// What it refined, by places in the trees.
    pub refined: StepRef,
}

/// What a step refined, by the places of nodes in the tree of its column: labels are for people.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StepRef {
    /// The node; of a disclosure the top.
    pub node: usize,
    /// What became of it, and it itself where something stayed there.
    pub children: Vec<usize>,
    /// By local recoding, the step that made the group, from 0, and which node it gave it; none of a group that the
    /// search began with.
    pub from: Option<(usize, usize)>,
    /// The nodes of such a group, on each masked column; empty of any other.
    pub root: Vec<usize>,
}

/// The tree of a column.
#[derive(Debug)]
pub struct TraceTree {
    /// What its nodes are called; none for NULL.
    pub labels: Vec<Option<String>>,
    /// How far below the top they are.
    pub depths: Vec<i32>,
    /// The lower ends of intervals.
    pub lower: Vec<Option<String>>,
    /// The upper ends.
    pub upper: Vec<Option<String>>,
    /// Whether its top stands over NULL and the column's own top.
    pub over_null: bool,
}

impl TraceTree {
    /// Whether a step tells NULLs apart from the rest.
    fn tells_null_apart(&self, step: &TraceStep) -> bool {
        self.over_null && step.refined.children.iter().any(|&child| self.labels[child].is_none())
    }

    /// What a group became by a step without being divided, but for the NULLs that it may have left.
    fn became(&self, step: &TraceStep) -> Option<usize> {
        let StepRef { node, children, .. } = &step.refined;
        let is_own_top =
            |child: usize| self.over_null && self.depths[child] == 1 && self.labels[child].is_some();
        match children[..] {
            [one] => Some(one),
            [one, rest] if rest == *node && is_own_top(one) => Some(one),
            _ => None,
        }
    }

    /// The ends of an interval, as a step has made it.
    fn ends(&self, node: usize, intervals: &IntervalLabels, own: Ends, step: &TraceStep) -> Result<Ends> {
        let (lower, upper) =
            (step.end(&self.lower[node], intervals)?, step.end(&self.upper[node], intervals)?);
        let compare = intervals.ty.comparator();
        let is_own = match (upper, own.upper) {
            (Some(upper), Some(own)) => compare.is_some_and(|compare| compare(upper, own).is_eq()),
            (upper, _) => upper.is_none(),
        };
        Ok(Ends { lower, upper, closed: own.closed && is_own })
    }

    /// Where a step splits an interval that begins somewhere, and which half each of the children is. Of a group that holds NULLs, too,
    /// one half may be with these, at the node itself.
    fn split(
        &self,
        step: &TraceStep,
        intervals: &IntervalLabels,
        begin: Option<Datum>,
    ) -> Result<Option<Split<'_>>> {
        let StepRef { node, children, .. } = &step.refined;
        let end = |text: &Option<String>| step.end(text, intervals);
        let alone = match &children[..] {
            [one, rest] | [rest, one] if rest == node => Some(*one),
            _ => None,
        };
        let text = match alone {
            None => children.get(1).map(|&right| &self.lower[right]),
            Some(one) => {
                let compare = intervals.ty.comparator();
                let is_left = match (end(&self.lower[one])?, begin) {
                    (Some(lower), Some(begin)) => {
                        compare.is_some_and(|compare| compare(lower, begin).is_eq())
                    }
                    (lower, begin) => lower.is_none() && begin.is_none(),
                };
                Some(if is_left { &self.upper[one] } else { &self.lower[one] })
            }
        };
        let Some(at) = text.map(end).transpose()?.flatten() else { return Ok(None) };
        let half = |place: usize, child: &usize| match alone {
            Some(one) => usize::from((text == Some(&self.lower[one])) == (*child == one)),
            None => place,
        };
        let half_of: Vec<usize> =
            children.iter().enumerate().map(|(place, child)| half(place, child)).collect();
        let alone = alone.map(|one| half(0, &one));
        Ok(Some(Split { at, text: text.and_then(Option::as_deref).unwrap_or_default(), half_of, alone }))
    }
}

impl TraceStep {
    /// An end of an interval.
    fn end(&self, text: &Option<String>, intervals: &IntervalLabels) -> Result<Option<Datum>> {
        let parsed = text.as_ref().map(|text| intervals.ty.parse(text)).transpose();
        parsed.map_err(|fault| {
            SqlError::state(format!("a step of column \"{}\" cannot be performed again", self.attribute))
                .detail(format!("It split at \"{}\": {fault}.", text.as_deref().unwrap_or_default()))
                .hint("Search afresh: release_refresh(..., mode => 'search').")
        })
    }
}

/// A step that splits an interval.
struct Split<'a> {
    /// The first value of the right half.
    at: Datum,
    /// As it was published.
    text: &'a str,
    /// Which half each child is, or [`BESIDE`] both.
    half_of: Vec<usize>,
    /// The half that alone was split off.
    alone: Option<usize>,
}

/// The third child of a split: what was beside both halves.
const BESIDE: usize = 2;

/// Whether each code of a column is of a value that no row of the version held whose steps are performed again; nothing, where
/// that is not known.
pub fn unheld(trace: &Trace, column: &str, hierarchy: &Hierarchy, labels: &Labels) -> Result<Vec<bool>> {
    let Some(held) = trace.held.get(column) else { return Ok(Vec::new()) };
    check_memory::<bool>(hierarchy.codes())?;
    let mut unheld = vec![false; hierarchy.codes()];
    for node in polled(hierarchy.nodes()).filter(|node| node.children.is_empty()) {
        let text = match (&node.meaning, labels) {
            (Meaning::Null, _) => None,
            (Meaning::Taxonomy(at), Labels::Taxonomy(taxonomy, _)) => Some(taxonomy.label(*at).to_string()),
            // The last is NULL's.
            (Meaning::Value, Labels::Values(texts)) => texts.get(node.codes.start as usize).cloned(),
            _ => continue,
        };
        if !held.contains(&text) {
            unheld[node.codes.start as usize] = true;
        }
    }
    Ok(unheld)
}

/// The nodes of now at the places of a column's tree; none for those that are gone, and for intervals that are yet to be made.
pub(super) fn bind_nodes(tree: &TraceTree, hierarchy: &Hierarchy, labels: &Labels) -> Vec<Option<NodeId>> {
    let null = hierarchy.nodes().iter().position(|node| node.meaning == Meaning::Null);
    let null = null.map(|null| null as NodeId);
    let over_null = hierarchy.is_over_null();
    // How far the column's own top is below the top.
    let own = i32::from(tree.over_null);
    let places = 0..tree.labels.len();
    match labels {
        Labels::Values(texts) => {
            let codes: HashMap<&str, Code> =
                polled((0..).zip(texts)).map(|(code, text)| (text.as_str(), code)).collect();
            let value = |place: usize| match tree.labels[place].as_deref() {
                _ if place == 0 => Some(TOP),
                Some(text) => codes.get(text).map(|&code| Hierarchy::disclosed_node(code)),
                // NULL's code is the last.
                None => null.map(|_| Hierarchy::disclosed_node(texts.len() as Code)),
            };
            polled(places).map(value).collect()
        }
        Labels::Taxonomy(taxonomy, _) => {
            // A rule may call several nodes the same that stand above one another: so a node is the one at its own depth, and
            // else the first that is called so.
            let mut at_depth: HashMap<(&str, i32), NodeId> = HashMap::new();
            let mut called: HashMap<&str, NodeId> = HashMap::new();
            let mut depths = vec![0; hierarchy.nodes().len()];
            for (id, node) in polled((0..).zip(hierarchy.nodes())) {
                let depth = node.parent.map_or(0, |parent| depths[parent as usize] + 1);
                depths[id as usize] = depth;
                if let Meaning::Taxonomy(at) = node.meaning {
                    let label = taxonomy.label(at);
                    at_depth.insert((label, depth - i32::from(over_null)), id);
                    called.entry(label).or_insert(id);
                }
            }
            let node = |place: usize| match tree.labels[place].as_deref() {
                None => null,
                _ if place == 0 && tree.over_null => Some(TOP),
                Some(label) => {
                    let here = at_depth.get(&(label, tree.depths[place] - own));
                    here.or_else(|| called.get(label)).copied()
                }
            };
            polled(places).map(node).collect()
        }
        Labels::Intervals(_) => {
            let node = |place: usize| match tree.labels[place] {
                None => null,
                _ if place == 0 && tree.over_null => Some(TOP),
                _ if tree.depths[place] == own => Some(hierarchy.own_top()),
                _ => None,
            };
            places.map(node).collect()
        }
    }
}

/// A trace that is bound to the masked columns of a problem.
#[derive(Debug)]
pub struct BoundTrace {
    /// What the engine performs.
    pub recorded: Vec<Recorded>,
    /// For each recorded refinement, its step in the trace. None for one that was added, to separate NULLs that
    /// are new in the column.
    of_step: Vec<Option<usize>>,
    /// The ends of the halves that a split makes, by what is recorded.
    halves: HashMap<usize, [Ends; 2]>,
    /// By local recoding, of each column by intervals its own ends, and those at which groups were split, by their numbers.
    points: Vec<Option<(Ends, Vec<Datum>)>>,
    /// How many steps the trace has.
    steps: usize,
    /// The columns with nodes that do not exist any more under their old label: by global recoding, steps that
    /// refine these are not recorded. By local recoding, their children, too.
    unknown: Vec<usize>,
}

/// What a replay did not perform.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// How many steps of the trace, those among them that were performed in part.
    pub steps: usize,
    /// The columns, by their place in the request, that a model or their taxonomy kept from being as specific as before.
    pub coarser: Vec<usize>,
    /// Whether a group holds rows of several of before, and may have been divided since.
    pub joined: bool,
}

/// Binds a trace to the masked columns of a request.
pub fn bind_trace(request: &Request, trace: &Trace, columns: &[(&Hierarchy, &Labels)]) -> Result<BoundTrace> {
    match request.arguments.recoding {
        Recoding::Global => Ok(columns::bind(request, (trace, &trace.steps), columns, |_| true)?.0),
        Recoding::Local | Recoding::Clustered => groups::bind(request, trace, columns),
    }
}

impl BoundTrace {
    /// Of a trace, nothing yet.
    fn of(trace: &Trace) -> BoundTrace {
        let (recorded, of_step, unknown) = (Vec::new(), Vec::new(), Vec::new());
        let (halves, points) = (HashMap::new(), Vec::new());
        BoundTrace { recorded, of_step, halves, points, steps: trace.steps.len(), unknown }
    }

    fn record(&mut self, recorded: Recorded, step: Option<usize>) -> usize {
        self.recorded.push(recorded);
        self.of_step.push(step);
        self.recorded.len() - 1
    }

    /// The ends of the intervals that were made, of each column.
    pub fn ends(&self, replayed: &Replayed, columns: usize) -> Vec<HashMap<NodeId, Ends>> {
        let mut ends = vec![HashMap::new(); columns];
        for (&place, halves) in &self.halves {
            let Some(step) = replayed.performed[place] else { continue };
            let step = &replayed.outcome.steps[step];
            if replayed.outcome.hierarchies[step.attribute].is_interval(step.node) {
                for (&child, half) in step.children.iter().zip(halves) {
                    ends[step.attribute].entry(child).or_insert(*half);
                }
            }
        }
        // What was split beside NULLs, and what a group has become that was there with them.
        for (ends, (between, points)) in ends.iter_mut().zip(replayed.ends.iter().zip(&self.points)) {
            let Some((own, points)) = points else { continue };
            for (&node, &(lower, upper)) in between {
                let of = |number: u32| points.get(number as usize).copied();
                let (lower, upper) = (of(lower).map_or(own.lower, Some), of(upper));
                let closed = own.closed && upper.is_none();
                ends.entry(node).or_insert(Ends { lower, upper: upper.or(own.upper), closed });
            }
        }
        ends
    }

    /// What was left out; coarser are the columns in which a model kept something from what it was.
    pub fn left_out(&self, replayed: &Replayed) -> LeftOut {
        let performed = replayed.performed.iter().zip(&self.of_step).enumerate();
        let is_whole = |place: &usize| replayed.broken.binary_search(place).is_err();
        let again =
            performed.filter(|(place, (done, step))| done.is_some() && step.is_some() && is_whole(place));
        let again = again.count();
        // What was left out because it refines what was left out is coarser, too: by local recoding on other columns.
        let mut lost = vec![false; self.recorded.len()];
        replayed.broken.iter().for_each(|&place| lost[place] = true);
        for (place, Recorded { origin, .. }) in polled(self.recorded.iter().enumerate()) {
            lost[place] |=
                replayed.performed[place].is_none() && origin.trace_indices().any(|index| lost[index]);
        }
        let lost = polled(self.recorded.iter().zip(lost)).filter(|(_, is_lost)| *is_lost);
        let lost = lost.map(|(recorded, _)| recorded.attribute);
        let mut coarser: Vec<usize> = lost.chain(self.unknown.iter().copied()).collect();
        coarser.sort_unstable();
        coarser.dedup();
        LeftOut { steps: self.steps - again, coarser, joined: replayed.joined }
    }
}

/// Whether a column holds NULLs.
fn has_null(hierarchy: &Hierarchy) -> bool {
    hierarchy.nodes().iter().any(|node| node.meaning == Meaning::Null)
}

/// The ends of a column's own top.
fn domain_ends(intervals: &IntervalLabels) -> Ends {
    Ends { lower: intervals.lower, upper: intervals.upper, closed: intervals.upper.is_some() }
}

/// The ends of both halves of an interval.
fn split_ends(whole: Ends, at: Datum) -> [Ends; 2] {
    [Ends { upper: Some(at), closed: false, ..whole }, Ends { lower: Some(at), ..whole }]
}

/// The first rank whose value is not below an end.
fn rank(intervals: &IntervalLabels, end: Datum) -> Code {
    let Some(compare) = intervals.ty.comparator() else { return 0 };
    intervals.values.partition_point(|&value| compare(value, end) == Ordering::Less) as Code
}
