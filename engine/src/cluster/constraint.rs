//! The condition for a complete cluster: it has enough rows, and every privacy model holds for it. In k-member
//! clustering k rows suffice, without any model.

use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::check_memory;
use crate::table::Codes;
use crate::{pace, Code, Error};
use hashbrown::hash_map::Entry;
use hashbrown::HashMap;
use smallvec::{smallvec, SmallVec};

/// Cost of measuring a cluster, in looks at a record; its sensitive values cost one look each in addition.
const MEASURE_COST: usize = 4;

/// Strictness in the choice of a cluster's next record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Strictness {
    /// It improves every measure that breaks a model.
    EveryMeasure,
    /// It improves at least one of these measures and worsens none of them.
    AnyMeasure,
}

/// The condition for a complete cluster.
pub struct Constraint<'m> {
    /// Lower bound of the rows of a cluster.
    min_rows: u32,
    /// Whether all rows of a record must be in one cluster, of any size.
    pub(crate) keeps_duplicates: bool,
    /// The models, each with the index in `sensitive` of the column that it counts.
    models: Vec<(&'m PrivacyModel, Option<usize>)>,
    /// The sensitive columns, each with its number of values.
    sensitive: Vec<(&'m Codes, usize)>,
    /// Person of each record; None if no model counts persons.
    persons: Option<&'m Codes>,
    /// Whether any `min_rows` rows make a complete cluster.
    rows_suffice: bool,
}

/// Counts of a cluster.
#[derive(Debug, Default)]
pub(crate) struct ClusterCounts {
    pub rows: u32,
    /// Rows of each person.
    persons: HashMap<Code, u32>,
    sensitive: Vec<Vec<u32>>,
    /// Known answers of [`Constraint::improves`], by the sensitive values and whether the person is new to the cluster.
    improves: HashMap<(Vec<Code>, bool, Strictness), bool>,
    /// The cluster's measures, if computed.
    measures: Option<Vec<f64>>,
}

impl<'m> Constraint<'m> {
    /// Requires a number of rows.
    pub fn min_rows(min_rows: u32, keeps_duplicates: bool) -> Constraint<'m> {
        let (models, sensitive) = (Vec::new(), Vec::new());
        Constraint { min_rows, keeps_duplicates, models, sensitive, persons: None, rows_suffice: true }
    }

    /// Also requires `models`, each with the index of the sensitive column that it counts.
    pub(crate) fn with_models(
        mut self,
        models: Vec<(&'m PrivacyModel, Option<usize>)>,
        sensitive: Vec<(&'m Codes, usize)>,
        persons: Option<&'m Codes>,
    ) -> Result<Constraint<'m>, Error> {
        (self.models, self.sensitive, self.persons) = (models, sensitive, persons);
        self.rows_suffice = self.sensitive.is_empty()
            && self.persons.is_none()
            && self.is_complete(&ClusterCounts { rows: self.min_rows, ..ClusterCounts::default() })?;
        Ok(self)
    }

    /// Returns the cost of trying a record, including the measures of the cluster: 1 if only rows are counted.
    pub(crate) fn trial_cost(&self) -> usize {
        if self.rows_suffice {
            return 1;
        }
        self.sensitive.iter().fold(MEASURE_COST, |sum, (_, values)| sum.saturating_add(*values))
    }

    /// Returns the counts of no record.
    pub(crate) fn empty(&self) -> Result<ClusterCounts, Error> {
        let values = self.sensitive.iter().map(|(_, values)| *values);
        values.clone().try_for_each(check_memory::<u32>)?;
        Ok(ClusterCounts { sensitive: values.map(|values| vec![0; values]).collect(), ..Default::default() })
    }

    /// Adds rows of a record to the counts.
    pub(crate) fn add(&self, counts: &mut ClusterCounts, record: u32, rows: u32) {
        counts.improves.clear();
        counts.measures = None;
        self.add_rows(counts, record, rows);
    }

    fn add_rows(&self, counts: &mut ClusterCounts, record: u32, rows: u32) {
        let record = record as usize;
        counts.rows += rows;
        for ((codes, _), counts) in self.sensitive.iter().zip(&mut counts.sensitive) {
            counts[codes.get(record) as usize] += rows;
        }
        if let Some(persons) = &self.persons {
            *counts.persons.entry(persons.get(record)).or_insert(0) += rows;
        }
    }

    /// Subtracts rows that were added last. The cached answers are those of before.
    fn remove_rows(&self, counts: &mut ClusterCounts, record: u32, rows: u32) {
        let record = record as usize;
        counts.rows -= rows;
        for ((codes, _), counts) in self.sensitive.iter().zip(&mut counts.sensitive) {
            counts[codes.get(record) as usize] -= rows;
        }
        if let Some(persons) = &self.persons {
            if let Entry::Occupied(mut person) = counts.persons.entry(persons.get(record)) {
                *person.get_mut() -= rows;
                if *person.get() == 0 {
                    person.remove();
                }
            }
        }
    }

    /// Returns whether a cluster is complete.
    pub(crate) fn is_complete(&self, counts: &ClusterCounts) -> Result<bool, Error> {
        if counts.rows < self.min_rows {
            return Ok(false);
        }
        for &(model, sensitive) in &self.models {
            let mut measures: SmallVec<[f64; 8]> = smallvec![0.0; model.requirements()];
            model.measure(counts.group(sensitive), &mut measures)?;
            if !measures.iter().all(|&measure| model.holds(measure)) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether a cluster would be complete with rows of a record added.
    pub(crate) fn is_complete_with(
        &self,
        counts: &mut ClusterCounts,
        record: u32,
        rows: u32,
    ) -> Result<bool, Error> {
        self.add_rows(counts, record, rows);
        let is_complete = self.is_complete(counts);
        self.remove_rows(counts, record, rows);
        is_complete
    }

    /// Returns whether one more row of a record brings a cluster nearer to being complete.
    pub(crate) fn improves(
        &self,
        counts: &mut ClusterCounts,
        record: u32,
        strictness: Strictness,
    ) -> Result<bool, Error> {
        if self.rows_suffice {
            return Ok(true);
        }
        let values = self.sensitive.iter().map(|(codes, _)| codes.get(record as usize)).collect();
        let person = self.persons.as_ref().map(|persons| persons.get(record as usize));
        let is_new = person.is_some_and(|person| !counts.persons.contains_key(&person));
        let key = (values, is_new, strictness);
        if let Some(&known) = counts.improves.get(&key) {
            return Ok(known);
        }
        let improves = self.compute_improves(counts, record, strictness)?;
        counts.improves.insert(key, improves);
        Ok(improves)
    }

    fn compute_improves(
        &self,
        counts: &mut ClusterCounts,
        record: u32,
        strictness: Strictness,
    ) -> Result<bool, Error> {
        let before = match counts.measures.take() {
            Some(known) => known,
            None => self.measures(counts)?,
        };
        self.add_rows(counts, record, 1);
        let after = self.measures(counts);
        self.remove_rows(counts, record, 1);
        let after = after?;
        let (mut all, mut some, mut worse) = (true, false, false);
        let models =
            self.models.iter().flat_map(|(model, _)| std::iter::repeat_n(model, model.requirements()));
        for (model, (&before, &after)) in models.zip(before.iter().zip(&after)) {
            if model.holds(before) {
                continue;
            }
            let is_worse = |one: f64, other: f64| one != other && model.direction().worse(one, other) == one;
            all &= is_worse(before, after);
            some |= is_worse(before, after);
            worse |= is_worse(after, before);
        }
        counts.measures = Some(before);
        Ok(match strictness {
            Strictness::EveryMeasure => all,
            Strictness::AnyMeasure => some && !worse,
        })
    }

    /// Measures a cluster, by requirement.
    fn measures(&self, counts: &ClusterCounts) -> Result<Vec<f64>, Error> {
        let mut measures = Vec::new();
        for &(model, sensitive) in &self.models {
            let first = measures.len();
            measures.resize(first + model.requirements(), 0.0);
            pace::tick(model.requirements())?;
            model.measure(counts.group(sensitive), &mut measures[first..])?;
        }
        Ok(measures)
    }

    /// Returns the number of rows of a record to add at once, if the record has them.
    pub(crate) fn batch(&self, counts: &ClusterCounts) -> u32 {
        match (self.keeps_duplicates, self.rows_suffice) {
            (true, _) => u32::MAX,
            (false, true) => self.min_rows.saturating_sub(counts.rows).max(1),
            (false, false) => 1,
        }
    }

    /// Returns whether a number of rows can suffice for a cluster.
    pub(crate) fn is_feasible(&self, rows: u64) -> bool {
        rows >= u64::from(self.min_rows)
    }
}

impl ClusterCounts {
    /// Returns the counts that a model looks at.
    fn group(&self, sensitive: Option<usize>) -> GroupCounts<'_> {
        let sensitive = sensitive.map_or(&[][..], |s| &self.sensitive[s]);
        GroupCounts { records: self.rows, persons: self.persons.len() as u32, counts: sensitive }
    }
}
