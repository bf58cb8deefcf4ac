//! Where a version goes: the schemas of a release, whether it may be made or gone on with, and by whom.

use crate::postgres::error::{some_of, Result, SqlError};
use crate::postgres::operation;
use crate::postgres::sql::{self, qualified, Values};
use crate::read::identity::HashKey;
use crate::read::source::Source;
use crate::release::store::columns::Output;
use crate::release::store::manifest::ExistingRelease;
use crate::release::store::tables::{is_reserved, private_schema, version_table, PRIVATE, VERSIONS};
use crate::terms::request::Request;
use pgrx::pg_sys;
use pgrx::prelude::PgSqlErrorCode;

/// Where a new version goes.
#[derive(Debug)]
pub struct Destination {
    /// The release: its schema.
    pub release: String,
    /// The view: the source's name, or the one asked for.
    pub view: String,
    /// The new version.
    pub version: i32,
    /// The release as it was, if there was one.
    pub existing: Option<ExistingRelease>,
    /// The source, qualified.
    pub source: String,
    /// The key of the hashes that tell rows and values apart.
    pub hash_key: HashKey,
}

impl Destination {
    /// The new version's table, unqualified.
    pub fn table(&self) -> String {
        version_table(self.version)
    }
    /// The new version's table, qualified.
    pub fn version_table(&self) -> String {
        self.object(&self.table())
    }
    /// The table of all versions, qualified.
    pub fn versions(&self) -> String {
        self.object(VERSIONS)
    }
    /// A view that recipients may read, qualified.
    pub fn shown(&self, view: &str) -> String {
        qualified(&self.release, view)
    }
    /// The name of the private schema.
    pub fn private(&self) -> String {
        private_schema(&self.release)
    }
    /// An object in the private schema, qualified.
    pub fn object(&self, name: &str) -> String {
        qualified(&self.private(), name)
    }
}

/// Checks that a release may be called so: its private schema's name, which is longer, has to be one.
pub fn check_name(release: &str) -> Result<()> {
    let longest = pg_sys::NAMEDATALEN as usize - 1 - PRIVATE.len();
    if release.is_empty() {
        return Err(SqlError::name("the name of a release must not be empty"));
    }
    if release.ends_with(PRIVATE) {
        return Err(SqlError::name(format!("the name of a release must not end in \"{PRIVATE}\""))
            .detail("The private schema of a release is called so."));
    }
    if release.len() > longest {
        return Err(SqlError::long_name(format!(
            "the name of a release must not be longer than {longest} bytes"
        ))
        .detail(format!("\"{release}\" has {}.", release.len())));
    }
    Ok(())
}

/// Where the next version goes, before anything is read or written; `view` is what the view shall be called,
/// none for the source's name; `moved` says that an existing release is given another source.
pub fn destination(
    release: &str,
    request: &Request,
    existing: Option<ExistingRelease>,
    view: Option<&str>,
    moved: bool,
) -> Result<Destination> {
    let source = &request.source;
    if let Some(existing) = &existing {
        if existing.source != source.qualified() && !moved {
            return Err(SqlError::state(format!("release \"{release}\" is of another source"))
                .detail(format!("It is of {}, not of {}.", existing.source, source.qualified()))
                .hint("release_alter() gives a release a source that was renamed or moved; else choose another name for the release."));
        }
        if let Some(other) = view.filter(|view| *view != existing.view.as_str()) {
            return Err(SqlError::state(format!(
                "the view of release \"{release}\" is not called \"{other}\""
            ))
            .detail(format!("Its first version called it \"{}\".", existing.view.as_str()))
            .hint("Leave the view's name out, or choose another name for the release."));
        }
        owner_may_read(release, existing, request)?;
        return next(release, existing.clone(), source.qualified());
    }
    let view = view.unwrap_or(&source.name);
    if view.is_empty() {
        return Err(SqlError::name("the name of a release's view must not be empty"));
    }
    if is_reserved(view) {
        return Err(SqlError::relation_name(format!("a release cannot have a view called \"{view}\""))
            .detail("A release has views of its own called cut, about and counts.")
            .hint("Give the view another name: view => '...'."));
    }
    may_create()?;
    Ok(Destination {
        release: release.into(),
        view: view.into(),
        version: 1,
        existing: None,
        source: source.qualified(),
        hash_key: HashKey::draw()?,
    })
}

/// Where the next version of an existing release goes.
pub fn next(release: &str, existing: ExistingRelease, source: String) -> Result<Destination> {
    let version = existing.last.checked_add(1).filter(|&version| version > 0);
    let version =
        version.ok_or_else(|| SqlError::state(format!("release \"{release}\" has no next version")))?;
    Ok(Destination {
        release: release.into(),
        view: existing.view.as_str().into(),
        version,
        hash_key: existing.hash_key()?,
        existing: Some(existing),
        source,
    })
}

/// What a release holds is its owner's to read, suppressed values and all: so it is filled with
/// nothing that its owner may not read at the source. (PRIVACY: somebody without any right on the
/// source makes the release first.)
pub fn owner_may_read(release: &str, existing: &ExistingRelease, request: &Request) -> Result<()> {
    let names: Vec<String> =
        request.columns().into_iter().map(|c| request.source.columns[c].name.clone()).collect();
    let refused = sql::values::<String>(
        "SELECT c.name FROM pg_catalog.unnest($3::text[]) c (name)
         WHERE NOT pg_catalog.has_column_privilege($1::oid, $2::oid, c.name, 'SELECT')
            OR NOT pg_catalog.has_schema_privilege($1::oid, (SELECT s.relnamespace FROM pg_catalog.pg_class s
                                                             WHERE s.oid = $2), 'USAGE')",
        &[existing.owner_oid.into(), request.source.oid.into(), names.into()],
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
        .hint("A release is its owner's to read in full: grant its owner SELECT on the source and USAGE on its schema, or make a release of your own by another name.")
}

/// A fault as it is told to somebody else than the release's owner: rights that are missing are the
/// owner's.
pub fn redact_for_owner(release: &str, existing: &ExistingRelease, fault: SqlError) -> SqlError {
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
        |row| Ok((row.not_null::<bool>(1)?, row.not_null::<String>(2)?)),
    )?;
    match may.into_iter().next() {
        Some((false, database)) => {
            Err(SqlError::privilege(format!("permission denied for database {database}"))
                .detail("A release is two schemas: making one needs CREATE on the database.")
                .hint(format!(
                    "Have its owner GRANT CREATE ON DATABASE {} TO {}.",
                    sql::quote(&database),
                    sql::quote(&operation::acting_role())
                )))
        }
        _ => Ok(()),
    }
}

/// A further version must have the columns of the earlier ones: readers rely on the view.
pub fn compare(existing: &ExistingRelease, planned: &[Output], release: &str) -> Result<()> {
    let view = Source::in_schema(existing.schema, &existing.view);
    let shown = |name: &str, declaration: &str| format!("{name} {}", plain(declaration));
    let of_view: Vec<String> =
        view.iter().flat_map(|v| &v.columns).map(|c| shown(&c.name, &c.declaration)).collect();
    let planned: Vec<String> =
        planned.iter().filter(|c| c.public).map(|c| shown(&c.name, &c.declaration)).collect();
    if of_view.is_empty() || of_view == planned {
        return Ok(());
    }
    let missing: Vec<&String> = of_view.iter().filter(|c| !planned.contains(c)).collect();
    let new: Vec<&String> = planned.iter().filter(|c| !of_view.contains(c)).collect();
    let mut differences = Vec::new();
    if !missing.is_empty() {
        differences.push(format!("no longer there: {}", some_of(missing)));
    }
    if !new.is_empty() {
        differences.push(format!("new: {}", some_of(new)));
    }
    if differences.is_empty() {
        differences.push("their order".into());
    }
    Err(other_columns(release, &differences))
}

/// The error of a release whose columns are others.
pub fn other_columns(release: &str, differences: &[String]) -> SqlError {
    SqlError::state(format!("release \"{release}\" has other columns"))
        .detail(format!("Of the columns differ: {}.", differences.join("; ")))
        .hint("Keep the view's columns as they are, or choose another name for the release.")
}

/// A type as people write it.
pub fn plain(declaration: &str) -> String {
    declaration.replace(" COLLATE pg_catalog.\"default\"", "")
}
