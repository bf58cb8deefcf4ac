//! The classes of a released table, each with what it is released as: small beside the table, and in any order.

use super::ReleasedTable;
use crate::progress::table_bytes;
use crate::table::Codes;
use crate::{Error, Pace, Reservation};
use hashbrown::hash_table::HashTable;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::ops::Range;

/// The classes: rows that are released alike on all masked columns.
pub(super) struct Classes {
    columns: usize,
    /// What is released of each class on each column, class after class.
    numbers: Vec<u32>,
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// How many records each has.
    pub records: Vec<u32>,
    /// Which one each record is in.
    pub of_records: Codes,
}

impl Classes {
    pub fn of(table: &ReleasedTable, held: &mut Reservation, pace: &Pace) -> Result<Classes, Error> {
        let columns = table.masked.len();
        let (index, hasher) = (HashTable::new(), DefaultHashBuilder::default());
        let (numbers, records) = (Vec::new(), Vec::new());
        held.grow(table.records)?;
        let of_records = Codes::below(0, table.records);
        let mut classes = Classes { columns, numbers, index, hasher, records, of_records };
        let mut chunk = Vec::new();
        for rows in pace.ranges(0..table.records) {
            let rows = rows?;
            classes.fetch(table, rows, &mut chunk)?;
            for numbers in chunk.chunks_exact(columns) {
                let class = classes.number(numbers, held)?;
                classes.records[class as usize] += 1;
                let of_records = &mut classes.of_records;
                if !of_records.takes(class) {
                    held.grow(of_records.width() * table.records)?;
                    of_records.widen();
                }
                of_records.push(class);
            }
        }
        Ok(classes)
    }

    /// What is released of some records, record after record.
    fn fetch(&self, table: &ReleasedTable, rows: Range<usize>, chunk: &mut Vec<u32>) -> Result<(), Error> {
        chunk.clear();
        chunk.resize(rows.len() * self.columns, 0);
        let mut buffer = Vec::new();
        for (at, column) in table.masked.iter().enumerate() {
            let codes = column.released.codes.fetch(rows.clone(), &mut buffer)?;
            for (numbers, &code) in chunk.chunks_exact_mut(self.columns).zip(codes) {
                numbers[at] = column.released.as_number[code as usize];
            }
        }
        Ok(())
    }

    /// The class that is released as some numbers, a new one at its first appearance.
    fn number(&mut self, released: &[u32], held: &mut Reservation) -> Result<u32, Error> {
        if let Some(class) = self.known(released) {
            return Ok(class);
        }
        let Classes { columns, numbers, index, hasher, records, .. } = self;
        let class = records.len() as u32;
        held.push(records, 0)?;
        held.extend(numbers, released)?;
        let hash = |&class: &u32| hasher.hash_one(numbers_of(numbers, *columns, class));
        if index.len() == index.capacity() {
            held.grow(table_bytes::<u32>(index.len() + 1))?;
            index.reserve(1, hash);
        }
        index.insert_unique(hash(&class), class, hash);
        Ok(class)
    }

    /// The class that is released as some numbers.
    fn known(&self, released: &[u32]) -> Option<u32> {
        let same = |&class: &u32| self.numbers(class) == released;
        self.index.find(self.hasher.hash_one(released), same).copied()
    }

    pub fn numbers(&self, class: u32) -> &[u32] {
        numbers_of(&self.numbers, self.columns, class)
    }

    /// The classes in an order in which those are neighbours that are alike on all columns but one.
    pub fn but(&self, column: usize, pace: &Pace) -> Result<Vec<u32>, Error> {
        let classes = self.records.len();
        let _held = Reservation::new(
            pace.progress(),
            table_bytes::<(u32, u32)>(classes) + 3 * classes * size_of::<u32>(),
        )?;
        // The first class of each group, and the group's number: a table with room for all is not hashed anew.
        let mut groups: HashTable<(u32, u32)> = HashTable::with_capacity(classes);
        let (mut of_classes, mut starts) = (Vec::with_capacity(classes), vec![0u32]);
        for class in 0..classes as u32 {
            pace.tick(self.columns)?;
            let numbers = self.numbers(class);
            let hash = self.hasher.hash_one((&numbers[..column], &numbers[column + 1..]));
            let is_alike = |&(first, _): &(u32, u32)| self.are_alike_but(column, (first, class));
            let group = match groups.find(hash, is_alike) {
                Some(&(_, group)) => group,
                None => {
                    let group = starts.len() as u32 - 1;
                    groups.insert_unique(hash, (class, group), |_| unreachable!("there is room for all"));
                    starts.push(0);
                    group
                }
            };
            starts[group as usize + 1] += 1;
            of_classes.push(group);
        }
        let mut before = 0;
        pace.each(&mut starts, |start| {
            before += *start;
            *start = before;
        })?;
        let mut order = vec![0; classes];
        pace.each((0..).zip(&of_classes), |(class, &group): (u32, &u32)| {
            let place = &mut starts[group as usize];
            order[*place as usize] = class;
            *place += 1;
        })?;
        Ok(order)
    }

    pub fn are_alike_but(&self, column: usize, (a, b): (u32, u32)) -> bool {
        let (a, b) = (self.numbers(a), self.numbers(b));
        a[..column] == b[..column] && a[column + 1..] == b[column + 1..]
    }
}

fn numbers_of(numbers: &[u32], columns: usize, class: u32) -> &[u32] {
    &numbers[class as usize * columns..][..columns]
}
