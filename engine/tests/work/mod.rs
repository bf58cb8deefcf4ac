//! Cases of work over data: each public function, with a number of rows, values, nodes or edges.

mod counts;
mod searches;
mod tables;
mod trees;

use std::any::Any;
use topdown::Error;

pub type Run = dyn Fn() -> Result<Box<dyn Any>, Error>;

/// One function at work, and its least number of polls with 300,000 items.
pub struct Case {
    pub name: &'static str,
    pub least: usize,
    pub run: Box<Run>,
}

impl Case {
    fn new<T: Any>(name: &'static str, least: usize, run: impl Fn() -> Result<T, Error> + 'static) -> Case {
        Case { name, least, run: Box::new(move || Ok(Box::new(run()?))) }
    }
}

/// Number of polls of a single pass over 300,000 items.
const SWEEP: usize = 300_000 / (1 << 14);

pub fn cases(many: usize) -> impl Iterator<Item = Case> {
    trees::cases(many)
        .into_iter()
        .chain(tables::cases(many))
        .chain(searches::cases(many))
        .chain(counts::cases(many))
}
