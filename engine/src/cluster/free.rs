//! The records of a block that are in no cluster yet, and which of them a cluster takes in next.
//!
//! A cluster that takes a record in loses no less than before, with any further record too. So what
//! a record would have cost at its last look is a bound of what it costs now, and only records with a
//! bound below the best cost so far are looked at again. The first look is the distance from the
//! seed, which tells the next seed as well: one pass over all records a cluster, not one a record.
//! Equal records are one with a count: they go together as far as they are needed, because no other
//! record could cost less.

use super::extent::{Extent, Space};
use crate::table::Compressed;
use crate::{Code, Error, Pace, Reservation};

/// How much one loss has to be below another to be less.
pub const EQUAL: f64 = 1e-12;

/// What a record costs that no cluster can take.
const CLOSED: f64 = f64::INFINITY;

/// The free records of a block.
pub struct Free<'a> {
    pub spaces: &'a [Space],
    pub pace: &'a Pace<'a>,
    /// Free rows.
    pub rows: u64,
    /// The block's records, by their numbers among all.
    records: Vec<u32>,
    /// Their codes, those of a record side by side.
    codes: Vec<Code>,
    /// How many rows of each are free.
    rest: Vec<u32>,
    /// The records, by their places in the block, that were free when the cluster was begun; in order.
    open: Vec<u32>,
    /// How far each open one is from the cluster's seed.
    distances: Vec<f64>,
    /// What each open one costs at least, as the loss of the cluster with it.
    bounds: Vec<f64>,
    /// Whether clusters never lose less with more records, so that there are bounds.
    bounded: bool,
    _memory: Reservation<'a>,
}

impl<'a> Free<'a> {
    /// All rows of some records, in value order.
    pub fn new(
        spaces: &'a [Space],
        all: &Compressed,
        records: Vec<u32>,
        pace: &'a Pace<'a>,
    ) -> Result<Free<'a>, Error> {
        let (many, mut rows) = (records.len(), 0);
        let mut memory = Reservation::of::<[u32; 2]>(pace.progress(), many)?;
        memory.grow_by::<[f64; 2]>(many)?;
        memory.grow_by::<Code>(many.saturating_mul(spaces.len()))?;
        let rest = pace.collect(records.iter().map(|&record| all.weights[record as usize]))?;
        pace.each(&rest, |&n| rows += u64::from(n))?;
        let mut codes = Vec::with_capacity(many * spaces.len());
        for &record in &records {
            pace.tick(spaces.len())?;
            codes.extend(all.columns.iter().map(|column| column.get(record as usize)));
        }
        let mut bounded = true;
        for space in spaces {
            bounded &= space.grows(pace)?;
        }
        let (distances, bounds) = (Vec::with_capacity(many), Vec::with_capacity(many));
        let open = pace.collect(0..many as u32)?;
        Ok(Free {
            spaces,
            pace,
            rows,
            records,
            codes,
            rest,
            open,
            distances,
            bounds,
            bounded,
            _memory: memory,
        })
    }

    /// Begins a cluster with the open record at a place: measures how far the others are from it, and
    /// says what it is released as and where it is now.
    pub fn begin(&mut self, at: usize) -> Result<(Vec<Extent>, usize), Error> {
        let seed = self.open[at];
        let (rest, mut seed_at, mut kept) = (&self.rest, 0, 0);
        let (open, pace) = (&mut self.open, self.pace);
        for i in 0..open.len() {
            pace.tick(1)?;
            let record = open[i];
            if record == seed {
                seed_at = kept;
            }
            open[kept] = record;
            kept += usize::from(rest[record as usize] > 0);
        }
        open.truncate(kept);
        let alone: Vec<Extent> = self
            .spaces
            .iter()
            .zip(self.codes(seed))
            .map(|(s, &code)| s.of(code, pace))
            .collect::<Result<_, _>>()?;
        self.distances.clear();
        self.bounds.clear();
        for &record in &self.open {
            pace.tick(self.spaces.len())?;
            let distance = self.with(&alone, record)?;
            self.distances.push(distance);
            self.bounds.push(if self.bounded { distance } else { 0.0 });
        }
        Ok((alone, seed_at))
    }

    /// The codes of a record of the block.
    fn codes(&self, record: u32) -> &[Code] {
        let columns = self.spaces.len();
        &self.codes[record as usize * columns..][..columns]
    }

    /// What extents lose with a record taken in.
    fn with(&self, extents: &[Extent], record: u32) -> Result<f64, Error> {
        let mut sum = 0.0;
        for ((space, extent), &code) in self.spaces.iter().zip(extents).zip(self.codes(record)) {
            sum += space.loss(&space.with(extent, code, self.pace)?);
        }
        Ok(sum)
    }

    /// Takes at most `wanted` rows of the open record at a place into a cluster, whose extents grow;
    /// the record's number among all, and how many rows there were.
    pub fn take(&mut self, at: usize, wanted: u32, extents: &mut [Extent]) -> Result<(usize, u32), Error> {
        let record = self.open[at];
        for ((space, extent), &code) in self.spaces.iter().zip(extents).zip(self.codes(record)) {
            *extent = space.with(extent, code, self.pace)?;
        }
        let rest = &mut self.rest[record as usize];
        let taken = wanted.min(*rest);
        *rest -= taken;
        self.rows -= u64::from(taken);
        if *rest == 0 {
            self.bounds[at] = CLOSED;
            self.distances[at] = -CLOSED;
        }
        Ok((self.records[record as usize] as usize, taken))
    }

    /// Where the open record is that adds least to a cluster's loss: the one that leaves it smallest,
    /// whatever its size. Of equal ones the first.
    pub fn cheapest(&mut self, extents: &[Extent]) -> Result<Option<usize>, Error> {
        let now: f64 = self.spaces.iter().zip(extents).map(|(s, e)| s.loss(e)).sum();
        let (mut best, mut below) = (None, CLOSED);
        for some in self.pace.ranges(0..self.open.len()) {
            for at in some? {
                if self.bounds[at] >= below {
                    continue;
                }
                self.pace.tick(self.spaces.len())?;
                let cost = self.with(extents, self.open[at])?;
                if self.bounded {
                    self.bounds[at] = cost;
                }
                if cost < below {
                    (best, below) = (Some(at), cost - EQUAL);
                    if cost <= now + EQUAL {
                        return Ok(best);
                    }
                }
            }
        }
        Ok(best)
    }

    /// Where the open record is that is farthest from the last seed: their distance is the loss of the
    /// two together. Of equal ones the first.
    pub fn farthest(&self) -> Result<Option<usize>, Error> {
        let (mut best, mut above) = (None, -CLOSED);
        self.pace.each(self.distances.iter().enumerate(), |(at, &distance)| {
            if distance > above {
                (best, above) = (Some(at), distance + EQUAL);
            }
        })?;
        Ok(best)
    }

    /// The first open record from a place on.
    pub fn first(&self, from: usize) -> Result<Option<usize>, Error> {
        for at in from..self.open.len() {
            self.pace.tick(1)?;
            if self.rest[self.open[at] as usize] > 0 {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// What the open record at a place adds to the loss of a cluster of `size` rows.
    pub fn cost(&self, at: usize, extents: &[Extent], size: u32) -> Result<f64, Error> {
        let now: f64 = self.spaces.iter().zip(extents).map(|(s, e)| s.loss(e)).sum();
        let size = f64::from(size);
        self.pace.tick(self.spaces.len())?;
        Ok((size + 1.0) * self.with(extents, self.open[at])? - size * now)
    }
}
