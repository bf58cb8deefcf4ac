//! Counts of the rows, persons and sensitive values of a group or of a part of it.

use crate::partition::{Child, Tally};
use crate::progress::filled;
use crate::{pace, Code, Error};

/// Counts of a whole group, of a part, or of the rest that a disclosure leaves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Counts {
    pub records: u32,
    /// Persons cannot be subtracted like rows, because one person may have rows in several parts.
    pub persons: u32,
    sensitive: Vec<Vec<u32>>,
}

impl Counts {
    /// Returns the counts of one child of a tally.
    pub fn from_child(child: Child) -> Result<Counts, Error> {
        let counts = |s: usize| pace::collect(child.values(s).iter().copied());
        Counts::by_column(child, child.persons(), counts)
    }

    /// Returns the counts that the group would lose with one child. A person with rows in other children is not lost.
    pub fn loss_with_child(child: Child) -> Result<Counts, Error> {
        let lost = |s: usize| pace::collect(child.lost_values(s).iter().copied());
        Counts::by_column(child, child.lost_persons(), lost)
    }

    /// Returns the counts of one child, with 0 for all counts of persons.
    pub fn rows_of_child(child: Child) -> Result<Counts, Error> {
        Counts::by_column(child, 0, |s| match child.counts_persons_per_value(s) {
            true => filled(0, child.values(s).len()),
            false => pace::collect(child.values(s).iter().copied()),
        })
    }

    fn by_column(
        child: Child,
        persons: u32,
        counts: impl Fn(usize) -> Result<Vec<u32>, Error>,
    ) -> Result<Counts, Error> {
        let sensitive = (0..child.sensitive_columns()).map(counts).collect::<Result<_, _>>()?;
        Ok(Counts { records: child.records(), persons, sensitive })
    }

    /// Returns whether no rows are counted, neither of the table nor of a population.
    pub fn are_zero(&self) -> bool {
        self.records == 0 && self.sensitive.iter().flatten().all(|&count| count == 0)
    }

    /// Returns the number of persons, or of the holders of a value if a sensitive column is given.
    pub fn holders_mut(&mut self, column: Option<usize>, value: Code) -> &mut u32 {
        match column {
            Some(s) => &mut self.sensitive[s][value as usize],
            None => &mut self.persons,
        }
    }

    /// Returns zero counts of the same shape as `whole`.
    pub fn zero_like(whole: &Counts) -> Result<Counts, Error> {
        let none = |counts: &Vec<u32>| pace::collect(counts.iter().map(|_| 0));
        let sensitive = whole.sensitive.iter().map(none).collect::<Result<_, _>>()?;
        Ok(Counts { records: 0, persons: 0, sensitive })
    }

    /// Moves `rows` from `others` to `self`. `come` persons are new in `self`, and `gone` persons have no row left in
    /// `others`.
    pub fn move_rows(&mut self, others: &mut Counts, rows: u32, (come, gone): (u32, u32)) {
        self.records += rows;
        others.records -= rows;
        self.persons += come;
        others.persons -= gone;
    }

    /// Returns the counts of all children of a tally together.
    pub fn whole(tally: &Tally) -> Result<Counts, Error> {
        let mut whole = Counts::zero_for_tally(tally);
        tally.touched.iter().try_for_each(|&child| whole.add(tally, child))?;
        whole.persons = tally.persons();
        // A holder of a value in several children was counted in each.
        for (s, counts) in whole.sensitive.iter_mut().enumerate() {
            if let Some(all) = tally.persons_per_value(s) {
                counts.copy_from_slice(all);
            }
        }
        Ok(whole)
    }

    /// Returns zero counts of the same shape as a tally.
    pub fn zero_for_tally(tally: &Tally) -> Counts {
        Counts {
            records: 0,
            persons: 0,
            sensitive: tally.cardinalities().map(|values| vec![0; values]).collect(),
        }
    }

    /// Adds a child of a tally. A person with rows in both is counted twice, also as a holder of a value.
    pub fn add(&mut self, tally: &Tally, child: u32) -> Result<(), Error> {
        pace::tick(1)?;
        self.records += tally.records[child as usize];
        tally.add_persons(child, &mut self.persons)?;
        let mut sensitive = self.sensitive.iter_mut().enumerate();
        sensitive.try_for_each(|(s, counts)| tally.add_values(s, child, counts))
    }

    /// Moves counts of a value of the `s`-th sensitive column: `come` rows or holders are new in `self`, and `gone` are
    /// no longer in `others`.
    pub fn move_value(&mut self, others: &mut Counts, s: usize, value: Code, (come, gone): (u32, u32)) {
        self.sensitive[s][value as usize] += come;
        others.sensitive[s][value as usize] -= gone;
    }

    /// Returns the count of each value of the `s`-th sensitive column.
    pub fn value_counts(&self, s: usize) -> &[u32] {
        &self.sensitive[s]
    }

    /// Number of integers that the counts take, without that of the persons.
    pub fn len(&self) -> usize {
        self.sensitive.iter().fold(1, |sum, counts| sum + counts.len())
    }

    /// Subtracts a part. The persons that it counts must have no row in the rest.
    pub fn remove(&mut self, part: &Counts) -> Result<(), Error> {
        self.records -= part.records;
        self.persons -= part.persons;
        for (counts, part) in self.sensitive.iter_mut().zip(&part.sensitive) {
            pace::each(counts.iter_mut().zip(part), |(count, part)| *count -= part)?;
        }
        Ok(())
    }

    /// Copies counts of the same shape, without allocating.
    pub fn copy_from(&mut self, other: &Counts) -> Result<(), Error> {
        (self.records, self.persons) = (other.records, other.persons);
        for (counts, other) in self.sensitive.iter_mut().zip(&other.sensitive) {
            pace::each(counts.iter_mut().zip(other), |(count, &other)| *count = other)?;
        }
        Ok(())
    }

    /// Sets `self` to `whole` without the records of one child.
    pub fn set_to_rest(&mut self, whole: &Counts, child: Child) -> Result<(), Error> {
        self.records = whole.records - child.records();
        self.persons = whole.persons - child.lost_persons();
        for (s, (rest, all)) in self.sensitive.iter_mut().zip(&whole.sensitive).enumerate() {
            let counts = rest.iter_mut().zip(all).zip(child.lost_values(s));
            pace::each(counts, |((rest, all), lost)| *rest = all - lost)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Also in release builds: a count that wraps would look like a very large group.
    #[test]
    #[should_panic(expected = "subtract with overflow")]
    fn counts_do_not_wrap() {
        let counts = |records| Counts { records, persons: 0, sensitive: vec![vec![records]] };
        let _ = counts(1).remove(&counts(2));
    }
}
