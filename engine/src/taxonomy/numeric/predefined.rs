//! The usual predefined hierarchies: equal widths, equal frequencies, given breakpoints.
//!
//! Each assigns every value to a piece on every level. Neighbouring values in the same piece are a run.

use super::{Run, Values};
use crate::{pace, Code, Error};

/// Levels of pieces of equal width.
#[derive(Debug, Clone, Copy)]
pub struct Widths {
    /// Lower end of the root.
    pub lower: f64,
    /// Upper end of the root.
    pub upper: f64,
    /// Number of levels below the root.
    pub levels: u32,
    /// Number of pieces that each node is cut into.
    pub fan_out: u64,
}

impl Widths {
    /// Returns the piece of the finest level that a value lies in.
    fn piece(&self, x: f64) -> u64 {
        let finest = piece_count(self.levels, self.fan_out);
        let pieces_below = (x - self.lower) / (self.upper - self.lower) * finest as f64;
        (pieces_below.max(0.0) as u64).min(finest - 1)
    }

    /// Returns the ends of the narrowest piece that holds the values `first` to `last`. An end is None if it is that
    /// of the root. Returns None if only the root holds these values.
    pub fn enclosing_piece(&self, first: f64, last: f64) -> Option<[Option<f64>; 2]> {
        let finest = piece_count(self.levels, self.fan_out);
        // The width is counted in pieces of the finest level.
        let (mut from, mut to, mut width) = (self.piece(first), self.piece(last), 1);
        for _ in 0..self.levels {
            if from == to {
                let end = |piece: u64| {
                    let finest_below = piece.saturating_mul(width);
                    let share = finest_below as f64 / finest as f64;
                    let is_inside = 0 < finest_below && finest_below < finest;
                    is_inside.then_some(self.lower + (self.upper - self.lower) * share)
                };
                return Some([end(from), end(from + 1)]);
            }
            (from, to) = (from / self.fan_out.max(2), to / self.fan_out.max(2));
            width = width.saturating_mul(self.fan_out.max(2));
        }
        None
    }
}

/// Returns the runs of nodes of equal width.
pub fn equal_width(values: &Values, widths: &Widths) -> Result<Vec<Run>, Error> {
    let pieces = pace::collect(values.positions.iter().map(|&x| widths.piece(x)))?;
    nested(pieces, widths.levels, widths.fan_out)
}

/// Returns the runs of `levels` levels below the root, each node cut into `fan_out` of about equally many records. A
/// value belongs to the piece of its first record.
pub fn equal_frequency(values: &Values, levels: u32, fan_out: u64) -> Result<Vec<Run>, Error> {
    let mut total = 0u64;
    pace::each(&values.counts, |n| total += n)?;
    let total = u128::from(total.max(1));
    let finest = u128::from(piece_count(levels, fan_out));
    let mut before = 0u64;
    let piece = |&count: &u64| {
        let piece = u128::from(before) * finest / total;
        before += count;
        piece as u64
    };
    nested(pace::collect(values.counts.iter().map(piece))?, levels, fan_out)
}

/// Number of pieces of the finest level, at most 2^52: f64 cannot distinguish more.
fn piece_count(levels: u32, fan_out: u64) -> u64 {
    fan_out.max(2).saturating_pow(levels).min(1 << 52)
}

/// Returns the runs of all levels, given each value's piece on the finest. A piece of a coarser level is exactly
/// `fan_out` finer ones, so rounding cannot break the nesting.
fn nested(mut pieces: Vec<u64>, levels: u32, fan_out: u64) -> Result<Vec<Run>, Error> {
    let mut runs = Vec::new();
    for _ in 0..levels {
        add_level_runs(&mut runs, &pieces)?;
        pace::each(&mut pieces, |piece| *piece /= fan_out.max(2))?;
        // All values are in one node from here on.
        if pieces.last() == Some(&0) {
            break;
        }
    }
    Ok(runs)
}

/// Returns the runs of one level for each list of breakpoints; an interval begins at each. The lists must be nested.
/// If they are not, returns the first breakpoint that is missing from the next finer list.
pub fn breakpoints(values: &Values, levels: &[Vec<f64>]) -> Result<Result<Vec<Run>, f64>, Error> {
    let mut coarse_first = Vec::with_capacity(levels.len());
    for points in levels {
        let mut sorted = pace::collect(points.iter().copied())?;
        pace::sort_by(&mut sorted, f64::total_cmp)?;
        let mut distinct: Vec<f64> = Vec::new();
        pace::each(sorted, |point| {
            if distinct.last() != Some(&point) {
                distinct.push(point);
            }
        })?;
        coarse_first.push(distinct);
    }
    coarse_first.sort_by_key(Vec::len);
    for pair in coarse_first.windows(2) {
        for &point in &pair[0] {
            pace::tick(1)?;
            if !contains_point(&pair[1], point) {
                return Ok(Err(point));
            }
        }
    }
    let mut runs = Vec::new();
    for points in coarse_first {
        // NaN is not an end. Those with a negative sign sort first and are skipped; the others sort last, above every
        // value.
        let numbers = &points[points.partition_point(|point| point.is_nan() && point.is_sign_negative())..];
        let piece = |&x: &f64| numbers.partition_point(|&point| point <= x);
        add_level_runs(&mut runs, &pace::collect(values.positions.iter().map(piece))?)?;
    }
    Ok(Ok(runs))
}

/// Returns whether a point is among sorted ones. The sign of zero makes no difference.
fn contains_point(points: &[f64], point: f64) -> bool {
    let place = points.partition_point(|other| other.total_cmp(&point).is_lt());
    [place.checked_sub(1), Some(place)].into_iter().flatten().any(|place| points.get(place) == Some(&point))
}

/// Adds the runs of a level: neighbours in the same piece are one run.
fn add_level_runs<T: PartialEq>(runs: &mut Vec<Run>, pieces: &[T]) -> Result<(), Error> {
    let mut start = 0;
    pace::each(1..=pieces.len(), |i| {
        if i == pieces.len() || pieces[i - 1] != pieces[i] {
            runs.push(start as Code..i as Code);
            start = i;
        }
    })
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
        let widths = |upper, levels| Widths { lower: 0.0, upper, levels, fan_out: 2 };
        let width = |upper, levels| equal_width(&v, &widths(upper, levels)).unwrap();
        assert_eq!(width(10.0, 1), [0..3, 3..6]);
        assert_eq!(width(20.0, 1), [0..5, 5..6]);
        assert_eq!(width(10.0, 2), [0..2, 2..3, 3..4, 4..6, 0..3, 3..6]);
        let around = |first, last| widths(10.0, 2).enclosing_piece(first, last);
        assert_eq!(around(3.0, 4.0), Some([Some(2.5), Some(5.0)]));
        assert_eq!(around(0.0, 4.0), Some([None, Some(5.0)]));
        assert_eq!(around(9.0, 10.0), Some([Some(7.5), None]));
        assert_eq!(around(4.0, 5.0), None);
    }

    #[test]
    fn frequencies() {
        let v = Values { positions: vec![1.0, 2.0, 3.0, 4.0], counts: vec![3, 1, 1, 1] };
        assert_eq!(equal_frequency(&v, 1, 2).unwrap(), [0..1, 1..4]);
    }

    #[test]
    fn education_num_of_the_comparison() {
        let v = values(&(1..=16).map(f64::from).collect::<Vec<_>>());
        let breakpoints = |levels: &[Vec<f64>]| breakpoints(&v, levels).unwrap();
        let runs = breakpoints(&[vec![9.0, 11.0, 13.0], vec![11.0]]).unwrap();
        assert_eq!(runs, [0..10, 10..16, 0..8, 8..10, 10..12, 12..16]);
        assert_eq!(breakpoints(&[vec![9.0, 11.0], vec![10.0]]), Err(10.0));
    }

    /// The sign of zero makes no difference, and NaN is never found again.
    #[test]
    fn points_that_compare_in_their_own_way() {
        let v = values(&[-1.0, 0.0, 1.0]);
        let breakpoints = |levels: &[Vec<f64>]| breakpoints(&v, levels).unwrap();
        assert_eq!(breakpoints(&[vec![0.0], vec![-0.0, 1.0]]).unwrap(), [0..1, 1..3, 0..1, 1..2, 2..3]);
        assert_eq!(breakpoints(&[vec![-0.0], vec![0.0, 1.0]]).unwrap(), [0..1, 1..3, 0..1, 1..2, 2..3]);
        assert!(breakpoints(&[vec![f64::NAN], vec![f64::NAN, 0.0]]).unwrap_err().is_nan());
        assert_eq!(breakpoints(&[vec![f64::NAN, -f64::NAN, 0.0]]).unwrap(), [0..1, 1..3]);
    }
}
