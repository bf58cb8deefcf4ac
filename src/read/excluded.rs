//! Rows that earlier versions of a release withheld: they are found by the source's own values, before anything is laid
//! over these.
//!
//! What is remembered of such a row is its value of each column that was masked then. It is matched by the equality of the
//! column's type, in which 1.0 is 1.00, or, of types without an order, by what they print. Where a domain lies within the
//! type, reading a value would run its checks: only what is printed by some value of now can be matched there. So it does not matter by what
//! the columns are masked now, nor which of them are: what is needed of the others is read beside the rest.

use super::order::ranked;
use super::source::Source;
use super::table::{in_memory, Table, NULL};
use crate::postgres::datum::Type;
use crate::postgres::error::{clipped, Result, SqlError};
use crate::postgres::progress::{polled, polled_by_length, stretches};
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use std::collections::{BTreeMap, BTreeSet};
use topdown::progress::check_memory;
use topdown::table::Codes;
use topdown::Code;

/// Source values by the columns' names, as their types print them; none for NULL.
pub type Combination = BTreeMap<String, Option<String>>;

/// What the versions of a release have withheld.
#[derive(Debug, Default)]
pub struct WithheldBefore(pub Vec<Combination>);

impl WithheldBefore {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The columns that have to be read to find them.
    pub fn columns(&self, source: &Source) -> Result<BTreeSet<usize>> {
        let names: BTreeSet<&String> = polled(&self.0).flat_map(|values| values.keys()).collect();
        names.into_iter().map(|name| source.column(name)).collect()
    }

    /// Whether each record of a table holds one of them.
    pub fn held(&self, source: &Source, table: &Table) -> Result<Vec<bool>> {
        let mut columns = BTreeMap::new();
        for place in self.columns(source)? {
            let name = &source.columns[place].name;
            columns.insert(name.as_str(), self.numbered(name, (table, place))?);
        }
        // Each by the columns that it tells of.
        let mut sets: BTreeMap<Vec<&str>, HashSet<Vec<Code>>> = BTreeMap::new();
        for values in polled(&self.0) {
            check_memory::<Code>(4 * values.len())?;
            let number = |(name, text): (&String, &Option<String>)| columns[name.as_str()].number(text);
            let numbers = values.iter().map(number).collect();
            sets.entry(values.keys().map(String::as_str).collect()).or_default().insert(numbers);
        }
        check_memory::<bool>(table.records)?;
        let mut held = vec![false; table.records];
        for (names, combinations) in &sets {
            let columns: Vec<&Numbered> = names.iter().map(|name| &columns[name]).collect();
            let mut numbers = vec![0; columns.len()];
            for records in stretches(table.records) {
                for record in records {
                    numbers.iter_mut().zip(&columns).for_each(|(n, column)| *n = column.of_record(record));
                    held[record] |= combinations.contains(&numbers);
                }
            }
        }
        Ok(held)
    }

    /// Numbers the values of a column, and those that are remembered of it.
    fn numbered<'t>(&'t self, name: &str, (table, place): (&'t Table, usize)) -> Result<Numbered<'t>> {
        let column = table.column(place)?;
        let (ty, values) = (column.ty, column.datums());
        let texts: BTreeSet<&str> =
            polled(&self.0).filter_map(|values| values.get(name)?.as_deref()).collect();
        check_memory::<(Datum, Code, &str)>(values.len() + texts.len())?;
        let texts: Vec<&str> = texts.into_iter().collect();
        let (of_values, of_texts) = equal(name, ty, &values, &texts)?;
        Ok(Numbered {
            codes: in_memory(&column.codes)?,
            of_values,
            of_texts: texts.into_iter().zip(of_texts).collect(),
        })
    }
}

/// Marks the records that are equal to one that goes on some columns: rows that hold the same are withheld together, also where
/// what they are masked by tells their texts apart.
pub fn with_equals(
    source: &Source,
    table: &Table,
    places: &[usize],
    mut goes: Vec<bool>,
) -> Result<Vec<bool>> {
    if places.iter().all(|&place| source.type_of(place).is_equal_by_bytes()) {
        return Ok(goes);
    }
    let nothing = WithheldBefore::default();
    let column = |&place: &usize| nothing.numbered(&source.columns[place].name, (table, place));
    let columns = places.iter().map(column).collect::<Result<Vec<Numbered>>>()?;
    let numbers = |record| columns.iter().map(|column| column.of_record(record)).collect::<Vec<Code>>();
    let mut combinations = HashSet::new();
    for record in polled(0..table.records).filter(|&record| goes[record]) {
        check_memory::<Code>(4 * columns.len())?;
        combinations.insert(numbers(record));
    }
    for record in polled(0..table.records) {
        goes[record] = goes[record] || combinations.contains(&numbers(record));
    }
    Ok(goes)
}

/// A column whose values have numbers, equal ones the same; NULL has its own.
struct Numbered<'t> {
    codes: &'t Codes,
    of_values: Vec<Code>,
    of_texts: HashMap<&'t str, Code>,
}

impl Numbered<'_> {
    fn of_record(&self, record: usize) -> Code {
        match self.codes.get(record) {
            NULL => NULL,
            code => self.of_values[code as usize],
        }
    }

    fn number(&self, text: &Option<String>) -> Code {
        text.as_ref().map_or(NULL, |text| self.of_texts[text.as_str()])
    }
}

/// Numbers values of a type and texts of some, so that what is equal has the same number.
fn equal(name: &str, ty: Type, values: &[Datum], texts: &[&str]) -> Result<(Vec<Code>, Vec<Code>)> {
    let fault = |at: usize, why: &str| {
        cannot_tell(format!("\"{}\" of column \"{name}\" cannot be looked for: {why}.", clipped(texts[at])))
    };
    match ty.comparator() {
        Some(compare) if ty.is_readable() => {
            let read = ty.parse_all(texts.iter().copied()).map_err(|(at, why)| fault(at, &why))?;
            let all: Vec<Datum> = values.iter().copied().chain(read).collect();
            let (_, mut numbers) = ranked(ty, &all, compare);
            let of_texts = numbers.split_off(values.len());
            return Ok((numbers, of_texts));
        }
        // Only a value that is printed so says what it is equal to.
        Some(compare) => {
            let (_, numbers) = ranked(ty, values, compare);
            let printed: HashMap<String, Code> =
                polled(values).map(|&value| ty.output(value)).zip(numbers.iter().copied()).collect();
            let number = |(at, text): (usize, &&str)| {
                let why = || {
                    fault(at, "no value is printed so, and whether one is equal to it only a domain within its type could tell")
                };
                printed.get(*text).copied().ok_or_else(why)
            };
            let of_texts = polled(texts).enumerate().map(number).collect::<Result<_>>()?;
            return Ok((numbers, of_texts));
        }
        None => {}
    }
    let mut seen: HashMap<String, Code> = HashMap::new();
    let mut number = |text: String| {
        let next = seen.len() as Code;
        *seen.entry(text).or_insert(next)
    };
    let of_values = polled(values).map(|&value| number(ty.output(value))).collect();
    Ok((of_values, polled_by_length(texts).map(|text| number(text.to_string())).collect()))
}

/// What was withheld cannot be told from the rest any more.
pub fn cannot_tell(why: String) -> SqlError {
    SqlError::state("rows that earlier versions withheld cannot be told from the others any more")
        .detail(why)
        .hint("What was withheld once stays withheld: make a release of another name, and let nobody read both.")
}
