//! Moving the records of a group that is divided: each part's come to lie together.
//!
//! Where records fall to many children they are put into a new order, column by column, by way of a scratch array;
//! where one value is disclosed, only its records change places with others, because mostly they are few.

use super::{GroupId, Partition, Scratch};
use crate::refine::NodeId;
use crate::table::codes::{each_width, Width};
use crate::table::Codes;
use crate::threads::{share, threads, WORTH_SHARING};
use crate::{Code, Error, Pace, Reservation};
use std::ops::Range;

impl Partition {
    /// Brings a group's records into the order of their arms, column by column.
    pub(super) fn rearrange(
        &mut self,
        group: GroupId,
        refined: usize,
        ends: &[u32],
        live: &dyn Fn(usize, NodeId) -> bool,
        pace: &Pace,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let Scratch { arms, moved, .. } = &mut self.scratch;
        let width = self.attributes.len();
        let nodes = &self.nodes[group as usize * width..][..width];
        // From each record's arm to its new place.
        let mut next = ends.to_vec();
        pace.each(arms.iter_mut().rev(), |arm| {
            let to = &mut next[*arm as usize];
            *to -= 1;
            *arm = *to;
        })?;
        let columns = self.columns.iter_mut().enumerate();
        let carried = columns.filter(|&(place, _)| place == refined || live(place, nodes[place]));
        let carried = carried.map(|(_, column)| column).chain(&mut self.sensitive_columns).collect();
        carry_all(carried, run.clone(), arms, moved, pace)?;
        moved.resize(run.len(), 0);
        if let Some(numbers) = self.holders.numbers.get_mut(run.clone()) {
            carry(numbers, arms, moved, pace)?;
            self.holders.moved(run.clone(), pace)?;
        }
        carry(&mut self.weights[run], arms, moved, pace)
    }

    /// Brings the records that hold a disclosed value to the end of their group, after `rest` others;
    /// mostly they are few, and only they are moved.
    pub(super) fn extract(
        &mut self,
        group: GroupId,
        refined: usize,
        value: Code,
        rest: u32,
        live: &dyn Fn(usize, NodeId) -> bool,
        pace: &Pace,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let (start, middle, end) = (start as usize, (start + rest) as usize, end as usize);
        let codes = &self.columns[refined];
        // As many of the one as of the other, and so no more than half of the records.
        let Scratch { arms: strays, moved: others, .. } = &mut self.scratch;
        others.clear();
        if self.holders.indexed(refined) {
            strays.truncate(strays.partition_point(|&stray| (stray as usize) < middle));
        } else {
            strays.clear();
            for run in pace.ranges(start..middle) {
                strays.extend(run?.filter(|&i| codes.get(i) == value).map(|i| i as u32));
            }
        }
        for run in pace.ranges(middle..end) {
            others.extend(run?.filter(|&i| codes.get(i) != value).map(|i| i as u32));
        }
        let pairs = || strays.iter().zip(&*others).map(|(&stray, &other)| (stray as usize, other as usize));
        let swap = |column: &mut Codes| each_width!(column, column => pace.each(pairs(), |(stray, other)| column.swap(stray, other)));
        let width = self.attributes.len();
        let carried = |place: usize, node: NodeId| place == refined || live(place, node);
        for (place, column) in self.columns.iter_mut().enumerate() {
            if carried(place, self.nodes[group as usize * width + place]) {
                swap(column)?;
            }
        }
        self.sensitive_columns.iter_mut().try_for_each(swap)?;
        pace.each(pairs(), |(stray, other)| self.holders.swap(stray, other))?;
        pace.each(pairs(), |(stray, other)| self.weights.swap(stray, other))
    }
}

/// Brings the codes of several columns where `to` says, where it is worth it in several threads.
fn carry_all(
    columns: Vec<&mut Codes>,
    run: Range<usize>,
    to: &[u32],
    moved: &mut Vec<u32>,
    pace: &Pace,
) -> Result<(), Error> {
    let threads = threads(pace.progress()).min(columns.len());
    if threads < 2 || run.len().saturating_mul(columns.len()) < WORTH_SHARING {
        return each_of(columns, run, to, moved, pace);
    }
    let _moved = Reservation::of::<u32>(pace.progress(), (threads - 1) * run.len())?;
    let mut jobs: Vec<(Vec<&mut Codes>, Vec<u32>)> = (0..threads).map(|_| Default::default()).collect();
    jobs[0].1 = std::mem::take(moved);
    for (number, column) in columns.into_iter().enumerate() {
        jobs[number % threads].0.push(column);
    }
    let mut rooms = share(pace, jobs, |(columns, mut moved), pace| {
        each_of(columns, run.clone(), to, &mut moved, pace)?;
        Ok(moved)
    })?;
    *moved = rooms.swap_remove(0);
    Ok(())
}

/// Brings the codes of several columns where `to` says, one after the other.
fn each_of(
    columns: Vec<&mut Codes>,
    run: Range<usize>,
    to: &[u32],
    moved: &mut Vec<u32>,
    pace: &Pace,
) -> Result<(), Error> {
    moved.resize(run.len(), 0);
    columns.into_iter().try_for_each(
        |column| each_width!(column, column => carry(&mut column[run.clone()], to, moved, pace)),
    )
}

/// Brings the codes of a column where `to` says.
fn carry<W: Width>(column: &mut [W], to: &[u32], moved: &mut [u32], pace: &Pace) -> Result<(), Error> {
    for run in pace.ranges(0..column.len()) {
        let run = run?;
        for (&to, code) in to[run.clone()].iter().zip(&column[run]) {
            moved[to as usize] = code.code();
        }
    }
    for run in pace.ranges(0..column.len()) {
        let run = run?;
        column[run.clone()].iter_mut().zip(&moved[run]).for_each(|(code, &moved)| *code = W::of(moved));
    }
    Ok(())
}
