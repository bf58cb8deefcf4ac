//! The one observer of long work: it may cancel it, it holds the memory budget, and it is told where work
//! stands.
//!
//! The engine calls [`Progress::poll`] often enough that a cancel takes effect within
//! milliseconds, announces every large allocation before making it, and says after every step or cluster
//! how far it has come ([`Progress::reached`]). Whether, when and to whom that is shown is the observer's.
//!
//! Whatever loops over data does so through a [`Pace`], which counts work and polls once in a
//! chunk of it: a poll costs nothing that way, and no stretch without one depends on how many
//! rows, distinct values, nodes or candidates there are. What is called as a whole takes the
//! observer; what is called within a loop takes the loop's pace, because many short calls are
//! long work too.

mod reservation;

pub use reservation::Reservation;
pub(crate) use reservation::{table_bytes, GROWING};

use crate::threads::ThreadPool;
use crate::Error;
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Range;

/// Watches long work.
pub trait Progress {
    /// Called often; an error ends the work and is returned as it is.
    fn poll(&self) -> Result<(), Error>;
    /// Says, in any thread, whether so many bytes more can be held. An error means they are not granted.
    fn room(&self) -> fn(usize) -> Result<(), Error> {
        |_bytes| Ok(())
    }
    /// Announces that `bytes` more are about to be held; an error means they are not granted.
    fn allocate(&self, bytes: usize) -> Result<(), Error> {
        self.room()(bytes)
    }
    /// Gives back what was announced.
    fn release(&self, _bytes: usize) {}
    /// Says where work stands. Called after every step, of which there may be millions: takes the numbers
    /// down and does nothing that takes long.
    fn reached(&self, _stand: Stand) {}
    /// The threads beside the one that polls, among which work may be shared out.
    fn threads(&self) -> Option<&ThreadPool> {
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

/// Neither cancels nor counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Progress for Unobserved {
    fn poll(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// How much work is done between two polls. A unit of it takes from a nanosecond to a microsecond.
const CHUNK: usize = 1 << 14;

/// Counts work, and polls once in a chunk of it.
pub struct Pace<'a> {
    progress: &'a dyn Progress,
    /// Work since the last poll. In a cell, so that every part of a loop can count.
    unpolled: Cell<usize>,
}

impl<'a> Pace<'a> {
    /// The pace of some work that `progress` watches.
    pub fn new(progress: &'a dyn Progress) -> Pace<'a> {
        Pace { progress, unpolled: Cell::new(0) }
    }

    /// Who watches.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }

    /// Counts `work` units, about to be done or just done.
    #[inline]
    pub fn tick(&self, work: usize) -> Result<(), Error> {
        let unpolled = self.unpolled.get().saturating_add(work);
        if unpolled < CHUNK {
            self.unpolled.set(unpolled);
            return Ok(());
        }
        self.poll()
    }

    /// Polls at once.
    #[cold]
    pub fn poll(&self) -> Result<(), Error> {
        self.unpolled.set(0);
        self.progress.poll()
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
        let mut all = Vec::with_capacity(items.size_hint().0);
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
        let _memory = Reservation::of::<T>(self.progress, large)?;
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
        fn allocate(&self, _bytes: usize) -> Result<(), Error> {
            Ok(())
        }
        fn release(&self, _bytes: usize) {}
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
            let meter = Meter::default();
            walk(&Pace::new(&meter), &meter).unwrap();
            assert!(meter.largest.get() <= 2 * CHUNK, "{}", meter.largest.get());
            let polls = meter.polls.get();
            assert!((MANY / CHUNK / 2..=MANY / CHUNK + 1).contains(&polls), "{polls}");
            for last in [1, polls] {
                let meter = Meter { last: Some(last), ..Meter::default() };
                assert_eq!(walk(&Pace::new(&meter), &meter), Err(Error::Cancelled));
                assert_eq!(meter.polls.get(), last);
            }
        }
    }

    fn scattered(count: usize) -> Vec<u64> {
        (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).collect()
    }

    #[test]
    fn a_sort_polls_between_few_comparisons() {
        let meter = Meter::default();
        let mut items = scattered(MANY);
        let mut expected = items.clone();
        expected.sort_unstable();
        let counted = |a: &u64, b: &u64| {
            meter.work(1);
            a.cmp(b)
        };
        Pace::new(&meter).sort_by(&mut items, counted).unwrap();
        assert_eq!(items, expected);
        // A chunk's own sort is the longest: n log n.
        assert!(meter.largest.get() <= CHUNK * 32, "{}", meter.largest.get());
        let polls = meter.polls.get();
        assert!(polls >= MANY / CHUNK, "{polls}");
        for last in [1, polls / 2, polls] {
            let meter = Meter { last: Some(last), ..Meter::default() };
            assert_eq!(Pace::new(&meter).sort_by(&mut scattered(MANY), u64::cmp), Err(Error::Cancelled));
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
            Pace::new(&crate::Unobserved).sort_by(&mut items, u64::cmp).unwrap();
            prop_assert_eq!(items, expected);
        }
    }
}
