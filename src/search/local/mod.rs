//! Local recoding: from what was read to groups, each released as one node on every masked column. A row's key is the
//! number of its group, on all columns alike, as a clustering's is that of its cluster.
//!
//! Its steps are performed again where [`lay`] finds the groups that they were of.

mod lay;

use super::found::Generalized;
use super::input::Input;
use super::{engine_models, explain, sensitive_columns, Found, How};
use crate::postgres::error::Result;
use crate::postgres::progress::{polled, Watch};
use crate::terms::labels::{Bound, Labels};
use crate::terms::request::Request;
use std::time::Instant;
use topdown::cluster::Extent;
use topdown::progress::Reservation;
use topdown::refine::{Hierarchy, NodeId};
use topdown::table::Store;
use topdown::LocalOutcome;

/// Searches what was read, or performs an earlier search again.
pub(super) fn run<'w>(
    request: &'w Request,
    how: &How,
    mut input: Input<'w>,
    watch: &'w Watch,
) -> Result<Found<'w>> {
    let start = Instant::now();
    let mut held = Reservation::empty(watch);
    let hierarchies = std::mem::take(&mut input.hierarchies);
    let laid = match how {
        How::Again(trace) | How::Why(trace) => {
            let columns: Vec<(&Hierarchy, &Labels)> =
                hierarchies.iter().zip(&input.labels).map(|(h, (labels, _))| (h, labels)).collect();
            Some(lay::lay(request, trace, &columns, &mut held)?)
        }
        _ => None,
    };
    let mut explained = Vec::new();
    let (mut outcome, left_out) = {
        let models = &request.arguments.privacy;
        let named = sensitive_columns(request, input.counted(), matches!(how, How::First));
        let engine_models = engine_models(request, models, &named, &mut held)?;
        let problem = input.problem(request, hierarchies, engine_models, None)?;
        let in_terms = |error| explain(request, models, input.table.rows, &named, error);
        match &laid {
            None => (topdown::search_locally(problem, &mut held).map_err(in_terms)?, None),
            Some(laid) => {
                let replayed = if matches!(how, How::Why(_)) {
                    let why =
                        topdown::explain_locally(problem, &laid.recorded, &mut held).map_err(in_terms)?;
                    explained =
                        why.nodes.into_iter().map(|node| (node.explained, Some(node.groups))).collect();
                    why.replayed
                } else {
                    topdown::replay_locally(problem, &laid.recorded, &mut held).map_err(in_terms)?
                };
                let ends = laid.ends(&replayed, request.masked.len());
                let left_out = laid.left_out(&replayed);
                (replayed.outcome, Some((left_out, ends)))
            }
        }
    };
    let left_out = left_out.map(|(left_out, ends)| {
        for ((labels, _), ends) in input.labels.iter_mut().zip(ends) {
            if let Labels::Intervals(intervals) = labels {
                intervals.given = ends;
            }
        }
        left_out
    });
    let groups: Vec<Vec<NodeId>> =
        polled(&outcome.refined).map(|&region| outcome.regions.region(region).nodes.to_vec()).collect();
    held.grow_by::<Vec<NodeId>>(groups.len())?;
    held.grow_by::<NodeId>(groups.len() * request.masked.len())?;
    let (steps, redundant) = (std::mem::take(&mut outcome.steps), std::mem::take(&mut outcome.redundant));
    let (columns, keys) = input.grouped(request, outcome, &mut held)?;
    let search = start.elapsed().as_secs_f64();
    let Input { table, reading, sensitive, persons, originals, withheld, held: bound, scan, .. } = input;
    held.absorb(bound);
    Ok(Found {
        table,
        reading,
        columns,
        sensitive,
        persons,
        originals,
        clusters: Some(keys),
        steps,
        groups,
        redundant,
        withheld,
        left_out,
        explained,
        scan,
        search,
        _held: held,
    })
}

impl<'w> Input<'w> {
    /// Each masked column as a local search has left it, and the group of each record; the labels are taken.
    pub(super) fn grouped(
        &mut self,
        request: &Request,
        outcome: LocalOutcome,
        memory: &mut Reservation<'w>,
    ) -> Result<(Vec<Generalized<'w>>, Store)> {
        let codes: Vec<&Store> =
            request.masked.iter().map(|m| Ok(&self.table.column(m.column)?.codes)).collect::<Result<_>>()?;
        let keys = outcome.regions.leaf_of_rows(&codes, self.table.records, memory)?;
        let leaves: Vec<_> = polled(outcome.regions.leaves()).collect();
        memory.grow_by::<(Extent, NodeId)>(leaves.len() * request.masked.len())?;
        let labels = std::mem::take(&mut self.labels);
        let columns = request.masked.iter().zip(labels).zip(outcome.hierarchies).enumerate();
        let columns = columns.map(|(a, ((masked, (labels, held)), hierarchy))| {
            let released: Vec<Extent> =
                polled(&leaves).map(|&leaf| Extent::Node(outcome.regions.region(leaf).nodes[a])).collect();
            let mut is_released = vec![false; hierarchy.nodes().len()];
            released.iter().for_each(|extent| {
                if let Extent::Node(node) = extent {
                    is_released[*node as usize] = true;
                }
            });
            let nodes = (0..).zip(is_released).filter(|(_, is)| *is);
            let cut = nodes.map(|(node, _)| Extent::Node(node)).collect();
            Generalized { column: masked.column, bound: Bound { hierarchy, labels, held }, cut, released }
        });
        let columns = columns.collect();
        outcome.regions.forget(memory);
        Ok((columns, Store::Memory(keys)))
    }
}
