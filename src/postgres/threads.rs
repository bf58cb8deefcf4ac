//! Threads beside the backend's own. PostgreSQL is not made for them: nothing of it is called there (but what only reads and
//! writes memory, [`super::tuples`]), and signals are delivered to the backend's thread, whose handlers expect to be in it.
//! And where there is little memory there are none: C's library ends a process that has none for a thread that begins.

use super::allocator;
use std::io;
use std::rc::Rc;
use std::thread::{Builder, JoinHandle};
use topdown::progress::poll;
use topdown::threads::{ThreadPool, ThreadPoolBuilder};

/// Whether there is memory for one more thread; then it has the reserve, too, until the next poll.
fn has_memory() -> io::Result<()> {
    allocator::room(THREAD).map_err(io::Error::other)?;
    allocator::give_up();
    Ok(())
}

/// More than a thread takes as it begins: its stack of 2 MB, and what is its own.
const THREAD: usize = 4 << 20;

/// Threads that no signal reaches, and that do the engine's work until they are dropped, which waits for them.
#[derive(Debug)]
pub struct Pool {
    pool: Option<Rc<ThreadPool>>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// So many threads; none where the system does not give them.
    pub fn new(threads: usize) -> Option<Pool> {
        let mut made = Pool { pool: None, threads: Vec::with_capacity(threads) };
        if threads > 0 {
            let pool = ThreadPoolBuilder::new().num_threads(threads).spawn_handler(|thread| {
                has_memory()?;
                let _blocked = Blocked::new();
                made.threads.push(Builder::new().spawn(|| thread.run())?);
                Ok(())
            });
            made.pool = pool.build().ok().map(Rc::new);
            // Until all have begun nothing else takes the memory that they need for it, the reserve included. What a thread has of its
            // own has to be there by then, too: C's library ends a process that has no memory to note down how it goes.
            made.pool.iter().for_each(|pool| _ = pool.broadcast(|_| poll().is_ok()));
        }
        made.pool.is_some().then_some(made)
    }

    /// What work is given to.
    pub fn pool(&self) -> Option<Rc<ThreadPool>> {
        self.pool.clone()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // Whose work has panicked has told so by its result.
            _ = thread.join();
        }
    }
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
