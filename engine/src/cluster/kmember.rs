//! The clustering: the records are divided into blocks ([`divide`]), clusters are made within each
//! block one at a time ([`Free`]), and the rows of a block that are left go to its clusters.
//!
//! Within a block it is Byun et al.'s algorithm: each cluster begins with a seed far from the last
//! one and takes in whichever record adds least to the information loss until it has k rows. Adding a
//! record r to a cluster cl costs IL(cl + r) - IL(cl) with IL(cl) = |cl| times the losses of its
//! extents (Definition 7). Up to [`BLOCK`] records are one block, and so is what is clustered as a whole
//! in a second; more take time in proportion to their number.

use super::block::divide;
use super::extent::{Extent, Space};
use super::free::{Free, EQUAL};
use crate::progress::Status;
use crate::progress::{reached, room};
use crate::table::Compressed;
use crate::{pace, Error};

/// How many distinct records a block has at most.
const BLOCK: usize = 20_000;

/// For how many clusters a block has records at least, if it is part of a larger one: with few, most
/// lie at the block's ends, and what is just beyond is out of their reach.
const CLUSTERS: usize = 32;

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
/// one the farthest from the last.
pub fn kmember(spaces: &[Space], records: &Compressed, k: u32) -> Result<Clusters, Error> {
    kmember_in_blocks(spaces, records, k, BLOCK)
}

/// The same with blocks of at most so many distinct records, as long as each can have [`CLUSTERS`].
pub fn kmember_in_blocks(
    spaces: &[Space],
    records: &Compressed,
    k: u32,
    block: usize,
) -> Result<Clusters, Error> {
    room::<Vec<(u32, u32)>>(records.weights.len())?;
    let members = pace::collect(records.weights.iter().map(|_| Vec::new()))?;
    let mut clusters = Clusters { members, ..Clusters::default() };
    let least = (k as usize).saturating_mul(CLUSTERS);
    for block in divide(spaces, records, block, least)? {
        let mut free = Free::new(spaces, records, block)?;
        let first = clusters.sizes.len();
        greedy(&mut free, k, &mut clusters)?;
        leftovers(&mut free, first, &mut clusters)?;
    }
    Ok(clusters)
}

/// Makes clusters of k rows from a block as long as there are k.
fn greedy(free: &mut Free, k: u32, clusters: &mut Clusters) -> Result<(), Error> {
    let mut seed = Some(0);
    while let Some(at) = seed.filter(|_| free.rows >= u64::from(k)) {
        let id = clusters.sizes.len() as u32;
        let (mut cluster, at) = free.begin(at)?;
        let mut next = Some(at);
        while let Some(at) = next {
            pace::tick(1)?;
            let (record, rows) = free.join(at, k, &mut cluster)?;
            clusters.members[record].push((id, rows));
            next = if cluster.size < k { free.cheapest(&cluster)? } else { None };
        }
        clusters.extents.push(cluster.extents);
        clusters.sizes.push(cluster.size);
        reached(Status { steps: 0, groups: clusters.sizes.len() });
        seed = free.farthest()?;
    }
    Ok(())
}

/// The rows of a block that are left, fewer than k, each go to that of its clusters, those from the
/// `first` on, where they cost least.
fn leftovers(free: &mut Free, first: usize, clusters: &mut Clusters) -> Result<(), Error> {
    if clusters.sizes.len() == first {
        return Ok(());
    }
    let mut from = 0;
    while let Some(at) = free.first(from)? {
        from = at;
        let (mut best, mut below) = (first, f64::INFINITY);
        for id in first..clusters.sizes.len() {
            let cost = free.cost(at, &clusters.extents[id], clusters.sizes[id])?;
            if cost < below {
                (best, below) = (id, cost - EQUAL);
            }
        }
        let record = free.leave(at, &mut clusters.extents[best])?;
        clusters.sizes[best] += 1;
        pace::tick(clusters.members[record].len())?;
        match clusters.members[record].iter_mut().find(|(id, _)| *id as usize == best) {
            Some((_, rows)) => *rows += 1,
            None => clusters.members[record].push((best as u32, 1)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{compress, Codes, Store};
    use crate::Code;
    use proptest::prelude::*;

    fn clustered(columns: &[Codes], k: u32) -> (Vec<Space>, Compressed, Clusters) {
        let stores: Vec<Store> = columns.iter().cloned().map(Store::Memory).collect();
        let stores: Vec<&Store> = stores.iter().collect();
        let records = compress(&stores, &vec![16; columns.len()], columns[0].len(), None).unwrap();
        let spaces = vec![Space::Line((0..16).map(f64::from).collect()); columns.len()];
        let clusters = kmember(&spaces, &records, k).unwrap();
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
                        prop_assert_eq!(&space.with(extent, code).unwrap(), extent);
                    }
                }
            }
            prop_assert_eq!(&sizes, &clusters.sizes);
            prop_assert!(sizes.iter().all(|&n| n >= k));
        }
    }
}
