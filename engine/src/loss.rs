//! What a released value loses of the value it stands for: from 0, where it is that value, to 1,
//! where it says nothing. It is certainty loss (docs/reference/functions.md#the-argument-class);
//! Campan, Cooper and Truta sum it up to the information loss of a cluster (Definition 7).
//!
//! A node of a taxonomy loses (leaves under it - 1)/(all leaves - 1), an interval its width by its
//! domain's, and a node of a taxonomy of intervals size(node)/size(root). An interval of whole numbers or
//! days is counted as leaves are: (values it spans - 1)/(values its domain spans - 1), which is the width
//! from its first value to its last one. Whoever generalizes, scores, clusters or measures takes the loss
//! from here, so that all mean the same by it.

/// Of the value itself.
pub const SINGLE: f64 = 0.0;

/// Of `*`, which may be anything.
pub const SUPPRESSED: f64 = 1.0;

/// Of a node with `leaves` leaves under it, in a taxonomy with `all`; a single leaf loses nothing.
pub fn of_leaves(leaves: usize, all: usize) -> f64 {
    if all > 1 {
        (leaves as f64 - 1.0) / (all as f64 - 1.0)
    } else {
        SINGLE
    }
}

/// Up to where an interval reaches that ends before `end`: to there, or, of whole numbers and days, to the
/// last of them.
pub fn last_before(end: f64, whole: bool) -> f64 {
    if whole {
        end - 1.0
    } else {
        end
    }
}

/// Of what reaches from `from` to `to`, in a domain from `least` to `greatest`: nothing where there
/// is no width, everything where an end lies at infinity.
pub fn of_width(from: f64, to: f64, least: f64, greatest: f64) -> f64 {
    if from == to || least == greatest {
        return SINGLE;
    }
    // In halves, so that the widest domain does not overflow.
    let share = (to / 2.0 - from / 2.0) / (greatest / 2.0 - least / 2.0);
    if share.is_finite() && [from, to, least, greatest].iter().all(|end| end.is_finite()) {
        share
    } else {
        SUPPRESSED
    }
}

/// Of an interval whose ends may be open: an open end counts to that of the domain, and so does one
/// beyond it (a rounded one, say), where there is nothing to be lost.
pub fn of_interval(from: Option<f64>, to: Option<f64>, least: f64, greatest: f64) -> f64 {
    // Neither a maximum nor a minimum would keep what is no number.
    if [from, to, Some(least), Some(greatest)].into_iter().flatten().any(f64::is_nan) {
        return SUPPRESSED;
    }
    let end = |end: Option<f64>, open: f64| end.unwrap_or(open).max(least).min(greatest);
    let from = end(from, least);
    of_width(from, end(to, greatest).max(from), least, greatest)
}

/// Of a node of a taxonomy whose nodes may be intervals: by its `ends` and those of the `root`,
/// where both are known and the root has a width; else by its leaves.
pub fn of_node(ends: Option<(f64, f64)>, root: Option<(f64, f64)>, leaves: usize, all: usize) -> f64 {
    match (ends, root) {
        (Some((from, to)), Some((least, greatest))) if least < greatest => {
            of_width(from, to, least, greatest)
        }
        _ => of_leaves(leaves, all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_the_leaves() {
        assert_eq!([1, 3, 5].map(|leaves| of_leaves(leaves, 5)), [SINGLE, 0.5, SUPPRESSED]);
        assert_eq!([of_leaves(1, 1), of_leaves(0, 0)], [SINGLE; 2]);
    }

    #[test]
    fn a_share_of_the_width() {
        assert_eq!(of_width(2.0, 7.0, 0.0, 10.0), 0.5);
        assert_eq!(of_width(3.0, 3.0, 0.0, 10.0), SINGLE);
        assert_eq!(of_width(3.0, 4.0, 5.0, 5.0), SINGLE);
        assert_eq!(of_width(0.0, f64::MAX, -f64::MAX, f64::MAX), 0.5);
        assert_eq!(of_width(1.0, f64::INFINITY, 0.0, 10.0), SUPPRESSED);
        assert_eq!(of_width(1.0, 2.0, f64::NEG_INFINITY, 10.0), SUPPRESSED);
        assert_eq!(of_width(f64::INFINITY, f64::INFINITY, 0.0, f64::INFINITY), SINGLE);
        assert_eq!(of_width(1.0, f64::NAN, 0.0, f64::NAN), SUPPRESSED);
    }

    #[test]
    fn ends_that_are_open_or_lie_beyond() {
        assert_eq!(of_interval(None, None, 2.0, 4.0), SUPPRESSED);
        assert_eq!(of_interval(Some(3.0), None, 2.0, 4.0), 0.5);
        assert_eq!(of_interval(None, Some(3.0), 2.0, 4.0), 0.5);
        assert_eq!(of_interval(Some(0.0), Some(3.0), 2.0, 4.0), 0.5);
        assert_eq!(of_interval(Some(3.5), Some(10.0), 2.0, 4.0), 0.25);
        // Of [3,1]: it holds nothing.
        assert_eq!(of_interval(Some(3.0), Some(1.0), 0.0, 4.0), SINGLE);
        for (from, to, greatest) in
            [(None, None, f64::NAN), (Some(f64::NAN), None, 4.0), (None, Some(f64::NAN), 4.0)]
        {
            assert_eq!(of_interval(from, to, 2.0, greatest), SUPPRESSED);
        }
    }

    #[test]
    fn whole_numbers_are_counted() {
        let of_whole = |from, end: Option<f64>, least, greatest| {
            of_interval(from, end.map(|end| last_before(end, true)), least, greatest)
        };
        assert_eq!(of_whole(None, Some(1.0), 0.0, 1.0), SINGLE);
        assert_eq!(of_whole(Some(1.0), None, 0.0, 1.0), SINGLE);
        assert_eq!(of_whole(None, None, 0.0, 1.0), SUPPRESSED);
        // 3 and 4 of 0 to 10; 3 alone; all but 10.
        assert_eq!(of_whole(Some(3.0), Some(5.0), 0.0, 10.0), 0.1);
        assert_eq!(of_whole(Some(3.0), Some(4.0), 0.0, 10.0), SINGLE);
        assert_eq!(of_whole(None, Some(10.0), 0.0, 10.0), 0.9);
        assert_eq!(last_before(4.0, false), 4.0);
    }

    #[test]
    fn a_node_by_its_ends_or_by_its_leaves() {
        let (ends, root) = (Some((2.0, 7.0)), Some((0.0, 10.0)));
        assert_eq!(of_node(ends, root, 2, 5), 0.5);
        assert_eq!(of_node(Some((2.0, 2.0)), root, 2, 5), SINGLE);
        for (ends, root) in [(None, root), (ends, None), (ends, Some((3.0, 3.0))), (ends, Some((3.0, 2.0)))] {
            assert_eq!(of_node(ends, root, 2, 5), 0.25);
        }
    }
}
