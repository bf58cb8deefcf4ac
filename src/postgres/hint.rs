//! HINTs for PostgreSQL's own errors: while somebody's source is read here everything runs with a search_path of its own, so a
//! function below a view that names something without its schema finds nothing; and while rows are written one may be too large.
//!
//! The error passes as it is; a context callback, which PostgreSQL asks of every error on its way, sets the HINT.

use super::context::Callback;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr};

extern "C-unwind" {
    fn errhint(format: *const c_char, ...) -> c_int;
}

/// While it lives, some errors have a HINT.
pub struct Hint(#[expect(dead_code, reason = "it is held")] Callback);

impl Hint {
    /// Of what is not found.
    pub fn of_not_found() -> Hint {
        Hint::by(not_found)
    }

    /// Of a row that is too large.
    pub fn of_too_large() -> Hint {
        Hint::by(too_large)
    }

    /// Of a node that cannot be reached.
    pub fn of_unreachable() -> Hint {
        Hint::by(unreachable_node)
    }

    /// Of a node that was lost in the middle.
    pub fn of_lost() -> Hint {
        Hint::by(lost_node)
    }

    fn by(callback: unsafe extern "C-unwind" fn(*mut c_void)) -> Hint {
        Hint(Callback::new(callback, std::ptr::null_mut()))
    }
}

const UNQUALIFIED: &CStr = c"Everything is read with search_path = pg_catalog. Where a function of the source's names something without its schema: ALTER FUNCTION ... SET search_path = <schema>, pg_catalog.";

#[pg_guard]
unsafe extern "C-unwind" fn not_found(_argument: *mut c_void) {
    let codes = [
        PgSqlErrorCode::ERRCODE_UNDEFINED_FUNCTION,
        PgSqlErrorCode::ERRCODE_UNDEFINED_TABLE,
        PgSqlErrorCode::ERRCODE_UNDEFINED_OBJECT,
    ];
    // SAFETY: asked of an error that is being made.
    unsafe { hint_of(&codes, UNQUALIFIED) };
}

const TOO_LARGE: &CStr = c"A row of the release does not fit on a page with the labels that were found: mask and keep fewer columns, or let columns be less specific with coarsest(...), or give them shorter labels.";

#[pg_guard]
unsafe extern "C-unwind" fn too_large(_argument: *mut c_void) {
    // SAFETY: asked of an error that is being made.
    unsafe { hint_of(&[PgSqlErrorCode::ERRCODE_PROGRAM_LIMIT_EXCEEDED], TOO_LARGE) };
}

const UNREACHABLE: &CStr = c"A node that has rows of the source is down, or does not let the role log in that owns the release: see citus_check_cluster_node_health(). The version before stays as it was.";

#[pg_guard]
unsafe extern "C-unwind" fn unreachable_node(_argument: *mut c_void) {
    // SAFETY: asked of an error that is being made.
    unsafe { hint_of(&OF_CONNECTIONS, UNREACHABLE) };
}

const OF_CONNECTIONS: [PgSqlErrorCode; 4] = [
    PgSqlErrorCode::ERRCODE_CONNECTION_EXCEPTION,
    PgSqlErrorCode::ERRCODE_CONNECTION_FAILURE,
    PgSqlErrorCode::ERRCODE_CONNECTION_DOES_NOT_EXIST,
    PgSqlErrorCode::ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
];

const LOST: &CStr = c"The transaction has lost its connection to a node and cannot go on: nothing of it stays. Call again. Of several releases, refresh each in a transaction of its own.";

#[pg_guard]
unsafe extern "C-unwind" fn lost_node(_argument: *mut c_void) {
    // SAFETY: asked of an error that is being made.
    unsafe {
        hint_of(&OF_CONNECTIONS, LOST);
        // Citus' error of a connection that it takes for essential.
        hint_of(&[PgSqlErrorCode::ERRCODE_INTERNAL_ERROR], LOST);
    }
}

/// Sets the HINT of an error of some codes.
///
/// # Safety
/// An error is being made.
unsafe fn hint_of(codes: &[PgSqlErrorCode], hint: &'static CStr) {
    // SAFETY: the error's code is known and its hint may be set; the format takes no further argument.
    unsafe {
        if codes.iter().any(|code| *code as c_int == pg_sys::geterrcode()) {
            errhint(hint.as_ptr());
        }
    }
}
