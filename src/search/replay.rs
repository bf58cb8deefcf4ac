//! The trace of an earlier search, laid over what the source holds now, so that the engine can perform it
//! again ([`topdown::replay`]).
//!
//! A release keeps its steps by labels. A node of a taxonomy, or a value, is found by its label. An interval
//! is known by the steps that made it: its label may be written differently by now, but it is the node
//! that the step before has left there. Where it was split is the end that was published, and stays so:
//! what was read in one version means the same in the next.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::refine::{Hierarchy, Meaning, NodeId, TOP};
use topdown::{Code, How, Place, Recorded, Replayed};

/// The steps of a version, as its release keeps them.
#[derive(Debug, Default)]
pub struct Trace {
    /// In their order.
    pub steps: Vec<TraceStep>,
    /// The columns that held NULLs.
    pub over_null: HashSet<String>,
}

/// A step.
#[derive(Debug)]
pub struct TraceStep {
    /// The column.
    pub attribute: String,
    /// The refined node's label.
    pub node: String,
    /// What it became; none for NULL.
    pub children: Vec<Option<String>>,
    /// Where an interval was split: the lower end of the right half.
    pub split: Option<String>,
    /// By local recoding, what the refined group was called on each masked column.
    pub group: Vec<Option<String>>,
}

/// A trace that is laid over the columns of a problem.
pub struct Laid {
    /// What the engine performs.
    pub recorded: Vec<Recorded>,
    /// Which step of the trace each is; none for one that is new, of NULLs that were not there.
    of_step: Vec<Option<usize>>,
    /// For each column, the ends of the halves that a split makes, by what is recorded.
    halves: Vec<HashMap<usize, [Ends; 2]>>,
    /// How many steps the trace has.
    steps: usize,
    /// The columns whose nodes are called otherwise by now: their steps are not even recorded.
    unknown: Vec<usize>,
}

/// What a replay did not perform.
#[derive(Debug, Clone, Default)]
pub struct LeftOut {
    /// How many steps of the trace.
    pub steps: usize,
    /// The columns, by their place in the request, that a model kept from being as specific as before.
    pub coarser: Vec<usize>,
}

/// Lays a trace over the masked columns of a request.
pub fn lay(request: &Request, trace: &Trace, columns: &[(&Hierarchy, &Labels)]) -> Result<Laid> {
    let mut laid = Laid {
        recorded: Vec::new(),
        of_step: Vec::new(),
        halves: vec![HashMap::new(); columns.len()],
        steps: trace.steps.len(),
        unknown: Vec::new(),
    };
    let mut states: Vec<Column> = Vec::new();
    for (attribute, &(hierarchy, labels)) in columns.iter().enumerate() {
        let is_over_null = !hierarchy.is_suppression() && has_null(hierarchy);
        // NULLs that were not there: they are told from the rest first, if that may be.
        let from_the_top = hierarchy.coarsest() == [TOP];
        if is_over_null && from_the_top && !trace.over_null.contains(request.name(attribute)) {
            laid.record(Recorded { attribute, node: Place::Node(TOP), how: How::Specialize }, None);
        }
        states.push(Column::new(hierarchy, labels, is_over_null));
    }
    for (number, step) in polled(&trace.steps).enumerate() {
        // A column that is no longer masked has nothing to refine.
        let Some(attribute) = request.attribute(&step.attribute) else { continue };
        let column = &mut states[attribute];
        let Some((node, how)) = column.find(step)? else {
            // A value that is gone, what a rule had above it, or NULLs that are, take nothing from the others.
            let goes_with_values =
                matches!(column.labels, Labels::Values(_)) || request.masked[attribute].by.is_by_rule();
            if !goes_with_values && !column.tells_null_apart(step) {
                laid.unknown.push(attribute);
            }
            continue;
        };
        let place = laid.record(Recorded { attribute, node, how }, Some(number));
        if matches!(how, How::Split { .. }) {
            laid.halves[attribute].insert(place, column.halve(step, place)?);
        }
    }
    Ok(laid)
}

impl Laid {
    fn record(&mut self, recorded: Recorded, step: Option<usize>) -> usize {
        self.recorded.push(recorded);
        self.of_step.push(step);
        self.recorded.len() - 1
    }

    /// The ends of the intervals that were made, of a column.
    pub fn ends(&self, attribute: usize, replayed: &Replayed) -> HashMap<NodeId, Ends> {
        let made = |(&place, ends): (&usize, &[Ends; 2])| {
            let step = &replayed.outcome.steps[replayed.performed[place]?];
            Some([(step.children[0], ends[0]), (step.children[1], ends[1])])
        };
        self.halves[attribute].iter().filter_map(made).flatten().collect()
    }

    /// What was left out.
    pub fn left_out(&self, replayed: &Replayed) -> LeftOut {
        let performed = replayed.performed.iter().zip(&self.of_step);
        let again = performed.filter(|(done, step)| done.is_some() && step.is_some()).count();
        let refused = self.recorded.iter().zip(&replayed.performed).filter(|(_, done)| done.is_none());
        let refused = refused.map(|(recorded, _)| recorded.attribute);
        let mut coarser: Vec<usize> = refused.chain(self.unknown.iter().copied()).collect();
        coarser.sort_unstable();
        coarser.dedup();
        LeftOut { steps: self.steps - again, coarser }
    }
}

pub(super) fn has_null(hierarchy: &Hierarchy) -> bool {
    hierarchy.nodes().iter().any(|node| node.meaning == Meaning::Null)
}

/// A column while its steps are gone through.
struct Column<'a> {
    hierarchy: &'a Hierarchy,
    labels: &'a Labels,
    is_over_null: bool,
    /// The values' codes, or a taxonomy's nodes that no step has refined so far, by what they are called: a rule
    /// may call several the same that stand above one another, and the topmost, the last here, is refined first.
    called: HashMap<&'a str, Vec<u32>>,
    /// Where the intervals that steps have made so far stand, by the label that the trace has for them; those of
    /// texts that hold commas may be called alike.
    intervals: HashMap<String, Vec<(Place, Ends)>>,
    /// Whether the column's own top has been refined.
    begun: bool,
}

impl<'a> Column<'a> {
    fn new(hierarchy: &'a Hierarchy, labels: &'a Labels, is_over_null: bool) -> Column<'a> {
        let mut called: HashMap<&str, Vec<u32>> = HashMap::new();
        match labels {
            Labels::Values(texts) => {
                called.extend((0..).zip(texts).map(|(code, text)| (text.as_str(), vec![code])))
            }
            Labels::Taxonomy(taxonomy, _) => {
                // Nodes come after those above them.
                for id in polled((0..hierarchy.nodes().len() as NodeId).rev()) {
                    if let Meaning::Taxonomy(at) = hierarchy.node(id).meaning {
                        called.entry(taxonomy.label(at)).or_default().push(id);
                    }
                }
            }
            Labels::Intervals(_) => {}
        }
        Column { hierarchy, labels, is_over_null, called, intervals: HashMap::new(), begun: false }
    }

    /// The column's own top: below the `*` over NULLs, where there are any.
    fn own_top(&self) -> NodeId {
        if self.is_over_null {
            self.hierarchy.node(TOP).children.last().copied().unwrap_or(TOP)
        } else {
            TOP
        }
    }

    /// Whether a step told NULLs from the rest.
    fn tells_null_apart(&self, step: &TraceStep) -> bool {
        !self.hierarchy.is_suppression() && step.children.contains(&None)
    }

    /// What a step refines, and how; none where that is not there any more.
    fn find(&mut self, step: &TraceStep) -> Result<Option<(Place, How)>> {
        if self.tells_null_apart(step) {
            return Ok(self.is_over_null.then_some((Place::Node(TOP), How::Specialize)));
        }
        match self.labels {
            Labels::Values(texts) => {
                let code = match step.children.first() {
                    Some(Some(value)) => {
                        self.called.get(value.as_str()).and_then(|codes| codes.last().copied())
                    }
                    // NULL's code is the last.
                    _ => Some(texts.len() as Code).filter(|_| has_null(self.hierarchy)),
                };
                Ok(code.map(|code| (Place::Node(TOP), How::Disclose { code })))
            }
            Labels::Taxonomy(..) => {
                let node = self.called.get_mut(step.node.as_str()).and_then(Vec::pop);
                Ok(node.map(|node| (Place::Node(node), How::Specialize)))
            }
            Labels::Intervals(intervals) => {
                let Some(split) = parse(intervals, step)? else { return Ok(None) };
                if !self.begun {
                    self.begun = true;
                    let ends = Ends {
                        lower: intervals.lower,
                        upper: intervals.upper,
                        closed: intervals.upper.is_some(),
                    };
                    self.intervals.insert(step.node.clone(), vec![(Place::Node(self.own_top()), ends)]);
                }
                let called = self.intervals.get(&step.node).map_or(&[][..], Vec::as_slice);
                let whole = called.iter().find(|(_, ends)| holds(intervals, ends, split));
                Ok(whole.map(|(place, _)| (*place, How::Split { at: rank(intervals, split) })))
            }
        }
    }

    /// The ends of the halves of an interval that a step, recorded at a place, splits.
    fn halve(&mut self, step: &TraceStep, place: usize) -> Result<[Ends; 2]> {
        let gone = || SqlError::internal("a split of no interval");
        let Labels::Intervals(intervals) = self.labels else { return Err(gone()) };
        let split = parse(intervals, step)?.ok_or_else(gone)?;
        let called = self.intervals.get_mut(&step.node).ok_or_else(gone)?;
        let whole = called.iter().position(|(_, ends)| holds(intervals, ends, split)).ok_or_else(gone)?;
        let (_, whole) = called.swap_remove(whole);
        let halves =
            [Ends { upper: Some(split), closed: false, ..whole }, Ends { lower: Some(split), ..whole }];
        for (child, (label, ends)) in step.children.iter().zip(halves).enumerate() {
            let label = label.clone().unwrap_or_default();
            self.intervals.entry(label).or_default().push((Place::Child { step: place, child }, ends));
        }
        Ok(halves)
    }
}

/// Where a step split an interval.
pub(super) fn parse(intervals: &IntervalLabels, step: &TraceStep) -> Result<Option<Datum>> {
    let Some(text) = &step.split else { return Ok(None) };
    intervals.ty.parse(text).map(Some).map_err(|fault| {
        SqlError::state(format!("a step of column \"{}\" cannot be performed again", step.attribute))
            .detail(format!("It split at \"{text}\": {fault}."))
            .hint("Search afresh: release_refresh(..., mode => 'search').")
    })
}

/// Whether an interval holds the end at which it was split.
fn holds(intervals: &IntervalLabels, ends: &Ends, split: Datum) -> bool {
    let Some(compare) = intervals.ty.comparator() else { return true };
    ends.lower.is_none_or(|lower| compare(lower, split).is_lt())
        && ends.upper.is_none_or(|upper| compare(split, upper).is_le())
}

/// The first rank whose value is not below an end.
pub(super) fn rank(intervals: &IntervalLabels, end: Datum) -> Code {
    let Some(compare) = intervals.ty.comparator() else { return 0 };
    intervals.values.partition_point(|&value| compare(value, end) == Ordering::Less) as Code
}
