//! What is measured of a version: its models recounted, what its values lose, what kept columns give away, what changed.

pub mod changes;
pub mod drift;
pub mod few_rows;
pub mod kept;
mod kept_sensitive;
pub mod losses;
pub mod measures;
pub mod parts;
pub mod query_error;
pub mod verify;
