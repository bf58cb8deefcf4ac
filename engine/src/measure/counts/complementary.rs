//! Complementary suppression: merges counts from which a reader could infer a small cell, of 1 to k - 1 rows.

use super::exchange::{Cell, Exchange};
use super::{CountedNodes, HolderCounter};
use crate::measure::{each_record, record_rows, Released};
use crate::progress::filled;
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashMap;
use std::ops::Range;

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
        let (cells, k) = (sort_cells(rows)?, holders.k);
        self.merge_in_rounds(holders, |counts| counts.counts_revealing_small_cells(&cells, stands_for, k))
    }

    /// Returns the counts from which a reader could infer a small cell: of one shown value, or of all shown values
    /// together that may stand for codes of other counts. `cells` has the rows of each shown value and code.
    fn counts_revealing_small_cells(
        &self,
        cells: &[Cell],
        stands_for: &[Vec<Range<Code>>],
        k: u64,
    ) -> Result<Vec<usize>, Error> {
        // A single count has all rows, which everybody can count.
        if self.nodes.len() < 2 {
            return Ok(Vec::new());
        }
        let count_of_codes = self.counts_by_code()?;
        let mut rows: HashMap<(Code, Code), u64> = HashMap::new();
        for cell in cells {
            pace::tick(1)?;
            let count = count_of_codes[cell.of as usize].ok_or(Error::Internal("rows are in no count"))?;
            *rows.entry((cell.shown, count)).or_default() += cell.rows;
        }
        let cells = sort_cells(rows)?;
        let mut rows_elsewhere: Vec<u64> = self.nodes.iter().map(|count| count.rows).collect();
        let mut exchange = Exchange::new(self, stands_for)?;
        for cells in cells.chunk_by(|one, next| one.shown == next.shown) {
            pace::tick(cells.len())?;
            let count = cells[0].of as usize;
            // A shown value within a single count has no rows of other counts to exchange.
            match lies_within(&stands_for[cells[0].shown as usize], &self.nodes[count].codes) {
                true => rows_elsewhere[count] -= cells[0].rows,
                false => exchange.add(cells)?,
            }
        }
        let mut reveals = pace::collect(rows_elsewhere.into_iter().map(|rows| (1..k).contains(&rows)))?;
        for cell in exchange.cells() {
            let reveals = &mut reveals[cell.of as usize];
            *reveals = *reveals || cell.rows < k && !exchange.may_be_empty(cell)?;
        }
        Ok((0..self.nodes.len()).filter(|&count| reveals[count]).collect())
    }

    /// Returns the index of the count of each code.
    fn counts_by_code(&self) -> Result<Vec<Option<Code>>, Error> {
        let mut of_codes = filled(None, self.hierarchy.codes())?;
        for (count, counted) in (0..).zip(&self.nodes) {
            pace::each(counted.each_code(), |code| of_codes[code as usize] = Some(count))?;
        }
        Ok(of_codes)
    }
}

/// Sorts the rows of pairs of a shown value and a code or count.
fn sort_cells(rows: HashMap<(Code, Code), u64>) -> Result<Vec<Cell>, Error> {
    let mut cells = pace::collect(rows.into_iter().map(|((shown, of), rows)| Cell { shown, of, rows }))?;
    pace::sort_by(&mut cells, |one, other| (one.shown, one.of).cmp(&(other.shown, other.of)))?;
    Ok(cells)
}

/// Returns true if each of some ranges lies within one of others, which are ascending and not adjacent.
fn lies_within(some: &[Range<Code>], others: &[Range<Code>]) -> bool {
    some.iter().all(|one| {
        let first = others.partition_point(|other| other.end < one.end);
        others.get(first).is_some_and(|other| other.start <= one.start)
    })
}
