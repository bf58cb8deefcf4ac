//! Reading the source: one planned SELECT of just the columns that are needed, received by a
//! DestReceiver that copies the values of some rows; these become dictionary codes in another thread, if there may be one, while
//! the next rows come. Or one of the distinct combinations of these columns,
//! each with its number of rows ([`super::counted`]): a record then stands for so many.
//!
//! No table of tuples is built: a value met before costs a hash and a
//! comparison. The caller's privileges hold, as for any SELECT, and one statement is one
//! snapshot, so a row that others insert meanwhile is in the whole release or in none of it.

use super::identity::Stored;
use super::plan;
use super::source::Source;
use super::spool::Spool;
use super::table::{Column, Table, Values, NULL};
use crate::postgres::chunk::Chunk;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::hint::Hint;
use crate::postgres::operation::Operation;
use crate::postgres::progress::poll;
use crate::postgres::rows;
use crate::postgres::sql::Snapshot;
use crate::postgres::subtransaction::attempt_with_files;
use crate::postgres::{activity, citus, heap};
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use std::ffi::c_int;
use topdown::progress::{check_memory, reserve};
use topdown::threads::{offload, Offload};
use topdown::Code;

#[repr(C)]
struct Receiver<'r> {
    base: pg_sys::DestReceiver,
    /// The columns' types, domains as such.
    types: Vec<pg_sys::Oid>,
    /// How long their values are; none: these are by value.
    lengths: Vec<Option<i16>>,
    /// Whether a last column says for how many rows each stands.
    counts: bool,
    /// The rows that came last, and where those before become codes.
    chunk: Chunk,
    coding: Offload<'r, Chunk>,
    came: Came,
    fault: Option<SqlError>,
}

/// What has come, as codes.
struct Came {
    spool: Spool,
    /// Whether each column has a NULL.
    nulls: Vec<bool>,
    records: usize,
    rows: usize,
}

impl Came {
    /// Takes the codes of a chunk.
    fn take(&mut self, chunk: &mut Chunk) -> Result<()> {
        chunk.fault.take().map_or(Ok(()), Err)?;
        let bytes = self.spool.room(chunk.rows);
        check_memory::<u8>(bytes)?;
        self.spool.grow(chunk.rows);
        let Came { spool, nulls, .. } = self;
        for (part, null) in chunk.columns.iter().zip(nulls) {
            *null |= part.has_null;
        }
        let most = chunk.counts.iter().copied().max().unwrap_or(0);
        let columns =
            chunk.columns.iter().map(|part| (&part.codes, part.most)).chain([(&chunk.counts, most)]);
        for (codes, (new, most)) in spool.columns.iter_mut().zip(columns) {
            // A count may be the first of its column, and as great as any.
            while !codes.can_hold(most) {
                // Both are there while it is widened.
                check_memory::<u8>(2 * codes.width() * codes.capacity())?;
                codes.widen();
            }
            codes.extend(new);
        }
        chunk.clear();
        Ok(())
    }
}

impl<'r> Receiver<'r> {
    /// Makes the rows before codes, and room for the next ones.
    fn hand_over(&mut self) -> Result<()> {
        let full = std::mem::replace(&mut self.chunk, Chunk::new(0));
        self.chunk = self.coding.submit(full)?;
        self.came.take(&mut self.chunk)?;
        within_limit(self.came.records)
    }

    /// What came, when all has.
    fn finish(mut self) -> Result<Came> {
        if self.chunk.rows > 0 {
            self.hand_over()?;
        }
        let Receiver { coding, mut came, .. } = self;
        coding.finish_all(|mut chunk| came.take(&mut chunk))?;
        within_limit(came.records)?;
        Ok(came)
    }

    /// Takes a slot's values.
    ///
    /// # Safety
    /// They are Datums of the columns' types, alive during the call, and so are the counts behind them, if there are.
    #[inline(always)]
    unsafe fn take(&mut self, values: *const Datum, nulls: *const bool) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { self.chunk.take(&self.lengths, values, nulls) }?;
        let mut rows = 1;
        if self.counts {
            // SAFETY: a bigint behind them; a count is never NULL, nor below zero.
            rows = unsafe { (*values.add(self.lengths.len())).value() };
            within_limit(rows)?;
            self.chunk.counts.push(rows as Code);
        }
        self.came.records += 1;
        self.came.rows += rows;
        if self.came.records.is_multiple_of(TELL) {
            activity::rows(self.came.rows);
            poll();
        }
        if self.chunk.is_full() {
            self.hand_over()?;
        }
        Ok(())
    }
}

/// So many rows, or records, can be counted.
fn within_limit(rows: usize) -> Result<()> {
    if rows >= NULL as usize {
        return Err(topdown::Error::TooManyRows { rows, limit: NULL as usize - 1 }.into());
    }
    Ok(())
}

/// Some columns of what `read` has a receiver receive.
fn received(
    source: &Source,
    places: &[usize],
    counts: bool,
    read: impl FnOnce(&mut Receiver) -> Result<()>,
) -> Result<Table> {
    let wanted: Vec<_> = places.iter().map(|&place| &source.columns[place]).collect();
    let types: Vec<Type> = wanted.iter().map(|column| Type::new(column.type_oid, column.collation)).collect();
    let mut values: Vec<Values> = types.iter().map(|ty| Values::none(ty.by_value)).collect();
    check_memory::<u8>(CHUNKS * Chunk::bytes(wanted.len()))?;
    let spare = (1..CHUNKS).map(|_| Chunk::new(wanted.len())).collect();
    let came = offload(
        spare,
        |chunk: &mut Chunk| {
            let mut parts = chunk.columns.iter_mut().zip(&mut values);
            chunk.fault = parts.try_for_each(|(part, values)| values.code(part)).err();
        },
        |coding| {
            let mut receiver = Receiver {
                base: rows::destination(receive, startup),
                types: wanted.iter().map(|c| c.type_oid).chain(counts.then_some(pg_sys::INT8OID)).collect(),
                lengths: types.iter().map(|ty| (!ty.by_value).then_some(ty.length)).collect(),
                counts,
                chunk: Chunk::new(wanted.len()),
                coding,
                came: Came {
                    spool: Spool::new(wanted.len() + usize::from(counts)),
                    nulls: vec![false; wanted.len()],
                    records: 0,
                    rows: 0,
                },
                fault: None,
            };
            read(&mut receiver)?;
            match receiver.fault.take() {
                Some(fault) => Err(fault),
                None => receiver.finish(),
            }
        },
    )?;
    let Came { spool, nulls, records, rows } = came;
    let mut stores = spool.finish();
    let weights = if counts { stores.pop() } else { None };
    let weights = weights.map(|weights| Ok::<_, SqlError>(weights.load()?.into_owned())).transpose()?;
    let columns = types.into_iter().zip(stores).zip(nulls).zip(values);
    let columns = columns.map(|(((ty, codes), nulls), values)| Column::new(ty, codes, nulls, values));
    Ok(Table {
        rows,
        records,
        weights,
        columns: places.iter().copied().zip(columns).collect(),
        before: Vec::new(),
        identities: None,
        populations: Vec::new(),
    })
}

/// How many chunks there are: one that is filled, one that is coded, and one between.
const CHUNKS: usize = 3;

/// How many come between two looks at the clock: a view may take its time for a row.
const TELL: usize = 1 << 8;

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    receiver: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: the executor hands back the receiver that read() gave it, a Receiver with the
    // DestReceiver as its first field, and a slot of the columns that were asked for, whose values
    // live until the next row.
    unsafe {
        let receiver = &mut *receiver.cast::<Receiver>();
        pg_sys::slot_getallattrs(slot);
        receiver.fault = receiver.take((*slot).tts_values, (*slot).tts_isnull).err();
        receiver.fault.is_none()
    }
}

/// The columns that come must be of the types that were looked up: another transaction may have
/// changed them while this one waited for its lock, and a Datum of another type is anything.
#[pg_guard]
unsafe extern "C-unwind" fn startup(
    receiver: *mut pg_sys::DestReceiver,
    _operation: c_int,
    columns: pg_sys::TupleDesc,
) {
    // SAFETY: the receiver that read() gave the executor, and the description of its result.
    unsafe {
        let receiver = &mut *receiver.cast::<Receiver>();
        let same = (1..).zip(&receiver.types).all(|(i, &ty)| pg_sys::SPI_gettypeid(columns, i) == ty);
        if (*columns).natts as usize != receiver.types.len() || !same {
            SqlError::serialization("the source was altered while it was waited for")
                .hint("Call again.")
                .raise();
        }
    }
}

/// Reads some columns of what a release shows, under the snapshot in force: of the version that everything else is read of.
pub fn read_as_seen(source: &Source, places: &[usize]) -> Result<Table> {
    let statement = Statement { as_seen: true, ..Statement::of_rows(source, places) };
    receive_all(source, places, &statement)
}

/// Reads some columns of the source, under one snapshot.
pub fn read(source: &Source, places: &[usize]) -> Result<Table> {
    let _told = Hint::of_not_found();
    citus::read(source.oid, || receive_all(source, places, &Statement::of_rows(source, places)))
}

/// Rows of some columns of a version that are at hand: `value` gives each row's, by the place of the column among these (none: NULL).
///
/// # Safety
/// They are values of the columns' types, and live until this returns.
pub unsafe fn of_rows(
    source: &Source,
    places: &[usize],
    rows: usize,
    value: impl Fn(usize, usize) -> Option<Datum>,
) -> Result<Table> {
    let (mut values, mut nulls) = (vec![Datum::null(); places.len()], vec![true; places.len()]);
    received(source, places, false, |receiver| {
        for row in 0..rows {
            for (column, (held, null)) in values.iter_mut().zip(&mut nulls).enumerate() {
                let value = value(row, column);
                (*held, *null) = (value.unwrap_or(Datum::null()), value.is_none());
            }
            // SAFETY: as the caller promises.
            unsafe { receiver.take(values.as_ptr(), nulls.as_ptr()) }?;
        }
        Ok(())
    })
}

/// Reads some columns of the rows of a version that lie at some places, as they are stored.
pub fn read_at(source: &Source, places: &[usize], rows: &[u64]) -> Result<Table> {
    let columns: Vec<_> = places.iter().map(|&place| stored(source, place)).collect();
    let _now = Snapshot::fresh();
    received(source, places, false, |receiver| {
        heap::rows(source.oid, &columns, rows, |values, nulls| {
            // SAFETY: values of the columns' types, which live until the next row.
            unsafe { receiver.take(values.as_ptr(), nulls.as_ptr()) }
        })
    })
}

/// What each row of a version is, by a column of whole numbers as it is stored, and where it lies. None where a row does not tell.
pub fn read_stored(source: &Source, place: usize) -> Result<Option<Vec<Stored>>> {
    let (mut rows, mut nulls) = (Vec::new(), false);
    let _now = Snapshot::fresh();
    heap::numbers(source.oid, stored(source, place), |number, lies| {
        reserve(&mut rows, 1)?;
        rows.extend(number.map(|number| (number, lies)));
        nulls |= number.is_none();
        Ok(())
    })?;
    Ok((!nulls).then_some(rows))
}

/// A column as its table has it.
fn stored(source: &Source, place: usize) -> heap::Column<'_> {
    let column = &source.columns[place];
    (&column.name, column.type_oid)
}

/// What is sent to read some columns.
#[derive(Debug)]
pub struct Statement {
    pub text: String,
    /// What it reads beside the source.
    pub leaves: Vec<plan::Leaf>,
    /// Whether a last column says for how many rows each record stands.
    pub counts: bool,
    /// Whether it is read under the snapshot in force.
    pub as_seen: bool,
}

impl Statement {
    /// Row by row.
    pub fn of_rows(source: &Source, places: &[usize]) -> Statement {
        let text = format!("SELECT {} FROM {}", source.list(places), source.qualified());
        Statement { text, leaves: Vec::new(), counts: false, as_seen: false }
    }
}

/// Reads some columns of the source by a statement, with the settings that nodes have by now.
pub fn receive_all(source: &Source, places: &[usize], statement: &Statement) -> Result<Table> {
    received(source, places, statement.counts, |receiver| {
        let receiver: *mut Receiver = receiver;
        let receive = || {
            Spi::connect(|_| {
                let plan = plan::on_relations(source, &statement.leaves, &statement.text, &[])?;
                let _contained = Operation::contained();
                // SAFETY: within an SPI connection; the plan and the receiver outlive the execution, and an
                // error unwinds past both.
                unsafe {
                    let options = pg_sys::SPIExecuteOptions {
                        must_return_tuples: true,
                        read_only: statement.as_seen,
                        dest: receiver.cast(),
                        ..Default::default()
                    };
                    let status = pg_sys::SPI_execute_plan_extended(plan, &options);
                    Spi::check_status(status)?;
                }
                Ok::<(), SqlError>(())
            })
        };
        // A server may refuse to count, and rows are read then. Files of what has come by that time are closed here, not as the error passes.
        match statement.leaves.is_empty() {
            true => receive(),
            false => attempt_with_files(receive),
        }
    })
}
