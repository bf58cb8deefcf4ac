//! Rounded ends: where an interval between two values of the data ends, so that it tells neither.
//!
//! A split between the neighbours a < b could be published as b, but b is one person's value. What
//! is published is the roundest end e with a < e <= b: any such e splits the rows alike. The ends
//! of a cluster move outwards by the same rule, the lower one within (value before, least], the
//! upper one within [greatest, value after). So there is one question, the roundest of a [`Gap`],
//! and an answer for each kind of type:
//!
//! * [`integer`] and [`decimal`]: the fewest significant digits, of those an even last digit, of
//!   those the nearest to the middle of the gap, of those the least;
//! * [`date`], [`timestamp`] and [`time`]: the coarsest unit that begins in the gap;
//! * [`interval`]: the coarsest unit of which a multiple lies in the gap.
//!
//! All of them count in whole numbers (decimals in units of their last place, times in
//! microseconds), so a gap becomes the whole numbers in it, a `Span`, whatever its open end.
//!
//! Beyond the data's extreme there is no neighbour; the end is then the next round value strictly
//! beyond. A neighbour outside a type's range, an infinity, is no neighbour either. Whatever a rule
//! answers is published only if it lies in the gap and in the range: else the value itself is.

pub(crate) mod calendar;
pub(crate) mod clock;
mod decimal;
mod number;

pub use calendar::{date, timestamp};
pub use clock::{interval, time};
pub use decimal::{decimal, Precision};
pub use number::integer;

use bigdecimal::num_traits::{Num, Signed};
use std::ops::RangeInclusive;

/// On which side of its value a gap lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Below the value: the end is a lower one, or a split.
    Below,
    /// Above the value: the end is an upper one.
    Above,
}

impl Side {
    fn opposite(self) -> Side {
        match self {
            Side::Below => Side::Above,
            Side::Above => Side::Below,
        }
    }
}

/// What lies between a value of the data and its neighbour on one side, with the value itself and
/// without the neighbour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap<T> {
    /// The value, the gap's closed end.
    pub value: T,
    /// The neighbour, its open end; none beyond the data's extreme.
    pub neighbour: Option<T>,
    /// Where the neighbour lies.
    pub side: Side,
}

/// The whole numbers in a gap.
#[derive(Debug, Clone, PartialEq)]
struct Span<T> {
    /// The least of them.
    lowest: T,
    /// The greatest; never below the least.
    highest: T,
    /// The gap's lower and upper end, to measure its middle.
    ends: (T, T),
}

impl<T: Signed + Ord + Clone> Span<T> {
    /// The candidate nearest to the gap's middle, the lower of equals.
    fn nearest(&self, candidates: impl IntoIterator<Item = T>) -> Option<T> {
        // In the middle it is as far from one end as from the other.
        let distance = |candidate: &T| {
            let (from, to) = self.ends.clone();
            ((candidate.clone() - from) - (to - candidate.clone())).abs()
        };
        candidates.into_iter().map(|candidate| (distance(&candidate), candidate)).min().map(|(_, c)| c)
    }
}

impl<T> Gap<T> {
    /// `(previous, value]`: where a lower end or a split may lie.
    pub fn below(previous: Option<T>, value: T) -> Gap<T> {
        Gap { value, neighbour: previous, side: Side::Below }
    }

    /// `[value, next)`: where an upper end may lie.
    pub fn above(value: T, next: Option<T>) -> Gap<T> {
        Gap { value, neighbour: next, side: Side::Above }
    }

    /// Whether an end lies in the gap.
    pub fn contains(&self, end: &T) -> bool
    where
        T: PartialOrd,
    {
        match self.side {
            Side::Below => *end <= self.value && self.neighbour.as_ref().is_none_or(|n| n < end),
            Side::Above => *end >= self.value && self.neighbour.as_ref().is_none_or(|n| n > end),
        }
    }

    /// The gap in another unit.
    pub fn map<U>(&self, convert: impl Fn(&T) -> U) -> Gap<U> {
        Gap { value: convert(&self.value), neighbour: self.neighbour.as_ref().map(&convert), side: self.side }
    }

    /// The gap in another unit, if both ends can be told in it.
    fn try_map<U>(&self, convert: impl Fn(&T) -> Option<U>) -> Option<Gap<U>> {
        let Gap { value, neighbour, side } = self.map(convert);
        Some(Gap { value: value?, neighbour: neighbour.map_or(Some(None), |n| n.map(Some))?, side })
    }
}

impl<T: Num + PartialOrd + Clone> Gap<T> {
    /// The end of the gap by two rules: `roundest` within a span and the next round value strictly
    /// `beyond` a value on one side. Without `limits` every number is a value.
    fn end(
        &self,
        limits: Option<&RangeInclusive<T>>,
        roundest: impl FnOnce(&Span<T>) -> T,
        beyond: impl FnOnce(&T, Side) -> T,
    ) -> T {
        let in_range = |value: &T| limits.is_none_or(|limits| limits.contains(value));
        let neighbour = self.neighbour.as_ref().filter(|neighbour| in_range(neighbour));
        let end = match (in_range(&self.value), neighbour) {
            (true, Some(neighbour)) => self.span(neighbour).as_ref().map(roundest),
            (true, None) => Some(beyond(&self.value, self.side)),
            // The value is an infinity: what is next to its neighbour parts them, too.
            (false, Some(neighbour)) => Some(beyond(neighbour, self.side.opposite())),
            (false, None) => None,
        };
        end.filter(|end| self.contains(end) && in_range(end)).unwrap_or_else(|| self.value.clone())
    }

    /// The whole numbers between neighbour and value, if there are any.
    fn span(&self, neighbour: &T) -> Option<Span<T>> {
        let (value, neighbour) = (self.value.clone(), neighbour.clone());
        let is_gap = match self.side {
            Side::Below => neighbour < value,
            Side::Above => value < neighbour,
        };
        is_gap.then(|| match self.side {
            Side::Below => Span {
                lowest: neighbour.clone() + T::one(),
                highest: value.clone(),
                ends: (neighbour, value),
            },
            Side::Above => Span {
                lowest: value.clone(),
                highest: neighbour.clone() - T::one(),
                ends: (value, neighbour),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The end by rules that answer what they are told.
    fn end(gap: Gap<i128>, within: i128, beyond: i128) -> i128 {
        gap.end(Some(&(-100..=100)), |_| within, |_, _| beyond)
    }

    #[test]
    fn an_end_lies_in_its_gap_or_is_the_value() {
        assert_eq!(end(Gap::below(Some(1), 9), 5, 0), 5);
        for outside in [1, 0, 10] {
            assert_eq!(end(Gap::below(Some(1), 9), outside, 0), 9);
        }
        for outside in [0, 9, 10] {
            assert_eq!(end(Gap::above(1, Some(9)), outside, 0), 1);
        }
        // Neighbours on the wrong side leave no gap.
        assert_eq!(end(Gap::below(Some(9), 9), 9, 0), 9);
        assert_eq!(end(Gap::above(9, Some(1)), 5, 0), 9);
    }

    #[test]
    fn nothing_is_published_beyond_the_range() {
        assert_eq!(end(Gap::below(None, 9), 0, -100), -100);
        assert_eq!(end(Gap::below(None, 9), 0, -101), 9);
        assert_eq!(end(Gap::above(9, None), 0, 101), 9);
        assert_eq!(end(Gap::above(9, None), 0, 8), 9);
    }

    #[test]
    fn an_infinity_is_no_neighbour() {
        assert_eq!(end(Gap::above(9, Some(i128::MAX)), 50, 10), 10);
        assert_eq!(end(Gap::below(Some(9), i128::MAX), 50, 10), 10);
        assert_eq!(end(Gap::below(Some(i128::MIN), i128::MAX), 50, 10), i128::MAX);
        let sides = |value: &i128, side| if side == Side::Above { value + 1 } else { value - 1 };
        let limits = Some(&(-100..=100));
        assert_eq!(Gap::below(Some(9), i128::MAX).end(limits, |_| 0, sides), 10);
        assert_eq!(Gap::above(i128::MIN, Some(9)).end(limits, |_| 0, sides), 8);
    }

    #[test]
    fn a_span_holds_the_closed_end_only() {
        let span = |gap: Gap<i128>| gap.span(&gap.neighbour?).map(|s| (s.lowest, s.highest, s.ends));
        assert_eq!(span(Gap::below(Some(2), 5)), Some((3, 5, (2, 5))));
        assert_eq!(span(Gap::above(2, Some(5))), Some((2, 4, (2, 5))));
        assert_eq!(span(Gap::below(Some(5), 5)), None);
    }
}
