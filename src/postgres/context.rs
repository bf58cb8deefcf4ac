//! Callbacks that PostgreSQL asks of everything it tells, errors above all, while it is being made.
//!
//! An error that passes through Rust, or is caught and raised again, is made anew, of its SQLSTATE, message, DETAIL and HINT: its CONTEXT, which
//! function failed in which statement, is not in what Rust has of it, nor is a SQLSTATE that PostgreSQL does not define. So a callback at the entry
//! of a verb remembers what was said within the verb, and adds that to the same error when it comes by again ([`Entry`]).

use super::text::clipped_to;
use pgrx::pg_sys::{self, ErrorContextCallback};
use pgrx::prelude::*;
use std::cell::{OnceCell, RefCell, UnsafeCell};
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::ptr;

extern "C-unwind" {
    fn errcontext_msg(format: *const c_char, ...) -> c_int;
    fn errcode(sqlerrcode: c_int) -> c_int;
    fn geterrcode() -> c_int;
}

/// An error that was made within a verb.
struct Said {
    code: c_int,
    message: CString,
    context: CString,
}

thread_local! {
    /// The last one.
    static SAID: RefCell<Option<Said>> = const { RefCell::new(None) };
}

/// The entry of a verb, until it is dropped. After an error it stays: the error is made anew by what called the verb, and then
/// PostgreSQL puts its callbacks back.
#[derive(Debug)]
pub struct Entry(*mut ErrorContextCallback);

impl Entry {
    /// From now on. What was said before is of something else.
    pub fn new() -> Entry {
        SAID.take();
        Entry::begin()
    }

    /// From now on, for the error that comes next.
    pub fn for_good() {
        std::mem::forget(Entry::begin());
    }

    fn begin() -> Entry {
        // SAFETY: memory for a callback that lives as long as the transaction, and so longer than what may fail in it.
        unsafe {
            let entry = pg_sys::MemoryContextAllocZero(
                pg_sys::TopTransactionContext,
                size_of::<ErrorContextCallback>(),
            );
            let entry = entry.cast::<ErrorContextCallback>();
            (*entry).previous = pg_sys::error_context_stack;
            (*entry).callback = Some(come_by);
            pg_sys::error_context_stack = entry;
            Entry(entry)
        }
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: what was pushed later is gone by now.
            unsafe {
                pg_sys::error_context_stack = (*self.0).previous;
                pg_sys::pfree(self.0.cast());
            }
        }
    }
}

/// The longest CONTEXT that is kept.
const LONGEST: usize = 4000;

/// Remembers what has been said of an error, or says it again.
#[pg_guard]
unsafe extern "C-unwind" fn come_by(_argument: *mut c_void) {
    // SAFETY: asked of something that is being told.
    unsafe {
        being_told(|&pg_sys::ErrorData { elevel, sqlerrcode, message, context, .. }| {
            if elevel < PgLogLevel::ERROR as c_int || message.is_null() {
                return;
            }
            let message = CStr::from_ptr(message);
            SAID.with_borrow_mut(|said| match said {
                _ if !context.is_null() => *said = Said::new(sqlerrcode, message, CStr::from_ptr(context)),
                Some(same) if same.is_made_anew(sqlerrcode, message) => {
                    errcode(same.code);
                    errcontext_msg(c"%s".as_ptr(), same.context.as_ptr());
                }
                _ => {}
            });
        });
    }
}

/// Shows what is being told, unless it is that there is no memory.
///
/// # Safety
/// A callback is asked of it.
unsafe fn being_told(f: impl FnOnce(&pg_sys::ErrorData)) {
    // SAFETY: asked in a memory context of PostgreSQL's for errors, of which nothing is copied into itself. The copy is freed.
    unsafe {
        if geterrcode() == PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as c_int {
            return;
        }
        let errors = pg_sys::MemoryContextSwitchTo(pg_sys::TopTransactionContext);
        let copy = pg_sys::CopyErrorData();
        f(&*copy);
        pg_sys::FreeErrorData(copy);
        pg_sys::MemoryContextSwitchTo(errors);
    }
}

impl Said {
    /// Whether it is what an error was before it was made anew. A SQLSTATE that PostgreSQL does not define is XX000 in Rust.
    fn is_made_anew(&self, code: c_int, message: &CStr) -> bool {
        let internal = PgSqlErrorCode::ERRCODE_INTERNAL_ERROR as c_int;
        [self.code, internal].contains(&code) && self.message.as_c_str() == message
    }

    fn new(code: c_int, message: &CStr, context: &CStr) -> Option<Said> {
        let context = CString::new(clipped_to(&context.to_string_lossy(), LONGEST).into_owned()).ok()?;
        Some(Said { code, message: message.to_owned(), context })
    }
}

/// A callback, until it is dropped.
#[derive(Debug)]
pub struct Callback(Box<ErrorContextCallback>);

impl Callback {
    /// From now on. The argument lives as long.
    pub fn new(callback: unsafe extern "C-unwind" fn(*mut c_void), argument: *mut c_void) -> Callback {
        let mut asked = Box::new(ErrorContextCallback::default());
        // SAFETY: the stack of callbacks is the backend's own; the callback stays where it is until it is taken off, at
        // the latest as an error unwinds.
        unsafe {
            asked.previous = pg_sys::error_context_stack;
            asked.callback = Some(callback);
            asked.arg = argument;
            pg_sys::error_context_stack = &raw mut *asked;
        }
        Callback(asked)
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        // SAFETY: what was pushed later is gone by now.
        unsafe { pg_sys::error_context_stack = self.0.previous };
    }
}

/// Listens, until it is dropped, for the first warning that is sent to the client or the log.
pub struct Warned {
    said: Box<OnceCell<(PgSqlErrorCode, String)>>,
    _callback: Callback,
}

impl Warned {
    /// From now on.
    pub fn new() -> Warned {
        let said = Box::<OnceCell<_>>::default();
        let argument = (&raw const *said).cast_mut().cast();
        Warned { said, _callback: Callback::new(listen, argument) }
    }

    /// Its SQLSTATE and message.
    pub fn said(self) -> Option<(PgSqlErrorCode, String)> {
        self.said.into_inner()
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn listen(said: *mut c_void) {
    // SAFETY: asked of something that is being told; the cell is where it was as the callback was made, and lives as long.
    unsafe {
        let said = &*said.cast::<OnceCell<(PgSqlErrorCode, String)>>();
        being_told(|&pg_sys::ErrorData { elevel, sqlerrcode, message, .. }| {
            if elevel == PgLogLevel::WARNING as c_int && !message.is_null() {
                said.get_or_init(|| {
                    (sqlerrcode.into(), CStr::from_ptr(message).to_string_lossy().into_owned())
                });
            }
        });
    }
}

/// A callback that is asked after all others, and is never taken off.
pub struct LastCallback {
    entry: UnsafeCell<ErrorContextCallback>,
}

// SAFETY: the stack of callbacks, and so its entries, are used by the backend's own thread alone.
unsafe impl Sync for LastCallback {}

impl LastCallback {
    /// Not asked yet.
    pub const fn new(callback: unsafe extern "C-unwind" fn(*mut c_void)) -> LastCallback {
        let (previous, arg) = (ptr::null_mut(), ptr::null_mut());
        LastCallback {
            entry: UnsafeCell::new(ErrorContextCallback { previous, callback: Some(callback), arg }),
        }
    }

    /// From now on. It lies below all others, so that whoever takes one off goes on with it. At the end of a statement at the latest
    /// PostgreSQL puts back the callbacks that were there before (PG_END_TRY).
    pub fn begin(&'static self) {
        // SAFETY: the stack's entries live, and end with NULL; this one lives for good.
        unsafe {
            let mut end = &raw mut pg_sys::error_context_stack;
            while !(*end).is_null() {
                if *end == self.entry.get() {
                    return;
                }
                end = &raw mut (**end).previous;
            }
            *end = self.entry.get();
        }
    }
}
