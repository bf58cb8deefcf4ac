//! Records of a group in the order of their codes on one column, for a sweep over all splits of an interval.
//!
//! A sweep needs the rows of each code and, if there are sensitive columns, of each code and value. While such cells
//! are few, the rows are counted by cell. Otherwise the records are put in order: by sorting if they are far fewer than
//! codes, and by a counting sort if not.

use super::{GroupId, Partition};
use crate::buckets::sort_by_bucket;
use crate::progress::{check_memory, lengthen, reserve};
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::{Range, RangeInclusive};

/// Records of one group in order, in arrays that are used again.
#[derive(Debug, Default)]
pub struct CodeOrder {
    /// Codes in the group and the number of rows of each; 0 if only records of a population hold the code.
    pub codes: Vec<(Code, u32)>,
    /// Records in the order of their codes, if they were put in order.
    pub records: Vec<u32>,
    /// Number of rows by sensitive column, code and value, if these were counted.
    values: Vec<u32>,
    /// Numbers of persons for whom each of `codes` is the least, and the greatest. Empty unless persons are counted.
    pub persons: Vec<(u32, u32)>,
    /// Least and greatest code of each person with each sensitive value, by code. Empty unless these persons are
    /// counted.
    pub range_ends: Vec<PersonRangeEnd>,
    /// Number of rows of each code, or the start of its records in `records`.
    scratch: Vec<u32>,
}

impl CodeOrder {
    /// Returns the number of rows that hold a code with each value of the `s`-th of the counted sensitive `columns`.
    /// `code` is the place of the code in the counted range, which has `codes` codes.
    pub fn values(&self, codes: usize, code: usize, columns: &[(usize, usize)], s: usize) -> &[u32] {
        let before: usize = columns[..s].iter().map(|(_, values)| codes * values).sum();
        let (_, values) = columns[s];
        &self.values[before + code * values..][..values]
    }
}

/// End of the range of codes with which a person holds a value of a sensitive column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PersonRangeEnd {
    /// Index of the code in [`CodeOrder::codes`].
    pub number: u32,
    /// Sensitive column, by its place in the partition.
    pub column: u32,
    /// Value of the sensitive column.
    pub value: Code,
    /// Whether it is the least code of the range, otherwise the greatest.
    pub is_least: bool,
}

/// Number of records per cell (code and sensitive value) from which they are counted by cell, not put in order.
const RECORDS_PER_CELL: usize = 4;

/// Largest number of cells for which records are always counted by cell.
const ALWAYS_COUNTED_CELLS: usize = 1024;

/// Number of codes per record above which records are sorted instead of counted by code.
const CODES_PER_RECORD: usize = 8;

impl Partition {
    /// Counts the rows of a group by code on the column at `place`, where its codes are among `codes`. If the cells are
    /// few, also counts them by code and value of some sensitive `columns` (with their numbers of values). Returns
    /// whether these counts suffice. Otherwise the records have to be put in order.
    pub fn count_codes(
        &self,
        (group, place): (GroupId, usize),
        codes: Range<Code>,
        columns: &[(usize, usize)],
        order: &mut CodeOrder,
    ) -> Result<bool, Error> {
        let run = self.run(group);
        order.codes.clear();
        reserve(&mut order.codes, codes.len().min(run.len()))?;
        if self.is_sorted_by_code(run.len(), codes.len()) {
            self.sort_by_code(run, place, order)?;
            return Ok(false);
        }
        let values = columns.iter().fold(0, |sum: usize, &(_, values)| sum.saturating_add(values));
        let cells = values.saturating_mul(codes.len());
        if columns.is_empty() || cells > ALWAYS_COUNTED_CELLS.max(run.len() / RECORDS_PER_CELL) {
            self.count_rows_by_code(run, place, codes, order)?;
            return Ok(columns.is_empty());
        }
        self.count_rows_by_cell(run, place, codes, columns, order)?;
        Ok(true)
    }

    /// Sorts the records of a run by code, and counts the rows of each code.
    fn sort_by_code(&self, run: Range<usize>, place: usize, order: &mut CodeOrder) -> Result<(), Error> {
        let mut sorted = each_width!(&self.columns[place], column => {
            let records = column[run.clone()].iter().zip(run.start as u32..);
            pace::collect(records.map(|(code, record)| (code.to_code(), record)))
        })?;
        pace::sort_by(&mut sorted, Ord::cmp)?;
        order.records.clear();
        reserve(&mut order.records, sorted.len())?;
        pace::each(sorted, |(code, record)| {
            order.records.push(record);
            match order.codes.last_mut() {
                Some((last, rows)) if *last == code => *rows += self.weight(record),
                _ => order.codes.push((code, self.weight(record))),
            }
        })
    }

    /// Counts the rows of a run by code.
    fn count_rows_by_code(
        &self,
        run: Range<usize>,
        place: usize,
        codes: Range<Code>,
        order: &mut CodeOrder,
    ) -> Result<(), Error> {
        let counts = &mut order.scratch;
        counts.clear();
        lengthen(counts, codes.len())?;
        self.count_cells(run, place, codes.clone(), None, counts)?;
        let held = &mut order.codes;
        pace::each(codes.zip(&*counts), |(code, &rows)| held.extend((rows > 0).then_some((code, rows))))
    }

    /// Counts the rows of a run by code and value of each sensitive column, and by code.
    fn count_rows_by_cell(
        &self,
        run: Range<usize>,
        place: usize,
        codes: Range<Code>,
        columns: &[(usize, usize)],
        order: &mut CodeOrder,
    ) -> Result<(), Error> {
        let CodeOrder { codes: held, values: cells, .. } = order;
        cells.clear();
        lengthen(cells, columns.iter().map(|(_, values)| codes.len() * values).sum())?;
        let mut rest = &mut cells[..];
        for &(s, values) in columns {
            let (of_column, others) = rest.split_at_mut(codes.len() * values);
            rest = others;
            self.count_cells(run.clone(), place, codes.clone(), Some((s, values)), of_column)?;
        }
        // The values of any column add up to the rows of the code.
        let (_, values) = columns[0];
        pace::each(codes.zip(cells.chunks_exact(values.max(1))), |(code, rows)| {
            let rows: u32 = rows.iter().sum();
            held.extend((rows > 0).then_some((code, rows)));
        })
    }

    /// Puts the records of a group in the order of their codes, after [`Partition::count_codes`].
    pub fn order_records(
        &self,
        group: GroupId,
        place: usize,
        codes: Range<Code>,
        order: &mut CodeOrder,
    ) -> Result<(), Error> {
        if self.is_sorted_by_code(self.size(group), codes.len()) {
            return Ok(());
        }
        let code = |record: u32| (self.code(record, place) - codes.start) as usize;
        // The last records of a code come first.
        let records = self.records(group).rev();
        sort_by_bucket(records, codes.len(), code, &mut order.scratch, &mut order.records)
    }

    /// Counts the persons of a group by the least and by the greatest code of their records.
    pub fn count_range_ends(&self, group: GroupId, place: usize, order: &mut CodeOrder) -> Result<(), Error> {
        let CodeOrder { codes, persons: counts, .. } = order;
        counts.clear();
        let Some(persons) = &self.persons else { return Ok(()) };
        self.check_person_order(group)?;
        lengthen(counts, codes.len())?;
        let mut count = |ends: RangeInclusive<Code>| {
            counts[find_code(codes, *ends.start())].0 += 1;
            counts[find_code(codes, *ends.end())].1 += 1;
        };
        // The records of a person lie together.
        let mut current: Option<(Code, RangeInclusive<Code>)> = None;
        pace::each(self.records(group), |record| {
            let (person, code) = (persons.get(record as usize), self.code(record, place));
            match &mut current {
                Some((same, ends)) if *same == person => {
                    *ends = code.min(*ends.start())..=code.max(*ends.end());
                }
                other => {
                    if let Some((_, ends)) = other.replace((person, code..=code)) {
                        count(ends);
                    }
                }
            }
        })?;
        current.into_iter().for_each(|(_, ends)| count(ends));
        Ok(())
    }

    /// Finds the least and greatest codes with which each person of a group holds each value of some sensitive
    /// `columns`.
    pub fn find_value_ranges(
        &self,
        group: GroupId,
        place: usize,
        columns: &[usize],
        order: &mut CodeOrder,
    ) -> Result<(), Error> {
        let CodeOrder { codes, range_ends, .. } = order;
        range_ends.clear();
        let Some(persons) = self.persons.as_ref().filter(|_| !columns.is_empty()) else { return Ok(()) };
        self.check_person_order(group)?;
        let Range { start: mut next, end } = self.records(group);
        check_memory::<[PersonRangeEnd; 2]>((end - next) as usize * columns.len())?;
        let mut held: Vec<(Code, Code)> = Vec::new();
        while next < end {
            // The records of a person lie together.
            let (first, person) = (next, persons.get(next as usize));
            while next < end && persons.get(next as usize) == person {
                next += 1;
            }
            for &s in columns {
                held.clear();
                held.extend(
                    (first..next).map(|record| (self.sensitive(record, s), self.code(record, place))),
                );
                pace::sort_by(&mut held, Ord::cmp)?;
                for same_value in held.chunk_by(|one, next| one.0 == next.0) {
                    let (value, least) = same_value[0];
                    let (_, greatest) = same_value[same_value.len() - 1];
                    for (code, is_least) in [(least, true), (greatest, false)] {
                        let number = find_code(codes, code) as u32;
                        range_ends.push(PersonRangeEnd { number, column: s as u32, value, is_least });
                    }
                }
            }
        }
        pace::sort_by(range_ends, Ord::cmp)
    }

    /// Returns whether records are sorted instead of counted by code: because they are few, or because a count of rows
    /// would miss the codes that only records of a population hold.
    fn is_sorted_by_code(&self, records: usize, codes: usize) -> bool {
        records < codes / CODES_PER_RECORD || self.has_population()
    }

    /// Returns the code of a record on the column at `place`.
    pub fn code(&self, record: u32, place: usize) -> Code {
        self.columns[place].get(record as usize)
    }

    /// Returns the number of rows of a record.
    pub fn weight(&self, record: u32) -> u32 {
        self.weights.as_ref().map_or(1, |weights| weights.get(record as usize))
    }

    /// Returns the weight of a record in the `s`-th sensitive column.
    pub fn sensitive_weight(&self, record: u32, s: usize) -> u32 {
        self.sensitive_weights(s).map_or(1, |weights| weights.get(record as usize))
    }

    /// Returns the value of a record in the `s`-th sensitive column.
    pub fn sensitive(&self, record: u32, s: usize) -> Code {
        self.sensitive_columns[s].get(record as usize)
    }
}

/// Returns the index of a code that is among `codes`, which ascend.
fn find_code(codes: &[(Code, u32)], code: Code) -> usize {
    codes.partition_point(|&(held, _)| held < code)
}
