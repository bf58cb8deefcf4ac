//! Counts of a group's records by the child that each would fall to. Their memory is used again for the next group.

use super::sensitive_counts::{PersonRecord, SensitiveCounts};
use super::{GroupId, Partition};
use crate::progress::{check_memory, filled};
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Largest number of counts by child and sensitive value that are kept as an array, and the number of them per record
/// if that is more. Sparse counts take more time and, if most of them are not zero, more memory.
const DENSE_CELLS: usize = 1 << 22;
const DENSE_CELLS_PER_RECORD: usize = 4;

/// Counts of a group by the children of its node on one column.
#[derive(Debug)]
pub struct Tally {
    /// Number of rows by child (by code under suppression).
    pub records: Vec<u32>,
    /// Children with records. Beside a population some may have no row of the table.
    pub touched: Vec<u32>,
    /// Whether each child has records. Empty unless some may stand for no row.
    has_records: Vec<bool>,
    /// Counts of each sensitive column.
    sensitive: Vec<SensitiveCounts>,
    /// Persons by child, if they are counted.
    persons: Option<SensitiveCounts>,
    /// Number of the first children that are dense in all counts, and so need not be laid out.
    never_laid_out: u32,
}

/// Counts of one child of a [`Tally`].
#[derive(Debug, Clone, Copy)]
pub struct Child<'t> {
    tally: &'t Tally,
    child: u32,
}

impl Tally {
    /// Makes an empty tally of what a partition counts, for up to `children` and the sensitive columns'
    /// `cardinalities`.
    pub fn new(partition: &Partition, children: usize, cardinalities: &[usize]) -> Result<Tally, Error> {
        let records = partition.runs.iter().map(|run| run.end as usize).max().unwrap_or(0);
        let dense_cells = DENSE_CELLS.max(records.saturating_mul(DENSE_CELLS_PER_RECORD));
        Tally::with_dense_cells(partition, children, cardinalities, dense_cells)
    }

    fn with_dense_cells(
        partition: &Partition,
        children: usize,
        cardinalities: &[usize],
        dense_cells: usize,
    ) -> Result<Tally, Error> {
        let counts = |(s, &values): (usize, &usize)| match partition.counts_persons_per_value[s] {
            true => SensitiveCounts::for_persons(children, values, dense_cells),
            false => SensitiveCounts::for_rows(children, values, dense_cells),
        };
        // Memory of `touched`.
        check_memory::<u32>(children)?;
        let persons =
            partition.persons.as_ref().map(|_| SensitiveCounts::for_persons(children, 1, dense_cells));
        let mut tally = Tally {
            records: filled(0, children)?,
            touched: Vec::new(),
            has_records: filled(false, if partition.has_population() { children } else { 0 })?,
            sensitive: cardinalities.iter().enumerate().map(counts).collect::<Result<_, Error>>()?,
            persons: persons.transpose()?,
            never_laid_out: 0,
        };
        let dense_children = tally.all_counts().map(|counts| counts.by_child.dense_children()).min();
        tally.never_laid_out = dense_children.and_then(|number| number.try_into().ok()).unwrap_or(u32::MAX);
        Ok(tally)
    }

    /// Makes room for `children`. A replay may divide a group into more parts than a node has children.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        if children <= self.records.len() {
            return Ok(());
        }
        // A growing array is copied, so both copies are held at once.
        check_memory::<[u32; 4]>(children)?;
        self.records.resize(children, 0);
        if !self.has_records.is_empty() {
            self.has_records.resize(children, false);
        }
        self.all_counts().try_for_each(|counts| counts.widen(children))
    }

    fn all_counts(&mut self) -> impl Iterator<Item = &mut SensitiveCounts> {
        self.sensitive.iter_mut().chain(&mut self.persons)
    }

    /// Returns the counts of a child.
    pub fn child(&mut self, child: u32) -> Result<Child<'_>, Error> {
        if child >= self.never_laid_out {
            self.all_counts().try_for_each(|counts| counts.lay_out(child))?;
        }
        Ok(Child { tally: self, child })
    }

    /// Calls `each` with every child that has records.
    pub fn each_child(&mut self, mut each: impl FnMut(Child) -> Result<(), Error>) -> Result<(), Error> {
        for at in 0..self.touched.len() {
            pace::tick(1)?;
            each(self.child(self.touched[at])?)?;
        }
        Ok(())
    }

    /// Returns whether persons are counted.
    pub fn counts_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Returns the number of persons in the group.
    pub fn persons(&self) -> u32 {
        self.persons.as_ref().and_then(SensitiveCounts::persons).map_or(0, |persons| persons[0])
    }

    /// Returns the numbers of persons in the group by value of the `s`-th sensitive column, if it counts persons.
    pub fn persons_per_value(&self, s: usize) -> Option<&[u32]> {
        self.sensitive[s].persons()
    }

    /// Returns the number of values of each sensitive column.
    pub fn cardinalities(&self) -> impl Iterator<Item = usize> + '_ {
        self.sensitive.iter().map(|counts| counts.by_child.values())
    }

    /// Adds the rows of a child, or its persons, to a sum for each value of the `s`-th sensitive column.
    pub fn add_values(&self, s: usize, child: u32, sums: &mut [u32]) -> Result<(), Error> {
        self.sensitive[s].by_child.add_to(child, sums)
    }

    /// Adds the persons with records in a child to a sum.
    pub fn add_persons(&self, child: u32, sum: &mut u32) -> Result<(), Error> {
        self.persons
            .as_ref()
            .map_or(Ok(()), |persons| persons.by_child.add_to(child, std::slice::from_mut(sum)))
    }

    /// Adds rows to a child.
    #[inline]
    fn add(&mut self, child: u32, records: u32) {
        let count = &mut self.records[child as usize];
        if *count == 0 {
            self.touched.push(child);
        }
        *count += records;
    }

    /// Adds rows to a child, which may be none.
    #[inline]
    fn add_perhaps_none(&mut self, child: u32, records: u32) {
        if !std::mem::replace(&mut self.has_records[child as usize], true) {
            self.touched.push(child);
        }
        self.records[child as usize] += records;
    }

    /// Resets all counts.
    fn clear(&mut self) -> Result<(), Error> {
        let touched = std::mem::take(&mut self.touched);
        self.all_counts().try_for_each(|counts| counts.clear(&touched))?;
        self.touched = touched;
        pace::each(self.touched.drain(..), |child| {
            self.records[child as usize] = 0;
            self.has_records.get_mut(child as usize).into_iter().for_each(|has_records| *has_records = false);
        })
    }

    /// Completes the counts after the last record.
    fn finish(&mut self) -> Result<(), Error> {
        self.all_counts().try_for_each(SensitiveCounts::finish)
    }
}

impl<'t> Child<'t> {
    /// Returns the child.
    pub fn number(self) -> u32 {
        self.child
    }

    /// Returns the number of rows.
    pub fn records(self) -> u32 {
        self.tally.records[self.child as usize]
    }

    /// Returns the number of persons with records in the child, if persons are counted.
    pub fn persons(self) -> u32 {
        self.tally.persons.as_ref().map_or(0, |persons| persons.by_child.counts(self.child)[0])
    }

    /// Returns the number of persons with records in no other child, if persons are counted.
    pub fn lost_persons(self) -> u32 {
        self.tally.persons.as_ref().map_or(0, |persons| persons.lost(self.child)[0])
    }

    /// Returns the number of sensitive columns.
    pub fn sensitive_columns(self) -> usize {
        self.tally.sensitive.len()
    }

    /// Returns whether the `s`-th sensitive column counts persons.
    pub fn counts_persons_per_value(self, s: usize) -> bool {
        self.tally.persons_per_value(s).is_some()
    }

    /// Returns the counts by value of the `s`-th sensitive column: numbers of rows, or of persons if the column counts
    /// them.
    pub fn values(self, s: usize) -> &'t [u32] {
        self.tally.sensitive[s].by_child.counts(self.child)
    }

    /// Returns the counts by value that the group would lose with the child. They differ from [`Child::values`] if the
    /// column counts persons: the group keeps a person who also has the value in another child.
    pub fn lost_values(self, s: usize) -> &'t [u32] {
        self.tally.sensitive[s].lost(self.child)
    }
}

/// Largest number of cells (code and sensitive value) for which records are counted by cell first.
const MAX_CELLS_FIRST: usize = 1 << 14;

impl Partition {
    /// Counts the records of a group by the children of its node on the column at `place`. `part_of_code` maps codes to
    /// children; without it each code is a child. Fails if records of a person lie apart.
    pub fn count_children(
        &self,
        group: GroupId,
        place: usize,
        part_of_code: Option<&[u32]>,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        self.check_person_order(group)?;
        tally.clear()?;
        let run = self.run(group);
        let has_rows_only = self.persons.is_none() && self.population.is_none();
        if let Some(part_of_code) = part_of_code.filter(|_| has_rows_only) {
            let values = tally.cardinalities().max().unwrap_or(1);
            if part_of_code.len().saturating_mul(values) <= MAX_CELLS_FIRST.min(run.len()) {
                return self.count_by_code(run, place, part_of_code, tally);
            }
        }
        each_width!(&self.columns[place], codes => match part_of_code {
            Some(part_of_code) => {
                self.count_run(run, |run| codes[run].iter().map(|code| part_of_code[code.to_code() as usize]), tally)
            }
            None => self.count_run(run, |run| codes[run].iter().map(|code| code.to_code()), tally),
        })
    }

    /// Counts all records of a group as child 0.
    pub fn count_whole(&self, group: GroupId, tally: &mut Tally) -> Result<(), Error> {
        self.check_person_order(group)?;
        tally.clear()?;
        let run = self.run(group);
        if self.persons.is_some() || self.population.is_some() || run.is_empty() {
            return self.count_run(run, |run| run.map(|_| 0), tally);
        }
        let mut records = run.len() as u32;
        if let Some(weights) = &self.weights {
            records = 0;
            pace::each(run.clone(), |record| records += weights.get(record))?;
        }
        tally.add(0, records);
        for (s, counts) in tally.sensitive.iter_mut().enumerate() {
            self.count_values(run.clone(), s, counts.by_child.counts_of_first())?;
        }
        Ok(())
    }

    /// Counts the records of a run by child. `children` returns the child of each record of a part of the run.
    fn count_run<I: Iterator<Item = u32> + Clone>(
        &self,
        run: Range<usize>,
        children: impl Fn(Range<usize>) -> I,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        for run in pace::ranges(run) {
            let run = run?;
            let children = children(run.clone());
            match &self.weights {
                Some(weights) => each_width!(weights, weights => {
                    let weights = weights[run.clone()].iter().map(|weight| weight.to_code());
                    self.count_weighted(run, children.zip(weights), tally)
                }),
                None => self.count_weighted(run, children.map(|child| (child, 1)), tally),
            }?;
        }
        tally.finish()
    }

    /// Counts rows by code and sensitive value first, and then adds these counts to those of the children. This is
    /// faster than to test for each record whether its child is new.
    fn count_by_code(
        &self,
        run: Range<usize>,
        place: usize,
        part_of_code: &[u32],
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let codes = 0..part_of_code.len() as Code;
        for s in 0..tally.sensitive.len() {
            let values = tally.sensitive[s].by_child.values();
            let mut cells = vec![0; codes.len() * values];
            self.count_cells(run.clone(), place, codes.clone(), Some((s, values)), &mut cells)?;
            for (&child, cells) in part_of_code.iter().zip(cells.chunks_exact(values.max(1))) {
                pace::tick(values)?;
                let records: u32 = cells.iter().sum();
                if records > 0 {
                    if s == 0 {
                        tally.add(child, records);
                    }
                    tally.sensitive[s].by_child.add_all(child, cells)?;
                }
            }
        }
        if tally.sensitive.is_empty() {
            let mut cells = vec![0; codes.len()];
            self.count_cells(run, place, codes, None, &mut cells)?;
            pace::each(part_of_code.iter().zip(cells), |(&child, records)| {
                if records > 0 {
                    tally.add(child, records);
                }
            })?;
        }
        tally.finish()
    }

    /// Counts a run of records. `records` are the child and the weight of each.
    fn count_weighted(
        &self,
        run: Range<usize>,
        records: impl Iterator<Item = (u32, u32)> + Clone,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        match self.population {
            Some(_) => records.clone().for_each(|(child, weight)| tally.add_perhaps_none(child, weight)),
            None => records.clone().for_each(|(child, weight)| tally.add(child, weight)),
        }
        if let (Some(column), Some(persons)) = (&self.persons, &mut tally.persons) {
            each_width!(column, column => {
                let records = records.clone().zip(&column[run.clone()]);
                persons.add_persons(records.map(|((child, _), person)| {
                    PersonRecord { child, value: 0, person: person.to_code() }
                }))
            })?;
        }
        for (s, counts) in tally.sensitive.iter_mut().enumerate() {
            self.count_sensitive(s, run.clone(), records.clone(), counts)?;
        }
        Ok(())
    }

    /// Counts a run of records by their values of the `s`-th sensitive column.
    #[inline]
    fn count_sensitive(
        &self,
        s: usize,
        run: Range<usize>,
        records: impl Iterator<Item = (u32, u32)>,
        counts: &mut SensitiveCounts,
    ) -> Result<(), Error> {
        let column = &self.sensitive_columns[s];
        if counts.persons().is_some() {
            let persons = self.persons.as_ref().ok_or(Error::Internal("nobody counts persons"))?;
            return each_width!(column, column => {
                let records = records.zip(column[run.clone()].iter().zip(run));
                counts.add_persons(records.map(|((child, _), (value, record))| {
                    PersonRecord { child, value: value.to_code(), person: persons.get(record) }
                }))
            });
        }
        let counts = &mut counts.by_child;
        counts.reserve(run.len())?;
        if let Some(population) = self.population.as_ref().filter(|population| population.sensitive == s) {
            // The column of a population has one value, 0.
            each_width!(&population.weights, weights => {
                records.zip(&weights[run]).for_each(|((child, _), rows)| counts.add(child, 0, rows.to_code()));
            });
            return Ok(());
        }
        each_width!(column, column => {
            for ((child, rows), value) in records.zip(&column[run]) {
                counts.add(child, value.to_code(), rows);
            }
        });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Records;
    use crate::table::{Codes, Store};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    const CHILDREN: usize = 6;
    const VALUES: usize = 5;

    #[derive(Debug, Clone, Copy)]
    struct Record {
        child: u32,
        value: Code,
        person: Code,
        weight: u32,
    }

    /// What the sensitive column counts: rows, rows of a population, rows beside persons, or persons per value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum Kind {
        Rows,
        Population,
        RowsAndPersons,
        PersonsPerValue,
    }

    const KINDS: [Kind; 4] = [Kind::Rows, Kind::Population, Kind::RowsAndPersons, Kind::PersonsPerValue];

    /// Counts of a child. The second number of persons and values is what the group loses with the child.
    #[derive(Debug, PartialEq)]
    struct Counted {
        rows: u32,
        persons: [u32; 2],
        values: [Vec<u32>; 2],
    }

    impl Counted {
        fn from_child(child: Child) -> Counted {
            Counted {
                rows: child.records(),
                persons: [child.persons(), child.lost_persons()],
                values: [child.values(0).to_vec(), child.lost_values(0).to_vec()],
            }
        }

        /// Counts the records of a child, which `is_inside` accepts.
        fn by_definition(records: &[Record], is_inside: impl Fn(&Record) -> bool, kind: Kind) -> Counted {
            let held = |value: Option<Code>, inside: bool| {
                let records = records.iter().filter(|record| is_inside(record) == inside);
                records.filter(|record| value.is_none_or(|value| value == record.value)).collect::<Vec<_>>()
            };
            let rows =
                |value: Option<Code>| held(value, true).iter().map(|record| record.weight).sum::<u32>();
            let persons = |value: Option<Code>| {
                let persons = |inside: bool| held(value, inside).iter().map(|record| record.person).collect();
                let [inside, outside]: [BTreeSet<Code>; 2] = [true, false].map(persons);
                [inside.len() as u32, inside.difference(&outside).count() as u32]
            };
            let counts_persons = matches!(kind, Kind::RowsAndPersons | Kind::PersonsPerValue);
            let by_value = (0..VALUES as Code).map(|value| match kind {
                Kind::Population => [if value == 0 { rows(None) } else { 0 }; 2],
                Kind::PersonsPerValue => persons(Some(value)),
                Kind::Rows | Kind::RowsAndPersons => [rows(Some(value)); 2],
            });
            Counted {
                rows: rows(None),
                persons: if counts_persons { persons(None) } else { [0; 2] },
                values: by_value.map(<(u32, u32)>::from).unzip::<u32, u32, Vec<_>, Vec<_>>().into(),
            }
        }
    }

    proptest! {
        /// Counts in an array and sparse ones are those of the definitions.
        #[test]
        fn children_have_the_counts_of_their_records(
            records in prop::collection::vec((0u32..CHILDREN as u32, 0u32..VALUES as u32, 0u32..7, 1u32..4), 1..60),
            by_part in any::<bool>(),
            kind in prop::sample::select(&KINDS[..]),
        ) {
            let record = |(child, value, person, weight)| Record { child, value, person, weight };
            let mut records: Vec<Record> = records.into_iter().map(record).collect();
            let column = |code: fn(&Record) -> Code| records.iter().map(code).collect::<Store>();
            let columns = [column(|r| r.child), column(|r| r.value), column(|r| r.person)];
            let weights = records.iter().map(|record| record.weight).collect::<Codes>();
            let table = Records {
                columns: columns.iter().collect(),
                cardinalities: vec![CHILDREN, VALUES, 7],
                masked: 1,
                rows: records.len(),
                weights: Some(&weights),
                numbered: true,
            };
            let person = matches!(kind, Kind::RowsAndPersons | Kind::PersonsPerValue).then_some(1);
            let mut partition = Partition::new(vec![0], vec![0], person, &table).unwrap();
            match kind {
                Kind::Population => partition.set_population(0, weights.copy().unwrap()),
                Kind::PersonsPerValue => partition.enable_persons_per_value(0),
                Kind::Rows | Kind::RowsAndPersons => {}
            }
            let part_of_code = by_part.then_some(&[3, 1, 4, 1, 5, 0][..]);
            let parts = part_of_code.unwrap_or(&[0, 1, 2, 3, 4, 5]);
            let whole = Counted::by_definition(&records, |_| true, kind);
            records.iter_mut().for_each(|record| record.child = parts[record.child as usize]);
            let children: BTreeSet<u32> = records.iter().map(|record| record.child).collect();
            for dense_cells in [CHILDREN * VALUES * 2, 0, 2 * VALUES, 8 * VALUES] {
                let mut tally = Tally::with_dense_cells(&partition, CHILDREN, &[VALUES], dense_cells).unwrap();
                partition.count_whole(0, &mut tally).unwrap();
                prop_assert_eq!(&Counted::from_child(tally.child(0).unwrap()), &whole);
                partition.count_children(0, 0, part_of_code, &mut tally).unwrap();
                prop_assert_eq!(tally.persons(), whole.persons[0]);
                prop_assert!(tally.persons_per_value(0).is_none_or(|persons| persons == whole.values[0]));
                prop_assert_eq!(&tally.touched.iter().copied().collect::<BTreeSet<u32>>(), &children);
                for &child in children.iter().rev().chain(&children) {
                    let expected = Counted::by_definition(&records, |record| record.child == child, kind);
                    prop_assert_eq!(&Counted::from_child(tally.child(child).unwrap()), &expected);
                    let (mut values, mut persons) = (vec![0; VALUES], 0);
                    tally.add_values(0, child, &mut values).unwrap();
                    tally.add_persons(child, &mut persons).unwrap();
                    prop_assert_eq!((&values, persons), (&expected.values[0], expected.persons[0]));
                }
            }
        }
    }
}
