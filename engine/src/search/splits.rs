//! Valid splits: an interval is split at its best valid point, by gain or by evenness. At a valid point both halves
//! keep the models.
//!
//! All points of an interval are tested together. The records of a group move, in the order of their codes, from the
//! right half to the left. Between two codes that the group holds both halves are measured, once for all points there.
//! If a half breaks a model, the point is ruled out for good, but the interval stays a candidate. If the chosen point
//! is ruled out, the best remaining point takes its place, and the groups are counted by it.

use super::candidates::Candidate;
use super::counting::GroupOnColumn;
use super::counts::Counts;
use super::halves::Halves;
use super::measures::Models;
use super::model_partition::ModelPartition;
use super::state::State;
use super::Search;
use crate::partition::{CodeOrder, GroupId, Tally};
use crate::progress::check_memory;
use crate::refine::NodeId;
use crate::utility::{BestSplit, BestSplitSoFar, SplitWorth};
use crate::{pace, Code, Error};
use std::collections::BTreeMap;
use std::ops::Range;

/// Points where a split of a group would break a model.
#[derive(Debug, Clone)]
pub(super) struct InvalidPoints {
    points: Range<Code>,
    /// Number of rows in the halves that break it.
    rows: u64,
}

/// Split points of one interval. A point is the first rank of the right half.
pub(super) struct IntervalPoints {
    codes: Range<Code>,
    pub chosen: Code,
    /// Points that are not ruled out, and the worth of a split at each.
    valid: BTreeMap<Code, SplitWorth>,
    /// If rows may be withheld: the number of rows that a split at each point would withhold, less that at the point
    /// before.
    withheld: Vec<i64>,
}

impl IntervalPoints {
    /// Returns the index of a point in `withheld`.
    fn index(&self, at: Code) -> usize {
        (at - self.codes.start) as usize - 1
    }

    /// Chooses the best point that is not ruled out, and returns it.
    fn choose(&mut self) -> Result<Option<Code>, Error> {
        let mut best = BestSplitSoFar::default();
        pace::each(&self.valid, |(&at, &worth)| best.take(at, worth))?;
        self.chosen = best.at().unwrap_or(self.chosen);
        Ok(best.at())
    }

    /// Rules out the chosen point.
    pub fn rule_out_chosen(&mut self) {
        self.valid.remove(&self.chosen);
    }

    /// Rules out the points where a split of the last counted group would break a model. If rows may be withheld,
    /// returns these points instead.
    fn test_points(
        &mut self,
        models: &Models,
        (partition, tally): (&ModelPartition, &mut Tally),
        group: GroupId,
        place: usize,
        order: &mut CodeOrder,
        may_withhold: bool,
    ) -> Result<Vec<InvalidPoints>, Error> {
        let mut invalid = Vec::new();
        let columns = partition.sensitive.iter().flatten().copied();
        let whole = Counts::whole(tally)?;
        let mut halves = Halves::new(partition, group, place, self.codes.clone(), &whole, columns, order)?;
        while let Some(points) = halves.next_split(|_, _, _| ())? {
            match self.valid.range(points.start..).next() {
                None => break,
                Some((&at, _)) if at >= points.end => continue,
                Some(_) => {}
            }
            let mut rows = 0;
            for half in [&halves.left, &halves.right] {
                if !models.hold_for(partition.counts_by_model(half))? {
                    rows += u64::from(half.records);
                }
            }
            if rows > 0 && may_withhold {
                invalid.push(InvalidPoints { points, rows });
            } else if rows > 0 {
                while let Some((&at, _)) = self.valid.range(points.clone()).next() {
                    pace::tick(1)?;
                    self.valid.remove(&at);
                }
            }
        }
        Ok(invalid)
    }

    /// Adds the rows that splits of a group would withhold, or subtracts them with a `sign` of -1.
    pub fn add_withheld(&mut self, invalid: &[InvalidPoints], sign: i64) {
        for InvalidPoints { points, rows } in invalid {
            let (start, end) = (self.index(points.start), self.index(points.end));
            self.withheld[start] += sign * *rows as i64;
            self.withheld[end] -= sign * *rows as i64;
        }
    }

    /// Rules out the points where a split would withhold more than `left` rows.
    pub fn rule_out_above(&mut self, left: u64) -> Result<(), Error> {
        let mut rows = 0;
        for (at, more) in (self.codes.start + 1..self.codes.end).zip(&self.withheld) {
            pace::tick(1)?;
            rows += more;
            if rows > left as i64 {
                self.valid.remove(&at);
            }
        }
        Ok(())
    }
}

/// Split points of all intervals that are candidates, by candidate.
#[derive(Default)]
pub(super) struct SplitPoints {
    pub by_candidate: BTreeMap<usize, IntervalPoints>,
    order: CodeOrder,
}

impl Search {
    /// Returns whether a node is an interval that is to be split at the best of its valid points.
    pub(super) fn has_points(&self, attribute: usize, node: NodeId) -> bool {
        let State { columns, split, .. } = &self.state;
        let hierarchy = &columns[attribute].hierarchy;
        let codes = &hierarchy.node(node).codes;
        split.requires_validity() && codes.len() > 1 && hierarchy.can_split(node, codes.start + 1)
    }

    /// Tests the points of an interval on a group that has just been counted.
    pub(super) fn rule_out_points(&mut self, count: GroupOnColumn) -> Result<(), Error> {
        let GroupOnColumn { partition_number, group, place } = count;
        let Search { state, candidates, splits, .. } = self;
        let State { models, partitions, tallies, withheld, .. } = state;
        let partition = &partitions[partition_number];
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        let SplitPoints { by_candidate, order } = splits;
        let Some(id) = candidates.living(attribute, node) else { return Ok(()) };
        let Some(points) = by_candidate.get_mut(&id) else { return Ok(()) };
        let counted = (partition, &mut tallies[partition_number]);
        let may_withhold = withheld.is_some();
        let mut invalid = points.test_points(models, counted, group, place, order, may_withhold)?;
        if may_withhold {
            invalid.shrink_to_fit();
            self.keep_points(count, id, invalid);
        }
        Ok(())
    }

    /// Makes a candidate of an interval, to be split at the best of all its points.
    pub(super) fn propose_points(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        let Search { state, candidates, splits, .. } = self;
        let column = &mut state.columns[attribute];
        if !column.hierarchy.may_refine(node) {
            return Ok(());
        }
        let codes = column.hierarchy.node(node).codes.clone();
        let records = column.histogram.counts(codes.clone())?;
        let Some(domain) = column.hierarchy.domain().filter(|_| state.utility.beneficial(&records)) else {
            return Ok(());
        };
        let withheld = if state.withheld.is_some() { vec![0; codes.len()] } else { Vec::new() };
        let split = BestSplit { utility: state.utility, histogram: &column.histogram, split: state.split };
        // A list, and a map of it.
        check_memory::<[(Code, SplitWorth); 2]>(codes.len())?;
        let mut valid = Vec::with_capacity(codes.len());
        split.for_each_allowed(domain, codes.clone(), |at, worth| valid.push((at, worth)))?;
        let valid = valid.into_iter().collect();
        let mut points = IntervalPoints { chosen: codes.start + 1, withheld, codes, valid };
        if points.choose()?.is_none() {
            return Ok(());
        }
        let after = state.models.best().to_vec();
        let candidate = Candidate::new(attribute, node, points.codes.start, after);
        let id = candidates.add(Candidate { records: records.records(), ..candidate })?;
        splits.by_candidate.insert(id, points);
        self.assign_chosen(id, attribute)
    }

    /// Assigns the codes of an interval to the halves of its chosen point, and sets the gain of the candidate.
    fn assign_chosen(&mut self, id: usize, attribute: usize) -> Result<(), Error> {
        let State { columns, utility, .. } = &mut self.state;
        let column = &mut columns[attribute];
        let (Some(points), Some(domain)) = (self.splits.by_candidate.get(&id), column.hierarchy.domain())
        else {
            return Ok(());
        };
        let gain = utility.split_gain(domain, &column.histogram, &points.codes, points.chosen)?;
        self.candidates.get_mut(id).gain = gain;
        column.assign_halves(&points.codes, points.chosen)
    }

    /// Chooses another point for each interval whose chosen point was ruled out, and counts its groups again by that
    /// point. Drops a candidate without a valid point.
    pub(super) fn rechoose_points(&mut self) -> Result<(), Error> {
        let points = self.splits.by_candidate.iter();
        let lost: Vec<usize> = points
            .filter(|(_, points)| !points.valid.contains_key(&points.chosen))
            .map(|(&id, _)| id)
            .collect();
        for id in lost {
            pace::tick(1)?;
            let Some(points) = self.splits.by_candidate.get_mut(&id) else { continue };
            if points.choose()?.is_none() {
                self.candidates.discard(id);
                self.splits.by_candidate.remove(&id);
                continue;
            }
            let (attribute, node) = self.candidates.reset(id, self.state.models.best().to_vec());
            self.assign_chosen(id, attribute)?;
            for partition_number in 0..self.state.partitions.len() {
                let Some(place) = self.state.partitions[partition_number].column_index(attribute) else {
                    continue;
                };
                for group in 0..self.state.partitions[partition_number].link(place, node).len() {
                    let group = self.state.partitions[partition_number].link(place, node)[group];
                    self.count_parts(GroupOnColumn { partition_number, group, place })?;
                }
            }
        }
        Ok(())
    }
}
