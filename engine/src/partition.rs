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

mod cells;
mod holders;
mod order;
mod person_children;
mod persons;
mod rearrange;
mod single;
mod tally;

pub use order::Order;
pub use person_children::{Left, Loss, PersonChildren};
pub use tally::Tally;

use crate::progress::{reserve, room};
use crate::refine::{NodeId, TOP};
use crate::table::codes::{each_width, Spare, Width};
use crate::table::{copy, fold, Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use holders::Holders;

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
    /// For each of these, whether it is asked how many persons hold each value, and not how many rows.
    held: Vec<bool>,
    /// How many rows each record stands for; none: one each.
    weights: Option<Codes>,
    /// Where records of a population are among them, which of the sensitive columns counts these, and how many rows of the population
    /// each record stands for.
    population: Option<(usize, Codes)>,
    /// Of which person each record is, where persons are counted; those of one lie together in every group.
    persons: Option<Codes>,
    /// Whether disclosures may leave groups in another order than that of their persons.
    may_disorder: bool,
    /// The groups in another order.
    disordered: HashSet<GroupId>,
    /// Each record's number, where records have one.
    numbers: Option<Codes>,
    runs: Vec<(u32, u32)>,
    /// Each group's node on each column, `attributes.len()` a group.
    nodes: Vec<NodeId>,
    /// For each column and node, the groups that hold the node: Link_x.
    links: Vec<Vec<Vec<GroupId>>>,
    holders: Holders,
    scratch: Scratch,
}

/// Records to be folded: masked columns first, then sensitive ones and those that tell persons apart.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    /// Codes, one slice a column.
    pub columns: Vec<&'a Store>,
    /// How many codes each column has.
    pub cardinalities: Vec<usize>,
    /// How many of the columns are masked ones.
    pub masked: usize,
    /// How many records there are.
    pub rows: usize,
    /// How many rows each record stands for; none: one each.
    pub weights: Option<&'a Codes>,
    /// Whether a record is to be known in every partition by its number here: then none are folded.
    pub numbered: bool,
}

/// Of the records that are divided: where each goes, which others change places with them, and codes on their way.
#[derive(Debug, Default)]
struct Scratch {
    arms: Vec<u32>,
    others: Vec<u32>,
    spare: Spare,
}

/// The groups on a node's link while they are divided.
struct Dividing<'d> {
    place: usize,
    live: Live<'d>,
    /// Whether new groups come to the links of their nodes.
    linked: bool,
    /// What was made.
    refined: Vec<(GroupId, bool)>,
}

/// Whether the records that hold a node of the column at a place will be counted again.
pub type Live<'a> = &'a dyn Fn(usize, NodeId) -> bool;

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
    /// by their places in the problem; all records are one group of most general values.
    pub fn new(attributes: Vec<usize>, sensitive: Vec<usize>, records: &Records) -> Result<Partition, Error> {
        Partition::of_persons(attributes, sensitive, None, records)
    }

    /// The same, of which the persons are counted that the column `person` tells apart, by its place beside the
    /// sensitive ones.
    pub fn of_persons(
        attributes: Vec<usize>,
        sensitive: Vec<usize>,
        person: Option<usize>,
        records: &Records,
    ) -> Result<Partition, Error> {
        let beside = sensitive.iter().copied().chain(person).map(|place| records.masked + place);
        let wanted: Vec<usize> = attributes.iter().copied().chain(beside).collect();
        let columns: Vec<&Store> = wanted.iter().map(|&c| records.columns[c]).collect();
        let cardinalities: Vec<usize> = wanted.iter().map(|&c| records.cardinalities[c]).collect();
        let mut numbers = None;
        let mut folded = if records.numbered {
            room::<u32>(records.rows)?;
            numbers = Some(Codes::from(pace::collect(0..records.rows as Code)?));
            copy(&columns, records.rows, records.weights)?
        } else {
            fold(&columns, &cardinalities, records.rows, records.weights)?
        };
        let distinct = folded.rows;
        let persons = person.and_then(|_| folded.columns.pop());
        let sensitive_columns = folded.columns.split_off(attributes.len());
        let width = attributes.len();
        let mut partition = Partition {
            links: vec![vec![vec![0]]; width],
            nodes: vec![TOP; width],
            runs: vec![(0, distinct as u32)],
            weights: folded.weights,
            population: None,
            numbers,
            columns: folded.columns,
            held: vec![false; sensitive_columns.len()],
            sensitive_columns,
            persons,
            may_disorder: false,
            disordered: HashSet::new(),
            attributes,
            holders: Holders::default(),
            scratch: Scratch::default(),
        };
        let persons = cardinalities.last().copied().unwrap_or(0);
        partition.order_by_person(persons)?;
        Ok(partition)
    }

    /// Counts the persons who hold each value of the `s`-th sensitive column, in place of rows.
    pub fn count_holders(&mut self, s: usize) {
        self.held[s] = true;
    }

    /// Has the `s`-th sensitive column count rows of a population, of each record so many: before anything is refined. Then a
    /// record may stand for no row of the table, and a group may have none.
    pub fn count_population(&mut self, s: usize, weights: Codes) {
        self.population = Some((s, weights));
    }

    /// Whether some records may stand for no row of the table.
    pub fn has_population(&self) -> bool {
        self.population.is_some()
    }

    /// Whether a group has rows of the table.
    pub fn has_rows(&self, group: GroupId) -> Result<bool, Error> {
        if self.population.is_none() {
            return Ok(self.size(group) > 0);
        }
        let mut any = false;
        pace::each(self.records(group), |record| any |= self.weight(record) > 0)?;
        Ok(any)
    }

    /// How many rows each record stands for that the `s`-th sensitive column counts; none: one each.
    fn weights_of(&self, s: usize) -> Option<&Codes> {
        match &self.population {
            Some((of, weights)) if *of == s => Some(weights),
            _ => self.weights.as_ref(),
        }
    }

    /// Whether it does.
    pub fn counts_holders(&self, s: usize) -> bool {
        self.held[s]
    }

    /// Indexes the column at `place`, of which one of many codes will be disclosed after the other: before
    /// anything is refined.
    pub fn index(&mut self, place: usize, values: usize) -> Result<(), Error> {
        self.holders.index(place, &self.columns[place], values)
    }

    /// The groups in which records hold a value of an indexed column, and how many do; none if it is not indexed.
    pub fn groups_holding(&self, place: usize, value: Code) -> Result<Option<Vec<(GroupId, usize)>>, Error> {
        if !self.holders.indexed(place) {
            return Ok(None);
        }
        room::<(GroupId, u32)>(self.holders.count(place, value))?;
        let held = self.holders.holding(place, value)?;
        let groups = held.chunk_by(|one, next| one.0 == next.0).map(|held| (held[0].0, held.len()));
        pace::collect(groups).map(Some)
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

    /// A group's records, by their places here.
    pub fn records(&self, group: GroupId) -> std::ops::Range<u32> {
        let (start, end) = self.runs[group as usize];
        start..end
    }

    /// The numbers of a group's records, where they have them.
    pub fn numbers(&self, group: GroupId) -> impl Iterator<Item = u32> + '_ {
        let (start, end) = self.runs[group as usize];
        self.numbers.iter().flat_map(move |numbers| (start..end).map(|record| numbers.get(record as usize)))
    }

    /// Takes all records out of a group.
    pub fn empty(&mut self, group: GroupId) {
        let run = &mut self.runs[group as usize];
        run.1 = run.0;
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
    /// before; a group that has nothing of a disclosed value is left out.
    pub fn refine(
        &mut self,
        place: usize,
        node: NodeId,
        arms: Arms,
        live: Live,
    ) -> Result<Vec<(GroupId, bool)>, Error> {
        let mut last = node;
        let parts = match arms {
            Arms::Children(_, children) => {
                pace::each(children, |&child| last = last.max(child))?;
                children.len()
            }
            Arms::Disclose(_, value) => {
                last = last.max(value);
                2
            }
        };
        let links = &mut self.links[place];
        let more = (last as usize + 1).saturating_sub(links.len());
        reserve(links, more)?;
        links.resize(links.len() + more, Vec::new());
        let refined = Vec::new();
        let mut dividing = Dividing { place, live, linked: true, refined };
        match arms {
            Arms::Children(part_of_code, children) => {
                // Of a group where its parts end, and which of them there are.
                room::<u32>(parts)?;
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    if self.size(group) > 0 {
                        self.bring_persons_together(group)?;
                        let ends =
                            self.rearrange(group, |code| part_of_code[code as usize], parts, &dividing)?;
                        self.divide(group, &ends, children, &mut dividing)?;
                    }
                }
            }
            Arms::Disclose(value, child) if self.holders.indexed(place) => {
                let held = self.holders.count(place, value);
                room::<(GroupId, u32)>(held)?;
                for held in self.holders.holding(place, value)?.chunk_by(|one, next| one.0 == next.0) {
                    self.scratch.arms.clear();
                    pace::each(held, |&(_, at)| self.scratch.arms.push(at))?;
                    self.disclose(held[0].0, held.len(), (value, child), &mut dividing)?;
                }
            }
            Arms::Disclose(value, child) => {
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    match self.held(group, place, value)? {
                        0 => self.links[place][node as usize].push(group),
                        held => self.disclose(group, held, (value, child), &mut dividing)?,
                    }
                }
            }
        }
        Ok(dividing.refined)
    }

    /// How many records of a group hold a value.
    fn held(&self, group: GroupId, place: usize, value: Code) -> Result<usize, Error> {
        let (start, end) = self.runs[group as usize];
        let mut held = 0;
        for run in pace::ranges(start as usize..end as usize) {
            let run = run?;
            each_width!(&self.columns[place], codes => {
                held += codes[run].iter().filter(|code| code.code() == value).count();
            });
        }
        Ok(held)
    }

    /// Divides a group into the records that hold a value, of which there are some, and all others.
    fn disclose(
        &mut self,
        group: GroupId,
        held: usize,
        (value, child): (Code, NodeId),
        dividing: &mut Dividing,
    ) -> Result<(), Error> {
        let size = self.size(group);
        let is_disordered = self.may_disorder && size / SCANNED >= held;
        if held < size && self.counts_persons() && !is_disordered {
            self.bring_persons_together(group)?;
            self.rearrange(group, |code| u32::from(code == value), 2, dividing)?;
        } else if held < size {
            self.extract(group, value, size - held, dividing)?;
        }
        self.divide(group, &[(size - held) as u32, size as u32], &[TOP, child], dividing)?;
        if is_disordered {
            let made = dividing.refined.iter().rev().take(2);
            self.disordered.extend(made.map(|&(group, _)| group));
        }
        Ok(())
    }

    /// Makes a group of each part that has records, which lie together and end at `ends`.
    fn divide(
        &mut self,
        group: GroupId,
        ends: &[u32],
        children: &[NodeId],
        Dividing { place, live, linked, refined }: &mut Dividing,
    ) -> Result<(), Error> {
        let (place, linked) = (*place, *linked);
        let (start, end) = self.runs[group as usize];
        let first = |part: usize| if part == 0 { 0 } else { ends[part - 1] };
        room::<[usize; 2]>(ends.len())?;
        let mut populated = Vec::new();
        pace::each(0..ends.len(), |part| {
            if ends[part] > first(part) {
                populated.push(part);
            }
        })?;
        let split = populated.len() > 1;
        let width = self.attributes.len();
        let row = self.nodes[group as usize * width..][..width].to_vec();
        for (i, &part) in populated.iter().enumerate() {
            pace::tick(width)?;
            let id = if i == 0 { group } else { self.runs.len() as GroupId };
            let run = (start + first(part), start + ends[part]);
            if i == 0 {
                self.runs[group as usize] = run;
            } else {
                self.runs.push(run);
                self.holders.enter(run.0 as usize..run.1 as usize, id)?;
                self.nodes.extend_from_slice(&row);
                for (other, &node) in row.iter().enumerate() {
                    if other != place && linked && live(other, node) {
                        self.links[other][node as usize].push(id);
                    }
                }
            }
            let child = children[part];
            self.nodes[id as usize * width + place] = child;
            // What the index found was not taken from the link of `*`.
            if linked && (child != TOP || !self.holders.indexed(place)) {
                self.links[place][child as usize].push(id);
            }
            refined.push((id, split));
        }
        debug_assert_eq!(start + ends.last().copied().unwrap_or(0), end);
        Ok(())
    }
}
