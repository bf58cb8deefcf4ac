//! The trace of an earlier search, bound to what the source holds now, so that the engine can perform it again
//! ([`topdown::replay`]): by global recoding a column at a time ([`columns`]), by local recoding a group at a time
//! ([`groups`]).
//!
//! A release keeps its steps by labels. A node of a taxonomy, or a value, is found by its label. An interval
//! is known by the steps that made it: its label may be written differently by now, but it is the node
//! that the step before has left there. Where it was split is the end that was published, and stays so:
//! what was read in one version means the same in the next.

mod columns;
mod groups;

use crate::postgres::error::{Result, SqlError};
use crate::terms::labels::{Ends, IntervalLabels, Labels};
use crate::terms::request::Request;
use crate::terms::words::Recoding;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::cmp::Ordering;
use topdown::refine::{Hierarchy, Meaning, NodeId};
use topdown::{Code, Recorded, Replayed};

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

/// A trace that is bound to the masked columns of a problem.
#[derive(Debug)]
pub struct BoundTrace {
    /// What the engine performs.
    pub recorded: Vec<Recorded>,
    /// Which step of the trace each is; none for one that is new, of NULLs that were not there.
    of_step: Vec<Option<usize>>,
    /// The ends of the halves that a split makes, by what is recorded.
    halves: HashMap<usize, [Ends; 2]>,
    /// How many steps the trace has.
    steps: usize,
    /// The columns of whose nodes some are called otherwise by now: their steps are not even recorded.
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

/// Binds a trace to the masked columns of a request.
pub fn bind_trace(request: &Request, trace: &Trace, columns: &[(&Hierarchy, &Labels)]) -> Result<BoundTrace> {
    match request.arguments.recoding {
        Recoding::Global => columns::bind(request, trace, columns),
        Recoding::Local => groups::bind(request, trace, columns),
    }
}

impl BoundTrace {
    /// Of a trace, nothing yet.
    fn of(trace: &Trace) -> BoundTrace {
        let (recorded, of_step, unknown) = (Vec::new(), Vec::new(), Vec::new());
        BoundTrace { recorded, of_step, halves: HashMap::new(), steps: trace.steps.len(), unknown }
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
            for (&child, half) in step.children.iter().zip(halves) {
                ends[step.attribute].entry(child).or_insert(*half);
            }
        }
        ends
    }

    /// What was left out; coarser are the columns in which a model kept something from what it was.
    pub fn left_out(&self, replayed: &Replayed) -> LeftOut {
        let performed = replayed.performed.iter().zip(&self.of_step);
        let again = performed.filter(|(done, step)| done.is_some() && step.is_some()).count();
        let broken = replayed.broken.iter().map(|&place| self.recorded[place].attribute);
        let mut coarser: Vec<usize> = broken.chain(self.unknown.iter().copied()).collect();
        coarser.sort_unstable();
        coarser.dedup();
        LeftOut { steps: self.steps - again, coarser }
    }
}

/// Whether a column holds NULLs.
fn has_null(hierarchy: &Hierarchy) -> bool {
    hierarchy.nodes().iter().any(|node| node.meaning == Meaning::Null)
}

/// The ends of a column's own top.
fn outer(intervals: &IntervalLabels) -> Ends {
    Ends { lower: intervals.lower, upper: intervals.upper, closed: intervals.upper.is_some() }
}

/// The ends of both halves of an interval.
fn halved(whole: Ends, at: Datum) -> [Ends; 2] {
    [Ends { upper: Some(at), closed: false, ..whole }, Ends { lower: Some(at), ..whole }]
}

/// Where a step split an interval.
fn parse(intervals: &IntervalLabels, step: &TraceStep) -> Result<Option<Datum>> {
    let Some(text) = &step.split else { return Ok(None) };
    intervals.ty.parse(text).map(Some).map_err(|fault| {
        SqlError::state(format!("a step of column \"{}\" cannot be performed again", step.attribute))
            .detail(format!("It split at \"{text}\": {fault}."))
            .hint("Search afresh: release_refresh(..., mode => 'search').")
    })
}

/// The first rank whose value is not below an end.
fn rank(intervals: &IntervalLabels, end: Datum) -> Code {
    let Some(compare) = intervals.ty.comparator() else { return 0 };
    intervals.values.partition_point(|&value| compare(value, end) == Ordering::Less) as Code
}
