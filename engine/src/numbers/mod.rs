//! Maskings of kept numbers, so that fewer rows have a number of their own: rounding, and microaggregation, which shows
//! the mean of a few rows ([`crate::measure::compute_means`]).

mod microaggregation;
mod rounding;

pub use microaggregation::{microaggregate, RankedColumn};
pub use rounding::{to_multiples, Bin};
