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
//! one can have; nobody but the owner, and who has been granted rights on it, can take it at all.

use super::schema::{self, MANIFEST};
use crate::error::{Result, SqlError};
use crate::names::JsonText;
use crate::operation::Operation;
use crate::progress::{polled, Watch};
use crate::sql;
use pgrx::datum::{FromDatum, TimestampWithTimeZone};
use pgrx::pg_sys;
use std::ffi::CStr;
use topdown::Progress;

/// A schema that is a release, as the catalogs say.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    schema: pg_sys::Oid,
    manifest: pg_sys::Oid,
    owner: pg_sys::Oid,
}

/// A release as it stands.
#[derive(Debug, Clone)]
pub struct Existing {
    /// Its owner.
    pub owner: String,
    /// Its owner's OID.
    pub owner_oid: pg_sys::Oid,
    /// Its schema, whatever that is called.
    pub schema: pg_sys::Oid,
    /// Its newest version.
    pub version: i32,
    /// Its source, qualified.
    pub source: String,
    /// The newest version's arguments.
    pub parameters: serde_json::Value,
    /// The view.
    pub view: String,
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

/// What somebody is going to do with a release.
#[derive(Debug, Clone, Copy)]
pub enum Use {
    /// Read it; it stays until the end of the transaction.
    Read,
    /// Change it, or who may read it; nobody else does until the end of the transaction.
    Change,
}

impl Use {
    fn lock(self) -> pg_sys::LOCKMODE {
        (match self {
            Use::Read => pg_sys::AccessShareLock,
            Use::Change => pg_sys::ShareUpdateExclusiveLock,
        }) as pg_sys::LOCKMODE
    }
}

/// An SQL condition on pg_namespace n and its manifest m: m is one of ours, and its owner is n's.
fn is_release() -> String {
    let columns: Vec<String> =
        MANIFEST.columns.iter().map(|(name, kind)| format!("'{name} {kind}'")).collect();
    format!(
        "m.relnamespace = n.oid AND m.relname = 'manifest' AND m.relkind = 'r' AND m.relowner = n.nspowner
         AND m.relam = (SELECT a.oid FROM pg_catalog.pg_am a WHERE a.amname = 'heap')
         AND NOT m.relrowsecurity
         AND (SELECT pg_catalog.array_agg(a.attname::text || ' ' || a.atttypid::pg_catalog.regtype::text
                                          ORDER BY a.attnum)
              FROM pg_catalog.pg_attribute a
              WHERE a.attrelid = m.oid AND a.attnum > 0) = ARRAY[{}]",
        columns.join(", ")
    )
}

/// What a name stands for at this moment: none if there is no such schema, 42710 if something else.
fn find(release: &str) -> Result<Option<(Found, String, bool)>> {
    let query = format!(
        "SELECT n.oid, m.oid, n.nspowner, pg_catalog.pg_get_userbyid(n.nspowner)::text,
                pg_catalog.pg_has_role(n.nspowner, 'MEMBER')
         FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class m ON {} WHERE n.nspname = $1",
        is_release()
    );
    let found = sql::rows(&query, &[release.into()], |row| {
        let oid = |i| row.get::<pg_sys::Oid>(i);
        let found = match (oid(1)?, oid(2)?, oid(3)?) {
            (Some(schema), Some(manifest), Some(owner)) => Some(Found { schema, manifest, owner }),
            _ => None,
        };
        Ok(found.zip(row.get::<String>(4)?).zip(row.get::<bool>(5)?))
    })?;
    match found.into_iter().next() {
        None => Ok(None),
        Some(Some(((found, owner), mine))) => Ok(Some((found, owner, mine))),
        Some(None) => Err(SqlError::taken(format!("schema \"{release}\" exists and is no release"))
            .hint("Choose another name for the release, or drop the schema.")),
    }
}

/// The release of a name, locked, if the caller may work on it.
pub fn existing(release: &str, purpose: Use) -> Result<Option<Existing>> {
    let Some((found, owner, _)) = settled(release, purpose)? else { return Ok(None) };
    read(release, &found, owner).map(Some)
}

/// A release that was found and locked.
fn read(release: &str, found: &Found, owner: String) -> Result<Existing> {
    let Some(newest) = newest(found.manifest, true)? else { return Err(empty(release)) };
    let unreadable = || {
        SqlError::state(format!("the manifest of release \"{release}\" cannot be read"))
            .hint("Drop the schema, and make the release anew.")
    };
    let view = schema::view_of(&newest.source).map_err(|fault| unreadable().detail(fault.message()))?;
    Ok(Existing {
        owner,
        owner_oid: found.owner,
        schema: found.schema,
        version: newest.version,
        parameters: newest
            .parameters
            .ok_or_else(unreadable)?
            .parse()
            .map_err(|fault| unreadable().detail(fault))?,
        source: newest.source,
        view,
    })
}

/// The release of a name, which must exist, and the rights to work on it: its owner's.
pub fn must_exist(release: &str, purpose: Use) -> Result<(Existing, Operation)> {
    let settled = settled(release, purpose)?;
    let (found, owner, _) = settled.ok_or_else(|| SqlError::no_release(release))?;
    let rights = Operation::as_role(found.owner);
    let existing = read(release, &found, owner.clone())?;
    let view = sql::relation_in(existing.schema, &existing.view);
    let (Use::Read, Some(view)) = (purpose, view) else { return Ok((existing, rights)) };
    // A next version may be on its way. It is shown when the view's lock is had, and not before; so
    // with that lock the manifest tells of the version that the view shows, as long as it is held.
    // SAFETY: any OID can be locked.
    unsafe { pg_sys::LockRelationOid(view, Use::Read.lock()) };
    Ok((read(release, &found, owner)?, rights))
}

/// What a name stands for once its manifest is locked.
fn settled(release: &str, purpose: Use) -> Result<Option<(Found, String, bool)>> {
    loop {
        let Some(before) = find(release)? else { return Ok(None) };
        if !before.2 {
            return Err(SqlError::privilege(format!("must be owner of release \"{release}\"")));
        }
        // SAFETY: any OID can be locked; whether it is still the release's manifest is seen after.
        unsafe { pg_sys::LockRelationOid(before.0.manifest, purpose.lock()) };
        if keep_name(before.0.schema, purpose) && find(release)?.as_ref() == Some(&before) {
            return Ok(Some(before));
        }
        // SAFETY: the lock just taken, on what is no longer the release's manifest.
        unsafe { pg_sys::UnlockRelationOid(before.0.manifest, purpose.lock()) };
    }
}

/// Keeps a schema from being renamed or dropped until the end of the transaction: somebody else could
/// take its name. What ALTER and DROP SCHEMA lock is the schema as an object; but not in every
/// version of PostgreSQL before a rename, so that who is going to change what is in it by its name also
/// locks its row of pg_namespace, KEY SHARE: a rename changes its key. (Who only reads may
/// be on a standby, and finds everything in the schema by its OID.)
/// False if the row was changed meanwhile: then it is to be looked for again.
fn keep_name(schema: pg_sys::Oid, purpose: Use) -> bool {
    let mode = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
    // SAFETY: the copy of a catalog row says where it lies; relation, row and buffer are closed and
    // released, after an error by the end of the transaction.
    unsafe {
        pg_sys::LockDatabaseObject(pg_sys::NamespaceRelationId, schema, 0, mode);
        if matches!(purpose, Use::Read) {
            return true;
        }
        let namespaces =
            pg_sys::table_open(pg_sys::NamespaceRelationId, pg_sys::RowShareLock as pg_sys::LOCKMODE);
        let no_key = pg_sys::Datum::null();
        let by_oid = pg_sys::SysCacheIdentifier::NAMESPACEOID as i32;
        let row = pg_sys::SearchSysCacheCopy(by_oid, pg_sys::Datum::from(schema), no_key, no_key, no_key);
        let mut locked = false;
        if !row.is_null() {
            let mut buffer = pg_sys::InvalidBuffer as pg_sys::Buffer;
            let mut failure = pg_sys::TM_FailureData::default();
            let mut tuple = pg_sys::HeapTupleData { t_self: (*row).t_self, ..Default::default() };
            // With the versions of the row that transactions still under way have made.
            let follow_updates = true;
            let result = pg_sys::heap_lock_tuple(
                namespaces,
                &mut tuple,
                pg_sys::GetCurrentCommandId(true),
                pg_sys::LockTupleMode::LockTupleKeyShare,
                pg_sys::LockWaitPolicy::LockWaitBlock,
                follow_updates,
                &mut buffer,
                &mut failure,
            );
            pg_sys::ReleaseBuffer(buffer);
            locked = result == pg_sys::TM_Result::TM_Ok;
        }
        pg_sys::table_close(namespaces, pg_sys::NoLock as pg_sys::LOCKMODE);
        locked
    }
}

fn empty(release: &str) -> SqlError {
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
}

/// The releases whose manifest the caller may read, each with its newest version; one whose owner
/// is just dropping or altering it is left out.
pub fn all() -> Result<Vec<(String, Row)>> {
    let query = |more: &str| {
        format!(
            "SELECT n.nspname::text, m.oid FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_class m ON {}
             WHERE pg_catalog.has_schema_privilege(n.oid, 'USAGE')
               AND pg_catalog.has_table_privilege(m.oid, 'SELECT') {more} ORDER BY n.nspname",
            is_release()
        )
    };
    let one = query("AND m.oid = $1");
    let name_and_manifest = |row: &pgrx::spi::SpiHeapTupleData| {
        Ok((row.get::<String>(1)?.unwrap_or_default(), row.get(2)?.unwrap_or(pg_sys::InvalidOid)))
    };
    let mut all = Vec::new();
    for (_, manifest) in sql::rows(&query(""), &[], name_and_manifest)? {
        // Nobody's lock can hold up the list of everybody's releases.
        // SAFETY: any OID can be locked; what it is is looked up after.
        if !unsafe { pg_sys::ConditionalLockRelationOid(manifest, Use::Read.lock()) } {
            continue;
        }
        if let Some((name, manifest)) =
            sql::rows(&one, &[manifest.into()], name_and_manifest)?.into_iter().next()
        {
            all.extend(newest(manifest, false)?.map(|row| (name, row)));
        }
    }
    Ok(all)
}

/// The row of the newest version in a manifest, as it lies in the heap, under a fresh snapshot. The
/// others are passed by without a look at what they hold: a stranger's manifest may hold anything.
fn newest(manifest: pg_sys::Oid, parameters: bool) -> Result<Option<Row>> {
    let _snapshot = sql::Snapshot::fresh();
    // SAFETY: the relation is locked and was found to be a table of the heap; scan and relation are
    // closed, after an error by the end of the transaction.
    unsafe {
        let relation = pg_sys::table_open(manifest, pg_sys::NoLock as pg_sys::LOCKMODE);
        let found = if is_as_declared(relation) {
            let snapshot = pg_sys::GetActiveSnapshot();
            let no_index = pg_sys::InvalidOid;
            let scan =
                pg_sys::systable_beginscan(relation, no_index, false, snapshot, 0, std::ptr::null_mut());
            let mut newest: Option<(i32, pg_sys::HeapTuple)> = None;
            let next = || {
                let tuple = pg_sys::systable_getnext(scan);
                (!tuple.is_null()).then_some(tuple)
            };
            for tuple in polled(std::iter::from_fn(next)) {
                let (values, nulls) = deform(relation, tuple);
                // Not one of ours: none of these is ever NULL.
                if nulls[..5].contains(&true) {
                    continue;
                }
                let Some(version) = i32::from_datum(values[0], nulls[0]) else { continue };
                match newest {
                    Some((most, _)) if most >= version => continue,
                    Some((_, older)) => pg_sys::heap_freetuple(older),
                    None => {}
                }
                newest = Some((version, pg_sys::heap_copytuple(tuple)));
            }
            let row = newest.map(|(_, tuple)| row(relation, tuple, parameters)).transpose();
            pg_sys::systable_endscan(scan);
            row.map(Option::flatten)
        } else {
            Err(SqlError::serialization("a manifest was altered while it was read").hint("Call again."))
        };
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        found
    }
}

/// Whether a relation is a table of the heap with the manifest's columns: memory relies on it.
///
/// # Safety
/// The relation is open and locked.
unsafe fn is_as_declared(relation: pg_sys::Relation) -> bool {
    const TYPES: [pg_sys::Oid; MANIFEST.columns.len()] = [
        pg_sys::INT4OID,
        pg_sys::TIMESTAMPTZOID,
        pg_sys::TEXTOID,
        pg_sys::JSONBOID,
        pg_sys::INT8OID,
        pg_sys::JSONBOID,
        pg_sys::TEXTOID,
    ];
    // SAFETY: as the caller promises; as many attributes as the description says.
    unsafe {
        let columns = pgrx::PgTupleDesc::from_pg_unchecked((*relation).rd_att);
        (*(*relation).rd_rel).relkind as u8 == pg_sys::RELKIND_RELATION
            && columns.len() == TYPES.len()
            && columns.iter().zip(TYPES).zip(MANIFEST.columns).all(|((column, kind), (name, _))| {
                let called = CStr::from_ptr(column.attname.data.as_ptr());
                !column.attisdropped && column.atttypid == kind && called.to_bytes() == name.as_bytes()
            })
    }
}

type Values = [pg_sys::Datum; MANIFEST.columns.len()];
type Nulls = [bool; MANIFEST.columns.len()];

/// The columns of a tuple, large ones where they are stored.
///
/// # Safety
/// A tuple of the relation, which [`is_as_declared`].
unsafe fn deform(relation: pg_sys::Relation, tuple: pg_sys::HeapTuple) -> (Values, Nulls) {
    let (mut values, mut nulls): (Values, Nulls) =
        ([pg_sys::Datum::null(); MANIFEST.columns.len()], [true; MANIFEST.columns.len()]);
    // SAFETY: as the caller promises: as many columns as there is room for.
    unsafe {
        pg_sys::heap_deform_tuple(tuple, (*relation).rd_att, values.as_mut_ptr(), nulls.as_mut_ptr());
    }
    (values, nulls)
}

/// The longest qualified name: two quoted names and the point between them.
const LONGEST_SOURCE: usize = 2 * (2 * pg_sys::NAMEDATALEN as usize + 2) + 1;

/// A row of a manifest; none where a column that is never NULL is, or the source is no name.
///
/// # Safety
/// A tuple of the relation, which [`is_as_declared`].
unsafe fn row(relation: pg_sys::Relation, tuple: pg_sys::HeapTuple, parameters: bool) -> Result<Option<Row>> {
    // SAFETY: as the caller promises: columns of these types. What is large is looked at before it
    // is fetched.
    unsafe {
        let (values, nulls) = deform(relation, tuple);
        let bytes = |i: usize| if nulls[i] { 0 } else { pg_sys::toast_raw_datum_size(values[i]) as usize };
        if bytes(2) > LONGEST_SOURCE {
            return Ok(None);
        }
        let parameters = if parameters {
            Watch::new().allocate(bytes(3))?;
            JsonText::from_datum(values[3], nulls[3])
        } else {
            None
        };
        let row = || {
            Some(Row {
                version: i32::from_datum(values[0], nulls[0])?,
                created_at: TimestampWithTimeZone::from_datum(values[1], nulls[1])?,
                source: String::from_datum(values[2], nulls[2])?,
                parameters,
                rows: i64::from_datum(values[4], nulls[4])?,
            })
        };
        Ok(row())
    }
}
