//! Refining one group by itself, where a refinement is not performed on all groups of a link (local recoding).

use super::{Dividing, GroupId, Live, Partition};
use crate::refine::NodeId;
use crate::{Code, Error};
use std::ops::Range;

impl Partition {
    /// Refines the node of one group on the column at `place`: its records fall to the `children` that `part` says
    /// of their codes, by their numbers. The first child that holds some is the group's from now on, each further one
    /// that of a new group, in their order: these are returned. They are on no link. `live(place, node)` says whether
    /// it matters of a node which record is where.
    pub fn refine_group(
        &mut self,
        (group, place): (GroupId, usize),
        part: impl Fn(Code) -> u32,
        children: &[NodeId],
        live: Live,
    ) -> Result<Range<GroupId>, Error> {
        // Where its parts end, which of them there are, and which groups these become.
        let mut dividing = Dividing { place, live, linked: false, refined: Vec::new() };
        let ends = self.rearrange(group, part, children.len(), &dividing)?;
        let groups = self.groups() as GroupId;
        self.divide(group, &ends, children, &mut dividing)?;
        Ok(groups..self.groups() as GroupId)
    }
}
