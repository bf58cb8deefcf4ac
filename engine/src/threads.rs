//! Sharing work among threads.
//!
//! The engine makes no threads, because a server has to decide how they are made: the observer has some or none
//! ([`Progress::threads`]). Jobs are independent and results come in the order of the jobs, so no result depends on the
//! threads. The calling thread does its share of the jobs, and polls until the others are done. The others have an
//! observer of their own: their polls look for memory, and for the stop that a thread requests when it fails.

use crate::progress::{self, poll, ObserverScope, Progress};
use crate::Error;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{channel, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    let shared = SharedJobs {
        results: Mutex::new(Vec::with_capacity(jobs.len())),
        jobs: Mutex::new(jobs.into_iter().enumerate()),
        error: Mutex::new(None),
        observer: WorkerObserver::new(),
    };
    let finished = pool.in_place_scope(|scope| {
        let (working, done) = channel::<()>();
        for _ in 0..others {
            let (shared, work, working) = (&shared, &work, working.clone());
            scope.spawn(move |_| {
                let _working = working;
                shared.work_in_other_thread(work);
            });
        }
        drop(working);
        shared.work_in_calling_thread(&work, &done)
    });
    // If this thread failed, the others may have failed only because it stopped them.
    finished?;
    shared.into_results()
}

/// Jobs that several threads take one by one, and their results.
struct SharedJobs<J: Iterator, R> {
    jobs: Mutex<J>,
    /// Result of each finished job, with its number.
    results: Mutex<Vec<(usize, R)>>,
    /// First error of the other threads.
    error: Mutex<Option<Error>>,
    observer: WorkerObserver,
}

impl<T, J: Iterator<Item = (usize, T)>, R> SharedJobs<J, R> {
    /// Does jobs until none is left, or a thread requests to stop.
    fn work(&self, work: &impl Fn(T) -> Result<R, Error>) -> Result<(), Error> {
        loop {
            let next = lock(&self.jobs).next();
            let Some((number, job)) = next.filter(|_| !self.observer.is_stop_requested()) else {
                return Ok(());
            };
            let result = work(job)?;
            lock(&self.results).push((number, result));
        }
    }

    fn work_in_other_thread(&self, work: &impl Fn(T) -> Result<R, Error>) {
        let mut stop = self.observer.stop_on_drop();
        let _watched = ObserverScope::observe_with(Rc::new(self.observer.clone()));
        match self.work(work) {
            Ok(()) => stop.is_disarmed = true,
            Err(error) => _ = lock(&self.error).get_or_insert(error),
        }
    }

    /// Does jobs, then waits for the other threads. Nothing is sent through `done`: it ends with the last thread.
    fn work_in_calling_thread(
        &self,
        work: &impl Fn(T) -> Result<R, Error>,
        done: &Receiver<()>,
    ) -> Result<(), Error> {
        // An observer may also end the work by a panic.
        let mut stop = self.observer.stop_on_drop();
        self.work(work)?;
        while let Err(RecvTimeoutError::Timeout) = done.recv_timeout(POLL_INTERVAL) {
            poll()?;
        }
        stop.is_disarmed = true;
        Ok(())
    }

    /// Returns the results in the order of the jobs, or the error of another thread.
    fn into_results(self) -> Result<Vec<R>, Error> {
        if let Some(error) = self.error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            return Err(error);
        }
        let mut results = self.results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_unstable_by_key(|&(number, _)| number);
        Ok(results.into_iter().map(|(_, result)| result).collect())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Worker on things that are handed over one after the other.
pub enum Offload<'w, T> {
    /// The calling thread does the work itself.
    Inline(&'w mut dyn FnMut(&mut T)),
    /// Another thread does the work. The first end sends things to it, the second receives finished ones.
    Remote(Sender<T>, Receiver<T>),
}

/// Runs `with`, which hands things over, while another thread does `work` on them. Each handover returns another thing:
/// first the `spare` ones, then the finished ones. The calling thread does the work itself if no other thread is free,
/// or if no thing is spare, because then every handover would wait.
pub fn offload<T: Send, R>(
    spare: Vec<T>,
    mut work: impl FnMut(&mut T) + Send,
    with: impl FnOnce(Offload<T>) -> R,
) -> R {
    let pool = if spare.is_empty() { None } else { idle_pool() };
    let Some(pool) = pool else { return with(Offload::Inline(&mut work)) };
    let _busy = BusyScope::now();
    let (handover, handed) = channel::<T>();
    let (finished, returned) = channel();
    spare.into_iter().for_each(|thing| _ = finished.send(thing));
    let observer = WorkerObserver::new();
    pool.in_place_scope(|scope| {
        scope.spawn(move |_| {
            let _watched = ObserverScope::observe_with(Rc::new(observer));
            // The calling thread drops both of its ends after the last thing, or after an error.
            while let Ok(mut thing) = handed.recv() {
                work(&mut thing);
                if finished.send(thing).is_err() {
                    return;
                }
            }
        });
        with(Offload::Remote(handover, returned))
    })
}

impl<T> Offload<'_, T> {
    /// Hands a thing over and waits for another in exchange: a spare one first, then finished ones in their order.
    /// Without another thread, returns the same thing, finished.
    pub fn submit(&mut self, mut thing: T) -> Result<T, Error> {
        match self {
            Offload::Inline(work) => {
                work(&mut thing);
                Ok(thing)
            }
            Offload::Remote(handover, returned) => {
                _ = handover.send(thing);
                // The other thread ends early only by a panic, which goes on in this thread.
                receive(returned)?.ok_or(Error::Cancelled)
            }
        }
    }

    /// Ends the handover, and passes the remaining things to `take` as they are finished.
    pub fn finish_all<E: From<Error>>(self, mut take: impl FnMut(T) -> Result<(), E>) -> Result<(), E> {
        let Offload::Remote(handover, returned) = self else { return Ok(()) };
        drop(handover);
        while let Some(thing) = receive(&returned)? {
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

/// Observer of the other threads. All copies share the request to stop.
#[derive(Debug, Clone)]
struct WorkerObserver {
    is_stop_requested: Arc<AtomicBool>,
    memory_check: fn(usize) -> Result<(), Error>,
}

impl WorkerObserver {
    /// Makes the observer for threads that work for the calling one.
    fn new() -> WorkerObserver {
        WorkerObserver { is_stop_requested: Arc::default(), memory_check: progress::memory_check() }
    }

    fn is_stop_requested(&self) -> bool {
        self.is_stop_requested.load(Ordering::Relaxed)
    }

    fn stop_on_drop(&self) -> StopGuard<'_> {
        StopGuard { observer: self, is_disarmed: false }
    }
}

impl Progress for WorkerObserver {
    fn poll(&self) -> Result<(), Error> {
        if self.is_stop_requested() {
            return Err(Error::Cancelled);
        }
        (self.memory_check)(0)
    }
    fn memory_check(&self) -> fn(usize) -> Result<(), Error> {
        self.memory_check
    }
}

/// Guard that stops all threads when it is dropped, unless `is_disarmed` was set.
struct StopGuard<'a> {
    observer: &'a WorkerObserver,
    is_disarmed: bool,
}

impl Drop for StopGuard<'_> {
    fn drop(&mut self) {
        if !self.is_disarmed {
            self.observer.is_stop_requested.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace;
    use crate::progress::check_memory;
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(60);

    fn pool(threads: usize) -> Rc<ThreadPool> {
        Rc::new(ThreadPoolBuilder::new().num_threads(threads).build().unwrap())
    }

    /// Observer that has threads, and ends the work at its poll number `left`.
    struct Observer {
        pool: Rc<ThreadPool>,
        left: Cell<usize>,
        panics: bool,
    }

    impl Observer {
        fn watching(threads: usize, left: usize, panics: bool) -> ObserverScope {
            let observer = Observer { pool: pool(threads), left: Cell::new(left), panics };
            ObserverScope::observe_with(Rc::new(observer))
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

    /// Works until a poll ends the work.
    fn work_endlessly(started: Instant) -> Result<(), Error> {
        while started.elapsed() < PATIENCE {
            (0..1000).try_for_each(|_| pace::tick(1))?;
        }
        Ok(())
    }

    #[test]
    fn results_come_in_order() {
        let _watched = Observer::watching(3, usize::MAX, false);
        assert_eq!(threads(), 4);
        for jobs in [0, 1, 2, 3, 4, 1000] {
            let squares = share((0..jobs).collect(), |job| Ok(job * job)).unwrap();
            assert_eq!(squares, (0..jobs).map(|job| job * job).collect::<Vec<usize>>());
        }
    }

    #[test]
    fn an_error_of_any_thread_stops_all() {
        let _watched = Observer::watching(3, usize::MAX, false);
        let error = || Error::Memory { needed: 2, budget: 1 };
        let (started, caller) = (Instant::now(), std::thread::current().id());
        // The calling thread may get the failing job, and then does not fail.
        let work = |job| match job {
            _ if std::thread::current().id() == caller => Ok(()),
            3 => Err(error()),
            _ => work_endlessly(started),
        };
        for _ in 0..20 {
            let result = share((0..4).collect(), work);
            assert!(result == Err(error()) || result == Ok(vec![(); 4]), "{result:?}");
        }
    }

    #[test]
    fn the_calling_thread_polls_while_it_waits() {
        let (started, caller) = (Instant::now(), std::thread::current().id());
        let is_taken = AtomicBool::new(false);
        let work = |_| {
            if std::thread::current().id() != caller {
                is_taken.store(true, Ordering::Relaxed);
                return work_endlessly(started);
            }
            while !is_taken.load(Ordering::Relaxed) && started.elapsed() < PATIENCE {
                std::thread::yield_now();
            }
            Ok(())
        };
        let _watched = Observer::watching(3, 5, false);
        assert_eq!(share(vec![1, 2], work), Err(Error::Cancelled));
        assert!(started.elapsed() < PATIENCE);
    }

    #[test]
    fn the_calling_thread_stops_the_others() {
        for panics in [false, true] {
            let started = Instant::now();
            let call = move || {
                let _watched = Observer::watching(3, 50, panics);
                share((0..4).collect::<Vec<usize>>(), |_| work_endlessly(started))
            };
            // A panic ends only its own thread.
            let ended = std::thread::spawn(call).join();
            assert!(started.elapsed() < PATIENCE);
            match panics {
                true => assert!(ended.is_err()),
                false => assert_eq!(ended.unwrap(), Err(Error::Cancelled)),
            }
        }
    }

    #[test]
    fn offloaded_things_return_in_order() {
        let caller = std::thread::current().id();
        for has_threads in [false, true] {
            let _watched = has_threads.then(|| Observer::watching(3, usize::MAX, false));
            for (things, spare) in [(0, 0), (5, 0), (1, 2), (100, 1), (1000, 3)] {
                let mut sum = 0;
                let work = |thing: &mut u32| {
                    assert_eq!(std::thread::current().id() == caller, !has_threads || spare == 0);
                    sum += *thing;
                    *thing *= 2;
                };
                let done = offload(vec![0; spare], work, |mut offload| {
                    let mut done = Vec::new();
                    for thing in 1..=things {
                        done.push(offload.submit(thing)?);
                    }
                    offload.finish_all(|thing| {
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
    fn busy_threads_do_nothing_else() {
        let _watched = Observer::watching(1, usize::MAX, false);
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
    fn a_handover_polls_while_it_waits() {
        let _watched = Observer::watching(3, 1, false);
        let slow = |_: &mut u32| std::thread::sleep(10 * POLL_INTERVAL);
        // The first handover returns the spare thing. The second one waits, and its poll cancels.
        let ended = offload(vec![0], slow, |mut offload| offload.submit(1).and_then(|_| offload.submit(2)));
        assert_eq!(ended, Err(Error::Cancelled));
    }

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
        let _watched = ObserverScope::observe_with(Rc::new(Poor(pool(3))));
        let ended = share((0..100).collect::<Vec<usize>>(), |_| check_memory::<u64>(7));
        assert!(matches!(ended, Err(Error::OutOfMemory { .. })), "{ended:?}");
    }
}
