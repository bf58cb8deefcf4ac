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
use crate::refine::NodeId;
use crate::utility::{BestSplit, BestSplitSoFar, SplitWorth};
use crate::{pace, Code, Error};
use std::collections::BTreeMap;
use std::ops::Range;

/// A range of points where a split of a group would break a model, and the number of rows in the halves that break it.
pub(super) type InvalidPoints = (Range<Code>, u64);

/// Split points of one interval. A point is the first rank of the right half.
pub(super) struct IntervalPoints {
    codes: Range<Code>,
    chosen: Code,
    /// Worth of a split at each point.
    worths: Vec<SplitWorth>,
    /// If rows may be withheld: the number of rows that a split at each point would withhold, less that at the point
    /// before.
    withheld: Vec<i64>,
    /// Union-find over the points. A point that is ruled out leads to the next one that is not; any other is its own
    /// successor.
    successor: Vec<u32>,
}

impl IntervalPoints {
    fn first(&self) -> Code {
        self.codes.start + 1
    }

    /// Returns the first point from `at` on that is not ruled out, or the end of the interval.
    fn find_valid(&mut self, at: Code) -> Code {
        let (first, mut place) = (self.first(), at - self.first());
        while self.successor[place as usize] != place {
            let next = self.successor[place as usize];
            self.successor[place as usize] = self.successor[next as usize];
            place = self.successor[place as usize];
        }
        first + place
    }

    fn is_ruled_out(&self, at: Code) -> bool {
        let place = at - self.first();
        self.successor[place as usize] != place
    }

    fn rule_out(&mut self, at: Code) {
        let place = (at - self.first()) as usize;
        self.successor[place] = place as u32 + 1;
    }

    fn rule_out_all(&mut self, points: &Range<Code>) -> Result<(), Error> {
        let mut at = self.find_valid(points.start);
        while at < points.end {
            pace::tick(1)?;
            self.rule_out(at);
            at = self.find_valid(at);
        }
        Ok(())
    }

    /// Chooses the best point that is not ruled out, and returns it.
    fn choose(&mut self) -> Result<Option<Code>, Error> {
        let mut best = BestSplitSoFar::default();
        let mut at = self.find_valid(self.first());
        while at < self.codes.end {
            pace::tick(1)?;
            best.take(at, self.worths[(at - self.first()) as usize]);
            at = self.find_valid(at + 1);
        }
        self.chosen = best.at().unwrap_or(self.chosen);
        Ok(best.at())
    }

    /// Calls `broken` for each range of points where a split of the group breaks a model, with the number of rows in
    /// the halves that break it.
    fn test_points(
        &mut self,
        models: &Models,
        (index, whole): (&ModelPartition, &Counts),
        (group, place): (GroupId, usize),
        order: &mut CodeOrder,
        mut broken: impl FnMut(&mut IntervalPoints, InvalidPoints) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let partition = &index.partition;
        let columns = index.sensitive.iter().flatten().copied();
        let (codes, of) = (self.codes.clone(), (whole, columns));
        let mut halves = Halves::new(partition, (group, place), codes, of, order)?;
        for (number, codes) in order.codes.windows(2).enumerate() {
            pace::tick(1)?;
            let [(before, _), (code, _)] = *codes else { continue };
            halves.move_code(number, (partition, place), order, |_, _, _| ())?;
            let at = self.find_valid(before + 1);
            if at == self.codes.end {
                break;
            }
            if at > code {
                continue;
            }
            let mut rows = 0;
            for half in [&halves.left, &halves.right] {
                if !models.hold_for(index.counts_by_model(half))? {
                    rows += u64::from(half.records);
                }
            }
            if rows > 0 {
                broken(self, (before + 1..code + 1, rows))?;
            }
        }
        Ok(())
    }
}

/// Split points of all intervals that are candidates.
#[derive(Default)]
pub(super) struct SplitPoints {
    by_candidate: BTreeMap<usize, IntervalPoints>,
    order: CodeOrder,
}

impl SplitPoints {
    /// Rules out the points of a candidate where a split of the last counted group would break a model. If rows may be
    /// withheld, returns these points instead.
    fn test_candidate(
        &mut self,
        candidate: usize,
        models: &Models,
        (index, tally): (&ModelPartition, &Tally),
        group: (GroupId, usize),
        may_withhold: bool,
    ) -> Result<Vec<InvalidPoints>, Error> {
        let SplitPoints { by_candidate, order } = self;
        let mut named = Vec::new();
        if let Some(points) = by_candidate.get_mut(&candidate) {
            let whole = Counts::whole(tally)?;
            points.test_points(models, (index, &whole), group, order, |points, broken| {
                if may_withhold {
                    named.push(broken);
                    return Ok(());
                }
                points.rule_out_all(&broken.0)
            })?;
        }
        Ok(named)
    }

    /// Adds the rows that splits of a group would withhold, or subtracts them with a `sign` of -1.
    pub fn add_withheld(&mut self, candidate: usize, broken: &[InvalidPoints], sign: i64) {
        let Some(points) = self.by_candidate.get_mut(&candidate) else { return };
        let first = points.first();
        for (at, rows) in broken {
            points.withheld[(at.start - first) as usize] += sign * *rows as i64;
            points.withheld[(at.end - first) as usize] -= sign * *rows as i64;
        }
    }

    /// Rules out the points of a candidate where a split would withhold more than `left` rows.
    pub fn rule_out_above(&mut self, candidate: usize, left: u64) -> Result<(), Error> {
        let Some(points) = self.by_candidate.get_mut(&candidate) else { return Ok(()) };
        let (first, mut rows) = (points.first(), 0);
        for at in first..points.codes.end {
            pace::tick(1)?;
            rows += points.withheld[(at - first) as usize];
            if rows > left as i64 && !points.is_ruled_out(at) {
                points.rule_out(at);
            }
        }
        Ok(())
    }

    /// Rules out the chosen point of a candidate.
    pub fn rule_out_chosen(&mut self, candidate: usize) {
        if let Some(points) = self.by_candidate.get_mut(&candidate) {
            points.rule_out(points.chosen);
        }
    }

    /// Returns whether a candidate has split points.
    pub fn has(&self, candidate: usize) -> bool {
        self.by_candidate.contains_key(&candidate)
    }

    /// Returns the chosen point of a candidate, if it has split points.
    pub fn chosen(&self, candidate: usize) -> Option<Code> {
        self.by_candidate.get(&candidate).map(|points| points.chosen)
    }

    /// Removes the points of a candidate, and returns the chosen one.
    pub fn take(&mut self, candidate: usize) -> Option<Code> {
        self.by_candidate.remove(&candidate).map(|points| points.chosen)
    }
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
        let GroupOnColumn { index, group, place } = count;
        let Search { state, candidates, splits, .. } = self;
        let State { models, partitions, tallies, withheld, .. } = state;
        let partition = &partitions[index].partition;
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        let Some(id) = candidates.living(attribute, node).filter(|&id| splits.has(id)) else { return Ok(()) };
        let counted = (&partitions[index], &tallies[index]);
        let may_withhold = withheld.is_some();
        let mut named = splits.test_candidate(id, models, counted, (group, place), may_withhold)?;
        if may_withhold {
            named.shrink_to_fit();
            self.keep_points(count, id, named);
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
        let successor = pace::collect(0..codes.len() as u32)?;
        let withheld = if state.withheld.is_some() { vec![0; codes.len()] } else { Vec::new() };
        let worths = vec![SplitWorth::default(); codes.len() - 1];
        let mut points = IntervalPoints { chosen: codes.start + 1, worths, withheld, codes, successor };
        let (first, utility, split) = (points.first(), state.utility, state.split);
        let split = BestSplit { utility, histogram: &column.histogram, split };
        let worths = &mut points.worths;
        split.for_each_allowed(domain, points.codes.clone(), |at, worth| {
            worths[(at - first) as usize] = worth
        })?;
        pace::each((first..points.codes.end).filter(|&at| !domain.may_split(at)), |at| points.rule_out(at))?;
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
        let lost: Vec<usize> =
            points.filter(|(_, points)| points.is_ruled_out(points.chosen)).map(|(&id, _)| id).collect();
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
            for index in 0..self.state.partitions.len() {
                let Some(place) = self.state.partitions[index].partition.column_index(attribute) else {
                    continue;
                };
                for group in 0..self.state.partitions[index].partition.link(place, node).len() {
                    let group = self.state.partitions[index].partition.link(place, node)[group];
                    self.count_parts(GroupOnColumn { index, group, place })?;
                }
            }
        }
        Ok(())
    }
}
