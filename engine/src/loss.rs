//! Certainty loss of a released value: from 0 (it is the original value) to 1 (it says nothing). See
//! docs/reference/functions.md#the-argument-class. Campan, Cooper and Truta sum it up to the information loss of a
//! cluster (Definition 7).
//!
//! A node of a taxonomy loses (leaves under it - 1)/(all leaves - 1), an interval its width by that of its domain, and
//! a node of a taxonomy of intervals size(node)/size(root). In an interval of whole numbers or days values count like
//! leaves: (values it spans - 1)/(values its domain spans - 1), which is the width from its first value to its last
//! one. Generalization, scores, clusters and measures all use these losses.

/// Loss of an original value.
pub const SINGLE: f64 = 0.0;

/// Loss of `*`.
pub const SUPPRESSED: f64 = 1.0;

/// Returns the loss of a node with `leaves` leaves in a taxonomy with `all` leaves. A single leaf loses nothing.
pub fn leaves_loss(leaves: usize, all: usize) -> f64 {
    if all > 1 {
        (leaves as f64 - 1.0) / (all as f64 - 1.0)
    } else {
        SINGLE
    }
}

/// Returns the upper end by which an interval that excludes `end` is measured: `end`, or the value before it if values
/// are `whole` numbers or days.
pub fn measured_end(end: f64, whole: bool) -> f64 {
    if whole {
        end - 1.0
    } else {
        end
    }
}

/// Returns the loss of an interval in a domain from `least` to `greatest`. If one of them has no width, nothing is
/// lost. With an infinite end everything is.
pub fn width_loss(from: f64, to: f64, least: f64, greatest: f64) -> f64 {
    if from == to || least == greatest {
        return SINGLE;
    }
    // Halves, because the width of the widest domain would overflow.
    let share = (to / 2.0 - from / 2.0) / (greatest / 2.0 - least / 2.0);
    if share.is_finite() && [from, to, least, greatest].iter().all(|end| end.is_finite()) {
        share
    } else {
        SUPPRESSED
    }
}

/// Returns the loss of an interval whose ends may be open. An open end, or one outside the domain (after rounding),
/// counts as the end of the domain, because no values lie beyond.
pub fn interval_loss(from: Option<f64>, to: Option<f64>, least: f64, greatest: f64) -> f64 {
    // `max` and `min` would drop a NaN.
    if [from, to, Some(least), Some(greatest)].into_iter().flatten().any(f64::is_nan) {
        return SUPPRESSED;
    }
    let end = |end: Option<f64>, open: f64| end.unwrap_or(open).max(least).min(greatest);
    let from = end(from, least);
    width_loss(from, end(to, greatest).max(from), least, greatest)
}

/// Returns the loss of a node of a taxonomy whose nodes may be intervals: by its `ends` and those of the `root` if both
/// are known and the root has a width, otherwise by its leaves.
pub fn node_loss(ends: Option<(f64, f64)>, root: Option<(f64, f64)>, leaves: usize, all: usize) -> f64 {
    match (ends, root) {
        (Some((from, to)), Some((least, greatest))) if least < greatest => {
            width_loss(from, to, least, greatest)
        }
        _ => leaves_loss(leaves, all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_leaves() {
        assert_eq!([1, 3, 5].map(|leaves| leaves_loss(leaves, 5)), [SINGLE, 0.5, SUPPRESSED]);
        assert_eq!([leaves_loss(1, 1), leaves_loss(0, 0)], [SINGLE; 2]);
    }

    #[test]
    fn a_share_of_the_width() {
        assert_eq!(width_loss(2.0, 7.0, 0.0, 10.0), 0.5);
        assert_eq!(width_loss(3.0, 3.0, 0.0, 10.0), SINGLE);
        assert_eq!(width_loss(3.0, 4.0, 5.0, 5.0), SINGLE);
        assert_eq!(width_loss(0.0, f64::MAX, -f64::MAX, f64::MAX), 0.5);
        assert_eq!(width_loss(1.0, f64::INFINITY, 0.0, 10.0), SUPPRESSED);
        assert_eq!(width_loss(1.0, 2.0, f64::NEG_INFINITY, 10.0), SUPPRESSED);
        assert_eq!(width_loss(f64::INFINITY, f64::INFINITY, 0.0, f64::INFINITY), SINGLE);
        assert_eq!(width_loss(1.0, f64::NAN, 0.0, f64::NAN), SUPPRESSED);
    }

    #[test]
    fn ends_that_are_open_or_lie_beyond() {
        assert_eq!(interval_loss(None, None, 2.0, 4.0), SUPPRESSED);
        assert_eq!(interval_loss(Some(3.0), None, 2.0, 4.0), 0.5);
        assert_eq!(interval_loss(None, Some(3.0), 2.0, 4.0), 0.5);
        assert_eq!(interval_loss(Some(0.0), Some(3.0), 2.0, 4.0), 0.5);
        assert_eq!(interval_loss(Some(3.5), Some(10.0), 2.0, 4.0), 0.25);
        // The interval [3,1] is empty.
        assert_eq!(interval_loss(Some(3.0), Some(1.0), 0.0, 4.0), SINGLE);
        for (from, to, greatest) in
            [(None, None, f64::NAN), (Some(f64::NAN), None, 4.0), (None, Some(f64::NAN), 4.0)]
        {
            assert_eq!(interval_loss(from, to, 2.0, greatest), SUPPRESSED);
        }
    }

    #[test]
    fn whole_numbers_are_counted() {
        let of_whole = |from, end: Option<f64>, least, greatest| {
            interval_loss(from, end.map(|end| measured_end(end, true)), least, greatest)
        };
        assert_eq!(of_whole(None, Some(1.0), 0.0, 1.0), SINGLE);
        assert_eq!(of_whole(Some(1.0), None, 0.0, 1.0), SINGLE);
        assert_eq!(of_whole(None, None, 0.0, 1.0), SUPPRESSED);
        // 3 to 4 in 0 to 10; 3 alone; all values but 10.
        assert_eq!(of_whole(Some(3.0), Some(5.0), 0.0, 10.0), 0.1);
        assert_eq!(of_whole(Some(3.0), Some(4.0), 0.0, 10.0), SINGLE);
        assert_eq!(of_whole(None, Some(10.0), 0.0, 10.0), 0.9);
        assert_eq!(measured_end(4.0, false), 4.0);
    }

    #[test]
    fn a_node_by_its_ends_or_by_its_leaves() {
        let (ends, root) = (Some((2.0, 7.0)), Some((0.0, 10.0)));
        assert_eq!(node_loss(ends, root, 2, 5), 0.5);
        assert_eq!(node_loss(Some((2.0, 2.0)), root, 2, 5), SINGLE);
        for (ends, root) in [(None, root), (ends, None), (ends, Some((3.0, 3.0))), (ends, Some((3.0, 2.0)))] {
            assert_eq!(node_loss(ends, root, 2, 5), 0.25);
        }
    }
}
