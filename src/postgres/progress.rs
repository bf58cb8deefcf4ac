//! The engine's observer inside a backend: interrupts, memory, and what is told of where work stands.
//! Whatever polls for interrupts looks at memory and tells that, too: so nothing is silent that can be cancelled.

use super::activity::{self, Activity};
use super::allocator::{self, Budget};
use super::error::SqlError;
use super::settings;
use super::threads::Pool;
use pgrx::pg_sys;
use std::cell::{Cell, OnceCell, RefCell};
use std::cmp::Ordering;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::rc::Rc;
use std::time::{Duration, Instant};
use topdown::progress::{ObserverScope, Progress, Status};
use topdown::threads::ThreadPool;
use topdown::Error;

/// The backend, as the engine's observer.
#[derive(Debug)]
struct Backend;

impl Progress for Backend {
    fn poll(&self) -> Result<(), Error> {
        poll();
        Ok(())
    }

    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        allocator::room
    }

    fn report(&self, status: Status) {
        activity::reached(status);
    }

    fn threads(&self) -> Option<Rc<ThreadPool>> {
        let pool = THREADS.with_borrow(|threads| (**threads).clone())?;
        pool.get_or_init(|| Pool::new(settings::threads() - 1)).as_ref()?.pool()
    }
}

/// Has the backend observe whatever the engine does in its thread, as the library is loaded. What its thread has of its own is there
/// from then on: C's library ends a process that has no memory to note down how it goes.
pub fn begin() {
    std::mem::forget(ObserverScope::observe_with(Rc::new(Backend)));
    drop(Activity::begin());
}

thread_local! {
    /// The threads of the verb that runs, made when first asked for. A backend that ends amid a verb (FATAL) unwinds nothing: what its
    /// threads wait for stays, so that they are not waited for, but end with it.
    static THREADS: RefCell<ManuallyDrop<Threads>> = const { RefCell::new(ManuallyDrop::new(None)) };
}

type Threads = Option<Rc<OnceCell<Option<Pool>>>>;

/// Others in the place of the threads of now, which are returned.
fn replace_threads(others: Threads) -> Threads {
    ManuallyDrop::into_inner(THREADS.replace(ManuallyDrop::new(others)))
}

/// A verb that runs, until it is dropped: memory is held against `pg_topdown.max_memory`, and what it is at is told.
#[derive(Debug)]
pub struct Watch {
    _budget: Budget,
    _activity: Activity,
    /// The threads of the verb within which this one was called.
    outer: Threads,
}

impl Watch {
    /// A watch with the budget of now.
    pub fn new() -> Watch {
        let (budget, activity) = (Budget::begin(settings::max_memory()), Activity::begin());
        Watch { _budget: budget, _activity: activity, outer: replace_threads(Some(Rc::default())) }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(replace_threads(self.outer.take()));
    }
}

thread_local! {
    /// When what runs shall end by itself.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The time that statement_timeout leaves, as long as it lives: what polls after it fails, before all would be cancelled.
#[derive(Debug)]
pub struct Deadline(Option<Instant>);

impl Deadline {
    /// A little before the end of the statement, if that has one.
    pub fn of_statement() -> Deadline {
        // SAFETY: a plain variable of the backend, and a function that returns another.
        let (limit, started) =
            unsafe { (pg_sys::StatementTimeout, pg_sys::GetCurrentStatementStartTimestamp()) };
        // SAFETY: looks at the clock.
        let gone = unsafe { pg_sys::GetCurrentTimestamp() } - started;
        let left = i64::from(limit) * 1000 * 19 / 20 - gone;
        let end = (limit > 0).then(|| Instant::now() + Duration::from_micros(left.max(0) as u64));
        DEADLINE.set(end);
        Deadline(end)
    }

    /// Whether the time is over.
    pub fn has_passed(&self) -> bool {
        self.0.is_some_and(|end| Instant::now() >= end)
    }
}

impl Drop for Deadline {
    fn drop(&mut self) {
        DEADLINE.set(None);
    }
}

/// Ends the statement if it was cancelled, or if memory has run out; tells where it stands.
pub fn poll() {
    // SAFETY: the flag is a C int that signal handlers set; a volatile read is what C's
    // CHECK_FOR_INTERRUPTS does. ProcessInterrupts is called from the backend's own thread, and
    // its error unwinds as a panic through Rust frames that only hold Rust values.
    unsafe {
        if std::ptr::read_volatile(&raw const pg_sys::InterruptPending) != 0 {
            pg_sys::ProcessInterrupts();
        }
    }
    if let Err(error) = allocator::poll() {
        SqlError::from(error).raise();
    }
    if DEADLINE.get().is_some_and(|end| Instant::now() >= end) {
        SqlError::limit("statement_timeout leaves no more time").raise();
    }
    activity::tell();
}

/// Polls once in a while: a loop over data ticks for every element, or for as many as an element
/// is worth.
#[derive(Debug, Default)]
pub struct Ticker(Cell<usize>);

/// How many ticks come between two polls: few milliseconds of the cheapest loops, and no more than
/// a tenth of a second of those that call a function of PostgreSQL's for every element.
const TICKS: usize = 1 << 12;

impl Ticker {
    /// Some work was done.
    #[inline]
    pub fn tick(&self, work: usize) {
        let done = self.0.get() + work;
        if done < TICKS {
            self.0.set(done);
        } else {
            self.0.set(0);
            poll();
        }
    }

    /// A value of so many bytes was looked at.
    pub fn tick_bytes(&self, bytes: usize) {
        self.tick(1 + bytes / BYTES);
    }
}

/// Waits for others, and can be cancelled.
pub fn pause(time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10));
        poll();
    }
}

/// The same elements; ticks for each.
pub fn polled<T>(elements: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    polled_by(elements, |_| 1)
}

/// The same elements; ticks for each as often as is told.
pub fn polled_by<T>(
    elements: impl IntoIterator<Item = T>,
    ticks: impl Fn(&T) -> usize,
) -> impl Iterator<Item = T> {
    let ticker = Ticker::default();
    elements.into_iter().inspect(move |element| ticker.tick(ticks(element)))
}

/// The same comparison, for sorting; ticks for each.
pub fn polling<T>(compare: impl Fn(&T, &T) -> Ordering) -> impl Fn(&T, &T) -> Ordering {
    let ticker = Ticker::default();
    move |one, other| {
        ticker.tick(1);
        compare(one, other)
    }
}

/// The same values; ticks for each as often as its length asks for.
pub fn polled_by_length<T: AsRef<[u8]>>(values: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let ticker = Ticker::default();
    values.into_iter().inspect(move |value| ticker.tick_bytes(value.as_ref().len()))
}

/// So many bytes of a value are one tick.
const BYTES: usize = 16;

/// The rows of a column, some at a time; between them is polled.
pub fn stretches(rows: usize) -> impl Iterator<Item = Range<usize>> {
    (0..rows).step_by(STRETCH).inspect(|_| poll()).map(move |first| first..rows.min(first + STRETCH))
}

/// How many rows are gone through between two polls.
const STRETCH: usize = 1 << 14;
