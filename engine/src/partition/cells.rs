//! Counts of a group's rows by code, or by code and sensitive value, in an array with a cell for each.
//!
//! This is the innermost loop of a search. Successive equal records would wait for each other, because each adds to the
//! sum that the one before it has stored. If cells are few, records are therefore counted in several arrays by turns.

use super::Partition;
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Number of counter arrays used by turns.
const INTERLEAVED_ARRAYS: usize = 4;

/// Largest number of cells for which several arrays are used.
const MAX_INTERLEAVED_CELLS: usize = 1024;

/// Sensitive column, and the number of its values.
pub(super) type SensitiveCells = (usize, usize);

impl Partition {
    /// Counts the rows of a run by their `codes` on the column at `place`. With a sensitive column each code has a cell
    /// per value. The `cells` must be zero.
    pub(super) fn count_cells(
        &self,
        run: Range<usize>,
        place: usize,
        codes: Range<Code>,
        sensitive: Option<SensitiveCells>,
        cells: &mut [u32],
    ) -> Result<(), Error> {
        let first = codes.start as usize;
        each_width!(&self.columns[place], column => match sensitive {
            None => self.count_into(run, |run| column[run].iter().map(|code| code.index() - first), cells),
            Some((s, values)) => each_width!(&self.sensitive_columns[s], of => {
                let cell = |run: Range<usize>| {
                    let each = column[run.clone()].iter().zip(&of[run]);
                    each.map(|(code, value)| (code.index() - first) * values + value.index())
                };
                self.count_into(run, cell, cells)
            }),
        })
    }

    /// Counts the rows of a run by their values of the `s`-th sensitive column.
    pub(super) fn count_values(&self, run: Range<usize>, s: usize, cells: &mut [u32]) -> Result<(), Error> {
        each_width!(&self.sensitive_columns[s], of => {
            self.count_into(run, |run| of[run].iter().map(|value| value.index()), cells)
        })
    }

    /// Counts the rows of a run by the cells of its records.
    fn count_into<I: Iterator<Item = usize>>(
        &self,
        run: Range<usize>,
        cell: impl Fn(Range<usize>) -> I,
        cells: &mut [u32],
    ) -> Result<(), Error> {
        let by_turns = cells.len() <= MAX_INTERLEAVED_CELLS.min(run.len() / INTERLEAVED_ARRAYS);
        let mut others = vec![0; if by_turns { cells.len() * (INTERLEAVED_ARRAYS - 1) } else { 0 }];
        for run in pace::ranges(run) {
            let run = run?;
            let each = cell(run.clone());
            match &self.weights {
                Some(weights) => each_width!(weights, weights => {
                    let each = each.zip(&weights[run]).map(|(at, weight)| (at, weight.index() as u32));
                    add_interleaved(each, cells, &mut others);
                }),
                None => add_interleaved(each.map(|at| (at, 1)), cells, &mut others),
            }
        }
        let others = others.chunks_exact(cells.len().max(1));
        others.for_each(|others| cells.iter_mut().zip(others).for_each(|(cell, other)| *cell += other));
        Ok(())
    }
}

/// Adds records to their cells, in the four arrays by turns, or in `first` alone if `others` is empty.
fn add_interleaved(mut each: impl Iterator<Item = (usize, u32)>, first: &mut [u32], others: &mut [u32]) {
    if others.is_empty() {
        return each.for_each(|(at, rows)| first[at] += rows);
    }
    let (second, rest) = others.split_at_mut(first.len());
    let (third, fourth) = rest.split_at_mut(first.len());
    while let Some((at, rows)) = each.next() {
        first[at] += rows;
        let Some((at, rows)) = each.next() else { return };
        second[at] += rows;
        let Some((at, rows)) = each.next() else { return };
        third[at] += rows;
        let Some((at, rows)) = each.next() else { return };
        fourth[at] += rows;
    }
}
