//! What is held of the memory budget, and by whom.
//!
//! Whatever is large is reserved before it is made. What grows as work goes on grows under its guard: [`Reservation::push`]
//! and [`Reservation::insert`] make room by a part of what there is and give back what there was, so that no more is
//! reserved than is used.

use super::{Progress, Unobserved};
use crate::Error;
use hashbrown::HashMap;
use std::hash::Hash;

/// A share of the budget that is given back when it is dropped.
///
/// Whatever is large is reserved before it is made, and the reservation lives as long as the data.
/// So who keeps the data keeps the reservation: a function that returns something large is handed
/// its caller's to grow, and has one of its own for what it needs by the way.
pub struct Reservation<'a> {
    progress: &'a dyn Progress,
    bytes: usize,
}

impl<'a> Reservation<'a> {
    /// Of nothing yet.
    pub fn empty(progress: &'a dyn Progress) -> Self {
        Reservation { progress, bytes: 0 }
    }
    /// Of nothing yet, of a budget that has no end.
    pub fn unobserved() -> Reservation<'static> {
        Reservation::empty(&Unobserved)
    }
    /// Reserves room for `count` values of a type.
    pub fn of<T>(progress: &'a dyn Progress, count: usize) -> Result<Self, Error> {
        Reservation::new(progress, bytes::<T>(count))
    }
    /// Reserves `bytes`, or says that they are not granted.
    pub fn new(progress: &'a dyn Progress, bytes: usize) -> Result<Self, Error> {
        progress.allocate(bytes)?;
        Ok(Reservation { progress, bytes })
    }
    /// Reserves more under the same guard.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.progress.allocate(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
    /// Reserves room for `count` more values of a type.
    pub fn grow_by<T>(&mut self, count: usize) -> Result<(), Error> {
        self.grow(bytes::<T>(count))
    }
    /// Gives back the room of `count` values before the rest.
    pub fn shrink_by<T>(&mut self, count: usize) {
        let bytes = bytes::<T>(count).min(self.bytes);
        self.bytes -= bytes;
        self.progress.release(bytes);
    }
    /// Pushes to a vector that lies under this guard from its beginning. It grows by a quarter at a time, and gives back
    /// the room that it had when it has moved.
    pub fn push<T>(&mut self, items: &mut Vec<T>, item: T) -> Result<(), Error> {
        self.make_room::<T>((items.len(), items.capacity()), 1, |more| items.reserve_exact(more))?;
        items.push(item);
        Ok(())
    }
    /// The same of so many items, all alike.
    pub(crate) fn extend_to<T: Clone>(
        &mut self,
        items: &mut Vec<T>,
        count: usize,
        item: T,
    ) -> Result<(), Error> {
        let room = (items.len(), items.capacity());
        let more = count.saturating_sub(items.len());
        self.make_room::<T>(room, more, |more| items.reserve_exact(more))?;
        items.resize(items.len() + more, item);
        Ok(())
    }
    /// The same of some items.
    pub fn extend<T: Clone>(&mut self, items: &mut Vec<T>, more: &[T]) -> Result<(), Error> {
        let room = (items.len(), items.capacity());
        self.make_room::<T>(room, more.len(), |more| items.reserve_exact(more))?;
        items.extend_from_slice(more);
        Ok(())
    }
    /// The same room for `more` items of whatever holds some already and has a capacity.
    pub(crate) fn make_room<T>(
        &mut self,
        (items, capacity): (usize, usize),
        more: usize,
        reserve_exact: impl FnOnce(usize),
    ) -> Result<(), Error> {
        if capacity - items < more {
            let more = more.max(items / 4).max(4);
            self.grow_by::<T>(items + more)?;
            reserve_exact(more);
            self.shrink_by::<T>(capacity);
        }
        Ok(())
    }
    /// Inserts into a hash table that lies under this guard from its beginning.
    pub fn insert<K: Eq + Hash, V>(
        &mut self,
        table: &mut HashMap<K, V>,
        key: K,
        value: V,
    ) -> Result<(), Error> {
        if table.len() == table.capacity() {
            let (had, most) = (table.allocation_size(), table_bytes::<(K, V)>(table.len() + 1));
            self.grow(most)?;
            table.reserve(1);
            self.shrink_by::<u8>(had + most.saturating_sub(table.allocation_size()));
        }
        table.insert(key, value);
        Ok(())
    }
    /// Adds to a number in such a table, which is none before.
    pub(crate) fn add<K: Eq + Hash>(
        &mut self,
        table: &mut HashMap<K, u64>,
        key: K,
        more: u64,
    ) -> Result<(), Error> {
        match table.get_mut(&key) {
            Some(number) => *number += more,
            None => self.insert(table, key, more)?,
        }
        Ok(())
    }
    /// Takes over another of the same budget, whose data are kept with this one's.
    pub fn absorb(&mut self, mut other: Reservation) {
        self.bytes += std::mem::take(&mut other.bytes);
    }
    /// Whose budget it is.
    pub fn progress(&self) -> &'a dyn Progress {
        self.progress
    }
}

/// The bytes of `count` values in a row.
fn bytes<T>(count: usize) -> usize {
    count.saturating_mul(size_of::<T>())
}

/// The bytes of a hash table with room for `entries`: a power of two of places, of which one in
/// eight stays free, and a byte more for each.
pub(crate) fn table_bytes<T>(entries: usize) -> usize {
    let places = (entries.saturating_mul(8) / 7 + 1).checked_next_power_of_two().unwrap_or(usize::MAX);
    places.max(16).saturating_mul(size_of::<T>() + 1).saturating_add(16)
}

/// How much a vector that is pushed to may take for each item: room for as many again, and what it
/// had before while it moves there.
pub(crate) const GROWING: usize = 3;

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.progress.release(self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Knows what is held.
    #[derive(Default)]
    struct Held(Cell<usize>);

    impl Progress for Held {
        fn poll(&self) -> Result<(), Error> {
            Ok(())
        }
        fn allocate(&self, bytes: usize) -> Result<(), Error> {
            self.0.set(self.0.get() + bytes);
            Ok(())
        }
        fn release(&self, bytes: usize) {
            self.0.set(self.0.get() - bytes);
        }
    }

    #[test]
    fn a_reservation_is_all_that_it_grew_by_and_is_given_back() {
        let held = Held::default();
        let mut reservation = Reservation::new(&held, 10).unwrap();
        reservation.grow(5).unwrap();
        reservation.grow(7).unwrap();
        assert_eq!(held.0.get(), 22);
        reservation.grow_by::<u64>(2).unwrap();
        assert_eq!(held.0.get(), 38);
        reservation.shrink_by::<u32>(3);
        assert_eq!(held.0.get(), 26);
        // No more than there is.
        reservation.shrink_by::<u64>(100);
        assert_eq!(held.0.get(), 0);
        let other = Reservation::of::<u16>(&held, 5).unwrap();
        assert_eq!(held.0.get(), 10);
        reservation.absorb(other);
        assert_eq!(held.0.get(), 10);
        drop(reservation);
        assert_eq!(held.0.get(), 0);
    }

    #[test]
    fn a_table_is_not_larger_than_its_bytes() {
        for entries in [0, 1, 3, 7, 14, 15, 100, 1 << 14, (1 << 14) * 7 / 8, 100_000] {
            let table = hashbrown::HashMap::<u64, u32>::with_capacity(entries);
            let (held, bytes) = (table.allocation_size(), table_bytes::<(u64, u32)>(entries));
            assert!(held <= bytes && bytes <= held * 2 + 300, "{entries}: {held} held, {bytes} said");
        }
    }

    #[test]
    fn what_grows_under_a_reservation_holds_what_it_has_room_for() {
        let held = Held::default();
        let mut reservation = Reservation::empty(&held);
        let (mut items, mut table) = (Vec::new(), HashMap::new());
        for n in 0..10_000u64 {
            let before = (held.0.get(), items.capacity());
            reservation.push(&mut items, n).unwrap();
            assert_eq!(held.0.get() - before.0, (items.capacity() - before.1) * 8);
        }
        reservation.extend(&mut items, &[7; 100]).unwrap();
        reservation.extend_to(&mut items, 20_000, 9).unwrap();
        reservation.extend_to(&mut items, 10, 9).unwrap();
        assert_eq!((items.len(), items[9_999], items[10_050], items[19_999]), (20_000, 9_999, 7, 9));
        assert_eq!(held.0.get(), items.capacity() * 8);
        assert!(items.capacity() <= 25_000);
        drop(reservation);
        let mut reservation = Reservation::empty(&held);
        for n in 0..10_000u64 {
            reservation.add(&mut table, n % 5_000, n).unwrap();
            assert_eq!(held.0.get(), table.allocation_size());
        }
        assert_eq!((table.len(), table[&17]), (5_000, 17 + 5_017));
        reservation.insert(&mut table, 17, 1).unwrap();
        assert_eq!((table.len(), table[&17]), (5_000, 1));
        struct Little;
        impl Progress for Little {
            fn poll(&self) -> Result<(), Error> {
                Ok(())
            }
            fn allocate(&self, needed: usize) -> Result<(), Error> {
                Err(Error::Memory { needed, budget: 0 })
            }
        }
        let mut none = Reservation::empty(&Little);
        assert!(none.push(&mut Vec::new(), 1).is_err() && none.insert(&mut HashMap::new(), 1, 1).is_err());
    }
}
