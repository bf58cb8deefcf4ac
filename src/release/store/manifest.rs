//! The manifest of a release: what proves that a schema is a release, and what every verb that
//! works on one reads first.
//!
//! Somebody's schema is somebody's code: a manifest may have an index whose predicate calls a
//! function, it may be a view tomorrow, and it may become one while we wait for its lock. So it is
//! found in the catalogs, locked by OID, found again, and its rows are then read as they lie in the
//! heap: no statement is planned on it, no index, rule, policy or function of its owner's is used,
//! whoever reads it. (PRIVACY: changed under the call; borrowed rights.)
//!
//! The lock on the manifest is the release's own: who changes a release takes it in a mode that only
//! one can have. Who only reads a release reads all of it under the snapshot that its manifest was read
//! under, and so the version that was current then, whatever comes meanwhile.

use crate::postgres::citus;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::heap;
use crate::postgres::locks::{self, Mode};
use crate::postgres::names::JsonText;
use crate::postgres::operation::{self, Operation};
use crate::postgres::progress::Watch;
use crate::postgres::sql::{self, quote, NotNull, Snapshot};
use crate::read::version_table::VersionTable;
use crate::release::store::parameters::{Parameters, FORMAT};
use crate::release::store::tables::{is_taken, version_table, MANIFEST};
use crate::terms::arguments::Arguments;
use crate::terms::words::Changes;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;
use pgrx::spi::quote_literal;
use pgrx::PgSqlErrorCode;
use std::cell::OnceCell;
use std::rc::Rc;
use topdown::progress::room;

/// A schema that is a release, as the catalogs say.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    schema: pg_sys::Oid,
    manifest: pg_sys::Oid,
    owner: pg_sys::Oid,
}

/// A release as it stands.
#[derive(Debug, Clone)]
pub struct ExistingRelease {
    /// Its owner.
    pub owner: String,
    /// Its owner's OID.
    pub owner_oid: pg_sys::Oid,
    /// Whether the caller has the owner's rights.
    pub mine: bool,
    /// Its schema, whatever that is called.
    pub schema: pg_sys::Oid,
    /// Its manifest.
    pub manifest: pg_sys::Oid,
    /// Its current version.
    pub version: i32,
    /// The greatest number of a version.
    pub last: i32,
    /// Its source, qualified.
    pub source: String,
    /// The view's name.
    pub view: String,
    /// How the current version was made, as the manifest has it, and read from that.
    parameters: serde_json::Value,
    made: OnceCell<Parameters>,
    /// The current version's table, once somebody has asked what its rows are.
    pub(super) table: OnceCell<Rc<VersionTable>>,
}

impl ExistingRelease {
    /// How the current version was made. Who drops a release, or grants it, need not be able to read that.
    pub fn parameters(&self) -> Result<&Parameters> {
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = parsed(self.parameters.clone())?;
        Ok(self.made.get_or_init(|| made))
    }

    /// Whether a version that some arguments are given for goes on from the current one in batches.
    pub fn is_batched(&self, arguments: &Arguments) -> Result<bool> {
        let before = self.parameters()?.arguments.changes;
        Ok(before == Changes::Batched && arguments.changes == Changes::Batched)
    }
}

/// The parameters of a version; of a format that is not known yet they are not guessed at.
pub fn parsed(parameters: serde_json::Value) -> Result<Parameters> {
    let format = &parameters["format"];
    if format.as_f64().is_some_and(|format| format > FORMAT as f64) {
        return Err(SqlError::state("the release's manifest was written by a newer version of pg_topdown")
            .detail(format!("It is of format {format}; this version knows formats up to {FORMAT}."))
            .hint("Install that version; then ALTER EXTENSION pg_topdown UPDATE."));
    }
    Parameters::parse(parameters).map_err(unreadable)
}

/// A manifest that says what it cannot.
pub fn unreadable(fault: impl Into<String>) -> SqlError {
    SqlError::state("the release's manifest cannot be read")
        .detail(fault)
        .hint("Make the release anew, under another name.")
}

/// What a verb works on a release with, until it is dropped.
pub struct Rights {
    /// Everything is read under one snapshot, which sees the version that was waited for.
    _snapshot: Snapshot,
    /// The rights of the release's owner; none for somebody else who reads what is shown.
    _owner: Option<Operation>,
}

/// A row of a manifest, as far as it is needed.
#[derive(Debug)]
pub struct Row {
    /// The version.
    pub version: i32,
    /// When it was made.
    pub created_at: TimestampWithTimeZone,
    /// Its source, qualified.
    pub source: String,
    /// Its arguments, where they were asked for.
    pub parameters: Option<JsonText>,
    /// How many rows it has.
    pub rows: i64,
}

/// An SQL condition on pg_namespace n and its manifest m: m is one of ours, and its owner is n's.
fn is_release() -> String {
    let columns: Vec<String> =
        MANIFEST.columns.iter().map(|(name, ty)| format!("'{name} {}'", ty.to_u32())).collect();
    format!(
        "m.relnamespace = n.oid AND m.relname = 'manifest' AND m.relkind = 'r' AND m.relowner = n.nspowner
         AND m.relam = (SELECT a.oid FROM pg_catalog.pg_am a WHERE a.amname = 'heap')
         AND NOT m.relrowsecurity
         AND (SELECT pg_catalog.array_agg(a.attname::text || ' ' || a.atttypid::text ORDER BY a.attnum)
              FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = m.oid AND a.attnum > 0) = ARRAY[{}]",
        columns.join(", ")
    )
}

/// What a name stands for at this moment: none if there is no such schema, 42710 if something else.
fn find(release: &str) -> Result<Option<(Identity, String, bool)>> {
    let query = format!(
        "SELECT n.oid, m.oid, n.nspowner, pg_catalog.pg_get_userbyid(n.nspowner)::text,
                pg_catalog.pg_has_role(n.nspowner, 'USAGE')
         FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class m ON {} WHERE n.nspname = $1",
        is_release()
    );
    let found = sql::rows(&query, &[release.into()], |row| {
        let oid = |i| row.get::<pg_sys::Oid>(i);
        let found = match (oid(1)?, oid(2)?, oid(3)?) {
            (Some(schema), Some(manifest), Some(owner)) => Some(Identity { schema, manifest, owner }),
            _ => None,
        };
        Ok(found.zip(row.get::<String>(4)?).zip(row.get::<bool>(5)?))
    })?;
    match found.into_iter().next() {
        None => Ok(None),
        Some(Some(((found, owner), mine))) => Ok(Some((found, owner, mine))),
        Some(None) if is_of_0_1_0(release)? => {
            let schema = quote(release);
            Err(SqlError::taken(format!("release \"{release}\" was made by pg_topdown 0.1.0"))
                .detail("Its view can be read as before, and privacy_check() counts on it; nothing else can be done with it.")
                .hint(format!("Make it anew under another name; then DROP SCHEMA {schema} CASCADE.")))
        }
        Some(None) => Err(SqlError::taken(format!("schema \"{release}\" exists and is no release"))
            .hint("Choose another name for the release.")),
    }
}

/// Whether a schema is a release as version 0.1.0 made them: with a manifest that does not know which version is
/// current.
fn is_of_0_1_0(release: &str) -> Result<bool> {
    let columns: Vec<&str> = MANIFEST.columns.iter().map(|(name, _)| *name).collect();
    let columns = columns[..columns.len() - 1].join(" ");
    let found = sql::value::<bool>(
        "SELECT (SELECT pg_catalog.string_agg(a.attname::text, ' ' ORDER BY a.attnum)
                 FROM pg_catalog.pg_attribute a WHERE a.attrelid = m.oid AND a.attnum > 0) = $2
         FROM pg_catalog.pg_class m JOIN pg_catalog.pg_namespace n ON n.oid = m.relnamespace
         WHERE n.nspname = $1 AND m.relname = 'manifest' AND m.relowner = n.nspowner AND m.relkind = 'r'",
        &[release.into(), columns.into()],
    )?;
    Ok(found == Some(true))
}

/// The release of a name, locked, if the caller may work on it.
pub fn existing(release: &str, purpose: Mode) -> Result<Option<ExistingRelease>> {
    let Some(found) = settled(release, purpose, false)? else { return Ok(None) };
    let _snapshot = Snapshot::fresh();
    let existing = read(release, found)?;
    if locks::is_frozen() {
        // A next version goes on from the newest, which this transaction does not see.
        let latest = self::current(existing.manifest, Snapshot::latest(), false)?;
        if latest.is_none_or(|(latest, _)| latest.version != existing.version) {
            return Err(SqlError::serialization(format!(
                "release \"{release}\" has a version that this transaction does not see"
            ))
            .detail("Another transaction has made it meanwhile.")
            .hint("Call again in a new transaction."));
        }
    }
    Ok(Some(existing))
}

/// A release that was found and locked, under the snapshot in force.
fn read(release: &str, (found, owner, mine): (Identity, String, bool)) -> Result<ExistingRelease> {
    let Some((row, last)) = current(found.manifest, Snapshot::same(), true)? else {
        return Err(empty(release));
    };
    let parameters = row.parameters.ok_or_else(|| unreadable("It holds no parameters."))?;
    let parameters = parameters.parse().map_err(unreadable)?;
    let view = parameters["view"].as_str().map(String::from);
    Ok(ExistingRelease {
        owner,
        owner_oid: found.owner,
        mine,
        schema: found.schema,
        manifest: found.manifest,
        version: row.version,
        last,
        view: view.ok_or_else(|| unreadable("It does not tell what the view is called."))?,
        parameters,
        made: OnceCell::new(),
        table: OnceCell::new(),
        source: row.source,
    })
}

/// Whether there is a release that the caller may change; nothing is locked.
pub fn may_change(release: &str) -> Result<()> {
    let (_, owner, mine) =
        find(release).map_err(as_no_release)?.ok_or_else(|| SqlError::no_release(release))?;
    if mine {
        Ok(())
    } else {
        Err(denied(release, &owner)?)
    }
}

/// A release, which must exist, and the rights to work on it: its owner's.
pub fn must_exist(release: &str, purpose: Mode) -> Result<(ExistingRelease, Rights)> {
    if purpose != Mode::Read {
        let existing = existing(release, purpose).map_err(as_no_release)?;
        let existing = existing.ok_or_else(|| SqlError::no_release(release))?;
        let owner = Operation::as_role(existing.owner_oid);
        return Ok((existing, Rights { _snapshot: Snapshot::fresh(), _owner: Some(owner) }));
    }
    let found = settled(release, purpose, false).map_err(as_no_release)?;
    let found = found.ok_or_else(|| SqlError::no_release(release))?;
    let _owner = Some(Operation::as_role(found.0.owner));
    let _snapshot = Snapshot::fresh();
    Ok((read(release, found)?, Rights { _snapshot, _owner }))
}

/// A release whose view the caller may read: with the rights of its owner, if the caller has them, else with
/// the caller's own.
pub fn must_be_readable(release: &str) -> Result<(ExistingRelease, Rights)> {
    let found = settled(release, Mode::Read, true).map_err(as_no_release)?;
    let found = found.ok_or_else(|| SqlError::no_release(release))?;
    let _owner = found.2.then(|| Operation::as_role(found.0.owner));
    let _snapshot = Snapshot::fresh();
    let existing = read(release, found)?;
    if !existing.mine {
        let view = sql::relation_in(existing.schema, &existing.view);
        if !view.map_or(Ok(false), sql::may_read)? {
            return Err(denied(release, &existing.owner)?);
        }
    }
    Ok((existing, Rights { _snapshot, _owner }))
}

/// What is only for its owner; who may read it already is not told to ask for that.
fn denied(release: &str, owner: &str) -> Result<SqlError> {
    let me = operation::acting_role();
    let schema =
        sql::value("SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1", &[release.into()])?;
    let may_read = schema
        .map(|schema| Ok::<_, SqlError>(may_look(schema)? && view(schema, 0)?.is_some_and(|(_, may)| may)));
    let ways = if may_read.transpose()? == Some(true) {
        // Who has its owner's role reads what it was made of: that is no advice for a reader.
        format!(
            "\"{me}\" may read it already, and recount it with release_verify(). Have its owner make the call, or choose another name for the release."
        )
    } else {
        // Nobody is told to make a superuser of somebody.
        let is_superuser = "SELECT r.rolsuper FROM pg_catalog.pg_roles r WHERE r.rolname = $1";
        let join = match sql::value(is_superuser, &[owner.into()])? {
            Some(false) => format!("to work on it, GRANT {} TO {}; ", quote(owner), quote(&me)),
            _ => String::new(),
        };
        let (release, me) = (quote_literal(release), quote_literal(&me));
        format!("To read it, have its owner call release_grant({release}, {me}); {join}else choose another name for the release.")
    };
    Ok(SqlError::privilege(format!("must be owner of release \"{release}\""))
        .detail(format!("It belongs to \"{owner}\"."))
        .hint(ways))
}

/// A schema that is no release is none of our business: nothing is done to it, nor said of how to be rid of it.
fn as_no_release(fault: SqlError) -> SqlError {
    if fault.code() != PgSqlErrorCode::ERRCODE_DUPLICATE_OBJECT || fault.has_detail() {
        return fault;
    }
    fault.detail("Nothing was done to it.").hint("releases() lists the releases of this database.")
}

/// What a name stands for once its manifest is locked, for its owner or, where readers are welcome, for
/// whoever may look into the schema.
fn settled(release: &str, purpose: Mode, readers: bool) -> Result<Option<(Identity, String, bool)>> {
    loop {
        let Some(before) = find(release)? else { return Ok(None) };
        let may = before.2 || readers && may_look(before.0.schema)?;
        if !may {
            return Err(denied(release, &before.1)?);
        }
        locks::relation(before.0.manifest, purpose);
        if locks::keep_name(before.0.schema, purpose) && find(release)?.as_ref() == Some(&before) {
            is_here(release, before.0.schema)?;
            return Ok(Some(before));
        }
        locks::unlock(before.0.manifest, purpose);
    }
}

/// A release is where it was made. Where Citus has taken its tables, what lies in them here is not what readers see.
fn is_here(release: &str, schema: pg_sys::Oid) -> Result<()> {
    if !citus::has_tables_in(schema)? {
        return Ok(());
    }
    Err(SqlError::state(format!("release \"{release}\" has been distributed by Citus"))
        .detail("A release lies on the server that made it. Its readers are refused there, or see the version that was current then.")
        .hint(format!(
            "SELECT citus_schema_undistribute({}); or undistribute_table() for each table that was distributed by itself. Then release_grant() for each reader: Citus drops rights and comments.",
            quote_literal(release)
        )))
}

/// Whether the caller may use what is in a schema.
fn may_look(schema: pg_sys::Oid) -> Result<bool> {
    let query = "SELECT pg_catalog.has_schema_privilege($1::oid, 'USAGE')";
    Ok(sql::value(query, &[schema.into()])? == Some(true))
}

fn empty(release: &str) -> SqlError {
    let message = format!("release \"{release}\" has no version that can be seen");
    if locks::is_frozen() {
        SqlError::serialization(message).detail("Another transaction has just made it.")
    } else {
        SqlError::state(message)
            .detail("Its manifest is empty.")
            .hint("Make the release anew, under another name.")
    }
}

/// A release as it is listed.
#[derive(Debug)]
pub struct Listed {
    pub name: String,
    /// Its view, where it has one.
    pub view: Option<String>,
    /// Its current version.
    pub current: Row,
    /// Whether the caller may read the manifest, and so what the release is made of.
    pub in_full: bool,
}

/// The releases whose manifest or whose view the caller may read, each with its newest version; one whose owner
/// is just dropping or altering it is left out. Of what is in their schemas nothing is opened but the manifests.
pub fn all() -> Result<Vec<Listed>> {
    let query = |more: &str| {
        format!(
            "SELECT n.nspname::text, m.oid, n.oid, pg_catalog.has_table_privilege(m.oid, 'SELECT')
             FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class m ON {}
             WHERE pg_catalog.has_schema_privilege(n.oid, 'USAGE')
               AND (pg_catalog.has_table_privilege(m.oid, 'SELECT')
                    OR EXISTS (SELECT FROM pg_catalog.pg_class v
                               WHERE v.relnamespace = n.oid AND v.relkind = 'v' AND v.relowner = n.nspowner
                                 AND pg_catalog.has_table_privilege(v.oid, 'SELECT'))) {more} ORDER BY n.nspname",
            is_release()
        )
    };
    let one = query("AND m.oid = $1");
    let found = |row: &pgrx::spi::SpiHeapTupleData| {
        let oid = |column| row.not_null::<pg_sys::Oid>(column);
        Ok((row.not_null::<String>(1)?, oid(2)?, oid(3)?, row.not_null::<bool>(4)?))
    };
    let mut all = Vec::new();
    for (_, manifest, ..) in sql::rows(&query(""), &[], found)? {
        // Nobody's lock can hold up the list of everybody's releases.
        if !locks::relation_at_once(manifest, Mode::Read) {
            continue;
        }
        let Some((name, manifest, schema, in_full)) =
            sql::rows(&one, &[manifest.into()], found)?.into_iter().next()
        else {
            continue;
        };
        let Some((current, _)) = current(manifest, Snapshot::fresh(), false)? else { continue };
        let view = view(schema, current.version)?;
        if in_full || view.as_ref().is_some_and(|(_, may_read)| *may_read) {
            all.push(Listed { name, view: view.map(|(view, _)| view), current, in_full });
        }
    }
    Ok(all)
}

/// The view of a release, and whether the caller may read it: the one that the tables of its versions are called after.
fn view(schema: pg_sys::Oid, version: i32) -> Result<Option<(String, bool)>> {
    let views = sql::rows(
        "SELECT v.relname::text, pg_catalog.has_table_privilege(v.oid, 'SELECT')
         FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace n ON n.oid = v.relnamespace
         WHERE n.oid = $1 AND v.relkind = 'v' AND v.relowner = n.nspowner ORDER BY v.relname",
        &[schema.into()],
        |row| Ok((row.not_null::<String>(1)?, row.not_null::<bool>(2)?)),
    )?;
    let has_table = |view: &str| {
        [0, version].iter().any(|&number| sql::relation_in(schema, &version_table(view, number)).is_some())
    };
    Ok(views.into_iter().find(|(view, _)| !is_taken(view) && has_table(view)))
}

/// The releases that the caller may work on, by name.
pub fn mine() -> Result<Vec<String>> {
    let query = format!(
        "SELECT n.nspname::text FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class m ON {}
         WHERE pg_catalog.pg_has_role(n.nspowner, 'USAGE') ORDER BY n.nspname",
        is_release()
    );
    sql::values(&query, &[])
}

/// The longest qualified name: two quoted names and the point between them.
const LONGEST_SOURCE: usize = 2 * (2 * pg_sys::NAMEDATALEN as usize + 2) + 1;

/// How many columns of a manifest's row are needed and never NULL.
const NEEDED: usize = 5;

/// Which column says that a version is the current one.
const CURRENT: usize = 7;

/// The row of the current version in a manifest that is locked, as it lies in the heap, and the greatest
/// number of a version; none where there is none, or its source is no name. What is large is looked at
/// before it is fetched.
fn current(manifest: pg_sys::Oid, _snapshot: Snapshot, parameters: bool) -> Result<Option<(Row, i32)>> {
    let found = heap::greatest(manifest, MANIFEST.columns, NEEDED, CURRENT)?;
    let Some((row, last)) = found.filter(|(row, _)| row.size(2) <= LONGEST_SOURCE) else {
        return Ok(None);
    };
    let parameters = if parameters {
        let _watch = Watch::new();
        room::<u8>(row.size(3))?;
        row.get::<JsonText>(3)
    } else {
        None
    };
    let found = || {
        let row = Row {
            version: row.get(0)?,
            created_at: row.get(1)?,
            source: row.get(2)?,
            parameters,
            rows: row.get(4)?,
        };
        Some((row, last))
    };
    Ok(found())
}
