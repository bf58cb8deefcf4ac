//! The (value x class) histogram of one column.
//!
//! R_v, the records under a value v, does not depend on what was done to other columns; so this
//! one histogram, made once, answers how the classes are mixed under any node of the column, for
//! the whole search. Only cells that occur are kept: a class column may have as many values as
//! the table has rows.

use crate::Code;
use std::ops::Range;

/// How often each value meets each class.
#[derive(Debug, Clone)]
pub struct Histogram {
    starts: Vec<u32>,
    cells: Vec<(Code, u32)>,
    totals: Vec<u64>,
    classes: usize,
}

/// Above this many cells a dense table of values by classes is not made.
const DENSE: usize = 1 << 22;

impl Histogram {
    /// Counts `codes` (below `values`) against the class codes (below the class's cardinality);
    /// without a class everything is of one class.
    pub fn new(codes: &[Code], values: usize, class: Option<(&[Code], usize)>) -> Histogram {
        let classes = class.map_or(1, |(_, n)| n.max(1));
        let class_of = |row: usize| class.map_or(0, |(codes, _)| codes[row] as usize);
        let mut cells = Vec::new();
        let mut starts = Vec::with_capacity(values + 1);
        starts.push(0);
        if values.saturating_mul(classes) <= DENSE {
            let mut dense = vec![0u32; values * classes];
            for (row, &code) in codes.iter().enumerate() {
                dense[code as usize * classes + class_of(row)] += 1;
            }
            for row in dense.chunks(classes) {
                cells.extend((0..).zip(row.iter().copied()).filter(|&(_, n)| n > 0));
                starts.push(cells.len() as u32);
            }
        } else {
            let mut pairs: Vec<u64> = codes
                .iter()
                .enumerate()
                .map(|(row, &code)| u64::from(code) << 32 | class_of(row) as u64)
                .collect();
            pairs.sort_unstable();
            for same in pairs.chunk_by(|a, b| a == b) {
                while starts.len() <= (same[0] >> 32) as usize {
                    starts.push(cells.len() as u32);
                }
                cells.push((same[0] as Code, same.len() as u32));
            }
            starts.resize(values + 1, cells.len() as u32);
        }
        let totals = (0..values)
            .map(|v| {
                cells[starts[v] as usize..starts[v + 1] as usize].iter().map(|&(_, n)| u64::from(n)).sum()
            })
            .collect();
        Histogram { starts, cells, totals, classes }
    }

    /// What is held, in bytes.
    pub fn memory(&self) -> usize {
        self.cells.capacity() * size_of::<(Code, u32)>()
            + self.totals.capacity() * 8
            + self.starts.capacity() * 4
    }

    /// The classes that value `code` meets, and how often.
    pub fn cells(&self, code: Code) -> &[(Code, u32)] {
        &self.cells[self.starts[code as usize] as usize..self.starts[code as usize + 1] as usize]
    }

    /// How many records hold `code`.
    pub fn records(&self, code: Code) -> u64 {
        self.totals[code as usize]
    }

    /// How many records hold one of the `codes`.
    pub fn records_in(&self, codes: Range<Code>) -> u64 {
        self.totals[codes.start as usize..codes.end as usize].iter().sum()
    }

    /// How many classes there are at all.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The classes of the records that hold one of the `codes`.
    pub fn counts(&self, codes: Range<Code>) -> ClassCounts {
        let mut counts = ClassCounts::new(self.classes);
        for code in codes {
            counts.add(self.cells(code));
        }
        counts
    }
}

/// freq(R, cls) for one set of records R.
#[derive(Debug, Clone)]
pub struct ClassCounts {
    counts: Vec<u64>,
    records: u64,
    present: usize,
}

impl ClassCounts {
    /// No records, of any of `classes` classes.
    pub fn new(classes: usize) -> ClassCounts {
        ClassCounts { counts: vec![0; classes], records: 0, present: 0 }
    }

    /// Adds records.
    pub fn add(&mut self, cells: &[(Code, u32)]) {
        for &(class, n) in cells {
            let count = &mut self.counts[class as usize];
            self.present += usize::from(*count == 0);
            *count += u64::from(n);
            self.records += u64::from(n);
        }
    }

    /// Takes records away that were added before.
    pub fn remove(&mut self, cells: &[(Code, u32)]) {
        for &(class, n) in cells {
            let count = &mut self.counts[class as usize];
            *count -= u64::from(n);
            self.present -= usize::from(*count == 0);
            self.records -= u64::from(n);
        }
    }

    /// |R|.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// How many classes occur in R.
    pub fn present(&self) -> usize {
        self.present
    }

    /// freq(R, class).
    pub fn count(&self, class: Code) -> u64 {
        self.counts[class as usize]
    }

    /// The frequencies of all classes, zeros included.
    pub fn all(&self) -> &[u64] {
        &self.counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_and_dense_agree() {
        let codes: Vec<Code> = (0..1000).map(|i| i * 7 % 13).collect();
        let class: Vec<Code> = (0..1000).map(|i| i * 5 % 3).collect();
        let dense = Histogram::new(&codes, 14, Some((&class, 3)));
        let sparse = Histogram::new(&codes, 14, Some((&class, DENSE)));
        for code in 0..14 {
            assert_eq!(dense.cells(code), sparse.cells(code));
            assert_eq!(dense.records(code), sparse.records(code));
        }
        assert_eq!(dense.records(13), 0);
        assert_eq!(dense.counts(0..14).all().iter().sum::<u64>(), 1000);
    }
}
