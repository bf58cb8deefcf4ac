//! The regions that local recoding divides the domain into: a tree, whose leaves are what groups are released as.
//!
//! A region has a node on every masked column. Refining it divides its codes on one column among further regions; a
//! part that no record falls to has none. So where a row belongs follows from its codes alone: from the root, or
//! where columns are released at least so specific from the root of its coarsest nodes, down to a leaf.

use crate::refine::{Hierarchy, NodeId, TOP};
use crate::trace::Cut;
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

/// A region, by number.
pub type RegionId = u32;

/// Nowhere.
pub(super) const NONE: RegionId = RegionId::MAX;

/// A region of the domain of the masked columns.
#[derive(Debug, Clone)]
pub struct Region {
    /// Its node on each column.
    pub nodes: Box<[NodeId]>,
    pub(super) branch: Option<Branch>,
    /// What it is a part of.
    above: RegionId,
}

/// How the codes of a region fall to others.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub attribute: usize,
    /// Ranges of codes, in order, and the region that each falls to.
    pub parts: Box<[(Range<Code>, RegionId)]>,
    /// What every other code falls to: what stays at the region's own node.
    pub rest: RegionId,
}

/// All regions of a table.
#[derive(Debug, Clone)]
pub struct Regions {
    pub(super) all: Vec<Region>,
    /// Those that a search begins with, by their nodes.
    pub(super) roots: HashMap<Vec<NodeId>, RegionId>,
    /// Each column's cut as a search begins, by which rows come to them; none, where all begin with one region.
    pub(super) coarsest: Option<Vec<Cut>>,
    /// The region that each step refined; none where it refined a shown column, in all groups at once.
    pub refined: Vec<Option<RegionId>>,
}

impl Regions {
    /// None yet; rows come to them by the cuts that a search begins with, which so many steps have made.
    pub(super) fn new(cuts: Vec<Cut>, steps: usize) -> Regions {
        let is_one = cuts.iter().all(|cut| cut.nodes().eq([TOP]));
        let coarsest = (!is_one).then_some(cuts);
        Regions { all: Vec::new(), roots: HashMap::new(), coarsest, refined: vec![None; steps] }
    }

    /// A region that a search begins with.
    pub(super) fn root(&mut self, nodes: Vec<NodeId>) -> RegionId {
        let root = self.add(nodes.clone(), NONE);
        self.roots.insert(nodes, root);
        root
    }

    fn add(&mut self, nodes: Vec<NodeId>, above: RegionId) -> RegionId {
        self.all.push(Region { nodes: nodes.into(), branch: None, above });
        (self.all.len() - 1) as RegionId
    }

    /// Divides a region on a column among the `children` that hold records; which regions those are.
    pub(super) fn divide(
        &mut self,
        (region, attribute): (RegionId, usize),
        children: &[NodeId],
        hierarchy: &Hierarchy,
    ) -> Vec<RegionId> {
        let (mut parts, mut rest) = (Vec::with_capacity(children.len()), NONE);
        let mut made = Vec::with_capacity(children.len());
        for &child in children {
            let mut nodes = self.all[region as usize].nodes.to_vec();
            let stays = std::mem::replace(&mut nodes[attribute], child) == child;
            let part = self.add(nodes, region);
            made.push(part);
            if stays {
                rest = part;
            } else {
                parts.push((hierarchy.node(child).codes.clone(), part));
            }
        }
        parts.sort_unstable_by_key(|(codes, _)| (codes.start, codes.end));
        self.all[region as usize].branch = Some(Branch { attribute, parts: parts.into(), rest });
        made
    }

    /// A region.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.all[id as usize]
    }

    /// Those that a search begins with, in the order in which they were made.
    pub(super) fn first(&self) -> impl Iterator<Item = RegionId> + '_ {
        let mut first: Vec<RegionId> = self.roots.values().copied().collect();
        first.sort_unstable();
        first.into_iter()
    }

    /// How many there are, divided ones included.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// The region that a search begins with, by its nodes.
    pub(super) fn root_of(&self, nodes: &[NodeId]) -> Option<RegionId> {
        self.roots.get(nodes).copied()
    }

    /// The part of a divided region that has `node` on the divided column. None if no record fell there.
    pub(super) fn child(&self, region: RegionId, node: NodeId, hierarchy: &Hierarchy) -> Option<RegionId> {
        let Region { nodes, branch, .. } = self.region(region);
        let Branch { attribute, parts, rest } = branch.as_ref()?;
        if nodes[*attribute] == node {
            return Some(*rest).filter(|&rest| rest != NONE);
        }
        let codes = &hierarchy.node(node).codes;
        let at = parts.binary_search_by_key(&(codes.start, codes.end), |(codes, _)| (codes.start, codes.end));
        at.ok().map(|at| parts[at].1)
    }

    /// What a region was divided into.
    pub fn parts(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        let branch = self.region(region).branch.as_ref();
        let rest = branch.map(|branch| branch.rest).filter(|&rest| rest != NONE);
        branch.into_iter().flat_map(|branch| branch.parts.iter().map(|(_, part)| *part)).chain(rest)
    }

    /// What was split off on the way to a region from the node that it has stayed at on a column: of these none of its
    /// records is.
    pub(super) fn split_off(&self, region: RegionId, attribute: usize) -> Result<HashSet<NodeId>, Error> {
        let node = |region: RegionId| self.region(region).nodes[attribute];
        let (mut off, mut part) = (HashSet::new(), region);
        loop {
            pace::tick(1)?;
            let above = self.region(part).above;
            if above == NONE || node(above) != node(region) {
                return Ok(off);
            }
            let branch = self.region(above).branch.as_ref().filter(|branch| branch.attribute == attribute);
            pace::each(branch.into_iter().flat_map(|branch| &branch.parts), |(_, part)| {
                off.insert(node(*part));
            })?;
            part = above;
        }
    }

    /// The leaves, in the order in which they were made.
    pub fn leaves(&self) -> impl Iterator<Item = RegionId> + '_ {
        (0..).zip(&self.all).filter(|(_, region)| region.branch.is_none()).map(|(id, _)| id)
    }
}
