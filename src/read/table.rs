//! What was read: records, as codes, a column at a time. A record is a row, or a combination that stands for so many rows.

use crate::postgres::chunk::Part;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::progress::{polled, polled_by_length, stretches};
use hashbrown::HashMap;
use pgrx::pg_sys::Datum;
use std::borrow::Cow;
use std::collections::BTreeMap;
use topdown::progress::{check_memory, reserve};
use topdown::table::{Codes, Dictionary, Store, NONE};
use topdown::Code;

/// The code of NULL, until a column's codes are put in order.
pub const NULL: Code = NONE;

/// The rows that were read, as records.
pub struct Table {
    /// How many rows.
    pub rows: usize,
    /// How many records.
    pub records: usize,
    /// How many rows each record stands for; none: one each.
    pub(super) weights: Option<Codes>,
    /// The columns, each with its place in the source.
    pub(super) columns: Vec<(usize, Column)>,
    /// What each record was released as on the masked columns of an earlier version; none where nobody asks.
    pub before: Vec<ReleasedBefore>,
    /// What the rows are; none where nobody asks.
    pub identities: Option<Identities>,
    /// The populations that were joined to it, by their numbers: their codes are with the columns.
    pub populations: Vec<Joined>,
}

/// Records of another table that were joined to one.
#[derive(Debug, Clone)]
pub struct Joined {
    /// How many records.
    pub records: usize,
    /// How many rows each record stands for; none: one each.
    pub weights: Option<Codes>,
}

/// What each record was released as on a masked column of the version before, by a number.
#[derive(Debug, Clone)]
pub struct ReleasedBefore {
    pub name: String,
    pub codes: Store,
    pub numbers: usize,
}

/// What the rows of a source are.
#[derive(Debug, Clone)]
pub struct Identities {
    /// What each record is.
    pub of_records: Vec<i64>,
    /// What all rows are together, in whatever order, those that are left out included.
    pub of_source: i64,
}

impl Table {
    /// How many rows a record stands for.
    pub fn rows_of(&self, record: usize) -> usize {
        self.weights().map_or(1, |weights| weights.get(record) as usize)
    }

    /// How many rows each record stands for; none: one each.
    pub fn weights(&self) -> Option<&Codes> {
        self.weights.as_ref()
    }

    /// A column, by its place in the source.
    pub fn column(&self, place: usize) -> Result<&Column> {
        let read = self.columns.iter().find(|(of, _)| *of == place);
        read.map(|(_, column)| column).ok_or_else(|| SqlError::internal("a column was not read"))
    }

    /// Brings all columns into memory.
    pub fn load(&mut self) -> Result<()> {
        for (_, column) in self.columns.iter_mut().filter(|(_, column)| column.codes.in_memory().is_none()) {
            column.codes = Store::Memory(column.codes.load()?.into_owned());
        }
        Ok(())
    }

    /// Forgets all columns but some.
    pub fn retain(&mut self, places: &[usize]) {
        self.columns.retain(|(place, _)| places.contains(place));
    }

    /// Keeps some records, and the values that these hold. Nothing was laid over the columns yet.
    pub fn keep(&mut self, stay: &[bool]) -> Result<()> {
        self.records = stay.iter().filter(|stay| **stay).count();
        self.rows = self.records;
        if let Some(weights) = &mut self.weights {
            weights.retain_marked(stay)?;
            self.rows = polled(0..self.records).map(|record| weights.get(record) as usize).sum();
        }
        for column in &mut self.before {
            keep(&mut column.codes, stay)?;
        }
        if let Some(identities) = &mut self.identities {
            let mut stay = stay.iter();
            identities.of_records.retain(|_| *stay.next().unwrap_or(&false));
        }
        for (_, column) in &mut self.columns {
            keep(&mut column.codes, stay)?;
            column.forget()?;
        }
        Ok(())
    }

    /// Has each record stand for so many rows, and those that stand for none go.
    pub fn reweigh(&mut self, weights: Vec<u32>) -> Result<()> {
        let stay: Vec<bool> = weights.iter().map(|&rows| rows > 0).collect();
        if self.weights.is_some() || weights.iter().any(|&rows| rows > 1) {
            check_memory::<u32>(weights.len())?;
            self.weights = Some(weights.into_iter().collect());
        }
        if stay.contains(&false) {
            return self.keep(&stay);
        }
        self.rows = polled(0..self.records).map(|record| self.rows_of(record)).sum();
        Ok(())
    }

    /// Adds the records of a table of the same columns, one row each. Nothing was laid over the columns yet.
    pub fn append(&mut self, other: &Table) -> Result<()> {
        for (place, column) in &mut self.columns {
            column.append(other.column(*place)?)?;
        }
        if let Some(weights) = &mut self.weights {
            (0..other.records).for_each(|_| weights.push(1));
        }
        if let (Some(identities), Some(others)) = (&mut self.identities, &other.identities) {
            reserve(&mut identities.of_records, other.records)?;
            identities.of_records.extend_from_slice(&others.of_records);
        }
        self.records += other.records;
        self.rows += other.records;
        Ok(())
    }

    /// Joins the records of another table: of some columns, each with the place of the same in the other, their values are among
    /// those of this one from now on. Nothing was laid over the columns yet.
    pub fn join(&mut self, other: &mut Table, columns: &[(usize, usize)]) -> Result<()> {
        let number = self.populations.len();
        for &(place, of_other) in columns {
            let theirs = other.column_mut(of_other)?;
            let ours = self.column_mut(place)?;
            check_memory::<Code>(theirs.distinct())?;
            let all = 0..theirs.distinct() as Code;
            let map = polled(all).map(|code| ours.code_of(theirs, code)).collect::<Result<Vec<Code>>>()?;
            let mut codes = std::mem::take(&mut theirs.codes);
            codes.renumber(&map, NULL)?;
            ours.others.insert(number, codes);
        }
        self.populations.push(Joined { records: other.records, weights: other.weights.take() });
        Ok(())
    }

    /// The same with its columns at other places.
    pub fn at(mut self, place: impl Fn(usize) -> Option<usize>) -> Table {
        let columns = self.columns.into_iter();
        self.columns = columns.filter_map(|(at, column)| Some((place(at)?, column))).collect();
        self
    }

    /// The same records once more.
    pub fn copy(&self) -> Result<Table> {
        let of_others = |column: &Column| column.others.values().map(Store::memory_bytes).sum::<usize>();
        let bytes =
            |(_, column): &(usize, Column)| column.memory() + column.codes.memory_bytes() + of_others(column);
        let weights = self.populations.iter().flat_map(|joined| &joined.weights).chain(&self.weights);
        let weights: usize = weights.map(|weights| weights.len() * weights.width()).sum();
        let bytes = self.columns.iter().map(bytes).sum::<usize>() + weights;
        check_memory::<u8>(bytes)?;
        Ok(Table {
            rows: self.rows,
            records: self.records,
            weights: self.weights.clone(),
            columns: self.columns.clone(),
            before: self.before.clone(),
            identities: None,
            populations: self.populations.clone(),
        })
    }

    /// A column, to be put in order.
    pub fn column_mut(&mut self, place: usize) -> Result<&mut Column> {
        let read = self.columns.iter_mut().find(|(of, _)| *of == place);
        read.map(|(_, column)| column).ok_or_else(|| SqlError::internal("a column was not read"))
    }

    /// How many bytes some columns take at least in the row in which they take most.
    pub fn widest_on_page(&self, places: &[usize]) -> Result<usize> {
        check_memory::<u32>(self.records)?;
        let mut taken = vec![0u32; self.records];
        let mut buffer = Codes::default();
        for &place in places {
            let column = self.column(place)?;
            let sizes: Vec<u32> =
                column.bytes().map(|value| column.ty.least_on_page(value.len()) as u32).collect();
            for rows in stretches(self.records) {
                let (codes, at) = column.codes.view(rows.clone(), &mut buffer)?;
                for (taken, at) in taken[rows].iter_mut().zip(at) {
                    *taken += sizes.get(codes.get(at) as usize).unwrap_or(&0);
                }
            }
        }
        Ok(polled(taken).max().unwrap_or(0) as usize)
    }
}

/// Codes that were loaded, because rows may have to be left out.
pub fn in_memory(codes: &Store) -> Result<&Codes> {
    codes.in_memory().ok_or_else(not_in_memory)
}

fn not_in_memory() -> SqlError {
    SqlError::internal("rows are left out of what is in memory")
}

/// Keeps the codes of some records.
fn keep(codes: &mut Store, stay: &[bool]) -> Result<()> {
    let Store::Memory(codes) = codes else { return Err(not_in_memory()) };
    Ok(codes.retain_marked(stay)?)
}

/// A column that was read.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its type.
    pub ty: Type,
    /// Each record's code; [`NULL`] for NULL.
    pub codes: Store,
    /// Whether any row holds NULL.
    pub nulls: bool,
    /// What values are called that are equal to one of a version before and print otherwise, by code.
    pub called: HashMap<Code, String>,
    /// The codes of records that were joined, by the number of their table ([`Table::join`]).
    pub others: BTreeMap<usize, Store>,
    pub(super) values: Values,
}

/// Distinct values, by code.
#[derive(Debug, Clone)]
pub(super) enum Values {
    ByValue { index: HashMap<u64, Code>, values: Vec<u64> },
    ByReference(Dictionary),
}

impl Values {
    /// Of no records yet.
    pub(super) fn none(by_value: bool) -> Values {
        match by_value {
            true => Values::ByValue { index: HashMap::new(), values: Vec::new() },
            false => Values::ByReference(Dictionary::default()),
        }
    }

    /// How many there are.
    fn len(&self) -> usize {
        match self {
            Values::ByValue { values, .. } => values.len(),
            Values::ByReference(dictionary) => dictionary.len(),
        }
    }

    /// Gives the values of a part codes, new ones at their first appearance: a value met before costs a hash and a comparison.
    pub(super) fn code(&mut self, part: &mut Part) -> std::result::Result<(), topdown::Error> {
        let mut codes = std::mem::take(&mut part.codes);
        match self {
            Values::ByValue { index, values } => {
                for value in part.values() {
                    codes.push(value.map_or(Ok(NULL), |value| number(index, values, value))?);
                }
            }
            Values::ByReference(dictionary) => {
                for value in part.bytes() {
                    codes.push(value.map_or(Ok(NULL), |value| dictionary.intern(value))?);
                }
            }
        }
        part.codes = codes;
        part.most = (self.len() as Code).saturating_sub(1);
        Ok(())
    }
}

/// The code of a value that is by value.
#[inline(always)]
fn number(
    index: &mut HashMap<u64, Code>,
    values: &mut Vec<u64>,
    value: u64,
) -> std::result::Result<Code, topdown::Error> {
    if let Some(&code) = index.get(&value) {
        return Ok(code);
    }
    if index.len() == index.capacity() {
        check_memory::<(u64, Code, u8)>(2 * index.len())?;
    }
    reserve(values, 1)?;
    let code = values.len() as Code;
    index.insert(value, code);
    values.push(value);
    Ok(code)
}

impl Column {
    /// Of some values, by their codes.
    pub(super) fn new(ty: Type, codes: Store, nulls: bool, values: Values) -> Column {
        let (called, others) = (HashMap::new(), BTreeMap::new());
        Column { ty, codes, nulls, called, others, values }
    }

    /// How many distinct values there are, NULL not counted.
    pub fn distinct(&self) -> usize {
        self.values.len()
    }

    /// All distinct values, by code, in the current memory context.
    pub fn datums(&self) -> Vec<Datum> {
        match &self.values {
            Values::ByValue { values, .. } => values.iter().map(|&v| Datum::from(v)).collect(),
            Values::ByReference(dictionary) => {
                (0..dictionary.len() as Code).map(|c| self.ty.datum(dictionary.value(c))).collect()
            }
        }
    }

    /// What a value is called, whose code that is.
    pub fn text(&self, code: Code, value: Datum) -> String {
        self.called.get(&code).cloned().unwrap_or_else(|| self.ty.text(value))
    }

    /// What all distinct values are called, by code.
    pub fn texts(&self) -> Vec<String> {
        polled_by_length((0..).zip(self.datums()).map(|(code, value)| self.text(code, value))).collect()
    }

    /// Some of the values, by their codes, where they are texts; of other types none.
    pub fn texts_at(&self, codes: impl Iterator<Item = usize>) -> Vec<String> {
        let Values::ByReference(dictionary) = &self.values else { return Vec::new() };
        let text = |code: usize| String::from_utf8_lossy(dictionary.value(code as Code)).into_owned();
        polled_by_length(codes.filter(|_| self.ty.is_text()).map(text)).collect()
    }

    /// All distinct values, by code, as they lie in memory.
    pub fn bytes(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let value = |code: Code| match &self.values {
            Values::ByValue { values, .. } => Cow::Owned(values[code as usize].to_le_bytes().to_vec()),
            Values::ByReference(dictionary) => Cow::Borrowed(dictionary.value(code)),
        };
        polled_by_length((0..self.distinct() as Code).map(value))
    }

    /// All distinct values, by code, as bytes that are the same in a database that a dump was restored to: as they lie in memory,
    /// but as they are printed where OIDs lie in them.
    pub fn lasting_bytes(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let is_printed = self.ty.holds_oids();
        let value = |code: Code| match &self.values {
            Values::ByValue { values, .. } => Datum::from(values[code as usize]),
            Values::ByReference(dictionary) => self.ty.datum(dictionary.value(code)),
        };
        let printed = move |code| Cow::Owned(self.ty.output(value(code)).into_bytes());
        let in_memory = (!is_printed).then(|| self.bytes());
        let of_codes = is_printed.then(|| polled(0..self.distinct() as Code).map(printed));
        in_memory.into_iter().flatten().chain(of_codes.into_iter().flatten())
    }

    /// The code here of a value of a column of the same type, which is added if it was none of these.
    fn code_of(&mut self, other: &Column, code: Code) -> Result<Code> {
        match (&mut self.values, &other.values) {
            (Values::ByValue { index, values }, Values::ByValue { values: theirs, .. }) => {
                let value = theirs[code as usize];
                Ok(*index.entry(value).or_insert_with(|| {
                    values.push(value);
                    values.len() as Code - 1
                }))
            }
            (Values::ByReference(ours), Values::ByReference(theirs)) => Ok(ours.intern(theirs.value(code))?),
            _ => Err(SqlError::internal("values of another type")),
        }
    }

    /// Gives each value another code: the one that `map` has at its own. NULL gets the code of `none`.
    pub fn renumber(&mut self, map: &[Code], none: Code) -> Result<()> {
        let all = std::iter::once(&mut self.codes).chain(self.others.values_mut());
        all.into_iter().try_for_each(|codes| Ok(codes.renumber(map, none)?))
    }

    /// Adds the values of a column of the same type.
    fn append(&mut self, other: &Column) -> Result<()> {
        let Store::Memory(mut codes) = std::mem::take(&mut self.codes) else {
            return Err(SqlError::internal("rows are added to what is in memory"));
        };
        let theirs = other.codes.load()?;
        check_memory::<u8>(theirs.len() * codes.width())?;
        for record in polled(0..theirs.len()) {
            let code = match theirs.get(record) {
                NULL => {
                    self.nulls = true;
                    NULL
                }
                code => self.code_of(other, code)?,
            };
            while !codes.can_hold(code) {
                codes.widen();
            }
            codes.push(code);
        }
        self.codes = Store::Memory(codes);
        Ok(())
    }

    /// Forgets the values that no row, nor any that was joined, holds any more.
    fn forget(&mut self) -> Result<()> {
        const UNSEEN: Code = NULL - 1;
        let mut number = vec![UNSEEN; self.distinct()];
        let mut seen = Vec::new();
        self.nulls = false;
        let Store::Memory(codes) = &mut self.codes else { return Ok(()) };
        let mut see = |code: Code| {
            if code != NULL && number[code as usize] == UNSEEN {
                number[code as usize] = seen.len() as Code;
                seen.push(code);
            }
        };
        let mut buffer = Vec::new();
        for records in stretches(codes.len()) {
            for &code in codes.fetch(records, &mut buffer) {
                self.nulls |= code == NULL;
                see(code);
            }
        }
        for others in self.others.values() {
            for records in stretches(others.len()) {
                others.fetch(records, &mut buffer)?.iter().for_each(|&code| see(code));
            }
        }
        if (0..).zip(&number).all(|(code, &number)| code == number) {
            return Ok(());
        }
        let again = |code| if code == NULL { NULL } else { number[code as usize] };
        codes.rewrite(0..codes.len(), again);
        if !self.others.is_empty() {
            let seen: Vec<Code> =
                number.iter().map(|&number| if number == UNSEEN { 0 } else { number }).collect();
            self.others.values_mut().try_for_each(|others| others.renumber(&seen, NULL))?;
        }
        if !self.called.is_empty() {
            let called =
                polled(&seen).zip(0..).filter_map(|(old, new)| Some((new, self.called.remove(old)?)));
            self.called = called.collect();
        }
        self.values = match &self.values {
            Values::ByValue { values, .. } => {
                let values: Vec<u64> = seen.iter().map(|&code| values[code as usize]).collect();
                Values::ByValue { index: values.iter().copied().zip(0..).collect(), values }
            }
            Values::ByReference(dictionary) => {
                let mut kept = Dictionary::default();
                for &code in &seen {
                    kept.intern(dictionary.value(code))?;
                }
                Values::ByReference(kept)
            }
        };
        Ok(())
    }

    /// How many bytes the values take.
    fn memory(&self) -> usize {
        match &self.values {
            Values::ByValue { index, values } => index.allocation_size() + values.capacity() * 8,
            Values::ByReference(dictionary) => dictionary.memory(),
        }
    }
}
