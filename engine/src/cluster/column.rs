//! A column of a block, laid out so that what a cluster would lose on it with any of the block's
//! records is found at once: along a line from where the record lies, else by looking up its value
//! in a table that is made anew only when the cluster's extent grows.

use super::extent::{Extent, Space};
use crate::progress::room;
use crate::table::Codes;
use crate::{loss, pace, Code, Error};

/// The records' values on a column.
pub enum Column<'a> {
    /// Half of where each lies, NULL beyond everything, and half the width of the data. In halves as
    /// in [`loss::of_width`], so that the same loss comes out to the last bit.
    Line { positions: &'a [f64], halves: Vec<f64>, width: f64 },
    /// The codes there are in the block, in order, and the place of each record's among them.
    Table { space: &'a Space, codes: Vec<Code>, places: Vec<u32> },
}

/// A cluster's extent, looked at from the records of a column.
pub enum Reach {
    /// From half of where the least value lies to half of where the greatest does.
    Line { from: f64, to: f64 },
    /// What each code of the block would make of its loss.
    Table(Vec<f64>),
}

impl<'a> Column<'a> {
    /// The `records`' values.
    pub fn new(space: &'a Space, column: &Codes, records: &[u32]) -> Result<Column<'a>, Error> {
        let code = |&record: &u32| column.get(record as usize);
        if let Space::Line(positions) = space {
            let mut finite = true;
            pace::each(positions, |position| finite &= position.is_finite())?;
            if let (true, Some(least), Some(greatest)) = (finite, positions.first(), positions.last()) {
                room::<f64>(records.len())?;
                let halves = pace::collect(records.iter().map(code).map(|code| half(positions, code)))?;
                let width = greatest / 2.0 - least / 2.0;
                return Ok(Column::Line { positions, halves, width });
            }
        }
        room::<Code>(records.len())?;
        let mut sorted = pace::collect(records.iter().map(code))?;
        pace::sort_by(&mut sorted, Code::cmp)?;
        let mut distinct = 0;
        pace::each(0..sorted.len(), |i| {
            if distinct == 0 || sorted[distinct - 1] != sorted[i] {
                sorted[distinct] = sorted[i];
                distinct += 1;
            }
        })?;
        // The codes, and two tables: one takes the other's place.
        room::<(Code, [f64; 2])>(distinct)?;
        let codes = sorted[..distinct].to_vec();
        drop(sorted);
        room::<u32>(records.len())?;
        let place = |code: Code| codes.partition_point(|&other| other < code) as u32;
        let places = pace::collect(records.iter().map(code).map(place))?;
        Ok(Column::Table { space, codes, places })
    }

    /// How the records see an extent.
    pub fn reach(&self, extent: &Extent) -> Result<Reach, Error> {
        match self {
            Column::Line { positions, .. } => Ok(match extent {
                Extent::Ranks(ranks) => {
                    Reach::Line { from: half(positions, *ranks.start()), to: half(positions, *ranks.end()) }
                }
                _ => Reach::Line { from: f64::NEG_INFINITY, to: f64::INFINITY },
            }),
            Column::Table { space, codes, .. } => {
                let mut losses = Vec::with_capacity(codes.len());
                for &code in codes {
                    pace::tick(1)?;
                    losses.push(space.loss(&space.with(extent, code)?));
                }
                Ok(Reach::Table(losses))
            }
        }
    }

    /// What an extent loses with a record taken in.
    #[inline]
    pub fn loss(&self, reach: &Reach, record: usize) -> f64 {
        match (self, reach) {
            (Column::Line { halves, width, .. }, Reach::Line { from, to }) => {
                of_halves(*from, *to, halves[record], *width)
            }
            (Column::Table { places, .. }, Reach::Table(losses)) => losses[places[record] as usize],
            _ => loss::SUPPRESSED,
        }
    }

    /// Adds what an extent loses with each of the records taken in.
    pub fn add(&self, reach: &Reach, sums: &mut [f64]) -> Result<(), Error> {
        for some in pace::ranges(0..sums.len()) {
            let some = some?;
            let sums = &mut sums[some.clone()];
            match (self, reach) {
                (Column::Line { halves, width, .. }, Reach::Line { from, to }) => {
                    let halves = &halves[some];
                    sums.iter_mut()
                        .zip(halves)
                        .for_each(|(sum, &h)| *sum += of_halves(*from, *to, h, *width));
                }
                (Column::Table { places, .. }, Reach::Table(losses)) => {
                    let places = &places[some];
                    sums.iter_mut().zip(places).for_each(|(sum, &place)| *sum += losses[place as usize]);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Forgets the records of which nothing is left.
    pub fn keep(&mut self, rest: &[u32]) -> Result<(), Error> {
        match self {
            Column::Line { halves, .. } => keep(halves, rest),
            Column::Table { places, .. } => keep(places, rest),
        }
    }
}

/// Forgets the items of which nothing is left.
pub fn keep<T: Copy>(items: &mut Vec<T>, rest: &[u32]) -> Result<(), Error> {
    let mut kept = 0;
    pace::each(rest.iter().enumerate(), |(i, &rest)| {
        items[kept] = items[i];
        kept += usize::from(rest > 0);
    })?;
    items.truncate(kept);
    Ok(())
}

/// Half of where a code lies; NULL, after the last rank, goes with NULL only.
fn half(positions: &[f64], code: Code) -> f64 {
    positions.get(code as usize).map_or(f64::INFINITY, |position| position / 2.0)
}

/// What the stretch between two halves loses when it reaches a third.
#[inline(always)]
fn of_halves(from: f64, to: f64, half: f64, width: f64) -> f64 {
    let (from, to) = (if half < from { half } else { from }, if half > to { half } else { to });
    let share = (to - from) / width;
    let share = if share < loss::SUPPRESSED { share } else { loss::SUPPRESSED };
    if from == to {
        loss::SINGLE
    } else {
        share
    }
}
