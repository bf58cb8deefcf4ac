//! Refinement of a continuous column: an interval is split in two at the best place (TDS section
//! 4, TDR section 3.1.3).
//!
//! Codes are ranks of the distinct values, so a node is a range of ranks, its lower end the value
//! at its first rank and its upper end the value just after its last: a split at s gives [l,s)
//! and [s,u) with s a value of the data. The outermost ends are the domain's bounds, not the
//! data's.

use super::{Hierarchy, Kind, Meaning, Node, NodeId};
use crate::{loss, Code, Error};
use hashbrown::HashMap;
use std::ops::{Range, RangeInclusive};

/// The values of a column of intervals.
#[derive(Debug, Clone)]
pub struct Domain {
    /// Where each distinct value lies, ascending: only distances matter.
    pub positions: Vec<f64>,
    /// The domain's lower bound, if one is given.
    pub lower: Option<f64>,
    /// The domain's upper bound, if one is given.
    pub upper: Option<f64>,
    /// For each rank, whether an allowed point lies between the value before (exclusive) and this one
    /// (inclusive). None if every point is allowed.
    pub points: Option<Vec<bool>>,
    /// Whether values are whole numbers or days: there is none between two positions that are 1 apart.
    pub whole: bool,
}

impl Domain {
    /// Whether an interval may be split with this rank for the first of the right half.
    pub fn may_split(&self, at: Code) -> bool {
        self.points.as_ref().is_none_or(|points| points[at as usize])
    }

    /// Certainty loss of an interval: its width divided by the domain's, or, of whole numbers and days, by how
    /// many values it spans. Without bounds, the least and greatest values of the data stand in for them. An empty
    /// interval loses nothing.
    pub fn loss(&self, codes: &Range<Code>) -> f64 {
        let (Some(&least), Some(&greatest)) = (self.positions.first(), self.positions.last()) else {
            return loss::SINGLE;
        };
        if codes.is_empty() {
            return loss::SINGLE;
        }
        let lower = self.lower.unwrap_or(least);
        let upper = self.upper.unwrap_or(greatest);
        // The outermost intervals reach to the bounds, whatever values are there.
        let from = (codes.start > 0).then(|| self.positions[codes.start as usize]);
        let to = self.positions.get(codes.end as usize).map(|&end| loss::last_before(end, self.whole));
        loss::of_interval(from, to, lower, upper)
    }

    /// The same of the closed interval from one value to another.
    pub fn loss_between(&self, ranks: &RangeInclusive<Code>) -> f64 {
        let at = |rank: Code| self.positions[rank as usize];
        let (lower, upper) = (self.lower.unwrap_or(at(0)), self.upper.or(self.positions.last().copied()));
        let (from, to) = (at(*ranks.start()), at(*ranks.end()));
        loss::of_interval(Some(from), Some(to), lower, upper.unwrap_or(to))
    }
}

/// Where intervals are split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Where the gain is largest, whatever that does to the models (TDS section 4).
    Optimal,
    /// Where the gain is largest among the splits after which the models hold.
    Valid,
    /// Of those splits, where the rows are divided most evenly (LeFevre, DeWitt, Ramakrishnan, ICDE 2006).
    Median,
}

impl Split {
    /// Whether a split is chosen among those after which the models hold.
    pub fn is_valid(self) -> bool {
        self != Split::Optimal
    }
}

/// Finds where an interval is best split.
pub trait SplitChooser {
    /// The first rank of the right half; `codes` holds at least two ranks. None where it may not be
    /// split at any.
    fn choose(&self, domain: &Domain, codes: Range<Code>) -> Result<Option<Code>, Error>;
}

impl Hierarchy {
    /// The hierarchy of a continuous column. Codes are ranks; with `nulls`, NULL is the code
    /// after the last rank. The domain is large, the hierarchy is not before it grows.
    pub fn by_intervals(domain: Domain, nulls: bool) -> Hierarchy {
        let codes = 0..domain.positions.len() as Code;
        let loss = domain.loss(&codes);
        let null = codes.end;
        let root = Node { parent: None, depth: 0, children: vec![], codes, meaning: Meaning::Interval, loss };
        let nodes = if nulls { Hierarchy::over_null(null, [root]).collect() } else { vec![root] };
        Hierarchy::new(nodes, Kind::Interval(domain))
    }

    /// The interval between two ends: the known one, perhaps below another node, or a new one below `node`.
    /// By local recoding several groups split the same node, at different points.
    pub fn interval_within(
        &mut self,
        node: NodeId,
        codes: Range<Code>,
        ends: (u32, u32),
        known: &mut HashMap<(u32, u32), NodeId>,
    ) -> Result<NodeId, Error> {
        if let Some(&known) = known.get(&ends) {
            return Ok(known);
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
            whole: false,
        };
        assert_eq!(open.loss(&(0..3)), 1.0);
        assert_eq!(open.loss(&(0..1)), 10.0 / 30.0);
        assert_eq!(open.loss(&(1..2)), 20.0 / 30.0);
        assert_eq!(open.loss(&(2..3)), 0.0);
        let given = Domain { lower: Some(0.0), upper: Some(100.0), ..open };
        assert_eq!(given.loss(&(0..1)), 0.2);
        assert_eq!(given.loss(&(2..3)), 0.6);
        // No value lies in these, whatever width they are shown with.
        for nothing in [0..0, 1..1, 3..3] {
            assert_eq!(given.loss(&nothing), 0.0);
        }
        let whole = Domain { whole: true, ..given.clone() };
        assert_eq!([0..1, 1..2, 2..3, 0..3].map(|codes| whole.loss(&codes)), [0.19, 0.19, 0.6, 1.0]);
        let single = Domain { positions: vec![5.0], lower: None, upper: None, points: None, whole: false };
        assert_eq!(single.loss(&(0..1)), 0.0);
    }
}
