//! A trace by local recoding: each step is of one group.
//!
//! A release keeps with each step the labels of the group that was refined. The groups are followed from the first: a step
//! is of the group that the steps before have left with those labels. What is gone by now (a value, a node of a taxonomy) has no group, and what is
//! recorded beneath it is left out.

use super::{halved, has_null, outer, parse, rank, BoundTrace, Trace, TraceStep};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use topdown::refine::{Hierarchy, Meaning, NodeId, TOP};
use topdown::{Code, How, Origin, Recorded};

/// What a group is called, on each masked column; none for NULL.
type Called = Vec<Option<String>>;

/// A group while the steps are gone through.
#[derive(Clone)]
struct Group {
    origin: Origin,
    /// Its nodes, where these are no intervals.
    nodes: Vec<NodeId>,
    /// The ends of its intervals; none, where they are the column's own.
    ends: Vec<Option<Ends>>,
}

struct Binding<'a> {
    request: &'a Request,
    trace: &'a Trace,
    columns: &'a [(&'a Hierarchy, &'a Labels)],
    /// Of columns by suppression, the values' codes.
    codes: Vec<HashMap<&'a str, Code>>,
    /// The ends that splits have, by column.
    ends: Vec<HashMap<String, u32>>,
    groups: HashMap<Called, Group>,
    bound: BoundTrace,
}

/// Binds the steps to the masked columns of a request.
pub(super) fn bind(
    request: &Request,
    trace: &Trace,
    columns: &[(&Hierarchy, &Labels)],
) -> Result<BoundTrace> {
    let codes = columns.iter().map(|(_, labels)| match labels {
        Labels::Values(texts) => polled((0..).zip(texts)).map(|(code, text)| (text.as_str(), code)).collect(),
        _ => HashMap::new(),
    });
    let bound = BoundTrace::of(trace);
    let (codes, ends) = (codes.collect(), vec![HashMap::new(); columns.len()]);
    let mut binding = Binding { request, trace, columns, codes, ends, groups: HashMap::new(), bound };
    for (number, step) in polled(&trace.steps).enumerate() {
        binding.step(number, step)?;
    }
    Ok(binding.bound)
}

impl Binding<'_> {
    fn step(&mut self, number: usize, step: &TraceStep) -> Result<()> {
        let Some(attribute) = self.request.attribute(&step.attribute) else { return Ok(()) };
        let group = match self.groups.remove(&step.group) {
            Some(group) => group,
            None => match self.root(&step.group) {
                Some(group) => group,
                None => return Ok(()),
            },
        };
        let (hierarchy, labels) = self.columns[attribute];
        let tells_null_apart = !hierarchy.is_suppression() && step.children.contains(&None);
        if tells_null_apart && !has_null(hierarchy) {
            // The NULLs are gone: the rest is the group.
            for label in step.children.iter().flatten() {
                self.groups.insert(renamed(&step.group, attribute, Some(label.clone())), group.clone());
            }
            return Ok(());
        }
        let node = group.nodes[attribute];
        match labels {
            Labels::Intervals(intervals) if !tells_null_apart => {
                let Some(at) = parse(intervals, step)? else { return Ok(()) };
                let end = self.end(attribute, step.split.as_deref());
                let how = How::Split { at: rank(intervals, at), end };
                let place = self.record(&group, attribute, how, Some(number));
                let whole = group.ends[attribute].unwrap_or_else(|| outer(intervals));
                let halves = halved(whole, at);
                self.bound.halves.insert(place, halves);
                for (half, (label, ends)) in step.children.iter().zip(halves).enumerate() {
                    let mut child = group.clone();
                    child.origin = Origin::Half { step: place, half };
                    child.ends[attribute] = Some(ends);
                    self.groups.insert(renamed(&step.group, attribute, label.clone()), child);
                }
            }
            Labels::Values(_) => {
                let (values, rest) = disclosed(&step.children);
                let codes: Vec<Option<Code>> =
                    values.iter().map(|value| self.code(attribute, value)).collect();
                let how = How::Disclose { codes: codes.iter().flatten().copied().collect() };
                let place = self.record(&group, attribute, how, Some(number));
                let known = values.iter().zip(codes);
                let known = known.filter_map(|(value, code)| Some((value, Hierarchy::disclosed(code?))));
                let parts: Vec<_> = known.chain(rest.map(|rest| (rest, TOP))).collect();
                self.parts(&group, (step, attribute), place, parts);
            }
            _ => {
                let how = How::Specialize;
                let place = self.record(&group, attribute, how, Some(number));
                let children = &hierarchy.node(node).children;
                let called = |label: &&Option<String>| {
                    let is = |&&child: &&NodeId| self.label(attribute, child).as_deref() == label.as_deref();
                    children.iter().find(is).copied()
                };
                // Under `*` over NULLs there are NULL and the column's own top, whatever that is called.
                let own = |label: &&Option<String>| {
                    let is_null = |&&child: &&NodeId| {
                        (hierarchy.node(child).meaning == Meaning::Null) == label.is_none()
                    };
                    children.iter().find(is_null).copied()
                };
                let parts: Vec<_> = (step.children.iter())
                    .filter_map(|label| {
                        let node = if tells_null_apart { own(&label) } else { called(&label) };
                        Some((label, node?))
                    })
                    .collect();
                if parts.len() < step.children.len() && !tells_null_apart {
                    self.bound.unknown.push(attribute);
                }
                self.parts(&group, (step, attribute), place, parts);
            }
        }
        Ok(())
    }

    /// The number of an end that was published.
    fn end(&mut self, attribute: usize, split: Option<&str>) -> u32 {
        let ends = &mut self.ends[attribute];
        let next = ends.len() as u32;
        *ends.entry(split.unwrap_or_default().to_string()).or_insert(next)
    }

    /// Notes the groups that a step makes, but of intervals.
    fn parts(
        &mut self,
        group: &Group,
        (step, attribute): (&TraceStep, usize),
        place: usize,
        parts: Vec<(&Option<String>, NodeId)>,
    ) {
        for (label, node) in parts {
            let mut child = group.clone();
            child.origin = Origin::Child { step: place, node };
            child.nodes[attribute] = node;
            self.groups.insert(renamed(&step.group, attribute, label.clone()), child);
        }
    }

    fn record(&mut self, group: &Group, attribute: usize, how: How, step: Option<usize>) -> usize {
        self.bound.record(Recorded { attribute, origin: group.origin.clone(), how }, step)
    }

    /// A group that the search began with, by what it was called. NULLs that were not there are told from the rest
    /// first, if that may be.
    fn root(&mut self, called: &Called) -> Option<Group> {
        let root = |attribute: usize| {
            let hierarchy = self.columns[attribute].0;
            let label = called.get(attribute)?.as_deref();
            match hierarchy.coarsest() {
                [one] => Some(*one),
                several => {
                    several.iter().copied().find(|&node| self.label(attribute, node).as_deref() == label)
                }
            }
        };
        let nodes = (0..self.columns.len()).map(root).collect::<Option<Vec<NodeId>>>()?;
        let ends = vec![None; nodes.len()];
        let mut group = Group { origin: Origin::Group(nodes.clone()), nodes, ends };
        for (attribute, &(hierarchy, _)) in self.columns.iter().enumerate() {
            let is_new = !self.trace.over_null.contains(self.request.name(attribute));
            let over_null = !hierarchy.is_suppression() && has_null(hierarchy);
            if !over_null || !is_new || hierarchy.coarsest() != [TOP] {
                continue;
            }
            let own_top = *hierarchy.node(TOP).children.last()?;
            let place = self.record(&group, attribute, How::Specialize, None);
            group.origin = Origin::Child { step: place, node: own_top };
            group.nodes[attribute] = own_top;
        }
        Some(group)
    }

    fn label(&self, attribute: usize, node: NodeId) -> Option<String> {
        let (hierarchy, labels) = self.columns[attribute];
        match (&hierarchy.node(node).meaning, labels) {
            (Meaning::Null, _) => None,
            (Meaning::Taxonomy(at), Labels::Taxonomy(taxonomy, _)) => Some(taxonomy.label(*at).to_string()),
            _ => Some("*".into()),
        }
    }

    fn code(&self, attribute: usize, value: &Option<String>) -> Option<Code> {
        match value {
            Some(value) => self.codes[attribute].get(value.as_str()).copied(),
            // NULL's code is the last.
            None => {
                let hierarchy = self.columns[attribute].0;
                has_null(hierarchy).then(|| hierarchy.codes() as Code - 1)
            }
        }
    }
}

/// What a group is called whose node on one column became another.
fn renamed(called: &Called, attribute: usize, label: Option<String>) -> Called {
    let mut called = called.clone();
    called[attribute] = label;
    called
}

/// The values that a step disclosed, and `*`, which is the last of what it made, if something stayed there.
fn disclosed(children: &[Option<String>]) -> (&[Option<String>], Option<&Option<String>>) {
    match children {
        [values @ .., rest] if !values.is_empty() && rest.as_deref() == Some("*") => (values, Some(rest)),
        values => (values, None),
    }
}
