//! The records of a group by their codes on one column, in order, for what looks at all splits of an interval
//! at once.
//!
//! How many rows hold each code is counted first, which may be all that is asked. Where sensitive values are asked for,
//! too, rows are counted by code and value, if these are few; else the records are gone through in order. Where they are
//! more than codes they are counted into their places, else sorted.

use super::{GroupId, Partition};
use crate::progress::room;
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

/// The records of one group, in arrays that are used over and over.
#[derive(Debug, Default)]
pub struct Order {
    /// Each code that the group holds, and how many rows hold it: none, where only rows of a population do.
    pub codes: Vec<(Code, u32)>,
    /// The records, those of a code together, where they were asked for.
    pub records: Vec<u32>,
    /// How many rows hold each code with each sensitive value, where that was counted.
    values: Vec<u32>,
    /// For each of the codes, of how many persons it is the least, and of how many the greatest; none where persons
    /// are not counted.
    pub persons: Vec<(u32, u32)>,
    /// The same of the persons who hold a value of a sensitive column, where they are counted: in the order of the codes.
    pub holders: Vec<Holder>,
    counts: Vec<u32>,
}

impl Order {
    /// What it takes at most, where the largest group has so many `records`, the widest column so many `codes`, and the
    /// sensitive columns so many `values` together.
    pub fn bytes(records: usize, codes: usize, values: usize) -> usize {
        let cells = codes.saturating_mul(values);
        let counted = cells.min(FEW_CELLS.max(records / FEW));
        // In order they are put where they are fewer than codes, or too few to be counted by code and value.
        let in_order = records.min(codes.max(cells.saturating_mul(FEW)));
        let of_codes = codes.saturating_mul(size_of::<(Code, u32, u32, [u32; 2])>());
        (counted + in_order).saturating_mul(size_of::<u32>()).saturating_add(of_codes)
    }

    /// How many rows hold a code, by its place among those that were counted, with each value of the `s`-th of the
    /// sensitive columns that were asked for.
    pub fn values(&self, codes: usize, code: usize, columns: &[(usize, usize)], s: usize) -> &[u32] {
        let before: usize = columns[..s].iter().map(|(_, values)| codes * values).sum();
        let (_, values) = columns[s];
        &self.values[before + code * values..][..values]
    }
}

/// A code that is the least, or the greatest, at which a person holds a value of a sensitive column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Holder {
    /// The number of the code among those that the group holds.
    pub number: u32,
    /// The sensitive column, by its place in the partition.
    pub column: u32,
    /// Its value.
    pub value: Code,
    /// Whether it is the least.
    pub is_least: bool,
}

/// Records are counted by code and value where there are so many times fewer of these,
const FEW: usize = 4;

/// or no more than these.
const FEW_CELLS: usize = 1024;

/// Records are put in order where they are so many times fewer than codes.
const SPARSE: usize = 8;

/// Empties an array that is used over and over, and makes room for just so many items.
fn clear<T>(items: &mut Vec<T>, most: usize) {
    items.clear();
    if items.capacity() < most {
        *items = Vec::new();
        items.reserve_exact(most);
    }
}

impl Partition {
    /// Counts a group's rows by their codes on the column at `place`, all among `codes`; and by these and their values of
    /// some sensitive columns (each with how many values it has), if these are few: whether they are. Then the records
    /// need not be put in order.
    pub fn count_codes(
        &self,
        (group, place): (GroupId, usize),
        codes: Range<Code>,
        columns: &[(usize, usize)],
        order: &mut Order,
    ) -> Result<bool, Error> {
        let run = self.records(group);
        let cells = |of: usize| of.saturating_mul(codes.len());
        let all = columns.iter().fold(0, |sum: usize, &(_, values)| sum.saturating_add(cells(values)));
        let Order { codes: held, records, values, counts, .. } = order;
        clear(held, codes.len().min(run.len()));
        if self.is_sparse(run.len(), codes.len()) {
            let sorted = self.sorted(run, place)?;
            clear(records, sorted.len());
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
        if all > FEW_CELLS.max(run.len() / FEW) || columns.is_empty() {
            clear(counts, codes.len());
            counts.resize(codes.len(), 0);
            self.count_cells(run, place, codes.clone(), None, counts)?;
            pace::each(codes.zip(&*counts), |(code, &rows)| hold(code, rows))?;
            return Ok(columns.is_empty());
        }
        clear(values, all);
        values.resize(all, 0);
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

    /// Puts a group's records in the order of their codes, which were counted.
    pub fn order_records(
        &self,
        group: GroupId,
        place: usize,
        codes: Range<Code>,
        order: &mut Order,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let Order { records, counts, .. } = order;
        if self.is_sparse((end - start) as usize, codes.len()) {
            return Ok(());
        }
        let at = |record: u32| (self.code(record, place) - codes.start) as usize;
        clear(counts, codes.len());
        counts.resize(codes.len(), 0);
        pace::each(start..end, |record| counts[at(record)] += 1)?;
        let mut sum = 0;
        pace::each(&mut *counts, |end| {
            sum += *end;
            *end = sum;
        })?;
        clear(records, (end - start) as usize);
        records.resize((end - start) as usize, 0);
        pace::each(start..end, |record| {
            let end = &mut counts[at(record)];
            *end -= 1;
            records[*end as usize] = record;
        })
    }

    /// Counts a group's persons by the least and by the greatest of the codes that their records hold.
    pub fn count_ends(&self, group: GroupId, place: usize, order: &mut Order) -> Result<(), Error> {
        let Order { codes, persons: ends, .. } = order;
        clear(ends, codes.len());
        let Some(persons) = &self.persons else { return Ok(()) };
        self.must_be_in_order(group)?;
        ends.resize(codes.len(), (0, 0));
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

    /// Notes between which codes each person of a group holds each value of some sensitive `columns`.
    pub fn note_holders(
        &self,
        group: GroupId,
        place: usize,
        columns: &[usize],
        order: &mut Order,
    ) -> Result<(), Error> {
        let Order { codes, holders, .. } = order;
        holders.clear();
        let Some(persons) = self.persons.as_ref().filter(|_| !columns.is_empty()) else { return Ok(()) };
        self.must_be_in_order(group)?;
        let (first, last) = self.runs[group as usize];
        room::<[Holder; 2]>((last - first) as usize * columns.len())?;
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
                        holders.push(Holder { number, column: s as u32, value, is_least });
                    }
                }
            }
        }
        pace::sort_by(holders, Ord::cmp)
    }

    /// Whether records are so few beside codes that these are not counted one by one; or stand for no row, so that a code that is
    /// held is not one of some rows.
    fn is_sparse(&self, records: usize, codes: usize) -> bool {
        records < codes / SPARSE || self.has_population()
    }

    /// Some records with their codes, in the order of these.
    fn sorted(&self, run: Range<u32>, place: usize) -> Result<Vec<(Code, u32)>, Error> {
        let run = run.start as usize..run.end as usize;
        let mut sorted = each_width!(&self.columns[place], column => {
            pace::collect(column[run.clone()].iter().zip(run.start as u32..).map(|(code, record)| (code.code(), record)))
        })?;
        pace::sort_by(&mut sorted, Ord::cmp)?;
        Ok(sorted)
    }

    /// A record's code on the column at `place`.
    pub fn code(&self, record: u32, place: usize) -> Code {
        self.columns[place].get(record as usize)
    }

    /// How many rows a record stands for.
    pub fn weight(&self, record: u32) -> u32 {
        self.weights.as_ref().map_or(1, |weights| weights.get(record as usize))
    }

    /// For how many it counts in the `s`-th sensitive column.
    pub fn weight_of(&self, record: u32, s: usize) -> u32 {
        self.weights_of(s).map_or(1, |weights| weights.get(record as usize))
    }

    /// A record's value of the `s`-th sensitive column.
    pub fn sensitive(&self, record: u32, s: usize) -> Code {
        self.sensitive_columns[s].get(record as usize)
    }
}
