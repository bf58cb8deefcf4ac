//! Counting sort of items by a small key, their bucket.

use crate::progress::lengthen;
use crate::{pace, Error};

/// The items 0, 1, ... sorted by bucket; those of one bucket ascend.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    /// Start of each bucket in `items`; the last entry is the end.
    pub starts: Vec<u32>,
    pub items: Vec<u32>,
}

impl Buckets {
    /// Sorts the items below `items` into `buckets` buckets. `bucket` returns the bucket of an item.
    pub fn sort(items: usize, buckets: usize, bucket: impl Fn(usize) -> u32) -> Result<Buckets, Error> {
        let mut sorted = Buckets::default();
        let bucket = |item: u32| bucket(item as usize) as usize;
        sort_by_bucket(0..items as u32, buckets, bucket, &mut sorted.starts, &mut sorted.items)?;
        Ok(sorted)
    }

    /// Returns the items of a bucket.
    pub fn items(&self, bucket: usize) -> &[u32] {
        &self.items[self.starts[bucket] as usize..self.starts[bucket + 1] as usize]
    }
}

/// Puts `items` into the order of their buckets. Items of one bucket keep their order. Sets `sorted` to the items, and
/// `starts` to the start of each bucket in it; the last entry is the end.
pub(crate) fn sort_by_bucket(
    items: impl DoubleEndedIterator<Item = u32> + Clone,
    buckets: usize,
    bucket: impl Fn(u32) -> usize,
    starts: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
) -> Result<(), Error> {
    starts.clear();
    lengthen(starts, buckets + 1)?;
    pace::each(items.clone(), |item| starts[bucket(item)] += 1)?;
    let all = sizes_into_ends(starts)?;
    sorted.clear();
    lengthen(sorted, all as usize)?;
    // Each bucket is filled from its end down, so its end becomes its start.
    pace::each(items.rev(), |item| {
        let start = &mut starts[bucket(item)];
        *start -= 1;
        sorted[*start as usize] = item;
    })
}

/// Replaces the size of each part by its end, for parts that follow each other from 0. Returns the last end.
pub(crate) fn sizes_into_ends(sizes: &mut [u32]) -> Result<u32, Error> {
    let mut end = 0;
    pace::each(sizes, |size| {
        end += *size;
        *size = end;
    })?;
    Ok(end)
}
