//! The one group-by of a release: the equivalence class of each record, which is the records that share all released
//! values.

use crate::buckets::Buckets;
use crate::progress::{check_memory, filled, with_capacity};
use crate::table::{compress, number_distinct, Codes, Compressed, Store, NONE};
use crate::{pace, Code, Error};

/// A released column.
#[derive(Debug, Clone, Copy)]
pub struct Released<'a> {
    /// Code of each record.
    pub codes: &'a Store,
    /// Number of the released value of each code.
    pub number_of_code: &'a [u32],
    /// Upper bound of these numbers, exclusive and at most 2^32.
    pub number_count: usize,
}

/// Equivalence class of each record, by number.
#[derive(Debug)]
pub struct RecordClasses {
    /// Class of each record.
    pub of_records: Store,
    /// Number of classes.
    pub count: usize,
}

impl RecordClasses {
    /// Numbers the classes of the records by first appearance.
    pub fn build(columns: &[Released], records: usize) -> Result<RecordClasses, Error> {
        let cardinalities: Vec<usize> = columns.iter().map(|column| column.number_count).collect();
        let mut buffer = Vec::new();
        let (numbers, count) = number_distinct(&cardinalities, records, |column, bits, records, keys| {
            pace::tick(records.len())?;
            let Released { codes, number_of_code, .. } = columns[column];
            for (key, &code) in keys.iter_mut().zip(codes.fetch(records, &mut buffer)?) {
                *key = *key << bits | u64::from(number_of_code[code as usize]);
            }
            Ok(())
        })?;
        check_memory::<u32>(records)?;
        Ok(RecordClasses { of_records: numbers.into(), count })
    }

    /// Calls `work` with each record, its class, and its code in a column.
    pub(super) fn each(&self, column: &Store, mut work: impl FnMut(usize, usize, Code)) -> Result<(), Error> {
        each_record([&self.of_records, column], |record, [class, code]| work(record, class as usize, code))
    }

    /// Counts the rows of each class. `weights` has the rows that each record stands for (None: one each).
    pub fn rows(&self, weights: Option<&Codes>) -> Result<Vec<u64>, Error> {
        let mut rows = filled(0, self.count)?;
        self.each(&self.of_records, |record, class, _| rows[class] += record_rows(weights, record))?;
        Ok(rows)
    }

    /// Counts the distinct codes of a column in each class.
    pub fn distinct_codes(&self, column: &Store) -> Result<Vec<u64>, Error> {
        let mut distinct = filled(0, self.count)?;
        let pairs = &self.fold_with(column, None)?.columns[0];
        pace::each(0..pairs.len(), |pair| distinct[pairs.get(pair) as usize] += 1)?;
        Ok(distinct)
    }

    /// Folds the records by class and by their code in a column.
    pub(super) fn fold_with(&self, column: &Store, weights: Option<&Codes>) -> Result<Compressed, Error> {
        compress(&[&self.of_records, column], &[self.count, NONE as usize + 1], column.len(), weights)
    }

    /// Counts the rows in classes of fewer than `least` rows, or of fewer than `least` codes of `counted` if given.
    pub fn rows_in_small(
        &self,
        weights: Option<&Codes>,
        counted: Option<&Store>,
        least: u64,
    ) -> Result<u64, Error> {
        let rows = self.rows(weights)?;
        let distinct = counted.map(|column| self.distinct_codes(column)).transpose()?;
        let mut small = 0;
        let sizes = distinct.as_ref().unwrap_or(&rows);
        pace::each(rows.iter().zip(sizes), |(rows, &size)| small += if size < least { *rows } else { 0 })?;
        Ok(small)
    }

    /// Returns the number of each class's released value in each column.
    pub(super) fn released_numbers(&self, columns: &[Released]) -> Result<Vec<Vec<u32>>, Error> {
        let mut first = with_capacity(self.count)?;
        self.each(&self.of_records, |record, class, _| {
            // Classes are numbered by first appearance.
            if class == first.len() {
                first.push(record);
            }
        })?;
        let numbers = |column: &Released| {
            let codes = column.codes.pick(first.iter().copied())?;
            pace::collect((0..self.count).map(|class| column.number_of_code[codes.get(class) as usize]))
        };
        columns.iter().map(numbers).collect()
    }

    /// Sorts the records by class.
    pub(crate) fn sort_records(&self) -> Result<Buckets, Error> {
        let of_records = self.of_records.load()?;
        Buckets::sort(of_records.len(), self.count, |record| of_records.get(record))
    }

    /// Sorts the records by class, and by person within each class. Also returns where each class begins, and the end
    /// of the last.
    pub(super) fn sort_by_person(&self, persons: &Store) -> Result<(Vec<Member>, Vec<u32>), Error> {
        let Buckets { items, starts } = self.sort_records()?;
        let persons = persons.load()?;
        let member = |record: u32| Member { person: persons.get(record as usize), record };
        let mut members = pace::collect(items.into_iter().map(member))?;
        for class in starts.windows(2) {
            pace::sort_by(&mut members[class[0] as usize..class[1] as usize], Ord::cmp)?;
        }
        Ok((members, starts))
    }
}

/// A record of a class, and its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Member {
    pub person: Code,
    pub record: u32,
}

/// Calls `work` with each record and its codes in some columns.
pub(crate) fn each_record<const N: usize>(
    columns: [&Store; N],
    mut work: impl FnMut(usize, [Code; N]),
) -> Result<(), Error> {
    let mut buffers = [(); N].map(|()| Vec::new());
    for records in pace::ranges(0..columns[0].len()) {
        let (records, mut codes) = (records?, [&[][..]; N]);
        for ((codes, column), buffer) in codes.iter_mut().zip(columns).zip(&mut buffers) {
            *codes = column.fetch(records.clone(), buffer)?;
        }
        records.enumerate().for_each(|(at, record)| work(record, codes.map(|codes| codes[at])));
    }
    Ok(())
}

/// Counts the rows of all records.
pub(super) fn count_rows(weights: Option<&Codes>, records: usize) -> Result<u64, Error> {
    Ok(weights.map_or(Ok(records), Codes::sum)? as u64)
}

/// Returns the number of rows that a record stands for.
pub(crate) fn record_rows(weights: Option<&Codes>, record: usize) -> u64 {
    weights.map_or(1, |weights| weights.get(record).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        /// Compares with one map from released values to records. Columns with huge number counts need several keys.
        #[test]
        fn as_by_a_map(
            rows in prop::collection::vec((prop::collection::vec(0u32..6, 3), 0u32..4, 0u32..3), 0..60),
            is_wide: bool,
            least in 1u64..5,
        ) {
            let store = |column: usize| Store::from_iter(rows.iter().map(|row| row.0[column]));
            let codes: Vec<Store> = (0..3).map(store).collect();
            let number_of_code = [0, 0, 2, 1, 1, 1];
            let number_count = if is_wide { 1 << 32 } else { 3 };
            let column = |codes| Released { codes, number_of_code: &number_of_code, number_count };
            let columns: Vec<Released> = codes.iter().map(column).collect();
            let persons = Store::from_iter(rows.iter().map(|row| row.1));
            let weights = Some(Codes::from_iter(rows.iter().map(|row| row.2)));
            let classes = RecordClasses::build(&columns, rows.len()).unwrap();

            let (mut groups, mut numbers): (Vec<Vec<usize>>, BTreeMap<Vec<u32>, usize>) = Default::default();
            for (record, row) in rows.iter().enumerate() {
                let released = row.0.iter().map(|&code| number_of_code[code as usize]).collect();
                let class = *numbers.entry(released).or_insert(groups.len());
                groups.resize_with(numbers.len(), Vec::new);
                groups[class].push(record);
            }
            let size = |group: &Vec<usize>| group.iter().map(|&record| u64::from(rows[record].2)).sum::<u64>();
            let persons_of = |group: &Vec<usize>| -> u64 {
                group.iter().map(|&record| rows[record].1).collect::<BTreeSet<Code>>().len() as u64
            };
            let sizes: Vec<u64> = groups.iter().map(size).collect();
            let person_counts: Vec<u64> = groups.iter().map(persons_of).collect();
            prop_assert_eq!(classes.count, groups.len());
            for (counted, counts) in [(None, &sizes), (Some(&persons), &person_counts)] {
                let small = sizes.iter().zip(counts).filter(|(_, &count)| count < least);
                let small: u64 = small.map(|(size, _)| size).sum();
                prop_assert_eq!(classes.rows_in_small(weights.as_ref(), counted, least).unwrap(), small);
            }
            prop_assert_eq!(classes.rows(weights.as_ref()).unwrap(), sizes);
            prop_assert_eq!(classes.distinct_codes(&persons).unwrap(), person_counts);
            let sorted = classes.sort_records().unwrap();
            let (members, starts) = classes.sort_by_person(&persons).unwrap();
            prop_assert_eq!(&starts, &sorted.starts);
            for (class, group) in groups.iter().enumerate() {
                let records: Vec<u32> = group.iter().map(|&record| record as u32).collect();
                prop_assert_eq!(sorted.items(class), &records);
                let member = |record: u32| Member { person: rows[record as usize].1, record };
                let mut by_person: Vec<Member> = records.into_iter().map(member).collect();
                by_person.sort_unstable();
                prop_assert_eq!(&members[starts[class] as usize..starts[class + 1] as usize], by_person);
            }
            for (column, numbers) in classes.released_numbers(&columns).unwrap().iter().enumerate() {
                let released = |group: &Vec<usize>| number_of_code[rows[group[0]].0[column] as usize];
                prop_assert_eq!(numbers, &groups.iter().map(released).collect::<Vec<u32>>());
            }
        }
    }
}
