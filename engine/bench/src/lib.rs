//! Tables that the benchmarks make up.

pub mod random;
pub mod tree;
