//! Models of sensitive values, tested on the rows of each count of a column.
//!
//! If a suppressed value has a count, and so enough rows, a reader infers that a model of a sensitive value suppresses
//! it. Together with the sensitive values beside `*` in the view, this often reveals the value of its rows. So these
//! models have to hold for the rows of each count, or it is merged with others.

use crate::measure::{each_record, record_rows};
use crate::privacy::{GroupCounts, PrivacyModel};
use crate::progress::{check_table_memory, filled, with_capacity};
use crate::table::{CodedColumn, Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;

/// A model, with the sensitive values of each code of a column.
pub struct CodeModel {
    model: PrivacyModel,
    /// Cardinality of the sensitive column.
    values: usize,
    /// Sorted by code.
    holdings: Vec<Holding>,
}

/// A sensitive value that rows with a code hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Holding {
    code: Code,
    value: Code,
    /// Number of these rows; if persons are counted, one person who has such rows.
    rows_or_person: u32,
}

impl CodeModel {
    /// Makes a model over the column's `codes`. `sensitive` is the model's sensitive column. `persons` has the person
    /// of each record, if the model counts persons.
    pub fn new(
        model: PrivacyModel,
        codes: &Store,
        weights: Option<&Codes>,
        sensitive: CodedColumn,
        persons: Option<&Store>,
    ) -> Result<CodeModel, Error> {
        let persons = persons.filter(|_| model.person().is_some());
        let mut holdings = with_capacity(codes.len())?;
        each_record([codes, sensitive.codes, persons.unwrap_or(codes)], |record, [code, value, person]| {
            let rows = || record_rows(weights, record) as u32;
            let rows_or_person = if persons.is_some() { person } else { rows() };
            holdings.push(Holding { code, value, rows_or_person });
        })?;
        pace::sort_by(&mut holdings, Ord::cmp)?;
        match persons {
            Some(_) => holdings.dedup(),
            None => holdings.dedup_by(|next, one| {
                let is_same = (next.code, next.value) == (one.code, one.value);
                one.rows_or_person += if is_same { next.rows_or_person } else { 0 };
                is_same
            }),
        }
        holdings.shrink_to_fit();
        Ok(CodeModel { model, values: sensitive.cardinality, holdings })
    }

    /// Returns true if the model holds for the rows of some codes.
    pub(super) fn holds(&self, codes: &[Range<Code>]) -> Result<bool, Error> {
        let start = |code: Code| self.holdings.partition_point(|holding| holding.code < code);
        let holdings = codes.iter().map(|codes| &self.holdings[start(codes.start)..start(codes.end)]);
        let mut counts = filled(0, self.values)?;
        let (records, persons) = match self.model.person() {
            None => (count_rows(holdings, &mut counts)?, 0),
            Some(_) => count_persons(holdings, &mut counts)?,
        };
        pace::tick(self.values)?;
        let group = GroupCounts { records, persons, counts: &counts };
        let mut measures = vec![0.0; self.model.requirements()];
        self.model.measure(group, &mut measures)?;
        Ok(measures.iter().all(|&measure| self.model.holds(measure)))
    }
}

/// Adds up the rows of each value, and returns those of all.
fn count_rows<'h>(
    holdings: impl Iterator<Item = &'h [Holding]>,
    rows_of_values: &mut [u32],
) -> Result<u32, Error> {
    let mut rows = 0;
    pace::each(holdings.flatten(), |holding| {
        rows += holding.rows_or_person;
        rows_of_values[holding.value as usize] += holding.rows_or_person;
    })?;
    Ok(rows)
}

/// Counts the persons of each value. Returns the number of holdings, at most that of the rows, and of all persons.
fn count_persons<'h>(
    holdings: impl Iterator<Item = &'h [Holding]>,
    persons_of_values: &mut [u32],
) -> Result<(u32, u32), Error> {
    let (mut count, mut persons, mut pairs) = (0, HashSet::new(), HashSet::new());
    for holdings in holdings {
        let most = persons.len().max(pairs.len()) + holdings.len();
        check_table_memory::<Code>(most)?;
        check_table_memory::<(Code, Code)>(most)?;
        count += holdings.len() as u32;
        pace::each(holdings, |&Holding { value, rows_or_person: person, .. }| {
            persons.insert(person);
            persons_of_values[value as usize] += u32::from(pairs.insert((person, value)));
        })?;
    }
    Ok((count, persons.len() as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::privacy::Diversity;

    #[test]
    fn rows_and_persons() {
        // Code 0 has one value, of the persons 0 and 1. Code 1 has two values, both of person 3.
        let [codes, values, persons] = [[0, 0, 1, 1], [5, 5, 5, 2], [0, 1, 3, 3]].map(Store::from_iter);
        let values = CodedColumn { codes: &values, cardinality: 6 };
        let two = PrivacyModel::l_diversity(vec![0], 0, Diversity::Distinct { l: 2.0 });
        let model = CodeModel::new(two, &codes, None, values, None).unwrap();
        assert_eq!([0..1, 1..2, 0..2].map(|codes| model.holds(&[codes]).unwrap()), [false, true, true]);
        let entropy = PrivacyModel::l_diversity(vec![0], 0, Diversity::Entropy { l: 1.5 });
        let entropy = entropy.counting_persons(0);
        let model = CodeModel::new(entropy, &codes, None, values, Some(&persons)).unwrap();
        assert_eq!([0..1, 1..2].map(|codes| model.holds(&[codes]).unwrap()), [false, true]);
    }
}
