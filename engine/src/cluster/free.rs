//! The records of a block that are in no cluster yet, and which of them a cluster takes in next.
//!
//! A cluster that takes a record in loses no less than before, with any further record too. So what
//! a record would have cost at its last look is a bound of what it costs now, and only records with a
//! bound below the best cost so far are looked at again. The first look is the distance from the
//! seed, which tells the next seed as well: one pass over all records a cluster, not one a record.
//! Equal records are one with a count: they go together as far as they are needed, because no other
//! record could cost less.

use super::column::{keep, Column, Reach};
use super::extent::{Extent, Space};
use crate::progress::room;
use crate::table::Compressed;
use crate::{pace, Code, Error};

/// Losses that differ by less are the same.
pub const EQUAL: f64 = 1e-12;

/// The free records of a block, by where they are in it.
pub struct Free<'a> {
    pub spaces: &'a [Space],
    /// Free rows.
    pub rows: u64,
    all: &'a Compressed,
    /// The records' numbers among all, in order. Some have no free rows any more.
    records: Vec<u32>,
    /// How many have none.
    closed: usize,
    /// How many rows of each are free.
    rest: Vec<u32>,
    columns: Vec<Column<'a>>,
    /// How far each is from the last seed.
    distances: Vec<f64>,
    /// What the cluster would lose at least with each; those that are closed are beyond any cost.
    bounds: Vec<f64>,
    /// Whether clusters never lose less with more records, so that there are bounds.
    bounded: bool,
}

/// A cluster that is being made.
pub struct Cluster {
    pub extents: Vec<Extent>,
    pub size: u32,
    reaches: Vec<Reach>,
}

impl<'a> Free<'a> {
    /// All rows of some records, in value order.
    pub fn new(spaces: &'a [Space], all: &'a Compressed, records: Vec<u32>) -> Result<Free<'a>, Error> {
        let (many, mut rows, mut bounded) = (records.len(), 0, true);
        room::<(u32, [f64; 2])>(many)?;
        let rest = pace::collect(records.iter().map(|&record| all.weights[record as usize]))?;
        pace::each(&rest, |&n| rows += u64::from(n))?;
        let mut columns = Vec::with_capacity(spaces.len());
        for (space, column) in spaces.iter().zip(&all.columns) {
            columns.push(Column::new(space, column, &records)?);
            bounded &= space.grows()?;
        }
        let (distances, bounds) = (Vec::with_capacity(many), Vec::with_capacity(many));
        let closed = 0;
        Ok(Free { spaces, rows, all, records, closed, rest, columns, distances, bounds, bounded })
    }

    /// Begins a cluster with a free record as its seed: measures how far the others are from it. The
    /// empty cluster, and where the seed is now.
    pub fn begin(&mut self, seed: usize) -> Result<(Cluster, usize), Error> {
        let number = self.records[seed];
        let mut at = seed;
        if self.closed * 4 > self.records.len() {
            at = 0;
            pace::each(&self.rest[..seed], |&rest| at += usize::from(rest > 0))?;
            self.compact()?;
        }
        let of = |(c, space): (usize, &Space)| space.of(self.code(number, c));
        let extents: Vec<Extent> = self.spaces.iter().enumerate().map(of).collect::<Result<_, _>>()?;
        let reach = |(column, extent): (&Column, &Extent)| column.reach(extent);
        let reaches: Vec<Reach> = self.columns.iter().zip(&extents).map(reach).collect::<Result<_, _>>()?;
        self.distances.clear();
        self.distances.resize(self.records.len(), 0.0);
        for (column, reach) in self.columns.iter().zip(&reaches) {
            column.add(reach, &mut self.distances)?;
        }
        self.bounds.clear();
        self.bounds.extend_from_slice(&self.distances);
        for some in pace::ranges(0..self.records.len()) {
            for at in some? {
                if self.rest[at] == 0 {
                    self.close(at);
                } else if !self.bounded {
                    self.bounds[at] = 0.0;
                }
            }
        }
        Ok((Cluster { extents, size: 0, reaches }, at))
    }

    /// Forgets the closed ones.
    fn compact(&mut self) -> Result<(), Error> {
        for column in &mut self.columns {
            column.keep(&self.rest)?;
        }
        keep(&mut self.records, &self.rest)?;
        self.rest.retain(|&rest| rest > 0);
        self.closed = 0;
        Ok(())
    }

    /// Puts a record beyond all others, for a cluster to take in and for the next seed.
    fn close(&mut self, at: usize) {
        self.bounds[at] = f64::INFINITY;
        self.distances[at] = f64::NEG_INFINITY;
    }

    /// The code of a record of all on a column.
    fn code(&self, number: u32, column: usize) -> Code {
        self.all.columns[column].get(number as usize)
    }

    /// Puts a free record into a cluster, with as many of its rows as there are up to `wanted`; the record's
    /// number and those rows.
    pub fn join(&mut self, at: usize, wanted: u32, cluster: &mut Cluster) -> Result<(u32, u32), Error> {
        let number = self.records[at];
        for (c, space) in self.spaces.iter().enumerate() {
            let grown = space.with(&cluster.extents[c], self.code(number, c))?;
            if grown != cluster.extents[c] {
                cluster.reaches[c] = self.columns[c].reach(&grown)?;
                cluster.extents[c] = grown;
            }
        }
        let taken = self.take(at, wanted);
        cluster.size += taken;
        Ok((number, taken))
    }

    /// Takes up to `wanted` rows of a free record; how many there were.
    fn take(&mut self, at: usize, wanted: u32) -> u32 {
        let taken = wanted.min(self.rest[at]);
        self.rest[at] -= taken;
        self.rows -= u64::from(taken);
        if self.rest[at] == 0 {
            self.closed += 1;
            self.close(at);
        }
        taken
    }

    /// The record that adds least to a cluster's loss, among those that `may` be taken: the one that leaves it
    /// smallest, whatever its size. Of equal ones the first.
    pub fn cheapest(
        &mut self,
        cluster: &Cluster,
        mut may: impl FnMut(u32) -> Result<bool, Error>,
    ) -> Result<Option<usize>, Error> {
        let now: f64 = self.spaces.iter().zip(&cluster.extents).map(|(s, e)| s.loss(e)).sum();
        let (mut best, mut below) = (None, f64::INFINITY);
        for some in pace::ranges(0..self.records.len()) {
            for at in some? {
                if self.bounds[at] >= below {
                    continue;
                }
                pace::tick(self.columns.len())?;
                let cost =
                    self.columns.iter().zip(&cluster.reaches).map(|(c, reach)| c.loss(reach, at)).sum();
                if self.bounded {
                    self.bounds[at] = cost;
                }
                if cost < below && may(self.records[at])? {
                    (best, below) = (Some(at), cost - EQUAL);
                    if cost <= now + EQUAL {
                        return Ok(best);
                    }
                }
            }
        }
        Ok(best)
    }

    /// The free record farthest from the last seed: their distance is the loss of the two together.
    /// Of equal ones the first.
    pub fn farthest(&self) -> Result<Option<usize>, Error> {
        let (mut best, mut above) = (None, f64::NEG_INFINITY);
        pace::each(self.distances.iter().enumerate(), |(at, &distance)| {
            if distance > above {
                (best, above) = (Some(at), distance + EQUAL);
            }
        })?;
        Ok(best)
    }

    /// The records that are free still, and how many rows of each.
    pub fn rest(self) -> Result<Vec<(u32, u32)>, Error> {
        let mut rest = pace::collect(self.records.into_iter().zip(self.rest))?;
        rest.retain(|&(_, rows)| rows > 0);
        Ok(rest)
    }
}
