//! A HINT for PostgreSQL's own errors while somebody's source is read here: everything runs with a search_path of its own, so a
//! function below a view that names something without its schema finds nothing.
//!
//! The error passes as it is; a context callback, which PostgreSQL asks of every error on its way, sets the HINT.

use super::context::Callback;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr};

extern "C-unwind" {
    fn errhint(format: *const c_char, ...) -> c_int;
}

const UNQUALIFIED: &CStr = c"Everything is read with search_path = pg_catalog. Where a function of the source's names something without its schema: ALTER FUNCTION ... SET search_path = <schema>, pg_catalog.";

/// While it lives, errors about what is not found have a HINT.
pub struct NotFoundHint(#[expect(dead_code, reason = "it is held")] Callback);

impl NotFoundHint {
    /// From now on.
    pub fn new() -> NotFoundHint {
        NotFoundHint(Callback::new(hint, std::ptr::null_mut()))
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
