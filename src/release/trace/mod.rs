//! The trace of a version's search: loaded from where it is stored, and followed to the cut, or the groups, after a step.

pub mod groups;
mod legacy;
pub mod load;
pub mod regroup;
pub mod rewound;
pub mod tree;
