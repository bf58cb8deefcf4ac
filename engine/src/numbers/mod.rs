//! Maskings of kept numbers, so that fewer rows have a number of their own: rounding, and microaggregation, which shows
//! the mean of a few rows ([`crate::measure::compute_means`]).

pub(crate) mod decimal;
mod microaggregation;
mod rounding;

pub use microaggregation::{microaggregate, RankedColumn};
pub use rounding::{to_multiples, Bin};
