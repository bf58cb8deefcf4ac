//! Models of sensitive values, tested on the rows of each count of a column.
//!
//! If a suppressed value has a count, and so enough rows, a reader infers that a model of a sensitive value suppresses
//! it. Together with the sensitive values beside `*` in the view, this often reveals the value of its rows. So these
//! models have to hold for the rows of each count, or it is merged with others.

use crate::measure::{each_record, record_rows};
use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::{check_table_memory, filled, with_capacity};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// A model, with the sensitive values of each code of a column.
pub struct CodeModel {
    model: PrivacyModel,
    /// Cardinality of the sensitive column.
    values: usize,
    /// Code, sensitive value, and the number of rows. If persons are counted, a person takes the place of the number.
    held: Vec<(Code, Code, u32)>,
}

impl CodeModel {
    /// Makes a model over the column's `codes`. `sensitive` has the codes of the model's sensitive column, which are
    /// below `values`. `persons` has the person of each record, if the model counts persons.
    pub fn new(
        model: PrivacyModel,
        codes: &Store,
        weights: Option<&Codes>,
        (sensitive, values): (&Store, usize),
        persons: Option<&Store>,
    ) -> Result<CodeModel, Error> {
        let persons = persons.filter(|_| model.person().is_some());
        let mut held = with_capacity(codes.len())?;
        each_record([codes, sensitive, persons.unwrap_or(codes)], |record, [code, value, person]| {
            let rows = || record_rows(weights, record) as u32;
            held.push((code, value, if persons.is_some() { person } else { rows() }));
        })?;
        pace::sort_by(&mut held, Ord::cmp)?;
        // Keeps each person once, or sums up the rows.
        held.dedup_by(|next, one| {
            let same = (next.0, next.1) == (one.0, one.1) && (persons.is_none() || next.2 == one.2);
            if same && persons.is_none() {
                one.2 += next.2;
            }
            same
        });
        held.shrink_to_fit();
        Ok(CodeModel { model, values, held })
    }

    /// Returns true if the model holds for the rows of some codes.
    pub(super) fn holds(&self, codes: &[Range<Code>]) -> Result<bool, Error> {
        let CodeModel { model, values, held } = self;
        let (mut records, mut sensitive) = (0, filled(0, *values)?);
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
        let two = PrivacyModel::l_diversity(vec![0], 0, Diversity::Distinct { l: 2.0 });
        let model = CodeModel::new(two, &codes, None, (&values, 6), None).unwrap();
        assert_eq!([0..1, 1..2, 0..2].map(|codes| model.holds(&[codes]).unwrap()), [false, true, true]);
        let entropy = PrivacyModel::l_diversity(vec![0], 0, Diversity::Entropy { l: 1.5 });
        let entropy = entropy.counting_persons(0);
        let model = CodeModel::new(entropy, &codes, None, (&values, 6), Some(&persons)).unwrap();
        assert_eq!([0..1, 1..2].map(|codes| model.holds(&[codes]).unwrap()), [false, true]);
    }
}
