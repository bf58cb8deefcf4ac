//! Locks that last until the end of the transaction, and what they say about who uses a relation.

use pgrx::pg_sys::{self, Oid};

/// How strongly something is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It stays, and stays what it is.
    Read,
    /// Nobody else has this mode on it; readers go on.
    Change,
    /// Nobody else uses it at all.
    Alone,
}

impl Mode {
    fn of(self) -> pg_sys::LOCKMODE {
        (match self {
            Mode::Read => pg_sys::AccessShareLock,
            Mode::Change => pg_sys::ShareUpdateExclusiveLock,
            Mode::Alone => pg_sys::AccessExclusiveLock,
        }) as pg_sys::LOCKMODE
    }
}

/// Locks the relation of an OID; what it is, and whether it is one, is to be looked up after.
pub fn relation(oid: Oid, mode: Mode) {
    // SAFETY: any OID can be locked.
    unsafe { pg_sys::LockRelationOid(oid, mode.of()) }
}

/// The same where it can be had at once.
pub fn relation_at_once(oid: Oid, mode: Mode) -> bool {
    // SAFETY: as above.
    unsafe { pg_sys::ConditionalLockRelationOid(oid, mode.of()) }
}

/// Gives back a lock that was just taken, on what turned out to be something else.
pub fn unlock(oid: Oid, mode: Mode) {
    // SAFETY: the lock that the caller has just taken.
    unsafe { pg_sys::UnlockRelationOid(oid, mode.of()) }
}

/// Keeps a schema from being renamed or dropped until the end of the transaction: somebody else could
/// take its name. What ALTER and DROP SCHEMA lock is the schema as an object; but not in every
/// version of PostgreSQL before a rename, so that who is going to change what is in it by its name also
/// locks its row of pg_namespace, KEY SHARE: a rename changes its key. (Who only reads may
/// be on a standby, and finds everything in the schema by its OID.)
/// False if the row was changed meanwhile: then it is to be looked for again.
pub fn keep_name(schema: Oid, purpose: Mode) -> bool {
    let mode = pg_sys::AccessShareLock as pg_sys::LOCKMODE;
    // SAFETY: the copy of a catalog row says where it lies; relation, row and buffer are closed and
    // released, after an error by the end of the transaction.
    unsafe {
        pg_sys::LockDatabaseObject(pg_sys::NamespaceRelationId, schema, 0, mode);
        if purpose == Mode::Read {
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

/// Whether the transaction sees one frozen snapshot.
pub fn is_frozen() -> bool {
    // SAFETY: the transaction's isolation level is a plain variable.
    unsafe { pg_sys::XactIsoLevel >= pg_sys::XACT_REPEATABLE_READ as i32 }
}
