//! Law: the work of each public function is near linear in its rows, values, nodes or edges. Each gets some of them
//! first, then eight times that number. Work is counted in polls, one for each chunk of items, so the speed of the
//! machine does not matter.

use crate::work::{cases, Case};
use std::cell::Cell;
use std::rc::Rc;
use topdown::progress::{ObserverScope, Progress};
use topdown::Error;

/// Size of the small case, and the factor between it and the large case.
const SMALL_SIZE: usize = 6_000;
const SIZE_FACTOR: usize = 8;

/// Cases with more than linear work, which still poll (`polls.rs`). The first calls a linear function for each value.
/// Greedy clustering looks at all records for each record that it adds. Counts look through the rest of a node for each
/// shown interval, and in a tree with a leaf on each level through all nodes below each level.
const SUPERLINEAR: [&str; 6] = [
    "disclosure_gain of all values",
    "kmember, one cluster",
    "few rows of intervals of suppression",
    "few rows of intervals of a wide tree",
    "few rows of intervals of a tree with a leaf on each level",
    "l-diversity of a tree with a leaf on each level",
];

/// Largest factor by which the work may grow. Quadratic work grows by 64, sorting by up to 14.
const MAX_WORK_FACTOR: usize = 24;

/// Observer that counts polls, and cancels work after `most` of them.
struct Limit {
    most: usize,
    polls: Cell<usize>,
}

impl Progress for Limit {
    fn poll(&self) -> Result<(), Error> {
        self.polls.set(self.polls.get() + 1);
        match self.polls.get() > self.most {
            true => Err(Error::Cancelled),
            false => Ok(()),
        }
    }
}

/// Counts the polls of a case, which is canceled after `most`.
fn count_polls(case: &Case, most: usize) -> usize {
    let limit = Rc::new(Limit { most, polls: Cell::new(0) });
    let watched = ObserverScope::observe_with(limit.clone());
    let result = (case.run)();
    drop(watched);
    let polls = limit.polls.get();
    assert!(result.is_ok() || polls > most, "{}: {:?}", case.name, result.err());
    polls
}

#[test]
fn work_is_near_linear() {
    let only = std::env::var("CASE").unwrap_or_default();
    let chosen =
        |case: &Case| case.name.contains(&only) && !SUPERLINEAR.iter().any(|steep| case.name.contains(steep));
    let few: Vec<Case> = cases(SMALL_SIZE).filter(chosen).collect();
    let many: Vec<Case> = cases(SMALL_SIZE * SIZE_FACTOR).filter(chosen).collect();
    let mut steep = Vec::new();
    for (few, many) in few.iter().zip(&many) {
        assert_eq!(few.name, many.name);
        let one = count_polls(few, usize::MAX);
        // Work after the last poll is less than one further poll.
        let most = (one + 1) * MAX_WORK_FACTOR;
        let other = count_polls(many, most);
        println!("{one:>6} {other:>6} polls, {:>5.1} {}", other as f64 / one as f64, few.name);
        if other > most {
            steep.push(few.name);
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}
