//! The clusters of one block, by the algorithm of Byun et al. Each cluster begins with the record farthest from the
//! last seed. It takes in the record that adds least to the information loss, until it is complete ([`Goal`]).
//!
//! Adding a record r to a cluster cl costs IL(cl + r) - IL(cl) with IL(cl) = |cl| times the losses of its extents
//! (Definition 7). Each leftover row then joins the cheapest cluster that stays complete with it. Rows that no cluster
//! can take form one cluster, which merges with complete clusters until it is complete itself.

use super::extent::{Extent, Space};
use super::free::{Free, EQUAL};
use super::goal::{Goal, Help};
use crate::progress::{reached, Status};
use crate::table::Compressed;
use crate::{pace, Code, Error};

/// A cluster.
#[derive(Debug)]
pub struct Made<C> {
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
pub struct Task<'a, G> {
    /// Generalization of each column.
    pub spaces: &'a [Space],
    pub records: &'a Compressed,
    /// Condition for a complete cluster.
    pub goal: &'a G,
}

impl<G: Goal> Task<'_, G> {
    /// Clusters some of the records, which must be in value order: it breaks ties. The first seed is the first record.
    /// Returns no clusters if even all of the records together are not a complete one.
    pub fn clusters(&self, block: Vec<u32>) -> Result<Vec<Made<G::Counted>>, Error> {
        let mut free = Free::new(self.spaces, self.records, block)?;
        let (mut made, mut left) = (Vec::new(), Vec::new());
        let mut seed = Some(0);
        while let Some(at) = seed.filter(|_| free.rows > 0 && self.goal.may_hold(free.rows)) {
            let cluster = self.grow(&mut free, at)?;
            if self.goal.holds(&cluster.counted)? {
                made.push(cluster);
                reached(Status { steps: 0, groups: made.len() });
            } else {
                left.extend(cluster.members);
            }
            seed = free.farthest()?;
        }
        left.extend(free.rest()?);
        self.leftovers(left, &mut made)?;
        Ok(made)
    }

    /// Grows a cluster from a seed until it is complete, or no free record brings it nearer.
    fn grow(&self, free: &mut Free, seed: usize) -> Result<Made<G::Counted>, Error> {
        let (mut cluster, at) = free.begin(seed)?;
        let mut counted = self.goal.nothing()?;
        let (mut members, mut next): (Vec<(u32, u32)>, _) = (Vec::new(), Some(at));
        while let Some(at) = next {
            pace::tick(1)?;
            let all = self.goal.keeps_together();
            let wanted = if all { u32::MAX } else { self.goal.wanted(&counted) };
            let (record, rows) = free.join(at, wanted, &mut cluster)?;
            self.goal.take(&mut counted, record, rows)?;
            match members.last_mut() {
                Some((last, all)) if *last == record => *all += rows,
                _ => members.push((record, rows)),
            }
            next = None;
            for help in [Help::All, Help::Some] {
                if next.is_none() && !self.goal.holds(&counted)? {
                    next = free.cheapest(&cluster, |record| self.goal.helps(&mut counted, record, help))?;
                }
            }
        }
        Ok(Made { extents: cluster.extents, size: cluster.size, members, counted })
    }

    fn leftovers(&self, left: Vec<(u32, u32)>, made: &mut Vec<Made<G::Counted>>) -> Result<(), Error> {
        let mut rest = Vec::new();
        for (record, all) in left {
            let rows = if self.goal.keeps_together() { all } else { 1 };
            for _ in 0..all / rows {
                let (mut best, mut below) = (None, f64::INFINITY);
                for (id, cluster) in made.iter_mut().enumerate() {
                    let cost = self.cost(cluster, (record, rows))?;
                    if cost < below && self.holds_with(&mut cluster.counted, (record, rows))? {
                        (best, below) = (Some(id), cost - EQUAL);
                    }
                }
                match best {
                    Some(id) => self.add(&mut made[id], (record, rows))?,
                    None => rest.push((record, rows)),
                }
            }
        }
        self.join(rest, made)
    }

    /// Returns the increase of a cluster's loss with rows of a record added.
    fn cost(&self, cluster: &Made<G::Counted>, (record, rows): (u32, u32)) -> Result<f64, Error> {
        let (mut now, mut grown) = (0.0, 0.0);
        pace::tick(self.spaces.len())?;
        for (c, (space, extent)) in self.spaces.iter().zip(&cluster.extents).enumerate() {
            now += space.loss(extent);
            grown += space.loss(&space.with(extent, self.code(record, c))?);
        }
        let size = f64::from(cluster.size);
        Ok((size + f64::from(rows)) * grown - size * now)
    }

    fn code(&self, record: u32, column: usize) -> Code {
        self.records.columns[column].get(record as usize)
    }

    /// Returns whether a cluster would be complete with rows of a record added.
    fn holds_with(&self, counted: &mut G::Counted, (record, rows): (u32, u32)) -> Result<bool, Error> {
        self.goal.take(counted, record, rows)?;
        let holds = self.goal.holds(counted);
        self.goal.give(counted, record, rows)?;
        holds
    }

    fn add(&self, cluster: &mut Made<G::Counted>, (record, rows): (u32, u32)) -> Result<(), Error> {
        for (c, (space, extent)) in self.spaces.iter().zip(&mut cluster.extents).enumerate() {
            *extent = space.with(extent, self.code(record, c))?;
        }
        cluster.size += rows;
        self.goal.take(&mut cluster.counted, record, rows)?;
        pace::tick(cluster.members.len())?;
        match cluster.members.iter_mut().find(|(other, _)| *other == record) {
            Some((_, all)) => *all += rows,
            None => cluster.members.push((record, rows)),
        }
        Ok(())
    }

    /// Makes one cluster of the rows that no cluster could take. Merges it with complete clusters, the cheapest first,
    /// until it is complete.
    fn join(&self, rest: Vec<(u32, u32)>, made: &mut Vec<Made<G::Counted>>) -> Result<(), Error> {
        if rest.is_empty() {
            return Ok(());
        }
        let mut rest = self.together(rest)?;
        while !self.goal.holds(&rest.counted)? {
            let (mut best, mut below) = (None, f64::INFINITY);
            for (id, cluster) in made.iter().enumerate() {
                let cost = self.cost_together(&rest, cluster)?;
                if cost < below {
                    (best, below) = (Some(id), cost - EQUAL);
                }
            }
            let Some(best) = best else { return Ok(()) };
            let mut members = made.remove(best).members;
            members.append(&mut rest.members);
            rest = self.together(members)?;
        }
        made.push(rest);
        Ok(())
    }

    /// Makes one cluster of some records.
    pub fn together(&self, members: Vec<(u32, u32)>) -> Result<Made<G::Counted>, Error> {
        let mut extents: Vec<Extent> = Vec::new();
        for (c, space) in self.spaces.iter().enumerate() {
            let mut codes = members.iter().map(|&(record, _)| self.code(record, c));
            let first = codes.next().ok_or(Error::Internal("a cluster of no record"))?;
            let mut extent = space.of(first)?;
            for code in codes {
                pace::tick(1)?;
                extent = space.with(&extent, code)?;
            }
            extents.push(extent);
        }
        let (mut counted, mut size) = (self.goal.nothing()?, 0);
        for &(record, rows) in &members {
            self.goal.take(&mut counted, record, rows)?;
            size += rows;
        }
        Ok(Made { extents, size, members, counted })
    }

    /// Returns the increase of the loss if two clusters are merged.
    fn cost_together(&self, one: &Made<G::Counted>, other: &Made<G::Counted>) -> Result<f64, Error> {
        let mut together = 0.0;
        for (c, (space, extent)) in self.spaces.iter().zip(&one.extents).enumerate() {
            let mut extent = extent.clone();
            for &(record, _) in &other.members {
                pace::tick(1)?;
                extent = space.with(&extent, self.code(record, c))?;
            }
            together += space.loss(&extent);
        }
        let sizes = f64::from(one.size + other.size);
        Ok(sizes * together - self.loss(one) - self.loss(other))
    }

    /// Returns the loss of a cluster, summed over its rows.
    pub fn loss(&self, cluster: &Made<G::Counted>) -> f64 {
        let loss: f64 = self.spaces.iter().zip(&cluster.extents).map(|(s, e)| s.loss(e)).sum();
        f64::from(cluster.size) * loss
    }

    pub fn holds(&self, cluster: &Made<G::Counted>) -> Result<bool, Error> {
        self.goal.holds(&cluster.counted)
    }
}
