//! The one observer of long work: it may cancel it, it knows how much memory there is, and it is told where work stands.
//!
//! A thread has an observer or none ([`Watched`]), so no signature names it. The engine polls often enough that a cancel takes
//! effect within milliseconds, asks whether there is [`room`] before it takes at once what grows with the data, and says
//! after every step or cluster how far it has come. Whether, when and to whom that is shown is the observer's.
//!
//! What grows by doubling is not asked for: whoever observes sees it at the next poll, and has to keep twice the largest
//! piece in reserve.
//!
//! Whatever loops over data does so through a [`Pace`], which counts work and polls once in a
//! chunk of it: a poll costs nothing that way, and no stretch without one depends on how many
//! rows, distinct values, nodes or candidates there are.

use crate::threads::ThreadPool;
use crate::Error;
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;
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
    fn reached(&self, _stand: Stand) {}
    /// The threads beside the one that polls, among which work may be shared out.
    fn threads(&self) -> Option<Rc<ThreadPool>> {
        None
    }
}

/// Where work stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stand {
    /// Steps of a search or a replay that were performed; a clustering has none.
    pub steps: usize,
    /// Groups, of all sets of columns that a model names together; of a clustering, clusters.
    pub groups: usize,
}

thread_local! {
    static OBSERVER: RefCell<Option<Rc<dyn Progress>>> = const { RefCell::new(None) };
    /// Work of loops that have ended, since the last poll: many short loops are long work, too.
    static UNPOLLED: Cell<usize> = const { Cell::new(0) };
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
    UNPOLLED.set(0);
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
pub(crate) fn reached(stand: Stand) {
    if let Some(observer) = observer() {
        observer.reached(stand);
    }
}

/// The threads beside this one, among which work may be shared out.
pub(crate) fn threads() -> Option<Rc<ThreadPool>> {
    observer()?.threads()
}

/// How much work is done between two polls. A unit of it takes from a nanosecond to a microsecond.
const CHUNK: usize = 1 << 14;

/// Counts work, and polls once in a chunk of it.
#[derive(Debug)]
pub struct Pace {
    /// Work since the last poll. In a cell, so that every part of a loop can count.
    unpolled: Cell<usize>,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { unpolled: Cell::new(UNPOLLED.take()) }
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        UNPOLLED.set(UNPOLLED.get().saturating_add(self.unpolled.get()));
    }
}

impl Pace {
    /// The pace of some work of this thread.
    pub fn new() -> Pace {
        Pace::default()
    }

    /// Counts `work` units, about to be done or just done.
    #[inline]
    pub fn tick(&self, work: usize) -> Result<(), Error> {
        let unpolled = self.unpolled.get().saturating_add(work);
        if unpolled < CHUNK {
            self.unpolled.set(unpolled);
            return Ok(());
        }
        self.unpolled.set(0);
        poll()
    }

    /// Does something with each of the `items`. Items that an adapter drops (`filter`) do not
    /// count: drop them in `work`.
    #[inline]
    pub fn each<T>(&self, items: impl IntoIterator<Item = T>, mut work: impl FnMut(T)) -> Result<(), Error> {
        let mut items = items.into_iter();
        if let (_, Some(most)) = items.size_hint() {
            if most <= CHUNK {
                items.for_each(work);
                return self.tick(most);
            }
        }
        loop {
            let mut done = 0;
            items.by_ref().take(CHUNK).for_each(|item| {
                done += 1;
                work(item);
            });
            self.tick(done)?;
            if done < CHUNK {
                return Ok(());
            }
        }
    }

    /// The chunks of some indexes, for the loops over records that have to be as tight as they
    /// would be without polls.
    #[inline]
    pub fn ranges(&self, all: Range<usize>) -> impl Iterator<Item = Result<Range<usize>, Error>> + '_ {
        let mut rest = all;
        std::iter::from_fn(move || {
            let chunk = rest.start..rest.end.min(rest.start.saturating_add(CHUNK));
            rest.start = chunk.end;
            (!chunk.is_empty()).then(|| self.tick(chunk.len()).map(|()| chunk))
        })
    }

    /// Collects the `items`.
    pub fn collect<T>(&self, items: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
        let mut items = items.into_iter();
        let many = items.size_hint().0;
        room::<T>(many)?;
        let mut all = Vec::with_capacity(many);
        loop {
            let before = all.len();
            all.extend(items.by_ref().take(CHUNK));
            let done = all.len() - before;
            self.tick(done)?;
            if done < CHUNK {
                return Ok(all);
            }
        }
    }

    /// Sorts the `items`; equal ones may change places, and a cancelled sort leaves anything.
    ///
    /// No comparator can end a sort of the standard library; so items are divided until the
    /// library sorts a chunk at a time. (Merging sorted chunks would wait for memory at every
    /// comparison of texts; against a pivot they do not wait for each other.)
    pub fn sort_by<T: Copy>(
        &self,
        items: &mut [T],
        compare: impl Fn(&T, &T) -> Ordering,
    ) -> Result<(), Error> {
        let large = if items.len() > CHUNK { items.len() } else { 0 };
        room::<T>(large)?;
        let mut spare = Vec::with_capacity(large);
        let mut open = vec![items];
        while let Some(items) = open.pop() {
            if items.len() <= CHUNK {
                self.tick(items.len())?;
                items.sort_unstable_by(&compare);
                continue;
            }
            let mut sample: Vec<T> = items.iter().step_by(items.len() / 127).copied().collect();
            sample.sort_unstable_by(&compare);
            let pivot = sample[sample.len() / 2];
            let smaller = self.partition(items, &mut spare, |item| compare(item, &pivot).is_lt())?;
            if smaller > 0 {
                let (smaller, others) = items.split_at_mut(smaller);
                open.extend([smaller, others]);
            } else {
                // The pivot is the least: what equals it is where it belongs.
                let equal = self.partition(items, &mut spare, |item| compare(item, &pivot).is_le())?;
                open.push(&mut items[equal..]);
            }
        }
        Ok(())
    }

    /// Brings the items that are `first` before the others; how many there are.
    fn partition<T: Copy>(
        &self,
        items: &mut [T],
        spare: &mut Vec<T>,
        first: impl Fn(&T) -> bool,
    ) -> Result<usize, Error> {
        spare.clear();
        spare.extend_from_slice(items);
        let (mut left, mut right) = (0, 0);
        self.each(0..items.len(), |i| {
            // Both are written, one counts: no processor could foretell a branch.
            let item = items[i];
            items[left] = item;
            spare[right] = item;
            let first = first(&item);
            left += usize::from(first);
            right += usize::from(!first);
        })?;
        items[left..].copy_from_slice(&spare[..right]);
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Sees how much work lies between its polls, and cancels at one of them.
    #[derive(Default)]
    struct Meter {
        work: Cell<usize>,
        largest: Cell<usize>,
        polls: Cell<usize>,
        last: Option<usize>,
    }

    impl Meter {
        fn watching(last: Option<usize>) -> (Rc<Meter>, Watched) {
            let meter = Rc::new(Meter { last, ..Meter::default() });
            (meter.clone(), Watched::by(meter))
        }

        fn work(&self, units: usize) {
            self.work.set(self.work.get() + units);
            self.largest.set(self.largest.get().max(self.work.get()));
        }
    }

    impl Progress for Meter {
        fn poll(&self) -> Result<(), Error> {
            self.work.set(0);
            self.polls.set(self.polls.get() + 1);
            if Some(self.polls.get()) == self.last {
                return Err(Error::Cancelled);
            }
            Ok(())
        }
    }

    const MANY: usize = 300_000;

    #[test]
    fn no_stretch_is_longer_than_two_chunks() {
        type Walk<'a> = &'a dyn Fn(&Pace, &Meter) -> Result<(), Error>;
        let walks: [Walk; 5] = [
            &|pace, meter| (0..MANY).try_for_each(|_| pace.tick(1).inspect(|()| meter.work(1))),
            &|pace, meter| pace.each(0..MANY, |_| meter.work(1)),
            &|pace, meter| {
                pace.ranges(7..MANY + 7).try_for_each(|range| range.map(|range| meter.work(range.len())))
            },
            &|pace, meter| {
                let all = pace.collect((0..MANY).inspect(|_| meter.work(1)))?;
                assert_eq!(all.len(), MANY);
                Ok(())
            },
            // Many short walks are one long one.
            &|pace, meter| (0..MANY / 3).try_for_each(|_| pace.each(0..3, |_| meter.work(1))),
        ];
        for walk in walks {
            let (meter, watched) = Meter::watching(None);
            walk(&Pace::new(), &meter).unwrap();
            drop(watched);
            assert!(meter.largest.get() <= 2 * CHUNK, "{}", meter.largest.get());
            let polls = meter.polls.get();
            assert!((MANY / CHUNK / 2..=MANY / CHUNK + 1).contains(&polls), "{polls}");
            for last in [1, polls] {
                let (meter, _watched) = Meter::watching(Some(last));
                assert_eq!(walk(&Pace::new(), &meter), Err(Error::Cancelled));
                assert_eq!(meter.polls.get(), last);
            }
        }
    }

    fn scattered(count: usize) -> Vec<u64> {
        (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).collect()
    }

    /// Many short walks with a pace of their own are one long one, too, and whoever watches is asked no more when it is over.
    #[test]
    fn paces_hand_on_what_they_counted() {
        let (meter, watched) = Meter::watching(None);
        for _ in 0..MANY {
            meter.work(1);
            Pace::new().tick(1).unwrap();
        }
        assert!(meter.largest.get() <= 2 * CHUNK, "{}", meter.largest.get());
        let polls = meter.polls.get();
        drop(watched);
        poll().unwrap();
        assert_eq!(meter.polls.get(), polls);
    }

    #[test]
    fn a_sort_polls_between_few_comparisons() {
        let (meter, _watched) = Meter::watching(None);
        let mut items = scattered(MANY);
        let mut expected = items.clone();
        expected.sort_unstable();
        let counted = |a: &u64, b: &u64| {
            meter.work(1);
            a.cmp(b)
        };
        Pace::new().sort_by(&mut items, counted).unwrap();
        assert_eq!(items, expected);
        // A chunk's own sort is the longest: n log n.
        assert!(meter.largest.get() <= CHUNK * 32, "{}", meter.largest.get());
        let polls = meter.polls.get();
        assert!(polls >= MANY / CHUNK, "{polls}");
        for last in [1, polls / 2, polls] {
            let (meter, _watched) = Meter::watching(Some(last));
            assert_eq!(Pace::new().sort_by(&mut scattered(MANY), u64::cmp), Err(Error::Cancelled));
            assert_eq!(meter.polls.get(), last);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sorts_whatever_the_length(lengths in 0usize..CHUNK * 5, bits in 1u32..40, runs in any::<bool>()) {
            let mut items: Vec<u64> = scattered(lengths).iter().map(|i| i >> (40 - bits).min(24)).collect();
            if runs {
                items.chunks_mut(CHUNK * 2 + 7).for_each(|run| run.sort_unstable());
            }
            let mut expected = items.clone();
            expected.sort_unstable();
            Pace::new().sort_by(&mut items, u64::cmp).unwrap();
            prop_assert_eq!(items, expected);
        }
    }
}
