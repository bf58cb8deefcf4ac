//! Callbacks that PostgreSQL asks of everything it tells, errors above all, while it is being made.

use pgrx::pg_sys::{self, ErrorContextCallback};
use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;

/// A callback, until it is dropped.
#[derive(Debug)]
pub struct Callback(Box<ErrorContextCallback>);

impl Callback {
    /// From now on. The argument lives as long.
    pub fn new(callback: unsafe extern "C-unwind" fn(*mut c_void), argument: *mut c_void) -> Callback {
        let mut asked = Box::new(ErrorContextCallback::default());
        // SAFETY: the stack of callbacks is the backend's own; the callback stays where it is until it is taken off, at
        // the latest as an error unwinds.
        unsafe {
            asked.previous = pg_sys::error_context_stack;
            asked.callback = Some(callback);
            asked.arg = argument;
            pg_sys::error_context_stack = &raw mut *asked;
        }
        Callback(asked)
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        // SAFETY: what was pushed later is gone by now.
        unsafe { pg_sys::error_context_stack = self.0.previous };
    }
}

/// A callback that is asked after all others, and is never taken off.
pub struct LastCallback {
    entry: UnsafeCell<ErrorContextCallback>,
}

// SAFETY: the stack of callbacks, and so its entries, are used by the backend's own thread alone.
unsafe impl Sync for LastCallback {}

impl LastCallback {
    /// Not asked yet.
    pub const fn new(callback: unsafe extern "C-unwind" fn(*mut c_void)) -> LastCallback {
        let (previous, arg) = (ptr::null_mut(), ptr::null_mut());
        LastCallback {
            entry: UnsafeCell::new(ErrorContextCallback { previous, callback: Some(callback), arg }),
        }
    }

    /// From now on. It lies below all others, so that whoever takes one off goes on with it. At the end of a statement at the latest
    /// PostgreSQL puts back the callbacks that were there before (PG_END_TRY).
    pub fn begin(&'static self) {
        // SAFETY: the stack's entries live, and end with NULL; this one lives for good.
        unsafe {
            let mut end = &raw mut pg_sys::error_context_stack;
            while !(*end).is_null() {
                if *end == self.entry.get() {
                    return;
                }
                end = &raw mut (**end).previous;
            }
            *end = self.entry.get();
        }
    }
}
