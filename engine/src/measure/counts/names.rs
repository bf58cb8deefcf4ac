//! Names of counts: each code must lead a reader to the count of its rows.

use super::{CountedNode, CountedNodes, HolderCounter};
use crate::progress::reserve;
use crate::refine::{NodeId, TOP};
use crate::{pace, Code, Error};
use std::cmp::Reverse;

/// A name of a count, and the codes that it covers. Sorts before the names below it: if two nodes have the same codes,
/// the lower one has the greater number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name {
    start: Code,
    end: Reverse<Code>,
    node: NodeId,
    count_index: usize,
}

/// Count in which a reader looks for each code, by its index.
struct CountsByName {
    first: Code,
    /// Counts of the codes from the first one on.
    count_indexes: Vec<Option<usize>>,
}

impl CountsByName {
    /// Returns the index of the count in which a reader looks for a code.
    fn count_index(&self, code: Code) -> Option<usize> {
        *self.count_indexes.get(code.checked_sub(self.first)? as usize)?
    }
}

/// A count with a row whose code leads a reader to another count, or to none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Misnamed {
    count_index: usize,
    found_index: Option<usize>,
}

impl CountedNodes<'_> {
    /// Lists all names, sorted. Parts of an interval are named by their ends.
    fn sorted_names(&self) -> Result<Vec<Name>, Error> {
        let mut names: Vec<Name> = Vec::new();
        for (count_index, count) in self.counts.iter().enumerate() {
            reserve(&mut names, 1 + count.merged_nodes.len())?;
            for &node in std::iter::once(&count.node).chain(&count.merged_nodes) {
                pace::tick(1)?;
                let whole = &self.hierarchy.node(node).codes;
                let codes = match node == count.node && self.hierarchy.is_interval(node) {
                    true => count.first_code()..count.codes[0].end.min(whole.end),
                    false => whole.clone(),
                };
                names.push(Name { start: codes.start, end: Reverse(codes.end), node, count_index });
            }
        }
        pace::sort_by(&mut names, Ord::cmp)?;
        Ok(names)
    }

    /// Finds for each code the count that names the nearest node at or above the code.
    fn counts_by_name(&self) -> Result<CountsByName, Error> {
        let names = self.sorted_names()?;
        let first = names.first().map_or(0, |name| name.start);
        let mut end = first;
        pace::each(&names, |name| end = end.max(name.end.0))?;
        // Names that cover the code, the nearest one last.
        let mut covering: Vec<Name> = Vec::new();
        let mut following = names.iter().peekable();
        let nearest = |code: Code| {
            while covering.pop_if(|name| name.end.0 <= code).is_some() {}
            while let Some(&name) = following.next_if(|name| name.start == code) {
                covering.push(name);
            }
            covering.last().map(|name| name.count_index)
        };
        Ok(CountsByName { first, count_indexes: pace::collect((first..end).map(nearest))? })
    }

    /// Finds the counts with rows whose codes lead a reader to another count, or to none. Lists each pair once.
    fn find_misnamed(&self, holders: &HolderCounter) -> Result<Vec<Misnamed>, Error> {
        let by_name = self.counts_by_name()?;
        let mut all = Vec::new();
        for (count_index, count) in self.counts.iter().enumerate() {
            for code in count.each_code() {
                pace::tick(1)?;
                let misnamed = Misnamed { count_index, found_index: by_name.count_index(code) };
                let is_found = misnamed.found_index == Some(count_index);
                if holders.rows[code as usize] > 0 && !is_found && all.last() != Some(&misnamed) {
                    all.push(misnamed);
                }
            }
        }
        pace::sort_by(&mut all, Ord::cmp)?;
        all.dedup();
        Ok(all)
    }

    /// Merges counts until a reader finds each code in the count of its rows. A merge may rename a count to a node that
    /// covers codes of others, so the search is repeated.
    pub(super) fn merge_misnamed(&mut self, holders: &HolderCounter) -> Result<(), Error> {
        loop {
            let misnamed = self.find_misnamed(holders)?;
            if misnamed.is_empty() {
                return Ok(());
            }
            for Misnamed { count_index, found_index } in misnamed {
                match found_index {
                    Some(found) => self.merge(count_index.min(found), count_index.max(found))?,
                    // No name leads to the code: the count takes the name of the node above.
                    None if !self.counts[count_index].is_gone() => {
                        let above = self.hierarchy.node(self.counts[count_index].node).parent;
                        self.rename(count_index, above.unwrap_or(TOP))?;
                    }
                    None => {}
                }
            }
            self.remove_gone();
        }
    }

    /// Names a count by a node above, and drops the further names at or below that node, which covers them.
    pub(super) fn rename(&mut self, index: usize, above: NodeId) -> Result<(), Error> {
        let CountedNode { node, merged_nodes, .. } = &mut self.counts[index];
        pace::tick(merged_nodes.len())?;
        merged_nodes.retain(|&other| other != above && !self.hierarchy.is_below(other, above));
        *node = above;
        Ok(())
    }

    /// Returns an [`Error::Internal`] unless the names of each count lead a reader to its rows, and each count has
    /// enough rows and persons.
    pub(super) fn verify_by_names(&self, holders: &mut HolderCounter) -> Result<(), Error> {
        if !self.find_misnamed(holders)?.is_empty() {
            return Err(Error::Internal("a count is of rows that its name does not say"));
        }
        for count in &self.counts {
            let mut rows = 0;
            pace::each(count.each_code(), |code| rows += holders.rows[code as usize])?;
            if rows != count.rows || !holders.suffices(count.each_code(), 1)? {
                return Err(Error::Internal("a count is not of the rows, or of fewer than it must be of"));
            }
        }
        Ok(())
    }
}
