//! Keys: the combinations of columns that single rows out, and so belong into a quasi-identifier.
//!
//! A combination divides the rows into groups, and singles out the rows in groups of fewer than k. A further column
//! only divides the groups further, so a group of one record is settled: its rows are counted and not looked at again.
//! All other records are kept in the order of their groups. The last column of a combination is only counted within the
//! groups; the columns before it divide them. Columns come by falling number of values, so that the first one settles
//! most records. A combination is skipped if a part of it makes every row unique.

use crate::progress::check_memory;
use crate::table::codes::{each_width, Width};
use crate::table::{compress, Codes, Store};
use crate::{pace, Error};
use hashbrown::HashMap;
use std::ops::Range;

/// A combination of columns, and the rows that it singles out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// Indexes of the columns, ascending.
    pub columns: Vec<usize>,
    /// Number of groups: combinations of values that occur.
    pub groups: u64,
    /// Rows that are alone in their group.
    pub unique: u64,
    /// Rows in groups of fewer than k.
    pub below: u64,
}

/// Counts of a combination, or of its settled groups.
#[derive(Debug, Clone, Copy, Default)]
struct GroupTotals {
    groups: u64,
    unique: u64,
    below: u64,
}

impl GroupTotals {
    fn add(&mut self, rows: u64, k: u64) {
        self.groups += 1;
        self.unique += u64::from(rows == 1);
        self.below += if rows < k { rows } else { 0 };
    }
}

/// Records in the order of their groups. Groups of one record are only counted, in `settled`.
struct RecordGroups {
    order: Vec<u32>,
    /// Rows of each of these records.
    weights: Vec<u32>,
    runs: Vec<Range<usize>>,
    settled: GroupTotals,
}

/// Returns the combinations of up to `max_columns` columns that single out more rows than any part of them. They are
/// sorted by falling rows in groups of fewer than `k`, falling unique rows, and number of columns. Codes are below the
/// cardinalities.
pub fn find_keys(
    columns: &[&Store],
    cardinalities: &[usize],
    rows: usize,
    k: u64,
    max_columns: usize,
) -> Result<Vec<Key>, Error> {
    let records = compress(columns, cardinalities, rows, None)?;
    // Nothing needs the record of each row.
    drop(records.ids);
    let widest = cardinalities.iter().copied().max().unwrap_or(0);
    check_memory::<(u32, [u32; 3])>(widest)?;
    let rows = rows as u64;
    let mut search = KeySearch {
        codes: records.columns,
        weights: records.weights,
        k,
        rows,
        tally: NumberByCode { numbers: vec![0; widest], touched: Vec::new() },
        columns: by_falling_cardinality(cardinalities),
        combinations: HashMap::from([(
            Vec::new(),
            GroupTotals { below: if rows < k { rows } else { 0 }, ..GroupTotals::default() },
        )]),
    };
    for size in 1..=max_columns.min(cardinalities.len()) {
        let all = search.single_group()?;
        search.extend(&mut Vec::new(), &all, size)?;
    }
    search.into_keys()
}

struct KeySearch {
    /// Columns of the distinct records.
    codes: Vec<Codes>,
    /// Rows of each distinct record.
    weights: Vec<u32>,
    k: u64,
    rows: u64,
    tally: NumberByCode,
    /// Indexes of the columns by falling number of values. Everywhere else here, a column is its position in this list.
    columns: Vec<usize>,
    /// Counts of each combination, by its columns.
    combinations: HashMap<Vec<usize>, GroupTotals>,
}

/// A number for each code of one column, within one group. It is 0 outside of [`KeySearch::count_divided`] and
/// [`KeySearch::divide`].
struct NumberByCode {
    numbers: Vec<u32>,
    /// Codes with a number.
    touched: Vec<u32>,
}

impl KeySearch {
    /// Puts all records into one group.
    fn single_group(&self) -> Result<RecordGroups, Error> {
        let order = pace::collect(0..self.weights.len() as u32)?;
        let weights = pace::collect(self.weights.iter().copied())?;
        let mut whole = RecordGroups { order, weights, runs: Vec::new(), settled: GroupTotals::default() };
        match whole.order.len() {
            0 => {}
            1 => whole.settled.add(self.rows, self.k),
            records => whole.runs.push(0..records),
        }
        Ok(whole)
    }

    /// Counts each combination of a prefix and `more` columns after its last one. `groups` are those of the prefix.
    fn extend(&mut self, prefix: &mut Vec<usize>, groups: &RecordGroups, more: usize) -> Result<(), Error> {
        let first = prefix.last().map_or(0, |last| last + 1);
        for column in first..self.columns.len() {
            pace::tick(1)?;
            prefix.push(column);
            if more == 1 {
                if !self.has_part_that_makes_all_unique(prefix) {
                    let counted = self.count_divided(groups, column)?;
                    self.combinations.insert(prefix.clone(), counted);
                }
            } else if !self.makes_all_unique(prefix) {
                check_memory::<[u32; 6]>(groups.order.len())?;
                let divided = self.divide(groups, column)?;
                self.extend(prefix, &divided, more - 1)?;
            }
            prefix.pop();
        }
        Ok(())
    }

    /// Returns true if a combination makes every row unique, or was skipped because a part of it does.
    fn makes_all_unique(&self, columns: &[usize]) -> bool {
        self.combinations.get(columns).is_none_or(|counted| counted.unique == self.rows)
    }

    /// Returns true if a part of a combination, with one column less, makes every row unique.
    fn has_part_that_makes_all_unique(&self, columns: &[usize]) -> bool {
        without_each_column(columns).any(|part| self.makes_all_unique(&part))
    }

    /// Counts the groups into which a further column would divide some groups.
    fn count_divided(&mut self, groups: &RecordGroups, column: usize) -> Result<GroupTotals, Error> {
        let KeySearch { codes, columns, k, tally, .. } = self;
        let mut counted = groups.settled;
        each_width!(&codes[columns[column]], codes => for run in &groups.runs {
            pace::tick(1)?;
            for some in pace::ranges(run.clone()) {
                let some = some?;
                for (&record, &weight) in groups.order[some.clone()].iter().zip(&groups.weights[some]) {
                    tally.add(codes[record as usize].to_code(), weight);
                }
            }
            for code in tally.touched.drain(..) {
                counted.add(u64::from(std::mem::take(&mut tally.numbers[code as usize])), *k);
            }
        });
        Ok(counted)
    }

    /// Divides some groups by a further column.
    fn divide(&mut self, groups: &RecordGroups, column: usize) -> Result<RecordGroups, Error> {
        let KeySearch { codes, columns, k, tally, .. } = self;
        let codes = &codes[columns[column]];
        let (order, weights) =
            (Vec::with_capacity(groups.order.len()), Vec::with_capacity(groups.order.len()));
        let mut divided = RecordGroups { order, weights, runs: Vec::new(), settled: groups.settled };
        for run in &groups.runs {
            let (records, weights) = (&groups.order[run.clone()], &groups.weights[run.clone()]);
            // The numbers are first those of the records with each code, then the place of the code's next record.
            pace::each(records, |&record| tally.add(codes.get(record as usize), 1))?;
            divided.append_runs(tally)?;
            divided.place_records(records, weights, codes, tally, *k)?;
            pace::each(tally.touched.drain(..), |code| tally.numbers[code as usize] = 0)?;
        }
        Ok(divided)
    }

    /// Returns the combinations that single out more rows than any part of them, in order.
    fn into_keys(self) -> Result<Vec<Key>, Error> {
        let mut keys = Vec::new();
        for (columns, counted) in self.combinations.iter().filter(|(columns, _)| !columns.is_empty()) {
            pace::tick(1 + columns.len())?;
            let singles_out_fewer = |part: Vec<usize>| {
                let part = self.combinations.get(&part);
                part.is_some_and(|part| (part.below, part.unique) != (counted.below, counted.unique))
            };
            if without_each_column(columns).all(singles_out_fewer) {
                let GroupTotals { groups, unique, below } = *counted;
                let mut columns: Vec<usize> = columns.iter().map(|&c| self.columns[c]).collect();
                columns.sort_unstable();
                keys.push(Key { columns, groups, unique, below });
            }
        }
        let worst = |key: &Key| (u64::MAX - key.below, u64::MAX - key.unique, key.columns.len());
        keys.sort_by(|a, b| worst(a).cmp(&worst(b)).then_with(|| a.columns.cmp(&b.columns)));
        Ok(keys)
    }
}

impl RecordGroups {
    /// Appends a run of several records for each code. Replaces the code's number of records by the run's first place.
    fn append_runs(&mut self, tally: &mut NumberByCode) -> Result<(), Error> {
        let mut next = self.order.len() as u32;
        for &code in &tally.touched {
            pace::tick(1)?;
            let records = std::mem::replace(&mut tally.numbers[code as usize], SINGLE_RECORD);
            if records > 1 {
                tally.numbers[code as usize] = next;
                self.runs.push(next as usize..(next + records) as usize);
                next += records;
            }
        }
        self.order.resize(next as usize, 0);
        self.weights.resize(next as usize, 0);
        Ok(())
    }

    /// Moves records to the places of their codes, and settles the single ones.
    fn place_records(
        &mut self,
        records: &[u32],
        weights: &[u32],
        codes: &Codes,
        tally: &mut NumberByCode,
        k: u64,
    ) -> Result<(), Error> {
        pace::each(records.iter().zip(weights), |(&record, &weight)| {
            let place = &mut tally.numbers[codes.get(record as usize) as usize];
            if *place == SINGLE_RECORD {
                self.settled.add(u64::from(weight), k);
            } else {
                self.order[*place as usize] = record;
                self.weights[*place as usize] = weight;
                *place += 1;
            }
        })
    }
}

/// In place of the next record's place: the code has a single record, which is settled.
const SINGLE_RECORD: u32 = u32::MAX;

impl NumberByCode {
    fn add(&mut self, code: u32, rows: u32) {
        let number = &mut self.numbers[code as usize];
        if *number == 0 {
            self.touched.push(code);
        }
        *number += rows;
    }
}

/// Sorts the columns by falling number of values.
fn by_falling_cardinality(cardinalities: &[usize]) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..cardinalities.len()).collect();
    columns.sort_by_key(|&column| std::cmp::Reverse(cardinalities[column]));
    columns
}

/// Returns a combination without one of its columns, each in turn.
fn without_each_column(columns: &[usize]) -> impl Iterator<Item = Vec<usize>> + '_ {
    (0..columns.len()).map(|left| {
        columns.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, &column)| column).collect()
    })
}
