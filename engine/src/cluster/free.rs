//! The records of a block that are in no cluster yet, and the choice of the next one for a cluster.
//!
//! The loss of a cluster with any further record never falls while the cluster grows, unless a column is not monotone
//! ([`Generalizer::is_monotone`]). So the cost of a record at its last evaluation is a lower bound of its present cost.
//! Only records whose bound is below the best cost so far are evaluated again. The first cost is the distance from the
//! seed, which also gives the next seed. So all records are evaluated once for each cluster, not once for each record
//! taken in. Equal records are one record with a count. They go into a cluster together, up to the rows that it needs.

use super::column::{drop_exhausted, BlockColumn, ExtentCost};
use super::extent::{Extent, Generalizer};
use crate::progress::check_memory;
use crate::table::Compressed;
use crate::{pace, Code, Error};

/// Tolerance for equal losses.
pub const TOLERANCE: f64 = 1e-12;

/// Rows of a record, in a cluster or to be put into one.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub record: u32,
    /// Number of rows.
    pub rows: u32,
}

/// Free records of a block, by their places in it.
pub struct Unassigned<'a> {
    pub spaces: &'a [Generalizer],
    /// Number of free rows.
    pub rows: u64,
    all: &'a Compressed,
    /// Numbers of the records in `all`, in value order. Closed records have no free rows left.
    records: Vec<u32>,
    /// Number of closed records.
    exhausted: usize,
    /// Number of free rows of each record.
    rows_left: Vec<u32>,
    columns: Vec<BlockColumn<'a>>,
    /// Distance of each record from the last seed.
    distances: Vec<f64>,
    /// Lower bound of the cluster's loss with each record; infinity for closed records.
    bounds: Vec<f64>,
    /// Whether a cluster never loses less with more records. Otherwise the bounds of free records are 0.
    is_monotone: bool,
}

/// The extents of a growing cluster.
pub struct GrowingCluster {
    pub extents: Vec<Extent>,
    costs: Vec<ExtentCost>,
}

impl<'a> Unassigned<'a> {
    /// Begins with all rows of some records, in value order.
    pub fn new(
        spaces: &'a [Generalizer],
        all: &'a Compressed,
        records: Vec<u32>,
    ) -> Result<Unassigned<'a>, Error> {
        let (many, mut rows, mut is_monotone) = (records.len(), 0, true);
        check_memory::<[f64; 2]>(many)?;
        let rows_left = pace::collect(records.iter().map(|&record| all.weights[record as usize]))?;
        pace::each(&rows_left, |&n| rows += u64::from(n))?;
        let mut columns = Vec::with_capacity(spaces.len());
        for (space, column) in spaces.iter().zip(&all.columns) {
            columns.push(BlockColumn::new(space, column, &records)?);
            is_monotone &= space.is_monotone()?;
        }
        let (distances, bounds) = (Vec::with_capacity(many), Vec::with_capacity(many));
        let exhausted = 0;
        Ok(Unassigned {
            spaces,
            rows,
            all,
            records,
            exhausted,
            rows_left,
            columns,
            distances,
            bounds,
            is_monotone,
        })
    }

    /// Begins a cluster with a free record as its seed and measures the distance of all others from it. Returns the
    /// empty cluster and the present place of the seed.
    pub fn begin(&mut self, seed: usize) -> Result<(GrowingCluster, usize), Error> {
        let number = self.records[seed];
        let mut at = seed;
        if self.exhausted * 4 > self.records.len() {
            at = 0;
            pace::each(&self.rows_left[..seed], |&rest| at += usize::from(rest > 0))?;
            self.compact()?;
        }
        let extents = self.spaces.iter().enumerate();
        let extents: Vec<_> = extents.map(|(c, space)| space.generalize_one(self.code(number, c))).collect();
        let costs = self.columns.iter().zip(&extents).map(|(column, extent)| column.extent_cost(extent));
        let costs = costs.collect::<Result<Vec<_>, _>>()?;
        self.distances.clear();
        self.distances.resize(self.records.len(), 0.0);
        for (column, cost) in self.columns.iter().zip(&costs) {
            column.add_losses(cost, &mut self.distances)?;
        }
        self.bounds.clear();
        self.bounds.extend_from_slice(&self.distances);
        for some in pace::ranges(0..self.records.len()) {
            for at in some? {
                if self.rows_left[at] == 0 {
                    self.close(at);
                } else if !self.is_monotone {
                    self.bounds[at] = 0.0;
                }
            }
        }
        Ok((GrowingCluster { extents, costs }, at))
    }

    /// Drops the closed records.
    fn compact(&mut self) -> Result<(), Error> {
        for column in &mut self.columns {
            column.drop_exhausted(&self.rows_left)?;
        }
        drop_exhausted(&mut self.records, &self.rows_left)?;
        self.rows_left.retain(|&rest| rest > 0);
        self.exhausted = 0;
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

    /// Adds up to `wanted` rows of a free record to a cluster. Returns the rows added.
    pub fn add_to_cluster(
        &mut self,
        at: usize,
        wanted: u32,
        cluster: &mut GrowingCluster,
    ) -> Result<Member, Error> {
        let number = self.records[at];
        for (c, space) in self.spaces.iter().enumerate() {
            let grown = space.extend(&cluster.extents[c], self.code(number, c));
            if grown != cluster.extents[c] {
                cluster.costs[c] = self.columns[c].extent_cost(&grown)?;
                cluster.extents[c] = grown;
            }
        }
        let taken = wanted.min(self.rows_left[at]);
        self.rows_left[at] -= taken;
        self.rows -= u64::from(taken);
        if self.rows_left[at] == 0 {
            self.exhausted += 1;
            self.close(at);
        }
        Ok(Member { record: number, rows: taken })
    }

    /// Finds the record that leaves a cluster's loss smallest, among those that `may` accepts; of equal ones the first.
    pub fn cheapest(
        &mut self,
        cluster: &GrowingCluster,
        mut may: impl FnMut(u32) -> Result<bool, Error>,
    ) -> Result<Option<usize>, Error> {
        let now: f64 = self.spaces.iter().zip(&cluster.extents).map(|(s, e)| s.loss(e)).sum();
        let (mut best, mut below) = (None, f64::INFINITY);
        for run in pace::ranges(0..self.records.len()) {
            for at in run? {
                if self.bounds[at] >= below {
                    continue;
                }
                pace::tick(self.columns.len())?;
                let cost = self.columns.iter().zip(&cluster.costs).map(|(c, cost)| c.loss(cost, at)).sum();
                if self.is_monotone {
                    self.bounds[at] = cost;
                }
                if cost < below && may(self.records[at])? {
                    (best, below) = (Some(at), cost - TOLERANCE);
                    // No record costs less than the cluster loses now.
                    if self.is_monotone && cost <= now + TOLERANCE {
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
                (best, above) = (Some(at), distance + TOLERANCE);
            }
        })?;
        Ok(best)
    }

    /// Returns the remaining free rows.
    pub fn into_remaining(self) -> Result<Vec<Member>, Error> {
        let records = self.records.into_iter().zip(self.rows_left);
        let mut rest = pace::collect(records.map(|(record, rows)| Member { record, rows }))?;
        rest.retain(|member| member.rows > 0);
        Ok(rest)
    }
}
