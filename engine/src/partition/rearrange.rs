//! Moving the records of a divided group, so that those of each part lie together.
//!
//! If records fall to many children, the new place of each record is computed first. Then the codes of each column are
//! moved to these places by way of a scratch array. If one value is disclosed, only its records are swapped with
//! others, because they are mostly few.

use super::{Division, GroupId, Partition, Scratch};
use crate::buckets::sizes_into_ends;
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
        let run = self.run(group);
        let mut scratch = std::mem::take(&mut self.scratch);
        lengthen(&mut scratch.new_places, run.len())?;
        let new_places = &mut scratch.new_places[..run.len()];
        let mut ends = filled(0, parts)?;
        compute_places(&self.columns[division.place], run.clone(), part, new_places, &mut ends)?;
        pace::tick(parts)?;
        if ends.iter().any(|&end| end > 0 && (end as usize) < run.len()) {
            self.move_records(run, new_places, &mut scratch.moved, Some((group, division)))?;
        }
        self.scratch = scratch;
        Ok(ends)
    }

    /// Moves the records of a run to their `new_places`. If a group is divided, the columns that will not be counted
    /// again stay as they are.
    pub(super) fn move_records(
        &mut self,
        run: Range<usize>,
        new_places: &[u32],
        moved: &mut Spare,
        division: Option<(GroupId, &Division)>,
    ) -> Result<(), Error> {
        for codes in self.moving_columns(division) {
            each_width!(codes, codes => move_codes(&mut codes[run.clone()], new_places, moved))?;
        }
        if let Some(numbers) = self.value_index.numbers.get_mut(run.clone()) {
            move_codes(numbers, new_places, moved)?;
            self.value_index.update_places(run)?;
        }
        Ok(())
    }

    /// Returns the columns whose codes move with the records: the refined one and those that will be counted again if a
    /// group is divided, otherwise all.
    fn moving_columns<'a>(
        &'a mut self,
        division: Option<(GroupId, &'a Division<'a>)>,
    ) -> impl Iterator<Item = &'a mut Codes> {
        let (width, nodes) = (self.attributes.len(), &self.nodes);
        let is_moved = move |place: usize| {
            division.is_none_or(|(group, division)| {
                place == division.place || (division.is_tracked)(place, nodes[group as usize * width + place])
            })
        };
        let masked = self.columns.iter_mut().enumerate().filter(move |(place, _)| is_moved(*place));
        let population = self.population.iter_mut().map(|population| &mut population.weights);
        let columns = masked.map(|(_, codes)| codes).chain(&mut self.sensitive_columns);
        columns.chain(&mut self.weights).chain(population).chain(&mut self.persons).chain(&mut self.numbers)
    }

    /// Moves the records of a disclosed value to the end of their group, behind `rest` others. Swaps as few records as
    /// possible.
    pub(super) fn move_to_end(
        &mut self,
        group: GroupId,
        value: Code,
        rest: usize,
        division: &Division,
    ) -> Result<(), Error> {
        let Range { start, end } = self.run(group);
        let middle = start + rest;
        let codes = &self.columns[division.place];
        // As many records before `middle` hold the value as behind it lack the value.
        let mut scratch = std::mem::take(&mut self.scratch);
        let Scratch { holding, lacking, .. } = &mut scratch;
        if self.value_index.is_indexed(division.place) {
            holding.truncate(holding.partition_point(|&record| (record as usize) < middle));
        } else {
            holding.clear();
            for run in pace::ranges(start..middle) {
                holding.extend(run?.filter(|&i| codes.get(i) == value).map(|i| i as u32));
            }
        }
        lacking.clear();
        for run in pace::ranges(middle..end) {
            lacking.extend(run?.filter(|&i| codes.get(i) != value).map(|i| i as u32));
        }
        let swaps = || holding.iter().zip(&*lacking).map(|(&one, &other)| (one as usize, other as usize));
        for codes in self.moving_columns(Some((group, division))) {
            each_width!(codes, codes => pace::each(swaps(), |(one, other)| codes.swap(one, other)))?;
        }
        pace::each(swaps(), |(one, other)| self.value_index.swap(one, other))?;
        self.scratch = scratch;
        Ok(())
    }
}

/// Computes the new place of each record of a run from its part, and the end of each part. Places and ends are counted
/// from the start of the run.
pub(super) fn compute_places(
    column: &Codes,
    run: Range<usize>,
    part: impl Fn(Code) -> u32,
    places: &mut [u32],
    ends: &mut [u32],
) -> Result<(), Error> {
    // First `places` has the part of each record, and `ends` the number of records of each part.
    let start = run.start;
    for run in pace::ranges(run) {
        let run = run?;
        let parts = &mut places[run.start - start..run.end - start];
        each_width!(column, codes => {
            for (record_part, code) in parts.iter_mut().zip(&codes[run]) {
                *record_part = part(code.to_code());
                ends[*record_part as usize] += 1;
            }
        });
    }
    sizes_into_ends(ends)?;
    let mut next_ends = ends.to_vec();
    pace::each(places.iter_mut().rev(), |place| {
        let next_end = &mut next_ends[*place as usize];
        *next_end -= 1;
        *place = *next_end;
    })
}

/// Moves the codes of a column to their `new_places`.
fn move_codes<W: Width>(column: &mut [W], new_places: &[u32], spare: &mut Spare) -> Result<(), Error> {
    let moved = W::spare(spare);
    lengthen(moved, column.len())?;
    let moved = &mut moved[..column.len()];
    for run in pace::ranges(0..column.len()) {
        let run = run?;
        let codes = new_places[run.clone()].iter().zip(&column[run]);
        codes.for_each(|(&place, &code)| moved[place as usize] = code);
    }
    for run in pace::ranges(0..column.len()) {
        let run = run?;
        column[run.clone()].copy_from_slice(&moved[run]);
    }
    Ok(())
}
