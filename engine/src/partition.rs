//! Partition of the records by their released values on one set of columns.
//!
//! TDS keeps one partition over all columns (TIPS), and for each quasi-identifier an index from combinations to counts
//! (VITS, QITS; the IC-trees of PDA). Here each distinct set of columns has a partition of its own, over the records
//! folded on just those columns. A group of the index *is* a run of the partition, so nothing is looked up or hashed.
//! Models over the same columns share one partition (PDA section 4.3). In a partition, `place` is the index of a column
//! among its own, and `s` that of a sensitive column.
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
    population: Option<PopulationRows>,
    /// Person of each record, if persons are counted. Records of a person lie together, except in `disordered` groups.
    persons: Option<Codes>,
    /// Whether a disclosure may leave a group out of the order of its persons.
    may_disorder: bool,
    /// Groups where the records of a person may lie apart.
    disordered: HashSet<GroupId>,
    /// Number of each record, if they are numbered.
    numbers: Option<Codes>,
    /// Places of the records of each group.
    runs: Vec<Range<u32>>,
    /// Node of each group on each column: `attributes.len()` entries per group.
    nodes: Vec<NodeId>,
    /// Link_x: for each column and node, the groups that hold the node.
    links: Vec<Vec<Vec<GroupId>>>,
    value_index: ValueIndex,
    scratch: Scratch,
}

/// Rows of a population, which one of the sensitive columns counts in place of rows of the table.
#[derive(Debug)]
struct PopulationRows {
    /// Index of the sensitive column.
    sensitive: usize,
    /// Number of rows of the population per record.
    weights: Codes,
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

/// Scratch arrays for moving the records of a group.
#[derive(Debug, Default)]
struct Scratch {
    /// New place of each record.
    new_places: Vec<u32>,
    /// Places of the records with the disclosed value.
    holding: Vec<u32>,
    /// Places of the records that are swapped with those.
    lacking: Vec<u32>,
    /// Codes at their new places.
    moved: Spare,
}

/// State of a refinement of the column at `place`.
struct Division<'d> {
    place: usize,
    is_tracked: IsTracked<'d>,
    /// Whether new groups are added to the links of their nodes.
    updates_links: bool,
    /// Groups that hold a child now, and whether each lost records.
    refined: Vec<(GroupId, bool)>,
}

/// Whether the records that hold a node of the column at a place will be counted again.
pub type IsTracked<'a> = &'a dyn Fn(usize, NodeId) -> bool;

/// Mapping of the records of a refined node to its children. A part is the index of a child.
#[derive(Clone, Copy)]
pub enum ChildOfCode<'a> {
    /// Part of each code, and the children.
    Children(&'a [u32], &'a [NodeId]),
    /// Disclosed code, and the node of its value. All other records stay in `*`.
    Disclose(Code, NodeId),
}

impl Partition {
    /// Folds the records on the columns `attributes` and the sensitive columns `sensitive`. Counts persons if a column
    /// `person` identifies them. The places of `attributes` are those of the problem, the others are counted from the
    /// first column that is not masked. All records are one group of most general values.
    pub fn new(
        attributes: Vec<usize>,
        sensitive: Vec<usize>,
        person: Option<usize>,
        records: &Records,
    ) -> Result<Partition, Error> {
        let others = sensitive.iter().copied().chain(person).map(|place| records.masked + place);
        let wanted: Vec<usize> = attributes.iter().copied().chain(others).collect();
        let columns: Vec<&Store> = wanted.iter().map(|&c| records.columns[c]).collect();
        let cardinalities: Vec<usize> = wanted.iter().map(|&c| records.cardinalities[c]).collect();
        let (mut folded, numbers) = if records.numbered {
            let numbers = Codes::from(pace::collect(0..records.rows as Code)?);
            (copy_records(&columns, records.rows, records.weights)?, Some(numbers))
        } else {
            (fold(&columns, &cardinalities, records.rows, records.weights)?, None)
        };
        let persons = person.and_then(|_| folded.columns.pop());
        let sensitive_columns = folded.columns.split_off(attributes.len());
        let width = attributes.len();
        let mut partition = Partition {
            attributes,
            columns: folded.columns,
            counts_persons_per_value: vec![false; sensitive_columns.len()],
            sensitive_columns,
            weights: folded.weights,
            population: None,
            persons,
            may_disorder: false,
            disordered: HashSet::new(),
            numbers,
            runs: std::iter::once(0..folded.rows as u32).collect(),
            nodes: vec![TOP; width],
            links: vec![vec![vec![0]]; width],
            value_index: ValueIndex::default(),
            scratch: Scratch::default(),
        };
        let person_codes = cardinalities.last().copied().unwrap_or(0);
        partition.order_by_person(person_codes)?;
        Ok(partition)
    }

    /// Makes the `s`-th sensitive column count the persons who hold each value, instead of rows.
    pub fn enable_persons_per_value(&mut self, s: usize) {
        self.counts_persons_per_value[s] = true;
    }

    /// Makes the `s`-th sensitive column count rows of a population, `weights` per record. Call it before any
    /// refinement. From then on a record may stand for no row of the table, and a group may have none.
    pub fn set_population(&mut self, s: usize, weights: Codes) {
        self.population = Some(PopulationRows { sensitive: s, weights });
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
            Some(population) if population.sensitive == s => Some(&population.weights),
            _ => self.weights.as_ref(),
        }
    }

    /// Returns whether the `s`-th sensitive column counts persons.
    pub fn counts_persons_per_value(&self, s: usize) -> bool {
        self.counts_persons_per_value[s]
    }

    /// Indexes the column at `place`, whose `values` codes will be disclosed one by one. Call it before any refinement.
    pub fn index(&mut self, place: usize, values: usize) -> Result<(), Error> {
        self.value_index.index(place, &self.columns[place], values)
    }

    /// Returns the groups that hold a value, and the number of records that hold it in each. Returns none if the column
    /// is not indexed.
    pub fn groups_holding(&self, place: usize, value: Code) -> Result<Option<Vec<(GroupId, usize)>>, Error> {
        if !self.value_index.is_indexed(place) {
            return Ok(None);
        }
        let held = self.value_index.find_records(place, value)?;
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
        self.runs[group as usize].len()
    }

    /// Returns the places of the records of a group.
    pub fn records(&self, group: GroupId) -> Range<u32> {
        self.runs[group as usize].clone()
    }

    /// Returns the same places, as a range of indexes.
    fn run(&self, group: GroupId) -> Range<usize> {
        let Range { start, end } = self.runs[group as usize];
        start as usize..end as usize
    }

    /// Lists the numbers of the records of a group, if they are numbered.
    pub fn numbers(&self, group: GroupId) -> impl Iterator<Item = u32> + '_ {
        let run = self.run(group);
        self.numbers.iter().flat_map(move |numbers| run.clone().map(|record| numbers.get(record)))
    }

    /// Removes all records from a group.
    pub fn clear_group(&mut self, group: GroupId) {
        let run = &mut self.runs[group as usize];
        run.end = run.start;
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

    /// Refines `node` of the column at `place`: divides every group on its link among the children. Only records that
    /// `is_tracked` accepts will be counted again. Returns the groups that hold a child now, and whether each has fewer
    /// records than before. Groups without the disclosed value are left out.
    pub fn refine(
        &mut self,
        place: usize,
        node: NodeId,
        child_of_code: ChildOfCode,
        is_tracked: IsTracked,
    ) -> Result<Vec<(GroupId, bool)>, Error> {
        let last = match child_of_code {
            ChildOfCode::Children(_, children) => children.iter().copied().max().unwrap_or(node),
            ChildOfCode::Disclose(_, value_node) => value_node,
        };
        lengthen(&mut self.links[place], last.max(node) as usize + 1)?;
        let mut division = Division { place, is_tracked, updates_links: true, refined: Vec::new() };
        match child_of_code {
            ChildOfCode::Children(part_of_code, children) => {
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    if self.size(group) > 0 {
                        self.restore_person_order(group)?;
                        let part = |code| part_of_code[code as usize];
                        let ends = self.rearrange(group, part, children.len(), &division)?;
                        self.divide(group, &ends, children, &mut division)?;
                    }
                }
            }
            ChildOfCode::Disclose(value, value_node) if self.value_index.is_indexed(place) => {
                for held in self.value_index.find_records(place, value)?.chunk_by(|one, next| one.0 == next.0)
                {
                    self.scratch.holding.clear();
                    pace::each(held, |&(_, place)| self.scratch.holding.push(place))?;
                    self.disclose(held[0].0, held.len(), value, value_node, &mut division)?;
                }
            }
            ChildOfCode::Disclose(value, value_node) => {
                for group in std::mem::take(&mut self.links[place][node as usize]) {
                    pace::tick(1)?;
                    match self.count_holding(group, place, value)? {
                        0 => self.links[place][node as usize].push(group),
                        held => self.disclose(group, held, value, value_node, &mut division)?,
                    }
                }
            }
        }
        Ok(division.refined)
    }

    /// Refines the node of one group on the column at `place`, for local recoding. `part` maps codes to indexes of
    /// `children`. The first child with records keeps the number of the group. Each further one becomes a new group, in
    /// their order; the new groups are returned. No link changes.
    pub fn refine_group(
        &mut self,
        (group, place): (GroupId, usize),
        part: impl Fn(Code) -> u32,
        children: &[NodeId],
        is_tracked: IsTracked,
    ) -> Result<Range<GroupId>, Error> {
        let mut division = Division { place, is_tracked, updates_links: false, refined: Vec::new() };
        let ends = self.rearrange(group, part, children.len(), &division)?;
        let groups = self.group_count() as GroupId;
        self.divide(group, &ends, children, &mut division)?;
        Ok(groups..self.group_count() as GroupId)
    }

    /// Counts the records of a group that hold a value.
    fn count_holding(&self, group: GroupId, place: usize, value: Code) -> Result<usize, Error> {
        let mut held = 0;
        for run in pace::ranges(self.run(group)) {
            let run = run?;
            each_width!(&self.columns[place], codes => {
                held += codes[run].iter().filter(|code| code.to_code() == value).count();
            });
        }
        Ok(held)
    }

    /// Divides a group into the `held` records of a disclosed value, at least one, and the others. In an indexed column
    /// `scratch.holding` has the places of the held records.
    fn disclose(
        &mut self,
        group: GroupId,
        held: usize,
        value: Code,
        value_node: NodeId,
        division: &mut Division,
    ) -> Result<(), Error> {
        let size = self.size(group);
        let is_disordered = self.may_disorder && size / SCANS_PER_LOOKUP >= held;
        if held < size && self.counts_persons() && !is_disordered {
            self.restore_person_order(group)?;
            self.rearrange(group, |code| u32::from(code == value), 2, division)?;
        } else if held < size {
            self.move_to_end(group, value, size - held, division)?;
        }
        self.divide(group, &[(size - held) as u32, size as u32], &[TOP, value_node], division)?;
        if is_disordered {
            let made = division.refined.iter().rev().take(2);
            self.disordered.extend(made.map(|&(group, _)| group));
        }
        Ok(())
    }

    /// Makes a group of each part that has records. The parts follow each other and end at `ends`, counted from the
    /// start of the group. The first one keeps the number of the group.
    fn divide(
        &mut self,
        group: GroupId,
        ends: &[u32],
        children: &[NodeId],
        division: &mut Division,
    ) -> Result<(), Error> {
        pace::tick(ends.len())?;
        let Range { start, end } = self.records(group);
        debug_assert_eq!(start + ends.last().copied().unwrap_or(0), end);
        let starts = std::iter::once(&0).chain(ends);
        let held = starts.zip(ends).zip(children).filter(|((from, to), _)| from < to);
        let loses_records = held.clone().nth(1).is_some();
        let (place, width) = (division.place, self.attributes.len());
        let nodes = self.nodes[group as usize * width..][..width].to_vec();
        for (nth, ((&from, &to), &child)) in held.enumerate() {
            pace::tick(width)?;
            let run = start + from..start + to;
            let part_group = if nth == 0 {
                self.runs[group as usize] = run;
                group
            } else {
                self.add_group(run, &nodes, division)?
            };
            self.nodes[part_group as usize * width + place] = child;
            // The link of `*` in an indexed column still has its groups.
            if division.updates_links && (child != TOP || !self.value_index.is_indexed(place)) {
                self.links[place][child as usize].push(part_group);
            }
            division.refined.push((part_group, loses_records));
        }
        Ok(())
    }

    /// Adds a group with the nodes of the divided one. Links it to those nodes whose records will be counted again,
    /// except on the refined column.
    fn add_group(
        &mut self,
        run: Range<u32>,
        nodes: &[NodeId],
        division: &Division,
    ) -> Result<GroupId, Error> {
        let group = self.runs.len() as GroupId;
        self.value_index.set_group(run.start as usize..run.end as usize, group)?;
        self.runs.push(run);
        self.nodes.extend_from_slice(nodes);
        if division.updates_links {
            for (place, &node) in nodes.iter().enumerate() {
                if place != division.place && (division.is_tracked)(place, node) {
                    self.links[place][node as usize].push(group);
                }
            }
        }
        Ok(group)
    }
}
