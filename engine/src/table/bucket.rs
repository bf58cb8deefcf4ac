//! Bucket sort: numbers in the order of small keys, by counting.

use crate::progress::lengthen;
use crate::{pace, Error};

/// Puts `items` into the order of their buckets. Items of one bucket keep their order. Sets `sorted` to the items, and
/// `starts` to where each bucket starts, and the last one ends.
pub fn sort_by_bucket(
    items: impl DoubleEndedIterator<Item = u32> + Clone,
    buckets: usize,
    bucket: impl Fn(u32) -> usize,
    (starts, sorted): (&mut Vec<u32>, &mut Vec<u32>),
) -> Result<(), Error> {
    starts.clear();
    lengthen(starts, buckets + 1)?;
    pace::each(items.clone(), |item| starts[bucket(item)] += 1)?;
    let all = sum_up(starts)?;
    sorted.clear();
    lengthen(sorted, all as usize)?;
    // Moves each bucket's end down to its start.
    pace::each(items.rev(), |item| {
        let start = &mut starts[bucket(item)];
        *start -= 1;
        sorted[*start as usize] = item;
    })
}

/// Replaces sizes by where each part ends that follows the parts before it. Returns the sum.
pub fn sum_up(sizes: &mut [u32]) -> Result<u32, Error> {
    let mut sum = 0;
    pace::each(sizes, |size| {
        sum += *size;
        *size = sum;
    })?;
    Ok(sum)
}
