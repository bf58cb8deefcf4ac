//! The clusters of one block, by the algorithm of Byun et al. Each cluster begins with the record farthest from the
//! last seed. It takes in the record that adds least to the information loss, until it is complete ([`Constraint`]).
//!
//! Adding a record r to a cluster cl costs IL(cl + r) - IL(cl) with IL(cl) = |cl| times the losses of its extents
//! (Definition 7). Each leftover row then joins the cheapest cluster that stays complete with it. Rows that no cluster
//! can take form one cluster, which merges with complete clusters until it is complete itself.

use super::extent::{Extent, Generalizer};
use super::free::{Unassigned, TOLERANCE};
use super::goal::{Constraint, Strictness};
use crate::progress::{report, Status};
use crate::table::Compressed;
use crate::{pace, Code, Error};

/// A cluster.
#[derive(Debug)]
pub struct Cluster<C> {
    /// Extent on each column.
    pub extents: Vec<Extent>,
    /// Number of rows.
    pub size: u32,
    /// Records, each with its number of rows in the cluster.
    pub members: Vec<(u32, u32)>,
    /// The goal's counts of it.
    counted: C,
}

/// Records to be clustered, and the goal of each cluster.
pub struct Clusterer<'a, G> {
    /// Generalization of each column.
    pub spaces: &'a [Generalizer],
    pub records: &'a Compressed,
    /// Condition for a complete cluster.
    pub goal: &'a G,
}

impl<G: Constraint> Clusterer<'_, G> {
    /// Clusters some of the records, which must be in value order: it breaks ties. The first seed is the first record.
    /// Returns no clusters if even all of the records together are not a complete one.
    pub fn clusters(&self, block: Vec<u32>) -> Result<Vec<Cluster<G::Counted>>, Error> {
        let mut free = Unassigned::new(self.spaces, self.records, block)?;
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let mut seed = Some(0);
        while let Some(at) = seed.filter(|_| free.rows > 0 && self.goal.is_feasible(free.rows)) {
            let cluster = self.grow(&mut free, at)?;
            if self.goal.is_complete(&cluster.counted)? {
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
    fn grow(&self, free: &mut Unassigned, seed: usize) -> Result<Cluster<G::Counted>, Error> {
        let (mut cluster, at) = free.begin(seed)?;
        let mut counted = self.goal.empty()?;
        let (mut members, mut next): (Vec<(u32, u32)>, _) = (Vec::new(), Some(at));
        while let Some(at) = next {
            pace::tick(1)?;
            let all = self.goal.keeps_duplicates();
            let wanted = if all { u32::MAX } else { self.goal.batch(&counted) };
            let (record, rows) = free.add_to_cluster(at, wanted, &mut cluster)?;
            self.goal.add(&mut counted, record, rows)?;
            match members.last_mut() {
                Some((last, all)) if *last == record => *all += rows,
                _ => members.push((record, rows)),
            }
            next = None;
            for help in [Strictness::EveryMeasure, Strictness::AnyMeasure] {
                if next.is_none() && !self.goal.is_complete(&counted)? {
                    next =
                        free.cheapest(&cluster, |record| self.goal.improves(&mut counted, record, help))?;
                }
            }
        }
        Ok(Cluster { extents: cluster.extents, size: cluster.size, members, counted })
    }

    fn assign_leftovers(
        &self,
        left: Vec<(u32, u32)>,
        made: &mut Vec<Cluster<G::Counted>>,
    ) -> Result<(), Error> {
        let mut rest = Vec::new();
        for (record, all) in left {
            let rows = if self.goal.keeps_duplicates() { all } else { 1 };
            for _ in 0..all / rows {
                let (mut best, mut below) = (None, f64::INFINITY);
                for (id, cluster) in made.iter_mut().enumerate() {
                    let cost = self.cost(cluster, (record, rows))?;
                    if cost < below && self.holds_with(&mut cluster.counted, (record, rows))? {
                        (best, below) = (Some(id), cost - TOLERANCE);
                    }
                }
                match best {
                    Some(id) => self.add(&mut made[id], (record, rows))?,
                    None => rest.push((record, rows)),
                }
            }
        }
        self.merge_leftovers(rest, made)
    }

    /// Returns the increase of a cluster's loss with rows of a record added.
    fn cost(&self, cluster: &Cluster<G::Counted>, (record, rows): (u32, u32)) -> Result<f64, Error> {
        let (mut now, mut grown) = (0.0, 0.0);
        pace::tick(self.spaces.len())?;
        for (c, (space, extent)) in self.spaces.iter().zip(&cluster.extents).enumerate() {
            now += space.loss(extent);
            grown += space.loss(&space.extend(extent, self.code(record, c))?);
        }
        let size = f64::from(cluster.size);
        Ok((size + f64::from(rows)) * grown - size * now)
    }

    fn code(&self, record: u32, column: usize) -> Code {
        self.records.columns[column].get(record as usize)
    }

    /// Returns whether a cluster would be complete with rows of a record added.
    fn holds_with(&self, counted: &mut G::Counted, (record, rows): (u32, u32)) -> Result<bool, Error> {
        self.goal.add(counted, record, rows)?;
        let holds = self.goal.is_complete(counted);
        self.goal.remove(counted, record, rows)?;
        holds
    }

    fn add(&self, cluster: &mut Cluster<G::Counted>, (record, rows): (u32, u32)) -> Result<(), Error> {
        for (c, (space, extent)) in self.spaces.iter().zip(&mut cluster.extents).enumerate() {
            *extent = space.extend(extent, self.code(record, c))?;
        }
        cluster.size += rows;
        self.goal.add(&mut cluster.counted, record, rows)?;
        pace::tick(cluster.members.len())?;
        match cluster.members.iter_mut().find(|(other, _)| *other == record) {
            Some((_, all)) => *all += rows,
            None => cluster.members.push((record, rows)),
        }
        Ok(())
    }

    /// Makes one cluster of the rows that no cluster could take. Merges it with complete clusters, the cheapest first,
    /// until it is complete.
    fn merge_leftovers(
        &self,
        rest: Vec<(u32, u32)>,
        made: &mut Vec<Cluster<G::Counted>>,
    ) -> Result<(), Error> {
        if rest.is_empty() {
            return Ok(());
        }
        let mut rest = self.merge_records(rest)?;
        while !self.goal.is_complete(&rest.counted)? {
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
    pub fn merge_records(&self, members: Vec<(u32, u32)>) -> Result<Cluster<G::Counted>, Error> {
        let mut extents: Vec<Extent> = Vec::new();
        for (c, space) in self.spaces.iter().enumerate() {
            let mut codes = members.iter().map(|&(record, _)| self.code(record, c));
            let first = codes.next().ok_or(Error::Internal("a cluster of no record"))?;
            let mut extent = space.generalize_one(first)?;
            for code in codes {
                pace::tick(1)?;
                extent = space.extend(&extent, code)?;
            }
            extents.push(extent);
        }
        let (mut counted, mut size) = (self.goal.empty()?, 0);
        for &(record, rows) in &members {
            self.goal.add(&mut counted, record, rows)?;
            size += rows;
        }
        Ok(Cluster { extents, size, members, counted })
    }

    /// Returns the increase of the loss if two clusters are merged.
    fn merge_cost(&self, one: &Cluster<G::Counted>, other: &Cluster<G::Counted>) -> Result<f64, Error> {
        let mut together = 0.0;
        for (c, (space, extent)) in self.spaces.iter().zip(&one.extents).enumerate() {
            let mut extent = extent.clone();
            for &(record, _) in &other.members {
                pace::tick(1)?;
                extent = space.extend(&extent, self.code(record, c))?;
            }
            together += space.loss(&extent);
        }
        let sizes = f64::from(one.size + other.size);
        Ok(sizes * together - self.loss(one) - self.loss(other))
    }

    /// Returns the loss of a cluster, summed over its rows.
    pub fn loss(&self, cluster: &Cluster<G::Counted>) -> f64 {
        let loss: f64 = self.spaces.iter().zip(&cluster.extents).map(|(s, e)| s.loss(e)).sum();
        f64::from(cluster.size) * loss
    }

    pub fn holds(&self, cluster: &Cluster<G::Counted>) -> Result<bool, Error> {
        self.goal.is_complete(&cluster.counted)
    }
}
