//! A counting sort.

use crate::progress::check_memory;
use crate::{pace, Error};

/// The items 0, 1, ... sorted by bucket; those of one bucket ascend.
pub(crate) struct Buckets {
    /// Start of each bucket in `items`; the last entry is the end.
    pub starts: Vec<u32>,
    pub items: Vec<u32>,
}

impl Buckets {
    /// Sorts the items below `items` into buckets. `bucket` returns the bucket of an item, below `buckets`.
    pub fn sort(items: usize, buckets: usize, bucket: impl Fn(usize) -> u32) -> Result<Buckets, Error> {
        check_memory::<u32>(items.saturating_add(buckets + 1))?;
        let mut starts = vec![0; buckets + 1];
        pace::each(0..items, |item| starts[bucket(item) as usize] += 1)?;
        let mut end = 0;
        pace::each(&mut starts, |start| {
            end += *start;
            *start = end;
        })?;
        // Moves each bucket's end down to its start.
        let mut sorted = vec![0; items];
        pace::each((0..items).rev(), |item| {
            let start = &mut starts[bucket(item) as usize];
            *start -= 1;
            sorted[*start as usize] = item as u32;
        })?;
        Ok(Buckets { starts, items: sorted })
    }

    /// Returns the items of a bucket.
    pub fn items(&self, bucket: usize) -> &[u32] {
        &self.items[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}
