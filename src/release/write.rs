//! Writing a version: the rows as they were read, generalized, in random order and frozen.
//!
//! Random order, because two releases of the same rows in the same order could be joined row by
//! row. Frozen, because the table is new in this transaction (what COPY FREEZE does): nothing is written
//! again when it is first read, and no row tells when it came.
//! Rows go in by the table's multi-insert, a page at a time, as COPY's do. Of a row that lies anywhere in memory all
//! keys are fetched at once: they are put side by side first ([`Records`]).

use super::columns::{Fill, Output};
use super::content::Content;
use super::home::Home;
use crate::postgres::activity;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::operation::Operation;
use crate::postgres::progress::Watch;
use crate::postgres::sql;
use crate::read::order::stretches;
use pgrx::pg_sys;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::SeedableRng;
use topdown::progress::Reservation;
use topdown::table::Codes;
use topdown::Progress;

/// Rows that are formed before they are inserted together.
const BATCH: usize = 1000;

/// Fills the new version's table.
pub fn rows(home: &Home, columns: &[Output], content: &Content, watch: &Watch) -> Result<()> {
    let fills = &content.fills;
    let _held = Reservation::new(watch, content.rows * (size_of::<u32>() + Records::width(fills)))?;
    let records = Records::new(fills, content.rows);
    let mut order: Vec<u32> = (0..content.rows as u32).collect();
    order.shuffle(&mut StdRng::from_os_rng());
    let gone = || SqlError::internal("the version table is gone");
    let table = sql::relation(&home.version_table())?.ok_or_else(gone)?;
    let types: Vec<pg_sys::Oid> = columns.iter().map(|column| column.type_oid).collect();
    let mut insert = Insert::new(table, &types)?;
    let mut written = 0;
    for batch in order.chunks(BATCH) {
        watch.poll()?;
        insert.batch(batch, &records, fills);
        written += batch.len();
        activity::rows(written);
    }
    insert.finish();
    Ok(())
}

/// Statistics for the planner, from a sample that takes no longer to look at than a small table does to
/// write; autovacuum refines them. Those of a range type may need a function of the type's owner's, which
/// nobody else runs, now or when autovacuum comes by. Of the table of all versions it has to know that a version
/// has one number, with which every column of the view is compared; what else it held would stay when its version goes.
pub fn statistics(home: &Home, columns: &[Output]) -> Result<()> {
    let (versions, table) = (home.versions(), home.version_table());
    let mut analyzed = Vec::new();
    for column in columns {
        let name = sql::quote(&column.name);
        if Type::new(column.type_oid, pg_sys::InvalidOid).has_own_statistics()? {
            sql::run(&format!("ALTER TABLE ONLY {table} ALTER COLUMN {name} SET STATISTICS 0"), &[])?;
        } else {
            analyzed.push(name);
        }
    }
    let _sampling = Operation::sampling(STATISTICS);
    if home.existing.is_none() {
        sql::run(&format!("ANALYZE {versions} ({})", sql::quote(&columns[0].name)), &[])?;
    }
    sql::run(&format!("ANALYZE {table} ({})", analyzed.join(", ")), &[])?;
    Ok(())
}

/// The statistics target of a version that has just been written: a quarter of PostgreSQL's own.
const STATISTICS: i32 = 25;

/// The keys of all rows, those of a row side by side, each in as many bytes as its column needs.
struct Records {
    bytes: Vec<u8>,
    width: usize,
    /// Of each column, where its key begins and how many bytes it takes.
    places: Vec<(usize, usize)>,
}

impl Records {
    /// How many bytes a row takes.
    fn width(fills: &[Fill]) -> usize {
        fills.iter().filter_map(|fill| fill.keys).map(Codes::width).sum()
    }

    fn new(fills: &[Fill], rows: usize) -> Records {
        let width = Records::width(fills);
        let places = fills.iter().scan(0, |end, fill| {
            let bytes = fill.keys.map_or(0, Codes::width);
            *end += bytes;
            Some((*end - bytes, bytes))
        });
        let places: Vec<(usize, usize)> = places.collect();
        let mut bytes = vec![0; rows * width];
        for rows in stretches(rows) {
            // Few rows at a time, so that what is written to is at hand for the next column.
            for first in rows.clone().step_by(BLOCK) {
                let block = first..rows.end.min(first + BLOCK);
                let records = &mut bytes[block.start * width..block.end * width];
                for (keys, (at, _)) in
                    fills.iter().zip(&places).filter_map(|(f, place)| Some((f.keys?, place)))
                {
                    keys.put(block.clone(), records, width, *at);
                }
            }
        }
        Records { bytes, width, places }
    }

    /// Copies the records of some rows.
    fn fetch(&self, rows: &[u32], records: &mut Vec<u8>) {
        records.clear();
        for &row in rows {
            records.extend_from_slice(&self.bytes[row as usize * self.width..][..self.width]);
        }
    }

    /// The key in a record at a place. NULL's is beyond the end of the values.
    #[inline(always)]
    fn key(record: &[u8], (at, bytes): (usize, usize)) -> usize {
        match bytes {
            0 => 0,
            1 => usize::from(record[at]),
            2 => usize::from(u16::from_le_bytes([record[at], record[at + 1]])),
            _ => u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]) as usize,
        }
    }
}

/// Rows whose keys are put side by side together.
const BLOCK: usize = 1 << 8;

/// A bulk insert into a table that is new in this transaction.
struct Insert {
    relation: pg_sys::Relation,
    state: pg_sys::BulkInsertState,
    slots: Vec<*mut pg_sys::TupleTableSlot>,
    command: pg_sys::CommandId,
    /// The records of the rows that are being inserted.
    records: Vec<u8>,
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
    /// Opens a table that was made in this transaction for columns of some types.
    fn new(table: pg_sys::Oid, types: &[pg_sys::Oid]) -> Result<Insert> {
        // SAFETY: the table exists and is ours, so that the lock is had at once; the state and the
        // slots live until finish(), or until the transaction's end after an error.
        unsafe {
            let relation = pg_sys::table_open(table, pg_sys::RowExclusiveLock as i32);
            if !is_plain(relation, types) {
                return Err(SqlError::state("the version table is not as it was made")
                    .detail("Somebody, or an event trigger, has altered it."));
            }
            Ok(Insert {
                relation,
                state: pg_sys::GetBulkInsertState(),
                slots: (0..BATCH)
                    .map(|_| pg_sys::table_slot_create(relation, std::ptr::null_mut()))
                    .collect(),
                command: pg_sys::GetCurrentCommandId(true),
                records: Vec::new(),
            })
        }
    }

    /// Inserts some rows.
    fn batch(&mut self, rows: &[u32], records: &Records, fills: &[Fill]) {
        records.fetch(rows, &mut self.records);
        // SAFETY: each slot has as many values as the table has columns, one fill a column, and the
        // values are Datums of the columns' types (is_plain() has seen to it) that outlive the
        // insert; there are no more rows than slots.
        unsafe {
            for (number, &slot) in self.slots[..rows.len()].iter().enumerate() {
                if let Some(clear) = (*(*slot).tts_ops).clear {
                    clear(slot);
                }
                let record = &self.records[number * records.width..][..records.width];
                let (values, nulls) = ((*slot).tts_values, (*slot).tts_isnull);
                for (column, (fill, &place)) in fills.iter().zip(&records.places).enumerate() {
                    let datum = fill.values.get(Records::key(record, place)).copied().flatten();
                    *nulls.add(column) = datum.is_none();
                    *values.add(column) = datum.unwrap_or(pg_sys::Datum::null());
                }
            }
            // What ExecStoreVirtualTuple does, without the guard around a call for every row.
            for &slot in &self.slots[..rows.len()] {
                (*slot).tts_flags &= !(pg_sys::TTS_FLAG_EMPTY as u16);
                (*slot).tts_nvalid = fills.len() as pg_sys::AttrNumber;
            }
            pg_sys::heap_multi_insert(
                self.relation,
                self.slots.as_mut_ptr(),
                rows.len() as i32,
                self.command,
                OPTIONS,
                self.state,
            );
        }
    }

    fn finish(self) {
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
