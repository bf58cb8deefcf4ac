//! Moving the records of a group that is divided: each part's come to lie together.
//!
//! Where records fall to many children they are put into a new order, column by column, by way of a scratch array;
//! where one value is disclosed, only its records change places with others, because mostly they are few.

use super::{GroupId, Partition, Scratch};
use crate::refine::NodeId;
use crate::table::codes::{each_width, Width};
use crate::table::Codes;
use crate::{Code, Error, Pace};

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
        // From each record's arm to its new place.
        let mut next = ends.to_vec();
        pace.each(arms.iter_mut().rev(), |arm| {
            let to = &mut next[*arm as usize];
            *to -= 1;
            *arm = *to;
        })?;
        moved.resize(run.len(), 0);
        let width = self.attributes.len();
        for (place, column) in self.columns.iter_mut().enumerate() {
            if place == refined || live(place, self.nodes[group as usize * width + place]) {
                each_width!(column, column => carry(&mut column[run.clone()], arms, moved, pace))?;
            }
        }
        for column in &mut self.sensitive_columns {
            each_width!(column, column => carry(&mut column[run.clone()], arms, moved, pace))?;
        }
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
