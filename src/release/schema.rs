//! The schema of a release: its name, what is in it, and how that is made.

use super::columns::Output;
use super::grants;
use super::manifest::Existing;
use crate::error::{some_of, Result, SqlError};
use crate::request::Request;
use crate::sql::{self, qualified, quote};
use crate::subtransaction::attempt;
use pgrx::pg_sys;
use pgrx::prelude::PgSqlErrorCode;

/// A table of a release beside those of its versions.
#[derive(Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns: name and type as regtype writes it.
    pub columns: &'static [(&'static str, &'static str)],
}

/// What the next version is to know of those before.
pub const MANIFEST: &Table = &Table {
    name: "manifest",
    columns: &[
        ("version", "integer"),
        ("created_at", "timestamp with time zone"),
        ("source", "text"),
        ("parameters", "jsonb"),
        ("rows", "bigint"),
        ("achieved", "jsonb"),
        ("extension_version", "text"),
    ],
};

const CUT: &Table = &Table {
    name: "cut",
    columns: &[
        ("version", "integer"),
        ("attribute", "text"),
        ("node", "text"),
        ("lower", "text"),
        ("upper", "text"),
        ("records", "bigint"),
    ],
};

/// The trees, a row for each version and masked column. How many rows a table has everybody may read
/// in pg_stat_user_tables, and how many suppressed values and refused refinements there are is
/// nobody's business; so [`TAXONOMY_VIEW`] unfolds them for the owner.
const TREES: &Table = &Table {
    name: "taxonomy_v0",
    columns: &[
        ("version", "integer"),
        ("attribute", "text"),
        ("nodes", "text[]"),
        ("parents", "text[]"),
        ("lowers", "text[]"),
        ("uppers", "text[]"),
        ("depths", "integer[]"),
        ("in_cut", "boolean[]"),
    ],
};

const TAXONOMY_VIEW: (&str, &str) = (
    "taxonomy",
    "SELECT t.version, t.attribute, n.node, n.parent, n.lower, n.upper, n.depth, n.in_cut
     FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.nodes), pg_catalog.unnest(t.parents), pg_catalog.unnest(t.lowers),
          pg_catalog.unnest(t.uppers), pg_catalog.unnest(t.depths), pg_catalog.unnest(t.in_cut))
          AS n (node, parent, lower, upper, depth, in_cut)",
);

/// The steps, a row a version, for the same reason; arrays of arrays are kept as texts.
const TRACES: &Table = &Table {
    name: "steps_v0",
    columns: &[
        ("version", "integer"),
        ("steps", "integer[]"),
        ("attributes", "text[]"),
        ("nodes", "text[]"),
        ("children", "text[]"),
        ("records", "bigint[]"),
        ("info_gains", "double precision[]"),
        ("privacy_losses", "double precision[]"),
        ("scores", "double precision[]"),
        ("achieved", "text[]"),
    ],
};

const STEPS_VIEW: (&str, &str) = (
    "steps",
    "SELECT t.version, s.step, s.attribute, s.node, s.children::text[] AS children, s.records, s.info_gain,
            s.privacy_loss, s.score, s.achieved::float8[] AS achieved
     FROM ONLY {table} t, ROWS FROM (pg_catalog.unnest(t.steps), pg_catalog.unnest(t.attributes), pg_catalog.unnest(t.nodes),
          pg_catalog.unnest(t.children), pg_catalog.unnest(t.records), pg_catalog.unnest(t.info_gains),
          pg_catalog.unnest(t.privacy_losses), pg_catalog.unnest(t.scores), pg_catalog.unnest(t.achieved))
          AS s (step, attribute, node, children, records, info_gain, privacy_loss, score, achieved)",
);

/// The tables of a release beside its versions.
pub const TABLES: [&Table; 4] = [CUT, TREES, TRACES, MANIFEST];

/// The views of a release beside the one that is its purpose.
pub const VIEWS: [&str; 2] = [TAXONOMY_VIEW.0, STEPS_VIEW.0];

/// Where a new version goes.
#[derive(Debug)]
pub struct Home {
    /// The release: its schema.
    pub release: String,
    /// The view: the source's name.
    pub view: String,
    /// The new version.
    pub version: i32,
    /// The release as it was, if there was one.
    pub existing: Option<Existing>,
    /// The source, qualified.
    pub source: String,
}

impl Home {
    /// The new version's table, unqualified.
    pub fn table(&self) -> String {
        version_table(&self.view, self.version)
    }
    /// The new version's table, qualified.
    pub fn version_table(&self) -> String {
        qualified(&self.release, &self.table())
    }
    /// An object of the release, qualified.
    pub fn object(&self, name: &str) -> String {
        qualified(&self.release, name)
    }
}

/// The table behind a version; a long name is clipped so that its suffix fits.
pub fn version_table(view: &str, version: i32) -> String {
    sql::suffixed(view, &format!("_v{version}"))
}

/// The version tables of a release up to a version that are there, with their OIDs: what is in its
/// schema and bears the name of such a version's table.
pub fn version_tables(release: &str, view: &str, last: i32) -> Result<Vec<(String, pg_sys::Oid)>> {
    let tables = sql::rows(
        "SELECT c.relname::text, c.oid FROM pg_catalog.pg_class c
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relname ~ '_v[0-9]+$' ORDER BY c.oid",
        &[release.into()],
        |row| Ok((row.get::<String>(1)?.unwrap_or_default(), row.get(2)?.unwrap_or(pg_sys::InvalidOid))),
    )?;
    let is_version = |name: &str| {
        let version = name.rsplit_once("_v").and_then(|(_, digits)| digits.parse().ok());
        version.is_some_and(|version: i32| version <= last && version_table(view, version) == name)
    };
    Ok(tables.into_iter().filter(|(name, _)| is_version(name)).collect())
}

/// A name must be one.
pub fn check_name(release: &str) -> Result<()> {
    if release.is_empty() {
        return Err(SqlError::name("the name of a release must not be empty"));
    }
    Ok(())
}

/// The name of the view of a release of a source, which is qualified and quoted.
pub fn view_of(source: &str) -> Result<String> {
    let parts = attempt(|| {
        sql::rows("SELECT (pg_catalog.parse_ident($1))[2]", &[source.into()], |row| row.get::<String>(1))
    })?;
    let name = parts.into_iter().next().flatten();
    name.ok_or_else(|| SqlError::state("its source is no qualified name"))
}

/// Where the next version goes, before anything is read or written.
pub fn home(release: &str, request: &Request, existing: Option<Existing>) -> Result<Home> {
    let source = &request.source;
    let view = source.name.clone();
    let looks_like_version = view
        .rsplit_once("_v")
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let is_table = TABLES.iter().any(|table| table.name == view);
    if is_table || VIEWS.contains(&view.as_str()) || view == "manifest_pkey" || looks_like_version {
        return Err(SqlError::relation_name(format!("a release cannot have a view called \"{view}\""))
            .detail("A release has objects of its own called cut, taxonomy, steps and manifest, and tables that end in _v and a number.")
            .hint("Release a view of the source that has another name."));
    }
    if let Some(existing) = &existing {
        if existing.source != source.qualified() {
            return Err(SqlError::state(format!("release \"{release}\" is of another source"))
                .detail(format!("It is of {}, not of {}.", existing.source, source.qualified()))
                .hint("Choose another name for the release, or drop it with release_drop()."));
        }
        owner_may_read(release, existing, request)?;
    } else {
        may_create()?;
    }
    let version = existing.as_ref().map_or(Some(1), |e| e.version.checked_add(1).filter(|&v| v > 0));
    let version =
        version.ok_or_else(|| SqlError::state(format!("release \"{release}\" has no next version")))?;
    Ok(Home { release: release.into(), view, version, existing, source: source.qualified() })
}

/// What a release holds is its owner's to read, suppressed values and all: so it is filled with
/// nothing that its owner may not read at the source. (PRIVACY: somebody without any right on the
/// source makes the release first.)
fn owner_may_read(release: &str, existing: &Existing, request: &Request) -> Result<()> {
    let names: Vec<String> =
        request.columns().into_iter().map(|c| request.source.columns[c].name.clone()).collect();
    let refused = sql::rows(
        "SELECT c.name FROM pg_catalog.unnest($3::text[]) c (name)
         WHERE NOT pg_catalog.has_column_privilege($1::oid, $2::oid, c.name, 'SELECT')",
        &[existing.owner_oid.into(), request.source.oid.into(), names.into()],
        |row| Ok(row.get::<String>(1)?.unwrap_or_default()),
    )?;
    if refused.is_empty() {
        return Ok(());
    }
    let (owner, source) = (&existing.owner, &request.source.name);
    Err(denied_to_owner(release)
        .detail(format!("\"{owner}\" may not read of \"{source}\": {}.", some_of(refused))))
}

fn denied_to_owner(release: &str) -> SqlError {
    SqlError::privilege(format!("permission denied for the owner of release \"{release}\""))
        .hint("A release is its owner's to read in full: grant its owner SELECT on the source, or choose another name for the release.")
}

/// A fault as it is told to somebody else than the release's owner: rights that are missing are the
/// owner's.
pub fn as_owner_hears(release: &str, existing: &Existing, fault: SqlError) -> SqlError {
    if fault.code() != PgSqlErrorCode::ERRCODE_INSUFFICIENT_PRIVILEGE {
        return fault;
    }
    denied_to_owner(release).detail(format!("To \"{}\": {}.", existing.owner, fault.message()))
}

fn may_create() -> Result<()> {
    let may = sql::rows(
        "SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE'),
                pg_catalog.current_database()::text",
        &[],
        |row| Ok((row.get::<bool>(1)?.unwrap_or_default(), row.get::<String>(2)?.unwrap_or_default())),
    )?;
    match may.into_iter().next() {
        Some((false, database)) => {
            Err(SqlError::privilege(format!("permission denied for database {database}"))
                .detail("A release is a schema: making one needs CREATE on the database."))
        }
        _ => Ok(()),
    }
}

/// Makes the schema; an error if somebody else was quicker. Two first calls meet here and nowhere else:
/// the second waits until the first has ended, and its name decides.
pub fn create_schema(release: &str) -> Result<std::result::Result<(), SqlError>> {
    let made = attempt(|| sql::run(&format!("CREATE SCHEMA {}", quote(release)), &[]));
    let quicker = [PgSqlErrorCode::ERRCODE_DUPLICATE_SCHEMA, PgSqlErrorCode::ERRCODE_UNIQUE_VIOLATION];
    match made {
        Err(error) if quicker.contains(&error.code()) => Ok(Err(error)),
        Err(error) => Err(error),
        Ok(_) => grants::strip_schema(release).map(Ok),
    }
}

/// Makes the new version's empty table, and before the first one those that all versions share.
pub fn create(home: &Home, columns: &[Output]) -> Result<()> {
    if home.existing.is_none() {
        for table in TABLES {
            let key = if table.name == MANIFEST.name { " PRIMARY KEY" } else { "" };
            let columns: Vec<String> = (table.columns.iter().enumerate())
                .map(|(i, (name, kind))| format!("{name} {kind}{}", if i == 0 { key } else { "" }))
                .collect();
            create_table(home, table.name, &columns.join(", "))?;
            let declared = table.columns.iter().map(|(name, kind)| (name.to_string(), kind.to_string()));
            must_be_as_made(home, table.name, declared, !key.is_empty())?;
        }
        for (table, (view, query)) in [(TREES, TAXONOMY_VIEW), (TRACES, STEPS_VIEW)] {
            let query = query.replace("{table}", &home.object(table.name));
            sql::run(&format!("CREATE VIEW {} AS {query}", home.object(view)), &[])?;
            grants::strip_table(&home.release, view)?;
        }
    }
    if sql::relation(&home.version_table())?.is_some() {
        return Err(SqlError::serialization(format!("relation {} exists already", home.version_table()))
            .detail("Another transaction has made this version, or the name was taken by hand."));
    }
    let declarations: Vec<String> =
        columns.iter().map(|c| format!("{} {}", quote(&c.name), c.declaration)).collect();
    create_table(home, &home.table(), &declarations.join(", "))?;
    let declared = columns.iter().map(|c| (c.name.clone(), c.type_oid.to_u32().to_string()));
    must_be_as_made(home, &home.table(), declared, false)
}

fn create_table(home: &Home, name: &str, columns: &str) -> Result<()> {
    sql::run(&format!("CREATE TABLE {} ({columns}) USING heap", home.object(name)), &[])?;
    grants::strip_table(&home.release, name)
}

/// An event trigger may do anything to a table just made. What it did may be harmless elsewhere, but
/// here rows are formed for the columns that were asked for, and inserted past indexes, triggers
/// and constraints. A column's type is given by its name or its OID.
fn must_be_as_made(
    home: &Home,
    table: &str,
    columns: impl Iterator<Item = (String, String)>,
    has_key: bool,
) -> Result<()> {
    let (names, types): (Vec<String>, Vec<String>) = columns.unzip();
    let same = sql::rows(
        "SELECT c.relkind = 'r' AND c.relpersistence = 'p' AND NOT c.relhasrules AND NOT c.relhastriggers
                AND NOT c.relrowsecurity AND NOT c.relispartition AND NOT c.relhassubclass
                AND c.relowner = $6 AND c.relhasindex = $3
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'n'))
                AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhrelid = c.oid)
                AND (SELECT pg_catalog.array_agg(a.attname::text ORDER BY a.attnum) = $4
                        AND pg_catalog.array_agg(a.atttypid ORDER BY a.attnum)
                            = (SELECT pg_catalog.array_agg(t.t::pg_catalog.regtype::pg_catalog.oid ORDER BY t.i)
                               FROM pg_catalog.unnest($5::text[]) WITH ORDINALITY t (t, i))
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
            // SAFETY: returns an Oid.
            unsafe { pg_sys::GetUserId() }.into(),
        ],
        |row| row.get::<bool>(1),
    )?;
    if same == [Some(true)] {
        return Ok(());
    }
    Err(SqlError::state(format!("table {} is not as it was made", home.object(table)))
        .detail("An event trigger has altered it while it was made.")
        .hint("Have the event trigger leave the schemas of releases alone."))
}
