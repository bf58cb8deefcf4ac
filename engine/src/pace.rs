//! Polls once per chunk of work. So polls cost next to nothing, and the work between two polls does not grow with the
//! number of rows, distinct values, nodes or candidates.

use crate::progress::{check_memory, poll};
use crate::Error;
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Range;

/// Units of work between two polls, of a nanosecond to a microsecond each. Larger chunks delay a cancel; with smaller
/// ones polls cost more.
const CHUNK: usize = 1 << 14;

thread_local! {
    /// Units of work since the last poll of this thread. Many short loops add up to long work.
    static UNPOLLED: Cell<usize> = const { Cell::new(0) };
}

/// Counts `work` units, about to be done or just done, and polls if a chunk is full.
#[inline]
pub fn tick(work: usize) -> Result<(), Error> {
    let unpolled = UNPOLLED.get().saturating_add(work);
    if unpolled < CHUNK {
        UNPOLLED.set(unpolled);
        return Ok(());
    }
    UNPOLLED.set(0);
    poll()
}

/// Calls `work` with each of the `items`. Items that an adapter drops (`filter`) are not counted: drop them in `work`.
#[inline]
pub fn each<T>(items: impl IntoIterator<Item = T>, mut work: impl FnMut(T)) -> Result<(), Error> {
    let mut items = items.into_iter();
    if let (_, Some(most)) = items.size_hint() {
        if most <= CHUNK {
            items.for_each(work);
            return tick(most);
        }
    }
    loop {
        let mut done = 0;
        items.by_ref().take(CHUNK).for_each(|item| {
            done += 1;
            work(item);
        });
        tick(done)?;
        if done < CHUNK {
            return Ok(());
        }
    }
}

/// Cuts a range into chunks, for loops over records that must be as tight as without polls.
#[inline]
pub fn ranges(all: Range<usize>) -> impl Iterator<Item = Result<Range<usize>, Error>> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let chunk = rest.start..rest.end.min(rest.start.saturating_add(CHUNK));
        rest.start = chunk.end;
        (!chunk.is_empty()).then(|| tick(chunk.len()).map(|()| chunk))
    })
}

/// Collects the `items`, for which it asks for memory first.
pub fn collect<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut items = items.into_iter();
    let many = items.size_hint().0;
    check_memory::<T>(many)?;
    let mut all = Vec::with_capacity(many);
    loop {
        let before = all.len();
        all.extend(items.by_ref().take(CHUNK));
        let done = all.len() - before;
        tick(done)?;
        if done < CHUNK {
            return Ok(all);
        }
    }
}

/// Sorts the `items`, not stably.
///
/// A comparison cannot end a sort of the standard library. So the items are divided by pivots, and the library sorts
/// parts of at most a chunk. (Sorted chunks could be merged instead, but if items are texts, each comparison of a merge
/// would wait for memory and for the one before it. Comparisons with one pivot do not wait for each other.)
pub fn sort_by<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) -> Result<(), Error> {
    let (mut part, mut later) = (items, Vec::new());
    loop {
        if part.len() > CHUNK {
            let front = divide_by_pivot(part, &compare)?;
            let (first, rest) = part.split_at_mut(front.length);
            if !front.is_uniform {
                later.push(first);
            }
            part = rest;
            continue;
        }
        tick(part.len())?;
        part.sort_unstable_by(&compare);
        let Some(next) = later.pop() else { return Ok(()) };
        part = next;
    }
}

/// Finds the longest prefix of the sorted items that `accept` accepts, and returns its length. Sorts no more than
/// necessary: the prefix comes first, in any order, then the first item behind it, then the others. `accept` gets the
/// items that follow the accepted ones, a block at a time. A rejected block is offered again in smaller pieces.
pub fn select_prefix<T: Copy>(
    mut items: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering,
    mut accept: impl FnMut(&[T]) -> bool,
) -> Result<usize, Error> {
    let mut accepted = 0;
    while items.len() > SORTED_AT_ONCE {
        let front = if items.len() > CHUNK {
            divide_by_pivot(items, &compare)?
        } else {
            tick(items.len())?;
            items.select_nth_unstable_by(items.len() / 2, &compare);
            Front { length: items.len() / 2, is_uniform: false }
        };
        let (first, rest) = items.split_at_mut(front.length);
        if accept(first) {
            accepted += first.len();
            items = rest;
        } else {
            items = first;
            if front.is_uniform {
                break;
            }
        }
    }
    items.sort_unstable_by(&compare);
    Ok(accepted + items.chunks(1).take_while(|item| accept(item)).count())
}

/// Largest number of items that [`select_prefix`] sorts instead of dividing them.
const SORTED_AT_ONCE: usize = 32;

/// Front part of divided items. None of its items is greater than one behind it.
struct Front {
    length: usize,
    /// Whether all items of the part are equal.
    is_uniform: bool,
}

/// Divides at least 127 items by the median of a sample.
fn divide_by_pivot<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) -> Result<Front, Error> {
    let mut sample: Vec<T> = items.iter().step_by(items.len() / 127).copied().collect();
    sample.sort_unstable_by(&compare);
    let pivot = sample[sample.len() / 2];
    let smaller = move_to_front(items, |item| compare(item, &pivot).is_lt())?;
    if smaller > 0 {
        return Ok(Front { length: smaller, is_uniform: false });
    }
    // No item is smaller than the pivot, so the front part has those that are equal to it.
    Ok(Front { length: move_to_front(items, |item| compare(item, &pivot).is_le())?, is_uniform: true })
}

/// Moves the items that `belongs` accepts to the front, and returns their number.
fn move_to_front<T: Copy>(items: &mut [T], belongs: impl Fn(&T) -> bool) -> Result<usize, Error> {
    let mut count = 0;
    each(0..items.len(), |i| {
        // Every item is swapped, because a processor could not predict a branch.
        let item = items[i];
        items.swap(i, count);
        count += usize::from(belongs(&item));
    })?;
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{ObserverScope, Progress};
    use proptest::prelude::*;
    use std::rc::Rc;

    /// Observer that measures the work between polls, and cancels at the poll number `last`.
    #[derive(Default)]
    struct Meter {
        work: Cell<usize>,
        /// Most work between two polls.
        largest: Cell<usize>,
        polls: Cell<usize>,
        last: Option<usize>,
    }

    impl Meter {
        fn watching(last: Option<usize>) -> (Rc<Meter>, ObserverScope) {
            let meter = Rc::new(Meter { last, ..Meter::default() });
            (meter.clone(), ObserverScope::observe_with(meter))
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
        type Walk<'a> = &'a dyn Fn(&Meter) -> Result<(), Error>;
        let walks: [Walk; 5] = [
            &|meter| (0..MANY).try_for_each(|_| tick(1).inspect(|()| meter.work(1))),
            &|meter| each(0..MANY, |_| meter.work(1)),
            &|meter| ranges(7..MANY + 7).try_for_each(|range| range.map(|range| meter.work(range.len()))),
            &|meter| {
                let all = collect((0..MANY).inspect(|_| meter.work(1)))?;
                assert_eq!(all.len(), MANY);
                Ok(())
            },
            // Many short loops are one long one.
            &|meter| (0..MANY / 3).try_for_each(|_| each(0..3, |_| meter.work(1))),
        ];
        for walk in walks {
            let (meter, watched) = Meter::watching(None);
            walk(&meter).unwrap();
            assert!(meter.largest.get() <= 2 * CHUNK, "{}", meter.largest.get());
            let polls = meter.polls.get();
            assert!((MANY / CHUNK / 2..=MANY / CHUNK + 1).contains(&polls), "{polls}");
            drop(watched);
            poll().unwrap();
            assert_eq!(meter.polls.get(), polls);
            for last in [1, polls] {
                let (meter, _watched) = Meter::watching(Some(last));
                assert_eq!(walk(&meter), Err(Error::Cancelled));
                assert_eq!(meter.polls.get(), last);
            }
        }
    }

    fn scattered(count: usize) -> Vec<u64> {
        (0..count as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40).collect()
    }

    /// The prefix ends where the sum of the weights would be more than `most`.
    #[test]
    fn a_prefix_is_that_of_sorted_items() {
        for (count, keys) in [(0, 1), (1, 1), (50, 7), (MANY, 1), (MANY, 3), (MANY, MANY), (CHUNK + 5, 40)] {
            let items: Vec<(u64, u64)> =
                scattered(count).into_iter().map(|key| (key % keys as u64, key % 5 + 1)).collect();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            let all: u64 = items.iter().map(|(_, weight)| weight).sum();
            for most in [0, 1, all / 3, all / 2, all - all.min(1), all] {
                let (mut selected, mut sum) = (items.clone(), 0);
                let accept = |block: &[(u64, u64)]| {
                    let weight: u64 = block.iter().map(|(_, weight)| weight).sum();
                    let fits = sum + weight <= most;
                    sum += if fits { weight } else { 0 };
                    fits
                };
                let length = select_prefix(&mut selected, Ord::cmp, accept).unwrap();
                let mut sum = 0;
                let fits = |(_, weight): &&(u64, u64)| {
                    sum += weight;
                    sum <= most
                };
                assert_eq!(length, sorted.iter().take_while(fits).count(), "{count} {keys} {most}");
                assert_eq!(selected.get(length), sorted.get(length));
                selected[..length].sort_unstable();
                selected[length..].sort_unstable();
                assert_eq!(selected, sorted);
            }
        }
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
        sort_by(&mut items, counted).unwrap();
        assert_eq!(items, expected);
        // The sort of a chunk is the longest stretch: n log n comparisons.
        assert!(meter.largest.get() <= CHUNK * 32, "{}", meter.largest.get());
        let polls = meter.polls.get();
        assert!(polls >= MANY / CHUNK, "{polls}");
        for last in [1, polls / 2, polls] {
            let (meter, _watched) = Meter::watching(Some(last));
            assert_eq!(sort_by(&mut scattered(MANY), u64::cmp), Err(Error::Cancelled));
            assert_eq!(meter.polls.get(), last);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn sorts_any_number_of_items(count in 0usize..CHUNK * 5, bits in 1u32..40, runs in any::<bool>()) {
            let mut items: Vec<u64> = scattered(count).iter().map(|i| i >> (40 - bits).min(24)).collect();
            if runs {
                items.chunks_mut(CHUNK * 2 + 7).for_each(|run| run.sort_unstable());
            }
            let mut expected = items.clone();
            expected.sort_unstable();
            sort_by(&mut items, u64::cmp).unwrap();
            prop_assert_eq!(items, expected);
        }
    }
}
