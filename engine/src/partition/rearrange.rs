//! Moving the records of a divided group, so that those of each part lie together.
//!
//! If records fall to many children, they are put into a new order by way of a scratch array: first the new place of
//! each record is computed, then each column is carried there. If one value is disclosed, only its records are swapped
//! with others, because they are mostly few.

use super::{Division, GroupId, Partition, Scratch};
use crate::progress::lengthen;
use crate::refine::NodeId;
use crate::table::bucket::sum_up;
use crate::table::codes::{each_width, Spare, Width};
use crate::table::Codes;
use crate::{pace, Code, Error};
use std::ops::Range;

impl Partition {
    /// Orders the records of a group by the parts that `part` assigns to their codes. The order within a part stays.
    /// Returns the end of each part.
    pub(super) fn rearrange(
        &mut self,
        group: GroupId,
        part: impl Fn(Code) -> u32,
        parts: usize,
        &Division { place: refined, live, .. }: &Division,
    ) -> Result<Vec<u32>, Error> {
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let Scratch { child_of_record: to, spare, .. } = &mut self.scratch;
        lengthen(to, run.len())?;
        let to = &mut to[..run.len()];
        let mut ends = vec![0; parts];
        compute_places(&self.columns[refined], run.clone(), part, (to, &mut ends))?;
        pace::tick(parts)?;
        if ends.iter().all(|&end| end == 0 || end as usize == run.len()) {
            return Ok(ends);
        }
        let width = self.attributes.len();
        let nodes = &self.nodes[group as usize * width..][..width];
        let columns = self.columns.iter_mut().zip(nodes).enumerate();
        let columns = columns.filter(|&(place, (_, &node))| place == refined || live(place, node));
        let population = self.population.iter_mut().map(|(_, weights)| weights);
        let beside = self.sensitive_columns.iter_mut().chain(&mut self.weights).chain(population);
        let beside = beside.chain(&mut self.persons).chain(&mut self.numbers);
        for codes in columns.map(|(_, (codes, _))| codes).chain(beside) {
            each_width!(codes, codes => move_codes(&mut codes[run.clone()], to, spare))?;
        }
        if let Some(numbers) = self.holders.numbers.get_mut(run.clone()) {
            move_codes(numbers, to, spare)?;
            self.holders.update_places(run)?;
        }
        Ok(ends)
    }

    /// Moves the records of a disclosed value to the end of their group, behind `rest` others. Only these are moved.
    pub(super) fn move_to_end(
        &mut self,
        group: GroupId,
        value: Code,
        rest: usize,
        &Division { place: refined, live, .. }: &Division,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let (start, middle, end) = (start as usize, start as usize + rest, end as usize);
        let codes = &self.columns[refined];
        // Strays hold the value and lie before `middle`. The others lack it and lie behind. There are equally many of
        // both.
        let Scratch { child_of_record: strays, others, .. } = &mut self.scratch;
        others.clear();
        if self.holders.is_indexed(refined) {
            strays.truncate(strays.partition_point(|&stray| (stray as usize) < middle));
        } else {
            strays.clear();
            for run in pace::ranges(start..middle) {
                strays.extend(run?.filter(|&i| codes.get(i) == value).map(|i| i as u32));
            }
        }
        for run in pace::ranges(middle..end) {
            others.extend(run?.filter(|&i| codes.get(i) != value).map(|i| i as u32));
        }
        self.swap_pairs(group, |place, node| place == refined || live(place, node))?;
        let Scratch { child_of_record: strays, others, .. } = &self.scratch;
        let pairs = strays.iter().zip(others);
        pace::each(pairs, |(&stray, &other)| self.holders.swap(stray as usize, other as usize))
    }

    /// Swaps the noted pairs of records, in all columns that are carried and the arrays beside them.
    fn swap_pairs(&mut self, group: GroupId, carried: impl Fn(usize, NodeId) -> bool) -> Result<(), Error> {
        let Scratch { child_of_record: strays, others, .. } = &self.scratch;
        let pairs = || strays.iter().zip(others).map(|(&stray, &other)| (stray as usize, other as usize));
        let swap = |column: &mut Codes| each_width!(column, column => pace::each(pairs(), |(stray, other)| column.swap(stray, other)));
        let width = self.attributes.len();
        for (place, column) in self.columns.iter_mut().enumerate() {
            if carried(place, self.nodes[group as usize * width + place]) {
                swap(column)?;
            }
        }
        let population = self.population.iter_mut().map(|(_, weights)| weights);
        let others = self.sensitive_columns.iter_mut().chain(&mut self.weights).chain(&mut self.numbers);
        others.chain(&mut self.persons).chain(population).into_iter().try_for_each(swap)
    }
}

/// Computes the new place of each record of a run from its part, and the end of each part.
pub(super) fn compute_places(
    column: &Codes,
    run: Range<usize>,
    part: impl Fn(Code) -> u32,
    (to, ends): (&mut [u32], &mut [u32]),
) -> Result<(), Error> {
    let start = run.start;
    for run in pace::ranges(run) {
        let run = run?;
        let parts = &mut to[run.start - start..run.end - start];
        each_width!(column, codes => {
            for (to, code) in parts.iter_mut().zip(&codes[run]) {
                *to = part(code.to_code());
                ends[*to as usize] += 1;
            }
        });
    }
    sum_up(ends)?;
    // Replaces the part of each record by its new place.
    let mut next = ends.to_vec();
    pace::each(to.iter_mut().rev(), |to| {
        let next = &mut next[*to as usize];
        *next -= 1;
        *to = *next;
    })
}

/// Moves the codes of a column to the places `to`.
pub(super) fn move_codes<W: Width>(column: &mut [W], to: &[u32], spare: &mut Spare) -> Result<(), Error> {
    let moved = W::spare(spare);
    lengthen(moved, column.len())?;
    let moved = &mut moved[..column.len()];
    for run in pace::ranges(0..column.len()) {
        let run = run?;
        to[run.clone()].iter().zip(&column[run]).for_each(|(&to, &code)| moved[to as usize] = code);
    }
    for run in pace::ranges(0..column.len()) {
        let run = run?;
        column[run.clone()].copy_from_slice(&moved[run]);
    }
    Ok(())
}
