//! Refining one group by itself, where a refinement is not performed on all groups of a link (local recoding).

use super::{Dividing, GroupId, Partition};
use crate::progress::GROWING;
use crate::refine::NodeId;
use crate::{Code, Error, Pace, Reservation};

impl Partition {
    /// Refines the node of one group on the column at `place`: its records fall to the `children` that `part` says
    /// of their codes, by their numbers. The groups that hold one now, in the order of the children; those that are
    /// new are held under `memory`.
    pub fn refine_group(
        &mut self,
        (group, place): (GroupId, usize),
        part: impl Fn(Code) -> u32 + Copy + Sync,
        children: &[NodeId],
        memory: &mut Reservation,
        pace: &Pace,
    ) -> Result<Vec<GroupId>, Error> {
        let mut last = 0;
        pace.each(children, |&child| last = last.max(child as usize))?;
        let links = &mut self.links[place];
        let more = (last + 1).saturating_sub(links.len());
        memory.grow_by::<Vec<GroupId>>(GROWING * more)?;
        memory.grow_by::<[GroupId; 4]>(children.len())?;
        links.resize(links.len() + more, Vec::new());
        // Where its parts end, and which of them there are.
        let _ends = Reservation::of::<(u32, [usize; GROWING])>(pace.progress(), children.len())?;
        let mut dividing = Dividing { place, live: &|_, _| true, refined: Vec::new(), memory, pace };
        let ends = self.rearrange(&[group], part, children.len(), &dividing)?;
        self.divide(group, &ends, children, &mut dividing)?;
        Ok(dividing.refined.into_iter().map(|(group, _)| group).collect())
    }
}
