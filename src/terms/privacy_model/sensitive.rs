//! The sensitive column of a model as it was read, and the values of it that the model names.

use crate::postgres::error::{clipped, clipped_to, some_of, Result, SqlError};
use crate::postgres::progress::polled;
use crate::postgres::text::{beginning, near};
use crate::read::order::Counted;
use crate::terms::days::must_be_one_day;
use hashbrown::{HashMap, HashSet};
use pgrx::pg_sys::Datum;
use topdown::measure::count_value_holders;
use topdown::table::{Codes, Store};
use topdown::{Code, CodedColumn};

/// A sensitive column.
pub struct Sensitive<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its place among the sensitive columns.
    pub place: usize,
    /// Its values.
    pub counted: &'a Counted,
    /// For how many rows each record stands; none: one each.
    pub weights: Option<&'a Codes>,
    /// Whose each record is, and of how many persons, for each column that tells them apart.
    pub persons: &'a [(Store, usize)],
    /// Whether every value that is named must be there: in a release's first call it is taken for a
    /// slip if not, later it may have become rare.
    pub all_there: bool,
}

impl<'a> Sensitive<'a> {
    /// The sensitive column of a model that has one.
    pub fn of<'s>(sensitive: Option<&'s Sensitive<'a>>) -> Result<&'s Sensitive<'a>> {
        sensitive.ok_or_else(|| SqlError::internal("a sensitive column was not read"))
    }

    /// How many rows the whole table has, and how many hold each value; or of persons, by one of the columns that tell them apart.
    pub fn whole(&self, person: Option<usize>) -> Result<(u64, Vec<u64>)> {
        let Some(person) = person else {
            let counts = self.counted.histogram(self.weights)?;
            return Ok((polled(&counts).sum(), counts));
        };
        let persons = self.persons.get(person).ok_or_else(|| SqlError::internal("persons were not read"))?;
        let values = CodedColumn { codes: &self.counted.codes, cardinality: self.counted.cardinality };
        let persons = CodedColumn { codes: &persons.0, cardinality: persons.1 };
        Ok(count_value_holders(values, persons)?)
    }

    /// The text of a code's value; none for NULL.
    pub fn value(&self, code: usize) -> Option<String> {
        self.counted.values.get(code).map(|&value| self.counted.ty.text(value))
    }

    /// The codes of sensitive values; all of the column's where none are named. Values are compared in
    /// the column's own type, in which 1.0 is 1.00.
    pub fn codes(&self, named: Option<&[Option<String>]>) -> Result<Vec<Option<Code>>> {
        let Some(named) = named else { return Ok((0..self.counted.cardinality as Code).map(Some).collect()) };
        let texts: Vec<&str> = named.iter().flatten().map(String::as_str).collect();
        let mut found = self.find(&texts)?.into_iter();
        let null = self.counted.null();
        let codes: Vec<Option<Code>> =
            named.iter().map(|value| value.as_ref().map_or(null, |_| found.next().flatten())).collect();
        let mut seen = HashSet::new();
        let twice = codes.iter().zip(named).find(|(code, _)| code.is_some_and(|code| !seen.insert(code)));
        if let Some((_, twice)) = twice {
            return Err(SqlError::parameter(format!(
                "a sensitive value of column \"{}\" is given twice",
                self.name
            ))
            .detail(format!("{} equals another of them.", quoted(twice.as_deref()))));
        }
        let unknown: Vec<Option<&str>> = (named.iter().zip(&codes))
            .filter(|(_, code)| code.is_none())
            .map(|(value, _)| value.as_deref())
            .collect();
        if self.all_there && !unknown.is_empty() {
            return Err(self.missing(&unknown));
        }
        Ok(codes)
    }

    /// The codes of some texts.
    fn find(&self, texts: &[&str]) -> Result<Vec<Option<Code>>> {
        let (ty, held) = (self.counted.ty, &self.counted.values);
        let Some(compare) = ty.comparator().filter(|_| ty.is_readable()) else {
            let held = polled(held).map(|&value| ty.text(value));
            let held: HashMap<String, Code> = held.zip(0..).collect();
            return Ok(polled(texts).map(|&text| held.get(text).copied()).collect());
        };
        must_be_one_day(ty, &format!("column \"{}\"", self.name), texts.iter().copied())?;
        let wanted =
            ty.parse_all(texts.iter().copied()).map_err(|fault| unreadable(self.name, texts, fault))?;
        let find = |wanted: Datum| held.binary_search_by(|&held| compare(held, wanted)).ok();
        Ok(polled(wanted).map(|wanted| find(wanted).map(|at| at as Code)).collect())
    }

    /// Values that the column does not hold, and which of those that it holds read like them.
    fn missing(&self, unknown: &[Option<&str>]) -> SqlError {
        let listed: Vec<String> = unknown.iter().take(SHOWN).map(|value| quoted(*value)).collect();
        let more = unknown.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let name = self.name;
        let error = SqlError::parameter(format!("column \"{name}\" does not hold every sensitive value"))
            .detail(format!("Not there: {}{more}.", listed.join(", ")));
        let held = self.counted.values.iter().take(COMPARED);
        let held: Vec<String> = held.map(|&value| beginning(&self.counted.ty.text(value)).into()).collect();
        let mut close: Vec<&str> = Vec::new();
        for text in unknown.iter().take(SHOWN).flatten().flat_map(|unknown| near(unknown, polled(&held))) {
            if !close.contains(&text) {
                close.push(text);
            }
        }
        if close.is_empty() {
            error
        } else {
            error.hint(format!("Near: {}.", some_of(close)))
        }
    }
}

/// A sensitive value that is none of its column's type: which of the texts, and the type's complaint.
pub fn unreadable(column: &str, texts: &[&str], (at, complaint): (usize, String)) -> SqlError {
    let text = clipped(texts[at]);
    SqlError::parameter(format!("sensitive value \"{text}\" of column \"{column}\" cannot be read"))
        .detail(clipped_to(&complaint, 200))
}

/// A sensitive value as a message shows it.
pub fn quoted(value: Option<&str>) -> String {
    value.map_or("NULL".into(), |value| format!("\"{}\"", clipped(value)))
}

/// How many unknown values a message lists.
const SHOWN: usize = 10;

/// How many values of the data are compared with unknown ones: a hint is not worth more.
const COMPARED: usize = 10_000;
