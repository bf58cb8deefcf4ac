//! Modules that several test programs of the engine share.

pub mod small;
pub mod tape;
pub mod work;
