//! Counts by child and sensitive value, in memory that is bounded by the number of records.
//!
//! The first children are dense: an array has a count for each of their values. If the array would be large, the other
//! children are sparse: their counts are appended to a list of cells, which is sorted by child at the end. The counts
//! of one sparse child at a time can be laid out in an array ([`ValueCounts::lay_out`]).

use crate::progress::{filled, lengthen, reserve};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Part of the count of a sparse child's value.
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
    /// Number of the first children that are dense, at least one.
    dense_children: usize,
    /// Counts of the dense children, a child after the other.
    dense: Vec<u32>,
    /// Counts of the sparse children, sorted by child when all are counted.
    cells: Vec<Cell>,
    /// Counts of the child that is laid out. Empty if no child is sparse.
    laid_out: Vec<u32>,
    /// Places of its cells in `cells`.
    laid_out_cells: Range<usize>,
}

impl ValueCounts {
    /// Makes zero counts for `children`, with an array of no more than `dense_cells` counts.
    pub fn new(children: usize, values: usize, dense_cells: usize) -> Result<ValueCounts, Error> {
        let dense_children = (dense_cells / values.max(1)).max(1);
        let dense = filled(0, children.min(dense_children) * values)?;
        let laid_out = filled(0, if children > dense_children { values } else { 0 })?;
        Ok(ValueCounts { values, dense_children, dense, cells: Vec::new(), laid_out, laid_out_cells: 0..0 })
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        if children > self.dense_children && self.laid_out.is_empty() {
            self.laid_out = filled(0, self.values)?;
        }
        lengthen(&mut self.dense, children.min(self.dense_children) * self.values)
    }

    /// Returns the number of values.
    pub fn values(&self) -> usize {
        self.values
    }

    /// Returns the number of the first children that are dense.
    pub fn dense_children(&self) -> usize {
        self.dense_children
    }

    /// Returns the counts of the dense children, a child after the other.
    pub fn dense(&self) -> &[u32] {
        &self.dense
    }

    /// Returns the same counts for counting.
    #[inline]
    pub fn dense_mut(&mut self) -> &mut [u32] {
        &mut self.dense
    }

    /// Returns the place of a count among those of the dense children. For a sparse child it lies behind the end.
    #[inline]
    pub fn place(&self, child: u32, value: Code) -> usize {
        child as usize * self.values + value as usize
    }

    /// Returns the places of the counts of a child.
    fn places(&self, child: u32) -> Range<usize> {
        self.place(child, 0)..(child as usize + 1) * self.values
    }

    /// Makes room to add `more` counts.
    pub fn reserve(&mut self, more: usize) -> Result<(), Error> {
        match self.laid_out.is_empty() {
            true => Ok(()),
            false => reserve(&mut self.cells, more),
        }
    }

    /// Adds to a count.
    #[inline]
    pub fn add(&mut self, child: u32, value: Code, count: u32) {
        let place = self.place(child, value);
        match self.dense.get_mut(place) {
            Some(sum) => *sum += count,
            None => self.cells.push(Cell { child, value, count }),
        }
    }

    /// Adds to the counts of all values of a child.
    pub fn add_all(&mut self, child: u32, counts: &[u32]) -> Result<(), Error> {
        self.reserve(counts.len())?;
        let places = self.places(child);
        match self.dense.get_mut(places) {
            Some(sums) => sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count),
            None => {
                let counts = (0..).zip(counts).filter(|(_, count)| **count > 0);
                self.cells.extend(counts.map(|(value, &count)| Cell { child, value, count }));
            }
        }
        Ok(())
    }

    /// Returns the counts of child 0, which is dense.
    pub fn counts_of_first(&mut self) -> &mut [u32] {
        &mut self.dense[..self.values]
    }

    /// Brings the cells of each child together. Call it when all are counted.
    pub fn sort(&mut self) -> Result<(), Error> {
        match self.cells.is_empty() {
            true => Ok(()),
            false => pace::sort_by(&mut self.cells, |one, other| one.child.cmp(&other.child)),
        }
    }

    /// Lays out the counts of a child, if it is sparse.
    pub fn lay_out(&mut self, child: u32) -> Result<(), Error> {
        if (child as usize) < self.dense_children {
            return Ok(());
        }
        self.clear_laid_out()?;
        self.laid_out_cells = self.find_cells(child);
        let cells = &self.cells[self.laid_out_cells.clone()];
        pace::each(cells, |cell| self.laid_out[cell.value as usize] += cell.count)
    }

    fn clear_laid_out(&mut self) -> Result<(), Error> {
        let cells = &self.cells[std::mem::take(&mut self.laid_out_cells)];
        pace::each(cells, |cell| self.laid_out[cell.value as usize] = 0)
    }

    fn find_cells(&self, child: u32) -> Range<usize> {
        let first = |child: u32| self.cells.partition_point(|cell| cell.child < child);
        first(child)..first(child + 1)
    }

    /// Returns the counts of a child by value. A sparse child must be laid out.
    pub fn counts(&self, child: u32) -> &[u32] {
        self.dense.get(self.places(child)).unwrap_or(&self.laid_out)
    }

    /// Adds the counts of a child to `sums`. The child need not be laid out.
    pub fn add_to(&self, child: u32, sums: &mut [u32]) -> Result<(), Error> {
        match self.dense.get(self.places(child)) {
            Some(counts) => pace::each(sums.iter_mut().zip(counts), |(sum, count)| *sum += count),
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
            let places = self.places(child);
            if let Some(counts) = self.dense.get_mut(places) {
                pace::tick(self.values)?;
                counts.fill(0);
            }
        }
        Ok(())
    }
}
