//! What the groups of two versions tell together: a search that is made anew over rows that have not changed groups them in
//! another way, and whoever knows somebody's quasi-identifier looks for that somebody in a group of each.
//!
//! What the rows that are read now are released as in the version before follows from its steps, which are performed again on
//! them. It goes with the records as one more column of each, so that it is known of those that stay when others are
//! withheld.

use super::found::{Found, Generalized};
use super::input::Input;
use super::rows::{Previous, Rows};
use super::{engine_model, search, sensitive_columns, How};
use crate::postgres::error::{warn, Result};
use crate::postgres::progress::{polled, stretches};
use crate::read::table::ReleasedBefore;
use crate::terms::request::Request;
use topdown::measure::{measured, Counted, Measured, Released};
use topdown::progress::room;
use topdown::table::{Codes, Store, NONE};
use topdown::Code;

/// What rows that were just read, columns that are not asked for any more included, were released as in the version before.
pub(super) fn released(previous: &Previous, now: &Request, rows: Rows) -> Result<Vec<ReleasedBefore>> {
    let input = Input::new(&previous.request, rows, false)?;
    let found = search(&previous.request, &How::Again(&previous.trace), input)?;
    let of_column = |(a, column): (usize, &Generalized)| {
        let (numbers, keys) = (found.numbers(&previous.request, a), found.keys(a)?);
        let mut codes = Codes::below(column.cut.len(), keys.len());
        let mut buffer = Vec::new();
        for records in stretches(keys.len()) {
            keys.fetch(records, &mut buffer)?.iter().for_each(|&key| codes.push(numbers[key as usize]));
        }
        let name = previous.request.name(a).to_string();
        Ok(ReleasedBefore { name, codes: Store::Memory(codes), numbers: column.cut.len() })
    };
    let masked: Vec<ReleasedBefore> =
        found.columns.iter().enumerate().map(of_column).collect::<Result<_>>()?;
    // What it released as it is, and is masked now.
    let Request { source, class, sensitive, keep, .. } = &previous.request;
    let others = class.iter().chain(sensitive).chain(keep);
    let others = others.filter(|column| now.attribute(&source.columns[**column].name).is_some());
    let as_it_is = |&column: &usize| {
        let (name, of_table) = (source.columns[column].name.clone(), found.table.column(column)?);
        let none = of_table.distinct() as Code;
        let mut codes = Codes::below(of_table.distinct() + 1, of_table.codes.len());
        let mut buffer = Vec::new();
        for records in stretches(of_table.codes.len()) {
            let values = of_table.codes.fetch(records, &mut buffer)?.iter();
            values.for_each(|&code| codes.push(if code == NONE { none } else { code }));
        }
        Ok(ReleasedBefore { name, codes: Store::Memory(codes), numbers: of_table.distinct() + 1 })
    };
    masked.into_iter().map(Ok).chain(others.map(as_it_is)).collect()
}

/// What is known of the version before; nothing where its steps cannot be performed on these rows. What there was not memory for is
/// said to be unknown.
pub fn known<T>(before: Result<T>) -> Option<T> {
    before
        .inspect_err(|error| {
            if error.is_of_resources() {
                warn(
                    "the groups of this version could not be compared with those of the version before",
                    format!("Whether both together break a model is not known: {}.", error.message()),
                );
            }
        })
        .ok()
}

/// What each model measures of the groups that those of the version before and those of what was found make together; none
/// where that is not known.
pub fn regrouped(request: &Request, found: &Found) -> Result<Vec<Measured>> {
    let before = &found.table.before;
    if before.is_empty() {
        return Ok(Vec::new());
    }
    let named = sensitive_columns(request, (&found.sensitive, &found.table), false);
    let numbers: Vec<Vec<u32>> = (0..found.columns.len()).map(|a| found.numbers(request, a)).collect();
    let widest = before.iter().map(|column| column.numbers).max().unwrap_or_default();
    room::<u32>(widest)?;
    let same: Vec<u32> = (0..widest as u32).collect();
    let measure = |model| {
        let engine_model = engine_model(request, model, &named)?;
        let mut columns = Vec::new();
        for &a in engine_model.attributes() {
            let numbers = (&numbers[a], found.columns[a].cut.len());
            columns.push(Released { codes: found.keys(a)?, as_number: numbers.0, numbers: numbers.1 });
            let name = request.name(a);
            columns.extend(before.iter().filter(|column| column.name == name).map(|column| Released {
                codes: &column.codes,
                as_number: &same[..column.numbers],
                numbers: column.numbers,
            }));
        }
        let counted = Counted {
            records: found.table.records,
            weights: found.table.weights(),
            sensitive: engine_model
                .sensitive()
                .map(|s| (&found.sensitive[s].codes, found.sensitive[s].cardinality)),
            persons: engine_model.person().map(|person| &found.persons[person].0),
        };
        Ok(measured(&*engine_model, &columns, counted)?)
    };
    polled(&request.arguments.privacy).map(measure).collect()
}
