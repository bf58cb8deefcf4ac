//! Chu and Chiang's hierarchies (KDD 1994): each cut divides a node in two so that the least relaxation error is left.
//!
//! RE(C) is the mean distance of two records of C: the sum over all pairs of values of p(x) p(y) |x - y|, with p the
//! frequency inside C. A cut minimizes P(C1) RE(C1) + P(C2) RE(C2); of equal cuts the lower is taken. Nodes with at
//! least `threshold` values are cut again. Running sums of counts and of counts times values make the work per node
//! linear in its values. The sums start anew in every node, from its least value. Otherwise large numbers that lie
//! close together (times, say) would cancel.

use super::{Run, Values};
use crate::progress::filled;
use crate::{pace, Code, Error};

/// Returns the runs of all cuts.
pub fn chu(values: &Values, threshold: usize) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    let all: Run = 0..values.positions.len() as Code;
    let mut open = vec![all];
    while let Some(run) = open.pop() {
        pace::tick(1)?;
        if run.len() < threshold.max(2) {
            continue;
        }
        let at = cut(values, &run)?;
        for half in [at..run.end, run.start..at] {
            runs.push(half.clone());
            open.push(half);
        }
    }
    Ok(runs)
}

/// Records on one side of a cut.
#[derive(Default)]
struct Side {
    count: f64,
    /// Sum of their values.
    sum: f64,
    /// Sum of the distances of all pairs.
    distances: f64,
}

impl Side {
    /// Adds records of one value, and the distances between them and the records there. All these are below the value,
    /// or all above (`direction` 1 or -1).
    fn add(&mut self, count: f64, value: f64, direction: f64) {
        self.distances += count * (direction * (self.count * value - self.sum));
        self.count += count;
        self.sum += count * value;
    }

    /// Returns P(C) RE(C), times half the number of records of the node.
    fn error(&self) -> f64 {
        if self.count > 0.0 {
            self.distances / self.count
        } else {
            0.0
        }
    }
}

/// Returns the first rank of the right half.
fn cut(values: &Values, run: &Run) -> Result<Code, Error> {
    let indexes = run.start as usize..run.end as usize;
    let least = values.positions[run.start as usize];
    let record = |i: usize| (values.counts[i] as f64, values.positions[i] - least);
    let mut right_errors = filled(0.0, indexes.len())?;
    let mut right = Side::default();
    pace::each(indexes.clone().rev(), |i| {
        let (count, value) = record(i);
        right.add(count, value, -1.0);
        right_errors[i - indexes.start] = right.error();
    })?;
    let mut left = Side::default();
    let mut best = (run.start + 1, f64::INFINITY);
    pace::each(indexes.start..indexes.end - 1, |i| {
        let (count, value) = record(i);
        left.add(count, value, 1.0);
        let error = left.error() + right_errors[i + 1 - indexes.start];
        if error < best.1 * (1.0 - 1e-12) || best.1.is_infinite() {
            best = (i as Code + 1, error);
        }
    })?;
    Ok(best.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn relaxation_error(values: &Values, run: &Run) -> f64 {
        let all: Vec<usize> = (run.start as usize..run.end as usize).collect();
        let total: u64 = all.iter().map(|&i| values.counts[i]).sum();
        let p = |i: usize| values.counts[i] as f64 / total as f64;
        all.iter()
            .flat_map(|&i| all.iter().map(move |&j| (i, j)))
            .map(|(i, j)| p(i) * p(j) * (values.positions[i] - values.positions[j]).abs())
            .sum()
    }

    /// The first cut is at the gap: 1, 2 | 9, 10. Then each pair is cut.
    #[test]
    fn cuts_at_the_gap() {
        let v = Values { positions: vec![1.0, 2.0, 9.0, 10.0], counts: vec![1; 4] };
        let mut runs = chu(&v, 2).unwrap();
        runs.sort_by_key(|r| (r.start, r.end));
        assert_eq!(runs, [0..1, 0..2, 1..2, 2..3, 2..4, 3..4]);
        assert_eq!(chu(&v, 3).unwrap(), [2..4, 0..2]);
    }

    proptest! {
        #[test]
        fn cut_is_the_definitions_minimum(set in prop::collection::btree_map(0i32..50, 1u64..5, 2..15)) {
            let v = Values {
                positions: set.keys().map(|&x| f64::from(x)).collect(),
                counts: set.values().copied().collect(),
            };
            let end = v.positions.len() as Code;
            let total: u64 = v.counts.iter().sum();
            let share = |run: &Run| {
                let n: u64 = v.counts[run.start as usize..run.end as usize].iter().sum();
                n as f64 / total as f64
            };
            let error = |at: Code| {
                [0..at, at..end].iter().map(|half| share(half) * relaxation_error(&v, half)).sum::<f64>()
            };
            let least = (1..end).map(error).fold(f64::INFINITY, f64::min);
            let chosen = cut(&v, &(0..end)).unwrap();
            prop_assert!((error(chosen) - least).abs() < 1e-9);
            prop_assert!((1..chosen).all(|lower| error(lower) > least + 1e-12));
        }
    }
}
