//! The candidates: refinements that are still valid and beneficial.
//!
//! A candidate belongs to a node in the cut; a disclosure belongs to the node of its value. It is dropped for good when
//! it is found invalid, and when it is performed. Candidates are kept in the order that breaks ties: by column, then by
//! the first code under the node. Disclosures, which may be very many, are kept by kind instead ([`DisclosureKinds`]).

use super::column::Column;
use super::disclosure_kinds::DisclosureKinds;
use crate::progress::{check_memory, reserve};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::{FixedPointSum, Utility};
use crate::{pace, Code, Error};

/// A refinement that is still valid and beneficial, while it is `alive`.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub attribute: usize,
    /// The node to refine. A disclosure has the node of its value.
    pub node: NodeId,
    /// The first code under the node: the candidate's place in the column.
    pub first: Code,
    /// |R_v|, the number of rows of the node. Not used for a disclosure, which refines `*`.
    pub records: u64,
    /// The gain. That of a disclosure with a kind is kept with the kind ([`Candidates::gain`]).
    pub gain: f64,
    /// G, summed over the rows of the table: the class information that the refinement adds given the leaves. Only the
    /// conditional score counts it.
    pub leaf_gain: FixedPointSum,
    /// Worst measure, for each requirement, of the groups that the refinement would make. A measure that is no worse
    /// than the current one may be missing.
    pub after: Vec<f64>,
    /// Number of rows that the refinement would withhold.
    pub withheld: u64,
    pub alive: bool,
    /// Whether it died, or its measures changed, since the last `settle`.
    pub changed: bool,
}

impl Candidate {
    /// Makes a candidate with a gain of 0.
    pub fn new(attribute: usize, node: NodeId, first: Code, after: Vec<f64>) -> Candidate {
        Candidate {
            attribute,
            node,
            first,
            records: 0,
            gain: 0.0,
            leaf_gain: FixedPointSum::default(),
            after,
            withheld: 0,
            alive: true,
            changed: true,
        }
    }
}

#[derive(Debug)]
pub(super) struct Candidates {
    /// By number. Dead candidates stay.
    all: Vec<Candidate>,
    /// The candidate of each column and node.
    by_node: Vec<Vec<Option<u32>>>,
    /// The candidates of each column by their first code. Some may be dead. Empty if the column has kinds.
    order: Vec<Vec<u32>>,
    kinds: Vec<Option<DisclosureKinds>>,
    /// Number of living candidates of each column.
    living: Vec<usize>,
    /// Number of dead candidates in the `order` of each column.
    dead: Vec<usize>,
    /// Candidates for the next `settle`.
    changed: Vec<u32>,
    /// Settled candidates that `take_changed` has not returned yet.
    unreported: Vec<usize>,
}

impl Candidates {
    /// Makes an empty set, for columns with the given numbers of nodes. Callers `reserve` memory before they `add`.
    pub fn new(nodes: &[usize]) -> Result<Candidates, Error> {
        let all = nodes.iter().fold(0, |sum: usize, &n| sum.saturating_add(n));
        check_memory::<Option<u32>>(all)?;
        let by_node = nodes.iter().map(|&n| vec![None; n]).collect();
        let (order, kinds) = (vec![Vec::new(); nodes.len()], nodes.iter().map(|_| None).collect());
        let (living, dead) = (vec![0; nodes.len()], vec![0; nodes.len()]);
        let (changed, unreported) = (Vec::new(), Vec::new());
        Ok(Candidates { all: Vec::new(), by_node, order, kinds, living, dead, changed, unreported })
    }

    pub fn group_by_kind(&mut self, attribute: usize, kinds: DisclosureKinds) {
        self.kinds[attribute] = Some(kinds);
    }

    /// Reserves memory for `more` candidates with a measure for each of the `requirements`.
    pub fn reserve(&mut self, more: usize, requirements: usize) -> Result<(), Error> {
        check_memory::<f64>(more.saturating_mul(requirements))?;
        reserve(&mut self.all, more)?;
        reserve(&mut self.changed, more)
    }

    /// Adds a candidate, and returns its number.
    pub fn add(&mut self, candidate: Candidate) -> Result<usize, Error> {
        let Candidate { attribute, node, first, .. } = candidate;
        let id = self.all.len() as u32;
        let nodes = &mut self.by_node[attribute];
        if nodes.len() <= node as usize {
            nodes.resize(node as usize + 1, None);
        }
        nodes[node as usize] = Some(id);
        if self.kinds[attribute].is_none() {
            let order = &mut self.order[attribute];
            let place = order.partition_point(|&other| self.all[other as usize].first < first);
            // The candidates behind it move: fast, but possibly many.
            pace::tick(1 + (order.len() - place) / 16)?;
            order.insert(place, id);
        }
        self.living[attribute] += 1;
        self.changed.push(id);
        self.all.push(candidate);
        Ok(id as usize)
    }

    /// Removes a candidate that is about to be performed, and returns it with its gain and measures.
    pub fn take(&mut self, id: usize) -> Candidate {
        let gain = self.gain(id);
        let after = std::mem::take(&mut self.all[id].after);
        self.mark_changed(id, false);
        Candidate { gain, after, ..self.all[id] }
    }

    /// Drops a candidate that is invalid, or that would show no row.
    pub fn discard(&mut self, id: usize) {
        self.mark_changed(id, false);
    }

    /// Resets the measures of a candidate whose split point has changed. Returns its column and node.
    pub fn reset(&mut self, id: usize, after: Vec<f64>) -> (usize, NodeId) {
        self.all[id].after = after;
        self.mark_changed(id, true);
        (self.all[id].attribute, self.all[id].node)
    }

    /// Marks a living candidate as changed, and as dead unless it is still `alive`.
    fn mark_changed(&mut self, id: usize, alive: bool) {
        let candidate = &mut self.all[id];
        candidate.alive = alive;
        self.living[candidate.attribute] -= usize::from(!alive);
        if !std::mem::replace(&mut candidate.changed, true) {
            self.changed.push(id as u32);
        }
    }

    /// Returns the gain of a living candidate, from its kind if it has one.
    pub fn gain(&self, id: usize) -> f64 {
        let Candidate { attribute, first, gain, .. } = self.all[id];
        self.kinds[attribute].as_ref().map_or(gain, |kinds| kinds.gain(first))
    }

    /// Returns the kinds of a column's disclosures, if they are kept by kind.
    pub fn kinds(&mut self, attribute: usize) -> Option<&mut DisclosureKinds> {
        self.kinds[attribute].as_mut()
    }

    pub fn discard_all(&mut self, attribute: usize) -> Result<(), Error> {
        for node in 0..self.by_node[attribute].len() {
            pace::tick(1)?;
            if let Some(id) = self.living(attribute, node as NodeId) {
                self.mark_changed(id, false);
            }
        }
        Ok(())
    }

    pub fn living(&self, attribute: usize, node: NodeId) -> Option<usize> {
        let id = (*self.by_node[attribute].get(node as usize)?)? as usize;
        self.all[id].alive.then_some(id)
    }

    pub fn any_living(&self, attribute: usize) -> bool {
        self.living[attribute] > 0
    }

    /// Returns the candidates that were added, died or got other measures since the last call.
    pub fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.unreported)
    }

    /// Number of candidates so far, dead ones included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn get(&self, id: usize) -> &Candidate {
        &self.all[id]
    }

    /// Returns a candidate, whose gains, measures and withheld rows may be changed without marking it as changed.
    pub fn get_mut(&mut self, id: usize) -> &mut Candidate {
        &mut self.all[id]
    }

    /// Applies `worsen` to the measures of a node's living candidate, if it has one. `worsen` returns None if nothing
    /// changed, otherwise whether the candidate is still valid.
    pub fn worsen(
        &mut self,
        attribute: usize,
        node: NodeId,
        worsen: impl FnOnce(&mut [f64]) -> Result<Option<bool>, Error>,
    ) -> Result<(), Error> {
        let Some(id) = self.living(attribute, node) else { return Ok(()) };
        if let Some(alive) = worsen(&mut self.all[id].after)? {
            self.mark_changed(id, alive);
        }
        Ok(())
    }

    /// Returns whether groups with this node will be counted again: while the node's candidate is alive. The `*` of a
    /// suppressed column has no candidate of its own; it is live while any value of the column is a candidate.
    pub fn is_live(&self, attribute: usize, node: NodeId) -> bool {
        match self.by_node[attribute].get(node as usize).copied().flatten() {
            Some(id) => self.all[id as usize].alive,
            None => node == TOP && self.any_living(attribute),
        }
    }

    /// Iterates over the living candidates in the order that breaks ties, but only over the first of each kind.
    pub fn in_order(&self) -> impl Iterator<Item = (usize, &Candidate)> {
        let ids = (0..self.order.len()).flat_map(move |attribute| {
            let firsts = self.kinds[attribute].as_ref().map_or(&[][..], DisclosureKinds::first_members);
            let id = move |&code: &Code| self.by_node[attribute][Hierarchy::disclosed_node(code) as usize];
            let living = self.order[attribute].iter().copied().filter(|&id| self.all[id as usize].alive);
            living.chain(firsts.iter().filter_map(id))
        });
        ids.map(move |id| (id as usize, &self.all[id as usize]))
    }

    /// Frees the measures of dead candidates, and removes the dead from the order once they are more than half of it.
    /// Moves each changed disclosure to the kind of its measures; a measure that is no worse than the `current` one
    /// counts as the current one.
    pub fn settle(&mut self, columns: &[Column], current: &[f64], utility: Utility) -> Result<(), Error> {
        reserve(&mut self.unreported, self.changed.len())?;
        for id in self.changed.drain(..) {
            self.unreported.push(id as usize);
            let candidate = &mut self.all[id as usize];
            let attribute = candidate.attribute;
            candidate.changed = false;
            match &mut self.kinds[attribute] {
                Some(kinds) => assign_to_kind(kinds, candidate, &columns[attribute], current, utility)?,
                None if !candidate.alive => self.dead[attribute] += 1,
                None => {}
            }
            let candidate = &mut self.all[id as usize];
            if !candidate.alive {
                candidate.after = Vec::new();
            }
        }
        for (order, dead) in self.order.iter_mut().zip(&mut self.dead) {
            if 2 * *dead > order.len() {
                pace::tick(order.len())?;
                order.retain(|&id| self.all[id as usize].alive);
                *dead = 0;
            }
        }
        for (attribute, kinds) in self.kinds.iter_mut().enumerate() {
            let Some(kinds) = kinds else { continue };
            let to_regroup = kinds.due_for_regrouping()?;
            if !to_regroup.is_empty() {
                for code in to_regroup {
                    let Some(id) = self.by_node[attribute][Hierarchy::disclosed_node(code) as usize] else {
                        continue;
                    };
                    let candidate = &self.all[id as usize];
                    assign_to_kind(kinds, candidate, &columns[attribute], current, utility)?;
                }
                kinds.mark_regrouped();
            }
        }
        Ok(())
    }
}

/// Assigns a disclosure to the kind of its measures, or to none if it is dead.
fn assign_to_kind(
    kinds: &mut DisclosureKinds,
    candidate: &Candidate,
    column: &Column,
    current: &[f64],
    utility: Utility,
) -> Result<(), Error> {
    pace::tick(1 + column.requirements.len())?;
    let after =
        column.requirements.iter().map(|r| r.direction.worse(current[r.number], candidate.after[r.number]));
    let after = candidate.alive.then_some(after);
    kinds.assign_kind(candidate.first, after, utility, &column.histogram)
}
