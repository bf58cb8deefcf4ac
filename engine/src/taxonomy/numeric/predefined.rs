//! The usual predefined hierarchies: equal widths, equal frequencies, given breakpoints.
//!
//! Each says for every level where its intervals begin; the values between
//! two beginnings are a run.

use super::{Run, Values};
use crate::Code;

/// `levels` levels below the root, each node cut into `fan_out` of equal width; the root spans
/// `lower` to `upper`.
pub fn equal_width(values: &Values, lower: f64, upper: f64, levels: u32, fan_out: u64) -> Vec<Run> {
    let finest = pieces(levels, fan_out);
    let piece = |&x: &f64| {
        let place = (x - lower) / (upper - lower) * finest as f64;
        (place.max(0.0) as u64).min(finest - 1)
    };
    nested(values.positions.iter().map(piece).collect(), levels, fan_out)
}

/// `levels` levels below the root, each node cut into `fan_out` of about equally many records: a
/// value belongs to the piece in which its first record falls.
pub fn equal_frequency(values: &Values, levels: u32, fan_out: u64) -> Vec<Run> {
    let total = u128::from(values.counts.iter().sum::<u64>().max(1));
    let finest = u128::from(pieces(levels, fan_out));
    let mut before = 0u64;
    let piece = |&count: &u64| {
        let piece = u128::from(before) * finest / total;
        before += count;
        piece as u64
    };
    nested(values.counts.iter().map(piece).collect(), levels, fan_out)
}

/// The pieces of the finest level; more than can be told apart are of no use.
fn pieces(levels: u32, fan_out: u64) -> u64 {
    fan_out.saturating_pow(levels).min(1 << 52)
}

/// The runs of all levels, given each value's piece on the finest; those of a coarser level are
/// exactly `fan_out` finer ones each, whatever rounding did.
fn nested(mut pieces: Vec<u64>, levels: u32, fan_out: u64) -> Vec<Run> {
    let mut runs = Vec::new();
    for _ in 0..levels {
        level(&mut runs, pieces.len(), |a, b| pieces[a] != pieces[b]);
        pieces.iter_mut().for_each(|piece| *piece /= fan_out.max(2));
        // However many levels are asked for, from here on all are one node.
        if pieces.last() == Some(&0) {
            break;
        }
    }
    runs
}

/// One level for each list of breakpoints: an interval begins at each. The lists must be nested,
/// or the first breakpoint that is missing from the list after is returned as the fault.
pub fn breakpoints(values: &Values, levels: &[Vec<f64>]) -> Result<Vec<Run>, f64> {
    let mut coarse_first: Vec<Vec<f64>> = levels.to_vec();
    for points in &mut coarse_first {
        points.sort_by(f64::total_cmp);
        points.dedup();
    }
    coarse_first.sort_by_key(Vec::len);
    for pair in coarse_first.windows(2) {
        if let Some(&missing) = pair[0].iter().find(|point| !pair[1].contains(point)) {
            return Err(missing);
        }
    }
    let mut runs = Vec::new();
    for points in coarse_first {
        let piece = |x: f64| points.iter().filter(|&&point| point <= x).count();
        level(&mut runs, values.positions.len(), |a, b| {
            piece(values.positions[a]) != piece(values.positions[b])
        });
    }
    Ok(runs)
}

/// The runs of a level, where `apart` says whether two neighbours are in different ones.
fn level(runs: &mut Vec<Run>, values: usize, apart: impl Fn(usize, usize) -> bool) {
    let mut start = 0;
    for i in 1..=values {
        if i == values || apart(i - 1, i) {
            runs.push(start as Code..i as Code);
            start = i;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(positions: &[f64]) -> Values {
        Values { positions: positions.to_vec(), counts: vec![1; positions.len()] }
    }

    #[test]
    fn widths() {
        let v = values(&[0.0, 1.0, 4.0, 5.0, 9.0, 10.0]);
        assert_eq!(equal_width(&v, 0.0, 10.0, 1, 2), [0..3, 3..6]);
        assert_eq!(equal_width(&v, 0.0, 20.0, 1, 2), [0..5, 5..6]);
        assert_eq!(equal_width(&v, 0.0, 10.0, 2, 2), [0..2, 2..3, 3..4, 4..6, 0..3, 3..6]);
    }

    #[test]
    fn frequencies() {
        let v = Values { positions: vec![1.0, 2.0, 3.0, 4.0], counts: vec![3, 1, 1, 1] };
        assert_eq!(equal_frequency(&v, 1, 2), [0..1, 1..4]);
    }

    #[test]
    fn education_num_of_the_comparison() {
        let v = values(&(1..=16).map(f64::from).collect::<Vec<_>>());
        let runs = breakpoints(&v, &[vec![9.0, 11.0, 13.0], vec![11.0]]).unwrap();
        assert_eq!(runs, [0..10, 10..16, 0..8, 8..10, 10..12, 12..16]);
        assert_eq!(breakpoints(&v, &[vec![9.0, 11.0], vec![10.0]]), Err(10.0));
    }
}
