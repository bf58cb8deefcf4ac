//! What is told of a verb while it runs: to whoever looks, in pg_stat_activity, at every phase and once a second; and
//! to the session that called it, where `pg_topdown.progress` is on, by a NOTICE a second.
//!
//! pg_stat_activity shows the statement with a comment behind it, as autovacuum shows its own work; where both do
//! not fit, the statement is clipped. pgstat_report_activity() takes the statement's start for query_start, as it
//! was, and leaves xact_start alone; the query's id, which it forgets, is put back, and only state_change
//! moves. What is read by others holds phases and numbers, and never a name, a value, a label or a cut point.
//!
//! The text is put back when [`Activity`] is dropped, by an error that unwinds too. Nobody else would: an error that
//! PL/pgSQL catches leaves the same statement running, and a session that is idle goes on showing its last one. A
//! destructor and no callback at a subtransaction's end: every error passes through our frames as a panic, the text
//! belongs to no transaction, and a verb has subtransactions of its own within. Writing it cannot fail, so that it
//! may be done while an error is on its way.

use super::settings;
use super::text::commented;
use pgrx::{notice, pg_sys};
use std::cell::RefCell;
use std::ffi::{CStr, CString};
use std::fmt;
use std::time::{Duration, Instant};
use topdown::progress::Status;

/// What a verb is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A source is read.
    Reading,
    /// Columns are put in order, and get their hierarchies.
    Binding,
    /// The engine searches.
    Searching,
    /// The engine performs an earlier search's steps again.
    Replaying,
    /// The engine clusters.
    Clustering,
    /// A version is generalized and written, in the end analyzed.
    Writing,
    /// Models are recounted, each by one statement.
    Recounting,
    /// What belongs to a version beside its rows is written.
    Publishing,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Binding => "binding",
            Phase::Searching => "searching",
            Phase::Replaying => "replaying",
            Phase::Clustering => "clustering",
            Phase::Writing => "writing",
            Phase::Recounting => "recounting",
            Phase::Publishing => "publishing",
        }
    }
}

/// How long it is between two reports of a phase.
const WHILE: Duration = Duration::from_secs(1);

/// A verb that runs, and how far it has come in its phase.
struct Running {
    phase: Phase,
    rows: usize,
    status: Status,
    /// What PostgreSQL showed before; none where it shows nothing of this session.
    statement: Option<CString>,
    shown: Instant,
    noticed: Instant,
}

thread_local! {
    /// The verb that runs, once it has a phase. Not in a [`Phase`]'s guard, because whatever polls may tell of it.
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// A verb's activity, until it is dropped.
#[derive(Debug)]
pub struct Activity {
    /// That of the verb within which this one was called, by a view that a source is.
    outer: Outer,
}

struct Outer(Option<Running>);

impl fmt::Debug for Outer {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:?}", self.0.as_ref().map(|outer| outer.phase))
    }
}

impl Activity {
    /// Begins one, of which nothing is told yet.
    pub fn begin() -> Activity {
        Activity { outer: Outer(RUNNING.replace(None)) }
    }
}

/// The verb that runs goes on to a phase.
pub fn enter(phase: Phase) {
    RUNNING.with_borrow_mut(|running| {
        let now = Instant::now();
        let running = running.get_or_insert_with(|| Running {
            phase,
            rows: 0,
            status: Status::default(),
            statement: statement(),
            shown: now,
            noticed: now,
        });
        (running.phase, running.rows, running.status) = (phase, 0, Status::default());
        running.show(now);
    });
    tell();
}

impl Drop for Activity {
    fn drop(&mut self) {
        let running = RUNNING.replace(self.outer.0.take());
        if let Some(statement) = running.and_then(|running| running.statement) {
            report(&statement);
        }
    }
}

/// So many rows were read, or written.
pub fn rows(rows: usize) {
    RUNNING.with_borrow_mut(|running| running.iter_mut().for_each(|running| running.rows = rows));
}

/// So far has the engine come.
pub fn reached(status: Status) {
    RUNNING.with_borrow_mut(|running| running.iter_mut().for_each(|running| running.status = status));
}

/// Tells where the verb stands, if nothing was told for a while.
pub fn tell() {
    let notice = RUNNING.with_borrow_mut(|running| {
        let (running, now) = (running.as_mut()?, Instant::now());
        if now - running.shown >= WHILE {
            running.show(now);
        }
        if now - running.noticed < WHILE {
            return None;
        }
        running.noticed = now;
        settings::progress().then(|| running.to_string())
    });
    if let Some(notice) = notice {
        notice!("{notice}");
    }
}

impl Running {
    fn show(&mut self, now: Instant) {
        self.shown = now;
        if let Some(statement) = &self.statement {
            // SAFETY: a plain variable, set when the server started.
            let bytes = unsafe { pg_sys::pgstat_track_activity_query_size } as usize - 1;
            let text = commented(statement.to_bytes(), &format!("/* {self} */"), bytes);
            report(&CString::new(text).expect("neither a statement nor what is said of it has a zero byte"));
        }
    }
}

impl fmt::Display for Running {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "pg_topdown: {}", self.phase.name())?;
        let Status { steps, groups } = self.status;
        for (what, count) in [("rows", self.rows), ("steps", steps), ("groups", groups)] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}

/// What pg_stat_activity shows of a session that runs a statement. Not debug_query_string, which background workers
/// do not have and which a verb within a verb would lose the outer one's comment by: what was there is put back.
fn statement() -> Option<CString> {
    // SAFETY: this backend's own entry, or NULL. Nobody else writes it, and its text ends with a zero byte.
    unsafe {
        let entry = pg_sys::MyBEEntry.as_ref()?;
        matches!(entry.st_state, pg_sys::BackendState::STATE_RUNNING | pg_sys::BackendState::STATE_FASTPATH)
            .then(|| CStr::from_ptr(entry.st_activity_raw).to_owned())
    }
}

/// Has pg_stat_activity show a text.
fn report(text: &CStr) {
    // SAFETY: there is an entry, because statement() has found a text in it; the text lives through the call, which
    // copies as much of it as there is room for, takes no memory and raises no error.
    unsafe {
        let query = pg_sys::pgstat_get_my_query_id();
        pg_sys::pgstat_report_activity((*pg_sys::MyBEEntry).st_state, text.as_ptr());
        pg_sys::pgstat_report_query_id(query, true);
    }
}
