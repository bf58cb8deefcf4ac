//! What two versions tell together: of the rows that came between them, of those that left, and of those that stayed, each part
//! by itself. Whoever has read both knows in which groups each part is: those who came by what the later version shows of them, those who left
//! by what the earlier one did. A group of few of them singles them out, however many rows it has.
//!
//! A row is what it holds ([`crate::read::identity`]): rows that are equal are as many as there are in either version. Or it is what is
//! shown of it, or how that is printed: then those came and left of whom readers see it.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::progress::polled;
use crate::postgres::sql::Values;
use crate::read::identity::{are_printed_otherwise, told_apart_by, Compared, Multiset, Numbers};
use crate::read::order::{told_apart, Counted};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::read::table::{Column, ReleasedBefore, Table};
use crate::read::version_table::VersionTable;
use crate::release::store::columns::Filled;
use crate::release::store::manifest::{parsed, unreadable, ExistingRelease};
use crate::release::store::parameters::{Holds, Parameters};
use crate::release::store::tables::MANIFEST;
use crate::release::store::version_table;
use crate::release::store::write;
use crate::search::regrouped::measured_on;
use crate::search::SearchResult;
use crate::terms::arguments::Arguments;
use crate::terms::privacy_model::sensitive::Sensitive;
use crate::terms::privacy_model::{privacy_model, Columns};
use crate::terms::request::Request;
use crate::terms::words::ApartBy;
use hashbrown::HashSet;
use std::collections::BTreeSet;
use std::rc::Rc;
use topdown::measure::{self, measure_groups, Measured, Released, ReleasedOfModel};
use topdown::progress::{check_memory, reserve};
use topdown::table::{Codes, Store};
use topdown::Code;
use topdown::{pace, CodedColumn};

/// Rows of two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Came,
    Left,
    Stayed,
}

impl Part {
    /// In a word.
    pub fn shown(self) -> &'static str {
        match self {
            Part::Came => "came",
            Part::Left => "left",
            Part::Stayed => "stayed",
        }
    }
}

/// What a model measures of a part.
pub struct PartVerdict {
    pub by: ApartBy,
    pub part: Part,
    pub model: privacy_model,
    /// None without rows.
    pub measured: Option<Measured>,
}

impl PartVerdict {
    /// Whether every group of the part keeps the model.
    pub fn holds(&self) -> bool {
        self.measured.is_none_or(|measured| measured.broken_groups == 0)
    }
}

/// A version, and its table.
struct Version {
    number: i32,
    /// The one that it is compared with.
    other: i32,
    parameters: Parameters,
    /// The models that are measured: those of the later version.
    models: Vec<privacy_model>,
    table: Rc<VersionTable>,
}

/// A version as its table has it: what it shows of each row, what its models count, and what each row is.
pub struct VersionRows {
    of: Version,
    table: Table,
    rows: Vec<i64>,
}

/// Measures the models of the later of two versions on each part.
pub fn parts(from: &VersionRows, to: &VersionRows, by: ApartBy) -> Result<Vec<PartVerdict>> {
    comparable(&from.of, &to.of.parameters, to.of.number)?;
    let (mut stayed, mut stay) = in_both(to, from)?;
    if by != ApartBy::Source {
        let (of_to, of_from) = looks(to, from, by)?;
        stayed = alike((&to.rows, &of_to), |row| Some(!stayed[row]), &of_from)?;
        stay = alike((&from.rows, &of_from), |row| Some(!stay[row]), &of_to)?;
    }
    let (came, left) = (not(&stayed), not(&stay));
    verdicts(by, &to.of.parameters.arguments, |part, (_, model)| {
        let (version, of_part) = match part {
            Part::Came => (to, &came),
            Part::Left => (from, &left),
            Part::Stayed => (to, &stayed),
        };
        version.measured(model, of_part)
    })
}

/// What each model of the source alone measures of each part.
fn verdicts(
    by: ApartBy,
    arguments: &Arguments,
    measure: impl Fn(Part, (usize, &privacy_model)) -> Result<Option<Measured>>,
) -> Result<Vec<PartVerdict>> {
    let parts = [Part::Came, Part::Left, Part::Stayed];
    let models = || arguments.of_source().enumerate();
    let all = parts.into_iter().flat_map(|part| models().map(move |model| (part, model)));
    all.map(|(part, model)| {
        Ok(PartVerdict { by, part, model: model.1.clone(), measured: measure(part, model)? })
    })
    .collect()
}

/// The same of a version that was just made, by what was found for it and its table is filled with; of the one before the rows are
/// read that left. The parts are also those that readers see.
pub fn parts_of_found(
    existing: &ExistingRelease,
    before: &ExistingRelease,
    request: &Request,
    made: (&SearchResult, Filled),
) -> Result<Vec<PartVerdict>> {
    let (found, _) = made;
    let Changed { came, stayed, rows } = Changed::between(existing, before, request, made)?;
    check_memory::<[u32; 4]>(came.len())?;
    let codes = |rows: &[u32]| rows.iter().copied().collect::<Codes>();
    // Parts of the rows that were found: those that came, those that stayed, and those that stayed as far as is seen.
    let (mut of_found, mut all_seen) = (vec![codes(&came), codes(&stayed)], Vec::new());
    if let Some(rows) = rows.as_ref().filter(|rows| rows.new.contains(&true)) {
        let printed = rows.later.is_printed_otherwise()?.then_some(ApartBy::Printed);
        for by in [Some(ApartBy::Shown), printed].into_iter().flatten() {
            let (new, gone) = rows.seen(by)?;
            let mut of_stayed = 1;
            if new != rows.new {
                of_stayed = of_found.len();
                of_found.push(codes(&rows.stayed_as_seen(&stayed, &new)));
            }
            all_seen.push((rows, by, new, gone, of_stayed));
        }
    }
    let of_found: Vec<Option<&Codes>> = of_found.iter().map(Some).collect();
    let models = polled(request.arguments.of_source());
    let measured: Vec<Vec<Option<Measured>>> = models
        .map(|model| measured_on(request, found, model, (&[], None), &of_found))
        .collect::<Result<_>>()?;
    let mut all = verdicts(ApartBy::Source, &request.arguments, |part, (number, model)| match part {
        Part::Came => Ok(measured[number][0]),
        Part::Stayed => Ok(measured[number][1]),
        Part::Left => rows.as_ref().map_or(Ok(None), |rows| rows.earlier.measured(model, &rows.gone)),
    })?;
    for (rows, by, new, gone, of_stayed) in &all_seen {
        all.extend(verdicts(*by, &request.arguments, |part, (number, model)| match part {
            Part::Came => rows.later.measured(model, new),
            Part::Stayed => Ok(measured[number][*of_stayed]),
            Part::Left => rows.earlier.measured(model, gone),
        })?);
    }
    Ok(all)
}

/// For each record of a version that was just made, what the version before showed of it. The rows are found again by what they
/// hold: no steps lead to clusters. The last column tells whether there is such a row.
pub fn shown_before(
    existing: &ExistingRelease,
    before: &ExistingRelease,
    (found, filled): (&SearchResult, Filled),
) -> Result<Vec<ReleasedBefore>> {
    let (from, to) = (before.version, existing.version);
    let earlier = Version::open(before, from, to)?;
    comparable(&earlier, existing.parameters()?, to)?;
    let rows = found.table.identities.as_ref().map(|identities| &identities.of_records);
    let rows = rows.ok_or_else(|| cannot_compare(from, to, &untold(to)))?;
    let earlier = earlier.read(None, ApartBy::Shown)?;
    check_memory::<u32>(rows.len())?;
    let times: Vec<u32> = polled(0..rows.len()).map(|record| found.table.rows_of(record) as u32).collect();
    let (later, records) = Version::open(existing, to, from)?.written((found, filled), rows, &times)?;
    check_memory::<Option<usize>>(rows.len())?;
    let mut places: Vec<Option<usize>> = vec![None; rows.len()];
    for (record, place) in polled(records.into_iter().zip(matched(&later, &earlier)?)) {
        places[record] = places[record].or(place);
    }
    drop(later);
    let VersionRows { of, table, .. } = &earlier;
    let column = |name: String, code: &dyn Fn(usize) -> Code, other: usize| {
        check_memory::<Code>(places.len())?;
        let codes = polled(&places).map(|place| place.map_or(other as Code, code));
        Ok(ReleasedBefore { name, codes: Store::Memory(codes.collect()), numbers: other + 1 })
    };
    let names = of.parameters.names().into_iter().chain(shown_as_it_is(&of.parameters));
    let columns = names.map(|name| {
        let mut read = table.column(of.table.source.column(&name)?)?.clone();
        let (codes, numbers) = told_apart(&mut read)?;
        let codes = codes.load()?;
        column(name, &|place| codes.get(place), numbers)
    });
    columns.chain(std::iter::once_with(|| column(String::new(), &|_| 0, 1))).collect()
}

/// What has changed between a version that was just made and the one before.
struct Changed {
    /// Of each record that was found, how many of its rows came, and how many stayed.
    came: Vec<u32>,
    stayed: Vec<u32>,
    /// None where no row left.
    rows: Option<ChangedRows>,
}

/// The rows of two versions that came or left, and of clusters those that are equal to one of these.
struct ChangedRows {
    later: VersionRows,
    /// Which record that was found each row of the later version is of.
    records: Vec<usize>,
    /// Whether each came.
    new: Vec<bool>,
    earlier: VersionRows,
    /// Whether each row of the earlier version left.
    gone: Vec<bool>,
}

impl Changed {
    fn between(
        existing: &ExistingRelease,
        before: &ExistingRelease,
        request: &Request,
        (found, filled): (&SearchResult, Filled),
    ) -> Result<Changed> {
        let (from, to) = (before.version, existing.version);
        let earlier = Version::open(before, from, to)?;
        comparable(&earlier, existing.parameters()?, to)?;
        let rows = found.table.identities.as_ref().map(|identities| &identities.of_records);
        let rows = rows.ok_or_else(|| cannot_compare(from, to, &untold(to)))?;
        let Compared { mut stayed, mut came, left } =
            Compared::of(&found.table, rows, || earlier.table.rows())?;
        let (mut left, mut again) = (left.rest(), came.clone());
        if request.arguments.clusters() {
            // Equal rows may be shown otherwise, and which of them came or left is told by that.
            let of_came = polled(rows.iter().zip(&came)).filter(|(_, &came)| came > 0).map(|(&row, _)| row);
            let changed: HashSet<i64> = left.iter().map(|&(row, _)| row).chain(of_came).collect();
            left = changed.iter().map(|&row| (row, u32::MAX)).collect();
            let equal = polled(0..rows.len()).filter(|&record| changed.contains(&rows[record]));
            equal.for_each(|record| again[record] = found.table.rows_of(record) as u32);
        }
        if left.is_empty() {
            return Ok(Changed { came, stayed, rows: None });
        }
        let earlier = earlier.read(Some(&left), ApartBy::Printed)?;
        let later = Version::open(existing, to, from)?;
        let (later, records) = later.written((found, filled), rows, &again)?;
        let (stay, stayed_there) = in_both(&later, &earlier)?;
        let (new, gone) = (not(&stay), not(&stayed_there));
        stayed.iter_mut().zip(&mut came).for_each(|(stayed, came)| *stayed += std::mem::take(came));
        polled(records.iter().zip(&new)).filter(|(_, is_new)| **is_new).for_each(|(&record, _)| {
            came[record] += 1;
            stayed[record] -= 1;
        });
        Ok(Changed { came, stayed, rows: Some(ChangedRows { later, records, new, earlier, gone }) })
    }
}

impl ChangedRows {
    /// Which rows readers see come, and which they see leave: those that came and look like none that left, and the other way about.
    fn seen(&self, by: ApartBy) -> Result<(Vec<bool>, Vec<bool>)> {
        let ChangedRows { later, new, earlier, gone, .. } = self;
        let (of_later, of_earlier) = looks(later, earlier, by)?;
        let came = seen((&later.rows, &of_later), new, (&of_earlier, gone))?;
        let left = seen((&earlier.rows, &of_earlier), gone, (&of_later, new))?;
        Ok((came, left))
    }

    /// Of each record how many rows stayed, and came unseen.
    fn stayed_as_seen(&self, stayed: &[u32], came_seen: &[bool]) -> Vec<u32> {
        let mut stay = stayed.to_vec();
        let rows = polled(self.records.iter().zip(self.new.iter().zip(came_seen)));
        rows.filter(|(_, (new, seen))| new != seen).for_each(|(&record, _)| stay[record] += 1);
        stay
    }
}

/// What each row of two versions looks like.
fn looks(one: &VersionRows, other: &VersionRows, by: ApartBy) -> Result<(Vec<i64>, Vec<i64>)> {
    let (mut of_one, mut of_other) = (Vec::new(), Vec::new());
    for name in one.names(by).intersection(&other.names(by)) {
        let (one, other) = (one.column(name)?, other.column(name)?);
        let mut numbers = Numbers::new(one.ty, by == ApartBy::Printed);
        of_one.push(Ok((&one.codes, numbers.of_column(one)?)));
        of_other.push(Ok((&other.codes, numbers.of_column(other)?)));
    }
    let (one, other) = (one.table.records, other.table.records);
    Ok((told_apart_by(one, of_one.into_iter())?, told_apart_by(other, of_other.into_iter())?))
}

/// Which rows of each of two versions are in the other, equal ones as often as both have them.
fn in_both(one: &VersionRows, other: &VersionRows) -> Result<(Vec<bool>, Vec<bool>)> {
    let matched = matched(one, other)?;
    let mut in_one = vec![false; other.rows.len()];
    polled(matched.iter().flatten()).for_each(|&place| in_one[place] = true);
    Ok((matched.iter().map(Option::is_some).collect(), in_one))
}

/// For each row of a version, the row of another one that it is. Of equal ones those are paired that are shown alike, and then any,
/// wherever they lie.
fn matched(one: &VersionRows, other: &VersionRows) -> Result<Vec<Option<usize>>> {
    let (of_one, of_other) = looks(one, other, ApartBy::Source)?;
    check_memory::<[(i64, i64, usize); 2]>(one.rows.len() + other.rows.len())?;
    let in_order = |rows: &[i64], looks: &[i64]| {
        let keys = polled(rows.iter().zip(looks)).zip(0..).map(|((&row, &look), place)| (row, look, place));
        let mut order: Vec<(i64, i64, usize)> = keys.collect();
        pace::sort_by(&mut order, Ord::cmp)?;
        Ok::<_, SqlError>(order)
    };
    let (mut one, mut other) = (in_order(&one.rows, &of_one)?, in_order(&other.rows, &of_other)?);
    let (mut matched, mut is_taken) = (vec![None; one.len()], vec![false; other.len()]);
    for is_by_look in [true, false] {
        let key = |&(row, look, _): &(i64, i64, usize)| (row, if is_by_look { look } else { 0 });
        let mut others = other.iter().peekable();
        for row in polled(&one) {
            while others.next_if(|other| key(other) < key(row)).is_some() {}
            if let Some(&(.., place)) = others.next_if(|other| key(other) == key(row)) {
                (matched[row.2], is_taken[place]) = (Some(place), true);
            }
        }
        one.retain(|&(.., place)| matched[place].is_none());
        other.retain(|&(.., place)| !is_taken[place]);
    }
    Ok(matched)
}

/// Of some rows of a version those that look like none of some of another.
fn seen(rows: (&[i64], &[i64]), part: &[bool], (others, of_other): (&[i64], &[bool])) -> Result<Vec<bool>> {
    let others = polled(others.iter().zip(of_other)).filter(|(_, is_one)| **is_one);
    let others: Vec<i64> = others.map(|(&look, _)| look).collect();
    let alike = alike(rows, |row| part[row].then_some(true), &others)?;
    Ok(part.iter().zip(alike).map(|(is_one, alike)| *is_one && !alike).collect())
}

/// Which rows, by what they hold and look like, look like some of others, in the order of what they hold: first those with false,
/// then those with true, and the others not at all.
fn alike(
    (rows, looks): (&[i64], &[i64]),
    place: impl Fn(usize) -> Option<bool>,
    others: &[i64],
) -> Result<Vec<bool>> {
    check_memory::<[(usize, i64, bool); 2]>(rows.len())?;
    let keys = polled(0..rows.len()).filter_map(|row| Some((place(row)?, rows[row], row)));
    let mut order: Vec<(bool, i64, usize)> = keys.collect();
    pace::sort_by(&mut order, Ord::cmp)?;
    let (mut there, mut alike) = (Multiset::of(others)?, vec![false; rows.len()]);
    polled(order).for_each(|(.., row)| alike[row] = there.take(looks[row], 1) == 1);
    Ok(alike)
}

/// The other rows.
fn not(rows: &[bool]) -> Vec<bool> {
    rows.iter().map(|is_one| !is_one).collect()
}

/// Whether rows of two versions are the same where they are equal: both have been told apart by the same columns.
fn comparable(from: &Version, to: &Parameters, number: i32) -> Result<()> {
    if from.parameters.compared() == to.compared() {
        return Ok(());
    }
    Err(cannot_compare(from.number, number, "They are of other columns, or these were of other types."))
}

/// Two versions whose rows cannot be compared.
fn cannot_compare(from: i32, to: i32, why: &str) -> SqlError {
    SqlError::state(format!("the rows of versions {from} and {to} cannot be compared"))
        .detail(why)
        .hint("Versions can be compared from the next one on that is made of the same columns.")
}

/// Why a version's rows are not told apart.
fn untold(version: i32) -> String {
    format!("Version {version} does not tell what its rows are: pg_topdown.max_memory was too little.")
}

impl Version {
    /// One whose table is there still; `other` is the one that it is compared with.
    fn open(existing: &ExistingRelease, number: i32, other: i32) -> Result<Version> {
        let parameters = parameters(existing, number)?;
        let Some(row) = &parameters.row else {
            return Err(cannot_compare(number.min(other), number.max(other), &untold(number)));
        };
        let table = version_table::open(existing, number, row)?;
        let models = match other > number {
            true => self::parameters(existing, other)?.arguments.privacy,
            false => parameters.arguments.privacy.clone(),
        };
        Ok(Version { number, other, parameters, models, table })
    }

    /// The columns of what is measured of rows, and of all that is shown of them, where they are told apart by that.
    fn columns(&self, by: ApartBy) -> Result<Vec<usize>> {
        let Version { parameters, models, table, .. } = &self;
        let mut names = parameters.names();
        if by != ApartBy::Source {
            names.extend(shown_as_it_is(parameters));
        }
        for model in models {
            names.extend(model.attributes().iter().cloned());
            // What it does not keep is told of where it is asked for.
            names.extend(sensitive_of(parameters, model).ok().flatten());
            names.extend(person_of(parameters, model).ok().flatten());
        }
        let mut places =
            names.iter().map(|name| table.source.column(name)).collect::<Result<Vec<usize>>>()?;
        places.sort_unstable();
        places.dedup();
        Ok(places)
    }

    /// Whether shares are compared with those of all rows.
    fn asks_for_all(&self) -> bool {
        self.models.iter().any(|model| model.compares_with_all())
    }

    /// The rows that are some of these, so many times, or all.
    fn read(self, rows: Option<&[(i64, u32)]>, by: ApartBy) -> Result<VersionRows> {
        let table = self.table.read(&self.columns(by)?, rows.filter(|_| !self.asks_for_all()))?;
        let rows = table.identities.as_ref().map(|identities| identities.of_records.clone());
        Ok(VersionRows { of: self, table, rows: rows.unwrap_or_default() })
    }

    /// So many rows of each record, by what was found and its table is filled with, or all; and which record each is of. `rows` says
    /// what each record is.
    fn written(
        self,
        (found, filled): (&SearchResult, Filled),
        rows: &[i64],
        times: &[u32],
    ) -> Result<(VersionRows, Vec<usize>)> {
        let (places, asks_for_all) = (self.columns(ApartBy::Printed)?, self.asks_for_all());
        let mut records = Vec::new();
        for (record, &times) in polled(times.iter().enumerate()) {
            let times = if asks_for_all { found.table.rows_of(record) } else { times as usize };
            reserve(&mut records, times)?;
            records.extend(std::iter::repeat_n(record, times));
        }
        let table = write::records(&self.table.source, &places, filled, &records)?;
        check_memory::<i64>(records.len())?;
        let rows = polled(&records).map(|&record| rows[record]).collect();
        Ok((VersionRows { of: self, table, rows }, records))
    }
}

impl VersionRows {
    /// All rows of a version; `other` is the one that it is compared with.
    pub fn read(existing: &ExistingRelease, number: i32, other: i32, by: ApartBy) -> Result<VersionRows> {
        Version::open(existing, number, other)?.read(None, by)
    }

    /// What is shown of the rows; of rows that are told apart by what they hold, what is masked.
    fn names(&self, by: ApartBy) -> BTreeSet<String> {
        let parameters = &self.of.parameters;
        let as_it_is = (by != ApartBy::Source).then(|| shown_as_it_is(parameters));
        parameters.names().into_iter().chain(as_it_is.into_iter().flatten()).collect()
    }

    fn column(&self, name: &str) -> Result<&Column> {
        self.table.column(self.of.table.source.column(name)?)
    }

    /// Whether rows that are shown alike may be printed otherwise.
    fn is_printed_otherwise(&self) -> Result<bool> {
        let names = self.names(ApartBy::Shown);
        names.iter().try_fold(false, |any, name| Ok(any || are_printed_otherwise(self.column(name)?.ty)))
    }

    /// What a model measures of some rows; none if there are none.
    fn measured(&self, model: &privacy_model, of_part: &[bool]) -> Result<Option<Measured>> {
        if !of_part.contains(&true) {
            return Ok(None);
        }
        let VersionRows { of: Version { number, other, parameters, table: stored, .. }, table, .. } = self;
        let source = &stored.source;
        let why = format!("Version {number} does not keep what the models of version {other} count.");
        let is_own = parameters.arguments.privacy.contains(model);
        let or_kept = |fault| if is_own { fault } else { cannot_compare(*number, *other, &why) };
        let name = sensitive_of(parameters, model).map_err(or_kept)?;
        let counted = |name: &str| Counted::new(table.column(source.column(name)?)?);
        let sensitive = name.as_deref().map(counted).transpose()?;
        let mut persons: Vec<(Store, usize)> = Vec::new();
        if let Some(person) = person_of(parameters, model).map_err(or_kept)? {
            let Counted { codes, cardinality, .. } = counted(&person)?;
            persons.push((codes, cardinality));
        }
        let mut columns: Vec<(Store, usize)> = Vec::new();
        for attribute in model.attributes() {
            let mut column = table.column(source.column(attribute)?)?.clone();
            columns.push(told_apart(&mut column)?);
        }
        let widest = columns.iter().map(|(_, numbers)| *numbers).max().unwrap_or(0);
        check_memory::<u32>(widest)?;
        let same: Vec<u32> = (0..widest as u32).collect();
        let released: Vec<Vec<Released>> = columns
            .iter()
            .map(|(codes, numbers)| {
                vec![Released { codes, number_of_code: &same[..*numbers], number_count: *numbers }]
            })
            .collect();
        check_memory::<u32>(of_part.len())?;
        let of_part: Codes = polled(of_part).map(|&is_one| u32::from(is_one)).collect();
        let sensitive = name.as_deref().zip(sensitive.as_ref());
        measured_as(model, &released, sensitive, &persons, (table.records, Some(&of_part), None))
    }
}

/// Measures a model of rows of a version: `released` has what its columns are released as, `sensitive` its sensitive column and
/// what that is called, and `persons` whose each record is, if it counts these. `part` says how many rows of each record there are
/// (none: one each), and `known` has one more column that somebody knows. None if there are no rows.
pub fn measured_as(
    model: &privacy_model,
    released: &ReleasedOfModel,
    sensitive: Option<(&str, &Counted)>,
    persons: &[(Store, usize)],
    (records, part, known): (usize, Option<&Codes>, Option<Released>),
) -> Result<Option<Measured>> {
    let of_model = sensitive.map(|(name, counted)| Sensitive {
        name,
        place: 0,
        counted,
        weights: None,
        persons,
        all_there: false,
    });
    let attributes = (0..model.attributes().len()).collect();
    let person = (!persons.is_empty()).then_some(0);
    let engine =
        model.engine(Columns { attributes, sensitive: of_model.as_ref(), person, population: None })?;
    let counted = measure::ModelRecords {
        records,
        sensitive: sensitive.map(|(_, s)| CodedColumn { codes: &s.codes, cardinality: s.cardinality }),
        persons: persons.first().map(|(codes, _)| codes),
        always_grouped_by: known,
    };
    Ok(measure_groups(&engine, released, counted, &[part])?[0])
}

/// The column of a version's table that holds the original values of a model's sensitive column.
pub fn sensitive_of(parameters: &Parameters, model: &privacy_model) -> Result<Option<String>> {
    let copy = |name| match parameters.mask(name) {
        Some(_) => parameters.hidden(Holds::Sensitive, name),
        None => Ok(name),
    };
    Ok(model.sensitive().map(copy).transpose()?.map(String::from))
}

/// The column of a version's table that holds the pseudonyms of a model's persons.
pub fn person_of(parameters: &Parameters, model: &privacy_model) -> Result<Option<String>> {
    let person = model.person().map(|name| parameters.hidden(Holds::Person, name));
    Ok(person.transpose()?.map(String::from))
}

/// The columns of a version's view that are not masked, but for means.
fn shown_as_it_is(parameters: &Parameters) -> impl Iterator<Item = String> + '_ {
    let Arguments { class, keep, privacy, .. } = &parameters.arguments;
    let sensitive = privacy.iter().filter_map(|model| model.sensitive());
    let columns = class.iter().chain(keep).map(String::as_str).chain(sensitive);
    columns.filter(|name| parameters.mask(name).is_none()).map(String::from)
}

/// How a version was made.
fn parameters(existing: &ExistingRelease, number: i32) -> Result<Parameters> {
    let manifest = Source::in_schema(existing.private, MANIFEST.name)?;
    let query = format!("SELECT m.parameters FROM ONLY {} m WHERE m.version = $1", manifest.qualified());
    let found = look_at(&manifest, &query, &[number.into()], |row| {
        row.nullable::<JsonText>(1)?.ok_or_else(|| unreadable("A version has no parameters."))
    })?;
    let Some(json) = found.into_iter().next() else {
        return Err(SqlError::parameter(format!("there is no version {number}"))
            .hint("release_drift() lists the versions."));
    };
    parsed(&json.parse().map_err(unreadable)?)
}
