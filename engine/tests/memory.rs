//! Law: an observer can keep memory within a budget. Each public function gets 450,000 rows, values, nodes or edges.
//! Between two polls it allocates no more than it asked for and a reserve covers. A budget that is too small ends it.

use engine_tests::work::{cases, Case};
use peak_alloc::PeakAlloc;
use std::cell::Cell;
use std::rc::Rc;
use topdown::progress::{ObserverScope, Progress};
use topdown::Error;

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// Least reserve in bytes, for a chunk of a loop and for everything that does not grow with the data.
const SMALL: usize = 3 << 19;

/// Number of polls after which a long case is ended.
const ENOUGH: usize = 1500;

/// Allocated bytes as the observer sees them.
#[derive(Clone, Copy)]
struct Allocation {
    budget: usize,
    /// Allocated before the work began.
    before: usize,
    /// Allocated at the last poll.
    polled: usize,
    /// Asked for since the last poll.
    asked: usize,
    polls: usize,
    /// Largest excess over the bytes asked for and the reserve.
    unasked: usize,
}

thread_local! {
    static LOOKS: Cell<Allocation> =
        const { Cell::new(Allocation { budget: 0, before: 0, polled: 0, asked: 0, polls: 0, unasked: 0 }) };
}

impl Allocation {
    fn begin(budget: usize) {
        ALLOCATED.reset_peak_usage();
        let before = ALLOCATED.current_usage();
        LOOKS.set(Allocation { budget, before, polled: 0, asked: 0, polls: 0, unasked: 0 });
    }

    /// Returns the most bytes allocated at a time since the work began.
    fn peak(&self) -> usize {
        ALLOCATED.peak_usage().saturating_sub(self.before)
    }

    /// Returns the bytes allocated now, and notes an excess. The reserve covers vectors that grow by doubling.
    fn look(&mut self) -> usize {
        let allocated = ALLOCATED.current_usage().saturating_sub(self.before);
        let covered = self.polled + self.asked + SMALL.max(2 * self.polled);
        self.unasked = self.unasked.max(allocated.saturating_sub(covered));
        allocated
    }
}

/// Grants memory as a server does.
fn room(bytes: usize) -> Result<(), Error> {
    let mut looks = LOOKS.get();
    let (needed, budget) = (looks.look().saturating_add(bytes), looks.budget);
    looks.asked = looks.asked.saturating_add(bytes);
    LOOKS.set(looks);
    if needed > budget {
        return Err(Error::Memory { needed, budget });
    }
    Ok(())
}

struct Server;

impl Progress for Server {
    fn poll(&self) -> Result<(), Error> {
        room(0)?;
        let mut looks = LOOKS.get();
        looks.polled = looks.look();
        looks.asked = 0;
        looks.polls += 1;
        LOOKS.set(looks);
        if looks.polls < ENOUGH {
            Ok(())
        } else {
            Err(Error::Cancelled)
        }
    }
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        room
    }
}

/// All cases are one test, because the allocator is global.
#[test]
fn large_memory_is_asked_for_before_it_is_taken() {
    let mut faults = Vec::new();
    for Case { name, run, .. } in cases(450_000) {
        let _watched = ObserverScope::observe_with(Rc::new(Server));
        Allocation::begin(usize::MAX);
        let made = run();
        let mut looks = LOOKS.get();
        looks.look();
        let peak = looks.peak();
        drop(made);
        if looks.unasked > 0 {
            faults.push(format!("{name}: {} bytes not asked for, {peak} at most", looks.unasked));
        }
        if peak > 4 * SMALL {
            let budget = peak / 2;
            Allocation::begin(budget);
            let refused = run().err();
            let peak = LOOKS.get().peak();
            if !matches!(refused, Some(Error::Memory { needed, budget }) if needed > budget) {
                faults.push(format!("{name} takes {peak} bytes of {budget}: {refused:?}"));
            }
            if peak > 3 * budget + 2 * SMALL {
                faults.push(format!("{name} takes {peak} bytes before it is refused more than {budget}"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
