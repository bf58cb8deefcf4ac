//! The part counts of a group, kept from step to step while each step takes few records from it.
//!
//! A disclosure takes the records of one value out of groups that may be very large. What is left of such
//! a group counts what it counted before, less what left it; so the counts of the children (of every
//! value, where they are disclosures) are kept, and only those are measured anew that lost something.
//!
//! Every removed record changes the rest that each further disclosure would leave. But values with equal counts
//! leave equal rests, so each distinct rest is measured once. Only a rest that is worse than the current worst
//! group can change a candidate, and that is rare.

use super::parts::{Baseline, Counts};
use super::state::Index;
use crate::partition::{Tally, SCANNED};
use crate::progress::room_in_table;
use crate::{pace, Error};
use hashbrown::HashMap;

/// The counts of one group by the children of its node on one column.
pub(super) struct GroupCountCache {
    whole: Counts,
    /// Each child's kind: which of the counts are its.
    counts_of_child: HashMap<u32, u32>,
    counts: Vec<SharedCounts>,
    by_counts: HashMap<Counts, u32>,
    /// Kinds that no child is of.
    free: Vec<u32>,
}

struct SharedCounts {
    counts: Counts,
    children: u32,
    /// Whether the group without such a child would be worse than the current worst group.
    worse: bool,
}

impl GroupCountCache {
    /// Whether the cache is worth it: the rest is at least SCANNED times as large as what left it.
    pub fn is_worthwhile(left: usize, rest: usize) -> bool {
        rest >= SCANNED * left
    }

    /// Keeps what was counted in the last tally; none where the counts are more than the `records` that
    /// they are of.
    pub fn new(tally: &Tally, records: usize) -> Result<Option<GroupCountCache>, Error> {
        let whole = Counts::whole(tally)?;
        let children = tally.touched.len();
        if children.saturating_mul(whole.len()) > records {
            return Ok(None);
        }
        room_in_table::<(u32, u32)>(children)?;
        let (counts_of_child, by_counts) = (HashMap::with_capacity(children), HashMap::new());
        let mut cache =
            GroupCountCache { whole, counts_of_child, counts: Vec::new(), by_counts, free: Vec::new() };
        for &child in &tally.touched {
            pace::tick(1)?;
            let counts = Counts::of(tally, child)?;
            cache.put(child, counts);
        }
        Ok(Some(cache))
    }

    /// Takes away what left the group, as the tally has counted it.
    pub fn remove(&mut self, left: &Tally) -> Result<(), Error> {
        for &child in &left.touched {
            pace::tick(1)?;
            let part = Counts::of(left, child)?;
            self.whole.remove(&part)?;
            if let Some(mut counts) = self.take(child) {
                counts.remove(&part)?;
                if counts.records > 0 {
                    self.put(child, counts);
                }
            }
        }
        Ok(())
    }

    /// What the group counts of a child; none where it has no such record.
    pub fn counts(&self, child: u32) -> Option<&Counts> {
        self.counts_of_child.get(&child).map(|&kind| &self.counts[kind as usize].counts)
    }

    /// Calls `named` for each child: with the rest that is left without the child, if that rest is worse than
    /// the current worst group, else with None. Does nothing if no rest is worse. Forgets a child for which
    /// `named` returns false.
    pub fn each_worse_rest(
        &mut self,
        index: &Index,
        baseline: Baseline,
        mut named: impl FnMut(u32, Option<&Counts>) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let mut rest = self.whole.clone();
        let mut any = false;
        for kind in &mut self.counts {
            pace::tick(1)?;
            kind.worse = false;
            if kind.children > 0 && kind.counts.records < self.whole.records {
                rest.copy(&self.whole)?;
                rest.remove(&kind.counts)?;
                kind.worse = baseline.would_worsen(index.groups_of(&rest))?;
                any |= kind.worse;
            }
        }
        if !any {
            return Ok(());
        }
        let mut useless = Vec::new();
        for (&child, &kind) in &self.counts_of_child {
            pace::tick(1)?;
            let SharedCounts { worse, ref counts, .. } = self.counts[kind as usize];
            if worse {
                rest.copy(&self.whole)?;
                rest.remove(counts)?;
            }
            if !named(child, worse.then_some(&rest))? {
                useless.push(child);
            }
        }
        pace::each(useless, |child| _ = self.take(child))
    }

    fn put(&mut self, child: u32, counts: Counts) {
        let kind = match self.by_counts.get(&counts) {
            Some(&kind) => kind,
            None => {
                let kind = SharedCounts { counts: counts.clone(), children: 0, worse: false };
                let id = match self.free.pop() {
                    Some(id) => {
                        self.counts[id as usize] = kind;
                        id
                    }
                    None => {
                        self.counts.push(kind);
                        self.counts.len() as u32 - 1
                    }
                };
                self.by_counts.insert(counts, id);
                id
            }
        };
        self.counts[kind as usize].children += 1;
        self.counts_of_child.insert(child, kind);
    }

    fn take(&mut self, child: u32) -> Option<Counts> {
        let id = self.counts_of_child.remove(&child)?;
        let kind = &mut self.counts[id as usize];
        kind.children -= 1;
        let counts = kind.counts.clone();
        if kind.children == 0 {
            self.by_counts.remove(&counts);
            self.free.push(id);
        }
        Some(counts)
    }
}
