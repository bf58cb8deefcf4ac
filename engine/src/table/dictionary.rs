//! Values to codes, in order of first appearance.
//!
//! A value is its bytes: whatever the caller takes as a value's identity. All bytes lie end to
//! end in one buffer, so a dictionary is three allocations whatever it holds, and a probe
//! compares hashes before bytes (the way DataFusion groups by several columns).

use crate::Code;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// An interner of byte strings.
#[derive(Debug, Default)]
pub struct Dictionary {
    index: HashTable<(u32, Code)>,
    hasher: DefaultHashBuilder,
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl Dictionary {
    /// The code of `value`, a new one at its first appearance.
    #[inline]
    pub fn intern(&mut self, value: &[u8]) -> Code {
        let hash = self.hasher.hash_one(value);
        let short = (hash >> 32) as u32;
        let (ends, bytes) = (&self.ends, &self.bytes);
        if let Some(&(_, code)) =
            self.index.find(hash, |&(h, code)| h == short && slice(ends, bytes, code) == value)
        {
            return code;
        }
        let code = self.ends.len() as Code;
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len());
        let (hasher, ends, bytes) = (&self.hasher, &self.ends, &self.bytes);
        self.index.insert_unique(hash, (short, code), |&(_, c)| hasher.hash_one(slice(ends, bytes, c)));
        code
    }

    /// The value of a code.
    pub fn value(&self, code: Code) -> &[u8] {
        slice(&self.ends, &self.bytes, code)
    }

    /// How many distinct values there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether nothing was interned yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What is held, in bytes.
    pub fn memory(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * size_of::<usize>() + self.index.allocation_size()
    }
}

fn slice<'a>(ends: &[usize], bytes: &'a [u8], code: Code) -> &'a [u8] {
    let code = code as usize;
    let start = if code == 0 { 0 } else { ends[code - 1] };
    &bytes[start..ends[code]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_bytes_same_code() {
        let mut d = Dictionary::default();
        assert!(d.is_empty());
        let codes: Vec<Code> = ["b", "", "a", "b", ""].iter().map(|v| d.intern(v.as_bytes())).collect();
        assert_eq!(codes, [0, 1, 2, 0, 1]);
        assert_eq!((d.value(0), d.value(1), d.value(2)), (&b"b"[..], &b""[..], &b"a"[..]));
        assert_eq!((d.len(), d.is_empty()), (3, false));
    }

    #[test]
    fn many_values_survive_growth() {
        let mut d = Dictionary::default();
        for i in 0..100_000u32 {
            assert_eq!(d.intern(&i.to_le_bytes()), i);
        }
        for i in 0..100_000u32 {
            assert_eq!(d.intern(&i.to_le_bytes()), i);
            assert_eq!(d.value(i), i.to_le_bytes());
        }
        // Four bytes, an end and an entry each, in vectors and a table that have grown.
        let held = 100_000 * (4 + 8 + 8);
        assert!((held..held * 3).contains(&d.memory()), "{}", d.memory());
    }
}
