//! A bulk insert into a table that is new in this transaction: as COPY FREEZE does, by the table's multi-insert, many rows at a
//! time, each in a slot of whose values PostgreSQL forms the tuple.

use super::error::{Result, SqlError};
use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};

/// A bulk insert into a table that is new in this transaction.
pub struct Insert {
    relation: pg_sys::Relation,
    state: pg_sys::BulkInsertState,
    columns: usize,
    /// The rows of a batch.
    slots: Vec<*mut pg_sys::TupleTableSlot>,
    command: pg_sys::CommandId,
    /// What one batch needs: tuples, and wide values are compressed, or stored elsewhere, on the way.
    memory: PgMemoryContexts,
}

/// How many rows go in together: few, so that they are at hand in the processor's cache, and no more bytes than these, but for
/// those of one row.
const BATCH: usize = 128;
const BATCH_BYTES: usize = 1 << 20;

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
    /// Opens a table that was made in this transaction for columns of some types. No row takes more bytes than `widest`.
    pub fn new(table: pg_sys::Oid, types: &[pg_sys::Oid], widest: usize) -> Result<Insert> {
        let rows = (BATCH_BYTES / widest.max(1)).clamp(1, BATCH);
        // SAFETY: the table exists and is ours, so that the lock is had at once; the state, the memory and the
        // slots live until finish(), or until the transaction's end after an error.
        unsafe {
            let relation = pg_sys::table_open(table, pg_sys::RowExclusiveLock as i32);
            if !is_plain(relation, types) {
                return Err(SqlError::state("the version table is not as it was made")
                    .detail("Somebody, or an event trigger, has altered it."));
            }
            let memory = PgMemoryContexts::new("pg_topdown: tuples");
            let slot = || {
                let kind = &raw const pg_sys::TTSOpsHeapTuple;
                let slot = pg_sys::MakeSingleTupleTableSlot((*relation).rd_att, kind);
                (*slot).tts_mcxt = memory.value();
                std::slice::from_raw_parts_mut((*slot).tts_isnull, types.len()).fill(true);
                slot
            };
            Ok(Insert {
                relation,
                state: pg_sys::GetBulkInsertState(),
                columns: types.len(),
                slots: std::iter::repeat_with(slot).take(rows).collect(),
                command: pg_sys::GetCurrentCommandId(true),
                memory,
            })
        }
    }

    /// How many rows a batch has at most.
    pub fn batch(&self) -> usize {
        self.slots.len()
    }

    /// Sets a column of the first rows of a batch, one after the other; none: NULL. So it stays in later batches, until it is
    /// set again.
    ///
    /// # Safety
    /// The values are of the column's type, and live until the last batch is in that has them.
    pub unsafe fn set(&mut self, column: usize, values: impl Iterator<Item = Option<Datum>>) {
        assert!(column < self.columns, "a column of the table");
        for (&slot, value) in self.slots.iter().zip(values) {
            // SAFETY: a slot of ours has room for a value of each column.
            unsafe {
                *(*slot).tts_values.add(column) = value.unwrap_or(Datum::null());
                *(*slot).tts_isnull.add(column) = value.is_none();
            }
        }
    }

    /// Inserts the first rows of a batch.
    pub fn rows(&mut self, count: usize) {
        let Insert { relation, state, slots, columns, command, memory } = self;
        let slots = &mut slots[..count];
        // SAFETY: each slot has a value of each column, and no tuple: one is formed in `memory`, which is the slots' and is
        // emptied when the rows are in.
        unsafe {
            for &slot in &*slots {
                (*slot).tts_flags &= !(pg_sys::TTS_FLAG_EMPTY as u16);
                (*slot).tts_nvalid = *columns as i16;
            }
            let (first, count) = (slots.as_mut_ptr(), count as i32);
            memory.switch_to(|_| {
                pg_sys::heap_multi_insert(*relation, first, count, *command, OPTIONS, *state);
            });
            memory.reset();
            for &slot in &*slots {
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
