//! A column of a block, laid out for fast losses of a cluster with any further record of the block. On a line the loss
//! is computed from the record's position. Otherwise it is looked up by the record's code, in a table that is made anew
//! only when the cluster's extent grows.

use super::extent::{Extent, Generalizer};
use crate::progress::check_memory;
use crate::table::Codes;
use crate::{loss, pace, Code, Error};

/// Values of the records on a column.
pub enum BlockColumn<'a> {
    /// Half the position of each record, infinity for NULL, and half the width of the data. Halves as in
    /// [`loss::width_loss`], so that losses are equal to the last bit.
    Line { positions: &'a [f64], halves: Vec<f64>, width: f64 },
    /// Distinct codes of the block, ascending, and the index of each record's code among them.
    Table { space: &'a Generalizer, codes: Vec<Code>, places: Vec<u32> },
}

/// A cluster's extent, in the form that a [`BlockColumn`] computes losses from.
pub enum ExtentCost {
    /// Half the positions of the least and the greatest value.
    Line { from: f64, to: f64 },
    /// The extent's loss with each code of the block added.
    Table(Vec<f64>),
}

impl<'a> BlockColumn<'a> {
    /// Lays out the values of the `records`.
    pub fn new(space: &'a Generalizer, column: &Codes, records: &[u32]) -> Result<BlockColumn<'a>, Error> {
        let code = |&record: &u32| column.get(record as usize);
        if let Generalizer::Line(positions) = space {
            let mut finite = true;
            pace::each(positions, |position| finite &= position.is_finite())?;
            if let (true, Some(least), Some(greatest)) = (finite, positions.first(), positions.last()) {
                let halves =
                    pace::collect(records.iter().map(code).map(|code| half_position(positions, code)))?;
                let width = greatest / 2.0 - least / 2.0;
                return Ok(BlockColumn::Line { positions, halves, width });
            }
        }
        let mut codes = pace::collect(records.iter().map(code))?;
        pace::sort_by(&mut codes, Code::cmp)?;
        codes.dedup();
        // Memory for the codes and two tables of losses, because a new table replaces an old one.
        check_memory::<(Code, [f64; 2])>(codes.len())?;
        codes.shrink_to_fit();
        let place = |code: Code| codes.partition_point(|&other| other < code) as u32;
        let places = pace::collect(records.iter().map(code).map(place))?;
        Ok(BlockColumn::Table { space, codes, places })
    }

    /// Converts an extent.
    pub fn extent_cost(&self, extent: &Extent) -> Result<ExtentCost, Error> {
        match self {
            BlockColumn::Line { positions, .. } => Ok(match extent {
                Extent::Ranks(ranks) => ExtentCost::Line {
                    from: half_position(positions, *ranks.start()),
                    to: half_position(positions, *ranks.end()),
                },
                _ => ExtentCost::Line { from: f64::NEG_INFINITY, to: f64::INFINITY },
            }),
            BlockColumn::Table { space, codes, .. } => {
                let losses = codes.iter().map(|&code| space.loss(&space.extend(extent, code)));
                Ok(ExtentCost::Table(pace::collect(losses)?))
            }
        }
    }

    /// Returns the loss of an extent with a record added.
    #[inline]
    pub fn loss(&self, cost: &ExtentCost, record: usize) -> f64 {
        match (self, cost) {
            (BlockColumn::Line { halves, width, .. }, ExtentCost::Line { from, to }) => {
                loss_between_halves(*from, *to, halves[record], *width)
            }
            (BlockColumn::Table { places, .. }, ExtentCost::Table(losses)) => losses[places[record] as usize],
            _ => loss::SUPPRESSED,
        }
    }

    /// Adds to each record's sum the loss of an extent with that record added.
    pub fn add_losses(&self, cost: &ExtentCost, sums: &mut [f64]) -> Result<(), Error> {
        for some in pace::ranges(0..sums.len()) {
            let some = some?;
            let sums = &mut sums[some.clone()];
            match (self, cost) {
                (BlockColumn::Line { halves, width, .. }, ExtentCost::Line { from, to }) => {
                    let halves = &halves[some];
                    sums.iter_mut()
                        .zip(halves)
                        .for_each(|(sum, &h)| *sum += loss_between_halves(*from, *to, h, *width));
                }
                (BlockColumn::Table { places, .. }, ExtentCost::Table(losses)) => {
                    let places = &places[some];
                    sums.iter_mut().zip(places).for_each(|(sum, &place)| *sum += losses[place as usize]);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Drops the records without rows left; `rest` has the rows left of each.
    pub fn drop_exhausted(&mut self, rest: &[u32]) -> Result<(), Error> {
        match self {
            BlockColumn::Line { halves, .. } => drop_exhausted(halves, rest),
            BlockColumn::Table { places, .. } => drop_exhausted(places, rest),
        }
    }
}

/// Drops the items without rows left; `rest` has the rows left of each.
pub fn drop_exhausted<T: Copy>(items: &mut Vec<T>, rest: &[u32]) -> Result<(), Error> {
    let mut kept = 0;
    pace::each(rest.iter().enumerate(), |(i, &rest)| {
        items[kept] = items[i];
        kept += usize::from(rest > 0);
    })?;
    items.truncate(kept);
    Ok(())
}

/// Returns half the position of a code; infinity for NULL, whose code follows the last rank.
fn half_position(positions: &[f64], code: Code) -> f64 {
    positions.get(code as usize).map_or(f64::INFINITY, |position| position / 2.0)
}

/// Returns the loss of the interval from `from` to `to` extended to `half`; all three are halves of positions.
#[inline(always)]
fn loss_between_halves(from: f64, to: f64, half: f64, width: f64) -> f64 {
    let (from, to) = (if half < from { half } else { from }, if half > to { half } else { to });
    let share = (to - from) / width;
    let share = if share < loss::SUPPRESSED { share } else { loss::SUPPRESSED };
    if from == to {
        loss::SINGLE
    } else {
        share
    }
}
