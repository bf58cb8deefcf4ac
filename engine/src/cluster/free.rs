//! The records of a block that are in no cluster yet, and the choice of the next one for a cluster.
//!
//! The loss of a cluster with any further record never falls while the cluster grows. So the cost of a record at its
//! last evaluation is a lower bound of its present cost. Only records whose bound is below the best cost so far are
//! evaluated again. The first cost is the distance from the seed, which also gives the next seed. So each cluster takes
//! one pass over all records, not one for each record taken in. Equal records are one record with a count. They go into
//! a cluster together, up to the rows that it needs, because no other record could cost less.

use super::column::{keep, Column, Reach};
use super::extent::{Extent, Space};
use crate::progress::room;
use crate::table::Compressed;
use crate::{pace, Code, Error};

/// Tolerance for equal losses.
pub const EQUAL: f64 = 1e-12;

/// Free records of a block, by their places in it.
pub struct Free<'a> {
    pub spaces: &'a [Space],
    /// Number of free rows.
    pub rows: u64,
    all: &'a Compressed,
    /// Numbers of the records in `all`, in value order. Closed records have no free rows left.
    records: Vec<u32>,
    /// Number of closed records.
    closed: usize,
    /// Number of free rows of each record.
    rest: Vec<u32>,
    columns: Vec<Column<'a>>,
    /// Distance of each record from the last seed.
    distances: Vec<f64>,
    /// Lower bound of the cluster's loss with each record; infinity for closed records.
    bounds: Vec<f64>,
    /// Whether a cluster never loses less with more records. Otherwise the bounds are not used.
    bounded: bool,
}

/// A growing cluster.
pub struct Cluster {
    pub extents: Vec<Extent>,
    pub size: u32,
    reaches: Vec<Reach>,
}

impl<'a> Free<'a> {
    /// Begins with all rows of some records, in value order.
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

    /// Begins a cluster with a free record as its seed and measures the distance of all others from it. Returns the
    /// empty cluster and the present place of the seed.
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

    /// Drops the closed records.
    fn compact(&mut self) -> Result<(), Error> {
        for column in &mut self.columns {
            column.keep(&self.rest)?;
        }
        keep(&mut self.records, &self.rest)?;
        self.rest.retain(|&rest| rest > 0);
        self.closed = 0;
        Ok(())
    }

    /// Excludes a record from clusters and from the choice of the next seed.
    fn close(&mut self, at: usize) {
        self.bounds[at] = f64::INFINITY;
        self.distances[at] = f64::NEG_INFINITY;
    }

    fn code(&self, number: u32, column: usize) -> Code {
        self.all.columns[column].get(number as usize)
    }

    /// Adds up to `wanted` rows of a free record to a cluster. Returns the record's number and the rows added.
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

    /// Takes up to `wanted` rows of a free record. Returns their number.
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

    /// Finds the record that leaves a cluster's loss smallest, among those that `may` accepts; of equal ones the first.
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

    /// Finds the free record farthest from the last seed; of equal ones the first. The distance of two records is the
    /// loss of a cluster of both.
    pub fn farthest(&self) -> Result<Option<usize>, Error> {
        let (mut best, mut above) = (None, f64::NEG_INFINITY);
        pace::each(self.distances.iter().enumerate(), |(at, &distance)| {
            if distance > above {
                (best, above) = (Some(at), distance + EQUAL);
            }
        })?;
        Ok(best)
    }

    /// Returns the remaining free records, each with its number of free rows.
    pub fn rest(self) -> Result<Vec<(u32, u32)>, Error> {
        let mut rest = pace::collect(self.records.into_iter().zip(self.rest))?;
        rest.retain(|&(_, rows)| rows > 0);
        Ok(rest)
    }
}
