//! Counts work, and polls once in a chunk of it: a poll costs nothing that way, and no stretch without one depends on how many
//! rows, distinct values, nodes or candidates there are.

use crate::progress::{poll, room};
use crate::Error;
use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::Range;

/// How much work is done between two polls. A unit of it takes from a nanosecond to a microsecond.
const CHUNK: usize = 1 << 14;

thread_local! {
    /// This thread's work since its last poll: many short loops are long work, too.
    static UNPOLLED: Cell<usize> = const { Cell::new(0) };
}

/// Counts `work` units, about to be done or just done.
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

/// Does something with each of the `items`. Items that an adapter drops (`filter`) do not
/// count: drop them in `work`.
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

/// The chunks of some indexes, for the loops over records that have to be as tight as they
/// would be without polls.
#[inline]
pub fn ranges(all: Range<usize>) -> impl Iterator<Item = Result<Range<usize>, Error>> {
    let mut rest = all;
    std::iter::from_fn(move || {
        let chunk = rest.start..rest.end.min(rest.start.saturating_add(CHUNK));
        rest.start = chunk.end;
        (!chunk.is_empty()).then(|| tick(chunk.len()).map(|()| chunk))
    })
}

/// Collects the `items`.
pub fn collect<T>(items: impl IntoIterator<Item = T>) -> Result<Vec<T>, Error> {
    let mut items = items.into_iter();
    let many = items.size_hint().0;
    room::<T>(many)?;
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

/// Sorts the `items`; equal ones may change places, and a cancelled sort leaves anything.
///
/// No comparator can end a sort of the standard library; so items are divided until the
/// library sorts a chunk at a time. (Merging sorted chunks would wait for memory at every
/// comparison of texts; against a pivot they do not wait for each other.)
pub fn sort_by<T: Copy>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) -> Result<(), Error> {
    let large = if items.len() > CHUNK { items.len() } else { 0 };
    room::<T>(large)?;
    let mut spare = Vec::with_capacity(large);
    let mut open = vec![items];
    while let Some(items) = open.pop() {
        if items.len() <= CHUNK {
            tick(items.len())?;
            items.sort_unstable_by(&compare);
            continue;
        }
        let (first, is_sorted) = divide(items, &mut spare, &compare)?;
        let (first, others) = items.split_at_mut(first);
        open.extend((!is_sorted).then_some(first));
        open.push(others);
    }
    Ok(())
}

/// Brings the items that lie before some place of their order before it, the least of the others there, and the rest behind it;
/// what place that is. Of a stretch that begins where the last one ended that lies before the place, `is_before` says whether all
/// of it does.
pub fn cut_by<T: Copy>(
    mut items: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering,
    mut is_before: impl FnMut(&[T]) -> bool,
) -> Result<usize, Error> {
    let large = if items.len() > CHUNK { items.len() } else { 0 };
    room::<T>(large)?;
    let (mut spare, mut place) = (Vec::with_capacity(large), 0);
    while items.len() > FEW {
        let (first, are_alike) = match items.len() > CHUNK {
            true => divide(items, &mut spare, &compare)?,
            false => {
                tick(items.len())?;
                items.select_nth_unstable_by(items.len() / 2, &compare);
                (items.len() / 2, false)
            }
        };
        let (first, others) = items.split_at_mut(first);
        if is_before(first) {
            place += first.len();
            items = others;
        } else {
            items = first;
            if are_alike {
                break;
            }
        }
    }
    items.sort_unstable_by(&compare);
    Ok(place + items.chunks(1).take_while(|item| is_before(item)).count())
}

/// So few items are sorted at once.
const FEW: usize = 32;

/// Divides items so that none of the first is greater than any other; how many are first, and whether these are alike.
fn divide<T: Copy>(
    items: &mut [T],
    spare: &mut Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<(usize, bool), Error> {
    let mut sample: Vec<T> = items.iter().step_by(items.len() / 127).copied().collect();
    sample.sort_unstable_by(&compare);
    let pivot = sample[sample.len() / 2];
    let smaller = partition(items, spare, |item| compare(item, &pivot).is_lt())?;
    if smaller > 0 {
        return Ok((smaller, false));
    }
    // The pivot is the least.
    Ok((partition(items, spare, |item| compare(item, &pivot).is_le())?, true))
}

/// Brings the items that are `first` before the others; how many there are.
fn partition<T: Copy>(
    items: &mut [T],
    spare: &mut Vec<T>,
    first: impl Fn(&T) -> bool,
) -> Result<usize, Error> {
    spare.clear();
    spare.extend_from_slice(items);
    let (mut left, mut right) = (0, 0);
    each(0..items.len(), |i| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{Progress, Watched};
    use proptest::prelude::*;
    use std::rc::Rc;

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
            // Many short walks are one long one.
            &|meter| (0..MANY / 3).try_for_each(|_| each(0..3, |_| meter.work(1))),
        ];
        for walk in walks {
            let (meter, watched) = Meter::watching(None);
            walk(&meter).unwrap();
            drop(watched);
            assert!(meter.largest.get() <= 2 * CHUNK, "{}", meter.largest.get());
            let polls = meter.polls.get();
            assert!((MANY / CHUNK / 2..=MANY / CHUNK + 1).contains(&polls), "{polls}");
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

    /// Items are cut where the weights before come nearest to what is asked, as if they had been sorted.
    #[test]
    fn items_are_cut_as_if_they_were_sorted() {
        for (count, of) in [(0, 1), (1, 1), (50, 7), (MANY, 1), (MANY, 3), (MANY, MANY), (CHUNK + 5, 40)] {
            let items: Vec<(u64, u64)> =
                scattered(count).into_iter().map(|key| (key % of as u64, key % 5 + 1)).collect();
            let all: u64 = items.iter().map(|(_, weight)| weight).sum();
            for most in [0, 1, all / 3, all / 2, all - all.min(1), all] {
                let (mut cut, mut so_far) = (items.clone(), 0);
                let at = cut_by(&mut cut, Ord::cmp, |stretch| {
                    let weight: u64 = stretch.iter().map(|(_, weight)| weight).sum();
                    let is_before = so_far + weight <= most;
                    so_far += if is_before { weight } else { 0 };
                    is_before
                });
                let at = at.unwrap();
                let mut sorted = items.clone();
                sorted.sort_unstable();
                let before = |weight: &mut u64, item: &(u64, u64)| {
                    *weight += item.1;
                    Some(*weight)
                };
                let expected = sorted.iter().scan(0, before).take_while(|weight| *weight <= most).count();
                assert_eq!(at, expected, "{count} {of} {most}");
                assert_eq!(cut.get(at), sorted.get(at));
                cut[..at].sort_unstable();
                cut[at..].sort_unstable();
                assert_eq!(cut, sorted);
            }
        }
    }

    /// Whoever watched is asked no more when it is over.
    #[test]
    fn work_is_told_to_who_watches_it() {
        let (meter, watched) = Meter::watching(None);
        for _ in 0..MANY {
            meter.work(1);
            tick(1).unwrap();
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
        sort_by(&mut items, counted).unwrap();
        assert_eq!(items, expected);
        // A chunk's own sort is the longest: n log n.
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
        fn sorts_whatever_the_length(lengths in 0usize..CHUNK * 5, bits in 1u32..40, runs in any::<bool>()) {
            let mut items: Vec<u64> = scattered(lengths).iter().map(|i| i >> (40 - bits).min(24)).collect();
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
