//! The candidates: refinements that are still valid and beneficial.
//!
//! A candidate belongs to a node in the cut (a disclosure to the value it would disclose). It is
//! dropped when it is found invalid, for good, or when it is performed. Candidates are kept in the
//! order that breaks ties: by column, then by place in the column. Disclosures, of which there may be very
//! many, stand there by kind ([`Kinds`]).

use super::column::Column;
use super::kinds::Kinds;
use crate::progress::{reserve, room};
use crate::refine::{Hierarchy, NodeId, TOP};
use crate::utility::{SumOfBits, Utility};
use crate::{pace, Code, Error};

/// A refinement that may be performed.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub attribute: usize,
    /// The node to refine; of a disclosure, the node of the value.
    pub node: NodeId,
    /// The first code under the node: its place in the column.
    pub first: Code,
    /// |R_v|, and the gain. Of a disclosure both follow from what is in `*`: its kind has the gain.
    pub records: u64,
    pub gain: f64,
    /// G: the class information that it adds given the leaves. Only the conditional score counts it.
    pub bits: SumOfBits,
    /// The worst measure, for each requirement, of the groups it would make.
    pub after: Vec<f64>,
    /// How many rows it would withhold.
    pub withheld: u64,
    pub alive: bool,
    /// Whether it died, or its measures changed, since the last `settle`.
    pub changed: bool,
}

#[derive(Debug)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    /// For each column and node, its candidate.
    by_node: Vec<Vec<Option<u32>>>,
    /// For each column, the living ones by their place; none where disclosures stand by kind.
    order: Vec<Vec<u32>>,
    kinds: Vec<Option<Kinds>>,
    /// For each column, how many live.
    living: Vec<usize>,
    /// For each column, how many that are dead stand in its order still.
    dead: Vec<usize>,
    /// Those that are to be settled.
    changed: Vec<u32>,
    /// Those that have changed since somebody asked.
    since: Vec<usize>,
}

impl Candidates {
    /// None as yet, of columns with as many `nodes`; room is made for each before it is added.
    pub fn new(nodes: &[usize]) -> Result<Candidates, Error> {
        let all = nodes.iter().fold(0, |sum: usize, &n| sum.saturating_add(n));
        room::<Option<u32>>(all)?;
        let by_node = nodes.iter().map(|&n| vec![None; n]).collect();
        let (order, kinds) = (vec![Vec::new(); nodes.len()], nodes.iter().map(|_| None).collect());
        let (living, dead) = (vec![0; nodes.len()], vec![0; nodes.len()]);
        let (changed, since) = (Vec::new(), Vec::new());
        Ok(Candidates { all: Vec::new(), by_node, order, kinds, living, dead, changed, since })
    }

    /// Groups the disclosures of a suppressed column by kind ([`Kinds`]).
    pub fn group_by_kind(&mut self, attribute: usize, kinds: Kinds) {
        self.kinds[attribute] = Some(kinds);
    }

    /// Makes room for `more` candidates, with a measure for each of the `requirements`.
    pub fn reserve(&mut self, more: usize, requirements: usize) -> Result<(), Error> {
        room::<f64>(more.saturating_mul(requirements))?;
        reserve(&mut self.all, more)?;
        reserve(&mut self.changed, more)
    }

    /// Adds a candidate with no gain as yet.
    pub fn add(
        &mut self,
        attribute: usize,
        node: NodeId,
        first: Code,
        after: Vec<f64>,
    ) -> Result<(usize, &mut Candidate), Error> {
        let id = self.all.len() as u32;
        let nodes = &mut self.by_node[attribute];
        if nodes.len() <= node as usize {
            nodes.resize(node as usize + 1, None);
        }
        nodes[node as usize] = Some(id);
        if self.kinds[attribute].is_none() {
            let order = &mut self.order[attribute];
            let place = order.partition_point(|&other| self.all[other as usize].first < first);
            // What lies behind has to move, which is fast, but many at once.
            pace::tick(1 + (order.len() - place) / 16)?;
            order.insert(place, id);
        }
        self.living[attribute] += 1;
        self.changed.push(id);
        let (gain, bits, alive, changed) = (0.0, SumOfBits::default(), true, true);
        let (records, withheld) = (0, 0);
        self.all.push(Candidate {
            attribute,
            node,
            first,
            records,
            gain,
            bits,
            after,
            withheld,
            alive,
            changed,
        });
        Ok((id as usize, &mut self.all[id as usize]))
    }

    /// Removes the candidate that is to be performed, and returns it with its gain and measures.
    pub fn take(&mut self, id: usize) -> Candidate {
        let gain = self.gain(id);
        let after = std::mem::take(&mut self.all[id].after);
        self.mark_changed(id, false);
        Candidate { gain, after, ..self.all[id] }
    }

    /// Removes a candidate that is not valid any more, or that would show no row.
    pub fn discard(&mut self, id: usize) {
        self.mark_changed(id, false);
    }

    /// Sets the gain of a candidate. Disclosures that are grouped by kind take theirs from the kind instead.
    pub fn weigh(&mut self, id: usize, gain: f64) {
        self.all[id].gain = gain;
    }

    /// Resets the measures of a candidate whose split point has changed. Returns its column and node.
    pub fn reset(&mut self, id: usize, after: Vec<f64>) -> (usize, NodeId) {
        self.all[id].after = after;
        self.mark_changed(id, true);
        (self.all[id].attribute, self.all[id].node)
    }

    /// Notes that a living candidate has other measures, or has died.
    fn mark_changed(&mut self, id: usize, alive: bool) {
        let candidate = &mut self.all[id];
        candidate.alive = alive;
        self.living[candidate.attribute] -= usize::from(!alive);
        if !std::mem::replace(&mut candidate.changed, true) {
            self.changed.push(id as u32);
        }
    }

    /// The gain of a living candidate.
    pub fn gain(&self, id: usize) -> f64 {
        let Candidate { attribute, first, gain, .. } = self.all[id];
        self.kinds[attribute].as_ref().map_or(gain, |kinds| kinds.gain(first))
    }

    /// The kinds of a suppressed column's disclosures, where they stand by kind.
    pub fn kinds(&mut self, attribute: usize) -> Option<&mut Kinds> {
        self.kinds[attribute].as_mut()
    }

    /// Drops all disclosures of a column.
    pub fn discard_all(&mut self, attribute: usize) -> Result<(), Error> {
        for node in 0..self.by_node[attribute].len() {
            pace::tick(1)?;
            if let Some(id) = self.living(attribute, node as NodeId) {
                self.mark_changed(id, false);
            }
        }
        Ok(())
    }

    /// The living candidate of a node, if it has one.
    pub fn living(&self, attribute: usize, node: NodeId) -> Option<usize> {
        let id = (*self.by_node[attribute].get(node as usize)?)? as usize;
        self.all[id].alive.then_some(id)
    }

    /// Whether a column has a living candidate.
    pub fn any_living(&self, attribute: usize) -> bool {
        self.living[attribute] > 0
    }

    /// Those that were added, have other measures or have died since this was asked last.
    pub fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.since)
    }

    /// How many there have been.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// One of them, dead or alive.
    pub fn get(&self, id: usize) -> &Candidate {
        &self.all[id]
    }

    /// The column and node of one that lives.
    pub fn location_if_alive(&self, id: usize) -> Option<(usize, NodeId)> {
        let Candidate { attribute, node, alive, .. } = self.all[id];
        alive.then_some((attribute, node))
    }

    /// The measures of a candidate, for a caller that measures all its groups anew.
    pub fn measures(&mut self, id: usize) -> &mut Vec<f64> {
        &mut self.all[id].after
    }

    /// Notes how many rows one would withhold.
    pub fn withhold(&mut self, id: usize, rows: u64) {
        self.all[id].withheld = rows;
    }

    /// Adds to what a candidate tells of the class, or takes from it.
    pub fn change_information(&mut self, id: usize, change: impl FnOnce(&mut SumOfBits)) {
        change(&mut self.all[id].bits);
    }

    /// Applies `worsen` to the measures of the living candidate of a node, if there is one. `worsen` returns
    /// None where nothing changed, else whether the candidate is still valid.
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

    /// Whether the groups with this node are counted again: while the candidate of the node is alive. The `*`
    /// of a suppressed column has no candidate itself; it is live while any value of the column is a candidate.
    pub fn is_live(&self, attribute: usize, node: NodeId) -> bool {
        match self.by_node[attribute].get(node as usize).copied().flatten() {
            Some(id) => self.all[id as usize].alive,
            None => node == TOP && self.any_living(attribute),
        }
    }

    /// The first living candidate of every kind, in the order that breaks ties.
    pub fn in_order(&self) -> impl Iterator<Item = (usize, &Candidate)> {
        let ids = (0..self.order.len()).flat_map(move |attribute| {
            let firsts = self.kinds[attribute].as_ref().map_or(&[][..], Kinds::firsts);
            let id = move |&code: &Code| self.by_node[attribute][Hierarchy::disclosed(code) as usize];
            let living = self.order[attribute].iter().copied().filter(|&id| self.all[id as usize].alive);
            living.chain(firsts.iter().filter_map(id))
        });
        ids.map(move |id| (id as usize, &self.all[id as usize]))
    }

    /// Frees the measures of dead candidates, and removes these from the order once they are as many as the others. Moves each
    /// disclosure with new measures to the kind of these; a measure that is no worse than the `current` one counts as the current one.
    pub fn settle(&mut self, columns: &[Column], current: &[f64], utility: Utility) -> Result<(), Error> {
        reserve(&mut self.since, self.changed.len())?;
        for id in self.changed.drain(..) {
            self.since.push(id as usize);
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
                    let Some(id) = self.by_node[attribute][Hierarchy::disclosed(code) as usize] else {
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
    kinds: &mut Kinds,
    candidate: &Candidate,
    column: &Column,
    current: &[f64],
    utility: Utility,
) -> Result<(), Error> {
    pace::tick(1 + column.requirements.len())?;
    let after =
        column.requirements.iter().map(|r| r.direction.worse(current[r.number], candidate.after[r.number]));
    let after = candidate.alive.then_some(after);
    kinds.put(candidate.first, after, (utility, &column.histogram))
}
