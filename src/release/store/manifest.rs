//! The manifest of a release: what proves that two schemas are a release, and what every verb that
//! works on one reads first.
//!
//! A release `r` is the schemas `r` and `r_private` of one owner, with a manifest of that owner's in the private one. They are
//! found by name, never by a stored OID, so that a dump restores them. Half a release is an error in every verb but
//! release_drop().
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

use crate::postgres::arguments::MOST_BYTES;
use crate::postgres::citus;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::heap;
use crate::postgres::json::JsonText;
use crate::postgres::locks::{self, Mode};
use crate::postgres::names::AnyName;
use crate::postgres::operation::{self, Operation};
use crate::postgres::progress::polled;
use crate::postgres::sql::{self, quote, Snapshot, Values};
use crate::read::identity::HashKey;
use crate::read::named::NamedRelation;
use crate::read::source::Source;
use crate::read::version_table::VersionTable;
use crate::release::store::parameters::{Parameters, FORMAT};
use crate::release::store::tables::{is_reserved, private_schema, KEY, MANIFEST, PRIVATE, VERSIONS};
use crate::terms::arguments::Arguments;
use crate::terms::words::Changes;
use pgrx::datum::TimestampWithTimeZone;
use pgrx::pg_sys;
use pgrx::spi::quote_literal;
use pgrx::PgSqlErrorCode;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use topdown::progress::check_memory;

/// Two schemas that are a release, as the catalogs say.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    schema: pg_sys::Oid,
    private: pg_sys::Oid,
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
    /// The schema with what recipients may read, whatever it is called by now.
    pub schema: pg_sys::Oid,
    /// The private schema.
    pub private: pg_sys::Oid,
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
        let made = parsed(&self.parameters)?;
        Ok(self.made.get_or_init(|| made))
    }

    /// The role that owned its source when it was given that.
    pub fn source_owner(&self) -> Result<Option<String>> {
        Ok(self.parameters()?.owners.get(&self.source).cloned())
    }

    /// Its source, looked up by its name.
    pub fn open_source(&self) -> Result<Source> {
        let source = NamedRelation::owned(&self.source, self.source_owner()?.as_ref());
        source.open("source")?.ok_or_else(|| {
            SqlError::no_relation(format!("relation {} does not exist", self.source)).hint(
                "release_alter(..., source => ...) gives the release a source that was renamed or moved.",
            )
        })
    }

    /// The key of the hashes that tell its rows and values apart.
    pub fn hash_key(&self) -> Result<HashKey> {
        let row = sql::relation_in(self.private, KEY.name).and_then(|table| {
            locks::relation(table, Mode::Read);
            heap::first(table, KEY.columns)
        });
        let half = |column| row.as_ref().and_then(|row| row.get::<i64>(column)).map(|half| half as u64);
        match (half(0), half(1)) {
            (Some(first), Some(second)) => Ok(HashKey { first, second }),
            _ => Err(SqlError::state("the release's key is gone")
                .detail(format!("Table \"{}\" in its private schema does not have it.", KEY.name))
                .hint("Make the release anew, under another name.")),
        }
    }

    /// Whether a version that some arguments are given for goes on from the current one in batches.
    pub fn is_batched(&self, arguments: &Arguments) -> Result<bool> {
        let before = self.parameters()?.arguments.changes;
        Ok(before == Changes::Batched && arguments.changes == Changes::Batched)
    }
}

/// The parameters of a version; of a format that is not known yet they are not guessed at.
pub fn parsed(parameters: &serde_json::Value) -> Result<Parameters> {
    let format = &parameters["format"];
    if format.as_f64().is_some_and(|format| format > FORMAT as f64) {
        return Err(SqlError::state("the release's manifest was written by a newer version of pg_topdown")
            .detail(format!("It is of format {format}; this version knows formats up to {FORMAT}."))
            .hint("Install that version; then ALTER EXTENSION pg_topdown UPDATE."));
    }
    let parameters = Parameters::parse(parameters).map_err(unreadable)?;
    let described: BTreeSet<&str> = parameters.columns.iter().map(|mask| mask.name.as_str()).collect();
    let models = parameters.arguments.privacy.iter();
    let named: BTreeSet<&str> = models.flat_map(|model| model.attributes()).map(String::as_str).collect();
    if described != named || described.len() < parameters.columns.len() {
        return Err(unreadable("The columns that it describes are not those that its models name."));
    }
    Ok(parameters)
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
    /// When a verb last read the source for it.
    pub refreshed_at: Option<TimestampWithTimeZone>,
    /// When an attempt of release_refresh_all() to make the next version failed, if none was made since.
    pub failed_at: Option<TimestampWithTimeZone>,
    /// What it failed of.
    pub error: Option<String>,
}

/// An SQL condition on pg_namespace p and pg_class m: m is the manifest of a private schema p, and of the same owner. The columns of a
/// table are looked at last: there may be many tables of that name.
fn is_manifest() -> String {
    let columns: Vec<String> =
        MANIFEST.columns.iter().map(|(name, ty)| format!("'{name} {}'", ty.to_u32())).collect();
    format!(
        "m.relnamespace = p.oid AND m.relname = 'manifest' AND m.relkind = 'r' AND m.relpersistence = 'p' AND m.relowner = p.nspowner
         AND m.relam = (SELECT a.oid FROM pg_catalog.pg_am a WHERE a.amname = 'heap')
         AND NOT m.relrowsecurity
         AND (SELECT pg_catalog.array_agg(a.attname::text || ' ' || a.atttypid::text ORDER BY a.attnum)
              FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = m.oid AND a.attnum > 0 AND m.relnamespace = p.oid) = ARRAY[{}]",
        columns.join(", ")
    )
}

/// The SQL condition on pg_namespace n that it is the other schema of the release whose private one is p. An index finds p. Any schema
/// may have a name that is not UTF8, at which functions that count characters fail: a cast that clips is one.
const IS_PUBLIC: &str = "n.nspowner = p.nspowner AND p.nspname =
    CASE WHEN pg_catalog.octet_length(n.nspname::text) <= 55 THEN (n.nspname::text || '_private')::name END";

/// A release that was found: what it is, its owner's name, and whether the caller has the owner's rights.
pub type Found = (Identity, String, bool);

/// Finds the release of a name: None if nothing is called so; 42710 if a schema is that is no release, 55000 if half of one is.
fn find(release: &str) -> Result<Option<Found>> {
    let Some(half) = find_private(release)? else { return no_release(release).map(|()| None) };
    let query = format!(
        "SELECT n.oid FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_namespace p ON {IS_PUBLIC}
         WHERE p.oid = $1 AND n.nspname = $2"
    );
    let PrivateHalf { private, manifest, owner, owner_name, mine } = half;
    match sql::value(query, &[private.into(), release.into()])? {
        Some(schema) => Ok(Some((Identity { schema, private, manifest, owner }, owner_name, mine))),
        None => Err(half_gone(release, release)),
    }
}

/// The private schema of a release.
#[derive(Debug, Clone, PartialEq)]
pub struct PrivateHalf {
    pub private: pg_sys::Oid,
    pub manifest: pg_sys::Oid,
    pub owner: pg_sys::Oid,
    pub owner_name: String,
    /// Whether the caller has the owner's rights.
    pub mine: bool,
}

/// Finds the private schema of a release, which its manifest proves.
pub fn find_private(release: &str) -> Result<Option<PrivateHalf>> {
    let query = format!(
        "SELECT p.oid, m.oid, p.nspowner, pg_catalog.pg_get_userbyid(p.nspowner)::text,
                pg_catalog.pg_has_role(p.nspowner, 'USAGE')
         FROM pg_catalog.pg_namespace p JOIN pg_catalog.pg_class m ON {} WHERE p.nspname = $1",
        is_manifest()
    );
    let found = sql::rows(query, &[private_schema(release).into()], |row| {
        let oid = |i| row.not_null::<pg_sys::Oid>(i);
        let (private, manifest, owner) = (oid(1)?, oid(2)?, oid(3)?);
        Ok(PrivateHalf { private, manifest, owner, owner_name: row.not_null(4)?, mine: row.not_null(5)? })
    })?;
    Ok(found.into_iter().next())
}

/// The error of half a release: one of its schemas is missing.
fn half_gone(release: &str, missing: &str) -> SqlError {
    let altered = if missing == release { "" } else { ", or its table manifest was altered" };
    SqlError::state(format!("release \"{release}\" is not complete"))
        .detail(format!("Schema \"{missing}\" is gone, was renamed, has another owner{altered}."))
        .hint("Rename both schemas of the release, or change the owner of both, in one transaction. release_drop() drops what is left of it.")
}

/// An error if a schema has the name of a release and is none.
fn no_release(release: &str) -> Result<()> {
    if let Some(of) = release.strip_suffix(PRIVATE).filter(|_| release.len() > PRIVATE.len()) {
        if find_private(of)?.is_some() {
            return Err(SqlError::taken(format!(
                "schema \"{release}\" is the private one of release \"{of}\""
            ))
            .hint(format!("The release is called {}.", quote_literal(of))));
        }
    }
    let found = sql::rows(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_class m WHERE m.relnamespace = n.oid AND m.relname = 'manifest'
                          AND m.relkind = 'r' AND m.relowner = n.nspowner
                          AND 3 = (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = m.oid
                                     AND a.attname IN ('version', 'parameters', 'extension_version'))),
                EXISTS (SELECT FROM pg_catalog.pg_class v JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
                        JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
                        JOIN pg_catalog.pg_class m ON m.oid = d.refobjid AND m.relname = 'manifest' AND m.relnamespace <> n.oid
                        WHERE v.relnamespace = n.oid AND v.relname = 'about' AND v.relkind = 'v' AND v.relowner = n.nspowner)
         FROM pg_catalog.pg_namespace n WHERE n.nspname = $1",
        &[release.into()],
        |row| Ok((row.not_null::<bool>(1)?, row.not_null::<bool>(2)?)),
    )?;
    match found.into_iter().next() {
        None => Ok(()),
        Some((true, _)) => Err(SqlError::state(format!(
            "release \"{release}\" was made by a version of pg_topdown before 1.0.0"
        ))
        .detail("Its view can be read as before. Nothing else can be done with it.")
        .hint(format!("Drop it and make it anew: DROP SCHEMA {} CASCADE.", quote(release)))),
        Some((_, true)) => Err(half_gone(release, &private_schema(release))),
        Some(_) => Err(SqlError::taken(format!("schema \"{release}\" exists and is no release"))
            .hint("Choose another name for the release.")),
    }
}

/// The release of a name, locked, if the caller may work on it.
pub fn existing(release: &str, purpose: Mode) -> Result<Option<ExistingRelease>> {
    let Some(found) = settled(release, purpose, false)? else { return Ok(None) };
    let _snapshot = Snapshot::fresh();
    let existing = read(release, found)?;
    if locks::is_frozen() {
        // A next version goes on from the newest, which this transaction does not see.
        let latest = self::current(existing.manifest, Snapshot::latest(), 0)?;
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
fn read(release: &str, (found, owner, mine): Found) -> Result<ExistingRelease> {
    let Some((row, last)) = current(found.manifest, Snapshot::same(), MOST_BYTES)? else {
        return Err(empty(release));
    };
    let parameters =
        row.parameters.ok_or_else(|| unreadable("It holds no parameters, or too large ones."))?;
    let parameters = parameters.parse().map_err(unreadable)?;
    let view = parameters["view"].as_str().map(String::from);
    Ok(ExistingRelease {
        owner,
        owner_oid: found.owner,
        mine,
        schema: found.schema,
        private: found.private,
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
pub fn denied(release: &str, owner: &str) -> Result<SqlError> {
    let me = operation::acting_role();
    let schema =
        sql::value("SELECT n.oid FROM pg_catalog.pg_namespace n WHERE n.nspname = $1", &[release.into()])?;
    let manifest = find_private(release)?.map(|half| half.manifest);
    let may_read = schema.zip(manifest).map(|(schema, manifest)| {
        Ok::<_, SqlError>(may_look(schema)? && view(schema, manifest)?.is_some_and(|(_, may)| may))
    });
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
fn settled(release: &str, purpose: Mode, readers: bool) -> Result<Option<Found>> {
    loop {
        let Some(before) = find(release)? else { return Ok(None) };
        let may = before.2 || readers && may_look(before.0.schema)?;
        if !may {
            return Err(denied(release, &before.1)?);
        }
        locks::relation(before.0.manifest, purpose);
        let is_kept = [before.0.schema, before.0.private].iter().all(|&oid| locks::keep_name(oid, purpose));
        if is_kept && find(release)?.as_ref() == Some(&before) {
            is_here(release, before.0.private)?;
            return Ok(Some(before));
        }
        locks::unlock(before.0.manifest, purpose);
    }
}

/// A release is where it was made. Where Citus has taken its tables, what lies in them here is not what readers see.
pub fn is_here(release: &str, private: pg_sys::Oid) -> Result<()> {
    if !citus::has_tables_in(private)? {
        return Ok(());
    }
    Err(SqlError::state(format!("release \"{release}\" has been distributed by Citus"))
        .detail("A release lies on the server that made it. Its readers are refused there, or see the version that was current then.")
        .hint(format!(
            "SELECT citus_schema_undistribute({}); or undistribute_table() for each table that was distributed by itself. Then release_grant() for each reader: Citus drops rights and comments.",
            quote_literal(private_schema(release))
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
    /// Its view, if that is there.
    pub view: Option<String>,
    /// Its current version; None of a private schema whose release is not complete.
    pub current: Option<Row>,
    /// How many rows wait, and how many linger, for those who may read the manifest, and so what the release is made of.
    pub held: Option<[i64; 2]>,
}

/// Locks on a manifest, and on the table and the index of its large values, that could be had at once; given back in the end: of many
/// releases they would fill the table of all locks.
struct AtOnce(Vec<pg_sys::Oid>);

impl AtOnce {
    fn lock(manifest: pg_sys::Oid) -> Result<Option<AtOnce>> {
        let mut locked = AtOnce(Vec::new());
        if !locked.add(manifest) {
            return Ok(None);
        }
        let query = "SELECT c.reltoastrelid::oid FROM pg_catalog.pg_class c WHERE c.oid = $1 AND c.reltoastrelid <> 0
                     UNION ALL SELECT i.indexrelid::oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_index i ON i.indrelid = c.reltoastrelid
                     WHERE c.oid = $1";
        let large = sql::values::<pg_sys::Oid>(query, &[manifest.into()])?;
        Ok(large.into_iter().all(|of_large| locked.add(of_large)).then_some(locked))
    }

    fn add(&mut self, relation: pg_sys::Oid) -> bool {
        let is_had = locks::relation_at_once(relation, Mode::Read);
        self.0.extend(is_had.then_some(relation));
        is_had
    }
}

impl Drop for AtOnce {
    fn drop(&mut self) {
        self.0.iter().for_each(|&relation| locks::unlock(relation, Mode::Read));
    }
}

/// The releases whose manifest or whose view the caller may read, each with its newest version; one whose owner
/// is just dropping or altering it is left out. Of what is in their schemas nothing is opened but the manifests.
pub fn all() -> Result<Vec<Listed>> {
    let query = |more: &str| {
        format!(
            "SELECT n.nspname, m.oid, n.oid,
                    pg_catalog.has_schema_privilege(p.oid, 'USAGE') AND pg_catalog.has_table_privilege(m.oid, 'SELECT')
             FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_namespace p ON {IS_PUBLIC} JOIN pg_catalog.pg_class m ON {}
             WHERE (pg_catalog.has_schema_privilege(p.oid, 'USAGE') AND pg_catalog.has_table_privilege(m.oid, 'SELECT')
                    OR pg_catalog.has_schema_privilege(n.oid, 'USAGE')
                       AND EXISTS (SELECT FROM pg_catalog.pg_class v
                                   WHERE v.relnamespace = n.oid AND v.relkind = 'v' AND v.relowner = n.nspowner
                                     AND pg_catalog.has_table_privilege(v.oid, 'SELECT'))) {more} ORDER BY n.nspname",
            is_manifest()
        )
    };
    let one = query("AND m.oid = $1 AND n.oid = $2");
    let found = |row: &pgrx::spi::SpiHeapTupleData| {
        let oid = |column| row.not_null::<pg_sys::Oid>(column);
        Ok((row.not_null::<AnyName>(1)?.0, oid(2)?, oid(3)?, row.not_null::<bool>(4)?))
    };
    let mut all = halves()?;
    for (_, manifest, schema, _) in polled(sql::rows(query(""), &[], found)?) {
        // Nobody's lock can hold up the list of everybody's releases, on the manifest or where its large values are.
        let Some(_locked) = AtOnce::lock(manifest)? else { continue };
        let Some((name, _, _, in_full)) =
            sql::rows(one.clone(), &[manifest.into(), schema.into()], found)?.into_iter().next()
        else {
            continue;
        };
        // One that is too large for the caller's memory is listed like one that cannot be read.
        let current = match current(manifest, Snapshot::fresh(), if in_full { MOST_LISTED } else { 0 }) {
            Err(fault) if fault.code() == PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED => {
                current(manifest, Snapshot::fresh(), 0)
            }
            current => current,
        };
        let Some((mut current, _)) = current? else { continue };
        let view = view(schema, manifest)?;
        if in_full || view.as_ref().is_some_and(|(_, may_read)| *may_read) {
            // The list keeps two numbers of each: there may be many releases with large parameters.
            let parameters = current.parameters.take().filter(JsonText::has_room);
            let parameters = parameters.and_then(|json| json.parse().ok());
            let parameters: serde_json::Value = parameters.unwrap_or_default();
            let held = |what: &str| parameters["held"][what].as_i64().unwrap_or(0);
            let held = in_full.then(|| [held("waiting"), held("lingering")]);
            all.push(Listed { name, view: view.map(|(view, _)| view), current: Some(current), held });
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// The private schemas of the caller whose release is not complete.
fn halves() -> Result<Vec<Listed>> {
    let query = format!(
        "SELECT p.nspname
         FROM pg_catalog.pg_namespace p JOIN pg_catalog.pg_class m ON {}
         WHERE pg_catalog.pg_has_role(p.nspowner, 'USAGE')
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE {IS_PUBLIC})",
        is_manifest()
    );
    let half = |AnyName(private): AnyName| {
        let name = private.strip_suffix(PRIVATE).unwrap_or(&private).to_string();
        Listed { name, view: None, current: None, held: None }
    };
    Ok(sql::values(query, &[])?.into_iter().map(half).collect())
}

/// The view of a release, and whether the caller may read it: it shows the table of all versions, and is none of those beside it.
fn view(schema: pg_sys::Oid, manifest: pg_sys::Oid) -> Result<Option<(String, bool)>> {
    let views = sql::rows(
        "SELECT v.relname, pg_catalog.has_table_privilege(v.oid, 'SELECT')
         FROM pg_catalog.pg_class v JOIN pg_catalog.pg_namespace n ON n.oid = v.relnamespace
         JOIN pg_catalog.pg_rewrite r ON r.ev_class = v.oid
         WHERE n.oid = $1 AND v.relkind = 'v' AND v.relowner = n.nspowner
           AND EXISTS (SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
                       WHERE d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
                         AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND t.relname = $3
                         AND t.relnamespace = (SELECT m.relnamespace FROM pg_catalog.pg_class m WHERE m.oid = $2))
         ORDER BY v.relname",
        &[schema.into(), manifest.into(), VERSIONS.into()],
        |row| Ok((row.not_null::<AnyName>(1)?.0, row.not_null::<bool>(2)?)),
    )?;
    Ok(views.into_iter().find(|(view, _)| !is_reserved(view)))
}

/// What the current version of a manifest, which is locked, calls the view.
pub fn view_name(manifest: pg_sys::Oid) -> Result<Option<String>> {
    let current = current(manifest, Snapshot::fresh(), MOST_BYTES)?;
    let parameters = current.and_then(|(row, _)| row.parameters?.parse().ok());
    Ok(parameters.and_then(|parameters| parameters["view"].as_str().map(String::from)))
}

/// Whether anything is left of a release.
pub fn is_there(release: &str) -> bool {
    !matches!(find(release), Ok(None))
}

/// The releases that the caller may work on, by name.
pub fn mine() -> Result<Vec<String>> {
    let query = format!(
        "SELECT n.nspname FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_namespace p ON {IS_PUBLIC}
         JOIN pg_catalog.pg_class m ON {}
         WHERE pg_catalog.pg_has_role(n.nspowner, 'USAGE') ORDER BY n.nspname",
        is_manifest()
    );
    Ok(sql::values(query, &[])?.into_iter().map(|AnyName(name)| name).collect())
}

/// The longest qualified name: two quoted names and the point between them.
const LONGEST_SOURCE: usize = 2 * (2 * pg_sys::NAMEDATALEN as usize + 2) + 1;

/// The most bytes of parameters, as jsonb, that a list of releases reads: there may be many.
const MOST_LISTED: usize = 4 << 20;

/// The most bytes of an error that is kept.
const LONGEST_ERROR: usize = 16 << 10;

/// The most bytes of parameters as text that are read, by their size as jsonb: many digits of numbers are no parameters of ours.
pub fn longest_text(size: usize) -> usize {
    MOST_BYTES.min((10 * size).max(1 << 20))
}

/// How many columns of a manifest's row are needed and never NULL.
const NEEDED: usize = 5;

/// Which column says that a version is the current one.
const CURRENT: usize = 7;

/// The row of the current version in a manifest that is locked, as it lies in the heap, and the greatest
/// number of a version; none where there is none, or its source is no name. What is large is looked at
/// before it is fetched.
fn current(manifest: pg_sys::Oid, _snapshot: Snapshot, most: usize) -> Result<Option<(Row, i32)>> {
    let found = heap::greatest(manifest, MANIFEST.columns, NEEDED, CURRENT)?;
    let Some((row, last)) = found.filter(|(row, _)| row.size(2) <= LONGEST_SOURCE) else {
        return Ok(None);
    };
    let parameters = if row.size(3) <= most {
        // As text and as parsed it takes several times as much; a text for which that is not enough is not read.
        check_memory::<[u8; 10]>(row.size(3))?;
        row.json(3, most.min(longest_text(row.size(3))))
    } else {
        None
    };
    let found = || {
        let row = Row {
            version: row.get(0)?,
            created_at: row.get(1)?,
            source: row.text(2)?,
            parameters,
            rows: row.get(4)?,
            refreshed_at: row.get(8),
            failed_at: row.get(9),
            error: if most > 0 && row.size(10) <= LONGEST_ERROR { row.text(10) } else { None },
        };
        Some((row, last))
    };
    Ok(found())
}
