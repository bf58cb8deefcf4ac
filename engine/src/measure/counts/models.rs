//! Models of sensitive values, tested on the rows of each count of a column.
//!
//! If a suppressed value has a count, and so enough rows, a reader infers that a model of a sensitive value suppresses
//! it. Together with the sensitive values beside `*` in the view, this often reveals the value of its rows. So these
//! models have to hold for the rows of each count, or it is merged with others.

use crate::measure::information::record_rows;
use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::{check_memory, check_table_memory};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// Models, with the sensitive values of each code of a column.
#[derive(Default)]
pub struct CodeModels {
    models: Vec<CodeModel>,
}

struct CodeModel {
    model: PrivacyModel,
    /// Cardinality of the sensitive column.
    values: usize,
    /// Code, sensitive value, and the number of rows. If persons are counted, a person takes the place of the number.
    held: Vec<(Code, Code, u32)>,
}

impl CodeModels {
    /// Adds a model over the column's `codes`. `sensitive` has the codes of the model's sensitive column, which are
    /// below `values`. `persons` has the person of each record, if the model counts persons.
    pub fn add(
        &mut self,
        model: PrivacyModel,
        (codes, weights): (&Store, Option<&Codes>),
        (sensitive, values): (&Store, usize),
        persons: Option<&Store>,
    ) -> Result<(), Error> {
        let persons = persons.filter(|_| model.person().is_some());
        check_memory::<[(Code, Code, u32); 2]>(codes.len())?;
        let mut held = Vec::with_capacity(codes.len());
        let [mut of_codes, mut of_values, mut whose] = [(); 3].map(|()| Vec::new());
        for records in pace::ranges(0..codes.len()) {
            let records = records?;
            let codes = codes.fetch(records.clone(), &mut of_codes)?;
            let sensitive = sensitive.fetch(records.clone(), &mut of_values)?;
            let persons = persons.map(|persons| persons.fetch(records.clone(), &mut whose)).transpose()?;
            for (at, record) in records.enumerate() {
                let rows = persons.map_or_else(|| record_rows(weights, record) as u32, |persons| persons[at]);
                held.push((codes[at], sensitive[at], rows));
            }
        }
        pace::sort_by(&mut held, Ord::cmp)?;
        // Keeps each person once, or sums up the rows.
        let is_of_persons = persons.is_some();
        held.dedup_by(|next, one| {
            let same = (next.0, next.1) == (one.0, one.1) && (!is_of_persons || next.2 == one.2);
            if same && !is_of_persons {
                one.2 += next.2;
            }
            same
        });
        held.shrink_to_fit();
        self.models.push(CodeModel { model, values, held });
        Ok(())
    }

    /// Returns true if all models hold for the rows of some codes.
    pub(super) fn hold(&self, codes: &[Range<Code>]) -> Result<bool, Error> {
        for model in &self.models {
            if !model.holds(codes)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl CodeModel {
    fn holds(&self, codes: &[Range<Code>]) -> Result<bool, Error> {
        let CodeModel { model, values, held } = self;
        check_memory::<u32>(*values)?;
        let (mut records, mut sensitive) = (0, vec![0; *values]);
        let (mut persons, mut holders) = (HashSet::new(), HashSet::new());
        for codes in codes {
            let at = |end: Code| held.partition_point(|&(code, ..)| code < end);
            let held = &held[at(codes.start)..at(codes.end)];
            if model.person().is_some() {
                let most = persons.len().max(holders.len()) + held.len();
                check_table_memory::<Code>(most)?;
                check_table_memory::<(Code, Code)>(most)?;
            }
            for &(_, value, rows) in held {
                pace::tick(1)?;
                if model.person().is_none() {
                    records += rows;
                    sensitive[value as usize] += rows;
                    continue;
                }
                records += 1;
                persons.insert(rows);
                sensitive[value as usize] += u32::from(holders.insert((rows, value)));
            }
        }
        pace::tick(*values)?;
        let group = GroupCounts { records, persons: persons.len() as u32, sensitive: &sensitive };
        let mut measures = vec![0.0; model.requirements()];
        model.measure(group, &mut measures)?;
        Ok(measures.iter().all(|&measure| model.holds(measure)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Diversity;

    #[test]
    fn rows_and_persons() {
        // Code 0 has one value, of the persons 0 and 1. Code 1 has two values, both of person 3.
        let [codes, values, persons] = [[0, 0, 1, 1], [5, 5, 5, 2], [0, 1, 3, 3]].map(Store::from_iter);
        let mut models = CodeModels::default();
        let two = || PrivacyModel::l_diversity(vec![0], 0, Diversity::Distinct { l: 2.0 });
        models.add(two(), (&codes, None), (&values, 6), None).unwrap();
        assert_eq!([0..1, 1..2, 0..2].map(|codes| models.hold(&[codes]).unwrap()), [false, true, true]);
        let mut models = CodeModels::default();
        let entropy =
            PrivacyModel::l_diversity(vec![0], 0, Diversity::Entropy { l: 1.5 }).counting_persons(0);
        models.add(entropy, (&codes, None), (&values, 6), Some(&persons)).unwrap();
        assert_eq!([0..1, 1..2].map(|codes| models.hold(&[codes]).unwrap()), [false, true]);
    }
}
