//! Numbers of records per person and child of a group, kept while records leave the group.
//!
//! Persons cannot be subtracted as records can, because a person may leave with one record and stay with another. So
//! the number of records of each person in each child is kept. A person leaves the count of a child with the last of
//! them.

use super::{GroupId, Partition};
use crate::progress::check_table_memory;
use crate::{pace, Code, Error};
use hashbrown::hash_map::Entry;
use hashbrown::HashMap;

/// Person, or person with a sensitive value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct PersonValue {
    person: Code,
    value: Code,
}

/// Number of records of each holder in each child of a group.
#[derive(Debug)]
pub struct PersonChildren {
    /// Sensitive column whose values are held; none: persons are counted.
    column: Option<usize>,
    records: HashMap<(PersonValue, u32), u32>,
    /// Number of children where a holder has records, and their exclusive or: if it is one child, that child.
    children: HashMap<PersonValue, (u32, u32)>,
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

    fn add(&mut self, holder: PersonValue, child: u32) {
        let records = self.records.entry((holder, child)).or_insert(0);
        *records += 1;
        if *records == 1 {
            let (children, together) = self.children.entry(holder).or_insert((0, 0));
            *children += 1;
            *together ^= child;
        }
    }

    fn remove(&mut self, holder: PersonValue, child: u32) -> Option<Loss> {
        let Entry::Occupied(mut records) = self.records.entry((holder, child)) else { return None };
        *records.get_mut() -= 1;
        if *records.get() > 0 {
            return None;
        }
        records.remove();
        let Entry::Occupied(mut children) = self.children.entry(holder) else { return None };
        let (number, together) = children.get_mut();
        *number -= 1;
        *together ^= child;
        let left = match *number {
            0 => Remaining::None,
            1 => Remaining::One(*together),
            _ => Remaining::Several,
        };
        if left == Remaining::None {
            children.remove();
        }
        Some(Loss { value: holder.value, child, remaining: left })
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
        check_table_memory::<((PersonValue, u32), u32)>(most)?;
        check_table_memory::<(PersonValue, (u32, u32))>(most)?;
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

    fn each_holder(
        &self,
        (group, place): (GroupId, usize),
        part_of_code: Option<&[u32]>,
        column: Option<usize>,
        mut each: impl FnMut(PersonValue, u32),
    ) -> Result<(), Error> {
        let persons = self.persons.as_ref().ok_or(Error::Internal("nobody counts persons"))?;
        pace::each(self.records(group), |record| {
            let value = column.map_or(0, |column| self.sensitive(record, column));
            let code = self.code(record, place);
            let child = part_of_code.map_or(code, |part_of_code| part_of_code[code as usize]);
            each(PersonValue { person: persons.get(record as usize), value }, child);
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
        let one = PersonValue { person: 7, value: 0 };
        for (holder, child) in [(one, 3), (one, 3), (one, 5), (one, 0), (PersonValue { person: 8, ..one }, 3)]
        {
            counted.add(holder, child);
        }
        let loss = |child, left| Some(Loss { value: 0, child, remaining: left });
        assert_eq!(counted.remove(one, 3), None);
        assert_eq!(counted.remove(one, 3), loss(3, Remaining::Several));
        assert_eq!(counted.remove(one, 0), loss(0, Remaining::One(5)));
        assert_eq!(counted.remove(one, 5), loss(5, Remaining::None));
        assert_eq!(counted.remove(one, 5), None);
        assert_eq!((counted.records.len(), counted.children.len()), (1, 1));
    }
}
