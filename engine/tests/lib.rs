//! What several programs of the engine's tests use.

pub mod small;
pub mod tape;
pub mod work;
