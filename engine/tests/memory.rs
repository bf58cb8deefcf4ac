//! Whatever is held was reserved before, and is given back: each public function is given 300,000
//! rows, values, nodes or edges. At every poll no more is allocated than is reserved, a budget that
//! is too small ends the work, and nothing stays reserved when all is gone.

#[path = "polls/mod.rs"]
mod work;

use peak_alloc::PeakAlloc;
use std::cell::Cell;
use topdown::{Error, Progress, Reservation};
use work::{cases, Case};

#[global_allocator]
static ALLOCATED: PeakAlloc = PeakAlloc;

/// What is small enough not to be reserved: a few chunks of a loop, and what does not grow with the
/// data.
const SMALL: usize = 1 << 20;

/// What takes too long to be run to its end is ended after so many polls.
const ENOUGH: usize = 1500;

/// A budget that knows how much was allocated besides what is reserved.
struct Budget {
    bytes: usize,
    /// Allocated before the work began.
    before: usize,
    held: Cell<usize>,
    most: Cell<usize>,
    polls: Cell<usize>,
    /// Allocated and not reserved, at the worst poll.
    unreserved: Cell<usize>,
}

impl Budget {
    fn new(bytes: usize) -> Budget {
        let zero = || Cell::new(0);
        let before = ALLOCATED.current_usage();
        Budget { bytes, before, held: zero(), most: zero(), polls: zero(), unreserved: zero() }
    }

    fn look(&self) {
        let allocated = ALLOCATED.current_usage().saturating_sub(self.before);
        self.unreserved.set(self.unreserved.get().max(allocated.saturating_sub(self.held.get())));
    }
}

impl Progress for Budget {
    fn poll(&self) -> Result<(), Error> {
        self.look();
        self.polls.set(self.polls.get() + 1);
        if self.polls.get() < ENOUGH {
            Ok(())
        } else {
            Err(Error::Cancelled)
        }
    }
    fn allocate(&self, bytes: usize) -> Result<(), Error> {
        self.look();
        let needed = self.held.get().saturating_add(bytes);
        if needed > self.bytes {
            return Err(Error::Memory { needed, budget: self.bytes });
        }
        self.held.set(needed);
        self.most.set(self.most.get().max(needed));
        Ok(())
    }
    fn release(&self, bytes: usize) {
        self.held.set(self.held.get().checked_sub(bytes).expect("more given back than was reserved"));
    }
}

/// One test, because the allocator is everybody's.
#[test]
fn nothing_is_held_that_was_not_reserved() {
    let mut faults = Vec::new();
    for Case { name, run, .. } in cases(300_000) {
        ALLOCATED.reset_peak_usage();
        let budget = Budget::new(usize::MAX);
        let mut memory = Reservation::empty(&budget);
        let made = run(&mut memory);
        budget.look();
        let peak = ALLOCATED.peak_usage().saturating_sub(budget.before);
        let (most, unreserved) = (budget.most.get(), budget.unreserved.get());
        if unreserved > SMALL || peak > most + SMALL {
            faults.push(format!("{name}: {unreserved} bytes not reserved; {peak} at most, {most} reserved"));
        }
        // Nor is more reserved than there is any use for.
        if most > 4 * peak + SMALL {
            faults.push(format!("{name}: {most} bytes reserved, {peak} at most used"));
        }
        drop((made, memory));
        assert_eq!(budget.held.get(), 0, "{name} keeps what it reserved");
        for bytes in [SMALL / 2, most / 2, most - most / 16] {
            if bytes < most && most > SMALL {
                let budget = Budget::new(bytes);
                let refused = run(&mut Reservation::empty(&budget)).err();
                let expected = matches!(refused, Some(Error::Memory { needed, budget }) if needed > budget);
                assert!(expected, "{name} with {bytes} of {most} bytes: {refused:?}");
                assert_eq!(budget.held.get(), 0, "{name} keeps what it reserved before it was refused");
                assert!(budget.unreserved.get() <= unreserved.max(SMALL), "{name} with {bytes} bytes");
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}
