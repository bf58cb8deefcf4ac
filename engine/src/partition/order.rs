//! Records of a group in the order of their codes on one column, for a sweep over all splits of an interval.
//!
//! The rows of each code are counted, which may suffice. If sensitive values are needed, rows are counted by code and
//! value while these cells are few. Otherwise records are put in order: by sorting if they are far fewer than codes,
//! otherwise by counting.

use super::{GroupId, Partition};
use crate::buckets::sort_by_bucket;
use crate::progress::{check_memory, lengthen, reserve};
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

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
    counts: Vec<u32>,
}

impl CodeOrder {
    /// Returns the number of rows that hold a code with each value of the `s`-th of the counted sensitive `columns`.
    /// `code` is its place among the counted `codes`.
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
        let run = self.records(group);
        let cells = |of: usize| of.saturating_mul(codes.len());
        let all = columns.iter().fold(0, |sum: usize, &(_, values)| sum.saturating_add(cells(values)));
        let CodeOrder { codes: held, records, values, counts, .. } = order;
        held.clear();
        reserve(held, codes.len().min(run.len()))?;
        if self.is_sorted_by_code(run.len(), codes.len()) {
            let sorted = self.sort_by_code(run, place)?;
            records.clear();
            reserve(records, sorted.len())?;
            pace::each(sorted, |(code, record)| {
                records.push(record);
                match held.last_mut() {
                    Some((last, rows)) if *last == code => *rows += self.weight(record),
                    _ => held.push((code, self.weight(record))),
                }
            })?;
            return Ok(false);
        }
        let run = run.start as usize..run.end as usize;
        let mut hold = |code: Code, rows: u32| {
            if rows > 0 {
                held.push((code, rows));
            }
        };
        if all > ALWAYS_COUNTED_CELLS.max(run.len() / RECORDS_PER_CELL) || columns.is_empty() {
            counts.clear();
            lengthen(counts, codes.len())?;
            self.count_cells(run, place, codes.clone(), None, counts)?;
            pace::each(codes.zip(&*counts), |(code, &rows)| hold(code, rows))?;
            return Ok(columns.is_empty());
        }
        values.clear();
        lengthen(values, all)?;
        let mut rest = &mut values[..];
        for &(s, n) in columns {
            let (cells, others) = rest.split_at_mut(codes.len() * n);
            rest = others;
            self.count_cells(run.clone(), place, codes.clone(), Some((s, n)), cells)?;
        }
        let (_, values_of_first) = columns[0];
        pace::each(codes.zip(values.chunks_exact(values_of_first.max(1))), |(code, rows)| {
            hold(code, rows.iter().sum())
        })?;
        Ok(true)
    }

    /// Puts the records of a group in the order of their codes, after [`Partition::count_codes`].
    pub fn order_records(
        &self,
        group: GroupId,
        place: usize,
        codes: Range<Code>,
        order: &mut CodeOrder,
    ) -> Result<(), Error> {
        let CodeOrder { records, counts, .. } = order;
        if self.is_sorted_by_code(self.size(group), codes.len()) {
            return Ok(());
        }
        let at = |record: u32| (self.code(record, place) - codes.start) as usize;
        // The last records of a code come first.
        sort_by_bucket(self.records(group).rev(), codes.len(), at, (counts, records))
    }

    /// Counts the persons of a group by the least and by the greatest code of their records.
    pub fn count_range_ends(&self, group: GroupId, place: usize, order: &mut CodeOrder) -> Result<(), Error> {
        let CodeOrder { codes, persons: ends, .. } = order;
        ends.clear();
        let Some(persons) = &self.persons else { return Ok(()) };
        self.check_person_order(group)?;
        lengthen(ends, codes.len())?;
        let mut end = |(least, greatest): (Code, Code)| {
            let at = |code: Code| codes.partition_point(|&(held, _)| held < code);
            ends[at(least)].0 += 1;
            ends[at(greatest)].1 += 1;
        };
        let (first, last) = self.runs[group as usize];
        // The records of a person lie together.
        let mut at_hand: Option<(Code, (Code, Code))> = None;
        pace::each(first..last, |record| {
            let (person, code) = (persons.get(record as usize), self.code(record, place));
            match &mut at_hand {
                Some((same, (least, greatest))) if *same == person => {
                    (*least, *greatest) = (code.min(*least), code.max(*greatest));
                }
                other => {
                    if let Some((_, before)) = other.replace((person, (code, code))) {
                        end(before);
                    }
                }
            }
        })?;
        at_hand.into_iter().for_each(|(_, before)| end(before));
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
        let CodeOrder { codes, range_ends: holders, .. } = order;
        holders.clear();
        let Some(persons) = self.persons.as_ref().filter(|_| !columns.is_empty()) else { return Ok(()) };
        self.check_person_order(group)?;
        let (first, last) = self.runs[group as usize];
        check_memory::<[PersonRangeEnd; 2]>((last - first) as usize * columns.len())?;
        let mut held: Vec<(Code, Code)> = Vec::new();
        for &s in columns {
            let mut start = first;
            while start < last {
                // The records of a person lie together.
                let person = persons.get(start as usize);
                held.clear();
                while start < last && persons.get(start as usize) == person {
                    held.push((self.sensitive(start, s), self.code(start, place)));
                    start += 1;
                }
                pace::sort_by(&mut held, Ord::cmp)?;
                for of_value in held.chunk_by(|one, next| one.0 == next.0) {
                    let (value, least) = of_value[0];
                    let greatest = of_value[of_value.len() - 1].1;
                    for (code, is_least) in [(least, true), (greatest, false)] {
                        let number = codes.partition_point(|&(held, _)| held < code) as u32;
                        holders.push(PersonRangeEnd { number, column: s as u32, value, is_least });
                    }
                }
            }
        }
        pace::sort_by(holders, Ord::cmp)
    }

    /// Returns whether records are sorted instead of counted by code: because they are few, or because a count of rows
    /// would miss the codes that only records of a population hold.
    fn is_sorted_by_code(&self, records: usize, codes: usize) -> bool {
        records < codes / CODES_PER_RECORD || self.has_population()
    }

    /// Returns the codes of a run and their records, sorted by code.
    fn sort_by_code(&self, run: Range<u32>, place: usize) -> Result<Vec<(Code, u32)>, Error> {
        let run = run.start as usize..run.end as usize;
        let mut sorted = each_width!(&self.columns[place], column => {
            let records = column[run.clone()].iter().zip(run.start as u32..);
            pace::collect(records.map(|(code, record)| (code.to_code(), record)))
        })?;
        pace::sort_by(&mut sorted, Ord::cmp)?;
        Ok(sorted)
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
