//! The regions into which local recoding divides the domain. They form trees, and each leaf is the region of one
//! released group.
//!
//! A region has a node on every masked column. A refinement divides the codes of a region on one column among its
//! parts. A part that would hold no record is not made. The codes of a row alone lead from a root down to its leaf.
//! There are several roots if some column must be more specific than its top (the coarsest cut), or was refined in all
//! groups.

use crate::refine::{Hierarchy, NodeId, TOP};
use crate::trace::Cut;
use crate::{pace, Code, Error};
use hashbrown::{HashMap, HashSet};
use std::ops::Range;

/// Number of a region.
pub type RegionId = u32;

/// No region.
pub(super) const NONE: RegionId = RegionId::MAX;

/// A region of the domain of the masked columns.
#[derive(Debug, Clone)]
pub struct Region {
    /// Its node on each column.
    pub nodes: Box<[NodeId]>,
    pub(super) branch: Option<Branch>,
    /// The region that it is a part of; `NONE` for a root.
    parent: RegionId,
}

/// How the codes of a region on one column are divided among its parts.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub attribute: usize,
    /// Ascending by their codes.
    pub parts: Box<[BranchPart]>,
    /// Region of all other codes, which stay at the node of the divided region; `NONE` if it has no records.
    pub rest: RegionId,
}

/// A part of a divided region.
#[derive(Debug, Clone)]
pub(super) struct BranchPart {
    pub codes: Range<Code>,
    pub region: RegionId,
}

/// All regions of a table.
#[derive(Debug, Clone)]
pub struct Regions {
    pub(super) all: Vec<Region>,
    /// Roots, by their nodes.
    pub(super) roots: HashMap<Vec<NodeId>, RegionId>,
    /// Each column's cut before the first local step, which leads a row to its root; None if there is only one root.
    pub(super) root_cuts: Option<Vec<Cut>>,
    /// The region that each step refined; None for a step on a shown column, which refined all groups.
    pub refined: Vec<Option<RegionId>>,
}

impl Regions {
    /// Makes an empty tree. `cuts` are the cuts before the first local step, after `steps` steps on shown columns.
    pub(super) fn new(cuts: Vec<Cut>, steps: usize) -> Regions {
        let is_one_root = cuts.iter().all(|cut| cut.nodes().eq([TOP]));
        let root_cuts = (!is_one_root).then_some(cuts);
        Regions { all: Vec::new(), roots: HashMap::new(), root_cuts, refined: vec![None; steps] }
    }

    pub(super) fn add_root(&mut self, nodes: Vec<NodeId>) -> RegionId {
        let root = self.add(nodes.clone(), NONE);
        self.roots.insert(nodes, root);
        root
    }

    fn add(&mut self, nodes: Vec<NodeId>, parent: RegionId) -> RegionId {
        self.all.push(Region { nodes: nodes.into(), branch: None, parent });
        (self.all.len() - 1) as RegionId
    }

    /// Divides a region on a column among the `children` that hold records. Returns their regions in the same order.
    pub(super) fn divide(
        &mut self,
        region: RegionId,
        attribute: usize,
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
                parts.push(BranchPart { codes: hierarchy.node(child).codes.clone(), region: part });
            }
        }
        parts.sort_unstable_by_key(|part| (part.codes.start, part.codes.end));
        self.all[region as usize].branch = Some(Branch { attribute, parts: parts.into(), rest });
        made
    }

    /// Returns a region.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.all[id as usize]
    }

    /// Returns the roots, oldest first.
    pub(super) fn sorted_roots(&self) -> impl Iterator<Item = RegionId> + '_ {
        let mut first: Vec<RegionId> = self.roots.values().copied().collect();
        first.sort_unstable();
        first.into_iter()
    }

    /// Returns the number of regions, divided ones included.
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// Finds a root by its nodes.
    pub(super) fn root_with_nodes(&self, nodes: &[NodeId]) -> Option<RegionId> {
        self.roots.get(nodes).copied()
    }

    /// Finds the part of a divided region that has `node` on the divided column. Returns None if no record fell there.
    pub(super) fn part_with_node(
        &self,
        region: RegionId,
        node: NodeId,
        hierarchy: &Hierarchy,
    ) -> Option<RegionId> {
        let Region { nodes, branch, .. } = self.region(region);
        let Branch { attribute, parts, rest } = branch.as_ref()?;
        if nodes[*attribute] == node {
            return Some(*rest).filter(|&rest| rest != NONE);
        }
        let codes = &hierarchy.node(node).codes;
        let sought = (codes.start, codes.end);
        let at = parts.binary_search_by_key(&sought, |part| (part.codes.start, part.codes.end));
        at.ok().map(|at| parts[at].region)
    }

    /// Returns the parts of a region; none if it is a leaf.
    pub fn parts(&self, region: RegionId) -> impl Iterator<Item = RegionId> + '_ {
        let branch = self.region(region).branch.as_ref();
        let rest = branch.map(|branch| branch.rest).filter(|&rest| rest != NONE);
        branch.into_iter().flat_map(|branch| branch.parts.iter().map(|part| part.region)).chain(rest)
    }

    /// Returns the children that earlier refinements have split off a region's present node on a column. The region has
    /// no records of these.
    pub(super) fn nodes_split_off(
        &self,
        region: RegionId,
        attribute: usize,
    ) -> Result<HashSet<NodeId>, Error> {
        let node = |region: RegionId| self.region(region).nodes[attribute];
        let (mut off, mut part) = (HashSet::new(), region);
        loop {
            pace::tick(1)?;
            let above = self.region(part).parent;
            if above == NONE || node(above) != node(region) {
                return Ok(off);
            }
            let branch = self.region(above).branch.as_ref().filter(|branch| branch.attribute == attribute);
            pace::each(branch.into_iter().flat_map(|branch| &branch.parts), |part| {
                off.insert(node(part.region));
            })?;
            part = above;
        }
    }

    /// Returns the leaves, oldest first.
    pub fn leaves(&self) -> impl Iterator<Item = RegionId> + '_ {
        (0..).zip(&self.all).filter(|(_, region)| region.branch.is_none()).map(|(id, _)| id)
    }
}
