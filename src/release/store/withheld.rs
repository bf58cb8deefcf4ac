//! What the versions of a release have withheld: combinations of source values on the columns that were masked, which the
//! owner alone may read. They are kept for good, because a row that was withheld once stays withheld. Of which types the
//! values are the manifest of their version tells.

use crate::postgres::arrays::Stored;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::json::JsonText;
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, Values};
use crate::postgres::stored::from_json;
use crate::read::excluded::{cannot_tell, Combination, WithheldBefore};
use crate::read::plan::look_at;
use crate::read::source::Source;
use crate::release::store::destination::{plain, Destination};
use crate::release::store::manifest::{parsed, unreadable, ExistingRelease};
use crate::release::store::parameters::{fingerprint, SourceColumn};
use crate::release::store::tables::{MANIFEST, WITHHELD};
use std::collections::BTreeSet;

/// What the versions so far have withheld, to be found in a source.
pub fn of(existing: &ExistingRelease, source: &Source) -> Result<WithheldBefore> {
    let table = Source::in_schema(existing.private, WITHHELD.name)?;
    let manifest = Source::in_schema(existing.private, MANIFEST.name)?;
    let query = format!(
        "SELECT w.version, w.combinations, m.parameters FROM ONLY {} w LEFT JOIN ONLY {} m ON m.version = w.version
         ORDER BY w.version",
        table.qualified(),
        manifest.qualified()
    );
    let versions = look_at(&table, &query, &[], |row| {
        let Stored(texts) = row.written::<Stored<String>>(2)?;
        let parse = |text: &String| {
            from_json(text.as_bytes()).map_err(|fault| unreadable(format!("What was withheld: {fault}.")))
        };
        let combinations = polled(texts.iter().flatten()).map(parse).collect::<Result<Vec<Combination>>>()?;
        let parameters: JsonText =
            row.nullable(3)?.ok_or_else(|| unreadable("A version has no parameters."))?;
        let parameters = parsed(&parameters.parse().map_err(unreadable)?)?;
        Ok((combinations, parameters.source_columns))
    })?;
    for (combinations, columns) in &versions {
        same_types(source, combinations, columns)?;
    }
    Ok(WithheldBefore(versions.into_iter().flat_map(|(combinations, _)| combinations).collect()))
}

/// The columns that are told of are there, and of the types that they had.
fn same_types(source: &Source, combinations: &[Combination], columns: &[SourceColumn]) -> Result<()> {
    let all: Vec<usize> = (0..source.columns.len()).collect();
    let now = fingerprint(source, &all);
    let names: BTreeSet<&String> = combinations.iter().flat_map(|values| values.keys()).collect();
    for name in names {
        let at = |columns: &[SourceColumn]| {
            columns.iter().find(|column| column.name == *name).map(|column| column.declaration.clone())
        };
        let (before, now) = (at(columns), at(&now));
        let Some(now) = now else {
            return Err(cannot_tell(format!("Column \"{name}\" is gone or renamed.")));
        };
        if let Some(before) = before.filter(|before| *before != now) {
            let (now, before) = (plain(&now), plain(&before));
            return Err(cannot_tell(format!("Column \"{name}\" is of type {now}, not {before} any more.")));
        }
    }
    Ok(())
}

/// Keeps the combinations that a version withholds and none before it did.
pub fn remember(destination: &Destination, combinations: &[Combination]) -> Result<()> {
    if combinations.is_empty() {
        return Ok(());
    }
    let text = |combination: &Combination| {
        serde_json::to_string(combination).map_err(|fault| SqlError::internal(fault.to_string()))
    };
    let texts = combinations.iter().map(text).collect::<Result<Vec<String>>>()?;
    let statement = format!("INSERT INTO {} VALUES ($1, $2)", destination.object(WITHHELD.name));
    sql::run(&statement, &[destination.version.into(), texts.into()]).map(drop)
}
