//! What a statement gives, a row at a time: all rows together may be more than there is memory for, since somebody may have put a view
//! of any length where a release had a table.

use super::error::{Result, SqlError};
use super::progress::Ticker;
use pgrx::pg_sys::{self, Datum};
use pgrx::prelude::*;
use pgrx::spi::SpiHeapTupleData;
use std::ffi::c_int;
use topdown::progress::check_memory;

/// Where the executor sends rows.
#[repr(C)]
struct Receiver<'a> {
    base: pg_sys::DestReceiver,
    /// Which columns may be large.
    large: Vec<usize>,
    /// A memory context for what a row needs, and one below it, in which it is looked at.
    memory: [pg_sys::MemoryContext; 2],
    row: &'a mut dyn FnMut(&SpiHeapTupleData) -> Result<()>,
    ticker: Ticker,
    fault: Option<SqlError>,
}

/// Executes a plan that only reads, within an SPI connection, and shows each row.
pub fn each(
    plan: pg_sys::SPIPlanPtr,
    args: &[pgrx::datum::DatumWithOid],
    row: &mut dyn FnMut(&SpiHeapTupleData) -> Result<()>,
) -> Result<()> {
    // SAFETY: made below the connection's own, with which they end.
    let below = |parent| unsafe {
        pg_sys::AllocSetContextCreateInternal(
            parent,
            c"a row".as_ptr(),
            pg_sys::ALLOCSET_SMALL_MINSIZE as usize,
            pg_sys::ALLOCSET_SMALL_INITSIZE as usize,
            pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
        )
    };
    // SAFETY: a plain variable.
    let outer = below(unsafe { pg_sys::CurrentMemoryContext });
    let base = destination(receive, any_columns);
    let memory = [outer, below(outer)];
    let mut receiver =
        Receiver { base, large: Vec::new(), memory, row, ticker: Ticker::default(), fault: None };
    let receiver: *mut Receiver = &mut receiver;
    // SAFETY: within an SPI connection; as many parameters as the plan has. The receiver outlives the execution, and an error unwinds
    // past both.
    unsafe {
        let options = pg_sys::SPIExecuteOptions {
            params: parameters(args),
            must_return_tuples: true,
            read_only: true,
            dest: receiver.cast(),
            ..Default::default()
        };
        let status = pg_sys::SPI_execute_plan_extended(plan, &options);
        Spi::check_status(status)?;
        pg_sys::MemoryContextDelete(outer);
        (*receiver).fault.take().map_or(Ok(()), Err)
    }
}

/// Arguments as the executor takes them.
unsafe fn parameters(args: &[pgrx::datum::DatumWithOid]) -> pg_sys::ParamListInfo {
    // SAFETY: a list of so many parameters, each of which is written.
    unsafe {
        let list = pg_sys::makeParamList(args.len() as c_int);
        let all = (*list).params.as_mut_ptr();
        for (place, arg) in args.iter().enumerate() {
            let value = arg.datum().map(|datum| datum.sans_lifetime());
            *all.add(place) = pg_sys::ParamExternData {
                value: value.unwrap_or(Datum::null()),
                isnull: value.is_none(),
                pflags: pg_sys::PARAM_FLAG_CONST as u16,
                ptype: arg.oid(),
            };
        }
        list
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn receive(
    slot: *mut pg_sys::TupleTableSlot,
    receiver: *mut pg_sys::DestReceiver,
) -> bool {
    // SAFETY: the executor hands back the receiver that each() gave it, and a slot whose values live until the next row.
    unsafe {
        let receiver = &mut *receiver.cast::<Receiver>();
        let columns = (*(*slot).tts_tupleDescriptor).natts as usize;
        // To find a column, the ones before it are gone through.
        receiver.ticker.tick(1 + columns * columns / 64);
        // Fetched from where they are stored, and copied.
        pg_sys::slot_getallattrs(slot);
        let is_there = |&&column: &&usize| !*(*slot).tts_isnull.add(column);
        let size = |&column: &usize| pg_sys::toast_raw_datum_size(*(*slot).tts_values.add(column));
        let bytes: usize = receiver.large.iter().filter(is_there).map(size).sum();
        receiver.ticker.tick_bytes(bytes);
        if let Err(fault) = check_memory::<u8>(2 * bytes) {
            receiver.fault = Some(fault.into());
            return false;
        }
        let before = pg_sys::MemoryContextSwitchTo(receiver.memory[1]);
        let mut is_copy = false;
        let tuple = pg_sys::ExecFetchSlotHeapTuple(slot, false, &mut is_copy);
        let shown = SpiHeapTupleData::new((*slot).tts_tupleDescriptor, tuple).map_err(SqlError::from);
        let shown = shown.and_then(|shown| shown.ok_or_else(|| SqlError::internal("a row without columns")));
        receiver.fault = shown.and_then(|shown| (receiver.row)(&shown)).err();
        pg_sys::MemoryContextSwitchTo(before);
        receiver.memory.iter().for_each(|&memory| pg_sys::MemoryContextResetOnly(memory));
        receiver.fault.is_none()
    }
}

/// What is done with a row; whether more are wanted.
type Receive = unsafe extern "C-unwind" fn(*mut pg_sys::TupleTableSlot, *mut pg_sys::DestReceiver) -> bool;

/// What is done before the first row, whose columns are known by then.
type Startup = unsafe extern "C-unwind" fn(*mut pg_sys::DestReceiver, c_int, pg_sys::TupleDesc);

/// The head of what the executor sends rows to.
pub fn destination(receive: Receive, startup: Startup) -> pg_sys::DestReceiver {
    pg_sys::DestReceiver {
        receiveSlot: Some(receive),
        rStartup: Some(startup),
        rShutdown: Some(nothing),
        rDestroy: Some(nothing),
        mydest: pg_sys::CommandDest::DestNone,
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn any_columns(
    receiver: *mut pg_sys::DestReceiver,
    _what: c_int,
    columns: pg_sys::TupleDesc,
) {
    // SAFETY: the receiver that each() gave, and the columns of the rows that come.
    unsafe {
        let columns = pgrx::PgTupleDesc::from_pg_unchecked(columns);
        let large = columns.iter().enumerate().filter(|(_, column)| column.attlen == -1);
        (*receiver.cast::<Receiver>()).large = large.map(|(place, _)| place).collect();
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn nothing(_me: *mut pg_sys::DestReceiver) {}
