//! Numbers of records per person and child of a group, kept while records leave the group.
//!
//! Persons cannot be subtracted as records can, because a person may leave with one record and stay with another. So
//! the records of each person in each child are counted. A child loses the person when this number falls to zero.

use super::{GroupId, Partition};
use crate::progress::check_table_memory;
use crate::{pace, Code, Error};
use hashbrown::hash_map::Entry;
use hashbrown::HashMap;

/// Person, or person with a sensitive value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Holder {
    person: Code,
    value: Code,
}

/// Number of records of each holder in each child of a group.
#[derive(Debug)]
pub struct PersonChildren {
    /// Sensitive column whose values are held; none: persons are counted.
    column: Option<usize>,
    records: HashMap<(Holder, u32), u32>,
    /// Children where each holder has records.
    children: HashMap<Holder, ChildSet>,
}

/// Set of children that names its last member.
#[derive(Debug, Default)]
struct ChildSet {
    size: u32,
    /// Exclusive or of all members: if there is one member, its number.
    exclusive_or: u32,
}

/// Loss of the last record that a holder had in a child.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// Sensitive value; 0 if persons are counted.
    pub value: Code,
    /// Child that lost the holder.
    pub child: u32,
    /// Children where the holder has records still.
    pub remaining: Remaining,
}

/// Children where a holder has records still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remaining {
    /// No child.
    None,
    /// This child only. Before the loss there were two.
    One(u32),
    /// Several children.
    Several,
}

impl PersonChildren {
    /// Returns the sensitive column whose values are held; none if persons are counted.
    pub fn column(&self) -> Option<usize> {
        self.column
    }

    fn add(&mut self, holder: Holder, child: u32) {
        let records = self.records.entry((holder, child)).or_insert(0);
        *records += 1;
        if *records == 1 {
            let children = self.children.entry(holder).or_default();
            children.size += 1;
            children.exclusive_or ^= child;
        }
    }

    fn remove(&mut self, holder: Holder, child: u32) -> Option<Loss> {
        let Entry::Occupied(mut records) = self.records.entry((holder, child)) else { return None };
        *records.get_mut() -= 1;
        if *records.get() > 0 {
            return None;
        }
        records.remove();
        let Entry::Occupied(mut entry) = self.children.entry(holder) else { return None };
        let children = entry.get_mut();
        children.size -= 1;
        children.exclusive_or ^= child;
        let remaining = match children.size {
            0 => {
                entry.remove();
                Remaining::None
            }
            1 => Remaining::One(children.exclusive_or),
            _ => Remaining::Several,
        };
        Some(Loss { value: holder.value, child, remaining })
    }
}

impl Partition {
    /// Counts the records of a group by person, by value of the sensitive `column` if one is given, and by child of the
    /// node on the column at `place`, as [`Partition::count_children`] does.
    pub fn person_children(
        &self,
        (group, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        column: Option<usize>,
    ) -> Result<PersonChildren, Error> {
        let most = self.size(group);
        check_table_memory::<((Holder, u32), u32)>(most)?;
        check_table_memory::<(Holder, ChildSet)>(most)?;
        let (records, children) = (HashMap::with_capacity(most), HashMap::new());
        let mut counted = PersonChildren { column, records, children };
        self.each_holder((group, place), part_of_code, column, |holder, child| counted.add(holder, child))?;
        Ok(counted)
    }

    /// Removes the records of `group`, which was divided from the counted group, and calls `lose` with each loss.
    pub fn remove_person_children(
        &self,
        (group, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        counted: &mut PersonChildren,
        mut lose: impl FnMut(Loss),
    ) -> Result<(), Error> {
        let column = counted.column;
        self.each_holder((group, place), part_of_code, column, |holder, child| {
            counted.remove(holder, child).into_iter().for_each(&mut lose);
        })
    }

    /// Calls `each` with the holder and the child of each record of a group.
    fn each_holder(
        &self,
        (group, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        column: Option<usize>,
        mut each: impl FnMut(Holder, u32),
    ) -> Result<(), Error> {
        let persons = self.persons.as_ref().ok_or(Error::Internal("nobody counts persons"))?;
        pace::each(self.records(group), |record| {
            let value = column.map_or(0, |column| self.sensitive(record, column));
            let code = self.code(record, place);
            let child = part_of_code.map_or(code, |part_of_code| part_of_code[code as usize]);
            each(Holder { person: persons.get(record as usize), value }, child);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_record_in_a_child_is_a_loss() {
        let (records, children) = (HashMap::new(), HashMap::new());
        let mut counted = PersonChildren { column: None, records, children };
        let (one, other) = (Holder { person: 7, value: 0 }, Holder { person: 8, value: 0 });
        let records = [(one, 3), (one, 3), (one, 5), (one, 0), (other, 3)];
        records.into_iter().for_each(|(holder, child)| counted.add(holder, child));
        let loss = |child, remaining| Some(Loss { value: 0, child, remaining });
        assert_eq!(counted.remove(one, 3), None);
        assert_eq!(counted.remove(one, 3), loss(3, Remaining::Several));
        assert_eq!(counted.remove(one, 0), loss(0, Remaining::One(5)));
        assert_eq!(counted.remove(one, 5), loss(5, Remaining::None));
        assert_eq!(counted.remove(one, 5), None);
        assert_eq!((counted.records.len(), counted.children.len()), (1, 1));
    }
}
