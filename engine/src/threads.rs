//! Sharing work among threads.
//!
//! The engine makes no threads, because a server has to decide how they are made: the observer has some or none
//! ([`Progress::threads`]). Jobs are independent and results come in the order of the jobs, so no result depends on the
//! threads. The calling thread does its share of the jobs, and polls until the others are done. The others do not use
//! its observer: their polls look for memory, and for the stop that a thread requests when it fails.

use crate::progress::{self, poll, ObserverScope, Progress};
use crate::Error;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use rayon::{ThreadPool, ThreadPoolBuilder};

/// Number of records below which sharing costs more than it saves.
pub(crate) const MIN_SHARED_RECORDS: usize = 1 << 16;

/// Returns the number of threads that can share work, the calling one included.
pub(crate) fn threads() -> usize {
    1 + idle_pool().map_or(0, |pool| pool.current_num_threads())
}

thread_local! {
    /// Whether the other threads are busy with [`offload`], and do nothing else for this thread.
    static ARE_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Returns the other threads, unless they are busy.
fn idle_pool() -> Option<Rc<ThreadPool>> {
    progress::threads().filter(|_| !ARE_BUSY.get())
}

/// Scope that marks the other threads as busy.
struct BusyScope;

impl BusyScope {
    fn now() -> BusyScope {
        ARE_BUSY.set(true);
        BusyScope
    }
}

impl Drop for BusyScope {
    fn drop(&mut self) {
        ARE_BUSY.set(false);
    }
}

/// Does the jobs in all threads. Returns the results in the order of the jobs, or an error: that of the calling thread,
/// otherwise the first one of the others.
pub(crate) fn share<J: Send, R: Send>(
    jobs: Vec<J>,
    work: impl Fn(J) -> Result<R, Error> + Sync,
) -> Result<Vec<R>, Error> {
    let pool = match idle_pool() {
        Some(pool) if jobs.len() > 1 => pool,
        _ => return jobs.into_iter().map(work).collect(),
    };
    let others = pool.current_num_threads().min(jobs.len() - 1);
    let stop = WorkerObserver { is_requested: Arc::default(), room: progress::memory_check() };
    let (working, done) = channel::<()>();
    let results = Mutex::new(Vec::with_capacity(jobs.len()));
    let jobs = Mutex::new(jobs.into_iter().enumerate());
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).next();
    let go_on = || -> Result<(), Error> {
        while let Some((number, job)) = next().filter(|_| !stop.is_requested.load(Ordering::Relaxed)) {
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
                let mut on_drop = stop.guard();
                let _watched = ObserverScope::observe_with(Rc::new(stop.clone()));
                match go_on() {
                    Ok(()) => on_drop.is_disarmed = true,
                    Err(error) => {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    }
                }
            });
        }
        // An observer may also end the work by a panic.
        let mut on_drop = stop.guard();
        drop(working);
        let mine = go_on().and_then(|()| {
            while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(POLL_INTERVAL) {
                poll()?;
            }
            Ok(())
        });
        on_drop.is_disarmed = mine.is_ok();
        mine
    });
    // If this thread failed, the others may have failed only because it stopped them.
    mine?;
    if let Some(error) = failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(error);
    }
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_unstable_by_key(|&(number, _)| number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Worker on things that are handed over one after the other.
pub enum Offload<'w, T> {
    /// The calling thread does the work itself.
    Inline(&'w mut dyn FnMut(&mut T)),
    /// Another thread does the work. The ends send it things and receive finished ones.
    Remote(Sender<T>, Receiver<T>),
}

/// Runs `with`, which hands things over, while another thread does `work` on them. The other thread returns the `spare`
/// things first. The work is done at the handover if no thread is free, or if no thing is spare, so that every handover
/// would wait.
pub fn offload<T: Send, R>(
    spare: Vec<T>,
    mut work: impl FnMut(&mut T) + Send,
    with: impl FnOnce(Offload<T>) -> R,
) -> R {
    let pool = if spare.is_empty() { None } else { idle_pool() };
    let Some(pool) = pool else { return with(Offload::Inline(&mut work)) };
    let _busy = BusyScope::now();
    let (full, handed) = channel::<T>();
    let (back, done) = channel();
    spare.into_iter().for_each(|thing| _ = back.send(thing));
    let room = progress::memory_check();
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let _watched =
                ObserverScope::observe_with(Rc::new(WorkerObserver { is_requested: Arc::default(), room }));
            // The sender drops both of its ends after the last thing, or after an error.
            while let Ok(mut thing) = handed.recv() {
                work(&mut thing);
                if back.send(thing).is_err() {
                    return;
                }
            }
        });
        with(Offload::Remote(full, done))
    })
}

impl<T> Offload<'_, T> {
    /// Hands a thing over and waits for another in exchange: a spare one first, then finished ones in their order.
    /// Without another thread it returns the same thing, finished.
    pub fn submit(&mut self, mut thing: T) -> Result<T, Error> {
        match self {
            Offload::Inline(work) => {
                work(&mut thing);
                Ok(thing)
            }
            Offload::Remote(full, done) => {
                _ = full.send(thing);
                // The thread ends early only by a panic, which goes on in this thread.
                receive(done)?.ok_or(Error::Cancelled)
            }
        }
    }

    /// Ends the handover, and passes the remaining things to `take` as they are finished.
    pub fn finish_all<E: From<Error>>(self, mut take: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        let Offload::Remote(full, done) = self else { return Ok(()) };
        drop(full);
        while let Some(thing) = receive(&done)? {
            take(thing)?;
        }
        Ok(())
    }
}

/// Waits for the next thing, polling. Returns none if no more can come.
fn receive<T>(coming: &Receiver<T>) -> Result<Option<T>, Error> {
    loop {
        match coming.recv_timeout(POLL_INTERVAL) {
            Ok(thing) => return Ok(Some(thing)),
            Err(RecvTimeoutError::Timeout) => poll()?,
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
        }
    }
}

/// Time between two polls of a thread that waits for others.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Observer of the other threads: the request to stop, and the function that grants memory.
#[derive(Debug, Clone)]
struct WorkerObserver {
    is_requested: Arc<AtomicBool>,
    room: fn(usize) -> Result<(), Error>,
}

impl WorkerObserver {
    fn guard(&self) -> StopGuard<'_> {
        StopGuard { stop: self, is_disarmed: false }
    }
}

impl Progress for WorkerObserver {
    fn poll(&self) -> Result<(), Error> {
        if self.is_requested.load(Ordering::Relaxed) {
            return Err(Error::Cancelled);
        }
        (self.room)(0)
    }
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        self.room
    }
}

/// Guard that stops all threads when it is dropped, unless `is_disarmed` was set.
struct StopGuard<'a> {
    stop: &'a WorkerObserver,
    is_disarmed: bool,
}

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        if !self.is_disarmed {
            self.stop.is_requested.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace;
    use crate::progress::check_memory;
    use std::time::{Duration, Instant};

    fn three() -> Rc<ThreadPool> {
        Rc::new(ThreadPoolBuilder::new().num_threads(3).build().unwrap())
    }

    /// Observer that has threads, and ends the work at its poll number `left`.
    struct Observer {
        pool: Rc<ThreadPool>,
        left: Cell<usize>,
        panics: bool,
    }

    impl Observer {
        fn watching(left: usize, panics: bool) -> ObserverScope {
            ObserverScope::observe_with(Rc::new(Observer { pool: three(), left: Cell::new(left), panics }))
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
    fn an_error_of_any_ends_all() {
        let _watched = Observer::watching(usize::MAX, false);
        let error = || Error::Memory { needed: 2, budget: 1 };
        let asking = std::thread::current().id();
        // Jobs are long, except the failing one and those of the calling thread, which may get the failing one.
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
                // Another thread has the other job, and goes on until it is stopped.
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
        let caller = std::thread::current().id();
        for has_threads in [false, true] {
            let _watched = has_threads.then(|| Observer::watching(usize::MAX, false));
            for (things, spare) in [(0, 0), (5, 0), (1, 2), (100, 1), (1000, 3)] {
                let mut sum = 0;
                let work = |thing: &mut u32| {
                    // Without a spare thing, every handover would wait.
                    assert_eq!(std::thread::current().id() == caller, !has_threads || spare == 0);
                    sum += *thing;
                    *thing *= 2;
                };
                let done = offload(vec![0; spare], work, |mut beside| {
                    let mut done = Vec::new();
                    for thing in 1..=things {
                        done.push(beside.submit(thing)?);
                    }
                    beside.finish_all(|thing| {
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
        let _watched = ObserverScope::observe_with(Rc::new(Observer {
            pool,
            left: Cell::new(usize::MAX),
            panics: false,
        }));
        let sum = || share((1..=10).collect(), Ok).map(|numbers: Vec<u32>| numbers.iter().sum::<u32>());
        let nested = offload(
            vec![0],
            |_: &mut u32| {},
            |mut outer| {
                assert_eq!(threads(), 1);
                let inner = offload(vec![0], |thing: &mut u32| *thing += 1, |mut inner| inner.submit(1))?;
                Ok::<_, Error>((inner, sum()?, outer.submit(3)?))
            },
        );
        // The inner work has no thread, so its first thing is done at once. The outer one returns the spare thing.
        assert_eq!(nested, Ok((2, 55, 0)));
        assert_eq!(threads(), 2);
    }

    #[test]
    fn work_beside_ends_with_who_hands_it_over() {
        let _watched = Observer::watching(1, false);
        let slow = |_: &mut u32| std::thread::sleep(10 * POLL_INTERVAL);
        // After the spare thing this thread waits, and its poll cancels.
        let ended = offload(vec![0], slow, |mut beside| beside.submit(1).and_then(|_| beside.submit(2)));
        assert_eq!(ended, Err(Error::Cancelled));
    }

    const PATIENCE: Duration = Duration::from_secs(60);

    /// Observer without memory.
    struct Poor(Rc<ThreadPool>);

    impl Progress for Poor {
        fn poll(&self) -> Result<(), Error> {
            Ok(())
        }
        fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
            |bytes| Err(Error::OutOfMemory { bytes })
        }
        fn threads(&self) -> Option<Rc<ThreadPool>> {
            Some(self.0.clone())
        }
    }

    #[test]
    fn all_threads_ask_for_memory() {
        let _watched = ObserverScope::observe_with(Rc::new(Poor(three())));
        let ended = share((0..100).collect::<Vec<usize>>(), |_| check_memory::<u64>(7));
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
            // A panic ends only its own thread.
            let ended = std::thread::spawn(asks).join();
            assert!(started.elapsed() < PATIENCE);
            match panics {
                true => assert!(ended.is_err()),
                false => assert_eq!(ended.unwrap(), Err(Error::Cancelled)),
            }
        }
    }
}
