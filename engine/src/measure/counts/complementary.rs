//! Complementary suppression: merges counts from which a reader could infer a small cell, of 1 to k - 1 rows.

use super::exchange::{Cell, Exchange};
use super::{CountedNodes, HolderCounter};
use crate::measure::{each_record, record_rows, Released};
use crate::progress::filled;
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::ops::Range;

/// Rows with a shown value and a code.
#[derive(Debug, Clone, Copy)]
struct CodeRows {
    shown: Code,
    code: Code,
    rows: u64,
}

impl CountedNodes<'_> {
    /// Merges counts until none reveals that a node has 1 to k - 1 rows of a shown value. `shown` numbers the shown
    /// values, and `stands_for` has the codes for which each may stand. `codes` and `weights` are those of the
    /// `holders`.
    pub fn merge_until_safe(
        &mut self,
        shown: Released,
        stands_for: &[Vec<Range<Code>>],
        codes: &Store,
        weights: Option<&Codes>,
        holders: &mut HolderCounter,
    ) -> Result<(), Error> {
        let mut rows: HashMap<(Code, Code), u64> = HashMap::new();
        each_record([shown.codes, codes], |record, [key, code]| {
            let shown = shown.number_of_code[key as usize];
            *rows.entry((shown, code)).or_default() += record_rows(weights, record);
        })?;
        let pair = |((shown, code), rows)| CodeRows { shown, code, rows };
        let mut pairs = pace::collect(rows.into_iter().map(pair))?;
        pace::sort_by(&mut pairs, |a, b| (a.shown, a.code).cmp(&(b.shown, b.code)))?;
        let k = holders.k;
        self.merge_in_rounds(holders, |counts| {
            let cells = counts.count_cells(&pairs)?;
            counts.find_revealing_small_cells(&cells, stands_for, k)
        })
    }

    /// Counts the rows of each pair of a shown value and a count, sorted by shown value.
    fn count_cells(&self, pairs: &[CodeRows]) -> Result<Vec<Cell>, Error> {
        let mut index_of_code: Vec<Option<u32>> = filled(None, self.hierarchy.codes())?;
        for (index, count) in (0..).zip(&self.counts) {
            pace::each(count.each_code(), |code| index_of_code[code as usize] = Some(index))?;
        }
        let mut rows_of_cells: HashMap<(Code, u32), u64> = HashMap::new();
        for &CodeRows { shown, code, rows } in pairs {
            pace::tick(1)?;
            let index = index_of_code[code as usize].ok_or(Error::Internal("rows are in no count"))?;
            *rows_of_cells.entry((shown, index)).or_default() += rows;
        }
        let cell = |((shown, count_index), rows)| Cell { shown, count_index, rows };
        let mut cells = pace::collect(rows_of_cells.into_iter().map(cell))?;
        pace::sort_by(&mut cells, |a, b| (a.shown, a.count_index).cmp(&(b.shown, b.count_index)))?;
        Ok(cells)
    }

    /// Returns the indexes of the counts from which a reader could infer a small cell: the rows of a count with one
    /// shown value, or with all wider shown values together, which may also stand for codes of other counts.
    fn find_revealing_small_cells(
        &self,
        cells: &[Cell],
        stands_for: &[Vec<Range<Code>>],
        k: u64,
    ) -> Result<Vec<usize>, Error> {
        // A reader gets these by subtracting the rows of the shown values that lie within the count.
        let mut rows_of_wider_values: Vec<u64> = self.counts.iter().map(|count| count.rows).collect();
        let mut exchange = Exchange::new(self, stands_for)?;
        for cells in cells.chunk_by(|one, next| one.shown == next.shown) {
            pace::tick(cells.len())?;
            let Cell { shown, count_index, rows } = cells[0];
            match lies_within(&stands_for[shown as usize], &self.counts[count_index as usize].codes) {
                true => rows_of_wider_values[count_index as usize] -= rows,
                false => exchange.add(cells)?,
            }
        }
        let is_small = |rows| (1..k).contains(&rows);
        let mut reveals: Vec<bool> = pace::collect(rows_of_wider_values.into_iter().map(is_small))?;
        for cell in exchange.cells() {
            let reveals = &mut reveals[cell.count_index as usize];
            *reveals = *reveals || cell.rows < k && !exchange.may_be_empty(cell)?;
        }
        Ok((0..self.counts.len()).filter(|&index| reveals[index]).collect())
    }
}

/// Returns true if each of some ranges lies within one of others, which are ascending and not adjacent.
fn lies_within(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().all(|one| {
        let first = others.partition_point(|other| other.end < one.end);
        others.get(first).is_some_and(|other| other.start <= one.start)
    })
}
