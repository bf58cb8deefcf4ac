//! A bulk insert of tuples that are formed already into a table that is new in this transaction: as COPY FREEZE does,
//! by the table's multi-insert, many at a time.

use super::error::{Result, SqlError};
use super::tuples::{Layout, Tuples};
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys;

/// A bulk insert into a table that is new in this transaction.
pub struct Insert {
    relation: pg_sys::Relation,
    state: pg_sys::BulkInsertState,
    /// How its rows are formed.
    pub layout: Layout,
    slots: Vec<*mut pg_sys::TupleTableSlot>,
    tuples: Vec<pg_sys::HeapTupleData>,
    command: pg_sys::CommandId,
    /// What one batch needs: wide values are compressed, or stored elsewhere, on the way.
    memory: PgMemoryContexts,
}

/// Whether a relation is an empty table of the heap, made in this transaction, with columns of just
/// these types, and with nothing that an insert would have to heed: what a multi-insert relies on.
///
/// # Safety
/// The relation is open and locked.
unsafe fn is_plain(relation: pg_sys::Relation, types: &[pg_sys::Oid]) -> bool {
    // SAFETY: as the caller promises; the descriptions live as long as the relation is open.
    unsafe {
        let kind = &*(*relation).rd_rel;
        let columns = pgrx::PgTupleDesc::from_pg_unchecked((*relation).rd_att);
        kind.relkind as u8 == pg_sys::RELKIND_RELATION
            && kind.relam == pg_sys::HEAP_TABLE_AM_OID
            && !(kind.relhasindex || kind.relhasrules || kind.relhastriggers || kind.relrowsecurity)
            && (*relation).rd_createSubid != 0
            && pg_sys::RelationGetNumberOfBlocksInFork(relation, pg_sys::ForkNumber::MAIN_FORKNUM) == 0
            && is_only_checked((*(*relation).rd_att).constr)
            && columns.len() == types.len()
            && columns.iter().zip(types).all(|(column, ty)| !column.attisdropped && column.atttypid == *ty)
    }
}

/// Whether the only constraint of a table, beside NOT NULL, is that on the version's number, which holds as
/// it is filled.
///
/// # Safety
/// The constraints of a relation that is open.
unsafe fn is_only_checked(constraints: *const pg_sys::TupleConstr) -> bool {
    // SAFETY: as the caller promises.
    unsafe {
        constraints.as_ref().is_some_and(|c| {
            c.num_defval == 0 && c.num_check == 1 && c.missing.is_null() && !c.has_generated_stored
        })
    }
}

/// TABLE_INSERT_SKIP_FSM | TABLE_INSERT_FROZEN.
const OPTIONS: i32 = 0x0002 | 0x0004;

impl Insert {
    /// Opens a table that was made in this transaction for columns of some types, which come to no more than so many bytes.
    pub fn new(table: pg_sys::Oid, types: &[pg_sys::Oid], widest: usize) -> Result<Insert> {
        // SAFETY: the table exists and is ours, so that the lock is had at once; the state and the
        // slots live until finish(), or until the transaction's end after an error.
        unsafe {
            let relation = pg_sys::table_open(table, pg_sys::RowExclusiveLock as i32);
            if !is_plain(relation, types) {
                return Err(SqlError::state("the version table is not as it was made")
                    .detail("Somebody, or an event trigger, has altered it."));
            }
            let layout = Layout::new((*relation).rd_att, types.len(), widest);
            let heap = &raw const pg_sys::TTSOpsHeapTuple;
            let slots = (0..layout.rows).map(|_| pg_sys::MakeSingleTupleTableSlot((*relation).rd_att, heap));
            Ok(Insert {
                relation,
                state: pg_sys::GetBulkInsertState(),
                layout,
                slots: slots.collect(),
                tuples: Vec::with_capacity(layout.rows),
                command: pg_sys::GetCurrentCommandId(true),
                memory: PgMemoryContexts::new("pg_topdown: tuples"),
            })
        }
    }

    /// Inserts some rows, which are formed by the table's layout.
    pub fn rows(&mut self, formed: &mut Tuples) {
        let Insert { relation, state, slots, tuples, command, memory, .. } = self;
        tuples.clear();
        tuples.extend(formed.formed());
        // SAFETY: each tuple lies in `formed`, begins at a multiple of eight bytes, and is complete but for what
        // the insert fills in. A slot has it as its own, so that it is not copied, and lets go of it here.
        unsafe {
            for (&slot, tuple) in slots.iter().zip(tuples.iter_mut()) {
                (*slot.cast::<pg_sys::HeapTupleTableSlot>()).tuple = tuple;
                (*slot).tts_flags &= !(pg_sys::TTS_FLAG_EMPTY as u16);
                (*slot).tts_flags |= pg_sys::TTS_FLAG_SHOULDFREE as u16;
                (*slot).tts_nvalid = 0;
            }
            let (first, count) = (slots.as_mut_ptr(), tuples.len() as i32);
            memory.switch_to(|_| {
                pg_sys::heap_multi_insert(*relation, first, count, *command, OPTIONS, *state);
            });
            memory.reset();
            for &slot in &slots[..tuples.len()] {
                (*slot.cast::<pg_sys::HeapTupleTableSlot>()).tuple = std::ptr::null_mut();
                (*slot).tts_flags &= !(pg_sys::TTS_FLAG_SHOULDFREE as u16);
                (*slot).tts_flags |= pg_sys::TTS_FLAG_EMPTY as u16;
            }
        }
    }

    /// Closes the table; what was inserted is seen.
    pub fn finish(self) {
        // SAFETY: closes what new() opened, once; the lock is kept to the transaction's end.
        unsafe {
            for slot in self.slots {
                pg_sys::ExecDropSingleTupleTableSlot(slot);
            }
            pg_sys::FreeBulkInsertState(self.state);
            pg_sys::table_close(self.relation, pg_sys::NoLock as i32);
            pg_sys::CommandCounterIncrement();
        }
    }
}
