//! Where an interval may be split: at the best of those points at which a split is valid.
//!
//! All points of an interval are looked at together: a group's records in the order of their codes are moved
//! from the right half to the left, and between two codes that the group holds both halves are measured, once for all
//! points there. A point where either breaks a model is ruled out for good, the interval is not. When
//! the chosen point is ruled out the best of those left takes its place, and the groups are counted
//! by it.

use super::counting::Count;
use super::parts::{holds_for, Counts};
use super::state::{Index, Model, State};
use super::Search;
use crate::partition::{GroupId, Order, Tally};
use crate::refine::interval::Split;
use crate::refine::NodeId;
use crate::utility::{Best, BestSplit};
use crate::{Code, Error, Pace};
use std::collections::BTreeMap;
use std::ops::Range;

/// The points of one interval, each named by the first rank of the right half.
pub(super) struct Points {
    codes: Range<Code>,
    chosen: Code,
    /// What a split gains, at each point.
    gains: Vec<f64>,
    /// For each point, itself or a later one; in the end the first from it on that is not ruled out.
    next: Vec<u32>,
}

impl Points {
    fn first(&self) -> Code {
        self.codes.start + 1
    }

    /// The first point from `at` on that is not ruled out; the interval's end if there is none.
    fn next(&mut self, at: Code) -> Code {
        let (first, mut place) = (self.first(), at - self.first());
        while self.next[place as usize] != place {
            let next = self.next[place as usize];
            self.next[place as usize] = self.next[next as usize];
            place = self.next[place as usize];
        }
        first + place
    }

    fn is_ruled_out(&self, at: Code) -> bool {
        let place = at - self.first();
        self.next[place as usize] != place
    }

    fn rule_out(&mut self, at: Code) {
        let place = (at - self.first()) as usize;
        self.next[place] = place as u32 + 1;
    }

    /// Chooses the best point that is not ruled out, if there is one.
    fn choose(&mut self, pace: &Pace) -> Result<Option<Code>, Error> {
        let mut best = Best::default();
        let mut at = self.next(self.first());
        while at < self.codes.end {
            pace.tick(1)?;
            best.take(at, self.gains[(at - self.first()) as usize]);
            at = self.next(at + 1);
        }
        self.chosen = best.at().unwrap_or(self.chosen);
        Ok(best.at())
    }

    /// Rules out the points at which a split of a group would break a model.
    fn look_at(
        &mut self,
        models: &[Model],
        index: &Index,
        (group, place): (GroupId, usize),
        whole: &Counts,
        order: &mut Order,
        pace: &Pace,
    ) -> Result<(), Error> {
        let partition = &index.partition;
        partition.count_codes(group, place, self.codes.clone(), order, pace)?;
        let mut sensitive: Vec<usize> = index.sensitive.iter().flatten().copied().collect();
        sensitive.sort_unstable();
        sensitive.dedup();
        if !sensitive.is_empty() {
            partition.order_records(group, place, self.codes.clone(), order, pace)?;
        }
        partition.count_ends(group, place, order, pace)?;
        let (mut left, mut right) = (Counts::none_of(whole, pace)?, whole.clone());
        let mut records = order.records.iter().copied().peekable();
        for (number, codes) in order.codes.windows(2).enumerate() {
            pace.tick(1)?;
            let [(before, rows), (code, _)] = *codes else { continue };
            left.take(&mut right, rows, order.persons.get(number).copied().unwrap_or_default());
            while let Some(record) =
                records.next_if(|&r| !sensitive.is_empty() && partition.code(r, place) == before)
            {
                pace.tick(sensitive.len())?;
                left.take_values(&mut right, partition, record, &sensitive);
            }
            let mut at = self.next(before + 1);
            if at == self.codes.end {
                break;
            }
            let valid = at > code
                || holds_for(models, index.groups_of(&left), pace)?
                    && holds_for(models, index.groups_of(&right), pace)?;
            while !valid && at <= code {
                pace.tick(1)?;
                self.rule_out(at);
                at = self.next(at);
            }
        }
        Ok(())
    }
}

/// The points of all intervals that are candidates.
#[derive(Default)]
pub(super) struct Splits {
    by_candidate: BTreeMap<usize, Points>,
    order: Order,
}

impl Splits {
    /// Rules out points of a candidate by a group that the tally has just counted.
    pub fn look_at(
        &mut self,
        candidate: usize,
        models: &[Model],
        (index, tally): (&Index, &Tally),
        group: (GroupId, usize),
        pace: &Pace,
    ) -> Result<(), Error> {
        let Splits { by_candidate, order } = self;
        match by_candidate.get_mut(&candidate) {
            Some(points) => points.look_at(models, index, group, &Counts::whole(tally, pace)?, order, pace),
            None => Ok(()),
        }
    }

    /// Whether a candidate is an interval whose points are known.
    pub fn has(&self, candidate: usize) -> bool {
        self.by_candidate.contains_key(&candidate)
    }

    /// Where an interval that is no candidate any more is to be split.
    pub fn take(&mut self, candidate: usize) -> Option<Code> {
        self.by_candidate.remove(&candidate).map(|points| points.chosen)
    }
}

impl Search<'_> {
    /// Whether a node is an interval that is split at the best of its valid points.
    pub(super) fn has_points(&self, attribute: usize, node: NodeId) -> bool {
        let State { columns, split, .. } = &self.state;
        let hierarchy = &columns[attribute].hierarchy;
        let codes = &hierarchy.node(node).codes;
        *split == Split::Valid && codes.len() > 1 && hierarchy.can_split(node, codes.start + 1)
    }

    /// Rules out points of an interval by a group that has just been counted.
    pub(super) fn look_at_points(&mut self, Count { index, group, place }: Count) -> Result<(), Error> {
        let Search { state, candidates, splits, .. } = self;
        let State { models, indexes, tallies, pace, .. } = state;
        let partition = &indexes[index].partition;
        let (attribute, node) = (partition.attributes()[place], partition.node(group, place));
        match candidates.living(attribute, node) {
            Some(id) => {
                splits.look_at(id, models, (&indexes[index], &tallies.mine[index]), (group, place), pace)
            }
            None => Ok(()),
        }
    }

    /// Makes a candidate of an interval, to be split at the best of all its points.
    pub(super) fn propose_points(&mut self, attribute: usize, node: NodeId) -> Result<(), Error> {
        let Search { state, candidates, splits, .. } = self;
        let pace = state.pace;
        let column = &mut state.columns[attribute];
        if !column.hierarchy.may_refine(node) {
            return Ok(());
        }
        let codes = column.hierarchy.node(node).codes.clone();
        let records = column.histogram.counts(codes.clone(), pace)?;
        let Some(domain) = column.hierarchy.domain().filter(|_| state.utility.beneficial(&records)) else {
            return Ok(());
        };
        state.memory.grow_by::<(f64, u32)>(codes.len())?;
        let next = pace.collect(0..codes.len() as u32)?;
        let mut points = Points { chosen: codes.start + 1, gains: vec![0.0; codes.len() - 1], codes, next };
        let (first, split) =
            (points.first(), BestSplit { utility: state.utility, histogram: &column.histogram });
        let gains = &mut points.gains;
        split.each(domain, points.codes.clone(), pace, |at, gain| gains[(at - first) as usize] = gain)?;
        pace.each((first..points.codes.end).filter(|&at| !domain.may_split(at)), |at| points.rule_out(at))?;
        if points.choose(pace)?.is_none() {
            return Ok(());
        }
        let after = state.unmeasured()?;
        let (id, candidate) = candidates.add(attribute, node, points.codes.start, after, pace)?;
        candidate.records = records.records();
        splits.by_candidate.insert(id, points);
        self.aim_at_chosen(id, attribute)
    }

    /// Aims an interval's codes at the halves that there would be now, and weighs these.
    fn aim_at_chosen(&mut self, id: usize, attribute: usize) -> Result<(), Error> {
        let State { columns, utility, pace, .. } = &mut self.state;
        let column = &mut columns[attribute];
        let (Some(points), Some(domain)) = (self.splits.by_candidate.get(&id), column.hierarchy.domain())
        else {
            return Ok(());
        };
        let gain = utility.split_gain(domain, &column.histogram, &points.codes, points.chosen, pace)?;
        self.candidates.weigh(id, gain);
        column.aim_at_halves(&points.codes, points.chosen, pace)
    }

    /// Chooses anew where the chosen point was ruled out, and counts the groups by it; where no point is left the
    /// interval stays as it is.
    pub(super) fn split_elsewhere(&mut self) -> Result<(), Error> {
        let pace = self.state.pace;
        let points = self.splits.by_candidate.iter();
        let lost: Vec<usize> =
            points.filter(|(_, points)| points.is_ruled_out(points.chosen)).map(|(&id, _)| id).collect();
        for id in lost {
            pace.tick(1)?;
            let Some(points) = self.splits.by_candidate.get_mut(&id) else { continue };
            if points.choose(pace)?.is_none() {
                self.candidates.drop(id);
                self.splits.by_candidate.remove(&id);
                continue;
            }
            let (attribute, node) = self.candidates.renew(id, self.state.unmeasured()?);
            self.aim_at_chosen(id, attribute)?;
            for index in 0..self.state.indexes.len() {
                let Some(place) = self.state.indexes[index].partition.place(attribute) else { continue };
                for group in 0..self.state.indexes[index].partition.linked(place, node).len() {
                    let group = self.state.indexes[index].partition.linked(place, node)[group];
                    self.count_parts(Count { index, group, place })?;
                }
            }
        }
        Ok(())
    }
}
