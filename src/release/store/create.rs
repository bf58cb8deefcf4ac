//! Making a release's schemas and tables, which have to be what was asked for.

use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::heap::{self, Declared};
use crate::postgres::locks::{self, Mode};
use crate::postgres::operation;
use crate::postgres::sql::{self, quote};
use crate::postgres::subtransaction::attempt;
use crate::read::identity::HashKey;
use crate::release::store::columns::{row_column, Output};
use crate::release::store::destination::Destination;
use crate::release::store::strip;
use crate::release::store::tables::{
    private_schema, version_tables, Table, HELD, KEY, MANIFEST, TABLES, UNFOLDED, VERSIONS,
};
use pgrx::pg_sys;
use pgrx::prelude::PgSqlErrorCode;

/// Makes both schemas; an error if somebody else was quicker. Two first calls meet here and nowhere else:
/// the second waits until the first has ended, and the release's name decides.
pub fn schemas(release: &str) -> Result<std::result::Result<(), SqlError>> {
    let made = attempt(|| sql::run(&format!("CREATE SCHEMA {}", quote(release)), &[]));
    let quicker = [PgSqlErrorCode::ERRCODE_DUPLICATE_SCHEMA, PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION];
    match made {
        Err(error) if quicker.contains(&error.code()) => Ok(Err(error)),
        Err(error) => Err(error),
        Ok(_) => {
            strip::schema(release)?;
            private(release).map(Ok)
        }
    }
}

/// Makes the private schema.
fn private(release: &str) -> Result<()> {
    let name = private_schema(release);
    let made = attempt(|| sql::run(&format!("CREATE SCHEMA {}", quote(&name)), &[]));
    made.map_err(|fault| match fault.code() {
        PgSqlErrorCode::ERRCODE_DUPLICATE_SCHEMA => fault
            .detail("A release keeps what its owner alone may read in a schema of this name.")
            .hint("Choose another name for the release."),
        _ => fault,
    })?;
    strip::schema(&name)
}

/// Makes the new version's empty table, and before the first one those that all versions share.
pub fn tables(destination: &Destination, columns: &[Output]) -> Result<()> {
    let key = &columns[0].name;
    let declarations: Vec<String> =
        columns.iter().map(|c| format!("{} {}", quote(&c.name), c.declaration)).collect();
    let declarations = declarations.join(", ");
    if destination.existing.is_none() {
        TABLES.iter().try_for_each(|table| shared(destination, table))?;
        write_key(destination)?;
        for view in UNFOLDED {
            let query = (view.query)(&destination.object(view.table.name));
            sql::run(&format!("CREATE VIEW {} AS {query}", destination.object(view.name)), &[])?;
            strip::table(&destination.private(), view.name)?;
        }
        let by_version = format!("PARTITION BY LIST ({})", quote(key));
        empty_table(destination, VERSIONS, &declarations, &by_version)?;
        let declared = columns.iter().map(|c| (c.name.clone(), c.type_oid));
        must_be_as_made(destination, VERSIONS, declared, Made { partitioned: true, ..Made::default() })?;
    }
    if sql::relation(&destination.version_table())?.is_some() {
        return Err(SqlError::serialization(format!(
            "relation {} exists already",
            destination.version_table()
        ))
        .detail("Another transaction has made this version, or the name was taken by hand."));
    }
    // Says what the partition's bound will say, so that nobody has to look at the rows for it.
    let check = format!("{declarations}, CHECK ({} = {})", quote(key), destination.version);
    empty_table(destination, &destination.table(), &check, "USING heap")?;
    let declared = columns.iter().map(|c| (c.name.clone(), c.type_oid));
    must_be_as_made(destination, &destination.table(), declared, Made { checked: true, ..Made::default() })
}

/// Makes a table that all versions share.
fn shared(destination: &Destination, table: &Table) -> Result<()> {
    // The manifest's current row is found first: every column of the view asks for it. Versions queue
    // for its lock, which autovacuum has while it is there, and so shall not pause; nor shall readers wait for it, here or on
    // a standby, because it gives pages back at the table's end.
    // What is deleted needs a replica identity where the table is published.
    let (keys, options) = match table.name {
        name if name == MANIFEST.name => (
            ", PRIMARY KEY (version), UNIQUE (current, version)",
            "WITH (autovacuum_vacuum_cost_delay = 0, vacuum_truncate = off, toast.vacuum_truncate = off)",
        ),
        name if name == HELD.name => (", PRIMARY KEY (part)", ""),
        _ => ("", ""),
    };
    let made = || Made { has_key: !keys.is_empty(), ..Made::default() };
    let of = |(name, ty): &Declared| format!("{name} {}", Type::new(*ty, pg_sys::InvalidOid).name());
    let columns = table.columns.iter().map(of).collect::<Vec<_>>().join(", ") + keys;
    empty_table(destination, table.name, &columns, &format!("USING heap {options}"))?;
    let must_be_as_made = || {
        let declared = table.columns.iter().map(|(name, ty)| (name.to_string(), *ty));
        must_be_as_made(destination, table.name, declared, made())
    };
    must_be_as_made()?;
    store_uncompressed(destination, table)?;
    must_be_as_made()
}

/// Keeps the arrays of a table from being compressed: one may be of hundreds of megabytes, and nothing interrupts that.
fn store_uncompressed(destination: &Destination, table: &Table) -> Result<()> {
    let arrays = "SELECT pg_catalog.string_agg('ALTER ' || pg_catalog.quote_ident(a.attname) || ' SET STORAGE EXTERNAL', ', ')
                  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
                  WHERE a.attrelid = $1::pg_catalog.regclass AND a.attnum > 0 AND t.typcategory = 'A'";
    let object = destination.object(table.name);
    match sql::value::<String>(arrays, &[object.as_str().into()])? {
        Some(arrays) => sql::run(&format!("ALTER TABLE {object} {arrays}"), &[]).map(|_| ()),
        None => Ok(()),
    }
}

fn empty_table(destination: &Destination, name: &str, columns: &str, how: &str) -> Result<()> {
    sql::run(&format!("CREATE TABLE {} ({columns}) {how}", destination.object(name)), &[])?;
    strip::table(&destination.private(), name)
}

/// Keeps the key of the release's hashes.
fn write_key(destination: &Destination) -> Result<()> {
    let gone = || SqlError::internal("the table of the key is gone");
    let table = sql::relation(&destination.object(KEY.name))?.ok_or_else(gone)?;
    let HashKey { first, second } = destination.hash_key;
    heap::append(table, KEY.columns, &mut [first, second].map(|half| pg_sys::Datum::from(half as i64)))
}

/// Makes the new version's table a partition of the table of all versions, which readers do not wait for. The
/// `more` last of its columns are new there: hidden, because a model needs them that no version had
/// before. For these the table has to be free at once; what each row is the version can do without. Whether it has all of them.
pub fn attach(destination: &Destination, columns: &[Output], more: usize) -> Result<bool> {
    let mut has_all = true;
    if more > 0 {
        let gone = || SqlError::internal("the table of all versions is gone");
        let versions = sql::relation(&destination.versions())?.ok_or_else(gone)?;
        let others = version_tables(&destination.private(), destination.version - 1)?;
        let all = std::iter::once(versions).chain(others.into_iter().map(|(.., oid)| oid));
        let new = &columns[columns.len() - more..];
        has_all = all.into_iter().all(|table| locks::relation_at_once(table, Mode::Alone));
        let row = row_column(new).filter(|_| !has_all && more == 1);
        if let Some(row) = row {
            let table = destination.version_table();
            sql::run(&format!("ALTER TABLE {table} DROP COLUMN {}", quote(row)), &[])?;
        } else if !has_all {
            let names: Vec<&str> = new.iter().map(|c| c.name.as_str()).collect();
            return Err(SqlError::in_use(format!("release \"{}\" is being read", destination.release))
                .detail(format!("No version had the hidden column {} before.", names.join(", ")))
                .hint("Call again when no transaction that has read the release is open, or make a release of another name."));
        }
        for column in new.iter().filter(|_| has_all) {
            let (name, declaration) = (quote(&column.name), &column.declaration);
            sql::run(
                &format!("ALTER TABLE {} ADD COLUMN {name} {declaration}", destination.versions()),
                &[],
            )?;
        }
    }
    let (versions, table, number) =
        (destination.versions(), destination.version_table(), destination.version);
    sql::run(&format!("ALTER TABLE {versions} ATTACH PARTITION {table} FOR VALUES IN ({number})"), &[])?;
    Ok(has_all)
}

/// What a table that was just made has beside its columns.
#[derive(Debug, Default)]
struct Made {
    /// A primary key.
    has_key: bool,
    /// The constraint on the version's number.
    checked: bool,
    /// Partitions to come.
    partitioned: bool,
}

/// An event trigger may do anything to a table just made. What it did may be harmless elsewhere, but
/// here rows are formed for the columns that were asked for, and inserted past indexes, triggers
/// and constraints.
fn must_be_as_made(
    destination: &Destination,
    table: &str,
    columns: impl Iterator<Item = (String, pg_sys::Oid)>,
    made: Made,
) -> Result<()> {
    let (names, types): (Vec<String>, Vec<pg_sys::Oid>) = columns.unzip();
    let same = sql::value(
        "SELECT c.relkind = CASE WHEN $8 THEN 'p' ELSE 'r' END AND c.relpersistence = 'p' AND NOT c.relhasrules AND NOT c.relhastriggers
                AND NOT c.relrowsecurity AND NOT c.relispartition AND NOT c.relhassubclass
                AND c.relowner = $6 AND c.relhasindex = $3
                AND $7 = (SELECT pg_catalog.count(*) FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'u', 'n'))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
                AND (SELECT pg_catalog.array_agg(a.attname::text ORDER BY a.attnum) = $4
                        AND pg_catalog.array_agg(a.atttypid ORDER BY a.attnum) = $5
                        AND NOT pg_catalog.bool_or(a.atthasdef OR a.attgenerated <> '' OR a.attidentity <> ''
                                                   OR a.attnotnull AND a.attnum > 1)
                     FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relname = $2",
        &[
            destination.private().into(),
            table.into(),
            made.has_key.into(),
            names.into(),
            types.into(),
            operation::acting().into(),
            i64::from(made.checked).into(),
            made.partitioned.into(),
        ],
    )?;
    if same == Some(true) {
        return Ok(());
    }
    Err(SqlError::state(format!("table {} is not as it was made", destination.object(table)))
        .detail("An event trigger has altered it while it was made.")
        .hint("Have the event trigger leave the schemas of releases alone."))
}
