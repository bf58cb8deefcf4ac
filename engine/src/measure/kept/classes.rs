//! Equivalence classes of a released table with their released values, which are small beside the table.

use super::ReleasedTable;
use crate::progress::{check_memory, check_table_memory, reserve};
use crate::table::Codes;
use crate::{pace, Error};
use hashbrown::hash_table::HashTable;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;
use std::ops::Range;

/// A class in a list that is grouped by all columns but one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Member {
    pub class: u32,
    /// True for the first class of a group.
    pub is_first: bool,
    /// Whether the one column shows less than the source holds.
    pub shows_less: bool,
}

/// Equivalence classes: rows that are released alike on all masked columns.
pub(super) struct ReleasedClasses {
    columns: usize,
    /// Numbers of the released values of each class, class after class.
    numbers: Vec<u32>,
    index: HashTable<u32>,
    hash: MultilinearHash,
    /// Number of records in each class.
    pub records: Vec<u32>,
    /// Class of each record.
    pub of_records: Codes,
}

impl ReleasedClasses {
    pub fn build(table: &ReleasedTable) -> Result<ReleasedClasses, Error> {
        let columns = table.masked.len();
        let (index, hash) = (HashTable::new(), MultilinearHash::new(columns));
        let (numbers, records) = (Vec::new(), Vec::new());
        let of_records = Codes::with_cardinality(0, table.records)?;
        let mut classes = ReleasedClasses { columns, numbers, index, hash, records, of_records };
        let mut chunk = Vec::new();
        for rows in pace::ranges(0..table.records) {
            let rows = rows?;
            classes.fetch(table, rows, &mut chunk)?;
            for numbers in chunk.chunks_exact(columns) {
                let class = classes.find_or_add(numbers)?;
                classes.records[class as usize] += 1;
                let of_records = &mut classes.of_records;
                if !of_records.can_hold(class) {
                    check_memory::<u8>(of_records.width() * table.records)?;
                    of_records.widen();
                }
                of_records.push(class);
            }
        }
        Ok(classes)
    }

    /// Reads the released values of some records, record after record.
    fn fetch(&self, table: &ReleasedTable, rows: Range<usize>, chunk: &mut Vec<u32>) -> Result<(), Error> {
        chunk.clear();
        chunk.resize(rows.len() * self.columns, 0);
        let mut buffer = Vec::new();
        for (at, column) in table.masked.iter().enumerate() {
            let codes = column.released.codes.fetch(rows.clone(), &mut buffer)?;
            for (numbers, &code) in chunk.chunks_exact_mut(self.columns).zip(codes) {
                numbers[at] = column.released.number_of_code[code as usize];
            }
        }
        Ok(())
    }

    /// Returns the class with some released values, a new one at their first appearance.
    fn find_or_add(&mut self, released: &[u32]) -> Result<u32, Error> {
        if let Some(class) = self.find_class(released) {
            return Ok(class);
        }
        let ReleasedClasses { columns, numbers, index, hash, records, .. } = self;
        let class = records.len() as u32;
        records.push(0);
        reserve(numbers, released.len())?;
        numbers.extend_from_slice(released);
        let hash = |&class: &u32| hash.hash_all(class_values(numbers, *columns, class));
        if index.len() == index.capacity() {
            check_table_memory::<u32>(index.len() + 1)?;
            index.reserve(1, hash);
        }
        index.insert_unique(hash(&class), class, hash);
        Ok(class)
    }

    /// Finds the class with some released values.
    fn find_class(&self, released: &[u32]) -> Option<u32> {
        let same = |&class: &u32| self.numbers(class) == released;
        self.index.find(self.hash.hash_all(released), same).copied()
    }

    pub fn numbers(&self, class: u32) -> &[u32] {
        class_values(&self.numbers, self.columns, class)
    }

    /// Lists the classes so that classes that are alike on all columns but one are neighbors.
    pub fn group_except(&self, column: usize, shows_less: &[bool]) -> Result<Vec<Member>, Error> {
        let classes = self.records.len();
        check_table_memory::<(u32, u32)>(classes)?;
        check_memory::<[u32; 2]>(classes)?;
        // First class and number of each group. The table has room for all classes, so it is never rehashed.
        let mut groups: HashTable<(u32, u32)> = HashTable::with_capacity(classes);
        let (mut of_classes, mut starts) = (Vec::with_capacity(classes), vec![0u32]);
        for class in 0..classes as u32 {
            pace::tick(self.columns)?;
            let hash = self.hash.hash_except(self.numbers(class), column);
            let group = match groups.find(hash, |&(first, _)| self.are_alike_but(column, (first, class))) {
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
        pace::each(&mut starts, |start| {
            before += *start;
            *start = before;
        })?;
        let mut order = vec![Member::default(); classes];
        let mut seen = u32::MAX;
        pace::each((0..).zip(&of_classes), |(class, &group): (u32, &u32)| {
            let place = &mut starts[group as usize];
            // Groups are numbered as they appear, so a number above all before is that of a new group.
            let is_first = seen == u32::MAX || group > seen;
            seen = if is_first { group } else { seen };
            let shows_less = shows_less[self.numbers(class)[column] as usize];
            order[*place as usize] = Member { class, is_first, shows_less };
            *place += 1;
        })?;
        Ok(order)
    }

    fn are_alike_but(&self, column: usize, (a, b): (u32, u32)) -> bool {
        let pairs = self.numbers(a).iter().zip(self.numbers(b));
        pairs.enumerate().all(|(at, (a, b))| a == b || at == column)
    }
}

/// A multilinear hash. The hash without one column is that of the sum less this column's product.
struct MultilinearHash {
    factors: Vec<u64>,
}

impl MultilinearHash {
    fn new(columns: usize) -> MultilinearHash {
        let random = DefaultHashBuilder::default();
        MultilinearHash { factors: (0..columns).map(|column| random.hash_one(column) | 1).collect() }
    }

    fn hash_all(&self, numbers: &[u32]) -> u64 {
        mix_bits(self.sum(numbers))
    }

    fn hash_except(&self, numbers: &[u32], column: usize) -> u64 {
        mix_bits(self.sum(numbers).wrapping_sub(self.factors[column].wrapping_mul(numbers[column].into())))
    }

    fn sum(&self, numbers: &[u32]) -> u64 {
        let products = numbers.iter().zip(&self.factors).map(|(&n, &factor)| factor.wrapping_mul(n.into()));
        products.fold(0, u64::wrapping_add)
    }
}

/// Brings the upper bits, which depend on all bits of the sum, down to the bits that a table uses.
fn mix_bits(sum: u64) -> u64 {
    (sum ^ sum >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn class_values(numbers: &[u32], columns: usize, class: u32) -> &[u32] {
    &numbers[class as usize * columns..][..columns]
}
