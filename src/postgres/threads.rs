//! Threads beside the backend's own. PostgreSQL is not made for them: nothing of it is called there, and signals
//! are delivered to the backend's thread, whose handlers expect to be in it.

use std::thread::{Scope, ScopedJoinHandle};

/// Runs some work in a thread that no signal reaches. It is joined before the scope ends, after an error too.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    let _blocked = Blocked::new();
    scope.spawn(work)
}

/// All signals are blocked, as they are for a thread that begins now.
struct Blocked(libc::sigset_t);

impl Blocked {
    fn new() -> Blocked {
        // SAFETY: sets of signals, filled before they are read; the mask is this thread's.
        unsafe {
            let mut all: libc::sigset_t = std::mem::zeroed();
            let mut before: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &all, &mut before);
            Blocked(before)
        }
    }
}

impl Drop for Blocked {
    fn drop(&mut self) {
        // SAFETY: the mask that was in force.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &self.0, std::ptr::null_mut());
        }
    }
}
