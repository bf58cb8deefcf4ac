//! Best split of an interval: by gain alone (TDS section 4: anonymity is irrelevant to finding a split good for
//! classification).
//!
//! One sweep from the lowest value up moves each value's records from the right half to the left, and updates the sums
//! of the gain. So a node costs its histogram cells, not values times classes. Of equal splits the lowest is taken.
//!
//! Alternatively the split divides the rows most evenly (LeFevre, DeWitt, Ramakrishnan, ICDE 2006). Of equally even
//! splits the one with the largest gain is taken.

use super::information::{entropy_from_sum, n_log_n};
use super::{positive_gain, Utility, NOISE};
use crate::refine::interval::{Domain, SplitChooser, SplitRule};
use crate::table::Histogram;
use crate::{pace, Code, Error};
use std::ops::Range;

/// A [`SplitChooser`] over one column's histogram.
pub(crate) struct BestSplit<'a> {
    pub utility: Utility,
    pub histogram: &'a Histogram,
    pub split: SplitRule,
}

impl SplitChooser for BestSplit<'_> {
    fn choose(&self, domain: &Domain, codes: Range<Code>) -> Result<Option<Code>, Error> {
        let mut best = BestSplitSoFar::default();
        self.for_each_allowed(domain, codes, |at, worth| best.take(at, worth))?;
        Ok(best.at())
    }
}

/// Value of a split among the others of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct SplitWorth {
    /// Number of rows of the smaller half, if splits are to be even; otherwise 0.
    evenness: u64,
    gain: f64,
}

impl SplitWorth {
    /// Returns whether a split is better by more than rounding errors, so that of equal splits the lowest is taken.
    fn is_above(&self, other: &SplitWorth) -> bool {
        self.evenness > other.evenness || self.evenness == other.evenness && self.gain > other.gain + NOISE
    }
}

/// Best of the splits seen so far, which come in ascending order.
#[derive(Default)]
pub(crate) struct BestSplitSoFar(Option<(Code, SplitWorth)>);

impl BestSplitSoFar {
    pub fn take(&mut self, at: Code, worth: SplitWorth) {
        if self.0.is_none_or(|(_, most)| worth.is_above(&most)) {
            self.0 = Some((at, worth));
        }
    }

    pub fn at(&self) -> Option<Code> {
        self.0.map(|(at, _)| at)
    }
}

impl BestSplit<'_> {
    /// Passes each allowed split of an interval to `take`, in ascending order: the first code of its right half, and
    /// its worth.
    pub fn for_each_allowed(
        &self,
        domain: &Domain,
        codes: Range<Code>,
        mut take: impl FnMut(Code, SplitWorth),
    ) -> Result<(), Error> {
        let is_even = self.split == SplitRule::Median;
        let all = if is_even { self.histogram.row_count_in(codes.clone())? } else { 0 };
        let mut left = 0;
        let take = |at, gain| {
            if is_even {
                left += self.histogram.row_count(at - 1);
            }
            if domain.may_split(at) {
                take(at, SplitWorth { evenness: left.min(all - left), gain });
            }
        };
        match self.utility {
            Utility::Classification => self.sweep_entropy(codes, take),
            Utility::General => self.sweep_loss(domain, codes, take),
        }
    }

    fn sweep_entropy(&self, codes: Range<Code>, take: impl FnMut(Code, f64)) -> Result<(), Error> {
        let whole = self.histogram.counts(codes.clone())?;
        let (all, before) = (whole.records(), super::entropy(&whole)?);
        let mut halves = ClassHalves::new(whole.all().iter().copied())?;
        let mut left = 0;
        for_each_split(codes, take, |code| {
            pace::each(self.histogram.cells(code), |&(class, n)| halves.move_left(class, n.into()))?;
            left += self.histogram.row_count(code);
            let right = all - left;
            let after = left as f64 * entropy_from_sum(left, halves.left_sum)
                + right as f64 * entropy_from_sum(right, halves.right_sum);
            Ok(before - after / all as f64)
        })
    }

    fn sweep_loss(
        &self,
        domain: &Domain,
        codes: Range<Code>,
        take: impl FnMut(Code, f64),
    ) -> Result<(), Error> {
        let all = self.histogram.row_count_in(codes.clone())?;
        let before = domain.loss(&codes);
        let mut left = 0;
        let (start, end) = (codes.start, codes.end);
        for_each_split(codes, take, |code| {
            left += self.histogram.row_count(code);
            let below = left as f64 * domain.loss(&(start..code + 1))
                + (all - left) as f64 * domain.loss(&(code + 1..end));
            Ok(before - below / all as f64)
        })
    }
}

/// Class counts of both halves of an interval while the split moves upwards.
pub(crate) struct ClassHalves {
    left: Vec<u64>,
    right: Vec<u64>,
    /// Sums of n log2 n over the classes.
    pub left_sum: f64,
    pub right_sum: f64,
}

impl ClassHalves {
    /// Begins with all rows in the right half.
    pub fn new(all: impl Iterator<Item = u64> + Clone) -> Result<ClassHalves, Error> {
        let mut right_sum = 0.0;
        pace::each(all.clone(), |n| right_sum += n_log_n(n))?;
        let (left, right) = (pace::collect(all.clone().map(|_| 0))?, pace::collect(all)?);
        Ok(ClassHalves { left, right, left_sum: 0.0, right_sum })
    }

    /// Moves `n` rows of a class to the left half.
    pub fn move_left(&mut self, class: Code, n: u64) {
        let (left, right) = (&mut self.left[class as usize], &mut self.right[class as usize]);
        self.left_sum += n_log_n(*left + n) - n_log_n(*left);
        self.right_sum += n_log_n(*right - n) - n_log_n(*right);
        *left += n;
        *right -= n;
    }
}

/// Passes every split to `take`, with its gain. `gain(code)` returns the gain of the split just after `code`.
fn for_each_split(
    codes: Range<Code>,
    mut take: impl FnMut(Code, f64),
    mut gain: impl FnMut(Code) -> Result<f64, Error>,
) -> Result<(), Error> {
    for code in codes.start..codes.end - 1 {
        pace::tick(1)?;
        take(code + 1, positive_gain(gain(code)?));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Codes;

    const ANYWHERE: Domain =
        Domain { positions: vec![], lower: None, upper: None, points: None, is_discrete: false };

    /// One record at each of three values.
    #[test]
    fn ties_of_evenness_break_by_gain() {
        let histogram = Histogram::new(&Codes::from_iter([0, 1, 2]), 3, None, None).unwrap();
        let (utility, split) = (Utility::General, SplitRule::Median);
        let even = BestSplit { utility, histogram: &histogram, split };
        let domain = |positions, upper| Domain { positions, upper, ..ANYWHERE };
        // Widths by counts: [0,9) + 2 x [9,10] = 11, against 2 x [0,10) + 0 = 20.
        assert_eq!(even.choose(&domain(vec![0.0, 9.0, 10.0], None), 0..3), Ok(Some(1)));
        // [0,1) + 2 x [1,100] = 199, against 2 x [0,10) + [10,100] = 110.
        assert_eq!(even.choose(&domain(vec![0.0, 1.0, 10.0], Some(100.0)), 0..3), Ok(Some(2)));
    }

    #[test]
    fn ties_break_to_the_lowest_split() {
        let codes = Codes::from_iter([0, 1, 2, 3]);
        let histogram = Histogram::new(&codes, 4, Some((&Codes::from_iter([0, 1, 1, 0]), 2)), None).unwrap();
        let (utility, split) = (Utility::Classification, SplitRule::Optimal);
        let best = BestSplit { utility, histogram: &histogram, split };
        assert_eq!(best.choose(&ANYWHERE, 0..4), Ok(Some(1)));
        let domain = Domain { positions: vec![1.0, 2.0, 3.0, 4.0], ..ANYWHERE };
        let utility = Utility::General;
        let general = BestSplit { utility, histogram: &histogram, split };
        // Widths by counts: [1,2) + 3 x [2,4] = 1 + 6; [1,3) x 2 + [3,4] x 2 = 6; 3 x [1,4) + 0 = 9.
        assert_eq!(general.choose(&domain, 0..4), Ok(Some(2)));
        // Most records are on the right. In a very wide domain no split has a gain above rounding, so all are equal.
        let codes = Codes::from_iter([0, 1, 2, 2, 2, 2, 2, 3]);
        let histogram = Histogram::new(&codes, 4, None, None).unwrap();
        let general = BestSplit { utility, histogram: &histogram, split };
        assert_eq!(general.choose(&domain, 0..3), Ok(Some(2)));
        // Only some points may become ends, and perhaps none of them lies in the interval.
        let some = Domain { points: Some(vec![false, true, false, false]), ..domain.clone() };
        assert_eq!(general.choose(&some, 0..3), Ok(Some(1)));
        assert_eq!(general.choose(&some, 1..3), Ok(None));
        let wide = Domain { lower: Some(1.0), upper: Some(1e13), ..domain };
        assert_eq!(general.choose(&wide, 0..3), Ok(Some(1)));
    }
}
