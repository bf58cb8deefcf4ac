//! Reading the source: one planned SELECT of just the columns that are needed, received by a
//! DestReceiver that turns each slot into dictionary codes as it comes.
//!
//! No tuple is copied and no table of tuples is built: a value met before costs a hash and a
//! comparison. The caller's privileges hold, as for any SELECT, and one statement is one
//! snapshot, so a row that others insert meanwhile is in the whole release or in none of it.

use super::plan;
use super::source::Source;
use super::spool::Spool;
use crate::postgres::activity;
use crate::postgres::datum::Type;
use crate::postgres::error::{Result, SqlError};
use crate::postgres::hint::Unqualified;
use crate::postgres::operation::Operation;
use crate::postgres::progress::polled;
use crate::postgres::sql::quoted_list;
use hashbrown::HashMap;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use std::borrow::Cow;
use std::ffi::{c_int, CStr};
use topdown::progress::Reservation;
use topdown::table::{Dictionary, Store, NONE};
use topdown::{Code, Progress};

/// The code of NULL, until a column's codes are put in order.
pub const NULL: Code = NONE;

/// The rows that were read.
pub struct Table<'w> {
    /// How many.
    pub rows: usize,
    /// The columns, each with its place in the source.
    columns: Vec<(usize, Column)>,
    /// The memory of all that.
    _held: Reservation<'w>,
}

impl Table<'_> {
    /// A column, by its place in the source.
    pub fn column(&self, place: usize) -> Result<&Column> {
        let read = self.columns.iter().find(|(of, _)| *of == place);
        read.map(|(_, column)| column).ok_or_else(|| SqlError::internal("a column was not read"))
    }

    /// Brings all columns into memory.
    pub fn load(&mut self) -> Result<()> {
        for (_, column) in self.columns.iter_mut().filter(|(_, column)| column.codes.in_memory().is_none()) {
            column.codes = Store::Memory(column.codes.load(&mut self._held)?.into_owned());
        }
        Ok(())
    }

    /// Keeps some rows. Of columns whose codes have other meanings by now (`others`) the values stay as they are.
    pub fn keep(&mut self, stay: &[bool], others: &[usize]) -> Result<()> {
        self.rows = stay.iter().filter(|stay| **stay).count();
        for (place, column) in &mut self.columns {
            self._held.grow(self.rows * column.codes.width())?;
            keep(&mut column.codes, stay)?;
            if !others.contains(place) {
                column.forget();
            }
        }
        Ok(())
    }

    /// A column, to be put in order.
    pub fn column_mut(&mut self, place: usize) -> Result<&mut Column> {
        let read = self.columns.iter_mut().find(|(of, _)| *of == place);
        read.map(|(_, column)| column).ok_or_else(|| SqlError::internal("a column was not read"))
    }
}

/// Keeps the codes of some rows, which are in memory.
pub fn keep(codes: &mut Store, stay: &[bool]) -> Result<()> {
    let Store::Memory(all) = codes else {
        return Err(SqlError::internal("rows are left out of what is in memory"));
    };
    let mut kept = all.like(all.len());
    polled(0..all.len()).filter(|&row| stay[row]).for_each(|row| kept.push(all.get(row)));
    *all = kept;
    Ok(())
}

/// A column that was read.
#[derive(Debug)]
pub struct Column {
    /// Its type.
    pub ty: Type,
    /// Each row's code; [`NULL`] for NULL.
    pub codes: Store,
    /// Whether any row holds NULL.
    pub nulls: bool,
    values: Values,
}

/// Distinct values, by code.
#[derive(Debug)]
enum Values {
    ByValue { index: HashMap<u64, Code>, values: Vec<u64> },
    ByReference(Dictionary),
}

impl Column {
    fn new(ty: Type) -> Column {
        let values = if ty.by_value {
            Values::ByValue { index: HashMap::new(), values: Vec::new() }
        } else {
            Values::ByReference(Dictionary::default())
        };
        Column { ty, codes: Store::default(), nulls: false, values }
    }

    /// How many distinct values there are, NULL not counted.
    pub fn distinct(&self) -> usize {
        match &self.values {
            Values::ByValue { values, .. } => values.len(),
            Values::ByReference(dictionary) => dictionary.len(),
        }
    }

    /// All distinct values, by code, in the current memory context.
    pub fn datums(&self) -> Vec<Datum> {
        match &self.values {
            Values::ByValue { values, .. } => values.iter().map(|&v| Datum::from(v)).collect(),
            Values::ByReference(dictionary) => {
                (0..dictionary.len() as Code).map(|c| self.ty.datum(dictionary.value(c))).collect()
            }
        }
    }

    /// All distinct values, by code, as they lie in memory.
    pub fn bytes(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let value = |code: Code| match &self.values {
            Values::ByValue { values, .. } => Cow::Owned(values[code as usize].to_le_bytes().to_vec()),
            Values::ByReference(dictionary) => Cow::Borrowed(dictionary.value(code)),
        };
        polled(0..self.distinct() as Code).map(value)
    }

    /// How many bytes the values take.
    /// Forgets the values that no row holds any more.
    fn forget(&mut self) {
        const UNSEEN: Code = NULL - 1;
        let mut number = vec![UNSEEN; self.distinct()];
        let mut seen = Vec::new();
        self.nulls = false;
        let Store::Memory(codes) = &mut self.codes else { return };
        for row in polled(0..codes.len()) {
            match codes.get(row) {
                NULL => self.nulls = true,
                code if number[code as usize] == UNSEEN => {
                    number[code as usize] = seen.len() as Code;
                    seen.push(code);
                }
                _ => {}
            }
        }
        let again = |code| if code == NULL { NULL } else { number[code as usize] };
        codes.rewrite(0..codes.len(), again);
        self.values = match &self.values {
            Values::ByValue { values, .. } => {
                let values: Vec<u64> = seen.iter().map(|&code| values[code as usize]).collect();
                Values::ByValue { index: values.iter().copied().zip(0..).collect(), values }
            }
            Values::ByReference(dictionary) => {
                let mut kept = Dictionary::default();
                seen.iter().for_each(|&code| _ = kept.intern(dictionary.value(code)));
                Values::ByReference(kept)
            }
        };
    }

    fn memory(&self) -> usize {
        match &self.values {
            Values::ByValue { index, values } => index.allocation_size() + values.capacity() * 8,
            Values::ByReference(dictionary) => dictionary.memory(),
        }
    }

    /// The code of a row's value, and how many bytes that took, where they are many.
    ///
    /// # Safety
    /// `value` is a Datum of the column's type, alive during the call.
    #[inline(always)]
    unsafe fn code(&mut self, value: Datum, null: bool) -> (Code, usize) {
        if null {
            self.nulls = true;
            return (NULL, 0);
        }
        let mut large = 0;
        let code = match &mut self.values {
            Values::ByValue { index, values } => {
                let value = value.value() as u64;
                *index.entry(value).or_insert_with(|| {
                    values.push(value);
                    values.len() as Code - 1
                })
            }
            Values::ByReference(dictionary) => {
                if self.ty.length == -1 {
                    // SAFETY: a varlena, as the caller promises.
                    unsafe { push_varlena(dictionary, value, &mut large) }
                } else {
                    // SAFETY: a fixed-length type by reference is `length` bytes at the pointer, one
                    // of length -2 a terminated string.
                    let bytes = unsafe {
                        match usize::try_from(self.ty.length) {
                            Ok(length) => std::slice::from_raw_parts(value.cast_mut_ptr::<u8>(), length),
                            Err(_) => CStr::from_ptr(value.cast_mut_ptr()).to_bytes_with_nul(),
                        }
                    };
                    large = bytes.len();
                    dictionary.intern(bytes)
                }
            }
        };
        (code, large)
    }
}

/// Interns a varlena's payload, detoasting only what needs it.
///
/// # Safety
/// `value` points to a varlena.
#[inline(always)]
unsafe fn push_varlena(dictionary: &mut Dictionary, value: Datum, large: &mut usize) -> Code {
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
        *large = payload.len();
        if plain != varlena {
            pg_sys::pfree(plain.cast());
        }
        code
    }
}

#[repr(C)]
struct Receiver<'a> {
    base: pg_sys::DestReceiver,
    columns: Vec<Column>,
    spool: Spool,
    /// The columns' types, domains as such.
    types: Vec<pg_sys::Oid>,
    rows: usize,
    held: Reservation<'a>,
    counted: usize,
    /// Bytes of large values since the memory was last looked at.
    unaccounted: usize,
    fault: Option<SqlError>,
}

impl Receiver<'_> {
    /// Counts what is held, now and then, and makes room for the rows until then.
    fn account(&mut self) -> Result<()> {
        let held: usize = self.columns.iter().map(Column::memory).sum::<usize>() + self.spool.room(ACCOUNT);
        self.held.grow(held.saturating_sub(self.counted))?;
        self.counted = self.counted.max(held);
        self.spool.grow(ACCOUNT);
        if self.rows >= NULL as usize {
            return Err(topdown::Error::TooManyRows { rows: self.rows, limit: NULL as usize - 1 }.into());
        }
        Ok(())
    }
}

/// How many rows, or bytes of large values, come between two looks at the memory held.
const ACCOUNT: usize = 1 << 14;
const ACCOUNT_BYTES: usize = 1 << 20;

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
        let (values, nulls) = ((*slot).tts_values, (*slot).tts_isnull);
        for (i, (column, codes)) in receiver.columns.iter_mut().zip(&mut receiver.spool.columns).enumerate() {
            let (code, large) = column.code(*values.add(i), *nulls.add(i));
            receiver.unaccounted += large;
            if !codes.takes(code) {
                // Both are there while it is widened.
                let bytes = 2 * codes.width() * codes.capacity();
                if let Err(fault) = receiver.held.grow(bytes) {
                    receiver.fault = Some(fault.into());
                    return false;
                }
                receiver.counted += bytes;
                codes.widen();
            }
            codes.push(code);
        }
        receiver.rows += 1;
        if receiver.rows % TELL == 0 {
            activity::rows(receiver.rows);
            activity::tell();
        }
        if receiver.rows % ACCOUNT == 0 || receiver.unaccounted > ACCOUNT_BYTES {
            receiver.unaccounted = 0;
            receiver.fault = receiver.account().err();
        }
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
pub fn read<'w>(source: &Source, places: &[usize], watch: &'w dyn Progress) -> Result<Table<'w>> {
    let wanted: Vec<_> = places.iter().map(|&c| &source.columns[c]).collect();
    let list = quoted_list(wanted.iter().map(|c| c.name.as_str()));
    let statement = format!("SELECT {list} FROM {}", source.qualified());
    let mut receiver = Receiver {
        base: pg_sys::DestReceiver {
            receiveSlot: Some(receive),
            rStartup: Some(startup),
            rShutdown: Some(nothing),
            rDestroy: Some(nothing),
            mydest: pg_sys::CommandDest::DestNone,
        },
        columns: wanted.iter().map(|c| Column::new(Type::new(c.type_oid, c.collation))).collect(),
        spool: Spool::new(wanted.len()),
        types: wanted.iter().map(|c| c.type_oid).collect(),
        rows: 0,
        held: Reservation::new(watch, 0)?,
        counted: 0,
        unaccounted: 0,
        fault: None,
    };
    receiver.account()?;
    Spi::connect(|_| {
        let plan = plan::on_source(source, &statement, &[])?;
        let _contained = Operation::contained();
        let _told = Unqualified::new();
        // SAFETY: within an SPI connection; the plan and the receiver outlive the execution, and an
        // error unwinds past both.
        unsafe {
            let options = pg_sys::SPIExecuteOptions {
                must_return_tuples: true,
                dest: (&raw mut receiver).cast(),
                ..Default::default()
            };
            let status = pg_sys::SPI_execute_plan_extended(plan, &options);
            Spi::check_status(status)?;
        }
        Ok::<(), SqlError>(())
    })?;
    if let Some(fault) = receiver.fault.take() {
        return Err(fault);
    }
    receiver.account()?;
    let Receiver { rows, mut columns, spool, mut held, counted, .. } = receiver;
    for (column, codes) in columns.iter_mut().zip(spool.finish()) {
        column.codes = codes;
    }
    let kept = columns.iter().map(|column| column.memory() + column.codes.held()).sum();
    held.shrink_by::<u8>(counted.saturating_sub(kept));
    Ok(Table { rows, columns: places.iter().copied().zip(columns).collect(), _held: held })
}
