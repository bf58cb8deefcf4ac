//! A procedure that commits: what CALL allows, and the end of one transaction and the beginning of the next.

use super::error::{Result, SqlError};
use super::subtransaction;
use pgrx::pg_sys;

/// A CALL that may end its transaction, connected to SPI as long as it lives.
pub struct Procedure(());

impl Procedure {
    /// Connects; an error, before anything else happens, where the caller's transaction must not end.
    pub fn begin(call: pg_sys::FunctionCallInfo) -> Result<Procedure> {
        // SAFETY: the call's own information; the tag says what the context is.
        let is_atomic = unsafe {
            let context = (*call).context;
            context.is_null()
                || (*context).type_ != pg_sys::NodeTag::T_CallContext
                || (*context.cast::<pg_sys::CallContext>()).atomic
        };
        if is_atomic {
            return Err(SqlError::transaction_termination(
                "release_refresh_all() commits after each release",
            )
            .detail("The CALL is within a transaction block, a function, or a procedure that cannot commit.")
            .hint("CALL it by itself: a scheduler's job has this statement and no other."));
        }
        // SAFETY: disconnected by drop, or by the end of the transaction after an error.
        let status = unsafe { pg_sys::SPI_connect_ext(pg_sys::SPI_OPT_NONATOMIC as i32) };
        pgrx::Spi::check_status(status)?;
        Ok(Procedure(()))
    }

    /// What `f` gives; what PostgreSQL allocates meanwhile is freed. Otherwise it would be kept until the procedure ends.
    pub fn freeing<T>(&self, f: impl FnOnce() -> T) -> T {
        // SAFETY: a context below that of the procedure, by which it is freed after an error; what `f` gives is Rust's.
        unsafe {
            let own = pg_sys::AllocSetContextCreateInternal(
                pg_sys::CurrentMemoryContext,
                c"a release of a procedure".as_ptr(),
                pg_sys::ALLOCSET_DEFAULT_MINSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_INITSIZE as usize,
                pg_sys::ALLOCSET_DEFAULT_MAXSIZE as usize,
            );
            let outer = pg_sys::MemoryContextSwitchTo(own);
            let given = f();
            pg_sys::MemoryContextSwitchTo(outer);
            pg_sys::MemoryContextDelete(own);
            given
        }
    }

    /// Commits what was done, and goes on in a new transaction. Nothing of the old one may be held: no user switch, level of
    /// settings, snapshot, or pointer to what it allocated. If that fails, what was done is rolled back.
    pub fn commit(&self) -> Result<()> {
        let committed = subtransaction::commit();
        // SAFETY: a new transaction has begun; a CALL runs with a snapshot.
        unsafe { pg_sys::EnsurePortalSnapshotExists() };
        committed
    }
}

impl Drop for Procedure {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: connected by begin(); what was connected after it has ended.
            unsafe { pg_sys::SPI_finish() };
        }
    }
}
