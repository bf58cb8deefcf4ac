//! What PostgreSQL's own errors are told to say while somebody's source is read. A function below a view that names
//! something without its schema finds nothing, because everything here runs with a search_path of its own. And where the rows
//! lie on other servers, which: what is said when a server goes does not tell of any. But its CONTEXT tells what the server
//! was asked for.
//!
//! The error is PostgreSQL's and passes as it is; a context callback, which PostgreSQL asks of every error on its way,
//! gives it another HINT.

use super::allocator::give_up_for_error;
use super::context::Callback;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr, CString};

extern "C-unwind" {
    fn errhint(format: *const c_char, ...) -> c_int;
}

const UNQUALIFIED: &CStr = c"Everything is read with search_path = pg_catalog. Where a function of the source's names something without its schema: ALTER FUNCTION ... SET search_path = <schema>, pg_catalog.";

/// While it lives, errors about what is not found have a HINT.
pub struct Unqualified(#[expect(dead_code, reason = "it is held")] Callback);

impl Unqualified {
    /// From now on.
    pub fn new() -> Unqualified {
        Unqualified(Callback::new(hint, std::ptr::null_mut()))
    }
}

/// A part of a source that lies on another server.
pub struct There {
    /// The server.
    pub server: String,
    /// What it calls the part, with its schema and quoted.
    pub sent: String,
    /// Where it lies, and what it is called here.
    pub shown: String,
}

/// While it lives, errors that have to do with other servers have a HINT that tells where the rows lie.
pub struct Elsewhere {
    _asked: Callback,
    _source: Box<Source>,
}

impl Elsewhere {
    /// From now on, of the parts of a source.
    pub fn new(name: String, parts: Vec<There>) -> Elsewhere {
        let source = Box::new(Source { name, parts });
        let argument: *const Source = &raw const *source;
        Elsewhere { _asked: Callback::new(elsewhere, argument.cast_mut().cast()), _source: source }
    }
}

/// What the HINT is made of.
struct Source {
    name: String,
    parts: Vec<There>,
}

impl Source {
    /// Where those rows lie that an error has to do with; none, if it has to do with none.
    fn hint(&self, error: &Error) -> Option<CString> {
        let asked = asked_for(&error.context).unwrap_or_default();
        let mut parts = self.those(|part| is_of(asked, &part.sent));
        if parts.is_empty() && error.is_of_no_user() {
            parts = self.those(|_| true);
        } else if parts.is_empty() && error.is_of_connections() {
            parts = self.those(|part| error.message.contains(&format!("\"{}\"", part.server)));
            if parts.is_empty() {
                parts = self.those(|_| true);
            }
        }
        let (shown, more) = parts.split_at(parts.len().min(MOST_SHOWN));
        let shown: Vec<&str> = shown.iter().map(|part| part.shown.as_str()).collect();
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        let hint = format!("Rows of {} lie {}{more}.", self.name, shown.join(", "));
        if parts.is_empty() {
            None
        } else {
            CString::new(hint).ok()
        }
    }

    fn those(&self, which: impl Fn(&There) -> bool) -> Vec<&There> {
        self.parts.iter().filter(|part| which(part)).collect()
    }
}

/// How many parts a HINT names.
const MOST_SHOWN: usize = 10;

/// What a server was asked for, by the CONTEXT of its error: all that stands behind FROM in the command that was sent to it. Commands that
/// it sent on come before that, and behind it the statement that is run here, in quotes, which names all.
fn asked_for(context: &str) -> Option<&str> {
    let command =
        |line| str::split_once(line, ": SELECT ").map(|(_, rest)| rest).or(line.strip_prefix("SELECT "));
    let command = context.lines().filter_map(command).next_back()?;
    // Names may say FROM as well, in quotes.
    let mut from = 0;
    for (number, piece) in command.split('"').enumerate() {
        if let (0, Some(at)) = (number % 2, piece.find(FROM)) {
            return Some(&command[from + at + FROM.len()..]);
        }
        from += piece.len() + 1;
    }
    None
}

const FROM: &str = " FROM ";

/// Whether that is a relation, and not one whose name goes on.
fn is_of(asked: &str, relation: &str) -> bool {
    let goes_on = |next: char| next.is_alphanumeric() || ['_', '$', '"'].contains(&next);
    asked.strip_prefix(relation).is_some_and(|rest| !rest.starts_with(goes_on))
}

#[pg_guard]
unsafe extern "C-unwind" fn elsewhere(source: *mut c_void) {
    // SAFETY: asked of an error that is being made, with the source of a guard that lives; the format takes one text.
    unsafe {
        // To say more would take memory.
        if give_up_for_error() {
            return;
        }
        let hint = Error::now().and_then(|error| (*source.cast::<Source>()).hint(&error));
        if let Some(hint) = hint {
            errhint(c"%s".as_ptr(), hint.as_ptr());
        }
    }
}

/// What PostgreSQL says of an error, so far.
struct Error {
    code: String,
    message: String,
    context: String,
    /// Whether there is a HINT.
    hinted: bool,
    /// The function of PostgreSQL's that tells it.
    function: String,
}

impl Error {
    /// Whether it is of a connection that cannot be made or ends, or of a server that goes or cannot be had yet, and nothing else is
    /// said to it: whoever raises such an error here may know better.
    fn is_of_connections(&self) -> bool {
        !self.hinted && ["08", "57P"].iter().any(|class| self.code.starts_with(class))
    }

    /// Whether it is that nobody is known to be on a server.
    fn is_of_no_user(&self) -> bool {
        self.function == "GetUserMapping"
    }

    /// The one that is being made; none where it ends the session, or is none.
    ///
    /// # Safety
    /// Something is being told.
    unsafe fn now() -> Option<Error> {
        // SAFETY: what is copied is what is told now, into a context of the transaction's: the copy may not be in that of errors.
        unsafe {
            let errors = pg_sys::MemoryContextSwitchTo(pg_sys::CurTransactionContext);
            let copy = pg_sys::CopyErrorData();
            let text = |text: *const c_char| match text.is_null() {
                true => String::new(),
                false => CStr::from_ptr(text).to_string_lossy().into_owned(),
            };
            let error = Error {
                code: text(pg_sys::unpack_sql_state((*copy).sqlerrcode)),
                message: text((*copy).message),
                context: text((*copy).context),
                hinted: !(*copy).hint.is_null(),
                function: text((*copy).funcname),
            };
            let level = (*copy).elevel;
            pg_sys::FreeErrorData(copy);
            pg_sys::MemoryContextSwitchTo(errors);
            (level == PgLogLevel::ERROR as c_int).then_some(error)
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
        // What another server does not find it looks for by a search_path of its own.
        let here = |error: Error| asked_for(&error.context).is_none() && !error.is_of_no_user();
        if not_found.iter().any(|code| *code as c_int == pg_sys::geterrcode())
            && Error::now().is_some_and(here)
        {
            errhint(UNQUALIFIED.as_ptr());
        }
    }
}
