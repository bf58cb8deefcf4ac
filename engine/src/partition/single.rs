//! Refinement of a single group instead of all groups on a link (local recoding).

use super::{Division, GroupId, IsTracked, Partition};
use crate::refine::NodeId;
use crate::{Code, Error};
use std::ops::Range;

impl Partition {
    /// Refines the node of one group on the column at `place`. `part` maps codes to indexes of `children`. The first
    /// child with records keeps the number of the group. Each further one becomes a new group, in their order; these
    /// are returned. Groups get onto no link. Only columns with a `live` node are carried along.
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
}
