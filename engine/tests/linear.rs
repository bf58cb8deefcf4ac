//! Work is near linear in whatever is made large: each public function is given some rows, values, nodes or edges, and then
//! eight times as many. Work is counted as polls, which come after so many items, so the machine makes no difference.

use crate::work::{cases, Case};
use std::cell::Cell;
use std::rc::Rc;
use topdown::progress::{Progress, Watched};
use topdown::Error;

/// How many of whatever it is there are first, and how many times as many then.
const FEW: usize = 6_000;
const TIMES: usize = 8;

/// These are more than linear, and poll (`polls.rs`): the first calls a linear function for each of many values, and greedy
/// clustering looks at all records for each that it adds to a cluster. For each shown interval, all of what is left of a node is looked
/// through. In a tree as deep as it is large, what is below a node is looked through on each level.
const STEEP: [&str; 6] = [
    "disclosure_gain of all values",
    "kmember, one cluster",
    "few rows of intervals of suppression",
    "few rows of intervals of a wide tree",
    "few rows of intervals of a tree with a leaf on each level",
    "l-diversity of a tree with a leaf on each level",
];

/// Quadratic work would be 64 times as much; what sorts is up to 14 times as much.
const MOST: usize = 24;

/// Counts polls, and ends what is too much work.
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

/// The polls of a case, which is ended after the most.
fn work(case: &Case, most: usize) -> usize {
    let limit = Rc::new(Limit { most, polls: Cell::new(0) });
    let watched = Watched::by(limit.clone());
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
        |case: &Case| case.name.contains(&only) && !STEEP.iter().any(|steep| case.name.contains(steep));
    let few: Vec<Case> = cases(FEW).filter(chosen).collect();
    let many: Vec<Case> = cases(FEW * TIMES).filter(chosen).collect();
    let mut steep = Vec::new();
    for (few, many) in few.iter().zip(&many) {
        assert_eq!(few.name, many.name);
        let one = work(few, usize::MAX);
        // What comes after the last poll is less than another one.
        let most = (one + 1) * MOST;
        let other = work(many, most);
        println!("{one:>6} {other:>6} polls, {:>5.1} {}", other as f64 / one as f64, few.name);
        if other > most {
            steep.push(few.name);
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}
