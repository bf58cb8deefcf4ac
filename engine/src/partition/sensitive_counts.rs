//! Counts by child and value of a sensitive column: of the rows with the value, or of the persons who hold it.
//!
//! If only persons are counted, the column has one value.
//!
//! Counts of persons cannot be subtracted as those of rows can. If a child leaves the group, the group loses only the
//! persons whose records with the value are all in that child: they are *alone* there. One scan counts all persons of
//! each child and those alone there, because the records of a person follow each other.

use super::value_counts::ValueCounts;
use crate::progress::{filled, reserve};
use crate::table::codes::NONE;
use crate::{pace, Code, Error};

/// Counts by child and value.
#[derive(Debug)]
pub(super) struct SensitiveCounts {
    /// Rows, or persons with records in the child. A person with several values counts for each.
    pub by_child: ValueCounts,
    persons: Option<PersonCounts>,
}

/// Record of a person, as it is counted.
pub(super) struct PersonRecord {
    pub child: u32,
    pub value: Code,
    pub person: Code,
}

/// Further counts of persons.
#[derive(Debug)]
struct PersonCounts {
    /// Persons who are alone in the child.
    alone: ValueCounts,
    /// By value: persons in the group.
    all: Vec<u32>,
    /// Person whose records are being counted.
    person: Code,
    /// By value: the last person who holds it.
    last_holders: Vec<LastHolder>,
    /// Last person counted in each count of a dense child.
    last_counted: Vec<Code>,
    /// Sparse children of the person's records, and values.
    sparse: Vec<(u32, Code)>,
}

/// Last person who holds a value.
#[derive(Debug, Clone, Copy)]
struct LastHolder {
    person: Code,
    /// Child of all the person's records with the value; [`NONE`] if they are in several children.
    only_child: u32,
}

const NOBODY: LastHolder = LastHolder { person: NONE, only_child: NONE };

impl SensitiveCounts {
    /// Makes zero counts of rows for `children` and `values`, with up to `dense_cells` counts in an array.
    pub fn for_rows(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        Ok(SensitiveCounts { by_child: ValueCounts::new(children, values, dense_cells)?, persons: None })
    }

    /// Makes zero counts of persons for the same.
    pub fn for_persons(children: usize, values: usize, dense_cells: usize) -> Result<SensitiveCounts, Error> {
        let counts = || ValueCounts::new(children, values, dense_cells / 2);
        let by_child = counts()?;
        let persons = PersonCounts {
            alone: counts()?,
            all: filled(0, values)?,
            person: NONE,
            last_holders: filled(NOBODY, values)?,
            last_counted: filled(NONE, by_child.dense().len())?,
            sparse: Vec::new(),
        };
        Ok(SensitiveCounts { by_child, persons: Some(persons) })
    }

    /// Returns the number of persons in the group by value, if persons are counted.
    pub fn persons(&self) -> Option<&[u32]> {
        self.persons.as_ref().map(|persons| &persons.all[..])
    }

    /// Returns the counts by value that the group would lose with a child, which must be laid out.
    pub fn lost(&self, child: u32) -> &[u32] {
        self.persons.as_ref().map_or(&self.by_child, |persons| &persons.alone).counts(child)
    }

    /// Counts records. The records of a person must follow each other.
    pub fn add_persons(&mut self, records: impl Iterator<Item = PersonRecord>) -> Result<(), Error> {
        let (by_child, persons) = (&mut self.by_child, self.persons.as_mut());
        let persons = persons.ok_or(Error::Internal("nobody counts persons"))?;
        for PersonRecord { child, value, person } in records {
            if person != persons.person {
                persons.finish_person(by_child)?;
                persons.person = person;
            }
            let place = by_child.place(child, value);
            persons.count_alone(by_child, person, child, value);
            match persons.last_counted.get_mut(place) {
                Some(last) if *last == person => {}
                Some(last) => {
                    *last = person;
                    by_child.dense_mut()[place] += 1;
                }
                None => {
                    reserve(&mut persons.sparse, 1)?;
                    persons.sparse.push((child, value));
                }
            }
        }
        Ok(())
    }

    /// Completes the counts after the last record.
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(persons) = &mut self.persons {
            persons.finish_person(&mut self.by_child)?;
            persons.person = NONE;
        }
        self.all_counts().try_for_each(ValueCounts::sort)
    }

    /// Makes room for `children`, not fewer than before.
    pub fn widen(&mut self, children: usize) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.widen(children))?;
        let Some(persons) = &mut self.persons else { return Ok(()) };
        let more = self.by_child.dense().len() - persons.last_counted.len();
        reserve(&mut persons.last_counted, more)?;
        persons.last_counted.resize(self.by_child.dense().len(), NONE);
        Ok(())
    }

    /// Lays out the counts of a child.
    pub fn lay_out(&mut self, child: u32) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.lay_out(child))
    }

    /// Resets all counts. All `children` with records must be named.
    pub fn clear(&mut self, children: &[u32]) -> Result<(), Error> {
        self.all_counts().try_for_each(|counts| counts.clear(children))?;
        let Some(persons) = &mut self.persons else { return Ok(()) };
        let values = persons.all.len();
        pace::tick(values)?;
        persons.all.fill(0);
        persons.last_holders.fill(NOBODY);
        for &child in children {
            let first = self.by_child.place(child, 0);
            if let Some(last) = persons.last_counted.get_mut(first..first + values) {
                pace::tick(values)?;
                last.fill(NONE);
            }
        }
        Ok(())
    }

    fn all_counts(&mut self) -> impl Iterator<Item = &mut ValueCounts> {
        std::iter::once(&mut self.by_child).chain(self.persons.as_mut().map(|persons| &mut persons.alone))
    }
}

impl PersonCounts {
    /// Counts a person with the first record of a value: in the group, and as alone in the record's child. With the
    /// first record in another child the person is not alone anymore. Counts of sparse children are left out.
    #[inline]
    fn count_alone(&mut self, by_child: &ValueCounts, person: Code, child: u32, value: Code) {
        let holder = &mut self.last_holders[value as usize];
        let alone_in = |child: u32| by_child.place(child, value);
        if holder.person != person {
            *holder = LastHolder { person, only_child: child };
            self.all[value as usize] += 1;
            self.alone.dense_mut().get_mut(alone_in(child)).into_iter().for_each(|count| *count += 1);
        } else if holder.only_child != child && holder.only_child != NONE {
            let before = alone_in(holder.only_child);
            self.alone.dense_mut().get_mut(before).into_iter().for_each(|count| *count -= 1);
            holder.only_child = NONE;
        }
    }

    /// Counts the person in the sparse children.
    #[inline]
    fn finish_person(&mut self, by_child: &mut ValueCounts) -> Result<(), Error> {
        match self.sparse.is_empty() {
            true => Ok(()),
            false => self.count_sparse(by_child),
        }
    }

    #[cold]
    fn count_sparse(&mut self, by_child: &mut ValueCounts) -> Result<(), Error> {
        let PersonCounts { alone, last_holders, sparse, .. } = self;
        by_child.reserve(sparse.len())?;
        alone.reserve(sparse.len())?;
        pace::sort_by(sparse, Ord::cmp)?;
        pace::each(sparse.chunk_by(|one, next| one == next), |records| {
            let (child, value) = records[0];
            by_child.add(child, value, 1);
            if last_holders[value as usize].only_child == child {
                alone.add(child, value, 1);
            }
        })?;
        sparse.clear();
        Ok(())
    }
}
