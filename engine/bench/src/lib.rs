//! Generated tables for the benchmarks.

pub mod random;
pub mod tree;
