//! The clusters of one block, by the algorithm of Byun et al. Each cluster begins with the record farthest from the
//! last seed. It takes in the record that adds least to the information loss, until it is complete ([`Constraint`]).
//!
//! Adding a record r to a cluster cl costs IL(cl + r) - IL(cl) with IL(cl) = |cl| times the losses of its extents
//! (Definition 7). Each leftover row then joins the cheapest cluster that stays complete with it. Rows that no cluster
//! can take form one cluster, which merges with complete clusters until it is complete itself.

use super::constraint::{ClusterCounts, Constraint, Strictness};
use super::extent::{Extent, Generalizer};
use super::free::{Member, Unassigned, TOLERANCE};
use crate::progress::{report, Status};
use crate::table::Compressed;
use crate::{pace, Error};

/// A cluster.
#[derive(Debug)]
pub struct Cluster {
    /// Extent on each column.
    pub extents: Vec<Extent>,
    pub members: Vec<Member>,
    counts: ClusterCounts,
}

impl Cluster {
    /// Returns the number of rows.
    pub fn size(&self) -> u32 {
        self.counts.rows
    }
}

/// Records to be clustered.
pub struct Clusterer<'a> {
    /// Generalization of each column.
    pub spaces: &'a [Generalizer],
    pub records: &'a Compressed,
    /// Condition for a complete cluster.
    pub constraint: &'a Constraint<'a>,
}

impl Clusterer<'_> {
    /// Clusters some of the records, which must be in value order: it breaks ties. The first seed is the first record.
    /// Returns no clusters if even all of the records together are not a complete one.
    pub fn clusters(&self, block: Vec<u32>) -> Result<Vec<Cluster>, Error> {
        let mut free = Unassigned::new(self.spaces, self.records, block)?;
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let mut seed = Some(0);
        while let Some(at) = seed.filter(|_| free.rows > 0 && self.constraint.is_feasible(free.rows)) {
            let cluster = self.grow(&mut free, at)?;
            if self.is_complete(&cluster)? {
                made.push(cluster);
                report(Status { steps: 0, groups: made.len() });
            } else {
                left.extend(cluster.members);
            }
            seed = free.farthest()?;
        }
        left.extend(free.into_remaining()?);
        self.assign_leftovers(left, &mut made)?;
        Ok(made)
    }

    /// Grows a cluster from a seed until it is complete, or no free record brings it nearer.
    fn grow(&self, free: &mut Unassigned, seed: usize) -> Result<Cluster, Error> {
        let (mut growing, at) = free.begin(seed)?;
        let mut counts = self.constraint.empty()?;
        let (mut members, mut next): (Vec<Member>, _) = (Vec::new(), Some(at));
        while let Some(at) = next {
            pace::tick(1)?;
            let added = free.add_to_cluster(at, self.constraint.batch(&counts), &mut growing)?;
            self.constraint.add(&mut counts, added.record, added.rows);
            match members.last_mut() {
                Some(last) if last.record == added.record => last.rows += added.rows,
                _ => members.push(added),
            }
            next = None;
            for strictness in [Strictness::EveryMeasure, Strictness::AnyMeasure] {
                if next.is_none() && !self.constraint.is_complete(&counts)? {
                    let may = |record| self.constraint.improves(&mut counts, record, strictness);
                    next = free.cheapest(&growing, may)?;
                }
            }
        }
        Ok(Cluster { extents: growing.extents, members, counts })
    }

    /// Adds each leftover row to the cheapest cluster that stays complete with it.
    fn assign_leftovers(&self, left: Vec<Member>, made: &mut Vec<Cluster>) -> Result<(), Error> {
        let mut rest = Vec::new();
        for Member { record, rows: all } in left {
            let rows = if self.constraint.keeps_duplicates { all } else { 1 };
            for _ in 0..all / rows {
                // Another cluster must be cheaper by more than rounding, so that of equal ones the first is taken.
                let (mut best, mut below) = (None, f64::INFINITY);
                for (id, cluster) in made.iter_mut().enumerate() {
                    pace::tick(self.spaces.len())?;
                    let cost = self.cost(cluster, record, rows);
                    if cost < below && self.constraint.is_complete_with(&mut cluster.counts, record, rows)? {
                        (best, below) = (Some(id), cost - TOLERANCE);
                    }
                }
                match best {
                    Some(id) => self.add(&mut made[id], record, rows)?,
                    None => rest.push(Member { record, rows }),
                }
            }
        }
        self.merge_leftovers(rest, made)
    }

    fn extend(&self, extents: &mut [Extent], record: u32) {
        for ((space, extent), column) in self.spaces.iter().zip(extents).zip(&self.records.columns) {
            *extent = space.extend(extent, column.get(record as usize));
        }
    }

    /// Returns the increase of a cluster's loss with rows of a record added.
    fn cost(&self, cluster: &Cluster, record: u32, rows: u32) -> f64 {
        let columns = self.spaces.iter().zip(&cluster.extents).zip(&self.records.columns);
        let grown = columns
            .map(|((space, extent), column)| space.loss(&space.extend(extent, column.get(record as usize))));
        let size = f64::from(cluster.size());
        (size + f64::from(rows)) * grown.sum::<f64>() - size * self.loss(&cluster.extents)
    }

    fn add(&self, cluster: &mut Cluster, record: u32, rows: u32) -> Result<(), Error> {
        self.extend(&mut cluster.extents, record);
        self.constraint.add(&mut cluster.counts, record, rows);
        pace::tick(cluster.members.len())?;
        match cluster.members.iter_mut().find(|member| member.record == record) {
            Some(member) => member.rows += rows,
            None => cluster.members.push(Member { record, rows }),
        }
        Ok(())
    }

    /// Makes one cluster of the rows that no cluster could take. Merges it with complete clusters, the cheapest first,
    /// until it is complete.
    fn merge_leftovers(&self, rest: Vec<Member>, made: &mut Vec<Cluster>) -> Result<(), Error> {
        if rest.is_empty() {
            return Ok(());
        }
        let mut rest = self.merge_records(rest)?;
        while !self.is_complete(&rest)? {
            let (mut best, mut below) = (None, f64::INFINITY);
            for (id, cluster) in made.iter().enumerate() {
                let cost = self.merge_cost(&rest, cluster)?;
                if cost < below {
                    (best, below) = (Some(id), cost - TOLERANCE);
                }
            }
            let Some(best) = best else { return Ok(()) };
            let mut members = made.remove(best).members;
            members.append(&mut rest.members);
            rest = self.merge_records(members)?;
        }
        made.push(rest);
        Ok(())
    }

    /// Makes one cluster of some records.
    pub fn merge_records(&self, members: Vec<Member>) -> Result<Cluster, Error> {
        let first = members.first().ok_or(Error::Internal("a cluster of no record"))?.record;
        let columns = self.spaces.iter().zip(&self.records.columns);
        let extents = columns.map(|(space, column)| space.generalize_one(column.get(first as usize)));
        let mut extents: Vec<Extent> = extents.collect();
        let mut counts = self.constraint.empty()?;
        for &Member { record, rows } in &members {
            pace::tick(self.spaces.len())?;
            self.extend(&mut extents, record);
            self.constraint.add(&mut counts, record, rows);
        }
        Ok(Cluster { extents, members, counts })
    }

    /// Returns the increase of the loss if two clusters are merged.
    fn merge_cost(&self, one: &Cluster, other: &Cluster) -> Result<f64, Error> {
        let mut extents = one.extents.clone();
        for &Member { record, .. } in &other.members {
            pace::tick(self.spaces.len())?;
            self.extend(&mut extents, record);
        }
        let loss = |cluster: &Cluster| f64::from(cluster.size()) * self.loss(&cluster.extents);
        Ok(f64::from(one.size() + other.size()) * self.loss(&extents) - loss(one) - loss(other))
    }

    /// Returns the loss of a row that is released as the extents.
    fn loss(&self, extents: &[Extent]) -> f64 {
        self.spaces.iter().zip(extents).map(|(space, extent)| space.loss(extent)).sum()
    }

    pub fn is_complete(&self, cluster: &Cluster) -> Result<bool, Error> {
        self.constraint.is_complete(&cluster.counts)
    }
}
