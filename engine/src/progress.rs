//! Observer of long work: it may cancel the work, grants memory, and receives the status.
//!
//! A thread has one observer or none ([`ObserverScope`]), so no signature names it. The engine polls often enough that
//! a cancel takes effect within milliseconds. It asks for [`check_memory`] before it takes a piece of memory that
//! grows with the data, and reports its status after every step or cluster. The observer decides when and to whom to
//! show it.
//!
//! Memory that grows by doubling is not asked for. The observer sees it at the next poll, and has to keep twice the
//! largest piece in reserve.
//!
//! Loops over data use [`pace`](crate::pace).

use crate::threads::ThreadPool;
use crate::Error;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

/// Observer of long work.
pub trait Progress {
    /// Called often. An error ends the work and is returned as it is.
    fn poll(&self) -> Result<(), Error>;
    /// Returns a function that grants a number of further bytes or returns an error. Any thread may call it.
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        |_bytes| Ok(())
    }
    /// Receives the status after every step. There may be millions of steps, so this must be fast.
    fn report(&self, _status: Status) {}
    /// Returns the threads that may share the work of the polling one, if there are any.
    fn threads(&self) -> Option<Rc<ThreadPool>> {
        None
    }
}

/// Progress of a search, a replay or a clustering.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// Number of performed steps. A clustering has none.
    pub steps: usize,
    /// Number of groups, summed over all partitions. In a clustering the number of clusters.
    pub groups: usize,
}

thread_local! {
    static OBSERVER: RefCell<Option<Rc<dyn Progress>>> = const { RefCell::new(None) };
}

/// Scope of an observer of this thread. When it is dropped, the observer before it watches again.
#[must_use]
pub struct ObserverScope {
    before: Option<Rc<dyn Progress>>,
    not_send: PhantomData<Rc<()>>,
}

impl ObserverScope {
    /// Makes `observer` the observer of this thread.
    pub fn observe_with(observer: Rc<dyn Progress>) -> ObserverScope {
        ObserverScope { before: OBSERVER.replace(Some(observer)), not_send: PhantomData }
    }
}

impl Drop for ObserverScope {
    fn drop(&mut self) {
        OBSERVER.set(self.before.take());
    }
}

fn observer() -> Option<Rc<dyn Progress>> {
    OBSERVER.with_borrow(Clone::clone)
}

/// Polls at once, without counting work.
#[cold]
pub fn poll() -> Result<(), Error> {
    observer().map_or(Ok(()), |observer| observer.poll())
}

/// Asks for the memory of `count` further values of a type.
pub fn check_memory<T>(count: usize) -> Result<(), Error> {
    memory_check()(count.saturating_mul(size_of::<T>()))
}

/// Makes `count` copies of a value, for which it asks for memory first.
pub fn filled<T: Clone>(value: T, count: usize) -> Result<Vec<T>, Error> {
    check_memory::<T>(count)?;
    Ok(vec![value; count])
}

/// Makes an empty vector with room for `count` items, for which it asks for memory first.
pub fn with_capacity<T>(count: usize) -> Result<Vec<T>, Error> {
    check_memory::<T>(count)?;
    Ok(Vec::with_capacity(count))
}

/// Asks for the memory of a hash table: the number of its buckets is a power of two, one in eight stays free, and each
/// takes one more byte.
pub(crate) fn check_table_memory<T>(entries: usize) -> Result<(), Error> {
    let buckets = (entries.saturating_mul(8) / 7 + 1).checked_next_power_of_two().unwrap_or(usize::MAX);
    memory_check()(buckets.saturating_mul(size_of::<T>() + 1))
}

/// Makes room for `more` items of a long vector, at least a quarter of its length, which wastes less than doubling.
pub fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if items.capacity() - items.len() < more {
        let more = more.max(items.len() / 4).max(4);
        check_memory::<T>(items.len() + more)?;
        items.reserve_exact(more);
    }
    Ok(())
}

/// Lengthens a vector to at least `least` items.
pub fn lengthen<T: Clone + Default>(items: &mut Vec<T>, least: usize) -> Result<(), Error> {
    let more = least.saturating_sub(items.len());
    reserve(items, more)?;
    items.resize(items.len() + more, T::default());
    Ok(())
}

/// Returns the function that grants memory. Without an observer it grants everything.
pub(crate) fn memory_check() -> fn(usize) -> Result<(), Error> {
    observer().map_or(|_bytes| Ok(()), |observer| observer.memory_check())
}

/// Reports the status to the observer.
pub(crate) fn report(status: Status) {
    if let Some(observer) = observer() {
        observer.report(status);
    }
}

/// Returns the threads of the observer, if it has any.
pub(crate) fn threads() -> Option<Rc<ThreadPool>> {
    observer()?.threads()
}
