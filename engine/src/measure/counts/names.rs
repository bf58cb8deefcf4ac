//! Names of counts: each code must lead a reader to the count of its rows.

use super::{CountedNode, CountedNodes, HolderCounter};
use crate::refine::{NodeId, TOP};
use crate::{pace, Code, Error};
use std::cmp::Reverse;

/// The count in which a reader looks for a code, by its index.
struct CountsByName {
    first: Code,
    /// Counts of the codes from the first one on.
    counts: Vec<Option<usize>>,
}

impl CountsByName {
    fn count(&self, code: Code) -> Option<usize> {
        *self.counts.get(code.checked_sub(self.first)? as usize)?
    }
}

impl CountedNodes<'_> {
    /// Finds for each code the count that names the nearest node at or above the code. Parts of an interval are named
    /// by their ends.
    fn counts_by_name(&self) -> Result<CountsByName, Error> {
        let mut names: Vec<(Code, Reverse<Code>, NodeId, usize)> = Vec::new();
        for (count, counted) in self.nodes.iter().enumerate() {
            for &name in std::iter::once(&counted.node).chain(&counted.merged_nodes) {
                pace::tick(1)?;
                let whole = &self.hierarchy.node(name).codes;
                let codes = match name == counted.node && self.hierarchy.is_interval(name) {
                    true => counted.first_code()..counted.codes[0].end.min(whole.end),
                    false => whole.clone(),
                };
                names.push((codes.start, Reverse(codes.end), name, count));
            }
        }
        // Names of nodes above come first. If two nodes have the same codes, the lower one has the greater number.
        pace::sort_by(&mut names, Ord::cmp)?;
        let first = names.first().map_or(0, |&(start, ..)| start);
        let mut end = first;
        pace::each(&names, |&(_, Reverse(other), ..)| end = end.max(other))?;
        let (mut open, mut left): (Vec<(Code, usize)>, _) = (Vec::new(), names.iter().peekable());
        let of_code = |code: Code| {
            while open.pop_if(|(end, _)| *end <= code).is_some() {}
            while let Some(&(_, Reverse(end), _, count)) = left.next_if(|(start, ..)| *start == code) {
                open.push((end, count));
            }
            open.last().map(|&(_, count)| count)
        };
        Ok(CountsByName { first, counts: pace::collect((first..end).map(of_code))? })
    }

    /// Finds the counts with rows whose codes lead a reader to another count, or to none: both by their indexes, each
    /// pair once.
    fn misnamed(&self, holders: &HolderCounter) -> Result<Vec<(usize, Option<usize>)>, Error> {
        let by_name = self.counts_by_name()?;
        let mut misnamed = Vec::new();
        for (count, counted) in self.nodes.iter().enumerate() {
            for code in counted.each_code() {
                pace::tick(1)?;
                let pair = (count, by_name.count(code));
                if holders.rows[code as usize] > 0 && pair.1 != Some(count) && misnamed.last() != Some(&pair)
                {
                    misnamed.push(pair);
                }
            }
        }
        pace::sort_by(&mut misnamed, Ord::cmp)?;
        misnamed.dedup();
        Ok(misnamed)
    }

    /// Merges counts until a reader finds each code in the count of its rows. Renamed counts may cover codes of others.
    pub(super) fn merge_misnamed(&mut self, holders: &HolderCounter) -> Result<(), Error> {
        loop {
            let misnamed = self.misnamed(holders)?;
            if misnamed.is_empty() {
                return Ok(());
            }
            for (count, name) in misnamed {
                match name {
                    Some(other) => self.merge(count.min(other), count.max(other))?,
                    // No name leads to the code: the count takes the name of the node above.
                    None if !self.nodes[count].is_gone() => {
                        let above = self.hierarchy.node(self.nodes[count].node).parent.unwrap_or(TOP);
                        self.rename(count, above)?;
                    }
                    None => {}
                }
            }
            self.nodes.retain(|count| !count.is_gone());
        }
    }

    /// Names a count by a node above, and drops the further names at or below that.
    pub(super) fn rename(&mut self, count: usize, node: NodeId) -> Result<(), Error> {
        let CountedNode { node: name, merged_nodes, .. } = &mut self.nodes[count];
        pace::tick(merged_nodes.len())?;
        merged_nodes.retain(|&other| other != node && !self.hierarchy.is_below(other, node));
        *name = node;
        Ok(())
    }

    /// Checks that the names of each count lead a reader to its rows, and that it has enough rows and persons. Any
    /// other count is an [`Error::Internal`].
    pub(super) fn verify_by_names(&self, holders: &mut HolderCounter) -> Result<(), Error> {
        if !self.misnamed(holders)?.is_empty() {
            return Err(Error::Internal("a count is of rows that its name does not say"));
        }
        for count in &self.nodes {
            let mut rows = 0;
            pace::each(count.each_code(), |code| rows += holders.rows[code as usize])?;
            if rows != count.rows || !holders.suffices(count.each_code(), 1)? {
                return Err(Error::Internal("a count is not of the rows, or of fewer than it must be of"));
            }
        }
        Ok(())
    }
}
