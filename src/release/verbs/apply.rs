//! Other rows under a release's cut, a test set above all: each value becomes the node of the cut above it, and
//! a value that has no place there the top ([`crate::release::trace::masked`]). The rows go into a table of the owner's;
//! nothing of it is published.

use crate::postgres::arrays::Stored;
use crate::postgres::citus;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::locks::Mode;
use crate::postgres::names::Regclass;
use crate::postgres::operation::Operation;
use crate::postgres::sql::{self, qualified, quote, Values};
use crate::read::plan::on_source;
use crate::read::scan;
use crate::read::source::Source;
use crate::release::store::manifest::{find_private, must_exist};
use crate::release::store::parameters::{fingerprint, Mask, Parameters};
use crate::release::store::strip;
use crate::release::store::tables::PRIVATE;
use crate::release::trace::masked::{MaskedRows, ShownPart, TargetColumn, Unknown};
use crate::release::trace::Version;
use crate::release::verbs::refresh::other_columns;
use crate::terms::masking::masking;
use pgrx::spi::Spi;

/// Writes the rows of a source, generalized by a release's current cut, into a new table; how many.
pub fn apply(release: &str, source: Regclass, target: &str) -> Result<i64> {
    let place = Place::of(target)?;
    let _operation = Operation::writing()?;
    let (existing, _rights) = must_exist(release, Mode::Read)?;
    let of_release = place.schema.strip_suffix(PRIVATE).unwrap_or(&place.schema);
    if find_private(of_release)?.is_some() {
        return Err(SqlError::parameter(format!(
            "schema \"{}\" is of release \"{of_release}\"",
            place.schema
        ))
        .detail("No model protects what release_apply() writes.")
        .hint("Have it write into another schema."));
    }
    let parameters = existing.parameters()?;
    if let Some(kind) = parameters.arguments.clustering() {
        let message = format!("a {kind} release has no cut that other rows have a place in");
        return Err(SqlError::unsupported(message));
    }
    if parameters.is_begun_for_all() {
        let message = "a release by local recoding with show, or with coarsest() of intervals, is not applied to other rows";
        return Err(SqlError::unsupported(message));
    }
    let source = Source::open(source)?;
    let view = Source::in_schema(existing.schema, &existing.view)?;
    let masked: Vec<usize> =
        parameters.columns.iter().map(|mask| source.column(&mask.name)).collect::<Result<_>>()?;
    same_types(&source, &view, parameters, &masked)?;
    let table = scan::read(&source, &masked)?;
    let columns = columns(&source, &view, parameters);
    let masked: Vec<(usize, usize)> = masked.into_iter().enumerate().collect();
    let version = Version::of(&existing, existing.version)?;
    let rows = MaskedRows::of(&version, (&source, &masked), &columns, table, Unknown::AtTheTop)?;
    let table = make(&place, &columns)?;
    fill(&table, &source, &rows)
}

/// Where the table goes.
struct Place {
    schema: String,
    name: String,
}

impl Place {
    /// A name that may be qualified; else it is one of the schema in which the caller makes tables.
    fn of(target: &str) -> Result<Place> {
        let query =
            "SELECT i, pg_catalog.current_schema()::pg_catalog.text FROM pg_catalog.parse_ident($1) i";
        let read = |row: &pgrx::spi::SpiHeapTupleData| {
            Ok((row.nullable::<Stored<String>>(1)?, row.nullable::<String>(2)?))
        };
        let (mut names, here) = sql::rows(query, &[target.into()], read)?.pop().unwrap_or_default();
        let names: Vec<String> = names.take().into_iter().flat_map(|names| names.0).flatten().collect();
        let unknown = || {
            SqlError::parameter(format!("\"{target}\" is no name of a table"))
                .hint("Give a name, or a schema and a name: 'tests.adult'.")
        };
        match &names[..] {
            [name] => Ok(Place { schema: here.ok_or_else(unknown)?, name: name.clone() }),
            [schema, name] => Ok(Place { schema: schema.clone(), name: name.clone() }),
            _ => Err(unknown()),
        }
    }
}

/// The masked columns are of the types that they were, so that their values mean the same; others that the source
/// has are copied, and so are of the view's types.
fn same_types(source: &Source, view: &Source, parameters: &Parameters, masked: &[usize]) -> Result<()> {
    let before = |name: &str| parameters.source_columns.iter().find(|column| column.name == name);
    let mut faults = Vec::new();
    let now = fingerprint(source, masked);
    for column in now.iter().filter(|now| before(&now.name).is_some_and(|before| before != *now)) {
        faults.push(format!("\"{}\" is of another type", column.name));
    }
    let is_copied = |column: &&crate::read::source::Column| {
        let name = &column.name;
        parameters.mask(name).is_none() && parameters.end(name).is_none() && !parameters.is_mean(name)
    };
    for column in view.columns.iter().filter(is_copied) {
        let Some(place) = source.columns.iter().position(|other| other.name == column.name) else { continue };
        let copied = match parameters.arguments.masking_of(&column.name) {
            Some(masking::Microaggregated(_)) => source.type_of(place).mean().map(|mean| mean.oid),
            _ => Some(source.type_of(place).oid),
        };
        if copied != Some(column.type_oid) {
            faults.push(format!("\"{}\" is of another type", column.name));
        }
    }
    if faults.is_empty() {
        return Ok(());
    }
    Err(other_columns(source, &faults)
        .hint("Give a table or a view whose columns have the same names and types."))
}

/// The columns that the view shows and that the source has.
fn columns(source: &Source, view: &Source, parameters: &Parameters) -> Vec<TargetColumn> {
    let made = |column: &crate::read::source::Column| {
        let end = parameters.end(&column.name);
        let of = |(number, mask): (usize, &Mask)| match end {
            _ if column.name == mask.name => Some((number, ShownPart::Node)),
            Some((of, end)) if of.name == mask.name => Some((number, ShownPart::End(end))),
            _ => None,
        };
        let from_masked = parameters.columns.iter().enumerate().find_map(of);
        // Means are of the release's own rows.
        if from_masked.is_none()
            && (parameters.is_mean(&column.name)
                || parameters.mask(&column.name).is_some()
                || source.column(&column.name).is_err())
        {
            return None;
        }
        Some(TargetColumn { name: column.name.clone(), declaration: column.declaration.clone(), from_masked })
    };
    view.columns.iter().filter_map(made).collect()
}

/// Makes the table; its qualified name.
fn make(place: &Place, columns: &[TargetColumn]) -> Result<String> {
    let table = qualified(&place.schema, &place.name);
    let declared: Vec<String> =
        columns.iter().map(|column| format!("{} {}", quote(&column.name), column.declaration)).collect();
    sql::run(&format!("CREATE TABLE {table} ({})", declared.join(", ")), &[])?;
    strip::table(&place.schema, &place.name)?;
    Ok(table)
}

/// Inserts the rows of the source into the table.
fn fill(table: &str, source: &Source, rows: &MaskedRows) -> Result<i64> {
    let MaskedRows { filled, joins, args, .. } = rows;
    let insert = format!(
        "INSERT INTO {table} SELECT {} FROM {} s {}",
        filled.join(", "),
        source.qualified(),
        joins.join(" ")
    );
    citus::read_to_write(source.oid, || {
        Spi::connect_mut(|_| sql::perform(on_source(source, &insert, &sql::types(args))?, args))
    })
    .map(|rows| rows as i64)
}
