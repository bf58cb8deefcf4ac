//! The clustering of a table: divides the records into blocks ([`divide_into_blocks`]) and makes clusters of k rows
//! within each ([`Clusterer::clusters`]). Up to [`MAX_BLOCK_RECORDS`] records are one block, which takes about a
//! second. Beyond that, the time grows in proportion to the number of records.

use super::block::{divide_into_blocks, MAX_BLOCK_RECORDS};
use super::constraint::Constraint;
use super::extent::{Extent, Generalizer};
use super::free::Member;
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
        pace::each(cluster.members, |Member { record, rows }| self.members[record as usize].push((id, rows)))
    }

    /// Returns the cluster of each row. `ids` has the distinct record of each. Equal rows are spread evenly over the
    /// clusters of their record. Otherwise the place of a row in the table would reveal its cluster.
    pub fn assign_rows(&self, ids: &[u32]) -> Result<Codes, Error> {
        check_memory::<[u32; 2]>(self.members.len())?;
        // The rows of a record take its places in an order that spreads them, and each cluster has a range of places.
        // For each record: the end of each cluster's range, and the step from one row's place to the next.
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
    let min_block = (k as usize).saturating_mul(MIN_BLOCK_CLUSTERS);
    let clusterer = Clusterer { spaces, records, constraint: &Constraint::min_rows(k, keeps_duplicates) };
    let all = pace::collect(0..records.weights.len() as u32)?;
    for block in divide_into_blocks(spaces, records, all, block, min_block, &mut |_| Ok(true))? {
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
            let mut seen: Vec<u32> = (0..places).map(|i| i * step % places).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..places), "{places} by {step}");
        }
    }
}
