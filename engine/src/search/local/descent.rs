//! Where each row belongs: down the tree of regions, by its codes.
//!
//! The descent is the inner loop over all rows. So the tree is flattened into two arrays: the column that
//! divides each region, and the code ranges of its parts.

use super::regions::{Branch, RegionId, Regions, NONE};
use crate::progress::room;
use crate::table::{Codes, Store};
use crate::trace::Cut;
use crate::{pace, Code, Error};
use std::ops::Range;

/// What is asked of a row at a region.
#[derive(Clone, Copy)]
struct FlatRegion {
    /// On which column it is divided; none, if it is a leaf.
    attribute: u32,
    /// Where its parts begin among those of all, and how many they are.
    first: u32,
    parts: u32,
    /// The region of all other codes; in a leaf, its number among the leaves.
    rest: u32,
}

/// The column of a leaf.
const LEAF: u32 = u32::MAX;

/// A range of codes, and the region that it falls to.
#[derive(Clone, Copy)]
struct Part {
    start: Code,
    end: Code,
    region: RegionId,
}

struct Descent<'r> {
    all: Vec<FlatRegion>,
    parts: Vec<Part>,
    regions: &'r Regions,
}

impl<'r> Descent<'r> {
    fn of(regions: &'r Regions) -> Result<Descent<'r>, Error> {
        room::<FlatRegion>(regions.all.len())?;
        let mut descent = Descent { all: Vec::with_capacity(regions.all.len()), parts: Vec::new(), regions };
        let mut leaves = 0..;
        for region in &regions.all {
            pace::tick(1)?;
            let first = descent.parts.len() as u32;
            let Some(Branch { attribute, parts, suppressed }) = &region.branch else {
                let leaf = leaves.next().expect("numbers without an end");
                descent.all.push(FlatRegion { attribute: LEAF, first, parts: 0, rest: leaf });
                continue;
            };
            let part = |(codes, region): &(Range<Code>, RegionId)| Part {
                start: codes.start,
                end: codes.end,
                region: *region,
            };
            pace::each(parts, |of| descent.parts.push(part(of)))?;
            let (attribute, parts) = (*attribute as u32, parts.len() as u32);
            descent.all.push(FlatRegion { attribute, first, parts, rest: *suppressed });
        }
        Ok(descent)
    }

    /// The leaf where some codes belong, by its place; none where no record has ever been.
    fn leaf(&self, code: impl Fn(usize) -> Code) -> Option<u32> {
        let mut region = self.root(&code)?;
        loop {
            let FlatRegion { attribute, first, parts, rest } = self.all[region as usize];
            if attribute == LEAF {
                return Some(rest);
            }
            let code = code(attribute as usize);
            let parts = &self.parts[first as usize..][..parts as usize];
            region = match parts.get(parts.partition_point(|part| part.end <= code)) {
                Some(part) if part.start <= code => part.region,
                _ if rest != NONE => rest,
                _ => return None,
            };
        }
    }

    /// The region that a row comes from.
    fn root(&self, code: impl Fn(usize) -> Code) -> Option<RegionId> {
        let Some(cuts) = &self.regions.coarsest else { return self.regions.roots.values().next().copied() };
        let released = |(attribute, cut): (usize, &Cut)| cut.released(code(attribute));
        self.regions.root_of(&cuts.iter().enumerate().map(released).collect::<Vec<_>>())
    }
}

impl Regions {
    /// The leaf of each row, by its place among the `leaves`. Every row was there when they were
    /// made.
    pub fn leaf_of_rows(&self, columns: &[&Store], rows: usize) -> Result<Codes, Error> {
        let descent = Descent::of(self)?;
        let leaves = self.leaves().count();
        room::<u8>(rows.saturating_mul(Codes::bytes_below(leaves)))?;
        let mut of_rows = Codes::below(leaves, rows);
        let mut codes = vec![Vec::new(); columns.len()];
        for run in pace::ranges(0..rows) {
            let run = run?;
            for (column, codes) in columns.iter().zip(&mut codes) {
                column.fetch(run.clone(), codes)?;
            }
            pace::tick(run.len())?;
            (0..run.len()).try_for_each(|row| {
                let leaf = descent.leaf(|attribute| codes[attribute][row]);
                of_rows.push(leaf.ok_or(Error::Internal("a row is in no group"))?);
                Ok(())
            })?;
        }
        Ok(of_rows)
    }
}
