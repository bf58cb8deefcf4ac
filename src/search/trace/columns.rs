//! A trace by global recoding: each step is of a node of its column, wherever that is.

use super::{halved, has_null, outer, parse, rank, BoundTrace, Trace, TraceStep};
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::polled;
use crate::terms::labels::{Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use topdown::refine::{Hierarchy, Meaning, NodeId, TOP};
use topdown::{Code, How, Origin, Recorded};

/// Binds the steps to the masked columns of a request.
pub(super) fn bind(
    request: &Request,
    trace: &Trace,
    columns: &[(&Hierarchy, &Labels)],
) -> Result<BoundTrace> {
    let mut bound = BoundTrace::of(trace);
    let mut states: Vec<Column> = Vec::new();
    for (attribute, &(hierarchy, labels)) in columns.iter().enumerate() {
        let is_over_null = !hierarchy.is_suppression() && has_null(hierarchy);
        // NULLs that were not there: they are told from the rest first, if that may be.
        let from_the_top = hierarchy.coarsest() == [TOP];
        if is_over_null && from_the_top && !trace.over_null.contains(request.name(attribute)) {
            bound.record(Recorded { attribute, origin: Origin::Node(TOP), how: How::Specialize }, None);
        }
        states.push(Column::new(hierarchy, labels, is_over_null));
    }
    for (number, step) in polled(&trace.steps).enumerate() {
        // A column that is no longer masked has nothing to refine.
        let Some(attribute) = request.attribute(&step.attribute) else { continue };
        let column = &mut states[attribute];
        let Some((origin, how)) = column.find(step)? else {
            // A value that is gone, what a rule had above it, or NULLs that are, take nothing from the others.
            let goes_with_values =
                matches!(column.labels, Labels::Values(_)) || request.masked[attribute].by.is_by_rule();
            if !goes_with_values && !column.tells_null_apart(step) {
                bound.unknown.push(attribute);
            }
            continue;
        };
        let splits = matches!(how, How::Split { .. });
        let place = bound.record(Recorded { attribute, origin, how }, Some(number));
        if splits {
            bound.halves.insert(place, column.halve(step, place)?);
        }
    }
    Ok(bound)
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
    intervals: HashMap<String, Vec<(Origin, Ends)>>,
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
    fn find(&mut self, step: &TraceStep) -> Result<Option<(Origin, How)>> {
        if self.tells_null_apart(step) {
            return Ok(self.is_over_null.then_some((Origin::Node(TOP), How::Specialize)));
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
                Ok(code.map(|code| (Origin::Node(TOP), How::disclose(code))))
            }
            Labels::Taxonomy(..) => {
                let node = self.called.get_mut(step.node.as_str()).and_then(Vec::pop);
                Ok(node.map(|node| (Origin::Node(node), How::Specialize)))
            }
            Labels::Intervals(intervals) => {
                let Some(split) = parse(intervals, step)? else { return Ok(None) };
                if !self.begun {
                    self.begun = true;
                    let whole = (Origin::Node(self.own_top()), outer(intervals));
                    self.intervals.insert(step.node.clone(), vec![whole]);
                }
                let called = self.intervals.get(&step.node).map_or(&[][..], Vec::as_slice);
                let whole = called.iter().find(|(_, ends)| holds(intervals, ends, split));
                Ok(whole.map(|(origin, _)| (origin.clone(), How::split(rank(intervals, split)))))
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
        let halves = halved(whole, split);
        for (half, (label, ends)) in step.children.iter().zip(halves).enumerate() {
            let label = label.clone().ok_or_else(gone)?;
            let origin = Origin::Half { step: place, half };
            self.intervals.entry(label).or_default().push((origin, ends));
        }
        Ok(halves)
    }
}

/// Whether an interval holds the end at which it was split.
fn holds(intervals: &IntervalLabels, ends: &Ends, split: Datum) -> bool {
    let Some(compare) = intervals.ty.comparator() else { return true };
    ends.lower.is_none_or(|lower| compare(lower, split).is_lt())
        && ends.upper.is_none_or(|upper| compare(split, upper).is_le())
}
