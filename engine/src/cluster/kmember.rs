//! The clustering: clusters are made one at a time, each from a seed far from the last one, taking
//! in whichever record adds least to the information loss until it has k.
//!
//! Adding a record r to a cluster cl costs IL(cl + r) - IL(cl) with IL(cl) = |cl| times the losses
//! of its extents (Definition 7). What each code of each column would make of the cluster's loss
//! is looked up in a table that is made anew only when an extent grows; so a record costs as many
//! additions as there are columns. Equal records are one with a count: they go together as far as
//! they are needed, because no other record could cost less.

use super::extent::{Extent, Space};
use crate::progress::GROWING;
use crate::table::Compressed;
use crate::{Code, Error, Pace, Reservation, Stand};

/// A partition of the records into clusters.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// Each cluster's extents, one a column.
    pub extents: Vec<Vec<Extent>>,
    /// Each cluster's records.
    pub sizes: Vec<u32>,
    /// For each distinct record, the clusters its rows are in, and how many of them.
    pub members: Vec<Vec<(u32, u32)>>,
}

/// Clusters distinct records into groups of at least `k` rows; fewer than `k` rows make none.
/// Records are in value order, which breaks ties; the first seed is the first record, each further
/// one the farthest from the last. The clusters are held under `memory`.
pub fn kmember(
    spaces: &[Space],
    records: &Compressed,
    k: u32,
    memory: &mut Reservation,
) -> Result<Clusters, Error> {
    let progress = memory.progress();
    let pace = &Pace::new(progress);
    memory.grow_by::<Vec<(u32, u32)>>(records.weights.len())?;
    let members = pace.collect(records.weights.iter().map(|_| Vec::new()))?;
    let mut clusters = Clusters { members, ..Clusters::default() };
    let mut free = Free::new(spaces, records, pace)?;
    let mut seed = 0;
    while free.rows >= u64::from(k) {
        memory.grow(GROWING * (size_of::<Vec<Extent>>() + size_of::<u32>()))?;
        memory.grow_by::<Extent>(spaces.len())?;
        let mut cluster = Cluster::new(&free, seed)?;
        let id = clusters.sizes.len() as u32;
        let mut next = Some(seed);
        while let Some(record) = next {
            pace.tick(1)?;
            let taken = free.take(record, k - cluster.size)?;
            joins(&mut clusters.members[record], (id, taken), memory)?;
            cluster.add(&free, record, taken)?;
            next = if cluster.size < k { free.cheapest(&cluster)? } else { None };
        }
        clusters.extents.push(cluster.extents);
        clusters.sizes.push(cluster.size);
        progress.reached(Stand { steps: 0, groups: clusters.sizes.len() });
        match free.farthest(seed)? {
            Some(farthest) => seed = farthest,
            None => break,
        }
    }
    leftovers(spaces, &mut free, &mut clusters, memory)?;
    Ok(clusters)
}

/// Puts some of a record's rows into a cluster.
fn joins(members: &mut Vec<(u32, u32)>, some: (u32, u32), memory: &mut Reservation) -> Result<(), Error> {
    // A vector's first push makes room for four, further ones for as many again.
    if members.len() == members.capacity() {
        memory.grow_by::<(u32, u32)>(members.len().max(4))?;
    }
    members.push(some);
    Ok(())
}

/// The rows that are left, fewer than k, each go where they cost least.
fn leftovers(
    spaces: &[Space],
    free: &mut Free,
    clusters: &mut Clusters,
    memory: &mut Reservation,
) -> Result<(), Error> {
    let pace = free.pace;
    while let Some(record) = free.first()? {
        if clusters.sizes.is_empty() {
            return Ok(());
        }
        let mut best = (0, f64::INFINITY);
        for (id, extents) in clusters.extents.iter().enumerate() {
            let loss =
                |extents: &[Extent]| -> f64 { spaces.iter().zip(extents).map(|(s, e)| s.loss(e)).sum() };
            let mut grown = 0.0;
            pace.tick(spaces.len())?;
            for ((space, extent), code) in spaces.iter().zip(extents).zip(free.codes(record)) {
                grown += space.loss(&space.with(extent, code, pace)?);
            }
            let size = f64::from(clusters.sizes[id]);
            let cost = (size + 1.0) * grown - size * loss(extents);
            if cost < best.1 - 1e-12 {
                best = (id, cost);
            }
        }
        let taken = free.take(record, 1)?;
        let extents = &mut clusters.extents[best.0];
        for ((space, extent), code) in spaces.iter().zip(extents).zip(free.codes(record)) {
            *extent = space.with(extent, code, pace)?;
        }
        clusters.sizes[best.0] += taken;
        pace.tick(clusters.members[record].len())?;
        match clusters.members[record].iter_mut().find(|(id, _)| *id as usize == best.0) {
            Some((_, rows)) => *rows += taken,
            None => joins(&mut clusters.members[record], (best.0 as u32, taken), memory)?,
        }
    }
    Ok(())
}

/// A cluster that is being made.
struct Cluster {
    extents: Vec<Extent>,
    size: u32,
    /// For each column and code, the loss of the extent with the code taken in.
    losses: Vec<Vec<f64>>,
}

impl Cluster {
    fn new(free: &Free, seed: usize) -> Result<Cluster, Error> {
        let extents = free.alone(seed)?;
        let losses = free.losses(&extents)?;
        Ok(Cluster { extents, losses, size: 0 })
    }

    fn add(&mut self, free: &Free, record: usize, rows: u32) -> Result<(), Error> {
        self.size += rows;
        for (column, code) in free.codes(record).enumerate() {
            let grown = free.spaces[column].with(&self.extents[column], code, free.pace)?;
            if grown != self.extents[column] {
                let codes = free.cardinalities[column];
                self.losses[column] = losses(&free.spaces[column], &grown, codes, free.pace)?;
                self.extents[column] = grown;
            }
        }
        Ok(())
    }
}

/// The records that are in no cluster yet.
struct Free<'a> {
    pace: &'a Pace<'a>,
    records: &'a Compressed,
    /// How many rows of each record are free.
    rest: Vec<u32>,
    /// The records with free rows, in order, and some that have none any more.
    open: Vec<u32>,
    /// How many of `open` have none.
    closed: usize,
    /// Free rows.
    rows: u64,
    /// How many codes each column has.
    cardinalities: Vec<usize>,
    spaces: &'a [Space],
    _memory: Reservation<'a>,
}

impl<'a> Free<'a> {
    fn new(spaces: &'a [Space], records: &'a Compressed, pace: &'a Pace<'a>) -> Result<Free<'a>, Error> {
        let mut rows = 0;
        pace.each(&records.weights, |&n| rows += u64::from(n))?;
        let mut cardinalities = vec![0; records.columns.len()];
        for (cardinality, column) in cardinalities.iter_mut().zip(&records.columns) {
            pace.each(0..column.len(), |i| *cardinality = (column.get(i) as usize + 1).max(*cardinality))?;
        }
        // The table of losses that is in use, one that takes its place, and one from the seed.
        let losses = cardinalities.iter().fold(0, |sum: usize, &n| sum.saturating_add(n));
        let mut memory = Reservation::of::<[f64; 3]>(pace.progress(), losses)?;
        // The rest, the open ones, and those that are still open.
        memory.grow_by::<[u32; 3]>(records.weights.len())?;
        let open = pace.collect(0..records.weights.len() as u32)?;
        let rest = records.weights.clone();
        Ok(Free { pace, rest, open, closed: 0, rows, cardinalities, records, spaces, _memory: memory })
    }

    fn codes(&self, record: usize) -> impl Iterator<Item = Code> + use<'_> {
        self.records.columns.iter().map(move |column| column.get(record))
    }

    fn first(&self) -> Result<Option<usize>, Error> {
        for &record in &self.open {
            self.pace.tick(1)?;
            if self.rest[record as usize] > 0 {
                return Ok(Some(record as usize));
            }
        }
        Ok(None)
    }

    /// Takes at most `wanted` rows of a record; how many there were.
    fn take(&mut self, record: usize, wanted: u32) -> Result<u32, Error> {
        let taken = self.rest[record].min(wanted);
        self.rest[record] -= taken;
        self.rows -= u64::from(taken);
        if self.rest[record] == 0 {
            self.closed += 1;
            if self.closed * 4 > self.open.len() {
                let mut open = Vec::with_capacity(self.open.len() - self.closed);
                self.pace.each(&self.open, |&record| {
                    if self.rest[record as usize] > 0 {
                        open.push(record);
                    }
                })?;
                self.open = open;
                self.closed = 0;
            }
        }
        Ok(taken)
    }

    /// The record that adds least to a cluster's loss: the one that leaves it smallest, whatever
    /// its size.
    fn cheapest(&self, cluster: &Cluster) -> Result<Option<usize>, Error> {
        let now: f64 = self.spaces.iter().zip(&cluster.extents).map(|(s, e)| s.loss(e)).sum();
        self.best(|record| -self.looked_up(&cluster.losses, record), -now)
    }

    /// The record farthest from another: their distance is the loss of the two together.
    fn farthest(&self, from: usize) -> Result<Option<usize>, Error> {
        let losses = self.losses(&self.alone(from)?)?;
        self.best(|record| self.looked_up(&losses, record), f64::INFINITY)
    }

    /// The extents of a single record.
    fn alone(&self, record: usize) -> Result<Vec<Extent>, Error> {
        self.spaces.iter().zip(self.codes(record)).map(|(space, code)| space.of(code, self.pace)).collect()
    }

    /// For each column and code, the loss of an extent with the code taken in.
    fn losses(&self, extents: &[Extent]) -> Result<Vec<Vec<f64>>, Error> {
        let columns = self.spaces.iter().zip(extents).zip(&self.cardinalities);
        columns.map(|((space, extent), &codes)| losses(space, extent, codes, self.pace)).collect()
    }

    /// The sum of a record's entries.
    #[inline]
    fn looked_up(&self, losses: &[Vec<f64>], record: usize) -> f64 {
        losses.iter().zip(&self.records.columns).map(|(l, column)| l[column.get(record) as usize]).sum()
    }

    /// The first free record with the highest value; `most` is the highest that can be.
    fn best(&self, value: impl Fn(usize) -> f64, most: f64) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, f64)> = None;
        for some in self.open.chunks(1 << 10) {
            self.pace.tick(some.len() * self.spaces.len())?;
            for &record in some {
                let record = record as usize;
                if self.rest[record] == 0 {
                    continue;
                }
                let value = value(record);
                if best.is_none_or(|(_, highest)| value > highest + 1e-12) {
                    best = Some((record, value));
                    if value >= most - 1e-12 {
                        return Ok(Some(record));
                    }
                }
            }
        }
        Ok(best.map(|(record, _)| record))
    }
}

/// For each code, the loss of an extent with the code taken in.
fn losses(space: &Space, extent: &Extent, codes: usize, pace: &Pace) -> Result<Vec<f64>, Error> {
    let mut losses = Vec::with_capacity(codes);
    for code in 0..codes as Code {
        pace.tick(1)?;
        losses.push(space.loss(&space.with(extent, code, pace)?));
    }
    Ok(losses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{compress, Codes};
    use crate::Unobserved;
    use proptest::prelude::*;

    fn clustered(columns: &[Codes], k: u32) -> (Vec<Space>, Compressed, Clusters) {
        let slices: Vec<&Codes> = columns.iter().collect();
        let records = compress(
            &slices,
            &vec![16; columns.len()],
            columns[0].len(),
            None,
            &mut Reservation::unobserved(),
        )
        .unwrap();
        let spaces = vec![Space::Line((0..16).map(f64::from).collect()); columns.len()];
        let clusters = kmember(&spaces, &records, k, &mut Reservation::unobserved()).unwrap();
        (spaces, records, clusters)
    }

    /// 0, 1, 2 | 13, 14, 15: the first seed is 0, the next the farthest from it, 15.
    #[test]
    fn two_ends() {
        let (_, _, clusters) = clustered(&[vec![0, 1, 2, 13, 14, 15].into()], 3);
        assert_eq!(clusters.extents, [[Extent::Ranks(0..=2)], [Extent::Ranks(13..=15)]]);
        assert_eq!(clusters.sizes, [3, 3]);
    }

    /// A leftover goes where it costs least: 3 to the lower cluster.
    #[test]
    fn leftovers_join_the_cheapest() {
        let (_, _, clusters) = clustered(&[vec![0, 1, 2, 3, 14, 15].into()], 2);
        // {0,1}, then 15 with 14, then the farthest from 15 of what is left: 2 with 3.
        assert_eq!(clusters.sizes, [2, 2, 2]);
        let (_, _, clusters) = clustered(&[vec![0, 1, 3, 14, 15].into()], 2);
        assert_eq!(clusters.extents, [[Extent::Ranks(0..=3)], [Extent::Ranks(14..=15)]]);
        assert_eq!(clusters.sizes, [3, 2]);
    }

    proptest! {
        /// Every row is in one cluster, whose extents hold its values, and no cluster is too small.
        #[test]
        fn a_partition(rows in prop::collection::vec((0u32..16, 0u32..16), 1..60), k in 1u32..6) {
            let columns = [|r: &(u32, u32)| r.0, |r: &(u32, u32)| r.1];
            let columns = columns.map(|of| Codes::from(rows.iter().map(of).collect::<Vec<Code>>()));
            let (spaces, records, clusters) = clustered(&columns, k);
            prop_assume!(rows.len() as u32 >= k);
            let mut sizes = vec![0; clusters.sizes.len()];
            for (record, members) in clusters.members.iter().enumerate() {
                prop_assert_eq!(members.iter().map(|m| m.1).sum::<u32>(), records.weights[record]);
                for &(cluster, n) in members {
                    sizes[cluster as usize] += n;
                    for (column, space) in spaces.iter().enumerate() {
                        let extent = &clusters.extents[cluster as usize][column];
                        let code = records.columns[column].get(record);
                        prop_assert_eq!(&space.with(extent, code, &Pace::new(&Unobserved)).unwrap(), extent);
                    }
                }
            }
            prop_assert_eq!(&sizes, &clusters.sizes);
            prop_assert!(sizes.iter().all(|&n| n >= k));
        }
    }
}
