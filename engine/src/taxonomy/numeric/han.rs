//! Han and Fu's hierarchies (KDD 1994), as read here: levels of nodes with about equally many records.
//!
//! The leaves are the distinct values with their counts. While a level has more than `threshold` nodes, the next level
//! is made by merging neighbours from the left. A node closes when its count reaches the total divided by ceil(nodes /
//! `fan_out`). The root is on top.

use super::{Run, Values};
use crate::progress::check_memory;
use crate::{pace, Code, Error};

/// Returns the runs of all levels.
pub fn han(values: &Values, threshold: usize, fan_out: usize) -> Result<Vec<Run>, Error> {
    // Two levels exist at a time.
    check_memory::<[(Run, u64); 2]>(values.counts.len())?;
    let mut total = 0;
    pace::each(&values.counts, |n| total += n)?;
    let leaves = (0..).zip(&values.counts).map(|(i, &n): (Code, &u64)| (i..i + 1, n));
    let mut level: Vec<(Run, u64)> = pace::collect(leaves)?;
    let mut runs = Vec::new();
    while level.len() > threshold.max(1) {
        let wanted = level.len().div_ceil(fan_out.max(2));
        let enough = total as f64 / wanted as f64;
        let mut next: Vec<(Run, u64)> = Vec::with_capacity(wanted);
        let mut closed = true;
        pace::each(level, |(codes, count)| {
            match next.last_mut() {
                Some((open, sum)) if !closed => {
                    open.end = codes.end;
                    *sum += count;
                }
                _ => next.push((codes, count)),
            }
            closed = next.last().is_some_and(|&(_, sum)| sum as f64 >= enough);
        })?;
        pace::each(&next, |(codes, _)| runs.push(codes.clone()))?;
        level = next;
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten values of 1, 1, 2, 2, 4, 4, 2, 2, 1, 1 records: 10 nodes > 4, so ceil(10/5) = 2 nodes of 10 records each;
    /// the first closes at 1+1+2+2+4 = 10.
    #[test]
    fn by_hand() {
        let v = Values {
            positions: (0..10).map(f64::from).collect(),
            counts: vec![1, 1, 2, 2, 4, 4, 2, 2, 1, 1],
        };
        assert_eq!(han(&v, 4, 5).unwrap(), [0..5, 5..10]);
    }

    #[test]
    fn a_few_values_need_no_level() {
        let v = Values { positions: vec![1.0, 2.0], counts: vec![1, 1] };
        assert_eq!(han(&v, 4, 5).unwrap(), []);
    }
}
