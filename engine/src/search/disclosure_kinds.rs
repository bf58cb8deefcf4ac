//! Kinds of disclosures of one column: disclosures with equal scores.
//!
//! Two values are of one kind if they have the same class counts and the same measures after disclosure. So their
//! gains, privacy losses and scores are equal. A step scores each kind once; among equal scores the first value of the
//! column wins.
//!
//! A measure that is no worse than the current one costs no privacy, so the key of a kind has the worse of the two. As
//! the current measures worsen, two kinds may become equal. They are merged only when the number of kinds has more than
//! doubled ([`DisclosureKinds::due_for_regrouping`]).

use crate::progress::check_memory;
use crate::table::Histogram;
use crate::utility::{DisclosureGains, Utility};
use crate::{pace, Code, Error};
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::BTreeSet;
use std::hash::BuildHasher;

type KindId = u32;

/// The kind of a value that is no candidate.
const NONE: KindId = KindId::MAX;

#[derive(Debug)]
pub(super) struct DisclosureKinds {
    /// For each code, the first code with the same class counts.
    representative: Vec<Code>,
    /// The kind of each code.
    kind_of_code: Vec<KindId>,
    kinds: Vec<Kind>,
    /// Numbers of kinds without members, to be used again.
    free: Vec<KindId>,
    /// The kinds by their representative and `after`.
    by_key: HashTable<KindId>,
    hasher: DefaultHashBuilder,
    members: BTreeSet<(KindId, Code)>,
    /// The first member of each kind, ascending.
    first_members: Vec<Code>,
    /// Number of kinds at the last regrouping.
    kinds_at_regrouping: usize,
}

#[derive(Debug)]
struct Kind {
    /// The first code of the column with the class counts of the members. It need not be a member.
    representative: Code,
    /// The measures after a disclosure, as bits.
    after: Vec<u64>,
    /// The entropy of the class in the records of a member, times their number; 0 without a class.
    uncertainty: f64,
    gain: f64,
    /// The first member.
    first: Option<Code>,
}

impl DisclosureKinds {
    /// Makes no kinds yet, for a column of `values` values.
    pub fn new(histogram: &Histogram, values: usize) -> Result<DisclosureKinds, Error> {
        // Each value is a member of one kind. Nodes of a B-tree may be half empty.
        check_memory::<(Code, KindId, [(KindId, Code); 2])>(values)?;
        let hasher = DefaultHashBuilder::default();
        let mut table: HashTable<Code> = HashTable::new();
        let mut representative = Vec::with_capacity(values);
        for code in 0..values as Code {
            let cells = histogram.cells(code);
            pace::tick(1 + cells.len())?;
            let hash = |&code: &Code| hasher.hash_one(histogram.cells(code));
            let entry = table.entry(hash(&code), |&other| histogram.cells(other) == cells, hash);
            representative.push(*entry.or_insert(code).get());
        }
        Ok(DisclosureKinds {
            representative,
            kind_of_code: vec![NONE; values],
            kinds: Vec::new(),
            free: Vec::new(),
            by_key: HashTable::new(),
            hasher,
            members: BTreeSet::new(),
            first_members: Vec::new(),
            kinds_at_regrouping: 0,
        })
    }

    pub fn first_members(&self) -> &[Code] {
        &self.first_members
    }

    /// Returns the gain of a value, as last weighed.
    pub fn gain(&self, code: Code) -> f64 {
        self.kinds[self.kind_of_code[code as usize] as usize].gain
    }

    /// Computes the gain of every kind.
    pub fn weigh(&mut self, gains: &DisclosureGains) -> Result<(), Error> {
        for &first in &self.first_members {
            pace::tick(1)?;
            let kind = &mut self.kinds[self.kind_of_code[first as usize] as usize];
            kind.gain = gains.gain(kind.representative, kind.uncertainty)?;
        }
        Ok(())
    }

    /// Assigns a value to the kind of its class counts and measures. `after` is None for a value that is no longer a
    /// candidate.
    pub fn assign_kind(
        &mut self,
        code: Code,
        after: Option<impl Iterator<Item = f64>>,
        utility: Utility,
        histogram: &Histogram,
    ) -> Result<(), Error> {
        let old = self.kind_of_code[code as usize];
        let new = match after {
            Some(after) => {
                let after = pace::collect(after.map(f64::to_bits))?;
                self.find_or_add_kind(code, after, utility, histogram)?
            }
            None => NONE,
        };
        if new != old {
            self.kind_of_code[code as usize] = new;
            // The value leaves its old kind first, because `first_members` holds each value at most once.
            if old != NONE {
                self.members.remove(&(old, code));
                self.update_first(old);
            }
            if new != NONE {
                self.members.insert((new, code));
                self.update_first(new);
            }
        }
        Ok(())
    }

    /// Finds or makes the kind of a value with the measures `after`.
    fn find_or_add_kind(
        &mut self,
        code: Code,
        after: Vec<u64>,
        utility: Utility,
        histogram: &Histogram,
    ) -> Result<KindId, Error> {
        let DisclosureKinds { representative, kind_of_code, kinds, free, by_key, hasher, .. } = self;
        let representative = representative[code as usize];
        let hash = hasher.hash_one((representative, &after));
        let has_key = |&kind: &KindId| {
            kinds[kind as usize].representative == representative && kinds[kind as usize].after == after
        };
        if let Some(&found) = by_key.find(hash, has_key) {
            return Ok(found);
        }
        let uncertainty = utility.disclosed_uncertainty(histogram, representative)?;
        // The gain depends on the class counts alone, so it is that of the old kind.
        let gain = kinds.get(kind_of_code[code as usize] as usize).map_or(0.0, |kind| kind.gain);
        let kind = Kind { representative, after, uncertainty, gain, first: None };
        let id = match free.pop() {
            Some(id) => {
                kinds[id as usize] = kind;
                id
            }
            None => {
                kinds.push(kind);
                kinds.len() as KindId - 1
            }
        };
        by_key.insert_unique(hash, id, |&id| {
            let kind = &kinds[id as usize];
            hasher.hash_one((kind.representative, &kind.after))
        });
        Ok(id)
    }

    /// Updates the first member of a kind whose members have changed. A kind without members becomes free.
    fn update_first(&mut self, id: KindId) {
        let kind = &mut self.kinds[id as usize];
        let first = self.members.range((id, 0)..=(id, Code::MAX)).next().map(|&(_, code)| code);
        if first == kind.first {
            return;
        }
        let before = std::mem::replace(&mut kind.first, first);
        if let Some(Ok(place)) = before.map(|code| self.first_members.binary_search(&code)) {
            self.first_members.remove(place);
        }
        if let Some(code) = first {
            if let Err(place) = self.first_members.binary_search(&code) {
                self.first_members.insert(place, code);
            }
        } else {
            let hash = self.hasher.hash_one((kind.representative, &kind.after));
            if let Ok(entry) = self.by_key.find_entry(hash, |&other| other == id) {
                entry.remove();
            }
            kind.after = Vec::new();
            self.free.push(id);
        }
    }

    /// Returns all candidate values if the number of kinds has more than doubled since the last regrouping, otherwise
    /// none.
    pub fn due_for_regrouping(&mut self) -> Result<Vec<Code>, Error> {
        if self.kinds_at_regrouping == 0 {
            self.mark_regrouped();
        }
        if self.first_members.len() <= 2 * self.kinds_at_regrouping + 64 {
            return Ok(Vec::new());
        }
        pace::collect(self.members.iter().map(|&(_, code)| code))
    }

    /// Notes that every value has been assigned to its kind again.
    pub fn mark_regrouped(&mut self) {
        self.kinds_at_regrouping = self.first_members.len();
    }
}
