//! Memory outside PostgreSQL's contexts: what is allocated is counted, and a failed allocation ends the statement or, at
//! worst, the session. Never the server: Rust aborts a process that has no memory, and the postmaster restarts the server
//! when a backend aborts.
//!
//! Some address space is kept in reserve. An allocation that fails gives the reserve back to the system and is made again; the next
//! poll takes the reserve again or, where it cannot, ends the statement with 53200 ([`room`]). All that is allocated between two polls has
//! to fit into the reserve. So it grows with the largest piece that an operation has: what doubles fits in. What may be
//! larger is asked for before it is made ([`room`]), and asking tries whether it can be had.
//!
//! The reserves are taken when a call of ours begins, which is with the first allocation of ours in a transaction, and given back with the
//! transaction. A backend that has the library and does nothing with it holds none: where the system promises no more memory than it has
//! (`vm.overcommit_memory = 2`) thousands of idle sessions would hold as many reserves.
//!
//! An idle session does not hold what a large call has freed, either: it is given back to the system with the transaction. Of each
//! other thread C's library keeps up to 64 MB.
//!
//! Where the reserve is not enough, the backend ends with FATAL. Nothing can unwind through an allocator. Another
//! thread cannot raise anything: it waits until there is memory, and the backend, which polls while others work for it, ends.
//!
//! PostgreSQL's own failed allocations are its errors (53200). On their way through Rust they are copied into memory of PostgreSQL's; where that
//! fails, too, the server restarts (PANIC). So a last reserve is kept for them, which no allocation of ours gets ([`prepare`]).

use super::context;
use pgrx::pg_sys;
use pgrx::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use topdown::Error;

/// The system's allocator, counted and with a reserve.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// Bytes that are allocated, by all threads.
static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

/// How many bytes may be allocated: what was when the operation began, and its budget.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The part of the limit that is the operation's budget.
static BUDGET: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The largest piece that was allocated since the operation began.
static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// The reserve of our allocations.
static RESERVE: Reserve = Reserve::none();

/// The last one, for PostgreSQL's errors.
static LAST: Reserve = Reserve::none();

/// The backend's own thread; 0 before the library is loaded.
static BACKEND: AtomicUsize = AtomicUsize::new(0);

/// Whether the reserves are, or need not be, taken in this transaction. Nothing is taken while the library is loaded.
static BEGUN: AtomicBool = AtomicBool::new(true);

/// Whether so much was allocated in this transaction that what is free is given back to the system at its end.
static MUCH: AtomicBool = AtomicBool::new(false);

/// For how many bytes a thread waits that even the reserve has not given; 0 where none waits.
static WAITING: AtomicUsize = AtomicUsize::new(0);

/// How many bytes are kept in reserve at least, and at most.
const LEAST: usize = 16 << 20;
const MOST: usize = 1 << 30;

/// How many for PostgreSQL's errors.
const FOR_ERRORS: usize = 2 << 20;

/// How many allocated bytes are much: C's library keeps those that are freed below a piece that is not.
const GIVEN_BACK: usize = 32 << 20;

/// From how many bytes on it is tried whether they can be had. Smaller pieces come out of the reserve.
const TRIED: usize = LEAST / 32;

/// How long a thread waits for memory at a time, and how often: then it aborts, because nobody polls.
const WAIT: Duration = Duration::from_millis(10);
const WAITS: usize = 6000;

// SAFETY: memory is the system's, which was asked for the same layout; nothing unwinds.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        allocate(layout.size(), 0, || unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as the caller promises.
        allocate(layout.size(), 0, || unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises. What cannot be reallocated stays as it was.
        allocate(size, layout.size(), || unsafe { System.realloc(memory, layout, size) })
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        ALLOCATED.fetch_sub(taken(layout.size()), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Allocates in place of what was there.
#[inline]
fn allocate(bytes: usize, before: usize, system: impl Fn() -> *mut u8) -> *mut u8 {
    if !BEGUN.load(Relaxed) {
        begin_call();
    }
    let mut memory = system();
    if memory.is_null() {
        memory = from_the_reserve(bytes, &system);
    }
    if bytes > LARGEST.load(Relaxed) {
        LARGEST.fetch_max(bytes, Relaxed);
    }
    if !memory.is_null() {
        ALLOCATED.fetch_add(taken(bytes).wrapping_sub(taken(before)), Relaxed);
    }
    memory
}

/// What an allocation takes of the system: a word beside it, and a multiple of two words.
const fn taken(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    bytes.saturating_add(3 * size_of::<usize>() - 1) & !(2 * size_of::<usize>() - 1)
}

/// Allocates what the system has refused.
#[cold]
fn from_the_reserve(bytes: usize, system: &dyn Fn() -> *mut u8) -> *mut u8 {
    RESERVE.give_up();
    let memory = system();
    if !memory.is_null() {
        return memory;
    }
    if [0, this_thread()].contains(&BACKEND.load(Relaxed)) {
        end_session(bytes);
    }
    WAITING.store(bytes, Relaxed);
    for _ in 0..WAITS {
        std::thread::sleep(WAIT);
        let memory = system();
        if !memory.is_null() {
            WAITING.store(0, Relaxed);
            return memory;
        }
    }
    ptr::null_mut()
}

/// What tells threads apart.
fn this_thread() -> usize {
    // SAFETY: returns a number or an address.
    unsafe { libc::pthread_self() as usize }
}

/// Address space that is kept, and never touched.
struct Reserve {
    /// Where it begins; none where it was given up.
    kept: Mutex<Option<usize>>,
    bytes: AtomicUsize,
}

impl Reserve {
    const fn none() -> Reserve {
        Reserve { kept: Mutex::new(None), bytes: AtomicUsize::new(0) }
    }

    /// How many bytes it has.
    fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Gives it back to the system.
    fn give_up(&self) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(start) = kept.take() {
            // SAFETY: mapped by keep(), as many bytes, and used by nobody.
            unsafe { libc::munmap(ptr::without_provenance_mut(start), self.bytes()) };
            self.bytes.store(0, Relaxed);
        }
    }

    /// Has so many bytes in place of those that are kept; whether they can be had.
    fn keep(&self, bytes: usize) -> bool {
        self.give_up();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (how, what) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        if kept.is_none() {
            // SAFETY: new memory, which nobody else knows.
            let start = unsafe { libc::mmap(ptr::null_mut(), bytes, how, what, -1, 0) };
            if start != libc::MAP_FAILED {
                *kept = Some(start.addr());
                self.bytes.store(bytes, Relaxed);
            }
        }
        kept.is_some()
    }
}

/// Has the reserves kept; what cannot be had for them.
fn keep() -> Result<(), usize> {
    let wanted = LARGEST.load(Relaxed).saturating_mul(2).clamp(LEAST, MOST);
    // In steps, so that it is not exchanged for each piece that is a little larger.
    let wanted = wanted.next_multiple_of(LEAST);
    if RESERVE.bytes() < wanted && !RESERVE.keep(wanted) {
        return Err(wanted);
    }
    if LAST.bytes() < FOR_ERRORS && !LAST.keep(FOR_ERRORS) {
        return Err(FOR_ERRORS);
    }
    Ok(())
}

/// Prepares the allocator, as the last thing that is done while the library is loaded.
pub fn begin() {
    BACKEND.store(this_thread(), Relaxed);
    // What a thread has of its own is made when it is first used; C's library ends a process that has no memory for it.
    _ = std::thread::current();
    // SAFETY: called as the library is loaded; the function stays where it is.
    unsafe { pg_sys::RegisterXactCallback(Some(at_end), ptr::null_mut()) };
    BEGUN.store(false, Relaxed);
}

/// Takes the reserves for a call, as far as they can be had. What needs them asks for them ([`prepare`]).
#[cold]
fn begin_call() {
    BEGUN.store(true, Relaxed);
    _ = keep();
}

/// Gives the reserves back at the end of a transaction, and what C's library has kept of much that was freed. It allocates
/// nothing and raises nothing.
unsafe extern "C-unwind" fn at_end(event: pg_sys::XactEvent::Type, _argument: *mut c_void) {
    use pg_sys::XactEvent::*;
    let ends = [
        XACT_EVENT_COMMIT,
        XACT_EVENT_PARALLEL_COMMIT,
        XACT_EVENT_ABORT,
        XACT_EVENT_PARALLEL_ABORT,
        XACT_EVENT_PREPARE,
    ];
    if ends.contains(&event) {
        RESERVE.give_up();
        LAST.give_up();
        BEGUN.store(false, Relaxed);
        #[cfg(target_env = "gnu")]
        if MUCH.swap(false, Relaxed) {
            // SAFETY: any thread may call it at any time.
            unsafe { libc::malloc_trim(0) };
        }
    }
}

/// Whether so many bytes more may be allocated, and can be. Of none: whether the reserve is there and the budget is
/// kept, which is what a poll asks. Any thread may ask.
pub fn room(bytes: usize) -> Result<(), Error> {
    if let Err(wanted) = keep() {
        return Err(Error::OutOfMemory { bytes: wanted });
    }
    let (needed, limit) = (ALLOCATED.load(Relaxed).saturating_add(bytes), LIMIT.load(Relaxed));
    if needed > GIVEN_BACK {
        MUCH.store(true, Relaxed);
    }
    if needed > limit {
        let budget = BUDGET.load(Relaxed);
        return Err(Error::Memory { needed: budget + (needed - limit), budget });
    }
    if bytes >= TRIED && !can_be_had(bytes) {
        return Err(Error::OutOfMemory { bytes });
    }
    Ok(())
}

/// Whether the system has so much in one piece.
fn can_be_had(bytes: usize) -> bool {
    let Ok(layout) = Layout::array::<u8>(bytes) else { return false };
    // SAFETY: more than no bytes, which are given back as they came. Not by way of this allocator, which does not fail.
    unsafe {
        let memory = System.alloc(layout);
        if !memory.is_null() {
            System.dealloc(memory, layout);
        }
        !memory.is_null()
    }
}

/// Gives the reserve to PostgreSQL, or to a thread that begins, until the next poll.
pub fn give_up() {
    RESERVE.give_up();
}

/// What is asked at every poll of the backend's own thread.
pub fn poll() -> Result<(), Error> {
    match WAITING.load(Relaxed) {
        0 => room(0),
        // To unwind would wait for the thread that waits.
        bytes => end_session(bytes),
    }
}

/// How many bytes the operation that runs has allocated.
pub fn held() -> usize {
    let began = LIMIT.load(Relaxed).wrapping_sub(BUDGET.load(Relaxed));
    ALLOCATED.load(Relaxed).saturating_sub(began)
}

/// An operation's budget, until it is dropped.
#[derive(Debug)]
pub struct Budget {
    outer: (usize, usize),
}

impl Budget {
    /// So many bytes more than there are now. An operation within another one keeps the other's budget too.
    pub fn begin(bytes: usize) -> Budget {
        let outer = (LIMIT.load(Relaxed), BUDGET.load(Relaxed));
        let limit = ALLOCATED.load(Relaxed).saturating_add(bytes);
        if limit < outer.0 {
            LIMIT.store(limit, Relaxed);
            BUDGET.store(bytes, Relaxed);
        }
        Budget { outer }
    }
}

impl Drop for Budget {
    fn drop(&mut self) {
        LIMIT.store(self.outer.0, Relaxed);
        BUDGET.store(self.outer.1, Relaxed);
        if self.outer.0 == usize::MAX {
            LARGEST.store(0, Relaxed);
            if RESERVE.bytes() != LEAST {
                RESERVE.keep(LEAST);
            }
        }
    }
}

/// Has the reserves kept, and from now on to the end of the statement gives them to PostgreSQL's errors that memory has run out. Before
/// this has succeeded, no function of PostgreSQL's may be called that allocates much.
pub fn prepare() -> Result<(), Error> {
    static CALLBACK: context::LastCallback = context::LastCallback::new(is_being_told);
    CALLBACK.begin();
    room(0)
}

/// Gives up the reserves where the error that is being made says that memory has run out.
unsafe extern "C-unwind" fn is_being_told(_argument: *mut c_void) {
    // SAFETY: asked of something that is being told; it reads a number.
    if unsafe { geterrcode() } == PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as c_int {
        RESERVE.give_up();
        LAST.give_up();
    }
}

/// Ends the session: there is no memory for anything else.
fn end_session(bytes: usize) -> ! {
    LAST.give_up();
    // SAFETY: called in the backend's own thread. FATAL does not return, and runs no code of Rust's callers. It ends the
    // transaction and the process as a session's end does. Callbacks would need memory.
    unsafe {
        pg_sys::error_context_stack = ptr::null_mut();
        errstart(pg_sys::FATAL as c_int, ptr::null());
        errcode(PgSqlErrorCode::ERRCODE_OUT_OF_MEMORY as c_int);
        errmsg(c"out of memory".as_ptr());
        errdetail(c"%zu bytes could not be had, and the session cannot go on without.".as_ptr(), bytes);
        errhint(HINT.as_ptr());
        errfinish(c"allocator.rs".as_ptr(), line!() as c_int, c"end_session".as_ptr());
    }
    std::process::abort()
}

/// What may be done.
pub const HINT: &std::ffi::CStr = c"Give the server more memory, or ask for less at once: fewer columns or rows. With a lower pg_topdown.max_memory, which superusers set and roles that have SET on it, rows go to temporary files earlier.";

// Called as they are: what the bindings put around them allocates.
extern "C-unwind" {
    fn geterrcode() -> c_int;
    fn errstart(level: c_int, domain: *const c_char) -> bool;
    fn errcode(code: c_int) -> c_int;
    fn errmsg(format: *const c_char, ...) -> c_int;
    fn errdetail(format: *const c_char, ...) -> c_int;
    fn errhint(format: *const c_char, ...) -> c_int;
    fn errfinish(file: *const c_char, line: c_int, function: *const c_char);
}
