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
use crate::terms::labels::Labels;
use crate::terms::masking::masking;
use crate::terms::request::Request;
use hashbrown::HashSet;
use topdown::measure::{half_kept, measured, Counted, Measured, Released};
use topdown::privacy::PrivacyModel;
use topdown::progress::room;
use topdown::table::{Codes, Store, NONE};
use topdown::Code;

/// What rows that were just read, columns that are not asked for any more included, were released as in the version before.
pub(super) fn released(previous: &Previous, now: &Request, rows: Rows) -> Result<Vec<ReleasedBefore>> {
    let input = Input::new(&previous.request, rows, false)?;
    let found = search(&previous.request, &How::Again(&previous.trace), input)?;
    let of_column = |(a, column): (usize, &Generalized)| {
        let (mut numbers, keys) = (found.numbers(&previous.request, a), found.keys(a)?);
        let new = column.cut.len();
        let has_new = number_new_leaves(&previous.request.masked[a].by, column, &mut numbers, new as u32);
        let mut codes = Codes::below(new + 1, keys.len());
        let mut buffer = Vec::new();
        for records in stretches(keys.len()) {
            keys.fetch(records, &mut buffer)?.iter().for_each(|&key| codes.push(numbers[key as usize]));
        }
        let name = previous.request.name(a).to_string();
        Ok(ReleasedBefore { name, codes: Store::Memory(codes), numbers: new + 1, has_new })
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
        let numbers = of_table.distinct() + 1;
        Ok(ReleasedBefore { name, codes: Store::Memory(codes), numbers, has_new: false })
    };
    let mut before = masked.into_iter().map(Ok).chain(others.map(as_it_is)).collect::<Result<Vec<_>>>()?;
    // One column more, which is none of the version's.
    let codes = Store::from_iter(have_their_group(previous, &found)?.into_iter().map(|has| Code::from(!has)));
    before.push(ReleasedBefore { name: String::new(), codes, numbers: 2, has_new: true });
    Ok(before)
}

/// Of each record whether most of its groups in the version before are there still: what is far from keeping the models of
/// that version has come since.
fn have_their_group(previous: &Previous, found: &Found) -> Result<Vec<bool>> {
    let request = &previous.request;
    let named = sensitive_columns(request, (&found.sensitive, &found.table), false);
    let numbers: Vec<Vec<u32>> = (0..found.columns.len()).map(|a| found.numbers(request, a)).collect();
    room::<bool>(found.table.records)?;
    let mut have = vec![true; found.table.records];
    for model in polled(&previous.models) {
        let engine_model = engine_model(request, model, &named)?;
        let columns = engine_model.attributes().iter().map(|&a| {
            Ok(Released {
                codes: found.keys(a)?,
                as_number: &numbers[a],
                numbers: found.columns[a].cut.len(),
            })
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let kept = half_kept(&*engine_model, &columns, counted(found, &*engine_model))?;
        have.iter_mut().zip(kept).for_each(|(have, kept)| *have &= kept);
    }
    Ok(have)
}

/// The records of what was found, as a model counts them.
fn counted<'a>(found: &'a Found, model: &dyn PrivacyModel) -> Counted<'a> {
    let sensitive = model.sensitive().map(|s| &found.sensitive[s]);
    Counted {
        records: found.table.records,
        weights: found.table.weights(),
        sensitive: sensitive.map(|sensitive| (&sensitive.codes, sensitive.cardinality)),
        persons: model.person().map(|person| &found.persons[person].0),
        counts: None,
    }
}

/// Gives a number to the values that have come into a taxonomy since an earlier version; whether there are any.
fn number_new_leaves(by: &masking, column: &Generalized, numbers: &mut [u32], new: u32) -> bool {
    let (Some(before), Labels::Taxonomy(taxonomy, _)) = (by.before(), &column.bound.labels) else {
        return false;
    };
    let known: HashSet<&str> = polled(before.iter()).filter_map(|edge| edge.child).collect();
    let mut has_new = false;
    for (node, label) in polled(taxonomy.nodes().iter().zip(taxonomy.labels())) {
        if node.children.is_empty() && !known.contains(label) {
            numbers[node.leaves.start as usize] = new;
            has_new = true;
        }
    }
    has_new
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
    let were_there = were_there(found)?;
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
        let counted = counted(found, &*engine_model);
        Ok(measured(&*engine_model, &columns, Counted { counts: were_there.as_deref(), ..counted })?)
    };
    polled(&request.arguments.privacy).map(measure).collect()
}

/// Which records may have been released in the version before: none of them has a value that was not there then. None, where all may.
fn were_there(found: &Found) -> Result<Option<Vec<bool>>> {
    let mut columns = found.table.before.iter().filter(|column| column.has_new).peekable();
    if columns.peek().is_none() {
        return Ok(None);
    }
    room::<bool>(found.table.records)?;
    let mut were_there = vec![true; found.table.records];
    let mut buffer = Vec::new();
    for column in columns {
        for records in stretches(found.table.records) {
            let codes = column.codes.fetch(records.clone(), &mut buffer)?;
            let is_new = codes.iter().map(|&code| code as usize + 1 == column.numbers);
            were_there[records].iter_mut().zip(is_new).for_each(|(there, is_new)| *there &= !is_new);
        }
    }
    Ok(Some(were_there))
}
