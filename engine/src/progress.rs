//! The one observer of long work: it may cancel it, it knows how much memory there is, and it is told where work stands.
//!
//! A thread has an observer or none ([`Watched`]), so no signature names it. The engine polls often enough that a cancel takes
//! effect within milliseconds, asks whether there is [`room`] before it takes at once what grows with the data, and says
//! after every step or cluster how far it has come. Whether, when and to whom that is shown is the observer's.
//!
//! What grows by doubling is not asked for: whoever observes sees it at the next poll, and has to keep twice the largest
//! piece in reserve.
//!
//! Whatever loops over data does so by [`pace`](crate::pace).

use crate::threads::ThreadPool;
use crate::Error;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

/// Watches long work.
pub trait Progress {
    /// Called often; an error ends the work and is returned as it is.
    fn poll(&self) -> Result<(), Error>;
    /// Says, in any thread, whether so many bytes more can be held. An error means they are not granted.
    fn room(&self) -> fn(usize) -> Result<(), Error> {
        |_bytes| Ok(())
    }
    /// Says where work stands. Called after every step, of which there may be millions: takes the numbers
    /// down and does nothing that takes long.
    fn reached(&self, _stand: Status) {}
    /// The threads beside the one that polls, among which work may be shared out.
    fn threads(&self) -> Option<Rc<ThreadPool>> {
        None
    }
}

/// Where work stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Status {
    /// Steps of a search or a replay that were performed; a clustering has none.
    pub steps: usize,
    /// Groups, of all sets of columns that a model names together; of a clustering, clusters.
    pub groups: usize,
}

thread_local! {
    static OBSERVER: RefCell<Option<Rc<dyn Progress>>> = const { RefCell::new(None) };
}

/// This thread's work is observed, until this is dropped: then by whoever did before.
#[must_use]
pub struct Watched {
    before: Option<Rc<dyn Progress>>,
    of_this_thread: PhantomData<Rc<()>>,
}

impl Watched {
    /// By an observer.
    pub fn by(observer: Rc<dyn Progress>) -> Watched {
        Watched { before: OBSERVER.replace(Some(observer)), of_this_thread: PhantomData }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        OBSERVER.set(self.before.take());
    }
}

fn observer() -> Option<Rc<dyn Progress>> {
    OBSERVER.with_borrow(Clone::clone)
}

/// Polls at once.
#[cold]
pub fn poll() -> Result<(), Error> {
    observer().map_or(Ok(()), |observer| observer.poll())
}

/// Asks whether `count` more values of a type can be held.
pub fn room<T>(count: usize) -> Result<(), Error> {
    asking()(count.saturating_mul(size_of::<T>()))
}

/// The same for a hash table with so many entries: a power of two of places, of which one in eight stays free, and a byte
/// more for each.
pub(crate) fn room_in_table<T>(entries: usize) -> Result<(), Error> {
    let places = (entries.saturating_mul(8) / 7 + 1).checked_next_power_of_two().unwrap_or(usize::MAX);
    asking()(places.saturating_mul(size_of::<T>() + 1))
}

/// Makes room for `more` items of a long vector, by a quarter at least, which wastes less than doubling does.
pub fn reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), Error> {
    if items.capacity() - items.len() < more {
        let more = more.max(items.len() / 4).max(4);
        room::<T>(items.len() + more)?;
        items.reserve_exact(more);
    }
    Ok(())
}

/// What says whether so many bytes more can be held.
pub(crate) fn asking() -> fn(usize) -> Result<(), Error> {
    observer().map_or(|_bytes| Ok(()), |observer| observer.room())
}

/// Says where work stands.
pub(crate) fn reached(status: Status) {
    if let Some(observer) = observer() {
        observer.reached(status);
    }
}

/// The threads beside this one, among which work may be shared out.
pub(crate) fn threads() -> Option<Rc<ThreadPool>> {
    observer()?.threads()
}
