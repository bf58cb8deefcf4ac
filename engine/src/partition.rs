//! Partition of the records by their released values on one set of columns.
//!
//! TDS keeps one partition over all columns (TIPS), and for each quasi-identifier an index from combinations to counts
//! (VITS, QITS; the IC-trees of PDA). Here each distinct set of columns has a partition of its own, over the records
//! folded on just those columns. A group of the index *is* a run of the partition, so nothing is looked up or hashed.
//! Models over the same columns share one partition (PDA section 4.3).
//!
//! Records lie column by column in contiguous arrays, ordered by group. Refining a node visits the groups on its link
//! and rearranges each in place, child by child. Only columns that a live candidate will still count are carried along.
//! If values are disclosed out of many, an index ([`Partition::index`]) leads to the groups that hold one.

mod cells;
mod order;
mod person_children;
mod persons;
mod rearrange;
mod sensitive_counts;
mod tally;
mod value_counts;
mod value_index;

pub use order::CodeOrder;
pub use person_children::{Loss, PersonChildren, Remaining};
pub use tally::{Child, Tally};

use crate::progress::lengthen;
use crate::refine::{NodeId, TOP};
use crate::table::codes::{each_width, Spare, Width};
use crate::table::{copy_records, fold, Codes, Store};
use crate::{pace, Code, Error};
use hashbrown::HashSet;
use std::ops::Range;
use value_index::ValueIndex;

/// Number of records scanned in the time of one lookup in the index.
pub const SCANS_PER_LOOKUP: usize = 64;

/// Number of a group in a [`Partition`].
pub type GroupId = u32;

/// Records folded on one set of columns, grouped by their released values.
#[derive(Debug)]
pub struct Partition {
    attributes: Vec<usize>,
    columns: Vec<Codes>,
    sensitive_columns: Vec<Codes>,
    /// Whether each sensitive column counts the persons who hold a value instead of rows.
    counts_persons_per_value: Vec<bool>,
    /// Number of rows per record; none: one each.
    weights: Option<Codes>,
    /// Sensitive column that counts rows of a population, if there are records of one, and the number of these rows per
    /// record.
    population: Option<(usize, Codes)>,
    /// Person of each record, if persons are counted. Records of a person lie together, except in `disordered` groups.
    persons: Option<Codes>,
    /// Whether a disclosure may leave a group out of the order of its persons.
    may_disorder: bool,
    /// Groups where the records of a person may lie apart.
    disordered: HashSet<GroupId>,
    /// Number of each record, if they are numbered.
    numbers: Option<Codes>,
    runs: Vec<(u32, u32)>,
    /// Node of each group on each column: `attributes.len()` entries per group.
    nodes: Vec<NodeId>,
    /// Link_x: for each column and node, the groups that hold the node.
    links: Vec<Vec<Vec<GroupId>>>,
    holders: ValueIndex,
    scratch: Scratch,
}

/// Records to be folded, with masked columns first, then sensitive ones and those that identify persons.
#[derive(Debug, Clone)]
pub struct Records<'a> {
    /// Codes by column.
    pub columns: Vec<&'a Store>,
    /// Number of codes per column.
    pub cardinalities: Vec<usize>,
    /// Number of masked columns.
    pub masked: usize,
    /// Number of records.
    pub rows: usize,
    /// Number of rows per record; none: one each.
    pub weights: Option<&'a Codes>,
    /// Whether records keep their numbers in every partition, and so are not folded.
    pub numbered: bool,
}

/// Scratch arrays of a division: the part and then the new place of each record, the records to swap with, and moved
/// codes.
#[derive(Debug, Default)]
struct Scratch {
    child_of_record: Vec<u32>,
    others: Vec<u32>,
    spare: Spare,
}

/// State of a refinement of the column at `place`.
struct Division<'d> {
    place: usize,
    live: IsTracked<'d>,
    /// Whether new groups are added to the links of their nodes.
    updates_links: bool,
    /// Groups that hold a child now, and whether each lost records.
    refined: Vec<(GroupId, bool)>,
}

/// Whether the records that hold a node of the column at a place will be counted again.
pub type IsTracked<'a> = &'a dyn Fn(usize, NodeId) -> bool;

/// Mapping of the records of a refined node to its children.
#[derive(Clone, Copy)]
pub enum ChildOfCode<'a> {
    /// Index of the child for each code, and the children.
    Children(&'a [u32], &'a [NodeId]),
    /// Disclosed code, and the node of its value. All other records stay in `*`.
    Disclose(Code, NodeId),
}

impl Partition {
    /// Folds the records on the columns `attributes` and the sensitive columns `sensitive`, by their places in the
    /// problem. All records are one group of most general values.
    pub fn new(attributes: Vec<usize>, sensitive: Vec<usize>, records: &Records) -> Result<Partition, Error> {
        Partition::counting_persons(attributes, sensitive, None, records)
    }

    /// Does the same, and counts the persons that the column `person` identifies (by its place after the masked ones).
    pub fn counting_persons(
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
            numbers = Some(Codes::from(pace::collect(0..records.rows as Code)?));
            copy_records(&columns, records.rows, records.weights)?
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
            counts_persons_per_value: vec![false; sensitive_columns.len()],
            sensitive_columns,
            persons,
            may_disorder: false,
            disordered: HashSet::new(),
            attributes,
            holders: ValueIndex::default(),
            scratch: Scratch::default(),
        };
        let persons = cardinalities.last().copied().unwrap_or(0);
        partition.order_by_person(persons)?;
        Ok(partition)
    }

    /// Makes the `s`-th sensitive column count the persons who hold each value, instead of rows.
    pub fn enable_persons_per_value(&mut self, s: usize) {
        self.counts_persons_per_value[s] = true;
    }

    /// Makes the `s`-th sensitive column count rows of a population, `weights` per record. Call it before any
    /// refinement. From then on a record may stand for no row of the table, and a group may have none.
    pub fn set_population(&mut self, s: usize, weights: Codes) {
        self.population = Some((s, weights));
    }

    /// Returns whether records may stand for no row of the table.
    pub fn has_population(&self) -> bool {
        self.population.is_some()
    }

    /// Returns whether a group has rows of the table.
    pub fn has_rows(&self, group: GroupId) -> Result<bool, Error> {
        if self.population.is_none() {
            return Ok(self.size(group) > 0);
        }
        let mut any = false;
        pace::each(self.records(group), |record| any |= self.weight(record) > 0)?;
        Ok(any)
    }

    /// Returns the number of rows per record that the `s`-th sensitive column counts; none: one each.
    fn sensitive_weights(&self, s: usize) -> Option<&Codes> {
        match &self.population {
            Some((of, weights)) if *of == s => Some(weights),
            _ => self.weights.as_ref(),
        }
    }

    /// Returns whether the `s`-th sensitive column counts persons.
    pub fn counts_persons_per_value(&self, s: usize) -> bool {
        self.counts_persons_per_value[s]
    }

    /// Indexes the column at `place`, whose `values` codes will be disclosed one by one. Call it before any refinement.
    pub fn index(&mut self, place: usize, values: usize) -> Result<(), Error> {
        self.holders.index(place, &self.columns[place], values)
    }

    /// Returns the groups that hold a value, and the number of records that hold it in each. Returns none if the column
    /// is not indexed.
    pub fn groups_holding(&self, place: usize, value: Code) -> Result<Option<Vec<(GroupId, usize)>>, Error> {
        if !self.holders.is_indexed(place) {
            return Ok(None);
        }
        let held = self.holders.find_records(place, value)?;
        let groups = held.chunk_by(|one, next| one.0 == next.0).map(|held| (held[0].0, held.len()));
        pace::collect(groups).map(Some)
    }

    /// Returns the columns, ascending.
    pub fn attributes(&self) -> &[usize] {
        &self.attributes
    }

    /// Finds the place of a column of the problem in this partition.
    pub fn column_index(&self, attribute: usize) -> Option<usize> {
        self.attributes.binary_search(&attribute).ok()
    }

    /// Returns the number of groups.
    pub fn group_count(&self) -> usize {
        self.runs.len()
    }

    /// Returns the number of folded records in a group.
    pub fn size(&self, group: GroupId) -> usize {
        let (start, end) = self.runs[group as usize];
        (end - start) as usize
    }

    /// Returns the places of the records of a group.
    pub fn records(&self, group: GroupId) -> Range<u32> {
        let (start, end) = self.runs[group as usize];
        start..end
    }

    /// Lists the numbers of the records of a group, if they are numbered.
    pub fn numbers(&self, group: GroupId) -> impl Iterator<Item = u32> + '_ {
        let (start, end) = self.runs[group as usize];
        self.numbers.iter().flat_map(move |numbers| (start..end).map(|record| numbers.get(record as usize)))
    }

    /// Removes all records from a group.
    pub fn clear_group(&mut self, group: GroupId) {
        let run = &mut self.runs[group as usize];
        run.1 = run.0;
    }

    /// Returns the node of a group on the column at `place`.
    pub fn node(&self, group: GroupId, place: usize) -> NodeId {
        self.nodes[group as usize * self.attributes.len() + place]
    }

    /// Returns Link_x, the groups that hold `node` in the column at `place`. Groups may be missing if the node was not
    /// live when they were divided. In an indexed column some groups may have left `*` since, so readers of the link of
    /// `*` compare a group's node.
    pub fn link(&self, place: usize, node: NodeId) -> &[GroupId] {
        self.links[place].get(node as usize).map_or(&[], Vec::as_slice)
    }

    /// Refines `node` of the column at `place`: divides every group on its link among the children. Nodes that are not
    /// `live` will not be counted again. Returns the groups that hold a child now, and whether each has fewer records
    /// than before. Groups without the disclosed value are left out.
    pub fn refine(
        &mut self,
        place: usize,
        node: NodeId,
        arms: ChildOfCode,
        live: IsTracked,
    ) -> Result<Vec<(GroupId, bool)>, Error> {
        let last = match arms {
            ChildOfCode::Children(_, children) => children.iter().copied().max().unwrap_or(node),
            ChildOfCode::Disclose(_, value) => value,
        };
        lengthen(&mut self.links[place], last.max(node) as usize + 1)?;
        let mut dividing = Division { place, live, updates_links: true, refined: Vec::new() };
        match arms {
            ChildOfCode::Children(part_of_code, children) => {
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    if self.size(group) > 0 {
                        self.restore_person_order(group)?;
                        let part = |code| part_of_code[code as usize];
                        let ends = self.rearrange(group, part, children.len(), &dividing)?;
                        self.divide(group, &ends, children, &mut dividing)?;
                    }
                }
            }
            ChildOfCode::Disclose(value, child) if self.holders.is_indexed(place) => {
                for held in self.holders.find_records(place, value)?.chunk_by(|one, next| one.0 == next.0) {
                    self.scratch.child_of_record.clear();
                    pace::each(held, |&(_, at)| self.scratch.child_of_record.push(at))?;
                    self.disclose(held[0].0, held.len(), (value, child), &mut dividing)?;
                }
            }
            ChildOfCode::Disclose(value, child) => {
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    match self.count_holding(group, place, value)? {
                        0 => self.links[place][node as usize].push(group),
                        held => self.disclose(group, held, (value, child), &mut dividing)?,
                    }
                }
            }
        }
        Ok(dividing.refined)
    }

    /// Refines the node of one group on the column at `place`, for local recoding. `part` maps codes to indexes of
    /// `children`. The first child with records keeps the number of the group. Each further one becomes a new group, in
    /// their order; these are returned. Groups get onto no link. Only columns with a `live` node are carried along.
    pub fn refine_group(
        &mut self,
        (group, place): (GroupId, usize),
        part: impl Fn(Code) -> u32,
        children: &[NodeId],
        live: IsTracked,
    ) -> Result<Range<GroupId>, Error> {
        let mut dividing = Division { place, live, updates_links: false, refined: Vec::new() };
        let ends = self.rearrange(group, part, children.len(), &dividing)?;
        let groups = self.group_count() as GroupId;
        self.divide(group, &ends, children, &mut dividing)?;
        Ok(groups..self.group_count() as GroupId)
    }

    /// Counts the records of a group that hold a value.
    fn count_holding(&self, group: GroupId, place: usize, value: Code) -> Result<usize, Error> {
        let (start, end) = self.runs[group as usize];
        let mut held = 0;
        for run in pace::ranges(start as usize..end as usize) {
            let run = run?;
            each_width!(&self.columns[place], codes => {
                held += codes[run].iter().filter(|code| code.to_code() == value).count();
            });
        }
        Ok(held)
    }

    /// Divides a group into the `held` records of a disclosed value, at least one, and the others.
    fn disclose(
        &mut self,
        group: GroupId,
        held: usize,
        (value, child): (Code, NodeId),
        dividing: &mut Division,
    ) -> Result<(), Error> {
        let size = self.size(group);
        let is_disordered = self.may_disorder && size / SCANS_PER_LOOKUP >= held;
        if held < size && self.counts_persons() && !is_disordered {
            self.restore_person_order(group)?;
            self.rearrange(group, |code| u32::from(code == value), 2, dividing)?;
        } else if held < size {
            self.move_to_end(group, value, size - held, dividing)?;
        }
        self.divide(group, &[(size - held) as u32, size as u32], &[TOP, child], dividing)?;
        if is_disordered {
            let made = dividing.refined.iter().rev().take(2);
            self.disordered.extend(made.map(|&(group, _)| group));
        }
        Ok(())
    }

    /// Makes a group of each part that has records. The parts follow each other and end at `ends`. The first one keeps
    /// the number of the group.
    fn divide(
        &mut self,
        group: GroupId,
        ends: &[u32],
        children: &[NodeId],
        Division { place, live, updates_links: linked, refined }: &mut Division,
    ) -> Result<(), Error> {
        let (place, linked) = (*place, *linked);
        let (start, end) = self.runs[group as usize];
        let first = |part: usize| if part == 0 { 0 } else { ends[part - 1] };
        let populated = || (0..ends.len()).filter(|&part| ends[part] > first(part));
        pace::tick(ends.len())?;
        let split = populated().nth(1).is_some();
        let width = self.attributes.len();
        let row = self.nodes[group as usize * width..][..width].to_vec();
        for (i, part) in populated().enumerate() {
            pace::tick(width)?;
            let id = if i == 0 { group } else { self.runs.len() as GroupId };
            let run = (start + first(part), start + ends[part]);
            if i == 0 {
                self.runs[group as usize] = run;
            } else {
                self.runs.push(run);
                self.holders.set_group(run.0 as usize..run.1 as usize, id)?;
                self.nodes.extend_from_slice(&row);
                for (other, &node) in row.iter().enumerate() {
                    if other != place && linked && live(other, node) {
                        self.links[other][node as usize].push(id);
                    }
                }
            }
            let child = children[part];
            self.nodes[id as usize * width + place] = child;
            // The link of `*` in an indexed column still has its groups.
            if linked && (child != TOP || !self.holders.is_indexed(place)) {
                self.links[place][child as usize].push(id);
            }
            refined.push((id, split));
        }
        debug_assert_eq!(start + ends.last().copied().unwrap_or(0), end);
        Ok(())
    }
}
