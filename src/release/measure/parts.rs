//! What two versions tell together: of the rows that came between them, of those that left, and of those that stayed, each part
//! by itself. Whoever has read both knows in which groups each part is: those who came by what the later version shows of them, those who left
//! by what the earlier one did. A group of few of them singles them out, however many rows it has.
//!
//! A row is what it holds ([`crate::read::identity`]): rows that are equal are as many as there are in either version.

use crate::postgres::error::{Result, SqlError};
use crate::postgres::names::JsonText;
use crate::postgres::progress::polled;
use crate::postgres::sql;
use crate::read::order::{told_apart, Counted};
use crate::read::plan::look_at;
use crate::read::scan;
use crate::read::source::Source;
use crate::read::table::{Identities, Table};
use crate::release::store::columns::{person_copy, sensitive_copy};
use crate::release::store::manifest::{parsed, unreadable, ExistingRelease};
use crate::release::store::parameters::Parameters;
use crate::release::store::tables::{version_table, MANIFEST};
use crate::terms::privacy_model::sensitive::Sensitive;
use crate::terms::privacy_model::{privacy_model, Columns};
use hashbrown::HashMap;
use topdown::measure::{self, measured, Measured, Released};
use topdown::progress::room;
use topdown::table::Store;

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

/// A version as its table has it: what it shows of each row, what its models count, and what each row is.
pub struct VersionRows {
    number: i32,
    parameters: Parameters,
    source: Source,
    table: Table,
    rows: Vec<i64>,
}

/// Measures the models of the later of two versions on each part.
pub fn parts(from: &VersionRows, to: &VersionRows) -> Result<Vec<PartVerdict>> {
    comparable(from, to)?;
    let models = to.parameters.arguments.privacy.clone();
    let stayed = in_both(&to.rows, &from.rows)?;
    let came: Vec<bool> = stayed.iter().map(|stayed| !stayed).collect();
    let left: Vec<bool> = in_both(&from.rows, &to.rows)?.into_iter().map(|stayed| !stayed).collect();
    let mut verdicts = Vec::new();
    for (part, version, of_part) in
        [(Part::Came, to, &came), (Part::Left, from, &left), (Part::Stayed, to, &stayed)]
    {
        for model in &models {
            let measured = match of_part.contains(&true) {
                true => Some(version.measured(model, of_part)?),
                false => None,
            };
            verdicts.push(PartVerdict { part, model: model.clone(), measured });
        }
    }
    Ok(verdicts)
}

/// Which rows of one version are in another, equal ones as often as they are there.
fn in_both(rows: &[i64], others: &[i64]) -> Result<Vec<bool>> {
    room::<(i64, u32, bool)>(2 * others.len() + rows.len())?;
    let mut there: HashMap<i64, u32> = HashMap::with_capacity(others.len());
    polled(others).for_each(|&row| *there.entry(row).or_default() += 1);
    let is_there = |row: &i64| match there.get_mut(row) {
        Some(left) if *left > 0 => {
            *left -= 1;
            true
        }
        _ => false,
    };
    Ok(polled(rows).map(is_there).collect())
}

/// Whether rows of two versions are the same where they are equal: both have been told apart by the same columns.
fn comparable(from: &VersionRows, to: &VersionRows) -> Result<()> {
    if from.parameters.compared() == to.parameters.compared() {
        return Ok(());
    }
    Err(cannot_compare(from.number, to.number, "They are of other columns, or these were of other types."))
}

/// Two versions whose rows cannot be compared.
fn cannot_compare(from: i32, to: i32, why: &str) -> SqlError {
    SqlError::state(format!("the rows of versions {from} and {to} cannot be compared"))
        .detail(why)
        .hint("Versions can be compared from the next one on that is made of the same columns.")
}

impl VersionRows {
    /// Of a version whose table is there still; `other` is the one that it is compared with.
    pub fn read(existing: &ExistingRelease, number: i32, other: i32) -> Result<VersionRows> {
        let parameters = parameters(existing, number)?;
        let table = version_table(&existing.view, number);
        if sql::relation_in(existing.schema, &table).is_none() {
            return Err(SqlError::state(format!("version {number} is not there any more"))
                .hint("pg_topdown.keep_versions says how many old versions are kept."));
        }
        let source = Source::in_schema(existing.schema, &table)?;
        let Some(row) = parameters.row.clone() else {
            let why = format!("Version {number} does not tell what its rows are.");
            return Err(cannot_compare(number.min(other), number.max(other), &why));
        };
        let arguments = &parameters.arguments;
        let mut names = parameters.names();
        for model in &arguments.privacy {
            names.extend(sensitive_of(&parameters, model));
            names.extend(model.person().map(person_copy));
        }
        names.push(row.clone());
        let mut places = names.iter().map(|name| source.column(name)).collect::<Result<Vec<usize>>>()?;
        places.sort_unstable();
        places.dedup();
        let table = scan::read(&source, &places)?;
        let rows = Identities::written(&table, source.column(&row)?)?.of_records;
        Ok(VersionRows { number, parameters, source, table, rows })
    }

    /// What a model measures of some rows.
    fn measured(&self, model: &privacy_model, of_part: &[bool]) -> Result<Measured> {
        let VersionRows { parameters, source, table, .. } = self;
        let name = sensitive_of(parameters, model);
        let counted = |name: &str| Counted::new(table.column(source.column(name)?)?);
        let sensitive = name.as_deref().map(counted).transpose()?;
        let mut persons: Vec<(Store, usize)> = Vec::new();
        if let Some(person) = model.person() {
            let Counted { codes, cardinality, .. } = counted(&person_copy(person))?;
            persons.push((codes, cardinality));
        }
        let mut columns: Vec<(Store, usize)> = Vec::new();
        for attribute in model.attributes() {
            let mut column = table.column(source.column(attribute)?)?.clone();
            columns.push(told_apart(&mut column)?);
        }
        let widest = columns.iter().map(|(_, numbers)| *numbers).max().unwrap_or(0);
        room::<u32>(widest)?;
        let same: Vec<u32> = (0..widest as u32).collect();
        let released: Vec<Vec<Released>> = columns
            .iter()
            .map(|(codes, numbers)| vec![Released { codes, as_number: &same[..*numbers], numbers: *numbers }])
            .collect();
        let of_model = match (&sensitive, &name) {
            (Some(counted), Some(name)) => Some(Sensitive {
                name,
                place: 0,
                counted,
                weights: None,
                persons: &persons,
                all_there: false,
            }),
            _ => None,
        };
        let attributes = (0..model.attributes().len()).collect();
        let person = (!persons.is_empty()).then_some(0);
        let engine = model.engine(Columns { attributes, sensitive: of_model.as_ref(), person })?;
        let counted = measure::Counted {
            records: table.records,
            weights: None,
            sensitive: sensitive.as_ref().map(|counted| (&counted.codes, counted.cardinality)),
            persons: persons.first().map(|(codes, _)| codes),
            counts: Some(of_part),
        };
        Ok(measured(&*engine, &released, counted)?)
    }
}

/// The column of a version's table that holds the original values of a model's sensitive column.
fn sensitive_of(parameters: &Parameters, model: &privacy_model) -> Option<String> {
    let copy = |name: &str| match parameters.mask(name) {
        Some(_) => sensitive_copy(name),
        None => name.to_string(),
    };
    model.sensitive().map(copy)
}

/// How a version was made.
fn parameters(existing: &ExistingRelease, number: i32) -> Result<Parameters> {
    let manifest = Source::in_schema(existing.schema, MANIFEST.name)?;
    let query = format!("SELECT m.parameters FROM ONLY {} m WHERE m.version = $1", manifest.qualified());
    let found = look_at(&manifest, &query, &[number.into()], |row| {
        row.get::<JsonText>(1)?.ok_or_else(|| unreadable("A version has no parameters."))
    })?;
    let Some(json) = found.into_iter().next() else {
        return Err(SqlError::parameter(format!("there is no version {number}"))
            .hint("release_drift() lists the versions."));
    };
    parsed(json.parse().map_err(unreadable)?)
}
