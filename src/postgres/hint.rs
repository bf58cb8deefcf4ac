//! What PostgreSQL's own errors are told to say while somebody's source is read: a function below a view that names
//! something without its schema finds nothing, because everything here runs with a search_path of its own.
//!
//! The error is PostgreSQL's and passes as it is; a context callback, which PostgreSQL asks of every error on its way,
//! gives it another HINT.

use pgrx::pg_sys::{self, ErrorContextCallback};
use pgrx::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr};

extern "C-unwind" {
    fn errhint(format: *const c_char, ...) -> c_int;
}

const UNQUALIFIED: &CStr = c"Everything is read with search_path = pg_catalog. Where a function of the source's names something without its schema: ALTER FUNCTION ... SET search_path = <schema>, pg_catalog.";

/// While it lives, errors about what is not found have a HINT.
pub struct Unqualified(Box<ErrorContextCallback>);

impl Unqualified {
    /// From now on.
    pub fn new() -> Unqualified {
        let mut callback = Box::new(ErrorContextCallback::default());
        // SAFETY: the stack of callbacks is the backend's own; the callback stays where it is until it is taken off, at
        // the latest as an error unwinds.
        unsafe {
            callback.previous = pg_sys::error_context_stack;
            callback.callback = Some(hint);
            pg_sys::error_context_stack = &raw mut *callback;
        }
        Unqualified(callback)
    }
}

impl Drop for Unqualified {
    fn drop(&mut self) {
        // SAFETY: what was pushed later is gone by now.
        unsafe { pg_sys::error_context_stack = self.0.previous };
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
