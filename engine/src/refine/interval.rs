//! Refinement of a continuous column: an interval is split in two at the best point (TDS section 4, TDR section
//! 3.1.3).
//!
//! Codes are ranks of the distinct values, and a node is a range of ranks. Its lower end is the value at its first
//! rank, its upper end the value just after its last rank. A split at s gives [l,s) and [s,u), with s a value of the
//! data. The outermost ends are the bounds of the domain, not the extremes of the data.

use super::{Hierarchy, Kind, Meaning, Node, NodeId};
use crate::{loss, Code, Error};
use hashbrown::HashMap;
use std::ops::{Range, RangeInclusive};

/// Values of a column of intervals.
#[derive(Debug, Clone)]
pub struct Domain {
    /// Position of each distinct value, ascending. Only distances matter.
    pub positions: Vec<f64>,
    /// Lower bound of the domain, if one is given.
    pub lower: Option<f64>,
    /// Upper bound of the domain, if one is given.
    pub upper: Option<f64>,
    /// For each rank, whether an allowed point lies between the value before (exclusive) and the value of the rank
    /// (inclusive). None if every point is allowed.
    pub points: Option<Vec<bool>>,
    /// Whether values are whole numbers or days, which have no value between two positions with a distance of 1.
    pub is_discrete: bool,
}

impl Domain {
    /// Returns whether an interval may be split with `at` as the first rank of the right half.
    pub fn may_split(&self, at: Code) -> bool {
        self.points.as_ref().is_none_or(|points| points[at as usize])
    }

    /// Returns the certainty loss of an interval: its width divided by the domain's. The width of whole numbers or
    /// days ends at the last of them. Without bounds, the domain is that of the data. An empty interval has no loss.
    pub fn loss(&self, codes: &Range<Code>) -> f64 {
        let (Some(&least), Some(&greatest)) = (self.positions.first(), self.positions.last()) else {
            return loss::SINGLE;
        };
        if codes.is_empty() {
            return loss::SINGLE;
        }
        let lower = self.lower.unwrap_or(least);
        let upper = self.upper.unwrap_or(greatest);
        // The outermost intervals extend to the bounds.
        let from = (codes.start > 0).then(|| self.positions[codes.start as usize]);
        let to = self.positions.get(codes.end as usize).map(|&end| loss::measured_end(end, self.is_discrete));
        loss::interval_loss(from, to, lower, upper)
    }

    /// Returns the certainty loss of the closed interval from one value to another.
    pub fn loss_between(&self, ranks: &RangeInclusive<Code>) -> f64 {
        let at = |rank: Code| self.positions[rank as usize];
        let (lower, upper) = (self.lower.unwrap_or(at(0)), self.upper.or(self.positions.last().copied()));
        let (from, to) = (at(*ranks.start()), at(*ranks.end()));
        loss::interval_loss(Some(from), Some(to), lower, upper.unwrap_or(to))
    }
}

/// Rule that chooses the split of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitRule {
    /// The point with the largest gain, whether the models hold or not (TDS section 4).
    Optimal,
    /// The point with the largest gain, among the splits after which the models hold.
    Valid,
    /// The point that divides the rows most evenly, among the same splits (LeFevre, DeWitt, Ramakrishnan, ICDE 2006).
    Median,
}

impl SplitRule {
    /// Returns whether only splits are chosen after which the models hold.
    pub fn requires_validity(self) -> bool {
        self != SplitRule::Optimal
    }
}

/// Finds the best split of an interval.
pub trait SplitChooser {
    /// Returns the first rank of the right half, or None if no split is allowed. `codes` holds at least two ranks.
    fn choose(&self, domain: &Domain, codes: Range<Code>) -> Result<Option<Code>, Error>;
}

impl Hierarchy {
    /// Builds the hierarchy of a continuous column. Codes are ranks; with `nulls`, NULL is the code after the last
    /// rank. There is one interval at first.
    pub fn by_intervals(domain: Domain, nulls: bool) -> Hierarchy {
        let codes = 0..domain.positions.len() as Code;
        let loss = domain.loss(&codes);
        let null = codes.end;
        let root = Node { parent: None, depth: 0, children: vec![], codes, meaning: Meaning::Interval, loss };
        let nodes = if nulls { Hierarchy::over_null(null, [root]).collect() } else { vec![root] };
        Hierarchy::new(nodes, Kind::Interval(domain))
    }

    /// Returns the interval of some `codes` by its `ends`: the `known` one, which may be below another node, or a new
    /// one below `node`. In local recoding, several groups split the same node at different points.
    pub fn find_or_add_interval(
        &mut self,
        node: NodeId,
        codes: Range<Code>,
        ends: (u32, u32),
        known: &mut HashMap<(u32, u32), NodeId>,
    ) -> Result<NodeId, Error> {
        if let Some(&id) = known.get(&ends) {
            return Ok(id);
        }
        let Some(id) = self.add_interval(node, codes) else { return Ok(node) };
        known.insert(ends, id);
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loss_is_width_by_width() {
        let open = Domain {
            positions: vec![10.0, 20.0, 40.0],
            lower: None,
            upper: None,
            points: None,
            is_discrete: false,
        };
        assert_eq!(open.loss(&(0..3)), 1.0);
        assert_eq!(open.loss(&(0..1)), 10.0 / 30.0);
        assert_eq!(open.loss(&(1..2)), 20.0 / 30.0);
        assert_eq!(open.loss(&(2..3)), 0.0);
        let given = Domain { lower: Some(0.0), upper: Some(100.0), ..open };
        assert_eq!(given.loss(&(0..1)), 0.2);
        assert_eq!(given.loss(&(2..3)), 0.6);
        // Intervals without a value.
        for nothing in [0..0, 1..1, 3..3] {
            assert_eq!(given.loss(&nothing), 0.0);
        }
        let whole = Domain { is_discrete: true, ..given.clone() };
        assert_eq!([0..1, 1..2, 2..3, 0..3].map(|codes| whole.loss(&codes)), [0.19, 0.19, 0.6, 1.0]);
        let single =
            Domain { positions: vec![5.0], lower: None, upper: None, points: None, is_discrete: false };
        assert_eq!(single.loss(&(0..1)), 0.0);
    }
}
