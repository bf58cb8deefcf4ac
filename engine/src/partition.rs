//! The leaf partition of the records by their released values on one set of columns.
//!
//! TDS keeps one partition over all columns (TIPS) and beside it, for each quasi-identifier, an
//! index from combinations to counts (VITS, QITS; the IC-trees of PDA). Here each distinct set of
//! columns has a partition of its own, over the records folded on just those columns: a group of
//! the index *is* a run of the partition, and nothing needs to be looked up or hashed. Models over
//! the same columns share one (PDA section 4.3).
//!
//! Records lie column by column in contiguous arrays, ordered by group. Refining a node visits
//! the groups on its link and rearranges each in place, child by child; only columns that some
//! live candidate will still count are carried along. Where values are disclosed out of many, an index
//! ([`Partition::index`]) leads to the groups that hold one, and nothing else is looked at.

mod holders;
mod order;
mod rearrange;
mod tally;

pub use order::Order;
pub use tally::Tally;

use crate::progress::GROWING;
use crate::refine::{NodeId, TOP};
use crate::table::codes::{each_width, Width};
use crate::table::{compress, Codes};
use crate::{Code, Error, Pace, Reservation};
use holders::Holders;
use std::ops::Range;

/// So many records are scanned in the time that it takes to look for one, and to note what is found.
pub const SCANNED: usize = 64;

/// A group of a [`Partition`], by number.
pub type GroupId = u32;

/// The records folded on one set of columns, grouped by their released values.
#[derive(Debug)]
pub struct Partition {
    attributes: Vec<usize>,
    columns: Vec<Codes>,
    sensitive_columns: Vec<Codes>,
    weights: Vec<u32>,
    runs: Vec<(u32, u32)>,
    /// Each group's node on each column, `attributes.len()` a group.
    nodes: Vec<NodeId>,
    /// For each column and node, the groups that hold the node: Link_x.
    links: Vec<Vec<Vec<GroupId>>>,
    holders: Holders,
    scratch: Scratch,
}

/// Records to be folded: masked columns first, then sensitive ones.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    /// Codes, one slice a column.
    pub columns: Vec<&'a Codes>,
    /// How many codes each column has.
    pub cardinalities: Vec<usize>,
    /// How many of the columns are masked ones.
    pub masked: usize,
    /// How many records there are.
    pub rows: usize,
    /// How many rows each record stands for; none: one each.
    pub weights: Option<&'a [u32]>,
}

#[derive(Debug, Default)]
struct Scratch {
    arms: Vec<u32>,
    ends: Vec<u32>,
    moved: Vec<u32>,
}

/// How the records of a refined node fall to its children.
#[derive(Clone, Copy)]
pub enum Arms<'a> {
    /// Child i for a code whose entry is i.
    Children(&'a [u32], &'a [NodeId]),
    /// The disclosed value's node for its code; everything else stays in `*`.
    Disclose(Code, NodeId),
}

impl Partition {
    /// Folds the records on the columns `attributes` and the sensitive columns `sensitive`, both
    /// by their places in the problem; all records are one group of most general values. They are
    /// held under `memory`.
    pub fn new(
        attributes: Vec<usize>,
        sensitive: Vec<usize>,
        records: &Records,
        memory: &mut Reservation,
    ) -> Result<Partition, Error> {
        let wanted: Vec<usize> =
            attributes.iter().copied().chain(sensitive.iter().map(|s| records.masked + s)).collect();
        let columns: Vec<&Codes> = wanted.iter().map(|&c| records.columns[c]).collect();
        let cardinalities: Vec<usize> = wanted.iter().map(|&c| records.cardinalities[c]).collect();
        let mut folded = compress(&columns, &cardinalities, records.rows, records.weights, memory)?;
        folded.ids = Vec::new();
        memory.shrink_by::<u32>(records.rows);
        let distinct = folded.weights.len();
        // To rearrange the largest group: of each record its arm, and what is moved.
        memory.grow_by::<[u32; 2]>(distinct)?;
        let sensitive_columns = folded.columns.split_off(attributes.len());
        let width = attributes.len();
        Ok(Partition {
            links: vec![vec![vec![0]]; width],
            nodes: vec![TOP; width],
            runs: vec![(0, distinct as u32)],
            weights: folded.weights,
            columns: folded.columns,
            sensitive_columns,
            attributes,
            holders: Holders::default(),
            scratch: Scratch::default(),
        })
    }

    /// Indexes the column at `place`, of which one of many codes will be disclosed after the other: before
    /// anything is refined. The index is held under `memory`.
    pub fn index(&mut self, place: usize, values: usize, memory: &mut Reservation) -> Result<(), Error> {
        self.holders.index(place, &self.columns[place], values, memory)
    }

    /// The columns, ascending.
    pub fn attributes(&self) -> &[usize] {
        &self.attributes
    }

    /// Where a column of the problem stands in this partition.
    pub fn place(&self, attribute: usize) -> Option<usize> {
        self.attributes.binary_search(&attribute).ok()
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.runs.len()
    }

    /// How many records a group has here, folded as they are.
    pub fn size(&self, group: GroupId) -> usize {
        let (start, end) = self.runs[group as usize];
        (end - start) as usize
    }

    /// A group's node on the column at `place`.
    pub fn node(&self, group: GroupId, place: usize) -> NodeId {
        self.nodes[group as usize * self.attributes.len() + place]
    }

    /// The groups that hold `node` in the column at `place`: Link_x. Of a node that was not live when
    /// its groups were divided, some may be missing; in an indexed column some may have left `*` since.
    pub fn linked(&self, place: usize, node: NodeId) -> &[GroupId] {
        self.links[place].get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// Refines `node` of the column at `place`: every group on its link is divided among the
    /// children. `live(place, node)` says whether a node's records will be counted again.
    /// Returns the groups that now hold a child, and of each whether its records are fewer than
    /// before; a group that has nothing of a disclosed value is left out. New groups are held under
    /// `memory`.
    pub fn refine(
        &mut self,
        place: usize,
        node: NodeId,
        arms: Arms,
        live: &dyn Fn(usize, NodeId) -> bool,
        memory: &mut Reservation,
        pace: &Pace,
    ) -> Result<Vec<(GroupId, bool)>, Error> {
        let mut last = node;
        let parts = match arms {
            Arms::Children(_, children) => {
                pace.each(children, |&child| last = last.max(child))?;
                children.len()
            }
            Arms::Disclose(_, value) => {
                last = last.max(value);
                2
            }
        };
        if parts > self.scratch.ends.capacity() {
            memory.grow_by::<u32>(parts)?;
            self.scratch.ends = Vec::with_capacity(parts);
        }
        // A link for each child, which makes room for four groups when the first comes.
        let links = &mut self.links[place];
        let more = (last as usize + 1).saturating_sub(links.len());
        memory.grow_by::<Vec<GroupId>>(GROWING * more)?;
        memory.grow_by::<[GroupId; 4]>(parts)?;
        links.resize(links.len() + more, Vec::new());
        // Of one group at a time, where the parts end and which of them there are.
        let _parts = Reservation::of::<(u32, [usize; GROWING])>(memory.progress(), parts)?;
        let mut refined = Vec::new();
        let mut each = |partition: &mut Partition, group, parts: usize| {
            if parts > 1 {
                memory.grow((parts - 1) * partition.bytes_of_group())?;
            }
            partition.divide(group, place, arms, live, &mut refined, pace)
        };
        match arms {
            Arms::Disclose(value, _) if self.holders.indexed(place) => {
                let held = self.holders.count(place, value);
                let _held = Reservation::of::<(GroupId, u32)>(pace.progress(), held)?;
                for held in self.holders.holding(place, value, pace)?.chunk_by(|one, next| one.0 == next.0) {
                    let parts = self.point_to_held(held, pace)?;
                    each(self, held[0].0, parts)?;
                }
            }
            _ => {
                let groups = std::mem::take(&mut self.links[place][node as usize]);
                for group in groups {
                    pace.tick(1)?;
                    let parts = self.sort_to_arms(group, place, arms, pace)?;
                    each(self, group, parts)?;
                }
            }
        }
        Ok(refined)
    }

    /// Notes where the index found the records of a group that hold the disclosed value; how many arms
    /// have records.
    fn point_to_held(&mut self, held: &[(GroupId, u32)], pace: &Pace) -> Result<usize, Error> {
        let (start, end) = self.runs[held[0].0 as usize];
        let Scratch { arms, ends, .. } = &mut self.scratch;
        arms.clear();
        ends.clear();
        pace.each(held, |&(_, at)| arms.push(at))?;
        let rest = end - start - held.len() as u32;
        ends.extend([rest, end - start]);
        Ok(1 + usize::from(rest > 0))
    }

    /// What each group takes: its run, its nodes and its place on their links, and one among those
    /// that were refined.
    fn bytes_of_group(&self) -> usize {
        let width = self.attributes.len();
        let linked = width * (size_of::<NodeId>() + size_of::<GroupId>());
        GROWING * (size_of::<(u32, u32)>() + linked + size_of::<(GroupId, bool)>())
    }

    /// Finds where each arm's records end, and of children each record's arm; how many arms have
    /// records.
    fn sort_to_arms(
        &mut self,
        group: GroupId,
        place: usize,
        arms: Arms,
        pace: &Pace,
    ) -> Result<usize, Error> {
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let codes = &self.columns[place];
        let Scratch { arms: of, ends, .. } = &mut self.scratch;
        of.clear();
        ends.clear();
        let mut parts = 0;
        match arms {
            Arms::Children(slots, children) => {
                ends.resize(children.len(), 0);
                for run in pace.ranges(run) {
                    let run = run?;
                    let new = of.len()..of.len() + run.len();
                    each_width!(codes, codes => of.extend(codes[run].iter().map(|code| slots[code.code() as usize])));
                    of[new].iter().for_each(|&arm| ends[arm as usize] += 1);
                }
                let mut sum = 0;
                pace.each(ends, |end| {
                    parts += usize::from(*end > 0);
                    sum += *end;
                    *end = sum;
                })?;
            }
            Arms::Disclose(value, _) => {
                let mut disclosed = 0;
                for run in pace.ranges(run) {
                    let run = run?;
                    each_width!(codes, codes => {
                        disclosed += codes[run].iter().filter(|code| code.code() == value).count() as u32;
                    });
                }
                ends.extend([end - start - disclosed, end - start]);
                parts = 1 + usize::from(disclosed > 0 && disclosed < end - start);
            }
        }
        Ok(parts)
    }

    /// Makes a group of each arm that has records.
    fn divide(
        &mut self,
        group: GroupId,
        place: usize,
        arms: Arms,
        live: &dyn Fn(usize, NodeId) -> bool,
        refined: &mut Vec<(GroupId, bool)>,
        pace: &Pace,
    ) -> Result<(), Error> {
        let (start, end) = self.runs[group as usize];
        let size = |ends: &[u32], arm: usize| ends[arm] - if arm == 0 { 0 } else { ends[arm - 1] };
        let ends = std::mem::take(&mut self.scratch.ends);
        let mut populated = Vec::new();
        pace.each(0..ends.len(), |arm| {
            if size(&ends, arm) > 0 {
                populated.push(arm);
            }
        })?;
        if let (Arms::Disclose(..), [0]) = (arms, &populated[..]) {
            self.links[place][TOP as usize].push(group);
            self.scratch.ends = ends;
            return Ok(());
        }
        let split = populated.len() > 1;
        match arms {
            Arms::Children(..) if split => self.rearrange(group, place, &ends, live, pace)?,
            Arms::Disclose(value, _) if split => self.extract(group, place, value, ends[0], live, pace)?,
            _ => {}
        }
        let width = self.attributes.len();
        let row = self.nodes[group as usize * width..][..width].to_vec();
        for (i, &arm) in populated.iter().enumerate() {
            pace.tick(width)?;
            let id = if i == 0 { group } else { self.runs.len() as GroupId };
            let run = (start + ends[arm] - size(&ends, arm), start + ends[arm]);
            if i == 0 {
                self.runs[group as usize] = run;
            } else {
                self.runs.push(run);
                self.holders.enter(run.0 as usize..run.1 as usize, id, pace)?;
                self.nodes.extend_from_slice(&row);
                for (other, &node) in row.iter().enumerate() {
                    if other != place && live(other, node) {
                        self.links[other][node as usize].push(id);
                    }
                }
            }
            let child = match arms {
                Arms::Children(_, children) => children[arm],
                Arms::Disclose(_, value) => [TOP, value][arm],
            };
            self.nodes[id as usize * width + place] = child;
            // What the index found was not taken from the link of `*`.
            if child != TOP || !self.holders.indexed(place) {
                self.links[place][child as usize].push(id);
            }
            refined.push((id, split));
        }
        debug_assert_eq!(start + ends.last().copied().unwrap_or(0), end);
        self.scratch.ends = ends;
        Ok(())
    }

    /// Counts the records of a group by the children of its node on the column at `place`:
    /// `slots` maps codes to children; without, codes count for themselves.
    pub fn tally(
        &self,
        group: GroupId,
        place: usize,
        slots: Option<&[u32]>,
        tally: &mut Tally,
        pace: &Pace,
    ) -> Result<(), Error> {
        tally.clear(pace)?;
        let (start, end) = self.runs[group as usize];
        let run = start as usize..end as usize;
        let codes = &self.columns[place];
        each_width!(codes, codes => match slots {
            Some(slots) => self.count(run, codes, |code| slots[code as usize], tally, pace),
            None => self.count(run, codes, |code| code, tally, pace),
        })
    }

    /// Counts all records of a group as one child.
    pub fn tally_all(&self, group: GroupId, tally: &mut Tally, pace: &Pace) -> Result<(), Error> {
        tally.clear(pace)?;
        let (start, end) = self.runs[group as usize];
        self.count(start as usize..end as usize, &self.weights, |_| 0, tally, pace)
    }

    fn count<W: Width>(
        &self,
        run: Range<usize>,
        codes: &[W],
        arm: impl Fn(Code) -> u32,
        tally: &mut Tally,
        pace: &Pace,
    ) -> Result<(), Error> {
        for run in pace.ranges(run) {
            let run = run?;
            for (i, (code, &weight)) in codes[run.clone()].iter().zip(&self.weights[run.clone()]).enumerate()
            {
                let arm = arm(code.code());
                let count = &mut tally.records[arm as usize];
                if *count == 0 {
                    tally.touched.push(arm);
                }
                *count += weight;
                for (s, column) in self.sensitive_columns.iter().enumerate() {
                    let value = column.get(run.start + i) as usize;
                    tally.sensitive[s][arm as usize * tally.cardinalities[s] + value] += weight;
                }
            }
        }
        Ok(())
    }
}
