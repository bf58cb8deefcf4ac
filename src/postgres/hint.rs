//! What PostgreSQL's own errors are told to say while somebody's source is read. A function below a view that names
//! something without its schema finds nothing, because everything here runs with a search_path of its own. And where the rows
//! lie on other servers, which: what is said when a server goes does not tell of any. But its CONTEXT tells what the server
//! was asked for.
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

/// A part of a source that lies on another server.
pub struct There {
    /// What the server calls it, with its schema and quoted.
    pub sent: String,
    /// Where it lies, and what it is called here.
    pub shown: String,
}

/// While it lives, errors that have to do with other servers have a HINT that tells where the rows lie.
pub struct Elsewhere {
    _asked: Asked,
    _source: Box<Source>,
}

/// What the HINT is made of.
struct Source {
    name: String,
    parts: Vec<There>,
}

impl Source {
    /// Where its rows lie: those that a server was asked for, by the CONTEXT of its error, or all of them.
    fn hint(&self, context: &str) -> CString {
        let asked: Vec<&There> = self.parts.iter().filter(|part| is_asked(context, &part.sent)).collect();
        let all = || self.parts.iter().collect();
        let of = if asked.is_empty() { all() } else { asked };
        let shown: Vec<&str> = of.iter().map(|part| part.shown.as_str()).collect();
        CString::new(format!("Rows of {} lie {}.", self.name, shown.join(", "))).unwrap_or_default()
    }
}

/// Whether a CONTEXT tells that a server was asked for some relation, and not for one whose name goes on. What follows it is the
/// statement that is run here, in quotes, which names all.
fn is_asked(context: &str, relation: &str) -> bool {
    let from = format!(" FROM {relation}");
    let commands = context.lines().filter_map(|line| line.split_once(": SELECT "));
    let mut found = commands.flat_map(|(_, command)| command.split(&from).skip(1));
    found.any(|rest| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_' || next == '$'))
}

impl Elsewhere {
    /// From now on, of the parts of a source.
    pub fn new(name: String, parts: Vec<There>) -> Elsewhere {
        let source = Box::new(Source { name, parts });
        let argument: *const Source = &raw const *source;
        Elsewhere { _asked: Asked::new(elsewhere, argument.cast_mut().cast()), _source: source }
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn elsewhere(source: *mut c_void) {
    // A connection that cannot be made or ends, and what a server says that goes or cannot be had yet.
    const CLASSES: [&[u8]; 2] = [b"08", b"57P"];
    // SAFETY: asked of an error that is being made, with the source of a guard that lives; the format takes one text.
    unsafe {
        let code = CStr::from_ptr(pg_sys::unpack_sql_state(pg_sys::geterrcode())).to_bytes();
        if CLASSES.iter().any(|class| code.starts_with(class)) {
            let hint = (*source.cast::<Source>()).hint(&context());
            errhint(c"%s".as_ptr(), hint.as_ptr());
        }
    }
}

/// The CONTEXT of the error that is being made, so far.
///
/// # Safety
/// An error is being made.
unsafe fn context() -> String {
    // SAFETY: what is copied is the error on top, into a context of the transaction's: the copy may not be in that of errors.
    unsafe {
        let errors = pg_sys::MemoryContextSwitchTo(pg_sys::CurTransactionContext);
        let copy = pg_sys::CopyErrorData();
        let context = (*copy).context;
        let text = match context.is_null() {
            true => String::new(),
            false => CStr::from_ptr(context).to_string_lossy().into_owned(),
        };
        pg_sys::FreeErrorData(copy);
        pg_sys::MemoryContextSwitchTo(errors);
        text
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
