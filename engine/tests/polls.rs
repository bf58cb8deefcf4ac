//! Law: all work over data can be canceled at any point. Each public function gets 100,000 rows, values, nodes or
//! edges, must poll several times, and must end at the very poll that cancels it.

use crate::work::{cases, Case};
use std::cell::Cell;
use std::rc::Rc;
use topdown::progress::{ObserverScope, Progress};
use topdown::Error;

/// Number of polls after which a long case is ended.
const ENOUGH: usize = 500;

/// Observer that cancels at poll number `last`.
struct Watch {
    last: usize,
    polls: Cell<usize>,
}

impl Watch {
    fn until(last: usize) -> (Rc<Watch>, ObserverScope) {
        let watch = Rc::new(Watch { last, polls: Cell::new(0) });
        (watch.clone(), ObserverScope::observe_with(watch))
    }
}

impl Progress for Watch {
    fn poll(&self) -> Result<(), Error> {
        self.polls.set(self.polls.get() + 1);
        assert!(self.polls.get() <= self.last, "polled again after it was cancelled");
        if self.polls.get() == self.last {
            return Err(Error::Cancelled);
        }
        Ok(())
    }
}

#[test]
fn everything_polls_and_ends_when_cancelled() {
    let mut lazy = Vec::new();
    for Case { name, least, run } in cases(100_000) {
        let (watch, watched) = Watch::until(ENOUGH);
        match run() {
            Ok(_) => {}
            Err(Error::Cancelled) if watch.polls.get() == ENOUGH => {}
            Err(error) => panic!("{name}: {error}"),
        }
        drop(watched);
        let polls = watch.polls.get();
        if 3 * polls < least {
            lazy.push(format!("{name}: {polls} polls, at least {least} expected of three times as many"));
        }
        for last in [1, polls.div_ceil(2)] {
            let (watch, _watched) = Watch::until(last);
            let error = run().err();
            assert_eq!(error, Some(Error::Cancelled), "{name} at poll {last} of {polls}");
            assert_eq!(watch.polls.get(), last, "{name}");
        }
    }
    assert!(lazy.is_empty(), "{lazy:#?}");
}
