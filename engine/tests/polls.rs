//! Whatever is done over data can be cancelled, wherever it stands: each public function is given
//! 300,000 rows, values, nodes or edges, has to poll several times, and has to end at the very poll
//! that says so.
//!
//! How long the stretches between polls are at a million is shown by a test that is not run on its
//! own, because that depends on the machine:
//! `cargo test -p topdown --release --test polls -- --ignored --nocapture`.

#[path = "polls/searches.rs"]
mod searches;
#[path = "polls/tables.rs"]
mod tables;
#[path = "polls/trees.rs"]
mod trees;

use std::any::Any;
use std::cell::Cell;
use std::time::Duration;
use topdown::{Error, Progress};

type Run = dyn Fn(&dyn Progress) -> Result<Box<dyn Any>, Error>;

/// One function at work, and how often it has to poll at least with 300,000 of whatever it is given.
struct Case {
    name: &'static str,
    least: usize,
    run: Box<Run>,
}

impl Case {
    fn new<T: Any>(
        name: &'static str,
        least: usize,
        run: impl Fn(&dyn Progress) -> Result<T, Error> + 'static,
    ) -> Case {
        Case { name, least, run: Box::new(move |progress| Ok(Box::new(run(progress)?))) }
    }
}

/// Polls of a single sweep over 300,000.
const SWEEP: usize = 300_000 / (1 << 14);

/// What takes too long to be run to its end is ended here.
const ENOUGH: usize = 1500;

/// Cancels at its last poll, and knows the longest time without one.
struct Watch {
    last: usize,
    polls: Cell<usize>,
    /// When it was polled, and the longest time before; without a clock, none.
    clock: Option<fn() -> Duration>,
    polled: Cell<Duration>,
    longest: Cell<Duration>,
}

impl Watch {
    fn new(last: usize, clock: Option<fn() -> Duration>) -> Watch {
        let polled = Cell::new(clock.map_or(Duration::ZERO, |clock| clock()));
        Watch { last, polls: Cell::new(0), clock, polled, longest: Cell::new(Duration::ZERO) }
    }
}

impl Progress for Watch {
    fn poll(&self) -> Result<(), Error> {
        if let Some(clock) = self.clock {
            let now = clock();
            self.longest.set(self.longest.get().max(now - self.polled.replace(now)));
        }
        self.polls.set(self.polls.get() + 1);
        assert!(self.polls.get() <= self.last, "polled again after it was cancelled");
        if self.polls.get() == self.last {
            return Err(Error::Cancelled);
        }
        Ok(())
    }
    fn allocate(&self, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
    fn release(&self, _bytes: usize) {}
}

fn cases(many: usize) -> impl Iterator<Item = Case> {
    trees::cases(many).into_iter().chain(tables::cases(many)).chain(searches::cases(many))
}

#[test]
fn everything_polls_and_ends_when_cancelled() {
    let mut lazy = Vec::new();
    for Case { name, least, run } in cases(300_000) {
        let watch = Watch::new(ENOUGH, None);
        match run(&watch) {
            Ok(_) => {}
            Err(Error::Cancelled) if watch.polls.get() == ENOUGH => {}
            Err(error) => panic!("{name}: {error}"),
        }
        let polls = watch.polls.get();
        if polls < least {
            lazy.push(format!("{name}: {polls} polls, at least {least} expected"));
        }
        // The last ones come and go with the order of hash tables.
        for last in [1, polls.div_ceil(2), polls - polls / 10] {
            let watch = Watch::new(last, None);
            assert_eq!(run(&watch).err(), Some(Error::Cancelled), "{name} at poll {last} of {polls}");
            assert_eq!(watch.polls.get(), last, "{name}");
        }
    }
    assert!(lazy.is_empty(), "{lazy:#?}");
}

/// What the thread has used of a processor, however busy that is; to a few milliseconds.
fn used() -> Duration {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    Duration::from_nanos(schedule.split(' ').next().and_then(|used| used.parse().ok()).unwrap_or(0))
}

#[test]
#[ignore = "measures time"]
fn how_long_the_stretches_are() {
    for Case { name, run, .. } in cases(1_000_000) {
        let watch = Watch::new(ENOUGH, Some(used));
        let start = used();
        let result = run(&watch);
        let end = used();
        let ended = if result.is_err() { "ended after " } else { "" };
        // The heap puts off the work of freeing to whoever asks for memory next.
        std::mem::forget((result, run));
        let (polls, longest, last) = (watch.polls.get(), watch.longest.get(), end - watch.polled.get());
        let all = end - start;
        println!(
            "{longest:>9.1?} longest, {last:>9.1?} last, {ended}{polls} polls, {all:.1?} in all: {name}"
        );
    }
}
