//! What a step's new groups would become if one of their nodes were refined further: each group is counted on each
//! column, and the worst part goes into the candidate's measures.
//!
//! A group's counts on one column are asked of nothing but its records, and the worst of several parts is the
//! same in whatever order they come. So where there is much to count and there are threads, each counts some and
//! brings the worst part of every candidate that it has met.

use super::candidates::Candidates;
use super::column::Column;
use super::parts::{is_valid, take_worst, Counts, Measures};
use super::state::{Index, Model, State};
use super::Search;
use crate::partition::{GroupId, Tally};
use crate::progress::room;
use crate::refine::{Hierarchy, NodeId};
use crate::threads::{share, WORTH_SHARING};
use crate::{Error, Pace};
use std::collections::BTreeMap;

/// A group that is to be counted by what refining its node on one column would make of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Count {
    pub index: usize,
    pub group: GroupId,
    pub place: usize,
}

/// What stands beside the measures of a candidate while they are brought, in as many numbers.
const PLACE: usize = 8;

/// What groups are counted and measured by.
#[derive(Clone, Copy)]
struct Counting<'s> {
    models: &'s [Model],
    current: &'s [f64],
    columns: &'s [Column],
    indexes: &'s [Index],
}

/// Lets the parts that a candidate would make worsen some measures; whether they did.
type Worsen<'w> = &'w mut dyn FnMut(&mut [f64]) -> Result<bool, Error>;

/// What one thread counts, and where.
struct Job<'t> {
    records: usize,
    counts: Vec<Count>,
    tallies: Vec<Option<&'t mut Tally>>,
}

impl<'t> Job<'t> {
    fn new(tallies: Vec<Option<&'t mut Tally>>) -> Job<'t> {
        Job { records: 0, counts: Vec::new(), tallies }
    }
}

impl Counting<'_> {
    /// The column and its node that a count asks of.
    fn node(&self, Count { index, group, place }: Count) -> (usize, NodeId) {
        let partition = &self.indexes[index].partition;
        (partition.attributes()[place], partition.node(group, place))
    }

    /// Counts a group, and names the parts that each candidate on the column would make of it.
    fn parts(
        self,
        count: Count,
        tally: &mut Tally,
        pace: &Pace,
        named: &mut dyn FnMut(NodeId, Worsen) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Counting { models, current, columns, indexes } = self;
        let measures = Measures { models, current };
        let (attribute, node) = self.node(count);
        let Count { index, group, place } = count;
        let (index, column) = (&indexes[index], &columns[attribute]);
        if !column.hierarchy.is_suppression() {
            return named(node, &mut |after| {
                index.take_parts(measures, (group, place), &column.slots, tally, after, pace)
            });
        }
        index.partition.tally(group, place, None, tally, pace)?;
        let whole = Counts::whole(tally, pace)?;
        let mut rest = whole.clone();
        for &code in &tally.touched {
            pace.tick(1)?;
            named(Hierarchy::disclosed(code), &mut |after| {
                let worse = measures.take_worse(after, index.groups(tally, code), pace)?;
                rest.subtract(&whole, tally, code, pace)?;
                if rest.records == 0 {
                    return Ok(worse);
                }
                Ok(measures.take_worse(after, index.groups_of(&rest), pace)? || worse)
            })?;
        }
        Ok(())
    }
}

impl Search<'_> {
    /// Counts groups.
    pub(super) fn count_all(&mut self, counts: Vec<Count>) -> Result<(), Error> {
        let State { indexes, tallies, .. } = &self.state;
        let size = |&Count { index, group, .. }: &Count| indexes[index].partition.size(group);
        // What a leaf tells, and the points of an interval that are ruled out, are kept by one thread.
        let shared = |count: &Count| {
            let partition = &indexes[count.index].partition;
            let (attribute, node) =
                (partition.attributes()[count.place], partition.node(count.group, count.place));
            let has_room = tallies.others.iter().all(|tallies| tallies[count.index].is_some());
            has_room
                && self.state.withheld.is_none()
                && !self.state.counts_leaves(count.index)
                && !self.has_points(attribute, node)
        };
        let (shared, mine): (Vec<Count>, Vec<Count>) = match tallies.others.is_empty() {
            true => (Vec::new(), counts),
            false => counts.into_iter().partition(shared),
        };
        if shared.iter().map(size).sum::<usize>() < WORTH_SHARING {
            shared.into_iter().try_for_each(|count| self.count(count).map(drop))?;
        } else {
            self.count_shared(shared)?;
        }
        mine.into_iter().try_for_each(|count| self.count(count).map(drop))
    }

    /// Counts a group by what each live candidate on the column would make of it, and takes the worst part
    /// into the candidate's measures; where an interval may be split there, too. Whether there was any.
    pub(super) fn count(&mut self, count: Count) -> Result<bool, Error> {
        self.standing.remove(&(count.index, count.group, count.place));
        let is_live = self.count_parts(count)?;
        self.look_at_points(count)?;
        Ok(is_live)
    }

    /// Counts a group as the candidates are aimed.
    pub(super) fn count_parts(&mut self, count: Count) -> Result<bool, Error> {
        let Search { state, candidates, shares, splits, .. } = self;
        let counts_leaves = state.counts_leaves(count.index);
        let State { pace, models, current, columns, indexes, tallies, leaves, withheld, .. } = state;
        pace.tick(1)?;
        let counting = Counting { models, current, columns, indexes };
        let (attribute, node) = counting.node(count);
        let is_live = candidates.is_live(attribute, node);
        let withholds = withheld.is_some();
        let column = &columns[attribute];
        if is_live && withholds {
            let slots = (!column.hierarchy.is_suppression()).then_some(&column.slots[..]);
            let (partition, tally) = (&indexes[count.index].partition, &mut tallies.mine[count.index]);
            partition.tally(count.group, count.place, slots, tally, pace)?;
        } else if is_live {
            let tally = &mut tallies.mine[count.index];
            // Where one point is invalid another may not be.
            let points = candidates.living(attribute, node).filter(|&id| splits.has(id));
            counting.parts(count, tally, pace, &mut |node, worsen| {
                candidates.worsen(attribute, node, |after| {
                    let worse = worsen(after)?;
                    worse.then(|| Ok(points.is_some() || is_valid(models, after, pace)?)).transpose()
                })
            })?;
        }
        if let Some(leaves) = leaves.as_ref().filter(|_| is_live && counts_leaves) {
            let counted = (leaves, &indexes[count.index], &tallies.mine[count.index]);
            shares.count(counted, (count.group, count.place), column, candidates, pace)?;
        }
        if withholds {
            self.look_ahead(count, is_live)?;
        }
        Ok(is_live)
    }

    /// Counts groups in all threads.
    fn count_shared(&mut self, mut counts: Vec<Count>) -> Result<(), Error> {
        for &Count { index, group, place } in &counts {
            self.state.pace.tick(1)?;
            self.standing.remove(&(index, group, place));
        }
        let Search { state, candidates, .. } = self;
        let unmeasured = state.unmeasured()?;
        let State { pace, models, current, columns, indexes, tallies, .. } = state;
        let counting = Counting { models, current, columns, indexes };
        let live = |candidates: &Candidates, &count: &Count| {
            let (attribute, node) = counting.node(count);
            candidates.is_live(attribute, node)
        };
        counts.retain(|count| live(candidates, count));
        let mut jobs = vec![Job::new(tallies.mine.iter_mut().map(Some).collect())];
        let others = tallies.others.iter_mut();
        jobs.extend(others.map(|tallies| Job::new(tallies.iter_mut().map(Option::as_mut).collect())));
        // The largest first, each to the thread that has least to do.
        let size = |count: &Count| indexes[count.index].partition.size(count.group);
        pace.sort_by(&mut counts, |a, b| size(b).cmp(&size(a)))?;
        for count in counts {
            pace.tick(jobs.len())?;
            if let Some(job) = jobs.iter_mut().min_by_key(|job| job.records) {
                job.records += size(&count);
                job.counts.push(count);
            }
        }
        // Of every living candidate one worst part a thread.
        let met = candidates.alive().saturating_mul(jobs.len());
        room::<f64>(met.saturating_mul(PLACE + unmeasured.len()))?;
        let candidates_now = &*candidates;
        let found = share(jobs, |Job { counts, mut tallies, .. }| {
            let pace = &Pace::new();
            let mut worst: BTreeMap<(usize, NodeId), Vec<f64>> = BTreeMap::new();
            for count in counts {
                pace.tick(1)?;
                let Some(tally) = &mut tallies[count.index] else { continue };
                let (attribute, _) = counting.node(count);
                counting.parts(count, tally, pace, &mut |node, worsen| {
                    if candidates_now.is_live(attribute, node) {
                        worsen(worst.entry((attribute, node)).or_insert_with(|| unmeasured.clone()))?;
                    }
                    Ok(())
                })?;
            }
            Ok(worst)
        })?;
        for ((attribute, node), worst) in found.into_iter().flatten() {
            candidates.worsen(attribute, node, |after| {
                let worse = take_worst(models, after, &worst, pace)?;
                worse.then(|| is_valid(models, after, pace)).transpose()
            })?;
        }
        Ok(())
    }
}
