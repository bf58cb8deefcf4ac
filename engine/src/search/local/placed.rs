//! The distinct records of a table, sorted by their regions of local recoding.

use super::regions::{RegionId, Regions};
use crate::buckets::Buckets;
use crate::progress::filled;
use crate::table::{compress, Compressed, Store};
use crate::{pace, Error};
use std::ops::Range;

/// Distinct records, and the records of each region.
pub(super) struct RecordsByRegion {
    pub records: Compressed,
    /// The records of each leaf. The leaves of a region are neighbors.
    leaves: Buckets,
    /// By region, its leaves.
    leaves_of_region: Vec<Range<u32>>,
}

impl RecordsByRegion {
    /// Folds the rows on some columns. The first `masked` columns are the masked ones.
    pub fn new(
        regions: &Regions,
        columns: &[(&Store, usize)],
        masked: usize,
        rows: usize,
    ) -> Result<RecordsByRegion, Error> {
        let (codes, cardinalities): (Vec<&Store>, Vec<usize>) = columns.iter().copied().unzip();
        let mut records = compress(&codes, &cardinalities, rows, None)?;
        let stores: Vec<Store> =
            std::mem::take(&mut records.columns).into_iter().map(Store::Memory).collect();
        let many = records.weights.len();
        let leaf_of = regions.leaf_of_rows(&stores.iter().take(masked).collect::<Vec<_>>(), many)?;
        let codes = stores.into_iter().map(|store| store.load().map(|codes| codes.into_owned()));
        records.columns = codes.collect::<Result<_, _>>()?;
        let leaves_of_region = leaves_of_regions(regions)?;
        let numbers = pace::collect(regions.leaves().map(|leaf| leaves_of_region[leaf as usize].start))?;
        let leaves = Buckets::sort(many, numbers.len(), |record| numbers[leaf_of.get(record) as usize])?;
        Ok(RecordsByRegion { records, leaves, leaves_of_region })
    }

    /// Returns the records of a region.
    pub fn region_records(&self, region: RegionId) -> &[u32] {
        let Range { start, end } = self.leaves_of_region[region as usize];
        let starts = &self.leaves.starts;
        &self.leaves.items[starts[start as usize] as usize..starts[end as usize] as usize]
    }

    /// Sorts records by their codes, column by column.
    pub fn sort(&self, records: &mut [u32]) -> Result<(), Error> {
        let key = |r: u32| self.records.columns.iter().map(move |column| column.get(r as usize));
        pace::sort_by(records, |&a, &b| key(a).cmp(key(b)))
    }
}

/// Numbers the leaves depth first. Returns the numbers of each region's leaves.
fn leaves_of_regions(regions: &Regions) -> Result<Vec<Range<u32>>, Error> {
    let (mut leaves, mut next) = (filled(0..0, regions.count())?, 0);
    // A region is looked at when it is entered, and again when all its parts have been left.
    let mut open: Vec<(RegionId, bool)> = regions.sorted_roots().map(|root| (root, false)).collect();
    while let Some((region, is_left)) = open.pop() {
        pace::tick(1)?;
        if is_left {
            leaves[region as usize].end = next;
            continue;
        }
        leaves[region as usize].start = next;
        next += u32::from(regions.region(region).branch.is_none());
        open.push((region, true));
        open.extend(regions.parts(region).map(|part| (part, false)));
    }
    Ok(leaves)
}
