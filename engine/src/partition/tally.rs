//! Counts of a group's records by the child that each would fall to, in arrays that are used again: only counted
//! children are cleared.

use super::persons::PersonCounts;
use super::{GroupId, Partition};
use crate::progress::check_memory;
use crate::table::codes::{each_width, Width};
use crate::{pace, Code, Error};
use std::ops::Range;

/// Counts of a group by the children of its node on one column.
#[derive(Debug, Default)]
pub struct Tally {
    /// Number of rows by child (by code under suppression).
    pub records: Vec<u32>,
    /// Children with records. Beside a population some may have no row of the table.
    pub touched: Vec<u32>,
    /// Whether each child has records. Empty unless some may stand for no row.
    has_records: Vec<bool>,
    /// Number of rows by child and value of each sensitive column. Empty if the column counts persons.
    sensitive: Vec<Vec<u32>>,
    /// Number of values of each sensitive column.
    cardinalities: Vec<usize>,
    /// Persons by child, if they are counted.
    persons: Option<PersonCounts>,
    /// Persons by child and value of each sensitive column that counts them.
    value_persons: Vec<Option<PersonCounts>>,
}

impl Tally {
    /// Makes an empty tally for `arms` children and the sensitive columns' `cardinalities`.
    pub fn new(arms: usize, cardinalities: Vec<usize>) -> Result<Tally, Error> {
        // `records` and `touched`.
        check_memory::<[u32; 2]>(arms)?;
        let mut sensitive = Vec::with_capacity(cardinalities.len());
        for &values in &cardinalities {
            check_memory::<u32>(arms.saturating_mul(values))?;
            sensitive.push(vec![0; arms * values]);
        }
        Ok(Tally {
            records: vec![0; arms],
            touched: Vec::new(),
            has_records: Vec::new(),
            sensitive,
            value_persons: cardinalities.iter().map(|_| None).collect(),
            cardinalities,
            persons: None,
        })
    }

    /// Makes room for `arms` children. A replay may divide a group into more parts than a node has children.
    pub fn widen(&mut self, arms: usize) -> Result<(), Error> {
        if arms <= self.records.len() {
            return Ok(());
        }
        // A growing array is copied, so both copies are held at once.
        check_memory::<[u32; 4]>(arms)?;
        for (counts, &values) in self.sensitive.iter().zip(&self.cardinalities) {
            check_memory::<[u32; 2]>(if counts.is_empty() { 0 } else { arms.saturating_mul(values) })?;
        }
        self.records.resize(arms, 0);
        if !self.has_records.is_empty() {
            self.has_records.resize(arms, false);
        }
        for (counts, &n) in self.sensitive.iter_mut().zip(&self.cardinalities) {
            if !counts.is_empty() {
                counts.resize(arms * n, 0);
            }
        }
        let mut persons = self.persons.iter_mut().chain(self.value_persons.iter_mut().flatten());
        persons.try_for_each(|persons| persons.widen(arms))
    }

    /// Adds room for records that stand for no row.
    pub fn with_population(mut self) -> Result<Tally, Error> {
        check_memory::<bool>(self.records.len())?;
        self.has_records = vec![false; self.records.len()];
        Ok(self)
    }

    /// Adds room to count persons.
    pub fn with_persons(mut self) -> Result<Tally, Error> {
        self.persons = Some(PersonCounts::new(self.records.len(), 1)?);
        Ok(self)
    }

    /// Adds room to count the persons who hold each value of the `s`-th sensitive column.
    pub fn with_holders(mut self, s: usize) -> Result<Tally, Error> {
        self.sensitive[s] = Vec::new();
        self.value_persons[s] = Some(PersonCounts::new(self.records.len(), self.cardinalities[s])?);
        Ok(self)
    }

    /// Returns the number of persons with records in a child, if persons are counted.
    pub fn persons(&self, arm: u32) -> u32 {
        self.persons.as_ref().map_or(0, |persons| persons.in_child(arm)[0])
    }

    /// Returns the number of persons in the group.
    pub fn all_persons(&self) -> u32 {
        self.persons.as_ref().map_or(0, |persons| persons.in_group()[0])
    }

    /// Returns the number of persons without a child's records.
    pub fn persons_without(&self, arm: u32) -> u32 {
        self.persons.as_ref().map_or(0, |persons| persons.in_group()[0] - persons.only_in_child(arm)[0])
    }

    /// Returns the number of persons with records in no other child.
    pub fn persons_only_in(&self, arm: u32) -> u32 {
        self.persons.as_ref().map_or(0, |persons| persons.only_in_child(arm)[0])
    }

    /// Returns whether persons are counted.
    pub fn counts_persons(&self) -> bool {
        self.persons.is_some()
    }

    /// Returns the counts of a child by value of the `s`-th sensitive column: numbers of rows, or of persons if the
    /// column counts them.
    pub fn values(&self, s: usize, arm: u32) -> &[u32] {
        if let Some(persons) = &self.value_persons[s] {
            return persons.in_child(arm);
        }
        let n = self.cardinalities[s];
        &self.sensitive[s][arm as usize * n..][..n]
    }

    /// Returns the numbers of persons by value of the `s`-th sensitive column, if it counts them: in the group, and in
    /// this child only.
    pub fn persons_per_value(&self, s: usize, arm: u32) -> Option<(&[u32], &[u32])> {
        self.value_persons[s].as_ref().map(|persons| (persons.in_group(), persons.only_in_child(arm)))
    }

    /// Returns the number of sensitive columns.
    pub fn sensitive_columns(&self) -> usize {
        self.cardinalities.len()
    }

    /// Returns the number of values of all sensitive columns.
    pub fn all_values(&self) -> usize {
        self.cardinalities.iter().fold(0, |sum, &n| sum.saturating_add(n))
    }

    /// Adds rows to a child.
    #[inline]
    fn add(&mut self, arm: u32, records: u32) {
        let count = &mut self.records[arm as usize];
        if *count == 0 {
            self.touched.push(arm);
        }
        *count += records;
    }

    /// Marks a child as having records, even if these stand for no rows.
    #[inline]
    fn mark(&mut self, arm: u32) {
        if !std::mem::replace(&mut self.has_records[arm as usize], true) {
            self.touched.push(arm);
        }
    }

    /// Resets all counts.
    fn clear(&mut self) -> Result<(), Error> {
        for arm in self.touched.drain(..) {
            pace::tick(1)?;
            self.records[arm as usize] = 0;
            self.has_records.get_mut(arm as usize).into_iter().for_each(|seen| *seen = false);
            self.persons.iter_mut().for_each(|persons| persons.reset_child(arm));
            for ((counts, persons), &n) in
                self.sensitive.iter_mut().zip(&mut self.value_persons).zip(&self.cardinalities)
            {
                pace::tick(n)?;
                match persons {
                    Some(persons) => persons.reset_child(arm),
                    None => counts[arm as usize * n..][..n].fill(0),
                }
            }
        }
        Ok(())
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
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let of_rows = self.persons.is_none() && self.population.is_none();
        if let Some(part_of_code) = part_of_code.filter(|_| of_rows) {
            let values = tally.cardinalities.iter().copied().max().unwrap_or(1);
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
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
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
            self.count_values(run.clone(), s, &mut counts[..tally.cardinalities[s]])?;
        }
        Ok(())
    }

    /// Counts the records of a run by child.
    fn count_run<I: Iterator<Item = u32> + Clone>(
        &self,
        run: Range<usize>,
        arms: impl Fn(Range<usize>) -> I,
        tally: &mut Tally,
    ) -> Result<(), Error> {
        for run in pace::ranges(run) {
            let run = run?;
            let arms = arms(run.clone());
            match &self.weights {
                Some(weights) => each_width!(weights, weights => {
                    let weights = weights[run.clone()].iter().map(|weight| weight.to_code());
                    self.count_weighted(run, arms.zip(weights), tally)
                }),
                None => self.count_weighted(run, arms.map(|arm| (arm, 1)), tally),
            }
        }
        Ok(())
    }

    /// Counts records by code and sensitive value, and sums up these cells by child. So no record has to wait for the
    /// test whether its child is new.
    fn count_by_code(
        &self,
        run: Range<usize>,
        place: usize,
        part_of_code: &[u32],
        tally: &mut Tally,
    ) -> Result<(), Error> {
        let codes = 0..part_of_code.len() as Code;
        for s in 0..tally.cardinalities.len() {
            let values = tally.cardinalities[s];
            let mut cells = vec![0; codes.len() * values];
            self.count_cells(run.clone(), place, codes.clone(), Some((s, values)), &mut cells)?;
            for (&arm, cells) in part_of_code.iter().zip(cells.chunks_exact(values.max(1))) {
                pace::tick(values)?;
                let records: u32 = cells.iter().sum();
                if records > 0 {
                    if s == 0 {
                        tally.add(arm, records);
                    }
                    let counts = &mut tally.sensitive[s][arm as usize * values..][..values];
                    counts.iter_mut().zip(cells).for_each(|(count, cell)| *count += cell);
                }
            }
        }
        if tally.cardinalities.is_empty() {
            let mut cells = vec![0; codes.len()];
            self.count_cells(run, place, codes, None, &mut cells)?;
            pace::each(part_of_code.iter().zip(cells), |(&arm, records)| {
                if records > 0 {
                    tally.add(arm, records);
                }
            })?;
        }
        Ok(())
    }

    /// Counts a run of records, given the child and the weight of each.
    fn count_weighted(
        &self,
        run: Range<usize>,
        records: impl Iterator<Item = (u32, u32)> + Clone,
        tally: &mut Tally,
    ) {
        if self.population.is_some() {
            for (arm, weight) in records.clone() {
                tally.mark(arm);
                tally.records[arm as usize] += weight;
            }
        } else {
            for (arm, weight) in records.clone() {
                tally.add(arm, weight);
            }
        }
        if let (Some(column), Some(persons)) = (&self.persons, &mut tally.persons) {
            each_width!(column, column => {
                let of = column[run.clone()].iter().map(|person| person.to_code());
                records.clone().zip(of).for_each(|((arm, _), person)| persons.add(arm, 0, person));
            });
        }
        for (s, column) in self.sensitive_columns.iter().enumerate() {
            if let (Some(persons), Some(held_by)) = (&self.persons, &mut tally.value_persons[s]) {
                each_width!(column, column => {
                    let of = column[run.clone()].iter().zip(run.clone());
                    for ((arm, _), (value, record)) in records.clone().zip(of) {
                        held_by.add(arm, value.index(), persons.get(record));
                    }
                });
                continue;
            }
            let (values, counts) = (tally.cardinalities[s], &mut tally.sensitive[s][..]);
            if let Some((_, weights)) = self.population.as_ref().filter(|(of, _)| *of == s) {
                // The column of a population has one value, 0.
                each_width!(weights, weights => {
                    for ((arm, _), weight) in records.clone().zip(&weights[run.clone()]) {
                        counts[arm as usize * values] += weight.to_code();
                    }
                });
                continue;
            }
            each_width!(column, column => {
                for ((arm, weight), value) in records.clone().zip(&column[run.clone()]) {
                    counts[arm as usize * values + value.to_code() as usize] += weight;
                }
            });
        }
    }
}
