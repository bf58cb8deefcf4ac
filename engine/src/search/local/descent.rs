//! Finds the leaf of each row by a descent through the tree of regions.
//!
//! The descent is the inner loop over all rows. So each decision is a single comparison, and a region of many parts
//! becomes a tree of decisions. Several rows descend side by side, so that their waits for memory overlap.

use super::regions::{Branch, BranchPart, RegionId, Regions, NONE};
use crate::progress::{check_memory, reserve};
use crate::table::{Codes, Store};
use crate::{pace, Code, Error};

/// A comparison. A row goes to `next[0]` if its code on the column is below `at`, otherwise to `next[1]`. A leaf leads
/// to itself.
#[derive(Clone, Copy)]
struct Decision {
    attribute: u32,
    at: Code,
    next: [u32; 2],
}

/// Number of rows that descend side by side. With fewer, waits for memory overlap less.
const LANES: usize = 16;

struct Descent<'r> {
    /// The first decision of each region, by its number, and then all further decisions.
    decisions: Vec<Decision>,
    /// Index of each region among the leaves; `NONE` if it is divided.
    leaves: Vec<u32>,
    regions: &'r Regions,
}

impl<'r> Descent<'r> {
    fn new(regions: &'r Regions) -> Result<Descent<'r>, Error> {
        let all = regions.all.len();
        check_memory::<(Decision, u32)>(all)?;
        let leaf = |region| Decision { attribute: 0, at: 0, next: [region; 2] };
        let decisions = (0..all as RegionId).map(leaf).collect();
        let mut descent = Descent { decisions, leaves: vec![NONE; all], regions };
        pace::each((0..).zip(regions.leaves()), |(index, leaf)| descent.leaves[leaf as usize] = index)?;
        let mut begins = Vec::new();
        for (id, region) in regions.all.iter().enumerate() {
            pace::tick(1)?;
            let Some(branch) = &region.branch else { continue };
            boundaries(branch, &mut begins)?;
            let first = descent.compile(branch.attribute as u32, &begins)?;
            descent.decisions[id] = descent.decisions[first as usize];
        }
        Ok(descent)
    }

    /// Adds the decisions that find the region of a code. `begins` has the first code of each region, ascending.
    /// Returns the number of the first decision, or of the region if there is only one.
    fn compile(&mut self, attribute: u32, begins: &[(Code, RegionId)]) -> Result<u32, Error> {
        if let [(_, region)] = *begins {
            return Ok(region);
        }
        let (below, others) = begins.split_at(begins.len() / 2);
        let next = [self.compile(attribute, below)?, self.compile(attribute, others)?];
        reserve(&mut self.decisions, 1)?;
        self.decisions.push(Decision { attribute, at: others[0].0, next });
        Ok(self.decisions.len() as u32 - 1)
    }

    /// Leads rows from their regions to leaves. `codes` has `width` codes for each row.
    fn classify(&self, codes: &[Code], width: usize, at: &mut [RegionId]) {
        loop {
            let mut gone = 0;
            for (codes, at) in codes.chunks_exact(width).zip(&mut *at) {
                let Decision { attribute, at: first, next } = self.decisions[*at as usize];
                let next = next[usize::from(codes[attribute as usize] >= first)];
                gone |= *at ^ next;
                *at = next;
            }
            if gone == 0 {
                return;
            }
        }
    }

    /// Finds the root of a row.
    fn find_root(&self, codes: &[Code]) -> Option<RegionId> {
        let Some(cuts) = &self.regions.root_cuts else { return self.regions.roots.values().next().copied() };
        let released = cuts.iter().zip(codes).map(|(cut, &code)| cut.node_for(code));
        self.regions.root_with_nodes(&released.collect::<Vec<_>>())
    }
}

/// Lists the first code of each part of a region, ascending. Codes between parts belong to the rest, if there is one.
/// Otherwise no record holds them, and the part before takes them.
fn boundaries(branch: &Branch, begins: &mut Vec<(Code, RegionId)>) -> Result<(), Error> {
    begins.clear();
    let rest = branch.rest;
    if rest != NONE {
        begins.push((0, rest));
    }
    pace::each(&branch.parts, |BranchPart { codes, region }| {
        begins.push((codes.start, *region));
        if rest != NONE {
            begins.push((codes.end, rest));
        }
    })
}

impl Regions {
    /// Returns the leaf of each row, as an index into [`Regions::leaves`]. The regions must have been made from the
    /// same rows.
    pub fn leaf_of_rows(&self, columns: &[&Store], rows: usize) -> Result<Codes, Error> {
        let descent = Descent::new(self)?;
        // At least one code a row, so that the rows are gone through even without columns.
        let (leaves, width) = (self.leaves().count(), columns.len().max(1));
        let mut of_rows = Codes::with_cardinality(leaves, rows)?;
        let (mut buffer, mut codes, mut at) = (Vec::new(), Vec::<Code>::new(), Vec::new());
        for run in pace::ranges(0..rows) {
            let run = run?;
            let more = (run.len() * width).saturating_sub(codes.len());
            reserve(&mut codes, more)?;
            codes.resize(run.len() * width, 0);
            for (place, column) in columns.iter().enumerate() {
                let column = column.fetch(run.clone(), &mut buffer)?;
                codes.chunks_exact_mut(width).zip(column).for_each(|(row, &code)| row[place] = code);
            }
            pace::tick(run.len())?;
            at.clear();
            for row in codes.chunks_exact(width) {
                at.push(descent.find_root(row).ok_or(Error::Internal("a row is in no group"))?);
            }
            let abreast = codes.chunks(LANES * width).zip(at.chunks_mut(LANES));
            abreast.for_each(|(codes, at)| descent.classify(codes, width, at));
            at.iter().for_each(|&region| of_rows.push(descent.leaves[region as usize]));
        }
        Ok(of_rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_columns_there_is_one_leaf() {
        let mut regions = Regions::new(Vec::new(), 0);
        regions.add_root(Vec::new());
        let leaves = regions.leaf_of_rows(&[], 3).unwrap();
        assert_eq!((0..leaves.len()).map(|row| leaves.get(row)).collect::<Vec<_>>(), [0, 0, 0]);
    }
}
