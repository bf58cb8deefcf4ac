//! What is done to the numbers of a column that a release keeps, so that fewer rows have one of their own: they are
//! rounded, or those of a few rows are shown as their mean ([`crate::measure::means`]).

mod microaggregation;
mod rounding;

pub use microaggregation::{runs, InOrder};
pub use rounding::{to_multiples, Bin};
