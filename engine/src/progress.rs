//! The one observer of long work: it may cancel it, and it holds the memory budget.
//!
//! The engine calls [`Progress::poll`] often enough that a cancel takes effect within
//! milliseconds, and announces every large allocation before making it.

use crate::Error;

/// Watches long work.
pub trait Progress {
    /// Called often; an error ends the work and is returned as it is.
    fn poll(&self) -> Result<(), Error>;
    /// Announces that `bytes` more are about to be held; an error means they are not granted.
    fn allocate(&self, bytes: usize) -> Result<(), Error>;
    /// Gives back what was announced.
    fn release(&self, bytes: usize);
}

/// Neither cancels nor counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Progress for Unobserved {
    fn poll(&self) -> Result<(), Error> {
        Ok(())
    }
    fn allocate(&self, _bytes: usize) -> Result<(), Error> {
        Ok(())
    }
    fn release(&self, _bytes: usize) {}
}

/// A share of the budget that is given back when it is dropped.
pub struct Reservation<'a> {
    progress: &'a dyn Progress,
    bytes: usize,
}

impl<'a> Reservation<'a> {
    /// Reserves `bytes`, or says that they are not granted.
    pub fn new(progress: &'a dyn Progress, bytes: usize) -> Result<Self, Error> {
        progress.allocate(bytes)?;
        Ok(Reservation { progress, bytes })
    }
    /// Reserves more under the same guard.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Error> {
        self.progress.allocate(bytes)?;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.progress.release(self.bytes);
    }
}
