//! What PostgreSQL's own errors are told to say while somebody's source is read. A function below a view that names
//! something without its schema finds nothing, because everything here runs with a search_path of its own. And where the rows
//! lie on other servers, which: what is said when a server goes does not tell of any.
//!
//! The error is PostgreSQL's and passes as it is; a context callback, which PostgreSQL asks of every error on its way,
//! gives it another HINT.

use pgrx::pg_sys::{self, ErrorContextCallback};
use pgrx::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr, CString};

extern "C-unwind" {
    fn errhint(format: *const c_char, ...) -> c_int;
}

const UNQUALIFIED: &CStr = c"Everything is read with search_path = pg_catalog. Where a function of the source's names something without its schema: ALTER FUNCTION ... SET search_path = <schema>, pg_catalog.";

/// A callback that PostgreSQL asks of every error, until it is dropped.
struct Asked(Box<ErrorContextCallback>);

impl Asked {
    /// From now on. The argument lives as long.
    fn new(callback: unsafe extern "C-unwind" fn(*mut c_void), argument: *mut c_void) -> Asked {
        let mut asked = Box::new(ErrorContextCallback::default());
        // SAFETY: the stack of callbacks is the backend's own; the callback stays where it is until it is taken off, at
        // the latest as an error unwinds.
        unsafe {
            asked.previous = pg_sys::error_context_stack;
            asked.callback = Some(callback);
            asked.arg = argument;
            pg_sys::error_context_stack = &raw mut *asked;
        }
        Asked(asked)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        // SAFETY: what was pushed later is gone by now.
        unsafe { pg_sys::error_context_stack = self.0.previous };
    }
}

/// While it lives, errors about what is not found have a HINT.
pub struct Unqualified(#[expect(dead_code, reason = "it is held")] Asked);

impl Unqualified {
    /// From now on.
    pub fn new() -> Unqualified {
        Unqualified(Asked::new(hint, std::ptr::null_mut()))
    }
}

/// While it lives, errors that have to do with other servers have a HINT.
pub struct Elsewhere {
    _asked: Asked,
    _hint: CString,
}

impl Elsewhere {
    /// From now on.
    pub fn new(hint: &str) -> Elsewhere {
        let hint = CString::new(hint).unwrap_or_default();
        Elsewhere { _asked: Asked::new(elsewhere, hint.as_ptr().cast_mut().cast()), _hint: hint }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn elsewhere(hint: *mut c_void) {
    // A connection that cannot be made or ends, and what a server says that goes or cannot be had yet.
    const CLASSES: [&[u8]; 2] = [b"08", b"57P"];
    // SAFETY: asked of an error that is being made, with the text of a guard that lives; the format takes one text.
    unsafe {
        let code = CStr::from_ptr(pg_sys::unpack_sql_state(pg_sys::geterrcode())).to_bytes();
        if CLASSES.iter().any(|class| code.starts_with(class)) {
            errhint(c"%s".as_ptr(), hint.cast::<c_char>());
        }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn hint(_argument: *mut c_void) {
    let not_found = [
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
    ];
    // SAFETY: asked of an error that is being made, whose code is known and whose hint may be set; the format takes no
    // further argument.
    unsafe {
        if not_found.iter().any(|code| *code as c_int == pg_sys::geterrcode()) {
            errhint(UNQUALIFIED.as_ptr());
        }
    }
}
