//! What is done just before a transaction commits: tables that nobody needs any more are dropped, if
//! nobody uses them at that moment.
//!
//! Not before, because a transaction may go on for long, and whoever reads would wait for it behind the lock
//! that dropping takes. Only locks that are free at once are taken, and what was written is on disk
//! by then, so that they are held for no longer than a commit record takes.

use super::locks::{self, Mode};
use super::operation::Operation;
use super::sql;
use super::subtransaction::attempt;
use pgrx::pg_sys::{self, Oid};
use pgrx::PgXactCallbackEvent;

/// A table that may go.
#[derive(Debug, Clone, Copy)]
pub struct ObsoleteTable {
    /// The table.
    pub table: Oid,
    /// Since which transaction nobody looks at it any more who sees what that transaction did.
    pub since: pg_sys::TransactionId,
}

/// When the transaction commits in which `made` was made, drops those partitions of `parent` that nobody
/// reads, nobody will read whose snapshot is old, and nothing was built on. `witness` is a table as those
/// are that read: it tells how old snapshots are.
pub fn drop_obsolete(made: Oid, parent: Oid, witness: Oid, obsolete: Vec<ObsoleteTable>) {
    if obsolete.is_empty() {
        return;
    }
    // SAFETY: returns the transaction's id, which it has: it has made a table.
    let transaction = unsafe { pg_sys::GetTopTransactionId() };
    pgrx::register_xact_callback(PgXactCallbackEvent::PreCommit, move || {
        // What was prepared (PREPARE TRANSACTION) commits elsewhere, and this is another transaction.
        // SAFETY: as above; none for a transaction that has written nothing.
        if unsafe { pg_sys::GetTopTransactionIdIfAny() } != transaction {
            return;
        }
        // A rollback to a savepoint may have undone it all; and what cannot be dropped now is left for the
        // next time, whatever the reason.
        if exists(made) {
            let _left = attempt(|| {
                // The session's search_path is not ours, here as in a verb.
                let _operation = Operation::begin()?;
                drop_all(parent, witness, &obsolete);
                Ok(())
            });
        }
    });
}

fn drop_all(parent: Oid, witness: Oid, obsolete: &[ObsoleteTable]) {
    if !exists(parent) || !exists(witness) {
        return;
    }
    let gone: Vec<Oid> =
        obsolete.iter().filter(|o| is_seen_by_all(witness, o.since)).map(|o| o.table).collect();
    if gone.is_empty() {
        return;
    }
    // SAFETY: a plain variable; what this transaction has written so far is flushed as a commit would do it.
    unsafe { pg_sys::XLogFlush(pg_sys::XactLastRecEnd) };
    if !locks::relation_at_once(parent, Mode::Alone) {
        return;
    }
    for table in gone {
        // SAFETY: a look-up in the system cache; false for what is gone.
        let is_free = locks::relation_at_once(table, Mode::Alone)
            && unsafe { pg_sys::get_rel_relispartition(table) }
            && !is_built_on(table);
        if is_free {
            let address = pg_sys::ObjectAddress {
                classId: pg_sys::RelationRelationId,
                objectId: table,
                objectSubId: 0,
            };
            // SAFETY: the table exists and is locked, and so is its parent.
            unsafe {
                pg_sys::performDeletion(
                    &address,
                    pg_sys::DropBehavior::DROP_RESTRICT,
                    pg_sys::PERFORM_DELETION_INTERNAL as i32,
                );
            }
        }
    }
}

fn exists(relation: Oid) -> bool {
    let no_key = pg_sys::Datum::null();
    let by_oid = pg_sys::SysCacheIdentifier::RELOID as i32;
    // SAFETY: a look-up in the system cache.
    unsafe { pg_sys::SearchSysCacheExists(by_oid, pg_sys::Datum::from(relation), no_key, no_key, no_key) }
}

/// Whether every snapshot there is sees what a transaction did.
fn is_seen_by_all(witness: Oid, since: pg_sys::TransactionId) -> bool {
    // SAFETY: the relation exists, and is opened and closed; that it is not locked changes nothing of what
    // is asked of it: which database it is of.
    unsafe {
        let relation = pg_sys::table_open(witness, pg_sys::AccessShareLock as pg_sys::LOCKMODE);
        let horizon = pg_sys::GetOldestNonRemovableTransactionId(relation);
        pg_sys::table_close(relation, pg_sys::NoLock as pg_sys::LOCKMODE);
        pg_sys::TransactionIdPrecedes(since, horizon)
    }
}

/// Whether something was built on a table or on the type of its rows.
fn is_built_on(table: Oid) -> bool {
    let built_on = sql::value(
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_depend d, pg_catalog.pg_type t
                        WHERE t.typrelid = $1 AND d.deptype = 'n'
                          AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k
                                          WHERE d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
                                            AND k.oid = d.objid AND k.conrelid = $1)
                          AND (d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = $1
                               OR d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass AND d.refobjid IN (t.oid, t.typarray)))",
        &[table.into()],
    );
    !matches!(built_on, Ok(Some(false)))
}
