//! Moving the records of a divided group, so that those of each part lie together.
//!
//! If records fall to many children, they are put into a new order by way of a scratch array: first the new place of
//! each record is computed, then each column is carried there. If one value is disclosed, only its records are swapped
//! with others, because they are mostly few.

use super::{Division, GroupId, Partition, Scratch};
use crate::buckets::sum_up;
use crate::progress::{filled, lengthen};
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
        division: &Division,
    ) -> Result<Vec<u32>, Error> {
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let mut scratch = std::mem::take(&mut self.scratch);
        lengthen(&mut scratch.child_of_record, run.len())?;
        let to = &mut scratch.child_of_record[..run.len()];
        let mut ends = filled(0, parts)?;
        compute_places(&self.columns[division.place], run.clone(), part, (to, &mut ends))?;
        pace::tick(parts)?;
        if ends.iter().any(|&end| end > 0 && (end as usize) < run.len()) {
            self.move_records(run, to, &mut scratch.spare, Some((group, division)))?;
        }
        self.scratch = scratch;
        Ok(ends)
    }

    /// Moves the records of a run to the places `to`. By a division of a group only the columns that will be counted
    /// are carried along.
    pub(super) fn move_records(
        &mut self,
        run: Range<usize>,
        to: &[u32],
        spare: &mut Spare,
        division: Option<(GroupId, &Division)>,
    ) -> Result<(), Error> {
        for codes in self.carried(division) {
            each_width!(codes, codes => move_codes(&mut codes[run.clone()], to, spare))?;
        }
        if let Some(numbers) = self.holders.numbers.get_mut(run.clone()) {
            move_codes(numbers, to, spare)?;
            self.holders.update_places(run)?;
        }
        Ok(())
    }

    /// Returns the columns that move with the records of a divided group, or all, and the arrays beside them.
    fn carried<'a>(
        &'a mut self,
        division: Option<(GroupId, &'a Division<'a>)>,
    ) -> impl Iterator<Item = &'a mut Codes> {
        let (width, nodes) = (self.attributes.len(), &self.nodes);
        let is_carried = move |place: usize| match division {
            Some((group, &Division { place: refined, live, .. })) => {
                place == refined || live(place, nodes[group as usize * width + place])
            }
            None => true,
        };
        let columns = self.columns.iter_mut().enumerate().filter(move |(place, _)| is_carried(*place));
        let population = self.population.iter_mut().map(|(_, weights)| weights);
        let columns = columns.map(|(_, codes)| codes).chain(&mut self.sensitive_columns);
        columns.chain(&mut self.weights).chain(population).chain(&mut self.persons).chain(&mut self.numbers)
    }

    /// Moves the records of a disclosed value to the end of their group, behind `rest` others. Only these are moved.
    pub(super) fn move_to_end(
        &mut self,
        group: GroupId,
        value: Code,
        rest: usize,
        division: &Division,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let (start, middle, end) = (start as usize, start as usize + rest, end as usize);
        let codes = &self.columns[division.place];
        // Strays hold the value and lie before `middle`. The others lack it and lie behind. There are equally many of
        // both.
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { child_of_record: strays, others, .. } = &mut scratch;
        others.clear();
        if self.holders.is_indexed(division.place) {
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
        let pairs = || strays.iter().zip(&*others).map(|(&stray, &other)| (stray as usize, other as usize));
        for codes in self.carried(Some((group, division))) {
            each_width!(codes, codes => pace::each(pairs(), |(stray, other)| codes.swap(stray, other)))?;
        }
        pace::each(pairs(), |(stray, other)| self.holders.swap(stray, other))?;
        self.scratch = scratch;
        Ok(())
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
