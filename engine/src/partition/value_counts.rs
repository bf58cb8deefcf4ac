//! Counts by child and sensitive value, in memory that is bounded by the number of records.
//!
//! Each of the first children has a row with a count for each value. If all rows together would be large, the others
//! have none: their counts are added to a list of cells, which is sorted by child. The cells of one such child at a
//! time are laid out as a row ([`ValueCounts::lay_out`]).

use crate::progress::{filled, lengthen, reserve};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Part of the count of a child's value.
#[derive(Debug, Clone, Copy)]
struct Cell {
    child: u32,
    value: Code,
    count: u32,
}

/// Counts by child and sensitive value.
#[derive(Debug)]
pub(super) struct ValueCounts {
    /// Number of values.
    values: usize,
    /// Number of children that may have a row, at least one.
    most_rows: usize,
    /// Rows of the first children.
    rows: Vec<u32>,
    /// Counts of the other children, sorted by child when all are counted.
    cells: Vec<Cell>,
    /// Row of the child whose cells are at `laid_out`. Empty if all children have rows.
    row: Vec<u32>,
    laid_out: Range<usize>,
}

impl ValueCounts {
    /// Makes zero counts for `children`, with rows of no more than `dense_cells` counts.
    pub fn new(children: usize, values: usize, dense_cells: usize) -> Result<ValueCounts, Error> {
        let most_rows = (dense_cells / values.max(1)).max(1);
        let rows = filled(0, children.min(most_rows) * values)?;
        let row = filled(0, if children > most_rows { values } else { 0 })?;
        Ok(ValueCounts { values, most_rows, rows, cells: Vec::new(), row, laid_out: 0..0 })
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        if children > self.most_rows && self.row.is_empty() {
            self.row = filled(0, self.values)?;
        }
        lengthen(&mut self.rows, children.min(self.most_rows) * self.values)
    }

    /// Returns the number of values.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the number of first children that have a row if they are counted.
    pub fn most_rows(&self) -> usize {
        self.most_rows
    }

    /// Returns the rows, one after the other.
    pub fn array(&self) -> &[u32] {
        &self.rows
    }

    /// Returns the rows for counting.
    #[inline]
    pub fn array_mut(&mut self) -> &mut [u32] {
        &mut self.rows
    }

    /// Returns the place of a count in the array. It lies behind the end if the child has no row.
    #[inline]
    pub fn place(&self, child: u32, value: Code) -> usize {
        child as usize * self.values + value as usize
    }

    /// Makes room to add `more` counts.
    pub fn reserve(&mut self, more: usize) -> Result<(), Error> {
        match self.row.is_empty() {
            true => Ok(()),
            false => reserve(&mut self.cells, more),
        }
    }

    /// Adds to a count.
    #[inline]
    pub fn add(&mut self, child: u32, value: Code, count: u32) {
        let place = self.place(child, value);
        match self.rows.get_mut(place) {
            Some(sum) => *sum += count,
            None => self.cells.push(Cell { child, value, count }),
        }
    }

    /// Adds to all counts of a child.
    pub fn add_row(&mut self, child: u32, counts: &[u32]) -> Result<(), Error> {
        self.reserve(counts.len())?;
        match self.rows.get_mut(child as usize * self.values..(child as usize + 1) * self.values) {
            Some(row) => row.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
            None => {
                let counts = (0..).zip(counts).filter(|(_, count)| **count > 0);
                self.cells.extend(counts.map(|(value, &count)| Cell { child, value, count }));
            }
        }
        Ok(())
    }

    /// Returns the row of child 0, which always has one.
    pub fn first_row(&mut self) -> &mut [u32] {
        &mut self.rows[..self.values]
    }

    /// Brings the cells of each child together. Call it when all are counted.
    pub fn sort(&mut self) -> Result<(), Error> {
        match self.cells.is_empty() {
            true => Ok(()),
            false => pace::sort_by(&mut self.cells, |one, other| one.child.cmp(&other.child)),
        }
    }

    /// Lays out the counts of a child, if it has no row.
    pub fn lay_out(&mut self, child: u32) -> Result<(), Error> {
        if (child as usize) < self.most_rows {
            return Ok(());
        }
        self.clear_laid_out()?;
        self.laid_out = self.find_cells(child);
        let cells = &self.cells[self.laid_out.clone()];
        pace::each(cells, |cell| self.row[cell.value as usize] += cell.count)
    }

    fn clear_laid_out(&mut self) -> Result<(), Error> {
        let cells = &self.cells[std::mem::take(&mut self.laid_out)];
        pace::each(cells, |cell| self.row[cell.value as usize] = 0)
    }

    fn find_cells(&self, child: u32) -> Range<usize> {
        let place = |child: u32| self.cells.partition_point(|cell| cell.child < child);
        place(child)..place(child + 1)
    }

    fn row(&self, child: u32) -> Option<&[u32]> {
        self.rows.get(child as usize * self.values..(child as usize + 1) * self.values)
    }

    /// Returns the counts of a child by value. A child without a row must be laid out.
    pub fn counts(&self, child: u32) -> &[u32] {
        self.row(child).unwrap_or(&self.row)
    }

    /// Adds the counts of a child to `sums`. The child need not be laid out.
    pub fn add_to(&self, child: u32, sums: &mut [u32]) -> Result<(), Error> {
        match self.row(child) {
            Some(row) => pace::each(sums.iter_mut().zip(row), |(sum, count)| *sum += count),
            None => pace::each(&self.cells[self.find_cells(child)], |cell| {
                sums[cell.value as usize] += cell.count
            }),
        }
    }

    /// Resets all counts. All `children` with counts must be named.
    pub fn clear(&mut self, children: &[u32]) -> Result<(), Error> {
        if !self.cells.is_empty() {
            self.clear_laid_out()?;
            self.cells.clear();
        }
        for &child in children {
            let child = child as usize * self.values;
            if let Some(row) = self.rows.get_mut(child..child + self.values) {
                pace::tick(self.values)?;
                row.fill(0);
            }
        }
        Ok(())
    }
}
