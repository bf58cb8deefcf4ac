//! Reading the source: one planned SELECT of just the columns that are needed, received by a
//! DestReceiver that turns each slot into dictionary codes as it comes. Or one of the distinct combinations of these columns,
//! each with its number of rows ([`super::counted`]): a record then stands for so many.
//!
//! No tuple is copied and no table of tuples is built: a value met before costs a hash and a
//! comparison. The caller's privileges hold, as for any SELECT, and one statement is one
//! snapshot, so a row that others insert meanwhile is in the whole release or in none of it.

use super::plan;
use super::source::Source;
use super::spool::Spool;
use super::table::{Column, Table, Values, NULL};
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::hint::Hint;
use crate::postgres::operation::Operation;
use crate::postgres::progress::{poll, polled};
use crate::postgres::subtransaction::attempt_with_files;
use crate::postgres::{activity, citus};
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use std::ffi::{c_int, CStr};
use topdown::progress::room;
use topdown::table::Dictionary;
use topdown::Code;

impl Column {
    /// The code of a row's value.
    ///
    /// # Safety
    /// `value` is a Datum of the column's type, alive during the call.
    #[inline(always)]
    unsafe fn code(&mut self, value: Datum, null: bool) -> std::result::Result<Code, topdown::Error> {
        if null {
            self.nulls = true;
            return Ok(NULL);
        }
        match &mut self.values {
            Values::ByValue { index, values } => {
                let value = value.value() as u64;
                if let Some(&code) = index.get(&value) {
                    return Ok(code);
                }
                let code = values.len() as Code;
                index.insert(value, code);
                values.push(value);
                Ok(code)
            }
            Values::ByReference(dictionary) => {
                if self.ty.length == -1 {
                    // SAFETY: a varlena, as the caller promises.
                    unsafe { push_varlena(dictionary, value) }
                } else {
                    // SAFETY: a fixed-length type by reference is `length` bytes at the pointer, one
                    // of length -2 a terminated string.
                    let bytes = unsafe {
                        match usize::try_from(self.ty.length) {
                            Ok(length) => std::slice::from_raw_parts(value.cast_mut_ptr::<u8>(), length),
                            Err(_) => CStr::from_ptr(value.cast_mut_ptr()).to_bytes_with_nul(),
                        }
                    };
                    dictionary.intern(bytes)
                }
            }
        }
    }
}

impl Column {
    /// A code of its own for a row's value, which is by value.
    fn next_code(&mut self, value: Datum, null: bool) -> std::result::Result<Code, topdown::Error> {
        let Values::ByValue { values, .. } = &mut self.values else { return Ok(NULL) };
        self.nulls |= null;
        values.push(value.value() as u64);
        Ok(values.len() as Code - 1)
    }
}

/// Interns a varlena's payload, detoasting only what needs it.
///
/// # Safety
/// `value` points to a varlena.
#[inline(always)]
unsafe fn push_varlena(
    dictionary: &mut Dictionary,
    value: Datum,
) -> std::result::Result<Code, topdown::Error> {
    let start = value.cast_mut_ptr::<u8>();
    // SAFETY: the first byte tells how long the header is; a short one (odd, but not 1, which
    // marks a toast pointer) is followed by at most 126 bytes of payload. Everything else goes
    // through PostgreSQL's detoasting, whose copy is freed when it is one.
    unsafe {
        let first = *start;
        if first & 1 == 1 && first != 1 {
            let payload = std::slice::from_raw_parts(start.add(1), usize::from(first >> 1) - 1);
            return dictionary.intern(payload);
        }
        let varlena = start.cast::<pg_sys::varlena>();
        let plain = pg_sys::pg_detoast_datum_packed(varlena);
        let payload = std::slice::from_raw_parts(
            pgrx::varlena::vardata_any(plain).cast::<u8>(),
            pgrx::varlena::varsize_any_exhdr(plain),
        );
        let code = dictionary.intern(payload);
        if plain != varlena {
            pg_sys::pfree(plain.cast());
        }
        code
    }
}

#[repr(C)]
struct Receiver {
    base: pg_sys::DestReceiver,
    columns: Vec<Column>,
    spool: Spool,
    /// The columns' types, domains as such.
    types: Vec<pg_sys::Oid>,
    /// Whether a last column says for how many rows each stands.
    counts: bool,
    /// Whether equal values get one code.
    looks_up: bool,
    records: usize,
    rows: usize,
    fault: Option<SqlError>,
}

impl Receiver {
    /// Makes room for the next rows: writes the codes of those that came to a file, where they take too much.
    fn make_room(&mut self) -> Result<()> {
        let bytes = self.spool.room(ROOM);
        room::<u8>(bytes)?;
        self.spool.grow(ROOM);
        self.within_limit(self.records)
    }

    /// So many rows, or records, can be counted.
    fn within_limit(&self, rows: usize) -> Result<()> {
        if rows >= NULL as usize {
            return Err(topdown::Error::TooManyRows { rows, limit: NULL as usize - 1 }.into());
        }
        Ok(())
    }

    /// Takes a code for one more record.
    #[inline(always)]
    fn push(&mut self, column: usize, code: Code) -> Result<()> {
        let codes = &mut self.spool.columns[column];
        // A count may be the first of its column, and as great as any.
        while !codes.takes(code) {
            // Both are there while it is widened.
            room::<u8>(2 * codes.width() * codes.capacity())?;
            codes.widen();
        }
        codes.push(code);
        Ok(())
    }

    /// Takes a slot's values.
    ///
    /// # Safety
    /// They are Datums of the columns' types, alive during the call, and so are the counts behind them, if there are.
    #[inline(always)]
    unsafe fn take(&mut self, values: *const Datum, nulls: *const bool) -> Result<()> {
        let columns = self.columns.len();
        for column in 0..columns {
            // SAFETY: as many values as columns, as the caller promises.
            let (value, null) = unsafe { (*values.add(column), *nulls.add(column)) };
            // SAFETY: one of the column's type, as the caller promises.
            let code = unsafe {
                match self.looks_up {
                    true => self.columns[column].code(value, null),
                    false => self.columns[column].next_code(value, null),
                }
            }?;
            self.push(column, code)?;
        }
        let mut rows = 1;
        if self.counts {
            // SAFETY: a bigint behind them; a count is never NULL, nor below zero.
            rows = unsafe { (*values.add(columns)).value() };
            self.within_limit(rows)?;
            self.push(columns, rows as Code)?;
        }
        self.records += 1;
        self.rows += rows;
        if self.records.is_multiple_of(TELL) {
            activity::rows(self.rows);
            poll();
        }
        if self.records.is_multiple_of(ROOM) {
            self.make_room()?;
        }
        Ok(())
    }
}

/// For how many rows room is made at a time.
const ROOM: usize = 1 << 14;

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

#[pg_guard]
unsafe extern "C-unwind" fn nothing(_me: *mut pg_sys::DestReceiver) {}

/// Reads some columns of the source, under one snapshot.
pub fn read(source: &Source, places: &[usize]) -> Result<Table> {
    let _told = Hint::of_not_found();
    citus::read(source.oid, || receive_all(source, places, &Statement::of_rows(source, places)))
}

/// Reads some columns of the rows whose column of whole numbers has one of some values.
pub fn read_some(source: &Source, places: &[usize], of: usize, values: &[i64]) -> Result<Table> {
    let rows = Statement::of_rows(source, places);
    room::<[u8; 20]>(values.len())?;
    let values: Vec<String> = polled(values).map(i64::to_string).collect();
    let text = format!(
        "{} WHERE {} = ANY ('{{{}}}'::pg_catalog.int8[])",
        rows.text,
        source.list(&[of]),
        values.join(",")
    );
    receive_all(source, places, &Statement { text, ..rows })
}

/// A column of whole numbers that are mostly different: none is looked for among the others. None where it is NULL somewhere.
pub fn read_numbers(source: &Source, place: usize) -> Result<Option<Vec<i64>>> {
    let statement = Statement { looks_up: false, ..Statement::of_rows(source, &[place]) };
    let table = receive_all(source, &[place], &statement)?;
    let column = table.column(place)?;
    room::<(Datum, i64)>(table.records)?;
    let numbers = || column.datums().into_iter().map(|value| value.value() as i64).collect();
    Ok((!column.nulls).then(numbers))
}

/// What is sent to read some columns.
#[derive(Debug)]
pub struct Statement {
    pub text: String,
    /// What it reads beside the source.
    pub leaves: Vec<plan::Leaf>,
    /// Whether a last column says for how many rows each record stands.
    pub counts: bool,
    /// Whether equal values get one code.
    pub looks_up: bool,
}

impl Statement {
    /// Row by row.
    pub fn of_rows(source: &Source, places: &[usize]) -> Statement {
        let text = format!("SELECT {} FROM {}", source.list(places), source.qualified());
        Statement { text, leaves: Vec::new(), counts: false, looks_up: true }
    }
}

/// Reads some columns of the source by a statement, with the settings that nodes have by now.
pub fn receive_all(source: &Source, places: &[usize], statement: &Statement) -> Result<Table> {
    let wanted: Vec<_> = places.iter().map(|&c| &source.columns[c]).collect();
    let &Statement { counts, looks_up, .. } = statement;
    let mut receiver = Receiver {
        base: pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(startup),
            rShutdown: Some(nothing),
            rDestroy: Some(nothing),
            mydest: pg_sys::CommandDest::DestNone,
        },
        columns: wanted.iter().map(|c| Column::new(Type::new(c.type_oid, c.collation))).collect(),
        spool: Spool::new(wanted.len() + usize::from(counts)),
        types: wanted.iter().map(|c| c.type_oid).chain(counts.then_some(pg_sys::INT8OID)).collect(),
        counts,
        looks_up,
        records: 0,
        rows: 0,
        fault: None,
    };
    receiver.make_room()?;
    let read = |receiver: *mut Receiver| {
        let plan = plan::on_relations(source, &statement.leaves, &statement.text, &[])?;
        let _contained = Operation::contained();
        // SAFETY: within an SPI connection; the plan and the receiver outlive the execution, and an
        // error unwinds past both.
        unsafe {
            let options = pg_sys::SPIExecuteOptions {
                must_return_tuples: true,
                dest: receiver.cast(),
                ..Default::default()
            };
            let status = pg_sys::SPI_execute_plan_extended(plan, &options);
            Spi::check_status(status)?;
        }
        Ok::<(), SqlError>(())
    };
    let mut receive = || Spi::connect(|_| read(&raw mut receiver));
    // A server may refuse to count, and rows are read then. Files of what has come by that time are closed here, not as the error passes.
    if statement.leaves.is_empty() {
        receive()?;
    } else {
        attempt_with_files(receive)?;
    }
    if let Some(fault) = receiver.fault.take() {
        return Err(fault);
    }
    receiver.within_limit(receiver.records)?;
    let Receiver { records, rows, mut columns, spool, .. } = receiver;
    let mut stores = spool.finish();
    let weights = if counts { stores.pop() } else { None };
    for (column, codes) in columns.iter_mut().zip(stores) {
        column.codes = codes;
    }
    let weights = weights.map(|weights| Ok::<_, SqlError>(weights.load()?.into_owned())).transpose()?;
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
