//! Counts of a group's rows by code, or by code and sensitive value, in an array with a cell for each.
//!
//! This is the innermost loop of a search. Successive records of one cell would wait for each other, because each adds
//! to the sum that the one before it has stored. So if cells are few, records are counted in several arrays by turns,
//! and the arrays are added up at the end.

use super::Partition;
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Number of counter arrays used by turns.
const INTERLEAVED_ARRAYS: usize = 4;

/// Largest number of cells for which several arrays are used.
const MAX_INTERLEAVED_CELLS: usize = 1024;

/// Index of a sensitive column, and the number of its values.
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
            Some((s, values)) => each_width!(&self.sensitive_columns[s], sensitive => {
                let cell = |run: Range<usize>| {
                    let records = column[run.clone()].iter().zip(&sensitive[run]);
                    records.map(|(code, value)| (code.index() - first) * values + value.index())
                };
                self.count_into(run, cell, cells)
            }),
        })
    }

    /// Counts the rows of a run by their values of the `s`-th sensitive column.
    pub(super) fn count_values(&self, run: Range<usize>, s: usize, cells: &mut [u32]) -> Result<(), Error> {
        each_width!(&self.sensitive_columns[s], values => {
            self.count_into(run, |run| values[run].iter().map(|value| value.index()), cells)
        })
    }

    /// Counts the rows of a run by cell. `cells_of_run` returns the cell of each record of a part of the run.
    fn count_into<I: Iterator<Item = usize>>(
        &self,
        run: Range<usize>,
        cells_of_run: impl Fn(Range<usize>) -> I,
        cells: &mut [u32],
    ) -> Result<(), Error> {
        let by_turns = cells.len() <= MAX_INTERLEAVED_CELLS.min(run.len() / INTERLEAVED_ARRAYS);
        let mut others = vec![0; if by_turns { cells.len() * (INTERLEAVED_ARRAYS - 1) } else { 0 }];
        for run in pace::ranges(run) {
            let run = run?;
            let records = cells_of_run(run.clone());
            match &self.weights {
                Some(weights) => each_width!(weights, weights => {
                    let records = records.zip(&weights[run]).map(|(cell, weight)| (cell, weight.index() as u32));
                    add_interleaved(records, cells, &mut others);
                }),
                None => add_interleaved(records.map(|cell| (cell, 1)), cells, &mut others),
            }
        }
        let others = others.chunks_exact(cells.len().max(1));
        others.for_each(|others| cells.iter_mut().zip(others).for_each(|(cell, other)| *cell += other));
        Ok(())
    }
}

/// Adds the rows of records to their cells: in `first` and the three arrays of `others` by turns, or in `first` alone
/// if there are no others.
fn add_interleaved(mut records: impl Iterator<Item = (usize, u32)>, first: &mut [u32], others: &mut [u32]) {
    if others.is_empty() {
        return records.for_each(|(cell, rows)| first[cell] += rows);
    }
    let (second, rest) = others.split_at_mut(first.len());
    let (third, fourth) = rest.split_at_mut(first.len());
    while let Some((cell, rows)) = records.next() {
        first[cell] += rows;
        let Some((cell, rows)) = records.next() else { return };
        second[cell] += rows;
        let Some((cell, rows)) = records.next() else { return };
        third[cell] += rows;
        let Some((cell, rows)) = records.next() else { return };
        fourth[cell] += rows;
    }
}
