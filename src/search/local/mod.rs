//! Local recoding: from what was read to groups, each released as one node on every masked column. A row's key is the
//! number of its group, on all columns alike, as a clustering's is that of its cluster.
//!
//! Its steps are performed again where [`lay`] finds the groups that they were of.

mod lay;

use super::found::Generalized;
use super::input::Input;
use super::{engine_models, explain, sensitive_columns, Found, How};
use crate::postgres::error::Result;
use crate::postgres::progress::polled;
use crate::terms::labels::{Bound, Labels};
use crate::terms::request::Request;
use std::time::Instant;
use topdown::cluster::Extent;
use topdown::progress::room;
use topdown::refine::{Hierarchy, NodeId};
use topdown::table::Store;
use topdown::LocalOutcome;

/// Searches what was read, or performs an earlier search again.
pub(super) fn run(request: &Request, how: &How, mut input: Input) -> Result<Found> {
    let start = Instant::now();
    let hierarchies = std::mem::take(&mut input.hierarchies);
    let laid = match how {
        How::Again(trace) | How::Why(trace) => {
            let columns: Vec<(&Hierarchy, &Labels)> = hierarchies.iter().zip(&input.labels).collect();
            Some(lay::lay(request, trace, &columns)?)
        }
        _ => None,
    };
    let mut explained = Vec::new();
    let (mut outcome, left_out) = {
        let models = &request.arguments.privacy;
        let named = sensitive_columns(request, input.counted(), matches!(how, How::First));
        let engine_models = engine_models(request, models, &named)?;
        let problem = input.problem(request, hierarchies, engine_models, None)?;
        let in_terms = |error| explain(request, models, input.table.rows, &named, error);
        match &laid {
            None => (topdown::search_locally(problem).map_err(in_terms)?, None),
            Some(laid) => {
                let replayed = if matches!(how, How::Why(_)) {
                    let why = topdown::explain_locally(problem, &laid.recorded).map_err(in_terms)?;
                    explained =
                        why.nodes.into_iter().map(|node| (node.explained, Some(node.groups))).collect();
                    why.replayed
                } else {
                    topdown::replay_locally(problem, &laid.recorded).map_err(in_terms)?
                };
                let ends = laid.ends(&replayed, request.masked.len());
                let left_out = laid.left_out(&replayed);
                (replayed.outcome, Some((left_out, ends)))
            }
        }
    };
    let left_out = left_out.map(|(left_out, ends)| {
        for (labels, ends) in input.labels.iter_mut().zip(ends) {
            if let Labels::Intervals(intervals) = labels {
                intervals.given = ends;
            }
        }
        left_out
    });
    let groups: Vec<Vec<NodeId>> =
        polled(&outcome.refined).map(|&region| outcome.regions.region(region).nodes.to_vec()).collect();
    room::<Vec<NodeId>>(groups.len())?;
    room::<NodeId>(groups.len() * request.masked.len())?;
    let (steps, redundant) = (std::mem::take(&mut outcome.steps), std::mem::take(&mut outcome.redundant));
    let (columns, keys) = input.grouped(request, outcome)?;
    let search = start.elapsed().as_secs_f64();
    let Input { table, reading, sensitive, persons, originals, withheld, scan, .. } = input;
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
    })
}

impl Input {
    /// Each masked column as a local search has left it, and the group of each record; the labels are taken.
    pub(super) fn grouped(
        &mut self,
        request: &Request,
        outcome: LocalOutcome,
    ) -> Result<(Vec<Generalized>, Store)> {
        let codes: Vec<&Store> =
            request.masked.iter().map(|m| Ok(&self.table.column(m.column)?.codes)).collect::<Result<_>>()?;
        let keys = outcome.regions.leaf_of_rows(&codes, self.table.records)?;
        let leaves: Vec<_> = polled(outcome.regions.leaves()).collect();
        room::<(Extent, NodeId)>(leaves.len() * request.masked.len())?;
        let labels = std::mem::take(&mut self.labels);
        let columns = request.masked.iter().zip(labels).zip(outcome.hierarchies).enumerate();
        let columns = columns.map(|(a, ((masked, labels), hierarchy))| {
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
            Generalized { column: masked.column, bound: Bound { hierarchy, labels }, cut, released }
        });
        let columns = columns.collect();
        Ok((columns, Store::Memory(keys)))
    }
}
