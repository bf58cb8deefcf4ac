//! The schema of a release: its name, its lock, whose it is, and what is in it.

use super::columns::Output;
use super::grants;
use crate::error::{Result, SqlError};
use crate::owner::AsOwner;
use crate::source::Source;
use crate::sql::{self, qualified, quote};
use pgrx::pg_sys;

/// The tables of a release beside its versions.
pub const TABLES: [&str; 4] = ["cut", "taxonomy", "steps", "manifest"];

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

/// A release as it stands.
#[derive(Debug, Clone)]
pub struct Existing {
    /// Its owner.
    pub owner: String,
    /// Its owner's OID.
    pub owner_oid: pg_sys::Oid,
    /// Its newest version.
    pub version: i32,
    /// Its source, qualified.
    pub source: String,
    /// The newest version's arguments.
    pub parameters: serde_json::Value,
    /// The view.
    pub view: String,
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

/// Calls on the same release queue up, until the end of the transaction.
pub fn lock(release: &str) -> Result<()> {
    sql::run(
        "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('pg_topdown'), pg_catalog.hashtext($1))",
        &[release.into()],
    )?;
    Ok(())
}

/// An SQL condition on pg_namespace n: it holds a manifest of ours that its owner owns.
pub fn is_release_sql() -> &'static str {
    "EXISTS (SELECT FROM pg_catalog.pg_class m
             WHERE m.relnamespace = n.oid AND m.relname = 'manifest' AND m.relkind = 'r'
               AND m.relowner = n.nspowner AND NOT m.relrowsecurity
               AND (SELECT pg_catalog.array_agg(a.attname::text || ' ' || a.atttypid::pg_catalog.regtype::text
                                                ORDER BY a.attnum)
                    FROM pg_catalog.pg_attribute a
                    WHERE a.attrelid = m.oid AND a.attnum > 0 AND NOT a.attisdropped)
                   = ARRAY['version integer', 'created_at timestamp with time zone', 'source text',
                           'parameters jsonb', 'rows bigint', 'achieved jsonb', 'extension_version text'])"
}

/// The release of a name: none if there is no such schema, 42710 if it is something else.
pub fn existing(release: &str) -> Result<Option<Existing>> {
    let query = format!(
        "SELECT pg_catalog.pg_get_userbyid(n.nspowner)::text, {},
                pg_catalog.pg_has_role(n.nspowner, 'MEMBER'), n.nspowner
         FROM pg_catalog.pg_namespace n WHERE n.nspname = $1",
        is_release_sql()
    );
    let found = sql::rows(&query, &[release.into()], |row| {
        Ok((
            row.get::<String>(1)?.unwrap_or_default(),
            row.get::<bool>(2)?.unwrap_or_default(),
            row.get::<bool>(3)?.unwrap_or_default(),
            row.get::<pg_sys::Oid>(4)?.unwrap_or(pg_sys::InvalidOid),
        ))
    })?;
    let Some((owner, is_release, mine, owner_oid)) = found.into_iter().next() else { return Ok(None) };
    if !is_release {
        return Err(SqlError::taken(format!("schema \"{release}\" exists and is no release"))
            .hint("Choose another name for the release, or drop the schema."));
    }
    if !mine {
        return Err(SqlError::privilege(format!("must be owner of release \"{release}\"")));
    }
    let newest = format!(
        "SELECT version, source, parameters, (pg_catalog.parse_ident(source))[2]
         FROM ONLY {} ORDER BY version DESC LIMIT 1",
        qualified(release, "manifest")
    );
    let _owner = AsOwner::enter(owner_oid);
    let newest = sql::rows(&newest, &[], |row| {
        Ok(Existing {
            owner: owner.clone(),
            owner_oid,
            version: row.get(1)?.unwrap_or_default(),
            source: row.get(2)?.unwrap_or_default(),
            parameters: row.get::<pgrx::JsonB>(3)?.map(|j| j.0).unwrap_or_default(),
            view: row.get(4)?.unwrap_or_default(),
        })
    })?;
    newest.into_iter().next().map(Some).ok_or_else(|| {
        // SAFETY: the transaction's isolation level is a plain variable.
        let frozen = unsafe { pg_sys::XactIsoLevel } >= pg_sys::XACT_REPEATABLE_READ as i32;
        let message = format!("release \"{release}\" has no version that can be seen");
        if frozen {
            SqlError::serialization(message).detail("Another transaction has just made it.")
        } else {
            SqlError::state(message)
                .detail("Its manifest is empty.")
                .hint("Drop the schema, and make the release anew.")
        }
    })
}

/// The release of a name, which must exist, and the rights to work on it.
pub fn must_exist(release: &str) -> Result<(Existing, AsOwner)> {
    let existing = existing(release)?.ok_or_else(|| SqlError::no_release(release))?;
    let owner = AsOwner::enter(existing.owner_oid);
    Ok((existing, owner))
}

/// Where the next version goes, before anything is read or written.
pub fn prepare(release: &str, source: &Source) -> Result<Home> {
    let view = source.name.clone();
    let looks_like_version = view
        .rsplit_once("_v")
        .is_some_and(|(_, digits)| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    let is_index = ["steps_pkey", "manifest_pkey"].contains(&view.as_str());
    if TABLES.contains(&view.as_str()) || is_index || looks_like_version {
        return Err(SqlError::relation_name(format!("a release cannot have a view called \"{view}\""))
            .detail("A release has tables of its own called cut, taxonomy, steps and manifest, and tables that end in _v and a number.")
            .hint("Release a view of the source that has another name."));
    }
    let existing = existing(release)?;
    if let Some(existing) = &existing {
        if existing.source != source.qualified() {
            return Err(SqlError::state(format!("release \"{release}\" is of another source"))
                .detail(format!("It is of {}, not of {}.", existing.source, source.qualified()))
                .hint("Choose another name for the release, or drop it with release_drop()."));
        }
    } else {
        may_create()?;
    }
    let version = existing.as_ref().map_or(Some(1), |e| e.version.checked_add(1).filter(|&v| v > 0));
    let version =
        version.ok_or_else(|| SqlError::state(format!("release \"{release}\" has no next version")))?;
    Ok(Home { release: release.into(), view, version, existing, source: source.qualified() })
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

/// Makes the schema, if this is its first version, and the new version's empty table.
pub fn create(home: &Home, columns: &[Output]) -> Result<()> {
    if home.existing.is_none() {
        sql::run(&format!("CREATE SCHEMA {}", quote(&home.release)), &[])?;
        grants::strip_schema(&home.release)?;
        for (table, declaration) in [
            ("cut", "version int NOT NULL, attribute text NOT NULL, node text, lower text, upper text, records bigint NOT NULL"),
            ("taxonomy", "version int NOT NULL, attribute text NOT NULL, node text, parent text, lower text, upper text, depth int NOT NULL, in_cut boolean NOT NULL"),
            ("steps", "version int NOT NULL, step int NOT NULL, attribute text NOT NULL, node text, children text[] NOT NULL, records bigint NOT NULL, info_gain float8 NOT NULL, privacy_loss float8 NOT NULL, score float8 NOT NULL, achieved float8[] NOT NULL, PRIMARY KEY (version, step)"),
            ("manifest", "version int PRIMARY KEY, created_at timestamptz NOT NULL, source text NOT NULL, parameters jsonb NOT NULL, rows bigint NOT NULL, achieved jsonb NOT NULL, extension_version text NOT NULL"),
        ] {
            sql::run(&format!("CREATE TABLE {} ({declaration}) USING heap", home.object(table)), &[])?;
            grants::strip_table(&home.release, table)?;
        }
    }
    let taken =
        sql::rows("SELECT pg_catalog.to_regclass($1) IS NOT NULL", &[home.version_table().into()], |row| {
            Ok(row.get::<bool>(1)?.unwrap_or_default())
        })?;
    if taken == [true] {
        return Err(SqlError::serialization(format!("relation {} exists already", home.version_table()))
            .detail("Another transaction has made this version, or the name was taken by hand."));
    }
    let declarations: Vec<String> =
        columns.iter().map(|c| format!("{} {}", quote(&c.name), c.declaration)).collect();
    sql::run(
        &format!("CREATE TABLE {} ({}) USING heap", home.version_table(), declarations.join(", ")),
        &[],
    )?;
    grants::strip_table(&home.release, &home.table())
}
