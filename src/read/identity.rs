//! Rows by what they hold: a number for each, the same wherever equal rows are read, so that the rows of two versions can be
//! compared when the source has changed.
//!
//! It is a hash of the row's values as they lie in memory, column by column in the order of their names; of values in which OIDs lie,
//! as of enums and rows, as they are printed, because a restored database has other OIDs. Values that are equal and lie there
//! otherwise (1.0 and 1.00) make other rows. The hash has a key of the release's own: those who do not have it cannot
//! compute the number of a row that they guess.

use super::source::Source;
use super::table::{Column, Identities, Table, NULL};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, stretches};
use crate::postgres::random;
use crate::postgres::settings::RAISE_MEMORY;
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use siphasher::sip::SipHasher13;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hasher;
use std::rc::Rc;
use topdown::progress::check_memory;
use topdown::table::Store;
use topdown::threads::offload;

/// Hashes bytes without a key, for numbers that are compared within one call, or that hide nothing.
pub fn hash(bytes: &[u8]) -> u64 {
    HashKey::NONE.hash(bytes)
}

/// The key of a release's hashes.
#[derive(Clone, Copy)]
pub struct HashKey {
    pub first: u64,
    pub second: u64,
}

impl HashKey {
    /// The key of hashes that are compared within one call.
    const NONE: HashKey = HashKey { first: 0, second: 0 };

    /// Draws a new one.
    pub fn draw() -> Result<HashKey> {
        let [first, second] = random::strong()?;
        Ok(HashKey { first, second })
    }

    /// Hashes bytes: the result must be the same in ten years.
    pub fn hash(&self, bytes: &[u8]) -> u64 {
        let mut hasher = SipHasher13::new_with_keys(self.first, self.second);
        hasher.write(bytes);
        hasher.finish()
    }
}

/// A key is in no message.
impl fmt::Debug for HashKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HashKey")
    }
}

impl Identities {
    /// Of a table that holds all rows of its source, by some columns.
    pub fn of(key: HashKey, source: &Source, table: &Table, places: &[usize]) -> Result<Identities> {
        let mut places = places.to_vec();
        places.sort_by(|&a, &b| source.columns[a].name.cmp(&source.columns[b].name));
        let columns = places.into_iter().map(|place| {
            let column = table.column(place)?;
            Ok((&column.codes, of_values(key, column)?))
        });
        let mut of_records = told_apart_by(table.records, columns)?;
        // Numbers of rows that differ in one value would tell those of others, if it were not for this.
        for record in polled(&mut of_records) {
            *record = key.hash(&record.to_le_bytes()) as i64;
        }
        let rows =
            |(record, &row): (usize, &i64)| mixed(row as u64).wrapping_mul(table.rows_of(record) as u64);
        let sum = polled(&of_records).enumerate().map(rows).fold(table.rows as u64, u64::wrapping_add);
        Ok(Identities { of_records, of_source: mixed(sum) as i64 })
    }

    /// Of rows of a version that tell in a column what they are.
    pub fn written(table: &Table, place: usize) -> Result<Identities> {
        let column = table.column(place)?;
        check_memory::<(i64, u64)>(table.records + column.distinct())?;
        let values: Vec<i64> = column.datums().into_iter().map(|value| value.value() as i64).collect();
        let codes = column.codes.load()?;
        let row = |record| values.get(codes.get(record) as usize).copied();
        let rows: Option<Vec<i64>> = polled(0..table.records).map(row).collect();
        Ok(Identities { of_records: rows.ok_or_else(untold)?, of_source: 0 })
    }

    /// Takes something into the number for all rows that a release is made of beside them.
    pub fn also(&mut self, content: u64) {
        self.of_source = mixed(self.of_source as u64 ^ content) as i64;
    }
}

/// A row of a version whose column for that is NULL.
pub fn untold() -> SqlError {
    SqlError::state("a row of a version does not tell what it is")
        .detail("Somebody has changed what was written.")
        .hint(SEARCH_AFRESH)
}

/// Rows that have to be told apart, and are not.
pub fn no_memory() -> SqlError {
    SqlError::limit("there is no memory to tell rows apart")
        .detail("It takes eight bytes a row, and may take an eighth of pg_topdown.max_memory.")
        .hint(RAISE_MEMORY)
}

/// The way on from a version of which rows cannot be told any more.
pub const SEARCH_AFRESH: &str = "Search afresh: release_refresh(..., mode => 'search'), or, where changes are batched, release_alter(..., changes => 'any', allow_weaker => true).";

/// What a row of a version is, and where it lies.
pub type Stored = (i64, u64);

/// Rows that are taken out by what they hold, equal ones as often as they are there.
pub struct Multiset(HashMap<i64, u32>);

impl Multiset {
    pub fn of(rows: &[i64]) -> Result<Multiset> {
        Multiset::counted(rows.iter().map(|&row| (row, 1)))
    }

    /// Of what is there so many times.
    pub fn counted(rows: impl ExactSizeIterator<Item = (i64, u32)>) -> Result<Multiset> {
        check_memory::<(i64, u32)>(2 * rows.len())?;
        let mut there = HashMap::with_capacity(rows.len());
        polled(rows).for_each(|(row, times)| *there.entry(row).or_default() += times);
        Ok(Multiset(there))
    }

    /// How many of so many rows were there.
    pub fn take(&mut self, row: i64, most: u32) -> u32 {
        let Some(there) = self.0.get_mut(&row) else { return 0 };
        let taken = most.min(*there);
        *there -= taken;
        taken
    }

    /// What was not taken, and how often it is there.
    pub fn rest(&self) -> Vec<(i64, u32)> {
        self.0.iter().filter(|(_, &times)| times > 0).map(|(&row, &times)| (row, times)).collect()
    }
}

/// The rows of a table beside those of before.
pub struct Compared {
    /// Of each record, how many of its rows were there.
    pub stayed: Vec<u32>,
    /// And how many were not.
    pub came: Vec<u32>,
    /// Those of before that are none of the table.
    pub left: Multiset,
}

impl Compared {
    /// Of a table by what its records are, which are sorted while those of before are read, in their order. What is sorted is gone
    /// through faster than what is looked up.
    pub fn of<'b>(
        table: &Table,
        records: &[i64],
        before: impl FnOnce() -> Result<&'b [Stored]>,
    ) -> Result<Compared> {
        check_memory::<[(i64, u32); 2]>(records.len())?;
        let order: Vec<(i64, u32)> = records.iter().copied().zip(0..).collect();
        let sort = |order: &mut Vec<(i64, u32)>| order.sort_unstable();
        let (order, before) = offload(vec![Vec::new()], sort, |mut sorting| {
            let mut order = sorting.submit(order)?;
            let before = before()?;
            sorting.finish_all(|sorted| {
                order = sorted;
                Ok::<(), SqlError>(())
            })?;
            Ok::<_, SqlError>((order, before))
        })?;
        let (mut stayed, mut came) = (vec![0; records.len()], vec![0; records.len()]);
        let rows_of = |stored: &[Stored]| stored.iter().map(|&(row, _)| row).collect::<Vec<i64>>();
        let (mut left, mut at) = (Vec::new(), 0);
        for (row, record) in polled(order) {
            let below = before[at..].iter().take_while(|&&(other, _)| other < row).count();
            left.extend(rows_of(&before[at..at + below]));
            at += below;
            let (record, most) = (record as usize, table.rows_of(record as usize));
            let equal = before[at..].iter().take(most).take_while(|&&(other, _)| other == row).count();
            at += equal;
            (stayed[record], came[record]) = (equal as u32, (most - equal) as u32);
        }
        left.extend(rows_of(&before[at..]));
        Ok(Compared { stayed, came, left: Multiset::of(&left)? })
    }
}

/// Of each record a number for what it holds on some columns, each with its codes and a number for each code's value.
pub fn told_apart_by<'a>(
    records: usize,
    columns: impl Iterator<Item = Result<(&'a Store, Vec<u64>)>>,
) -> Result<Vec<i64>> {
    check_memory::<i64>(records)?;
    let mut told = vec![0; records];
    let mut buffer = Vec::new();
    for column in columns {
        let (codes, of_values) = column?;
        for records in stretches(told.len()) {
            let codes = codes.fetch(records.clone(), &mut buffer)?;
            for (told, &code) in told[records].iter_mut().zip(codes) {
                // NULL is no value, and its number none that a hash is likely to be.
                let value = if code == NULL { u64::MAX } else { of_values[code as usize] };
                *told = mixed(*told as u64 ^ value) as i64;
            }
        }
    }
    Ok(told)
}

/// Whether values of a type may be equal and printed otherwise (1.0, 1.00).
pub fn are_printed_otherwise(ty: Type) -> bool {
    !ty.is_equal_by_bytes() && ty.hasher().is_some() && ty.comparator().is_some()
}

/// A number for each value of a column, the same for values that are printed alike.
fn of_values(key: HashKey, column: &Column) -> Result<Vec<u64>> {
    check_memory::<u64>(column.distinct())?;
    Ok(column.lasting_bytes().map(|bytes| key.hash(&bytes)).collect())
}

/// Numbers for the values of columns of a type, as readers tell them apart: the same for values that are equal, or that are printed
/// alike.
///
/// A hash alone would not do: PostgreSQL's hashes of arrays and of jsonb do not tell how values are nested.
pub struct Numbers {
    ty: Type,
    is_printed: bool,
    /// Of each hash the first value that had it, and others that are not equal to that, with their places among these.
    firsts: HashMap<u64, Datum>,
    others: HashMap<u64, BTreeMap<Ordered, usize>>,
}

/// How values compare.
type Compare = Rc<dyn Fn(Datum, Datum) -> Ordering>;

/// A value in the order of its type.
struct Ordered(Datum, Compare);

impl Ord for Ordered {
    fn cmp(&self, other: &Ordered) -> Ordering {
        self.1(self.0, other.0)
    }
}

impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Ordered) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered {
    fn eq(&self, other: &Ordered) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered {}

impl Numbers {
    pub fn new(ty: Type, is_printed: bool) -> Numbers {
        Numbers { ty, is_printed, firsts: HashMap::new(), others: HashMap::new() }
    }

    /// A number for each value of a column.
    pub fn of_column(&mut self, column: &Column) -> Result<Vec<u64>> {
        match self.is_printed || !are_printed_otherwise(self.ty) {
            true => of_values(HashKey::NONE, column),
            false => self.of(column.datums()),
        }
    }

    /// A number for each of some values.
    pub fn of(&mut self, values: Vec<Datum>) -> Result<Vec<u64>> {
        if self.is_printed {
            return Ok(polled(values).map(|value| hash(self.ty.output(value).as_bytes())).collect());
        }
        let (Some(hash), Some(compare)) = (self.ty.hasher(), self.ty.comparator()) else {
            return Err(SqlError::internal("a column of values without an equality"));
        };
        check_memory::<[(u64, Datum); 6]>(values.len())?;
        let compare: Compare = Rc::new(compare);
        let Numbers { firsts, others, .. } = self;
        let number = |value: Datum| {
            let hash = hash(value);
            let first = *firsts.entry(hash).or_insert(value);
            if compare(first, value).is_eq() {
                // That of a value may be any number, also the one of NULL.
                return mixed(hash);
            }
            let others = others.entry(hash).or_default();
            let next = others.len();
            let place = *others.entry(Ordered(value, compare.clone())).or_insert(next);
            mixed(mixed(hash) ^ place as u64)
        };
        Ok(values.into_iter().map(number).collect())
    }
}

/// A number that tells nothing of the one it is made of, and no two the same (splitmix64; Steele, Lea, Flood 2014).
pub fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}
