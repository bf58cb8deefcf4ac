//! Work is near linear in whatever is made large: each public function is given some rows, values, nodes or edges, and then
//! eight times as many. The work is that of the thread as the system counts it, so a busy machine makes no difference.

#[path = "polls/mod.rs"]
mod work;

use std::cell::Cell;
use std::fs;
use std::rc::Rc;
use topdown::progress::{Progress, Watched};
use topdown::Error;
use work::{cases, Case};

/// How many of whatever it is there are first, and how many times as many then.
const FEW: usize = 6_000;
const TIMES: usize = 8;

/// What is less work than this, in nanoseconds, says nothing: the system counts work some milliseconds at a time.
const LEAST: u64 = 40_000_000;

/// These are more than linear, and poll (`polls.rs`): the first calls a linear function for each of many values, and greedy
/// clustering looks at all records for each that it adds to a cluster. Counts are joined one after the other, each with the
/// smallest beside it, and move up a tree a level at a time.
const STEEP: [&str; 6] = [
    "disclosure_gain of all values",
    "kmember, one cluster",
    "hide few rows of intervals",
    "suppressed values of intervals",
    "suppressed values of a flat tree",
    "a tree with a leaf on each level",
];

/// Quadratic work would be 64 times as much; what sorts is up to 11 times as much.
const MOST: u64 = 24;

/// Nanoseconds that a processor has worked for this thread.
fn worked() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").expect("Linux counts the work of threads");
    stat.split(' ').next().and_then(|first| first.parse().ok()).expect("a number")
}

/// Ends what is too much work.
struct Limit {
    started: u64,
    most: u64,
    exceeded: Cell<bool>,
}

impl Progress for Limit {
    fn poll(&self) -> Result<(), Error> {
        self.exceeded.set(worked() - self.started > self.most);
        if self.exceeded.get() {
            Err(Error::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// The work of a case; at most so much, where it polls.
fn work(case: &Case, most: u64) -> u64 {
    let limit = Rc::new(Limit { started: worked(), most, exceeded: Cell::new(false) });
    let watched = Watched::by(limit.clone());
    let result = (case.run)();
    drop(watched);
    assert!(result.is_ok() || limit.exceeded.get(), "{}: {:?}", case.name, result.err());
    drop(result);
    worked() - limit.started
}

#[test]
#[ignore = "measures time: run by itself on an idle machine"]
fn work_is_near_linear() {
    let only = std::env::var("CASE").unwrap_or_default();
    let chosen =
        |case: &Case| case.name.contains(&only) && !STEEP.iter().any(|steep| case.name.contains(steep));
    let few: Vec<Case> = cases(FEW).filter(chosen).collect();
    let many: Vec<Case> = cases(FEW * TIMES).filter(chosen).collect();
    let mut steep = Vec::new();
    for (few, many) in few.iter().zip(&many) {
        assert_eq!(few.name, many.name);
        // Often enough that the work can be counted.
        let (started, mut times) = (worked(), 0);
        while times == 0 || worked() - started < LEAST && times < 1000 {
            work(few, u64::MAX);
            times += 1;
        }
        let one = (worked() - started) / times;
        let most = (one * MOST).max(LEAST);
        let other = work(many, 4 * most);
        println!(
            "{:>8} us {:>10} us {:>5.1} {}",
            one / 1000,
            other / 1000,
            other as f64 / one as f64,
            few.name
        );
        if other > most {
            steep.push(few.name);
        }
    }
    assert!(steep.is_empty(), "{steep:#?}");
}
