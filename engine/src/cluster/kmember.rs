//! The clustering of a table: divides the records into blocks ([`divide_into_blocks`]) and makes clusters of k rows
//! within each ([`Clusterer::clusters`]). Up to [`MAX_BLOCK_RECORDS`] records are one block, which takes about a
//! second. Beyond that, the time grows in proportion to the number of records.

use super::block::{divide_into_blocks, MAX_BLOCK_RECORDS};
use super::constraint::Constraint;
use super::extent::{Extent, Generalizer};
use super::greedy::{Cluster, Clusterer};
use crate::progress::check_memory;
use crate::table::{Codes, Compressed};
use crate::{pace, Error};

/// Number of clusters for which a block that results from a division has records. With fewer, most clusters lie at the
/// ends of a block and cannot take in the records just beyond.
const MIN_BLOCK_CLUSTERS: usize = 32;

/// A partition of the records into clusters.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// Extents of each cluster, one a column.
    pub extents: Vec<Vec<Extent>>,
    /// Number of rows of each cluster.
    pub sizes: Vec<u32>,
    /// Clusters of each distinct record, with the number of its rows in each.
    pub members: Vec<Vec<(u32, u32)>>,
}

impl Clusters {
    /// Begins without clusters, for a number of distinct records.
    pub(crate) fn with_records(records: usize) -> Result<Clusters, Error> {
        check_memory::<Vec<(u32, u32)>>(records)?;
        let members = pace::collect((0..records).map(|_| Vec::new()))?;
        Ok(Clusters { members, ..Clusters::default() })
    }

    pub(crate) fn add(&mut self, cluster: Cluster) -> Result<(), Error> {
        let id = self.sizes.len() as u32;
        self.sizes.push(cluster.size());
        self.extents.push(cluster.extents);
        pace::each(cluster.members, |(record, rows)| self.members[record as usize].push((id, rows)))
    }

    /// Returns the cluster of each row. `ids` has the distinct record of each. Equal rows are spread evenly over the
    /// clusters of their record. Otherwise the place of a row in the table would reveal its cluster.
    pub fn assign_rows(&self, ids: &[u32]) -> Result<Codes, Error> {
        check_memory::<[u32; 2]>(self.members.len())?;
        // For each record: the end of each cluster's range of places, and the step from one row's place to the next.
        let (mut ends, mut steps) = (pace::collect(self.members.iter().cloned())?, Vec::new());
        for clusters in &mut ends {
            let mut end = 0;
            pace::each(clusters.iter_mut(), |(_, rows)| {
                end += *rows;
                *rows = end;
            })?;
            steps.push(coprime_stride(end));
        }
        let mut places = vec![0; ends.len()];
        let mut clusters = Codes::with_cardinality(self.sizes.len(), ids.len())?;
        for &record in ids {
            pace::tick(1)?;
            let (ends, place) = (&ends[record as usize], &mut places[record as usize]);
            let rows = ends.last().map_or(0, |(_, end)| *end);
            let within = ends.get(ends.partition_point(|(_, end)| end <= place));
            clusters.push(within.ok_or(Error::Internal("a row is in no cluster"))?.0);
            *place = ((u64::from(*place) + u64::from(steps[record as usize])) % u64::from(rows)) as u32;
        }
        Ok(clusters)
    }
}

/// Returns a step coprime to `places`, so that (i * step) mod places visits each place once. It is near their golden
/// section, which spreads neighbors.
fn coprime_stride(places: u32) -> u32 {
    let divides_both = |step: &u32| {
        let (mut a, mut b) = (places, *step);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a > 1
    };
    let first = (f64::from(places) * 0.618) as u32;
    (first.max(1)..).find(|step| !divides_both(step)).unwrap_or(1)
}

/// Clusters distinct records into groups of at least k rows; fewer than k rows make no cluster. The records must be in
/// value order, which breaks ties. `keeps_duplicates` keeps all rows of a record in one cluster.
pub fn kmember(
    spaces: &[Generalizer],
    records: &Compressed,
    k: u32,
    keeps_duplicates: bool,
) -> Result<Clusters, Error> {
    kmember_in_blocks(spaces, records, k, keeps_duplicates, MAX_BLOCK_RECORDS)
}

/// Does the same with blocks of at most `block` distinct records. No division makes a block too small for
/// [`MIN_BLOCK_CLUSTERS`].
pub fn kmember_in_blocks(
    spaces: &[Generalizer],
    records: &Compressed,
    k: u32,
    keeps_duplicates: bool,
    block: usize,
) -> Result<Clusters, Error> {
    let mut clusters = Clusters::with_records(records.weights.len())?;
    let least = (k as usize).saturating_mul(MIN_BLOCK_CLUSTERS);
    let clusterer = Clusterer { spaces, records, constraint: &Constraint::min_rows(k, keeps_duplicates) };
    let all = pace::collect(0..records.weights.len() as u32)?;
    for block in divide_into_blocks(spaces, records, all, (block, least), &mut |_| Ok(true))? {
        clusterer.clusters(block)?.into_iter().try_for_each(|cluster| clusters.add(cluster))?;
    }
    Ok(clusters)
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_places_are_gone_through() {
        for places in 1..200u32 {
            let step = super::coprime_stride(places);
            let mut seen: Vec<u32> = (0..places)
                .scan(0, |at, _| {
                    let now = *at;
                    *at = (*at + step) % places;
                    Some(now)
                })
                .collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..places), "{places} by {step}");
        }
    }

    use super::*;
    use crate::table::{compress, Codes, Store};
    use crate::Code;
    use proptest::prelude::*;

    fn clustered(columns: &[Codes], k: u32) -> (Vec<Generalizer>, Compressed, Clusters) {
        let stores: Vec<Store> = columns.iter().cloned().map(Store::Memory).collect();
        let stores: Vec<&Store> = stores.iter().collect();
        let records = compress(&stores, &vec![16; columns.len()], columns[0].len(), None).unwrap();
        let spaces = vec![Generalizer::Line((0..16).map(f64::from).collect()); columns.len()];
        let clusters = kmember(&spaces, &records, k, false).unwrap();
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
        // {0,1}, then 15 with 14, then 2, the record farthest from 15, with 3.
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
                        prop_assert_eq!(&space.extend(extent, code), extent);
                    }
                }
            }
            prop_assert_eq!(&sizes, &clusters.sizes);
            prop_assert!(sizes.iter().all(|&n| n >= k));
        }
    }
}
