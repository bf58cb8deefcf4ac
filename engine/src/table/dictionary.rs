//! Dictionary from values to codes, in order of first appearance.
//!
//! A value is the bytes that the caller takes as its identity. All bytes lie end to end in one buffer, so a dictionary
//! of any size is a few allocations, and a probe compares hashes before bytes (as DataFusion does to group by several
//! columns). Short values are first looked up among some recent ones, as a few words each: most columns hold few
//! values.

use crate::progress::{check_table_memory, reserve};
use crate::{Code, Error};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Interner of byte strings.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    index: HashTable<HashedCode>,
    hasher: DefaultHashBuilder,
    /// All values, end to end.
    bytes: Vec<u8>,
    /// End of each value in `bytes`.
    ends: Vec<usize>,
    recent: Box<RecentValues>,
}

/// Code with the first half of its value's hash.
#[derive(Debug, Clone, Copy)]
struct HashedCode {
    half_hash: u32,
    code: Code,
}

/// Short values that were interned recently, each in the slot of its words.
#[derive(Debug, Clone)]
struct RecentValues([Option<(Words, Code)>; 1 << RECENT_BITS]);

/// Binary logarithm of the number of slots.
const RECENT_BITS: u32 = 6;

impl Default for RecentValues {
    fn default() -> RecentValues {
        RecentValues([None; 1 << RECENT_BITS])
    }
}

/// Value of up to 24 bytes as its first words, its last word, which may overlap them, and its length. Different values
/// have different words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Words([u64; 3], u8);

impl Words {
    #[inline]
    fn from_value(value: &[u8]) -> Option<Words> {
        let word = |at: usize| value.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes);
        let half = |at: usize| value.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes).map(u64::from);
        let n = value.len();
        let words = match n {
            // The first, the middle and the last byte of three, two or one are all.
            0 => [0; 3],
            1..=3 => {
                [u64::from(value[0]) << 16 | u64::from(value[n / 2]) << 8 | u64::from(value[n - 1]), 0, 0]
            }
            4..=7 => [half(0)? << 32 | half(n - 4)?, 0, 0],
            8..=16 => [word(0)?, word(n - 8)?, 0],
            17..=24 => [word(0)?, word(8)?, word(n - 8)?],
            _ => return None,
        };
        Some(Words(words, n as u8))
    }

    /// Returns its slot among the recent values.
    #[inline]
    fn recent_slot(&self) -> usize {
        let Words([a, b, c], n) = *self;
        let mixed =
            (a ^ b.rotate_left(21) ^ c.rotate_left(42) ^ u64::from(n)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> (64 - RECENT_BITS)) as usize
    }
}

impl Dictionary {
    /// Returns the code of `value`, a new one at its first appearance. An error leaves the dictionary as it was.
    #[inline]
    pub fn intern(&mut self, value: &[u8]) -> Result<Code, Error> {
        let Some(words) = Words::from_value(value) else { return self.intern_uncached(value) };
        let slot = words.recent_slot();
        if let Some((recent, code)) = self.recent.0[slot] {
            if recent == words {
                return Ok(code);
            }
        }
        let code = self.intern_uncached(value)?;
        self.recent.0[slot] = Some((words, code));
        Ok(code)
    }

    fn intern_uncached(&mut self, value: &[u8]) -> Result<Code, Error> {
        let hash = self.hasher.hash_one(value);
        let half_hash = (hash >> 32) as u32;
        let (ends, bytes) = (&self.ends, &self.bytes);
        let is_it =
            |known: &HashedCode| known.half_hash == half_hash && slice(ends, bytes, known.code) == value;
        if let Some(known) = self.index.find(hash, is_it) {
            return Ok(known.code);
        }
        // Nothing is changed before there is memory for all of it.
        reserve(&mut self.bytes, value.len())?;
        reserve(&mut self.ends, 1)?;
        if self.index.len() == self.index.capacity() {
            check_table_memory::<HashedCode>(self.index.len() + 1)?;
        }
        let code = self.ends.len() as Code;
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        let (hasher, ends, bytes) = (&self.hasher, &self.ends, &self.bytes);
        let full_hash = |known: &HashedCode| hasher.hash_one(slice(ends, bytes, known.code));
        self.index.insert_unique(hash, HashedCode { half_hash, code }, full_hash);
        Ok(code)
    }

    /// Returns the value of a code.
    pub fn value(&self, code: Code) -> &[u8] {
        slice(&self.ends, &self.bytes, code)
    }

    /// Returns the number of distinct values.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the memory of values and index, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.index.allocation_size()
    }
}

/// Returns the bytes of a code's value.
fn slice<'a>(ends: &[usize], bytes: &'a [u8], code: Code) -> &'a [u8] {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &bytes[start..ends[code]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::{ObserverScope, Progress};
    use proptest::prelude::*;
    use std::rc::Rc;

    proptest! {
        /// Values of all lengths that differ in one byte or only in length, with any recent ones.
        #[test]
        fn as_a_map_would(values in prop::collection::vec((0usize..40, 0usize..40, 0u8..3), 1..400)) {
            let mut d = Dictionary::default();
            let mut seen: Vec<Vec<u8>> = Vec::new();
            for (length, place, byte) in values {
                let mut value = vec![7; length];
                if let Some(changed) = value.get_mut(place) {
                    *changed = byte;
                }
                let expected = seen.iter().position(|other| *other == value).unwrap_or_else(|| {
                    seen.push(value.clone());
                    seen.len() - 1
                });
                prop_assert_eq!(d.intern(&value), Ok(expected as Code));
                prop_assert_eq!(d.value(expected as Code), value);
                prop_assert_eq!((d.len(), d.is_empty()), (seen.len(), false));
            }
        }
    }

    #[test]
    fn many_values_survive_growth() {
        let mut d = Dictionary::default();
        for _ in 0..2 {
            for i in 0..100_000u32 {
                assert_eq!(d.intern(&i.to_le_bytes()), Ok(i));
                assert_eq!(d.value(i), i.to_le_bytes());
            }
        }
        // Four bytes, an end and an entry per value, in vectors and a table that have grown.
        let held = 100_000 * (4 + 8 + 8);
        assert!((held..held * 3).contains(&d.memory()), "{}", d.memory());
    }

    /// Observer that refuses pieces of more than a megabyte.
    struct Little;

    impl Progress for Little {
        fn poll(&self) -> Result<(), Error> {
            Ok(())
        }
        fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
            |bytes| if bytes > 1 << 20 { Err(Error::OutOfMemory { bytes }) } else { Ok(()) }
        }
    }

    #[test]
    fn no_more_is_taken_than_there_is_room_for() {
        let _watched = ObserverScope::observe_with(Rc::new(Little));
        let mut d = Dictionary::default();
        let refused = (0..1_000_000u32).find(|i| d.intern(&i.to_le_bytes()).is_err());
        // A value from before the error is still found, without memory.
        let last = refused.expect("there is no room for a million values") - 1;
        assert_eq!(d.intern(&last.to_le_bytes()), Ok(last));
        assert_eq!(d.len(), last as usize + 1);
        assert!(d.memory() <= 3 << 20, "{}", d.memory());
    }
}
