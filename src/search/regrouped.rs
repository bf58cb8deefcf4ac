//! Intersection of two versions: a new search over unchanged rows makes other groups. A recipient who knows the
//! quasi-identifier of a person looks up the group in each version, and intersects them.
//!
//! What the rows that are read now are released as in the version before follows from its steps, which are performed again on
//! them. It goes with the records as one more column of each, so that it is known of those that stay when others are
//! withheld.

use super::input::Input;
use super::result::SearchResult;
use super::rows::{Previous, Rows, WithoutPlace};
use super::{engine_model, run_bound, sensitive_columns, SearchMode};
use crate::postgres::error::{warn, Result, SqlError};
use crate::postgres::progress::{polled, stretches};
use crate::read::identity::Numbers;
use crate::read::order::called;
use crate::read::table::ReleasedBefore;
use crate::terms::labels::{told_apart, Labels};
use crate::terms::privacy_model::privacy_model;
use crate::terms::request::Request;
use hashbrown::{HashMap, HashSet};
use topdown::cluster::Extent;
use topdown::measure::{measure_groups, Measured, ModelRecords, Released};
use topdown::progress::check_memory;
use topdown::table::{Codes, Store};
use topdown::{Code, CodedColumn};

/// For each record, what the version before released it as: on the columns that it masked, all of which are in
/// `rows`, and on those that it released as they are and that are masked now. The last column tells whether the
/// record existed then, as far as can be known: whether it has a place in the hierarchies and groups of that
/// version. A record without a place in the hierarchies did not with `leave_out`; else it is an error. Where the
/// groups of before are known, most rows have to be in some of them.
pub(super) fn released_before(
    previous: &Previous,
    now: &Request,
    mut rows: Rows,
    leave_out: bool,
) -> Result<Vec<ReleasedBefore>> {
    let all = rows.table.records;
    // Their own numbers go with the rows: some have no place.
    check_memory::<u32>(all)?;
    let number = Store::from_iter(polled(0..all as Code));
    rows.table.before = vec![ReleasedBefore { name: String::new(), codes: number, numbers: all }];
    if leave_out {
        rows.without_place = WithoutPlace::LeftOut;
        rows.table.load()?;
    }
    for masked in &previous.request.masked {
        // Where changes are batched what is called otherwise is another value: the release shows it so.
        let texts = previous.texts.get(masked.by.column_name()).filter(|_| !leave_out);
        if let Some(texts) = texts {
            let column = rows.table.column_mut(masked.column)?;
            column.called = called(column, |text| masked.by.leaf(text), texts);
        }
    }
    let input = Input::new(&previous.request, rows)?;
    let found = run_bound(&previous.request, &SearchMode::Replay(&previous.trace), input)?;
    let there = &found.table.before[0].codes.load()?;
    // A column of those that are there, by a map of its codes, and one number for the others.
    let column = |name: String, codes: &Store, (map, none): (&[Code], Code), other: Code| {
        check_memory::<Code>(all)?;
        let mut column = vec![other; all];
        let (mut buffer, mut places) = (Vec::new(), Vec::new());
        for records in stretches(codes.len()) {
            let codes = codes.fetch(records.clone(), &mut buffer)?;
            for (&place, &code) in there.fetch(records, &mut places).iter().zip(codes) {
                column[place as usize] = map.get(code as usize).copied().unwrap_or(none);
            }
        }
        Ok(ReleasedBefore { name, codes: Store::Memory(column.into()), numbers: other as usize + 1 })
    };
    let masked = found.columns.iter().enumerate().map(|(a, generalized)| {
        let numbers = found.numbers(&previous.request, a);
        let name = previous.request.name(a).to_string();
        let other = generalized.cut.len() as Code;
        column(name, found.keys(a)?, (&numbers, other), other)
    });
    // What it released as it is, and is masked now.
    let Request { source, class, sensitive, keep, .. } = &previous.request;
    let others = class.iter().chain(sensitive).chain(keep);
    let others = others.filter(|column| {
        let name = &source.columns[**column].name;
        now.attribute(name).is_some() && previous.request.attribute(name).is_none()
    });
    let as_it_is = others.map(|&at| {
        let of_table = found.table.column(at)?;
        let none = of_table.distinct() as Code;
        check_memory::<Code>(of_table.distinct())?;
        let same: Vec<Code> = (0..none).collect();
        column(source.columns[at].name.clone(), &of_table.codes, (&same, none), none + 1)
    });
    let have = have_their_group(previous, &found)?;
    let gone =
        polled(0..have.len()).filter(|&record| !have[record]).map(|record| found.table.rows_of(record));
    let (gone, rows) = (gone.sum::<usize>(), found.table.rows);
    if 2 * gone > rows {
        return Err(SqlError::state(format!("{gone} of {rows} of its rows have no group there")));
    }
    let has_group = Store::from_iter(have.into_iter().map(Code::from));
    let were_there = std::iter::once_with(|| column(String::new(), &has_group, (&[1, 0], 1), 1));
    masked.chain(as_it_is).chain(were_there).collect()
}

/// Of each record whether what it would be released as in the version before was published there: else it has come since.
fn have_their_group(previous: &Previous, found: &SearchResult) -> Result<Vec<bool>> {
    let request = &previous.request;
    let Some(published) = &previous.published else { return Ok(vec![true; found.table.records]) };
    let mut columns = Vec::new();
    for (a, generalized) in found.columns.iter().enumerate() {
        let bound = &generalized.bound;
        let Some((place, numbers)) = published.columns.get(request.name(a)) else { continue };
        let number = |extent: &Extent| {
            let ends = matches!(bound.labels, Labels::Intervals(_)).then(|| bound.ends(extent));
            numbers.get(&told_apart(bound.label(extent, request.any()), ends.unwrap_or_default())).copied()
        };
        let of_cut: Vec<u32> = generalized.cut.iter().map(|e| number(e).unwrap_or(u32::MAX)).collect();
        let numbers: Vec<u32> = generalized.numbers().into_iter().map(|n| of_cut[n as usize]).collect();
        columns.push((*place, numbers, found.keys(a)?));
    }
    let all = found.table.records;
    check_memory::<bool>(all)?;
    let mut have = Vec::with_capacity(all);
    let mut buffers = vec![Vec::new(); columns.len()];
    let mut group = vec![u32::MAX; published.columns.len()];
    for records in stretches(all) {
        let keys = (columns.iter().zip(&mut buffers)).map(|((place, numbers, keys), buffer)| {
            Ok((place, numbers, keys.fetch(records.clone(), buffer)?))
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        for record in 0..records.len() {
            keys.iter().for_each(|(place, numbers, keys)| group[**place] = numbers[keys[record] as usize]);
            have.push(published.groups.contains(&group[..]));
        }
    }
    Ok(have)
}

/// What a model measures of some parts of the rows of what was found, in the groups of the columns that are released, and of
/// `before` where that is known; and of one more column that somebody knows, if there is one. A part says how many rows of each
/// record it has (none: one each). None of a part without rows.
pub fn measured_on(
    request: &Request,
    found: &SearchResult,
    model: &privacy_model,
    (before, known): (&[ReleasedBefore], Option<Released>),
    parts: &[Option<&Codes>],
) -> Result<Vec<Option<Measured>>> {
    let named = sensitive_columns(request, (&found.sensitive, &found.table), &found.persons, false);
    let engine = engine_model(request, model, &named)?;
    let numbers: Vec<Vec<u32>> = engine.attributes().iter().map(|&a| found.numbers(request, a)).collect();
    let widest = before.iter().map(|column| column.numbers).max().unwrap_or_default();
    check_memory::<u32>(widest)?;
    let same: Vec<u32> = (0..widest as u32).collect();
    let mut columns = Vec::new();
    for (&a, as_number) in engine.attributes().iter().zip(&numbers) {
        let now = Released {
            codes: found.keys(a)?,
            number_of_code: as_number,
            number_count: found.columns[a].cut.len(),
        };
        let name = request.name(a);
        let before = before.iter().filter(|column| column.name == name).map(|column| Released {
            codes: &column.codes,
            number_of_code: &same[..column.numbers],
            number_count: column.numbers,
        });
        columns.push(std::iter::once(now).chain(before).collect());
    }
    let sensitive = engine.sensitive().map(|s| &found.sensitive[s]);
    let counted = ModelRecords {
        records: found.table.records,
        sensitive: sensitive.map(|s| CodedColumn { codes: &s.codes, cardinality: s.cardinality }),
        persons: engine.person().map(|person| &found.persons[person].0),
        always_grouped_by: known,
    };
    Ok(measure_groups(&engine, &columns, counted, parts)?)
}

/// What is known of the version before; that it is not known is said.
pub fn or_warn<T>(before: Result<T>) -> Option<T> {
    before
        .inspect_err(|error| {
            warn(
                "the groups of this version could not be compared with those of the version before",
                format!("Whether both together break a model is not known: {}.", error.message()),
            );
        })
        .ok()
}

/// Measures each model of the source alone on the intersections of the groups of both versions (nothing if the groups before are
/// not known), and counts the rows that are in no group of the version before.
pub fn intersected(
    request: &Request,
    found: &SearchResult,
    before: &[ReleasedBefore],
) -> Result<(Vec<Option<Measured>>, usize)> {
    if before.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let were_there = were_there(before)?;
    check_memory::<u32>(2 * were_there.len())?;
    let rows_of = |record: usize| if were_there[record] { found.table.rows_of(record) as Code } else { 0 };
    let part = polled(0..were_there.len()).map(rows_of).collect::<Codes>();
    let others = polled(0..were_there.len()).filter(|&record| !were_there[record]);
    let others = others.map(|record| found.table.rows_of(record)).sum();
    let models = polled(request.arguments.of_source());
    let measured =
        models.map(|model| Ok(measured_on(request, found, model, (before, None), &[Some(&part)])?[0]));
    Ok((measured.collect::<Result<_>>()?, others))
}

/// Decides which columns a replay leaves coarser where it is compared with the version before: whatever its steps say.
pub(super) fn find_coarser(request: &Request, found: &mut SearchResult) -> Result<()> {
    if found.left_out.is_none() || found.table.before.is_empty() {
        return Ok(());
    }
    let were_there = were_there(&found.table.before)?;
    let mut left_out = found.left_out.take().unwrap_or_default();
    for attribute in 0..request.masked.len() {
        if let Some(is_coarser) = is_coarser(request, found, attribute, &were_there)? {
            left_out.coarser.retain(|&coarser| coarser != attribute);
            left_out.coarser.extend(is_coarser.then_some(attribute));
        }
    }
    left_out.coarser.sort_unstable();
    found.left_out = Some(left_out);
    Ok(())
}

/// What a row was shown as, what it is shown as now, and a number for the value that it holds; none for NULL.
type Seen = (Code, u32, Option<u64>);

/// Whether rows of a column are shown as one of more values than in the version before, on the average, of those that rows hold now;
/// none where that is not known.
fn is_coarser(
    request: &Request,
    found: &SearchResult,
    attribute: usize,
    were_there: &[bool],
) -> Result<Option<bool>> {
    let mut before = found.table.before.iter();
    let Some(before) = before.find(|column| column.name == request.name(attribute)) else {
        return Ok(None);
    };
    let numbers = found.numbers(request, attribute);
    let column = found.table.column(found.columns[attribute].column)?;
    // Equal values are one, however they are printed.
    let of_value = Numbers::new(column.ty, false).of_column(column)?;
    let (values, keys) = (&column.codes, found.keys(attribute)?);
    // How many rows of a value were shown as what, and are now.
    let mut rows_of: HashMap<Seen, u64> = HashMap::new();
    let [mut of_before, mut of_keys, mut of_values] = [(); 3].map(|()| Vec::new());
    for records in stretches(were_there.len()) {
        let before = before.codes.fetch(records.clone(), &mut of_before)?;
        let keys = keys.fetch(records.clone(), &mut of_keys)?;
        let values = values.fetch(records.clone(), &mut of_values)?;
        // It may grow to twice of what it holds.
        check_memory::<(Seen, u64)>(2 * rows_of.len())?;
        for (at, record) in records.enumerate().filter(|(_, record)| were_there[*record]) {
            let value = of_value.get(values[at] as usize).copied();
            let seen = (before[at], numbers[keys[at] as usize], value);
            *rows_of.entry(seen).or_default() += found.table.rows_of(record) as u64;
        }
    }
    let beside = |shown: &dyn Fn(&Seen) -> u32| {
        let values: HashSet<(u32, Option<u64>)> = rows_of.keys().map(|of| (shown(of), of.2)).collect();
        let mut how_many: HashMap<u32, u64> = HashMap::new();
        values.iter().for_each(|(shown, _)| *how_many.entry(*shown).or_default() += 1);
        polled(&rows_of).map(|(of, rows)| rows * how_many[&shown(of)]).sum::<u64>()
    };
    Ok((!rows_of.is_empty()).then(|| beside(&|of| of.1) > beside(&|of| of.0)))
}

/// Which records were there in the version before.
fn were_there(before: &[ReleasedBefore]) -> Result<Vec<bool>> {
    let last = before.last().ok_or_else(|| SqlError::internal("nobody knows which rows were there"))?;
    let codes = last.codes.load()?;
    check_memory::<bool>(codes.len())?;
    Ok(polled(0..codes.len()).map(|record| codes.get(record) == 0).collect())
}
