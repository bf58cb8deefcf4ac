//! The one place where an error of PostgreSQL is caught.
//!
//! An error leaves things half done: the user id of a function that was running, settings, SPI
//! connections, snapshots, pins, rows already written. Only the end of a (sub)transaction cleans
//! them up. So an error is let through, or it is caught here, in a subtransaction of its own that
//! is rolled back before anything else happens; nothing else may catch one.

use super::error::{Result, SqlError};
use super::hint::Hint;
use pgrx::pg_sys::panic::CaughtError;
use pgrx::prelude::*;
use pgrx::{pg_sys, PgTryBuilder};
use std::cell::Cell;
use std::panic::AssertUnwindSafe;

/// The function of PostgreSQL's that ends a cancelled statement: anybody's function may raise the same SQLSTATE.
const CANCELS: &str = "ProcessInterrupts";

/// What `f` gives; its error, PostgreSQL's or ours, after whatever it did has been rolled back. A
/// cancelled statement stays cancelled.
pub fn attempt<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    within(f, false)
}

/// The same; files that it makes outlive that ([`lasting`]).
pub fn attempt_with_files<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    let _outermost = Outermost(OUTERMOST.replace(Some(lasting())));
    within(f, false)
}

/// What `f` reads, after whatever else it did has been rolled back: settings and locks, here and on other nodes. Files that it makes
/// outlive that, too.
pub fn read<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    let _outermost = Outermost(OUTERMOST.replace(Some(lasting())));
    within(f, true)
}

/// A memory context, and who owns what is opened.
type Surroundings = (pg_sys::MemoryContext, pg_sys::ResourceOwner);

thread_local! {
    /// What is around the outermost subtransaction whose files outlive it.
    static OUTERMOST: Cell<Option<Surroundings>> = const { Cell::new(None) };
}

/// What was there before, to be put back however such a subtransaction ends.
struct Outermost(Option<Surroundings>);

impl Drop for Outermost {
    fn drop(&mut self) {
        OUTERMOST.set(self.0);
    }
}

/// Where files are kept that a verb needs: in the current (sub)transaction, or in that around those whose files outlive them.
pub fn lasting() -> Surroundings {
    // SAFETY: plain variables of the backend.
    let current = unsafe { (pg_sys::CurTransactionContext, pg_sys::CurTransactionResourceOwner) };
    OUTERMOST.get().unwrap_or(current)
}

/// Begins one. Citus does so on every node that the transaction has been to, and fails if one of these is lost.
fn begin() {
    let _told = Hint::of_lost();
    // SAFETY: we are in a transaction, and not in a parallel worker: no function that comes here is parallel safe.
    unsafe { pg_sys::BeginInternalSubTransaction(std::ptr::null()) };
}

fn within<T>(f: impl FnOnce() -> Result<T>, undo: bool) -> Result<T> {
    let (mut f, mut given) = (Some(f), None);
    let mut once = || {
        let f = f.take().expect("called once");
        given = Some(f()?);
        Ok(())
    };
    perform(&mut once, undo)?;
    given.ok_or_else(|| SqlError::internal("a subtransaction gave nothing"))
}

/// Compiled once, whatever is given.
fn perform(f: &mut dyn FnMut() -> Result<()>, undo: bool) -> Result<()> {
    // SAFETY: plain variables of the backend; what they point to outlives the subtransaction.
    let (memory, owner) = unsafe { (pg_sys::CurrentMemoryContext, pg_sys::CurrentResourceOwner) };
    // SAFETY: another one; its entries are of whoever called, and outlive this.
    let callbacks = unsafe { pg_sys::error_context_stack };
    begin();
    // SAFETY: returns a number.
    let level = || unsafe { pg_sys::GetCurrentTransactionNestLevel() };
    let ours = level();
    // SAFETY: the memory context stays the caller's, so that results outlive the subtransaction.
    unsafe { pg_sys::MemoryContextSwitchTo(memory) };
    let caught = PgTryBuilder::new(AssertUnwindSafe(|| {
        let result = f();
        if result.is_ok() && !undo {
            let _told = Hint::of_lost();
            // SAFETY: ends the subtransaction begun above. That may fail, too, since Citus asks its nodes.
            unsafe { pg_sys::ReleaseCurrentSubTransaction() };
        }
        Ok(result)
    }))
    .catch_others(|caught| Err(Box::new(caught)))
    .execute();
    // One within could not begin: it ends with the transaction only.
    let caught = match caught {
        Err(error) if level() != ours => error.rethrow(),
        caught => caught,
    };
    // A node that is lost by now is a warning here, and an error at the COMMIT that does not say so.
    let told = Hint::of_lost();
    // SAFETY: rolls back the subtransaction begun above, if it is not released, and puts back what ending one changes.
    unsafe {
        if undo || !matches!(caught, Ok(Ok(_))) {
            pg_sys::RollbackAndReleaseCurrentSubTransaction();
        }
        pg_sys::MemoryContextSwitchTo(memory);
        pg_sys::CurrentResourceOwner = owner;
        drop(told);
        pg_sys::error_context_stack = callbacks;
    }
    match caught {
        Ok(result) => result,
        Err(error) => Err(as_value(error)),
    }
}

/// An error that was caught and rolled back; a cancelled statement stays cancelled.
fn as_value(error: Box<CaughtError>) -> SqlError {
    match *error {
        CaughtError::PostgresError(report) | CaughtError::ErrorReport(report)
            if report.sql_error_code() != PgSqlErrorCode::ERRCODE_QUERY_CANCELED
                || report.function_name() != Some(CANCELS) =>
        {
            SqlError::caught(&report)
        }
        other => other.rethrow(),
    }
}

/// Commits the transaction of a procedure, and begins the next one. If that fails, PostgreSQL has rolled the transaction back
/// and begun the next one before the error is caught here.
pub fn commit() -> Result<()> {
    // SAFETY: plain variables of the backend; the context outlives the transaction, as that of a procedure's call does.
    let (memory, callbacks) = unsafe { (pg_sys::CurrentMemoryContext, pg_sys::error_context_stack) };
    let committed = PgTryBuilder::new(|| {
        // SAFETY: the connection of a procedure that may commit, with no subtransaction under way.
        unsafe { pg_sys::SPI_commit() };
        Ok(())
    })
    .catch_others(|caught| Err(Box::new(caught)))
    .execute();
    // SAFETY: puts back what an error leaves.
    unsafe {
        pg_sys::MemoryContextSwitchTo(memory);
        pg_sys::error_context_stack = callbacks;
    }
    committed.map_err(as_value)
}

/// The same where an error is an answer: a text is no value of a type, or a source cannot be read. That there is no memory
/// is none, and ends the statement.
pub fn answer<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    attempt(f).map_err(|error| if error.is_of_memory() { error.raise() } else { error })
}
