//! Axes of columns, and conditions on them.

use crate::{pace, Code, Error};
use std::ops::Range;

/// Positions of a column's values on a line, so that a query can ask for a range of them.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Position of each code, ascending: the number itself, or the rank of a leaf. NULL has none.
    pub positions: Vec<f64>,
    /// Length of a value on the axis: 1 for integers, days and leaves, 0 for others.
    pub unit: f64,
}

/// Pieces of the axis that a released value covers; empty for NULL.
pub type ReleasedPieces = Vec<Piece>;

/// A piece of an axis, over which rows are spread evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Piece {
    /// Start of the piece.
    pub from: f64,
    /// End of the piece.
    pub to: f64,
    /// Share of the rows in this piece, relative to the sum of the weights of all pieces.
    pub weight: f64,
}

/// Condition on a column: its value lies in a part of its axis.
#[derive(Debug, Clone)]
pub struct Predicate {
    /// Index of the column.
    pub(super) column: usize,
    /// These parts, ascending and disjoint.
    pub(super) parts: Vec<AxisPart>,
}

/// Part of an axis, from a position (inclusive) to another (exclusive), and its codes.
#[derive(Debug, Clone)]
pub(super) struct AxisPart {
    pub from: f64,
    pub to: f64,
    pub codes: Range<Code>,
}

impl Piece {
    /// Makes one of several pieces over which rows are spread evenly.
    pub fn even(from: f64, to: f64) -> Piece {
        Piece { from, to, weight: to - from }
    }
}

impl Axis {
    /// Returns the start and the end of the axis.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        let (&first, &last) = (self.positions.first()?, self.positions.last()?);
        Some((first, last + self.unit))
    }

    /// Makes a condition of the range from one position (inclusive) to another (exclusive).
    pub fn range(&self, column: usize, from: f64, to: f64) -> Predicate {
        Predicate { column, parts: vec![self.part(from, to)] }
    }

    /// Makes a condition of single values, by their positions.
    pub fn values(&self, column: usize, mut positions: Vec<f64>) -> Predicate {
        positions.sort_unstable_by(f64::total_cmp);
        positions.dedup();
        let parts = positions.into_iter().map(|at| self.part(at, self.after(at))).collect();
        Predicate { column, parts }
    }

    fn part(&self, from: f64, to: f64) -> AxisPart {
        let first_code = |position: f64| self.positions.partition_point(|&at| at < position) as Code;
        AxisPart { from, to, codes: first_code(from)..first_code(to) }
    }

    /// Returns the first position after a value.
    pub fn after(&self, position: f64) -> f64 {
        if self.unit > 0.0 {
            position + self.unit
        } else {
            position.next_up()
        }
    }
}

impl Predicate {
    /// Returns the share of a released value's rows that the condition selects.
    pub(super) fn selected_share(&self, pieces: &ReleasedPieces) -> Result<f64, Error> {
        let (mut selected, mut all) = (0.0, 0.0);
        for &Piece { from, to, weight } in pieces {
            all += weight;
            let parts = self.parts_ending_after(from).iter().take_while(|part| part.from < to);
            pace::each(parts, |part| {
                let common = (to.min(part.to) - from.max(part.from)).max(0.0);
                selected += if common > 0.0 { common * (weight / (to - from)) } else { 0.0 };
            })?;
        }
        if all > 0.0 {
            return Ok(selected / all);
        }
        // The released value is a single position.
        let contains = |at: f64| self.parts_ending_after(at).first().is_some_and(|part| part.from <= at);
        Ok(f64::from(u8::from(pieces.iter().any(|piece| contains(piece.from)))))
    }

    fn parts_ending_after(&self, position: f64) -> &[AxisPart] {
        &self.parts[self.parts.partition_point(|part| part.to <= position)..]
    }

    /// Returns true if the condition selects a code.
    pub(super) fn selects(&self, code: Code) -> bool {
        let next = self.parts.partition_point(|part| part.codes.end <= code);
        self.parts.get(next).is_some_and(|part| part.codes.start <= code)
    }

    /// Returns the selected codes if the condition has a single part.
    pub(super) fn single_range(&self) -> Option<Range<Code>> {
        match &self.parts[..] {
            [part] => Some(part.codes.clone()),
            _ => None,
        }
    }
}
