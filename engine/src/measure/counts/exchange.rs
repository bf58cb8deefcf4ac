//! Rows that may be exchanged between shown values: one row of a count may have a code of another count if a row of
//! that count, shown as another value, may have a code of this one.

use super::{CountedNode, CountedNodes};
use crate::progress::filled;
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// Rows of one count with one shown value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub shown: Code,
    pub count_index: u32,
    pub rows: u64,
}

/// Cells of the shown values that may stand for codes of several counts. A segment tree over the codes finds the shown
/// values that may stand for a code: each value is stored at the few stretches of codes that make up its ranges.
pub(super) struct Exchange<'c> {
    counts: &'c [CountedNode],
    stands_for: &'c [Vec<Range<Code>>],
    /// Cells of each shown value.
    cells_of_values: Vec<&'c [Cell]>,
    /// Number of the stretch that is code 0 alone. The stretches of the other codes follow.
    first_leaf: usize,
    /// Shown values stored at each stretch, as indexes into `cells_of_values`. Stretch 1 is all codes; stretch s is
    /// made up of the stretches 2 s and 2 s + 1.
    values_at_stretch: Vec<Vec<u32>>,
}

impl<'c> Exchange<'c> {
    pub fn new(counts: &'c CountedNodes, stands_for: &'c [Vec<Range<Code>>]) -> Result<Exchange<'c>, Error> {
        let first_leaf = counts.hierarchy.codes().next_power_of_two();
        let values_at_stretch = filled(Vec::new(), 2 * first_leaf)?;
        let cells_of_values = Vec::new();
        Ok(Exchange { counts: &counts.counts, stands_for, cells_of_values, first_leaf, values_at_stretch })
    }

    /// Adds the cells of a shown value.
    pub fn add(&mut self, cells: &'c [Cell]) -> Result<(), Error> {
        let value = self.cells_of_values.len() as u32;
        self.cells_of_values.push(cells);
        for codes in &self.stands_for[cells[0].shown as usize] {
            let (mut from, mut to) =
                (self.first_leaf + codes.start as usize, self.first_leaf + codes.end as usize);
            // On each level, stores the value at a stretch at either end if the stretch above reaches beyond the range.
            while from < to {
                pace::tick(1)?;
                if from % 2 == 1 {
                    self.values_at_stretch[from].push(value);
                    from += 1;
                }
                if to % 2 == 1 {
                    to -= 1;
                    self.values_at_stretch[to].push(value);
                }
                (from, to) = (from / 2, to / 2);
            }
        }
        Ok(())
    }

    /// Cells of all shown values that were added.
    pub fn cells(&self) -> impl Iterator<Item = &'c Cell> + '_ {
        self.cells_of_values.iter().copied().flatten()
    }

    /// Returns true if a cell may be empty: rows of other shown values and counts can be exchanged for all of its rows.
    /// This is sufficient but not necessary, because only exchanges between two values and two counts are tried.
    pub fn may_be_empty(&self, cell: &Cell) -> Result<bool, Error> {
        let codes = &self.stands_for[cell.shown as usize];
        let is_exchangeable = |other: &&Cell| {
            other.count_index != cell.count_index
                && overlap(codes, &self.counts[other.count_index as usize].codes)
        };
        let (mut exchanged_rows, mut seen_values, mut seen_stretches) = (0, HashSet::new(), HashSet::new());
        for code in self.counts[cell.count_index as usize].each_code() {
            // All stretches above one that was seen were seen.
            for stretch in self.stretches(code).take_while(|&stretch| seen_stretches.insert(stretch)) {
                pace::tick(1)?;
                for &value in &self.values_at_stretch[stretch] {
                    let others = self.cells_of_values[value as usize];
                    if others[0].shown == cell.shown || !seen_values.insert(value) {
                        continue;
                    }
                    pace::tick(others.len())?;
                    exchanged_rows +=
                        others.iter().filter(is_exchangeable).map(|other| other.rows).sum::<u64>();
                    if exchanged_rows >= cell.rows {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Returns the stretches that contain a code, the smallest first.
    fn stretches(&self, code: Code) -> impl Iterator<Item = usize> + use<> {
        let above = |&stretch: &usize| Some(stretch / 2).filter(|&above| above > 0);
        std::iter::successors(Some(self.first_leaf + code as usize), above)
    }
}

/// Returns true if some ranges have a code in common with others, which are ascending and disjoint.
fn overlap(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().any(|one| {
        let first = others.partition_point(|other| other.end <= one.start);
        others.get(first).is_some_and(|other| other.start < one.end)
    })
}
