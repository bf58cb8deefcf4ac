//! The distinct records of a table, those of a region of local recoding together.

use super::regions::{RegionId, Regions};
use crate::progress::room;
use crate::table::{compress, Compressed, Store};
use crate::{pace, Error};

/// Distinct records, and where they lie in the tree of regions.
pub(super) struct Placed {
    pub records: Compressed,
    /// All records, those of a region together.
    order: Vec<u32>,
    /// The stretch of each region.
    runs: Vec<(u32, u32)>,
}

impl Placed {
    /// Folds the rows on some columns, the first of which are the `masked` ones.
    pub fn new(
        regions: &Regions,
        columns: &[(&Store, usize)],
        (masked, rows): (usize, usize),
    ) -> Result<Placed, Error> {
        let (codes, cardinalities): (Vec<&Store>, Vec<usize>) = columns.iter().copied().unzip();
        let mut records = compress(&codes, &cardinalities, rows, None)?;
        let many = records.weights.len();
        let stores: Vec<Store> =
            std::mem::take(&mut records.columns).into_iter().map(Store::Memory).collect();
        let leaf_of = regions.leaf_of_rows(&stores.iter().take(masked).collect::<Vec<_>>(), many)?;
        let codes = stores.into_iter().map(|store| store.load().map(|codes| codes.into_owned()));
        records.columns = codes.collect::<Result<_, _>>()?;
        let leaves = regions.leaves().count();
        room::<u32>(many + 4 * regions.count())?;
        let mut sizes = vec![0; leaves];
        pace::each(0..many, |record| sizes[leaf_of.get(record) as usize] += 1)?;
        let (runs, mut next) = runs(regions, &sizes)?;
        let mut order = vec![0; many];
        pace::each(0..many, |record| {
            let at: &mut u32 = &mut next[leaf_of.get(record) as usize];
            order[*at as usize] = record as u32;
            *at += 1;
        })?;
        Ok(Placed { records, order, runs })
    }

    /// The records of a region.
    pub fn of(&self, region: RegionId) -> &[u32] {
        let (start, end) = self.runs[region as usize];
        &self.order[start as usize..end as usize]
    }

    /// Puts records in value order, column by column.
    pub fn sort(&self, records: &mut [u32]) -> Result<(), Error> {
        let key = |r: u32| self.records.columns.iter().map(move |column| column.get(r as usize));
        pace::sort_by(records, |&a, &b| key(a).cmp(key(b)))
    }
}

/// The stretch of each region, and where that of each leaf begins, by the leaves' `sizes`.
#[allow(clippy::type_complexity)]
fn runs(regions: &Regions, sizes: &[u32]) -> Result<(Vec<(u32, u32)>, Vec<u32>), Error> {
    let mut number_of_leaf = vec![None; regions.count()];
    pace::each((0..).zip(regions.leaves()), |(number, leaf)| number_of_leaf[leaf as usize] = Some(number))?;
    let (mut runs, mut starts, mut next) = (vec![(0, 0); regions.count()], vec![0; sizes.len()], 0);
    // Down the tree, parts in their order, and up again.
    let mut open: Vec<(RegionId, bool)> = regions.first().map(|root| (root, false)).collect();
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
