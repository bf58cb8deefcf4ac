//! Making a release's schema and tables, which have to be what was asked for.

use super::columns::Output;
use super::home::Home;
use super::strip;
use super::tables::{MANIFEST, TABLES, UNFOLDED};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::heap::Declared;
use crate::postgres::operation;
use crate::postgres::sql::{self, quote};
use crate::postgres::subtransaction::attempt;
use pgrx::pg_sys;
use pgrx::prelude::PgSqlErrorCode;

/// Makes the schema; an error if somebody else was quicker. Two first calls meet here and nowhere else:
/// the second waits until the first has ended, and its name decides.
pub fn schema(release: &str) -> Result<std::result::Result<(), SqlError>> {
    let made = attempt(|| sql::run(&format!("CREATE SCHEMA {}", quote(release)), &[]));
    let quicker = [PgSqlErrorCode::ERRCODE_DUPLICATE_SCHEMA, PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION];
    match made {
        Err(error) if quicker.contains(&error.code()) => Ok(Err(error)),
        Err(error) => Err(error),
        Ok(_) => strip::schema(release).map(Ok),
    }
}

/// Makes the new version's empty table, and before the first one those that all versions share.
pub fn tables(home: &Home, columns: &[Output]) -> Result<()> {
    if home.existing.is_none() {
        for table in TABLES {
            let key = if table.name == MANIFEST.name { " PRIMARY KEY" } else { "" };
            let of = |(i, (name, ty)): (usize, &Declared)| {
                let ty = Type::new(*ty, pg_sys::InvalidOid).name();
                format!("{name} {ty}{}", if i == 0 { key } else { "" })
            };
            let columns: Vec<String> = table.columns.iter().enumerate().map(of).collect();
            empty_table(home, table.name, &columns.join(", "))?;
            let declared = table.columns.iter().map(|(name, ty)| (name.to_string(), *ty));
            must_be_as_made(home, table.name, declared, !key.is_empty())?;
        }
        for (view, table, query) in UNFOLDED {
            let query = query.replace("{table}", &home.object(table.name));
            sql::run(&format!("CREATE VIEW {} AS {query}", home.object(view)), &[])?;
            strip::table(&home.release, view)?;
        }
    }
    if sql::relation(&home.version_table())?.is_some() {
        return Err(SqlError::serialization(format!("relation {} exists already", home.version_table()))
            .detail("Another transaction has made this version, or the name was taken by hand."));
    }
    let declarations: Vec<String> =
        columns.iter().map(|c| format!("{} {}", quote(&c.name), c.declaration)).collect();
    empty_table(home, &home.table(), &declarations.join(", "))?;
    let declared = columns.iter().map(|c| (c.name.clone(), c.type_oid));
    must_be_as_made(home, &home.table(), declared, false)
}

fn empty_table(home: &Home, name: &str, columns: &str) -> Result<()> {
    sql::run(&format!("CREATE TABLE {} ({columns}) USING heap", home.object(name)), &[])?;
    strip::table(&home.release, name)
}

/// An event trigger may do anything to a table just made. What it did may be harmless elsewhere, but
/// here rows are formed for the columns that were asked for, and inserted past indexes, triggers
/// and constraints.
fn must_be_as_made(
    home: &Home,
    table: &str,
    columns: impl Iterator<Item = (String, pg_sys::Oid)>,
    has_key: bool,
) -> Result<()> {
    let (names, types): (Vec<String>, Vec<pg_sys::Oid>) = columns.unzip();
    let same = sql::value(
        "SELECT c.relkind = 'r' AND c.relpersistence = 'p' AND NOT c.relhasrules AND NOT c.relhastriggers
                AND NOT c.relrowsecurity AND NOT c.relispartition AND NOT c.relhassubclass
                AND c.relowner = $6 AND c.relhasindex = $3
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'n'))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
                AND (SELECT pg_catalog.array_agg(a.attname::text ORDER BY a.attnum) = $4
                        AND pg_catalog.array_agg(a.atttypid ORDER BY a.attnum) = $5
                        AND NOT pg_catalog.bool_or(a.atthasdef OR a.attgenerated <> '' OR a.attidentity <> '')
                     FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relname = $2",
        &[
            home.release.as_str().into(),
            table.into(),
            has_key.into(),
            names.into(),
            types.into(),
            operation::acting().into(),
        ],
    )?;
    if same == Some(true) {
        return Ok(());
    }
    Err(SqlError::state(format!("table {} is not as it was made", home.object(table)))
        .detail("An event trigger has altered it while it was made.")
        .hint("Have the event trigger leave the schemas of releases alone."))
}
