//! Work shared out among threads.
//!
//! Whoever watches the work has threads or none ([`Progress::threads`]): the engine makes none itself, because a
//! server has to say how they are made. Jobs are independent of each other and their results come back in
//! their order, so that it cannot be told how many threads there were. Observers are not shared: the thread
//! that asks does its share of the jobs, and polls until the others have done theirs; they only look
//! whether there is memory and whether to stop, which they are told when it ends, by an error of its own or of theirs.

use crate::progress::{self, poll, Progress, Watched};
use crate::Error;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use rayon::{ThreadPool, ThreadPoolBuilder};

/// With fewer records to be gone through, sharing costs more than it gives.
pub(crate) const WORTH_SHARING: usize = 1 << 16;

/// How many threads there are, the one that asks included.
pub(crate) fn threads() -> usize {
    1 + free().map_or(0, |pool| pool.current_num_threads())
}

thread_local! {
    /// Whether others make things for this thread, or work on them ([`ahead`], [`beside`]): until that ends they do nothing else.
    static ARE_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// The other threads, unless they are busy.
fn free() -> Option<Rc<ThreadPool>> {
    progress::threads().filter(|_| !ARE_BUSY.get())
}

/// Has the others be busy until it is dropped.
struct Busy;

impl Busy {
    fn now() -> Busy {
        ARE_BUSY.set(true);
        Busy
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        ARE_BUSY.set(false);
    }
}

/// Does the jobs in all the threads that there are; their results in order.
pub(crate) fn share<J: Send, R: Send>(
    jobs: Vec<J>,
    work: impl Fn(J) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let pool = match free() {
        Some(pool) if jobs.len() > 1 => pool,
        _ => return jobs.into_iter().map(work).collect(),
    };
    let others = pool.current_num_threads().min(jobs.len() - 1);
    let stop = Stop { is_told: Arc::default(), room: progress::asking() };
    let (working, done) = channel::<()>();
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let go_on = || -> Result<(), Error> {
        while let Some((number, job)) = next().filter(|_| !stop.is_told.load(Ordering::Relaxed)) {
            let result = work(job)?;
            results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
        }
        Ok(())
    };
    let failed = Mutex::new(None);
    let mine = pool.in_place_scope(|scope| {
        for _ in 0..others {
            let working = working.clone();
            let (stop, failed, go_on) = (&stop, &failed, &go_on);
            scope.spawn(move |_| {
                let _working = working;
                let mut on_drop = stop.when_dropped();
                let _watched = Watched::by(Rc::new(stop.clone()));
                match go_on() {
                    Ok(()) => on_drop.is_needless = true,
                    Err(error) => {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            });
        }
        // An observer may end the work by a panic, too.
        let mut on_drop = stop.when_dropped();
        drop(working);
        let mine = go_on().and_then(|()| {
            while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(WHILE) {
                poll()?;
            }
            Ok(())
        });
        on_drop.is_needless = mine.is_ok();
        mine
    });
    // Who was told to stop was not the first to fail.
    mine?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|&(number, _)| number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Makes one thing after the other, in another thread if there are things enough to make one while another is used, until there
/// is none to be made. Each is made anew of one that was used.
pub fn ahead<T: Send, E: From<Error>>(
    mut things: Vec<T>,
    mut make: impl FnMut(&mut T) -> bool + Send,
    mut used: impl FnMut(&mut T) -> Result<(), E>,
) -> Result<(), E> {
    let pool = if things.len() > 1 { free() } else { None };
    let Some(pool) = pool else {
        let Some(thing) = things.first_mut() else { return Ok(()) };
        while make(thing) {
            used(thing)?;
        }
        return Ok(());
    };
    let _busy = Busy::now();
    let (full, made) = channel();
    let (back, spare) = channel();
    things.into_iter().for_each(|thing| _ = back.send(thing));
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            // Who uses them has dropped both ends after an error.
            while let Ok(mut thing) = spare.recv() {
                if !make(&mut thing) || full.send(thing).is_err() {
                    return;
                }
            }
        });
        let (back, made) = (back, made);
        while let Some(mut thing) = next(&made)? {
            used(&mut thing)?;
            _ = back.send(thing);
        }
        Ok(())
    })
}

/// Work on things that are handed over one after the other: in another thread, or in this one where there is no other.
pub enum Beside<'w, T> {
    /// The work, which this thread does.
    Here(&'w mut dyn FnMut(&mut T)),
    /// Where things go to another, and come back from it.
    There(Sender<T>, Receiver<T>),
}

/// Has things worked on in another thread, if there may be one, while `with` makes and hands over the next ones. There are `spare` ones for
/// that.
pub fn beside<T: Send, R>(
    spare: Vec<T>,
    mut work: impl FnMut(&mut T) + Send,
    with: impl FnOnce(Beside<T>) -> R,
) -> R {
    let Some(pool) = free() else { return with(Beside::Here(&mut work)) };
    let _busy = Busy::now();
    let (full, handed) = channel::<T>();
    let (back, done) = channel();
    spare.into_iter().for_each(|thing| _ = back.send(thing));
    let room = progress::asking();
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let _watched = Watched::by(Rc::new(Stop { is_told: Arc::default(), room }));
            // Who hands them over has dropped both ends when there are no more, or after an error.
            while let Ok(mut thing) = handed.recv() {
                work(&mut thing);
                if back.send(thing).is_err() {
                    return;
                }
            }
        });
        with(Beside::There(full, done))
    })
}

impl<T> Beside<'_, T> {
    /// Hands a thing over for the first one that is there: one that the work is done on, in their order, after those that were spare.
    pub fn exchange(&mut self, mut thing: T) -> Result<T, Error> {
        match self {
            Beside::Here(work) => {
                work(&mut thing);
                Ok(thing)
            }
            Beside::There(full, done) => {
                _ = full.send(thing);
                // The thread ends before by a panic only, which goes on in this one.
                next(done)?.ok_or(Error::Cancelled)
            }
        }
    }

    /// Those that were handed over last, when the work is done on them.
    pub fn rest<E: From<Error>>(self, mut take: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        let Beside::There(full, done) = self else { return Ok(()) };
        drop(full);
        while let Some(thing) = next(&done)? {
            take(thing)?;
        }
        Ok(())
    }
}

/// The next one that comes; none when there are no more.
fn next<T>(coming: &Receiver<T>) -> Result<Option<T>, Error> {
    loop {
        match coming.recv_timeout(WHILE) {
            Ok(thing) => return Ok(Some(thing)),
            Err(RecvTimeoutError::Timeout) => poll()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// How long it is between two polls of the thread that waits for the others.
const WHILE: Duration = Duration::from_millis(10);

/// Whether all threads are to stop: what the others than the first observe.
#[derive(Debug, Clone)]
struct Stop {
    is_told: Arc<AtomicBool>,
    room: fn(usize) -> Result<(), Error>,
}

impl Stop {
    fn when_dropped(&self) -> StopWhenDropped<'_> {
        StopWhenDropped { stop: self, is_needless: false }
    }
}

impl Progress for Stop {
    fn poll(&self) -> Result<(), Error> {
        if self.is_told.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        (self.room)(0)
    }
    fn room(&self) -> fn(usize) -> Result<(), Error> {
        self.room
    }
}

/// Tells all to stop, unless it turns out needless.
struct StopWhenDropped<'a> {
    stop: &'a Stop,
    is_needless: bool,
}

impl Drop for StopWhenDropped<'_> {
    fn drop(&mut self) {
        if !self.is_needless {
            self.stop.is_told.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace;
    use crate::progress::room;
    use std::time::{Duration, Instant};

    fn three() -> Rc<ThreadPool> {
        Rc::new(ThreadPoolBuilder::new().num_threads(3).build().unwrap())
    }

    /// Has threads, and ends at some poll.
    struct Observer {
        pool: Rc<ThreadPool>,
        left: Cell<usize>,
        panics: bool,
    }

    impl Observer {
        fn watching(left: usize, panics: bool) -> Watched {
            Watched::by(Rc::new(Observer { pool: three(), left: Cell::new(left), panics }))
        }
    }

    impl Progress for Observer {
        fn poll(&self) -> Result<(), Error> {
            self.left.set(self.left.get().saturating_sub(1));
            match (self.left.get(), self.panics) {
                (0, true) => panic!("ended"),
                (0, false) => Err(Error::Cancelled),
                _ => Ok(()),
            }
        }
        fn threads(&self) -> Option<Rc<ThreadPool>> {
            Some(self.pool.clone())
        }
    }

    #[test]
    fn results_come_in_order() {
        let _watched = Observer::watching(usize::MAX, false);
        assert_eq!(threads(), 4);
        for jobs in [0, 1, 2, 3, 4, 1000] {
            let squares = share((0..jobs).collect(), |job| Ok(job * job)).unwrap();
            assert_eq!(squares, (0..jobs).map(|job| job * job).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn things_are_used_in_their_order() {
        let watched = Observer::watching(usize::MAX, false);
        for things in [1, 2, 4] {
            let (mut made, mut used) = (0, Vec::new());
            let make = |thing: &mut usize| {
                *thing = made;
                made += 1;
                made <= 1000
            };
            ahead(vec![0; things], make, |thing| {
                used.push(*thing);
                Ok::<(), Error>(())
            })
            .unwrap();
            assert_eq!(used, (0..1000).collect::<Vec<usize>>());
        }
        drop(watched);
    }

    #[test]
    fn who_uses_things_may_end_the_making_of_more() {
        for panics in [false, true] {
            let used = move |thing: &mut usize| match *thing {
                7 if panics => panic!("ended"),
                7 => Err(Error::Cancelled),
                _ => Ok(()),
            };
            let asks = move || {
                let _watched = Observer::watching(usize::MAX, false);
                let mut made = 0;
                let endless = |thing: &mut usize| {
                    *thing = made;
                    made += 1;
                    true
                };
                ahead(vec![0; 4], endless, used)
            };
            // A panic ends a thread of its own.
            match (panics, std::thread::spawn(asks).join()) {
                (true, ended) => assert!(ended.is_err()),
                (false, ended) => assert_eq!(ended.unwrap(), Err(Error::Cancelled)),
            }
        }
    }

    #[test]
    fn an_error_of_any_ends_all() {
        let _watched = Observer::watching(usize::MAX, false);
        let error = || Error::Memory { needed: 2, budget: 1 };
        let asking = std::thread::current().id();
        // Jobs that take long for all but the one that asks and the one that fails: who asks may take that one.
        let started = Instant::now();
        let work = |job| match job {
            _ if std::thread::current().id() == asking => Ok(()),
            3 => Err(error()),
            _ => {
                while started.elapsed() < Duration::from_secs(5) {
                    (0..1000).try_for_each(|_| pace::tick(1))?;
                }
                Ok(())
            }
        };
        for _ in 0..20 {
            let result = share((0..4).collect(), work);
            assert!(result == Err(error()) || result == Ok(vec![(); 4]), "{result:?}");
        }
    }

    #[test]
    fn who_waits_for_the_others_polls() {
        let (started, asking) = (Instant::now(), std::thread::current().id());
        let taken = AtomicBool::new(false);
        let work = |_| -> Result<(), Error> {
            if std::thread::current().id() == asking {
                // The other job is another thread's, which goes on until it is told to stop.
                while !taken.load(Ordering::Relaxed) && started.elapsed() < PATIENCE {
                    std::thread::yield_now();
                }
                return Ok(());
            }
            taken.store(true, Ordering::Relaxed);
            while started.elapsed() < PATIENCE {
                (0..1000).try_for_each(|_| pace::tick(1))?;
            }
            Ok(())
        };
        let _watched = Observer::watching(5, false);
        let ended = share(vec![1, 2], work);
        assert_eq!(ended, Err(Error::Cancelled));
        assert!(started.elapsed() < PATIENCE);
    }

    #[test]
    fn work_beside_is_done_in_order() {
        for has_threads in [false, true] {
            let _watched = has_threads.then(|| Observer::watching(usize::MAX, false));
            for (things, spare) in [(0, 0), (1, 2), (100, 1), (1000, 3)] {
                let mut sum = 0;
                let work = |thing: &mut u32| {
                    sum += *thing;
                    *thing *= 2;
                };
                let done = beside(vec![0; spare], work, |mut beside| {
                    let mut done = Vec::new();
                    for thing in 1..=things {
                        done.push(beside.exchange(thing)?);
                    }
                    beside.rest(|thing| {
                        done.push(thing);
                        Ok::<(), Error>(())
                    })?;
                    Ok::<_, Error>(done)
                });
                let spare = if has_threads { spare } else { 0 };
                let all: Vec<u32> = vec![0; spare].into_iter().chain((1..=things).map(|n| 2 * n)).collect();
                assert_eq!((done, sum), (Ok(all), things * (things + 1) / 2));
            }
        }
    }

    #[test]
    fn who_has_work_done_beside_does_the_rest_alone() {
        let pool = Rc::new(ThreadPoolBuilder::new().num_threads(1).build().unwrap());
        let _watched = Watched::by(Rc::new(Observer { pool, left: Cell::new(usize::MAX), panics: false }));
        let sum = || share((1..=10).collect(), Ok).map(|numbers: Vec<u32>| numbers.iter().sum::<u32>());
        let (mut made, mut used) = (0, 0);
        let nested = beside(
            Vec::new(),
            |_: &mut u32| {},
            |mut outer| {
                assert_eq!(threads(), 1);
                let inner = beside(Vec::new(), |thing: &mut u32| *thing += 1, |mut inner| inner.exchange(1))?;
                let more = ahead(
                    vec![0; 4],
                    |_| {
                        made += 1;
                        made <= 10
                    },
                    |_| {
                        used += 1;
                        Ok::<(), Error>(())
                    },
                );
                more?;
                Ok::<_, Error>((inner, sum()?, outer.exchange(3)?))
            },
        );
        assert_eq!((nested, used), (Ok((2, 55, 3)), 10));
        assert_eq!(threads(), 2);
    }

    #[test]
    fn work_beside_ends_with_who_hands_it_over() {
        let _watched = Observer::watching(1, false);
        let slow = |_: &mut u32| std::thread::sleep(10 * WHILE);
        // Nothing is spare: this thread waits, and is told to end.
        let ended = beside(Vec::new(), slow, |mut beside| beside.exchange(1));
        assert_eq!(ended, Err(Error::Cancelled));
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    /// Says that there is no memory.
    struct Poor(Rc<ThreadPool>);

    impl Progress for Poor {
        fn poll(&self) -> Result<(), Error> {
            Ok(())
        }
        fn room(&self) -> fn(usize) -> Result<(), Error> {
            |bytes| Err(Error::OutOfMemory { bytes })
        }
        fn threads(&self) -> Option<Rc<ThreadPool>> {
            Some(self.0.clone())
        }
    }

    #[test]
    fn all_threads_ask_for_memory() {
        let _watched = Watched::by(Rc::new(Poor(three())));
        let ended = share((0..100).collect::<Vec<usize>>(), |_| room::<u64>(7));
        assert!(matches!(ended, Err(Error::OutOfMemory { .. })), "{ended:?}");
    }

    #[test]
    fn who_asks_may_end_the_others() {
        for panics in [false, true] {
            let started = Instant::now();
            let endless = move |_| -> Result<(), Error> {
                while started.elapsed() < PATIENCE {
                    (0..1000).try_for_each(|_| pace::tick(1))?;
                }
                Ok(())
            };
            let asks = move || {
                let _watched = Observer::watching(50, panics);
                share((0..4).collect::<Vec<usize>>(), endless)
            };
            // A panic ends a thread of its own.
            let ended = std::thread::spawn(asks).join();
            assert!(started.elapsed() < PATIENCE);
            match panics {
                true => assert!(ended.is_err()),
                false => assert_eq!(ended.unwrap(), Err(Error::Cancelled)),
            }
        }
    }
}
