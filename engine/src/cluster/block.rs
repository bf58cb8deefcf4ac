//! Divides records into blocks that are clustered separately. A block that is too large is divided top-down.
//!
//! A division should separate records that would be in different clusters anyway. So a block is divided on the column
//! where its middle half loses most. The middle half reaches from the first to the third quartile in code order,
//! which is the order of values on a line and of leaves in a tree. The cut is between the neighbors in the middle half
//! that lose most together: between branches of a tree, at a gap of a line, otherwise near the median. If the middle
//! half of every column is a single value, wider middles are tried.

use super::extent::Generalizer;
use crate::progress::check_memory;
use crate::table::Compressed;
use crate::{pace, Code, Error};
use std::ops::RangeInclusive;

/// Upper bound of the distinct records of a block. Larger blocks take more time, smaller ones lose more.
pub const MAX_BLOCK_RECORDS: usize = 20_000;

struct Cut {
    column: usize,
    /// The first code on the far side.
    at: Code,
    /// Number of records on the near side.
    near: usize,
}

/// Divides records into blocks of at most `most` distinct records and keeps their order. A block stays larger if a part
/// would have fewer than `least` records, or if a part is not allowed.
pub fn divide_into_blocks(
    spaces: &[Generalizer],
    records: &Compressed,
    all: Vec<u32>,
    most: usize,
    least: usize,
    is_allowed: &mut dyn FnMut(&[u32]) -> Result<bool, Error>,
) -> Result<Vec<Vec<u32>>, Error> {
    // Room for all records, and for those of a block once more while it is divided.
    check_memory::<[u32; 2]>(all.len())?;
    let mut open = vec![all];
    let mut blocks = Vec::new();
    while let Some(block) = open.pop() {
        let cut = if block.len() > most { find_cut(spaces, records, &block, least)? } else { None };
        let Some(Cut { column, at, near }) = cut else {
            blocks.push(block);
            continue;
        };
        let codes = &records.columns[column];
        let (mut near, mut far) = (Vec::with_capacity(near), Vec::with_capacity(block.len() - near));
        pace::each(&block, |&record| {
            let side = if codes.get(record as usize) < at { &mut near } else { &mut far };
            side.push(record);
        })?;
        if is_allowed(&near)? && is_allowed(&far)? {
            open.extend([far, near]);
        } else {
            blocks.push(block);
        }
    }
    Ok(blocks)
}

/// Finds the best cut of a block with at least `least` records on either side. Returns None if the block has too few
/// records, or too many with equal values in every column.
fn find_cut(
    spaces: &[Generalizer],
    records: &Compressed,
    block: &[u32],
    least: usize,
) -> Result<Option<Cut>, Error> {
    let mut codes = Vec::with_capacity(block.len());
    // The best cut has the narrowest middle whose ends differ: the one with most records outside. Among equal ones
    // the middle that loses most wins.
    let mut best: Option<((usize, f64), Cut)> = None;
    let spaces = spaces.iter().enumerate().filter(|(_, space)| !matches!(space, Generalizer::Fixed));
    for (column, space) in spaces {
        codes.clear();
        pace::each(block, |&record| codes.push(records.columns[column].get(record as usize)))?;
        pace::sort_by(&mut codes, Code::cmp)?;
        let mut outside = codes.len() / 4;
        while outside >= least.max(1) && codes[outside] == codes[codes.len() - 1 - outside] {
            outside /= 2;
        }
        if outside < least.max(1) {
            continue;
        }
        let (first, last) = (outside, codes.len() - 1 - outside);
        let middle = (outside, space.distance(codes[first], codes[last]));
        if best.as_ref().is_none_or(|(most, _)| middle > *most) {
            let near = widest_gap(space, &codes, first..=last)?;
            best = Some((middle, Cut { column, at: codes[near], near }));
        }
    }
    Ok(best.map(|(_, cut)| cut))
}

/// Returns the index in the `middle` of sorted codes whose code is farthest from the one before it. Ties go to the
/// nearest to the median.
fn widest_gap(space: &Generalizer, codes: &[Code], middle: RangeInclusive<usize>) -> Result<usize, Error> {
    let (mut found, mut widest) = (*middle.end(), None);
    for at in middle.skip(1) {
        pace::tick(1)?;
        if codes[at - 1] < codes[at] {
            let gap = Some((space.distance(codes[at - 1], codes[at]), at.min(codes.len() - at)));
            if gap > widest {
                (found, widest) = (at, gap);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A division on a column that is released as given would gain nothing.
    #[test]
    fn a_block_is_not_divided_on_what_is_given() {
        let line = || Generalizer::Line((0..8).map(f64::from).collect());
        let columns = [vec![0, 1, 2, 3, 4, 5, 6, 7], vec![1, 1, 0, 1, 1, 1, 1, 0]];
        let records = Compressed {
            columns: columns.map(|codes| codes.into_iter().collect()).to_vec(),
            weights: vec![1; 8],
            ids: (0..8).collect(),
        };
        let divided = |spaces: &[Generalizer]| {
            let mut blocks =
                divide_into_blocks(spaces, &records, (0..8).collect(), 4, 1, &mut |_| Ok(true)).unwrap();
            blocks.sort_unstable();
            blocks
        };
        assert_eq!(divided(&[line(), line()]), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        let by_the_other = [vec![0, 1, 3, 4, 5, 6], vec![2, 7]];
        assert_eq!(divided(&[Generalizer::Fixed, line()]), by_the_other);
    }
}
