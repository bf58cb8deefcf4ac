//! The goal of a cluster inside a group: every privacy model holds for its records.

use crate::cluster::{Constraint, Strictness};
use crate::privacy::GroupCounts;
use crate::progress::check_memory;
use crate::search::measures::{Model, Models};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::hash_map::Entry;
use hashbrown::HashMap;

/// The models, and the columns of the records that they count.
pub(super) struct ModelConstraint<'m> {
    models: &'m Models,
    /// By model, the index in `sensitive` of the counted column.
    sensitive_of: Vec<Option<usize>>,
    /// The sensitive columns, each with its number of values.
    sensitive: Vec<(&'m Codes, usize)>,
    /// Person of each record; None if no model counts persons.
    persons: Option<&'m Codes>,
    /// Lower bound of the rows of a complete cluster.
    min_rows: u32,
    /// Whether all rows of a record must be in one cluster.
    keeps_duplicates: bool,
    /// Whether any `fewest` rows make a complete cluster.
    rows_suffice: bool,
}

/// Cost of measuring a cluster, in looks at a record; its sensitive values cost one look each in addition.
const MEASURE_COST: usize = 4;

#[derive(Debug, Clone)]
pub(super) struct ClusterCounts {
    records: u32,
    persons: HashMap<Code, u32>,
    sensitive: Vec<Vec<u32>>,
    /// Known answers of [`Constraint::improves`], by the sensitive values and whether the person is new to the cluster.
    helping: HashMap<(Vec<Code>, bool, Strictness), bool>,
    /// The cluster's measures, if computed.
    measures: Option<Vec<f64>>,
}

impl<'m> ModelConstraint<'m> {
    /// Makes the goal. `codes` begins with the `sensitive` columns, and ends with the persons if a model counts them.
    pub fn new(
        (models, sensitive_of): (&'m Models, Vec<Option<usize>>),
        (fewest, together): (u64, bool),
        sensitive: &[(&Store, usize)],
        codes: &'m [Codes],
    ) -> Result<ModelConstraint<'m>, Error> {
        let counts_persons = models.iter().any(|model| model.model.person().is_some());
        let persons = codes.last().filter(|_| counts_persons);
        let sensitive = codes.iter().zip(sensitive.iter().map(|column| column.1)).collect();
        let fewest = u32::try_from(fewest.max(1)).unwrap_or(u32::MAX);
        let mut goal = ModelConstraint {
            models,
            sensitive_of,
            sensitive,
            persons,
            min_rows: fewest,
            keeps_duplicates: together,
            rows_suffice: false,
        };
        goal.rows_suffice = goal.sensitive.is_empty()
            && goal.persons.is_none()
            && goal.is_complete(&ClusterCounts { records: fewest, ..goal.empty()? })?;
        Ok(goal)
    }

    /// Returns the cost of trying a record, including the measures of the cluster: 1 if only rows are counted.
    pub fn trial_cost(&self) -> usize {
        if self.rows_suffice {
            return 1;
        }
        self.sensitive.iter().fold(MEASURE_COST, |sum, (_, values)| sum.saturating_add(*values))
    }

    /// Returns the counts of a cluster that each model looks at.
    fn groups<'b>(
        &'b self,
        counted: &'b ClusterCounts,
    ) -> impl Iterator<Item = (usize, GroupCounts<'b>)> + Clone {
        let (records, persons) = (counted.records, counted.persons.len() as u32);
        self.sensitive_of.iter().enumerate().map(move |(m, s)| {
            let sensitive = s.map_or(&[][..], |s| &counted.sensitive[s]);
            (m, GroupCounts { records, persons, sensitive })
        })
    }

    /// Measures a cluster, by requirement.
    fn measures(&self, counted: &ClusterCounts) -> Result<Vec<f64>, Error> {
        let mut measures = self.models.best().to_vec();
        self.models.worsen_by_group(&mut measures, self.groups(counted))?;
        Ok(measures)
    }

    /// Returns whether one more row of a record improves the measures that break a model.
    fn compute_improves(
        &self,
        counted: &mut ClusterCounts,
        record: u32,
        help: Strictness,
    ) -> Result<bool, Error> {
        let before = match counted.measures.take() {
            Some(known) => known,
            None => self.measures(counted)?,
        };
        self.add_rows(counted, record, 1)?;
        let after = self.measures(counted)?;
        self.remove_rows(counted, record, 1)?;
        let (mut all, mut some, mut worse) = (true, false, false);
        for Model { model, requirements, .. } in self.models.iter().filter(|m| m.redundant.is_none()) {
            for r in requirements.clone().filter(|&r| !model.holds(before[r])) {
                let is_worse =
                    |one: f64, other: f64| one != other && model.direction().worse(one, other) == one;
                all &= is_worse(before[r], after[r]);
                some |= is_worse(before[r], after[r]);
                worse |= is_worse(after[r], before[r]);
            }
        }
        counted.measures = Some(before);
        Ok(match help {
            Strictness::EveryMeasure => all,
            Strictness::AnyMeasure => some && !worse,
        })
    }

    fn add_rows(&self, counted: &mut ClusterCounts, record: u32, rows: u32) -> Result<(), Error> {
        pace::tick(1)?;
        let record = record as usize;
        counted.records += rows;
        for ((codes, _), counts) in self.sensitive.iter().zip(&mut counted.sensitive) {
            counts[codes.get(record) as usize] += rows;
        }
        if let Some(persons) = &self.persons {
            *counted.persons.entry(persons.get(record)).or_insert(0) += rows;
        }
        Ok(())
    }

    fn remove_rows(&self, counted: &mut ClusterCounts, record: u32, rows: u32) -> Result<(), Error> {
        pace::tick(1)?;
        let record = record as usize;
        counted.records -= rows;
        for ((codes, _), counts) in self.sensitive.iter().zip(&mut counted.sensitive) {
            counts[codes.get(record) as usize] -= rows;
        }
        if let Some(persons) = &self.persons {
            if let Entry::Occupied(mut person) = counted.persons.entry(persons.get(record)) {
                *person.get_mut() -= rows;
                if *person.get() == 0 {
                    person.remove();
                }
            }
        }
        Ok(())
    }
}

impl Constraint for ModelConstraint<'_> {
    type Counted = ClusterCounts;

    fn empty(&self) -> Result<ClusterCounts, Error> {
        let values = self.sensitive.iter().map(|(_, values)| *values);
        values.clone().try_for_each(check_memory::<u32>)?;
        let sensitive = values.map(|values| vec![0; values]).collect();
        let (persons, helping, measures) = (HashMap::new(), HashMap::new(), None);
        Ok(ClusterCounts { records: 0, persons, sensitive, helping, measures })
    }

    fn add(&self, counted: &mut ClusterCounts, record: u32, rows: u32) -> Result<(), Error> {
        counted.helping.clear();
        counted.measures = None;
        self.add_rows(counted, record, rows)
    }

    fn remove(&self, counted: &mut ClusterCounts, record: u32, rows: u32) -> Result<(), Error> {
        counted.helping.clear();
        counted.measures = None;
        self.remove_rows(counted, record, rows)
    }

    fn is_complete(&self, counted: &ClusterCounts) -> Result<bool, Error> {
        Ok(counted.records >= self.min_rows && self.models.hold_for(self.groups(counted))?)
    }

    fn improves(&self, counted: &mut ClusterCounts, record: u32, help: Strictness) -> Result<bool, Error> {
        if self.rows_suffice {
            return Ok(true);
        }
        let values = self.sensitive.iter().map(|(codes, _)| codes.get(record as usize)).collect();
        let person = self.persons.as_ref().map(|persons| persons.get(record as usize));
        let is_new = person.is_some_and(|person| !counted.persons.contains_key(&person));
        let key = (values, is_new, help);
        if let Some(&known) = counted.helping.get(&key) {
            return Ok(known);
        }
        let improves = self.compute_improves(counted, record, help)?;
        counted.helping.insert(key, improves);
        Ok(improves)
    }

    fn batch(&self, counted: &ClusterCounts) -> u32 {
        if self.rows_suffice {
            return self.min_rows.saturating_sub(counted.records).max(1);
        }
        1
    }

    fn is_feasible(&self, rows: u64) -> bool {
        rows >= u64::from(self.min_rows)
    }

    fn keeps_duplicates(&self) -> bool {
        self.keeps_duplicates
    }
}
