//! The candidates: refinements that are still valid and beneficial.
//!
//! A candidate belongs to a node in the cut (a disclosure to the value it would disclose). It is
//! dropped when it is found invalid, for good, or when it is performed. Candidates are kept in the
//! order that breaks ties: by column, then by place in the column.

use crate::progress::GROWING;
use crate::refine::{NodeId, TOP};
use crate::{Code, Error, Pace, Reservation};

/// A refinement that may be performed.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub attribute: usize,
    /// The node to refine; of a disclosure, the node of the value.
    pub node: NodeId,
    /// The first code under the node: its place in the column.
    pub first: Code,
    /// |R_v|.
    pub records: u64,
    pub gain: f64,
    /// The worst measure, for each requirement, of the groups it would make.
    pub after: Vec<f64>,
    pub alive: bool,
}

#[derive(Debug)]
pub(super) struct Candidates {
    all: Vec<Candidate>,
    /// For each column and node, its candidate.
    by_node: Vec<Vec<Option<u32>>>,
    /// For each column, the living ones by their place.
    order: Vec<Vec<u32>>,
}

impl Candidates {
    /// None as yet, of columns with as many `nodes`; each is reserved before it is added.
    pub fn new(nodes: &[usize], memory: &mut Reservation) -> Result<Candidates, Error> {
        let all = nodes.iter().fold(0, |sum: usize, &n| sum.saturating_add(n));
        memory.grow_by::<Option<u32>>(all)?;
        let by_node = nodes.iter().map(|&n| vec![None; n]).collect();
        Ok(Candidates { all: Vec::new(), by_node, order: vec![Vec::new(); nodes.len()] })
    }

    /// Makes room for `more` candidates of a column, with a measure for each of the `requirements`.
    pub fn reserve(
        &mut self,
        attribute: usize,
        more: usize,
        requirements: usize,
        memory: &mut Reservation,
    ) -> Result<(), Error> {
        memory.grow_by::<f64>(more.saturating_mul(requirements))?;
        if more == 1 {
            // Itself, its place in the order and, of an interval just grown, its halves' by node.
            return memory.grow_by::<(Candidate, u32, [Option<u32>; 2])>(GROWING);
        }
        let _moved = Reservation::of::<Candidate>(memory.progress(), self.all.len())?;
        memory.grow_by::<(Candidate, u32)>(more)?;
        self.all.reserve_exact(more);
        self.order[attribute].reserve_exact(more);
        Ok(())
    }

    /// Adds a candidate with no gain as yet.
    pub fn add(
        &mut self,
        attribute: usize,
        node: NodeId,
        first: Code,
        after: Vec<f64>,
        pace: &Pace,
    ) -> Result<&mut Candidate, Error> {
        let id = self.all.len() as u32;
        let nodes = &mut self.by_node[attribute];
        if nodes.len() <= node as usize {
            nodes.resize(node as usize + 1, None);
        }
        nodes[node as usize] = Some(id);
        let order = &mut self.order[attribute];
        let place = order.partition_point(|&other| self.all[other as usize].first < first);
        // What lies behind has to move, which is fast, but many at once.
        pace.tick(1 + (order.len() - place) / 16)?;
        order.insert(place, id);
        self.all.push(Candidate { attribute, node, first, records: 0, gain: 0.0, after, alive: true });
        Ok(&mut self.all[id as usize])
    }

    pub fn get(&self, id: usize) -> &Candidate {
        &self.all[id]
    }

    pub fn kill(&mut self, id: usize) {
        self.all[id].alive = false;
    }

    /// Does something with each living candidate of a column.
    pub fn for_each(
        &mut self,
        attribute: usize,
        pace: &Pace,
        mut f: impl FnMut(&mut Candidate) -> Result<(), Error>,
    ) -> Result<(), Error> {
        for &id in &self.order[attribute] {
            pace.tick(1)?;
            let candidate = &mut self.all[id as usize];
            if candidate.alive {
                f(candidate)?;
            }
        }
        Ok(())
    }

    /// The living candidate of a node.
    pub fn live(&mut self, attribute: usize, node: NodeId) -> Option<&mut Candidate> {
        let id = (*self.by_node[attribute].get(node as usize)?)?;
        Some(&mut self.all[id as usize]).filter(|c| c.alive)
    }

    /// Whether records that hold a node will be counted again. Only of a suppression is the top itself
    /// no candidate while others are.
    pub fn is_live(&self, attribute: usize, node: NodeId) -> bool {
        match self.by_node[attribute].get(node as usize).copied().flatten() {
            Some(id) => self.all[id as usize].alive,
            None => node == TOP && !self.order[attribute].is_empty(),
        }
    }

    /// All living candidates, in the order that breaks ties.
    pub fn in_order(&self) -> impl Iterator<Item = (usize, &Candidate)> {
        self.order.iter().flatten().map(|&id| (id as usize, &self.all[id as usize]))
    }

    /// Forgets the dead, whose measures are of no further use.
    pub fn drop_dead(&mut self, pace: &Pace) -> Result<(), Error> {
        let all = &mut self.all;
        for order in &mut self.order {
            let mut alive = 0;
            pace.each(0..order.len(), |place| {
                let id = order[place];
                let candidate = &mut all[id as usize];
                if candidate.alive {
                    order[alive] = id;
                    alive += 1;
                } else {
                    candidate.after = Vec::new();
                }
            })?;
            order.truncate(alive);
        }
        Ok(())
    }
}
