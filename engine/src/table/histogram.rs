//! The (value x class) histogram of one column.
//!
//! R_v, the records under a value v, does not depend on refinements of other columns. So one histogram, made once,
//! gives the class counts under any node of the column for the whole search. It has only cells that occur: a class
//! column may have as many values as the table has rows.

use super::codes::{each_width, Width};
use super::{Codes, Store};
use crate::progress::{filled, with_capacity};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Number of rows by value and class.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Class and number of rows, by value and class.
    cells: Vec<(Code, u32)>,
    /// Start of the cells of each value; the last entry is the end.
    starts: Vec<u32>,
    /// Number of rows of each value.
    totals: Vec<u64>,
    classes: usize,
}

/// Largest number of cells (values x classes) that are counted in an array. Otherwise the records are sorted.
const MAX_ARRAY_CELLS: usize = 1 << 22;

/// Codes of a column, and the number of its values.
type ColumnCodes<'a> = (&'a Codes, usize);

/// The same, in memory or on a tape.
type ColumnStore<'a> = (&'a Store, usize);

impl Histogram {
    /// Makes the histogram of each column. Without a class all rows are of one class. `weights` are numbers of rows per
    /// record; none: one each.
    pub fn all<'a>(
        columns: &[ColumnStore<'a>],
        class: Option<ColumnStore>,
        weights: Option<&Codes>,
    ) -> Result<Vec<Histogram>, Error> {
        let class = class.map(|(class, n)| Ok((class.load()?, n))).transpose()?;
        let class = class.as_ref().map(|(class, n)| (class.as_ref(), *n));
        let histogram = |&(column, values): &ColumnStore<'a>| {
            Histogram::new(column.load()?.as_ref(), values, class, weights)
        };
        columns.iter().map(histogram).collect()
    }

    /// Counts `codes` (below `values`) by class code. Without a class all rows are of one class. `weights` are numbers
    /// of rows per record; none: one each.
    pub fn new(
        codes: &Codes,
        values: usize,
        class: Option<ColumnCodes>,
        weights: Option<&Codes>,
    ) -> Result<Histogram, Error> {
        let classes = class.map_or(1, |(_, n)| n.max(1));
        let key = |value: Code, class: Code| u64::from(value) << 32 | u64::from(class);
        let mut occurring = 0;
        if values.saturating_mul(classes) <= MAX_ARRAY_CELLS {
            let mut array = filled(0u32, values * classes)?;
            let cell = |code: Code, class: Code| code as usize * classes + class as usize;
            for_each_record(codes, class, weights, |code, class, n| array[cell(code, class)] += n)?;
            pace::each(&array, |&n| occurring += usize::from(n > 0))?;
            let cells = (0..)
                .zip(array.chunks(classes))
                .flat_map(|(value, counts)| (0..).zip(counts).map(move |(class, &n)| (key(value, class), n)));
            return Histogram::from_records(values, classes, cells, occurring);
        }
        let mut records: Vec<(u64, u32)> = with_capacity(codes.len())?;
        for_each_record(codes, class, weights, |code, class, n| records.push((key(code, class), n)))?;
        pace::sort_by(&mut records, Ord::cmp)?;
        occurring += usize::from(!records.is_empty());
        pace::each(records.windows(2), |two| occurring += usize::from(two[0].0 != two[1].0))?;
        Histogram::from_records(values, classes, records, occurring)
    }

    /// Makes a histogram from numbers of rows by key, which is a value and a class. The keys ascend. At most
    /// `occurring` different ones have rows.
    fn from_records(
        values: usize,
        classes: usize,
        records: impl IntoIterator<Item = (u64, u32)>,
        occurring: usize,
    ) -> Result<Histogram, Error> {
        let mut starts = with_capacity(values + 1)?;
        let mut cells: Vec<(Code, u32)> = with_capacity(occurring)?;
        let mut totals = filled(0, values)?;
        let mut last = None;
        pace::each(records, |(key, rows)| {
            if rows == 0 {
                return;
            }
            let value = (key >> 32) as usize;
            if last.replace(key) != Some(key) {
                // A value starts at its first cell, or where the next value does if it has none.
                starts.resize(starts.len().max(value + 1), cells.len() as u32);
                cells.push((key as Code, 0));
            }
            if let Some((_, n)) = cells.last_mut() {
                *n += rows;
            }
            totals[value] += u64::from(rows);
        })?;
        starts.resize(values + 1, cells.len() as u32);
        Ok(Histogram { starts, cells, totals, classes })
    }

    /// Returns the classes of the rows that hold `code`, and the number of rows of each.
    pub fn cells(&self, code: Code) -> &[(Code, u32)] {
        &self.cells[self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize]
    }

    /// Returns the number of rows that hold `code`.
    pub fn row_count(&self, code: Code) -> u64 {
        self.totals[code as usize]
    }

    /// Returns the number of rows that hold one of the `codes`.
    pub fn row_count_in(&self, codes: Range<Code>) -> Result<u64, Error> {
        let mut records = 0;
        pace::each(&self.totals[codes.start as usize..codes.end as usize], |n| records += n)?;
        Ok(records)
    }

    /// Returns the number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Returns the class counts of the rows that hold one of the `codes`. The caller asks for their memory, once for
    /// all nodes.
    pub fn counts(&self, codes: Range<Code>) -> Result<ClassCounts, Error> {
        let mut counts = ClassCounts::new(self.classes);
        for code in codes {
            pace::tick(1)?;
            counts.add(self.cells(code))?;
        }
        Ok(counts)
    }
}

/// freq(R, cls) for one set of records R.
#[derive(Debug, Clone)]
pub struct ClassCounts {
    counts: Vec<u64>,
    records: u64,
    /// Number of classes with records.
    occurring: usize,
}

impl ClassCounts {
    /// Makes the counts of no records.
    pub fn new(classes: usize) -> ClassCounts {
        ClassCounts { counts: vec![0; classes], records: 0, occurring: 0 }
    }

    /// Adds records.
    pub fn add(&mut self, cells: &[(Code, u32)]) -> Result<(), Error> {
        pace::each(cells, |&(class, n)| {
            let count = &mut self.counts[class as usize];
            self.occurring += usize::from(*count == 0);
            *count += u64::from(n);
            self.records += u64::from(n);
        })
    }

    /// Removes records that were added before.
    pub fn remove(&mut self, cells: &[(Code, u32)]) -> Result<(), Error> {
        pace::each(cells, |&(class, n)| {
            let count = &mut self.counts[class as usize];
            *count -= u64::from(n);
            self.occurring -= usize::from(*count == 0);
            self.records -= u64::from(n);
        })
    }

    /// Returns |R|, in rows.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Returns the number of classes that occur in R.
    pub fn occurring_classes(&self) -> usize {
        self.occurring
    }

    /// Returns freq(R, class).
    pub fn count(&self, class: Code) -> u64 {
        self.counts[class as usize]
    }

    /// Returns the frequencies of all classes, zeros included.
    pub fn all(&self) -> &[u64] {
        &self.counts
    }
}

/// Calls `each` with the value, class and weight of each record.
fn for_each_record(
    codes: &Codes,
    class: Option<ColumnCodes>,
    weights: Option<&Codes>,
    mut each: impl FnMut(Code, Code, u32),
) -> Result<(), Error> {
    for rows in pace::ranges(0..codes.len()) {
        let rows = rows?;
        if let Some(weights) = weights {
            let class = |record| class.map_or(0, |(class, _)| class.get(record));
            rows.for_each(|record| each(codes.get(record), class(record), weights.get(record)));
            continue;
        }
        each_width!(codes, codes => {
            let codes = codes[rows.clone()].iter().map(|code| code.to_code());
            match class {
                None => codes.for_each(|code| each(code, 0, 1)),
                Some((class, _)) => each_width!(class, class => {
                    codes.zip(&class[rows]).for_each(|(code, class)| each(code, class.to_code(), 1));
                }),
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_and_sorted_records_agree() {
        let codes: Codes = (0..1000).map(|i| i * 7 % 13).collect();
        let class: Codes = (0..1000).map(|i| i * 5 % 3).collect();
        let counted = Histogram::new(&codes, 14, Some((&class, 3)), None).unwrap();
        let sorted = Histogram::new(&codes, 14, Some((&class, MAX_ARRAY_CELLS)), None).unwrap();
        for code in 0..14 {
            assert_eq!(counted.cells(code), sorted.cells(code));
            assert_eq!(counted.row_count(code), sorted.row_count(code));
        }
        assert_eq!(counted.row_count(13), 0);
        assert_eq!(counted.counts(0..14).unwrap().all().iter().sum::<u64>(), 1000);
    }

    /// A weighted record counts like the rows it stands for.
    #[test]
    fn weights_are_rows() {
        let weights: Codes = (0..100).map(|record| record % 4).collect();
        let (codes, class) = (|record: Code| record * 7 % 13, |record: Code| record * 5 % 3);
        let rows: Vec<Code> = (0..100).flat_map(|record| (0..record % 4).map(move |_| record)).collect();
        let by_row = |code: &dyn Fn(Code) -> Code| rows.iter().map(|&record| code(record)).collect::<Codes>();
        let by_record = |code: &dyn Fn(Code) -> Code| (0..100).map(code).collect::<Codes>();
        for classes in [3, MAX_ARRAY_CELLS] {
            let rows = Histogram::new(&by_row(&codes), 13, Some((&by_row(&class), classes)), None).unwrap();
            let class = by_record(&class);
            let records =
                Histogram::new(&by_record(&codes), 13, Some((&class, classes)), Some(&weights)).unwrap();
            for code in 0..13 {
                // A weight of 0 may leave a cell of 0.
                let held = |cells: &[(Code, u32)]| {
                    cells.iter().copied().filter(|cell| cell.1 > 0).collect::<Vec<_>>()
                };
                assert_eq!(held(records.cells(code)), held(rows.cells(code)));
                assert_eq!(records.row_count(code), rows.row_count(code));
            }
        }
    }
}
