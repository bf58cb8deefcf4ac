//! The distinct records of a table, sorted by their regions of local recoding.

use super::regions::{RegionId, Regions};
use crate::progress::check_memory;
use crate::table::{compress, Compressed, Store};
use crate::{pace, Error};

/// Distinct records, and the records of each region.
pub(super) struct RecordsByRegion {
    pub records: Compressed,
    /// All records; those of a region are contiguous.
    order: Vec<u32>,
    /// Start and end in `order` of each region's records.
    runs: Vec<(u32, u32)>,
}

impl RecordsByRegion {
    /// Folds the rows on some columns. The first `masked` columns are the masked ones.
    pub fn new(
        regions: &Regions,
        columns: &[(&Store, usize)],
        (masked, rows): (usize, usize),
    ) -> Result<RecordsByRegion, Error> {
        let (codes, cardinalities): (Vec<&Store>, Vec<usize>) = columns.iter().copied().unzip();
        let mut records = compress(&codes, &cardinalities, rows, None)?;
        let many = records.weights.len();
        let stores: Vec<Store> =
            std::mem::take(&mut records.columns).into_iter().map(Store::Memory).collect();
        let leaf_of = regions.leaf_of_rows(&stores.iter().take(masked).collect::<Vec<_>>(), many)?;
        let codes = stores.into_iter().map(|store| store.load().map(|codes| codes.into_owned()));
        records.columns = codes.collect::<Result<_, _>>()?;
        let leaves = regions.leaves().count();
        check_memory::<u32>(many + 4 * regions.count())?;
        let mut sizes = vec![0; leaves];
        pace::each(0..many, |record| sizes[leaf_of.get(record) as usize] += 1)?;
        let (runs, mut next) = runs(regions, &sizes)?;
        let mut order = vec![0; many];
        pace::each(0..many, |record| {
            let at: &mut u32 = &mut next[leaf_of.get(record) as usize];
            order[*at as usize] = record as u32;
            *at += 1;
        })?;
        Ok(RecordsByRegion { records, order, runs })
    }

    /// Returns the records of a region.
    pub fn region_records(&self, region: RegionId) -> &[u32] {
        let (start, end) = self.runs[region as usize];
        &self.order[start as usize..end as usize]
    }

    /// Sorts records by their codes, column by column.
    pub fn sort(&self, records: &mut [u32]) -> Result<(), Error> {
        let key = |r: u32| self.records.columns.iter().map(move |column| column.get(r as usize));
        pace::sort_by(records, |&a, &b| key(a).cmp(key(b)))
    }
}

/// Computes the run of each region from the leaves' `sizes`. Also returns the start of each leaf's run.
#[allow(clippy::type_complexity)]
fn runs(regions: &Regions, sizes: &[u32]) -> Result<(Vec<(u32, u32)>, Vec<u32>), Error> {
    let mut number_of_leaf = vec![None; regions.count()];
    pace::each((0..).zip(regions.leaves()), |(number, leaf)| number_of_leaf[leaf as usize] = Some(number))?;
    let (mut runs, mut starts, mut next) = (vec![(0, 0); regions.count()], vec![0; sizes.len()], 0);
    // Depth first: the run of a region begins when the region is entered and ends when it is left.
    let mut open: Vec<(RegionId, bool)> = regions.sorted_roots().map(|root| (root, false)).collect();
    while let Some((region, is_done)) = open.pop() {
        pace::tick(1)?;
        let run = &mut runs[region as usize];
        if is_done {
            run.1 = next;
            continue;
        }
        *run = (next, next);
        open.push((region, true));
        open.extend(regions.parts(region).map(|part| (part, false)));
        if let Some(leaf) = number_of_leaf[region as usize] {
            let leaf: usize = leaf;
            starts[leaf] = next;
            next += sizes[leaf];
        }
    }
    Ok((runs, starts))
}
