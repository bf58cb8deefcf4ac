//! Rows that may be exchanged between shown values: one row of a count may have a code of another count if a row of
//! that count, shown as another value, may have a code of this one.

use super::{CountedNode, CountedNodes};
use crate::progress::filled;
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// A cell: the rows with a shown value, and with a code or in a count.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub shown: Code,
    /// Code, or index of the count.
    pub of: Code,
    pub rows: u64,
}

/// Cells of the shown values that may stand for codes of several counts, indexed by these codes with a segment tree.
/// Each shown value is stored at the few stretches that make up its codes.
pub(super) struct Exchange<'c> {
    nodes: &'c [CountedNode],
    stands_for: &'c [Vec<Range<Code>>],
    /// Cells of each shown value.
    shown: Vec<&'c [Cell]>,
    /// Number of stretches that are single codes: the last ones.
    codes: usize,
    /// Shown values stored at each stretch, as indexes into `shown`. Stretch 1 is all codes, stretch s is the stretches
    /// 2 s and 2 s + 1.
    shown_at_stretch: Vec<Vec<u32>>,
}

impl<'c> Exchange<'c> {
    pub fn new(counts: &'c CountedNodes, stands_for: &'c [Vec<Range<Code>>]) -> Result<Exchange<'c>, Error> {
        let codes = counts.hierarchy.codes().next_power_of_two();
        let shown_at_stretch = filled(Vec::new(), 2 * codes)?;
        Ok(Exchange { nodes: &counts.nodes, stands_for, shown: Vec::new(), codes, shown_at_stretch })
    }

    /// Adds the cells of a shown value, at the stretches of the codes for which it may stand.
    pub fn add(&mut self, cells: &'c [Cell]) -> Result<(), Error> {
        let place = self.shown.len() as u32;
        self.shown.push(cells);
        for codes in &self.stands_for[cells[0].shown as usize] {
            let (mut from, mut to) = (codes.start as usize + self.codes, codes.end as usize + self.codes);
            while from < to {
                pace::tick(1)?;
                if from % 2 == 1 {
                    self.shown_at_stretch[from].push(place);
                    from += 1;
                }
                if to % 2 == 1 {
                    to -= 1;
                    self.shown_at_stretch[to].push(place);
                }
                (from, to) = (from / 2, to / 2);
            }
        }
        Ok(())
    }

    /// Cells of all shown values that were added.
    pub fn cells(&self) -> impl Iterator<Item = &'c Cell> + '_ {
        self.shown.iter().copied().flatten()
    }

    /// Returns true if a cell may be empty: rows of other shown values and counts can be exchanged for all of its rows.
    /// This is sufficient but not necessary, because only exchanges between two values and two counts are tried.
    pub fn may_be_empty(&self, cell: &Cell) -> Result<bool, Error> {
        let (mut exchanged, mut seen, mut visited) = (0, HashSet::new(), HashSet::new());
        let may_hold_row = |other: &&Cell| {
            let count = &self.nodes[other.of as usize];
            other.of != cell.of && overlap(&self.stands_for[cell.shown as usize], &count.codes)
        };
        for code in self.nodes[cell.of as usize].each_code() {
            // The stretches above a visited one are visited.
            for stretch in self.stretches(code).take_while(|&stretch| visited.insert(stretch)) {
                pace::tick(1)?;
                for &other in &self.shown_at_stretch[stretch] {
                    let others = self.shown[other as usize];
                    if others[0].shown == cell.shown || !seen.insert(other) {
                        continue;
                    }
                    pace::tick(others.len())?;
                    exchanged += others.iter().filter(may_hold_row).map(|other| other.rows).sum::<u64>();
                    if exchanged >= cell.rows {
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
        std::iter::successors(Some(code as usize + self.codes), above)
    }
}

/// Returns true if some ranges have a code in common with others, which are ascending and disjoint.
fn overlap(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().any(|one| {
        let first = others.partition_point(|other| other.end <= one.start);
        others.get(first).is_some_and(|other| other.start < one.end)
    })
}
